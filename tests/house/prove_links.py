#!/usr/bin/env python3
"""Proves that check_links.py fails: plants one link at a time in a small tree and expects the fault that names it.

usage: prove_links.py
"""

import sys
import tempfile
from pathlib import Path

from check_links import check

PAGES = {
    "README.md": "# Tree\n\n[a page](docs/a.md)\n",
    "docs/a.md": "# A page\n\n## `--flag` and *more* (1)\n\n## Twice\n\n## Twice\n\nUnderlined\n----------\n\n```sh\n# no heading\n```\n\n<a id=\"tag\"></a>\n",
    "docs/deep/b.md": "# B\n",
    "src/room/FORMAT.md": "# 8. What it is\n",
    "src/room/code.cpp": "int x;\n",
}

# (page, text that is added, part of the fault that must be reported; None: there must be none)
PLANTS = [
    ("README.md", "[a](docs/a.md#a-page) [b](docs/deep/b.md) [c](src/room/code.cpp) [d](docs)\n", None),
    ("README.md", "[gone](docs/gone.md)\n", "README.md:5: docs/gone.md: there is no docs/gone.md"),
    ("docs/a.md", "![image](a.png)\n", "there is no docs/a.png"),
    ("docs/deep/b.md", "[up](../a.md#no-heading)\n", "docs/a.md has no heading '#no-heading'"),
    ("docs/deep/b.md", "[up](../a.md#--flag-and-more-1) [again](../a.md#twice-1) [line](../a.md#underlined) [tag](../a.md#tag)\n", None),
    ("docs/deep/b.md", "[up](../a.md#twice-2)\n", "'#twice-2'"),
    ("docs/a.md", "[self](#a-page) [no](#b-page)\n", "'#b-page'"),
    ("docs/a.md", "[format](../src/room/FORMAT.md#8-what-it-is)\n", None),
    ("src/room/FORMAT.md", "[docs](../../docs/b.md)\n", "src/room/FORMAT.md:3: ../../docs/b.md"),
    ("CHANGELOG.md", "[text that goes on\nin the next line](docs/gone.md)\n", "CHANGELOG.md:2: docs/gone.md"),
    ("ARCHITECTURE.md", "[`code\nin a text`](docs/gone.md)\n", "docs/gone.md"),
    ("CONTRIBUTING.md", "[named][there]\n\n[there]: docs/gone.md\n", "there is no docs/gone.md"),
    ("CONTRIBUTING.md", "[named][there]\n", "the reference [there] has no definition"),
    ("docs/a.md", '[titled](gone.md "with a title") and <a href="a.md">tag</a>\n', "there is no docs/gone.md"),
    ("docs/a.md", '<a href="gone.md">tag</a>\n', "there is no docs/gone.md"),
    ("docs/a.md", "`[code](gone.md)`\n\n```md\n[block](gone.md)\n```\n\n`x[0](1)` and [real](a.md)\n", None),
    ("docs/a.md", "```sh\n[block](gone.md)\n```\n[after a block](gone.md)\n", "there is no docs/gone.md"),
    ("docs/a.md", "[web](https://example.org/gone.md) [mail](mailto:a@example.org)\n", None),
    ("docs/a.md", "[out](../../etc.md)\n", "leads out of the tree"),
    ("docs/a.md", "[root](/docs/a.md)\n", "begins with '/'"),
    ("docs/a.md", "[empty]()\n", "the link has no target"),
    ("docs/a.md", "[no heading](#no-heading)\n", "'#no-heading'"),
]


def shows(folder, name, text, expected):
    """Adds a text to a page of the tree; True when the expected fault, or none, is found."""
    for page, content in {**PAGES, name: PAGES.get(name, "") + "\n" + text}.items():
        path = folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    count, faults = check(folder)
    if count > 0 and (any(expected in fault for fault in faults) if expected else not faults):
        return True
    print(f"{name}: {text.strip()!r}: expected {expected!r}, found {faults}")
    return False


def main():
    failed = 0
    for name, text, expected in PLANTS:
        with tempfile.TemporaryDirectory() as folder:
            failed += not shows(Path(folder), name, text, expected)
    print(f"{len(PLANTS)} plants, {failed} unexpected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
