"""Checks of a shard's tables, by FORMAT.md sections 6, 16 and 17: both sums of `shard.crc32c`,
keys, offsets, shapes and sums. After them, no number in a table leads outside the file.

Failure: DamagedError with the byte offset; the caller adds the path.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from ..errors import DamagedError
from .container import NUMPY_TYPES, Bytes, Tensor
from .crc32c import crc32c
from .header import FieldTables, ShardHeader, expected_tensors
from .manifest import crc_text
from .schema import MOST_RECORD_BYTES
from .statistics import Sums

Integers = npt.NDArray[np.int64]

MOST_EXPANSION = 32768  # a Zstandard frame of b bytes holds at most 32768·b
_ADVICE = "; was the shard saved again by another program?"
_SLASH, _DOT, _MOST_COUNTED = ord("/"), ord("."), (2**64 - 1) // (255 * 255)


def check_tables(file: Bytes, header: ShardHeader) -> None:
    """Checks all tables of a shard; `file` is all of it, u8 [bytes]."""
    check_region_sums(file, header)
    check_places(file, header)
    check_sums(file, header)


def check_region_sums(file: Bytes, header: ShardHeader) -> None:
    """Both sums of `shard.crc32c`, and that they cover every table and no payload."""
    _check_coverage(header)
    _check_sums_of_regions(file, header)


def check_places(file: Bytes, header: ShardHeader) -> None:
    """Keys, offsets, shapes and classes."""
    _check_keys(file, header)
    for field in (header.image, header.label):
        if field and field.offsets:
            _check_offsets(file, header, field.offsets, field.payload.size_bytes)
            _check_record_sizes(file, header, field)
    if header.schema.has_class_rows:
        _check_classes(file, header)


def check_sums(file: Bytes, header: ShardHeader) -> None:
    """Numbers of `shard.sums` that records can have."""
    sums = read_sums(file, header)
    good = sums.pixels <= _MOST_COUNTED and sums.skipped <= header.plan.samples - header.records
    for total, squares in zip(sums.channels, sums.squares):
        good = good and total <= 255 * sums.pixels and squares <= 255 * total
    classes = zip(sums.class_pixels, sums.class_samples, sums.class_labeled)
    for pixels, samples, labeled in classes:
        good = good and labeled >= pixels >= samples and samples <= header.records
        good = good and (samples > 0 or labeled == 0)
    if not good:
        raise DamagedError(
            "shard.sums contains numbers that no records can have",
            offset=header.offset_of(header.tensors["shard.sums"]),
        )


def table(file: Bytes, header: ShardHeader, tensor: Tensor) -> npt.NDArray[np.generic]:
    """A table as an array of its own type and shape; a view of the file."""
    items = header.bytes_of(file, tensor).view(NUMPY_TYPES[tensor.dtype])
    return items.reshape(tensor.shape)


def offsets_table(file: Bytes, header: ShardHeader, tensor: Tensor) -> Integers:
    """A table of offsets, i64 [N+1]. Precondition: check_tables() accepted it."""
    return table(file, header, tensor).astype(np.int64)


def read_sums(file: Bytes, header: ShardHeader) -> Sums:
    numbers = table(file, header, header.tensors["shard.sums"]).tolist()
    return Sums.of(numbers, header.schema.image.channels)


def needed_bytes(file: Bytes, header: ShardHeader, field: FieldTables) -> Integers:
    """The bytes of each record before compression, i64 [N]; −1 where the shape is impossible or
    disagrees with the schema or the image."""
    schema = header.schema
    is_image = field.name == "image"
    if field.shapes is None:
        shape = schema.image.shape if is_image else schema.label_record
        assert shape is not None
        item_bytes = 1 if is_image else schema.label_item_bytes
        return np.full(header.records, math.prod(shape) * item_bytes, np.int64)
    depth = schema.image.channels if is_image else schema.label_depth
    depth_bytes = depth if is_image else depth * schema.label_item_bytes
    sizes = table(file, header, field.shapes).astype(np.int64)
    if is_image and schema.image.layout == "chw":
        sizes = sizes[:, [1, 2, 0]]
    area = sizes[:, 0] * sizes[:, 1]  # below 2^62, as they are I32
    possible = (sizes[:, :2] >= 1).all(axis=1) & (sizes[:, 2] == depth)
    possible &= area <= MOST_RECORD_BYTES // depth_bytes
    if not is_image:
        images = table(file, header, header.tensors["image.shape"]).astype(np.int64)
        images = images[:, 1:] if schema.image.layout == "chw" else images[:, :2]
        possible &= (images == sizes[:, :2]).all(axis=1)
    needed: Integers = np.where(possible, area * depth_bytes, -1)
    return needed


def _check_coverage(header: ShardHeader) -> None:
    """The second sum of shard.crc32c covers every table and no payload."""
    expected = expected_tensors(header)
    for name in (tensor.name for tensor in expected.payload):
        if header.tensors[name].end > header.tables_begin:
            raise DamagedError(f"{name} is among the tables{_ADVICE}")
    for name in (tensor.name for tensor in expected.tables):
        if header.tensors[name].begin < header.tables_begin:
            raise DamagedError(f"{name} is in the payload{_ADVICE}")
    if header.tensors["shard.crc32c"].end != next(reversed(header.tensors.values())).end:
        raise DamagedError(f"shard.crc32c is not the last tensor{_ADVICE}")


def _check_sums_of_regions(file: Bytes, header: ShardHeader) -> None:
    sums = header.tensors["shard.crc32c"]
    stated = table(file, header, sums).tolist()
    begin = header.buffer_start + header.tables_begin
    regions = (
        ("the header", 0, header.buffer_start),
        ("the tables region", begin, header.buffer_start + sums.begin),
    )
    for (what, first, last), crc in zip(regions, stated):
        found = crc32c(file[first:last])
        if found != crc:
            raise DamagedError(
                f"{what} has the checksum {crc_text(found)}, but shard.crc32c says "
                f"{crc_text(crc)}: the file was damaged or changed",
                offset=first,
            )


def _check_offsets(file: Bytes, header: ShardHeader, tensor: Tensor, limit: int) -> None:
    """Offsets rise from 0 to `limit`."""
    offsets = table(file, header, tensor).astype(np.uint64)
    bad = offsets > limit
    bad[1:] |= offsets[1:] < offsets[:-1]
    bad[0] |= offsets[0] != 0
    bad[-1] |= offsets[-1] != limit
    if bad.any():
        item = int(bad.argmax())
        raise DamagedError(
            f"{tensor.name} does not rise from 0 to {limit}: item {item} is {offsets[item]}",
            offset=header.offset_of(tensor, item),
        )


def _check_record_sizes(file: Bytes, header: ShardHeader, field: FieldTables) -> None:
    assert field.offsets is not None
    stored = np.diff(offsets_table(file, header, field.offsets))
    needed = needed_bytes(file, header, field)
    if (needed < 0).any():
        assert field.shapes is not None
        record = int((needed < 0).argmax())
        raise DamagedError(
            f"{field.name}.shape is impossible or disagrees with the schema or the image",
            record=record,
            offset=header.offset_of(field.shapes, 3 * record),
        )
    wrong = needed // MOST_EXPANSION > stored if field.compressed else needed != stored
    if wrong.any():
        record = int(wrong.argmax())
        raise DamagedError(
            f"{field.name} has {stored[record]} bytes, but its shape needs {needed[record]}",
            record=record,
            offset=header.offset_of(field.offsets, record),
        )


def _check_classes(file: Bytes, header: ShardHeader) -> None:
    """The rows of each record name classes in ascending order, with pixels."""
    ends, rows = header.tensors["label.classes.offsets"], header.tensors["label.classes"]
    _check_offsets(file, header, ends, rows.shape[0])
    offsets = offsets_table(file, header, ends)
    ids, pixels = table(file, header, rows).astype(np.int64).T
    bad = (ids >= len(header.schema.classes)) | (pixels == 0)
    follows = np.ones(ids.size, np.bool_)  # a row of the same record as the row before
    follows[offsets[:-1][offsets[:-1] < ids.size]] = False
    bad[1:] |= follows[1:] & (ids[1:] <= ids[:-1])
    if bad.any():
        row = int(bad.argmax())
        raise DamagedError(
            "label.classes has a row that no label can have",
            record=int(np.searchsorted(offsets, row, "right")) - 1,
            offset=header.offset_of(rows, 2 * row),
        )


def _check_keys(file: Bytes, header: ShardHeader) -> None:
    """Each key is a relative path in UTF-8 whose parts are names."""
    tensor, data = header.tensors["key.offsets"], header.tensors["key.data"]
    _check_offsets(file, header, tensor, data.size_bytes)
    offsets = offsets_table(file, header, tensor)
    record = _first_bad_key(header.bytes_of(file, data), offsets)
    if record is not None:
        raise DamagedError(
            "its key is not a relative path in UTF-8",
            record=record,
            offset=header.offset_of(data, int(offsets[record])),
        )


def _first_bad_key(text: Bytes, offsets: Integers) -> int | None:
    if _keys_are_paths(text, offsets):
        return None
    for record in range(offsets.size - 1):
        begin, end = offsets[record], offsets[record + 1]
        if not _keys_are_paths(text[begin:end], np.array([0, end - begin])):
            return record
    return 0


def _keys_are_paths(text: Bytes, offsets: Integers) -> bool:
    """True if all keys in a text are relative paths in UTF-8."""
    try:
        text.tobytes().decode("utf-8")
    except UnicodeDecodeError:
        return False
    begins, ends = offsets[:-1], offsets[1:]
    inner = begins[begins < text.size]
    if (text[inner] & 0xC0 == 0x80).any() or (text == 0).any():  # a key begins within a character
        return False
    slashes = np.flatnonzero(text == _SLASH)
    part_begins = np.sort(np.concatenate([begins, slashes + 1]))
    lengths = np.sort(np.concatenate([ends, slashes])) - part_begins
    if (lengths < 1).any():
        return False
    one, two = part_begins[lengths == 1], part_begins[lengths == 2]
    is_dot = text == _DOT
    return not (is_dot[one].any() or (is_dot[two] & is_dot[two + 1]).any())
