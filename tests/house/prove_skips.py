#!/usr/bin/env python3
"""Proves that tests/support/skips.py counts what lanes print, and fails on a skip that the list lacks.

usage: prove_skips.py
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import skips

CTEST = """2/3 Test #2: gpu: a case ...........***Skipped   0.01 sec
67% tests passed, 1 tests failed out of 3

Total Test time (real) =   3.40 sec

The following tests did not run:
\t  2 - gpu: a case (Skipped)

The following tests FAILED:
\t  3 - unit.base: b (Failed)
"""
# (output of a lane, counts or None)
LOGS = [
    (CTEST, [1, 1, 1, ["gpu: a case"]]),
    ("100% tests passed, 0 tests failed out of 14\n", [14, 0, 0, []]),
    ("100% tests passed, 0 tests failed out of 2\nmore\n3 passed, 1 failed, 2 skipped\n", [3, 1, 2, []]),
    ("3 passed, 0 failed\n", [3, 0, 0, []]),
    ("936 passed, 70 skipped in 88.12s (0:01:28)\n", [936, 0, 70, []]),
    ("2 failed, 936 passed, 7 skipped, 3 warnings, 1 error in 5.0s\n", [936, 3, 7, []]),
    ("1 skipped in 0.1s\n", [0, 0, 1, []]),
    ("nothing was run\n", None),
    ("the 3 passed, 0 failed\n", None),
]
LIST = "# why\n\nctest  gpu: *  no GPU\npytest  test_a.py::*  no GPU\n"
# A program whose only test is skipped, and the exit status that is expected with and without CI.
PROGRAM = "import unittest, skips\nclass T(unittest.TestCase):\n  def test_a(self): self.skipTest('x')\nskips.run_unittests()\n"


def exit_of(ci, folder, text):
    path = folder / "a.py"
    path.write_text(text, encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key != "CI"} | ({"CI": "1"} if ci else {})
    return subprocess.run([sys.executable, "-B", path], env={**environment, "PYTHONPATH": sys.path[0]}, capture_output=True).returncode


def main():
    shown = [skips.counts(log) == expected for log, expected in LOGS]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        path = folder / "skips.txt"
        path.write_text(LIST, encoding="utf-8")
        os.environ["CI"] = "1"
        shown.append(skips.unlisted("ctest", ["gpu: a", "cpu: a", "test_a.py::b"], path) == ["cpu: a", "test_a.py::b"])
        del os.environ["CI"]
        shown.append(skips.unlisted("ctest", ["cpu: a"], path) == [])
        path.write_text("ctest  gpu: * no reason\n", encoding="utf-8")
        try:
            skips.listed("ctest", path)
            shown.append(False)
        except ValueError as error:
            shown.append("expected KIND" in str(error))
        shown += [exit_of(True, folder, PROGRAM) == 1, exit_of(False, folder, PROGRAM) == 0,
                  exit_of(True, folder, PROGRAM.replace("self.skipTest('x')", "pass")) == 0]
    skips.listed("ctest")  # the project's own list has the right form
    print(f"{sum(shown)} of {len(shown)} outputs were judged as they should be: {shown}")
    return 0 if all(shown) else 1


if __name__ == "__main__":
    sys.exit(main())
