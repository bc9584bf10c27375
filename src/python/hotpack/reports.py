"""What the commands report.

Each report has the members that programs ask for as typed attributes, and everything that the
command has printed in `json`, as docs/json.md describes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import CancelledError, ending_of

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PackReport:
    """status: "packed", "complete", "planned" or "stopped". output: the pack's folder; None with
    several splits, whose reports are in `sets`. records, skipped: samples in the pack, and left
    out. packed_shards, kept_shards: written by this run, and kept from an earlier one. labels: how
    they were read, and why. warnings: what the run found strange; they are logged, too."""

    status: str
    output: str | None
    records: int | None
    skipped: int | None
    packed_shards: int | None
    kept_shards: int | None
    labels: str | None
    warnings: tuple[str, ...]
    seconds: float | None
    sets: tuple[PackReport, ...]
    json: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class PlannedSet:
    """One pack of a plan. split: its name, or None if the plan has no splits."""

    split: str | None
    samples: int
    shards: int


@dataclass(frozen=True, slots=True)
class PlanReport:
    """output: the file of the plan. samples, shards: of all its packs, which are in `sets`: with
    several splits there is one for each. labels: how they will be read, and why. warnings: what is
    strange; they are logged, too."""

    output: str
    samples: int
    shards: int
    sets: tuple[PlannedSet, ...]
    labels: str | None
    warnings: tuple[str, ...]
    json: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is wrong with a pack. file: its name in the folder. record, key, offset: None
    if it has no such place."""

    file: str
    text: str
    record: int | None
    key: str | None
    offset: int | None


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The check of one pack or shard. ok: nothing was found. findings: at most `max_findings`."""

    pack: str
    ok: bool
    shards: int
    records: int
    findings: tuple[Damage, ...]
    json: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class InfoReport:
    """One pack, or one split of a plan.

    pack: its folder, or the file of the plan. fingerprint: "" of a plan. size_bytes: of all its
    shards; of a plan with `zstd`, an upper bound.
    """

    pack: str
    fingerprint: str
    samples: int
    skipped: int
    shards: int
    size_bytes: int
    json: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """ok: `pack` would accept the data."""

    ok: bool
    json: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class PreviewReport:
    """sheet, page: the files that were written, or None."""

    sheet: str | None
    page: str | None
    json: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class ExtractReport:
    """status: "extracted" or "stopped". files: how many were written."""

    status: str
    output: str
    samples: int
    files: int
    json: Json = field(repr=False)


@dataclass(frozen=True, slots=True)
class MergeReport:
    """The pack, or with several splits the packs, that were merged."""

    json: Json = field(repr=False)


def pack_report(report: Mapping[str, Any]) -> PackReport:
    """From what `hotpack pack --json` prints."""
    outer = {name: report.get(name) for name in ("status", "seconds")}
    sets = tuple(pack_report({**outer, **one}) for one in report.get("sets") or ())
    names = ("output", "records", "skipped", "packed_shards", "kept_shards")
    plan = report.get("plan") or {}
    return PackReport(
        status=report["status"],
        labels=plan.get("labels"),
        warnings=tuple(plan.get("warnings") or ()),
        seconds=report.get("seconds"),
        sets=sets,
        json=dict(report),
        **{name: report.get(name) for name in names},
    )


def plan_report(report: Mapping[str, Any]) -> PlanReport:
    """From what `hotpack plan --json` prints. Raises CancelledError if a signal stopped it."""
    check_not_stopped(report)
    each = report.get("sets") or [report]
    plans = [one["plan"] for one in each]
    sets = tuple(
        PlannedSet(one.get("split"), plan["samples"], plan["shards"])
        for one, plan in zip(each, plans)
    )
    return PlanReport(
        report["plan_file"],
        sum(one.samples for one in sets),
        sum(one.shards for one in sets),
        sets,
        plans[0]["labels"],
        tuple(dict.fromkeys(text for plan in plans for text in plan["warnings"])),
        dict(report),
    )


def check_not_stopped(report: Mapping[str, Any]) -> None:
    """Raises CancelledError for a run that a signal stopped in order."""
    code = report["exit"]
    if report["status"] == "stopped" or code < 0:
        error = CancelledError(f"{ending_of(code)} stopped the command")
        error.exit = code
        raise error


def verify_report(report: Mapping[str, Any]) -> VerifyReport:
    """From what `hotpack verify --json` prints."""
    findings = tuple(
        Damage(one["file"], one["text"], one.get("record"), one.get("key"), one.get("offset"))
        for one in report["findings"]
    )
    return VerifyReport(
        report["pack"], report["ok"], report["shards"], report["records"], findings, dict(report)
    )


def info_report(report: Mapping[str, Any]) -> InfoReport:
    """From what `hotpack info --json` prints."""
    return InfoReport(
        report["plan_file"] if "plan_file" in report else report["pack"],
        report.get("fingerprint", ""),
        report["samples"],
        report.get("skipped", 0),
        report["shards"],
        report["bytes"],
        dict(report),
    )


def check_report(report: Mapping[str, Any]) -> CheckReport:
    """From what `hotpack check --json` prints."""
    return CheckReport(report["exit"] == 0, dict(report))


def preview_report(report: Mapping[str, Any]) -> PreviewReport:
    """From what `hotpack preview --json` prints."""
    return PreviewReport(report["sheet"], report["page"], dict(report))


def extract_report(report: Mapping[str, Any]) -> ExtractReport:
    """From what `hotpack extract --json` prints."""
    return ExtractReport(
        report["status"], report["output"], report["samples"], report["files"], dict(report)
    )


def merge_report(report: Mapping[str, Any]) -> MergeReport:
    """From what `hotpack merge --json` prints."""
    return MergeReport(dict(report))
