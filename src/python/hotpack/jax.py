"""Arrays of JAX.

    for b in hotpack.jax.Loader(ds, 32):  # f32 [N,H,W,c] and i32 [N,H,W]
        step(b.image, b.label)

Arrays on the CPU share the memory of a batch, which is not overwritten as long as one of them
lives. JAX runs ahead of the program and so holds several batches: a Loader has 6 slots here.
"""

from __future__ import annotations

from typing import Any

import jax

from . import batch as numpy_batch
from .forms import Ids, Image, Label
from .loader import LoaderOf

__all__ = ["Batch", "Loader"]

_IMAGE = Image("float32", "NHWC")
_LABEL = Ids("int32")


class Batch(numpy_batch.Batch):
    """Images and labels of one step, as arrays of JAX; `x, y = batch` gives both. Else as
    `hotpack.Batch`."""

    __slots__ = ()

    @property
    def image(self) -> jax.Array:  # type: ignore[override]
        """[N,H,W,c], or [N,c,H,W] with layout "NCHW"."""
        if self._image is None:
            self._image = jax.device_put(self._viewed(self._core.image(), self._image_view))
        image: jax.Array = self._image
        return image

    @property
    def label(self) -> jax.Array | None:  # type: ignore[override]
        """As `hotpack.Batch.label`, as an array of JAX."""
        if self._label is None:
            array = self._core.label()
            if array is not None:
                self._label = jax.device_put(self._viewed(array, self._label_view))
        label: jax.Array | None = self._label
        return label

    @staticmethod
    def _viewed(array: Any, view: Any) -> Any:
        return array if view is None else array.view(view)


class Loader(LoaderOf[Batch]):
    """As `hotpack.Loader`, with arrays of JAX. By default images are f32 [N,H,W,c] in 0 … 1 and
    labels i32 [N,H,W]. For several processes: rank="jax" and
    `jax.make_array_from_process_local_data(sharding, b.image)`."""

    _batch_class = Batch
    _default_label = _LABEL

    def __init__(
        self,
        data: Any,
        batch_size: int | None = None,
        *,
        image: Image = _IMAGE,
        label: Label | None = _LABEL,
        slots: int = 6,
        **options: Any,
    ) -> None:
        super().__init__(data, batch_size, image=image, label=label, slots=slots, **options)
