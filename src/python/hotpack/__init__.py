"""hotpack: packed image data sets.

This package has the pure-Python reader, `hotpack.pure`, and the errors. The names here that are
not errors are those of `hotpack.pure`.
"""

from .errors import (
    CancelledError,
    DamagedError,
    DataError,
    Error,
    InternalError,
    IoError,
    TimeoutError,
    UsageError,
)
from .pure import Class, Dataset, Sample, epoch_order, open, verify

__version__ = "0.1.0"

__all__ = [
    "CancelledError",
    "Class",
    "DamagedError",
    "DataError",
    "Dataset",
    "Error",
    "InternalError",
    "IoError",
    "Sample",
    "TimeoutError",
    "UsageError",
    "__version__",
    "epoch_order",
    "open",
    "verify",
]
