"""What the fault lane runs: commands over a few tiny images, what each must leave behind, and how a run is judged. Standard library only.

A Workload is one command line with the state that it starts from. It is judged by all files below its output: after a failure every file
under a final name must be whole (the old bytes or the new ones), and the same command must then end with the bytes of an undisturbed run.
"""

import os
import random
import re
import resource
import shutil
import struct
import subprocess
import zlib
from dataclasses import dataclass, field
from pathlib import Path

SECONDS = 60
MANIFEST = "dataset.json"
TEMPORARY = re.compile(r"^\.(.+\.[0-9a-f]{16}|hotpack-\d+-\d+)\.tmp$")
# What an error of each kind has to say.
WORDS = {"ENOSPC": "No space left", "EIO": "Input/output error", "EDQUOT": "quota", "ENOMEM": "memory|Resource temporarily unavailable", "EMFILE": "Too many open files",
         "ENFILE": "Too many open files", "EAGAIN": "thread|temporarily unavailable", "EXDEV": "cross-device"}


def write_png(path, width, height, channels, pixels):
    rows = b"".join(b"\0" + pixels[y * width * channels:(y + 1) * width * channels] for y in range(height))

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2 if channels == 3 else 0, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def files_of(path):
    """Bytes of every file below a folder, or of one file, by name; empty where there is nothing."""
    if path.is_file():
        return {path.name: path.read_bytes()}
    return {str(each.relative_to(path)): each.read_bytes() for each in path.rglob("*") if each.is_file()}


@dataclass
class Done:
    code: int
    out: str
    err: str

    def text(self):
        """All that was said: findings of verify are its result, on stdout."""
        return "\n" + (self.out + self.err).strip()


@dataclass
class Workload:
    name: str
    command: list
    output: Path = None  # a folder or file; None: it only reads
    start: Path = None  # what the output is before
    is_pack: bool = False  # the output is a data set: its manifest vouches for all of it
    goal: dict = field(default_factory=dict)
    goal_text: str = ""

    def before(self):
        return files_of(self.start) if self.start else {}


class World:
    """The inputs and the workloads, all in one folder."""

    def __init__(self, folder, hotpack, library, read_epoch, far=None):
        self.folder, self.hotpack, self.library, self.read_epoch = folder, hotpack, library, read_epoch
        self.out, self.far = folder / "run" / "out", far
        self.names = [str(folder), *([str(far)] if far else []), "\nshard-", "\ndataset.json:"]
        self.make_inputs()
        self.workloads = {each.name: each for each in self.make_workloads()}
        for each in self.workloads.values():
            self.learn_goal(each)

    # ---- inputs

    def make_inputs(self):
        chance = random.Random(20261)
        for i in range(6):
            write_png(self.folder / "in" / "images" / f"s{i}.png", 32, 24, 3, chance.randbytes(32 * 24 * 3))
            write_png(self.folder / "in" / "masks" / f"s{i}.png", 32, 24, 1, bytes(chance.randrange(3) for _ in range(32 * 24)))
        self.make("ref")
        self.make("old", "--shuffle", "3")
        for part in (0, 1):
            self.make(f"parts/{part}", "--partition", f"{part}/2")
        (self.folder / "half").mkdir()
        shutil.copy(self.folder / "ref" / "shard-00000-of-00002.safetensors", self.folder / "half")
        if self.far:
            shutil.copytree(self.folder / "parts", self.far / "parts")

    def pack(self, out, *more, threads=1):
        inputs = self.folder / "in"
        return [self.hotpack, "pack", "--images", inputs / "images", "--labels", inputs / "masks", "--label-kind", "index", "--num-classes",
                "3", "--size", "32x24", "--shard-samples", "3", f"-j{threads}", "-q", "-o", out, *more]

    def make(self, name, *more):
        done = self.run(self.pack(self.folder / name, *more))
        if done.code:
            raise SystemExit(f"faults: the inputs cannot be made: {done.err}")

    def make_workloads(self):
        ref, run = self.folder / "ref", self.folder / "run"
        parts = self.folder / "parts"
        yield Workload("pack", self.pack(self.out), self.out, None, True)
        yield Workload("resume", self.pack(self.out), self.out, self.folder / "half", True)
        yield Workload("force", self.pack(self.out, "--force"), self.out, self.folder / "old", True)
        yield Workload("merge", [self.hotpack, "merge", parts / "0", parts / "1", "-q", "-o", self.out], self.out, None, True)
        if self.far:
            far = self.far / "parts"
            yield Workload("merge-copy", [self.hotpack, "merge", far / "0", far / "1", "-q", "-o", self.out], self.out, None, True)
        yield Workload("extract", [self.hotpack, "extract", ref, "-q", "-j1", "--force", "-o", self.out], self.out)
        yield Workload("preview", [self.hotpack, "preview", ref, "-q", "-o", run / "sheet.png"], run / "sheet.png")
        yield Workload("preview-html", [self.hotpack, "preview", ref, "-q", "--html", run / "page.html"], run / "page.html")
        yield Workload("verify", [self.hotpack, "verify", "-j1", ref])
        yield Workload("loader", [self.read_epoch, ref])
        yield Workload("pack-j4", self.pack(self.out, threads=4), self.out, None, True)
        yield Workload("verify-j4", [self.hotpack, "verify", "-j4", ref])
        yield Workload("extract-j4", [self.hotpack, "extract", ref, "-q", "-j4", "--force", "-o", self.out], self.out)

    def learn_goal(self, work):
        self.reset(work)
        done = self.run(work.command)
        if done.code:
            raise SystemExit(f"faults: {work.name} fails undisturbed: {done.err}")
        work.goal, work.goal_text = files_of(work.output) if work.output else {}, done.out if not work.output else ""

    # ---- running

    def reset(self, work):
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        (self.folder / "run").mkdir()
        if work.start:
            shutil.copytree(work.start, work.output)

    def fault(self, call, at, how, lasting=False, log=None):
        under = f"{self.folder}:{self.far}" if self.far else str(self.folder)
        env = dict(os.environ, LD_PRELOAD=str(self.library), FAULT_UNDER=under, FAULT_CALL=call, FAULT_AT=str(at), FAULT_HOW=str(how))
        return dict(env, **({"FAULT_LASTING": "1"} if lasting else {}), **({"FAULT_LOG": str(log)} if log else {}))

    def run(self, command, env=None, limits=(), user=None):
        def prepare():
            if user is not None:
                os.setgroups([]), os.setgid(user), os.setuid(user)
            for kind, value in limits:
                resource.setrlimit(kind, (value, value))

        try:
            done = subprocess.run([str(part) for part in command], capture_output=True, env=env, timeout=SECONDS,
                                  preexec_fn=prepare if limits or user is not None else None)
        except subprocess.TimeoutExpired as late:
            return Done(-99, "", f"it hangs: no end after {late.timeout} s")
        return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def count(self, work, call):
        """How many calls of that name an undisturbed run makes."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        self.reset(work)
        self.run(work.command, self.fault(call, 0, 0, log=log))
        seen = [line for line in log.read_text().splitlines() if line.startswith("seen\t")]
        return int(seen[0].split("\t")[2]) if seen else 0

    # ---- judging

    def faults_of_state(self, work, killed=False):
        """What is wrong with the files that a run left behind."""
        if not work.output:
            return []
        found, before = files_of(work.output), work.before()
        wrong = []
        for name, content in found.items():
            if TEMPORARY.match(Path(name).name):
                if not killed:
                    wrong.append(f"the temporary file {name} stayed")
            elif content not in (work.goal.get(name), before.get(name)):
                wrong.append(f"{name} holds wrong bytes under its final name")
        whole = {name: content for name, content in found.items() if not TEMPORARY.match(Path(name).name)}
        if work.is_pack and MANIFEST in found and whole not in (work.goal, before):
            wrong.append(f"{MANIFEST} vouches for files that are not its own")
        return wrong

    def faults_of_end(self, work, done):
        """What is wrong with a run that says that all is well."""
        if done.code:
            return [f"exit {done.code}: {done.err.strip()[-300:]}"]
        if not work.output:
            return [] if done.out == work.goal_text else ["its result differs from that of an undisturbed run"]
        return [] if files_of(work.output) == work.goal else ["its files differ from those of an undisturbed run"]

    def judge(self, work, done, words=None, must_survive=False, path=True):
        """Whether a disturbed run ended well, and whether the same command then completes. (verdict, what is wrong)."""
        if done.code == 0:
            return "survived", self.faults_of_end(work, done)
        wrong = self.faults_of_state(work, killed="Run the same command again" in done.err)
        if done.code != 3 or must_survive:
            wrong.append(f"exit {done.code}: {done.err.strip()[-300:]}")
        elif words and not re.search(words, done.text()):
            wrong.append(f"the text does not say why ({words}): {done.text()[-300:]}")
        elif path and not any(name in done.text() for name in self.names):
            wrong.append(f"the text names no file: {done.text()[-300:]}")
        again = self.run(work.command)
        return "refused", wrong + [f"run again: {each}" for each in self.faults_of_end(work, again)]
