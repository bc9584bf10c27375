"""hotpack: packed image data sets for training.

    import hotpack

    hotpack.pack("CamVid", size=(512, 512), output="packed")
    ds = hotpack.open("packed/train")
    for x, y in hotpack.Loader(ds, batch_size=32, seed=7):  # one epoch
        ...

`hotpack.torch`, `hotpack.keras`, `hotpack.tf` and `hotpack.jax` have loaders that give tensors and
arrays of these frameworks; `hotpack.grain`, `hotpack.datasets` and `hotpack.ray` give samples to
the libraries of these names. `hotpack.pure` reads packs with NumPy alone, and needs nothing
compiled.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .errors import (
    CancelledError,
    DamagedError,
    DataError,
    Error,
    InternalError,
    IoError,
    PerformanceWarning,
    TimeoutError,
    UsageError,
)

if TYPE_CHECKING:
    from .batch import Batch
    from .commands import check, extract, info, merge, pack, plan, preview, verify
    from .dataset import Class, Dataset, Keys, Sample, open
    from .device import DeviceArray, DeviceBatch
    from .forms import Bits, Ids, Image, OneHot
    from .loader import DeviceLoader, Loader
    from .parts import pack_part
    from .process import Progress
    from .pure import Augment, Crop, ResizedCrop, epoch_order
    from .receipts import Receipt
    from .versions import show_versions

__version__ = "0.1.0"

__all__ = [
    "Augment",
    "Batch",
    "Bits",
    "CancelledError",
    "Class",
    "Crop",
    "DamagedError",
    "DataError",
    "Dataset",
    "DeviceArray",
    "DeviceBatch",
    "DeviceLoader",
    "Error",
    "Ids",
    "Image",
    "InternalError",
    "IoError",
    "Keys",
    "Loader",
    "OneHot",
    "PerformanceWarning",
    "Progress",
    "Receipt",
    "ResizedCrop",
    "Sample",
    "TimeoutError",
    "UsageError",
    "__version__",
    "check",
    "epoch_order",
    "extract",
    "info",
    "merge",
    "open",
    "pack",
    "pack_part",
    "plan",
    "preview",
    "show_versions",
    "verify",
]

# Where each name is. Loaded at its first use, so that hotpack.pure works with nothing compiled.
_MODULES = {
    "batch": ("Batch",),
    "commands": ("check", "extract", "info", "merge", "pack", "plan", "preview", "verify"),
    "dataset": ("Class", "Dataset", "Keys", "Sample", "open"),
    "device": ("DeviceArray", "DeviceBatch"),
    "forms": ("Bits", "Ids", "Image", "OneHot"),
    "loader": ("DeviceLoader", "Loader"),
    "parts": ("pack_part",),
    "process": ("Progress",),
    "pure": ("Augment", "Crop", "ResizedCrop", "epoch_order"),
    "receipts": ("Receipt",),
    "versions": ("show_versions",),
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "_core":  # before Python looks for it, so that all who import it get this error
        return _compiled_part()
    if name not in _PLACES:
        raise AttributeError(f"module 'hotpack' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)
    globals()[name] = value
    return value


def _compiled_part() -> Any:
    try:
        return importlib.import_module("._core", __name__)
    except ModuleNotFoundError as error:
        if error.name != "hotpack._core":
            raise
        reason = "is not built: run `pip install .` in the folder of the source"
    except ImportError as error:
        reason = f"cannot be loaded ({error}): run `pip install .` in the folder of the source anew"
    text = f"the compiled part of hotpack {reason}. hotpack.pure works without it"
    raise ImportError(text, name="hotpack._core") from None


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
