#!/usr/bin/env python3
"""Seconds per 1,000 pairs packed to 512x512: hotpack next to plain programs: C++ with OpenCV, Python with OpenCV and NumPy.

All run in turn on one core, several rounds, output in memory; the figure is the median. hotpack is timed from start to end, the others
without their start (importing NumPy takes longer than packing twenty pairs). Then hotpack alone with two threads, and with every label storage.

usage: compare_speed.py HOTPACK OPENCV_PACK REPORT.json [--images DIR --labels DIR [--classes CSV]] [--pairs N] [--rounds N]
  --labels are gray ids, or RGB masks when --classes is given; the other kind is made from them. Without folders: images cut from
  sample_data, 480x360.
"""

import argparse
import shutil
import sys
from pathlib import Path

import bench_inputs
from measuring import cores, median, run, save, scratch

SIZE = "512x512"
HERE = Path(__file__).resolve().parent
STREET = HERE.parent.parent / "sample_data" / "street"


class Series:
    """One program's runs on one task."""

    def __init__(self, name, measure):
        self.name, self.measure = name, measure
        self.wall, self.processor = [], []

    def add_round(self):
        wall, processor = self.measure()
        self.wall.append(wall)
        self.processor.append(processor)

    def figures(self):
        return {"seconds": round(median(self.wall), 4), "processor_seconds": round(median(self.processor), 4),
                "all_seconds": [round(value, 4) for value in self.wall]}


class Programs:
    """How each program is run on the pairs. Figures are seconds per 1,000 pairs."""

    def __init__(self, hotpack, opencv_pack, pairs, folder):
        script = [sys.executable, HERE / "one_hot_it.py"]
        self.scripts = {"OpenCV and NumPy": script, "torchvision": [*script, "--torchvision"]}
        self.commands = {"OpenCV in C++": [opencv_pack], **self.scripts}
        self.hotpack, self.pairs, self.folder = hotpack, pairs, folder

    def peer(self, name, kind):
        labels = self.pairs.masks if kind == "onehot" else self.pairs.ids
        out = self.folder / "peer.bin"

        def measure():
            out.unlink(missing_ok=True)
            cost = run([*self.commands[name], kind, self.pairs.images, labels, SIZE, out, self.pairs.classes], cores(1))
            return tuple(float(word) * 1000 / self.pairs.count for word in cost.output.split())

        return Series(name, measure)

    def packing(self, kind, storage, threads=1):
        labels = ["--labels", self.pairs.masks, "--classes", self.pairs.classes, "--unknown", "ignore"]
        if kind == "ids":
            labels = ["--labels", self.pairs.ids, "--num-classes", self.pairs.class_count]
        out = self.folder / "pack"

        def measure():
            shutil.rmtree(out, ignore_errors=True)
            cost = run([self.hotpack, "pack", "--images", self.pairs.images, *labels, "--size", SIZE, "--label-storage", storage,
                        "-j", threads, "-qq", "-o", out], cores(threads))
            return cost.wall * 1000 / self.pairs.count, cost.processor * 1000 / self.pairs.count

        return Series(f"hotpack -j{threads}, {storage}", measure)


def tasks(programs):
    """Titles and series; the first of each is what the others are compared with."""
    return {
        "PNG + gray ids -> class ids": [programs.packing("ids", "index"), programs.peer("OpenCV in C++", "ids"),
                                        programs.peer("OpenCV and NumPy", "ids"), programs.packing("ids", "index", 2)],
        "PNG + RGB masks -> one-hot": [programs.packing("masks", "onehot"), programs.peer("OpenCV in C++", "onehot"),
                                       programs.peer("OpenCV and NumPy", "onehot"), programs.packing("masks", "onehot", 2),
                                       programs.packing("masks", "bits"), programs.packing("masks", "index")],
    }


def print_task(title, all_series):
    first = all_series[0]
    print(f"\n{title:<34}{'s/1000 pairs':>13}{'of processor':>13}{'times the first':>17}")
    for series in all_series:
        ratio = median(series.wall) / median(first.wall)
        print(f"  {series.name:<32}{median(series.wall):>13.3f}{median(series.processor):>13.3f}{ratio:>17.2f}")


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    for name in ("hotpack", "opencv_pack", "report"):
        parser.add_argument(name, type=Path)
    for name in ("--images", "--labels", "--classes"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    if (arguments.images is None) != (arguments.labels is None) or (arguments.classes and not arguments.labels):
        parser.error("--images and --labels go together, --classes goes with them")
    return arguments


def make_pairs(arguments, folder):
    if arguments.images is None:
        return bench_inputs.from_samples(STREET, folder, arguments.pairs, (480, 360))
    if arguments.classes is None:
        return bench_inputs.from_ids(arguments.images, arguments.labels, folder)
    return bench_inputs.from_masks(arguments.images, arguments.labels, arguments.classes, folder)


def main():
    arguments = parse_arguments()
    with scratch() as name:
        pairs = make_pairs(arguments, Path(name))
        print(f"{pairs.count} pairs, {pairs.class_count} classes, to {SIZE}, output in memory, median of {arguments.rounds} rounds")
        compared = tasks(Programs(arguments.hotpack, arguments.opencv_pack, pairs, Path(name)))
        for _ in range(arguments.rounds):
            for all_series in compared.values():
                for series in all_series:
                    series.add_round()
    for title, all_series in compared.items():
        print_task(title, all_series)
    figures = {title: {series.name: series.figures() for series in all_series} for title, all_series in compared.items()}
    save(arguments.report, {"pairs": pairs.count, "classes": pairs.class_count, "size": SIZE, "rounds": arguments.rounds, "tasks": figures})


if __name__ == "__main__":
    main()
