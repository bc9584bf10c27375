#!/usr/bin/env python3
"""Shell completions and man pages: every command and option occurs in them, shells and groff accept them, and bash completes with them.

usage: completions_test.py HOTPACK FOLDER      (the program, and what scripts/make-completions wrote)
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import skips

HOTPACK, FOLDER = sys.argv[1], Path(sys.argv[2]).resolve()
BASH = FOLDER / "bash-completion/completions/hotpack"
ZSH = FOLDER / "zsh/site-functions/_hotpack"
FISH = FOLDER / "fish/vendor_completions.d/hotpack.fish"
PAGES = FOLDER / "man/man1"


def help_of(*arguments):
    return json.loads(subprocess.run([HOTPACK, *arguments, "--help=json"], capture_output=True, check=True).stdout)


PROGRAM = help_of()
COMMANDS = {command["name"]: help_of(command["name"]) for command in PROGRAM["commands"]}


def complete(*words, folder=None):
    """What bash offers for the last word of `hotpack WORDS…`."""
    script = f'source "{BASH}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hotpack; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "--norc", "-uc", script, "bash", "hotpack", *words], capture_output=True, text=True, check=True, cwd=folder,
                          env={**os.environ, "LC_ALL": "C.UTF-8"})  # it may warn of a locale that is not there
    assert done.stderr == "", done.stderr
    return done.stdout.split()


class Bash(unittest.TestCase):
    def test_the_script_parses_and_is_registered(self):
        subprocess.run(["bash", "-n", BASH], check=True)
        done = subprocess.run(["bash", "--norc", "-c", f'source "{BASH}"; complete -p hotpack'], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "complete -F _hotpack hotpack\n")

    def test_commands_come_first(self):
        self.assertEqual(complete("pa"), ["pack"])
        self.assertEqual(set(complete("")) - {"-h", "--help", "-V", "--version"}, set(COMMANDS))

    def test_every_option_of_every_command_is_offered(self):
        self.assertEqual(complete("pack", "--im"), ["--images", "--image-folders", "--image-suffix", "--image-filter", "--image-layout"])
        for name, command in COMMANDS.items():
            self.assertEqual(complete(name, "-"), [each for option in command["options"] for each in option["names"]])

    def test_choices_are_offered_in_both_ways_of_writing(self):
        self.assertEqual(complete("pack", "--fit", "c"), ["crop-or-pad", "contain", "cover"])
        self.assertEqual(complete("pack", "--fit", "=", "c"), ["crop-or-pad", "contain", "cover"])
        self.assertEqual(complete("check", "--progress", "="), ["auto", "always", "never", "json"])
        self.assertIn("cityscapes19", complete("pack", "--preset", "city"))
        self.assertEqual(complete("help", "ve"), ["verify", "version"])

    def test_files_are_offered_where_a_path_is_expected(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "data").mkdir()
            (Path(folder) / "data.csv").write_text("")
            self.assertEqual(complete("pack", "--images", "da", folder=folder), ["data"])
            self.assertEqual(sorted(complete("pack", "--pairs", "da", folder=folder)), ["data", "data.csv"])
            self.assertEqual(sorted(complete("pack", "--preset", "da", folder=folder)), ["data", "data.csv"])
            self.assertEqual(complete("pack", "--size", "da", folder=folder), [])
            self.assertEqual(sorted(complete("info", "da", folder=folder)), ["data", "data.csv"])


class OtherShells(unittest.TestCase):
    def test_every_command_and_option_occurs(self):
        zsh, fish = ZSH.read_text(encoding="utf-8"), FISH.read_text(encoding="utf-8")
        for name, command in COMMANDS.items():
            part = re.search(rf"\n        {name}\)\n.*?;;", zsh, re.S)[0]
            lines = [line for line in fish.splitlines() if f"__fish_seen_subcommand_from {name}'" in line]
            for option in command["options"]:
                for each in option["names"]:
                    self.assertRegex(part, rf"[)*]{each}[=\[]")
                    flag = f" -l {each[2:]} " if each.startswith("--") else f" -s {each[1:]} "
                    self.assertTrue(any(flag in line for line in lines), (name, each))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_accepts_its_script(self):
        subprocess.run(["zsh", "-n", ZSH], check=True)

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_completes_with_its_script(self):
        done = subprocess.run(["fish", "--no-config", "-c", f"source {FISH}; complete -C 'hotpack pack --fit c'"], capture_output=True, text=True,
                              check=True)
        self.assertEqual(sorted(line.split("\t")[0] for line in done.stdout.splitlines()), ["contain", "cover", "crop-or-pad"])


class ManPages(unittest.TestCase):
    def test_every_command_has_a_page_with_every_option(self):
        self.assertEqual({page.name for page in PAGES.iterdir()}, {"hotpack.1"} | {f"hotpack-{name}.1" for name in COMMANDS})
        for name, command in COMMANDS.items():
            page = (PAGES / f"hotpack-{name}.1").read_text(encoding="ascii").replace("\\-", "-")
            for option in command["options"]:
                for each in option["names"]:
                    self.assertIn(f"\\fB{each}\\fR", page)
        main = (PAGES / "hotpack.1").read_text(encoding="ascii")
        for exit_code in PROGRAM["exit_codes"]:
            self.assertIn(f"\\fB{exit_code['code']}\\fR", main)

    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_groff_finds_no_fault(self):
        for page in PAGES.iterdir():
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", page], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "", page)


if __name__ == "__main__":
    skips.run_unittests(argv=sys.argv[:1])
