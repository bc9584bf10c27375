#!/usr/bin/env python3
"""Proves that check_headers.py fails: plants one fault after the other in a small tree and looks for the message that names it.

usage: prove_headers.py
"""

import sys
import tempfile
from pathlib import Path

from check_headers import FIRST_READ, MOST_LINES, WIDTH, check

# (lines of the last header, whether the header before it exists, part of the fault; None: there must be none)
PLANTS = [
    (["x"] * (MOST_LINES - 2), True, None),
    (["x"] * (MOST_LINES - 1), True, f"{MOST_LINES + 1} lines to read"),
    (["x" * WIDTH], True, None),
    (["x" * (WIDTH + 1)], True, f":1: {WIDTH + 1} columns"),
    (["x"], False, "missing"),
]


def shows(root, lines, complete, expected):
    """Makes a tree with one line in every header but the last; True if the expected fault, or none, is found."""
    folder = root / "include" / "hotpack"
    folder.mkdir(parents=True)
    for name in FIRST_READ[: None if complete else 1]:
        (folder / name).write_text("x\n", encoding="utf-8")
    (folder / FIRST_READ[-1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    _, faults = check(root)
    if any(expected in fault for fault in faults) if expected else not faults:
        return True
    print(f"expected {expected!r}, found {faults}")
    return False


def main():
    with tempfile.TemporaryDirectory() as scratch:
        shown = [shows(Path(scratch) / str(number), *plant) for number, plant in enumerate(PLANTS)]
    print(f"{sum(shown)} of {len(shown)} trees were judged as they should be")
    return 0 if all(shown) else 1


if __name__ == "__main__":
    sys.exit(main())
