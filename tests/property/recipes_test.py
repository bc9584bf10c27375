#!/usr/bin/env python3
"""Every line of docs/datasets.md packs an imitation of its data set, and every label gets the right classes."""

import os
import shlex
import unittest
from pathlib import Path

from imitations import IMITATIONS
from packs import Scratch, run
from shards import label_values

DATASETS = Path(os.environ["DATASETS"])


def recipes():
    """(title, arguments) of each line of the section's block."""
    text = DATASETS.read_text()
    block = text.split("## Known data sets", 1)[1].split("```", 2)[1]
    found, title = [], None
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("# "):
            title = line[2:]
        elif line.startswith("hotpack pack "):
            found.append((title, shlex.split(line)[1:]))
    return found


class Recipes(unittest.TestCase):
    def test_every_line_has_an_imitation_and_every_imitation_a_line(self):
        titles = [title for title, _ in recipes()]
        for title in titles:
            self.assertEqual(sum(title.startswith(name) for name in IMITATIONS), 1, title)
        self.assertEqual(len(titles), len(IMITATIONS))

    def test_every_line_packs_the_expected_classes(self):
        for title, arguments in recipes():
            name = next(name for name in IMITATIONS if title.startswith(name))
            with self.subTest(title), Scratch() as folder:
                self.pack(arguments, IMITATIONS[name], folder)

    def pack(self, arguments, imitation, folder):
        before = os.getcwd()
        os.chdir(folder)
        try:
            expected = imitation()
            run(*arguments)
            output = Path(arguments[arguments.index("-o") + 1])
            self.assertEqual({""} if (output / "dataset.json").exists() else {p.name for p in output.iterdir()}, set(expected))
            for split, keys in expected.items():
                run("verify", output / split)
                self.check_labels(label_values(output / split), keys, padded=bool({"contain", "crop-or-pad"} & set(arguments)))
            self.check_groups(arguments, output, expected)
        finally:
            os.chdir(before)

    def check_labels(self, found, keys, padded):
        if keys is None:
            return
        self.assertEqual(set(found), set(keys))
        for key, values in keys.items():
            if values is not None:
                self.assertEqual(found[key] | ({-1} if padded else set()), values | ({-1} if padded else set()), key)

    def check_groups(self, arguments, output, expected):
        """Samples of one group are in one set."""
        if "--group" not in arguments:
            return
        groups = [{key.split("_")[0] for key in label_values(output / split)} for split in expected]
        self.assertFalse(groups[0] & groups[1])


if __name__ == "__main__":
    unittest.main()
