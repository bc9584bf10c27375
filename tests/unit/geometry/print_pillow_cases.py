#!/usr/bin/env python3
"""Prints the resizes of pillow13_cases.inc or pillow12_1_cases.inc, as the installed Pillow computes them.

    pip install 'pillow>=13' xxhash     python3 print_pillow_cases.py > pillow13_cases.inc
    pip install 'pillow<12.2' xxhash    python3 print_pillow_cases.py > pillow12_1_cases.inc

Tests read the printed files and need no Pillow. The image is that of resize_cases.cpp: the upper byte of a linear
congruential generator.
"""
import sys

import PIL
import xxhash
from PIL import Image

FILTERS = {"triangle": Image.Resampling.BILINEAR, "cubic": Image.Resampling.BICUBIC, "lanczos": Image.Resampling.LANCZOS}

# width, height, new width, new height
SIZES = [
    (23, 17, 40, 31),  # both grow
    (41, 37, 19, 16),  # both shrink, the height by less than twice as many pixels
    (19, 40, 33, 21),  # the width grows, the height shrinks
    (60, 9, 7, 70),  # the width shrinks, the height grows
    (48, 34, 48, 13), (48, 34, 11, 34),  # one axis alone
    (1, 1, 5, 3), (300, 2, 1, 1),  # from and to one pixel
    (40, 50, 30, 30), (40, 51, 30, 30),  # 20 rows are twice 10 columns, 21 are more
    (70, 130, 35, 60), (70, 130, 35, 59),
    (64, 65, 65, 64),  # one row less
    (200, 300, 64, 16),
    (5, 600, 3, 40), (5, 600, 3, 597), (5, 600, 3, 700),  # more than 100 times as high as wide
]


def noise(count):
    state, values = 12345, bytearray(count)
    for i in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        values[i] = state >> 24
    return bytes(values)


def main():
    version = tuple(int(part) for part in PIL.__version__.split(".")[:2])
    if (12, 2) <= version < (13, 0):
        sys.exit(f"Pillow {PIL.__version__} computes neither table")
    ending = "" if version >= (13, 0) else "_pillow12_1"
    print(f"// Printed by print_pillow_cases.py with Pillow {PIL.__version__}.")
    for word, resampling in FILTERS.items():
        for width, height, new_width, new_height in SIZES:
            for channels, mode in (1, "L"), (3, "RGB"):
                image = Image.frombytes(mode, (width, height), noise(width * height * channels))
                pixels = image.resize((new_width, new_height), resampling).tobytes()
                print(f"{{ImageFilter::{word}{ending}, {channels}, {{{width}, {height}}}, "
                      f"{{{new_width}, {new_height}}}, 0x{xxhash.xxh3_64_intdigest(pixels):016x}}},")


if __name__ == "__main__":
    main()
