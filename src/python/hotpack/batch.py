"""One batch of samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class Batch:
    """Images and labels of one step, as NumPy arrays; `x, y = batch` gives both.

    Memory: a batch of a Loader shares one of its slots with the arrays taken from it. The slot is
    refilled when batch and arrays are all gone, so nothing that you hold is overwritten. Arrays may
    be written to.
    """

    __slots__ = ("_core", "_image", "_image_view", "_label", "_label_view")

    def __init__(
        self,
        core: Any,
        image_view: np.dtype[Any] | None = None,
        label_view: np.dtype[Any] | None = None,
    ) -> None:
        self._core = core
        self._image_view = image_view
        self._label_view = label_view
        self._image: Any = None
        self._label: Any = None

    @property
    def image(self) -> Array:
        """[N,H,W,c], or [N,c,H,W] with layout "NCHW"."""
        if self._image is None:
            array = self._core.image()
            self._image = array if self._image_view is None else array.view(self._image_view)
        image: Array = self._image
        return image

    @property
    def label(self) -> Array | None:
        """Class ids [N,H,W], one-hot elements [N,H,W,C] or [N,C,H,W], or bits [N,H,W,⌈C/8⌉];
        without H and W for labels of whole images; None without labels."""
        if self._label is None:
            array = self._core.label()
            view = self._label_view
            self._label = array if view is None or array is None else array.view(view)
        label: Array | None = self._label
        return label

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
        boxes: npt.NDArray[np.int32] = self._core.boxes()
        return boxes

    @property
    def valid(self) -> int:
        """How many rows hold a sample; they come first. Fewer than N with tail="pad" alone."""
        valid: int = self._core.valid
        return valid

    @property
    def epoch(self) -> int:
        epoch: int = self._core.epoch
        return epoch

    @property
    def step(self) -> int:
        """The step within the epoch, from 0."""
        step: int = self._core.step
        return step

    def release(self) -> None:
        """Drops this batch's share of the slot. Arrays that were taken from it stay valid."""
        self._image = self._label = None
        self._core.release()

    def __iter__(self) -> Iterator[Any]:
        return iter((self.image, self.label))

    def __len__(self) -> int:
        """The number of rows."""
        rows: int = self._core.rows
        return rows

    def __repr__(self) -> str:
        place = f"step {self.step} of epoch {self.epoch}"
        return f"<{type(self).__module__}.Batch {place}, {self.valid} samples>"


class ReadRows:
    """What Dataset.read() has read, as a Batch asks for it."""

    epoch = step = 0

    def __init__(
        self, numbers: npt.NDArray[np.int64], image: Array, label: Array | None, keys: list[str]
    ) -> None:
        self._numbers = numbers
        self._image: Array | None = image
        self._label = label
        self._keys = keys
        self.rows = self.valid = len(numbers)

    def image(self) -> Array | None:
        return self._image

    def label(self) -> Array | None:
        return self._label

    def index(self) -> npt.NDArray[np.int64]:
        return self._numbers.copy()

    def keys(self) -> list[str]:
        return self._keys

    def boxes(self) -> npt.NDArray[np.int32]:
        """Whole records: nothing is augmented."""
        assert self._image is not None
        boxes = np.zeros((self.rows, 6), np.int32)
        return boxes

    def release(self) -> None:
        self._image = self._label = None
