#!/usr/bin/env python3
"""A script as people write it with NumPy and OpenCV, or with torchvision, to pack a data set; scripts/bench times it next to hotpack.

  one_hot_it.py [--torchvision] ids    IMAGES LABELS WIDTHxHEIGHT OUT            gray ids as they are
  one_hot_it.py [--torchvision] onehot IMAGES LABELS WIDTHxHEIGHT OUT CLASSES    RGB masks to one-hot bytes; CLASSES: a CSV `name,r,g,b`

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


class Opencv:
    def __init__(self, size, colors):
        cv2.setNumThreads(1)
        self.size, self.colors = size, colors

    def image(self, path):
        return cv2.resize(load_rgb(path), self.size, interpolation=cv2.INTER_LINEAR)

    def label(self, path):
        return load_label(path, self.size, self.colors)


class Torchvision:
    def __init__(self, size, colors):
        import torch
        from torchvision import io
        from torchvision.transforms.v2 import InterpolationMode, functional

        torch.set_num_threads(1)
        self.torch, self.io, self.modes, self.resize = torch, io, InterpolationMode, functional.resize
        self.size, self.colors = size[::-1], colors and torch.tensor(colors, dtype=torch.uint8)[:, :, None, None]

    def image(self, path):
        image = self.resize(self.io.decode_image(path, self.io.ImageReadMode.RGB), self.size, self.modes.BILINEAR, antialias=False)
        return image.permute(1, 2, 0).contiguous().numpy()

    def label(self, path):
        mode = self.io.ImageReadMode.UNCHANGED if self.colors is None else self.io.ImageReadMode.RGB
        label = self.resize(self.io.decode_image(path, mode), self.size, self.modes.NEAREST)
        if self.colors is None:
            return label[0].numpy()
        return (label == self.colors).all(1).permute(1, 2, 0).contiguous().numpy()


def pack(library, kind, images, labels, size, out, classes=None):
    size = tuple(int(side) for side in size.split("x"))
    colors = read_colors(classes) if kind == "onehot" else None
    reader = library(size, colors)
    with open(out, "wb") as file:
        for image, label in zip(sorted_files(images), sorted_files(labels)):
            file.write(reader.image(image).tobytes())
            file.write(reader.label(label).tobytes())


def main():
    words = [word for word in sys.argv[1:] if word != "--torchvision"]
    if len(words) < 5:
        sys.exit(__doc__)
    library = Opencv if words == sys.argv[1:] else Torchvision
    library((1, 1), None)  # imports
    began, processor_began = time.perf_counter(), time.process_time()
    pack(library, *words)
    print(f"{time.perf_counter() - began:.6f} {time.process_time() - processor_began:.6f}")


if __name__ == "__main__":
    main()
