"""Zstandard frames of compressed records, by FORMAT.md section 5. Needs the package `zstandard`."""

from __future__ import annotations

from typing import Any

from ..errors import DamagedError, UsageError

_MAGIC = b"\x28\xb5\x2f\xfd"
_MOST_RATIO = 32768  # of content to frame (section 17)


def decompress(frame: bytes, size_bytes: int) -> bytes:
    """The content of a frame, which must be exactly `size_bytes` bytes.

    Raises UsageError without the package, DamagedError for anything but one complete frame of this
    content. Allocates nothing before the frame names the expected size and is long enough for it.
    """
    zstd = _package()
    _check_claims(zstd, frame, size_bytes)
    try:
        content: bytes = zstd.ZstdDecompressor().decompress(frame, allow_extra_data=False)
    except zstd.ZstdError as error:
        raise DamagedError(f"cannot be decompressed: {error}") from None
    except MemoryError:
        raise DamagedError(f"needs {size_bytes} bytes of memory, which are not there") from None
    if len(content) != size_bytes:
        raise DamagedError(f"decompresses to {len(content)} bytes")
    return content


def content_bytes(frame: bytes) -> int:
    """The content size that a frame names."""
    return _parameters(_package(), frame)[0]


def _package() -> Any:
    try:
        import zstandard
    except ImportError:
        raise UsageError(
            "this pack is compressed, and the package zstandard is not installed; install it with "
            "`pip install zstandard`"
        ) from None
    return zstandard


def _parameters(zstd: Any, frame: bytes) -> tuple[int, int]:
    """The content size and the number of the dictionary (0: none) that a frame names."""
    if frame[:4] != _MAGIC:
        raise DamagedError("is not a Zstandard frame")
    try:
        size = zstd.frame_content_size(frame)
        parameters = zstd.get_frame_parameters(frame)
    except zstd.ZstdError:
        raise DamagedError("is not a Zstandard frame") from None
    if size < 0:
        raise DamagedError("is a Zstandard frame without its content size")
    return size, parameters.dict_id


def _check_claims(zstd: Any, frame: bytes, size_bytes: int) -> None:
    stated, dictionary = _parameters(zstd, frame)
    if stated != size_bytes:
        raise DamagedError(
            f"is a Zstandard frame of {stated} bytes of content; the record has {size_bytes}"
        )
    if dictionary:
        raise DamagedError("is a Zstandard frame that needs a dictionary")
    if size_bytes > _MOST_RATIO * len(frame):
        raise DamagedError("is a Zstandard frame too short for its content")
