"""Data sets for Keras 3, with any backend.

loader = hotpack.Loader(ds, 32, image=hotpack.Image("float32"), label=hotpack.Ids("int32"))
model.fit(hotpack.keras.PyDataset(loader), epochs=3)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import keras
import numpy as np
import numpy.typing as npt

from .errors import UsageError
from .forms import Bits, OneHot
from .loader import DeviceLoader, LoaderOf, State

__all__ = ["Position", "PyDataset"]


def __dir__() -> list[str]:
    return __all__


class PyDataset(keras.utils.PyDataset):  # type: ignore[misc]
    """The batches of a loader for `fit`, `evaluate` and `predict`.

    class_weights: f32 [C], such as `ds.class_weights()`: Keras gets the weight of each pixel, or of
    each image, as sample_weight; 0 for one without a class. fit's own class_weight is for labels
    of whole images only. transform: called with images and labels, gives what Keras gets;
    sample_weight and several outputs come that way. Give at most one of the two.

    The loader decides about the order: Keras' own `shuffle` permutes the numbers of batches, which
    change nothing here. For validation, open it with shuffle=False and last_batch="keep": each
    sample counts once. Raises as the loader, and UsageError for last_batch="pad", whose empty rows
    Keras would count.

    Every epoch of Keras begins with the first batch of another epoch of the loader. One that is
    shorter, by steps_per_epoch, must be the last of its call of `fit`: Keras then keeps batches of
    the old epoch for the next, so that raises UsageError. So does `fit` after an exception or
    `stop_training` in the middle of an epoch: to continue, give a new PyDataset a loader that
    stands there.

    Keras draws trial batches before training, so the loader runs ahead of the model. `Position`
    tracks the last trained batch. To continue in the middle of an epoch, open the
    loader with that state and call `fit` for each of `rest(epochs)`. Without `rest`, such a loader
    raises UsageError at the first batch.
    """

    def __init__(
        self,
        loader: LoaderOf[Any],
        *,
        class_weights: npt.ArrayLike | None = None,
        transform: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        super().__init__(workers=1, use_multiprocessing=False, max_queue_size=2)
        if not isinstance(loader, LoaderOf):
            raise UsageError(f"loader is a {type(loader).__name__}; give a hotpack.Loader")
        if type(loader).__module__ == "hotpack.torch" and keras.backend.backend() != "torch":
            raise UsageError(
                "loader gives tensors of PyTorch, and Keras runs on another backend; give a "
                "hotpack.Loader",
                option="loader",
            )
        if isinstance(loader, DeviceLoader):
            loader._refuse_device("hotpack.keras.PyDataset")
        if class_weights is not None:
            loader._refuse_device("hotpack.keras.PyDataset with class_weights")
        loader._refuse_empty_rows("Keras")
        self._loader = loader
        self._transform = transform
        if class_weights is not None:
            if transform is not None:
                raise UsageError(
                    "class_weights and transform are both set; let the transform return "
                    "(images, labels, weights)",
                    option="class_weights",
                )
            self._transform = _Weighted(loader, class_weights)
        self._turn = threading.Lock()
        self._batches: Any = None  # of the running epoch, or of a trial
        self._first = loader.state_dict()  # perhaps in the middle of an epoch
        self._epoch, self._given = loader._core.position()
        if self._given == len(loader):  # all batches of an epoch were taken: the next one begins
            self._epoch, self._given = self._epoch + 1, 0
            self._first = self._state(self._epoch, 0)
        self._is_first = True
        self._is_rest = False  # only what is left of the first epoch is wanted
        self._is_running = False
        self._taken = 0  # in the running epoch
        self._is_cut = False  # the last epoch of Keras was too short
        self._trial = len(loader) + 1  # an epoch of Keras with at most so many batches is a trial

    def __len__(self) -> int:
        return len(self._loader) - (self._given if self._is_rest else 0)

    def __getitem__(self, index: int) -> Any:
        with self._turn:
            batch = self._next()
        image, label = batch
        if self._transform is not None:
            return self._transform(image, label)
        return image if label is None else (image, label)

    def rest(self, epochs: int) -> Iterator[dict[str, int]]:
        """What is left to train until `epochs` epochs are done: initial_epoch and epochs for one
        call of `fit`, or for two if the loader stands in the middle of an epoch, because Keras'
        epochs must have equal lengths within a call. Raises UsageError after the first of two, or
        after the only one, if `fit` was not called with it, and between two if steps_per_epoch
        left batches out.

        for arguments in data.rest(epochs=3):
            model.fit(data, **arguments)
        """
        if self._is_first and self._given and self._epoch < epochs:
            epoch = self._epoch
            self._is_rest = True
            try:
                yield {"initial_epoch": epoch, "epochs": epoch + 1}
            finally:
                self._is_rest = False
            self._check_rest(is_last=epoch + 1 == epochs)
            self._batches = None
        if self._epoch < epochs:
            yield {"initial_epoch": self._epoch, "epochs": epochs}

    def _check_rest(self, *, is_last: bool) -> None:
        """That what `rest` gave was trained; the last part may have been cut."""
        if self._is_first and not (is_last and self._is_cut):
            raise UsageError(
                f"the rest of epoch {self._epoch}, from step {self._given} on, was not trained: "
                "call fit with each of rest(epochs) before you take the next, without "
                "steps_per_epoch"
            )

    def on_epoch_begin(self) -> None:
        """Called by Keras: begins the next epoch, or the same again if it was only tried. Raises
        UsageError if the epoch before was cut, or if one call of `fit` goes on after what `rest`
        gave it."""
        with self._turn:
            if self._is_cut:
                raise self._cut_error()
            if self._is_rest and not self._is_first:
                raise UsageError(
                    "what is left of the epoch is trained: call fit(**arguments) for "
                    "each of rest(epochs), with its initial_epoch and epochs"
                )
            self._begin()
            self._is_running = True

    def on_epoch_end(self) -> None:
        """Called by Keras at the end of an epoch, after a trial, and when `fit` or `evaluate`
        begins. Raises UsageError if Keras took no batch in the epoch, but trained those that it had
        kept from the one before."""
        with self._turn:
            if self._is_running:
                self._is_running = False
                self._end()
                return
            self._trial = 0
            if self._is_cut:  # another call of `fit` or `evaluate`, for which Keras keeps nothing
                self._is_cut = False
                self._advance()

    def _end(self) -> None:
        """Keras does not say whether it trained, or only built a model from the shapes of a batch.
        It does that, if at all, before the first epoch of a call of `fit`."""
        if 0 < self._taken <= self._trial:
            self._trial = 0
        elif self._taken >= len(self):
            self._trial = min(1, len(self) - 1)  # another call may follow, with another model
            self._advance()
        else:
            self._trial = 0
            self._is_cut = True
            if not self._taken:
                raise self._cut_error()

    def _cut_error(self) -> UsageError:
        return UsageError(
            f"an epoch of Keras ended before all {len(self)} batches were trained, and Keras keeps "
            "some of them for its next epoch: leave steps_per_epoch out, or call fit once for each "
            "epoch. To continue where fit was interrupted, give a new PyDataset a loader that "
            "stands there, by resume= or seek"
        )

    def _advance(self) -> None:
        self._epoch += 1
        self._is_first = False

    def _begin(self) -> None:
        if self._is_first and self._given and not self._is_rest:
            raise UsageError(
                f"the loader stands after step {self._given - 1} of epoch {self._epoch}: call fit "
                "for each of rest(epochs)"
            )
        if self._is_first:
            self._loader.load_state_dict(self._first)
        else:
            self._loader.set_epoch(self._epoch)
        self._batches = iter(self._loader)
        self._taken = 0

    def _next(self) -> Any:
        if self._batches is None:
            self._begin()
        batch = self._draw()
        if batch is None:  # a trial after an epoch, or a loop of the program's own
            if self._is_running:
                self._advance()
            self._begin()
            batch = next(self._batches)
        self._taken += 1
        return batch

    def _draw(self) -> Any:
        try:
            return next(self._batches, None)
        except BaseException:
            if not self._taken:  # nothing of this epoch was trained
                self._is_running = False
            raise

    def _place(self) -> tuple[int, int]:
        """Epoch and step with which the next epoch of Keras begins."""
        return self._epoch, self._given if self._is_first else 0

    def _state(self, epoch: int, step: int) -> State:
        """The state of the loader before this step."""
        if step >= len(self._loader):
            epoch, step = epoch + 1, 0
        samples = step * int(self._first["global_batch_size"])
        return {**self._first, "epoch": epoch, "samples": samples}


class _Weighted:
    """Adds the weight of its class to each pixel or image: (images, labels, weights)."""

    def __init__(self, loader: LoaderOf[Any], class_weights: npt.ArrayLike) -> None:
        weights = np.asarray(class_weights, np.float32)
        count = loader.dataset.num_classes
        if weights.shape != (count,):
            raise UsageError(
                f"class_weights has the shape {list(weights.shape)}; it must have one number for "
                f"each of the {count} classes",
                option="class_weights",
            )
        form = loader._given["label"]
        if isinstance(form, Bits):
            raise UsageError(
                "class_weights need labels as hotpack.Ids or hotpack.OneHot", option="class_weights"
            )
        self._axis = 1 if isinstance(form, OneHot) and form.layout == "NCHW" else -1
        self._is_one_hot = isinstance(form, OneHot)
        self._weights = np.nan_to_num(weights)  # a class without pixels has no weight
        if self._is_one_hot and form.ignore_channel:
            self._weights = np.append(self._weights, np.float32(0))

    def __call__(self, image: Any, label: Any) -> tuple[Any, Any, Any]:
        if label is None:
            raise UsageError("class_weights need a data set with labels", option="class_weights")
        ids = np.asarray(label)
        if self._is_one_hot:
            ids = np.moveaxis(ids.astype(np.float32, copy=False), self._axis, -1)
            return image, label, ids @ self._weights
        is_class = (ids >= 0) & (ids < len(self._weights))
        return image, label, np.where(is_class, self._weights[np.where(is_class, ids, 0)], 0)


class Position(keras.callbacks.Callback):  # type: ignore[misc]
    """A callback of `fit` that tracks the last trained batch. Keras may have taken further batches
    from the loader by then.

    data: what `fit` gets. save: called with model and state after every `every` batches of an
    epoch of Keras and at its end, to write a checkpoint; `state_dict()` gives the state at any
    other time.

    If steps_per_epoch ends an epoch of Keras early, the state is that place in the middle of the
    loader's epoch, from which `resume=` continues. A run that would not continue there raises
    UsageError: `fit` with several such epochs before it trains, and another `fit` with this data at
    its begin.

    Every process of a distributed run has the same state.
    """

    def __init__(
        self, data: PyDataset, save: Callable[[Any, State], object] | None = None, *, every: int = 1
    ) -> None:
        super().__init__()
        if every < 1:
            raise UsageError(f"every is {every}; it must be 1 or more", option="every")
        self._data = data
        self._save = save
        self._every = every
        self._begin = data._place()
        self._steps = 0  # trained in the epoch of Keras
        self._saved = 0  # of these

    def state_dict(self) -> State:
        """The state of the loader after the last batch that was trained, for `resume=`."""
        epoch, step = self._begin
        return self._data._state(epoch, step + self._steps)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Called by Keras. Raises UsageError if the epoch begins elsewhere than where the state
        is, or if steps_per_epoch cuts it and another one is to follow."""
        epochs = (self.params or {}).get("epochs", 0)
        if self._length() < len(self._data) and epoch + 1 < epochs:
            raise UsageError(
                f"steps_per_epoch={self._length()} cuts an epoch of {len(self._data)} batches, and "
                "what comes after it would be left out: leave steps_per_epoch out, or end fit "
                "after one epoch and continue with a new PyDataset, from a loader with the state"
            )
        place = self._data._place()
        if self._steps and self._data._state(*place) != self.state_dict():
            raise UsageError(
                f"the model has learned up to step {self._begin[1] + self._steps - 1} of epoch "
                f"{self._begin[0]}, but the data begins with step {place[1]} of epoch {place[0]}: "
                "to continue, give a new PyDataset a loader with the state"
            )
        self._begin = place
        self._steps = self._saved = 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called by Keras: batch counts from 0 in its epoch."""
        self._steps = min(batch + 1, len(self._data))
        is_last = self._steps >= self._length()
        if self._save is not None and (is_last or self._steps - self._saved >= self._every):
            self._saved = self._steps
            self._save(self.model, self.state_dict())

    def _length(self) -> int:
        """Batches of the running epoch of Keras."""
        steps = (self.params or {}).get("steps")
        return len(self._data) if steps is None else min(int(steps), len(self._data))
