#!/usr/bin/env python3
"""The bytes of a pack depend on inputs and options only, not on threads, folders, interruptions or other runs."""

import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from packs import FRUIT, HOTPACK, STREET, Scratch, digest, leftovers, run, start, street

KILLS = int(os.environ.get("HOTPACK_KILLS", "50"))


class SameBytes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Scratch()
        cls.folder = cls.scratch.__enter__()
        began = time.monotonic()
        run("pack", *street(), "-o", cls.folder / "reference", "-j1")
        cls.seconds = time.monotonic() - began
        cls.reference = digest(cls.folder / "reference")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.__exit__()

    def assert_same(self, folder):
        self.assertEqual(leftovers(folder), [])
        self.assertEqual(digest(folder), self.reference)

    def test_threads(self):
        for threads in (2, 8):
            out = self.folder / f"threads{threads}"
            run("pack", *street(), "-o", out, "-j", threads)
            self.assert_same(out)

    def test_other_forms_with_threads(self):
        forms = {"zstd": ["--zstd"], "label_zstd": ["--zstd", "label:3"], "chw": ["--image-layout", "chw"], "shuffle": ["--shuffle", "7"],
                 "index": ["--label-storage", "index"]}
        for name, options in forms.items():
            for threads in (1, 8):
                run("pack", *street(), *options, "-o", self.folder / f"{name}{threads}", "-j", threads)
            self.assertEqual(digest(self.folder / f"{name}1"), digest(self.folder / f"{name}8"), name)
            run("verify", self.folder / f"{name}8")

    def test_other_working_folder_and_copied_inputs(self):
        copy = self.folder / "copied inputs"
        shutil.copytree(STREET, copy)
        run("pack", *street("images", "masks_color"), "-o", "../from_here", cwd=copy)
        self.assert_same(self.folder / "from_here")

    def test_two_equal_runs_at_once(self):
        for round_number in range(5):
            out = self.folder / f"twice{round_number}"
            runs = [start("pack", *street(), "-o", out, "-j1") for _ in range(2)]
            for each in runs:
                stdout, stderr = each.communicate(timeout=120)
                self.assertEqual(each.returncode, 0, stdout + stderr)
            self.assert_same(out)

    def test_killed_and_resumed(self):
        random.seed(20260)
        kept_some = 0
        for number in range(KILLS):
            out = self.folder / "killed"
            shutil.rmtree(out, ignore_errors=True)
            victim = start("pack", *street(), "-o", out, "-j2")
            time.sleep(random.uniform(0, self.seconds * 1.1))
            victim.send_signal(signal.SIGKILL)
            victim.communicate()
            kept_some += any(out.glob("shard-*")) if out.exists() else False
            run("pack", *street(), "-o", out, "-j2")
            self.assert_same(out)
        self.assertGreater(kept_some, 0, "no kill came after a shard was finished: the test shows nothing about resuming")

    def test_killed_inside_force(self):
        random.seed(20261)
        out = self.folder / "forced"
        run("pack", *street(), "-o", out)
        for number in range(10):
            victim = start("pack", *street(), "-o", out, "--force", "-j2")
            time.sleep(random.uniform(0, self.seconds))
            victim.send_signal(signal.SIGKILL)
            victim.communicate()
            run("pack", *street(), "-o", out, *(["--force"] if number % 2 else []))
            self.assert_same(out)

    def test_interrupted_and_continued(self):
        for stop_signal in (signal.SIGINT, signal.SIGTERM):
            out, whole = self.folder / f"stopped{stop_signal}", self.folder / f"whole{stop_signal}"
            large = [*street()[:-4], "--size", "1600x1200", "--shard-samples", "2", "--zstd=image:6", "-o"]  # long enough to be stopped in the middle
            victim = start("pack", *large, out, "-j1")
            deadline = time.monotonic() + 60
            while not (out.exists() and any(out.glob("shard-*"))) and time.monotonic() < deadline:
                time.sleep(0.002)
            victim.send_signal(stop_signal)
            _, stderr = victim.communicate(timeout=60)
            self.assertEqual(victim.returncode, -stop_signal, stderr)
            self.assertEqual(leftovers(out), [])
            self.assertIn("Run the same command again to continue", stderr)
            self.assertFalse((out / "dataset.json").exists())
            self.assertTrue(any(out.glob("shard-*")))
            run("pack", *large, out)
            run("pack", *large, whole)
            self.assertEqual(digest(out), digest(whole))
            shutil.rmtree(out)
            shutil.rmtree(whole)

    def test_complete_is_left_alone(self):
        out = self.folder / "complete"
        run("pack", *street(), "-o", out)
        before = {p.name: p.stat().st_mtime_ns for p in out.iterdir()}
        self.assertIn("complete", run("pack", *street(), "-o", out).stdout)
        self.assertEqual({p.name: p.stat().st_mtime_ns for p in out.iterdir()}, before)

    def test_forced_gives_the_same(self):
        out = self.folder / "again"
        run("pack", *street(), "-o", out)
        run("pack", *street(), "-o", out, "--force")
        self.assert_same(out)

    def test_class_folders(self):
        for threads in (1, 8):
            run("pack", "--image-folders", FRUIT, "--size", "64x64", "--fit", "cover", "--shard-samples", "5", "-o", self.folder / f"fruit{threads}", "-j", threads)
        self.assertEqual(digest(self.folder / "fruit1"), digest(self.folder / "fruit8"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
