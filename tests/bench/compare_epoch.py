#!/usr/bin/env python3
"""How long a training step waits for its data: 3 epochs of 140 steps, batches of 3 at 512x512, color masks to one-hot f32.

usage: compare_epoch.py HOTPACK REPORT.json [--rounds N] [--steps N] [--epochs N] [--step-ms MS] [--ways TEXT] [--camvid DIR]

--ways: only the ways whose name holds this text. --camvid: images and color masks of DIR/images and DIR/masks with DIR/classes.csv instead of
generated ones. A step of training sleeps, as while a device computes. Every way must give the same shapes and nearly the same pixels.
"""

import argparse
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import median

import measuring
from bench_inputs import from_samples
from epoch_ways import BATCH, WAYS

HERE = Path(__file__).resolve().parent
PACKAGES = ("numpy", "keras", "tensorflow-cpu", "torch", "jax", "mosaicml-streaming", "ffcv", "opencv-python-headless")


def make_inputs(options, folder):
    """Images and masks in folders of their own and a pack of them. Returns the seconds that packing took."""
    if options.camvid:
        for name in ("images", "masks", "classes.csv"):
            (folder / name).symlink_to(Path(options.camvid).resolve() / name)
    else:
        pairs = from_samples(HERE.parent.parent / "sample_data" / "street", folder / "made", options.steps * BATCH, (480, 360), grain=2)
        shutil.move(pairs.images, folder / "images")
        shutil.move(pairs.masks, folder / "masks")
        shutil.move(pairs.classes, folder / "classes.csv")
    began = time.perf_counter()
    command = [options.hotpack, "pack", "--images", folder / "images", "--labels", folder / "masks", "--classes", folder / "classes.csv",
               "--size", "512x512", "--unknown", "ignore", "-o", folder / "packed", "--progress", "never"]  # fmt: skip
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def prepare(options, folder):
    """Also what the other ways read."""
    packing = make_inputs(options, folder)
    subprocess.run([sys.executable, HERE / "epoch_ways.py", "prepare", folder], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return packing


def tree_of(root):
    """A process and those below it."""
    children = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def memory_of(root):
    """Bytes of a tree of processes that no other program shares, mapped files apart: what training would have for itself."""
    total = 0
    for process in tree_of(root):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss_Anon:") or line.startswith("Pss_Shmem:")) * 1024
    return total


def run(way, options, folder):
    command = [sys.executable, HERE / "epoch_ways.py", way, folder, options.steps, options.epochs, options.step_ms / 1000]
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    most = 0

    def watch():
        nonlocal most
        while child.poll() is None:
            most = max(most, memory_of(child.pid))
            time.sleep(0.25)

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, errors = child.communicate()
    watcher.join()
    if child.returncode != 0:
        return {"error": (errors.strip().splitlines() or ["it ended without a message"])[-1]}
    return {**json.loads(output.splitlines()[-1]), "memory": most}


def check(results, options):
    """Refuses ways that give other data than hotpack with NumPy."""
    wanted = results["hotpack, NumPy"][0]
    for way, rounds in results.items():
        for one in rounds:
            if "error" in one:
                continue
            same = one["shapes"] == wanted["shapes"] and one["batches"] == wanted["batches"] == options.steps * options.epochs
            near = abs(one["image_mean"] - wanted["image_mean"]) < 0.01 and abs(one["label_mean"] - wanted["label_mean"]) < 0.002
            if not (same and near):
                sys.exit(f"{way} gives other data: {one}, hotpack {wanted}")


def table(results, options):
    slowest = results.get("Keras PyDataset, raw files, 1 worker")
    lines = ["| way | wait, s | CPU, s | memory, MiB | wait of raw files / its wait |", "|---|--:|--:|--:|--:|"]
    for way, rounds in results.items():
        failed = [one["error"] for one in rounds if "error" in one]
        if failed:
            lines.append(f"| {way} | – | – | – | {failed[0][:80]} |")
            continue
        wait, cpu, memory = (median(one[name] for one in rounds) for name in ("wait", "processor", "memory"))
        ratio = f"{median(one['wait'] for one in slowest) / wait:.0f}×" if slowest and wait > 0 and "error" not in slowest[0] else "–"
        lines.append(f"| {way} | {wait:.2f} | {cpu:.1f} | {memory / 2**20:.0f} | {ratio} |")
    return "\n".join(lines)


def versions():
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name}: not installed")
    return ", ".join(found)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hotpack")
    parser.add_argument("report")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=140)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--step-ms", type=float, default=20)
    parser.add_argument("--ways", default="")
    parser.add_argument("--camvid")
    options = parser.parse_args()
    chosen = [way for way in WAYS if options.ways in way or way == "hotpack, NumPy"]
    with measuring.scratch() as scratch:
        folder = Path(scratch)
        packing = prepare(options, folder)
        results = {way: [] for way in chosen}
        for number in range(options.rounds):
            for way in chosen:
                results[way].append(run(way, options, folder))
                print(f"round {number + 1}: {way}: {json.dumps(results[way][-1])[:150]}", file=sys.stderr, flush=True)
    check(results, options)
    print(table(results, options))
    print(f"\n{options.epochs} epochs of {options.steps} steps of {BATCH} samples at 512x512, a step of {options.step_ms:g} ms; medians of "
          f"{options.rounds} interleaved rounds; all files in memory. Packing took {packing:.1f} s, once. {os.cpu_count()} cores, "
          f"{measuring.processor_name()}; {versions()}.")  # fmt: skip
    Path(options.report).write_text(json.dumps({"packing": packing, "options": vars(options), "results": results}, indent=1))
    print(f"\nwritten: {options.report}")


if __name__ == "__main__":
    main()
