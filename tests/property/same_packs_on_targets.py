#!/usr/bin/env python3
"""Two builds of the command for different processors write the same packs, byte for byte. `scripts/check aarch64` runs it.

The environment names the builds (HOTPACK and OTHER_HOTPACK) and the images (SAMPLE_DATA). No CTest runs it, because it needs both builds.
"""

import os
import unittest

from images import GRAY, RGB, png
from packs import FRUIT, HOTPACK, STREET, Scratch, run

OTHER = os.environ["OTHER_HOTPACK"]

SCENES = ["--images", STREET / "images", "--labels", STREET / "masks_color", "--classes", STREET / "class_dict.csv"]
FRUITS = ["--image-folders", FRUIT]
PHOTOS = ["--images", FRUIT]

FORMS = {
    "bits, linear or area by size": [*SCENES, "--size", "160x120"],
    "one-hot bytes, channels first": [*SCENES, "--size", "96x96", "--label-storage", "one_hot", "--image-layout", "chw"],
    "ids, enlarged by cubic": [*SCENES, "--size", "333x257", "--label-storage", "index", "--image-filter", "cubic"],
    "shrunk by lanczos": [*SCENES, "--size", "97x61", "--image-filter", "lanczos", "--label-filter", "nearest-pil"],
    "enlarged by lanczos": [*PHOTOS, "--size", "201x199", "--image-filter", "lanczos"],
    "shrunk by area": [*SCENES, "--size", "31x17", "--image-filter", "area"],
    "enlarged by area": [*SCENES, "--size", "331x217", "--image-filter", "area"],
    "enlarged by linear": [*SCENES, "--size", "229x301", "--image-filter", "linear"],
    "shrunk by linear": [*SCENES, "--size", "41x57", "--image-filter", "linear"],
    "nearest": [*SCENES, "--size", "151x77", "--image-filter", "nearest", "--label-filter", "nearest-cv"],
    "JPEGs at a fraction of their size": [*PHOTOS, "--size", "24x20", "--image-filter", "triangle"],
    "JPEGs in full": [*PHOTOS, "--size", "24x20", "--image-filter", "triangle", "--jpeg-scale", "off"],
    "gray": [*SCENES, "--size", "90x70", "--channels", "gray", "--image-filter", "triangle"],
    "tiles": [*SCENES, "--size", "200x140", "--tile", "64x48+8"],
    "class folders that fill the record": [*FRUITS, "--size", "64x64", "--fit", "cover"],
    "padding": [*SCENES, "--size", "300x180", "--fit", "contain", "--pad-color", "9,99,199"],
    "the size of each image": [*PHOTOS, "--fit", "none", "--pad-multiple", "16"],
    "shuffled and compressed": [*SCENES, "--size", "160x120", "--shuffle", "7", "--zstd", "--shard-samples", "3"],
}


def packed(command, options, folder):
    """Bytes of each file of the pack that a build writes."""
    run("pack", *options, "-o", folder, command=command)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def deep_images(folder):
    """Images of 16 bits per sample, in color and gray."""
    folder.mkdir()
    color = [[((x * 1021 + y) % 65536, (y * 2039) % 65536, (x * y * 7) % 65536) for x in range(61)] for y in range(43)]
    gray = [[(x * 733 + y * 1511) % 65536 for x in range(61)] for y in range(43)]
    (folder / "color.png").write_bytes(png(color, RGB, 16))
    (folder / "gray.png").write_bytes(png(gray, GRAY, 16))
    return folder


class SamePacks(unittest.TestCase):
    def assert_same(self, name, options, folder):
        ours, theirs = (packed(command, options, folder / f"{kind} {name}") for kind, command in (("a", HOTPACK), ("b", OTHER)))
        self.assertTrue(any(file.endswith(".safetensors") for file in ours))
        self.assertEqual(sorted(ours), sorted(theirs))
        self.assertEqual([file for file in ours if ours[file] != theirs[file]], [])
        print(f"same: {name} ({len(ours)} files, {sum(map(len, ours.values())):,} bytes)", flush=True)

    def test_the_sample_data(self):
        with Scratch() as folder:
            for name, options in FORMS.items():
                with self.subTest(name):
                    self.assert_same(name, options, folder)

    def test_images_of_16_bits(self):
        with Scratch() as folder:
            images = deep_images(folder / "images")
            for depth in ("shift", "scale"):
                with self.subTest(depth):
                    self.assert_same(f"16 bits, {depth}", ["--images", images, "--size", "40x30", "--depth16", depth], folder)


if __name__ == "__main__":
    unittest.main(verbosity=2)
