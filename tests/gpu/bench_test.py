#!/usr/bin/env python3
"""Runs both benchmarks of a device as a whole on a stand-in: the acceptance benchmark of hotpack_gpu_check, and
`hotpack bench --device`. Checks that every row exists and has figures, and that its limit equals its formula.

    bench_test.py hotpack_gpu_check FOLDER CUBLAS [HOTPACK]

FOLDER has a libcuda.so.1 that is no GPU, CUBLAS is a stand-in for cuBLAS. Exit 0: good; 1: not; 77: this build has no kernels to run.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
SIZE = "96x64"
SECONDS = "0.02"
SMALL_DEVICE = 100 << 20  # bytes
IMAGE_BYTES, LABEL_BYTES = 96 * 64 * 3, 96 * 64
CLASSES = 12

FORMS = [f"{type_} {order}" for type_ in ("f32", "f16", "u8") for order in ("NCHW", "NHWC")]
HALF, SINGLE = "f16 + one-hot f16", "f32 + one-hot f32"

def page_limit(bus_bandwidth, threads, gather_bandwidth):
    return min(bus_bandwidth, threads * gather_bandwidth)


def end_to_end_limit(bus_bandwidth, memory_bandwidth, packed_bytes, output_bytes):
    return min(bus_bandwidth / packed_bytes, memory_bandwidth / (2 * packed_bytes + output_bytes))


def resident_limit(memory_bandwidth, packed_bytes, output_bytes):
    return memory_bandwidth * output_bytes / (packed_bytes + output_bytes)


# Per row: the goal, the target, and the limit as a formula of the row's terms (None: the limit is a figure of its own).
ROWS = {
    "page tier: packed bytes": ("at least", 0.90, page_limit),
    **{f"kernel: {what} {form}": ("at least", 0.85 if form.endswith("NCHW") else 0.75, lambda memory_bandwidth: memory_bandwidth)
       for what in ("image", "one-hot") for form in FORMS},
    **{f"end to end: {form}": ("at least", 0.90, end_to_end_limit) for form in (HALF, SINGLE)},
    **{f"device tier: {form}": ("at least", 0.80, resident_limit) for form in (HALF, SINGLE)},
    "stall of a step 1.2 times as long": ("at most", 0.01, lambda **_: 1),
    "pinned bytes after step 3 and at the end": ("equal", 1, None),
    **{f"matrix products next to a loader at 10 % of the bus: {form}": ("at least", 0.98, None) for form in ("u8 + index", HALF)},
}
MAY_BE_ZERO = ("stall",)
ELEMENT_BYTES = {HALF: 2, SINGLE: 4}

faults = []


def expect(good, text):
    if not good:
        faults.append(text)


def close(found, expected):
    return math.isclose(found, expected, rel_tol=1e-3, abs_tol=1e-3)


def check_figures(name, row):
    for member in ("value", "limit", "ratio"):
        figure = row[member]
        least = 0 if name.startswith(MAY_BE_ZERO) and member != "limit" else sys.float_info.min
        expect(math.isfinite(figure) and figure >= least, f"{name}: {member} is {figure}")
    if row["ratio"] > 0.01:
        expect(math.isclose(row["ratio"], row["value"] / row["limit"], rel_tol=0.01), f"{name}: {row['ratio']} is not value / limit")
    met = {"at least": row["ratio"] >= row["target"], "at most": row["ratio"] <= row["target"], "equal": row["value"] == row["limit"]}
    expect(row["good"] == (met[row["goal"]] and "flaw" not in row), f"{name}: good is {row['good']}, the ratio {row['ratio']}")


def check_row(name, row):
    goal, target, formula = ROWS[name]
    if "not_measured" in row:
        faults.append(f"{name}: not measured: {row['not_measured']}")
        return
    expect(row["goal"] == goal and row["target"] == target, f"{name}: the target is {row['goal']} {row['target']}")
    expect(len(row["limited_by"]) > 20, f"{name}: what limits it is {row['limited_by']!r}")
    check_figures(name, row)
    terms = row["terms"]
    if formula is not None:
        expect(close(row["limit"], formula(**terms)), f"{name}: the limit is {row['limit']}, {row['limit_is']} of {terms} is another")
    if "packed_bytes" in terms:
        pixels = IMAGE_BYTES + CLASSES * LABEL_BYTES
        form = name.split(": ")[1]
        expect(close(terms["packed_bytes"], IMAGE_BYTES + LABEL_BYTES), f"{name}: packed_bytes is {terms['packed_bytes']}")
        expect(close(terms["output_bytes"], ELEMENT_BYTES[form] * pixels), f"{name}: output_bytes is {terms['output_bytes']}")


# If a stage fails late (here the last one), the rows before it keep their figures, and the failure is reported.
def check_failure(check, folder, cublas, scratch):
    report = Path(scratch) / "failed.json"
    done = run([check, "--bench", "--json", str(report), "--seconds", "0.01", "--batch", "2", "--records", "4", "--size", "32x32"],
               folder, code=1, HOTPACK_CUBLAS=cublas, HOTPACK_FAKE_CUBLAS_FAILS="1", HOTPACK_FAKE_DEVICE_BYTES=str(600 << 20), TMPDIR=scratch)
    expect("failed: cublasGemmEx failed with status 13" in done.stderr, f"the failure is not reported: {done.stderr}")
    found = json.loads(report.read_text(encoding="utf-8"))
    missing = {row["name"]: row["not_measured"] for row in found["rows"] if "not_measured" in row}
    expect(len(found["rows"]) == len(ROWS), f"{len(found['rows'])} rows after a failure")
    expect(len(missing) == 2 and set(missing.values()) == {found["failed"]}, f"not measured after a failure: {missing}")


# The rows of `hotpack bench --device`: stage, work, and the limits that a row may have.
USER_ROWS = [("bus", "pinned memory to device", (None,)), ("gather", "page cache to host memory", ("bus",)),
             *[("end-to-end", form, ("bus", "gather", "device memory")) for form in (HALF, SINGLE)],
             *[("resident", form, ("device memory",)) for form in (HALF, SINGLE)]]


def check_user_row(row, limits):
    name = f"{row['stage']}, {row['work']}"
    expect(row["limit"] in limits, f"{name}: the limit is {row['limit']}")
    for member in ("samples_per_second", "bytes_per_second"):
        expect(math.isfinite(row[member]) and row[member] > 0, f"{name}: {member} is {row[member]}")
    if row["limit"] is None:
        expect(row["limit_bytes_per_second"] is None and row["share"] is None, f"{name}: a limit without a name")
        return
    share = row["bytes_per_second"] / row["limit_bytes_per_second"]
    expect(math.isclose(row["share"], share, rel_tol=0.01, abs_tol=1e-4), f"{name}: {row['share']} is not rate / limit, {share}")


def check_user_bench(check, folder, hotpack, scratch):
    pack = str(Path(scratch) / "pack")
    run([check, "--make-pack", pack, "--records", "24", "--size", SIZE], folder)
    done = run([hotpack, "bench", pack, "--device", "--json", "--seconds", SECONDS, "--batch-size", "8", "-q"], folder)
    report = json.loads(done.stdout)
    rows = report["rows"]
    expect([(row["stage"], row["work"]) for row in rows] == [row[:2] for row in USER_ROWS], f"the rows are {rows}")
    for row, (_, _, limits) in zip(rows, USER_ROWS):
        check_user_row(row, limits)
    expect(report["device"]["real"] is False and report["device"]["memory_bytes_per_second"] > 0, f"device: {report['device']}")
    expect(any("figures mean nothing" in note for note in report["notes"]), f"notes: {report['notes']}")
    # 54 MB of records are more than half of a small device: the other rows are still measured.
    large = str(Path(scratch) / "large")
    run([check, "--make-pack", large, "--records", "2200", "--size", SIZE], folder)
    small = run([hotpack, "bench", large, "--device", "0", "--seconds", SECONDS, "--batch-size", "8"], folder,
                HOTPACK_FAKE_DEVICE_BYTES=str(SMALL_DEVICE))
    expect("resident: " not in small.stdout, f"small device:\n{small.stdout}")
    expect("note: records on the device were not measured: " in small.stdout, f"small device:\n{small.stdout}")
    expect("end to end: page cache to training-ready batches on the device" in small.stdout, f"small device:\n{small.stdout}")


def check_report(text):
    report = json.loads(text)
    expect(report["report"] == "hotpack-gpu-acceptance/1" and report["failed"] is None, f"failed: {report['failed']}")
    expect(report["device"]["real"] is False, "the stand-in passes for a GPU")
    expect(all(rate > 0 for rate in report["bandwidths"].values()), f"bandwidths: {report['bandwidths']}")
    names = [row["name"] for row in report["rows"]]
    expect(names == list(ROWS), f"the rows are {names}")
    for row in report["rows"]:
        if row["name"] in ROWS:
            check_row(row["name"], row)


def run(words, folder, code=0, **more):
    environment = os.environ | {"HOTPACK_GPU_CHECK_FAKE": "1", "LD_LIBRARY_PATH": folder,
                                "HOTPACK_FAKE_DEVICE_BYTES": str(1 << 30)} | more
    environment.pop("CUDA_VISIBLE_DEVICES", None)
    done = subprocess.run(words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=500, check=False)
    if done.returncode == SKIPPED:
        print(done.stderr)
        sys.exit(SKIPPED)
    expect(done.returncode == code, f"{words}: exit {done.returncode}\n{done.stderr}")
    return done


def main():
    check, folder, cublas, *hotpack = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="hotpack-bench-") as scratch:
        report = Path(scratch) / "report.json"
        done = run([check, "--bench", "--json", str(report), "--seconds", SECONDS, "--batch", "8", "--records", "24", "--size", SIZE],
                   folder, HOTPACK_CUBLAS=cublas, TMPDIR=scratch)
        for name in ROWS:
            expect(f"  {name} " in done.stdout, f"{name} is not in the table")
        expect("what limits each:" in done.stdout, "the text does not say what limits rows")
        if report.exists():
            check_report(report.read_text(encoding="utf-8"))
        check_failure(check, folder, cublas, scratch)
        for command in hotpack:
            check_user_bench(check, folder, command, scratch)
    for fault in faults:
        print(fault)
    if faults:
        print(done.stdout)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
