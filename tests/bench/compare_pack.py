#!/usr/bin/env python3
"""What packing costs: hotpack next to the program at the limit (limit/limit.cpp), C++ with OpenCV, and Python with OpenCV and NumPy.

usage: compare_pack.py HOTPACK LIMIT OPENCV_PACK [--jobs LIST] [--rounds N] [--threads LIST] [--camvid DIR] [--quick] [--json FILE]

  --jobs      some of: ids, bits, one_hot, jpeg, photos, photos-scaled, photos-triangle, classes, classes-triangle, small   (default: all)
  --rounds    each figure is the median of so many rounds (default: 7)
  --threads   of hotpack and of the program at the limit (default: 1,2); the other programs have one
  --camvid    the folder of CamVid as SegNet has it, with `train` and `trainannot` or `val` and `valannot`, instead of generated pairs;
              the pairs are repeated until there are 367, as in `train`
  --quick     fewer samples
  --json      where the report goes

All programs run in turn, on as many cores as they have threads, with input and output in memory. hotpack is timed from start to end, the
others without their start (importing NumPy takes longer than packing twenty pairs). Ratios are medians of the ratios of each round.
"""

import argparse
import shutil
import sys
from pathlib import Path

import bench_inputs
import numpy as np
from measuring import cores, median, run, save, scratch
from pack_records import PackFiles

SIZE = "512x512"
CAMVID_TRAIN = 367  # pairs
HERE = Path(__file__).resolve().parent
STREET = HERE.parent.parent / "sample_data" / "street"
SCRIPT = [sys.executable, HERE / "one_hot_it.py"]
LIMIT, HOTPACK, OPENCV, PYTHON = "limit", "hotpack", "OpenCV in C++", "OpenCV and NumPy"


class Series:
    """One program's runs on one task. `measure` returns seconds per 1,000 samples: on the clock, and of the processor."""

    def __init__(self, name, measure):
        self.name, self.measure = name, measure
        self.wall, self.processor = [], []

    def add_round(self):
        wall, processor = self.measure()
        self.wall.append(wall)
        self.processor.append(processor)

    def figures(self):
        return {"seconds": round(median(self.wall), 4), "processor_seconds": round(median(self.processor), 4),
                "spread": round(spread(self.wall), 4), "all_seconds": [round(value, 4) for value in self.wall],
                "all_processor_seconds": [round(value, 4) for value in self.processor]}


def spread(values):
    """Half of the distance between the quartiles, as a share of the median."""
    low, middle, high = np.percentile(values, [25, 50, 75])
    return (high - low) / 2 / middle


def ratio(above, below):
    return median([a / b for a, b in zip(above, below, strict=True)])


def pair_arguments(pairs, labels, storage):
    """Of hotpack; `labels`: ids or masks."""
    table = ["--num-classes", pairs.class_count] if labels == "ids" else ["--classes", pairs.classes, "--unknown", "ignore"]
    return ["--images", pairs.images, "--labels", getattr(pairs, labels), *table, "--size", SIZE, "--label-storage", storage]


def pair_peer(program, pairs, labels, out):
    """The command of a program that takes the arguments of opencv_pack and one_hot_it.py."""
    form = "ids" if labels == "ids" else "onehot"
    return [*program, form, pairs.images, getattr(pairs, labels), SIZE, out, pairs.classes]


def timed_by_itself(name, command, out, count, threads=1):
    """A program that prints the seconds it took: on the clock, and of the processor."""

    def measure():
        out.unlink(missing_ok=True)
        words = run(command, cores(threads)).output.split()
        return tuple(float(word) * 1000 / count for word in words)

    return Series(name, measure)


def packing(hotpack, arguments, threads, out, count):
    def measure():
        shutil.rmtree(out, ignore_errors=True)
        cost = run([hotpack, "pack", *arguments, "-j", threads, "-qq", "-o", out], cores(threads))
        return cost.wall * 1000 / count, cost.processor * 1000 / count

    return Series(HOTPACK, measure)


class Inputs:
    """Made when a job first needs them."""

    def __init__(self, options, folder):
        self.options, self.folder, self.made = options, folder, {}

    def get(self, kind):
        if kind not in self.made:
            self.made[kind] = getattr(self, "make_" + kind)(self.folder / kind)
        return self.made[kind]

    def make_pairs(self, folder):
        count = 40 if self.options.quick else CAMVID_TRAIN
        if self.options.camvid is None:
            return bench_inputs.from_samples(STREET, folder, count, (480, 360), grain=2, more_classes=4)
        for split in ("train", "val"):
            images, labels = (self.options.camvid / name for name in (split, split + "annot"))
            if images.is_dir() and labels.is_dir():
                return bench_inputs.from_ids(images, labels, folder, count)
        sys.exit(f"{self.options.camvid} has neither train and trainannot nor val and valannot")

    def make_jpeg_pairs(self, folder):
        return bench_inputs.as_jpeg(self.get("pairs"), folder)

    def make_photos(self, folder):
        return bench_inputs.camera_photos(folder, 3 if self.options.quick else 12)

    def make_classes(self, folder):
        return bench_inputs.class_folders(folder, 60 if self.options.quick else 400)

    def make_small(self, folder):
        return bench_inputs.small_images(folder, 2_000 if self.options.quick else 50_000)


class Job:
    """One kind of packing by all programs. `series[threads]` are those with so many threads, hotpack and the program at the limit first."""

    def __init__(self, title, count, hotpack, limit, peers, compared, options, folder):
        self.title, self.count, self.compared = title, count, compared
        self.pack, self.records, peer_records = folder / "pack", folder / "limit.bin", folder / "peer.bin"
        self.series = {}
        for threads in options.threads:
            command = [options.limit, *limit[:4], self.records, *limit[4:], "--threads", threads]
            self.series[threads] = [packing(options.hotpack, hotpack, threads, self.pack, count),
                                    timed_by_itself(LIMIT, command, self.records, count, threads)]
        self.series[options.threads[0]] += [timed_by_itself(name, command, peer_records, count) for name, command in peers.items()]

    def add_round(self):
        for all_series in self.series.values():
            for series in all_series:
                series.add_round()

    def difference(self):
        """How far the records of the program at the limit are from hotpack's, after a round; None if they need not be equal."""
        if not self.compared:
            return None
        pack = PackFiles(self.pack)
        limit = np.memmap(self.records, np.uint8, mode="r")
        image_at, label_at = 0, sum(pack.places(sample)[0][2] for sample in range(len(pack.records)))
        equal = {"images": 0, "labels": 0}
        total, largest = dict(equal), 0
        for sample in range(len(pack.records)):
            image, label = (np.fromfile(path, np.uint8, size, offset=offset) for path, offset, size in pack.places(sample))
            other = limit[image_at:image_at + image.size]
            largest = max(largest, int(np.abs(image.astype(np.int16) - other).max()))
            for name, record, same in (("images", image, other), ("labels", label, limit[label_at:label_at + label.size])):
                equal[name] += int((record == same).sum())
                total[name] += record.size
            image_at, label_at = image_at + image.size, label_at + label.size
        return {"largest": largest, **{name: equal[name] / total[name] for name in equal}}

    def figures(self, threads):
        hotpack, limit, *peers = self.series[threads]
        first = next(iter(self.series.values()))[0]
        return {"programs": {series.name: series.figures() for series in self.series[threads]},
                "hotpack_to_limit": round(ratio(hotpack.wall, limit.wall), 4),
                "hotpack_to_limit_processor": round(ratio(hotpack.processor, limit.processor), 4),
                "to_hotpack": {peer.name: round(ratio(peer.wall, hotpack.wall), 4) for peer in peers},
                "faster_than_first": round(ratio(first.wall, hotpack.wall), 4)}


def pair_jobs(options, inputs, folder):
    """name: function that makes the job"""

    def job(title, kind, labels, storage):
        pairs = inputs.get(kind)
        table = ["--class-count", pairs.class_count] if labels == "ids" else ["--classes", pairs.classes]
        limit = [storage, pairs.images, getattr(pairs, labels), SIZE, *table]
        peers = {name: pair_peer(program, pairs, labels, folder / "peer.bin")
                 for name, program in ((OPENCV, [options.opencv_pack]), (PYTHON, SCRIPT))}
        return Job(title, pairs.count, pair_arguments(pairs, labels, storage), limit, peers, True, options, folder)

    return {
        "ids": lambda: job("PNG + gray ids, index", "pairs", "ids", "index"),
        "bits": lambda: job("PNG + RGB masks, bits", "pairs", "masks", "bits"),
        "one_hot": lambda: job("PNG + RGB masks, one-hot bytes", "pairs", "masks", "one_hot"),
        "jpeg": lambda: job("JPEG + gray ids, index", "jpeg_pairs", "ids", "index"),
    }


def image_jobs(options, inputs, folder):
    """name: function that makes the job"""

    def job(title, kind, size, *hotpack, scale=(), peer=True, compared=True):
        images = inputs.get(kind)
        count = len(bench_inputs.files(images))
        hotpack = ["--image-folders", images, "--size", size, "--label-storage", "index", *hotpack]
        limit = ["class", images, "-", size, *scale]
        peers = {OPENCV: [options.opencv_pack, "images", images, "-", size, folder / "peer.bin"]} if peer else {}
        return Job(title, count, hotpack, limit, peers, compared, options, folder)

    has_scale = "--jpeg-scale" in run([options.hotpack, "pack", "--help"]).output
    full = ["--jpeg-scale", "off"] if has_scale else []
    return {
        "photos": lambda: job("JPEG 4000x3000 to 512x512, area", "photos", SIZE, *full),
        "photos-scaled": lambda: job("the same, scaled by the decoder", "photos", SIZE, scale=["--scale"], compared=has_scale),
        "photos-triangle": lambda: job("the same, triangle", "photos", SIZE, "--image-filter", "triangle", scale=["--scale"],
                                       peer=False, compared=False),
        "classes": lambda: job("class folders, JPEG to 224x224, area", "classes", "224x224"),
        "classes-triangle": lambda: job("class folders to 224x224, triangle", "classes", "224x224", "--image-filter", "triangle",
                                        peer=False, compared=False),
        "small": lambda: job("class folders, PNG 32x32", "small", "32x32"),
    }


HEADER = (f"{'seconds per 1,000 samples':<37}{'threads':>7} {'limit':>8}{'hotpack':>9}{'spread':>8}{'/limit':>8}{'of CPU':>8}"
          f"{'OpenCV':>9}{'/hotpack':>9}{'Python':>9}{'/hotpack':>9}{'scaling':>9}")


def table_row(title, threads, figures):
    programs = figures["programs"]
    row = (f"{title:<37}{threads:>7} {programs[LIMIT]['seconds']:>8.3f}{programs[HOTPACK]['seconds']:>9.3f}"
           f"{programs[HOTPACK]['spread']:>8.1%}{figures['hotpack_to_limit']:>8.2f}{figures['hotpack_to_limit_processor']:>8.2f}")
    for peer in (OPENCV, PYTHON):
        known = peer in programs
        row += f"{programs[peer]['seconds']:>9.2f}{figures['to_hotpack'][peer]:>9.2f}" if known else f"{'-':>9}{'-':>9}"
    return row + f"{figures['faster_than_first']:>9.2f}"


def difference_text(found):
    if found is None:
        return "records not compared: another filter"
    return (f"the limit's records: {found['images']:.4%} of the image bytes and {found['labels']:.4%} of the label bytes equal hotpack's, "
            f"largest difference {found['largest']}")


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    for name in ("hotpack", "limit", "opencv_pack"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--jobs", type=lambda text: text.split(","))
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--threads", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2])
    parser.add_argument("--camvid", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path, default=Path("build/bench/pack.json"))
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 7)
    return options


def make_jobs(options, folder):
    inputs = Inputs(options, folder / "inputs")
    makers = {**pair_jobs(options, inputs, folder), **image_jobs(options, inputs, folder)}
    names = options.jobs or list(makers)
    if unknown := [name for name in names if name not in makers]:
        sys.exit(f"unknown job {unknown[0]}; there are {', '.join(makers)}")
    return {name: makers[name]() for name in names}


def measure(jobs, rounds):
    """Rounds of all jobs in turn; returns how the records of each job differ."""
    differences = {}
    for _ in range(rounds):
        for name, job in jobs.items():
            job.add_round()
            if name not in differences:
                differences[name] = job.difference()
    return differences


def main():
    options = parse_arguments()
    with scratch() as name:
        jobs = make_jobs(options, Path(name))
        differences = measure(jobs, options.rounds)
    print(f"medians of {options.rounds} interleaved rounds; input and output in memory; 'of CPU': the ratio of processor seconds\n{HEADER}")
    figures = {}
    for name, job in jobs.items():
        rows = {threads: job.figures(threads) for threads in job.series}
        for threads, row in rows.items():
            print(table_row(job.title, threads, row))
        figures[name] = {"title": job.title, "samples": job.count, "difference": differences[name], "threads": rows}
    print("".join(f"{job.title}: {difference_text(differences[name])}\n" for name, job in jobs.items()))
    save(options.json, {"rounds": options.rounds, "jobs": figures})


if __name__ == "__main__":
    main()
