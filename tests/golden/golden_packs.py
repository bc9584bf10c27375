"""The golden packs: which inputs they were made of, with which options, and what they must hold.

Every picture is drawn by a formula and written as PNG without compression, so that its bytes do not depend on a library. Every expected
record is computed here from the same formulas, by the rules of FORMAT.md: nothing of hotpack takes part. Standard library only.
"""

import hashlib
import struct
import subprocess
import zlib
from dataclasses import dataclass

VERSION = "1.0"  # of the format that today's `pack` writes
GRAY, RGB = 0, 2


# ---------------------------------------------------------------------------------------------- pictures

def stored_zlib(data):
    """A zlib stream of one stored block, the same bytes whichever library reads it."""
    assert len(data) < 65536
    return b"\x78\x01\x01" + struct.pack("<HH", len(data), len(data) ^ 0xFFFF) + data + struct.pack(">I", zlib.adler32(data))


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(rows, color, depth=8):
    """A PNG of rows of pixels, each a tuple of samples."""
    sample = "B" if depth == 8 else ">H"
    body = b"".join(b"\0" + b"".join(struct.pack(sample, value) for pixel in row for value in pixel) for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), depth, color, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", stored_zlib(body)) + chunk(b"IEND", b"")


def photo(width, height, seed):
    """Rows of RGB pixels."""
    return [[((x * 7 + seed * 31) % 256, (y * 5 + seed) % 256, (x * y + seed * 3) % 256) for x in range(width)] for y in range(height)]


def ids(width, height, seed, values):
    """Rows of values, each of them in blocks of 2 x 2 pixels."""
    return [[values[(x // 2 + y // 2 * 5 + seed) % len(values)] for x in range(width)] for y in range(height)]


def gray_png(rows, depth=8):
    return png([[(value,) for value in row] for row in rows], GRAY, depth)


# ---------------------------------------------------------------------------------------------- geometry

def offset(source, target):
    """Returns where a picture starts on an axis with anchor "center"."""
    return (target - source) // 2 if source <= target else -((source - target) // 2)


def crop_or_pad(rows, width, height, padding):
    left, top = offset(len(rows[0]), width), offset(len(rows), height)
    return [[rows[y - top][x - left] if 0 <= y - top < len(rows) and 0 <= x - left < len(rows[0]) else padding for x in range(width)]
            for y in range(height)]


def nearest(rows, width, height):
    """Label filter "nearest"."""
    return [[rows[(2 * y + 1) * len(rows) // (2 * height)][(2 * x + 1) * len(rows[0]) // (2 * width)] for x in range(width)]
            for y in range(height)]


def nearest_cv(rows, width, height):
    """Image filter "nearest"."""
    def source(i, length, target):
        return min(int(i * (1.0 / (float(target) / length))), length - 1)
    return [[rows[source(y, len(rows), height)][source(x, len(rows[0]), width)] for x in range(width)] for y in range(height)]


def cut(rows, left, top, size):
    return [row[left:left + size] for row in rows[top:top + size]]


def luma(pixel):
    """Gray of a gray pixel that is stored as RGB: all three are equal."""
    assert len(set(pixel)) == 1
    return pixel[:1]


# ---------------------------------------------------------------------------------------------- records

@dataclass
class Sample:
    """One record. `label`: None (unlabeled), a set of class ids (the whole image's), or rows of sets."""
    key: str
    image: list
    label: object = None


@dataclass
class GoldenPack:
    name: str
    inputs: dict                      # path below the input folder -> bytes
    arguments: list                   # of `hotpack pack`, run in the input folder; without -o
    classes: list
    samples: list                     # in the order of the pack
    storage: str = "bits"
    layout: str = "hwc"
    multi: bool = False
    shards: int = 1
    skipped: int = 0
    kind: str = "pixel"

    def write(self, folder, command):
        """Writes the inputs to a folder, packs them there with `command`, and returns the pack's folder."""
        for path, data in self.inputs.items():
            (folder / "inputs" / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / "inputs" / path).write_bytes(data)
        done = subprocess.run([command, "pack", *self.arguments, "-o", "../packed"], cwd=folder / "inputs", capture_output=True, text=True,
                              errors="replace", timeout=60)
        if done.returncode != (1 if self.skipped else 0):
            raise AssertionError(f"{self.name}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return folder / "packed"


def sha256(data):
    return hashlib.sha256(bytes(data)).hexdigest()


def image_entry(rows, layout):
    channels = len(rows[0][0])
    pixels = [value for row in rows for pixel in row for value in pixel]
    stored = pixels if layout == "hwc" else [pixel[c] for c in range(channels) for row in rows for pixel in row]
    return {"height": len(rows), "width": len(rows[0]), "channels": channels, "stored": sha256(stored), "pixels": sha256(pixels)}


def stored_vector(held, storage, count):
    """The stored bytes of one pixel that holds a set of classes."""
    if storage == "bits":
        return sum(1 << c for c in held).to_bytes((count + 7) // 8, "little")
    if storage == "onehot":
        return bytes(c in held for c in range(count))
    size = 1 if count <= 255 else 2
    (number,) = held or {256 ** size - 1}
    return number.to_bytes(size, "little")


def label_vectors(label):
    """The sets of classes of a label's pixels, row by row; one for a label of the whole image."""
    return [label] if isinstance(label, set) else [held for row in label for held in row]


def label_entry(label, storage, count):
    size = (1, 1) if isinstance(label, set) else (len(label), len(label[0]))
    stored, one_hot = (b"".join(stored_vector(held, form, count) for held in label_vectors(label)) for form in (storage, "onehot"))
    return {"height": size[0], "width": size[1], "stored": sha256(stored), "one_hot": sha256(one_hot)}


def expectation(pack):
    """What the checked-in expectation file of a pack says."""
    labels = [sample.label for sample in pack.samples if sample.label is not None]
    vectors = [held for label in labels for held in label_vectors(label)]
    count = len(pack.classes)
    return {
        "classes": pack.classes,
        "layout": pack.layout,
        "label": {"kind": pack.kind, "storage": pack.storage, "multi": pack.multi} if labels else None,
        "shards": pack.shards,
        "skipped": pack.skipped,
        "class_pixels": [sum(c in held for held in vectors) for c in range(count)],
        "ignored_pixels": sum(not held for held in vectors),
        "samples": [{"key": sample.key, "image": image_entry(sample.image, pack.layout),
                     "label": label_entry(sample.label, pack.storage, count) if labels else None} for sample in pack.samples],
    }


def classes_of(rows, class_of):
    """Rows of sets of class ids, from rows of values; a value without an entry is ignored."""
    return [[{class_of[value]} if value in class_of else set() for value in row] for row in rows]


# ---------------------------------------------------------------------------------------------- the packs

def bits():
    """One bit per class, 11 classes in two bytes; cropped and padded sources, ignored pixels, two shards."""
    names = [str(c) for c in range(11)]
    class_of = {c: c for c in range(11)}
    inputs, samples = {}, []
    for seed, (width, height) in enumerate([(12, 10), (9, 14), (17, 7)]):
        image, label = photo(width, height, seed), ids(width, height, seed, [*range(11), 255])
        inputs[f"images/road/{seed}.png"], inputs[f"labels/road/{seed}.png"] = png(image, RGB), gray_png(label)
        samples.append(Sample(f"road/{seed}", crop_or_pad(image, 12, 10, (1, 2, 3)), classes_of(crop_or_pad(label, 12, 10, 255), class_of)))
    return GoldenPack("bits", inputs, ["--images", "images", "--labels", "labels", "--num-classes", "11", "--size", "12x10", "--fit", "crop-or-pad",
                                       "--pad-color", "1,2,3", "--shard-samples", "2"], names, samples, shards=2)


def one_hot():
    """One byte per class, labels by color."""
    colors = {"sky": (70, 130, 180), "road": (128, 64, 128), "tree": (0, 128, 0)}
    class_of = {color: c for c, color in enumerate(colors.values())}
    inputs, samples = {"classes.csv": "name,r,g,b\n".encode() + b"".join(f"{n},{r},{g},{b}\n".encode() for n, (r, g, b) in colors.items())}, []
    for seed in range(2):
        image, label = photo(10, 8, 10 + seed), ids(10, 8, seed, list(colors.values()))
        inputs[f"images/{seed}.png"], inputs[f"labels/{seed}.png"] = png(image, RGB), png(label, RGB)
        samples.append(Sample(str(seed), image, classes_of(label, class_of)))
    return GoldenPack("one_hot", inputs, ["--images", "images", "--labels", "labels", "--classes", "classes.csv", "--size", "10x8",
                                          "--label-storage", "one_hot"], list(colors), samples, storage="onehot")


def index():
    """Class ids in a byte; one sample cannot be decoded and is skipped."""
    names, class_of = [str(c) for c in range(4)], {c: c for c in range(4)}
    inputs, samples = {}, []
    for key in "abc":
        image, label = photo(8, 6, ord(key)), ids(8, 6, ord(key), [0, 1, 2, 3, 255])
        inputs[f"images/{key}.png"], inputs[f"labels/{key}.png"] = png(image, RGB), gray_png(label)
        samples.append(Sample(key, image, classes_of(label, class_of)))
    inputs["images/b.png"] = inputs["images/b.png"][:-40]
    return GoldenPack("index", inputs, ["--images", "images", "--labels", "labels", "--num-classes", "4", "--size", "8x6", "--label-storage", "index",
                                        "--on-error", "skip"], names, [samples[0], samples[2]], storage="index", skipped=1)


def index_16_bit():
    """256 classes as ids: two bytes each, 65535 is ignored."""
    names, class_of = [str(c) for c in range(256)], {c: c for c in range(256)}
    image, label = photo(16, 10, 40), ids(16, 10, 0, [*range(0, 256, 9), 65535])
    inputs = {"images/wide.png": png(image, RGB), "labels/wide.png": gray_png(label, 16)}
    return GoldenPack("index_16_bit", inputs, ["--images", "images", "--labels", "labels", "--num-classes", "256", "--size", "16x10",
                                               "--label-storage", "index"], names, [Sample("wide", image, classes_of(label, class_of))], storage="index")


def compressed():
    """Both fields as Zstandard frames; resampled to the nearest pixel."""
    names, class_of = [str(c) for c in range(3)], {c: c for c in range(3)}
    inputs, samples = {}, []
    for seed, (width, height) in enumerate([(20, 15), (9, 30), (12, 8)]):
        image, label = photo(width, height, 50 + seed), ids(width, height, seed, [0, 1, 2])
        inputs[f"images/{seed}.png"], inputs[f"labels/{seed}.png"] = png(image, RGB), gray_png(label)
        samples.append(Sample(str(seed), nearest_cv(image, 12, 8), classes_of(nearest(label, 12, 8), class_of)))
    return GoldenPack("zstd", inputs, ["--images", "images", "--labels", "labels", "--num-classes", "3", "--size", "12x8", "--image-filter", "nearest",
                                       "--zstd"], names, samples)


def chw():
    """Channels first, in a shuffled order: the XXH3-128 of the seed 3 and each key, sorted."""
    names, class_of = [str(c) for c in range(2)], {c: c for c in range(2)}
    inputs, samples = {}, {}
    for seed in range(4):
        image, label = photo(7, 5, 70 + seed), ids(7, 5, seed, [0, 1])
        inputs[f"images/{seed}.png"], inputs[f"labels/{seed}.png"] = png(image, RGB), gray_png(label)
        samples[seed] = Sample(str(seed), image, classes_of(label, class_of))
    return GoldenPack("chw", inputs, ["--images", "images", "--labels", "labels", "--num-classes", "2", "--size", "7x5", "--image-layout", "chw",
                                      "--shuffle", "3"], names, [samples[seed] for seed in (2, 0, 3, 1)], layout="chw")


def mixed_sizes(zstd=False):
    """Records of their own sizes, plain or compressed."""
    names, class_of = [str(c) for c in range(9)], {c: c for c in range(9)}
    inputs, samples = {}, []
    for seed, (width, height) in enumerate([(5, 9), (16, 3), (1, 1)]):
        image, label = photo(width, height, 90 + seed), ids(width, height, seed, [*range(9), 255])
        inputs[f"images/{seed}.png"], inputs[f"labels/{seed}.png"] = png(image, RGB), gray_png(label)
        samples.append(Sample(str(seed), image, classes_of(label, class_of)))
    return GoldenPack("mixed_sizes_zstd" if zstd else "mixed_sizes", inputs,
                      ["--images", "images", "--labels", "labels", "--num-classes", "9", "--fit", "none", *(["--zstd"] if zstd else [])], names, samples)


def class_folders():
    """One class per image, by folder; gray images."""
    inputs, samples = {}, []
    for c, name in enumerate(["apple", "pear"]):
        for seed in range(2):
            gray = ids(6, 6, seed, [c * 100 + v for v in range(0, 90, 7)])
            image = [[(v, v, v) for v in row] for row in gray]
            inputs[f"{name}/{name}_{seed}.png"] = png(image, RGB)
            samples.append(Sample(f"{name}/{name}_{seed}", [[luma(pixel) for pixel in row] for row in image], {c}))
    return GoldenPack("class_folders", inputs, ["--image-folders", ".", "--size", "6x6", "--channels", "gray"], ["apple", "pear"], samples, kind="sample")


def several_classes():
    """Several classes per pixel, from one mask per class."""
    names = ["cell", "edge"]
    inputs, samples = {}, []
    for seed in range(2):
        image = photo(8, 8, 120 + seed)
        masks = {name: ids(8, 8, seed + c, [255, 0, 0, 255, 255][c:]) for c, name in enumerate(names)}
        inputs[f"images/{seed}.png"] = png(image, RGB)
        inputs.update({f"masks/{seed}_{name}.png": gray_png(rows) for name, rows in masks.items()})
        samples.append(Sample(str(seed), image, [[{c for c, name in enumerate(names) if masks[name][y][x]} for x in range(8)] for y in range(8)]))
    return GoldenPack("several_classes", inputs, ["--images", "images", "--labels", "masks", "--mask-per-class", "{key}_{class}", "--size", "8x8"],
                      names, samples, multi=True)


def tiles():
    """Overlapping tiles of larger images."""
    names, class_of = [str(c) for c in range(5)], {c: c for c in range(5)}
    image, label = photo(13, 8, 140), ids(13, 8, 3, [0, 1, 2, 3, 4])
    inputs = {"images/map.png": png(image, RGB), "labels/map.png": gray_png(label)}
    samples = [Sample(f"map@{left},0", cut(image, left, 0, 8), classes_of(cut(label, left, 0, 8), class_of)) for left in (0, 5)]
    return GoldenPack("tiles", inputs, ["--images", "images", "--labels", "labels", "--num-classes", "5", "--tile", "8x8+2"], names, samples)


def unlabeled():
    """Images alone."""
    inputs, samples = {}, []
    for seed in range(2):
        image = photo(9, 9, 160 + seed)
        inputs[f"images/{seed}.png"] = png(image, RGB)
        samples.append(Sample(str(seed), image))
    return GoldenPack("unlabelled", inputs, ["--images", "images", "--size", "9x9"], [], samples)


def golden_packs():
    return [bits(), one_hot(), index(), index_16_bit(), compressed(), chw(), mixed_sizes(), mixed_sizes(zstd=True), class_folders(), several_classes(),
            tiles(), unlabeled()]
