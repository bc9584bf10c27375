"""Arrays of JAX.

    for b in hotpack.jax.Loader(ds, 32):  # f32 [N,H,W,c] and i32 [N,H,W]
        step(b.image, b.label)

Arrays on the CPU share the memory of a batch, which is not overwritten as long as one of them
lives. JAX runs ahead of the program and so holds several batches: a Loader has 6 slots here.
"""

from __future__ import annotations

from typing import Any, Unpack

import jax
import numpy as np

from .batch import BatchOf
from .dataset import Dataset, Path
from .device import Device, DeviceArray
from .forms import Ids, Image, Label
from .loader import LoaderOf, Options

__all__ = ["Batch", "Loader"]

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
    `hotpack.DeviceLoader`; JAX runs ahead, so give as many outputs as it may hold.

    For several processes: rank="jax", and `jax.make_array_from_process_local_data(sharding,
    b.image)`.
    """

    _batch_class = Batch
    _default_label = _LABEL

    def __init__(
        self,
        data: Dataset | Path,
        batch_size: int | None = None,
        *,
        image: Image = _IMAGE,
        label: Label | None = _LABEL,
        slots: int = 6,
        device: Device | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__(
            data, batch_size, image=image, label=label, prefetch_batches=slots, device=device, **options
        )
