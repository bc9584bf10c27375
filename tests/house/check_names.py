#!/usr/bin/env python3
"""Names of tests: fails on a name that does not fit a list, that begins with a code instead of saying what the code does, or that CTest
cannot hold, and on a test file that no CMakeLists.txt names, which never runs.

usage: check_names.py ROOT      (the source tree; exit 0 and a line of counts, or 1 and a line per fault)
"""

import re
import sys
from pathlib import Path

MOST = 70  # characters
# Such as "V4:", "E-m:", "C6, E1:" or "case 3:": a number in a list that the reader does not have.
CODE = re.compile(r"(?:[A-Z]{1,2}-?(?:[a-z]|\d{1,2})|\w+ \d+)(?:, [A-Z]{1,2}-?(?:[a-z]|\d{1,2}))*:")

CASES = re.compile(r'\b(?:\w*TEST_CASE\w*|\w*SECTION)\s*\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
CTEST = re.compile(r'\badd_test\s*\(\s*NAME\s+"([^"]*)"')
PYTHON = re.compile(r"\bdef (test_\w+)")


def names_in(text, suffix):
    """(line number, name) of each test in a file of this kind."""
    if suffix in (".cpp", ".hpp"):
        for match in CASES.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, "".join(LITERAL.findall(match[1])).replace('\\"', '"')
    pattern = {".txt": CTEST, ".cmake": CTEST, ".py": PYTHON}.get(suffix)
    for match in pattern.finditer(text) if pattern else ():
        yield text.count("\n", 0, match.start()) + 1, match[1]


def fault_of(name):
    """What is wrong with a name, or None."""
    if len(name) > MOST:
        return f"the name has {len(name)} characters, at most {MOST} fit a list: {name}"
    if CODE.match(name):
        return f"the name begins with a code; say what is tested: {name}"
    if ";" in name:
        return f"the name has a ';', at which CMake cuts it into two tests that never run: {name}"
    return None


def unbuilt(tests):
    """The C++ and Python tests that no CMake file names: neither by name, nor by `*_test.cpp`, nor by NAME of `${name}_test.py`."""
    texts = {path: path.read_text(encoding="utf-8") for pattern in ("CMakeLists.txt", "*.cmake") for path in tests.rglob(pattern)}
    words = set(re.findall(r"[\w.*]+", " ".join(texts.values())))
    for path in sorted([*tests.rglob("*_test.cpp"), *tests.rglob("*_test.py")]):
        here = texts.get(path.parent / "CMakeLists.txt", "")
        by_stem = f"{{name}}_test{path.suffix}" in here and path.stem.removesuffix("_test") in words
        if path.name not in words and f"*_test{path.suffix}" not in here and not by_stem:
            yield path


def check(root):
    """The number of names, and what is wrong with them."""
    count = 0
    faults = [f"{path.relative_to(root)}: no CMakeLists.txt names this test, so it never runs" for path in unbuilt(root / "tests")]
    for path in sorted((root / "tests").rglob("*")):
        if path.suffix not in (".cpp", ".hpp", ".txt", ".cmake", ".py") or not path.is_file():
            continue
        for line, name in names_in(path.read_text(encoding="utf-8", errors="replace"), path.suffix):
            count += 1
            fault = fault_of(name)
            if fault:
                faults.append(f"{path.relative_to(root)}:{line}: {fault}")
    return count, faults


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    count, faults = check(Path(sys.argv[1]))
    for fault in faults:
        print(fault)
    print(f"{count} names of tests, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
