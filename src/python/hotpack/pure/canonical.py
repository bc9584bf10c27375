"""The one form in which a writer of 1.0 lays out a shard and writes a manifest, by FORMAT.md
sections 4, 8, 9 and 10. Only verification needs it.

Failure: DamagedError for the first difference; the caller adds the path.
"""

from __future__ import annotations

import json
from typing import Any

from ..errors import DamagedError
from .container import ITEM_BYTES, LENGTH_BYTES, Bytes, Tensor
from .crc32c import crc32c
from .header import METADATA_KEYS, PAGE, ShardHeader, expected_tensors, is_filler
from .json_text import canonical, canonical_double, excerpt, parse
from .manifest import FORMAT_VERSION, Manifest, ShardRow, crc_text
from .schema_rules import check_schema
from .statistics import Numbers

_FIELDS = {
    "image": ("layout", "shape", "dtype", "channels", "color"),
    "label": ("kind", "storage", "shape", "multi"),
}
_GEOMETRY = ("size", "fit", "image_filter", "label_filter", "pad_color")
_OPTIONS = ("shuffle", "anchor", "size_mismatch", "engines")
_TWENTY_DIGITS = 10**19
_RESERVED_FILLERS = 3


def check_form(file: Bytes, header: ShardHeader) -> None:
    """The header and the places of all tensors are those of section 4. Later minor versions are not
    checked, as their headers may hold more."""
    if header.minor != 0:
        return
    metadata = header.metadata
    check_schema(header.schema)
    _check_text("hotpack.schema", metadata["hotpack.schema"], _schema_text(header))
    _check_text("hotpack.plan", metadata["hotpack.plan"], _plan_text(header))
    _check_engines(header)
    tensors, header_bytes = _layout(header)
    _check_places(header, tensors, header_bytes)
    wanted = header_bytes.to_bytes(LENGTH_BYTES, "little")
    wanted += _header_text(header, tensors).encode().ljust(header_bytes, b" ")
    found = file[: header.buffer_start].tobytes()
    if found != wanted:
        raise DamagedError(
            "the header is not in canonical form (order of entries, JSON or padding)",
            offset=_first_difference(found, wanted),
        )


def check_fillers(file: Bytes, header: ShardHeader) -> None:
    """All bytes of fillers are zero."""
    for tensor in filter(is_filler, header.tensors.values()):
        filler = header.bytes_of(file, tensor)
        if filler.any():
            raise DamagedError(
                f"the filler {tensor.name} has a byte that is not zero",
                offset=header.offset_of(tensor, int((filler != 0).argmax())),
            )


def check_manifest_text(data: bytes, manifest: Manifest) -> None:
    """The text of a manifest of version 1.0 is the canonical one of its contents."""
    if manifest.format != FORMAT_VERSION:
        return
    wanted = _manifest_text(manifest).encode()
    wanted += f'"check":"{crc_text(crc32c(wanted))}"}}\n'.encode()
    if data != wanted:
        raise DamagedError(
            "its text is not the canonical form of its contents",
            offset=_first_difference(data, wanted),
        )


# ---- texts


def _check_text(name: str, found: str, wanted: str) -> None:
    if found != wanted:
        at = _first_difference(found.encode(), wanted.encode())
        raise DamagedError(f"{name} differs from its canonical JSON from byte {at} on")


def _first_difference(a: bytes, b: bytes) -> int:
    for at, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return at
    return min(len(a), len(b))


def _picked(value: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value[name] for name in names}


def _schema_text(header: ShardHeader) -> str:
    """The schema with its keys in the order of section 8; further options as they are."""
    found = parse(header.metadata["hotpack.schema"].encode())
    fields, options = found["fields"], found["options"]
    return canonical(
        {
            "fields": {
                name: _picked(fields[name], keys)
                for name, keys in _FIELDS.items()
                if name in fields
            },
            "classes": [_picked(one, ("name", "color", "sources")) for one in found["classes"]],
            "ignore": found["ignore"],
            "geometry": _picked(found["geometry"], _GEOMETRY),
            "options": _picked(options, _OPTIONS) | options,
        }
    )


def _plan_text(header: ShardHeader) -> str:
    plan = header.plan
    return canonical({"samples": plan.samples, "shards": plan.shards, "keys": plan.keys})


def _header_text(header: ShardHeader, tensors: list[Tensor], wide: bool = False) -> str:
    """The header's JSON. With `wide`, each number has 20 digits."""
    entries: dict[str, Any] = {"__metadata__": _picked(header.metadata, METADATA_KEYS)}
    for tensor in tensors:
        numbers = [*tensor.shape, tensor.begin, tensor.end]
        if wide:
            numbers = [_TWENTY_DIGITS] * len(numbers)
        entries[tensor.name] = {
            "dtype": tensor.dtype,
            "shape": numbers[:-2],
            "data_offsets": numbers[-2:],
        }
    return canonical(entries)


def _manifest_text(manifest: Manifest) -> str:
    """All of a manifest before its check."""
    statistics = manifest.statistics
    rows = ",\n".join(canonical(_row(row)) for row in manifest.shards)
    return (
        f'{{\n"format":{json.dumps(manifest.format)},\n"schema":{manifest.schema_text},\n'
        f'"fingerprint":"{manifest.fingerprint}",\n"plan":{manifest.plan_text},\n'
        f'"statistics":{{"mean":{_numbers_text(statistics.mean)},'
        f'"std":{_numbers_text(statistics.std)},"pixels":{canonical(list(statistics.pixels))},'
        f'"samples":{canonical(list(statistics.samples))},"ignored":{statistics.ignored},'
        f'"weights":{{"inverse":{_numbers_text(statistics.inverse)},'
        f'"median":{_numbers_text(statistics.median)}}}}},\n'
        f'"skipped":{manifest.skipped},\n"shards":[\n{rows}\n],\n'
    )


def _row(row: ShardRow) -> dict[str, Any]:
    return {
        "file": row.file,
        "records": row.records,
        "bytes": row.size_bytes,
        "sources": row.sources,
        "digest": row.digest,
    }


def _numbers_text(numbers: Numbers) -> str:
    texts = ("null" if number is None else canonical_double(number) for number in numbers)
    return f"[{','.join(texts)}]"


# ---- places


def _layout(header: ShardHeader) -> tuple[list[Tensor], int]:
    """The tensors with their places, and L, by section 4."""
    expected = expected_tensors(header)
    reserved = [Tensor(f"_pad.{k}", "U8", (0,)) for k in range(_RESERVED_FILLERS)]
    all_tensors = [*expected.payload, *expected.tables, *reserved]
    needed = len(_header_text(header, all_tensors, wide=True).encode())
    header_bytes = needed + -(LENGTH_BYTES + needed) % PAGE
    placed: list[Tensor] = []
    for tensor in expected.payload:
        _put(placed, tensor)
        _fill(placed, PAGE)
    for tensor in expected.tables:
        if tensor.name == "shard.crc32c":
            _fill(placed, ITEM_BYTES[tensor.dtype])
        _put(placed, tensor)
    return placed, header_bytes


def _put(placed: list[Tensor], tensor: Tensor) -> None:
    begin = placed[-1].end if placed else 0
    size = ITEM_BYTES[tensor.dtype]
    for side in tensor.shape:
        size *= side
    placed.append(Tensor(tensor.name, tensor.dtype, tensor.shape, begin, begin + size))


def _fill(placed: list[Tensor], step: int) -> None:
    missing = -placed[-1].end % step
    if missing:
        number = sum(map(is_filler, placed))
        _put(placed, Tensor(f"_pad.{number}", "U8", (missing,)))


def _check_places(header: ShardHeader, wanted: list[Tensor], header_bytes: int) -> None:
    if header.header_bytes != header_bytes:
        raise DamagedError(
            f"the header has {header.header_bytes} bytes, expected {header_bytes}", offset=0
        )
    for found, right in zip(header.tensors.values(), wanted):
        if found != right:
            raise DamagedError(
                f"the tensor {excerpt(found.name)} at {found.begin} is where {right.name} at "
                f"{right.begin} belongs",
                offset=header.buffer_start + found.begin,
            )
    if len(header.tensors) != len(wanted):
        raise DamagedError(f"{len(header.tensors)} tensors, expected {len(wanted)}")


def _check_engines(header: ShardHeader) -> None:
    engines = header.schema.options["engines"]
    stated = any(engine.startswith("zstd:") for engine in engines)
    found = any(f"{name}.zstd" in header.tensors for name in _FIELDS)
    if stated and not found:
        raise DamagedError(
            "the header says that records are compressed with zstd (options.engines), but no field "
            "is"
        )
    if found and not stated:
        raise DamagedError(
            "a field is compressed with zstd, but the header does not say so (options.engines)"
        )
