#!/usr/bin/env python3
"""Peak memory of packing 1,000 and 50,000 small samples with two threads: it grows by what a list of samples needs, not by their images.

usage: measure_memory.py HOTPACK REPORT.json

Prints the peak resident memory of both, the growth a sample, and the bytes per sample that `--dry-run` says its list takes. The growth is
that list, the memory that pairing takes for a moment, and the tables of the shards being written. Exit 1 where it is over 300 bytes.
"""

import re
import struct
import sys
import zlib
from pathlib import Path

from measuring import cores, median, run, save, scratch

FEW, MANY = 1_000, 50_000
SIDE = 16
ROUNDS = 3
MOST_GROWTH = 300  # bytes per sample
# A child's peak counts what its parent held when it was started: hence a small parent for each run. Prints KiB.
SMALL_PARENT = """
import os, sys
_, status, usage = os.wait4(os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ), 0)
print(usage.ru_maxrss)
sys.exit(status != 0)
"""


def png(color_type, rows):
    """A PNG of 8-bit samples."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, color_type, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def make_pairs(folder, count):
    """Images of a gradient with ids 0…3, each in a file of its own."""
    image = png(2, [bytes(16 * channel * y % 256 for x in range(SIDE) for channel in (x, 1, 2)) for y in range(SIDE)])
    label = png(0, [bytes(x // 8 + y // 8 * 2 for x in range(SIDE)) for y in range(SIDE)])
    for name, content in (("images", image), ("labels", label)):
        (folder / name).mkdir(parents=True)
        for number in range(count):
            (folder / name / f"sample_{number:06}.png").write_bytes(content)
    return ["--images", folder / "images", "--labels", folder / "labels", "--num-classes", "4", "--size", f"{SIDE}x{SIDE}"]


def peak_bytes(command):
    return 1024 * int(run([sys.executable, "-I", "-S", "-c", SMALL_PARENT, *command], cores(2)).output.splitlines()[-1])


def measure(hotpack, folder, count):
    """Peak of `count` samples, the median of several packs, and the plan's bytes per sample."""
    inputs = make_pairs(folder / str(count), count)
    peaks = [peak_bytes([hotpack, "pack", *inputs, "-j2", "-qq", "-o", folder / f"pack-{count}-{number}"]) for number in range(ROUNDS)]
    return int(median(peaks)), plan_bytes(hotpack, inputs, folder / "nothing")


def plan_bytes(hotpack, inputs, out):
    """Bytes per sample of the plan, from its last line."""
    text = run([hotpack, "pack", *inputs, "--dry-run", "-o", out]).output
    return int(re.search(r"(\d+) bytes per sample", text)[1])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    hotpack, report = Path(sys.argv[1]).resolve(), sys.argv[2]
    with scratch() as name:
        few, _ = measure(hotpack, Path(name), FEW)
        many, plan = measure(hotpack, Path(name), MANY)
    growth = (many - few) / (MANY - FEW)
    print(f"peak memory, -j2, samples of {SIDE}x{SIDE}, median of {ROUNDS}")
    print(f"  {FEW:>6} samples      {few / 2**20:7.1f} MiB")
    print(f"  {MANY:>6} samples      {many / 2**20:7.1f} MiB, {many / few:.2f} times as much")
    print(f"  growth a sample     {growth:7.1f} bytes, at most {MOST_GROWTH}: {'good' if growth <= MOST_GROWTH else 'TOO MUCH'}")
    print(f"  the plan's list     {plan:7.1f} bytes per sample")
    save(report, {"samples": [FEW, MANY], "peak_bytes": [few, many], "growth_bytes_a_sample": round(growth, 1),
                  "plan_bytes_a_sample": plan})
    return 0 if growth <= MOST_GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())
