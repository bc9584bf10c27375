#!/usr/bin/env python3
"""The Loader next to plain C loops, NumPy and PyTorch, on the same packed records.

usage: loader_compare.py HOTPACK LOADER_SPEED FOLDER REPORT.json [--pack DIR] [--rounds N] [--seconds S] [--no-peers]

Packs are made in FOLDER from street pictures of sample_data: 367 and 1,500 samples of 512x512, 12 classes, labels once as class ids, once
as bits (about 4 GB); they stay there for the next time. With --pack: one of your own (512x512 or any size, 9 to 16 classes, not
compressed) in their place.

Contestants take turns of S seconds (default 0.4), N rounds (default 5); figures are medians. The records are in memory. Two cores.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import cores, median, run, save
from pack_records import PackFiles

HERE = Path(__file__).resolve().parent
STREET = HERE.parent.parent / "sample_data" / "street"
SIZE = "512x512"
CLASSES = 12
SHORT, LONG = 367, 1500
PICTURES = 100  # different ones; the others are links to them
BATCH = 32
TRAINING_BATCH = 16  # 252 MB of floats
THREADS = (1, 2)
STARTS = 15
PEERS_TARGETS = {"NumPy": 3.3, "DataLoader": 10}


# ---------------------------------------------------------------------------------------------------------------- packs


def link_pictures(made, folder, count):
    for name in ("images", "ids"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        sources = sorted((made / name).iterdir())
        for number in range(count):
            link = folder / name / f"{number:05}.png"
            if not link.exists():
                link.symlink_to(sources[number % len(sources)].resolve())


def make_packs(hotpack, folder):
    """{(samples, storage): folder}"""
    pictures = folder / "pictures"
    if not (pictures / "classes.csv").exists():
        import bench_inputs  # needs cv2

        bench_inputs.from_samples(STREET, pictures, PICTURES, (480, 360))
    packs = {}
    for count in (SHORT, LONG):
        inputs = folder / f"inputs-{count}"
        link_pictures(pictures, inputs, count)
        for storage in ("index", "bits"):
            packs[count, storage] = folder / f"{count}-{storage}"
            run([hotpack, "pack", "--images", inputs / "images", "--labels", inputs / "ids", "--num-classes", CLASSES, "--size", SIZE,
                 "--label-storage", storage, "-q", "-o", packs[count, storage]])
    return packs


# ---------------------------------------------------------------------------------------------------------------- turns


class Program:
    """One that answers a line with a line."""

    def __init__(self, command):
        pinned = ["taskset", "--cpu-list", ",".join(map(str, cores(2)))]
        self.child = subprocess.Popen([*pinned, *map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, line):
        print(line, file=self.child.stdin, flush=True)
        answer = self.child.stdout.readline()
        if not answer:
            sys.exit(f"{self.child.args} ended at: {line}")
        return answer.strip()

    def close(self):
        self.child.stdin.close()
        self.child.wait()


class Series:
    """One contestant's rates, GB/s."""

    def __init__(self, program, name, request=None):
        self.program, self.name, self.request = program, name, request or name
        self.rates = []

    def turn(self, seconds):
        samples, size, spent = map(float, self.program.ask(f"{seconds} {self.request}").split())
        self.rates.append((size / spent / 1e9, samples / spent))

    @property
    def rate(self):
        return median([rate for rate, _ in self.rates])

    def figures(self):
        return {"gigabytes_per_second": round(self.rate, 3), "samples_per_second": round(median([rate for _, rate in self.rates]), 1),
                "all": [round(rate, 3) for rate, _ in self.rates]}


class Comparison:
    """Contestants that take turns."""

    def __init__(self, options):
        self.options, self.figures = options, {}

    def measure(self, title, all_series):
        for series in all_series:
            series.turn(0.05)  # opens files, allocates, and is not counted
            series.rates.clear()
        for _ in range(self.options.rounds):
            for series in all_series:
                series.turn(self.options.seconds)
        self.figures[title] = {series.name: series.figures() for series in all_series}

    def ratio(self, title, name, ours, rivals, target=None):
        best = max(rivals, key=lambda series: series.rate)
        ratio = ours.rate / best.rate
        found = {"ratio": round(ratio, 3), "of": ours.name, "over": best.name}
        if target:
            found |= {"target": target, "good": ratio >= target}
        self.figures[title][name] = found
        verdict = "" if not target else f"   at least {target}: {'good' if ratio >= target else 'NOT REACHED'}"
        print(f"  {ours.name:<34}{ours.rate:8.2f}   {best.name:<44}{best.rate:8.2f}{ratio:8.2f}{verdict}")


def heading(title):
    print(f"\n{title}\n  {'hotpack':<34}{'GB/s':>8}   {'next to':<44}{'GB/s':>8}{'ratio':>8}")


# ---------------------------------------------------------------------------------------------------------------- comparisons


def compare_copies(comparison, speed, pack, title):
    """Bytes of stored records to slots, and of u8 + class ids, over memcpy with the same threads; the first epoch next to them."""
    heading(title)
    server = Program([speed, "serve", pack, BATCH])
    for threads in THREADS:
        name = f"{threads} thread{'s' * (threads > 1)}"
        packed = Series(server, f"records as stored, {name}", f"loader {threads} packed")
        plain = Series(server, f"u8 + class ids, {name}", f"loader {threads} plain")
        first = Series(server, f"first epoch, CRC checked, {name}", f"first-epoch {threads} packed")
        rivals = [Series(server, f"memcpy, {name}, {where}", f"memcpy {threads} {what}")
                  for what, where in (("one", "one batch of memory"), ("ring", "3 batches of memory"))]
        as_ids = PackFiles(pack).storage == "index"
        comparison.measure(f"{title}, {name}", [packed, *rivals, *([plain] if as_ids else []), first])
        comparison.ratio(f"{title}, {name}", "packed over memcpy", packed, rivals, 0.95)
        if as_ids:
            comparison.ratio(f"{title}, {name}", "u8 + ids over memcpy", plain, rivals, 0.95)
        comparison.ratio(f"{title}, {name}", "first epoch over memcpy", first, rivals)
    server.close()


def compare_training(comparison, speed, pack, title):
    """f32 + one-hot f32 over the best plain C loop with the same threads."""
    heading(title)
    server = Program([speed, "serve", pack, TRAINING_BATCH])
    loops = server.ask("loops").split("; ")
    for threads in THREADS:
        name = f"{threads} thread{'s' * (threads > 1)}"
        ours = Series(server, f"f32 + one-hot f32, {name}", f"loader {threads} training")
        rivals = [Series(server, f"C: {loop}, {name}", f"loop {threads} {number}") for number, loop in enumerate(loops)]
        comparison.measure(f"{title}, {name}", [ours, *rivals])
        comparison.ratio(f"{title}, {name}", "over the best plain loop", ours, rivals, 0.95)
    server.close()


def compare_peers(comparison, speed, pack, form, title):
    heading(title)
    batch = TRAINING_BATCH if form == "training" else BATCH
    server = Program([speed, "serve", pack, batch])
    peers = Program([sys.executable, HERE / "loader_peers.py", pack, batch])
    ours = Series(server, "hotpack, 2 threads", f"loader 2 {form}")
    rivals = [Series(peers, name) for name in peers.ask(f"peers {form}").split("; ")]
    comparison.measure(title, [ours, *rivals])
    for kind, target in PEERS_TARGETS.items():
        best = [series for series in rivals if series.name.startswith(kind)]
        comparison.ratio(title, f"over {kind}", ours, best, target if form == "training" else None)
    server.close()
    peers.close()


def milliseconds_to(command):
    """From the start of a process to the moment that it prints."""
    began = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return (int(run(command, cores(2)).output) - began) / 1e6


def compare_first_batch(speed, pack):
    """Process start to the first batch, next to a program that reads the same records by pread."""
    order = run([speed, "order", pack, BATCH]).output.split()
    files = PackFiles(pack)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as plan:
        for sample in order:
            for path, offset, size in files.places(int(sample)):
                print(offset, size, path.resolve(), file=plan)
        plan.flush()
        commands = {"hotpack": [speed, "first", pack, BATCH], "plain": [speed, "plain-first", plan.name]}
        times = {name: [] for name in commands}
        for _ in range(STARTS):
            for name, command in commands.items():
                times[name].append(milliseconds_to(command))
    ours, plain = median(times["hotpack"]), median(times["plain"])
    print(f"\nprocess start to the first batch of {BATCH}: {ours:.1f} ms; reading the same records by pread: {plain:.1f} ms; "
          f"over it {ours - plain:.1f} ms, at most 30: {'good' if ours - plain <= 30 else 'NOT REACHED'}")
    return {"milliseconds": round(ours, 2), "plain_milliseconds": round(plain, 2), "over": round(ours - plain, 2), "target": 30,
            "good": ours - plain <= 30}


def measure_steady(speed, pack):
    """Memory beyond slots, threads and descriptors over a long run."""
    lines = [json.loads(line) for line in run([speed, "steady", pack, BATCH], cores(2)).output.splitlines()]
    print("\nsteady state, 2 threads          own memory beyond slots   threads   descriptors")
    for line in lines:
        line["beyond_slots_kib"] = line["anonymous_kib"] - line["slots_kib"]
        print(f"  after {line['after']:<24}{line['beyond_slots_kib'] / 1024:18.1f} MiB{line['threads']:10}{line['descriptors']:14}")
    flat = all(line["threads"] == lines[0]["threads"] and line["descriptors"] == lines[0]["descriptors"]
               and line["anonymous_kib"] - lines[0]["anonymous_kib"] < 1024 for line in lines)
    print(f"  flat: {'good' if flat else 'NOT REACHED'}")
    return {"lines": lines, "good": flat}


# ---------------------------------------------------------------------------------------------------------------- main


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    for name in ("hotpack", "loader_speed", "folder", "report"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--pack", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--no-peers", action="store_true")
    return parser.parse_args()


def main():
    options = parse_arguments()
    if options.pack:
        files = PackFiles(options.pack)
        packs = {(len(files.records), files.storage): options.pack}
    else:
        packs = make_packs(options.hotpack, options.folder)
    speed, comparison = options.loader_speed, Comparison(options)
    print(f"batches of {BATCH} (training-ready {TRAINING_BATCH}); medians of {options.rounds} turns; load {os.getloadavg()[0]:.1f}")
    for (count, storage), pack in packs.items():
        compare_copies(comparison, speed, pack, f"{count} samples, labels as {storage}: copies")
    shortest = {storage: pack for (_, storage), pack in reversed(packs.items())}
    for storage, pack in shortest.items():
        compare_training(comparison, speed, pack, f"labels as {storage}: training-ready")
    if not options.no_peers and "index" in shortest:
        for form in ("plain", "training"):
            compare_peers(comparison, speed, shortest["index"], form, f"peers, {form}")
    pack = next(iter(shortest.values()))
    save(options.report, {"size": SIZE, "rounds": options.rounds, "comparisons": comparison.figures,
                          "first_batch": compare_first_batch(speed, pack), "steady": measure_steady(speed, pack)})


if __name__ == "__main__":
    main()
