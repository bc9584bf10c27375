"""Checks the options of loaders: their names, and their values by the table `option_table`."""

from __future__ import annotations

import difflib
import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from .errors import UsageError
from .option_table import INTEGERS, OTHER_NAMES, WORDS

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


def checked_names(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Decorates a function so that a keyword which it lacks, such as `drop_last`, raises UsageError
    that names the right one."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def checked(*args: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        for name in options:
            if name not in names:
                raise _unknown(name, names)
        return function(*args, **options)

    return checked


def _unknown(name: str, names: list[str]) -> UsageError:
    advice = OTHER_NAMES.get(name)
    wanted = re.match(r"use (\w+)(?![\w.])", advice or "")
    if advice is None or wanted and wanted[1] not in names:  # as `tail` of a function without order
        close = difflib.get_close_matches(name, names, 1, 0.7)
        advice = f"use {close[0]}" if close else "the options are " + ", ".join(names[1:])
    return UsageError(f"there is no option {name}; {advice}", option=name)


def word(name: str, value: object) -> str:
    """Returns the library's word for the value of a choice: "full" for shuffle=True. Raises
    UsageError, with the possible values, for another one."""
    words = WORDS[name]
    for known, own in words.items():
        if type(known) is type(value) and known == value:
            return own
    values = [repr(known) for known in words]
    possible = " or ".join([", ".join(values[:-1]), values[-1]])
    raise UsageError(f"{name} is {value!r}; it must be {possible}", option=name)


def checked_size(name: str, size: Any) -> tuple[int, int]:
    """Returns width and height. Raises UsageError for what is not two integers above 0."""
    if not isinstance(size, (tuple, list)) or len(size) != 2:
        raise UsageError(f"{name} is {size!r}; it must be (width, height)", option=name)
    width, height = (integer(name, side, 1, 2**32 - 1) for side in size)
    return width, height


def integer(name: str, value: Any, least: int = 0, most: int | None = None) -> int:
    """Returns the value as an int. Raises UsageError for what is no integer, and for one that is
    not from `least` to `most`; by default that of the option with this name."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise UsageError(f"{name} is {value!r}; it must be an integer", option=name)
    number: int = value.__index__()
    most = INTEGERS.get(name, 2**64 - 1) if most is None else most
    if not least <= number <= most:
        raise UsageError(f"{name} is {number}; it must be from {least} to {most}", option=name)
    return number
