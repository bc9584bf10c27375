#!/usr/bin/env python3
"""Shards that become unreadable while they are read: cut to a shorter length, or on a disk that refuses one page. Each program ends with its
exit code and a text with file, record and byte, never by a signal.

CUT_RUNS: how many runs of each program meet a shard that is cut (default: 4).
"""

import ctypes
import json
import mmap
import os
import random
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from packs import HOTPACK, Scratch, run
from workload import write_png

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import skips

RUNS = int(os.environ.get("CUT_RUNS", "4"))
SHARD = "shard-00000-of-00001.safetensors"
RECORDS, WIDTH, HEIGHT, PAGE = 24, 960, 720, 4096
LIBC = ctypes.CDLL(None)
LIBC.mmap.restype = ctypes.c_void_p
LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
LIBC.mlock.argtypes = LIBC.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
LIBC.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
LIBC.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
PLACE = re.compile(rf"{SHARD}: record (\d+)\b.*at byte (\d+)")


class OnePack(unittest.TestCase):
    """A pack of one shard, with records of many pages."""

    def setUp(self):
        scratch = Scratch()
        self.folder = scratch.__enter__()
        self.addCleanup(scratch.__exit__)
        chance = random.Random(7)
        for i in range(RECORDS):
            write_png(self.folder / "images" / f"{i:02}.png", 96, 72, 3, chance.randbytes(96 * 72 * 3))
            write_png(self.folder / "labels" / f"{i:02}.png", 96, 72, 1, bytes([i % 3]) * (96 * 72))
        self.pack = ["pack", "--images", self.folder / "images", "--labels", self.folder / "labels", "--label-kind", "index", "--num-classes",
                     "3", "--size", f"{WIDTH}x{HEIGHT}", "--shard-size", "1GiB"]
        run(*self.pack, "-q", "-o", self.folder / "pack")
        self.shard = self.folder / "pack" / SHARD
        self.whole = self.shard.read_bytes()
        start = 8 + int.from_bytes(self.whole[:8], "little")
        self.begin, self.end = (start + at for at in json.loads(self.whole[8:start])["image"]["data_offsets"])

    def readers(self, pack):
        """Command lines that read every record, by name; each says on stderr that it has read some."""
        out, telling = self.folder / "out", ["--progress", "json"]
        return {
            "verify": [HOTPACK, "verify", pack, "-j1", *telling],
            "verify -j2": [HOTPACK, "verify", pack, "-j2", *telling],
            "extract": [HOTPACK, "extract", pack, "-o", out, "--force", "-j2", *telling],
            "preview": [HOTPACK, "preview", pack, "-o", self.folder / "sheet.png", "--grid", "4x6", "--force", *telling],
            "samples": [os.environ["READ_SAMPLES"], pack],
        }


class Cut(OnePack):
    def cut_while(self, command, at):
        """Cuts the shard when the program has read something, and mends it at the end. Returns the exit code and all text."""
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as reading:
            first = reading.stderr.readline()
            os.truncate(self.shard, at)
            out, err = reading.communicate("\n", timeout=60)
        with open(self.shard, "r+b") as file:
            file.seek(at)
            file.write(self.whole[at:])
        return reading.returncode, out + first + err

    def test_a_shard_that_is_cut_while_it_is_read(self):
        chance = random.Random(1)
        for name, command in self.readers(self.folder / "pack").items():
            met = 0
            for _ in range(100 * RUNS):
                code, text = self.cut_while(command, chance.randrange(self.begin, self.end))
                if code == 0:
                    continue  # it had read everything before
                self.assertEqual(code, 4, f"{name}: {text}")
                self.assertRegex(text, PLACE, name)
                met += 1
                if met == RUNS:
                    break
            self.assertEqual(met, RUNS, name)
            print(f"{name}: {met} runs met a shard that was cut")


class BadPage(OnePack):
    """A file system on a loop device, whose backing file is cut before one page, and all later pages of the pack are locked in memory: reading
    this page is an EIO of the kernel, and reading its mapping a SIGBUS. Directories lie before it, so the kernel may drop them from memory."""

    def mount(self, folder, *arguments):
        folder.mkdir(exist_ok=True)
        done = subprocess.run(["mount", *arguments, folder], capture_output=True, text=True)
        if done.returncode:
            self.skipTest(f"mounting is not allowed here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", folder], check=True)

    def lose_page(self, number):
        """Returns the pack on a disk that refuses this page of the shard."""
        if not shutil.which("mkfs.ext4"):
            self.skipTest("mkfs.ext4 is not installed")
        backing, disk = self.folder / "backing", self.folder / "disk"
        with open(backing, "wb") as file:
            file.truncate(2 * len(self.whole))
        subprocess.run(["mkfs.ext4", "-q", backing], check=True)
        self.mount(disk, "-o", "loop", backing)
        shutil.copytree(self.folder / "pack", disk / "pack")
        self.shard.unlink()
        subprocess.run(["umount", disk], check=True)
        subprocess.run(["mount", "-o", "loop,ro", backing, disk], check=True)  # with nothing cached; unmounted by the cleanup of before
        for path in (disk / "pack").iterdir():
            self.cache(path, number if path.name == SHARD else None)
        os.truncate(backing, self.place_of(disk / "pack" / SHARD, number))
        return disk / "pack"

    def place_of(self, path, number):
        """Returns where a page of a file begins in the backing file: extents are listed by their first and last page, and place on the disk."""
        text = subprocess.run(["filefrag", "-v", f"-b{PAGE}", path], capture_output=True, text=True, check=True).stdout
        for first, last, place in re.findall(r"^ *\d+: +(\d+)\.\. +(\d+): +(\d+)\.\.", text, re.MULTILINE):
            if int(first) <= number <= int(last):
                return (int(place) + number - int(first)) * PAGE
        raise AssertionError(text)

    def cache(self, path, but):
        """Keeps all pages of a file in memory, but one. A page that was dropped before it is locked is read again, so the mapping is read without
        read-ahead like the file."""
        size = path.stat().st_size
        pages = [page for page in range((size + PAGE - 1) // PAGE) if page != but]
        with open(path, "rb", buffering=0) as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)  # no read-ahead
            for page in pages:
                os.pread(file.fileno(), PAGE, page * PAGE)
            memory = LIBC.mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, file.fileno(), 0)
        self.addCleanup(LIBC.munmap, memory, size)
        LIBC.madvise(memory, size, mmap.MADV_RANDOM)
        for page in pages:
            if LIBC.mlock(memory + page * PAGE, PAGE):
                self.skipTest("locking memory is not allowed here")
        if but is not None:
            state = ctypes.create_string_buffer(1)
            self.assertEqual(LIBC.mincore(memory + but * PAGE, PAGE, state), 0)
            self.assertFalse(state.raw[0] & 1, "the page to lose is in memory")

    def check(self, name, command, place):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        text = done.stdout + done.stderr
        self.assertEqual(done.returncode, 3, f"{name}: {text}")
        self.assertIn("Input/output error", text, name)
        self.assertRegex(text, place, name)
        return place.search(text)

    def test_a_page_of_a_record_that_cannot_be_read(self):
        record_bytes = (self.end - self.begin) // RECORDS
        begin = self.begin + 5 * record_bytes
        page = (begin + record_bytes // 2) // PAGE
        pack = self.lose_page(page)
        bench = [HOTPACK, "bench", pack, "--seconds", "1", "--no-cold"]
        programs = self.readers(pack) | {"loader": [os.environ["READ_EPOCH"], pack], "bench": bench}
        for name, command in programs.items():
            with self.subTest(name):
                record, at = map(int, self.check(name, command, PLACE).groups())
                self.assertEqual(record, 5)
                self.assertTrue(begin <= at < (page + 1) * PAGE, at)
        with self.subTest("the other records"):
            self.assertIn("not checked to the end: 1 file or record could not be read", run("verify", pack, expect=3).stdout)
        with self.subTest("repair"):
            upper, merged = self.folder / "upper", self.folder / "merged"
            self.mount(upper, "-t", "tmpfs", "tmpfs")
            (upper / "files").mkdir(), (upper / "work").mkdir()
            self.mount(merged, "-t", "overlay", "-o", f"lowerdir={pack},upperdir={upper}/files,workdir={upper}/work", "overlay")
            place = self.check("repair", [HOTPACK, *self.pack, "--repair", "-o", merged], PLACE)
            self.assertEqual(int(place[1]), 5)

    def test_a_page_of_the_tables_that_cannot_be_read(self):
        pack = self.lose_page((len(self.whole) - 1) // PAGE)
        for name, command in self.readers(pack).items():
            with self.subTest(name):
                self.check(name, command, re.compile(rf"{SHARD}.*at byte \d+"))


if __name__ == "__main__":
    skips.run_unittests(verbosity=2)
