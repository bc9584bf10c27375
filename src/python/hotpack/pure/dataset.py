"""Data sets: one pack or several, read as one.

Thread-safety: several threads may use one Dataset. Processes: fork after opening is fine, and a
Dataset can be pickled.
"""

from __future__ import annotations

import operator
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from ..errors import UsageError, printable
from .packs import Pack, Place, check_joinable, open_place, read_manifest
from .sample import Sample
from .schema import Schema
from .shard import Shard, VerifyChecksums
from .statistics import Statistics, Sums, statistics_of
from .tables import read_sums
from .xxh3 import xxh3_128

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Weights = Literal["median", "inverse"]


@dataclass(frozen=True, slots=True)
class Class:
    """One class of a data set.

    color: R, G, B, or None. sources: what in the inputs became this class: ids, "#rrggbb", names.
    pixels: of the whole data set (samples, if labels are of whole images). samples: that hold it.
    """

    id: int
    name: str
    color: tuple[int, int, int] | None
    sources: tuple[int | str, ...]
    pixels: int
    samples: int


class Dataset(Sequence[Sample]):
    """The samples of one or more packs, in the order of packs, shards and records.

    `ds[3]`, `ds[-1]` and `ds["town/0001"]` are a Sample, `ds[10:20]` is a list of them. Raises
    IndexError, KeyError, and TypeError for other types; DamagedError and IoError when the shard of
    the sample is opened, which happens at its first use. `open` makes a Dataset.
    """

    def __init__(
        self, packs: Sequence[Pack], verify_checksums: VerifyChecksums = "first_read"
    ) -> None:
        if isinstance(packs, (str, bytes, os.PathLike)):
            raise UsageError(
                "hotpack.pure.open(folder) opens a data set; do not call hotpack.pure.Dataset"
            )
        self._packs = tuple(packs)
        self._verify = verify_checksums
        self._places: list[Place] = []
        first = 0
        for pack in packs:
            for row in pack.manifest.shards:
                self._places.append(Place(pack, row, first))
                first += row.records
        self._size = first
        self._firsts = [place.first for place in self._places]
        self._open: dict[int, Shard] = {}  # the least recently opened first
        self._most_open = _most_open_files()
        self._numbers: dict[str, int] | None = None  # of all keys
        self._statistics: Statistics | None = None

    # ---- samples

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: SupportsIndex | str) -> Sample: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sample]: ...
    def __getitem__(self, index: SupportsIndex | str | slice) -> Sample | list[Sample]:
        if isinstance(index, slice):
            return [self._sample(number) for number in range(*index.indices(self._size))]
        if isinstance(index, str):
            return self._sample(self._number_of(index))
        return self._sample(_checked_index(index, self._size))

    def __contains__(self, item: object) -> bool:
        if isinstance(item, str):
            return item in self._key_numbers()
        return isinstance(item, Sample) and item._dataset is self

    def __iter__(self) -> Iterator[Sample]:
        return (self._sample(number) for number in range(self._size))

    @property
    def keys(self) -> Keys:
        """The keys of all samples; `in` and `index` are fast after the first of them, which opens
        every shard."""
        return Keys(self)

    # ---- what all samples have in common

    @property
    def classes(self) -> tuple[Class, ...]:
        """The classes, by id; () for a data set without labels."""
        packs = [pack.manifest.statistics for pack in self._packs]
        pixels = zip(*(statistics.pixels for statistics in packs))
        samples = zip(*(statistics.samples for statistics in packs))
        rows = enumerate(zip(self._schema.classes, pixels, samples))
        return tuple(
            Class(number, info.name, info.color, info.sources, sum(in_packs), sum(holding))
            for number, (info, in_packs, holding) in rows
        )

    @property
    def num_classes(self) -> int:
        """The number of classes; 0 without labels."""
        return len(self._schema.classes)

    @property
    def class_names(self) -> tuple[str, ...]:
        """The names of the classes, by id."""
        return tuple(info.name for info in self._schema.classes)

    def class_weights(self, kind: Weights = "median") -> npt.NDArray[np.float32]:
        """Weights of the classes for a loss function, f32 [C]; NaN for a class without pixels.

        "inverse": Σ pixels / (C · pixels of the class). "median": median frequency balancing (Eigen
        and Fergus, 2015): the median of f divided by f, where f is the share of the class in the
        labeled pixels of the samples that hold it.
        """
        if kind not in ("median", "inverse"):
            raise UsageError(f"weights {kind!r} are neither 'median' nor 'inverse'")
        statistics = self.statistics
        return _float32(statistics.median if kind == "median" else statistics.inverse)

    @property
    def mean(self) -> npt.NDArray[np.float32]:
        """Per channel, of pixels in 0 … 1 without padding, f32 [c]; NaN without any pixel."""
        return _float32(self.statistics.mean)

    @property
    def std(self) -> npt.NDArray[np.float32]:
        """The standard deviation of the population, f32 [c]; NaN without any pixel."""
        return _float32(self.statistics.std)

    @property
    def ignored_pixels(self) -> int:
        """How many pixels of labels have no class."""
        return sum(pack.manifest.statistics.ignored for pack in self._packs)

    @property
    def statistics(self) -> Statistics:
        """The statistics of one pack are those of its manifest. Those of several are computed from
        the sums in all shards, so the first use opens every shard."""
        if self._statistics is None:
            self._statistics = self._joined_statistics()
        return self._statistics

    @property
    def image_shape(self) -> tuple[int, int, int] | None:
        """Height, width and channels of every image; None if sizes differ."""
        shapes = {pack.manifest.schema.geometry.size for pack in self._packs}
        size = shapes.pop() if len(shapes) == 1 else None
        return (size[1], size[0], self._schema.image.channels) if size else None

    @property
    def fingerprint(self) -> str:
        """Identifies schema and plan. Of several packs: the XXH3-128 of their fingerprints, each as
        its text and a zero byte (ORDER.md, section 7)."""
        texts = self._fingerprints()
        if len(texts) == 1:
            return texts[0]
        return xxh3_128(b"".join(text.encode() + b"\0" for text in texts))

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders, as they were given to `open`."""
        return tuple(pack.folder for pack in self._packs)

    def __repr__(self) -> str:
        shape = self.image_shape
        schema = self._schema
        size = f"{shape[1]}x{shape[0]} " if shape else "of their own sizes, "
        parts = [f"{self._size} samples", f"images {size}{schema.image.color}"]
        if schema.label:
            count = len(schema.classes)
            per = "pixel" if schema.label.kind == "pixel" else "image"
            parts.append(f"{count} {'class' if count == 1 else 'classes'} per {per}")
        else:
            parts.append("no labels")
        return f"<hotpack.pure.Dataset {', '.join(parts)}: {printable(', '.join(self.folders))}>"

    # ---- pickling

    def __reduce__(self) -> tuple[Any, ...]:
        folders = tuple(os.path.abspath(folder) for folder in self.folders)
        return _reopen, (folders, self._fingerprints(), self._verify)

    # ---- inside

    @property
    def _schema(self) -> Schema:
        return self._packs[0].manifest.schema

    def _fingerprints(self) -> tuple[str, ...]:
        return tuple(pack.manifest.fingerprint for pack in self._packs)

    def _sample(self, number: int) -> Sample:
        shard = bisect_right(self._firsts, number) - 1  # behind shards without records
        self._shard(shard)  # tells now what is wrong with it
        return Sample(self, number, shard, number - self._firsts[shard])

    def _shard(self, number: int) -> Shard:
        shard = self._open.get(number)
        if shard is None:
            shard = self._open[number] = open_place(self._places[number])
            for oldest in list(self._open)[: -self._most_open]:
                self._open.pop(oldest, None)
        return shard

    def _shards(self) -> Iterator[Shard]:
        return (self._shard(number) for number in range(len(self._places)))

    def _number_of(self, key: str) -> int:
        number = self._key_numbers().get(key)
        if number is None:
            raise KeyError(key)
        return number

    def _key_numbers(self) -> dict[str, int]:
        """The number of each key; of packs that share a key, the number in the first of them."""
        if self._numbers is None:
            numbers: dict[str, int] = {}
            for place, shard in zip(self._places, self._shards()):
                for number, key in enumerate(shard.keys(), place.first):
                    numbers.setdefault(key, number)
            self._numbers = numbers
        return self._numbers

    def _joined_statistics(self) -> Statistics:
        if len(self._packs) == 1:
            return self._packs[0].manifest.statistics
        schema = self._schema
        total = Sums.zero(schema.image.channels, schema.counted_classes)
        for shard in self._shards():
            total += read_sums(shard.file, shard.header)
        return statistics_of(total)


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
        if isinstance(index, slice):
            numbers = range(*index.indices(len(self)))
            return [self._dataset._sample(number).key for number in numbers]
        return self._dataset._sample(_checked_index(index, len(self))).key

    def __iter__(self) -> Iterator[str]:
        for shard in self._dataset._shards():
            yield from shard.keys()

    def __contains__(self, key: object) -> bool:
        return key in self._dataset._key_numbers()

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The number of the sample with this key. Raises ValueError if there is none."""
        number = self._dataset._key_numbers().get(value)
        first, last, _ = slice(start, stop).indices(len(self))
        if number is None or not first <= number < last:
            raise ValueError(f"no sample has the key {value!r}")
        return number

    def __repr__(self) -> str:
        return f"<{len(self)} keys of {self._dataset!r}>"


def open(*folders: Path, verify_checksums: VerifyChecksums = "first_read") -> Dataset:
    """Opens one or more packs as one data set: the samples of the first folder come first.

    verify_checksums: when to check the CRC-32C of a record: at its first read in this process,
    "always" or "never".

    Reads the manifests only. Raises UsageError if the packs differ in class names or colors, kind
    or storage of labels, `multi`, image layout or channels (sizes may differ); DamagedError for a
    folder that is not a pack, is unfinished or damaged; IoError for what cannot be read.
    """
    if not folders:
        raise UsageError("no folder was given; give at least one folder of a data set")
    if verify_checksums not in ("first_read", "always", "never"):
        raise UsageError(
            f"verify_checksums {verify_checksums!r} is none of first_read, always, never"
        )
    for folder in folders:
        if isinstance(folder, (list, tuple)):
            raise UsageError("a list is not a folder; give the folders one by one: open(a, b)")
    packs: list[Pack] = []
    for folder in map(os.fsdecode, folders):
        packs.append(Pack(folder, read_manifest(folder)))
        check_joinable(packs[0], packs[-1])
    return Dataset(packs, verify_checksums)


def _reopen(
    folders: tuple[str, ...], fingerprints: tuple[str, ...], verify: VerifyChecksums
) -> Dataset:
    """Opens a pickled data set again."""
    dataset = open(*folders, verify_checksums=verify)
    for pack, wanted in zip(dataset._packs, fingerprints):
        found = pack.manifest.fingerprint
        if found != wanted:
            raise UsageError(
                f"another pack lies there now: its fingerprint is {found}, that of the pickled "
                f"data set is {wanted}",
                path=pack.folder,
            )
    return dataset


def _most_open_files() -> int:
    """How many shards are mapped at once: Python keeps a file open for each mapping."""
    try:
        import resource
    except ImportError:  # Windows
        return 512
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return 4096
    return max(16, min(limit // 2, 4096))


def _checked_index(index: SupportsIndex, size: int) -> int:
    """0 … size − 1. Raises IndexError, and TypeError for what is no integer."""
    number = operator.index(index)
    if not -size <= number < size:
        raise IndexError(f"there is no sample {number}; the data set has {size}, counted from 0")
    return number % size


def _float32(values: tuple[float | None, ...]) -> npt.NDArray[np.float32]:
    return np.array([np.nan if value is None else value for value in values], np.float32)
