#!/usr/bin/env python3
"""Loaders in Python next to the C++ Loader and to PyTorch's DataLoader, on the same 420 samples of 512x512 with 12 classes, batches of 16.

usage: compare_python.py HOTPACK LOADER_SPEED REPORT.json [--rounds N] [--seconds S]

Rates: contestants take turns of S seconds (default 0.5), N rounds (default 7); a ratio is the median of the rounds' ratios. Processor time: of the
thread that takes the batches. Two cores; files in memory. Exits with 1 if a target is missed.
"""

import argparse
import sys
from pathlib import Path
from types import SimpleNamespace

import compare_epoch
from loader_compare import Program, Series
from measuring import median, run, save, scratch
from python_ways import BATCH, WAYS

HERE = Path(__file__).resolve().parent
RAW = [way for way in WAYS if "raw" in way]
MAPPED = [way for way in WAYS if "mapped" in way]
SMALL_SAMPLES = 1600
CPU_BATCHES = 200
CPU_WAYS = {"loader 2 training": "C++", "NumPy, f32 + one-hot": "NumPy", "torch, f32 + one-hot": "torch"}
CPU_LIMITS = {"NumPy": 15, "torch": 20}


def rounds_of(series, options):
    for one in series:
        one.turn(0.05)
        one.rates.clear()
    for _ in range(options.rounds):
        for one in series:
            one.turn(options.seconds)


def ratio(ours, rivals):
    """The median over rounds of our samples/s over the best rival's."""
    return median(mine[1] / max(rival.rates[i][1] for rival in rivals) for i, mine in enumerate(ours.rates))


def samples(series):
    return median(rate for _, rate in series.rates)


def compare_rates(python, cpp, options):
    figures = {}
    print(f"\n{'samples a second':<34}{'hotpack':>9}   {'next to':<40}{'ratio':>8}")
    for form, name in (("plain", "u8 + ids"), ("training", "f32 + one-hot")):
        ours = [Series(python, f"{kind}, {name}") for kind in ("NumPy", "torch")]
        native = Series(cpp, f"C++ Loader, {name}", f"loader 2 {form}")
        rivals = [Series(python, way) for way in (*RAW, *MAPPED)] if form == "training" else []
        rounds_of([native, *ours, *rivals], options)
        comparisons = [(one, [native], native.name, 0.97) for one in ours]
        if rivals:
            raw, mapped = rivals[: len(RAW)], rivals[len(RAW) :]
            comparisons += [(ours[1], raw, "DataLoader, raw files, the best", 40), (ours[1], mapped, "DataLoader, mapped records, the best", None)]
        for one, others, text, target in comparisons:
            found = ratio(one, others)
            verdict = "" if target is None else f"   at least {target}: {'good' if found >= target else 'NOT REACHED'}"
            print(f"{one.name:<34}{samples(one):9.0f}   {text:<40}{found:8.2f}{verdict}")
            figures[f"{one.name} over {text}"] = {"ratio": round(found, 3), "target": target}
        for one in (native, *ours, *rivals):
            figures[one.name] = round(samples(one), 1)
    return figures


def processor(program, way, pause, options):
    return median(float(program.ask(f"cpu {CPU_BATCHES} {pause} {way}")) for _ in range(options.rounds))


def compare_processor(programs, options):
    """For small batches, and for batches of 250 MB, while which are filled the caches forget the consumer's code."""
    figures = {}
    print(f"\n{'processor time a batch, µs':<34}{'24x32':>9}{'512x512':>9}")
    for way, kind in CPU_WAYS.items():
        small, large = (processor(program[kind == "C++"], way, pause, options) for program, pause in zip(programs, (0.0005, 0.02), strict=True))
        limit = CPU_LIMITS.get(kind)
        verdict = "" if limit is None else f"   small: at most {limit}: {'good' if small <= limit else 'NOT REACHED'}"
        print(f"{kind if kind == 'C++' else way:<34}{small:9.1f}{large:9.1f}{verdict}")
        figures[way] = {"small": round(small, 2), "large": round(large, 2), "limit": limit}
    return figures


def make_small(options, folder):
    """A pack of small records, enough for many batches an epoch."""
    street = HERE.parent.parent / "sample_data" / "street"
    for name in ("images", "masks"):
        (folder / name).mkdir(parents=True)
        where = street / {"images": "images", "masks": "masks_color"}[name]
        sources = sorted((path for path in where.rglob("*") if path.is_file()), key=lambda path: path.relative_to(where).with_suffix(""))
        for number in range(SMALL_SAMPLES):
            source = sources[number % len(sources)]
            (folder / name / f"{number}{source.suffix}").symlink_to(source)
    run([options.hotpack, "pack", "--images", folder / "images", "--labels", folder / "masks", "--classes", street / "class_dict.csv",
         "--size", "32x24", "-q", "-o", folder / "packed"])  # fmt: skip


def missed(figures):
    """What is short of its target, for the exit status."""
    rates = [name for name, one in figures["rates"].items() if isinstance(one, dict) and one["target"] and one["ratio"] < one["target"]]
    return rates + [name for name, one in figures["processor_microseconds"].items() if one["limit"] and one["small"] > one["limit"]]


def main():
    parser = argparse.ArgumentParser()
    for name in ("hotpack", "loader_speed", "report"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    with scratch() as folder:
        folder = Path(folder)
        compare_epoch.make_inputs(SimpleNamespace(hotpack=options.hotpack, camvid=None, steps=140), folder)
        make_small(options, folder / "small")
        programs = [
            (Program([sys.executable, HERE / "python_ways.py", place]), Program([options.loader_speed, "serve", place / "packed", BATCH]))
            for place in (folder / "small", folder)
        ]
        figures = {"processor_microseconds": compare_processor(programs, options), "rates": compare_rates(*programs[1], options)}
        for program in (*programs[0], *programs[1]):
            program.close()
    save(options.report, figures)
    return 1 if missed(figures) else 0


if __name__ == "__main__":
    sys.exit(main())
