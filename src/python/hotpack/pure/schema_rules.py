"""Rules of a schema that only verification checks: the lists of values, and what must not be there,
by FORMAT.md section 8. Failure: DamagedError with the place in the schema."""

from __future__ import annotations

from typing import Any

from ..errors import DamagedError
from .json_node import Node
from .json_text import excerpt
from .schema import Schema

FITS = (
    "stretch", "crop-or-pad", "contain", "cover", "long-side", "short-side", "none", "tile",
)  # fmt: skip
IMAGE_FILTERS = (
    "auto", "linear", "area", "nearest", "triangle", "cubic", "lanczos", "triangle-pillow12.1",
    "cubic-pillow12.1", "lanczos-pillow12.1",
)  # fmt: skip
LABEL_FILTERS = ("nearest", "nearest-cv", "nearest-pil")
SIZE_MISMATCHES = ("error", "each-to-target", "resize-label", "crop-min")
LABEL_KINDS = ("color", "index", "palette-color", "binary", "folder")
_FOREIGN_OPTIONS = (
    "on_error", "max_errors", "orphans", "threads", "jobs", "force", "list", "split", "pairing",
    "shard_size", "shard_samples", "output", "hostname", "time", "timestamp",
)  # fmt: skip


def check_schema(schema: Schema) -> None:
    geometry, options = schema.geometry, schema.options
    Node(geometry.fit, "geometry.fit").choice(FITS)
    Node(geometry.image_filter, "geometry.image_filter").choice(IMAGE_FILTERS)
    Node(geometry.label_filter, "geometry.label_filter").choice(LABEL_FILTERS)
    if len(geometry.pad_color) != schema.image.channels:
        raise DamagedError(
            "geometry.pad_color: must have one number per channel, in all "
            f"{schema.image.channels}"
        )
    _check_names(schema)
    _check_sources(schema)
    Node(options["size_mismatch"], "options.size_mismatch").choice(SIZE_MISMATCHES)
    for name, value in options.items():
        _check_option(name, value)


def _check_names(schema: Schema) -> None:
    names: set[str] = set()
    for number, info in enumerate(schema.classes):
        place = f"classes[{number}].name"
        if not info.name:
            raise DamagedError(f"{place}: must not be empty")
        if info.name in names:
            raise DamagedError(f"{place}: {excerpt(info.name)} is the name of another class too")
        names.add(info.name)


def _check_sources(schema: Schema) -> None:
    seen: set[int | str] = set()
    owners = [(f"classes[{i}]", info.sources) for i, info in enumerate(schema.classes)]
    for owner, sources in [*owners, ("ignore", schema.ignore)]:
        for source in sources:
            if source in seen:
                raise DamagedError(
                    f"{owner}.sources: {excerpt(source)} occurs twice in the schema"
                )
            seen.add(source)


def _check_option(name: str, value: Any) -> None:
    if name in _FOREIGN_OPTIONS:
        raise DamagedError(
            f"options.{name}: must not be in a schema, because it does not change the bytes of a "
            "sample"
        )
    if _has_fraction(value):
        raise DamagedError(f"options.{name}: contains a number that is not an integer")
    if name == "label_kind" and value is not None:
        Node(value, "options.label_kind").choice(LABEL_KINDS)


def _has_fraction(value: Any) -> bool:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return any(map(_has_fraction, value))
    return isinstance(value, float)
