"""Tensors of PyTorch.

    for x, y in hotpack.torch.Loader(ds, 32, seed=7):  # f32 [N,c,H,W] and i64 [N,H,W]
        loss_fn(model(x), y).backward()

Tensors share the memory of a batch, which is not overwritten as long as one of them lives.
`Samples` and `Batches` are for programs that want torch's own DataLoader.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import torch

from .batch import RELEASED, BatchOf
from .dataset import Dataset, Path
from .device import ordinal_of
from .distributed import place_of
from .errors import PerformanceWarning, UsageError
from .forms import Ids, Image, Label
from .loader import LoaderOf, Options
from .rows import Row, Rows

__all__ = ["Batch", "Batches", "Loader", "Samples"]

_IMAGE = Image("float32", "NCHW")
_LABEL = Ids("int64", ignore=-100)


class Batch(BatchOf[torch.Tensor]):
    """A batch whose images and labels are tensors in host memory; else as `hotpack.Batch`."""

    __slots__ = ()

    @staticmethod
    def _made(array: Any, view: np.dtype[Any] | None) -> torch.Tensor:
        if isinstance(array, torch.Tensor):  # on a device
            return array
        if view is None:
            return torch.from_numpy(array)
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)

    def to(
        self, device: Any, non_blocking: bool = False
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Images and labels on a device, as `Tensor.to` copies them."""
        image, label = self.image, self.label
        return (
            image.to(device, non_blocking=non_blocking),
            None if label is None else label.to(device, non_blocking=non_blocking),
        )


class Loader(LoaderOf[Batch]):
    """As `hotpack.Loader`, with tensors. By default images are f32 [N,c,H,W] in 0 … 1 and labels
    i64 [N,H,W] with −100 for ignored pixels, as torch's losses want them.

    device: "cuda", "cuda:1" or a torch.device makes it as `hotpack.DeviceLoader`, but with tensors
    in torch's own memory, written on the current stream of that device; nothing needs to be
    released. Without it batches are in host memory.

    Plain torch and Lightning take it in place of a DataLoader, with exact resume in the middle of
    an epoch: Lightning keeps `state_dict` in its checkpoints by itself. With Accelerate do not
    `prepare` it. rank and world come from torch.distributed.
    """

    _batch_class = Batch
    _default_label = _LABEL
    _lends_outputs = False

    def __init__(
        self,
        data: Dataset | Path,
        batch_size: int | None = None,
        *,
        image: Image = _IMAGE,
        label: Label | None = _LABEL,
        slots: int = 4,
        device: int | str | torch.device | None = None,
        **options: Unpack[Options],
    ) -> None:
        on = _ordinal(device)
        super().__init__(
            data, batch_size, image=image, label=label, slots=slots, device=on, **options
        )

    def _take(self) -> Any:
        if self.device is None:
            return super()._take()
        image_bytes, label_bytes = self._core.bytes()
        image, label = _memory(image_bytes, self.device), _memory(label_bytes, self.device)
        rows = self._core.next_into(
            image.data_ptr() if image_bytes else 0,
            image_bytes,
            label.data_ptr() if label_bytes else 0,
            label_bytes,
            self._timeout,
            _stream(self.device),
        )
        return None if rows is None else _DeviceRows(rows, image, label)


def _ordinal(device: Any) -> int | None:
    """The number of a CUDA device; None for the host."""
    if device is None:
        return None
    named = torch.device(device)
    if named.type == "cpu":
        return None
    if named.type == "cuda" and named.index is None:
        current: int = torch.cuda.current_device()
        return current
    return ordinal_of(named)


def _memory(size: int, device: int) -> torch.Tensor:
    """Bytes of torch's own memory on a device."""
    return torch.empty(size, dtype=torch.uint8, device=f"cuda:{device}")


def _stream(device: int) -> int:
    """The handle of the stream on which torch works now."""
    handle: int = torch.cuda.current_stream(device).cuda_stream
    return handle


class _DeviceRows:
    """A batch that was written to tensors, as a batch asks for it."""

    copied = False

    def __init__(self, rows: Any, image: torch.Tensor, label: torch.Tensor) -> None:
        self._rows = rows
        image_form, label_form = rows.forms()
        made = None if label_form is None else _shaped(label, label_form)
        self._tensors: tuple[torch.Tensor, torch.Tensor | None] | None
        self._tensors = _shaped(image, image_form), made

    def image(self) -> torch.Tensor:
        """Raises UsageError after `release`."""
        return self._held()[0]

    def label(self) -> torch.Tensor | None:
        """None without labels. Raises UsageError after `release`."""
        return self._held()[1]

    def release(self) -> None:
        """Drops the tensors: torch may use their memory again when nothing else holds them."""
        self._tensors = None
        self._rows.release()

    def _held(self) -> tuple[torch.Tensor, torch.Tensor | None]:
        if self._tensors is None:
            raise UsageError(RELEASED)
        return self._tensors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)


def _shaped(memory: torch.Tensor, form: tuple[tuple[int, ...], str]) -> torch.Tensor:
    shape, dtype = form
    kind: torch.dtype = getattr(torch, dtype)
    return memory[: math.prod(shape) * kind.itemsize].view(kind).view(shape)


class Samples(torch.utils.data.Dataset[tuple[torch.Tensor, Any]]):
    """The samples of a data set for torch's DataLoader with a sampler of your own, Subset or
    random_split: `ds[i]` is (image, label).

    image, label: forms. transform: called with image and label of each sample, gives what `ds[i]`
    is. Tensors are copies, so writing to them is safe. Pickles with its data set. Raises as
    `Dataset.read`.
    """

    def __init__(
        self,
        data: Dataset,
        *,
        image: Image = _IMAGE,
        label: Label | None = _LABEL,
        transform: Any = None,
    ) -> None:
        self._rows = Rows(data, image, label)
        self.transform = transform

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Any:
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        """Several samples at once, as DataLoader asks for them."""
        threads = 1 if torch.utils.data.get_worker_info() else 0
        pairs = [_pair(row) for row in self._rows.read(indices, threads)]
        return pairs if self.transform is None else [self.transform(*pair) for pair in pairs]


def _pair(row: Row) -> tuple[torch.Tensor, torch.Tensor | None]:
    label = row.get("label")
    return _tensor(row["image"]), None if label is None else _tensor(label)


def _tensor(array: Any) -> torch.Tensor:
    """The tensor over an array, also of bfloat16, which torch does not take from NumPy."""
    if array.dtype.name != "bfloat16":
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)


class Batches(torch.utils.data.IterableDataset[tuple[torch.Tensor, Any]]):
    """Whole batches for `DataLoader(batches, batch_size=None)` and torchdata's
    StatefulDataLoader: each loop is one epoch of (images, labels).

    Takes the options of `Loader`. Each worker of a DataLoader is a rank of its own, so that every
    sample comes once; 0 workers are fastest, because the library has threads of its own.
    """

    def __init__(self, data: Dataset, batch_size: int, **options: Any) -> None:
        for name in ("global_batch_size", "resume"):
            if name in options:
                raise UsageError(
                    f"{name}: give batch_size, and load_state_dict instead of resume", option=name
                )
        self._data = data
        self._batch_size = batch_size
        self._options = options
        self._loader: Loader | None = None
        self._state: Mapping[str, Any] | None = None
        self._epoch = 0

    def __iter__(self) -> Iterator[tuple[torch.Tensor, Any]]:
        worker = torch.utils.data.get_worker_info()
        if worker is not None and worker.id == 0:
            warnings.warn(
                "workers copy every batch between processes; num_workers=0 is faster, because "
                "hotpack reads with threads of its own",
                PerformanceWarning,
                stacklevel=2,
            )
        loader = self._opened(worker)
        for image, label in loader:
            yield image, label
        self._epoch += 1

    def __len__(self) -> int:
        if torch.utils.data.get_worker_info() is not None:
            return len(self._opened(torch.utils.data.get_worker_info()))
        return len(self._opened(None))

    def set_epoch(self, epoch: int) -> None:
        """Makes the next loop begin with this epoch."""
        self._epoch = epoch
        if self._loader is not None:
            self._loader.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """The position, for a checkpoint."""
        if self._loader is not None:
            return self._loader.state_dict()
        return dict(self._state or {})

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues there at the next loop."""
        self._state = dict(state) or None
        if self._loader is not None and self._state is not None:
            self._loader.load_state_dict(self._state)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loader": None}

    def _opened(self, worker: Any) -> Loader:
        if self._loader is None:
            options = dict(self._options)
            place = place_of(options.pop("rank", None), options.pop("world", None))
            workers, number = (1, 0) if worker is None else (worker.num_workers, worker.id)
            self._loader = Loader(
                self._data,
                self._batch_size,
                rank=place.rank * workers + number,
                world=place.world * workers,
                resume=self._state,
                **options,
            )
            if self._state is None and self._epoch:
                self._loader.set_epoch(self._epoch)
        return self._loader
