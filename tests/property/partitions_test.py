#!/usr/bin/env python3
"""A pack made in partitions and merged has the bytes of a single run, whatever the number of partitions, their order, repeats and folders."""

import json
import os
import random
import shutil
import signal
import time
import unittest

from packs import FRUIT, STREET, Scratch, digest, leftovers, run, start, street

COUNTS = (1, 2, 3, 7)  # 7: more than there are shards


def parts_of(count):
    """All partitions in a random order, some of them twice."""
    order = list(range(count)) + random.sample(range(count), (count + 1) // 2)
    random.shuffle(order)
    return order


class Partitions(unittest.TestCase):
    def setUp(self):
        random.seed(self.id())
        self.scratch = Scratch()
        self.folder = self.scratch.__enter__()

    def tearDown(self):
        self.scratch.__exit__()

    def pack(self, inputs, index, count, out, expect=0):
        return run("pack", *inputs, "--partition", f"{index}/{count}", "-o", out, expect=expect)

    def merge_as_one_run(self, inputs, expect=0):
        """Every number of parts, in folders of their own and in a shared one. `expect`: exit code of the single run."""
        reference = self.folder / "reference"
        run("pack", *inputs, "-o", reference, expect=expect)
        expected = digest(reference)
        for count in COUNTS:
            self.merge_separate(inputs, count, expected, expect)
            self.merge_shared(inputs, count, expected, expect)

    def merge_separate(self, inputs, count, expected, expect):
        parts = self.folder / f"parts{count}"
        for number, index in enumerate(parts_of(count)):
            self.pack(inputs, index, count, parts / f"{number}-is-{index}", None)
        folders = sorted(parts.iterdir())
        random.shuffle(folders)
        before = [digest(folder) for folder in folders]
        merged = self.folder / f"merged{count}"
        run("merge", *folders, "-o", merged, expect=expect)
        self.assertEqual(digest(merged), expected, f"{count} parts in folders of their own")
        self.assertEqual([digest(folder) for folder in folders], before, "merge changed its sources")
        run("merge", *folders, "-o", merged, expect=expect)
        self.assertEqual(digest(merged), expected)

    def merge_shared(self, inputs, count, expected, expect):
        shared = self.folder / f"shared{count}"
        for index in parts_of(count):
            self.pack(inputs, index, count, shared, None)
            self.assertFalse((shared / "dataset.json").exists(), "a partition wrote a manifest")
        run("merge", shared, expect=expect)
        self.assertEqual(digest(shared), expected, f"{count} parts in one folder")

    def test_color_masks(self):
        self.merge_as_one_run(street())

    def test_shuffled(self):
        self.merge_as_one_run(street(STREET / "images", STREET / "masks_color", "--shuffle", "7"))

    def test_compressed(self):
        self.merge_as_one_run(street(STREET / "images", STREET / "masks_color", "--zstd"))

    def test_class_folders(self):
        self.merge_as_one_run(["--image-folders", FRUIT, "--size", "64x64", "--shard-samples", "5"])

    def test_sizes_that_differ(self):
        self.merge_as_one_run(["--image-folders", FRUIT, "--shard-size", "60KiB"])

    def test_tiles(self):
        self.merge_as_one_run(street(STREET / "images", STREET / "masks_color", "--tile", "96x96+16"))

    def test_skipped_samples(self):
        images = self.folder / "images"
        shutil.copytree(STREET / "images", images)
        for image in sorted(path for path in images.rglob("*") if path.is_file())[3:15:4]:
            os.truncate(image, 300)
        self.merge_as_one_run(street(images, STREET / "masks_color", "--on-error", "skip"), expect=1)
        report = json.loads(run("merge", self.folder / "shared3", "--json", expect=1).stdout)
        self.assertEqual((report["status"], report["records"], report["skipped"]), ("complete", 21, 3))

    def test_a_part_that_holds_no_skipped_sample_exits_0(self):
        images = self.folder / "images"
        shutil.copytree(STREET / "images", images)
        os.truncate(sorted(path for path in images.rglob("*") if path.is_file())[0], 300)
        inputs = street(images, STREET / "masks_color", "--on-error", "skip")
        self.pack(inputs, 0, 2, self.folder / "out", expect=1)
        self.pack(inputs, 1, 2, self.folder / "out", expect=0)

    def test_an_empty_part_makes_only_its_folder_and_says_so(self):
        done = self.pack(street(), 6, 7, self.folder / "out")
        self.assertEqual(list((self.folder / "out").iterdir()), [])
        self.assertIn("no shard", done.stdout + done.stderr)

    def test_all_parts_at_once_in_one_folder(self):
        run("pack", *street(), "-o", self.folder / "reference")
        for count in (3, 7):
            out = self.folder / f"at_once{count}"
            runs = [start("pack", *street(), "--partition", f"{index}/{count}", "-o", out, "-j1") for index in range(count)]
            for each in runs:
                stdout, stderr = each.communicate(timeout=120)
                self.assertEqual(each.returncode, 0, stdout + stderr)
                self.assertNotIn("waiting", stderr)
            run("merge", out)
            self.assertEqual(digest(out), digest(self.folder / "reference"))

    def test_killed_parts_and_killed_merges(self):
        run("pack", *street(), "-o", self.folder / "reference")
        expected = digest(self.folder / "reference")
        for number in range(10):
            shared, merged = self.folder / "shared", self.folder / "merged"
            shutil.rmtree(shared, ignore_errors=True)
            shutil.rmtree(merged, ignore_errors=True)
            for index in range(3):
                self.kill("pack", *street(), "--partition", f"{index}/3", "-o", shared, "-j1")
            for index in range(3):
                self.pack(street(), index, 3, shared)
            self.kill("merge", shared, "-o", merged)
            run("merge", shared, "-o", merged)
            self.assertEqual(digest(merged), expected)
            self.kill("merge", shared)
            run("merge", shared)
            self.assertEqual(digest(shared), expected)
            self.assertEqual(leftovers(shared) + leftovers(merged), [])

    def kill(self, *arguments):
        """Starts a run and kills it after a random time, unless it ends earlier."""
        victim = start(*arguments)
        time.sleep(random.uniform(0, 0.25 if arguments[0] == "pack" else 0.03))
        victim.send_signal(signal.SIGKILL)
        victim.communicate()

    def test_a_part_again_after_the_merge_leaves_the_data_set(self):
        out = self.folder / "out"
        for index in range(2):
            self.pack(street(), index, 2, out)
        run("merge", out)
        before = digest(out)
        self.pack(street(), 1, 2, out)
        self.assertEqual(digest(out), before)
        run("pack", *street(), "-o", out)  # a whole run finds its data set
        self.assertEqual(digest(out), before)

    def test_changed_inputs_between_parts_are_refused(self):
        images = self.folder / "images"
        shutil.copytree(STREET / "images", images)
        inputs = street(images)
        for index in range(2):
            self.pack(inputs, index, 2, self.folder / f"part{index}")
        last = sorted(path for path in images.rglob("*") if path.is_file())[-1]
        last.write_bytes(last.read_bytes() + b"more")
        self.pack(inputs, 1, 2, self.folder / "again")
        message = run("merge", self.folder / "part0", self.folder / "part1", self.folder / "again", "-o", self.folder / "out", expect=1).stderr
        self.assertIn("part1/shard-00004-of-00005", message)
        self.assertIn("again/shard-00004-of-00005", message)
        self.assertFalse((self.folder / "out").exists())
        last.unlink()
        fewer = street(images, STREET / "masks_color", "--orphans", "skip")
        self.pack(fewer, 1, 2, self.folder / "fewer")
        message = run("merge", self.folder / "part0", self.folder / "fewer", "-o", self.folder / "out", expect=2).stderr
        self.assertIn("23 samples in 5 shards", message)


if __name__ == "__main__":
    unittest.main(verbosity=2)
