#!/usr/bin/env python3
"""Costs of starting the command: shared libraries that `hotpack --version` loads, and its time over that of a program that does nothing.

usage: measure_startup.py HOTPACK REPORT.json

Exit 1 where it loads more than 40 libraries or takes more than 10 ms over /bin/true. Both run in turn on one core; medians.
"""

import os
import subprocess
import sys
import time

from measuring import cores, median, save

NOTHING = "/bin/true"
RUNS = 200
MOST_LIBRARIES = 40
MOST_MILLISECONDS = 10


def milliseconds(command, silence):
    began = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, silence, 1)])
    _, status = os.waitpid(child, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} failed")
    return 1000 * (time.perf_counter() - began)


def libraries(program):
    """Names of what the loader maps, itself and the kernel's page left out."""
    listing = subprocess.run([program], env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True, text=True, check=True)
    return sorted(line.split()[0] for line in listing.stdout.splitlines() if " => " in line)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    hotpack, report = os.path.abspath(sys.argv[1]), sys.argv[2]
    os.sched_setaffinity(0, cores(1))
    commands = {"hotpack": [hotpack, "--version"], "nothing": [NOTHING]}
    times = {name: [] for name in commands}
    with open(os.devnull, "wb") as silence:
        for _ in range(RUNS):
            for name, command in commands.items():
                times[name].append(milliseconds(command, silence.fileno()))
    over = median(times["hotpack"]) - median(times["nothing"])
    loaded = libraries(hotpack)
    good = len(loaded) <= MOST_LIBRARIES and over <= MOST_MILLISECONDS
    print(f"hotpack --version: {len(loaded)} shared libraries, at most {MOST_LIBRARIES}; {over:.2f} ms over {NOTHING} "
          f"({median(times['nothing']):.2f} ms), at most {MOST_MILLISECONDS}, median of {RUNS}: {'good' if good else 'TOO MUCH'}")
    save(report, {"libraries": loaded, "milliseconds_over_nothing": round(over, 3), "milliseconds": round(median(times["hotpack"]), 3)})
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
