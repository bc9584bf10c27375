"""A data set as HTML, for notebooks: facts, the share of each class, and a few images.

Needs NumPy and zlib alone.
"""

from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .dataset import Dataset, Sample

_IMAGES = 6
_SIDE = 160  # pixels, at most
_PALETTE = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb")


def contact_sheet(dataset: Dataset) -> str:
    """The HTML of a data set; opens the shards of its images."""
    count = len(dataset)
    chosen = (
        [number * count // _IMAGES for number in range(_IMAGES)]
        if count > _IMAGES
        else range(count)
    )
    cells = "".join(_cell(dataset[number]) for number in chosen)
    return (
        f"<div><p>{html.escape(repr(dataset))}</p>{_class_bar(dataset)}"
        f'<div style="display:flex;gap:6px;flex-wrap:wrap">{cells}</div></div>'
    )


def thumbnail(image: npt.NDArray[np.uint8], side: int = _SIDE) -> npt.NDArray[np.uint8]:
    """Every n-th pixel of an image, u8 [H,W,c], so that no side is longer than `side`."""
    step = max(1, -(-max(image.shape[:2]) // side))
    return np.ascontiguousarray(image[::step, ::step])


def png(image: npt.NDArray[np.uint8]) -> bytes:
    """An image, u8 [H,W,3] or [H,W,1], as a PNG file."""
    height, width, channels = image.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # the filter of each row is "none"
    rows[:, 1:] = image.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    parts = (b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _cell(sample: Sample) -> str:
    data = base64.b64encode(png(thumbnail(sample.image))).decode()
    key = html.escape(sample.key)
    return (
        '<figure style="margin:0;font-size:75%">'
        f'<img src="data:image/png;base64,{data}" alt="{key}" title="{key}">'
        f"<figcaption>{key}</figcaption></figure>"
    )


def _class_bar(dataset: Dataset) -> str:
    classes = dataset.classes
    total = sum(info.pixels for info in classes)
    if not total:
        return ""
    parts = [(info, 100 * info.pixels / total) for info in classes]
    bar = "".join(
        f'<div title="{html.escape(info.name)}: {share:.2f} %" style="width:{share:.3f}%;'
        f'background:{_color(info)}"></div>'
        for info, share in parts
    )
    return f'<div style="display:flex;height:14px;max-width:600px;margin-bottom:6px">{bar}</div>'


def _color(info: Any) -> str:
    if info.color is None:
        return _PALETTE[info.id % len(_PALETTE)]
    return "#{:02x}{:02x}{:02x}".format(*info.color)
