"""A data set without defects, and one with sixteen: `check` names each of them in one run, and nothing else.

Two splits of drawn labels and painted images; every defect is planted in a sample of its own. Standard library only.
"""

import json
import random
import shutil
import struct
import unittest
import zlib

import packs
from images import GRAY, PALETTE, RGB, chunk, png

WIDTH, HEIGHT = 256, 192  # as the country images of sample_data have
CLASSES = 12
SPLITS = {"train": 40, "val": 16}


# ---- images


def bomb(side):
    """A gray PNG of `side` x `side` zeros, whole and valid, in some megabytes: a megabyte is compressed once and repeated."""
    size = side * (side + 1)
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = 1 << 20
    first = deflate.compress(bytes(piece)) + deflate.flush(zlib.Z_FULL_FLUSH)
    last = zlib.compressobj(9, zlib.DEFLATED, -15)
    end = last.compress(bytes(size % piece)) + last.flush()
    adler = (size % 65521) << 16 | 1
    idat = b"\x78\x9c" + first * (size // piece) + end + struct.pack(">I", adler)
    header = struct.pack(">IIBBBBB", side, side, 8, GRAY, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", idat) + chunk(b"IEND", b"")


def bmp(rows, width):
    """24 bits per pixel; `rows` are RGB."""
    pixels = b"".join(bytes(byte for x in range(width) for byte in row[3 * x:3 * x + 3][::-1]) for row in reversed(rows))
    return struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 54 + len(pixels), 0, 0, 54, 40, width, len(rows), 1, 24, 0, len(pixels), 0, 0, 0, 0) + pixels


def with_orientation(jpeg, orientation):
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01" + struct.pack(">H", orientation) + b"\0\0\0\0\0\0"
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


def painted(seed):
    """RGB rows of a photo: ramps and grain."""
    dice = random.Random(seed)
    tilt = [dice.uniform(0.1, 0.4) for _ in range(6)]
    grain = dice.randbytes(WIDTH * 3)
    return [bytes(int(60 + tilt[c] * x + tilt[c + 3] * y + grain[(3 * x + 7 * y + c) % len(grain)] % 24) % 256 for x in range(WIDTH) for c in range(3))
            for y in range(HEIGHT)]


def drawn(seed, width=WIDTH, height=HEIGHT):
    """Rows of ids: sky above, ground below, and discs of every class on them."""
    dice = random.Random(seed)
    horizon = height // 2 + dice.randrange(-10, 10)
    rows = [bytearray([0 if y < horizon else 3]) * width for y in range(height)]
    for i in range(22):
        left, top, radius, value = dice.randrange(width), dice.randrange(height), dice.randrange(6, 24), i % CLASSES
        for y in range(max(0, top - radius), min(height, top + radius)):
            half = int((radius**2 - (y - top) ** 2) ** 0.5)
            begin, end = max(0, left - half), min(width, left + half)
            if begin < end:
                rows[y][begin:end] = bytes([value]) * (end - begin)
    return rows


def interpolated(rows):
    """A third smaller, bilinear."""
    width, height = 2 * WIDTH // 3, 2 * HEIGHT // 3
    out = []
    for y in range(height):
        top, lower = divmod(1.5 * y, 1)
        above, below = rows[int(top)], rows[min(int(top) + 1, HEIGHT - 1)]
        line = bytearray()
        for x in range(width):
            left, right = divmod(1.5 * x, 1)
            a, b = int(left), min(int(left) + 1, WIDTH - 1)
            upper_value = above[a] * (1 - right) + above[b] * right
            line.append(round(upper_value * (1 - lower) + (below[a] * (1 - right) + below[b] * right) * lower))
        out.append(line)
    return out


# ---- the data set


class DataSet:
    """Folders `images` and `labels` below `folder`, each with one folder per split."""

    def __init__(self, folder):
        self.folder = folder

    def make(self):
        for split, count in SPLITS.items():
            for side in ("images", "labels"):
                (self.folder / side / split).mkdir(parents=True)
            for i in range(count):
                seed = 1000 * len(split) + i
                self.write("images", f"{split}/{i:03}.png", png(painted(seed), RGB))
                self.write("labels", f"{split}/{i:03}.png", png(drawn(seed)))
        return self

    def copy_to(self, folder):
        for side in ("images", "labels"):
            shutil.copytree(self.folder / side, folder / side)
        return DataSet(folder)

    def path(self, side, name):
        return self.folder / side / name

    def read(self, side, name):
        return self.path(side, name).read_bytes()

    def write(self, side, name, content):
        self.path(side, name).write_bytes(content)

    def arguments(self, *more):
        return ["check", "--images", self.folder / "images", "--labels", self.folder / "labels", "--split", "folder", "--num-classes", str(CLASSES),
                "--size", "64x64", "-q", *more]

    def rows(self, number):
        return drawn(1000 * len("train") + number)


def plant(data):
    """Plants sixteen defects. Returns, for each, the diagnostic that must report it and the file or class that it must name."""
    country = (packs.STREET / "images" / "north" / "country_01.jpg").read_bytes()
    data.path("labels", "train/000.png").unlink()
    data.path("images", "train/001.png").unlink()
    data.write("labels", "train/002.png", data.read("images", "train/030.png"))
    with_37 = data.rows(3)
    for y in range(20, 30):
        with_37[y][40:60] = bytes([37]) * 20
    data.write("labels", "train/003.png", png(with_37))
    small = interpolated(data.rows(4))
    data.write("labels", "train/004.png", png(small))
    data.write("images", "train/004.png", png([row[: 3 * len(small[0])] for row in painted(4)][: len(small)], RGB))
    data.write("labels", "train/005.png", png(drawn(5, 200, 150)))
    data.write("images", "train/006.png", data.read("images", "train/006.png")[:30000])
    data.write("images", "train/007.png", country[: len(country) // 2])
    data.write("labels", "train/008.png", b"")
    data.write("images", "train/009.png", bmp(painted(9), WIDTH))
    data.write("images", "train/010.png", bomb(50000))
    for side in ("images", "labels"):
        shutil.copy(data.path(side, "train/031.png"), data.path(side, "val/twin.png"))
    data.path("images", "train/012.png").unlink()
    data.write("images", "train/012.jpg", with_orientation(country, 6))
    data.write("labels", "train/013.png", png([bytes(17 * value for value in row) for row in data.rows(13)]))
    data.write("labels", "train/014.png", png([bytes(value + 1 for value in row) for row in data.rows(14)]))
    for i in range(SPLITS["val"]):
        rows = [row.replace(b"\x09", b"\x03") for row in drawn(1000 * len("val") + i)]
        data.write("labels", f"val/{i:03}.png", png(rows))
    # The copy has class 9, too.
    data.write("labels", "val/twin.png", png([row.replace(b"\x09", b"\x03") for row in data.rows(31)]))
    return {
        "orphan image": ("orphan-image", "train/000.png"),
        "orphan label": ("orphan-label", "train/001.png"),
        "photo in the label folder": ("photo-as-label", "train/002.png"),
        "unknown id": ("unknown-value", "train/003.png"),
        "interpolated label": ("blended-borders", "train/004.png"),
        "wrong size": ("size-mismatch", "train/005.png"),
        "truncated PNG": ("damaged-image", "train/006.png"),
        "truncated JPEG named .png": ("damaged-image", "train/007.png"),
        "zero bytes": ("unreadable-header", "train/008.png"),
        "BMP named .png": ("unreadable-header", "train/009.png"),
        "bomb": ("too-large", "train/010.png"),
        "duplicate of another split": ("duplicate-between-splits", "val/twin.png"),
        "rotated EXIF": ("exif-orientation", "train/012.jpg"),
        "ids x 17": ("rescaled-ids", "train/013.png"),
        "ids + 1": ("shifted-ids", "train/014.png"),
        "class missing": ("class-not-in-every-split", "'9'"),
    }


def plant_notes(data):
    """Labels of few bits and of palettes: unusual, but read correctly."""
    few = [bytearray(value % 4 for value in row) for row in data.rows(20)]
    data.write("labels", "train/020.png", png(few, depth=2))
    palette = [(20 * i, 7 * i, 255 - 20 * i) for i in range(CLASSES)]
    data.write("labels", "train/021.png", png(data.rows(21), PALETTE, palette=palette))
    return {"2-bit ids": ("low-depth-ids", "train/020.png"), "palette ids": ("palette-ids", "train/021.png")}


def named(report, kind, what):
    """Does a diagnostic of this kind name a file, or have a word in its title?"""
    return any(diagnostic["kind"] == kind and (what in diagnostic["title"] or any(e["file"].endswith(what) for e in diagnostic["examples"]))
               for diagnostic in report["diagnostics"])


class SeededDefects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = packs.Scratch()
        cls.sound = DataSet(cls.scratch.__enter__()).make()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.__exit__()

    def check(self, data, expect, *more):
        return json.loads(packs.run(*data.arguments("--json", *more), expect=expect).stdout)

    def test_data_without_defects_has_no_diagnostic(self):
        report = self.check(self.sound, 0)
        self.assertEqual(report["result"], "succeeds")
        self.assertEqual(report["diagnostics"], [])
        self.assertEqual([split["samples"] for split in report["splits"]], list(SPLITS.values()))

    def test_each_of_sixteen_defects_is_named_in_one_run(self):
        with packs.Scratch() as folder:
            data = self.sound.copy_to(folder)
            defects = plant(data)
            notes = plant_notes(data)
            report = self.check(data, 1)
            again = self.check(data, 1, "-j", "1")
        self.assertEqual(len(defects), 16)
        self.assertEqual(report["result"], "refuses")
        unnamed = [defect for defect, (kind, what) in {**defects, **notes}.items() if not named(report, kind, what)]
        self.assertEqual(unnamed, [])
        weights = {diagnostic["kind"]: diagnostic["severity"] for diagnostic in report["diagnostics"]}
        self.assertEqual(weights["low-depth-ids"], "note")
        self.assertEqual(weights["palette-ids"], "note")
        # The number of threads changes only the time.
        for each in (report, again):
            each.pop("seconds")
            each.pop("command")
        self.assertEqual(report, again)

    def test_only_planted_files_are_named(self):
        with packs.Scratch() as folder:
            data = self.sound.copy_to(folder)
            planted = {what for _, what in plant(data).values()}
            report = self.check(data, 1)
        named = {"/".join(e["file"].split("/")[-2:]) for diagnostic in report["diagnostics"] for e in diagnostic["examples"]}
        self.assertLessEqual(named, planted)


if __name__ == "__main__":
    unittest.main()
