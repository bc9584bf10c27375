#!/usr/bin/env python3
"""Running again after inputs or options changed: only affected shards are packed again, and nothing is replaced without --force."""

import json
import os
import shutil
import unittest

from packs import FRUIT, STREET, Scratch, digest, run, start, street


class ChangedInputs(unittest.TestCase):
    def setUp(self):
        self.scratch = Scratch()
        self.folder = self.scratch.__enter__()
        self.images, self.masks, self.out = self.folder / "images", self.folder / "masks", self.folder / "out"
        shutil.copytree(STREET / "images", self.images)
        shutil.copytree(STREET / "masks_color", self.masks)
        run("pack", *self.inputs())

    def tearDown(self):
        self.scratch.__exit__()

    def inputs(self, *more):
        return [*street(self.images, self.masks), "-o", self.out, *more]

    def report(self, *more, expect=0):
        return json.loads(run("pack", *self.inputs("--json", *more), expect=expect).stdout)

    def fresh_digest(self):
        run("pack", *street(self.images, self.masks), "-o", self.folder / "fresh", "--force")
        return digest(self.folder / "fresh")

    def some_mask(self):
        return sorted(self.masks.rglob("*.png"))[7]

    def test_a_label_of_another_size_in_bytes(self):
        mask = self.some_mask()
        mask.write_bytes(mask.read_bytes() + b"trailing bytes after IEND")
        report = self.report()
        self.assertEqual((report["status"], report["changed_shards"], report["kept_shards"]), ("packed", 1, 4))
        self.assertEqual(digest(self.out), self.fresh_digest())

    def test_a_label_edited_in_place(self):
        mask = self.some_mask()
        data = bytearray(mask.read_bytes() + b"one")
        mask.write_bytes(data)
        run("pack", *self.inputs())
        data[-1] ^= 1
        mask.write_bytes(data)
        report = self.report()
        self.assertEqual((report["status"], report["changed_shards"], report["kept_shards"]), ("packed", 1, 4))
        self.assertEqual(digest(self.out), self.fresh_digest())
        self.assertEqual(self.report()["status"], "complete")

    def test_a_label_edited_in_place_with_an_old_time_needs_recheck(self):
        mask = self.some_mask()
        data = bytearray(mask.read_bytes() + b"one")
        mask.write_bytes(data)
        run("pack", *self.inputs())
        data[-1] ^= 1
        mask.write_bytes(data)
        os.utime(mask, (1, 1))
        self.assertEqual(self.report()["status"], "complete")
        report = self.report("--recheck")
        self.assertEqual((report["status"], report["changed_shards"], report["kept_shards"]), ("packed", 1, 4))
        self.assertEqual(digest(self.out), self.fresh_digest())
        self.assertEqual(self.report("--recheck")["status"], "complete")

    def test_an_added_sample_changes_the_plan(self):
        image = sorted(self.images.rglob("*.png"))[0]
        mask = self.masks / image.relative_to(self.images)
        shutil.copy(image, image.with_name("zz.png"))
        shutil.copy(mask, mask.with_name("zz.png"))
        report = self.report()
        self.assertEqual((report["status"], report["records"], report["kept_shards"]), ("packed", 25, 0))
        self.assertEqual(digest(self.out), self.fresh_digest())

    def test_a_removed_sample_leaves_no_stale_shard(self):
        for image in sorted(self.images.rglob("*.*"))[:6]:
            image.unlink()
            (self.masks / image.relative_to(self.images)).with_suffix(".png").unlink()
        report = self.report()
        self.assertEqual((report["status"], report["records"]), ("packed", 18))
        self.assertEqual(len(list(self.out.glob("shard-*"))), 4)
        self.assertEqual(digest(self.out), self.fresh_digest())

    def test_a_moved_class(self):
        fruit, out = self.folder / "fruit", self.folder / "fruit_out"
        shutil.copytree(FRUIT, fruit)
        arguments = ["--image-folders", fruit, "--size", "32x32", "--shard-samples", "4", "-o", out]
        run("pack", *arguments)
        moved = sorted((fruit / "apple").iterdir())[0]
        moved.rename(fruit / "banana" / moved.name.replace("apple", "moved"))
        run("pack", *arguments)
        run("pack", *arguments[:-1], self.folder / "fruit_fresh")
        self.assertEqual(digest(out), digest(self.folder / "fruit_fresh"))

    def test_other_options_are_refused_by_name(self):
        before = digest(self.out)
        for options, name in ((["--fit", "cover"], "--fit cover now, stretch then"), (["--label-storage", "index"], "storage"), (["--shuffle", "1"], "shuffle"),
                              (["--anchor", "top-left"], "anchor"), (["--exif", "ignore"], "exif")):
            message = run("pack", *self.inputs(*options), expect=2).stderr
            self.assertIn(name, message)
            self.assertIn("--force", message)
        other_cut = [*self.inputs()[:-4], "--shard-samples", "6", "-o", self.out]
        self.assertIn("--shard-samples other than now (4 shards now, 5 then)", run("pack", *other_cut, expect=2).stderr)
        self.assertEqual(digest(self.out), before)

    def test_another_data_set_is_not_replaced(self):
        before = digest(self.out)
        other = self.folder / "other"
        for kind, root in (("images", self.images), ("masks", self.masks)):
            for path in root.rglob("*.*"):
                target = other / kind / ("other_" + path.name)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target)
        message = run("pack", *street(other / "images", other / "masks"), "-o", self.out, expect=2).stderr
        self.assertIn("holds a pack of another data set", message)
        self.assertEqual(digest(self.out), before)

    def test_a_foreign_file_is_refused_by_name(self):
        (self.out / "notes.txt").write_text("mine")
        self.assertIn("notes.txt", run("pack", *self.inputs("--force"), expect=2).stderr)
        self.assertEqual((self.out / "notes.txt").read_text(), "mine")
        (self.out / "notes.txt").unlink()
        (self.out / "shard-00000-of-00001.safetensors").write_bytes(b"\0" * 100)
        self.assertIn("shard-00000-of-00001", run("pack", *self.inputs("--force"), expect=2).stderr)

    def test_a_foreign_manifest_is_refused(self):
        other = self.folder / "mine"
        other.mkdir()
        (other / "dataset.json").write_text('{"my":"annotations"}')
        for more in ([], ["--force"]):
            self.assertIn("another program made it", run("pack", *street(), "-o", other, *more, expect=2).stderr)
        self.assertEqual((other / "dataset.json").read_text(), '{"my":"annotations"}')

    def test_a_pack_of_a_later_format_is_refused(self):
        for name in ("dataset.json", sorted(p.name for p in self.out.glob("shard-*"))[3]):
            path = self.out / name
            good = path.read_bytes()
            path.write_bytes(good.replace(b'format":"1.0"', b'format":"2.0"', 1))
            before = digest(self.out)
            for more in ([], ["--force"]):
                self.assertIn("has format 2.0", run("pack", *self.inputs(*more), expect=2).stderr)
            self.assertEqual(digest(self.out), before)
            path.write_bytes(good)

    def test_runs_with_other_options_take_turns(self):
        for number in range(3):
            out = self.folder / f"turns{number}"
            runs = [start("pack", *street(), "--fit", fit, "-o", out, "-j1") for fit in ("stretch", "cover")]
            codes = sorted((each.communicate(timeout=120), each.returncode)[1] for each in runs)
            self.assertEqual(codes, [0, 2])
            run("verify", out)

    def test_a_lost_or_damaged_manifest_is_rebuilt(self):
        before = digest(self.out)
        manifest = self.out / "dataset.json"
        manifest.write_bytes(manifest.read_bytes()[:-20])
        report = self.report()
        self.assertEqual((report["packed_shards"], report["kept_shards"]), (0, 5))
        self.assertEqual(digest(self.out), before)
        manifest.unlink()
        run("pack", *self.inputs())
        self.assertEqual(digest(self.out), before)

    def test_a_damaged_shard_is_packed_again(self):
        before = digest(self.out)
        shard = sorted(self.out.glob("shard-*"))[2]
        data = bytearray(shard.read_bytes())
        data[-3] ^= 4
        shard.write_bytes(data)
        done = run("pack", *self.inputs())
        self.assertIn("packed again", done.stderr)
        self.assertEqual(digest(self.out), before)


class BadSamples(unittest.TestCase):
    def test_skip_continues_a_stopped_run_and_keeps_its_shards(self):
        with Scratch() as folder:
            images, masks = folder / "images", folder / "masks"
            shutil.copytree(STREET / "images", images)
            shutil.copytree(STREET / "masks_color", masks)
            bad = sorted(images.rglob("*.png"))[-1]
            bad.write_bytes(bad.read_bytes()[:-300])
            inputs = street(images, masks)
            stopped = run("pack", *inputs, "-o", folder / "out", expect=1)
            self.assertIn(bad.name, stopped.stderr)
            kept = {p.name: p.stat().st_mtime_ns for p in (folder / "out").glob("shard-*")} if (folder / "out").exists() else {}
            skipped = folder / "skipped.tsv"
            run("pack", *inputs, "-o", folder / "out", "--on-error", "skip", "--skipped", skipped, expect=1)
            for name, time in kept.items():
                self.assertEqual((folder / "out" / name).stat().st_mtime_ns, time)
            self.assertIn(bad.name, skipped.read_text())
            run("pack", *inputs, "-o", folder / "direct", "--on-error", "skip", "-j8", expect=1)
            self.assertEqual(digest(folder / "out"), digest(folder / "direct"))
            run("verify", folder / "out")
            run("pack", *inputs, "-o", folder / "out", "--on-error", "skip", expect=1)  # complete: exits as the first run did
            run("pack", *inputs, "-o", folder / "out", expect=1)

    def test_the_skipped_list_names_earlier_skips_too(self):
        with Scratch() as folder:
            images = folder / "images"
            shutil.copytree(STREET / "images", images)
            for path in sorted(images.rglob("*.jpg"))[::5]:
                path.write_bytes(path.read_bytes()[:500])
            inputs = ["pack", *street(images), "-o", folder / "out", "--on-error", "skip", "--skipped"]
            run(*inputs, folder / "first.tsv", expect=1)
            sorted((folder / "out").glob("shard-*"))[0].unlink()
            run(*inputs, folder / "second.tsv", expect=1)
            run(*inputs, folder / "third.tsv", expect=1)  # complete
            keys = [sorted(line.split("\t")[0] for line in (folder / f"{name}.tsv").read_text().splitlines()) for name in ("first", "second", "third")]
            self.assertEqual(len(keys[0]), 4)
            self.assertEqual(keys[0], keys[1])
            self.assertEqual(keys[0], keys[2])
            self.assertIn("is in the output folder", run(*inputs, folder / "out" / "skipped.tsv", expect=2).stderr)

    def test_max_errors(self):
        with Scratch() as folder:
            images = folder / "images"
            shutil.copytree(STREET / "images", images)
            for path in sorted(images.rglob("*.jpg"))[:3]:
                path.write_bytes(path.read_bytes()[:500])
            inputs = ["pack", *street(images), "-o", folder / "out", "--on-error", "skip"]
            self.assertIn("--max-errors", run(*inputs, "--max-errors", "2", expect=1).stderr)
            self.assertFalse((folder / "out" / "dataset.json").exists())
            run(*inputs, "--max-errors", "3", expect=1)
            self.assertTrue((folder / "out" / "dataset.json").exists())

    def test_every_sample_of_a_shard_skipped(self):
        with Scratch() as folder:
            fruit = folder / "fruit"
            shutil.copytree(FRUIT, fruit)
            for path in (fruit / "apple").iterdir():
                path.write_bytes(b"not an image")
            run("pack", "--image-folders", fruit, "--size", "32x32", "--shard-samples", "8", "-o", folder / "out", "--on-error", "skip", expect=1)
            run("verify", folder / "out")


if __name__ == "__main__":
    unittest.main(verbosity=2)
