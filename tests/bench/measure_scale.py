#!/usr/bin/env python3
"""How packing grows: planning of many samples and its memory, N parts next to one run, and data sets of many shards.

usage: measure_scale.py HOTPACK LIBRARY REPORT.json [--samples LIST] [--parts LIST] [--part-samples N] [--shards LIST]
                        [--records N] [--tables LIST] [--folder DIR]

Samples are pairs of 16x16 pixels, and 64x64 for the parts, by hard links in memory, or below DIR. LIBRARY is libhotpack.so. An empty list leaves
a table out.
"""

import argparse
import ctypes
import json
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

from measure_memory import SIDE, png
from measuring import cores, run, save, scratch

MOST_LINKS = 30_000  # of one file; ext4 allows 65,000
# A child's peak counts what its parent held when it was started: hence a small parent for each run.
SMALL_PARENT = """
import os, sys, time
began = time.perf_counter()
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ), 0)
print("\\n", usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss)
sys.exit(status != 0)
"""
TABLES = ("plan", "memory", "parts", "shards")


class Measured:
    """Seconds of the processor and on the clock, peak memory in bytes, and the text of one run."""

    def __init__(self, command):
        output = run([sys.executable, "-I", "-S", "-c", SMALL_PARENT, *command], cores(2)).output
        self.text, _, last = output.rstrip().rpartition("\n")
        processor, wall, peak = map(float, last.split())
        self.processor, self.wall, self.peak = processor, wall, int(peak) * 1024

    def figures(self):
        return {"processor_seconds": self.processor, "seconds": self.wall, "peak_bytes": self.peak}


def make_pairs(folder, count):
    """Images of a gradient with ids 0…3, as many names as wanted of a few files; returns the options that name them."""
    rows = [bytes(16 * channel * y % 256 for x in range(SIDE) for channel in (x, 1, 2)) for y in range(SIDE)]
    ids = [bytes(x // 8 + y // 8 * 2 for x in range(SIDE)) for y in range(SIDE)]
    for kind, content in (("images", png(2, rows)), ("labels", png(0, ids))):
        for number in range(count):
            if number % 1000 == 0:
                group = folder / kind / f"{number // 1000:05}"
                group.mkdir(parents=True)
            if number % MOST_LINKS == 0:
                original = group / f"{number:08}.png"
                original.write_bytes(content)
            else:
                os.link(original, group / f"{number:08}.png")
    return ["--images", folder / "images", "--labels", folder / "labels", "--num-classes", "4", "--size", f"{SIDE}x{SIDE}"]


def make_tiles(hotpack, folder, count):
    """Pairs of 64x64 pixels, cut from the images of sample_data, by hard links."""
    street = Path(__file__).resolve().parents[2] / "sample_data" / "street"
    tiles, back = folder / "tiles", folder / "back"
    run([hotpack, "pack", "--images", street / "images", "--labels", street / "masks_color", "--classes",
         street / "class_dict.csv", "--tile", "64x64+32", "-qq", "-o", tiles])
    run([hotpack, "extract", tiles, "-qq", "-o", back])
    names = sorted(path.relative_to(back / "images") for path in back.glob("images/**/*.png"))
    for kind in ("images", "labels"):
        for number in range(count):
            if number % 1000 == 0:
                group = folder / kind / f"{number // 1000:05}"
                group.mkdir(parents=True)
            os.link(back / kind / names[number % len(names)], group / f"{number:08}.png")
    return ["--images", folder / "images", "--labels", folder / "labels", "--classes", tiles, "--size", "64x64"]


def row(name, cells):
    print(f"  {name:<34}" + "".join(f"{cell:>16}" for cell in cells), flush=True)


def seconds(value):
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def mebibytes(value):
    return f"{value / 2**20:.0f} MiB"


def plan_table(hotpack, folder, sizes):
    """`pack -n`, `plan`, and a part of a thousand from the plan."""
    print("planning, -j2")
    row("", ["CPU", "wall", "peak", "bytes a sample"])
    found = {}
    for size in sizes:
        place = folder / str(size)
        inputs = make_pairs(place, size)
        base = Measured([hotpack, "--version"]).peak
        dry = Measured([hotpack, "pack", *inputs, "-n", "-j2", "-qq", "-o", place / "no"])
        plan = Measured([hotpack, "plan", *inputs, "-j2", "-qq", "-o", place / "plan"])
        part = Measured([hotpack, "pack", "--plan", place / "plan", "--partition", "7/1000", "-n", "-qq", "-o", place / "no"])
        bytes_each = (place / "plan").stat().st_size / size
        for name, one in (("pack -n", dry), ("plan", plan), ("pack --plan --partition 7/1000 -n", part)):
            grown = "" if one is part else f"{(one.peak - base) / size:.0f}"
            cells = [seconds(one.processor), seconds(one.wall), mebibytes(one.peak), grown]
            row(f"{size:,}: {name}" if one is dry else f"  {name}", cells)
        row("  the file of the plan", ["", "", "", f"{bytes_each:.1f}"])
        found[size] = {"dry_run": dry.figures(), "plan": plan.figures(), "part": part.figures(), "file_bytes_a_sample": bytes_each}
        shutil.rmtree(place)
    return found


def ways_of_naming(folder, pairs, count):
    """The same files, named in every way that an option offers: a name, and the options."""
    images, labels = pairs[1], pairs[3]
    names = [f"{number // 1000:05}/{number:08}.png" for number in range(count)]
    (folder / "list.txt").write_text("".join(f"{name}\n" for name in names))
    (folder / "pairs.csv").write_text("".join(f"images/{name},labels/{name}\n" for name in names))
    splits = ("train", "train", "train", "val")
    (folder / "splits.csv").write_text("image,label,split\n" + "".join(
        f"images/{name},labels/{name},{splits[number % 4]}\n" for number, name in enumerate(names)))
    ids = pairs[4:]
    return {"--images --labels": pairs, "  --shuffle": [*pairs, "--shuffle", "1"], "  --split": [*pairs, "--split", "ratio:train=80,val=20"],
            "--images --list": ["--images", images, "--labels", labels, "--list", folder / "list.txt", *ids],
            "--pairs": ["--pairs", folder / "pairs.csv", *ids], "--pairs with splits": ["--pairs", folder / "splits.csv", *ids],
            "--image-folders": ["--image-folders", images, "--size", f"{SIDE}x{SIDE}"]}


def memory_table(hotpack, folder, sizes):
    """The memory of a dry run grows by so many bytes with each sample."""
    least, most = min(sizes), max(sizes)
    print(f"\nmemory of planning, from {least:,} to {most:,} samples")
    row("", ["peak", "bytes a sample"])
    peaks = {}
    for size in (least, most):
        place = folder / "memory"
        pairs = make_pairs(place, size)
        for name, inputs in ways_of_naming(place, pairs, size).items():
            peaks.setdefault(name, []).append(Measured([hotpack, "pack", *inputs, "-n", "-j2", "-qq", "-o", place / "no"]).peak)
        shutil.rmtree(place)
    found = {}
    for name, (small, large) in peaks.items():
        found[name.strip()] = {"peak_bytes": large, "bytes_a_sample": (large - small) / max(1, most - least)}
        row(name, [mebibytes(large), f"{found[name.strip()]['bytes_a_sample']:.0f}"])
    return found


def parts_table(hotpack, folder, counts, samples):
    """The sum of the CPU of N parts, with a plan and without, over that of a single run."""
    inputs = [*make_tiles(hotpack, folder / "parts", samples), "--shard-samples", max(1, samples // max(counts))]
    alone = Measured([hotpack, "pack", *inputs, "-j1", "-qq", "-o", folder / "alone"])
    plan = Measured([hotpack, "plan", *inputs, "-j1", "-qq", "-o", folder / "plan"])
    print(f"\nparts of {samples:,} samples of 64x64: sum of CPU, over a single run of {seconds(alone.processor)}")
    row("", ["without a plan", "with a plan", "ratio", "ratio"])
    found = {"single_run": alone.figures(), "plan": plan.figures()}
    for count in counts:
        sums = []
        for source in (inputs, ["--plan", folder / "plan"]):
            out = folder / "out"
            words = [hotpack, "pack", *source, "-j1", "-qq", "-o", out]
            sums.append(sum(Measured([*words, "--partition", f"{part}/{count}"]).processor for part in range(count)))
            if not (out / "shard-00000-of-00001.safetensors").exists():
                run([hotpack, "merge", out, "-qq"])
            shutil.rmtree(out)
        sums[1] += plan.processor
        row(f"{count} parts", [*map(seconds, sums), *(f"{one / alone.processor:.2f}" for one in sums)])
        found[count] = {"without_plan": sums[0], "with_plan": sums[1]}
    shutil.rmtree(folder / "alone")
    return found


def open_dataset(library, pack):
    """In a process of its own: seconds and bytes of hotpack_dataset_open."""
    text = run([sys.executable, __file__, "--open", library, pack]).output
    return map(float, text.split())


def open_here(library, pack):
    c, dataset = ctypes.CDLL(library), ctypes.c_void_p()
    before = resident_bytes()
    began = time.perf_counter()
    if c.hotpack_dataset_open(pack.encode(), ctypes.byref(dataset)) < 0:
        sys.exit(f"cannot open {pack}")
    print(time.perf_counter() - began, resident_bytes() - before)


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def shards_table(hotpack, library, folder, counts, records):
    """A data set of so many shards: merged, opened, verified, packed again."""
    place = folder / "shards"
    inputs = make_pairs(place, records)
    print(f"\nshards of {records:,} records of {SIDE}x{SIDE}, -j2")
    row("", ["CPU", "wall", "peak", "dataset.json"])
    found = {}
    for count in counts:
        out = place / "out"
        words = [hotpack, "pack", *inputs, "--shard-samples", max(1, records // count), "-j2", "-qq", "-o", out]
        run(words)
        manifest = out / "dataset.json"
        actual, size = len(json.loads(manifest.read_text())["shards"]), manifest.stat().st_size
        manifest.unlink()
        steps = {"merge": [hotpack, "merge", out, "-qq"], "verify": [hotpack, "verify", out, "-j2", "-qq"],
                 "info": [hotpack, "info", out], "pack again": words}
        found[actual] = {"manifest_bytes": size}
        for name, command in steps.items():
            one = Measured(command)
            text = f"{size / 1000:,.0f} kB" if name == "merge" else ""
            row(f"{actual:,}: {name}" if name == "merge" else f"  {name}",
                [seconds(one.processor), seconds(one.wall), mebibytes(one.peak), text])
            found[actual][name] = one.figures()
        opened, grown = min(tuple(open_dataset(library, out)) for _ in range(5))
        row("  Dataset::open", ["", seconds(opened), mebibytes(grown), ""])
        found[actual]["open"] = {"seconds": opened, "bytes": grown}
        shutil.rmtree(out)
    return found


def numbers(text):
    return [int(float(word)) for word in re.findall(r"[\d.e+]+", text)]


def main():
    if sys.argv[1:2] == ["--open"]:
        return open_here(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hotpack", type=lambda name: Path(name).resolve())
    parser.add_argument("library", type=lambda name: Path(name).resolve())
    parser.add_argument("report")
    parser.add_argument("--samples", type=numbers, default=[200_000, 1_000_000], metavar="LIST")
    parser.add_argument("--parts", type=numbers, default=[1, 10, 40, 80], metavar="LIST")
    parser.add_argument("--part-samples", type=int, default=20_000, metavar="N")
    parser.add_argument("--shards", type=numbers, default=[1_000, 10_000, 100_000], metavar="LIST")
    parser.add_argument("--records", type=int, default=200_000, metavar="N")
    parser.add_argument("--tables", default=",".join(TABLES), metavar="LIST")
    parser.add_argument("--folder", metavar="DIR")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) if options.folder else scratch() as name:
        folder, found = Path(name), {}
        if "plan" in options.tables:
            found["plan"] = plan_table(options.hotpack, folder, options.samples)
        if "memory" in options.tables:
            found["memory"] = memory_table(options.hotpack, folder, options.samples)
        if "parts" in options.tables:
            found["parts"] = parts_table(options.hotpack, folder, options.parts, options.part_samples)
        if "shards" in options.tables:
            found["shards"] = shards_table(options.hotpack, options.library, folder, options.shards, options.records)
    save(options.report, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
