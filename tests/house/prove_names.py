#!/usr/bin/env python3
"""Proves that check_names.py fails: plants one bad name, or one test that is not built, at a time in a small tree and expects the fault.

usage: prove_names.py
"""

import sys
import tempfile
from pathlib import Path

from check_names import MOST, check

# (file, text, part of the fault that must be reported; None: there must be none)
PLANTS = [
    ("unit/a_test.cpp", f'TEST_CASE("{"x" * MOST}") {{}}\n', None),
    ("unit/a_test.cpp", f'TEST_CASE("{"x" * (MOST + 1)}") {{}}\n', "a_test.cpp:1: the name has 71 characters"),
    ("unit/a_test.cpp", f'int x;\nTEST_CASE(\n    "{"x" * 40}"\n    "{"y" * 40}", "[tag]") {{}}\n', "a_test.cpp:2: the name has 80 characters"),
    ("unit/a_test.cpp", f'  SECTION("{"x" * 71}") {{}}\n', "the name has 71 characters"),
    ("unit/a_test.hpp", f'TEMPLATE_TEST_CASE("{"x" * 71}", "", int) {{}}\n', "the name has 71 characters"),
    ("unit/a_test.cpp", 'TEST_CASE("V4: pixels count") {}\n', "begins with a code"),
    ("unit/a_test.cpp", 'TEST_CASE("L12: pixels count") {}\n', "begins with a code"),
    ("unit/a_test.cpp", 'TEST_CASE("E-m: pixels count") {}\n', "begins with a code"),
    ("unit/a_test.cpp", 'TEST_CASE("C6, E1: pixels count") {}\n', "begins with a code"),
    ("unit/a_test.cpp", 'TEST_CASE("complaint 14: pixels count") {}\n', "begins with a code"),
    ("unit/a_test.cpp", 'TEST_CASE("pixels count; others do not") {}\n', "cuts it into two tests"),
    ("unit/a_test.cpp", 'TEST_CASE("CSV: pixels count") {}\nTEST_CASE("all slots leased: V4 is not a code here") {}\n', None),
    ("unit/CMakeLists.txt", f'add_test(NAME "{"x" * 71}" COMMAND true)\n', "the name has 71 characters"),
    ("unit/b_test.cpp", 'TEST_CASE("pixels count") {}\n', "b_test.cpp: no CMakeLists.txt names this test"),
    ("property/b_test.py", "def test_pixels(self):\n", "b_test.py: no CMakeLists.txt names this test"),
    ("glob/b_test.cpp", 'TEST_CASE("pixels count") {}\n', None),
    ("property/c_test.py", "def test_pixels(self):\n", None),
    ("property/a_test.py", f'def test_{"x" * 71}(self):\n', "the name has 76 characters"),
]

CMAKE = {"unit": "add_executable(a a_test.cpp)\n", "glob": "file(GLOB sources *_test.cpp)\n",
         "property": "foreach(name a c)\n  add_test(NAME x COMMAND ${name}_test.py)\n"}


def shows(folder, name, text, expected):
    """Plants a file in an empty tree; True when the expected fault, or none, is found."""
    path = folder / "tests" / name
    path.parent.mkdir(parents=True)
    (path.parent / "CMakeLists.txt").write_text(CMAKE[path.parent.name], encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    count, faults = check(folder)
    if count > 0 and (any(expected in fault for fault in faults) if expected else not faults):
        return True
    print(f"{name}: {text.strip()!r}: expected {expected!r}, found {faults}")
    return False


def main():
    with tempfile.TemporaryDirectory() as scratch:
        shown = [shows(Path(scratch) / str(number), *plant) for number, plant in enumerate(PLANTS)]
    print(f"{sum(shown)} of {len(shown)} names were judged as they should be")
    return 0 if all(shown) else 1


if __name__ == "__main__":
    sys.exit(main())
