#!/usr/bin/env python3
"""The command that `extract` prints packs the same records again, however the labels were read."""

import json
import shlex
import subprocess
import unittest

from images import GRAY, PALETTE, RGB, blocks, photo, png, put
from packs import FRUIT, HOTPACK, SECONDS, STREET, Scratch, run
from shards import shards

VOC = [(0, 0, 0), (128, 0, 0), (0, 128, 0), (128, 128, 0), (224, 224, 192)]


def records(folder):
    return [(s.keys(), s.bytes_of("image"), s.label_records() if "label" in s.header else None, [c["name"] for c in s.schema["classes"]])
            for s in shards(folder)]


class ExtractAgain(unittest.TestCase):
    def setUp(self):
        self.scratch = Scratch()
        self.folder = self.scratch.__enter__()
        self.addCleanup(self.scratch.__exit__)

    def put_labels(self, make):
        for i in range(3):
            put(self.folder / f"images/{i}.png", photo(20, 12, i))
            put(self.folder / f"labels/{i}.png", make(i))

    def again(self, *arguments):
        """Packs, extracts, runs the printed command, and compares the records."""
        run("pack", *arguments, "-o", "out", cwd=self.folder)
        printed = run("extract", "out", "-o", "back", cwd=self.folder).stderr.splitlines()[-1]
        command = shlex.split(printed)
        self.assertEqual(command[:2], ["hotpack", "pack"], printed)
        command[command.index("DIR")] = "again"
        done = subprocess.run([HOTPACK, *command[1:]], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, printed + "\n" + done.stderr)
        self.assertEqual(records(self.folder / "again"), records(self.folder / "out"))

    def pairs(self, *more):
        self.again("--images", "images", "--labels", "labels", *more)

    def test_colors_of_a_preset(self):
        self.put_labels(lambda i: png(blocks(20, 12, VOC[i:] + VOC[:i]), RGB))
        self.pairs("--preset", "voc")

    def test_ids_of_a_preset(self):
        self.put_labels(lambda i: png(blocks(20, 12, [i, 255, 7, 20])))
        self.pairs("--preset", "voc")

    def test_colors_of_a_class_file(self):
        self.again("--images", STREET / "images", "--labels", STREET / "masks_color", "--classes", STREET / "class_dict.csv", "--size", "96x64")

    def test_an_ignored_color(self):
        put(self.folder / "colors.csv", "name,r,g,b\nsky,0,0,9\nroad,9,0,0\nvoid,0,0,0\n")
        self.put_labels(lambda i: png(blocks(20, 12, [(0, 0, 9), (0, 0, 0), (9, 0, 0)]), RGB))
        self.pairs("--classes", "colors.csv", "--ignore", "void")

    def test_a_map_of_ids(self):
        put(self.folder / "map.csv", "old,new\n0,ground\n7,car\n26,car\n33,ignore\n")
        self.put_labels(lambda i: png(blocks(20, 12, [0, 7, 26, 33])))
        self.pairs("--map", "map.csv")

    def test_palette_colors(self):
        put(self.folder / "colors.csv", "name,r,g,b\nsky,0,0,9\nroad,9,0,0\n")
        self.put_labels(lambda i: png(blocks(20, 12, [0, 1]), PALETTE, palette=[(9, 0, 0), (0, 0, 9)]))
        self.pairs("--classes", "colors.csv", "--label-kind", "palette-color")

    def test_masks(self):
        self.put_labels(lambda i: png(blocks(20, 12, [0, 255])))
        self.pairs("--label-kind", "binary")

    def test_ids_beyond_a_byte(self):
        self.put_labels(lambda i: png(blocks(20, 12, [0, 300, 65535]), GRAY, 16))
        self.pairs("--num-classes", "301")

    def test_ids_from_one(self):
        self.put_labels(lambda i: png(blocks(20, 12, [1, 2, 3])))
        self.pairs("--num-classes", "3", "--shift-ids", "-1")

    def test_class_names_that_need_quotes(self):
        put(self.folder / "names.csv", 'id,name\n0,"sky, blue"\n1,"the ""road"""\n')
        self.put_labels(lambda i: png(blocks(20, 12, [0, 1])))
        self.pairs("--classes", "names.csv")

    def test_class_folders(self):
        self.again("--image-folders", FRUIT, "--size", "32x32")

    def test_images_alone(self):
        self.put_labels(lambda i: png(blocks(20, 12, [0])))
        self.again("--images", "images")

    def test_several_splits(self):
        self.put_labels(lambda i: png(blocks(20, 12, VOC), RGB))
        run("pack", "--images", "images", "--labels", "labels", "--preset", "voc", "--split", "ratio:train=2,val=1", "-o", "out", cwd=self.folder)
        packs = json.loads(run("extract", "out", "-o", "back", "--json", cwd=self.folder).stdout)["packs"]
        self.assertEqual(len(packs), 2)
        for pack in packs:
            command = shlex.split(pack["command"])
            subprocess.run([HOTPACK, *command[1:-1], "again"], cwd=self.folder, check=True, capture_output=True, timeout=SECONDS)
            self.assertEqual(records(self.folder / "again"), records(self.folder / pack["pack"]))
            subprocess.run(["rm", "-r", str(self.folder / "again")], check=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
