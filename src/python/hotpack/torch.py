"""Tensors of PyTorch.

    for x, y in hotpack.torch.Loader(ds, 32, seed=7):  # f32 [N,c,H,W] and i64 [N,H,W]
        loss_fn(model(x), y).backward()

Tensors share the memory of a batch, which is not overwritten as long as one of them lives.
`Samples` and `Batches` are for programs that want torch's own DataLoader.
"""

from __future__ import annotations

import copy
import math
import os
import sys
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import torch
from torch.utils.data.dataloader import _BaseDataLoaderIter

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
    StatefulDataLoader: each loop is the next epoch of (images, labels), also in workers.

    Takes the options of `Loader`. Each worker of a DataLoader is a rank of its own, so that every
    sample comes once; 0 workers are fastest, because the library has threads of its own. Raises
    UsageError for options that do not fit, and while reading what `Loader` raises.
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
        self._process = 0  # whose _loader is
        self._state: Mapping[str, Any] | None = None  # where the next loop begins
        self._epoch = 0  # of the next loop
        self._lending = _Lending()
        self._inherited: Loader | None = None
        self._loops = 0  # in this worker
        _all_batches.add(self)

    def __iter__(self) -> Iterator[tuple[torch.Tensor, Any]]:
        worker = torch.utils.data.get_worker_info()
        return self._here() if worker is None else self._in_worker(worker)

    def __len__(self) -> int:
        return len(self._opened(torch.utils.data.get_worker_info()))

    def set_epoch(self, epoch: int) -> None:
        """Makes the next loop begin with this epoch, also that of persistent workers. Raises
        UsageError for what is no number from 0."""
        self._epoch = epoch = _unsigned("epoch", epoch)
        if self._state is not None and self._state["epoch"] != epoch:
            self._state = None
        self._lending.order(epoch)
        if (loader := self._own_loader()) is not None:
            loader.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        """The position, for a checkpoint. Raises UsageError if workers of a DataLoader gave the
        last loop, because they alone know it."""
        worker = torch.utils.data.get_worker_info()
        if worker is None and self._lending.is_last:
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
        self._lending.is_last = False

    def __getstate__(self) -> dict[str, Any]:
        maker = _maker_of_workers()
        if maker is not None:  # for a worker that does not fork
            self._lend(maker)
            return {**self._copied(), "_lending": self._lending.for_worker()}
        return {**self._copied(), "_lending": _Lending(), "_epoch": self._next_epoch()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        _all_batches.add(self)

    def _copied(self) -> dict[str, Any]:
        return {**self.__dict__, "_loader": None, "_inherited": None}

    def _here(self) -> Iterator[tuple[torch.Tensor, Any]]:
        """A loop in the process of the program."""
        loader = self._opened(None)
        if self._lending.is_last:  # workers gave epochs since
            loader.set_epoch(self._next_epoch())
            self._lending.is_last = False
        self._state = None
        for image, label in loader:
            yield image, label

    def _in_worker(self, worker: Any) -> Iterator[tuple[torch.Tensor, Any]]:
        """A loop in a worker: of the epoch that the program gave all workers of its DataLoader,
        and then, if they persist, of the following ones."""
        if worker.id == 0:
            _warn_of_workers(self._loops == 0 and self._lending.epoch is None)
        is_restored = self._state is not None  # by a StatefulDataLoader, in this worker
        loader = self._opened(worker)
        self._state = None
        self._loops += 1
        if is_restored or (self._loops == 1 and self._lending.state is not None):
            return self._resumed(loader, is_restored)
        if self._loops > 1:
            self._epoch = self._lending.ordered(self._epoch + 1)
            self._lending.report(self._epoch + 1)
        elif self._lending.epoch is not None:
            self._epoch = self._lending.epoch
        loader.set_epoch(self._epoch)
        return self._taken(loader)

    def _resumed(self, loader: Loader, is_restored: bool) -> Iterator[tuple[torch.Tensor, Any]]:
        """The rest of an epoch. A worker that a StatefulDataLoader restores at the end of one gives
        nothing, as others may not be there yet."""
        at, step = loader._core.position()
        is_over = is_restored and step == len(loader)
        self._epoch = at if is_over else loader.next_epoch
        self._lending.report(self._epoch + 1)
        return iter(()) if is_over else self._taken(loader)

    @staticmethod
    def _taken(loader: Loader) -> Iterator[tuple[torch.Tensor, Any]]:
        for image, label in loader:
            yield image, label

    def _lend(self, maker: Any) -> None:
        """Called in the program before each worker gets its copy: those of one DataLoader's loop
        get the same epoch, and the next loop the next one."""
        if self._lending.is_to(maker):
            return
        epoch = self._next_epoch()
        self._lending.begin(maker, epoch, self._state)
        self._epoch = epoch + 1
        self._state = None

    def _next_epoch(self) -> int:
        if (reported := self._lending.take_report()) is not None:
            self._epoch = reported
        if self._state is not None:
            return int(self._state["epoch"])
        loader = self._own_loader()
        if loader is None or self._lending.is_last:
            return self._epoch
        return loader.next_epoch

    def _own_loader(self) -> Loader | None:
        """The loader, unless it is that of the process from which this one was forked."""
        return self._loader if self._process == os.getpid() else None

    def _opened(self, worker: Any) -> Loader:
        if (loader := self._own_loader()) is not None:
            return loader
        options = dict(self._options)
        place = place_of(options.pop("rank", None), options.pop("world", None))
        workers, number = (1, 0) if worker is None else (worker.num_workers, worker.id)
        state = self._state
        if worker is not None and state is None:
            state = self._lending.state
        loader = Loader(
            self._data,
            self._batch_size,
            rank=place.rank * workers + number,
            world=place.world * workers,
            resume=state,
            **options,
        )
        if worker is None and state is None and self._epoch:
            loader.set_epoch(self._epoch)
        self._inherited = self._loader  # its threads are another process's; it must not end here
        self._loader, self._process = loader, os.getpid()
        return loader


class _Lending:
    """What the program and the workers of a DataLoader tell each other about epochs. `epoch` and
    `state`: where the first loop of the workers begins; None if no DataLoader was seen to start
    them. `is_last`: whether workers, not the program, gave the last loop."""

    _ORDERS, _ORDERED, _REPORTED = range(3)  # of _cells

    def __init__(self) -> None:
        self.epoch: int | None = None
        self.state: Mapping[str, Any] | None = None
        self.is_last = False
        self._maker: Callable[[], Any] = _nobody
        self._cells: torch.Tensor | None = None  # in memory that the workers share
        self._seen = 0  # orders that were followed

    def is_to(self, maker: Any) -> bool:
        """Whether this is the DataLoader's loop to which `begin` lent."""
        return self._maker() is maker

    def begin(self, maker: Any, epoch: int, state: Mapping[str, Any] | None) -> None:
        """For the workers of another loop."""
        self.epoch, self.state, self.is_last = epoch, state, True
        self._maker = weakref.ref(maker)
        self._cells = torch.zeros(3, dtype=torch.int64)
        self._cells.share_memory_()  # type: ignore[no-untyped-call]
        self._seen = 0

    def for_worker(self) -> _Lending:
        """A copy that can be pickled."""
        made = copy.copy(self)
        made._maker = _nobody
        return made

    def order(self, epoch: int) -> None:
        """Tells persistent workers the epoch of their next loop."""
        if self._cells is not None:
            self._cells[self._REPORTED] = 0
            self._cells[self._ORDERED] = epoch
            self._cells[self._ORDERS] += 1

    def ordered(self, otherwise: int) -> int:
        """The epoch that was ordered since the last call."""
        if self._cells is None or self._cells[self._ORDERS] == self._seen:
            return otherwise
        self._seen = int(self._cells[self._ORDERS])
        return int(self._cells[self._ORDERED])

    def report(self, next_epoch: int) -> None:
        """Tells the program which epoch follows that of a worker, which it cannot know."""
        if self._cells is not None:
            self._cells[self._REPORTED] = next_epoch

    def take_report(self) -> int | None:
        """What workers reported since the last call."""
        if self._cells is None or not self._cells[self._REPORTED]:
            return None
        reported = int(self._cells[self._REPORTED])
        self._cells[self._REPORTED] = 0
        return reported


def _nobody() -> None:
    return None


def _warn_of_workers(is_uncounted: bool) -> None:
    if is_uncounted:
        warnings.warn(
            "hotpack.torch.Batches did not see a DataLoader start this worker, so every loop gives "
            "the same epoch unless the program calls set_epoch before it",
            RuntimeWarning,
            stacklevel=4,
        )
    warnings.warn(
        "workers copy every batch between processes; num_workers=0 is faster, because hotpack "
        "reads with threads of its own",
        PerformanceWarning,
        stacklevel=4,
    )


# A DataLoader tells its data set nothing when it starts workers, which get copies by pickling or by
# a fork. Both happen in the constructor of its iterator, which is found on the stack.


def _maker_of_workers() -> Any:
    """The iterator of a DataLoader that is starting workers in this thread, or None."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "__init__":
            maker = frame.f_locals.get("self")
            if isinstance(maker, _BaseDataLoaderIter):
                return maker
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _lend_before_fork() -> None:
    if not _all_batches or (maker := _maker_of_workers()) is None:
        return
    for batches in list(_all_batches):
        if _holds(maker._dataset, batches):
            batches._lend(maker)


def _holds(value: Any, wanted: Batches, depth: int = 4) -> bool:
    """Whether this data set is the wanted one, or has it among its attributes."""
    if value is wanted or depth == 0:
        return value is wanted
    inner: Iterable[Any] = ()
    if isinstance(value, Mapping):
        inner = value.values()
    elif isinstance(value, (list, tuple)):
        inner = value
    elif isinstance(value, torch.utils.data.Dataset):
        inner = vars(value).values()
    return any(_holds(one, wanted, depth - 1) for one in inner)


_all_batches: weakref.WeakSet[Batches] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lend_before_fork)
