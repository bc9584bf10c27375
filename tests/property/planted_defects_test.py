"""Forty planted defects of twenty kinds in three layouts: `check` names each of them, in one run per layout, and blames no other file.

A defect that makes a sample wrong stops `pack`; what packs all the same is what the files say. Standard library only.
"""

import json
import os
import random
import shutil
import struct
import unittest
import zlib

import packs
from images import GRAY, PALETTE, RGB, chunk, jpeg, png, put

WIDTH, HEIGHT, COUNT = 48, 36, 10
COLORS = [(0, 0, 0), (128, 64, 0), (0, 128, 64), (64, 0, 128)]
SPLITS = ("train", "val")
HTML = b"<!DOCTYPE html><html><body>404: not found</body></html>"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"


# ---- images


def painted(seed):
    """Fields of random brightness with grain, so that no two images look alike."""
    dice = random.Random(seed)
    field = [[dice.randrange(30, 226) for _ in range(8)] for _ in range(6)]
    grain = dice.randbytes(WIDTH)
    return [[tuple(field[y // 6][x // 6] + 9 * c + (grain[x] + y) % 8 for c in range(3)) for x in range(WIDTH)] for y in range(HEIGHT)]


def drawn(seed):
    """Ids 0 … 3 as rectangles; each id occurs."""
    dice = random.Random(seed)
    rows = [[0] * WIDTH for _ in range(HEIGHT)]
    for i in range(9):
        left, top = dice.randrange(WIDTH - 16), dice.randrange(HEIGHT - 12)
        for y in range(top, top + dice.randrange(5, 12)):
            rows[y][left:left + 12] = [1 + i % 3] * 12
    for value in range(4):
        rows[value] = [value] * WIDTH
    return rows


def image(seed):
    return png(painted(seed), RGB)


def ids(rows, palette=tuple(COLORS)):
    return png(rows, PALETTE, palette=palette)


def colored(rows):
    return png([[COLORS[v] for v in row] for row in rows], RGB)


def bit_flipped(data):
    at = data.index(b"IDAT") + 40
    return data[:at] + bytes([data[at] ^ 4]) + data[at + 1:]


def with_header(data, width=WIDTH, height=HEIGHT, depth=8):
    """The same chunks after another header with a correct CRC."""
    color = data[25]
    return data[:8] + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)) + data[33:]


def animated(data):
    """Two frames; the second equals the first."""
    frame = struct.pack(">IIIIHHBB", WIDTH, HEIGHT, 0, 0, 1, 10, 0, 0)
    at = data.index(b"IDAT") - 4
    size = struct.unpack(">I", data[at:at + 4])[0]
    pixels = data[at + 8:at + 8 + size]
    return (data[:at] + chunk(b"acTL", struct.pack(">II", 2, 0)) + chunk(b"fcTL", struct.pack(">I", 0) + frame) + data[at:at + 12 + size] +
            chunk(b"fcTL", struct.pack(">I", 1) + frame) + chunk(b"fdAT", struct.pack(">I", 2) + pixels) + chunk(b"IEND", b""))


def too_few_rows(seed):
    """Whole chunks with correct checksums, but only half of the rows."""
    return with_header(png(painted(seed)[:HEIGHT // 2], RGB))


def deep_jpeg(seed):
    """Claims to have 12 bits per sample."""
    data = jpeg(seed)[0]
    at = min(data.index(bytes([0xFF, marker, 0, 17])) for marker in (0xC0, 0xC1, 0xC2) if bytes([0xFF, marker, 0, 17]) in data)
    return data[:at + 4] + b"\x0c" + data[at + 5:]


def smooth_edges(rows):
    """Colors of a mask drawn with anti-aliasing: between two runs is a pixel of the color in between."""
    out = [[COLORS[v] for v in row] for row in rows]
    for y, row in enumerate(rows):
        for x in range(1, WIDTH):
            if row[x] != row[x - 1]:
                out[y][x] = tuple((a + b) // 2 for a, b in zip(COLORS[row[x]], COLORS[row[x - 1]]))
    return png(out, RGB)


def one_off(rows):
    """One color is wrong by one, in a patch."""
    out = [[COLORS[v] for v in row] for row in rows]
    for y in range(20, 24):
        out[y][10:16] = [(127, 64, 0)] * 6
    return png(out, RGB)


# ---- layouts


class Layout:
    """A data set below `folder`; `planted` is what a check must name: (defect, kind of diagnostic, file)."""

    arguments = ()
    alone = False  # without splits

    def __init__(self, folder):
        self.folder = folder
        self.planted = []
        self.harmless = []  # defects that pack tells but packs

    def put(self, name, data):
        put(self.folder / name, data)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def plant(self, defect, kind, name, harmless=False):
        self.planted.append((defect, kind, name))
        if harmless:
            self.harmless.append(defect)


class IdLayout(Layout):
    """images/{train,val} and labels/{train,val} with palette labels of ids."""

    arguments = ("--images", "images", "--labels", "labels", "--split", "folder", "--num-classes", "4", "--label-kind", "index", "--size", "24x18")

    def make(self):
        for s, split in enumerate(SPLITS):
            for i in range(COUNT):
                self.put(f"images/{split}/{split}{i:02}.png", image(100 * s + i))
                self.put(f"labels/{split}/{split}{i:02}.png", ids(drawn(100 * s + i)))
        return self

    def defects(self):
        """(kind of defect, function that plants it)."""
        def flipped():
            self.put("images/train/train00.png", bit_flipped(self.read("images/train/train00.png")))
            self.plant("bit flipped", "damaged-image", "images/train/train00.png")

        def page():
            self.put("images/train/train01.png", HTML)
            self.plant("web page", "unreadable-header", "images/train/train01.png")

        def pointer():
            self.put("labels/train/train02.png", POINTER)
            self.plant("LFS pointer", "unreadable-header", "labels/train/train02.png")

        def copied_image():
            self.put("labels/train/train03.png", self.read("images/train/train03.png"))
            self.plant("label is image", "label-is-image", "labels/train/train03.png")

        def ignored(name):
            def plant():
                self.put(name, ids([[255] * WIDTH] * HEIGHT, [(i, i, i) for i in range(256)]))
                self.plant("all ignored", "ignored-label", name, harmless=True)
            return plant

        def color_among_ids():
            self.put("labels/train/train06.png", colored(drawn(6)))
            self.plant("another form", "label-form", "labels/train/train06.png")

        def permuted(name, seed):
            def plant():
                self.put(name, ids([[(v + 1) % 4 for v in row] for row in drawn(seed)], COLORS[-1:] + COLORS[:-1]))
                self.plant("palette turned round", "palettes-differ", name, harmless=True)
            return plant

        def twice():
            for side in ("images", "labels"):
                shutil.copy(self.folder / side / "train/train08.png", self.folder / side / "train/zz_again.png")
            self.plant("image twice", "duplicate-image", "images/train/zz_again.png", harmless=True)

        def no_utf8():
            for side in ("images", "labels"):
                with open(os.path.join(os.fsencode(self.folder / side / "val"), b"x\xff.png"), "wb") as file:
                    file.write(image(77) if side == "images" else ids(drawn(77)))
            self.plant("name that is no UTF-8", "unusable-name", "")

        def apng():
            self.put("images/val/val00.png", animated(self.read("images/val/val00.png")))
            self.plant("animation", "more-images", "images/val/val00.png", harmless=True)

        def folder():
            (self.folder / "images/val/val01.png").unlink()
            (self.folder / "images/val/val01.png").mkdir()
            self.plant("folder named like an image", "orphan-label", "labels/val/val01.png")

        def unfinished():
            (self.folder / "images/val/val02.png").rename(self.folder / "images/val/val02.png.part")
            self.plant("unfinished download", "orphan-label", "labels/val/val02.png")

        def nonsense():
            self.put("images/val/val03.png", with_header(self.read("images/val/val03.png"), depth=3))
            self.plant("header says nonsense", "unreadable-header", "images/val/val03.png")

        def tiff():
            self.put("images/val/val04.tif", b"II*\0" + bytes(60))
            self.plant("format not read", "unsupported-file", "images/val/val04.tif")

        def rows():
            self.put("images/val/val05.png", too_few_rows(105))
            self.plant("rows missing", "damaged-image", "images/val/val05.png")

        return [flipped, page, pointer, copied_image, ignored("labels/train/train04.png"), ignored("labels/train/train05.png"), color_among_ids,
                permuted("labels/train/train07.png", 7), permuted("labels/val/val06.png", 106), twice, no_utf8, apng, folder, unfinished, nonsense,
                tiff, rows]


class ColorLayout(Layout):
    """train, train_labels, val, val_labels and class_dict.csv: as `pack ROOT` detects them."""

    arguments = (".", "--size", "24x18")

    def make(self):
        for s, split in enumerate(SPLITS):
            for i in range(COUNT):
                self.put(f"{split}/{split}{i:02}.png", image(1000 + 100 * s + i))
                self.put(f"{split}_labels/{split}{i:02}.png", colored(drawn(1000 + 100 * s + i)))
        self.put("class_dict.csv", "name,r,g,b\n" + "".join(f"class{i},{r},{g},{b}\n" for i, (r, g, b) in enumerate(COLORS)))
        return self

    def defects(self):
        def flipped():
            self.put("train_labels/train00.png", bit_flipped(self.read("train_labels/train00.png")))
            self.plant("bit flipped", "damaged-image", "train_labels/train00.png")

        def copied_image():
            self.put("train_labels/train01.png", self.read("train/train01.png"))
            self.plant("label is image", "label-is-image", "train_labels/train01.png")

        def smooth(name, seed):
            def plant():
                self.put(name, smooth_edges(drawn(seed)))
                self.plant("anti-aliased colors", "blended-borders", name)
            return plant

        def off(name, seed):
            def plant():
                self.put(name, one_off(drawn(seed)))
                self.plant("color off by one", "unknown-value", name)
            return plant

        def gray():
            self.put("train_labels/train04.png", png(drawn(1004), GRAY))
            self.plant("another form", "ambiguous-label", "train_labels/train04.png")

        def contradicted():
            shutil.copy(self.folder / "train/train05.png", self.folder / "train/zz_same.png")
            self.put("train_labels/zz_same.png", colored(drawn(1999)))
            self.plant("image with two labels", "conflicting-labels", "train/zz_same.png", harmless=True)

        def folder():
            (self.folder / "val_labels/val00.png").unlink()
            (self.folder / "val_labels/val00.png").mkdir()
            self.plant("folder named like an image", "orphan-image", "val/val00.png")

        def unfinished():
            (self.folder / "val_labels/val01.png").rename(self.folder / "val_labels/val01.png.crdownload")
            self.plant("unfinished download", "orphan-image", "val/val01.png")

        def nonsense():
            self.put("val_labels/val02.png", with_header(self.read("val_labels/val02.png"), width=0))
            self.plant("header says nonsense", "unreadable-header", "val_labels/val02.png")

        def deep():
            (self.folder / "val/val03.png").unlink()
            self.put("val/val03.jpg", deep_jpeg(3))
            self.plant("12-bit JPEG", "unreadable-header", "val/val03.jpg")

        return [flipped, copied_image, smooth("train_labels/train02.png", 1002), smooth("val_labels/val04.png", 1104), off("train_labels/train03.png", 1003),
                off("val_labels/val05.png", 1105), gray, contradicted, folder, unfinished, nonsense, deep]


class ClassLayout(Layout):
    """Class folders."""

    arguments = ("--image-folders", "photos", "--size", "24x18")
    alone = True

    def make(self):
        for c, name in enumerate(("ant", "bee", "cat")):
            for i in range(COUNT):
                self.put(f"photos/{name}/{name}{i}.png", image(5000 + 100 * c + i))
        return self

    def defects(self):
        def page():
            self.put("photos/ant/ant0.png", HTML)
            self.plant("web page", "unreadable-header", "photos/ant/ant0.png")

        def pointer():
            self.put("photos/bee/bee0.png", POINTER)
            self.plant("LFS pointer", "unreadable-header", "photos/bee/bee0.png")

        def twice():
            shutil.copy(self.folder / "photos/ant/ant1.png", self.folder / "photos/ant/zz_again.png")
            self.plant("image twice", "duplicate-image", "photos/ant/zz_again.png", harmless=True)

        def contradicted():
            shutil.copy(self.folder / "photos/ant/ant2.png", self.folder / "photos/bee/zz_same.png")
            self.plant("image with two labels", "conflicting-labels", "photos/bee/zz_same.png", harmless=True)

        def no_utf8():
            with open(os.path.join(os.fsencode(self.folder / "photos/ant"), b"x\xff.png"), "wb") as file:
                file.write(image(78))
            self.plant("name that is no UTF-8", "unusable-name", "")

        def apng():
            self.put("photos/bee/bee5.png", animated(self.read("photos/bee/bee5.png")))
            self.plant("animation", "more-images", "photos/bee/bee5.png", harmless=True)

        def beside(name):
            def plant():
                self.put(name, image(len(name)))
                self.plant("beside the class folders", "no-class-folder", name)
            return plant

        def webp():
            self.put("photos/cat/map.webp", b"RIFF\x24\0\0\0WEBPVP8 " + bytes(30))
            self.plant("format not read", "unsupported-file", "photos/cat/map.webp")

        def deep():
            self.put("photos/ant/deep.jpg", deep_jpeg(4))
            self.plant("12-bit JPEG", "unreadable-header", "photos/ant/deep.jpg")

        def rows():
            self.put("photos/cat/cat6.png", too_few_rows(9001))
            self.plant("rows missing", "damaged-image", "photos/cat/cat6.png")

        return [page, pointer, twice, contradicted, no_utf8, apng, beside("photos/stray.png"), beside("photos/another.png"), webp, deep, rows]


LAYOUTS = (IdLayout, ColorLayout, ClassLayout)


def files_of(diagnostic):
    return [example["file"] for example in diagnostic["examples"]]


class PlantedDefects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = packs.Scratch()
        cls.folder = cls.scratch.__enter__()
        for make in LAYOUTS:
            make(cls.folder / make.__name__).make()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.__exit__()

    def copy_of(self, make, folder):
        """The data set without defects, in its own folder."""
        shutil.copytree(self.folder / make.__name__, folder / "set")
        return make(folder / "set")

    def check(self, layout, expect):
        return json.loads(packs.run("check", *layout.arguments, "--json", "-q", cwd=layout.folder, expect=expect).stdout)

    def test_the_sets_without_defects_have_no_diagnostic(self):
        for make in LAYOUTS:
            with self.subTest(make.__name__), packs.Scratch() as folder:
                self.assertEqual(self.told(self.check(self.copy_of(make, folder), 0)), [])

    def test_forty_defects_of_twenty_kinds_are_named_and_no_other_file_is(self):
        count, kinds = 0, set()
        for make in LAYOUTS:
            with self.subTest(make.__name__), packs.Scratch() as folder:
                layout = self.copy_of(make, folder)
                for plant in layout.defects():
                    plant()
                report = self.check(layout, 1)
                for defect, kind, name in layout.planted:
                    named = [f for f in report["diagnostics"] if f["kind"] == kind and any(file.endswith(name) for file in files_of(f))]
                    self.assertTrue(named, f"{defect} in {name}: no diagnostic {kind} names it")
                    count += 1
                    kinds.add(defect)
                self.assertEqual(self.blamed(report) - self.planted_files(layout), set())
        self.assertEqual((count, len(kinds)), (40, 20))

    def told(self, report):
        """Notes do not blame a file: for example, that labels have palettes."""
        return [diagnostic for diagnostic in report["diagnostics"] if diagnostic["severity"] != "note"]

    def blamed(self, report):
        return {file.removeprefix("./") for diagnostic in self.told(report) for file in files_of(diagnostic)}

    def planted_files(self, layout):
        planted = {name for _, _, name in layout.planted}
        # A copy of a sample is reported by its image, a name that is not UTF-8 by its bytes, and a missing file by its match.
        odd = {file for side in ("images/val", "labels/val", "photos/ant") for file in (f"{side}/x\\xff.png", f"{side}/x�.png", f"{side}/x\\xFF.png")}
        return planted | odd

    def test_a_pack_with_a_defect_stops_or_packs_what_the_files_contain(self):
        for make in LAYOUTS:
            for number in range(len(make("").defects())):
                with self.subTest(make.__name__, number=number), packs.Scratch() as folder:
                    layout = self.copy_of(make, folder)
                    layout.defects()[number]()
                    defect, _, name = layout.planted[0]
                    done = packs.run("pack", *layout.arguments, "-o", folder / "out", "-q", cwd=layout.folder, expect=None)
                    self.assertEqual(done.returncode, 0 if defect in layout.harmless else 1, f"{defect}\n{done.stderr}")
                    split = next((s for s in SPLITS if f"/{s}/" in name or name.startswith(s)), "")
                    self.assertEqual((folder / "out" / split / "dataset.json").exists(), defect in layout.harmless and bool(split or layout.alone), defect)


if __name__ == "__main__":
    unittest.main()
