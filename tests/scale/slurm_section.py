"""Slurm: an array under kills, its failed elements again, the merge behind them; every part twice;
one part six times."""

import os
import random
import re
import shlex
import shutil
import signal
import time
from dataclasses import dataclass

from mini_slurm import (
    OVER,
    Slurm,
    SlurmError,
    elements_of,
    kill,
    processes,
    until,
    variables_of,
)

LIST = r"--array[= ]([\d,-]+)"  # of parts to run again, as merge and info print it


@dataclass(frozen=True)
class Form:
    """How much to do."""

    parts: int
    kills: int  # kill -9 of a hotpack
    terms: int  # TERM of a hotpack
    requeues: int  # scontrol requeue of an element
    nodes: int  # nodes that die
    doubles: bool  # every part twice, one part six times


FULL = Form(parts=40, kills=12, terms=4, requeues=10, nodes=2, doubles=True)
QUICK = Form(parts=6, kills=1, terms=0, requeues=1, nodes=1, doubles=False)


class Chaos:
    """Strikes the elements of an array while they run."""

    def __init__(self, slurm, world, job, form):
        self.slurm, self.world, self.job, self.form = slurm, world, job, form
        self.random = random.Random(16)
        self.done = dict.fromkeys(("kill -9", "TERM", "requeue", "node"), 0)
        self.requeued, self.killed = set(), set()  # elements, by a blow

    def run(self):
        """Strikes until nothing is left to strike, then waits for the nodes that died."""
        self._strike_all(self._blows())
        self.slurm.wait_for_nodes()
        return self

    def _blows(self):
        """The kinds of the blows; the last is the first to strike."""
        blows = ["kill -9"] * self.form.kills + ["TERM"] * self.form.terms
        blows += ["requeue"] * self.form.requeues + ["node"] * self.form.nodes
        self.random.shuffle(blows)
        # A node first: what it ran comes again later, and the last blows find it.
        blows.append(blows.pop(blows.index("node")))
        return blows

    def _strike_all(self, blows):
        pause = self._pause(len(blows))
        end = time.monotonic() + 300
        while blows and time.monotonic() < end:
            time.sleep(pause * self.random.uniform(0.5, 1.5))
            if self._strike(blows[-1]):
                self.done[blows.pop()] += 1
            elif self._is_over():
                break

    def _pause(self, count):
        """Seconds between two blows, so that all of them come while the first half is packed."""
        cores = len(os.sched_getaffinity(0))
        work = self.world.seconds_alone * cores / min(cores, len(self.slurm.nodes))
        return min(0.5, work / 2 / count)

    def _strike(self, kind):
        """Returns whether it met anything."""
        if kind == "node":
            busy = self.slurm.busy_nodes(self.job)
            return bool(busy) and self.slurm.lose_node(self.random.choice(busy)) > 1
        if kind == "requeue":
            return self._requeue()
        return self._kill(signal.SIGKILL if kind == "kill -9" else signal.SIGTERM)

    def _requeue(self):
        """Not what a blow has killed: it would not fail, but come again."""
        running = sorted(set(self.slurm.running(self.job)) - self.killed)
        if not running:
            return False
        number = self.random.choice(running)
        # It may have ended in between: then Slurm refuses.
        if not self.slurm.succeeds("scontrol", "requeue", f"{self.job}_{number}"):
            return False
        self.requeued.add(number)
        return True

    def _kill(self, number):
        """Not what a blow has requeued: Slurm may be ending it, and then it would not fail."""
        packs = packs_of(self.slurm, self.world, self.job)
        running = set(self.slurm.running(self.job)) - self.requeued
        victims = [(process, element) for process, element in packs if element in running]
        if not victims:
            return False
        process, element = self.random.choice(victims)
        if not kill(process, number):
            return False
        self.killed.add(element)
        return True

    def _is_over(self):
        states = self.slurm.states(self.job)
        return bool(states) and set(states.values()) <= OVER

    def __str__(self):
        return ", ".join(f"{count} × {name}" for name, count in self.done.items() if count)


def packs_of(slurm, world, job):
    """The processes of hotpack that this cluster started for an array, each with its element."""
    mine = {"SLURM_CONF": f"{slurm.folder}/slurm.conf", "SLURM_ARRAY_JOB_ID": job}
    begin = str(world.hotpack).encode()
    begun = [process for process, _, command in processes() if command.startswith(begin)]
    variables = [(process, variables_of(process)) for process in begun]
    return [(p, int(v["SLURM_ARRAY_TASK_ID"])) for p, v in variables if mine.items() <= v.items()]


def script(path, world, *command):
    """A batch script that runs this command."""
    lines = ["#!/bin/bash", "exec " + shlex.join(map(str, command))]
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o755)
    return path


def numbers_that_failed(states):
    return sorted(number for number, state in states.items() if state != "COMPLETED")


def run(world, quick):
    form = QUICK if quick else FULL
    with Slurm(world.folder / "slurm") as slurm:
        array_under_kills(world, slurm, form)
        if form.doubles:
            the_example(world, slurm, form)
            every_part_twice(world, slurm, form)
            one_part_six_times(world, slurm, form)


def array_under_kills(world, slurm, form):
    checks, out = world.checks, world.folder / "slurm-out"
    logs = world.folder / "logs"
    logs.mkdir(exist_ok=True)
    pack = script(world.folder / "pack.sh", world, *world.pack("--partition", "auto", "-o", out))
    merge_words = [world.hotpack, "merge", out, "--accept-skips", "1"]
    slurm.environment["HOTPACK_PARTITIONS"] = str(form.parts)
    began = time.monotonic()
    job = slurm.submit(pack, array=f"0-{form.parts - 1}", cpus_per_task=2, output=logs / "first-%a")
    chaos = Chaos(slurm, world, job, form).run()
    states = slurm.wait(job)
    failed = numbers_that_failed(states)
    checks.figure("blows", f"{chaos}, in {time.monotonic() - began:.0f} s")
    checks.figure("elements that failed", f"{len(failed)} of {form.parts}")
    wanted = form.kills + form.terms + form.requeues + form.nodes
    checks.equal(sum(chaos.done.values()), wanted, "every blow met a part at work")

    environment = {**world.environment, "HOTPACK_PARTITIONS": str(form.parts)}
    refused = world.run(*merge_words, environment=environment)
    listed = re.search(LIST, refused.text)
    checks.check(refused.code == 1 and listed, "merge names the parts to run again", refused)
    again = elements_of(listed[1]) if listed else failed
    checks.check(
        again and set(again) <= set(failed),
        "it names none that has succeeded",
        f"named {again}, failed {failed}",
    )
    list_of_parts = listed[1] if listed else ",".join(map(str, failed))
    checks.figure("run again", f"--array={list_of_parts}")
    job = slurm.submit(pack, array=list_of_parts, output=logs / "second-%a")
    merge = script(world.folder / "merge.sh", world, *merge_words)
    last = slurm.submit(merge, dependency=f"afterok:{job}", output=logs / "merge")
    checks.equal(numbers_that_failed(slurm.wait(job)), [], "the parts run again succeed")
    states = slurm.wait(last)
    checks.check(states == {None: "COMPLETED"}, "the merge after them runs and succeeds", states)
    world.compare(out, "the array under kills")
    checks.equal(
        world.run(world.hotpack, "merge", out).code, 1, "without --accept-skips merge is 1"
    )


def the_example(world, slurm, form):
    """scripts/examples/cluster/slurm as docs/cluster.md tells it: one part is canceled, and run
    again by the list that is printed."""
    checks, folder = world.checks, world.folder / "example"
    shutil.copytree(
        world.scripts.parent.parent / "scripts" / "examples" / "cluster" / "slurm", folder
    )
    out, began = folder / "packed" / "train", time.monotonic()
    jobs = submit_example(world, slurm, folder, form.parts)
    until(lambda: slurm.running(jobs[1]), "a part of the example runs", 300)
    slurm.run("scancel", f"{jobs[1]}_{slurm.running(jobs[1])[0]}")
    slurm.wait(jobs[1])
    until(lambda: set(slurm.states(jobs[3]).values()) <= OVER, "logs/missing is written", 60)
    text = (folder / "logs" / "missing").read_text(errors="replace")
    listed = re.search(LIST, text)
    if not checks.check(listed, "the example says which part to run again", text):
        return
    jobs = submit_example(world, slurm, folder, form.parts, listed[1])
    states = slurm.wait(jobs[1])
    checks.check(states == {None: "COMPLETED"}, f"it runs --array={listed[1]} and merges", states)
    checks.figure("the example", f"{time.monotonic() - began:.0f} s")
    world.compare(out, "the example")


def submit_example(world, slurm, folder, parts, *words):
    """The numbers of its jobs, in the order in which they are submitted."""
    path = f"{world.hotpack.parent}:{slurm.environment['PATH']}"
    data = shlex.join(map(str, world.inputs[:-2]))  # plan.sh says --on-error itself
    mine = {"PATH": path, "HOTPACK_PARTITIONS": str(parts), "DATA": data, "WAIT": "5"}
    mine |= {"PART_SKIPS": "1", "ALL_SKIPS": "1"}
    before = slurm.jobs()
    done = world.run(folder / "submit.sh", *words, environment={**slurm.environment, **mine})
    if done.code != 0:
        raise SlurmError(str(done))
    return sorted(slurm.jobs() - before, key=int)


def every_part_twice(world, slurm, form):
    """Without a plan, as by a user who submits a script twice."""
    checks, out = world.checks, world.folder / "twice-out"
    words = world.pack("--partition", "auto", "-o", out, plan=False)
    pack = script(world.folder / "twice.sh", world, *words)
    logs = world.folder / "logs"
    array = f"0-{form.parts - 1}"
    jobs = [slurm.submit(pack, array=array, output=logs / f"{name}-%a") for name in ("one", "two")]
    for job in jobs:
        checks.equal(numbers_that_failed(slurm.wait(job)), [], "every part twice at once: exit 0")
    done = world.run(world.hotpack, "merge", out, "--accept-skips", "1")
    checks.equal(done.code, 0, "they merge")
    world.compare(out, "every part twice")


def one_part_six_times(world, slurm, form):
    checks, out = world.checks, world.folder / "six-out"
    words = world.pack("--partition", f"3/{form.parts}", "-o", out)
    pack = script(world.folder / "six.sh", world, *words)
    jobs = [slurm.submit(pack, output=world.folder / "logs" / f"six-{i}") for i in range(6)]
    states = [state for job in jobs for state in slurm.wait(job).values()]
    checks.equal(states, ["COMPLETED"] * 6, "one part six times at once: exit 0")
    files = sorted(path for path in out.iterdir() if path.is_file())
    good = all(path.read_bytes() == (world.alone / path.name).read_bytes() for path in files)
    checks.check(good and files, "its shards equal those of the single run", files)
