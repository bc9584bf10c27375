"""What records hold: the sums of images and the classes of labels, by FORMAT.md sections 5 and 6."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .statistics import Sums

Stored = npt.NDArray[Any]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Fault:
    """Label vectors that break a rule."""

    text: str
    count: int
    first: int  # number of the first vector
    value: int  # what it has


@dataclass(frozen=True, slots=True)
class LabelCounts:
    pixels: Counts  # of each class, [C]
    ignored: int
    vectors: int
    faults: tuple[Fault, ...]


def image_sums(image: npt.NDArray[np.uint8], region: tuple[int, int, int, int]) -> list[int]:
    """Of the pixels within a region of an image, u8 [H,W,c]: the sum of each channel, the sum of
    squares of each channel, and how many pixels that is."""
    height, width, channels = image.shape
    x, y, wide, high = region
    left, top = min(max(x, 0), width), min(max(y, 0), height)
    part = image[top : max(top, min(y + high, height)), left : max(left, min(x + wide, width))]
    planes = [part[..., c].astype(np.float64).ravel() for c in range(channels)]
    sums = [int(plane.sum()) for plane in planes]  # exact: all sums are below 2^53
    squares = [int(plane @ plane) for plane in planes]
    return [*sums, *squares, part.shape[0] * part.shape[1]]


def label_counts(stored: Stored, storage: str, classes: int, multi: bool) -> LabelCounts:
    """Counts the classes of a label as stored: u8 [...,⌈C/8⌉] (bits), u8 [...,C] (onehot), u8 or
    u16 [...] (index)."""
    if storage == "index":
        return _ids(stored.ravel(), classes)
    vectors = stored.reshape(-1, stored.shape[-1])
    return _bits(vectors, classes, multi) if storage == "bits" else _bytes(vectors, multi)


def sums_of(image: list[int], label: LabelCounts | None, channels: int) -> Sums:
    """`shard.sums` of one record."""
    numbers = [*image, label.ignored if label else 0, 0]
    if label:
        labeled = label.vectors - label.ignored
        for pixels in label.pixels.tolist():
            numbers += [pixels, 1, labeled] if pixels else [0, 0, 0]
    return Sums.of(numbers, channels)


def _ids(ids: Stored, classes: int) -> LabelCounts:
    most = int(np.iinfo(ids.dtype).max)
    counts = np.bincount(ids, minlength=most + 1)
    faults: tuple[Fault, ...] = ()
    if counts[classes:most].any():
        bad = np.logical_and(ids >= classes, ids != most)
        faults = _fault(f"ids of no class (there are {classes} classes)", bad, ids)
    return LabelCounts(counts[:classes], int(counts[most]), ids.size, faults)


def _bits(vectors: Stored, classes: int, multi: bool) -> LabelCounts:
    spare = np.uint8(0xFF << classes % 8 & 0xFF if classes % 8 else 0)
    bits, popcount = _byte_bits()
    faults: tuple[Fault, ...] = ()
    if (vectors[:, -1] & spare).any():
        last = vectors[:, -1]
        bad = (last & spare).astype(np.bool_)
        faults += _fault(f"vectors with bits beyond class {classes - 1}", bad, last)
        vectors = vectors.copy()
        vectors[:, -1] &= ~spare
    columns = range(vectors.shape[1])
    pixels = [np.bincount(vectors[:, b], minlength=256) @ bits for b in columns]
    held = popcount[vectors].sum(axis=1, dtype=np.int64)
    faults += _crowded(held, multi)
    ignored = int((held == 0).sum())
    return LabelCounts(np.concatenate(pixels)[:classes], ignored, len(vectors), faults)


def _bytes(vectors: Stored, multi: bool) -> LabelCounts:
    is_set = vectors != 0
    wrong = vectors > 1
    faults: tuple[Fault, ...] = ()
    if wrong.any():
        values = vectors[np.arange(len(vectors)), wrong.argmax(axis=1)]
        faults += _fault("vectors with one-hot bytes other than 0 and 1", wrong.any(axis=1), values)
    held = is_set.sum(axis=1)
    faults += _crowded(held, multi)
    pixels = is_set.sum(axis=0, dtype=np.int64)
    return LabelCounts(pixels, int((held == 0).sum()), len(vectors), faults)


def _crowded(held: npt.NDArray[Any], multi: bool) -> tuple[Fault, ...]:
    if multi or not (held > 1).any():
        return ()
    text = "vectors with more than one class, though the schema says that `multi` is false"
    return _fault(text, held > 1, held)


def _fault(text: str, bad: npt.NDArray[Any], values: npt.NDArray[Any]) -> tuple[Fault]:
    first = int(bad.argmax())
    return (Fault(text, int(bad.sum()), first, int(values[first])),)


@functools.cache
def _byte_bits() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """The bits of each byte, lowest first, i64 [256,8]; and how many are set, u8 [256]."""
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    return bits.astype(np.int64), bits.sum(axis=1, dtype=np.uint8)
