"""Kills workers of Ray, and their commands, while `hotpack.ray.pack` packs.

    HOTPACK_COMMAND=build/release/bin/hotpack python tests/python/ray_check.py --kills 20

In the end the pack must have the bytes of a single run, the progress must never have gone back, and
no process of the command and no temporary file may be left. It prints what it did.
"""

import argparse
import hashlib
import os
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import ray

import hotpack
import hotpack.ray

ROOT = Path(__file__).resolve().parent.parent.parent
STREET = ROOT / "sample_data" / "street"
SECONDS_BETWEEN_KILLS = 0.4
SECONDS_TO_END = 20


def inputs(folder, copies):
    """The sample data `copies` times, by links. 24 samples each time."""
    for kind in ("images", "masks_color"):
        for number in range(copies):
            for file in (STREET / kind).rglob("*.*"):
                link = folder / kind / str(number) / file.relative_to(STREET / kind)
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(file)
    return {
        "images": folder / "images",
        "labels": folder / "masks_color",
        "classes": STREET / "class_dict.csv",
        "size": (640, 480),
        "fit": "cover",
        "shard_samples": 6,
    }


def digests(folder):
    """Of all files, by their names; with temporary files."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(Path(folder).rglob("*"))
        if path.is_file()
    }


def processes():
    """(id, parent, command line) of all processes."""
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                line = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                yield int(entry.name), parent, line
        except OSError:
            continue  # it has ended


def below(ancestor):
    """Those that descend from a process: nobody else's."""
    found = list(processes())
    parents = {process: parent for process, parent, _ in found}
    for process, parent, line in found:
        while parent not in (ancestor, 0, 1):
            parent = parents.get(parent, 0)
        if parent == ancestor:
            yield process, line


def victims(kind):
    """Workers that pack a part, or commands that pack one."""
    for process, line in below(os.getpid()):
        is_worker = line.startswith("ray::part_task")
        if is_worker if kind == "worker" else " pack " in line and "--partition=" in line:
            yield process


class Killer(threading.Thread):
    """Kills, in turn, two workers and one command, until `kills` are dead."""

    def __init__(self, kills, seed):
        super().__init__(daemon=True)
        self.left = kills
        self.killed = {"worker": 0, "command": 0}
        self.random = random.Random(seed)

    def run(self):
        while self.left > 0:
            time.sleep(self.random.uniform(0, 2 * SECONDS_BETWEEN_KILLS))
            kind = "command" if self.left % 3 == 0 else "worker"
            found = list(victims(kind))
            if not found:
                continue
            try:
                os.kill(self.random.choice(found), signal.SIGKILL)
            except ProcessLookupError:
                continue
            self.killed[kind] += 1
            self.left -= 1


def check(folder, kills, copies, parts, seed=1):
    """Packs below `folder` while workers are killed, in the cluster that Ray has begun. Raises
    AssertionError if anything is not as in a single run. Returns how many were killed."""
    given = inputs(folder, copies)
    hotpack.pack(**given, output=folder / "whole")
    seen, killer = [], Killer(kills, seed)
    killer.start()
    hotpack.ray.pack(
        **given,
        output=folder / "parts",
        parts=parts,
        cpus=1,
        retries=4 * kills,
        progress=lambda progress: seen.append((progress.stage, progress.samples_done)),
    )
    assert (
        killer.left == 0
    ), f"the pack was complete before {killer.left} were killed; take more copies"
    packing = [done for stage, done in seen if stage == "packing"]
    assert packing == sorted(packing) and packing[-1] == 24 * copies, packing
    assert [stage for stage, _ in seen[-len(packing) :]] == ["packing"] * len(packing)
    assert digests(folder / "parts") == digests(folder / "whole")
    until = time.monotonic() + SECONDS_TO_END
    while (left := list(victims("command"))) and time.monotonic() < until:
        time.sleep(0.1)
    assert not left, left
    return killer.killed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--copies", type=int, default=60, help="of 24 samples")
    parser.add_argument("--parts", type=int, default=40)
    parser.add_argument("--cpus", type=int, default=4, help="workers at once")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    paths = os.pathsep.join(filter(None, sys.path))
    ray.init(
        num_cpus=given.cpus,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": paths}},
    )
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        killed = check(Path(folder), given.kills, given.copies, given.parts, given.seed)
    seconds = time.monotonic() - began
    print(
        f"ray: {killed['worker']} workers and {killed['command']} commands killed in {given.parts} "
        f"parts of {24 * given.copies} samples: equal bytes, nothing left, {seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
