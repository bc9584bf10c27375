"""Packs with real schedulers while parts are killed, and compares every byte with a single run.

usage: scale_check.py HOTPACK PYTHON [slurm|ray|mounts|receipts]… [--quick]

HOTPACK is the command; PYTHON has Ray, boto3, moto's server and the package hotpack, which `ray`
and `receipts` need.
"""

import argparse
import importlib
import signal
import sys
import tempfile
import time
from pathlib import Path

from mini_slurm import SlurmError
from scale_world import Checks, World

SECTIONS = ("slurm", "ray", "mounts", "receipts")
NEED_PYTHON = ("ray", "receipts")
# Slurm's parts have to last, so that there is time to kill them.
LEVELS = {"slurm": 19, "ray": 19, "mounts": 12, "receipts": 12}


def run_section(name, options, checks):
    print(f"== {name}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hotpack-scale-") as folder:
        samples = 4_000 if options.quick else 20_000
        try:
            world = World(options.hotpack, Path(folder), checks, samples, LEVELS[name])
            more = (options.python,) if name in NEED_PYTHON else ()
            importlib.import_module(f"{name}_section").run(world, options.quick, *more)
        except SlurmError as error:
            checks.check(False, f"{name} runs to its end", error)
    checks.figure(f"{name} in all", f"{time.monotonic() - began:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hotpack")
    parser.add_argument("python")
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []])
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that Slurm ends, too
    checks = Checks()
    for name in options.sections or (("slurm",) if options.quick else SECTIONS):
        run_section(name, options, checks)
    print(f"{checks.passed} passed, {checks.failed} failed, 0 skipped")
    return 1 if checks.failed or not checks.passed else 0


if __name__ == "__main__":
    sys.exit(main())
