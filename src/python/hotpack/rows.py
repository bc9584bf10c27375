"""Samples as rows, dictionaries of arrays, as the data libraries of other frameworks take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .dataset import Dataset, Path, open
from .forms import Image, Label

Row = dict[str, Any]


class Rows:
    """Rows of a data set: {"image", "label", "index"}; without "label" if it has no labels. "index"
    is the number of the sample, so `data[index].key` is its key.

    data: a Dataset, or the folder of a pack. image, label: the forms. Arrays are the row's own.
    Pickles with its data set. Thread-safe.
    """

    def __init__(self, data: Dataset | Path, image: Image, label: Label | None) -> None:
        self.data = data if isinstance(data, Dataset) else open(data)
        self.image = image
        self.label = None if self.data._core.label is None else label

    def __len__(self) -> int:
        return len(self.data)

    def read(self, numbers: Sequence[int], threads: int = 0) -> list[Row]:
        """The rows of these samples, in this order. threads, errors: as `Dataset.read`."""
        if self.data.image_shape is None:  # each has a size of its own
            return [self._read([number], threads)[0] for number in numbers]
        return self._read(numbers, threads)

    def read_whole(self, numbers: Sequence[int], threads: int = 0) -> tuple[Any, Any]:
        """Images and labels of these samples, of one size, as one array each; None for no
        labels."""
        batch = self.data.read(numbers, image=self.image, label=self.label, threads=threads)
        return batch.image, batch.label

    def _read(self, numbers: Sequence[int], threads: int) -> list[Row]:
        batch = self.data.read(numbers, image=self.image, label=self.label, threads=threads)
        own = _copy if batch.batch_size > 1 else _same  # or one row would keep the arrays of all
        if batch.label is None:
            pairs = zip(batch.image, batch.indices)
            return [{"image": own(image), "index": index} for image, index in pairs]
        fields = zip(batch.image, batch.label, batch.indices)
        return [
            {"image": own(image), "label": own(label), "index": index}
            for image, label, index in fields
        ]


def _copy(field: Any) -> Any:
    return field.copy()


def _same(field: Any) -> Any:
    return field
