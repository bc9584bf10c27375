"""Data sets of Hugging Face `datasets`.

    ds = hotpack.datasets.iterable("packed/train")  # a datasets.IterableDataset
    for row in ds.shuffle(seed=7, buffer_size=256):  # {"image": u8 [H,W,c], "label": …, "index"}
        ...

Rows are arrays of NumPy; with_format("torch") gives tensors, of i64, as it makes of all integers.
For training `hotpack.torch.Loader` is faster. This is for programs that are built on `datasets`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import datasets

from .dataset import Dataset, Path, open
from .errors import UsageError
from .forms import Ids, Image, Label, OneHot
from .rows import Row, Rows

__all__ = ["features", "iterable", "samples", "shards"]


def __dir__() -> list[str]:
    return __all__


_ROWS_AT_ONCE = 16
Shard = tuple[Dataset, int, int]  # the samples from a first one to before a last one


def iterable(data: Dataset | Path, num_shards: int = 64) -> datasets.IterableDataset:
    """The samples in the order of the pack, with features: rows of "image", u8 [H,W,c], "label" and
    "index". num_shards: in how many parts workers and nodes may divide it. Raises DamagedError and
    IoError while rows are read."""
    data = _opened(data)
    made: datasets.IterableDataset = datasets.IterableDataset.from_generator(
        samples, features=features(data), gen_kwargs={"shards": shards(data, num_shards)}
    )
    return made


def samples(shards: Sequence[Shard]) -> Iterator[Row]:
    """The rows of these shards: a generator for `from_generator(…, gen_kwargs={"shards": …})`."""
    for data, begin, end in shards:
        rows = Rows(data, Image(), _label(data))
        for first in range(begin, end, _ROWS_AT_ONCE):
            yield from rows.read(range(first, min(first + _ROWS_AT_ONCE, end)))


def shards(data: Dataset | Path, count: int) -> list[Shard]:
    """Divides a data set into `count` parts of almost equal size, but never into empty ones."""
    if count < 1:
        raise UsageError(f"a data set cannot have {count} shards; give 1 or more", option="count")
    data = _opened(data)
    count = min(count, len(data))
    ends = [len(data) * number // count for number in range(count + 1)]
    return [(data, begin, end) for begin, end in zip(ends, ends[1:])]


def features(data: Dataset | Path) -> datasets.Features:
    """The types of the rows. Samples of one size are arrays; those of different sizes have the
    type Image, which `datasets` keeps as PNG. A label of a whole image is a ClassLabel, or one
    number per class if an image may have several."""
    data = _opened(data)
    types = {"image": _image_feature(data), "index": datasets.Value("int64")}
    if data._core.label is not None:
        types["label"] = _label_feature(data)
    return datasets.Features(types)


def _opened(data: Dataset | Path) -> Dataset:
    return data if isinstance(data, Dataset) else open(data)


def _image_feature(data: Dataset) -> Any:
    shape = data.image_shape
    return datasets.Image() if shape is None else datasets.Array3D(shape, "uint8")


def _label(data: Dataset) -> Label | None:
    """The form of labels in rows."""
    if data._core.label is None:
        return None
    scope, _, multi = data._core.label
    if multi:
        return OneHot("uint8")
    return Ids("int64", ignore_index=-1) if scope == "image" else Ids()


def _label_feature(data: Dataset) -> Any:
    scope, _, multi = data._core.label
    count, shape = len(data._core.classes), data.image_shape
    if scope == "image":
        if multi:
            return datasets.Sequence(datasets.Value("uint8"), length=count)
        return datasets.ClassLabel(names=[name for name, _, _ in data._core.classes])
    dtype = "uint8" if multi or count <= 255 else "uint16"
    if shape is not None:
        height, width, _ = shape
        if multi:
            return datasets.Array3D((height, width, count), dtype)
        return datasets.Array2D((height, width), dtype)
    if multi:
        raise UsageError(
            "`datasets` has no type for labels with several classes per pixel and of different "
            "sizes; pack the data set with --size",
            option="data",
        )
    return datasets.Image()
