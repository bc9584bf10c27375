"""The region of a record to which a source is mapped, by FORMAT.md section 13. Verification
compares `source.region` with it."""

from __future__ import annotations

Size = tuple[int, int]  # width, height
Region = tuple[int, int, int, int]  # x, y, width, height


def fit_region(fit: str, anchor: str, source: Size, record: Size) -> Region:
    """Where the whole source lies in the record. Precondition: the fit is not "tile"."""
    width, height = _scaled(fit, source, record)
    if anchor == "top-left":
        return 0, 0, width, height
    return _centered(record[0], width), _centered(record[1], height), width, height


def _scaled(fit: str, source: Size, record: Size) -> Size:
    """w', h' of section 13."""
    (w, h), (width, height) = source, record
    if fit in ("crop-or-pad", "none"):
        return source
    if fit == "contain":
        return _by_side(source, width, height, width * h <= height * w)
    if fit == "cover":
        return _by_side(source, width, height, width * h >= height * w)
    if fit == "long-side":
        return _by_side(source, max(record), max(record), w >= h)
    if fit == "short-side":
        return _by_side(source, min(record), min(record), w <= h)
    return record  # stretch


def _by_side(source: Size, width: int, height: int, width_decides: bool) -> Size:
    w, h = source
    if width_decides:
        return width, max(1, (2 * h * width + w) // (2 * w))
    return max(1, (2 * w * height + h) // (2 * h)), height


def _centered(length: int, shown: int) -> int:
    return (length - shown) // 2 if shown <= length else -((shown - length) // 2)
