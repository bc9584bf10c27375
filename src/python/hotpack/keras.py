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

    Keras tries a few batches before it begins and between epochs; what it tried comes again.

    A loader in the middle of an epoch continues there, and each epoch of `fit` then ends as far in
    the middle of the next one. Keras may take batches before it trains on them, so count the steps
    for a checkpoint, and `seek` there; `scripts/examples/unet_keras.py` is a whole program.
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
        epoch, step = loader._core.position()  # where the running epoch of Keras begins
        self._epoch = epoch + step // len(loader)
        self._step = step % len(loader)
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
                if self._taken < len(self._loader):  # steps_per_epoch; the rest is left out
                    self._step = 0
            self._is_running = False

    def _begin(self) -> None:
        if self._step:
            self._loader.seek(self._epoch, self._step)
        else:
            self._loader.set_epoch(self._epoch)
        self._batches = iter(self._loader)
        self._taken = 0

    def _next(self) -> Any:
        if self._batches is None:
            self._begin()
        batch = next(self._batches, None)
        if batch is None:  # the loader's epoch ended within that of Keras
            self._batches = iter(self._loader)
            batch = next(self._batches)
        self._taken += 1
        return batch
