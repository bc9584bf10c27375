#!/usr/bin/env python3
"""Makes the system fail while hotpack runs, and checks the outcome. scripts/faults runs this; see there.

The environment names the programs: HOTPACK, COUNTED_CALLS (the library that makes calls fail) and READ_EPOCH.
"""

import argparse
import contextlib
import errno
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import power
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import skips
from workload import WORDS, World, files_of

LANES = ["calls", "kills", "power", "limits"]
# How each call fails. "+": with all later calls of that name.
CALLS = {
    "write": ["ENOSPC", "ENOSPC+", "EIO", "EDQUOT", "EINTR", "short", "short+"],
    "pwrite": ["ENOSPC", "ENOSPC+", "EIO", "EDQUOT", "EINTR", "short", "short+"],
    "read": ["EIO", "EINTR", "short"],
    "pread": ["EIO", "EIO+", "EINTR", "short", "short+"],
    "fsync": ["EIO", "ENOSPC", "EINTR"],
    "fdatasync": ["EIO", "ENOSPC", "EDQUOT", "EINTR"],
    "rename": ["EIO", "ENOSPC", "EDQUOT"],
    "link": ["EIO", "EXDEV"],
    "flock": ["ENOSYS+", "EOPNOTSUPP+", "ENOLCK+", "EINVAL+", "EBADF+"],
    "ftruncate": ["EIO", "ENOSPC", "EINTR"],
    "fallocate": ["ENOSPC", "EINTR"],
    "mkdir": ["ENOSPC", "EIO", "EDQUOT"],
    "create": ["ENOSPC", "EIO", "EMFILE", "EINTR"],
    "open": ["EIO", "EMFILE", "EMFILE+", "ENFILE", "ENOMEM", "EINTR"],
    "opendir": ["EIO", "EMFILE"],
    "readdir": ["EIO"],
    "mmap": ["ENOMEM", "ENOMEM+"],
    "munmap": ["ENOMEM"],
    "pthread_create": ["EAGAIN", "EAGAIN+"],  # clone
    "malloc": ["ENOMEM", "ENOMEM+"],  # and operator new, calloc, realloc, posix_memalign
}
PROCESS_CALLS = {"mmap", "munmap", "pthread_create", "malloc"}  # they name no file
QUICK_HOWS = {"flock": ["ENOSYS+", "EBADF+"], "write": ["ENOSPC", "short"], "pwrite": ["ENOSPC", "EINTR", "short"], "pread": ["EIO", "short"], "open": ["EMFILE"],
              "pthread_create": ["EAGAIN", "EAGAIN+"]}
# Many threads run in another order each time, so other workloads test what they do.
MANY_THREADS = {"pack-j4": ["pthread_create", "malloc"], "verify-j4": ["pthread_create", "malloc"], "extract-j4": ["pthread_create", "malloc"]}
KILLED = ["pack", "resume", "force", "merge"]
NOBODY = 65534
MEMORY = "/dev/shm"


class Table:
    """Collects rows of outcomes, and prints each fault at once."""

    def __init__(self):
        self.rows = {}

    def add(self, row, verdict, wrong, where):
        counts = self.rows.setdefault(row, Counter())
        counts["bad" if wrong else verdict] += 1
        if wrong:
            print(f"BAD {' '.join(row)} {where}: {'; '.join(wrong)}", flush=True)

    def skip(self, row, why):
        """Counts a row that cannot run here. In continuous integration, one that tests/skips.txt does not list is bad."""
        if skips.unlisted("faults", [" ".join(row)]):
            return self.add(row, "bad", [f"skipped, and tests/skips.txt does not list it: {why}"], "")
        self.rows.setdefault(row, Counter())["skipped"] += 1
        print(f"skipped: {' '.join(row)}: {why}", flush=True)

    def count(self, verdict):
        return sum(counts[verdict] for counts in self.rows.values())

    def show(self):
        verdicts = ["survived", "refused", "killed", "bad", "skipped"]
        width = max((len(" ".join(row)) for row in self.rows), default=0)
        print(f"{'':{width}}  {'runs':>6}" + "".join(f"{verdict:>10}" for verdict in verdicts))
        for row, counts in self.rows.items():
            print(f"{' '.join(row):{width}}  {sum(counts.values()):6}" + "".join(f"{counts[verdict] or '-':>10}" for verdict in verdicts))

    def as_json(self):
        return [{"lane": row[0], "what": list(row[1:]), **counts} for row, counts in self.rows.items()]


def spread(count, most):
    """At most `most` of the numbers 1 … count: all of the first ones, and evenly spread others."""
    if count <= most:
        return range(1, count + 1)
    return sorted({round(1 + i * (count - 1) / (most - 1)) for i in range(most)})


# ---- calls


def number(how):
    return how if how == "short" else getattr(errno, how)


def fail_calls(world, table, settings):
    for work in world.workloads.values():
        for call, hows in CALLS.items():
            if call not in MANY_THREADS.get(work.name, CALLS) or call not in settings.calls:
                continue
            count = world.count(work, call)
            for how in QUICK_HOWS.get(call, hows[:1]) if settings.quick else hows:
                for at in occurrences(call, count, settings):
                    fail_call(world, table, work, call, how, at)


def occurrences(call, count, settings):
    if call != "malloc":
        return spread(count, settings.most_calls)
    # All of the first ones, then evenly spread to the end; allocations of threads come in any order, so the last ones may not be reached.
    first = range(1, min(count, settings.first) + 1)
    return sorted({*first, *spread(count, settings.most), *range(max(1, count - settings.first // 4), count + 1)})


def fail_call(world, table, work, call, how, at):
    world.reset(work)
    what = how.rstrip("+")
    done = world.run(work.command, world.fault(call, at, number(what), lasting=how.endswith("+")))
    must_survive = what in ("EINTR", "short") or call == "flock"
    verdict = world.judge(work, done, WORDS.get(what), must_survive, path=call not in PROCESS_CALLS)
    table.add(("calls", work.name, call, how), *verdict, f"at {at}")


# ---- kills


def kill_runs(world, table, settings):
    chance = random.Random(settings.seed)
    works = [world.workloads[name] for name in KILLED]
    calls = {work.name: world.count(work, "any") for work in works}
    seconds = {work.name: duration(world, work) for work in works}
    for i in range(settings.kills):
        work = works[i % len(works)]
        if i // len(works) % 2 == 0:  # at a call: their numbers in turn, from the first to the last
            at = 1 + (i // (2 * len(works))) * 7 % calls[work.name]
            kill_at_call(world, table, work, at)
        else:
            while not kill_after(world, table, work, chance.uniform(0, seconds[work.name])):
                pass  # it had ended before; that counts as a run, not as a kill


def duration(world, work):
    """The shortest of three runs, so that few kills come too late."""
    def once():
        world.reset(work)
        began = time.monotonic()
        world.run(work.command)
        return time.monotonic() - began

    return min(once() for _ in range(3))


def kill_at_call(world, table, work, at):
    world.reset(work)
    done = world.run(work.command, world.fault("any", at, "kill"))
    judge_kill(world, table, work, done.code == -9, "at call", f"{at}")


def kill_after(world, table, work, delay):
    world.reset(work)
    victim = subprocess.Popen([str(part) for part in work.command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    victim.kill()
    killed = victim.wait() == -9
    judge_kill(world, table, work, killed, "after a delay", f"{delay * 1000:.1f} ms")
    return killed


def judge_kill(world, table, work, killed, how, where):
    wrong = world.faults_of_state(work, killed=True)
    again = world.run(work.command)
    wrong += [f"run again: {each}" for each in world.faults_of_end(work, again)]
    table.add(("kills", work.name, how), "killed" if killed else "survived", wrong, where)


# ---- power


def lose_power(world, table, settings):
    for name in [each for each in KILLED if not settings.quick or each in ("pack", "merge")]:
        work = world.workloads[name]
        log = world.folder / "log"
        log.unlink(missing_ok=True)
        world.reset(work)
        world.run(work.command, world.fault("none", 0, 0, log=log))
        events = power.events_of(log)
        table.add(("power", name, "order"), "survived", power.faults_of_order(events, work.output), "the trace")
        compare_with_strace(world, table, work, events)
        replay(world, table, work, events, settings)


def compare_with_strace(world, table, work, events):
    row = ("power", work.name, "strace")
    if not shutil.which("strace"):
        return table.skip(row, "strace is not installed (scripts/setup --faults)")
    log = world.folder / "strace"
    world.reset(work)
    if world.run([*power.strace_command(log), *work.command]).code:
        return table.skip(row, "strace cannot trace here")
    traced = power.events_of_strace(log, [str(world.folder)])
    wrong = power.differences(events, traced)
    table.add(row, "survived", wrong + power.faults_of_order(traced, work.output), "its trace")


def replay(world, table, work, events, settings):
    """Each prefix with each model, without equal states."""
    tried = set()
    for model in power.MODELS + power.ONE_NAME:
        for prefix in range(len(events) + 1):
            for state in power.states_after(events[:prefix], work.output, work.before(), model):
                mark = (frozenset(state.items()) if state is not None else None)
                if mark in tried or settings.quick and prefix % 3 and prefix != len(events):
                    continue
                tried.add(mark)
                judge_replay(world, table, work, state, model, prefix)


def judge_replay(world, table, work, state, model, prefix):
    world.reset(work)
    power.put_state(state, work.output)
    wrong = []
    verified = world.run([world.hotpack, "verify", work.output, "-q"])
    whole = {name: content for name, content in (state or {}).items() if not name.startswith(".")}
    if verified.code == 0 and whole not in (work.goal, work.before()):
        wrong.append("verify calls it good")
    again = world.run(work.command)
    if again.code == 0:
        wrong += world.faults_of_end(work, again)
    elif again.code not in (2, 3, 4) or not again.err.strip():
        wrong.append(f"run again: exit {again.code}: {again.err.strip()[-300:]}")
    table.add(("power", work.name, model), "survived" if again.code == 0 else "refused", wrong, f"after {prefix} calls")


# ---- limits


def run_short(world, table, settings):
    works = [work for work in world.workloads.values() if not settings.quick or work.name in ("pack", "merge", "loader")]
    for work in works:
        steps = 6 if settings.quick else settings.memory_steps
        limit(world, table, work, "memory", resource.RLIMIT_AS, memory_sizes(world, work, steps), "memory|allocate|start thread|threads")
        limit(world, table, work, "descriptors", resource.RLIMIT_NOFILE, range(3, 8 if settings.quick else 24), "Too many open files|descriptor")
        if work.output:
            limit(world, table, work, "file-size", resource.RLIMIT_FSIZE, [0, 1, 1000, 4096, 16000], "File too large")
        limit_threads(world, table, work)
    if "pack" in world.workloads:
        fill_disk(world, table)
    write_to_full_device(world, table)


def limit(world, table, work, name, kind, values, words, user=None):
    for value in values:
        world.reset(work)
        if user is not None:
            subprocess.run(["chown", "-R", str(user), world.folder / "run"], check=True)
        done = world.run(work.command, limits=[(kind, value)], user=user)
        if not begins(world, work, done, kind, value):
            table.rows.setdefault(("limits", work.name, name), Counter())["refused"] += 1  # the program did not begin
            continue
        table.add(("limits", work.name, name), *world.judge(work, done, words, path=False), f"limit {value}")


def begins(world, work, done, kind, value):
    """Was main reached? With too little memory, the system or the dynamic linker ends a program before."""
    if done.code == 127 or "error while loading shared libraries" in done.err:
        return False
    silent = kind == resource.RLIMIT_AS and done.code < 0 and not done.text().strip()
    return not silent or world.run([work.command[0], "--version"], limits=[(kind, value)]).code >= 0


def memory_sizes(world, work, steps):
    """Sizes of the address space from the first with which the program begins to one that is enough."""
    low, high = 1 << 20, 8 << 30
    for _ in range(9):
        middle = (low + high) // 2
        world.reset(work)
        enough = world.run(work.command, limits=[(resource.RLIMIT_AS, middle)]).code == 0
        low, high = (low, middle) if enough else (middle, high)
    return [high * (i + 1) // steps for i in range(steps)]


def limit_threads(world, table, work):
    row = ("limits", work.name, "threads")
    if os.geteuid() != 0:
        return table.skip(row, "needs root, to become a user of its own")
    limit(world, table, work, "threads", resource.RLIMIT_NPROC, [1, 2], "thread|temporarily unavailable", user=NOBODY)


def fill_disk(world, table):
    work, disk = world.workloads["pack"], world.folder / "disk"
    disk.mkdir(exist_ok=True)
    for size in ("4k", "16k", "32k", "40k", "56k"):
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], capture_output=True).returncode:
            return table.skip(("limits", "pack", "disk"), "mounting a tmpfs is not allowed here")
        try:
            done = world.run([disk / "out" if part == work.output else part for part in work.command])
            wrong = [] if done.code == 0 or (done.code == 3 and "space" in done.err or "free" in done.err) else [f"exit {done.code}: {done.err}"]
            wrong += [f"{name} has wrong bytes" for name, content in files_of(disk / "out").items() if work.goal.get(name) != content]
        finally:
            subprocess.run(["umount", disk], check=True)
        table.add(("limits", "pack", "disk"), "refused" if done.code else "survived", wrong, size)


def write_to_full_device(world, table):
    for arguments in (["info"], ["verify"], ["info", "--json"], ["verify", "--json"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([world.hotpack, *arguments, world.folder / "ref"], stdout=full, stderr=subprocess.PIPE, text=True)
        wrong = [] if done.returncode == 3 and "No space left" in done.stderr else [f"exit {done.returncode}: {done.stderr}"]
        table.add(("limits", "/dev/full"), "refused", wrong, " ".join(arguments))


# ---- main


def arguments():
    parser = argparse.ArgumentParser(description="Makes the system fail hotpack, and looks at what becomes of it.")
    parser.add_argument("lanes", nargs="*", metavar="LANE", help=f"{', '.join(LANES)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="a sample of each lane, for CI")
    parser.add_argument("--kills", type=int, metavar="N", help="how many kills (default: 1000; 50 with --quick)")
    parser.add_argument("--most", type=int, metavar="N", help="at most so many allocations a command, evenly spread (default: 150), and the first 50")
    parser.add_argument("--calls", metavar="NAME,…", help="these calls alone in the lane of calls, such as pwrite,rename")
    parser.add_argument("--only", metavar="NAME,…", help="these commands alone, such as merge,pack-j4")
    parser.add_argument("--seed", type=int, default=20261, help="of the delays of kills")
    parser.add_argument("--json", metavar="FILE", help="write the table to FILE too")
    settings = parser.parse_args()
    if wrong := [lane for lane in settings.lanes if lane not in LANES]:
        parser.error(f"unknown lane {wrong[0]}: {', '.join(LANES)}")
    settings.kills = settings.kills if settings.kills is not None else 50 if settings.quick else 1000
    settings.most = settings.most or (6 if settings.quick else 150)
    settings.first = 0 if settings.quick else 50
    settings.most_calls = 2 if settings.quick else 10**9
    settings.calls = settings.calls.split(",") if settings.calls else list(CALLS)
    if wrong := [call for call in settings.calls if call not in CALLS]:
        parser.error(f"unknown call {wrong[0]}: {', '.join(CALLS)}")
    settings.memory_steps = 32
    return settings


def main():
    settings = arguments()
    os.umask(0o022)  # a run as another user reads inputs and programs
    lanes = {"calls": fail_calls, "kills": kill_runs, "power": lose_power, "limits": run_short}
    table, began = Table(), time.monotonic()
    # In memory where that may be: flushes to a disk would be most of the time, and the order of calls is what is looked at.
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="hotpack-faults-", dir=memory) as folder, far_folder(memory) as far, copied_programs() as programs:
        os.chmod(folder, 0o755)
        world = World(Path(folder), *programs, far=Path(far) if far else None)
        if settings.only:
            world.workloads = {name: world.workloads[name] for name in settings.only.split(",")}
            KILLED[:] = [name for name in KILLED if name in world.workloads]
        for lane in settings.lanes or LANES:
            lanes[lane](world, table, settings)
    table.show()
    if settings.json:
        Path(settings.json).write_text(json.dumps(table.as_json(), indent=1) + "\n")
    total, bad, skipped = sum(sum(counts.values()) for counts in table.rows.values()), table.count("bad"), table.count("skipped")
    print(f"{total - skipped} runs in {time.monotonic() - began:.0f} s\n{total - bad - skipped} passed, {bad} failed, {skipped} skipped")
    return 1 if bad or skipped == total else 0


@contextlib.contextmanager
def copied_programs():
    """The programs in a folder of their own, for the user who may start no threads: another may not enter the folder that holds the build.

    The folder is not in memory: some systems run no program from there."""
    with tempfile.TemporaryDirectory(prefix="hotpack-faults-") as folder:
        os.chmod(folder, 0o755)
        programs = [Path(shutil.copy(os.environ[name], folder)) for name in ("HOTPACK", "COUNTED_CALLS", "READ_EPOCH")]
        for program in programs:
            program.chmod(0o755)
        yield programs


@contextlib.contextmanager
def far_folder(memory):
    """A folder on another file system than memory's, so that shards are copied, not linked; None where there is none."""
    if memory is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="hotpack-faults-") as folder:
        os.chmod(folder, 0o755)
        yield folder if os.stat(folder).st_dev != os.stat(memory).st_dev else None


if __name__ == "__main__":
    sys.exit(main())
