"""The pixels of a window, by src/loader/ORDER.md, section 6. Pixels of the record outside the
window are never read."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .augment import SampleCrop

Image = npt.NDArray[np.uint8]
Ids = npt.NDArray[Any]


def crop_image(
    image: Image, crop: SampleCrop, width: int, height: int, resample: bool = False
) -> Image:
    """The window of an image, u8 [H,W,c] to [height,width,c]: resampled to this size by linear
    interpolation, or cut to it and padded with black on the right and below."""
    window = _window(image, crop)
    shown = _linear(window, width, height) if resample else _cut(window, width, height, 0)
    return _flipped(shown, crop)


def crop_label(
    ids: Ids, crop: SampleCrop, width: int, height: int, ignore: int, resample: bool = False
) -> Ids:
    """The same for class ids, [H,W] to [height,width]: resampled to the nearest pixel, or padded
    with the id `ignore`."""
    window = _window(ids, crop)
    shown = _nearest(window, width, height) if resample else _cut(window, width, height, ignore)
    return _flipped(shown, crop)


def _window(record: npt.NDArray[Any], crop: SampleCrop) -> npt.NDArray[Any]:
    return record[crop.y : crop.y + crop.height, crop.x : crop.x + crop.width]


def _flipped(shown: npt.NDArray[Any], crop: SampleCrop) -> npt.NDArray[Any]:
    columns = slice(None, None, -1 if crop.flip_horizontal else 1)
    turned: npt.NDArray[Any] = shown[:: -1 if crop.flip_vertical else 1, columns]
    return turned


def _cut(window: npt.NDArray[Any], width: int, height: int, padding: int) -> npt.NDArray[Any]:
    shown = np.full((height, width, *window.shape[2:]), padding, window.dtype)
    part = window[:height, :width]
    shown[: part.shape[0], : part.shape[1]] = part
    return shown


def _nearest(window: Ids, width: int, height: int) -> Ids:
    rows = (2 * np.arange(height) + 1) * window.shape[0] // (2 * height)
    columns = (2 * np.arange(width) + 1) * window.shape[1] // (2 * width)
    shown: Ids = window[rows[:, None], columns]
    return shown


def _linear(window: Image, width: int, height: int) -> Image:
    """As OpenCV's INTER_LINEAR on bytes, in fixed point."""
    box_height, box_width = window.shape[:2]
    if (box_width, box_height) == (width, height):
        return window
    pixels = window.astype(np.int64)
    if (box_width, box_height) == (2 * width, 2 * height):
        blocks = pixels.reshape(height, 2, width, 2, -1).sum(axis=(1, 3))
        halved: Image = ((blocks + 2) // 4).astype(np.uint8)
        return halved
    first, p, q = _taps(box_width, width)
    outside_left, outside_right = first < 0, first >= box_width - 1
    first = np.clip(first, 0, box_width - 1)
    p = np.where(outside_left | outside_right, 2048, p)[:, None]
    q = np.where(outside_left | outside_right, 0, q)[:, None]
    second = np.minimum(first + 1, box_width - 1)  # not used where q = 0
    sums = (p * pixels[:, first] + q * pixels[:, second]) // 16
    first, p, q = _taps(box_height, height)
    upper, lower = (sums[np.clip(first + step, 0, box_height - 1)] for step in (0, 1))
    p, q = p[:, None, None], q[:, None, None]
    resampled: Image = (((p * upper >> 16) + (q * lower >> 16) + 2) // 4).astype(np.uint8)
    return resampled


def _taps(size: int, shown: int) -> tuple[npt.NDArray[np.int64], ...]:
    """For each output pixel of an axis, the first pixel of the window, the weight of that pixel and
    that of the next, i64 [shown]. The weights are out of 2048."""
    scale = 1.0 / (float(shown) / size)
    place = ((np.arange(shown) + 0.5) * scale - 0.5).astype(np.float32)
    first = np.floor(place)
    fraction = place - first
    p = np.rint((np.float32(1) - fraction).astype(np.float64) * 2048)
    q = np.rint(fraction.astype(np.float64) * 2048)
    return first.astype(np.int64), p.astype(np.int64), q.astype(np.int64)
