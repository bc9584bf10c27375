"""Batches for training, in a seeded order that is independent of threads, processes and
interruptions.

Threads of the library read ahead into a few slots; a batch is one of these slots.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core
from .batch import Batch, BatchOf, Rows
from .dataset import Dataset, Path, open
from .device import Device, DeviceBatch, load_listener, ordinal_of
from .distributed import place_of
from .errors import UsageError
from .forms import Image, Label, check_forms, view_of
from .option_table import (
    DEVICE_OPTIONS,
    INTEGERS,
    MAY_BE_NONE,
    WORDS,
    Access,
    LastBatch,
    Residency,
    Shuffle,
    VerifyChecksums,
)
from .options import checked_names, checked_size, integer, word

if TYPE_CHECKING:  # only its attributes are used; hotpack.pure takes a while to import
    from .process import Listener
    from .pure import Augment

State = dict[str, str | int]
_LEGACY_STREAM = 0
_AnyBatch = TypeVar("_AnyBatch", bound=BatchOf[Any])

atexit.register(_core.end_waiting)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_core.forget_waiting)


class LoaderOf(Generic[_AnyBatch]):
    """What the loaders of all frameworks have in common; see `Loader` and `DeviceLoader`."""

    _batch_class: type[_AnyBatch]
    _default_label: Label | None = None  # not for data sets without labels
    _default_device: int | None = None
    _stride = 1  # in host memory: steps from one batch to the next, for processes that share them

    def _open(self, given: dict[str, Any]) -> None:
        """Opens the loader with the arguments of `__init__`, which are its locals."""
        self._given = given
        for name in ("self", "__class__"):
            given.pop(name, None)
        data, timeout = given.pop("data"), given["timeout"]
        check_data(data)
        self.dataset = dataset = data if isinstance(data, Dataset) else open(data)
        image, label = given["image"], given["label"]
        if label is self._default_label and dataset._core.label is None:
            given["label"] = label = None
        self.rank, self.world_size, self._origin = place_of(given["rank"], given["world_size"])
        self._image_view, self._label_view = view_of(image), view_of(label)
        self.device = self._ordinal(given.pop("device", None))
        options = check_options(given)
        options["rank"] = integer("rank", self.rank)
        options["world_size"] = integer("world_size", self.world_size)
        options["timeout"] = self._timeout = _seconds(timeout)
        self._core: Any  # a Loader or a DeviceLoader of _core
        progress = given.get("progress")
        if self.device is None:
            _refuse_device_options(given)
            self._core = _core.open_loader(dataset._core, options, self._stride)
        else:
            options["device"] = self.device
            self._core = _open_on_device(dataset, options, progress)
        self._turn = threading.Lock()  # for the iteration, not for next()
        self._iteration = 0
        self._epoch = 0  # of the running iteration
        self._is_placed = True  # nothing was taken since the loader was opened or moved
        self._is_cancelled = False

    def _ordinal(self, device: Device | None) -> int | None:
        """Returns the number of a CUDA device; None for the host."""
        return self._default_device if device is None else ordinal_of(device)

    # ---- iteration

    def __iter__(self) -> Iterator[_AnyBatch]:
        """Iterates over the next epoch, or over the rest of the current one after
        `load_state_dict`, `seek` or `set_epoch`. An older iterator then raises UsageError."""
        with self._turn:
            epoch, is_here = self._next_epoch()
            if not is_here and not self._is_cancelled:  # begin_epoch would end the cancellation
                self._core.begin_epoch(epoch)
            self._epoch = epoch
            self._is_placed = True  # an iterator that yields nothing does not start an epoch
            self._iteration += 1
            return _Iterator(self, self._iteration)

    def __len__(self) -> int:
        """Number of batches per epoch; equal on all ranks."""
        steps: int = self._core.steps
        return steps

    def next_into(
        self, image: npt.NDArray[Any] | None = None, label: npt.NDArray[Any] | None = None
    ) -> NextInfo | None:
        """Writes the next batch into your arrays, which are contiguous and hold a full batch; None
        skips a field. Returns None at the end of an epoch; the call after that begins the next
        one. Raises UsageError on a device."""
        if self.device is not None:
            raise UsageError("next_into writes to host memory; open the loader without device")
        with self._turn:
            self._iteration += 1
        found = self._core.next_into(image, label, self._timeout)
        with self._turn:
            self._is_placed = False
            self._epoch = self._core.position()[0] - 1 if found is None else found[0]
        return None if found is None else NextInfo(*found)

    def _next(self, iteration: int) -> _AnyBatch | None:
        if iteration != self._iteration:
            raise UsageError(
                "another loop over this loader has begun, so this one is over; a loader gives one "
                "epoch at a time"
            )
        core = self._take()
        self._is_placed = False
        if core is None:
            return None
        return self._batch(core)

    def _batch(self, taken: Any) -> _AnyBatch:
        return self._batch_class(taken, self._image_view, self._label_view)

    def _take(self) -> Any:
        """The next batch as _core has it, or None at the end of the epoch."""
        if self.device is None:
            return self._core.next(self._timeout)
        return self._core.next(self._timeout, _LEGACY_STREAM)

    # ---- position

    def state_dict(self) -> State:
        """The position after the last batch that was taken, as text and integers: for a checkpoint.
        Every rank has the same state."""
        state: State = json.loads(self._core.state())
        return state

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues there, with any number of ranks. Raises UsageError if data set, order, global
        batch size or last_batch differ, and names the first difference."""
        with self._turn:
            self._core.restore(_state_text(state))
            self._place()

    def set_epoch(self, epoch: int) -> None:
        """Makes the next loop begin with this epoch. The position stays where the loader stands in
        it already, at its beginning or after `load_state_dict`. Ends a cancellation."""
        epoch = integer("epoch", epoch)
        with self._turn:
            at, step = self._core.position()
            if not (self._is_placed and at == epoch and step < len(self)):
                self._core.begin_epoch(epoch)
                self._place()
            elif self._is_cancelled:
                self._core.seek(at, step)
                self._place()

    def seek(self, epoch: int, step: int = 0) -> None:
        """Makes the next loop continue with this step of this epoch, also after `cancel`."""
        with self._turn:
            self._core.seek(integer("epoch", epoch), integer("step", step))
            self._place()

    def _place(self) -> None:
        self._is_placed = True
        self._is_cancelled = False
        self._iteration += 1

    @property
    def next_epoch(self) -> int:
        """Index of the epoch that the next loop starts or resumes:
        `for epoch in range(loader.next_epoch, epochs)` continues a run."""
        with self._turn:
            return self._next_epoch()[0]

    def _refuse_empty_rows(self, who: str) -> None:
        if self._given["last_batch"] == "pad":
            raise UsageError(
                f'last_batch="pad" adds empty rows, which {who} would count as samples; open the '
                'loader with last_batch="keep"',
                option="last_batch",
            )

    def _refuse_device(self, who: str) -> None:
        if self.device is not None:
            raise UsageError(
                f"{who} takes a loader in host memory; use hotpack.Loader", option="loader"
            )

    def _next_epoch(self) -> tuple[int, bool]:
        """The epoch of the next loop, and whether the loader stands in it."""
        epoch, step = self._core.position()
        if not self._is_placed:
            return self._epoch + 1, False
        if step == len(self):  # all its batches were taken before
            return epoch + 1, False
        return epoch, True

    # ---- facts

    @property
    def batch_size(self) -> int:
        """Rows of this rank's largest batch; all have as many, except with last_batch="keep" the
        last of an epoch."""
        rows: int = self._core.batch_size
        return rows

    def stats(self) -> dict[str, float]:
        """batches: handed out; wait_seconds: spent waiting for batches, and in next_into
        also copying; threads. In host memory: slots, leased: batches in memory, and of these held
        by the program; slot_bytes: memory of all slots. On a device: copied_bytes: from host to
        device; pinned_bytes, device_bytes: memory in use, without batches that were handed out;
        load_seconds: that opening needed to load records."""
        stats: dict[str, float] = self._core.stats()
        return stats

    @property
    def residency(self) -> tuple[str, int, str] | None:
        """Place of packed records between epochs, "page" or "device"; the bytes of all of them
        there; and why. None for a loader in host memory."""
        if self.device is None:
            return None
        residency: tuple[str, int, str] = self._core.residency()
        return residency

    # ---- the end

    def cancel(self) -> None:
        """Wakes every waiting call, from any thread. Calls and loops raise CancelledError until
        `seek`, `load_state_dict` or `set_epoch`."""
        self._is_cancelled = True
        self._core.cancel()

    def close(self) -> None:
        """Stops the threads; batches stay valid. May be called from another thread, and again."""
        self._core.close()

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            "a Loader has threads and cannot be pickled; give the data set, which can be, to the "
            "other process and open a Loader there"
        )

    def __repr__(self) -> str:
        name = type(self).__module__.removesuffix(".loader")
        return (
            f"<{name}.{type(self).__name__} {len(self)} batches of {self.batch_size} an epoch, "
            f"rank {self.rank} of {self.world_size} ({self._origin}), {self._memory_text()}: "
            f"{self.dataset!r}>"
        )

    def _memory_text(self) -> str:
        stats = self.stats()
        if self.residency is None:
            memory = stats["slot_bytes"] / 2**20
            return f"{stats['slots']} slots of {memory:.1f} MiB in all, {stats['threads']} threads"
        memory = stats["device_bytes"] / 2**20
        place = {"page": "the page cache", "device": "device memory"}[self.residency[0]]
        return f"{memory:.1f} MiB of device {self.device}, records in {place}"


_Self = TypeVar("_Self", bound="LoaderOf[Any]")


class Loader(LoaderOf[Batch]):
    """Batches of a data set, as NumPy arrays: `for x, y in loader` is one epoch.

    Thread-safe: threads that share an iterator get different batches. In a forked child a Loader of
    the parent raises UsageError; open another one.
    """

    _batch_class = Batch

    # <api: python Loader>
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
        image: Image = Image(),
        label: Label | None = None,
        augment: Augment | None = None,
        pad_to: tuple[int, int] | None = None,
        threads: int = 0,
        prefetch_batches: int = 3,
        verify_checksums: VerifyChecksums = "first_read",
        access: Access = "map",
        timeout: float | None = 600.0,
        memory_budget_bytes: int = 0,
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

        Raises:
            UsageError: for options that do not fit each other or the data set.
            DamagedError, IoError: while reading, at exactly the step that holds the record.
            TimeoutError, CancelledError: while waiting for a batch.
        """
        self._open(locals())
    # </api>


class DeviceLoader(LoaderOf[DeviceBatch]):
    """Batches of a data set in the memory of a CUDA device, as arrays that CuPy, JAX, PyTorch and
    others take by DLPack or `__cuda_array_interface__`, without a copy. Packed records cross the
    bus once; a kernel writes what the model wants. Order, shapes and bytes are those of `Loader`.

    Raises also UsageError without a driver or device, and IoError when a call of the driver fails,
    and then at every later call. CUDA does not work after a fork.
    """

    _batch_class = DeviceBatch
    _default_device = 0

    # <api: python DeviceLoader>
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
        image: Image = Image(),
        label: Label | None = None,
        augment: Augment | None = None,
        pad_to: tuple[int, int] | None = None,
        threads: int = 0,
        prefetch_batches: int = 3,
        verify_checksums: VerifyChecksums = "first_read",
        access: Access = "map",
        timeout: float | None = 600.0,
        memory_budget_bytes: int = 0,
        device: Device | None = None,
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


def _open_on_device(
    dataset: Dataset, options: dict[str, Any], progress: Listener | bool | None
) -> Any:
    listener, finish = load_listener(progress)
    try:
        return _core.open_device_loader(dataset._core, options, listener)
    finally:
        finish()


class NextInfo(Rows):
    """Describes what `next_into` has written: epoch, step, batch_size, num_valid, indices, keys and
    crops, as in a batch."""

    __slots__ = ()


class _Iterator(Iterator[_AnyBatch]):
    """One epoch. Holds no batch."""

    def __init__(self, loader: LoaderOf[_AnyBatch], number: int) -> None:
        self._loader = loader
        self._number = number
        self._is_over = False
        self._turn = threading.Lock()  # a thread after the end must not take the next epoch's batch

    def __next__(self) -> _AnyBatch:
        with self._turn:
            if not self._is_over:
                batch = self._loader._next(self._number)
                if batch is not None:
                    return batch
                self._is_over = True
        raise StopIteration

    def __length_hint__(self) -> int:
        return len(self._loader)


def check_data(data: Any) -> None:
    """Raises UsageError for what is neither a data set nor a folder."""
    if isinstance(data, LoaderOf):
        raise UsageError("data is a loader; give its data set or the folder", option="data")
    if not isinstance(data, (Dataset, str, bytes, os.PathLike)):
        raise UsageError(
            f"data is a {type(data).__name__}; give the folder of a pack or a data set of "
            "hotpack.open; its subset(indices) has samples of your choice",
            option="data",
        )


def _check_augment(augment: Any) -> None:
    if augment is not None and not hasattr(augment, "horizontal_flip"):
        raise UsageError(f"augment is {augment!r}; it must be a hotpack.Augment", option="augment")


def _refuse_device_options(given: Mapping[str, Any]) -> None:
    for name, default in DEVICE_OPTIONS.items():
        if (given.get(name, default) or None) != (default or None):
            raise UsageError(f"{name} is for batches on a device; set device as well", option=name)


def check_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the options as _core takes them, without rank and world_size. Raises UsageError for
    the first wrong one."""
    check_forms(given["image"], given["label"])
    _check_augment(given["augment"])
    _seconds(given["timeout"])
    own = {name: value for name, value in given.items() if name not in ("rank", "world_size")}
    return {name: _plain(name, value) for name, value in own.items()}


def _plain(name: str, value: Any) -> Any:
    """Returns the value of an option as _core takes it. Raises UsageError for a wrong one."""
    if name in WORDS:
        return word(name, value)
    if name in INTEGERS:
        return None if value is None and name in MAY_BE_NONE else integer(name, value)
    if name in ("image", "label"):
        return None if value is None else value._spec()
    plain: dict[str, Callable[[Any], Any]] = {
        "augment": _augment_spec,
        "pad_to": lambda size: checked_size("pad_to", size),
        "resume": _state_text,
    }
    return plain[name](value) if name in plain and value is not None else value


def _seconds(timeout: Any) -> float:
    """Returns the limit of a wait in seconds; 0 waits forever."""
    if timeout is None:
        return 0.0
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
        raise UsageError(
            f"timeout is {timeout!r}; it must be seconds above 0, or None to wait forever",
            option="timeout",
        )
    return float(timeout)


def _state_text(state: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(state), separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError):
        raise UsageError(
            "not a state of a loader; give what state_dict() returned, unchanged", option="state"
        ) from None


def _augment_spec(augment: Augment) -> tuple[Any, ...]:
    crop, resized = augment.crop, augment.resized_crop
    return (
        float(augment.horizontal_flip),
        float(augment.vertical_flip),
        None if crop is None else (crop.width, crop.height, crop.random),
        (
            None
            if resized is None
            else (
                resized.width,
                resized.height,
                float(resized.min_area),
                float(resized.max_area),
                float(resized.min_ratio),
                float(resized.max_ratio),
            )
        ),
    )
