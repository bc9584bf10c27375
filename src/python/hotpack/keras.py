"""Data sets for Keras 3, with any backend.

loader = hotpack.Loader(ds, 32, image=hotpack.Image("float32"), label=hotpack.Ids("int32"), slots=6)
model.fit(hotpack.keras.PyDataset(loader), epochs=3)
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import keras

from .errors import UsageError
from .loader import LoaderOf, State

__all__ = ["Position", "PyDataset"]


class PyDataset(keras.utils.PyDataset):  # type: ignore[misc]
    """The batches of a loader for `fit`, `evaluate` and `predict`, each sample once an epoch.

    The loader decides about the order: Keras' own `shuffle` permutes the numbers of batches, which
    change nothing here. transform: called with images and labels, gives what Keras gets.
    sample_weight and several outputs come that way. Raises as the loader.

    Keras tries a few batches before it begins and between epochs; what it tried comes again, so the
    loader's own state is not that of the model: `Position` has it. To continue in the middle of an
    epoch, open the loader with that state and call `fit` for each of `rest(epochs)`. Without
    `rest`, such a loader raises UsageError at the first batch.
    """

    def __init__(
        self, loader: LoaderOf[Any], *, transform: Callable[[Any, Any], Any] | None = None
    ) -> None:
        super().__init__(workers=1, use_multiprocessing=False, max_queue_size=2)
        if not isinstance(loader, LoaderOf):
            raise UsageError(f"loader is a {type(loader).__name__}; give a hotpack.Loader")
        self._loader = loader
        self._transform = transform
        self._turn = threading.Lock()
        self._batches: Any = None  # of the running epoch, or of a trial
        self._first = loader.state_dict()  # perhaps in the middle of an epoch
        self._epoch = int(self._first["epoch"])
        self._given = int(self._first["samples"]) // int(self._first["global_batch_size"])
        self._is_first = True
        self._is_rest = False  # only what is left of the first epoch is wanted
        self._is_running = False
        self._taken = 0  # in the running epoch

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
        epochs must have equal lengths within a call.

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
            with self._turn:
                self._epoch = epoch + 1
                self._is_first = False
                self._batches = None
        if self._epoch < epochs:
            yield {"initial_epoch": self._epoch, "epochs": epochs}

    def on_epoch_begin(self) -> None:
        """Called by Keras: begins the next epoch, or the same again if it was only tried."""
        with self._turn:
            self._begin()
            self._is_running = True

    def on_epoch_end(self) -> None:
        """Called by Keras: an epoch of which it took more than one batch is over."""
        with self._turn:
            is_done = self._taken >= min(2, len(self._loader)) and not self._is_rest
            if self._is_running and is_done:
                self._epoch += 1
                self._is_first = False
            self._is_running = False

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
        batch = next(self._batches, None)
        if batch is None:  # Keras asks for more than an epoch: steps_per_epoch, or a trial
            if self._is_running:
                self._epoch += 1
                self._is_first = False
            self._begin()
            batch = next(self._batches)
        self._taken += 1
        return batch

    def _place(self) -> tuple[int, int]:
        """Epoch and step with which the next epoch of Keras begins."""
        return self._epoch, self._given if self._is_first else 0

    def _state(self, epoch: int, step: int) -> State:
        """The state of the loader before this step."""
        if step >= len(self._loader):
            epoch, step = epoch + 1, 0
        samples = step * int(self._first["global_batch_size"])
        return {**self._first, "epoch": epoch, "samples": samples}


class Position(keras.callbacks.Callback):  # type: ignore[misc]
    """A callback of `fit` that knows up to which batch the model has learned. Keras may have taken
    further batches from the loader by then.

    data: what `fit` gets. save: called with model and state after every `every` batches of an
    epoch and at its end, to write a checkpoint; `state_dict()` gives the state at any other time.

    Every process of a distributed run has the same state.
    """

    def __init__(
        self,
        data: PyDataset,
        save: Callable[[Any, State], object] | None = None,
        *,
        every: int = 1,
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
        """Called by Keras."""
        self._begin = self._data._place()
        self._steps = self._saved = 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Called by Keras: batch counts from 0 in its epoch."""
        self._steps = min(batch + 1, len(self._data))
        is_last = self._steps == len(self._data)
        if self._save is not None and (is_last or self._steps - self._saved >= self._every):
            self._saved = self._steps
            self._save(self.model, self.state_dict())
