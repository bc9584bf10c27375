"""Inputs to pack: pairs of an image and its label, as gray ids and as RGB masks; camera photos; images in folders of classes.

Generated images compress like photos, in bytes per pixel: PNG 1.6, with Paeth filters in most rows; JPEG 0.4 to 0.5. Needs NumPy and cv2.
"""

import csv
import shutil
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


def save(path, image, *parameters):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not cv2.imwrite(str(path), image, parameters):
        raise OSError(f"cannot write {path}")


def save_png(path, image):
    """With the filters that suit each row best, as most programs write PNGs; OpenCV's default is one filter for all."""
    save(path, image, cv2.IMWRITE_PNG_COMPRESSION, 6)


def save_jpeg(path, image):
    save(path, image, cv2.IMWRITE_JPEG_QUALITY, 95)


def texture(rng, size):
    """Noise of all scales, as in photos, as floats around 0 with a deviation of 7."""
    width, height = size
    total, cell = np.zeros((height, width, 3), np.float32), 1
    while cell < max(size):
        noise = rng.standard_normal((height // cell + 2, width // cell + 2, 3), dtype=np.float32)
        total += cv2.resize(noise, size, interpolation=cv2.INTER_CUBIC) * min(cell ** 0.5, 5)
        cell *= 2
    return 0.7 * total.mean(axis=-1, keepdims=True) + 0.3 * total


def clipped(image):
    return np.clip(image, 0, 255).astype(np.uint8)


def files(folder):
    return sorted(path for path in Path(folder).rglob("*") if path.is_file())


def paint(ids, colors):
    """BGR masks of ids; an ignored pixel is white."""
    table = np.full((256, 3), 255, np.uint8)
    table[:len(colors)] = colors[:, ::-1]
    return table[ids]


def write_classes(path, colors):
    rows = "".join(f"class{number},{r},{g},{b}\n" for number, (r, g, b) in enumerate(colors))
    path.write_text("name,r,g,b\n" + rows)


def from_samples(street, folder, count, size, grain=0, more_classes=0):
    """`count` pairs cut from the street images of sample_data at random places, half of them mirrored.

    `grain`: how much of a texture is added, because drawn images compress better than photos; 2 is like CamVid.
    `more_classes`: so many of the first classes are others in the right half of an image.
    """
    rng = np.random.default_rng(2024)
    colors = read_colors(street / "class_dict.csv")
    classes = len(colors)
    colors = np.concatenate([colors, 255 - colors[:more_classes]])
    photos, labels = files(street / "images"), files(street / "masks_id")
    for number in range(count):
        photo = cv2.imread(str(photos[number % len(photos)]), cv2.IMREAD_COLOR)
        ids = cv2.imread(str(labels[number % len(labels)]), cv2.IMREAD_UNCHANGED)
        height, width = ids.shape
        y, x, flip = rng.integers(height // 8 + 1), rng.integers(width // 8 + 1), rng.integers(2)
        window = np.s_[y:y + height * 7 // 8, x:x + width * 7 // 8]
        photo, ids = (np.ascontiguousarray(plane[window][:, ::-1] if flip else plane[window]) for plane in (photo, ids))
        ids = cv2.resize(ids, size, interpolation=cv2.INTER_NEAREST)
        right = ids[:, size[0] // 2:]
        right[right < more_classes] += classes
        photo = cv2.resize(photo, size, interpolation=cv2.INTER_CUBIC)
        photo = clipped(photo + grain * texture(rng, size)) if grain else photo
        save_png(folder / "images" / f"{number:04}.png", photo)
        save_png(folder / "ids" / f"{number:04}.png", ids)
        save_png(folder / "masks" / f"{number:04}.png", paint(ids, colors))
    write_classes(folder / "classes.csv", colors)
    return Pairs(folder / "images", folder / "ids", folder / "masks", folder / "classes.csv")


def repeated(folder, copies, least):
    """The files of `folder` in `copies`, again and again under other names until there are `least`."""
    originals = files(folder)
    for number in range(max(least, len(originals))):
        turn, place = divmod(number, len(originals))
        path = copies / str(turn) / originals[place].relative_to(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(originals[place], path)
    return copies


def from_ids(images, ids, folder, least):
    """Given images and gray ids, repeated until there are `least` pairs; the masks of the ids are painted."""
    images, ids = repeated(images, folder / "images", least), repeated(ids, folder / "ids", least)
    found = {path: cv2.imread(str(path), cv2.IMREAD_UNCHANGED) for path in files(ids)}
    class_count = 1 + max(int(plane[plane != IGNORED].max(initial=0)) for plane in found.values())
    colors = np.array([[(number * step + 40) % 256 for step in (67, 131, 197)] for number in range(class_count)], np.uint8)
    for path, plane in found.items():
        save_png(folder / "masks" / path.relative_to(ids), paint(plane, colors))
    write_classes(folder / "classes.csv", colors)
    return Pairs(images, ids, folder / "masks", folder / "classes.csv")


def as_jpeg(pairs, folder):
    """The same pairs with JPEG images."""
    for path in files(pairs.images):
        save_jpeg(folder / path.relative_to(pairs.images).with_suffix(".jpg"), cv2.imread(str(path), cv2.IMREAD_COLOR))
    return Pairs(folder, pairs.ids, pairs.masks, pairs.classes)


def camera_photos(folder, count):
    """JPEGs of 4000x3000, 0.4 bytes per pixel."""
    photo = clipped(128 + 5 * texture(np.random.default_rng(2025), (4000, 3000)))
    for number in range(count):
        save_jpeg(folder / "all" / f"{number:04}.jpg", np.roll(photo, 300 * number, axis=number % 2))
    return folder


def class_folders(folder, count, classes=10):
    """JPEGs of about 500x375 in folders of classes, 0.5 bytes per pixel."""
    rng = np.random.default_rng(2026)
    photo = clipped(128 + 8 * texture(rng, (2000, 1500)))
    for number in range(count):
        width, height = rng.integers(420, 580), rng.integers(320, 430)
        x, y = rng.integers(2000 - width), rng.integers(1500 - height)
        save_jpeg(folder / f"class{number % classes}" / f"{number:05}.jpg", photo[y:y + height, x:x + width])
    return folder


def small_images(folder, count, classes=10):
    """PNGs of 32x32 in folders of classes."""
    rng = np.random.default_rng(2027)
    photo = clipped(128 + 5 * texture(rng, (1000, 1000)))
    for number in range(count):
        y, x = rng.integers(1000 - 32, size=2)
        save_png(folder / f"class{number % classes}" / f"{number:06}.png", photo[y:y + 32, x:x + 32])
    return folder


def stage_inputs(street, folder):
    """One file of each kind, for stages.cpp."""
    pairs = from_samples(street, folder / "pairs", 1, (480, 360), grain=2, more_classes=4)
    jpegs = as_jpeg(pairs, folder / "jpegs")
    found = {"photo.png": pairs.images, "ids.png": pairs.ids, "mask.png": pairs.masks, "photo.jpg": jpegs.images,
             "camera.jpg": camera_photos(folder / "photos", 1), "class.jpg": class_folders(folder / "classes", 1)}
    for name, place in found.items():
        files(place)[0].replace(folder / name)
    pairs.classes.replace(folder / "classes.csv")
