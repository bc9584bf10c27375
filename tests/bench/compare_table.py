#!/usr/bin/env python3
"""The table of README.md: packing next to Python scripts, and an epoch next to PyTorch's DataLoader and a reader in the style of FFCV.

usage: compare_table.py HOTPACK LOADER_SPEED REPORT.json [--rounds N] [--seconds S]

Data: 100 pairs of PNG, 480x360, cut from sample_data; for epochs a pack of 384 samples of 512x512 made of them, labels as class
ids. Everything lies in memory. Contestants take turns, N rounds (default 5), for epochs of S seconds each (default 0.5); figures are
medians, as seconds per 1,000 samples. Packing has one core, epochs have two. Contestants of a task give the same output, which is checked.
"""

import argparse
import math
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import bench_inputs
from compare_pack import PYTHON, SCRIPT, SIZE, STREET, packing, pair_arguments, pair_peer, timed_by_itself
from loader_compare import BATCH, TRAINING_BATCH, Program, Series, link_pictures
from measuring import cores, median, processor_name, run, save, scratch

HERE = Path(__file__).resolve().parent
PAIRS, SAMPLES = 100, 384
LIBRARIES = ("numpy", "opencv-python-headless", "torch", "torchvision", "numba")

# Contestants of an epoch by the beginning of their names, and how the table names the best of each kind.
KINDS = {"files, DataLoader with": "PyTorch `DataLoader`, PNG files by",
         "DataLoader, whole batches": "PyTorch `DataLoader`, memory-mapped records",
         "FFCV-style": "FFCV-style reader, memory map and numba"}
FORMS = {"plain": (BATCH, "Epoch, u8 images and class ids"), "training": (TRAINING_BATCH, "Epoch, normalized f32 images and one-hot f32")}


class Figure:
    """A contestant's median, in seconds per 1,000 samples."""

    def __init__(self, name, all_seconds):
        self.name, self.all, self.seconds = name, all_seconds, median(all_seconds)


# ---------------------------------------------------------------------------------------------------------------- packing


def measure_packing(hotpack, pairs, folder, rounds):
    """{title: (hotpack, [others])}"""
    scripts = {PYTHON: SCRIPT, "torchvision": [*SCRIPT, "--torchvision"]}
    kinds = {"Pack, RGB masks to one-hot": ("masks", "one_hot"), "Pack, gray class ids": ("ids", "index")}
    out = folder / "peer.bin"
    tasks = {title: [packing(hotpack, pair_arguments(pairs, labels, storage), 1, folder / "pack", pairs.count),
                     *(timed_by_itself(name, pair_peer(script, pairs, labels, out), out, pairs.count) for name, script in scripts.items())]
             for title, (labels, storage) in kinds.items()}
    for _ in range(rounds):
        for all_series in tasks.values():
            for series in all_series:
                series.add_round()
    figures = {title: [Figure(f"Python script with {series.name}", series.wall) for series in all_series]
               for title, all_series in tasks.items()}
    return {f"{title}, 1 core": (ours, others) for title, (ours, *others) in figures.items()}


# ---------------------------------------------------------------------------------------------------------------- epochs


def make_pack(hotpack, pairs, folder):
    """Image files of SAMPLES pairs, links to those there are, and their pack."""
    inputs = folder / "inputs"
    link_pictures(pairs.images.parent, inputs, SAMPLES)
    run([hotpack, "pack", "--images", inputs / "images", "--labels", inputs / "ids", "--num-classes", pairs.class_count, "--size", SIZE,
         "--image-filter", "linear", "--label-filter", "nearest-cv", "--label-storage", "index", "-qq", "-o", folder / "records"])
    return inputs, folder / "records"


class Peers:
    """One process per kind: libraries with threads of their own and forked workers do not mix."""

    def __init__(self, form, inputs, pack, folder):
        self.batch = FORMS[form][0]
        self.programs, self.series = [], []
        for kind in KINDS:
            program = Program([sys.executable, HERE / "loader_peers.py", pack, self.batch, "--files", inputs / "images", inputs / "ids",
                               "--ffcv", folder])
            self.programs.append(program)
            self.series += [Series(program, name) for name in program.ask(f"peers {form}").split("; ") if name.startswith(kind)]

    def check(self):
        """The first batch of each: mean of its images, sum of its labels. Records are the same to the bit, files are resized by others."""
        found = {series.name: [float(word) for word in series.program.ask(f"first {series.name}").split()] for series in self.series}
        expected = next(values for name, values in found.items() if name.startswith("DataLoader"))
        for name, values in found.items():
            tolerance = 0.02 if name.startswith("files") else 1e-4
            for value, right in zip(values, expected, strict=True):
                if not math.isclose(value, right, rel_tol=tolerance, abs_tol=tolerance):
                    sys.exit(f"{name} gives another batch: {found}")

    def close(self):
        for program in self.programs:
            program.close()


def check_sizes(all_series):
    sizes = {series.name: round(rate * 1e9 / samples) for series in all_series for rate, samples in series.rates[:1]}
    if len(set(sizes.values())) != 1:
        sys.exit(f"bytes per sample differ: {sizes}")


def measure_epoch(speed, form, inputs, pack, folder, options):
    batch, title = FORMS[form]
    peers = Peers(form, inputs, pack, folder)
    server = Program([speed, "serve", pack, batch])
    all_series = [Series(server, "hotpack", f"loader 2 {form}"), *peers.series]
    peers.check()
    for series in all_series:
        series.turn(0.05)  # opens files, allocates, compiles, and is not counted
        series.rates.clear()
    for _ in range(options.rounds):
        for series in all_series:
            series.turn(options.seconds)
    check_sizes(all_series)
    server.close()
    peers.close()
    ours, *figures = [Figure(series.name, [1000 / samples for _, samples in series.rates]) for series in all_series]
    others = []
    for kind, prefix in KINDS.items():
        best = min((figure for figure in figures if figure.name.startswith(kind)), key=lambda figure: figure.seconds)
        best.name = prefix + best.name.removeprefix(kind)
        others.append(best)
    return f"{title}, 2 cores", (ours, others)


# ---------------------------------------------------------------------------------------------------------------- table


def seconds_text(seconds):
    return f"{seconds:.3g} s" if seconds < 100 else f"{seconds:.0f} s"


def ratio_text(ratio):
    return f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.2g}×"


def table(tasks):
    lines = ["| 1,000 samples of 512x512 | hotpack | compared with | | ratio |", "|---|--:|---|--:|--:|"]
    for title, (ours, others) in tasks.items():
        first = f"| {title} | **{seconds_text(ours.seconds)}** "
        for other in others:
            lines.append(f"{first}| {other.name} | {seconds_text(other.seconds)} | {ratio_text(other.seconds / ours.seconds)} |")
            first = "| | "
    return "\n".join(lines)


def machine(hotpack):
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    own = run([hotpack, "--version"]).output.split("\n")[0]
    return (f"{processor_name()}, cores {', '.join(map(str, cores(2)))} of {os.cpu_count()}, Linux {platform.release()}; {own}; "
            f"Python {platform.python_version()}, {versions}")


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    for name in ("hotpack", "loader_speed", "report"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    return parser.parse_args()


def main():
    options = parse_arguments()
    with scratch() as name:
        folder = Path(name)
        pairs = bench_inputs.from_samples(STREET, folder, PAIRS, (480, 360))
        tasks = measure_packing(options.hotpack, pairs, folder, options.rounds)
        inputs, pack = make_pack(options.hotpack, pairs, folder)
        tasks |= dict(measure_epoch(options.loader_speed, form, inputs, pack, folder, options) for form in FORMS)
    print(table(tasks))
    print(f"\nSeconds per 1,000 samples, and the other's time divided by hotpack's. {machine(options.hotpack)}. PNG files of 480x360, "
          f"{pairs.class_count} classes, all data in memory; medians of {options.rounds} interleaved rounds; "
          f"load {os.getloadavg()[0]:.1f}. Repeat it with `scripts/bench table`.\n")
    figures = {title: {figure.name: {"seconds": round(figure.seconds, 4), "all_seconds": [round(value, 4) for value in figure.all]}
                       for figure in (ours, *others)} for title, (ours, others) in tasks.items()}
    save(options.report, {"rounds": options.rounds, "versions": {name: version(name) for name in LIBRARIES}, "tasks": figures})


if __name__ == "__main__":
    main()
