"""What records hold: sums of images and classes of labels, by FORMAT.md sections 5 and 6."""

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
    values = np.arange(256)
    histograms = [np.bincount(part[..., c].ravel(), minlength=256) for c in range(channels)]
    sums = [int(histogram @ values) for histogram in histograms]
    squares = [int(histogram @ values**2) for histogram in histograms]
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
    faults: tuple[Fault, ...] = ()
    if (vectors[:, -1] & spare).any():
        last = vectors[:, -1]
        bad = (last & spare).astype(np.bool_)
        faults += _fault(f"vectors with bits beyond class {classes - 1}", bad, last)
        vectors = vectors.copy()
        vectors[:, -1] &= ~spare
    columns = _pairs_of_bytes(vectors)
    pixels = [_bits_set(np.bincount(column, minlength=1 << 16)) for column in columns]
    popcount = _popcounts()
    held = sum((popcount[column] for column in columns), np.zeros(len(vectors), np.uint16))
    faults += _crowded(held, multi)
    ignored = int((held == 0).sum())
    return LabelCounts(np.concatenate(pixels)[:classes], ignored, len(vectors), faults)


def _bytes(vectors: Stored, multi: bool) -> LabelCounts:
    is_set = vectors != 0
    wrong = vectors > 1
    faults: tuple[Fault, ...] = ()
    if wrong.any():
        values = vectors[np.arange(len(vectors)), wrong.argmax(axis=1)]
        bad = np.any(wrong, axis=1)
        faults += _fault("vectors with one-hot bytes other than 0 and 1", bad, values)
    held = is_set.sum(axis=1)
    faults += _crowded(held, multi)
    pixels = is_set.sum(axis=0, dtype=np.int64)
    return LabelCounts(pixels, int((held == 0).sum()), len(vectors), faults)


def _crowded(held: npt.NDArray[Any], multi: bool) -> tuple[Fault, ...]:
    crowded = np.greater(held, 1)
    if multi or not crowded.any():
        return ()
    text = "vectors with more than one class, though the schema says that `multi` is false"
    return _fault(text, crowded, held)


def _fault(text: str, bad: npt.NDArray[Any], values: npt.NDArray[Any]) -> tuple[Fault]:
    first = int(bad.argmax())
    return (Fault(text, int(bad.sum()), first, int(values[first])),)


def _pairs_of_bytes(vectors: Stored) -> Stored:
    """Two bytes of each vector in a number, u16 [⌈bytes/2⌉,N]; the first is the lower one."""
    count, size = vectors.shape
    if size % 2:
        vectors = np.hstack([vectors, np.zeros((count, 1), np.uint8)])
    pairs: Stored = np.ascontiguousarray(vectors).view("<u2").T
    return np.ascontiguousarray(pairs)


def _bits_set(histogram: Counts) -> Counts:
    """How often each of 16 bits is set, i64 [16], from how often each number occurs."""
    numbers = np.flatnonzero(histogram)
    bits = numbers[:, None] >> np.arange(16) & 1
    total: Counts = histogram[numbers] @ bits
    return total


@functools.cache
def _popcounts() -> npt.NDArray[np.uint16]:
    """How many bits are set in each number, u16 [65536]."""
    numbers = np.arange(1 << 16)
    bits = numbers[:, None] >> np.arange(16) & 1
    counts: npt.NDArray[np.uint16] = bits.sum(axis=1, dtype=np.uint16)
    return counts
