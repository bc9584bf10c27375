"""Checks a pack against every rule of FORMAT.md and every checksum."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..errors import DamagedError, Error, IoError, UsageError, printable
from .audit import ShardSummary, audit_shard
from .canonical import check_manifest_text
from .container import Bytes
from .dataset import Path
from .files import read_file
from .header import ShardHeader
from .json_text import canonical_double
from .manifest import (
    MANIFEST_NAME,
    MOST_MANIFEST_BYTES,
    Manifest,
    decode_manifest,
    parse_shard_name,
)
from .shard import Shard, open_header
from .statistics import Statistics, Sums, statistics_of
from .xxh3 import xxh3_128, xxh3_128_number

_TEMPORARY = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a file.

    file: its name within the folder. text: what was found and what was expected. record, key,
    offset: where, if it has such a place.
    """

    file: str
    text: str
    record: int | None = None
    key: str | None = None
    offset: int | None = None

    def __str__(self) -> str:
        return str(
            DamagedError(
                self.text, path=self.file, offset=self.offset, record=self.record, key=self.key
            )
        )


@dataclass(slots=True)
class VerifyReport:
    """The result of `verify`.

    findings: in the order of files and records. notes: foreign and temporary files, and what could
    not be checked; not damage. shards, records, size_bytes: how much was checked. aligned: whether
    every shard has payload and tables at aligned places.
    """

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    shards: int = 0
    records: int = 0
    size_bytes: int = 0
    aligned: bool = True

    @property
    def ok(self) -> bool:
        """True if nothing is wrong."""
        return not self.findings

    def __str__(self) -> str:
        count = len(self.findings)
        checked = f"{self.records} records in {self.shards} shards checked, {count} findings"
        return "\n".join([checked, *map(str, self.findings)])


def verify(folder: Path) -> VerifyReport:
    """Checks the manifest, every shard, every record, and that they agree.

    Everything wrong with the files is a finding. Raises IoError if the folder cannot be read, and
    UsageError if the pack is compressed and the package `zstandard` is missing. Speed: 0.2 GB/s of
    records on one core, most of it for counting pixels and classes. Memory: the keys of all
    samples.
    """
    folder = os.fsdecode(folder)
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise IoError.of("cannot read the folder", folder, error) from None
    except ValueError as error:  # a zero byte
        raise UsageError(f"is not a path: {error}", path=folder) from None
    return _Verification(folder).run(names)


class _Verification:
    """One check of a folder, with its findings so far."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.report = VerifyReport()
        self.manifest: Manifest | None = None
        self.summaries: list[ShardSummary] = []
        self.keys: _Keys | None = None  # set with the first shard
        self.first: ShardHeader | None = None
        self.is_complete = True  # all shards were opened and all their records were found

    def run(self, names: Sequence[str]) -> VerifyReport:
        self._note_files(names)
        if MANIFEST_NAME in names:
            self._read_manifest()
        else:
            self.find(
                MANIFEST_NAME,
                "is missing: this is not a data set, or only a partition of one, or packing has "
                "not finished",
            )
        for name in self._shard_names(names):
            self._check_shard(name)
        self._check_whole()
        return self.report

    def find(self, file: str, text: str, offset: int | None = None) -> None:
        self.report.findings.append(Finding(file, text, offset=offset))

    def find_error(self, file: str, error: Error) -> None:
        finding = Finding(file, error.message, error.record, error.key, error.offset)
        self.report.findings.append(finding)

    def _note_files(self, names: Sequence[str]) -> None:
        for name in names:
            match = _TEMPORARY.fullmatch(name)
            if match and _is_pack_file(match[1]):
                note = "a temporary file of an interrupted or running pack; the next run removes it"
                self.report.notes.append(f"{printable(name)}: {note}")
            elif not _is_pack_file(name):
                self.report.notes.append(
                    f"{printable(name)}: not a file of this data set"
                )

    def _read_manifest(self) -> None:
        path = os.path.join(self.folder, MANIFEST_NAME)
        try:
            data = read_file(path, MOST_MANIFEST_BYTES)
            self.manifest = decode_manifest(data)
            check_manifest_text(data, self.manifest)
        except (DamagedError, IoError) as error:
            self.find_error(MANIFEST_NAME, error)

    def _shard_names(self, names: Sequence[str]) -> list[str]:
        """Those that the manifest names; without one, those in the folder."""
        found = sorted(filter(parse_shard_name, names), key=lambda name: (len(name), name))
        if self.manifest is None:
            return found
        named = [row.file for row in self.manifest.shards]
        for name in sorted(set(found) - set(named)):
            self.find(name, "is in the folder, but not in the manifest")
        return named

    def _check_shard(self, name: str) -> None:
        path = os.path.join(self.folder, name)
        try:
            file, header = open_header(path)
        except (DamagedError, IoError) as error:
            self.is_complete = False
            if isinstance(error, IoError) and not os.path.exists(path):
                self.find(name, "missing, though the manifest names it")
            else:
                self.find_error(name, error)
            return
        self._note_shard(name, file, header)
        self._compare_with_first(name, header)
        self._compare_with_row(name, file, header)
        shard, summary = audit_shard(
            path, name, file, header, lambda error: self.find_error(name, error)
        )
        if shard is None or summary is None:
            self.is_complete = False
            return
        self.summaries.append(summary)
        assert self.keys is not None
        self.keys.add_shard(name, shard, self.report.findings)

    def _note_shard(self, name: str, file: Bytes, header: ShardHeader) -> None:
        report = self.report
        report.shards += 1
        report.records += header.records
        report.size_bytes += file.size
        if not header.is_aligned():
            report.aligned = False
            report.notes.append(
                f"{name}: payload or tables are not aligned; another library probably saved the "
                "file again. It can still be read"
            )
        if header.minor > 0:
            report.notes.append(
                f"{name}: format {header.metadata['hotpack.format']}; this program knows 1.0 and "
                "checks only what both versions have in common"
            )
        place = parse_shard_name(name)
        if place and place[1] != header.plan.shards:
            self.find(
                name,
                f"its name says {place[1]} shards, but hotpack.plan says {header.plan.shards}",
            )

    def _compare_with_first(self, name: str, header: ShardHeader) -> None:
        """Without a manifest, schema and plan of all shards must be those of the first."""
        if self.first is None:
            self.first = header
            self.keys = _Keys(header.schema.options["shuffle"])
        elif self.manifest is None:
            for key in ("hotpack.schema", "hotpack.plan"):
                if header.metadata[key] != self.first.metadata[key]:
                    self.find(name, f"{key} differs from that of the first shard")

    def _compare_with_row(self, name: str, file: Bytes, header: ShardHeader) -> None:
        if self.manifest is None:
            return
        place = parse_shard_name(name)
        assert place is not None
        row, metadata = self.manifest.shards[place[0]], header.metadata
        facts = (
            ("records", row.records, header.records),
            ("bytes", row.size_bytes, file.size),
            ("sources", row.sources, metadata["hotpack.sources"]),
            ("digest", row.digest, _digest(file, header)),
            ("format", self.manifest.format, metadata["hotpack.format"]),
        )
        for what, stated, found in facts:
            if stated != found:
                self.find(
                    MANIFEST_NAME, f"{row.file}: {what} is {stated}, the shard has {found}"
                )
        if metadata["hotpack.schema"] != self.manifest.schema_text:
            self.find(name, "hotpack.schema differs from the manifest's schema")
        if metadata["hotpack.plan"] != self.manifest.plan_text:
            self.find(name, "hotpack.plan differs from the manifest's plan")

    def _check_whole(self) -> None:
        """What only all shards together show."""
        if self.manifest is None:
            self._note_partition()
            return
        if not self.is_complete or self.keys is None:
            return
        _check_totals(self.manifest, self.summaries, self)
        digest = self.keys.digest()
        if self.manifest.skipped == 0 and digest != self.manifest.plan.keys:
            self.find(
                MANIFEST_NAME,
                f"plan.keys is {self.manifest.plan.keys}, but the digest of the shards' keys is "
                f"{digest}",
            )

    def _note_partition(self) -> None:
        if self.first is None:
            return
        count, planned = self.report.shards, self.first.plan.shards
        self.report.notes.append(
            f"all {count} shards of the pack were found; run hotpack merge with this folder to "
            f"write {MANIFEST_NAME}"
            if count == planned
            else f"{count} of the {planned} shards of this pack were found and can be opened"
        )


def _is_pack_file(name: str) -> bool:
    return name == MANIFEST_NAME or parse_shard_name(name) is not None


def _digest(file: Bytes, header: ShardHeader) -> str:
    """The digest of a shard, by FORMAT.md section 9."""
    begin = header.buffer_start + header.tables_begin
    end = header.buffer_start + header.tensors["shard.crc32c"].end
    return xxh3_128(file[: header.buffer_start].tobytes() + file[begin:end].tobytes())


# ---- keys


class _Keys:
    """Checks that keys are unique, and in the order of section 14, over all shards."""

    def __init__(self, seed: int | None) -> None:
        self._seed = seed
        self._places: dict[bytes, tuple[str, int]] = {}
        self._last: tuple[int, bytes] | None = None

    def add_shard(self, name: str, shard: Shard, findings: list[Finding]) -> None:
        for record, key in enumerate(shard.keys()):
            self._add(name, record, key, findings)

    def digest(self) -> str:
        return xxh3_128(b"".join(key + b"\0" for key in sorted(self._places)))

    def _add(self, name: str, record: int, key: str, findings: list[Finding]) -> None:
        data = key.encode()
        rank = (self._rank(data), data)
        if self._last is not None and rank < self._last:
            how = (
                "of their bytes"
                if self._seed is None
                else f"that the shuffle's seed {self._seed} gives"
            )
            last = self._last[1].decode()
            text = f"its key comes after '{printable(last)}', which is not the order {how}"
            findings.append(Finding(name, text, record, key))
        self._last = rank
        if data in self._places:
            shard, other = self._places[data]
            text = f"its key is in {shard}, record {other}, too"
            findings.append(Finding(name, text, record, key))
        self._places.setdefault(data, (name, record))

    def _rank(self, key: bytes) -> int:
        if self._seed is None:
            return 0
        return xxh3_128_number(self._seed.to_bytes(8, "little") + key)


# ---- totals


def _check_totals(
    manifest: Manifest, summaries: Sequence[ShardSummary], to: _Verification
) -> None:
    schema = manifest.schema
    total = Sums.zero(schema.image.channels, schema.counted_classes)
    for summary in summaries:
        if len(summary.sums.numbers()) != len(total.numbers()):
            return  # another schema, which was reported before
        total += summary.sums
    if manifest.skipped != total.skipped:
        to.find(
            MANIFEST_NAME,
            f"skipped is {manifest.skipped}, but the shards' sums give {total.skipped}",
        )
    _compare_statistics(manifest.statistics, statistics_of(total), to)
    if schema.image.shape is None:
        _check_mixed_boundaries(summaries, to)
    else:
        _check_equal_boundaries(summaries, to)


def _compare_statistics(stated: Statistics, found: Statistics, to: _Verification) -> None:
    lists = {"mean": "mean", "std": "std", "pixels": "pixels", "samples": "samples"}
    lists |= {"weights.inverse": "inverse", "weights.median": "median"}
    for name, attribute in lists.items():
        for i, (a, b) in enumerate(zip(getattr(stated, attribute), getattr(found, attribute))):
            if a != b:
                to.find(
                    MANIFEST_NAME,
                    f"statistics.{name}[{i}] is {_number_text(a)}, the shards' sums are "
                    f"{_number_text(b)}",
                )
                break
    if stated.ignored != found.ignored:
        to.find(
            MANIFEST_NAME,
            f"statistics.ignored is {stated.ignored}, but the shards' sums give {found.ignored}",
        )


def _number_text(value: float | None) -> str:
    if value is None:
        return "null"
    return canonical_double(value) if isinstance(value, float) else str(value)


def _check_equal_boundaries(summaries: Sequence[ShardSummary], to: _Verification) -> None:
    """All shards but the last are planned with as many samples (section 14)."""
    planned = [summary.records + summary.sums.skipped for summary in summaries]
    for i, count in enumerate(planned[1:], 1):
        is_last = i + 1 == len(planned)
        if not (1 <= count <= planned[0] if is_last else count == planned[0]):
            to.find(
                MANIFEST_NAME,
                f"shard boundaries: {summaries[i].name} has {count} planned samples, but the first "
                f"shard has {planned[0]}",
            )
            return


def _check_mixed_boundaries(summaries: Sequence[ShardSummary], to: _Verification) -> None:
    """For records of different sizes: some shard size, or number of samples, explains where shards
    end. Nothing is known about it if samples were skipped."""
    if any(summary.sums.skipped or not summary.ok for summary in summaries):
        return
    records = [summary.records for summary in summaries]
    if len(set(records[:-1])) <= 1 and records[-1] <= records[0]:
        return
    largest = max((s.content_bytes for s in summaries if s.records > 1), default=0)
    smallest = min(
        summary.content_bytes + following.first_bytes
        for summary, following in zip(summaries, summaries[1:])
    )
    if largest >= smallest:
        to.find(
            MANIFEST_NAME,
            f"shard boundaries: no shard size explains them; one shard has {largest} bytes of "
            f"records, another would have had {smallest} with the next record",
        )

