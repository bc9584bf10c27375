"""What the examples for segmentation share: a folder of images and masks, as files or as a pack.

A folder has images, masks and, if the masks have colors, a class_dict.csv with the columns name, r,
g, b. LAYOUTS lists the names of its two folders. CamVid comes in such folders: with colors
(train, train_labels), and with gray ids as SegNet's authors published it (train, trainannot).
"""

import csv
from pathlib import Path

import numpy as np
from PIL import Image

import hotpack

STREET = Path(__file__).resolve().parents[2] / "sample_data" / "street"
LAYOUTS = [
    ("images", "masks_color"),
    ("images", "labels"),
    ("train", "train_labels"),
    ("train", "trainannot"),
    ("val", "valannot"),
]
VOID = "Void"  # the class of pixels that have none


class Folder:
    """The samples of a folder, resized to `size` (width, height).

    names, colors: of the classes; masks without a class_dict.csv have the 11 ids of CamVid, and no
    colors. Pixels of the class "Void", if there is one, and pixels with id 11 are ignored.
    """

    def __init__(self, folder=STREET, size=(256, 192)):
        self.folder, self.size = Path(folder), size
        self.images, self.masks = self._find()
        self.table = self.folder / "class_dict.csv"
        self.names, self.colors = self._classes()
        self.pairs = list(zip(_files(self.images), _files(self.masks), strict=True))

    def __len__(self):
        return len(self.pairs)

    def load(self, number):
        """Decodes a sample as a program without hotpack does: the image as f32 [H,W,3] in 0 … 1,
        and the mask as one-hot f32 [H,W,C], in which an ignored pixel is all zeros."""
        image, mask = map(Image.open, self.pairs[number])
        image = image.convert("RGB").resize(self.size, Image.Resampling.BILINEAR)
        mask = np.asarray(mask.resize(self.size, Image.Resampling.NEAREST))
        if self.colors:
            one_hot = (mask[:, :, None, :3] == np.array(self.colors, np.uint8)).all(-1)
            one_hot &= np.array(self.names) != VOID
        else:
            one_hot = mask[:, :, None] == np.arange(len(self.names))
        return np.asarray(image, np.float32) / np.float32(255), one_hot.astype(np.float32)

    def packed(self, into="packed"):
        """The same samples as a pack. The first call makes it; later calls find it complete. The
        filters are those of Pillow, so that its pixels are those of `load`."""
        width, height = self.size
        output = Path(into) / f"{self.folder.resolve().name}-{width}x{height}"
        if self.colors:
            classes = {"classes": self.table, "ignore": VOID if VOID in self.names else None}
        else:
            classes = {"preset": "camvid11"}
        hotpack.pack(
            images=self.images,
            labels=self.masks,
            label_suffix="_L" if self.masks.name == "train_labels" else None,
            size=self.size,
            fit="stretch",
            image_filter="triangle",
            label_filter="nearest-pil",
            jpeg_scale="off",
            output=output,
            **classes,
        )
        return hotpack.open(output)

    def _find(self):
        for images, masks in LAYOUTS:
            if (self.folder / images).is_dir() and (self.folder / masks).is_dir():
                return self.folder / images, self.folder / masks
        known = ", ".join(" and ".join(names) for names in LAYOUTS)
        raise SystemExit(f"{self.folder} has no folders of images and masks; known are {known}")

    def _classes(self):
        if not self.table.exists():
            return [str(number) for number in range(11)], None
        with open(self.table, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        return [row[0] for row in rows], [tuple(map(int, row[1:4])) for row in rows]


def size(text):
    """Width and height, from a text such as 256x192, for argparse."""
    width, height = map(int, text.split("x"))
    if width % 8 or height % 8:
        raise ValueError("a U-Net halves images three times, so give multiples of 8")
    return width, height


def _files(folder):
    """The files below a folder, in the order of their keys, as hotpack sorts them."""
    return sorted(
        (path for path in folder.rglob("*") if path.suffix.lower() in (".png", ".jpg", ".jpeg")),
        key=lambda path: path.relative_to(folder).with_suffix("").as_posix().encode(),
    )
