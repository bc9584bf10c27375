"""The folders of a data set: their manifests, whether they can be read as one, and their shards.

Failure: errors with the path.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from ..errors import DamagedError, IoError, UsageError
from .files import read_file
from .manifest import (
    MANIFEST_NAME,
    MOST_MANIFEST_BYTES,
    Manifest,
    ShardRow,
    decode_manifest,
    parse_shard_name,
)
from .schema import Schema
from .shard import Shard, open_shard, with_path


@dataclass(frozen=True, slots=True)
class Pack:
    folder: str
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Place:
    """One shard in a data set."""

    pack: Pack
    row: ShardRow
    first: int  # the number of its first sample

    @property
    def path(self) -> str:
        return os.path.join(self.pack.folder, self.row.file)


def read_manifest(folder: str) -> Manifest:
    path = os.path.join(folder, MANIFEST_NAME)
    if os.path.isdir(folder) and not os.path.exists(path):
        raise _no_manifest(folder)
    data = read_file(path, MOST_MANIFEST_BYTES)
    return with_path(path, lambda: decode_manifest(data))


def _no_manifest(folder: str) -> DamagedError | UsageError:
    """Explains why a folder has no manifest, as far as its files show."""
    start = f"is not a data set: it has no {MANIFEST_NAME}"
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise IoError.of("cannot read the folder", folder, error) from None
    shards = [shard for shard in map(parse_shard_name, names) if shard]
    if not shards:
        for name in names:
            inner = os.path.join(folder, name)
            if os.path.exists(os.path.join(inner, MANIFEST_NAME)):
                return UsageError(
                    f"is not a data set, but a folder of data sets; open one of them, such as "
                    f"'{inner}'",
                    path=folder,
                )
        return DamagedError(
            f"{start}, which `hotpack pack` writes last. If packing was interrupted, run the same "
            "command again to finish packing",
            path=folder,
        )
    planned = max(count for _, count in shards)
    if len(shards) == planned:
        how = f"but all its {planned} shards are in the folder: run hotpack merge with this folder"
    else:
        how = (
            f"but {len(shards)} of {planned} shards. To finish the pack, repeat its `hotpack pack` "
            "command; to join the partitions of a pack, run hotpack merge"
        )
    return DamagedError(f"{start}, {how}", path=folder)


def check_joinable(first: Pack, other: Pack) -> None:
    difference = _difference(first.manifest.schema, other.manifest.schema)
    if difference:
        raise UsageError(
            f"'{first.folder}' and '{other.folder}' cannot be read as one data set: {difference}"
        )


def _difference(here: Schema, there: Schema) -> str:
    """The first reason why samples of two packs cannot be read as one data set, or "". Sizes,
    geometry and options may differ, and so may the sources of classes."""
    for number, (a, b) in enumerate(zip(here.classes, there.classes)):
        if (a.name, a.color) != (b.name, b.color):
            return (
                f"class {number} is {_class_text(a.name, a.color)} in the first, "
                f"{_class_text(b.name, b.color)} in the second"
            )
    for fact, first, second in zip(_FACTS, _facts(here), _facts(there)):
        if first != second:
            return f"{fact} is {first} in the first, {second} in the second"
    return ""


_FACTS = (
    "the number of classes", "image.layout", "image.color", "label.kind", "label.storage",
    "label.multi",
)  # fmt: skip


def _facts(schema: Schema) -> tuple[object, ...]:
    image, label = schema.image, schema.label
    of_label = (label.kind, label.storage, label.multi) if label else (None, None, None)
    return (len(schema.classes), image.layout, image.color, *of_label)


def _class_text(name: str, color: tuple[int, int, int] | None) -> str:
    shown = "without a color" if color is None else f"({','.join(map(str, color))})"
    return f"'{name}' {shown}"


def open_place(place: Place) -> Shard:
    """Opens a shard and compares it with its row of the manifest."""
    manifest, row, path = place.pack.manifest, place.row, place.path
    try:
        size = os.stat(path).st_size
    except FileNotFoundError:
        raise DamagedError(
            "the manifest names this shard, but it is missing; restore it, or run the command that "
            "packed it again",
            path=path,
        ) from None
    except OSError as error:
        raise IoError.of("cannot get the size of the file", path, error) from None
    if size != row.size_bytes:
        raise DamagedError(f"has {size} bytes, the manifest says {row.size_bytes}", path=path)
    shard = open_shard(path, (manifest.schema_text, manifest.minor, manifest.schema))
    difference = _row_difference(manifest, row, shard)
    if difference:
        raise DamagedError(difference, path=path)
    return shard


def _row_difference(manifest: Manifest, row: ShardRow, shard: Shard) -> str:
    metadata = shard.header.metadata
    other = "differs from the manifest's; is it a shard of another pack?"
    if metadata["hotpack.schema"] != manifest.schema_text:
        return f"its schema {other}"
    if metadata["hotpack.plan"] != manifest.plan_text:
        return f"its plan {other}"
    if metadata["hotpack.sources"] != row.sources:
        return f"its sources are {metadata['hotpack.sources']}, the manifest says {row.sources}"
    if shard.records != row.records:
        return f"it has {shard.records} records, the manifest says {row.records}"
    return ""
