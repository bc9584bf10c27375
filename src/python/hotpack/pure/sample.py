"""One sample of a data set."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from . import labels
from .shard import Shard

if TYPE_CHECKING:
    from .dataset import Dataset


class Sample:
    """One sample: an image and its label. Arrays are views of the file where that is possible, and
    stay valid as long as they are used. Reading checks the record's CRC-32C, as `open` was asked.

    number: its place in the data set, from 0.
    """

    __slots__ = ("_dataset", "_index", "_shard_number", "number")

    def __init__(self, dataset: Dataset, number: int, shard_number: int, index: int) -> None:
        self._dataset = dataset
        self._shard_number = shard_number
        self._index = index
        self.number = number

    @property
    def key(self) -> str:
        """The image's path within its input folder, without extension."""
        return self._shard.key(self._index)

    @property
    def image(self) -> npt.NDArray[np.uint8]:
        """The image, u8 [H,W,c], c = 3 (R, G, B) or 1. Read-only: a view of the file (not
        contiguous if the pack stores channels first), or an array of its own if the pack is
        compressed."""
        return self._shard.image_array(self._index, self._dataset._verify)

    @property
    def label(self) -> npt.NDArray[Any]:
        """Class ids as `ids()` gives them: u8 [H,W] with 255 for ignored pixels, or u16 with 65535
        for more than 255 classes."""
        return self.ids()

    def ids(
        self, dtype: npt.DTypeLike | None = None, ignore_index: int | None = None
    ) -> npt.NDArray[Any]:
        """Class ids, [H,W], or [] for a label of the whole image.

        dtype: uint8, uint16, int32 or int64; by default uint8, or uint16 with more than 255
        classes. ignore_index: the id of ignored pixels; by default 255 (uint8), 65535 (uint16) or
        −100.
        Raises UsageError without labels, with several classes per pixel, and for types and ids
        that do not fit.
        """
        field = self._shard.schema.label
        if field and field.multi:
            raise UsageError(
                "label: a pixel of this data set may hold several classes; use one_hot or "
                "label_bits"
            )
        stored, storage, classes = self._stored_label()
        return labels.class_ids(stored, storage, classes, dtype, ignore_index)

    def one_hot(self, dtype: npt.DTypeLike = "uint8", layout: str = "NHWC") -> npt.NDArray[Any]:
        """1 where a pixel has a class: [H,W,C], or [C,H,W] with layout "NCHW"; [C] for a label of
        the whole image. dtype: uint8, float16, float32, or bfloat16 with the package ml_dtypes.
        Raises UsageError without labels and for other types."""
        stored, storage, classes = self._stored_label()
        return labels.one_hot(stored, storage, classes, dtype, layout)

    @property
    def label_bits(self) -> npt.NDArray[np.uint8]:
        """Class c is bit c mod 8 of byte ⌊c/8⌋: u8 [H,W,⌈C/8⌉], or [⌈C/8⌉] for a label of the whole
        image. A read-only view of the file if the pack stores bits. Raises UsageError without
        labels."""
        return labels.label_bits(*self._stored_label())

    @property
    def source_size(self) -> tuple[int, int]:
        """Width and height of the source image."""
        return self._shard.source_size(self._index)

    @property
    def region(self) -> tuple[int, int, int, int]:
        """x, y, width and height of the part of the record to which the whole source is mapped; it
        may lie partly outside. A point u of the source lies at x + u · width / source width."""
        return self._shard.source_region(self._index)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sample):
            return NotImplemented
        return self._dataset is other._dataset and self.number == other.number

    def __hash__(self) -> int:
        return hash((id(self._dataset), self.number))

    def __reduce__(self) -> tuple[Any, ...]:
        return operator.getitem, (self._dataset, self.number)

    def __repr__(self) -> str:
        height, width, channels = self._shard.image_shape(self._index)
        return f"<hotpack.pure.Sample {self.number} {self.key!r} {width}x{height}x{channels}>"

    @property
    def _shard(self) -> Shard:
        """The dataset's, so that a list of all samples does not keep every shard open."""
        return self._dataset._shard(self._shard_number)

    def _stored_label(self) -> tuple[npt.NDArray[Any], str, int]:
        shard = self._shard
        schema = shard.schema
        if schema.label is None:
            raise UsageError("this data set has no label")
        stored = shard.label_array(self._index, self._dataset._verify)
        return stored, schema.label.storage, len(schema.classes)
