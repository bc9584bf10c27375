"""Data sets: one pack or several, read as one.

Thread-safety: several threads may use one Dataset. Processes: a Dataset may be used after a fork,
and can be pickled.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypeGuard, cast, overload

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import UsageError, printable
from .forms import Bits, Ids, Image, Label, Layout, OneHot, check_forms, view_of
from .option_table import VerifyChecksums
from .options import checked_names, checked_size, integer, word

if TYPE_CHECKING:
    from .batch import Batch

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Weights = Literal["median", "inverse"]
Numbers = Sequence[int] | npt.NDArray[Any]
Selection = slice | Numbers | list[str]  # bools are a mask, texts are keys


@dataclass(frozen=True, slots=True)
class Class:
    """One class of a data set.

    color: R, G, B, or None. sources: what in the inputs became this class: ids, "#rrggbb", names.
    pixels: of the whole packs (samples, if labels are of whole images). samples: that hold it.
    """

    id: int
    name: str
    color: tuple[int, int, int] | None
    sources: tuple[int | str, ...]
    pixels: int
    samples: int


class Sample:
    """One sample: an image and its label. Arrays of uncompressed packs are views of the file, and
    keep it mapped as long as they live. The first read of a record checks its CRC-32C. A page that
    cannot be read, because the file was cut or the disk fails, is an error, but a view that is used
    after its file was cut ends the process (SIGBUS).

    number: its place in the data set, from 0.
    """

    __slots__ = ("_core", "_dataset", "number")

    def __init__(self, dataset: Dataset, number: int) -> None:
        self._core = dataset._core.sample(number)
        self._dataset = dataset
        self.number = number

    @property
    def key(self) -> str:
        """The image's path within its input folder, without extension."""
        key: str = self._core.key
        return key

    @property
    def image(self) -> npt.NDArray[np.uint8]:
        """The image, u8 [H,W,c], c = 3 (R, G, B) or 1. Read-only: a view of the file (not
        contiguous if the pack stores channels first), or memory of its own if the pack is
        compressed. Raises DamagedError and IoError."""
        image: npt.NDArray[np.uint8] = self._core.image(self._dataset._verify)
        return image

    @property
    def label(self) -> npt.NDArray[Any]:
        """Class ids as `ids()` gives them: u8 [H,W] with 255 for ignored pixels, or u16 with 65535
        for more than 255 classes."""
        return self.ids()

    def ids(
        self, dtype: npt.DTypeLike | None = None, ignore_index: int | None = None
    ) -> npt.NDArray[Any]:
        """Class ids, [H,W], or [] for a label of the whole image, as `Ids` describes them. Raises
        UsageError without labels, with several classes per pixel, and for types and ids that do
        not fit."""
        return self._label(Ids(dtype, ignore_index))

    def one_hot(self, dtype: npt.DTypeLike = "uint8", layout: Layout = "NHWC") -> npt.NDArray[Any]:
        """1 where a pixel has a class: [H,W,C], or [C,H,W] with layout "NCHW"; [C] for a label of
        the whole image. dtype: uint8, float16, float32, or bfloat16 with the package ml_dtypes.
        Raises UsageError without labels."""
        return self._label(OneHot(dtype, layout))

    @property
    def label_bits(self) -> npt.NDArray[np.uint8]:
        """Class c is bit c mod 8 of byte ⌊c/8⌋: u8 [H,W,⌈C/8⌉], or [⌈C/8⌉] for a label of the whole
        image. Raises UsageError without labels."""
        return self._label(Bits())

    @property
    def source_size(self) -> tuple[int, int]:
        """Width and height of the source image."""
        size: tuple[int, int] = self._core.source_size
        return size

    @property
    def region(self) -> tuple[int, int, int, int]:
        """x, y, width and height of the part of the record to which the whole source is mapped; it
        may lie partly outside. A point u of the source lies at x + u · width / source width."""
        region: tuple[int, int, int, int] = self._core.region
        return region

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sample):
            return NotImplemented
        return self.number == other.number and self._dataset == other._dataset

    def __hash__(self) -> int:
        return hash((self._dataset, self.number))

    def __reduce__(self) -> tuple[Any, ...]:
        return operator.getitem, (self._dataset, self.number)

    def __repr__(self) -> str:
        height, width, channels = self._core.image_shape
        return f"<hotpack.Sample {self.number} {printable(self.key)!r} {width}x{height}x{channels}>"

    def _label(self, form: Label) -> npt.NDArray[Any]:
        view = view_of(form)
        label: npt.NDArray[Any] = self._core.label(form._spec(), self._dataset._verify)
        return label if view is None else label.view(view)


class Dataset(Sequence[Sample]):
    """The samples of one or more packs, in the order of packs, shards and records.

    `ds[3]`, `ds[-1]` and `ds["town/0001"]` are a Sample. `ds[10:20]`, `ds[[4, 1]]`, `ds[mask]` and
    `ds[["town/0001"]]` are a Dataset, as of `subset`. Raises IndexError, KeyError, and TypeError
    for other types; DamagedError and IoError when the shard of a sample is opened, which happens at
    its first use. `hotpack.open` makes a Dataset. Two are equal if they have the same folders,
    samples and fingerprint; that of a subset differs from that of the whole.
    """

    def __init__(
        self,
        core: Any,
        verify_checksums: VerifyChecksums = "first_read",
        numbers: npt.NDArray[np.int64] | None = None,
    ) -> None:
        if not isinstance(core, _core.Dataset):
            raise UsageError("hotpack.open(folder) opens a data set; do not call hotpack.Dataset")
        self._core = core
        self._verify = verify_checksums
        self._numbers = numbers  # of a subset, in the whole
        self._size = len(core)
        self._facts: dict[str, Any] | None = None

    # ---- samples

    def __len__(self) -> int:
        return self._size

    @overload  # an array may have __index__, too
    def __getitem__(  # type: ignore[overload-overlap]
        self, index: SupportsIndex | str
    ) -> Sample: ...
    @overload
    def __getitem__(self, index: Selection) -> Dataset: ...
    def __getitem__(self, index: SupportsIndex | str | Selection) -> Sample | Dataset:
        if isinstance(index, str):
            return Sample(self, self._find(index))
        if _is_selection(index):
            return self.subset(index)
        if isinstance(index, (bool, tuple)):
            raise TypeError(f"an index is a number, a key, a slice or a list, not {index!r}")
        return Sample(self, _checked_index(cast(SupportsIndex, index), self._size))

    def __contains__(self, item: object) -> bool:
        if isinstance(item, str):
            return self._core.find(item) is not None
        return isinstance(item, Sample) and item._dataset == self

    def __iter__(self) -> Iterator[Sample]:
        return (Sample(self, number) for number in range(self._size))

    @property
    def keys(self) -> Keys:
        """The keys of all samples; `in` and `index` are fast after the first of them, which opens
        every shard."""
        return Keys(self)

    @checked_names
    def read(
        self,
        indices: Numbers,
        *,
        image: Image = Image(),
        label: Label | None = None,
        pad_to: tuple[int, int] | None = None,
        out: tuple[npt.NDArray[Any], npt.NDArray[Any] | None] | None = None,
        threads: int = 0,
    ) -> Batch:
        """Reads these samples, in this order, with threads of the library.

        indices: numbers 0 … len − 1, also several times the same. image, label: the forms; by
        default the stored bytes and class ids. pad_to: width and height to which records of
        different sizes are padded on the right and at the bottom. out: the arrays to fill instead
        of new ones, contiguous and of exactly the batch's bytes. threads: 0 means one a core, at
        most 8. Raises IndexError, UsageError, DamagedError and IoError.
        """
        from .batch import Batch, Rows

        numbers = _checked_numbers(indices, self._size)
        check_forms(image, label)
        form = None if label is None else label._spec()
        size = None if pad_to is None else checked_size("pad_to", pad_to)
        images, labels = out or (None, None)
        image_array, label_array, keys, crops = self._core.read(
            numbers,
            image._spec(),
            form,
            size,
            integer("threads", threads),
            self._verify,
            images,
            labels,
        )
        rows = Rows(0, 0, len(numbers), numbers, keys, crops)
        batch: Batch = Batch._of(
            Batch._made(image_array, view_of(image)),
            None if label_array is None else Batch._made(label_array, view_of(label)),
            rows,
        )
        return batch

    def subset(self, indices: Selection) -> Dataset:
        """The data set of these samples, in this order: numbers 0 … len − 1 or keys, also several
        times the same; a slice; or a mask of bools, one a sample. Its samples count from 0. Classes
        and statistics stay those of the whole packs. Raises IndexError, KeyError, and UsageError
        for a mask of another length."""
        if isinstance(indices, slice) and range(self._size)[indices] == range(self._size):
            return self
        numbers = _checked_numbers(self._numbers_of(indices), self._size)
        whole = numbers if self._numbers is None else self._numbers[numbers]
        return Dataset(self._core.subset(numbers), self._verify, whole)

    # ---- what all samples have in common

    @property
    def classes(self) -> tuple[Class, ...]:
        """The classes, by id; () for a data set without labels."""
        rows = zip(self._core.classes, self._statistics["pixels"], self._statistics["samples"])
        return tuple(
            Class(number, name, color, sources, pixels, samples)
            for number, ((name, color, sources), pixels, samples) in enumerate(rows)
        )

    @property
    def num_classes(self) -> int:
        """The number of classes; 0 without labels."""
        return len(self._core.classes)

    @property
    def class_names(self) -> tuple[str, ...]:
        """The names of the classes, by id."""
        return tuple(name for name, _, _ in self._core.classes)

    def class_weights(self, kind: Weights = "median") -> npt.NDArray[np.float32]:
        """Weights of the classes for a loss function, f32 [C]; NaN for a class without pixels.

        "inverse": Σ pixels / (C · pixels of the class). "median": median frequency balancing (Eigen
        and Fergus, 2015): the median of f divided by f, where f is the share of the class in the
        labeled pixels of the samples that hold it.
        """
        if kind not in ("median", "inverse"):
            raise UsageError(f"weights {kind!r} are neither 'median' nor 'inverse'", option="kind")
        return _float32(self._statistics[kind])

    @property
    def mean(self) -> npt.NDArray[np.float32]:
        """Per channel, of pixels in 0 … 1 without padding, f32 [c]; NaN without any pixel."""
        return _float32(self._statistics["mean"])

    @property
    def std(self) -> npt.NDArray[np.float32]:
        """The standard deviation of the population, f32 [c]; NaN without any pixel."""
        return _float32(self._statistics["std"])

    @property
    def ignored_pixels(self) -> int:
        """How many pixels of labels have no class."""
        ignored: int = self._statistics["ignored"]
        return ignored

    @property
    def image_shape(self) -> tuple[int, int, int] | None:
        """Height, width and channels of every image; None if sizes differ."""
        shape: tuple[int, int, int] | None = self._core.image_shape
        return shape

    @property
    def fingerprint(self) -> str:
        """Identifies samples and order (ORDER.md, section 7)."""
        fingerprint: str = self._core.fingerprint
        return fingerprint

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders, as absolute paths, so that the program may change its own folder."""
        return tuple(self._core.folders)

    # ---- for people

    def show(self, count: int = 12, columns: int = 4) -> Any:
        """Draws the first `count` samples with matplotlib, labels over their images, and returns
        the figure. Raises UsageError if matplotlib is not installed."""
        from .show import draw

        return draw(self, count, columns)

    def __repr__(self) -> str:
        shape, label = self.image_shape, self._core.label
        size = f"{shape[1]}x{shape[0]} " if shape else "of their own sizes, "
        parts = [
            f"{self._size} samples",
            f"images {size}{'rgb' if self._core.channels == 3 else 'gray'}",
        ]
        if label:
            count = len(self._core.classes)
            parts.append(f"{count} {'class' if count == 1 else 'classes'} per {label[0]}")
        else:
            parts.append("no labels")
        return f"<hotpack.Dataset {', '.join(parts)}: {printable(', '.join(self.folders))}>"

    def _repr_html_(self) -> str:
        from .html import contact_sheet

        return contact_sheet(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        return self is other or (
            self.fingerprint == other.fingerprint
            and self.folders == other.folders
            and np.array_equal(self._whole_numbers(), other._whole_numbers())
        )

    def __hash__(self) -> int:
        return hash((self.fingerprint, self.folders))

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (self.folders, self.fingerprint, self._verify, self._numbers)

    def _find(self, key: str) -> int:
        number: int | None = self._core.find(key)
        if number is None:
            raise KeyError(key)
        return number

    def _numbers_of(self, indices: Selection) -> npt.NDArray[Any]:
        """Numbers from numbers, a slice, a mask or keys."""
        if isinstance(indices, slice):
            return np.arange(*indices.indices(self._size), dtype=np.int64)
        array = np.asarray(indices)
        if array.ndim == 1 and array.size and isinstance(array[0], str):
            keys = list(indices)
            if not all(isinstance(key, str) for key in keys):
                raise TypeError("indices must be keys or numbers, not both")
            return np.array([self._find(str(key)) for key in keys], np.int64)
        return _of_mask(array, self._size)

    def _whole_numbers(self) -> npt.NDArray[np.int64]:
        """The numbers of the samples in the packs."""
        return np.arange(self._size) if self._numbers is None else self._numbers

    @property
    def _statistics(self) -> dict[str, Any]:
        if self._facts is None:
            self._facts = self._core.statistics()
        return self._facts


class Keys(Sequence[str]):
    """The keys of a data set, read as they are asked for."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    def __len__(self) -> int:
        return len(self._dataset)

    @overload
    def __getitem__(self, index: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> str | list[str]:
        core = self._dataset._core
        if isinstance(index, slice):
            numbers = range(*index.indices(len(self)))
            if numbers.step == 1:
                keys: list[str] = core.keys(numbers.start, len(numbers))
                return keys
            return [core.keys(number, 1)[0] for number in numbers]
        key: str = core.keys(_checked_index(index, len(self)), 1)[0]
        return key

    def __iter__(self) -> Iterator[str]:
        at_once = 1 << 14
        for first in range(0, len(self), at_once):
            yield from self[first : first + at_once]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._dataset._core.find(key) is not None

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The number of the sample with this key. Raises ValueError if there is none."""
        number: int | None = self._dataset._core.find(value) if isinstance(value, str) else None
        first, last, _ = slice(start, stop).indices(len(self))
        if number is None or not first <= number < last:
            raise ValueError(f"no sample has the key {value!r}")
        return number

    def __repr__(self) -> str:
        return f"<{len(self)} keys of {self._dataset!r}>"


def open(*folders: Path, verify_checksums: VerifyChecksums = "first_read") -> Dataset:
    """Opens one or more packs as one data set: the samples of the first folder come first.

    verify_checksums: when to check the CRC-32C of a record: at the "first_read" in this process,
    "always" or "never".

    Reads the manifests only. Raises UsageError if the packs differ in class names or colors, kind
    or storage of labels, image layout or channels (sizes may differ); DamagedError for a folder
    that is not a pack, is unfinished or damaged; IoError for what cannot be read.
    """
    word("verify_checksums", verify_checksums)
    for folder in folders:
        if isinstance(folder, (list, tuple)):
            raise UsageError("a list is not a folder; give the folders one by one: open(a, b)")
    names = [os.fsencode(folder) for folder in folders]
    for name in names:
        if b"\0" in name:
            raise UsageError("is not a path: it holds a zero byte", path=os.fsdecode(name))
    return Dataset(_core.open([os.path.abspath(name) for name in names]), verify_checksums)


def _reopen(
    folders: tuple[str, ...],
    fingerprint: str,
    verify_checksums: VerifyChecksums,
    numbers: npt.NDArray[np.int64] | None,
) -> Dataset:
    """Opens a pickled data set again."""
    dataset = open(*folders, verify_checksums=verify_checksums)
    if numbers is not None:
        dataset = (
            dataset.subset(numbers) if len(dataset) > int(numbers.max(initial=-1)) else dataset
        )
    if dataset.fingerprint != fingerprint:
        raise UsageError(
            f"another pack lies there now: its fingerprint is {dataset.fingerprint}, that of the "
            f"pickled data set is {fingerprint}",
            path=folders[0],
        )
    return dataset


def _checked_index(index: SupportsIndex, size: int) -> int:
    """0 … size − 1. Raises IndexError, and TypeError for what is no integer."""
    number = operator.index(index)
    if not -size <= number < size:
        raise IndexError(f"there is no sample {number}; the data set has {size}, counted from 0")
    return number % size


def _is_selection(index: Any) -> TypeGuard[Selection]:
    """Says if an index is of several samples."""
    if isinstance(index, (slice, list, range, Keys)):
        return True
    return getattr(index, "ndim", 0) == 1  # arrays, tensors and series


def _of_mask(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    if array.dtype != np.bool_:
        return array
    if array.shape != (size,):
        raise UsageError(
            f"a mask of shape {array.shape} does not fit {size} samples", option="indices"
        )
    return np.flatnonzero(array)


def _checked_numbers(indices: Numbers, size: int) -> npt.NDArray[np.int64]:
    """The numbers as a contiguous array, i64 [N], counted from the end where they are negative."""
    array = np.asarray(indices)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise TypeError("indices must be integers in one dimension")
    numbers = np.ascontiguousarray(array, np.int64)
    outside = (numbers < -size) | (numbers >= size)
    if outside.any():
        number = int(numbers[outside][0])
        raise IndexError(f"there is no sample {number}; the data set has {size}, counted from 0")
    return np.where(numbers < 0, numbers + size, numbers) if (numbers < 0).any() else numbers


def _float32(values: list[float | None]) -> npt.NDArray[np.float32]:
    return np.array([np.nan if value is None else value for value in values], np.float32)
