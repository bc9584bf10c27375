"""One shard: a mapped file whose header and tables were checked, and its records.

Memory: arrays that view a record keep the mapping alive, so they may outlive the Shard. The file
must not shrink while it is mapped: reading beyond its end kills the process (SIGBUS); packs are
replaced by renaming, never changed in place (FORMAT.md, section 15).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import DamagedError
from .container import Bytes, Tensor
from .crc32c import crc32c
from .files import map_file
from .frames import decompress
from .header import FieldTables, ShardHeader, decode_header
from .schema import Schema
from .tables import check_tables, needed_bytes, offsets_table, table

T = TypeVar("T")
VerifyChecksums = Literal["first_read", "always", "never"]

_ADVICE = "; `hotpack verify` finds all damage, `hotpack pack --repair` repairs it"


class Field:
    """The records of one field, image or label, as stored."""

    def __init__(self, file: Bytes, header: ShardHeader, tables: FieldTables) -> None:
        self.name = tables.name
        self.compressed = tables.compressed
        self.bytes = header.bytes_of(file, tables.payload)
        self.start = header.offset_of(tables.payload)
        self.sizes = needed_bytes(file, header, tables)
        self.offsets = _offsets(file, header, tables)
        self.crcs = table(file, header, tables.crcs)
        frame_crcs = tables.frame_crcs
        self.frame_crcs = None if frame_crcs is None else table(file, header, frame_crcs)
        self.is_checked = np.zeros(header.records, np.bool_)

    def stored(self, index: int) -> Bytes:
        """The stored bytes of a record: its content, or its frame."""
        return self.bytes[self.offsets[index] : self.offsets[index + 1]]

    def content(self, index: int, verify: VerifyChecksums = "always") -> Bytes:
        """The content of a record, u8 [bytes]: a view of the file unless it is compressed.
        Failure: DamagedError without a place."""
        stored = self.stored(index)
        check = verify == "always" or (verify == "first_read" and not self.is_checked[index])
        if not self.compressed:
            if check:
                self._compare(stored, int(self.crcs[index]), "CRC-32C")
                self.is_checked[index] = True
            return stored
        if check:
            assert self.frame_crcs is not None
            self._compare(stored, int(self.frame_crcs[index]), "CRC-32C of its frame")
        try:
            content = decompress(stored.tobytes(), int(self.sizes[index]))
        except DamagedError as error:
            raise DamagedError(f"{self.name}: {error.message}") from None
        array = np.frombuffer(content, np.uint8)
        if check:
            self._compare(array, int(self.crcs[index]), "CRC-32C")
            self.is_checked[index] = True
        return array

    def offset(self, index: int) -> int:
        """Where the stored bytes of a record begin in the file."""
        return self.start + int(self.offsets[index])

    def _compare(self, content: Bytes, wanted: int, what: str) -> None:
        found = crc32c(content)
        if found != wanted:
            raise DamagedError(
                f"{self.name}: {what} is {found:08x}, the shard says {wanted:08x}, so the "
                f"{self.name} is damaged"
            )


class Shard:
    """Records of one file. Indexes are not checked here: 0 … records − 1."""

    def __init__(self, path: str, file: Bytes, header: ShardHeader) -> None:
        self.path = path
        self.file = file
        self.header = header
        self.schema = header.schema
        self.records = header.records
        tensors = header.tensors
        self._key_data = header.bytes_of(file, tensors["key.data"])
        self._key_offsets = offsets_table(file, header, tensors["key.offsets"])
        self._source_size = table(file, header, tensors["source.size"])
        self._source_region = table(file, header, tensors["source.region"])
        self._image_shapes = self._shapes("image")
        self._label_shapes = self._shapes("label")
        self.image = Field(file, header, header.image)
        self.label = Field(file, header, header.label) if header.label else None

    def key(self, index: int) -> str:
        begin, end = self._key_offsets[index], self._key_offsets[index + 1]
        return self._key_data[begin:end].tobytes().decode()

    def keys(self) -> list[str]:
        """All keys, in order."""
        text, ends = self._key_data.tobytes(), self._key_offsets.tolist()
        return [text[begin:end].decode() for begin, end in zip(ends, ends[1:])]

    def source_size(self, index: int) -> tuple[int, int]:
        width, height = self._source_size[index].tolist()
        return width, height

    def source_region(self, index: int) -> tuple[int, int, int, int]:
        x, y, width, height = self._source_region[index].tolist()
        return x, y, width, height

    def image_shape(self, index: int) -> tuple[int, int, int]:
        """Height, width and channels of a record."""
        stored = self.schema.image.shape or self._shape_in(self._image_shapes, index)
        a, b, c = stored
        return (a, b, c) if self.schema.image.layout == "hwc" else (b, c, a)

    def label_shape(self, index: int) -> tuple[int, ...]:
        """One label record as stored: [H,W,⌈C/8⌉], [H,W,C] or [H,W] for pixel labels; else the
        last dimension alone, or ()."""
        label = self.schema.label
        assert label is not None
        if label.shape is not None:
            return label.shape
        height, width, depth = self._shape_in(self._label_shapes, index)
        return (height, width) if label.storage == "index" else (height, width, depth)

    def image_array(self, index: int, verify: VerifyChecksums) -> Bytes:
        """An image, u8 [H,W,c], read-only; a view of the file unless it is compressed."""
        content = self._content(self.image, index, verify)
        height, width, channels = self.image_shape(index)
        if self.schema.image.layout == "hwc":
            return content.reshape(height, width, channels)
        return content.reshape(channels, height, width).transpose(1, 2, 0)

    def label_array(self, index: int, verify: VerifyChecksums) -> npt.NDArray[np.generic]:
        """A label as stored, read-only; u8, or u16 for ids of more than 255 classes."""
        assert self.label is not None
        content = self._content(self.label, index, verify)
        items = content.view("<u2") if self.schema.label_item_bytes == 2 else content
        return items.reshape(self.label_shape(index))

    def _content(self, field: Field, index: int, verify: VerifyChecksums) -> Bytes:
        try:
            return field.content(index, verify)
        except DamagedError as error:
            raise DamagedError(
                error.message + _ADVICE,
                path=self.path,
                offset=field.offset(index),
                record=index,
                key=self.key(index),
            ) from None

    def _shapes(self, field: str) -> npt.NDArray[np.generic] | None:
        tensor = self.header.tensors.get(f"{field}.shape")
        return None if tensor is None else table(self.file, self.header, tensor)

    @staticmethod
    def _shape_in(shapes: npt.NDArray[np.generic] | None, index: int) -> tuple[int, int, int]:
        assert shapes is not None
        first, second, third = shapes[index].tolist()
        return first, second, third


def open_shard(path: str, known: tuple[str, int, Schema] | None = None) -> Shard:
    """Maps and checks a shard, as FORMAT.md demands when a shard is first used. `known`: as for
    decode_header(). Raises IoError, and DamagedError with the path."""
    file, header = open_header(path, known)
    with_path(path, lambda: check_tables(file, header))
    return Shard(path, file, header)


def open_header(
    path: str, known: tuple[str, int, Schema] | None = None
) -> tuple[Bytes, ShardHeader]:
    """Maps a shard and checks its header alone."""
    file = map_file(path)
    return file, with_path(path, lambda: decode_header(file, known))


def with_path(path: str, work: Callable[[], T]) -> T:
    """Runs `work`, and adds the path to its DamagedError."""
    try:
        return work()
    except DamagedError as error:
        raise DamagedError(
            error.message, path=path, offset=error.offset, record=error.record, key=error.key
        ) from None


def _offsets(file: Bytes, header: ShardHeader, tables: FieldTables) -> npt.NDArray[np.int64]:
    """Where each record begins and the last one ends within the payload, i64 [N+1]."""
    if tables.offsets is not None:
        return offsets_table(file, header, tables.offsets)
    row_bytes = _row_bytes(tables.payload, header.records)
    return np.arange(header.records + 1, dtype=np.int64) * row_bytes


def _row_bytes(payload: Tensor, records: int) -> int:
    return payload.size_bytes // records if records else math.prod(payload.shape[1:])
