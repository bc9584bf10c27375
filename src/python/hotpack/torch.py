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
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch.utils.data._utils.collate import default_collate_fn_map

from .batch import BatchOf
from .device import is_host, ordinal_of
from .distributed import place_of
from .errors import PerformanceWarning, UsageError
from .forms import Ids, Image, Label
from .loader import LoaderOf, check_data, check_options
from .option_table import Access, LastBatch, Residency, Shuffle, VerifyChecksums
from .options import checked_names, integer
from .rows import Row, Rows

if TYPE_CHECKING:
    from .dataset import Dataset, Path
    from .process import Listener
    from .pure import Augment

__all__ = ["Batch", "Batches", "Loader", "Samples"]


def __dir__() -> list[str]:
    return __all__


_IMAGE = Image("float32", "NCHW")
_LABEL = Ids("int64", ignore_index=-100)


class Batch(BatchOf[torch.Tensor]):
    """A batch whose images and labels are tensors in host memory; else as `hotpack.Batch`."""

    __slots__ = ()

    @staticmethod
    def _made(array: Any, view: np.dtype[Any] | None) -> torch.Tensor:
        if view is None:
            return torch.from_numpy(array)
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)

    def to(self, device: Any, non_blocking: bool = False) -> Batch:
        """Returns a batch on a device, as `Tensor.to` copies its tensors; it keeps keys, indices,
        crops and the number of valid rows. Tensors that are on the device stay the same, and share
        the slot. Raises UsageError for a dtype: forms choose it."""
        if isinstance(device, torch.dtype) or isinstance(non_blocking, torch.dtype):
            raise UsageError(
                "batch.to takes a device; image= and label= of the loader choose the dtype, and "
                "batch.image.to(dtype) changes it",
                option="device",
            )
        label: Any = self.label
        if label is not None:
            label = label.to(device, non_blocking=non_blocking)
        moved: Batch = self._of(
            self.image.to(device, non_blocking=non_blocking), label, self._own_rows()
        )
        return moved


class Loader(LoaderOf[Batch]):
    """As `hotpack.Loader`, with tensors. By default images are f32 [N,c,H,W] in 0 … 1 and labels
    i64 [N,H,W] with −100 for ignored pixels, as torch's losses want them.

    device: "cuda", "cuda:1" or a torch.device makes it as `hotpack.DeviceLoader`, but with tensors
    in torch's own memory, written on the current stream of that device; nothing needs to be
    released. Without it batches are in host memory.

    Plain torch and Lightning take it in place of a DataLoader, with exact resume in the middle of
    an epoch: Lightning keeps `state_dict` in its checkpoints by itself; limit its Trainer by
    max_steps. With Accelerate do not `prepare` it.
    """

    _batch_class = Batch
    _default_label = _LABEL

    # <api: python torch.Loader>
    @checked_names
    def __init__(
        self,
        data: Dataset | Path,
        batch_size: int | None = None,
        *,
        global_batch_size: int | None = None,
        seed: int = 0,
        epoch: int = 0,
        rank: int | str | None = None,
        world_size: int | None = None,
        last_batch: LastBatch = "drop",
        shuffle: Shuffle = True,
        block_samples: int = 256,
        window_blocks: int = 16,
        resume: Mapping[str, Any] | None = None,
        image: Image = _IMAGE,
        label: Label | None = _LABEL,
        augment: Augment | None = None,
        pad_to: tuple[int, int] | None = None,
        threads: int = 0,
        prefetch_batches: int = 3,
        verify_checksums: VerifyChecksums = "first_read",
        access: Access = "map",
        timeout: float | None = 600.0,
        memory_budget_bytes: int = 0,
        device: int | str | torch.device | None = None,
        residency: Residency = "page",
        device_budget_bytes: int | None = None,
        progress: Listener | bool | None = None,
    ) -> None:
        """Opens the loader; its threads begin to read at once.

        Args:
            data: A Dataset, or the folder of a pack.
            batch_size: Samples per step of this rank: each of `world_size` ranks gets as many. Give
                this or `global_batch_size`.
            global_batch_size: Samples per step, summed over all ranks; at least `world_size`. The
                shares of ranks differ by one row if this number is not a multiple of `world_size`.
                Without `batch_size` and `global_batch_size`, it is 32.
            seed: Determines the order of samples and every random choice of augmentation.
            epoch: The first epoch, below 2^32.
            rank: This process among those that train together: 0 … `world_size` − 1. None: the rank
                of `torch.distributed` if it is initialized, else RANK, else 0; give both or
                neither. "slurm", "mpi" and "jax": the rank of the scheduler's variables or of JAX.
            world_size: The number of processes that train together. None: from the source of
                `rank`.
            last_batch: If the last samples of an epoch do not fill a step: "drop" leaves them out
                (with shuffling, different samples in each epoch), "pad" adds empty rows after the
                first `num_valid`, "wrap" adds the first samples of the epoch again, and "keep"
                gives a shorter last batch, on every rank.
            shuffle: True: one permutation of all samples. "block": long reads, for disks. False:
                the order of the files.
            block_samples: Samples per block of "block", at least 1. Larger: longer reads, poorer
                mixing.
            window_blocks: Blocks per window of "block", at least 1. Larger: better mixing, more
                memory in use.
            resume: Continues a run at this state; `epoch` is then ignored. The state does not
                contain the options of augmentation and output: pass the same ones as before. A
                dictionary of `state_dict()`.
            image: Element type, axis order and normalization of images.
            label: Form and element type of labels. Unlabeled data sets need the default.
            augment: Flips and crops of image and label alike. Default: none.
            pad_to: Pads each record on the right and at the bottom to this size (black; labels:
                ignored). Required if record sizes differ, unless a crop is set or a batch has one
                row. A tuple (width, height).
            threads: Threads that read and expand records. 0: the cores that this process may use,
                at most 8.
            prefetch_batches: Slots, each of which is memory for one batch that is read ahead or in
                use, 2 … 64. More of them bridge longer pauses. A loader in host memory makes
                further slots while the program holds batches. A device loader has twice as many
                slots, in pinned memory, and room for as many packed batches on the device.
            verify_checksums: When to check the CRC-32C of a record. "first_read": once in this
                process. "always": at every read. "never": not at all.
            access: Way to read shards: "map" maps them and installs a SIGBUS handler for hotpack's
                own reads; "read" uses system calls only, which is slower.
            timeout: Limit for a wait for the next batch; then the call fails with a timeout and may
                be repeated. None: wait forever. In seconds.
            memory_budget_bytes: Limit for the memory of all slots, also of those that are made
                later; opening a loader that needs more is refused. 0: no limit. With a limit, a
                loader of records of different sizes makes no further slots. The slots of a device
                loader are pinned memory.
            device: The device's number, as CUDA_VISIBLE_DEVICES shows it. Also "cuda:1", or a
                device of a framework. None: device 0 for `DeviceLoader`, host memory for other
                loaders.
            residency: Place of packed records between epochs. "page": in the system's page cache.
                "device": in the device's memory. "auto": on the device if they fit its budget, else
                in the page cache.
            device_budget_bytes: Limit for the loader's memory on the device: packed batches and
                resident records, not batches that are handed out. None: half of the device memory
                that is free when the loader opens. 0 allows nothing.
            progress: Called while opening copies records to device memory, after each batch of
                them. True: a bar of tqdm. The result of a function is ignored; an exception ends
                the opening.

        Raises:
            UsageError: for options that do not fit each other or the data set.
            DamagedError, IoError: while reading, at exactly the step that holds the record.
            TimeoutError, CancelledError: while waiting for a batch.
        """
        self._open(locals())
    # </api>

    def _ordinal(self, device: Any) -> int | None:
        """Returns the number of a CUDA device; None for the host."""
        if is_host(device):
            return None
        ordinal = ordinal_of(device)
        try:
            current: int = torch.cuda.current_device()
        except (AssertionError, RuntimeError) as error:  # no CUDA in torch; no driver or device
            raise UsageError(
                f"{error}; leave out device, or use a machine with a GPU and a PyTorch with CUDA",
                option="device",
            ) from None
        return current if str(device).lower() in ("cuda", "gpu") else ordinal

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
        return None if rows is None else (rows, image, label)

    def _batch(self, taken: Any) -> Batch:
        if self.device is None:
            return super()._batch(taken)
        rows, image, label = taken
        image_form, label_form = rows.forms()
        batch: Batch = Batch._of(
            _shaped(image, image_form),
            None if label_form is None else _shaped(label, label_form),
            rows,
        )
        return batch


def _memory(size: int, device: int) -> torch.Tensor:
    """Bytes of torch's own memory on a device."""
    return torch.empty(size, dtype=torch.uint8, device=f"cuda:{device}")


def _stream(device: int) -> int:
    """The handle of the stream on which torch works now."""
    handle: int = torch.cuda.current_stream(device).cuda_stream
    return handle


def _shaped(memory: torch.Tensor, form: tuple[tuple[int, ...], str]) -> torch.Tensor:
    shape, dtype = form
    kind: torch.dtype = getattr(torch, dtype)
    return memory[: math.prod(shape) * kind.itemsize].view(kind).view(shape)


class Samples(torch.utils.data.Dataset[tuple[torch.Tensor, Any]]):
    """The samples of a data set for torch's DataLoader with a sampler of your own, Subset or
    random_split: `ds[i]` is (image, label).

    image, label: forms. transform: called with image and label of each sample, gives what `ds[i]`
    is. Without it, a batch of torch's default collate function is read in one piece, not put
    together from copies of its samples. Tensors are copies, so writing to them is safe. Pickles
    with its data set. Raises as `Dataset.read`.
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
        pair = _pair(self._rows.read([index], threads=1)[0])
        return pair if self.transform is None else self.transform(*pair)

    def __getitems__(self, indices: Sequence[int]) -> list[Any]:
        """Several samples at once, as DataLoader asks for them. Without a transform they share the
        memory of one batch."""
        threads = 1 if torch.utils.data.get_worker_info() else 0
        if self.transform is None and self._rows.data.image_shape is not None:
            return _Row.all_of(*self._rows.read_whole(indices, threads))
        pairs = [_pair(row) for row in self._rows.read(indices, threads)]
        return pairs if self.transform is None else [self.transform(*pair) for pair in pairs]


class _Row(tuple[torch.Tensor, Any]):
    """A sample of a batch, as (image, label): views of it. A list of all of them, in order, is
    collated to the batch itself."""

    batch: tuple[torch.Tensor, Any]
    number: int

    @classmethod
    def all_of(cls, image: Any, label: Any) -> list[_Row]:
        """The rows of a batch."""
        batch = _tensor(image), None if label is None else _tensor(label)
        labels = [None] * len(image) if batch[1] is None else batch[1]
        rows = [cls(pair) for pair in zip(batch[0], labels)]
        for number, row in enumerate(rows):
            row.batch, row.number = batch, number
        return rows

    def __reduce__(self) -> tuple[Any, ...]:  # not with the batch
        return tuple, (tuple(self),)


def _collated(rows: Sequence[Any], *, collate_fn_map: Any = None) -> list[Any]:
    """Collates rows as torch's default function collates tuples."""
    batch: tuple[torch.Tensor, Any] = rows[0].batch
    numbers = [row.number for row in rows if isinstance(row, _Row) and row.batch is batch]
    if len(rows) == len(numbers) == len(batch[0]) and numbers == list(range(len(rows))):
        return list(batch)
    pairs: list[Any] = torch.utils.data.default_collate([tuple(row) for row in rows])
    return pairs


default_collate_fn_map[_Row] = _collated


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

    The workers of a DataLoader take the batches in turn: number and order of batches are those of 0
    workers, which are fastest, because the library has threads of its own. last_batch="pad" is
    refused, because a tuple does not say which rows are empty: "keep" gives a shorter last batch.
    """

    # <api: python torch.Batches>
    @checked_names
    def __init__(
        self,
        data: Dataset | Path,
        batch_size: int,
        *,
        seed: int = 0,
        epoch: int = 0,
        rank: int | str | None = None,
        world_size: int | None = None,
        last_batch: LastBatch = "drop",
        shuffle: Shuffle = True,
        block_samples: int = 256,
        window_blocks: int = 16,
        image: Image = _IMAGE,
        label: Label | None = _LABEL,
        augment: Augment | None = None,
        pad_to: tuple[int, int] | None = None,
        threads: int = 0,
        prefetch_batches: int = 3,
        verify_checksums: VerifyChecksums = "first_read",
        access: Access = "map",
        timeout: float | None = 600.0,
        memory_budget_bytes: int = 0,
    ) -> None:
        """Keeps the options: the first loop opens a loader with them.

        Args:
            data: A Dataset, or the folder of a pack.
            batch_size: Samples per step of this rank: each of `world_size` ranks gets as many.
            seed: Determines the order of samples and every random choice of augmentation.
            epoch: The first epoch, below 2^32.
            rank: This process among those that train together: 0 … `world_size` − 1. None: the rank
                of `torch.distributed` if it is initialized, else RANK, else 0; give both or
                neither. "slurm", "mpi" and "jax": the rank of the scheduler's variables or of JAX.
            world_size: The number of processes that train together. None: from the source of
                `rank`.
            last_batch: If the last samples of an epoch do not fill a step: "drop" leaves them out
                (with shuffling, different samples in each epoch), "pad" adds empty rows after the
                first `num_valid`, "wrap" adds the first samples of the epoch again, and "keep"
                gives a shorter last batch, on every rank.
            shuffle: True: one permutation of all samples. "block": long reads, for disks. False:
                the order of the files.
            block_samples: Samples per block of "block", at least 1. Larger: longer reads, poorer
                mixing.
            window_blocks: Blocks per window of "block", at least 1. Larger: better mixing, more
                memory in use.
            image: Element type, axis order and normalization of images.
            label: Form and element type of labels. Unlabeled data sets need the default.
            augment: Flips and crops of image and label alike. Default: none.
            pad_to: Pads each record on the right and at the bottom to this size (black; labels:
                ignored). Required if record sizes differ, unless a crop is set or a batch has one
                row. A tuple (width, height).
            threads: Threads that read and expand records. 0: the cores that this process may use,
                at most 8.
            prefetch_batches: Slots, each of which is memory for one batch that is read ahead or in
                use, 2 … 64. More of them bridge longer pauses. A loader in host memory makes
                further slots while the program holds batches. A device loader has twice as many
                slots, in pinned memory, and room for as many packed batches on the device.
            verify_checksums: When to check the CRC-32C of a record. "first_read": once in this
                process. "always": at every read. "never": not at all.
            access: Way to read shards: "map" maps them and installs a SIGBUS handler for hotpack's
                own reads; "read" uses system calls only, which is slower.
            timeout: Limit for a wait for the next batch; then the call fails with a timeout and may
                be repeated. None: wait forever. In seconds.
            memory_budget_bytes: Limit for the memory of all slots, also of those that are made
                later; opening a loader that needs more is refused. 0: no limit. With a limit, a
                loader of records of different sizes makes no further slots. The slots of a device
                loader are pinned memory.

        Raises:
            UsageError: for options that do not fit each other or the data set.
            DamagedError, IoError: while reading, at exactly the step that holds the record.
            TimeoutError, CancelledError: while waiting for a batch.
        """
        self._open(locals())
    # </api>

    def _open(self, given: dict[str, Any]) -> None:
        """Keeps the arguments of `__init__`, which are its locals."""
        for name in ("self", "__class__"):
            given.pop(name, None)
        self._data = given.pop("data")
        check_data(self._data)
        check_options(given)
        if given["last_batch"] == "pad":
            raise UsageError(
                'last_batch="pad" adds empty rows, which a DataLoader would count as samples; '
                'use last_batch="keep"',
                option="last_batch",
            )
        self._options = given
        self._epochs = _Epochs()
        self._epochs.restart(integer("epoch", given.pop("epoch")))
        self._state: Mapping[str, Any] | None = None  # where the next loop begins
        self._is_restored = False  # by a StatefulDataLoader, in this worker
        self._loops = 0  # in this worker
        self._loader: Loader | None = None
        self._process = 0  # whose _loader is
        self._inherited: Loader | None = None  # by a fork

    def __iter__(self) -> Iterator[tuple[torch.Tensor, Any]]:
        worker = torch.utils.data.get_worker_info()
        loader = self._begin_here() if worker is None else self._begin_in_worker(worker)
        return iter(()) if loader is None else _pairs(loader)

    def __len__(self) -> int:
        return len(self._opened(torch.utils.data.get_worker_info()))

    def set_epoch(self, epoch: int) -> None:
        """Makes the next loop begin with this epoch, also that of persistent workers. Raises
        UsageError for what is no number from 0."""
        epoch = integer("epoch", epoch)
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
        also, here or in that loop, if data set, order or batch size differ."""
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
        loader = self._opened(worker)
        state, self._state = self._state, None  # for one loop
        if state is not None and (self._is_restored or not self._epochs.has_begun(worker)):
            return self._continued(loader, worker, state)
        return self._placed(loader, worker, self._epochs.begin(worker, self._loops), worker.id)

    def _continued(self, loader: Loader, worker: Any, state: Mapping[str, Any]) -> Loader | None:
        """The rest of an epoch. A StatefulDataLoader restores the position of each worker; the
        program's state is that of all, so each worker has its own step after it."""
        loader.load_state_dict(state)
        epoch, step = loader._core.position()
        if self._is_restored:
            self._is_restored = False
        elif step == len(loader):
            epoch, step = epoch + 1, worker.id
        else:
            step += worker.id
        self._epochs.begun(worker, self._loops, epoch)
        return self._placed(loader, worker, epoch, step)

    def _placed(self, loader: Loader, worker: Any, epoch: int, step: int) -> Loader | None:
        """Moves a worker's loader to a step; None if that is behind the epoch."""
        if step >= len(loader):
            return None
        loader.seek(epoch, step)
        return loader

    def _own_loader(self) -> Loader | None:
        """The loader, unless it is that of the process from which this one was forked."""
        return self._loader if self._process == os.getpid() else None

    def _opened(self, worker: Any) -> Loader:
        if (loader := self._own_loader()) is not None:
            return loader
        options = dict(self._options)
        place = place_of(options.pop("rank"), options.pop("world_size"))
        kind = Loader if worker is None else _WorkerLoader
        loader = kind(self._data, rank=place.rank, world_size=place.world_size, **options)
        if worker is None and self._state is not None:
            loader.load_state_dict(self._state)
        elif worker is None:
            loader.set_epoch(self._epochs.next_epoch())
        self._inherited = self._loader  # its threads are another process's; it must not end here
        self._loader, self._process = loader, os.getpid()
        return loader


class _WorkerLoader(Loader):
    """Every n-th batch of an epoch, for one of n workers: a DataLoader takes batches of its workers
    in turn, so they come in the order of a single loader."""

    @property
    def _stride(self) -> int:  # type: ignore[override]
        workers: int = torch.utils.data.get_worker_info().num_workers  # type: ignore[union-attr]
        return workers


def _pairs(loader: Loader) -> Iterator[tuple[torch.Tensor, Any]]:
    for image, label in loader:
        yield image, label


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
