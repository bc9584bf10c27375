"""Opening files that may be anything: only regular files, and none that is too large to be read.

Failure: IoError with the path; UsageError for a path that no system has.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat

import numpy as np
import numpy.typing as npt

from ..errors import DamagedError, IoError, UsageError

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer must not block


def read_file(path: str, most_bytes: int) -> bytes:
    """All bytes of a file. Raises DamagedError with the path if it has more than `most_bytes`."""
    try:
        number, size = _open(path, "cannot read")
        with os.fdopen(number, "rb") as file:
            if size > most_bytes:
                raise DamagedError(
                    f"has {size} bytes, but at most {most_bytes} are read", path=path
                )
            return file.read(most_bytes)
    except OSError as error:
        raise _io_error("cannot read", path, error) from None


def map_file(path: str) -> npt.NDArray[np.uint8]:
    """A file as a read-only array, u8 [bytes]."""
    try:
        number, size = _open(path, "cannot open")
        try:
            if size == 0:
                return np.empty(0, np.uint8)
            mapping = mmap.mmap(number, 0, access=mmap.ACCESS_READ)
        except (ValueError, OverflowError) as error:  # it has shrunk, or is too large to be mapped
            raise IoError(f"cannot map the file: {error}", path=path) from None
        finally:
            os.close(number)
    except OSError as error:
        raise _io_error("cannot open", path, error) from None
    return np.frombuffer(mapping, np.uint8)


def _io_error(what: str, path: str, error: OSError) -> IoError:
    return error if isinstance(error, IoError) else IoError.of(what, path, error)


def _open(path: str, what: str) -> tuple[int, int]:
    """A descriptor and the size of a regular file."""
    try:
        number = os.open(path, _FLAGS | _NO_WAIT)
    except ValueError as error:  # a zero byte
        raise UsageError(f"is not a path: {error}", path=path) from None
    status = os.fstat(number)
    if stat.S_ISREG(status.st_mode):
        return number, status.st_size
    os.close(number)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise IoError(f"{what}: it is not a regular file", path=path)
