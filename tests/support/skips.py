#!/usr/bin/env python3
"""Counts the tests in the output of a lane of continuous integration, and fails on a skip that tests/skips.txt does not list.

usage: skips.py LOG      (prints "N passed, N failed, N skipped", then each unlisted skip; exit 1 if there is one, or no summary in LOG)

Reads the last summary of CTest or pytest, or the last line of the form "N passed, N failed, N skipped".
"""

import fnmatch
import os
import re
import sys
import unittest
from pathlib import Path

LIST = Path(__file__).resolve().parent.parent / "skips.txt"
CTEST = re.compile(r"\d+% tests passed, (\d+) tests failed out of (\d+)")
CTEST_SKIP = re.compile(r"\t\s*\d+ - (.*) \((?:Skipped|Disabled)\)")
PLAIN = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")
PYTEST = re.compile(r"\d+ \w+.* in [\d.]+s(?: \([\d:]+\))?")


def listed(kind, path=LIST):
    """The globs of one kind of test: lines `KIND  GLOB  REASON`, with two or more blanks between the columns."""
    rows = [re.split(r"\s{2,}", line.strip()) for line in path.read_text(encoding="utf-8").splitlines() if line.strip() and line[0] != "#"]
    if wrong := [row for row in rows if len(row) != 3]:
        raise ValueError(f"{path}: expected KIND  GLOB  REASON with two blanks between, found: {'  '.join(wrong[0])}")
    return [glob for of, glob, _ in rows if of == kind]


def unlisted(kind, names, path=LIST):
    """Those of the skipped tests that fail in continuous integration: all that the list lacks. Elsewhere, where CI is not set, none."""
    globs = listed(kind, path) if os.environ.get("CI") else ["*"]
    return [name for name in names if not any(fnmatch.fnmatchcase(name, glob) for glob in globs)]


def run_unittests(**options):
    """Replaces unittest.main(). In continuous integration, a skip that is not listed as `unittest  FILE:TEST` fails."""
    result = unittest.main(exit=False, **options).result
    file = Path(sys.argv[0]).name
    wrong = unlisted("unittest", [f"{file}:{test.id().rpartition('.')[2]}" for test, _ in result.skipped])
    for name in wrong:
        print(f"skipped, and tests/skips.txt does not list it: unittest  {name}", file=sys.stderr)
    sys.exit(0 if result.wasSuccessful() and not wrong else 1)


def counts(log):
    """(passed, failed, skipped, names of tests that CTest skipped) of the last summary in a log, or None."""
    found = None
    for line in log.splitlines():
        if match := CTEST.match(line):
            failed, total = map(int, match.groups())
            found = [total - failed, failed, 0, []]
        elif found and (match := CTEST_SKIP.fullmatch(line)):
            found = [found[0] - 1, found[1], found[2] + 1, found[3] + [match[1]]]
        elif match := PLAIN.fullmatch(line):
            found = [*(int(number or 0) for number in match.groups()), []]
        elif PYTEST.fullmatch(line):
            of = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", line)}
            found = [of.get("passed", 0), of.get("failed", 0) + of.get("error", 0) + of.get("errors", 0), of.get("skipped", 0), []]
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = counts(Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace"))
    if found is None:
        print("0 passed, 1 failed, 0 skipped\nno summary of tests was printed")
        return 1
    passed, failed, skipped, names = found
    wrong = unlisted("ctest", names)
    print(f"{passed} passed, {failed + len(wrong)} failed, {skipped - len(wrong)} skipped")
    for name in wrong:
        print(f"skipped, and tests/skips.txt does not list it: ctest  {name}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
