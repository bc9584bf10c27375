#!/usr/bin/env python3
"""Every version reads the golden packs as their expectation files say, and packs their inputs to the same bytes.

usage: golden_test.py Read|Write [unittest options]
The environment names the programs: PRINT_RECORDS, and HOTPACK for the command (where it is not built, only `Read` runs).
"""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from golden_packs import VERSION, expectation, golden_packs

HERE = Path(__file__).resolve().parent
PACKS = sorted(path.parent for path in HERE.glob("[0-9]*/*/dataset.json"))
MOST_BYTES = 300 * 1024
PAYLOAD = 4096  # where the images of the smallest shards begin; in others the header goes on

CHANGED = """
`hotpack pack` no longer writes the bytes of the golden pack {name}.
If you did not mean to change the bytes of packs, this is a bug: users' packs would not be resumed, repaired or merged any more.
If you did: a change of the format needs a new version and a row in FORMAT.md's list of changes. Keep the old packs, which every version must
read, and write the new ones beside them: tests/golden/make BIN. TESTING.md has the steps.
"""


def records_of(pack):
    """What the public reader gives, in the form of an expectation's `classes` and `samples`; an error's text if it fails."""
    done = subprocess.run([os.environ["PRINT_RECORDS"], str(pack)], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        return done.stderr
    classes, samples = [], []
    for line in done.stdout.splitlines():
        kind, *words = line.split("\t")
        if kind == "class":
            classes += words
        elif kind == "image":
            key, height, width, channels, stored, pixels = words
            samples.append({"key": key, "image": {"height": int(height), "width": int(width), "channels": int(channels), "stored": sha256(stored),
                                                  "pixels": sha256(pixels)}, "label": None})
        else:
            _, height, width, stored, one_hot = words
            samples[-1]["label"] = {"height": int(height), "width": int(width), "stored": sha256(stored), "one_hot": sha256(one_hot)}
    return {"classes": classes, "samples": samples}


def sha256(hex_digits):
    return hashlib.sha256(bytes.fromhex(hex_digits)).hexdigest()


def expected(pack):
    return json.loads(pack.with_suffix(".json").read_text())


def hotpack(*arguments, cwd=None):
    return subprocess.run([os.environ["HOTPACK"], *map(str, arguments)], cwd=cwd, capture_output=True, text=True, timeout=60)


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def engines(folder):
    return json.loads((folder / "dataset.json").read_text())["schema"]["options"]["engines"]


class Golden(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="hotpack-golden-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def assert_reads(self, pack, wanted):
        self.assertEqual(records_of(pack), {"classes": wanted["classes"], "samples": wanted["samples"]})


class Read(Golden):
    """Needs the reader alone."""

    def test_every_kind_of_pack_is_here(self):
        self.assertEqual({pack.name for pack in PACKS if pack.parent.name == VERSION}, {pack.name for pack in golden_packs()})

    def test_packs_hold_what_their_expectations_say(self):
        for pack in PACKS:
            with self.subTest(pack.name):
                self.assert_reads(pack, expected(pack))

    def test_a_flipped_byte_is_noticed(self):
        for pack in PACKS:
            for shard in sorted(pack.glob("*.safetensors")):
                data = shard.read_bytes()
                for at in (20, PAYLOAD, len(data) - 1):
                    with self.subTest(pack.name, shard=shard.name, at=at):
                        copy = self.folder / "copy"
                        shutil.copytree(pack, copy)
                        (copy / shard.name).write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
                        self.assertIsInstance(records_of(copy), str)
                        shutil.rmtree(copy)

    def test_packs_of_a_version_stay_small(self):
        for folder in sorted({pack.parent for pack in PACKS}):
            self.assertLessEqual(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()), MOST_BYTES, folder.name)


class Write(Golden):
    """Needs the command."""

    def test_verify_finds_no_damage(self):
        for pack in PACKS:
            with self.subTest(pack.name):
                done = hotpack("verify", pack)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_info_tells_what_their_expectations_say(self):
        for pack in PACKS:
            with self.subTest(pack.name):
                wanted, told = expected(pack), json.loads(hotpack("info", pack, "--json").stdout)
                schema, label = told["schema"], told["schema"]["fields"].get("label")
                self.assertEqual([told["format"], told["samples"], told["shards"], told["skipped"], schema["fields"]["image"]["layout"]],
                                 [pack.parent.name, len(wanted["samples"]), wanted["shards"], wanted["skipped"], wanted["layout"]])
                self.assertEqual([entry["name"] for entry in schema["classes"]], wanted["classes"])
                self.assertEqual(label and {name: label[name] for name in ("kind", "storage", "multi")}, wanted["label"])
                self.assertEqual([told["statistics"]["pixels"], told["statistics"]["ignored"]], [wanted["class_pixels"], wanted["ignored_pixels"]])

    def test_expectations_follow_from_the_inputs(self):
        for pack in golden_packs():
            self.assertEqual(expectation(pack), expected(HERE / VERSION / pack.name), pack.name)

    def test_pack_writes_the_same_bytes(self):
        for pack in golden_packs():
            with self.subTest(pack.name):
                golden, packed = HERE / VERSION / pack.name, pack.write(self.folder / pack.name, os.environ["HOTPACK"])
                self.assert_reads(packed, expected(golden))
                if engines(packed) == engines(golden):  # Another version of Zstandard may compress to other bytes.
                    changed = [name for name, data in files(golden).items() if files(packed).get(name) != data]
                    self.assertEqual((changed, sorted(files(packed))), ([], sorted(files(golden))), CHANGED.format(name=pack.name))


if __name__ == "__main__":
    unittest.main(verbosity=2)
