"""Tensors of PyTorch.

    for x, y in hotpack.torch.Loader(ds, 32, seed=7):  # f32 [N,c,H,W] and i64 [N,H,W]
        loss_fn(model(x), y).backward()

Tensors share the memory of a batch, which is not overwritten as long as one of them lives.
`Samples` and `Batches` are for programs that want torch's own DataLoader.
"""

from __future__ import annotations

import math
import os
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
from .loader import LoaderOf, Options, _unsigned
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
    an epoch: Lightning keeps `state_dict` in its checkpoints by itself; limit its Trainer by
    max_steps. With Accelerate do not `prepare` it. rank and world come from torch.distributed.
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
    StatefulDataLoader: each loop is the next epoch of (images, labels), also in workers.

    Takes the options of `Loader`. Each worker of a DataLoader is a rank of its own, so that every
    sample comes once; 0 workers are fastest, because the library has threads of its own.

    With tail="pad" the last batch may be shorter, and has no empty rows. With several ranks it has
    them, so that all ranks make steps of one size; their ids are ignored, but one-hot labels that
    are all zeros count in a loss: take the batches of `Loader` and their `valid` there.

    Raises UsageError for options that do not fit, and while reading what `Loader` raises.
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
        self._epochs = _Epochs()
        self._state: Mapping[str, Any] | None = None  # where the next loop begins
        self._is_restored = False  # by a StatefulDataLoader, in this worker
        self._loops = 0  # in this worker
        self._loader: Loader | None = None
        self._process = 0  # whose _loader is
        self._inherited: Loader | None = None  # by a fork

    def __iter__(self) -> Iterator[tuple[torch.Tensor, Any]]:
        worker = torch.utils.data.get_worker_info()
        loader = self._begin_here() if worker is None else self._begin_in_worker(worker)
        return iter(()) if loader is None else _pairs(loader, worker)

    def __len__(self) -> int:
        return len(self._opened(torch.utils.data.get_worker_info()))

    def set_epoch(self, epoch: int) -> None:
        """Makes the next loop begin with this epoch, also that of persistent workers. Raises
        UsageError for what is no number from 0."""
        epoch = _unsigned("epoch", epoch)
        if self._state is not None and self._state["epoch"] != epoch:
            self._state = None
        self._epochs.restart(epoch)
        if (loader := self._own_loader()) is not None:
            loader.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """The position, for a checkpoint. Raises UsageError if workers of a DataLoader gave the
        last loop, because they alone know it."""
        worker = torch.utils.data.get_worker_info()
        if worker is None and self._epochs.workers_were_last():
            raise UsageError(
                "the position is in the workers of the DataLoader; use torchdata's "
                "StatefulDataLoader and its state_dict(), or num_workers=0"
            )
        return self._opened(worker).state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues there at the next loop. Raises UsageError for what is no state of a loader;
        also, here or in that loop, if data set, order, batch size or number of workers differ."""
        if "hotpack_state" not in state or not isinstance(state.get("epoch"), int):
            raise UsageError(
                "not a state of Batches; give what state_dict() returned, unchanged; that of a "
                "StatefulDataLoader goes to its own load_state_dict()",
                option="state",
            )
        if (loader := self._own_loader()) is not None:
            loader.load_state_dict(state)
        self._state = dict(state)
        if torch.utils.data.get_worker_info() is None:
            self._epochs.restart(int(state["epoch"]))
        else:
            self._is_restored = True

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loader": None, "_inherited": None}

    def _begin_here(self) -> Loader:
        """A loop in the process of the program."""
        loader = self._opened(None)
        if self._state is None and self._epochs.workers_were_last():
            loader.set_epoch(self._epochs.next_epoch())
        self._state = None
        self._epochs.restart(loader.next_epoch + 1)
        return loader

    def _begin_in_worker(self, worker: Any) -> Loader | None:
        """A loop in a worker. None if there is nothing left of an epoch."""
        if worker.id == 0 and self._loops == 0:
            warnings.warn(
                "workers copy every batch between processes; num_workers=0 is faster, because "
                "hotpack reads with threads of its own",
                PerformanceWarning,
                stacklevel=3,
            )
        self._loops += 1
        state, self._state = self._state, None  # for one loop
        if state is not None and (self._is_restored or not self._epochs.has_begun(worker)):
            loader = self._opened(worker, state)
            return self._continued(loader, worker)
        loader = self._opened(worker)
        loader.set_epoch(self._epochs.begin(worker, self._loops))
        return loader

    def _continued(self, loader: Loader, worker: Any) -> Loader | None:
        """The rest of an epoch. A worker that a StatefulDataLoader restores at the end of one gives
        nothing, as others may not be there yet."""
        epoch, step = loader._core.position()
        is_over = self._is_restored and step == len(loader)
        self._is_restored = False
        self._epochs.begun(worker, self._loops, epoch if is_over else loader.next_epoch)
        return None if is_over else loader

    def _own_loader(self) -> Loader | None:
        """The loader, unless it is that of the process from which this one was forked."""
        return self._loader if self._process == os.getpid() else None

    def _opened(self, worker: Any, state: Mapping[str, Any] | None = None) -> Loader:
        if (loader := self._own_loader()) is not None:
            return loader
        state = state or self._state
        options = dict(self._options)
        place = place_of(options.pop("rank", None), options.pop("world", None))
        workers, number = (1, 0) if worker is None else (worker.num_workers, worker.id)
        loader = Loader(
            self._data,
            self._batch_size,
            rank=place.rank * workers + number,
            world=place.world * workers,
            resume=state,
            **options,
        )
        if worker is None and state is None:
            loader.set_epoch(self._epochs.next_epoch())
        self._inherited = self._loader  # its threads are another process's; it must not end here
        self._loader, self._process = loader, os.getpid()
        return loader


def _pairs(loader: Loader, worker: Any) -> Iterator[tuple[torch.Tensor, Any]]:
    is_single = loader.world == (1 if worker is None else worker.num_workers)
    for batch in loader:
        if not is_single:
            yield batch.image, batch.label
        elif batch.valid:
            yield batch._samples()


class _Epochs:
    """Counts the epochs of a Batches for the program and for workers, which are copies of it and
    share this memory alone. A DataLoader does not tell its workers which loop they are for; but
    those of one loop have the same seed, and none of them begins a loop twice."""

    _MOST_WORKERS = 4096
    _NONE = -1

    def __init__(self) -> None:
        # first the epoch that was begun last, plus 1, with a mark of its loop above 32 bits, so
        # that both are written at once; then the last epoch of each worker
        self._cells = torch.full((1 + self._MOST_WORKERS,), self._NONE, dtype=torch.int64)
        self._cells[0] = 0
        self._cells.share_memory_()  # type: ignore[no-untyped-call]

    def restart(self, epoch: int) -> None:
        """Makes the next loop that of this epoch; for the program."""
        self._cells[1:] = self._NONE
        self._cells[0] = epoch

    def next_epoch(self) -> int:
        return int(self._cells[0]) & 0xFFFFFFFF

    def workers_were_last(self) -> bool:
        return int(self._cells[0]) >> 32 != 0

    def has_begun(self, worker: Any) -> bool:
        """Whether a worker of this number has begun a loop since the program's last restart."""
        return int(self._cells[1 + worker.id]) != self._NONE

    def begin(self, worker: Any, loops: int) -> int:
        """The epoch of a worker's loop: that of the others, or the next one if this worker is the
        first."""
        last = int(self._cells[0])
        epoch = (last & 0xFFFFFFFF) - 1
        if last >> 32 != self._mark(worker, loops) or int(self._cells[1 + worker.id]) == epoch:
            epoch += 1
        self.begun(worker, loops, epoch)
        return epoch

    def begun(self, worker: Any, loops: int, epoch: int) -> None:
        """A worker's loop is of this epoch."""
        self._cells[1 + worker.id] = epoch
        self._cells[0] = self._mark(worker, loops) << 32 | epoch + 1

    def _mark(self, worker: Any, loops: int) -> int:
        """The same for the workers of one loop. Persistent workers keep their seed."""
        if worker.id >= self._MOST_WORKERS:
            raise UsageError(f"a DataLoader may have at most {self._MOST_WORKERS} workers here")
        return hash((worker.seed - worker.id, loops)) & 0x7FFFFFFF | 1
