"""Statistics of pixels and classes, by FORMAT.md section 12. Sums are exact integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Numbers = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """As in the manifest. None: no pixel of the channel or class was seen."""

    mean: Numbers  # per channel, of pixels in 0 … 1
    std: Numbers
    pixels: tuple[int, ...]  # per class
    samples: tuple[int, ...]
    ignored: int
    inverse: Numbers  # weights, per class
    median: Numbers


@dataclass(frozen=True, slots=True)
class Sums:
    """`shard.sums`: integers that add up over shards."""

    channels: tuple[int, ...]
    squares: tuple[int, ...]
    pixels: int
    ignored: int
    skipped: int
    class_pixels: tuple[int, ...]
    class_samples: tuple[int, ...]
    class_labeled: tuple[int, ...]

    @classmethod
    def of(cls, numbers: Sequence[int], channels: int) -> Sums:
        """From the items of the table, in their order."""
        scalars, classes = 2 * channels, 2 * channels + 3
        return cls(
            tuple(numbers[:channels]),
            tuple(numbers[channels:scalars]),
            numbers[scalars],
            numbers[scalars + 1],
            numbers[scalars + 2],
            tuple(numbers[classes::3]),
            tuple(numbers[classes + 1 :: 3]),
            tuple(numbers[classes + 2 :: 3]),
        )

    @classmethod
    def zero(cls, channels: int, classes: int) -> Sums:
        return cls.of([0] * (2 * channels + 3 + 3 * classes), channels)

    def numbers(self) -> list[int]:
        """The items of the table."""
        classes = zip(self.class_pixels, self.class_samples, self.class_labeled)
        return [
            *self.channels,
            *self.squares,
            self.pixels,
            self.ignored,
            self.skipped,
            *(number for row in classes for number in row),
        ]

    def __add__(self, other: Sums) -> Sums:
        both = zip(self.numbers(), other.numbers(), strict=True)
        return Sums.of([a + b for a, b in both], len(self.channels))


def statistics_of(sums: Sums) -> Statistics:
    """Mean, standard deviation and weights, each operation in the order of FORMAT.md."""
    count = sums.pixels
    mean = [total / count / 255 if count else None for total in sums.channels]
    std = [
        _deviation(total, squares, count) for total, squares in zip(sums.channels, sums.squares)
    ]
    return Statistics(
        tuple(mean),
        tuple(std),
        sums.class_pixels,
        sums.class_samples,
        sums.ignored,
        _inverse_weights(sums.class_pixels),
        _median_weights(sums),
    )


def _deviation(total: int, squares: int, count: int) -> float | None:
    spread = max(0, count * squares - total * total)  # below 0 only if the sums are wrong
    return math.sqrt(float(spread)) / count / 255 if count else None


def _inverse_weights(pixels: tuple[int, ...]) -> Numbers:
    total = float(sum(pixels))
    return tuple(total / float(len(pixels) * count) if count else None for count in pixels)


def _median_weights(sums: Sums) -> Numbers:
    shares = [
        float(pixels) / float(labeled) if pixels and labeled else None
        for pixels, labeled in zip(sums.class_pixels, sums.class_labeled)
    ]
    seen = sorted(share for share in shares if share is not None)
    middle = (seen[(len(seen) - 1) // 2] + seen[len(seen) // 2]) / 2 if seen else 0.0
    return tuple(None if share is None else middle / share for share in shares)
