"""One batch of samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from .errors import UsageError

Array = npt.NDArray[Any]
Field = TypeVar("Field")
RELEASED = "the batch was released; take what you need before release()"


class BatchOf(Generic[Field]):
    """Images and labels of one step, in a framework's own kind of array; `x, y = batch` gives both.

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
        self._core = core
        self._rows: int | None = None  # known after release() alone
        self._image_view = image_view
        self._label_view = label_view
        self._image: Field | None = None
        self._label: Field | None = None

    @staticmethod
    def _made(array: Array, view: np.dtype[Any] | None) -> Field:
        """The framework's array over a NumPy array, which it keeps alive. view: the type as which
        the array must be viewed, or None."""
        raise NotImplementedError

    @property
    def image(self) -> Field:
        """[N,H,W,c], or [N,c,H,W] with layout "NCHW"."""
        if self._image is None:
            self._image = self._made(self._core.image(), self._image_view)
        return self._image

    @property
    def label(self) -> Field | None:
        """Class ids [N,H,W], one-hot elements [N,H,W,C] or [N,C,H,W], or bits [N,H,W,⌈C/8⌉];
        without H and W for labels of whole images; None without labels."""
        if self._label is None:
            array = self._core.label()
            if array is not None:
                self._label = self._made(array, self._label_view)
        return self._label

    @property
    def index(self) -> npt.NDArray[np.int64]:
        """The number of each row's sample in the data set, i64 [N]; −1 for an empty row."""
        index: npt.NDArray[np.int64] = self._core.index()
        return index

    @property
    def keys(self) -> list[str]:
        """The key of each row's sample; "" for an empty row."""
        keys: list[str] = self._core.keys()
        return keys

    @property
    def boxes(self) -> npt.NDArray[np.int32]:
        """The window that augmentation chose for each row, and what it flipped, i32 [N,6]: x, y,
        width, height, horizontally, vertically; without augmentation the whole record."""
        boxes: npt.NDArray[np.int32] = self._core.crops()
        return boxes

    @property
    def valid(self) -> int:
        """The number of rows that hold a sample; they come first. It is less than N only with
        last_batch="pad": the rows that follow are empty, and belong in no loss and no average."""
        valid: int = self._core.num_valid
        return valid

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

    def _samples(self) -> tuple[Any, Any]:
        """Images and labels without empty rows."""
        image: Any = self.image
        label: Any = self.label
        valid = self.num_valid
        if valid == len(self):
            return image, label
        return image[:valid], None if label is None else label[:valid]

    def release(self) -> None:
        """Drops this batch's share of the slot. Arrays that were taken from it stay valid, and so
        does len(batch); all else raises UsageError from now on."""
        self._rows = len(self)
        self._image = self._label = None
        self._core.release()

    def __iter__(self) -> Iterator[Any]:
        return iter((self.image, self.label))

    def __len__(self) -> int:
        """The number of rows, also after `release`."""
        if self._rows is not None:
            return self._rows
        rows: int = self._core.rows
        return rows

    def __repr__(self) -> str:
        name = type(self).__module__.removesuffix(".batch")
        if self._rows is not None:
            return f"<{name}.Batch released>"
        place = f"step {self.step} of epoch {self.epoch}"
        return f"<{name}.Batch {place}, {self.num_valid} samples>"


class Batch(BatchOf[Array]):
    """A batch whose images and labels are NumPy arrays; else as `BatchOf`: it shares a slot of its
    Loader with them, and the slot is refilled when all are gone."""

    __slots__ = ()

    @staticmethod
    def _made(array: Array, view: np.dtype[Any] | None) -> Array:
        return array if view is None else array.view(view)


class ReadRows:
    """What Dataset.read() has read, as a batch asks for it; the arrays are its own."""

    epoch = step = 0

    def __init__(
        self,
        numbers: npt.NDArray[np.int64],
        image: Array,
        label: Array | None,
        keys: list[str],
        boxes: npt.NDArray[np.int32],
    ) -> None:
        self.rows = self.num_valid = len(numbers)
        self._arrays: tuple[Array, Array | None] | None = (image, label)
        self._numbers, self._keys, self._boxes = numbers, keys, boxes

    def image(self) -> Array:
        """Raises UsageError after `release`."""
        return self._held()[0]

    def label(self) -> Array | None:
        """None without labels. Raises UsageError after `release`."""
        return self._held()[1]

    def index(self) -> npt.NDArray[np.int64]:
        """The numbers that were asked for."""
        return self._numbers

    def keys(self) -> list[str]:
        """The keys of these samples."""
        return self._keys

    def boxes(self) -> npt.NDArray[np.int32]:
        """The whole records: nothing was augmented."""
        return self._boxes

    def release(self) -> None:
        """Drops the arrays."""
        self._arrays = None

    def _held(self) -> tuple[Array, Array | None]:
        if self._arrays is None:
            raise UsageError(RELEASED)
        return self._arrays
