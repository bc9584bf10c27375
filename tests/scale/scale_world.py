"""What the sections of scale_check.py share: inputs, the single run that all others must equal,
checks and figures. Standard library only."""

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

SHARDS = 80
SIDE = 64
MOST_DETAIL = 4000  # characters that a failed check shows


def digest(folder):
    """The SHA-256 over the names and bytes of all files below a folder."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder)).encode()
        total.update(len(name).to_bytes(8, "little") + name)
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


class Checks:
    """Prints a line for each check and each figure, and counts."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, what, detail=""):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        print(f"  {'ok    ' if good else 'FAILED'}  {what}", flush=True)
        if not good and detail:
            lines = str(detail).strip()[-MOST_DETAIL:].splitlines()
            print("".join(f"          {line}\n" for line in lines), end="", flush=True)
        return bool(good)

    def equal(self, found, wanted, what):
        return self.check(found == wanted, what, f"found {found}, wanted {wanted}")

    def figure(self, name, value):
        print(f"  {name:<46} {value}", flush=True)


class Done:
    """A program that has ended."""

    def __init__(self, code, text, seconds):
        self.code, self.text, self.seconds = code, text, seconds

    def __str__(self):
        return f"exit {self.code}\n{self.text}"


class World:
    """The command, its inputs and one single run of it.

    samples: how many pairs of 64x64 pixels; one image is damaged, so that its sample is skipped.
    level: of Zstandard, which decides how long a part takes, so that a kill finds it at work.
    """

    def __init__(self, hotpack, folder, checks, samples, level):
        self.hotpack, self.folder, self.checks = Path(hotpack).resolve(), Path(folder), checks
        self.samples, self.level = samples, level
        self.scripts = Path(__file__).resolve().parent
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("SLURM_", "SBATCH_", "HOTPACK_"))
        }
        self.environment["HOTPACK_COMMAND"] = str(self.hotpack)  # for the Python package
        self._make_inputs()
        self._run_alone()

    def run(self, *command, environment=None, cwd=None):
        """Runs a program to its end; what it printed is in one text."""
        began = time.monotonic()
        done = subprocess.run(
            list(map(str, command)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment or self.environment,
            cwd=cwd,
        )
        text = done.stdout.decode(errors="replace")
        return Done(done.returncode, text, time.monotonic() - began)

    def start(self, *command, log):
        """Starts a program; what it prints goes to the file `log`."""
        with open(log, "wb") as file:
            return subprocess.Popen(
                list(map(str, command)),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                env=self.environment,
            )

    def must(self, *command):
        """Runs what has to work before anything can be checked."""
        done = self.run(*command)
        if done.code != 0:
            sys.exit(f"scale-check: {' '.join(map(str, command))}\n{done}")
        return done

    def _make_inputs(self):
        """Tiles of the images of sample_data, under as many names as wanted, by hard links."""
        street = self.scripts.parent.parent / "sample_data" / "street"
        tiles, back = self.folder / "tiles", self.folder / "back"
        inputs = ["--images", street / "images", "--labels", street / "masks_color"]
        inputs += ["--classes", street / "class_dict.csv", "--tile", f"{SIDE}x{SIDE}+{SIDE // 2}"]
        self.must(self.hotpack, "pack", *inputs, "-qq", "-o", tiles)
        self.must(self.hotpack, "extract", tiles, "-qq", "-o", back)
        names = sorted(path.relative_to(back / "images") for path in back.glob("images/**/*.png"))
        for kind in ("images", "labels"):
            for number in range(self.samples):
                if number % 1000 == 0:
                    group = self.folder / kind / f"{number // 1000:03}"
                    group.mkdir(parents=True)
                os.link(back / kind / names[number % len(names)], group / f"{number:06}.png")
        self._damage(self.folder / "images" / "000" / "000777.png")
        self.classes = tiles

    def _damage(self, path):
        """Its header stays good, so only who decodes it notices."""
        content = path.read_bytes()
        path.unlink()  # the other names of the file keep the good one
        path.write_bytes(content[: len(content) // 2])

    @property
    def inputs(self):
        """The inputs and all options that decide bytes."""
        words = ["--images", self.folder / "images", "--labels", self.folder / "labels"]
        words += ["--classes", self.classes, "--size", f"{SIDE}x{SIDE}"]
        words += ["--shard-samples", self.samples // SHARDS, "--zstd", f":{self.level}"]
        return [*words, "--on-error", "skip"]

    @property
    def plan(self):
        return self.folder / "train.plan"

    def pack(self, *more, plan=True):
        """The words of `pack`, with the plan or with the inputs."""
        source = ["--plan", self.plan, "--on-error", "skip"] if plan else self.inputs
        return [self.hotpack, "pack", *source, "--accept-skips", "1", "-j", "1", "-qq", *more]

    def _run_alone(self):
        self.alone = self.folder / "alone"
        words = [self.hotpack, "pack", *self.inputs, "--accept-skips", "1", "-qq"]
        done = self.must(*words, "-o", self.alone)
        self.digest, self.seconds_alone = digest(self.alone), done.seconds
        self.must(self.hotpack, "plan", *self.inputs, "-qq", "-o", self.plan)
        self.checks.figure("samples, shards", f"{self.samples:,}, {SHARDS}")
        self.checks.figure("the single run", f"{done.seconds:.1f} s, {self.digest[:16]}…")
        self.checks.figure(
            "the plan", f"{self.plan.stat().st_size / self.samples:.1f} bytes a sample"
        )

    def compare(self, folder, what):
        """Checks that a folder has the bytes of the single run, and no file more."""
        names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
        wanted = {path.name for path in self.alone.iterdir()}
        if names != wanted:
            odd = sorted(names ^ wanted)[:8]
            return self.checks.check(False, f"{what}: equal to the single run", f"differ: {odd}")
        return self.checks.equal(digest(folder), self.digest, f"{what}: equal to the single run")
