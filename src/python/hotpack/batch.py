"""One batch of samples."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any, SupportsIndex, TypeVar, overload

import numpy as np
import numpy.typing as npt

from .errors import UsageError

Array = npt.NDArray[Any]
Field = TypeVar("Field")


class BatchOf(Sequence[Field]):
    """Images and labels of one step, in a framework's own kind of array.

    A batch is a sequence of two: `x, y = batch`, `batch[0]` and `batch["image"]`. It can be
    pickled and deep-copied, and then has memory of its own. A batch that a framework makes of a
    pair, as when it converts types, has no indices, keys and crops.

    Memory: a batch of a Loader shares one of its slots with the arrays taken from it. The slot is
    refilled when batch and arrays are all gone, so nothing that you hold is overwritten. Arrays may
    be written to.
    """

    __slots__ = ("_core", "_image", "_image_view", "_label", "_label_view", "_rows")

    def __init__(
        self,
        core: Any,
        image_view: np.dtype[Any] | None = None,
        label_view: np.dtype[Any] | None = None,
    ) -> None:
        self._rows: int | None = None  # set by release()
        self._image_view = image_view
        self._label_view = label_view
        self._image: Any = None
        self._label: Any = None
        if isinstance(core, (list, tuple)):  # from frameworks, which rebuild a sequence so
            self._image, self._label = core
            core = Rows.unknown(len(self._image))
        self._core = core

    @classmethod
    def _of(cls, image: Any, label: Any, rows: Rows) -> Any:
        """Makes a batch of arrays that belong to it."""
        batch = cls(rows)
        batch._image, batch._label = image, label
        return batch

    @staticmethod
    def _made(array: Array, view: np.dtype[Any] | None) -> Any:
        """Returns the framework's array over a NumPy array, which it keeps alive. view: the type as
        which the array must be viewed, or None."""
        raise NotImplementedError

    # <api: batch fields>
    @property
    def image(self) -> Field:
        """Images [N,H,W,c], or [N,c,H,W] with "NCHW"; c is 3 (R, G, B) or 1."""
        image: Field = self._image_array()
        return image

    @property
    def label(self) -> Field:
        """Class ids [N,H,W], one-hot elements [N,H,W,C] or [N,C,H,W], or bits [N,H,W,⌈C/8⌉];
        without H and W for labels of whole images. None without labels."""
        label: Field = self._label_array()
        return label

    @property
    def epoch(self) -> int:
        """The epoch, from 0."""
        epoch: int = self._core.epoch
        return epoch

    @property
    def step(self) -> int:
        """The step within the epoch, from 0."""
        step: int = self._core.step
        return step

    @property
    def batch_size(self) -> int:
        """Rows of this batch: those of this rank. With "keep", the last batch of an epoch may have
        fewer than the others."""
        if self._rows is not None:
            return self._rows
        batch_size: int = self._core.batch_size
        return batch_size

    @property
    def num_valid(self) -> int:
        """Rows with a sample, which come first. Less than `batch_size` only with "pad": the rows
        that follow are empty, and belong in no loss and no average."""
        num_valid: int = self._core.num_valid
        return num_valid

    @property
    def indices(self) -> npt.NDArray[np.int64]:
        """The number of each row's sample in the data set, i64 [N]; −1 for an empty row."""
        indices: npt.NDArray[np.int64] = self._core.indices
        return indices

    @property
    def keys(self) -> list[str]:
        """The key of each row's sample; an empty text for an empty row."""
        keys: list[str] = self._core.keys
        return keys

    @property
    def crops(self) -> npt.NDArray[np.int32]:
        """The window that augmentation chose for each row, in pixels of the record, and the flips
        after it: x, y, width, height, horizontal, vertical (in Python i32 [N,6]); without
        augmentation the whole record."""
        crops: npt.NDArray[np.int32] = self._core.crops
        return crops
    # </api>

    def _image_array(self) -> Any:
        if self._image is None:
            self._image = self._made(self._core.image(), self._image_view)
        return self._image

    def _label_array(self) -> Any:
        if self._label is None:
            array = self._core.label()
            if array is not None:
                self._label = self._made(array, self._label_view)
        return self._label

    def _own_rows(self) -> Rows:
        """Copies what the batch says of its rows, for a batch that outlives this one."""
        return Rows(
            self.epoch, self.step, self.num_valid, self.indices, list(self.keys), self.crops
        )

    def release(self) -> None:
        """Drops this batch's share of the slot. Arrays that were taken from it stay valid, and so
        does `batch_size`; all else raises UsageError from now on."""
        self._rows = self.batch_size
        self._image = self._label = None
        self._core.release()

    @overload
    def __getitem__(self, index: int | str) -> Field: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Field]: ...
    def __getitem__(self, index: int | str | slice) -> Field | Sequence[Field]:
        """The image for 0 and "image", the label for 1 and "label"."""
        if isinstance(index, str):
            if index not in ("image", "label"):
                raise KeyError(f"a batch has image and label, not {index}")
            index = ("image", "label").index(index)
        if isinstance(index, slice):
            return (self.image, self.label)[index]
        if not isinstance(index, SupportsIndex) or getattr(index, "ndim", 0) != 0:
            raise TypeError(f'a batch has [0], [1], ["image"] and ["label"], not [{index!r}]')
        number = operator.index(index)
        if number in (0, -2):
            return self.image
        if number in (1, -1):
            return self.label
        raise IndexError(f"a batch is image and label, [0] and [1]; there is no [{number}]")

    def __iter__(self) -> Iterator[Field]:
        return iter((self.image, self.label))

    def __len__(self) -> int:
        """2: image and label. `batch_size` is the number of rows."""
        return 2

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.image, self.label, self._own_rows())

    def __repr__(self) -> str:
        name = type(self).__module__.removesuffix(".batch")
        if self._rows is not None:
            return f"<{name}.Batch released>"
        place = f"step {self.step} of epoch {self.epoch}"
        return f"<{name}.Batch {place}, {self.num_valid} samples>"


def _restored(kind: type[BatchOf[Any]], image: Any, label: Any, rows: Rows) -> Any:
    return kind._of(image, label, rows)


class Batch(BatchOf[Array]):
    """A batch whose images and labels are NumPy arrays; else as `BatchOf`: it shares a slot of its
    Loader with them, and the slot is refilled when all are gone."""

    __slots__ = ()

    @staticmethod
    def _made(array: Array, view: np.dtype[Any] | None) -> Array:
        return array if view is None else array.view(view)


class Rows:
    """Describes the rows of a batch with arrays of its own: of `Dataset.read`, of a copy, and of a
    batch that was moved to a device."""

    __slots__ = ("_facts",)

    def __init__(
        self,
        epoch: int,
        step: int,
        num_valid: int,
        indices: npt.NDArray[np.int64],
        keys: list[str],
        crops: npt.NDArray[np.int32],
    ) -> None:
        self._facts: dict[str, Any] | None = {
            "epoch": epoch,
            "step": step,
            "batch_size": len(indices),
            "num_valid": num_valid,
            "indices": indices,
            "keys": keys,
            "crops": crops,
        }

    @classmethod
    def unknown(cls, count: int) -> Rows:
        """Makes rows without indices, keys and crops."""
        indices, crops = np.full(count, -1, np.int64), np.zeros((count, 6), np.int32)
        return cls(0, 0, count, indices, [""] * count, crops)

    def __getattr__(self, name: str) -> Any:
        if name not in _FACTS:
            raise AttributeError(name)
        if self._facts is None:
            raise UsageError("the batch was released; take what you need before release()")
        fact = self._facts.get(name)
        return fact

    def image(self) -> None:
        """Raises UsageError: a batch asks only after `release`."""
        _ = self.epoch

    def label(self) -> None:
        """Returns None, for a batch without labels. Raises UsageError after `release`."""
        _ = self.epoch

    def release(self) -> None:
        """Drops the facts."""
        self._facts = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, name) for name in _FACTS if name != "batch_size")

    def __repr__(self) -> str:
        name = type(self).__name__
        if self._facts is None:
            return f"<hotpack.{name} released>"
        return f"<hotpack.{name} step {self.step} of epoch {self.epoch}, {self.num_valid} samples>"


_FACTS = ("epoch", "step", "batch_size", "num_valid", "indices", "keys", "crops")
