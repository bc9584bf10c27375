"""Checks one shard against every rule of FORMAT.md, and continues after the first problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import DamagedError, printable
from .canonical import check_fillers, check_form
from .container import Bytes, Tensor
from .counts import LabelCounts, image_sums, label_counts, sums_of
from .crc32c import crc32c
from .fit import fit_region
from .frames import content_bytes, decompress
from .header import ShardHeader, expected_tensors, is_filler
from .json_text import excerpt
from .shard import Shard
from .statistics import Sums
from .tables import (
    check_places,
    check_region_sums,
    check_sums,
    offsets_table,
    read_sums,
    table,
)

Report = Callable[[DamagedError], None]

_SCALARS = ("pixels counted", "ignored pixels", "skipped samples")
_COUNTS = (
    "pixels of class",
    "samples that contain class",
    "labeled pixels of the samples that contain class",
)


@dataclass(frozen=True, slots=True)
class ShardSummary:
    """What the checks of a whole pack need to know about a shard."""

    name: str
    records: int
    sums: Sums
    content_bytes: int  # of all records, before compression
    first_bytes: int  # of the first record
    ok: bool


def audit_shard(
    path: str, name: str, file: Bytes, header: ShardHeader, report: Report
) -> tuple[Shard | None, ShardSummary | None]:
    """Reports everything that is wrong with a shard. Returns nothing if its tables lead nowhere, so
    that its records cannot be found."""
    findings: list[DamagedError] = []

    def note(error: DamagedError) -> None:
        findings.append(error)
        report(error)

    for check in (check_region_sums, check_form, check_fillers):
        _noted(note, check, file, header)
    if not _noted(note, check_places, file, header):
        return None, None
    for check in (check_sums, _check_later_fields):
        _noted(note, check, file, header)
    shard = Shard(path, file, header)
    stated, counted = read_sums(file, header), _audit_records(shard, note)
    if counted is not None:
        _compare_sums(header, stated, counted, note)
    sizes = shard.image.sizes if shard.label is None else shard.image.sizes + shard.label.sizes
    summary = ShardSummary(
        name,
        shard.records,
        stated,
        int(sizes.sum()),
        int(sizes[0]) if shard.records else 0,
        not findings,
    )
    return shard, summary


def _noted(
    note: Report, check: Callable[[Bytes, ShardHeader], None], file: Bytes, header: ShardHeader
) -> bool:
    try:
        check(file, header)
    except DamagedError as error:
        note(error)
        return False
    return True


# ---- records


def _audit_records(shard: Shard, note: Report) -> Sums | None:
    """The sums of all records; nothing if one cannot be read."""
    schema = shard.schema
    total, complete = Sums.zero(schema.image.channels, schema.counted_classes), True
    for index in range(shard.records):
        record = _Record(shard, index, note)
        record.check_source()
        sums = record.sums()
        if sums is None:
            complete = False
        else:
            total += sums
    return total if complete else None


class _Record:
    """The checks of one record."""

    def __init__(self, shard: Shard, index: int, note: Report) -> None:
        self.shard = shard
        self.index = index
        self.note = note

    def report(self, text: str, offset: int | None = None) -> None:
        key = self.shard.key(self.index)
        self.note(DamagedError(text, offset=offset, record=self.index, key=key))

    def check_source(self) -> None:
        self._check_hashes()
        source = self.shard.source_size(self.index)
        if min(source) < 1:
            return self.report(
                f"source.size is not the size of an image: {source[0]}x{source[1]}"
            )
        schema = self.shard.schema
        geometry, options = schema.geometry, schema.options
        if geometry.fit == "tile" or options["size_mismatch"] == "crop-min":
            return None  # the schema does not say which part of the source a record shows
        height, width, _ = self.shard.image_shape(self.index)
        if geometry.fit == "none":
            self._check_own_size(source, (width, height), options.get("pad_multiple", 1))
        fit = "crop-or-pad" if geometry.fit == "none" else geometry.fit
        wanted = fit_region(fit, options["anchor"], source, (width, height))
        found = self.shard.source_region(self.index)
        if found != wanted:
            self.report(
                f"source.region is {_region_text(found)}, but the fit in the schema gives "
                f"{_region_text(wanted)}"
            )
        return None

    def sums(self) -> Sums | None:
        """`shard.sums` of this record; nothing if image or label cannot be read."""
        shard, index = self.shard, self.index
        try:
            image = shard.image_array(index, "always")
            stored = None if shard.label is None else shard.label_array(index, "always")
        except DamagedError as error:
            self.note(error)
            return None
        pixels = image_sums(image, shard.source_region(index))
        label = None if stored is None else self._label(stored)
        return sums_of(pixels, label, shard.schema.image.channels)

    def _check_hashes(self) -> None:
        hashes = table(self.shard.file, self.shard.header, self.shard.header.tensors["source.hash"])
        image, label = hashes[self.index].tolist()
        if image == 0:
            self.report(
                "source.hash of its image is 0, but it must be the hash of the image file"
            )
        field = self.shard.schema.label
        has_file = field is not None and field.kind == "pixel"
        if (label != 0) != has_file:
            self.report(
                f"source.hash of its label is {'0' if has_file else 'not 0'}, though it has "
                f"{'a' if has_file else 'no'} label file"
            )

    def _check_own_size(
        self, source: tuple[int, int], record: tuple[int, int], step: Any
    ) -> None:
        step = step if isinstance(step, int) and step >= 1 else 1
        wanted = tuple(-(-side // step) * step for side in source)
        if record != wanted:
            self.report(
                f"image.shape is {record[0]}x{record[1]} pixels, but source.size is "
                f"{source[0]}x{source[1]}"
            )

    def _label(self, stored: npt.NDArray[Any]) -> LabelCounts:
        field = self.shard.schema.label
        assert field is not None and self.shard.label is not None
        classes = len(self.shard.schema.classes)
        counts = label_counts(stored, field.storage, classes, field.multi)
        width = stored.shape[1] if field.kind == "pixel" else 1
        for fault in counts.faults:
            y, x = divmod(fault.first, width)
            self.report(
                f"label: {fault.count} {fault.text}; the first at x {x}, y {y} has {fault.value}",
                self.shard.label.offset(self.index),
            )
        if self.shard.schema.has_class_rows:
            self._check_classes(counts)
        return counts

    def _check_classes(self, counts: LabelCounts) -> None:
        """The record's rows of label.classes are those of its label."""
        file, header = self.shard.file, self.shard.header
        ends = header.tensors["label.classes.offsets"]
        begin, end = table(file, header, ends)[self.index : self.index + 2].tolist()
        rows = table(file, header, header.tensors["label.classes"])[begin:end].tolist()
        stated = dict(rows)
        for number, pixels in enumerate(counts.pixels.tolist()):
            if stated.get(number, 0) != pixels:
                return self.report(
                    f"label.classes says {stated.get(number, 0)} pixels of class {number}, but the "
                    f"label has {pixels}",
                    header.offset_of(ends, self.index),
                )
        return None


def _region_text(region: tuple[int, int, int, int]) -> str:
    x, y, width, height = region
    return f"{x},{y} {width}x{height}"


# ---- sums


def _compare_sums(header: ShardHeader, stated: Sums, counted: Sums, note: Report) -> None:
    """Skipped samples are not compared: the records do not show them."""
    channels = len(stated.channels)
    skipped = 2 * channels + 2
    for i, (a, b) in enumerate(zip(stated.numbers(), counted.numbers())):
        if a != b and i != skipped:
            note(
                DamagedError(
                    f"shard.sums: {_sum_name(i, channels)} is {a}, but the records have {b}",
                    offset=header.offset_of(header.tensors["shard.sums"], i),
                )
            )


def _sum_name(i: int, channels: int) -> str:
    if i < channels:
        return f"sum of channel {i}"
    if i < 2 * channels:
        return f"sum of squares of channel {i - channels}"
    i -= 2 * channels
    if i < len(_SCALARS):
        return _SCALARS[i]
    return f"{_COUNTS[(i - 3) % 3]} {(i - 3) // 3}"


# ---- fields of later versions


def _check_later_fields(file: Bytes, header: ShardHeader) -> None:
    """Payload fields that version 1.0 does not know, by their checksums (section 18)."""
    known = expected_tensors(header).names()
    for tensor in header.tensors.values():
        if tensor.begin >= header.tables_begin:
            return
        if tensor.name not in known and not is_filler(tensor) and tensor.size_bytes:
            _check_later_field(file, header, tensor)


def _check_later_field(file: Bytes, header: ShardHeader, payload: Tensor) -> None:
    compressed = payload.name.endswith(".zstd")
    name = payload.name.removesuffix(".zstd").removesuffix(".data")
    forms = [form for form in ("", ".data", ".zstd") if name + form in header.tensors]
    if len(forms) > 1:
        text = "must not exist: another tensor contains the same field"
        raise _later_error(header, payload, text)
    crcs = _checksums(file, header, payload, f"{name}.crc32c")
    frame_crcs = _checksums(file, header, payload, f"{payload.name}.crc32c") if compressed else None
    ends = _later_offsets(file, header, payload, name, compressed)
    stored = header.bytes_of(file, payload)
    for record in range(header.records):
        content = stored[ends[record] : ends[record + 1]]
        good = frame_crcs is None or crc32c(content) == frame_crcs[record]
        if good and compressed:
            frame = content.tobytes()
            content = np.frombuffer(decompress(frame, content_bytes(frame)), np.uint8)
        if not good or crc32c(content) != crcs[record]:
            raise DamagedError(
                f"{printable(name)}: its CRC-32C differs from that in the shard, so the "
                f"{printable(name)} is damaged",
                record=record,
                offset=header.offset_of(payload) + int(ends[record]),
            )


def _checksums(file: Bytes, header: ShardHeader, payload: Tensor, name: str) -> list[int]:
    tensor = header.tensors.get(name)
    if tensor is None or (tensor.dtype, tensor.shape) != ("U32", (header.records,)):
        raise _later_error(header, payload, "has no CRC-32C per record")
    crcs: list[int] = table(file, header, tensor).tolist()
    return crcs


def _later_offsets(
    file: Bytes, header: ShardHeader, payload: Tensor, name: str, compressed: bool
) -> npt.NDArray[np.int64]:
    if payload.name == name:
        if payload.shape[:1] != (header.records,):
            raise _later_error(header, payload, "has no row per record")
        return np.arange(header.records + 1) * (payload.size_bytes // header.records)
    tensor = header.tensors.get(f"{payload.name if compressed else name}.offsets")
    if tensor is None or (tensor.dtype, tensor.shape) != ("U64", (header.records + 1,)):
        raise _later_error(header, payload, "has no offsets")
    return offsets_table(file, header, tensor)


def _later_error(header: ShardHeader, payload: Tensor, text: str) -> DamagedError:
    return DamagedError(
        f"the payload tensor {excerpt(payload.name)} {text}", offset=header.offset_of(payload)
    )
