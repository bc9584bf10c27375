"""Tests of the golden runner itself: it must notice every difference."""

import stat
import tempfile
import unittest
from pathlib import Path

from run_cases import lines_match, lines_of, parse_case, run_case, write_case

CASE = """\
# Greets.

$ hotpack greet
+ again
> hello
>
> bye
! warning: odd
= 3
# The end.
"""


class Matching(unittest.TestCase):
    def test_exact_lines(self):
        self.assertTrue(lines_match(["a", "b"], ["a", "b"]))
        self.assertTrue(lines_match([], []))
        for found in (["a"], ["a", "b", "c"], ["b", "a"], ["a", "b "], []):
            self.assertFalse(lines_match(["a", "b"], found), found)

    def test_any_text_stays_in_its_line(self):
        self.assertTrue(lines_match(["took [..] s (.)"], ["took 3.1 s (.)"]))
        self.assertFalse(lines_match(["took [..] s (.)"], ["took 3.1 s (x)"]))
        self.assertFalse(lines_match(["a[..]b"], ["a", "b"]))

    def test_any_lines(self):
        for found in (["a", "z"], ["a", "b", "c", "z"]):
            self.assertTrue(lines_match(["a", "[...]", "z"], found), found)
        self.assertFalse(lines_match(["a", "[...]", "z"], ["a", "b"]))
        self.assertTrue(lines_match(["[...]"], []))


class Cases(unittest.TestCase):
    def test_text_survives_parsing(self):
        steps, remarks = parse_case(CASE)
        self.assertEqual(steps[0].command, ["hotpack greet", "again"])
        self.assertEqual(steps[0].stdout, ["hello", "", "bye"])
        self.assertEqual(steps[0].stderr, ["warning: odd"])
        self.assertEqual(steps[0].code, 3)
        self.assertEqual(write_case(steps, remarks), CASE)

    def test_nonsense_is_refused(self):
        for text in ("> output first\n", "$ x\nstray\n"):
            with self.assertRaises(ValueError):
                parse_case(text)

    def test_output_as_lines(self):
        places = {"PWD": "/tmp/x"}
        self.assertEqual(lines_of(b"", places), [])
        self.assertEqual(lines_of(b"in /tmp/x/a\n\nend\n", places), ["in $PWD/a", "", "end"])
        self.assertEqual(lines_of(b"cut", places), ["cut[no newline]"])
        self.assertEqual(lines_of(b"\xff\n", places), ["\\xff"])


class Running(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.hotpack = Path(self.folder.name) / "hotpack"
        self.hotpack.write_text("#!/bin/sh\necho \"$PWD $1\"\necho odd >&2\nexit 3\n")
        self.hotpack.chmod(self.hotpack.stat().st_mode | stat.S_IXUSR)

    def run_text(self, text):
        case = Path(self.folder.name) / "a.case"
        case.write_text(text)
        return run_case(case, self.hotpack, Path(self.folder.name))

    def test_an_update_keeps_stand_ins_of_lines_that_match(self):
        _, came_back = self.run_text("$ hotpack one\n> [..] one\n! even\n= 3\n")
        self.assertEqual(came_back, "$ hotpack one\n> [..] one\n! odd\n= 3\n")

    def test_a_matching_case_stays(self):
        text, came_back = self.run_text("$ hotpack one\n> $PWD [..]\n! odd\n= 3\n")
        self.assertEqual(text, came_back)

    def test_every_difference_shows(self):
        good = "$ hotpack one\n> $PWD one\n! odd\n= 3\n"
        for bad in (good.replace("$PWD one", "$PWD two"), good.replace("! odd\n", ""), good.replace("= 3", "= 4"), good.replace("= 3\n", "")):
            text, came_back = self.run_text(bad)
            self.assertNotEqual(text, came_back)
            self.assertEqual(came_back, good)


if __name__ == "__main__":
    unittest.main()
