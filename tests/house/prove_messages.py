#!/usr/bin/env python3
"""Proves that check_messages.py fails: pairs one source with one page at a time and expects the fault that names the page.

usage: prove_messages.py
"""

import sys
import tempfile
from pathlib import Path

from check_messages import PAGES, check

SOURCE = 'auto text = path + ": was packed with other options: " + difference +\n  "; choose another folder, "\n  "or use --force";\n'

# (what a page says, part of the fault that must be reported; None: there must be none)
PLANTS = [
    ("```\nerror: packed: was packed with other options: --fit cover; choose another folder, or use --force\n```\n", None),
    ("```\nerror: packed: was packed with other options: --fit cover; choose\n  another folder, or use --force\n```\n", None),
    ("```\nerror: packed: holds a pack with different options; please remove it first\n```\n", f"{PAGES[0]}:2: no longer"),
    ("```\nwarning: packed: was once packed\n  and is too old to be read today\n```\n", f"{PAGES[0]}:2: no longer"),
    ("This text quotes no message at all, and has many words.\n", None),
    ("```sh\nhotpack info some folder that is no message at all\n```\n", None),
]


def shows(root, page, expected):
    """True when the expected fault, or none, is found."""
    for name, text in (("src/a.cpp", SOURCE), (PAGES[0], page), (PAGES[1], "")):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    _, faults = check(root)
    if any(expected in fault for fault in faults) if expected else not faults:
        return True
    print(f"{page.strip()!r}: expected {expected!r}, found {faults}")
    return False


def main():
    failed = 0
    for page, expected in PLANTS:
        with tempfile.TemporaryDirectory() as folder:
            failed += not shows(Path(folder), page, expected)
    print(f"{len(PLANTS)} pages, {failed} unexpected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
