#!/usr/bin/env python3
"""What a person would write with NumPy and cv2 to pack a data set; scripts/bench times it beside hotpack.

  one_hot_it.py ids    IMAGES LABELS WIDTHxHEIGHT OUT            gray ids as they are
  one_hot_it.py onehot IMAGES LABELS WIDTHxHEIGHT OUT CLASSES    RGB masks to one-hot bytes; CLASSES is a CSV `name,r,g,b`

Pairs by position, as such programs do. Prints the seconds that the loop took, without the import of the libraries: on the clock, and of
the processor.
"""

import csv
import sys
import time
from pathlib import Path

import cv2
import numpy as np


def sorted_files(folder):
    return sorted(str(path) for path in Path(folder).rglob("*") if path.is_file())


def read_colors(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [[int(value) for value in row[1:4]] for row in list(csv.reader(file))[1:]]


def load_rgb(path):
    return cv2.cvtColor(cv2.imread(path, cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)


def one_hot_it(label, colors):
    return np.stack([np.all(np.equal(label, color), axis=-1) for color in colors], axis=-1)


def load_label(path, size, colors):
    label = load_rgb(path) if colors else cv2.imread(path, cv2.IMREAD_UNCHANGED)
    label = cv2.resize(label, size, interpolation=cv2.INTER_NEAREST)
    return one_hot_it(label, colors) if colors else label


def pack(kind, images, labels, size, out, classes=None):
    size = tuple(int(side) for side in size.split("x"))
    colors = read_colors(classes) if kind == "onehot" else None
    with open(out, "wb") as file:
        for image, label in zip(sorted_files(images), sorted_files(labels)):
            file.write(cv2.resize(load_rgb(image), size, interpolation=cv2.INTER_LINEAR).tobytes())
            file.write(load_label(label, size, colors).tobytes())


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    cv2.setNumThreads(1)
    began, processor_began = time.perf_counter(), time.process_time()
    pack(*sys.argv[1:])
    print(f"{time.perf_counter() - began:.6f} {time.process_time() - processor_began:.6f}")


if __name__ == "__main__":
    main()
