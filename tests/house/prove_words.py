#!/usr/bin/env python3
"""Proves that check_words.py fails: plants one bad word at a time in a small tree and expects the fault that names it.

usage: prove_words.py
"""

import sys
import tempfile
from pathlib import Path

from check_words import check

# (file, text, part of the fault that must be reported; None: there must be none)
PLANTS = [
    ("src/a.cpp", "// The image is next to its label.\n", None),
    ("src/a.cpp", "int x;\n// The picture lies here.\n", "src/a.cpp:2: 'picture'"),
    ("src/a.cpp", 'auto text = "lies beside it";\n', "'beside'"),
    ("src/a.cpp", "enum class LabelReading {};\n", "write LabelKind"),
    ("src/a.cpp", "// how many there are is told once\n", "'is told'"),
    ("src/a.cpp", "// one is told apart by its name\n", None),
    ("src/a.hpp", "// samples, one a line\n", "write per"),
    ("include/hotpack/a.h", "int use_on(void);\n", "write record_stream"),
    ("docs/a.md", "The colour of a class.\n", "write color"),
    ("src/a.hpp", "class Neighbours;\n", "write neighbor"),
    ("src/a.cpp", "float normalised(float value);\n", "'normalised'"),
    ("src/a.cpp", "// an organism\n", None),
    ("docs/a.md", "Set `global_batch`.\n", "write global_batch_size"),
    ("README.md", "Mend the file.\n", "'Mend'"),
    ("src/a.cpp", "// it is not an damaged image\n", "write a"),
    ("src/a.cpp", "// a image, or a one-hot label\n", "write an"),
    ("src/a.hpp", "class Census;\n", "write summary"),
    ("src/python/hotpack/a.py", "# The picture lies here.\n", "src/python/hotpack/a.py:1: 'picture'"),
    ("src/python/hotpack/pure/schema.py", 'STORAGES = ("bits", "onehot")\n', None),
    ("src/python/hotpack/pure/order.py", 'STORAGES = ("bits", "onehot")\n', "'onehot'"),
    ("src/labels/presets_scene.cpp", '"picture",\n', None),
    ("src/format/FORMAT.md", 'the storage "onehot"\n', None),
    ("src/format/FORMAT.md", 'the anchor "centre"\n', "write center"),
]


def shows(folder, name, text, expected):
    """Plants a file in an empty tree; True when the expected fault, or none, is found."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
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
