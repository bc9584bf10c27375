"""The header of a shard: its metadata, and which tensors it must have, by FORMAT.md sections 4 to
8.

Failure: DamagedError with the byte offset; the caller adds the path.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ..errors import DamagedError
from .container import ITEM_BYTES, LENGTH_BYTES, Bytes, Container, Tensor, read_container
from .json_node import Node
from .json_text import excerpt
from .manifest import Plan, decode_plan, parse_version
from .schema import Schema, decode_schema

T = TypeVar("T")

PAGE = 4096
METADATA_KEYS = ("hotpack.format", "hotpack.plan", "hotpack.schema", "hotpack.sources")
_PARTS = (
    "", ".data", ".zstd", ".offsets", ".shape", ".crc32c", ".zstd.offsets", ".zstd.crc32c",
)  # fmt: skip
_FILLER = re.compile(r"_pad\.[0-9]+")


@dataclass(frozen=True, slots=True)
class FieldTables:
    """The tensors of one field, "image" or "label"."""

    name: str
    payload: Tensor
    compressed: bool
    offsets: Tensor | None  # None: records of one size, uncompressed
    shapes: Tensor | None  # None: records of one size
    crcs: Tensor
    frame_crcs: Tensor | None  # None: uncompressed


@dataclass(frozen=True, slots=True)
class TensorList:
    """The tensors that a shard must have, without fillers. Places are not set."""

    payload: tuple[Tensor, ...]
    tables: tuple[Tensor, ...]

    def names(self) -> set[str]:
        return {tensor.name for tensor in (*self.payload, *self.tables)}


@dataclass(frozen=True, slots=True)
class ShardHeader:
    header_bytes: int
    metadata: dict[str, str]
    minor: int
    schema: Schema
    plan: Plan
    tensors: dict[str, Tensor]  # in file order
    records: int
    tables_begin: int  # relative to the buffer

    @property
    def buffer_start(self) -> int:
        return LENGTH_BYTES + self.header_bytes

    def bytes_of(self, file: Bytes, tensor: Tensor) -> Bytes:
        """The bytes of a tensor."""
        return file[self.buffer_start + tensor.begin : self.buffer_start + tensor.end]

    def offset_of(self, tensor: Tensor, item: int = 0) -> int:
        """Where an item of a tensor is in the file."""
        return self.buffer_start + tensor.begin + item * ITEM_BYTES.get(tensor.dtype, 1)

    def field(self, name: str, one_size: bool) -> FieldTables:
        compressed = f"{name}.zstd" in self.tensors
        payload = f"{name}.zstd" if compressed else name if one_size else f"{name}.data"
        offsets = f"{name}.zstd.offsets" if compressed else f"{name}.offsets"
        return FieldTables(
            name,
            self.tensors[payload],
            compressed,
            self.tensors[offsets] if compressed or not one_size else None,
            None if one_size else self.tensors[f"{name}.shape"],
            self.tensors[f"{name}.crc32c"],
            self.tensors[f"{name}.zstd.crc32c"] if compressed else None,
        )

    @property
    def image(self) -> FieldTables:
        return self.field("image", self.schema.image.shape is not None)

    @property
    def label(self) -> FieldTables | None:
        if self.schema.label is None:
            return None
        return self.field("label", self.schema.label_record is not None)

    def is_aligned(self) -> bool:
        """True if payload tensors begin at pages and tables at multiples of their items."""
        expected = expected_tensors(self)
        places = [(tensor.name, PAGE) for tensor in expected.payload]
        places += [(tensor.name, ITEM_BYTES[tensor.dtype]) for tensor in expected.tables]
        return all(
            self.tensors[name].size_bytes == 0
            or (self.buffer_start + self.tensors[name].begin) % step == 0
            for name, step in places
        )


def decode_header(file: Bytes, known: tuple[str, int, Schema] | None = None) -> ShardHeader:
    """Reads and checks the header of a shard, u8 [bytes]. `known` is the text of a schema, the
    minor version and what decode_schema() made of them, so that it need not be decoded again."""
    container = read_container(file)
    metadata = container.metadata
    if not metadata.get("hotpack.format"):
        raise DamagedError(
            "a safetensors file, but not a hotpack shard: its metadata lacks hotpack.format"
        )
    minor = parse_version(metadata["hotpack.format"])
    _check_metadata(metadata, minor)
    schema = _schema(metadata["hotpack.schema"], minor, known)
    plan = _named("hotpack.plan", lambda: decode_plan(metadata["hotpack.plan"], minor))
    header = ShardHeader(
        container.header_bytes,
        metadata,
        minor,
        schema,
        plan,
        {tensor.name: tensor for tensor in container.tensors},
        _record_count(container, plan),
        next((t.begin for t in container.tensors if t.name.endswith(".offsets")), 0),
    )
    _check_tensors(header)
    return header


def expected_tensors(header: ShardHeader) -> TensorList:
    """The tensors that a shard of this schema must have, in the order of section 4."""
    n, schema, tensors = header.records, header.schema, header.tensors
    names = ["image"] + (["label"] if schema.label else [])
    zstd = {name for name in names if f"{name}.zstd" in tensors}
    fixed = {"image": schema.image.shape, "label": schema.label_record}
    mixed = [name for name in names if fixed[name] is None]
    payload = [_payload(name, fixed[name], name in zstd, header) for name in names]
    tables = [_table(f"{name}.offsets", "U64", n + 1) for name in mixed if name not in zstd]
    tables += [_table(f"{name}.zstd.offsets", "U64", n + 1) for name in names if name in zstd]
    if schema.has_class_rows:
        tables += [_table("label.classes.offsets", "U64", n + 1)]
    tables += [
        _table("key.offsets", "U64", n + 1),
        _table("source.hash", "U64", n, 2),
        _table("shard.sums", "U64", 2 * schema.image.channels + 3 + 3 * schema.counted_classes),
        _table("source.size", "I32", n, 2),
        _table("source.region", "I32", n, 4),
    ]
    tables += [_table(f"{name}.shape", "I32", n, 3) for name in mixed]
    if schema.has_class_rows:
        classes = tensors.get("label.classes")
        rows = classes.shape[0] if classes and classes.shape else 0
        tables += [_table("label.classes", "U32", rows, 2)]
    tables += [_table(f"{name}.crc32c", "U32", n) for name in names]
    tables += [_table(f"{name}.zstd.crc32c", "U32", n) for name in names if name in zstd]
    key_bytes = tensors["key.data"].size_bytes if "key.data" in tensors else 0
    tables += [_table("key.data", "U8", key_bytes), _table("shard.crc32c", "U32", 2)]
    return TensorList(tuple(payload), tuple(tables))


def is_filler(tensor: Tensor) -> bool:
    named = _FILLER.fullmatch(tensor.name) is not None
    return named and tensor.dtype == "U8" and len(tensor.shape) == 1


def _payload(
    name: str, shape: tuple[int, ...] | None, compressed: bool, header: ShardHeader
) -> Tensor:
    if compressed or shape is None:
        stored = f"{name}.zstd" if compressed else f"{name}.data"
        found = header.tensors.get(stored)
        return _table(stored, "U8", found.size_bytes if found else 0)
    wide = name == "label" and header.schema.label_item_bytes == 2
    return _table(name, "U16" if wide else "U8", header.records, *shape)


def _table(name: str, dtype: str, *shape: int) -> Tensor:
    return Tensor(name, dtype, shape)


def _named(name: str, decode: Callable[[], T]) -> T:
    try:
        return decode()
    except DamagedError as error:
        raise DamagedError(f"{name}: {error.message}") from None


def _schema(text: str, minor: int, known: tuple[str, int, Schema] | None) -> Schema:
    if known and known[:2] == (text, minor):
        return known[2]
    return _named("hotpack.schema", lambda: decode_schema(text, minor))


def _check_metadata(metadata: dict[str, str], minor: int) -> None:
    for name in METADATA_KEYS:
        if not metadata.get(name):
            raise DamagedError(f"its metadata lacks {name}")
    for name in metadata:
        if minor == 0 and name not in METADATA_KEYS:
            raise DamagedError(f"metadata: the key {excerpt(name)} is unknown in version 1.0")
    Node(metadata["hotpack.sources"], "hotpack.sources").digest()


def _record_count(container: Container, plan: Plan) -> int:
    offsets = next((t for t in container.tensors if t.name == "key.offsets"), None)
    if offsets is None or offsets.dtype != "U64" or len(offsets.shape) != 1 or not offsets.shape[0]:
        raise DamagedError(
            "the tensor key.offsets is missing, or it is not a list of U64 numbers"
        )
    records = offsets.shape[0] - 1
    if records > plan.samples:
        raise DamagedError(
            f"{records} records, more than the {plan.samples} samples of the plan"
        )
    return records


def _check_tensors(header: ShardHeader) -> None:
    expected = expected_tensors(header)
    _check_present(header, expected)
    _check_one_form(header, expected.names())
    _check_fillers(header, len(expected.payload) + 1)
    if header.minor == 0:
        _check_no_others(header, expected.names())
    if header.tensors["shard.crc32c"].begin < header.tables_begin:
        raise DamagedError("shard.crc32c is before the tables")


def _check_present(header: ShardHeader, expected: TensorList) -> None:
    for wanted in (*expected.payload, *expected.tables):
        found = header.tensors.get(wanted.name)
        if found is None:
            raise DamagedError(f"the tensor {wanted.name} is missing")
        if (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
            raise DamagedError(
                f"{wanted.name} is {found.form()}, expected {wanted.form()}",
                offset=header.buffer_start + found.begin,
            )


def _check_one_form(header: ShardHeader, expected: set[str]) -> None:
    """No field may be there in two forms: two readers could read different records."""
    for field in ("image", "label"):
        for name in (field + part for part in _PARTS):
            if name in header.tensors and name not in expected:
                raise DamagedError(
                    f"the tensor {name} must not exist: the shard contains the {field} in another "
                    "form",
                    offset=header.buffer_start + header.tensors[name].begin,
                )
    if header.schema.label:
        return
    for name, tensor in header.tensors.items():
        if name.startswith("label."):
            raise DamagedError(
                f"the tensor {excerpt(name)} does not belong to a data set without labels",
                offset=header.buffer_start + tensor.begin,
            )


def _check_fillers(header: ShardHeader, most: int) -> None:
    fillers = [tensor for tensor in header.tensors.values() if is_filler(tensor)]
    for filler in fillers:
        if filler.size_bytes == 0:
            raise DamagedError(
                f"the filler {filler.name} is empty", offset=header.buffer_start + filler.begin
            )
    if header.minor == 0 and len(fillers) > most:
        raise DamagedError(
            f"{len(fillers)} fillers; a shard of version 1.0 has at most {most}"
        )


def _check_no_others(header: ShardHeader, expected: set[str]) -> None:
    for name, tensor in header.tensors.items():
        if name not in expected and not is_filler(tensor):
            raise DamagedError(
                f"the tensor {excerpt(name)} does not belong to a shard of version 1.0",
                offset=header.buffer_start + tensor.begin,
            )
