"""Tensors of TensorFlow.

    for x, y in hotpack.tf.batches(loader): train_step(x, y)   # eager
    model.fit(hotpack.tf.dataset(loader))                      # a tf.data.Dataset

The loader is a `hotpack.Loader`. last_batch="pad" is refused, because TensorFlow would count the
empty rows; "keep" gives a shorter last batch in their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from .errors import UsageError
from .loader import LoaderOf

__all__ = ["batches", "dataset"]


def __dir__() -> list[str]:
    return __all__


def batches(loader: LoaderOf[Any]) -> Iterator[tuple[tf.Tensor, tf.Tensor | None]]:
    """One epoch of (images, labels), as tensors. On the CPU they share the memory of the batch,
    which is not overwritten as long as one of them lives."""
    _check(loader, "hotpack.tf.batches")
    return _pairs(loader)


def dataset(loader: LoaderOf[Any]) -> tf.data.Dataset:
    """A tf.data.Dataset, each loop over which is one epoch of (images, labels), or of images alone.
    Its cardinality is known. Takes the loader's batches one after another, so give a loader to one
    data set only, and loop over that one at a time.

    Raises UsageError if the loader stands in the middle of an epoch, as after `resume=`. Errors
    within a loop are TensorFlow's, with the text of hotpack's: so is that of a loop when another
    one has begun."""
    _check(loader, "hotpack.tf.dataset")
    _check_whole(loader)
    spec, epochs = _specification(loader), _Epochs(loader)
    types = [part.dtype for part in spec]
    steps = len(loader)

    def take(epoch: Any) -> Any:
        tensors = tf.py_function(epochs.take, [epoch], types)
        for tensor, part in zip(tensors, spec):
            tensor.set_shape(part.shape)
        return tuple(tensors) if len(tensors) > 1 else tensors[0]

    def begin(_: Any) -> Any:
        epoch = tf.py_function(epochs.begin, [], tf.int64)
        return tf.data.Dataset.from_tensors(epoch).repeat(steps)

    batches = (
        tf.data.Dataset.range(1).flat_map(begin).map(take, num_parallel_calls=1, deterministic=True)
    )
    return batches.apply(tf.data.experimental.assert_cardinality(steps)).prefetch(1)


def _pairs(loader: LoaderOf[Any]) -> Iterator[tuple[tf.Tensor, tf.Tensor | None]]:
    for image, label in loader:
        yield _tensor(image), None if label is None else _tensor(label)


class _Epochs:
    """The epochs of a loader, one after another; each has a number."""

    def __init__(self, loader: LoaderOf[Any]) -> None:
        self._loader = loader
        self._batches: Any = None
        self._number = 0

    def begin(self) -> int:
        _check_whole(self._loader)
        self._batches = iter(self._loader)
        self._number += 1
        return self._number

    def take(self, number: Any) -> list[tf.Tensor]:
        if int(number) != self._number:
            raise UsageError(
                "another loop over this data set has begun, so this one is over; a loader gives "
                "one epoch at a time"
            )
        image, label = next(self._batches)
        return [_tensor(image)] if label is None else [_tensor(image), _tensor(label)]


def _check(loader: Any, who: str) -> None:
    """Refuses what is no loader, and batches on a device or with empty rows."""
    if not isinstance(loader, LoaderOf):
        raise UsageError(
            f"loader is a {type(loader).__name__}; give a hotpack.Loader", option="loader"
        )
    loader._refuse_device(who)
    loader._refuse_empty_rows("TensorFlow")


def _check_whole(loader: LoaderOf[Any]) -> None:
    """That the next loop over the loader is a whole epoch. Raises UsageError."""
    epoch, step = loader._core.position()
    if loader._next_epoch() == (epoch, True) and step:
        raise UsageError(
            f"the loader stands before step {step} of epoch {epoch}, and the epochs of a "
            "tf.data.Dataset have one length: take the rest with hotpack.tf.batches(loader) first, "
            f"or give it up with loader.seek({epoch + 1})"
        )


def _specification(loader: LoaderOf[Any]) -> list[tf.TensorSpec]:
    """Types and shapes, from the first sample."""
    form = loader._given
    first = loader.dataset.read(
        [0], image=form["image"], label=form["label"], pad_to=form["pad_to"]
    )
    fields = [field for field in first if field is not None]
    size = _augmented_size(form["augment"])
    rows = None if form["last_batch"] == "keep" else loader.batch_size
    if loader.dataset.image_shape is None and form["pad_to"] is None or size is not None:
        return [tf.TensorSpec([rows, *[None] * (field.ndim - 1)], _type(field)) for field in fields]
    return [tf.TensorSpec([rows, *field.shape[1:]], _type(field)) for field in fields]


def _augmented_size(augment: Any) -> Any:
    return None if augment is None else augment.crop or augment.resized_crop


def _type(field: Any) -> tf.DType:
    return tf.bfloat16 if field.dtype.name == "bfloat16" else tf.as_dtype(field.dtype)


def _tensor(array: Any) -> tf.Tensor:
    """A tensor over the array, by the only form of DLPack that TensorFlow takes."""
    if array.dtype.name == "bfloat16":
        return tf.bitcast(_tensor(array.view(np.uint16)), tf.bfloat16)
    return tf.experimental.dlpack.from_dlpack(array.__dlpack__())
