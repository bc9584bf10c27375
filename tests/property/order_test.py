#!/usr/bin/env python3
"""src/loader/ORDER.md is complete: this program, written from that page alone, computes order_golden.json, which the library's own tests also
read.

The page's examples are checked in the same way.
"""

import json
import math
import re
import struct
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "src" / "loader" / "ORDER.md"
GOLDEN = json.loads((HERE / "order_golden.json").read_text())

MASK32, MASK64 = 2**32 - 1, 2**64 - 1
SAMPLES, BLOCKS, WINDOWS, AUGMENTATION = 1, 2, 3, 4


# ---- random words


def philox(counter, key):
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (b >> 32) ^ c1 ^ k0, b & MASK32, (a >> 32) ^ c3 ^ k1, a & MASK32
        k0, k1 = (k0 + 0x9E3779B9) & MASK32, (k1 + 0xBB67AE85) & MASK32
    return c0, c1, c2, c3


def words(seed, epoch, stream, subject, draw=0):
    return philox((subject & MASK32, subject >> 32, epoch, stream + 256 * draw), (seed & MASK32, seed >> 32))


# ---- order


def ceil_root(number):
    return math.isqrt(number - 1) + 1


def ceil_div(number, by):
    return -(-number // by)


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK64
    return z ^ (z >> 31)


class Permutation:
    def __init__(self, size, seed, epoch, stream, index=0):
        root = ceil_root(size)
        self.size = size
        self.columns = max(root + root % 2, 2)
        self.rows = ceil_div(size, self.columns)
        self.rounds = 24 if size < 64 else 8
        c0, c1, c2, c3 = words(seed, epoch, stream, index)
        self.key, self.step = c0 + (c1 << 32), (c2 + (c3 << 32)) | 1

    def shift(self, t, coordinate, below):
        return mix((self.key + t * self.step + coordinate) & MASK64) * below >> 64

    def __call__(self, position):
        x = position
        while True:
            row, column = divmod(x, self.columns)
            for t in range(0, self.rounds, 2):
                column = (column + self.shift(t, row, self.columns)) % self.columns
                row = (row + self.shift(t + 1, column, self.rows)) % self.rows
            x = column + self.columns * row
            if x < self.size:
                return x

    def inverse(self, element):
        x = element
        while True:
            row, column = divmod(x, self.columns)
            for t in reversed(range(0, self.rounds, 2)):
                row = (row - self.shift(t + 1, column, self.rows)) % self.rows
                column = (column - self.shift(t, row, self.columns)) % self.columns
            x = column + self.columns * row
            if x < self.size:
                return x


class BlockOrder:
    def __init__(self, samples, block, window, seed, epoch):
        self.samples, self.block, self.window, self.seed, self.epoch = samples, block, window, seed, epoch
        self.blocks = ceil_div(samples, block)
        self.beta = Permutation(self.blocks, seed, epoch, BLOCKS)
        self.short_place = self.beta.inverse(self.blocks - 1)
        self.missing = self.blocks * block - samples

    def start(self, place):
        return place * self.block - (self.missing if place > self.short_place else 0)

    def place_at(self, position):
        place = position // self.block
        return place if position < self.start(place + 1) else place + 1

    def __call__(self, position):
        window = self.place_at(position) // self.window
        first, last = self.start(window * self.window), self.start(min((window + 1) * self.window, self.blocks))
        at = first + Permutation(last - first, self.seed, self.epoch, WINDOWS, window)(position - first)
        place = self.place_at(at)
        return self.beta(place) * self.block + at - self.start(place)


def order_of(case):
    if case["shuffle"] == "none":
        return lambda position: position
    if case["shuffle"] == "full":
        return Permutation(case["samples"], case["seed"], case["epoch"], SAMPLES)
    return BlockOrder(case["samples"], case["block_samples"], case["window_blocks"], case["seed"], case["epoch"])


def step_positions(samples, batch, last_batch, rank, world_size):
    steps = samples // batch if last_batch == "drop" else ceil_div(samples, batch)
    sizes = [min(batch, samples - k * batch) if last_batch == "keep" else batch for k in range(steps)]
    return [[k * batch + size * r // world_size for r in (rank, rank + 1)] for k, size in enumerate(sizes)]


# ---- crops


def draw_flips(augment, drawn):
    def below(word, option):
        return int(word < math.floor(augment.get(option, 0) * 2**32))

    return [below(drawn[0], "horizontal_flip"), below(drawn[1], "vertical_flip")]


def uniform(word, below):
    return word * below >> 32


def crop(record, options, drawn):
    (width, height), (wide, high, random) = record, options
    w, h = min(wide, width), min(high, height)
    if random:
        return [uniform(drawn[2], width - w + 1), uniform(drawn[3], height - h + 1), w, h]
    return [(width - w) // 2, (height - h) // 2, w, h]


ENTRIES = [round(2 ** (31 + (i % 64 + 0.5) / 64)) >> (3 - i // 64) for i in range(256)]


def resized_crop(record, options, seed, epoch, sample):
    width, height = record
    area0, area1 = (max(1, math.floor(area * 2**32)) for area in options[2:4])
    ratio0, ratio1 = (math.floor(ratio * 2**30) for ratio in options[4:6])
    inside = [entry for entry in ENTRIES if ratio0 <= entry <= ratio1]
    for attempt in range(1, 11):
        c0, c1, c2, c3 = words(seed, epoch, AUGMENTATION, sample, attempt)
        area = width * height * (area0 + uniform(c0, area1 - area0 + 1))
        ratio = inside[uniform(c1, len(inside))] if inside else (ratio0 + ratio1) // 2
        w = (math.isqrt(area * ratio >> 60) + 1) // 2
        h = (math.isqrt(area // ratio) + 1) // 2
        if 1 <= w <= width and 1 <= h <= height:
            return [uniform(c2, width - w + 1), uniform(c3, height - h + 1), w, h]
    w, h = width, height
    if width << 30 < height * ratio0:
        h = max(1, (width * 2**31 + ratio0) // (2 * ratio0))
    elif width << 30 > height * ratio1:
        w = max(1, (height * ratio1 + 2**29) >> 30)
    return [(width - w) // 2, (height - h) // 2, w, h]


def draw_crop(augment, record, seed, epoch, sample):
    drawn = words(seed, epoch, AUGMENTATION, sample)
    if "crop" in augment:
        window = crop(record, augment["crop"], drawn)
    elif "resized_crop" in augment:
        window = resized_crop(record, augment["resized_crop"], seed, epoch, sample)
    else:
        window = [0, 0, *record]
    return window + draw_flips(augment, drawn)


# ---- pixels


IGNORED = 255


def single(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def tap(i, s, d, column):
    f = single((i + 0.5) * (1 / (d / s)) - 0.5)
    k = math.floor(f)
    f = single(f - k)
    if column and k < 0:
        k, f = 0, 0.0
    if column and k >= s - 1:
        k, f = s - 1, 0.0
    return k, round(single(1 - f) * 2048), round(f * 2048)


def linear(box, width, height):
    """`box`: rows of bytes."""
    h, w = len(box), len(box[0])
    if (w, h) == (width, height):
        return box
    if (w, h) == (2 * width, 2 * height):
        pairs = [[sum(row[2 * i : 2 * i + 2]) for i in range(width)] for row in box]
        return [[(upper + lower + 2) // 4 for upper, lower in zip(*pairs[2 * j : 2 * j + 2])] for j in range(height)]

    def sum_at(i, j):
        k, p, q = tap(i, w, width, True)
        return (p * box[j][k] + (q * box[j][k + 1] if q else 0)) // 16

    def out(i, j):
        k, p, q = tap(j, h, height, False)
        upper, lower = (sum_at(i, min(max(row, 0), h - 1)) for row in (k, k + 1))
        return ((p * upper >> 16) + (q * lower >> 16) + 2) // 4

    return [[out(i, j) for i in range(width)] for j in range(height)]


def nearest(box, width, height):
    h, w = len(box), len(box[0])
    return [[box[(2 * j + 1) * h // (2 * height)][(2 * i + 1) * w // (2 * width)] for i in range(width)] for j in range(height)]


def padded(box, width, height, padding):
    rows = [row + [padding] * (width - len(row)) for row in box]
    return rows + [[padding] * width] * (height - len(rows))


def shown(plane, case, resampled, padding):
    """Rows of an output, from one channel of the image, or from the label."""
    (x, y, w, h, horizontal, vertical), (width, height) = case["box"], case["output"]
    box = [row[x : x + w] for row in plane[y : y + h]]
    out = resampled(box, width, height) if case["resample"] else padded(box, width, height, padding)
    out = [row[::-1] for row in out] if horizontal else out
    return out[::-1] if vertical else out


def cut_rows(flat, width):
    return [flat[i : i + width] for i in range(0, len(flat), width)]


def shown_image(case):
    width, channels = case["record"][0], case["channels"]
    planes = [shown(cut_rows(case["image"][c::channels], width), case, linear, 0) for c in range(channels)]
    return [byte for rows in zip(*planes) for pixel in zip(*rows) for byte in pixel]


def shown_label(case):
    return sum(shown(cut_rows(case["label"], case["record"][0]), case, nearest, IGNORED), [])


# ---- the tests


def rows(title):
    """Cells of the table that follows `title` on the page."""
    anywhere = r"\s+".join(map(re.escape, title.split()))  # the page wraps its lines
    behind = re.split(anywhere, PAGE.read_text(encoding="utf-8"), maxsplit=1)[1]
    lines = behind.strip().split("\n\n", 1)[0].splitlines()
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines[2:]]


def shown_record(title):
    """Bytes and classes of the indented rows that follow `title` on the page."""
    lines = PAGE.read_text(encoding="utf-8").split(title, 1)[1].strip("\n").split("\n\n", 1)[0].splitlines()
    halves = zip(*(line.replace("·", str(IGNORED)).split("|") for line in lines))
    return tuple([int(word) for half in side for word in half.split()] for side in halves)


class Golden(unittest.TestCase):
    def test_words(self):
        for case in GOLDEN["philox"]:
            self.assertEqual(list(philox(case["counter"], case["key"])), case["words"])

    def test_permutations(self):
        for case in GOLDEN["permutations"]:
            permutation = Permutation(*(case[name] for name in ("size", "seed", "epoch", "stream", "index")))
            self.assertEqual([permutation(p) for p in case["positions"]], case["elements"])
            self.assertEqual([permutation.inverse(x) for x in case["elements"]], case["positions"])

    def test_orders(self):
        for case in GOLDEN["orders"]:
            order = order_of(case)
            self.assertEqual([order(p) for p in case["positions"]], case["elements"])

    def test_steps(self):
        for case in GOLDEN["steps"]:
            found = step_positions(*(case[name] for name in ("samples", "global_batch_size", "last_batch", "rank", "world_size")))
            self.assertEqual(found, case["positions"])

    def test_boxes(self):
        for case in GOLDEN["crops"]:
            with self.subTest(case):
                self.assertEqual(draw_crop(*(case[name] for name in ("augment", "record", "seed", "epoch", "sample"))), case["box"])


    def test_pixels(self):
        for case in GOLDEN["pixels"]:
            with self.subTest(box=case["box"], output=case["output"]):
                self.assertEqual(shown_image(case), case["shown_image"])
                self.assertEqual(shown_label(case), case["shown_label"])


class Page(unittest.TestCase):
    def test_orders(self):
        for shuffle, epoch, order in rows("Ten samples, seed 7:"):
            name, *block = shuffle.replace("B = ", "").replace("W = ", "").replace("`", "").split(", ")
            block_samples, window_blocks = map(int, block or (256, 16))
            case = dict(samples=10, shuffle=name, block_samples=block_samples, window_blocks=window_blocks, seed=7, epoch=int(epoch))
            self.assertEqual([*map(order_of(case), range(10))], [*map(int, order.split())])

    def test_steps(self):
        order = Permutation(10, 7, 0, SAMPLES)
        table = rows("samples of each step (`·` is empty):")
        self.assertEqual(len(table), 9)
        for last_batch, rank, *steps in table:
            found = [
                " ".join("·" if last_batch == "pad" and p >= 10 else str(order(p % 10)) for p in range(*positions))
                for positions in step_positions(10, 4, last_batch, int(rank), 3)
            ]
            self.assertEqual(found, [step for step in steps if step])

    def test_short_steps(self):
        order = Permutation(10, 7, 0, SAMPLES)
        table = rows("with `keep` on two ranks:")
        self.assertEqual(len(table), 2)
        for rank, *steps in table:
            found = [" ".join(str(order(p)) for p in range(*positions)) for positions in step_positions(10, 4, "keep", int(rank), 2)]
            self.assertEqual(found, steps)

    def test_boxes(self):
        flips = dict(horizontal_flip=0.5, vertical_flip=0.5)
        options = (dict(crop=[256, 256, True]), dict(resized_crop=[256, 256, 0.08, 1.0, 3 / 4, 4 / 3]))
        for sample, *cells in rows("(x, y, width, height, flips):"):
            for cell, option in zip(cells, options):
                *box, horizontal, vertical = draw_crop(option | flips, [480, 360], 7, 0, int(sample))
                flipped = " ".join(name for name, is_set in (("left–right", horizontal), ("top–bottom", vertical)) if is_set)
                self.assertEqual(cell, ", ".join(map(str, box)) + (", " + flipped if flipped else ""))

    def test_pixels(self):
        """The page's record is that of the first two cases."""
        image, label = shown_record("bytes of its image | classes of its label:")
        resized, cropped = GOLDEN["pixels"][:2]
        for case, title in (resized, "by `resized_crop` to 3 × 4:"), (cropped, "by `crop` of 7 × 2 (`·` is ignored):"):
            self.assertEqual((case["image"], case["label"]), (image, label))
            self.assertEqual((shown_image(case), shown_label(case)), shown_record(title))


if __name__ == "__main__":
    unittest.main()
