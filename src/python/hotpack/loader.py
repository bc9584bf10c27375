"""Batches for training, in a seeded order that depends on nothing else: not on threads, not on the
number of processes, not on interruptions.

Threads of the library read ahead into a few slots; a batch is one of these slots.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core
from .batch import Batch, BatchOf
from .dataset import Check, Dataset, Path, open
from .device import Device, DeviceBatch, Residency, load_listener, ordinal_of
from .distributed import place_of
from .errors import UsageError
from .forms import Image, Label, view_of

if TYPE_CHECKING:  # only its attributes are used; hotpack.pure takes a while to import
    from .process import Listener
    from .pure import Augment

Shuffle = bool | Literal["block"]
Tail = Literal["drop", "pad", "wrap"]
State = dict[str, str | int]
_LEGACY_STREAM = 0
_MOST_SMALL = 2**32 - 1
_MOST_DEVICE = 2**31 - 1
_AnyBatch = TypeVar("_AnyBatch", bound=BatchOf[Any])


class Options(TypedDict, total=False):
    """Options that mean the same to the loaders of all frameworks; `Loader` and `DeviceLoader`
    describe them."""

    global_batch_size: int | None
    shuffle: Shuffle
    seed: int
    tail: Tail
    rank: int | str | None
    world: int | None
    augment: Augment | None
    pad_to: tuple[int, int] | None
    threads: int
    timeout: float | None
    check: Check
    access: Literal["map", "read"]
    block_samples: int
    window_blocks: int
    resume: Mapping[str, Any] | None
    residency: Residency
    outputs: int
    pinned_budget: int | None
    device_budget: int | None
    progress: Listener | bool | None


atexit.register(_core.end_waiting)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_core.forget_waiting)


class LoaderOf(Generic[_AnyBatch]):
    """What the loaders of all frameworks have in common; see `Loader` and `DeviceLoader`."""

    _batch_class: type[_AnyBatch]
    _default_label: Label | None = None  # not for data sets without labels
    _has_device = True
    _default_device: int | None = None
    _lends_outputs = True  # on a device: batches are in memory of the loader
    _stride = 1  # in host memory: steps from one batch to the next, for processes that share them

    def __init__(
        self,
        data: Dataset | Path,
        batch_size: int | None = None,
        *,
        global_batch_size: int | None = None,
        image: Image = Image(),
        label: Label | None = None,
        shuffle: Shuffle = True,
        seed: int = 0,
        tail: Tail = "drop",
        rank: int | str | None = None,
        world: int | None = None,
        augment: Augment | None = None,
        pad_to: tuple[int, int] | None = None,
        slots: int = 4,
        threads: int = 0,
        timeout: float | None = 600.0,
        check: Check = "first",
        access: Literal["map", "read"] = "map",
        block_samples: int = 256,
        window_blocks: int = 16,
        resume: Mapping[str, Any] | None = None,
        device: Device | None = None,
        residency: Residency = "auto",
        outputs: int = 4,
        pinned_budget: int | None = None,
        device_budget: int | None = None,
        progress: Listener | bool | None = None,
    ) -> None:
        given = {
            name: value for name, value in locals().items() if name not in ("self", "__class__")
        }
        self._given = given
        dataset = data if isinstance(data, Dataset) else open(data)
        self.dataset = dataset
        if label is self._default_label and dataset._core.label is None:
            given["label"] = label = None
        _check_forms(image, label, augment)
        place = place_of(rank, world)
        self.rank, self.world, self._origin = place
        _check_choices(shuffle, tail, access, timeout)
        options = {
            "global_batch_size": _global_size(batch_size, global_batch_size, self.world),
            "image": image._spec(),
            "label": None if label is None else label._spec(),
            "shuffle": {True: "full", False: "none", "block": "block"}[shuffle],
            "seed": _unsigned("seed", seed),
            "epoch": 0,
            "tail": tail,
            "rank": _unsigned("rank", self.rank),
            "world": _unsigned("world", self.world),
            "augment": _augment_spec(augment),
            "pad_to": _size("pad_to", pad_to),
            "slots": _unsigned("slots", slots, 2, _MOST_SMALL),
            "threads": _unsigned("threads", threads, 0, _MOST_SMALL),
            "check": check,
            "access": access,
            "block_samples": _unsigned("block_samples", block_samples),
            "window_blocks": _unsigned("window_blocks", window_blocks),
            "resume": None if resume is None else _state_text(resume),
        }
        self._image_view, self._label_view = view_of(image), view_of(label)
        self.device = self._default_device if device is None else ordinal_of(device)
        if self.device is not None and not self._has_device:
            raise UsageError(
                "hotpack.Loader gives NumPy arrays, which are never on a device; use "
                "hotpack.DeviceLoader, or hotpack.torch.Loader or hotpack.jax.Loader with device=",
                option="device",
            )
        self._core: Any  # a Loader or a DeviceLoader of _core
        if self.device is None:
            _refuse_device_options(given)
            self._core = _core.open_loader(dataset._core, options, self._stride)
        else:
            placed = {
                "device": _unsigned("device", self.device, 0, _MOST_DEVICE),
                "residency": residency,
                "outputs": self._lends_outputs and _unsigned("outputs", outputs, 0, _MOST_SMALL),
                "pinned_budget": _budget("pinned_budget", pinned_budget),
                "device_budget": _budget("device_budget", device_budget),
            }
            self._core = _open_on_device(dataset, options, placed, progress)
        self._timeout = float(timeout or 0)
        self._turn = threading.Lock()  # for the iteration, not for next()
        self._iteration = 0
        self._epoch = 0  # of the running iteration
        self._is_placed = True  # nothing was taken since the loader was opened or moved
        self._is_cancelled = False

    # ---- iteration

    def __iter__(self) -> Iterator[_AnyBatch]:
        """The batches of one epoch: the next one, or after `load_state_dict`, `seek` and
        `set_epoch`, and after a loop that took nothing, the rest of the one where the loader
        stands. An older iterator then raises UsageError."""
        with self._turn:
            epoch, is_here = self._next_epoch()
            if not is_here and not self._is_cancelled:  # begin_epoch would end the cancellation
                self._core.begin_epoch(epoch)
            self._epoch = epoch
            self._is_placed = True  # a loop that takes nothing is none
            self._iteration += 1
            return _Iterator(self, self._iteration)

    def __len__(self) -> int:
        """Batches an epoch, the same on every rank."""
        steps: int = self._core.steps
        return steps

    def next_into(
        self, image: npt.NDArray[Any] | None = None, label: npt.NDArray[Any] | None = None
    ) -> NextInfo | None:
        """Writes the next batch into your arrays, contiguous and of at least its bytes; None skips
        a field. Returns None at the end of an epoch; the call after that begins the next one.
        Raises UsageError on a device."""
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
        return self._batch_class(core, self._image_view, self._label_view)

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
        batch size or tail differ, and names the first difference."""
        with self._turn:
            self._core.restore(_state_text(state))
            self._place()

    def set_epoch(self, epoch: int) -> None:
        """Makes the next loop begin with this epoch. The position stays where the loader stands in
        it already, at its beginning or after `load_state_dict`. Ends a cancellation."""
        epoch = _unsigned("epoch", epoch)
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
            self._core.seek(_unsigned("epoch", epoch), _unsigned("step", step))
            self._place()

    def _place(self) -> None:
        self._is_placed = True
        self._is_cancelled = False
        self._iteration += 1

    @property
    def next_epoch(self) -> int:
        """The epoch that the next loop gives, or of which it gives the rest: so
        `for epoch in range(loader.next_epoch, epochs)` continues a run."""
        with self._turn:
            return self._next_epoch()[0]

    def _check_tail(self) -> None:
        """Refuses batches that are unequal on several processes after empty rows are cut."""
        if self._given["tail"] == "pad" and self.world > 1:
            raise UsageError(
                f'tail="pad" gives {self.world} processes last batches of different sizes: to '
                "evaluate all samples, open the loader in one process, with rank=0 and world=1; to "
                'train, with tail="drop" or "wrap"',
                option="tail",
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
        """Rows of this rank's batches."""
        rows: int = self._core.rows
        return rows

    def stats(self) -> dict[str, float]:
        """batches: handed out; wait_seconds: spent waiting for batches, and in next_into
        also copying; threads. In host memory: slots, leased: batches in memory, and of these held
        by the program; slot_bytes: memory of all slots. On a device:
        copied_bytes: from host to device; pinned_bytes, device_bytes: memory in use; load_seconds:
        that opening needed to load records."""
        stats: dict[str, float] = self._core.stats()
        return stats

    @property
    def residency(self) -> tuple[str, int, str] | None:
        """Where a device loader keeps packed records between epochs, "page", "pinned" or "device";
        the bytes of all of them there; and why. None for a loader in host memory."""
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
            f"rank {self.rank} of {self.world} ({self._origin}), {self._memory_text()}: "
            f"{self.dataset!r}>"
        )

    def _memory_text(self) -> str:
        stats = self.stats()
        if self.residency is None:
            memory = stats["slot_bytes"] / 2**20
            return f"{stats['slots']} slots of {memory:.1f} MiB in all, {stats['threads']} threads"
        memory = stats["device_bytes"] / 2**20
        return f"{memory:.1f} MiB of device {self.device}, records in {self.residency[0]} memory"


_Self = TypeVar("_Self", bound="LoaderOf[Any]")


class Loader(LoaderOf[Batch]):
    """Batches of a data set, as NumPy arrays: `for x, y in loader` is one epoch.

    data: a Dataset, or the folder of a pack. batch_size: rows of this process's batches;
    global_batch_size: of all processes together; give one of them. image, label: forms; by default
    the stored bytes and class ids. shuffle: True, False, or "block" for slow disks. seed: of the
    order and of augmentation. tail: if the last batch of an epoch is not full, "drop" it, "pad" it
    with empty rows after the first `Batch.valid`, or "wrap" to the first samples. rank, world: this
    process and how many train together; by default what torch.distributed or RANK and WORLD_SIZE
    say; or rank="slurm", "mpi", "jax". augment: flips and crops. pad_to: height and width to which
    records of different sizes are padded. slots: batches in memory, read ahead or in use; there are
    more while the program holds many. threads: 0 means one a core, at most 8. timeout: seconds that
    a batch may take; None waits for ever. check: when to check a record's CRC-32C. access: "map",
    or "read" to use only system calls. resume: a state_dict.

    Raises UsageError for options that do not fit the data set. While reading: DamagedError and
    IoError at exactly the step that holds the record, TimeoutError, CancelledError.

    Thread-safe: threads that share an iterator get different batches. In a forked child a Loader of
    the parent raises UsageError; open another one.
    """

    _batch_class = Batch
    _has_device = False


class DeviceLoader(LoaderOf[DeviceBatch]):
    """Batches of a data set in the memory of a CUDA device, as arrays that CuPy, JAX, PyTorch and
    others take by DLPack or `__cuda_array_interface__`, without a copy. Packed records cross the
    bus once; a kernel writes what the model wants. Order, shapes and bytes are those of `Loader`.

    Takes the options of `Loader`; slots: packed batches in pinned memory. device: a number, as
    CUDA_VISIBLE_DEVICES shows it, "cuda:1", or a device of a framework. residency: where packed
    records stay between epochs: the system's "page" cache, "pinned" memory, memory of the "device",
    or "auto", the first of device, pinned and page that fits. outputs: batches that the program may
    hold; one more raises UsageError. pinned_budget, device_budget: limits in bytes; by default a
    quarter of the memory that is left divided by world, and half of the device's free memory.
    progress: called with a Progress while opening loads records, or True for a bar of tqdm.

    Raises as `Loader`; UsageError without a driver or device; IoError when a call of the driver
    fails, and then at every later call. CUDA does not work after a fork.
    """

    _batch_class = DeviceBatch
    _default_device = 0

def _open_on_device(
    dataset: Dataset,
    options: dict[str, Any],
    placed: dict[str, Any],
    progress: Listener | bool | None,
) -> Any:
    listener, finish = load_listener(progress)
    try:
        return _core.open_device_loader(dataset._core, options, placed, listener)
    finally:
        finish()


class NextInfo:
    """What `next_into` has written: epoch, step, valid (rows with a sample), index (i64 [N]),
    keys."""

    __slots__ = ("epoch", "index", "keys", "step", "valid")

    def __init__(
        self, epoch: int, step: int, valid: int, index: npt.NDArray[np.int64], keys: list[str]
    ) -> None:
        self.epoch = epoch
        self.step = step
        self.valid = valid
        self.index = index
        self.keys = keys


class _Iterator(Iterator[_AnyBatch]):
    """One epoch. Holds no batch."""

    def __init__(self, loader: LoaderOf[_AnyBatch], number: int) -> None:
        self._loader = loader
        self._number = number
        self._is_over = False

    def __next__(self) -> _AnyBatch:
        if not self._is_over:
            batch = self._loader._next(self._number)
            if batch is not None:
                return batch
            self._is_over = True
        raise StopIteration

    def __length_hint__(self) -> int:
        return len(self._loader)


def _check_forms(image: Any, label: Any, augment: Any) -> None:
    if not isinstance(image, Image):
        raise UsageError(f"image is {image!r}; it must be a hotpack.Image", option="image")
    if label is not None and not isinstance(label, Label):
        raise UsageError(
            f"label is {label!r}; it must be hotpack.Ids, hotpack.OneHot or hotpack.Bits",
            option="label",
        )
    if augment is not None and not hasattr(augment, "horizontal_flip"):
        raise UsageError(f"augment is {augment!r}; it must be a hotpack.Augment", option="augment")


def _check_choices(shuffle: Any, tail: Any, access: Any, timeout: Any) -> None:
    if shuffle not in (True, False, "block"):
        raise UsageError(f"shuffle {shuffle!r} is none of True, False, 'block'", option="shuffle")
    if tail not in ("drop", "pad", "wrap"):
        raise UsageError(f"tail {tail!r} is none of 'drop', 'pad', 'wrap'", option="tail")
    if access not in ("map", "read"):
        raise UsageError(f"access {access!r} is neither 'map' nor 'read'", option="access")
    is_time = timeout is None or isinstance(timeout, (int, float)) and timeout >= 0
    if not is_time:
        raise UsageError(
            f"timeout is {timeout!r}; it must be seconds from 0 on, or None to wait for ever",
            option="timeout",
        )


def _refuse_device_options(given: Mapping[str, Any]) -> None:
    unused = {
        "residency": "auto",
        "outputs": 4,
        "pinned_budget": None,
        "device_budget": None,
        "progress": None,
    }
    for name, default in unused.items():
        if given[name] != default:
            raise UsageError(f"{name} is for batches on a device; give device=, too", option=name)


def _size(name: str, size: Any) -> tuple[int, int] | None:
    if size is None:
        return None
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise UsageError(f"{name} is {size!r}; it must be (height, width)", option=name)
    return _unsigned(name, size[0], 1, _MOST_SMALL), _unsigned(name, size[1], 1, _MOST_SMALL)


def _budget(name: str, size: int | None) -> int | None:
    return None if size is None else _unsigned(name, size)


def _global_size(batch_size: int | None, global_batch_size: int | None, world: int) -> int:
    if (batch_size is None) == (global_batch_size is None):
        raise UsageError(
            "give either batch_size, the rows of each process, or global_batch_size, those of all "
            "processes together",
            option="batch_size",
        )
    if global_batch_size is not None:
        return _unsigned("global_batch_size", global_batch_size)
    assert batch_size is not None
    return _unsigned("batch_size", batch_size) * world


def _unsigned(name: str, value: Any, least: int = 0, most: int = 2**64 - 1) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise UsageError(f"{name} is {value!r}; it must be an integer", option=name)
    number: int = value.__index__()
    if not least <= number <= most:
        raise UsageError(f"{name} is {number}; it must be from {least} to {most}", option=name)
    return number


def _state_text(state: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(state), separators=(",", ":"), ensure_ascii=False)
    except (TypeError, ValueError):
        raise UsageError(
            "not a state of a loader; give what state_dict() returned, unchanged", option="state"
        ) from None


def _augment_spec(augment: Augment | None) -> tuple[Any, ...] | None:
    if augment is None:
        return None
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
