#!/usr/bin/env python3
"""Large images are decoded fewer at once where --max-memory says so, with the same bytes in less memory."""

import os
import struct
import subprocess
import unittest
import zlib

from images import chunk
from packs import HOTPACK, Scratch, digest

SIDE = 6000  # pixels; one image of 1 bit takes 103 MiB as RGB
MIB = 1 << 20


def large_png(seed):
    """A 1-bit gray PNG with a few stripes."""
    row = b"\0" + bytes([seed]) * (SIDE // 8)
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * SIDE, 1)) + chunk(b"IEND", b"")


class BoundedMemory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Scratch()
        cls.folder = cls.scratch.__enter__()
        (cls.folder / "images").mkdir()
        for i in range(6):
            (cls.folder / f"images/{i}.png").write_bytes(large_png(40 * i + 1))

    @classmethod
    def tearDownClass(cls):
        cls.scratch.__exit__()

    def pack(self, name, *options):
        """Packs with four threads. Returns the exit code, stderr, and the most bytes of memory that the command had."""
        command = [HOTPACK, "pack", "--images", "images", "--size", "64x64", "-j4", "-o", name, *options]
        with subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            words = process.stderr.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, words, used.ru_maxrss * 1024

    def test_fewer_at_once_have_the_same_bytes_in_less_memory(self):
        code, words, _ = self.pack("free", "--max-memory", "8GiB")
        self.assertEqual(code, 0, words)
        self.assertNotIn("fewer at once", words)
        code, words, used = self.pack("bound", "--max-memory", "160MiB")
        self.assertEqual(code, 0, words)
        self.assertIn("large images were decoded fewer at once than -j 4 allows", words)
        self.assertIn("so 1 of its size at once (--max-memory 160 MiB)", words)
        self.assertLess(used, 2 * 3 * SIDE * SIDE)  # less than two images
        self.assertEqual(digest(self.folder / "free"), digest(self.folder / "bound"))

    def test_an_image_beyond_the_limit_stops_the_run_and_is_never_skipped(self):
        code, words, used = self.pack("small", "--max-memory", "64MiB", "--on-error", "skip")
        self.assertEqual(code, 3, words)
        self.assertRegex(words, r"images/\d.png: decoding this image takes about 104 MiB of memory")
        self.assertIn("Give --max-memory 138MiB", words)
        self.assertLess(used, 64 * MIB)


if __name__ == "__main__":
    unittest.main()
