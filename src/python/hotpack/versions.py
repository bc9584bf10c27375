"""What is installed, for bug reports."""

from __future__ import annotations

import importlib.metadata
import platform
import sys

_FRAMEWORKS = (
    "numpy",
    "ml_dtypes",
    "torch",
    "keras",
    "tensorflow",
    "jax",
    "lightning",
    "accelerate",
    "transformers",
)


def show_versions() -> None:
    """Prints the versions of hotpack, Python, the system and the frameworks, without importing
    them, and the vector instructions that hotpack uses on this processor."""
    from . import _core

    print(f"hotpack {_core.version}, compiled with {_core.compiler}")
    print(f"vector instructions {_core.instructions}, zstd {_core.zstd}")
    print(f"python {sys.version.split()[0]} on {platform.platform()}")
    for name in _FRAMEWORKS:
        try:
            print(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            print(f"{name}: not installed")
