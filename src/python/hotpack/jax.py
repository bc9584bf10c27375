"""Arrays of JAX.

    for b in hotpack.jax.Loader(ds, 32):  # f32 [N,H,W,c] and i32 [N,H,W]
        step(b.image, b.label)

Arrays on the CPU share the memory of a batch, which is not overwritten as long as one of them
lives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from .batch import BatchOf
from .device import Device, DeviceArray, is_host, ordinal_of
from .errors import UsageError
from .forms import Ids, Image, Label
from .loader import LoaderOf
from .option_table import Access, LastBatch, Residency, Shuffle, VerifyChecksums
from .options import checked_names

if TYPE_CHECKING:
    from .dataset import Dataset, Path
    from .process import Listener
    from .pure import Augment

__all__ = ["Batch", "Loader"]


def __dir__() -> list[str]:
    return __all__


_IMAGE = Image("float32", "NHWC")
_LABEL = Ids("int32")


class Batch(BatchOf[jax.Array]):
    """A batch whose images and labels are arrays of JAX; else as `hotpack.Batch`."""

    __slots__ = ()

    @staticmethod
    def _made(array: Any, view: Any) -> jax.Array:
        made: jax.Array
        if isinstance(array, np.ndarray):
            made = jax.device_put(array if view is None else array.view(view))
        else:
            made = jax.dlpack.from_dlpack(DeviceArray(array))
        return made


class Loader(LoaderOf[Batch]):
    """As `hotpack.Loader`, with arrays of JAX. By default images are f32 [N,H,W,c] in 0 … 1 and
    labels i32 [N,H,W]. device: a number, "cuda:1" or a jax.Device makes it as
    `hotpack.DeviceLoader`. Without it, or with "cpu", batches are read in host memory, and
    `jax.device_put` puts them on JAX's default device.

    For several processes: rank="jax", and `jax.make_array_from_process_local_data(sharding,
    b.image)`.
    """

    _batch_class = Batch
    _default_label = _LABEL

    # <api: python jax.Loader>
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

    def _ordinal(self, device: Device | None) -> int | None:
        """Returns the number of a CUDA device; None for the host."""
        if is_host(device):
            return None
        ordinal = ordinal_of(device)
        try:
            jax.devices("cuda")
        except RuntimeError as error:
            raise UsageError(
                f"this JAX has no CUDA ({error}); install jax[cuda12], or leave out device",
                option="device",
            ) from None
        return ordinal
