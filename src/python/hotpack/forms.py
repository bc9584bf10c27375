"""Forms of images and labels in a batch: what the model wants.

Values; they can be compared, copied and pickled. A form that cannot be raises UsageError when it is
made; one that does not fit the data set, when a loader opens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .errors import UsageError
from .options import integer

Layout = Literal["NHWC", "NCHW"]
_Spec = tuple[Any, ...]


def dtype_name(dtype: object) -> str:
    """The name of a type: "float32" for "float32", np.float32, torch.float32 and others. Raises
    UsageError for what is no type.

    >>> dtype_name(np.float32), dtype_name("torch.int64"), dtype_name("bfloat16")
    ('float32', 'int64', 'bfloat16')
    """
    text = str(dtype)
    of_torch = text.startswith("torch.")
    text = text.removeprefix("torch.")
    if text == "bfloat16":
        return text
    known: Any = text if of_torch else dtype
    try:
        return str(np.dtype(known).name)
    except TypeError:
        raise UsageError(
            f"dtype {dtype!r} is not a type that NumPy knows", option="dtype"
        ) from None


def bfloat16() -> np.dtype[Any]:
    """NumPy's bfloat16, which the package ml_dtypes has."""
    try:
        import ml_dtypes
    except ImportError:
        raise UsageError(
            "dtype bfloat16 needs the package ml_dtypes; install it with `pip install ml_dtypes`",
            option="dtype",
        ) from None
    found: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return found


_IMAGES = ("uint8", "float16", "float32", "bfloat16")
_IDS = ("uint8", "uint16", "int32", "int64")


def _checked_dtype(dtype: object, possible: tuple[str, ...], what: str) -> str:
    name = dtype_name(dtype)
    if name not in possible:
        names = ", ".join(possible[:-1]) + " or " + possible[-1]
        raise UsageError(f"{what} cannot have dtype {name}; use {names}", option="dtype")
    return name


def _numbers(name: str, values: Any) -> tuple[float, ...]:
    try:
        return tuple(float(number) for number in values)
    except (TypeError, ValueError):
        raise UsageError(
            f"{name} is {values!r}; it must have one number per channel", option=name
        ) from None


def _check_layout(layout: object) -> None:
    if layout not in ("NHWC", "NCHW"):
        raise UsageError(f"layout is {layout!r}; it must be 'NHWC' or 'NCHW'", option="layout")


@dataclass(frozen=True, slots=True)
class Image:
    """Images: [N,H,W,c], or [N,c,H,W] with layout "NCHW"; c is 3 (R, G, B) or 1.

    dtype: uint8 (the stored bytes), float32, float16 or bfloat16. Floats are
    (float(x) / 255 − mean[c]) / std[c], or float(x) / 255 without mean and std, in single precision
    and this order, as torchvision's ToTensor and Normalize compute it; then rounded to nearest
    even. mean, std: one number per channel in 0 … 1, both or neither, for floats only; `ds.mean`
    and `ds.std` are those of the data set.
    """

    dtype: object = "uint8"
    layout: Layout = "NHWC"
    mean: Sequence[float] | npt.NDArray[Any] | None = None
    std: Sequence[float] | npt.NDArray[Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", _checked_dtype(self.dtype, _IMAGES, "images"))
        _check_layout(self.layout)
        for name in ("mean", "std"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _numbers(name, value))
        if (self.mean is None) != (self.std is None):
            raise UsageError("mean and std belong together; give both or neither", option="mean")
        if self.mean is not None and self.dtype == "uint8":
            raise UsageError(
                "mean and std need a float dtype, and dtype is uint8; use float32, float16 or "
                "bfloat16",
                option="dtype",
            )

    def _spec(self) -> _Spec:
        mean, std = self.mean, self.std
        return (
            self.dtype,
            self.layout,
            list(() if mean is None else mean),
            list(() if std is None else std),
        )


@dataclass(frozen=True, slots=True)
class Ids:
    """Labels as class ids: [N,H,W], or [N] for labels of whole images.

    dtype: uint8, uint16, int32 or int64; by default uint8, or uint16 with more than 255 classes or
    a larger ignore_index.
    ignore_index: the id of pixels without a class; by default 255 (uint8), 65535 (uint16) or −100.
    Not for data sets whose pixels may hold several classes.
    """

    dtype: object = None
    ignore_index: int | None = None

    def __post_init__(self) -> None:
        if self.dtype is not None:
            object.__setattr__(self, "dtype", _checked_dtype(self.dtype, _IDS, "class ids"))
        if self.ignore_index is not None:
            index = integer("ignore_index", self.ignore_index, -(2**63), 2**63 - 1)
            object.__setattr__(self, "ignore_index", index)

    def _spec(self) -> _Spec:
        return "ids", self.dtype, "NHWC", False, self.ignore_index


@dataclass(frozen=True, slots=True)
class OneHot:
    """Labels as one element a class, 1 where the class is and 0 elsewhere: [N,H,W,C], or [N,C,H,W]
    with layout "NCHW"; [N,C] for labels of whole images. A pixel without a class is all zeros.

    dtype: uint8, float16, float32 or bfloat16. ignore_channel: adds a last channel that is 1 where
    the pixel has no class.
    """

    dtype: object = "uint8"
    layout: Layout = "NHWC"
    ignore_channel: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", _checked_dtype(self.dtype, _IMAGES, "one-hot labels"))
        _check_layout(self.layout)
        if not isinstance(self.ignore_channel, bool):
            raise UsageError(
                f"ignore_channel is {self.ignore_channel!r}; it must be True or False",
                option="ignore_channel",
            )

    def _spec(self) -> _Spec:
        return "one_hot", self.dtype, self.layout, self.ignore_channel, None


@dataclass(frozen=True, slots=True)
class Bits:
    """Labels as bits: class c is bit c mod 8 of byte ⌊c/8⌋, u8 [N,H,W,⌈C/8⌉], or [N,⌈C/8⌉] for
    labels of whole images."""

    def _spec(self) -> _Spec:
        return "bits", None, "NHWC", False, None


Label = Ids | OneHot | Bits


def view_of(form: Image | Label | None) -> np.dtype[Any] | None:
    """The type as which an array of this form must be viewed: bfloat16, which arrives as the same
    bits of uint16; else None."""
    is_bfloat16 = form is not None and getattr(form, "dtype", None) == "bfloat16"
    return bfloat16() if is_bfloat16 else None


def check_forms(image: Any, label: Any) -> None:
    """Raises UsageError for what is no form."""
    if not isinstance(image, Image):
        raise UsageError(f"image is {image!r}; it must be a hotpack.Image", option="image")
    if label is not None and not isinstance(label, Label):
        raise UsageError(
            f"label is {label!r}; it must be hotpack.Ids, hotpack.OneHot or hotpack.Bits",
            option="label",
        )
