"""hotpack.ray.pack while its workers are killed."""

import json
import random
import re
import time

from mini_slurm import family_of, kill, processes

PARTS, KILLS, RETRIES = 40, 20, 20
SECONDS = 600


def run(world, quick, python):
    checks, out, log = world.checks, world.folder / "ray-out", world.folder / "ray.log"
    began = time.monotonic()
    words = [python, world.scripts / "ray_driver.py", world.plan, out, PARTS, RETRIES]
    driver = world.start(*words, log=log)
    kills = kill_workers(world, driver, began + SECONDS)
    code = driver.wait()
    text = log.read_text(errors="replace")
    checks.check(code == 0, "hotpack.ray.pack returns", f"exit {code}\n{text[-4000:]}")
    checks.figure("workers killed at work", kills)
    checks.figure("parts", f"{PARTS} on 4 CPUs, {time.monotonic() - began:.0f} s")
    checks.check(kills >= KILLS, f"{KILLS} or more workers were killed", kills)
    if code == 0:
        report = json.loads(re.findall(r'^\{"records.*\}$', text, re.MULTILINE)[-1])
        checks.equal(report, {"records": world.samples - 1, "skipped": 1}, "its report counts all")
    time.sleep(0.5)
    left = [p for p, _, command in processes() if command.startswith(str(world.hotpack).encode())]
    checks.equal(left, [], "no hotpack runs on without its worker")
    world.compare(out, "the parts of Ray")


def kill_workers(world, driver, end):
    """Kills workers that run hotpack, until there were enough or the driver has ended."""
    chance, kills = random.Random(16), 0
    while kills < KILLS + 5 and driver.poll() is None and time.monotonic() < end:
        time.sleep(chance.uniform(0.1, 0.6))
        working = workers(world, driver)
        if working:
            kills += kill(chance.choice(working))
    return kills


def workers(world, driver):
    """Workers of this driver's cluster that have a hotpack running."""
    mine = set(family_of(driver.pid))
    begin = str(world.hotpack).encode()
    return [parent for _, parent, c in processes() if c.startswith(begin) and parent in mine]
