"""The manifest of a pack, `dataset.json`, by FORMAT.md section 9.

Failure: DamagedError; the caller adds the path.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..errors import DamagedError
from .crc32c import crc32c
from .json_node import Node
from .json_text import excerpt, parse, raw_members
from .schema import Schema, decode_schema
from .statistics import Numbers, Statistics
from .xxh3 import xxh3_128

MANIFEST_NAME = "dataset.json"
FORMAT_VERSION = "1.0"
_LEAST_TABLE_BYTES = 53  # that one record adds to the tables of a shard
_TAIL = re.compile(rb'"check":"(.{15})"\}\n', re.DOTALL)
TAIL_BYTES = 27
MOST_MANIFEST_BYTES = 256 << 20  # a million shards, and the largest schema
_VERSION = re.compile(r"(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})", re.ASCII)
_SHARD_NAME = re.compile(r"shard-(\d{5,19})-of-(\d{5,19})\.safetensors", re.ASCII)


@dataclass(frozen=True, slots=True)
class Plan:
    samples: int  # records and skipped samples of the whole data set
    shards: int
    keys: str  # digest of all planned keys


@dataclass(frozen=True, slots=True)
class ShardRow:
    """One shard, as the manifest describes it."""

    file: str
    records: int
    size_bytes: int
    sources: str
    digest: str


@dataclass(frozen=True, slots=True)
class Manifest:
    format: str
    minor: int
    schema_text: str
    schema: Schema
    fingerprint: str
    plan_text: str
    plan: Plan
    statistics: Statistics
    skipped: int
    shards: tuple[ShardRow, ...]

    @property
    def records(self) -> int:
        return sum(row.records for row in self.shards)


def decode_manifest(data: bytes) -> Manifest:
    """Reads and checks the text of a manifest."""
    _check_tail(data)
    node = Node(parse(data))
    if not node.has("format"):
        raise DamagedError('not a manifest of hotpack: it lacks the key "format"')
    version = node.at("format").text()
    minor = parse_version(version)
    if node.has("parts"):
        raise DamagedError("the data set has parts; this version of hotpack reads sets without")
    node.require_keys(
        ("format", "schema", "fingerprint", "plan", "statistics", "skipped", "shards", "check"),
        minor,
    )
    texts = raw_members(data.decode(), ("schema", "plan"))
    schema = decode_schema(texts["schema"], minor)
    manifest = Manifest(
        version,
        minor,
        texts["schema"],
        schema,
        node.at("fingerprint").digest(),
        texts["plan"],
        decode_plan(texts["plan"], minor),
        _statistics(node.at("statistics"), schema, minor),
        node.at("skipped").count(),
        _rows(node.at("shards"), minor),
    )
    _check_fingerprint(manifest)
    _check_totals(manifest)
    return manifest


def parse_version(text: str) -> int:
    """The minor version of format version "1.<minor>"."""
    match = _VERSION.fullmatch(text)
    if not match:
        raise DamagedError("the format's version is not of the form 1.<minor>")
    if match[1] != "1":
        raise DamagedError(
            f"format version {text} is unknown; this program reads 1.x. Use a hotpack that reads "
            "this version"
        )
    return int(match[2])


def decode_plan(text: str, minor: int) -> Plan:
    node = Node(parse(text.encode()), "plan")
    node.require_keys(("samples", "shards", "keys"), minor)
    samples, shards = node.at("samples").count(), node.at("shards").count(1)
    return Plan(samples, shards, node.at("keys").digest())


def shard_name(index: int, count: int) -> str:
    """The file name of shard `index` of `count`."""
    return f"shard-{index:05}-of-{count:05}.safetensors"


def parse_shard_name(name: str) -> tuple[int, int] | None:
    """The index and the count in the file name of a shard, or None for another name."""
    match = _SHARD_NAME.fullmatch(name)
    if not match:
        return None
    index, count = int(match[1]), int(match[2])
    return (index, count) if index < count and shard_name(index, count) == name else None


def crc_text(crc: int) -> str:
    return f"crc32c:{crc:08x}"


def _check_tail(data: bytes) -> None:
    match = _TAIL.fullmatch(data, max(0, len(data) - TAIL_BYTES))
    if not match:
        raise DamagedError(
            "is truncated, or was not written by hotpack: the checksum at its end is missing",
            offset=len(data),
        )
    found = crc_text(crc32c(data[:-TAIL_BYTES]))
    stated = match[1].decode("utf-8", "replace")
    if stated != found:
        raise DamagedError(
            f"the checksum at its end is {excerpt(stated)}, but its bytes have {found}: it was "
            "damaged, or edited by hand"
        )


def _statistics(node: Node, schema: Schema, minor: int) -> Statistics:
    node.require_keys(("mean", "std", "pixels", "samples", "ignored", "weights"), minor)
    weights = node.at("weights")
    weights.require_keys(("inverse", "median"), minor)
    channels, classes = schema.image.channels, schema.counted_classes
    return Statistics(
        _numbers(node.at("mean"), channels),
        _numbers(node.at("std"), channels),
        _counts(node.at("pixels"), classes),
        _counts(node.at("samples"), classes),
        node.at("ignored").count(),
        _numbers(weights.at("inverse"), classes),
        _numbers(weights.at("median"), classes),
    )


def _numbers(node: Node, length: int) -> Numbers:
    _check_length(node, length)
    elements = node.elements()
    return tuple(None if element.value is None else element.number() for element in elements)


def _counts(node: Node, length: int) -> tuple[int, ...]:
    _check_length(node, length)
    return node.counts()


def _check_length(node: Node, length: int) -> None:
    if node.length() != length:
        raise node.error(f"must be a list of {length} numbers")


def _rows(node: Node, minor: int) -> tuple[ShardRow, ...]:
    count = node.length()
    elements = enumerate(node.elements())
    return tuple(_row(element, shard_name(i, count), minor) for i, element in elements)


def _row(node: Node, name: str, minor: int) -> ShardRow:
    node.require_keys(("file", "records", "bytes", "sources", "digest"), minor)
    file = node.at("file").text()
    if file != name:
        raise node.at("file").error(f"{excerpt(file)} must be {name}")
    size_bytes = node.at("bytes").count()
    return ShardRow(
        file,
        node.at("records").count(0, size_bytes // _LEAST_TABLE_BYTES),
        size_bytes,
        node.at("sources").digest(),
        node.at("digest").digest(),
    )


def _check_fingerprint(manifest: Manifest) -> None:
    expected = xxh3_128((manifest.schema_text + manifest.plan_text).encode())
    if manifest.fingerprint != expected:
        raise DamagedError(
            f"fingerprint is {manifest.fingerprint}, but schema and plan give {expected}"
        )


def _check_totals(manifest: Manifest) -> None:
    if len(manifest.shards) != manifest.plan.shards:
        raise DamagedError(
            f"shards: it has {len(manifest.shards)} rows, but the number of shards in the plan is "
            f"{manifest.plan.shards}"
        )
    if manifest.records + manifest.skipped != manifest.plan.samples:
        raise DamagedError(
            "records and skipped samples do not add up to the "
            f"{manifest.plan.samples} samples of the plan"
        )
