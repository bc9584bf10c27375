#!/usr/bin/env python3
"""Runs the comparison with PyTorch as a whole on a stand-in for a device. Checks that all batches are equal, that a loader whose batch differs
and one that fails are reported, and that the others are measured nevertheless.

    peers_test.py hotpack_gpu_check libhotpack.so.0 FOLDER of device_peers.py

LD_LIBRARY_PATH leads to a libcuda.so.1 that is no GPU. Exit 0: good; 1: not; 77: no PyTorch, or this build has no kernels to run.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SKIPPED = 77
OURS = ["hotpack, page", "hotpack, device"]
LOADERS = [f"DataLoader, {way}, {workers}" for way in ("samples, one_hot", "batches, one_hot", "batches, copy stream, ==")
           for workers in ("0 workers", "1 worker")]
RESIDENT = ["tensors on the device, one_hot", "tensors on the device, =="]

faults = []


def expect(good, text):
    if not good:
        faults.append(text)


class Comparison:
    def __init__(self, check, library, scratch):
        self.pack, self.library, self.json = Path(scratch) / "pack", library, Path(scratch) / "peers.json"
        made = [check, "--make-pack", self.pack, "--records", "20", "--size", "40x24"]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)

    def run(self, *more):
        """Exit status, what was printed, and the report."""
        import device_peers

        sys.argv = ["device_peers.py", str(self.pack), self.library, "--json", str(self.json), "--batch", "4", "--seconds", "0.01",
                    "--rounds", "2", "--workers", "0,1", *more]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            code = device_peers.main()
        return code, printed.getvalue(), json.loads(self.json.read_text(encoding="utf-8"))


def check_all_equal(comparison):
    code, printed, report = comparison.run()
    figures = report["figures"]
    expect(code == 0, f"exit {code}: {printed}")
    expect(sorted(figures) == sorted(OURS + LOADERS + RESIDENT), f"those who take part: {sorted(figures)}")
    for name, figure in figures.items():
        expect("problem" not in figure and len(figure["all"]) == 2 and figure["samples_per_second"] > 0, f"{name}: {figure}")
        expect(f"  {name} " in printed, f"{name} is not in the table")
    expect(report["real"] is False and report["complete"] is True, f"real: {report['real']}, complete: {report['complete']}")
    for kind, residency in (("from the host", "page"), ("from the device", "device")):
        best = report["best_peers"][kind]
        others = [figure["samples_per_second"] for name, figure in figures.items() if figure["kind"] == kind and name not in OURS]
        expect(figures[best]["samples_per_second"] == max(others), f"{best} is not the best {kind}")
        ratio = figures[f"hotpack, {residency}"]["samples_per_second"] / max(others)
        expect(abs(report["ratios"][residency] - ratio) < 1e-3 * (1 + ratio), f"ratio of {residency}: {report['ratios']}")


def problem(report, name):
    return report["figures"][name].get("problem", "")


def check_difference(comparison):
    """A label of another class, and an image with its rows in another order."""
    import torch_peers

    right = torch_peers.Records.pair
    torch_peers.BatchDataset.pair = lambda self, sample: (right(self, sample)[0], (right(self, sample)[1] + 1) % 12)
    torch_peers.SampleDataset.pair = lambda self, sample: (right(self, sample)[0][::-1], right(self, sample)[1])
    code, _, report = comparison.run()
    del torch_peers.BatchDataset.pair, torch_peers.SampleDataset.pair
    expect(code == 1, f"exit {code} where batches differ")
    for name in LOADERS:
        expected = "batch 0: labels differ" if "batches" in name else "batch 0: images differ"
        expect(problem(report, name) == expected and not report["figures"][name]["all"], f"{name}: {report['figures'][name]}")
    expect(all(not problem(report, name) for name in OURS + RESIDENT), "others are told to differ too")


def check_failure(comparison):
    """Workers that fail are reported; what is without them is measured."""
    import torch_peers

    def fails(_, samples):
        raise OSError(f"as described: {len(samples)} samples")

    right, torch_peers.BatchDataset.__getitem__ = torch_peers.BatchDataset.__getitem__, fails
    code, printed, report = comparison.run()
    torch_peers.BatchDataset.__getitem__ = right
    expect(code == 0, f"exit {code} where a peer fails")
    for name in LOADERS:
        expect(("OSError: " in problem(report, name)) == ("batches" in name), f"{name}: {report['figures'][name]}")
    expect("not measured  OSError" in printed, f"the table does not tell: {printed}")
    expect(report["ratios"].keys() == {"page", "device"}, f"ratios: {report['ratios']}")


def check_hang(comparison):
    """One that hangs is ended, and takes nobody's time."""
    import device_peers
    import torch_peers

    right, torch_peers.TorchResident.next = torch_peers.TorchResident.next, lambda _: time.sleep(100)
    device_peers.STUCK_SECONDS, usual = 10, device_peers.STUCK_SECONDS
    code, _, report = comparison.run("--workers", "0")
    torch_peers.TorchResident.next, device_peers.STUCK_SECONDS = right, usual
    expect(code == 0 and all(problem(report, name).startswith("TimeoutError: ended after 10") for name in RESIDENT), f"hang: {report}")
    expect(report["ratios"].keys() == {"page"}, f"ratios next to one that hangs: {report['ratios']}")


def check_no_time(comparison):
    code, _, report = comparison.run("--limit", "0.001")
    expect(code == 0 and all(figure["problem"] == "no time was left" for figure in report["figures"].values()), f"no time: exit {code}")


def main():
    check, library, folder = sys.argv[1:4]
    try:
        import torch  # noqa: F401
    except ImportError as missing:
        print(f"skipped: {missing}")
        return SKIPPED
    os.environ["HOTPACK_GPU_CHECK_FAKE"] = "1"
    sys.path.insert(0, folder)
    if subprocess.run([check, "--device"], check=False).returncode == SKIPPED:
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="hotpack-peers-") as scratch:
        comparison = Comparison(check, library, scratch)
        for step in (check_all_equal, check_difference, check_failure, check_hang, check_no_time):
            step(comparison)
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
