"""Errors of hotpack. Every error that the package raises on purpose is an :class:`Error`, except
IndexError, KeyError and TypeError for a wrong index, which Python's own sequences raise too."""

from __future__ import annotations

import builtins
import re
import signal
from typing import Any

from .option_table import DTYPES


class Error(Exception):
    """What went wrong, and where.

    message: what was found and what was expected, without the place.
    path: the file or folder, or None.
    offset: the byte in that file, or None.
    record: the number of the record in its shard, or None.
    key: the key of that record, or None.
    option: the argument or option that is wrong, or None.
    problems: if `hotpack.pack` refuses its input, what is wrong with it, grouped: dictionaries of
    kind, count, title, advice and examples (docs/json.md).
    exit: if a command failed, its exit code, or minus the number of the signal that ended it; else
    None. Another try may succeed after a signal and after exit code 3, never after 1, 2 and 4.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        offset: int | None = None,
        record: int | None = None,
        key: str | None = None,
        option: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.offset = offset
        self.record = record
        self.key = key
        self.option = option
        self.problems: tuple[dict[str, Any], ...] = ()
        self.exit: int | None = None

    def __str__(self) -> str:
        text = self.message
        if self.record is not None:
            name = f"record {self.record}" + (f" ({self.key})" if self.key else "")
            text = f"{name}: {text}"
        if self.path is not None:
            text = f"{self.path}: {text}"
        if self.offset is not None:
            text += f" (at byte {self.offset})"
        return printable(text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.message, self._place()), self._state()

    def _state(self) -> dict[str, Any]:
        return {"problems": self.problems, "exit": self.exit}

    def _place(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "offset": self.offset,
            "record": self.record,
            "key": self.key,
            "option": self.option,
        }


class UsageError(Error, ValueError):
    """The call is wrong: arguments that contradict each other, or do not fit the data set."""


class DataError(Error, ValueError):
    """The user's images or labels are wrong."""


class IoError(Error, OSError):
    """A file cannot be read or written. `errno` and `filename` are set as for any OSError."""

    @classmethod
    def of(cls, what: str, path: str, reason: OSError) -> IoError:
        """Makes an error from what the system says, such as "cannot open: No such file"."""
        error = cls(f"{what}: {reason.strerror or reason}", path=path)
        error.errno = reason.errno
        error.filename = path
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        place = self._place()
        return _restore_io, (self.message, place, self.errno, self.filename), self._state()


class DamagedError(Error):
    """A pack is damaged, incomplete, of a newer format, or not a pack."""


class TimeoutError(Error, builtins.TimeoutError):
    """A wait took too long."""


class CancelledError(Error):
    """Another thread ended the wait, or a signal ended the command."""


class InternalError(Error):
    """A fault in hotpack itself."""


class PerformanceWarning(UserWarning):
    """Something works, but slower than it could."""


# By the words of the command's JSON, in the order of ErrorCode in include/hotpack/result.hpp.
CLASSES: dict[str, type[Error]] = {
    # <api: python codes>
    "usage": UsageError,
    "data": DataError,
    "io": IoError,
    "damaged": DamagedError,
    "internal": InternalError,
    "timeout": TimeoutError,
    "cancelled": CancelledError,
    "busy": UsageError,
    # </api>
}


_TYPE_NAMES = re.compile(rf"\b({'|'.join(DTYPES)})\b")


def _of_code(
    code: int,
    message: str,
    path: str | None,
    offset: int | None,
    record: int | None,
    key: str | None,
    option: str | None,
) -> Error:
    """The exception for an error of the library, whose text begins with the record."""
    if record is not None:
        message = message.removeprefix(
            f"record {record} ({key}): " if key else f"record {record}: "
        )
    kind = list(CLASSES.values())[code]
    if kind is UsageError:  # about options, whose types have Python's names here
        message = _TYPE_NAMES.sub(lambda name: DTYPES[name[0]], message)
    error = kind(
        message, path=path, offset=offset, record=record, key=key, option=option
    )
    if isinstance(error, IoError):
        error.filename = path
    return error


def _restore(kind: type[Error], message: str, place: dict[str, Any]) -> Error:
    return kind(message, **place)


def _restore_io(
    message: str, place: dict[str, Any], number: int | None, name: str | None
) -> IoError:
    error = IoError(message, **place)
    error.errno = number
    error.filename = name
    return error


def ending_of(code: int) -> str:
    """What an exit code says, such as "signal 9 (SIGKILL, as if memory ran out)"."""
    if code >= 0:
        return f"exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
    hint = ", as if memory ran out" if -code == signal.SIGKILL else ""
    return f"signal {-code} ({name}{hint})"


def printable(text: str) -> str:
    """The text with everything escaped that could end the line, control a terminal, change the
    direction of writing, or not be encoded; spaces stay. Names and keys come from outside."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
