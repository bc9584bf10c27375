"""Random flips and crops, by src/loader/ORDER.md, section 5: functions of seed, epoch and the
number of the sample, computed with integers."""

from __future__ import annotations

import functools
import math
import operator
from dataclasses import dataclass
from typing import SupportsIndex

from ..errors import UsageError
from .order import AUGMENTATION, MOST_SAMPLES, check_run, random_words

MOST_SIDE = 1 << 30
_ATTEMPTS = 10
_RATIOS = 256  # from 1/4 to 4


@dataclass(frozen=True, slots=True)
class Crop:
    """Cuts a window of width × height pixels out of the record, at a random place or centered.
    Beyond the record, images are black and labels ignored."""

    width: int
    height: int
    random: bool = True


@dataclass(frozen=True, slots=True)
class ResizedCrop:
    """Cuts a window of random area and aspect out of the record, and resamples it to width ×
    height.

    min_area, max_area: shares of the record's area, above 0 and at most 1. min_ratio, max_ratio:
    width / height of the window, from 1/4 to 4.
    """

    width: int
    height: int
    min_area: float = 0.08
    max_area: float = 1.0
    min_ratio: float = 3 / 4
    max_ratio: float = 4 / 3


@dataclass(frozen=True, slots=True)
class Augment:
    """What may change a sample. horizontal_flip and vertical_flip: probabilities to exchange left
    and right, and top and bottom. At most one of crop and resized_crop."""

    horizontal_flip: float = 0
    vertical_flip: float = 0
    crop: Crop | None = None
    resized_crop: ResizedCrop | None = None


@dataclass(frozen=True, slots=True)
class SampleCrop:
    """The window of the record that is cut out, in pixels, and the flips that follow."""

    x: int
    y: int
    width: int
    height: int
    flip_horizontal: bool = False
    flip_vertical: bool = False


def draw_crop(
    augment: Augment,
    record: tuple[SupportsIndex, SupportsIndex],
    seed: SupportsIndex,
    epoch: SupportsIndex,
    sample: SupportsIndex,
) -> SampleCrop:
    """The window and the flips of one sample. record: width and height, 1 … 2^30. sample: its
    number in the data set, 0 … 2^62 − 1. Integers of NumPy are fine. Raises UsageError for numbers
    outside their ranges, TypeError for what is no integer. Takes about 30 µs.
    """
    check_augment(augment)
    seed, epoch = check_run(seed, epoch)
    record, sample = (operator.index(record[0]), operator.index(record[1])), operator.index(sample)
    if not 0 <= sample < MOST_SAMPLES:
        raise UsageError(f"sample {sample} is not from 0 to 2^62 - 1")
    _check_size("record", *record)
    words = random_words(seed, epoch, AUGMENTATION, sample)
    if augment.crop:
        window = _plain_window(augment.crop, record, words)
    elif augment.resized_crop:
        window = _resized_window(augment.resized_crop, record, seed, epoch, sample)
    else:
        window = (0, 0, *record)
    flips = (
        words[0] < _fixed_point(augment.horizontal_flip, 32),
        words[1] < _fixed_point(augment.vertical_flip, 32),
    )
    return SampleCrop(*window, *flips)


def check_augment(augment: Augment) -> None:
    """Raises UsageError for a probability, size, area or ratio outside its range."""
    for name in ("horizontal_flip", "vertical_flip"):
        value = getattr(augment, name)
        if not 0 <= value <= 1:
            raise UsageError(
                f"{name}: {value} is not a probability; use 0 (never) to 1 (always)"
            )
    if augment.crop and augment.resized_crop:
        raise UsageError(
            "crop and resized_crop are both set, but each chooses the whole window; set one of them"
        )
    if augment.crop:
        _check_size("crop", augment.crop.width, augment.crop.height)
    if augment.resized_crop:
        _check_resized_crop(augment.resized_crop)


def _check_size(name: str, width: int, height: int) -> None:
    if not (1 <= width <= MOST_SIDE and 1 <= height <= MOST_SIDE):
        raise UsageError(
            f"{name}: a size of {width}×{height} pixels; give a width and a height from 1 to 2^30"
        )


def _check_resized_crop(crop: ResizedCrop) -> None:
    _check_size("resized_crop", crop.width, crop.height)
    if not 0 < crop.min_area <= crop.max_area <= 1:
        raise UsageError(
            f"resized_crop: areas from {crop.min_area} to {crop.max_area} of the record; give "
            "min_area above 0, max_area from min_area to 1"
        )
    if not 0.25 <= crop.min_ratio <= crop.max_ratio <= 4:
        raise UsageError(
            f"resized_crop: width / height from {crop.min_ratio} to {crop.max_ratio}; give 0.25 ≤ "
            "min_ratio ≤ max_ratio ≤ 4"
        )


Window = tuple[int, int, int, int]  # x, y, width, height


def _fixed_point(value: float, bits: int) -> int:
    return math.floor(math.ldexp(value, bits))


def _uniform(word: int, below: int) -> int:
    return word * below >> 32


def _plain_window(
    crop: Crop, record: tuple[int, int], words: tuple[int, int, int, int]
) -> Window:
    width = min(operator.index(crop.width), record[0])
    height = min(operator.index(crop.height), record[1])
    free = (record[0] - width, record[1] - height)
    if not crop.random:
        return free[0] // 2, free[1] // 2, width, height
    return _uniform(words[2], free[0] + 1), _uniform(words[3], free[1] + 1), width, height


@functools.cache
def _ratio_entries() -> tuple[int, ...]:
    """Aspects (width / height) times 2^30, in equal steps of their logarithm."""
    octave = [round(2 ** (31 + (j + 0.5) / 64)) for j in range(64)]
    return tuple(octave[i % 64] >> (3 - i // 64) for i in range(_RATIOS))


def _resized_window(
    crop: ResizedCrop, record: tuple[int, int], seed: int, epoch: int, sample: int
) -> Window:
    low, high = (max(1, _fixed_point(area, 32)) for area in (crop.min_area, crop.max_area))
    ratios = (_fixed_point(crop.min_ratio, 30), _fixed_point(crop.max_ratio, 30))
    entries = [entry for entry in _ratio_entries() if ratios[0] <= entry <= ratios[1]]
    for attempt in range(1, _ATTEMPTS + 1):
        words = random_words(seed, epoch, AUGMENTATION, sample, attempt)
        area = record[0] * record[1] * (low + _uniform(words[0], high - low + 1))
        ratio = entries[_uniform(words[1], len(entries))] if entries else sum(ratios) // 2
        width = (math.isqrt(area * ratio >> 60) + 1) // 2
        height = (math.isqrt(area // ratio) + 1) // 2
        if 1 <= width <= record[0] and 1 <= height <= record[1]:
            x = _uniform(words[2], record[0] - width + 1)
            return x, _uniform(words[3], record[1] - height + 1), width, height
    width, height = _widest(ratios, record)
    return (record[0] - width) // 2, (record[1] - height) // 2, width, height


def _widest(ratios: tuple[int, int], record: tuple[int, int]) -> tuple[int, int]:
    """The largest window in the record whose aspect is in the range."""
    width, height = record
    if width << 30 < height * ratios[0]:
        return width, max(1, ((width << 31) + ratios[0]) // (2 * ratios[0]))
    if width << 30 > height * ratios[1]:
        return max(1, (height * ratios[1] + (1 << 29)) >> 30), height
    return record
