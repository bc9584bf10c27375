"""Helpers of the property and fault tests: running the command, and comparing packed folders.

The environment names the command (HOTPACK) and the images (SAMPLE_DATA); CMakeLists.txt sets both. Standard library only.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

HOTPACK = os.environ["HOTPACK"]
SAMPLE_DATA = Path(os.environ["SAMPLE_DATA"])
STREET = SAMPLE_DATA / "street"
FRUIT = SAMPLE_DATA / "fruit"
SECONDS = 120

# A shell starts background jobs with interrupts ignored, which programs of the tests would inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def street(images=STREET / "images", labels=STREET / "masks_color", *more):
    """Arguments of a pack of the street scenes in several shards."""
    return ["--images", str(images), "--labels", str(labels), "--classes", str(STREET / "class_dict.csv"), "--size", "160x120",
            "--shard-samples", "5", *more]


def run(*arguments, cwd=None, expect=0, env=None, command=HOTPACK):
    """Runs `hotpack ARGUMENTS`; the exit code must be `expect` (None: any)."""
    done = subprocess.run([command, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, errors="replace", timeout=SECONDS,
                          env=env)
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"hotpack {' '.join(map(str, arguments))}\nexit {done.returncode}, expected {expect}\n{done.stdout}{done.stderr}")
    return done


def start(*arguments, cwd=None):
    return subprocess.Popen([HOTPACK, *map(str, arguments)], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def digest(folder):
    """SHA-256 over names and bytes of every file of a folder, dot files too."""
    total = hashlib.sha256()
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            total.update(str(path.relative_to(folder)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def leftovers(folder):
    """Names of temporary files in a folder."""
    return [p.name for p in Path(folder).glob(".*")] if Path(folder).exists() else []


class Scratch:
    """A folder for one test; `with Scratch() as folder:`."""

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp(prefix="hotpack-test-"))
        return self.path

    def __exit__(self, *_):
        subprocess.run(["chmod", "-R", "u+rwX", str(self.path)], check=False)
        shutil.rmtree(self.path, ignore_errors=True)
