#!/usr/bin/env python3
"""Packs and checks a data set whose file, folder and class names hold what drives a terminal, breaks lines or turns text, and fails when
any of it comes back raw: on stdout, on stderr, in the log file or in JSON, which must stay one valid object.

    hostile_names_test.py HOTPACK SAMPLE_DATA
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HOSTILE = [
    b"esc\x1b[31mred", b"bell\x07", b"cr\rback", b"line\nerror: forged", b"tab\tbed", b"del\x7f", b"c1\xc2\x9b31m", b"osc\x1b]0;title\x07",
    b"rlo\xe2\x80\xaegnp", b"isolate\xe2\x81\xa6x\xe2\x81\xa9", b"line-separator\xe2\x80\xa8x", b"bad-utf8\xff\xc3(", b"quote\"'`$(x)",
    b"comma,semi;colon", b"spaces  two", "日本語".encode(), b"nul-like\\0",
]
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def main():
    hotpack, sample_data = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    image = next((sample_data / "fruit" / "apple").glob("*.png"))
    faults = []

    def look(what, data):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as bad:
            faults.append(f"{what}: not UTF-8: {bad}")
            return
        for found in RAW.finditer(text):
            faults.append(f"{what}: raw {found.group()!r} in {text[max(0, found.start() - 40):found.end() + 20]!r}")
        for line in text.splitlines():
            if line.startswith("error: forged"):
                faults.append(f"{what}: a name passes for a message: {line!r}")

    def run(*arguments, folder):
        log = folder / "log.txt"
        for more in ([], ["--json"]):
            done = subprocess.run([hotpack, *arguments, *more, "--log-file", log], cwd=folder, capture_output=True, timeout=60)
            name = " ".join(os.fsdecode(argument) for argument in [*arguments[:2], *more])
            look(f"{name!r} stdout", done.stdout)
            look(f"{name!r} stderr", done.stderr)
            if more:
                try:
                    json.loads(done.stdout.decode("utf-8"))
                except ValueError as bad:
                    faults.append(f"{name!r}: no JSON object: {bad}: {done.stdout[:200]!r}")
        look("log file", log.read_bytes())

    with tempfile.TemporaryDirectory(prefix="hotpack-names-") as name:
        top = Path(name)
        good = os.fsencode(top / "good")
        for number, hostile in enumerate(name for name in HOSTILE if b"\xff" not in name):   # a key must be UTF-8
            folder = os.path.join(good, b"class " + hostile)
            os.makedirs(folder, exist_ok=True)
            shutil.copy(image, os.path.join(folder, b"%d " % number + hostile + b".png"))
        for arguments in (["check", "--image-folders", "good"], ["check", "good"], ["pack", "--image-folders", "good", "--size", "16x16", "-o", "p"],
                          ["pack", "good", "--size", "16x16", "-o", "q"]):
            run(*arguments, folder=top)
        # Damaged, of unknown format, without a partner: the names of all of them are told.
        bad, labels = os.fsencode(top / "bad"), os.fsencode(top / "labels")
        os.makedirs(bad), os.makedirs(labels)
        for hostile in HOSTILE:
            Path(os.fsdecode(os.path.join(bad, hostile + b".png"))).write_bytes(b"GIF89a no image")
            shutil.copy(image, os.path.join(labels, b"other " + hostile + b".png"))
        for arguments in (["check", "--images", "bad"], ["pack", "--images", "bad", "--size", "8x8", "-o", "r"],
                          ["pack", "--images", "bad", "--labels", "labels", "--size", "8x8", "-o", "r"], ["preview", "bad", "-o", "s.png"]):
            run(*arguments, folder=top)
        # Paths that do not exist, and packs that are none.
        for hostile in HOSTILE:
            for command in ("info", "verify", "merge"):
                run(command, hostile, folder=top)
        run("pack", b"--s\x1b[1mze", folder=top)
        if (top / "p" / "dataset.json").exists():
            for command in ("info", "verify"):
                run(command, "p", folder=top)
        else:
            faults.append("names that a key may hold were refused")
    for fault in faults[:40]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
