"""Data sets for Keras 3, with any backend.

loader = hotpack.Loader(ds, 32, image=hotpack.Image("float32"), label=hotpack.Ids("int32"), slots=6)
model.fit(hotpack.keras.PyDataset(loader), epochs=3)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import keras

from .errors import UsageError
from .loader import LoaderOf

__all__ = ["PyDataset"]


class PyDataset(keras.utils.PyDataset):  # type: ignore[misc]
    """The batches of a loader for `fit`, `evaluate` and `predict`, each sample once an epoch.

    The loader decides about the order: Keras' own `shuffle` permutes the numbers of batches, which
    change nothing here. transform: called with images and labels, gives what Keras gets.
    sample_weight and several outputs come that way. Raises as the loader.

    Keras tries a few batches before it begins and between epochs; what it tried comes again. The
    position of a run is that of the loader, so `loader.state_dict()` belongs into a checkpoint.
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
        self._is_first = True
        self._is_running = False
        self._taken = 0  # in the running epoch

    def __len__(self) -> int:
        return len(self._loader)

    def __getitem__(self, index: int) -> Any:
        with self._turn:
            batch = self._next()
        image, label = batch
        if self._transform is not None:
            return self._transform(image, label)
        return image if label is None else (image, label)

    def on_epoch_begin(self) -> None:
        """Called by Keras: begins the next epoch, or the same again if it was only tried."""
        with self._turn:
            self._begin()
            self._is_running = True

    def on_epoch_end(self) -> None:
        """Called by Keras: an epoch of which it took more than one batch is over."""
        with self._turn:
            if self._is_running and self._taken >= min(2, len(self._loader)):
                self._epoch += 1
                self._is_first = False
            self._is_running = False

    def _begin(self) -> None:
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
