#!/usr/bin/env python3
"""Failures of the system: a clear message, the right exit code, nothing half-written, and the same command goes on afterwards."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from packs import FRUIT, STREET, Scratch, digest, leftovers, run, street

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import skips

FAILING_FILES = os.environ["FAILING_FILES"]
SANITIZED = "asan" in os.environ["HOTPACK"] or "tsan" in os.environ["HOTPACK"]


def failing_reads(path_part, times=None):
    env = dict(os.environ, LD_PRELOAD=FAILING_FILES, FAIL_READS_OF=path_part)
    return dict(env, FAIL_READS_TIMES=str(times)) if times else env


class SystemFaults(unittest.TestCase):
    def setUp(self):
        self.scratch = Scratch()
        self.folder = self.scratch.__enter__()
        self.out = self.folder / "out"

    def tearDown(self):
        self.scratch.__exit__()

    def copy_street(self):
        images, masks = self.folder / "images", self.folder / "masks"
        shutil.copytree(STREET / "images", images)
        shutil.copytree(STREET / "masks_color", masks)
        return images, masks

    def assert_not_a_data_set(self):
        self.assertEqual(leftovers(self.out), [])
        self.assertFalse((self.out / "dataset.json").exists())

    def mount_tmpfs(self, options):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk], capture_output=True).returncode:
            self.skipTest("mounting a tmpfs is not allowed here")
        self.addCleanup(subprocess.run, ["umount", disk], check=False)
        return disk

    def test_too_small_a_disk_is_noticed_before_writing(self):
        disk = self.mount_tmpfs("size=1m")
        message = run("pack", *street(), "-o", disk / "out", expect=3).stderr
        self.assertIn("bytes free, but the pack needs", message)
        self.assertFalse((disk / "out").exists())

    def test_a_shard_that_cannot_be_created(self):
        disk = self.mount_tmpfs("size=100m,nr_inodes=6")  # room for bytes, not for files
        pack = ["pack", *street()[:-2], "--shard-samples", "2", "-j8", "-o"]
        done = run(*pack, disk / "out", expect=3)
        self.assertIn("No space left on device", done.stderr)
        self.assertEqual(leftovers(disk / "out"), [])
        subprocess.run(["mount", "-o", "remount,nr_inodes=100", disk], check=True)
        run(*pack, disk / "out")
        run("verify", disk / "out")
        run(*pack, self.out)
        self.assertEqual(digest(disk / "out"), digest(self.out))

    @unittest.skipIf(SANITIZED, "the sanitizer's runtime needs more than the limit")
    def test_a_disk_that_fills_up_while_packing(self):
        # The limit of a file's size stands for a disk that fills up after the plan looked: the write fails in the middle of a shard.
        script = 'ulimit -f 300; trap "" XFSZ; exec "$@"'
        done = subprocess.run(["bash", "-c", script, "-", os.environ["HOTPACK"], "pack", *street()[:-2], "-o", str(self.out)],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("cannot", done.stderr)
        self.assert_not_a_data_set()

    def test_parts_that_fit_while_all_of_them_do_not(self):
        disk = self.mount_tmpfs("size=4m")
        small = ["pack", *street()[:-2], "--shard-samples", "2"]
        run(*small, "-o", self.out)
        size = sum(file.stat().st_size for file in self.out.iterdir())
        subprocess.run(["mount", "-o", f"remount,size={size // 2 // 4096 * 4096}", disk], check=True)
        part = [*small, "--partition", "0/6", "-o"]
        self.assertIn("all missing shards of the pack need about", run(*part, disk / "out").stderr)
        self.assertNotIn("all missing shards", run(*part, self.folder / "roomy").stderr)

    def test_splits_that_fit_alone_but_not_together(self):
        disk = self.mount_tmpfs("size=4m")
        split = ["pack", *street()[:-2], "--split", "ratio:a=50,b=50", "-o"]
        run(*split, self.out)
        size = sum(file.stat().st_size for file in self.out.rglob("*.*"))
        subprocess.run(["mount", "-o", f"remount,size={size * 3 // 4 // 4096 * 4096}", disk], check=True)
        message = run(*split, disk / "out", expect=3).stderr
        self.assertIn("bytes free, but the pack needs", message)
        self.assertFalse((disk / "out").exists())

    def test_a_full_disk_is_noticed_before_the_inputs_are_read(self):
        disk = self.mount_tmpfs("size=8k")
        message = run("pack", *street(self.folder / "no-such-folder"), "-o", disk / "out", expect=3).stderr
        self.assertIn("bytes free", message)

    def test_an_unwritable_folder(self):
        if os.geteuid() == 0:
            # Nothing is unwritable for root but what is no folder at all.
            (self.folder / "file").write_text("")
            message = run("pack", *street(), "-o", self.folder / "file" / "out", expect=3).stderr
        else:
            (self.folder / "closed").mkdir(mode=0o555)
            message = run("pack", *street(), "-o", self.folder / "closed" / "out", expect=3).stderr
        self.assertIn("out", message)

    def without_locks(self, error, **more):
        return dict(os.environ, LD_PRELOAD=FAILING_FILES, FAIL_LOCKS=str(error), **more)

    @unittest.skipIf(SANITIZED, "a sanitizer's runtime must come before a preloaded library")
    def test_a_file_system_without_locks(self):
        command = ["pack", *street()[:-2], "--shard-samples", "3", "-o"]
        run(*command, self.folder / "fresh")
        for error in (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL, errno.EBADF):
            with self.subTest(errno.errorcode[error]):
                out = self.folder / errno.errorcode[error] / "out"
                out.parent.mkdir()
                for at in ("1", "3"):  # the probe, which leaves its file next to the folder, and a shard
                    run(*command, out, env=self.without_locks(error, KILL_AT_RENAME=at), expect=-signal.SIGKILL)
                    self.assertTrue(leftovers(out.parent if at == "1" else out))
                done = run(*command, out, env=self.without_locks(error))
                self.assertEqual(done.stderr.count("has no locks"), 1, done.stderr)
                self.assertEqual(leftovers(out.parent) + leftovers(out), [])
                self.assertEqual(digest(out), digest(self.folder / "fresh"))

    @unittest.skipIf(SANITIZED, "a sanitizer's runtime must come before a preloaded library")
    def test_parts_run_twice_where_nobody_sees_the_lock_of_another(self):
        command = [str(word) for word in (os.environ["HOTPACK"], "pack", *street()[:-2], "--shard-samples", "3", "-j1", "-q", "-o")]
        run(*command[1:], self.folder / "fresh")
        for error in (0, errno.ENOSYS):
            out = self.folder / f"out-{error}"
            parts = [subprocess.Popen([*command, str(out), "--partition", f"{part}/2"], env=self.without_locks(error), stderr=subprocess.PIPE, text=True)
                     for _ in range(4) for part in (0, 1)]
            for part in parts:
                said = part.communicate(timeout=120)[1]
                self.assertEqual(part.returncode, 0, said)
            run("merge", out)
            self.assertEqual(leftovers(out), [])
            self.assertEqual(digest(out), digest(self.folder / "fresh"))

    def test_a_missing_input_folder(self):
        self.assertIn("no-such-folder", run("pack", *street(self.folder / "no-such-folder"), "-o", self.out, expect=3).stderr)
        self.assertFalse(self.out.exists())

    def test_an_empty_input_folder(self):
        (self.folder / "empty").mkdir()
        message = run("pack", *street(self.folder / "empty"), "-o", self.out, expect=1).stderr
        self.assertIn("no PNG or JPEG image", message)
        self.assertFalse(self.out.exists())

    def test_images_and_labels_swapped(self):
        message = run("pack", *street(STREET / "masks_color", STREET / "images"), "-o", self.out, expect=1).stderr
        self.assertRegex(message, "JPEG|swapped")
        self.assertFalse((self.out / "dataset.json").exists())

    @unittest.skipIf(SANITIZED, "a sanitizer's runtime must come before a preloaded library")
    def test_a_read_that_fails_stops_the_run_even_with_skip(self):
        for more in ([], ["--on-error", "skip"]):
            done = run("pack", *street(), "-o", self.out, *more, expect=3, env=failing_reads("masks_color/south/"))
            self.assertIn("Input/output error", done.stderr)
            self.assertIn("tried 4 times", done.stderr)
            self.assert_not_a_data_set()
        run("pack", *street(), "-o", self.out)
        run("pack", *street(), "-o", self.folder / "fresh")
        self.assertEqual(digest(self.out), digest(self.folder / "fresh"))

    @unittest.skipIf(SANITIZED, "a sanitizer's runtime must come before a preloaded library")
    def test_a_read_that_fails_twice_is_tried_again(self):
        run("pack", *street(), "-o", self.out, "-j1", env=failing_reads("masks_color/south/", 2))
        run("pack", *street(), "-o", self.folder / "fresh")
        self.assertEqual(digest(self.out), digest(self.folder / "fresh"))

    @unittest.skipIf(SANITIZED, "a sanitizer's runtime must come before a preloaded library")
    def test_an_input_that_vanishes_after_the_plan(self):
        env = dict(os.environ, LD_PRELOAD=FAILING_FILES, VANISH="harbour", VANISH_AFTER="12")  # the headers were read, the files are gone
        for more in ([], ["--on-error", "skip"]):
            done = run("pack", *street(), "-o", self.out, "-j1", *more, expect=3, env=env)
            self.assertIn("harbour", done.stderr)
            self.assertIn("No such file", done.stderr)
            self.assert_not_a_data_set()
        run("pack", *street(), "-o", self.out)
        run("pack", *street(), "-o", self.folder / "fresh")
        self.assertEqual(digest(self.out), digest(self.folder / "fresh"))

    def read_records(self, way, env=None):
        run("pack", *street(), "-o", self.out)
        env = dict(env or os.environ, LD_PRELOAD=FAILING_FILES)
        done = subprocess.run([os.environ["READ_RECORDS"], self.out, way, "shard-"], capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    @unittest.skipIf(SANITIZED, "a sanitizer's runtime must come before a preloaded library")
    def test_a_record_that_the_disk_does_not_give(self):
        lines = self.read_records("CALLS")
        self.assertEqual([lines[0], *lines[3:]], ["0: read", "0: read", "1: read"])
        for number, line in enumerate(lines[1:3]):
            self.assertRegex(line, rf"^{number}: .*/shard-00000-of-\d+.safetensors: record {number} \(.+\): cannot read: "
                                   r"Input/output error \(at byte \d+\)$")

    @unittest.skipIf(SANITIZED, "a sanitizer's runtime must come before a preloaded library")
    def test_a_shard_that_the_disk_does_not_give(self):
        for way in ("MAPPED", "CALLS"):
            lines = self.read_records(way, failing_reads("shard-"))  # until the program lets reads work again
            for line in lines[:3]:
                self.assertRegex(line, r"/shard-00000-of-\d+.safetensors: record [01]: cannot read: Input/output error")
            self.assertEqual(lines[3:], ["0: read", "1: read"])

    def test_an_input_that_is_a_dangling_link(self):
        images, masks = self.copy_street()
        mask = sorted(masks.rglob("*.png"))[3]
        mask.unlink()
        mask.symlink_to(self.folder / "gone.png")
        done = run("pack", *street(images, masks), "-o", self.out, "--on-error", "skip", expect=1)
        self.assertIn(mask.name + ": is a link to", done.stderr)
        self.assert_not_a_data_set()

    def test_results_that_cannot_be_written(self):
        run("pack", *street(), "-o", self.out)
        with open("/dev/full", "w") as full:
            done = subprocess.run([os.environ["HOTPACK"], "info", str(self.out)], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_one_signal_ends_a_run_that_waits_for_a_list(self):
        pipe = self.folder / "list"
        os.mkfifo(pipe)
        for source in (pipe, "-"):
            command = [os.environ["HOTPACK"], "pack", "--images", STREET / "images", "--list", source, "-o", self.out]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as waiting:
                with self.assertRaises(subprocess.TimeoutExpired):
                    waiting.wait(1)
                waiting.send_signal(signal.SIGINT)
                self.assertEqual(waiting.wait(20), -signal.SIGINT)
        self.assertFalse(self.out.exists())

    def test_a_measurement_that_a_signal_stops_says_so(self):
        run("pack", *street(), "-o", self.out)
        command = [os.environ["HOTPACK"], "bench", self.out, "--seconds", "1", "--no-cold", "--json", "-v"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as measuring:
            line = measuring.stderr.readline()
            self.assertIn("measuring", line)
            measuring.send_signal(signal.SIGINT)
            told, _ = measuring.communicate(timeout=60)
        self.assertEqual(measuring.returncode, -signal.SIGINT)
        self.assertEqual(json.loads(told)["code"], "cancelled")

    def test_a_class_folder_without_images_is_a_warning(self):
        fruit = self.folder / "fruit"
        shutil.copytree(FRUIT, fruit)
        (fruit / "cherry").mkdir()
        done = run("pack", "--image-folders", fruit, "--size", "32x32", "-o", self.out)
        self.assertIn("class 'cherry' has no image", done.stderr)


if __name__ == "__main__":
    skips.run_unittests(verbosity=2)
