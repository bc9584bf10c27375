#!/usr/bin/env python3
"""Runs golden cases of the command line: what a person types, and what comes back.

A case is a text file, cases/NAME.case. Its lines:

    # a remark
    $ hotpack --version             a command, run by sh; the steps of a case share one fresh, empty folder
    + --more --arguments            goes on with the command
    > hotpack 0.1.0 (format 1.0)    a line that stdout must have
    ! warning: …                    a line that stderr must have
    = 2                             the exit code; 0 where the line is missing

In expected lines `[..]` stands for any text; a line `[...]` stands for any lines, or none. `$SAMPLE_DATA` is the folder sample_data and
`$PWD` the case's folder, in commands and in what comes back. The size of a file that contains absolute paths needs a stand-in.
Text that does not end with a newline ends with `[no newline]`.

    run_cases.py --hotpack build/release/bin/hotpack [--update] [CASE …]

runs the cases given, or all, and shows the differences; --update writes what came back into the steps that no longer match (look at
the difference before you keep it). Exit 0 if all match, 1 if one does not.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ANY_LINES = "[...]"
ANY_TEXT = "[..]"
NO_NEWLINE = "[no newline]"
STEP_SECONDS = 120
# Variables that hotpack reads: those of terminals, its own, and those of schedulers and of CI (src/pack/schedulers.cpp).
READ = ("NO_COLOR", "COLUMNS", "RANK", "WORLD_SIZE", "GITLAB_CI")
READ_PREFIXES = ("HOTPACK_", "SLURM_", "LSB_", "SGE_", "FLUX_", "PBS_", "JOB_COMPLETION", "OMPI_", "PMI_", "AWS_BATCH_", "BATCH_TASK_",
                 "CLOUD_RUN_", "CI_NODE_", "BUILDKITE_")


@dataclass
class Step:
    """One command with what must come back, and the remarks above it."""

    remarks: list = field(default_factory=list)
    command: list = field(default_factory=list)
    stdout: list = field(default_factory=list)
    stderr: list = field(default_factory=list)
    code: int = 0


def parse_case(text):
    """The steps of a case, and the remarks after the last one."""
    steps, remarks = [], []
    for number, line in enumerate(text.splitlines(), 1):
        mark, rest = line[:1], line[2:]
        if mark in ("", "#"):
            remarks.append(line)
        elif mark == "$":
            steps.append(Step(remarks=remarks, command=[rest]))
            remarks = []
        elif not steps or remarks or mark not in "+>!=":
            raise ValueError(f"line {number}: {line!r} does not belong here")
        elif mark == "+":
            steps[-1].command.append(rest)
        elif mark == ">":
            steps[-1].stdout.append(rest)
        elif mark == "!":
            steps[-1].stderr.append(rest)
        else:
            steps[-1].code = int(rest)
    return steps, remarks


def write_case(steps, remarks):
    """The text of a case; parse_case's inverse."""
    lines = []
    for step in steps:
        lines += step.remarks
        lines += [f"{mark} {text}" for mark, text in zip("$" + "+" * len(step.command), step.command)]
        lines += [f"> {text}".rstrip() for text in step.stdout]
        lines += [f"! {text}".rstrip() for text in step.stderr]
        lines += [f"= {step.code}"] if step.code != 0 else []
    return "\n".join(lines + remarks) + "\n"


def lines_match(expected, found):
    """True if the lines found are those expected, with the stand-ins filled."""
    pattern = ""
    for line in expected:
        if line == ANY_LINES:
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split(ANY_TEXT)) + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in found)) is not None


def lines_of(output, places):
    """Output as a case writes it: lines, with the folders' names in place of their paths."""
    text = output.decode("utf-8", "backslashreplace")
    for name, path in places.items():
        text = text.replace(str(path), "$" + name)
    if text and not text.endswith("\n"):
        text += NO_NEWLINE
    return [line.rstrip(" ") for line in text.split("\n")][: None if text.endswith(NO_NEWLINE) else -1]


def run_step(step, hotpack, sample_data, folder):
    """What comes back when the step's command is run."""
    environment = {name: value for name, value in os.environ.items() if name not in READ and not name.startswith(READ_PREFIXES)}
    environment |= {"PATH": f"{hotpack.parent}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TERM": "dumb", "SAMPLE_DATA": str(sample_data)}
    done = subprocess.run(["sh", "-c", "\n".join(step.command)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=STEP_SECONDS)
    places = {"PWD": folder, "SAMPLE_DATA": sample_data}
    return Step(step.remarks, step.command, lines_of(done.stdout, places), lines_of(done.stderr, places), done.returncode)


def step_matches(expected, found):
    return (lines_match(expected.stdout, found.stdout) and lines_match(expected.stderr, found.stderr) and
            expected.code == found.code)


def with_stand_ins(expected, found):
    """The lines found; an expected line stands for one that it matches, so that its stand-ins stay."""
    old = [line for line in expected if line != ANY_LINES]
    return [next((line for line in old if lines_match([line], [new])), new) for new in found]


def updated(expected, found):
    """The step as found, with the stand-ins of the lines that still match."""
    return Step(found.remarks, found.command, with_stand_ins(expected.stdout, found.stdout),
                with_stand_ins(expected.stderr, found.stderr), found.code)


def run_case(path, hotpack, sample_data):
    """The case's text as it is, and as it should be to match what came back."""
    text = path.read_text(encoding="utf-8")
    steps, remarks = parse_case(text)
    with tempfile.TemporaryDirectory(prefix="hotpack-case-") as name:
        folder = Path(name).resolve()
        found = [run_step(step, hotpack, sample_data, folder) for step in steps]
    kept = [old if step_matches(old, new) else updated(old, new) for old, new in zip(steps, found)]
    return text, text if kept == steps else write_case(kept, remarks)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hotpack", type=Path, required=True, help="the program to run")
    parser.add_argument("--sample-data", type=Path, default=HERE.parent.parent / "sample_data")
    parser.add_argument("--update", action="store_true", help="write what came back into the cases")
    parser.add_argument("cases", nargs="*", type=Path)
    options = parser.parse_args()
    different = 0
    for path in options.cases or sorted((HERE / "cases").glob("*.case")):
        text, came_back = run_case(path, options.hotpack.resolve(), options.sample_data.resolve())
        if text == came_back:
            continue
        different += 1
        sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), came_back.splitlines(True), f"{path.name} expected", "found"))
        if options.update:
            path.write_text(came_back, encoding="utf-8")
    return 1 if different and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
