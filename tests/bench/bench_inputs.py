"""Pairs to pack: images with the same labels as gray ids and as RGB masks. Needs NumPy and cv2."""

import csv
from pathlib import Path

import cv2
import numpy as np

IGNORED = 255  # an id


class Pairs:
    """Folders of images and of both kinds of label, and the class file of the masks."""

    def __init__(self, images, ids, masks, classes):
        self.images, self.ids, self.masks, self.classes = map(Path, (images, ids, masks, classes))
        self.count = sum(path.is_file() for path in self.images.rglob("*"))
        self.class_count = len(read_colors(self.classes))


def read_colors(path):
    with open(path, newline="", encoding="utf-8") as file:
        return np.array([[int(value) for value in row[1:4]] for row in list(csv.reader(file))[1:]], np.uint8)


def save_png(path, image):
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), image)


def files(folder):
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


def paint(ids, colors):
    """BGR masks of ids; an ignored pixel is white."""
    table = np.full((256, 3), 255, np.uint8)
    table[:len(colors)] = colors[:, ::-1]
    return table[ids]


def unpaint(mask, colors):
    """Ids of a BGR mask; what has no class's color is ignored."""
    ids = np.full(mask.shape[:2], IGNORED, np.uint8)
    for number, color in enumerate(colors):
        ids[(mask == color[::-1]).all(axis=-1)] = number
    return ids


def write_classes(path, colors):
    rows = "".join(f"class{number},{r},{g},{b}\n" for number, (r, g, b) in enumerate(colors))
    path.write_text("name,r,g,b\n" + rows)


def from_samples(street, folder, count, size):
    """`count` pairs cut from the street images of sample_data at random places, half of them mirrored."""
    rng = np.random.default_rng(2024)
    colors = read_colors(street / "class_dict.csv")
    photos, labels = files(street / "images"), files(street / "masks_id")
    for number in range(count):
        photo = cv2.imread(str(photos[number % len(photos)]), cv2.IMREAD_COLOR)
        ids = cv2.imread(str(labels[number % len(labels)]), cv2.IMREAD_UNCHANGED)
        height, width = ids.shape
        y, x, flip = rng.integers(height // 8 + 1), rng.integers(width // 8 + 1), rng.integers(2)
        window = np.s_[y:y + height * 7 // 8, x:x + width * 7 // 8]
        photo, ids = (np.ascontiguousarray(plane[window][:, ::-1] if flip else plane[window]) for plane in (photo, ids))
        ids = cv2.resize(ids, size, interpolation=cv2.INTER_NEAREST)
        save_png(folder / "images" / f"{number:04}.png", cv2.resize(photo, size, interpolation=cv2.INTER_CUBIC))
        save_png(folder / "ids" / f"{number:04}.png", ids)
        save_png(folder / "masks" / f"{number:04}.png", paint(ids, colors))
    write_classes(folder / "classes.csv", colors)
    return Pairs(folder / "images", folder / "ids", folder / "masks", folder / "classes.csv")


def from_ids(images, ids, folder):
    """Given gray ids; their masks are painted."""
    found = {path: cv2.imread(str(path), cv2.IMREAD_UNCHANGED) for path in files(ids)}
    class_count = 1 + max(int(plane[plane != IGNORED].max(initial=0)) for plane in found.values())
    colors = np.array([[(number * step + 40) % 256 for step in (67, 131, 197)] for number in range(class_count)], np.uint8)
    for path, plane in found.items():
        save_png(folder / "masks" / path.relative_to(ids), paint(plane, colors))
    write_classes(folder / "classes.csv", colors)
    return Pairs(images, ids, folder / "masks", folder / "classes.csv")


def from_masks(images, masks, classes, folder):
    """Given RGB masks; their ids are looked up."""
    colors = read_colors(classes)
    for path in files(masks):
        save_png(folder / "ids" / path.relative_to(masks), unpaint(cv2.imread(str(path), cv2.IMREAD_COLOR), colors))
    return Pairs(images, folder / "ids", masks, classes)
