"""Two mounts of one folder whose locks hold for each mount alone, as on a network file system
without common locks: every part runs on both at the same time."""

import random
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager

PARTS = 20


@contextmanager
def mounted(world, folder, names):
    """bindfs passes no locks on to the file system below."""
    if shutil.which("bindfs") is None:
        sys.exit("scale-check: bindfs is not there; run scripts/setup --cluster")
    points = [world.folder / name for name in names]
    done = []
    try:
        for point in points:
            point.mkdir()
            world.must("bindfs", folder, point)
            done.append(point)
        yield points
    finally:
        for point in done:
            for command in (["umount", point], ["umount", "-l", point]):
                if subprocess.run(command, capture_output=True).returncode == 0:
                    break


def run(world, quick):
    checks, chance = world.checks, random.Random(16)
    shared = world.folder / "shared"
    shared.mkdir()
    with mounted(world, shared, ("mount-a", "mount-b")) as points:
        codes, began = [], time.monotonic()
        for part in range(PARTS):
            running = []
            for point in points:
                log = world.folder / f"{point.name}-{part}.log"
                words = world.pack("--partition", f"{part}/{PARTS}", "-o", point / "out")
                running.append(world.start(*words, log=log))
                time.sleep(chance.uniform(0, 0.5))
            codes.append([process.wait() for process in running])
        checks.figure("parts, on two mounts each", f"{PARTS}, {time.monotonic() - began:.0f} s")
        bad = {part: pair for part, pair in enumerate(codes) if pair != [0, 0]}
        texts = [
            (world.folder / f"{point.name}-{part}.log").read_text(errors="replace")
            for part in bad
            for point in points
        ]
        checks.check(not bad, "every part ends with 0 on both mounts", f"{''.join(texts)}{bad}")
        done = world.run(world.hotpack, "merge", points[0] / "out", "--accept-skips", "1")
        checks.check(done.code == 0, "they merge", done)
        world.compare(shared / "out", "parts on two mounts")
