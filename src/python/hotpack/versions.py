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
    packages = importlib.metadata.packages_distributions()
    for name in _FRAMEWORKS:
        print(_version(name, packages.get(name, [])))


def _version(module: str, packages: list[str]) -> str:
    """The version of the package that has a module, and its name if that is another one, such as
    tensorflow-cpu."""
    if not packages:
        return f"{module}: not installed"
    package = module if module in packages else packages[0]
    name = module if package == module else f"{module} ({package})"
    return f"{name} {importlib.metadata.version(package)}"
