#!/usr/bin/env python3
"""Data sets and how they are read: a table of files and what hotpack makes of them, packed or asked.

Every command line that a question prints is run by a shell: it must pack, or end in another question, and never be refused as a command.
Usage: readings_test.py HOTPACK SAMPLE_DATA
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

HOTPACK = pathlib.Path(sys.argv[1])
JPEG = pathlib.Path(sys.argv[2]) / "fruit/apple/apple_01.jpg"
USAGE = 2


def size_of_jpeg():
    data = JPEG.read_bytes()
    at = 2
    while not 0xC0 <= data[at + 1] <= 0xC2:
        at += 2 + struct.unpack(">H", data[at + 2:at + 4])[0]
    height, width = struct.unpack(">HH", data[at + 5:at + 9])
    return width, height


def png(color, pixel):
    """One of the size of the JPEG, every other row black: color type 0 (gray) or 2 (RGB)."""
    width, height = size_of_jpeg()
    rows = b"".join(b"\0" + pixel * width if y % 2 else b"\0" + bytes(len(pixel) * width) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


PHOTO, LABEL, MASK, COLOR = png(2, b"\x30\x60\x90"), png(0, b"\x01"), png(0, b"\xff"), png(2, b"\x01\x02\x03")


def on_one_line(text):
    return " ".join(text.split())


def times(folders, *names):
    return [f"{folder}/{name}" for folder in folders for name in names]


CASES = ["case0", "case1", "case2"]
NUMBERS = [str(i) for i in range(3)]
# Name, files (of "x.png=" the content is a label's, of "x.png=mask" a mask's, of "x.png=color" a colored label's, of text files what follows "="), what is read, what is said.
PACKED = {
    "tasks of CVAT": ([f"{task}/JPEGImages/{task}{i}.jpg" for task in ("task1", "task2") for i in NUMBERS] +
                      [f"{task}/SegmentationClass/{task}{i}.png=color" for task in ("task1", "task2") for i in NUMBERS] +
                      [f"{task}/labelmap.txt=background:0,0,0::\nroad:1,2,3::\n" for task in ("task1", "task2")], "classes: set/task1/labelmap.txt"),
    "sequences, each with images and labels": (times(["a", "b"], "images/0.png", "masks/0.png="), "folders, each with a folder of images and one of labels"),
}
CLASSES = "If each folder is a class ("
ASKED = {
    "class folders": (["cat/a.jpg", "cat/b.jpg", "dog/c.jpg", "dog/d.jpg"], CLASSES),
    "classes whose names hold the folder's name and a number": (
        [f"{split}/{name}/{split}{name}{i}.png" for split in ("train", "val") for name in ("cat", "dog") for i in NUMBERS], "--image-folders set --split folder -o OUT"),
    "good and broken in one split, good alone in the other": (
        times(["test/broken", "test/good", "train/good"], "0.png", "1.png", "2.png"), "--image-folders set --split folder -o OUT"),
    "numbered images": (times(["cat", "dog", "emu"], "img1.png", "img2.png", "img3.png"), CLASSES),
    "photographs of several formats": (["cat/a.jpg", "cat/b.png", "dog/c.jpg", "dog/d.png"], CLASSES),
    "an image and many masks": (times(CASES, "image.png", *[f"mask_{i}.png=" for i in range(6)]), "hotpack pack --images 'set/{key}/image.png' --labels 'set/{key}/mask_*.png' -o OUT"),
    "a mask per class": (times(CASES, "scan.png", "mask_liver.png=mask") + ["case0/mask_tumour.png=mask"],
                       "hotpack pack --images 'set/{key}/scan.png' --labels 'set/{key}/mask_liver.png' -o OUT"),
    "frames and their labels": (times(CASES, *[f"frame_{i}.png" for i in NUMBERS], *[f"seg_{i}.png=" for i in NUMBERS]),
                               "--images 'set/case1/frame_{key}.png' --labels 'set/case1/seg_{key}.png' --key-prefix case1"),
    "a folder within": (times(CASES, "image.png", "mask.png=") + ["case0/old/image.png"], "has no known layout"),
    "an image of any name and its label": ([f"case{i}/{name}.jpg" for i, name in enumerate(["foo", "bar", "baz"])] + times(CASES, "annotation.png="),
                                           "has no known layout"),
    "photographs and gray files of any name": ([f"case{i}/{name}" for i, names in enumerate([("a.jpg", "b.png="), ("d.png=", "c.jpg"), ("e.jpg", "z.png=")]) for name in names],
                                               "has no known layout"),
    "bands": (times(["s1", "s2", "s3"], "B02.png=", "B03.png=", "B04.png=", "B08.png=", "B11.png=", "B12.png=", "SCL.png="), "hotpack pack --image-folders set -o OUT"),
    "folders of one letter": (times(["a", "b", "c"], "image.png", "mask.png="), "3 pairs: 'a/image.png' with 'a/mask.png', 'b/image.png' with 'b/mask.png', 'c/image.png' with"),
    "a folder name and a digit behind it": (["x7/x71_image.png", "x7/x71_mask.png=", "x8/x81_image.png", "x8/x81_mask.png="], "contains 2 data sets"),
    "two folders of labels and lists": (
        [f"JPEGImages/{i}.jpg" for i in NUMBERS] + [f"{name}/{i}.png=" for name in ("SegmentationClass", "SegmentationClassAug") for i in NUMBERS] +
        ["ImageSets/Segmentation/train.txt=0\n1\n", "ImageSets/Segmentation/val.txt=2\n", "ImageSets/Segmentation/test.txt="],
        "--split list:train=set/ImageSets/Segmentation/train.txt,val=set/ImageSets/Segmentation/val.txt"),
    "labels of another name in each split": (
        times(["train/img", "test/img"], "0.png", "1.png") + times(["train/gt", "test/mask"], "0.png=", "1.png="),
        "--images set/test/img --labels set/test/mask --key-prefix test --images set/train/img --labels set/train/gt --key-prefix train"),
    "lists in two places that differ": (
        [f"images/{i}.png" for i in NUMBERS] + [f"masks/{i}.png=" for i in NUMBERS] +
        ["splits/train.txt=0\n", "splits/val.txt=1\n", "train.txt=1\n", "val.txt=2\n"], "can be read in 2 ways"),
    "splits and a table": (times(["train", "test"], "0.png", "1.png") + ["train.csv=id,label\n0,dog\n1,cat\n"], "train.csv"),
    "images and a table": (times(["images"], "0.png", "1.png") + ["labels.csv=image,label\n0.png,dog\n1.png,cat\n"],
                           "hotpack pack --pairs set/labels.csv --root set/images -o OUT"),
    "folders and folders of their labels": (times(["seqa", "seqb"], "0.png", "1.png") + times(["seqa_gt", "seqb_gt"], "0.png=", "1.png="),
                                            "--images set/seqa --labels set/seqa_gt --key-prefix seqa"),
    "labels in a folder within": (times(["cat", "dog"], "0.jpg", "1.jpg", "annotated/0.png=", "annotated/1.png="),
                                  "--images 'set/cat/{key}.jpg' --labels 'set/cat/annotated/{key}.png' --key-prefix cat"),
    "classes called like labels": (["mask/m1.jpg", "mask/m2.jpg", "no_mask/n1.jpg", "no_mask/n2.jpg"], "hotpack pack --image-folders set -o OUT"),
    "such classes in splits": ([f"{split}/{name}/{split}{name}{i}.jpg" for split in ("train", "val") for name in ("mask", "no_mask") for i in NUMBERS],
                               "--split folder -o OUT"),
    "classes one level down, and others": (["ants/a/0a.png", "ants/a/1a.png", "ants/b/0b.png", "ants/b/1b.png", "bees/c/0c.png", "bees/c/1c.png"],
                                           "hotpack pack --image-folders set/ants -o OUT"),
    "two labels of one image": ([f"images/{i}.png" for i in NUMBERS] + times(["masks"], *[f"{i}{end}.png=" for i in NUMBERS for end in ("_seg", "_pred")]),
                                "hotpack pack set --label-suffix _pred -o OUT"),
    "a suffix that most labels have": ([f"images/{i}.png" for i in range(20)] + [f"masks/{i}_mask.png=" for i in range(15)],
                                       "labels end with '_mask': 15 of 20 images have a label (--label-suffix _mask)"),
    "a suffix and a few equal names": ([f"images/{i}.png" for i in range(20)] + [f"masks/{i}_seg.png=" for i in range(15)] + ["masks/19.png="],
                                       "labels have the names of their images: 1 of 20 images have a label"),
    "folders on one side": (["images/a/a_0.png", "images/b/b_0.png", "masks/a_0.png=", "masks/b_0.png="], "2 images, such as 'set/images/a/a_0.png'; 2 labels"),
    "zeros in front": (["images/000.png", "images/001.png", "masks/0.png=", "masks/1.png="], "no image and label share a key"),
    "labels of two people": (["images/0.png", "images/1.png"] + times(["masks/ann1", "masks/ann2"], "0.png=", "1.png="), "no image and label share a key"),
    "labels of one": (["images/0.png", "images/1.png", "masks/ann1/0.png=", "masks/ann1/1.png="], "no image and label share a key"),
    "DSB 2018": ([f"stage1_train/{c}/images/{c}.png" for c in "ab"] + [f"stage1_train/{c}/masks/{m}.png=mask" for c in "ab" for m in "xy"],
                 "hotpack pack --images 'set/stage1_train/{key}/images/*' --labels 'set/stage1_train/{key}/masks/*' --label-kind instances -o OUT"),
    "CelebAMask-HQ": ([f"CelebA-HQ-img/{i}.jpg" for i in NUMBERS] + [f"CelebAMask-HQ-mask-anno/0/0000{i}_{part}.png=mask" for i in NUMBERS for part in ("hair", "l_eye")],
                      "--mask-per-class '*/{key}_{class}' --fold numbers -o OUT"),
    "prefixes": ([f"rgb_{i}.png" for i in NUMBERS] + [f"seg_{i}.png=" for i in NUMBERS],
                 "(3 pairs: 'rgb_0.png' with 'seg_0.png', 'rgb_1.png' with 'seg_1.png', 'rgb_2.png' with 'seg_2.png')"),
    "data sets of two kinds": (["a/images/0.jpg", "a/masks/0.png=", "b/JPEGImages/1.jpg", "b/SegmentationClass/1.png="],
                               "As one data set: hotpack pack set/a set/b -o OUT"),
    "several masks of an image in another folder": (
        [f"images/{i}.png" for i in NUMBERS] + [f"inst/{i}_{n}.png=mask" for i in NUMBERS for n in range(2)],
        "hotpack pack --images set/images --labels 'set/inst/{key}_*.png' -o OUT"),
    "keys that begin with other keys": (
        [f"xray/p_{i}{end}.png" for i in NUMBERS for end in ("", "_2")] + [f"m/p_{i}{end}.png=mask" for i in NUMBERS for end in ("_1", "_2_1", "_2_3")],
        "--images set/xray --labels 'set/m/{key}_*.png' -o OUT"),
    "masks of organs": ([f"xray/p_{i}.png" for i in NUMBERS] + [f"organs/p_{i}_{organ}.png=mask" for i in NUMBERS for organ in ("heart", "left_lung", "lung")],
                        "hotpack pack --images set/xray --labels set/organs --mask-per-class '{key}_{class}' -o OUT"),
    "second masks in class folders": (
        [f"{name}/{name} ({i}){end}" for name in ("benign", "malignant") for i in range(6) for end in (".png", "_mask.png=mask")] +
        ["benign/benign (2)_mask_1.png=mask", "malignant/malignant (4)_mask_1.png=mask"], "(12 pairs, several masks of an image, which are merged: "),
    "second masks in class folders but one": (
        [f"{name}/{name} ({i}){end}" for name in ("benign", "normal") for i in range(3) for end in (".png", "_mask.png=mask")] + ["benign/benign (2)_mask_1.png=mask"],
        "'benign/benign (0).png' with 'benign/benign (0)_mask.png', 'benign/benign (1).png' with"),
    "class folders and thumbs": (times(["cat", "thumbs"], "c0.jpg", "c1.jpg") + times(["dog", "thumbs"], "d0.jpg", "d1.jpg"),
                                 "If each folder is a class ('cat', 'dog'): hotpack pack --image-folders set --exclude thumbs -o OUT"),
    "half a data set": (["train/0.jpg", "train/1.jpg"], "but no folder has a name of their labels, such as 'train_labels'"),
    "images and others": (times(["image", "alpha"], "0.png", "1.png"), "'alpha': 2 PNG"),
    "colors beside folders": (["a/a0.png", "a/a1.png", "b/b0.png", "class_dict.csv=name,r,g,b\nsky,1,2,3\nroad,4,5,6\n"], "If each folder is a class ('a', 'b')"),
}
# No command packs these without an expression or an option that the user must choose.
NO_COMMAND = ("splits and a table", "two labels of one image", "a suffix that most labels have", "a suffix and a few equal names", "folders on one side",
              "zeros in front", "labels of two people", "labels of one", "half a data set", "images and others",
              "a folder within", "an image of any name and its label", "photographs and gray files of any name")
# No command takes masks for a class.
NO_CLASSES = ("several masks of an image in another folder", "keys that begin with other keys", "masks of organs", "second masks in class folders", "images and others",
              "a folder within", "an image of any name and its label", "photographs and gray files of any name")


class Readings(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        bin_folder = self.folder / "bin"
        bin_folder.mkdir()
        (bin_folder / "hotpack").symlink_to(HOTPACK.resolve())
        self.environment = dict(os.environ, PATH=f"{bin_folder}:{os.environ['PATH']}", COLUMNS="80")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def lay_out(self, root, files):
        shutil.rmtree(self.folder / root, ignore_errors=True)
        for file in files:
            name, equal, text = file.partition("=")
            path = self.folder / root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith(".jpg"):
                shutil.copy(JPEG, path)
            elif name.endswith(".png"):
                path.write_bytes({"": LABEL, "mask": MASK, "color": COLOR}[text] if equal else PHOTO)
            else:
                path.write_text(text)

    def shell(self, command):
        shutil.rmtree(self.folder / "OUT", ignore_errors=True)
        done = subprocess.run(command, shell=True, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def run_readings(self, said):
        """Whatever is printed to be pasted does what it says."""
        lines = [line.strip() for line in said.splitlines() if line.strip().startswith("hotpack pack ")]
        for line in lines:
            self.assertNotRegex(line, "--orphans|--size-mismatch|--num-classes")
            code, text = self.shell(line)
            self.assertTrue(code == 0 or (code == 1 and ("hotpack pack " in text or "--label-kind binary" in text)), f"{line}\n{text}")
        return len(lines)

    def check_agrees(self, root, code):
        checked, text = self.shell(f"hotpack check {root}")
        self.assertEqual(checked == 0, code == 0, text)

    def test_what_is_packed_as_it_is(self):
        for name, (files, said) in PACKED.items():
            with self.subTest(name):
                self.lay_out("set", files)
                code, text = self.shell("hotpack pack set -o OUT")
                self.assertEqual(code, 0, text)
                self.assertIn(said, on_one_line(text))
                self.check_agrees("set", code)

    def test_what_is_asked(self):
        for name, (files, said) in ASKED.items():
            with self.subTest(name):
                self.lay_out("set", files)
                code, text = self.shell("hotpack pack set -o OUT")
                self.assertEqual(code, 1, text)
                self.assertIn(said, on_one_line(text))
                self.check_agrees("set", code)
                if name in NO_CLASSES:
                    self.assertNotIn("--image-folders set", text)
                if name not in NO_COMMAND:
                    self.assertGreater(self.run_readings(text), 0, text)

    def test_names_that_a_shell_would_take_apart(self):
        for root in ("a set", "it's", "-set", "$(set)"):
            for files in (ASKED["two folders of labels and lists"][0], ASKED["folders and folders of their labels"][0], ASKED["colors beside folders"][0],
                          ASKED["prefixes"][0]):
                with self.subTest(root):
                    self.lay_out(root, files)
                    word = "'" + root.replace("'", "'\\''") + "'" if root != "-set" else "./-set"
                    code, text = self.shell(f"hotpack pack {word} -o OUT")
                    self.assertEqual(code, 1, text)
                    self.assertGreater(self.run_readings(text), 0, text)

    def test_splits_of_its_own_and_shares(self):
        self.lay_out("a set", [f"{split}/images/{split}{i}.png" for split in ("train", "val") for i in range(9)] +
                     [f"{split}/masks/{split}{i}.png=" for split in ("train", "val") for i in range(9)])
        code, text = self.shell("hotpack pack 'a set' --split ratio:train=50,val=50 -o OUT")
        self.assertEqual(code, USAGE, text)
        self.assertIn("hotpack pack --images 'a set/train/images' --labels 'a set/train/masks' --split ratio:train=50,val=50 -o OUT", text)
        self.assertEqual(self.run_readings(text), 1)

    def test_tables_that_are_not_used_are_told(self):
        for slash in ("/", "\\"):
            self.lay_out("set", [f"RGB/{i}.png" for i in range(6)] + [f"GT/{i}.png=" for i in range(6)] +
                         ["overview.csv=ID,photo,truth,Set\n" + "".join(f"{i + 7},RGB{slash}{i}.png,GT{slash}{i}.png,{'test' if i < 2 else 'Train'}\n" for i in range(6))])
            code, text = self.shell("hotpack pack set -o OUT")
            self.assertEqual(code, 0, text)
            self.assertIn("'set/overview.csv' (6 samples) lists samples of this data set, but is not used: all samples become one set. To use a table, give it with "
                          "--pairs FILE and, if its header has other names, --columns image=NAME,label=NAME,split=NAME", on_one_line(text))

    def test_class_files_of_other_forms(self):
        for file, said in (("data.yaml=names: [soil, road]\n", "classes: set/data.yaml"), ("data.yaml=train: a\n", "ids found: 0, 1"),
                           ('classes.json={"0": "soil"}', "'set/classes.json' is not read, since JSON is no form of class files"),
                           ("labels.txt=masks/0.png\n", "the class file 'set/labels.txt' is not used: line 1: 'masks/0.png' looks like the name of an image"),
                           ("labels.txt=images/0.png cat\n", "the class file 'set/labels.txt' is not used: line 1: 'images/0.png cat' looks like the name"),
                           ("legend.txt=Colors of the legend:\nred\n", "the class file 'set/legend.txt' is not used: line 1: 'Colors of the legend:' looks like a sentence"),
                           ("classes.csv=cls\nsoil\nroad\n", "road 5"), ("classes.csv=soil\nroad\n", "'soil', is class 0; if it is a header")):
            with self.subTest(file):
                self.lay_out("set", ["images/0.png", "masks/0.png=", file])
                code, text = self.shell("hotpack pack set -o OUT")
                self.assertEqual(code, 0, text)
                self.assertIn(said, on_one_line(text))

    def test_a_data_yaml_of_objects_is_no_class_file(self):
        self.lay_out("set", ["images/0.png", "masks/0.png=", "data.yaml=names: [person, car]\n", "labels/0.txt=1 0.5 0.5 0.2 0.2\n"])
        code, text = self.shell("hotpack pack set -o OUT")
        self.assertEqual(code, 0, text)
        self.assertIn("the class file 'set/data.yaml' is not used: it names the objects of 'set/labels/0.txt' and files like it", on_one_line(text))
        self.assertIn("give --classes set/data.yaml", on_one_line(text))

    def test_lists_that_are_not_used_are_told(self):
        self.lay_out("set", [f"images/{i}.png" for i in range(6)] + [f"masks/{i}.png=" for i in range(6)] +
                     ["train_list.txt=0\n1\n2\n3\n", "val_list.txt=images/4.png\n5\n"])
        code, text = self.shell("hotpack pack set -o OUT")
        self.assertEqual(code, 0, text)
        self.assertIn("'set/train_list.txt' (4 samples), 'set/val_list.txt' (2 samples)", on_one_line(text))
        line = [line.strip() for line in text.splitlines() if line.strip().startswith("hotpack pack ")]
        self.assertEqual(line, ["hotpack pack --images set/images --labels set/masks --split list:train=set/train_list.txt,val=set/val_list.txt -o OUT"])
        self.assertEqual(self.run_readings(text), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
