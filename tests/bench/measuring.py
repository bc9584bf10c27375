"""Shared by the benchmarks: runs of programs on chosen cores with their costs, and small texts. Standard library only."""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

MEMORY_FOLDER = "/dev/shm"  # tmpfs: no disk in the figures


class Cost:
    """Of one finished program: seconds on the clock and of the processor, and what it printed."""

    def __init__(self, wall, usage, output):
        self.wall, self.processor = wall, usage.ru_utime + usage.ru_stime
        self.output = output


def run(command, cores=None):
    """Runs a program to its end on these cores; one that fails ends the benchmark with what it said."""
    pinned = ["taskset", "--cpu-list", ",".join(map(str, cores))] if cores else []
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        child = subprocess.Popen([*pinned, *map(str, command)], stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        output = said.read().decode(errors="replace")
    if child.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{output}exit {child.returncode}")
    return Cost(wall, usage, output)


def cores(count):
    """The last `count` cores that this process may use, or all of fewer: the first one tends to serve interrupts."""
    return sorted(os.sched_getaffinity(0))[-count:]


def scratch():
    """A folder in memory, or where temporary files go if there is none."""
    return tempfile.TemporaryDirectory(prefix="hotpack-bench-", dir=MEMORY_FOLDER if os.access(MEMORY_FOLDER, os.W_OK) else None)


def processor_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def save(path, figures):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    machine = {"processor": processor_name(), "cores": os.cpu_count(), "load_average": os.getloadavg()[0]}
    Path(path).write_text(json.dumps({"machine": machine, **figures}, indent=2) + "\n")
    print(f"written: {path}")


__all__ = ["Cost", "cores", "median", "run", "save", "scratch"]
