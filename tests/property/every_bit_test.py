#!/usr/bin/env python3
"""Every flipped bit and every truncation of a pack of each form is found by verification.

usage: every_bit_test.py [EVERY]    (each EVERY-th bit and length; 1 tries all of them, which takes many minutes. Default: a sample)
"""

import os
import subprocess
import sys
import unittest

from packs import Scratch, run
from images import photo, png

EVERY = "331"


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def label(width, height, seed):
    return png([[(x + y + seed) % 3 for x in range(width)] for y in range(height)])


def make_inputs(folder):
    """Images of 6x5 with ids 0 to 2, of two sizes, in class folders, and one that is damaged."""
    for number in range(2):
        put(folder / "images" / f"{number}.png", photo(6, 5, number))
        put(folder / "labels" / f"{number}.png", label(6, 5, number))
        put(folder / "mixed/images" / f"{number}.png", photo(6 + 3 * number, 5 - number, number))
        put(folder / "mixed/labels" / f"{number}.png", label(6 + 3 * number, 5 - number, number))
    for name in ("ants", "bees"):
        put(folder / "classes" / name / "a.png", photo(6, 5, len(name)))
    put(folder / "broken/0.png", photo(6, 5)[:-24] + bytes(24))


def forms(folder):
    """Name and arguments of a pack of each form."""
    labeled = ["--images", folder / "images", "--labels", folder / "labels", "--num-classes", "3"]
    size = ["--size", "6x5"]
    mixed = ["--images", folder / "mixed/images", "--labels", folder / "mixed/labels", "--num-classes", "3"]
    broken = ["--images", folder / "broken", "--size", "6x5", "--on-error", "skip"]
    return {
        "bits": labeled + size, "one_hot": labeled + size + ["--label-storage", "one_hot"],
        "index": labeled + size + ["--label-storage", "index"], "zstd": labeled + size + ["--zstd"],
        "chw": labeled + size + ["--image-layout", "chw"], "mixed": mixed, "mixed-zstd": mixed + ["--zstd"],
        "tiles": labeled + ["--tile", "4x3+1"], "unlabeled": ["--images", folder / "images"] + size,
        "classes": ["--image-folders", folder / "classes"] + size, "empty": broken,
    }


def make_packs(folder):
    make_inputs(folder)
    packs = []
    for name, arguments in forms(folder).items():
        run("pack", *arguments, "-o", folder / "packs" / name, expect=1 if name == "empty" else 0)
        packs.append(str(folder / "packs" / name))
    return packs


class EveryBit(unittest.TestCase):
    def test_no_damage_is_missed(self):
        with Scratch() as folder:
            done = subprocess.run([os.environ["EVERY_BIT"], EVERY, *make_packs(folder)], capture_output=True, text=True, check=False)
            print(done.stdout)
            self.assertEqual(done.returncode, 0, done.stdout[-4000:] + done.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        EVERY = sys.argv.pop(1)
    unittest.main()
