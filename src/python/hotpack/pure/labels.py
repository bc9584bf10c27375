"""Stored labels to class ids, one-hot elements and bits, as the C++ library expands them
(include/hotpack/expand.hpp).

A stored label is u8 [..., ⌈C/8⌉] (bits), u8 [..., C] (onehot), or u8 or u16 [...] (index), where
"..." is [H,W], or nothing for a label of the whole image. An ignored pixel has no class: a vector
of zeros, or an id with all bits set. Wrong values, which `verify` reports, count as no class: bits
beyond C and ids of no class; a onehot byte other than 0 counts as 1; of several classes where only
one may be, the lowest counts.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import UsageError

Stored = npt.NDArray[Any]
Ids = npt.NDArray[Any]

_ID_TYPES = ("uint8", "uint16", "int32", "int64")
_ONE_HOT_TYPES = ("uint8", "float16", "float32", "bfloat16")
LAYOUTS = ("NHWC", "NCHW")


def class_ids(
    stored: Stored,
    storage: str,
    classes: int,
    dtype: npt.DTypeLike | None = None,
    ignore_index: int | None = None,
) -> Ids:
    """The class id of each pixel, [...]; the lowest class where several are set.

    dtype: uint8, uint16, int32 or int64; by default uint8, or uint16 with more than 255 classes.
    ignore_index: the id of ignored pixels; by default 255 (uint8), 65535 (uint16) or −100. Raises
    UsageError if ids do not fit the type, and if `ignore_index` does not fit or is the id of a
    class.
    """
    target = _id_type(dtype, classes, ignore_index)
    ignored = _ignore_id(target, classes, ignore_index)
    if storage == "index":
        return _relabeled(stored, classes, target, ignored)
    if storage == "onehot":
        return _ids_of_bytes(stored, target, ignored)
    return _ids_of_bits(stored, classes, target, ignored)


def one_hot(
    stored: Stored,
    storage: str,
    classes: int,
    dtype: npt.DTypeLike = "uint8",
    layout: str = "NHWC",
) -> npt.NDArray[Any]:
    """1 where a pixel has a class and 0 elsewhere, [...,C], or [C,...] with layout "NCHW".

    dtype: uint8, float16, float32, or bfloat16 with the package ml_dtypes.
    """
    target = _one_hot_type(dtype)
    if layout not in LAYOUTS:
        raise UsageError(f"layout {layout!r} is neither NHWC nor NCHW")
    elements = _elements(stored, storage, classes)
    if layout == "NCHW":
        return np.moveaxis(elements, -1, 0).astype(target, order="C")
    return elements.astype(target, copy=False)


def label_bits(stored: Stored, storage: str, classes: int) -> npt.NDArray[np.uint8]:
    """Class c is bit c mod 8 of byte ⌊c/8⌋, u8 [..., ⌈C/8⌉]. A view of what is stored, if that is
    bits."""
    if storage == "bits":
        return stored
    return np.packbits(_elements(stored, storage, classes), axis=-1, bitorder="little")


# ---- types


def _id_type(dtype: npt.DTypeLike | None, classes: int, ignore_index: int | None) -> np.dtype[Any]:
    if dtype is None:
        small = classes <= 255 and (ignore_index is None or ignore_index <= 255)
        return np.dtype(np.uint8 if small else np.uint16)
    target = _dtype(dtype)
    if target.name not in _ID_TYPES:
        raise UsageError(f"dtype {target.name}: class ids can only be {', '.join(_ID_TYPES)}")
    if np.iinfo(target).max < classes:
        raise UsageError(
            f"dtype {target.name}: ids of {classes} classes and one id for ignored pixels do not "
            "fit; use a wider type"
        )
    return target


def _ignore_id(target: np.dtype[Any], classes: int, ignore_index: int | None) -> int:
    if ignore_index is None:
        return {"uint8": 255, "uint16": 65535}.get(target.name, -100)
    limits = np.iinfo(target)
    if not limits.min <= ignore_index <= limits.max:
        raise UsageError(
            f"ignore_index {ignore_index} does not fit dtype {target.name} ({limits.min} … "
            f"{limits.max}); use a wider type or another value"
        )
    if 0 <= ignore_index < classes:
        raise UsageError(
            f"ignore_index {ignore_index} is the id of a class (0 … {classes - 1}); use another "
            "value"
        )
    return ignore_index


def _one_hot_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    target = _dtype(dtype)
    if target.name not in _ONE_HOT_TYPES:
        raise UsageError(f"dtype {target.name}: one_hot can only be {', '.join(_ONE_HOT_TYPES)}")
    return target


def _dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    if isinstance(dtype, str) and dtype == "bfloat16":
        return _bfloat16()
    try:
        return np.dtype(dtype)
    except TypeError:
        raise UsageError(f"dtype {dtype!r} is not a type that NumPy knows") from None


def _bfloat16() -> np.dtype[Any]:
    try:
        import ml_dtypes
    except ImportError:
        raise UsageError(
            "dtype bfloat16 needs the package ml_dtypes; install it with `pip install ml_dtypes`"
        ) from None
    bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return bfloat16


# ---- conversions


def _elements(stored: Stored, storage: str, classes: int) -> npt.NDArray[np.uint8]:
    """One byte per class, 0 or 1: u8 [...,C]."""
    if storage == "bits":
        return np.unpackbits(stored, axis=-1, count=classes, bitorder="little")
    if storage == "onehot":
        is_set: npt.NDArray[np.bool_] = stored != 0
    else:
        is_set = stored[..., None] == np.arange(classes, dtype=stored.dtype)
    return is_set.view(np.uint8)


def _relabeled(stored: Stored, classes: int, target: np.dtype[Any], ignored: int) -> Ids:
    ids = np.full(np.iinfo(stored.dtype).max + 1, ignored, target)
    ids[:classes] = np.arange(classes)
    return ids[stored]


def _ids_of_bytes(stored: Stored, target: np.dtype[Any], ignored: int) -> Ids:
    is_set = stored != 0
    lowest = is_set.argmax(axis=-1)
    return np.where(is_set.any(axis=-1), lowest, ignored).astype(target)


def _ids_of_bits(stored: Stored, classes: int, target: np.dtype[Any], ignored: int) -> Ids:
    ids = np.full(stored.shape[:-1], ignored, target)
    lowest = _lowest_bits().astype(target)
    for byte in range(stored.shape[-1] - 1, -1, -1):  # lower classes overwrite higher ones
        vectors = stored[..., byte] & np.uint8((1 << min(8, classes - 8 * byte)) - 1)
        np.copyto(ids, lowest[vectors] + target.type(8 * byte), where=vectors != 0)
    return ids


@functools.cache
def _lowest_bits() -> npt.NDArray[np.uint8]:
    """The lowest bit that is set in each byte; 0 for the byte 0."""
    return np.array([max(0, (byte & -byte).bit_length() - 1) for byte in range(256)], np.uint8)
