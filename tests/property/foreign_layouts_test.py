#!/usr/bin/env python3
"""Layouts that hotpack has no row for: `pack ROOT` packs them rightly or asks, and its commands lead to the right pack.

A user follows what is printed: runs the printed commands, and fills folders, files and numbers into options that a message names. Every printed command is
run. Usage: foreign_layouts_test.py [NAME]: prints the dialogue of one layout.
"""

import concurrent.futures
import itertools
import os
import re
import shlex
import sys
import unittest
import zlib
from collections import Counter
from pathlib import Path
from random import Random

from foreign_layouts import CLASSES, COLORS, LAYOUTS
from images import GRAY, PALETTE, RGB, jpeg, png, put, sequential_jpeg
from packs import Scratch, run
from shards import shards

MOST_COMMANDS, REACHED = 3, 50
PHOTOS = ("photo", "gray", "depth")
SPLITS = {"training": "train", "trn": "train", "valid": "val", "validation": "val", "testing": "test"}
# Options of labels, and options whose values a user fills in without knowing more than the data set.
LABEL_OPTIONS = {"--classes", "--num-classes", "--label-kind", "--threshold", "--ignore", "--rgb-id"}
FILLED = LABEL_OPTIONS | {"--images", "--labels", "--image-folders", "--pairs", "--list", "--root", "--columns", "--split", "--key-prefix"}
INPUTS = {"--images", "--labels", "--image-folders", "--pairs", "--list"}
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b(?!=)|(^|=)N$|…")
FOUND = re.compile(r"\b\d[\d,]* (of \d+ |other |more |8-bit |16-bit |gray |RGB )*(JPEG|PNG|TIFF|images?|labels?|masks?|files?|photos?|folders?|pairs?|colors?)", re.I)


def expanded(pattern):
    """The texts for which a pattern with {a,b} and {01..03} stands, the last braces first."""
    parts = []
    for text in re.split(r"(\{[^{}]*\})", pattern):
        numbers = re.fullmatch(r"\{(\d+)\.\.(\d+)\}", text)
        if numbers:
            first, last = numbers.groups()
            parts.append([str(i).zfill(len(first)) for i in range(int(first), int(last) + 1)])
        else:
            parts.append(text[1:-1].split(",") if text.startswith("{") else [text])
    return ["".join(texts) for texts in itertools.product(*parts)]


def size(n):
    return jpeg(n)[1:]


def drawn(n, drawing, codes):
    """Codes of the blocks of 8 columns of a label, each at least once."""
    random = Random(100 * drawing + n)
    blocks = codes + [random.choice(codes) for _ in range(size(n)[0] // 8 - len(codes))]
    random.shuffle(blocks)
    return blocks


def label_file(kind, blocks, n):
    """The file of a label whose blocks have these codes."""
    width, height = size(n)
    row = [code for code in blocks for _ in range(8)]
    if kind == "jpegmask":
        return sequential_jpeg([[255 * code for code in blocks] for _ in range(height // 8)])
    if kind == "soft":
        edges = {x for x in range(1, width) if row[x] != row[x - 1]}
        row = [(170 if code else 85) if x in edges or x + 1 in edges else 255 * code for x, code in enumerate(row)]
    forms = {"ids": (GRAY, 8), "soft": (GRAY, 8), "ids16": (GRAY, 16), "mask": (GRAY, 8), "bit": (GRAY, 1), "pal": (PALETTE, 8)}
    color, depth = forms.get(kind, (RGB, 8))
    colors = {"mask": lambda c: 255 * c, "rgbmask": lambda c: (255 * c,) * 3, "red": lambda c: (c, 0, 0), "color": COLORS.__getitem__}
    row = [colors.get(kind, lambda c: c)(code) for code in row]
    return png([row] * height, color, depth, [(i, 255 - i, 90) for i in range(256)] if color == PALETTE else ())


def photo_file(kind, n, ending):
    if ending in (".jpg", ".jpeg"):
        return jpeg(n)[0]
    width, height = size(n)
    if kind == "photo":
        return png([[((x * 7 + n * 31) % 256, (y * 5 + n) % 256, (x + y + n * 3) % 256) for x in range(width)] for y in range(height)], RGB)
    depth = 16 if kind == "depth" else 8
    return png([[(x * 3 + y * 2 + n * 7) % 2**depth for x in range(width)] for y in range(height)], GRAY, depth)


STUBS = {".tif": b"II*\0\x08\0\0\0\0\0\0\0\0\0", ".npy": b"\x93NUMPY\x01\0v\0{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }\n\0",
         ".json": b"{}\n", ".xml": b"<annotation/>\n", ".yaml": b"train: [1]\n", ".xlsx": b"PK\x05\x06" + bytes(18), ".db": b"\xd0\xcf\x11\xe0"}


class Files:
    """The files of a layout: makes them, and says which record a reading expects."""

    def __init__(self, layout):
        self.layout, self.made = layout, {}  # path: (kind, n, blocks) of an image or label, bytes of others
        for line in layout.files.strip("\n").splitlines():
            if line.strip():
                pattern, kind = line.strip().split("  ", 1)
                for i, path in enumerate(expanded(pattern)):
                    self.made[path] = self.file(kind.strip(), path, i)

    @staticmethod
    def file(kind, path, i):
        name, _, more = kind.partition(" ")
        if name == "text":
            return more.encode().decode("unicode_escape").encode()
        if name == "stub":
            return STUBS.get(Path(path).suffix, b"MATLAB 5.0 MAT-file\n")
        changes = {word[0]: int(word[1:]) for word in more.split() if not word.isdigit()}
        n = i // changes.get("/", 1) + changes.get("+", 0)
        codes = [int(word) for word in more.split() if word.isdigit()] or [0, 1]
        return name, n, None if name in PHOTOS else drawn(n, changes.get("~", 0) + (i if "/" in changes else 0), codes)

    def photo(self, path):
        kind, n, _ = self.made[path]
        ending = Path(path).suffix.lower()
        return (kind, n, ending) if ending == ".png" else ("photo", n % 18, ".jpg")

    def write(self, folder, cache):
        for path, made in self.made.items():
            if not isinstance(made, bytes):
                kind, n, blocks = made
                key = (kind, n, tuple(blocks or ()), Path(path).suffix.lower())
                if key not in cache:
                    cache[key] = label_file(kind, blocks, n) if blocks else photo_file(kind, n, key[3])
                made = cache[key]
            put(folder / path, made)

    def record(self, labels, count, multiple):
        """The bytes of a record of the labels at these paths: a bit for each class and pixel."""
        _, n, _ = self.made[labels[0]]
        width, height = size(n)
        columns = [0] * (width // 8)
        for place, path in enumerate(labels):
            kind, _, blocks = self.made[path]
            for at, code in enumerate(blocks):
                if multiple:
                    columns[at] |= code << place
                elif len(labels) > 1:
                    columns[at] = 2 if code or columns[at] == 2 else 1
                else:
                    class_id = self.layout.codes.get(code, -1 if code == 255 else code)
                    columns[at] = 0 if class_id < 0 else 1 << class_id
        return b"".join(column.to_bytes((count + 7) // 8, "little") * 8 for column in columns) * height

    def expected(self, reading, count):
        """{split: a counter of (photo, record or class)}."""
        sets = {}
        for split, lines in reading.items():
            samples = []
            for line in lines.splitlines():
                image, _, label = line.partition("  ")
                images = expanded(image)
                if label == "-":
                    samples += [(self.photo(path), b"") for path in images]
                    continue
                if not label or label.startswith("="):
                    names = [label[1:]] * len(images) if label else [self.class_of(path) for path in images]
                    samples += zip(map(self.photo, images), names)
                    continue
                multiple = " & " in label
                masks = [expanded(pattern) for pattern in re.split(r" [&+] ", label)]
                samples += [(self.photo(image), self.record(labels, count, multiple)) for image, *labels in zip(images, *masks, strict=True)]
            sets[SPLITS.get(split.lower(), split.lower())] = Counter(samples)
        return sets

    @staticmethod
    def class_of(path):
        parts = path.split("/")[:-1]
        return parts[-2] if parts[-1] == "images" and len(parts) > 2 else parts[-1]


class Pack:
    """The content of a pack: {split: a counter of (photo, record or class)}, and its number of classes."""

    def __init__(self, folder, photos):
        self.sets, self.count = {}, 0
        packs = [folder] if (folder / "dataset.json").exists() else sorted(p for p in folder.iterdir() if (p / "dataset.json").exists())
        for pack in packs:
            split = "" if pack == folder else SPLITS.get(pack.name.lower(), pack.name.lower())
            samples = self.sets.setdefault(split, Counter())
            for shard in shards(pack):
                names = [entry["name"] for entry in shard.schema["classes"]]
                self.count = max(self.count, len(names))
                images = zip(*[iter(shard.bytes_of("image.crc32c"))] * 4)
                records = shard.label_records() if names else [b""] * len(shard.keys())
                for image, record in zip(images, records, strict=True):
                    whole = names and len(record) == (len(names) + 7) // 8
                    samples[photos.get(bytes(image)), names[int.from_bytes(record, "little").bit_length() - 1] if whole else record] += 1


def photo_checksums(files, folder):
    """{checksum of a record: photo}, from a pack of all photos."""
    photos = sorted({each.photo(path) for each in files for path, made in each.made.items() if not isinstance(made, bytes) and made[0] in PHOTOS})
    for i, (kind, n, ending) in enumerate(photos):
        put(folder / f"photos/{i:04}{ending}", photo_file(kind, n, ending))
    run("pack", "--images", "photos", "-o", "photos.pack", cwd=folder)
    checksums = [bytes(each) for shard in shards(folder / "photos.pack") for each in zip(*[iter(shard.bytes_of("image.crc32c"))] * 4)]
    return dict(zip(checksums, photos, strict=True))


def printed_commands(text):
    """(arguments, text of the line above) of each `hotpack pack` and `hotpack check` on a line of its own."""
    lines, found, above = iter(text.splitlines()), [], ""
    for line in lines:
        while line.endswith("\\"):
            line = line[:-1] + next(lines, "")
        command = re.match(r"\s*(?:next\s+)?hotpack ((?:pack|check) .*)", line)
        if command:
            found.append((shlex.split(command[1]), above))
        elif line.strip():
            above = line.strip()
    return found


def options(arguments):
    """[(option, values)] of arguments, the option "" for ROOT."""
    found = [("", [])]
    for word in arguments:
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            found.append((name, [value] if equals else []))
        else:
            found[-1][1].append(word)
    return [(name, values) for name, values in found if name or values]


def flattened(chosen):
    return [word for name, values in chosen for word in ([name] if name else []) + values]


def without_output(arguments):
    at = next((i for i, word in enumerate(arguments) if word in ("-o", "--output")), None)
    return arguments if at is None else arguments[:at] + arguments[at + 2:]


class Dialogue:
    """The commands of a user of one layout, the nearest to the first command first."""

    def __init__(self, layout, folder, photos, cache):
        self.layout, self.folder, self.photos = layout, folder, photos
        self.files = Files(layout)
        self.files.write(folder / layout.name, cache)
        put(folder / "classes.csv", CLASSES)
        self.right = options(shlex.split(re.sub(r"\bR\b(?=[/ ]|$|')", layout.name, layout.right)))
        self.problems, self.seen, self.log, self.runs = [], set(), [], 0
        self.commands, self.packed, self.way = None, False, ""  # the way: the right command was printed, or filled in
        self.parts = set()  # (reading, split) of which a pack was made

    def run(self, arguments):
        self.runs += 1
        output = self.folder / f"out{self.runs}"
        tail = ["-o", output.name] if arguments[0] == "pack" else []
        done = run(*arguments, *tail, cwd=self.folder, expect=None)
        text = done.stdout + done.stderr
        self.log.append((shlex.join(["hotpack", *arguments]), done.returncode, text))
        return done.returncode, text, output

    def is_right(self, output):
        pack = Pack(output, self.photos)
        if pack.count in self.layout.classes:
            for i, reading in enumerate(self.layout.readings()):
                expected = self.files.expected(reading, pack.count)
                if pack.sets == expected:
                    return True
                if len(pack.sets) == 1:
                    self.parts |= {(i, split) for split, samples in expected.items() if [samples] == list(pack.sets.values())}
        self.log.append(("packed", pack.count, {split: len(list(samples.elements())) for split, samples in pack.sets.items()}))
        return False

    def problem(self, text):
        self.problems.append(f"{self.layout.name}: {text}")

    def follow(self):
        code, text, output = self.run(["pack", self.layout.name])
        self.check_agrees(code)
        if code == 0:
            self.packed = True
            if not self.is_right(output):
                self.problem("packed wrongly without a question")
            elif self.layout.class_folders and all(not row for samples in Pack(output, self.photos).sets.values() for _, row in samples if isinstance(row, bytes)):
                self.problem("class folders were packed without --image-folders")
            else:
                self.commands = 1
            return
        self.check_refusal(text)
        self.seen.add(("pack", self.layout.name))
        self.search([(["pack", self.layout.name], text, text)])

    def check_agrees(self, code):
        check, text, _ = self.run(["check", self.layout.name])
        if (check == 0) != (code == 0):
            self.problem(f"`check` exits {check}, `pack` {code}")

    def check_refusal(self, text):
        if code_of_usage(text) or self.layout.right and "hotpack pack" not in text and not any(option in text for option in FILLED):
            self.problem("the refusal contains no command")
        if not FOUND.search(text):
            self.problem("the refusal has no counts")
        tops = {path.split("/")[0] for path in self.files.made if "/" in path}
        if tops and not any(top in text for top in tops):
            self.problem("the refusal names no folder that was found")
        if not self.layout.right and not re.search(self.layout.reason, text, re.I):
            self.problem(f"the refusal says nothing of '{self.layout.reason}'")

    def search(self, level):
        """Runs what the messages of each level offer; stops at the first right pack."""
        for depth in range(2, MOST_COMMANDS + 1):
            after = []
            for arguments, text, heard in level:
                for command, offer in self.offers(arguments, text, heard):
                    code, answer, output = self.run(command)
                    self.check_advice(command, code, answer)
                    if code != 0 or command[0] == "check":
                        after.append((command, answer, heard + answer))
                        continue
                    parts = set(self.parts)
                    if self.is_right(output):
                        self.commands, self.way = self.commands or depth, self.way or ("filled in" if offer == "user" else "printed")
                    elif self.parts == parts:
                        self.wrong(command, offer)
            for i, reading in enumerate(self.layout.readings()):
                # A pack of each split, by a command of its own.
                if {split for at, split in self.parts if at == i} == set(self.files.expected(reading, self.layout.classes[-1])):
                    self.commands = self.commands or depth - 1 + len(reading)
            if self.commands:
                return
            level = after

    def offers(self, arguments, text, heard):
        """(command, how it was offered) of a message: complete commands, and options that the user fills in."""
        found = []
        complete = [(without_output(command), above) for command, above in printed_commands(text)]
        complete = [(command, above) for command, above in complete if not any(PLACEHOLDER.search(word) for word in command)]
        packs = [command for command, _ in complete if command[0] == "pack"]
        for command, above in complete:
            alone = len(packs) == 1 and not re.search(r"\bif\b", above, re.I)
            found.append((command, "alone" if alone else "choice"))
        if self.right and arguments[0] == "pack":
            known = {name for name, _ in self.right if name in heard}
            answers = [(name, values) for name, values in self.right if name in LABEL_OPTIONS & known]
            mine = [(name, values) for name, values in self.right if name in known & FILLED]
            given = options(arguments[1:])
            found.append((["pack", *flattened(given + [each for each in answers if each[0] not in dict(given)])], "user"))
            if {name for name, _ in self.right} & INPUTS <= known & FILLED and not any("{" in value for _, values in mine for value in values):
                found.append((["pack", *flattened(mine)], "user"))
        new = [(command, offer) for command, offer in found if tuple(command) not in self.seen]
        self.seen |= {tuple(command) for command, _ in new}
        return new

    def check_advice(self, command, code, answer):
        line = shlex.join(command)
        if re.search(r"--orphans[ =]skip|--size-mismatch[ =]resize-label", line) or "--num-classes" in line and "--num-classes" not in dict(self.right):
            self.problem(f"printed: {line}")
        if code not in (0, 1, 3) or code_of_usage(answer):
            self.problem(f"exit {code} of: {line}")

    def wrong(self, command, offer):
        if offer == "alone":
            self.problem(f"the only printed command packs wrongly: {shlex.join(command)}")
        elif offer == "user":
            self.log.append(("incomplete command packs", 0, shlex.join(command)))

    def transcript(self):
        return "\n".join(f"$ {command}\n[{code}] {text}" for command, code, text in self.log)


def code_of_usage(text):
    return "unexpected argument" in text or "unknown option" in text


class ForeignLayouts(unittest.TestCase):
    maxDiff = None

    def test_each_layout_is_packed_rightly_or_asked_for(self):
        with Scratch() as folder:
            photos = photo_checksums([Files(layout) for layout in LAYOUTS], folder)
            cache = {}

            def follow(layout):
                dialogue = Dialogue(layout, folder / layout.name, photos, cache)
                dialogue.follow()
                return dialogue

            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                dialogues = list(pool.map(follow, LAYOUTS))
        print(summary(dialogues))
        problems = [problem for dialogue in dialogues for problem in dialogue.problems]
        self.assertEqual(problems, [])
        self.assertGreaterEqual(sum(is_reached(dialogue) for dialogue in dialogues), REACHED)

    def test_the_right_commands_pack_as_the_table_says(self):
        with Scratch() as folder:
            photos = photo_checksums([Files(layout) for layout in LAYOUTS], folder)
            cache = {}
            for layout in LAYOUTS:
                if layout.right:
                    with self.subTest(layout.name):
                        dialogue = Dialogue(layout, folder / layout.name, photos, cache)
                        code, text, output = dialogue.run(["pack", *flattened(dialogue.right)])
                        self.assertTrue(code == 0 and dialogue.is_right(output), dialogue.transcript())


def is_reached(dialogue):
    """True if the right pack was reached, or if it was rightly said that there is none."""
    return not dialogue.problems and ((dialogue.commands or MOST_COMMANDS + 1) <= MOST_COMMANDS or not dialogue.layout.right)


def summary(dialogues):
    lines = [f"{'layout':20} {'answer':8} commands"]
    for each in dialogues:
        commands = each.commands or ("no pack is right" if not each.layout.right else f"more than {MOST_COMMANDS}")
        lines.append(f"{each.layout.name:20} {'packed' if each.packed else 'asked':8} {commands} {each.way}{'  PROBLEM' if each.problems else ''}")
    counts = Counter(each.commands for each in dialogues if each.layout.right)
    lines.append(f"{len(dialogues)} layouts: {sum(each.packed for each in dialogues)} packed, {sum(not each.packed for each in dialogues)} asked; "
                 f"right after 1 command: {counts[1]}, 2: {counts[2]}, 3: {counts[3]}, more or never: {sum(counts.values()) - counts[1] - counts[2] - counts[3]}; "
                 f"no right pack: {sum(not each.layout.right for each in dialogues)}; problems: {sum(len(each.problems) for each in dialogues)}")
    return "\n".join(lines)


if __name__ == "__main__":
    chosen = [layout for layout in LAYOUTS if layout.name in sys.argv[1:]]
    if chosen:
        with Scratch() as place:
            for one in chosen:
                shown = Dialogue(one, place / one.name, photo_checksums([Files(one)], place), {})
                shown.follow()
                print(shown.transcript(), *shown.problems, sep="\n")
                print(summary([shown]))
    else:
        unittest.main()
