"""The container of a shard: a safetensors file, by FORMAT.md section 3.

Failure: DamagedError with the byte offset; the caller adds the path.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..errors import DamagedError
from . import json_text
from .json_node import Node
from .json_text import excerpt

Bytes = npt.NDArray[np.uint8]

LENGTH_BYTES = 8
MOST_HEADER_BYTES = 100_000_000
_MOST_DIMENSIONS = 8
_HEADER_DEPTH = 3  # header, entry, list
_MOST_MEMBERS = 10_000  # of the header, or of an entry; version 1.0 needs about thirty
_MOST_LISTS = 2  # of an entry: shape and data_offsets

# Bytes of an item. Version 1.0 uses the first five; a later one may add tensors of the others.
ITEM_BYTES = {"U8": 1, "U16": 2, "I32": 4, "U32": 4, "U64": 8}
_OTHER_ITEM_BYTES = {
    "BOOL": 1, "I8": 1, "I16": 2, "I64": 8, "F16": 2, "BF16": 2, "F32": 4, "F64": 8, "C64": 8,
    "F8_E4M3": 1, "F8_E5M2": 1, "F8_E8M0": 1,
}  # fmt: skip
NUMPY_TYPES = {"U8": "u1", "U16": "<u2", "I32": "<i4", "U32": "<u4", "U64": "<u8"}


@dataclass(frozen=True, slots=True)
class Tensor:
    name: str
    dtype: str  # safetensors' name
    shape: tuple[int, ...]
    begin: int = 0  # relative to the buffer
    end: int = 0

    @property
    def size_bytes(self) -> int:
        return self.end - self.begin

    def form(self) -> str:
        """Type and shape, for messages."""
        return f"{self.dtype} {list(self.shape)}"


@dataclass(frozen=True, slots=True)
class Container:
    header_bytes: int  # L
    metadata: dict[str, str]
    tensors: tuple[Tensor, ...]  # sorted by offset


def read_container(file: Bytes) -> Container:
    """Reads and checks the header of a safetensors file: `file` is all of it, u8 [bytes]."""
    header = _header(file)
    try:
        _check_outline(header.decode("utf-8", "replace"))
        root = json_text.parse(header, _HEADER_DEPTH)
    except DamagedError as error:
        offset = LENGTH_BYTES + (error.offset or 0)
        raise DamagedError(f"the header {error.message}", offset=offset) from None
    tensors = [
        _entry(Node(value, _who(name)), name)
        for name, value in root.items()
        if name != "__metadata__"
    ]
    tensors.sort(key=lambda tensor: (tensor.begin, tensor.end))
    start = LENGTH_BYTES + len(header)
    _check_places(tensors, start, file.size - start)
    metadata = _metadata(Node(root.get("__metadata__", {}), "__metadata__"))
    return Container(len(header), metadata, tuple(tensors))


def _header(file: Bytes) -> bytes:
    if file.size < LENGTH_BYTES:
        raise DamagedError(f"only {file.size} bytes, too few for a shard", offset=0)
    length = int.from_bytes(file[:LENGTH_BYTES].tobytes(), "little")
    if length == 0:
        raise DamagedError("is unfinished: its header was never written", offset=0)
    if length > MOST_HEADER_BYTES:
        raise DamagedError(
            f"not a safetensors file: its header would have {length} bytes", offset=0
        )
    if length > file.size - LENGTH_BYTES:
        raise DamagedError(
            f"truncated: its header should have {length} bytes, but the file has only {file.size}",
            offset=0,
        )
    header = file[LENGTH_BYTES : LENGTH_BYTES + length].tobytes()
    if header[:1] != b"{":
        raise DamagedError(
            "not a safetensors file: its header does not start with '{'", offset=LENGTH_BYTES
        )
    return header


def _check_outline(text: str) -> None:
    """Refuses what cannot be a header and would be expensive to parse, before a tree is built from
    it: deep nesting, lists in lists, long lists, and very many members."""
    depth, lists = 0, 0
    commas = [0] * (_HEADER_DEPTH + 1)  # of the open object or list of each depth
    for mark in json_text.marks(text):
        if mark in "[{":
            depth += 1
            if mark == "[" and depth < _HEADER_DEPTH:
                raise DamagedError("has an entry that is a list, not an object")
            if depth > _HEADER_DEPTH:
                raise DamagedError("nests objects or lists too deeply")
            lists = lists + 1 if depth == _HEADER_DEPTH else 0
            if lists > _MOST_LISTS:
                raise DamagedError(f"has an entry with more than {_MOST_LISTS} lists or objects")
            commas[depth] = 0
        elif mark in "]}":
            if depth <= 1:
                return  # only spaces may follow, or it is no JSON
            depth -= 1
        else:
            commas[depth] += 1
            if depth == _HEADER_DEPTH and commas[depth] >= _MOST_DIMENSIONS:
                raise DamagedError(f"has a list of more than {_MOST_DIMENSIONS} numbers")
            if commas[depth] >= _MOST_MEMBERS:
                raise DamagedError(f"has more than {_MOST_MEMBERS} members in one object")


def _who(name: str) -> str:
    return f"tensor {excerpt(name)}"


def _metadata(node: Node) -> dict[str, str]:
    if not isinstance(node.value, dict):
        raise node.error("not an object")
    for name, value in node.value.items():
        if not isinstance(value, str):
            raise node.error(f"the value of {excerpt(name)} is not a string")
    return dict(node.value)


def _entry(node: Node, name: str) -> Tensor:
    node.require_keys(("dtype", "shape", "data_offsets"), 0)
    dtype = node.at("dtype").text()
    item_bytes = ITEM_BYTES.get(dtype) or _OTHER_ITEM_BYTES.get(dtype)
    if item_bytes is None:
        raise node.at("dtype").error(f"{excerpt(dtype)} is not a type that hotpack knows")
    shape = node.at("shape").counts()
    offsets = node.at("data_offsets")
    if offsets.length() != 2:
        raise offsets.error("must be two numbers")
    begin, end = offsets.counts()
    if end < begin:
        raise offsets.error("the end is before the beginning")
    if math.prod(shape) * item_bytes != end - begin:
        raise node.error(f"its shape does not fit its size, {end - begin} bytes")
    return Tensor(name, dtype, shape, begin, end)


def _check_places(tensors: list[Tensor], buffer_start: int, buffer_bytes: int) -> None:
    """The tensors fill the buffer exactly, without gap or overlap."""
    at = 0
    for tensor in tensors:
        if tensor.begin != at:
            what = "there is a gap before it" if tensor.begin > at else "it overlaps the one before"
            raise DamagedError(
                f"{_who(tensor.name)}: {what}", offset=buffer_start + min(at, buffer_bytes)
            )
        if tensor.end > buffer_bytes:
            raise DamagedError(
                f"truncated: {_who(tensor.name)} ends {tensor.end - buffer_bytes} bytes after the "
                "end of the file",
                offset=buffer_start + buffer_bytes,
            )
        at = tensor.end
    if at != buffer_bytes:
        raise DamagedError(
            f"{buffer_bytes - at} bytes follow the last tensor", offset=buffer_start + at
        )
