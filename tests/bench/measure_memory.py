#!/usr/bin/env python3
"""Peak memory of packing 1,000 and 50,000 small samples with two threads: it may grow by what the plan needs, and by nothing else.

usage: measure_memory.py HOTPACK REPORT.json

Prints the peak resident memory of both, the growth a sample, and the bytes a sample that `--dry-run` says its plan takes. Exit 1 where
the larger run needs more than 1.1 times the smaller one beside its plan, or the plan more than 300 bytes a sample.
"""

import re
import resource
import struct
import sys
import zlib
from pathlib import Path

from measuring import cores, median, run, save, scratch

FEW, MANY = 1_000, 50_000
SIDE = 16
ROUNDS = 3
MOST_GROWTH = 1.10
MOST_PLAN_BYTES = 300


def png(color_type, rows):
    """A PNG of 8-bit samples."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, color_type, 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def make_pairs(folder, count):
    """Pictures of a gradient with ids 0…3, each in a file of its own."""
    image = png(2, [bytes(16 * channel * y % 256 for x in range(SIDE) for channel in (x, 1, 2)) for y in range(SIDE)])
    label = png(0, [bytes(x // 8 + y // 8 * 2 for x in range(SIDE)) for y in range(SIDE)])
    for name, content in (("images", image), ("labels", label)):
        (folder / name).mkdir(parents=True)
        for number in range(count):
            (folder / name / f"sample_{number:06}.png").write_bytes(content)
    return ["--images", folder / "images", "--labels", folder / "labels", "--num-classes", "4", "--size", f"{SIDE}x{SIDE}"]


def peak_bytes(hotpack, folder, count):
    """Median of several packs, and the plan's bytes a sample."""
    inputs = make_pairs(folder / str(count), count)
    peaks = [run([hotpack, "pack", *inputs, "-j2", "-qq", "-o", folder / f"pack-{count}-{number}"], cores(2)).peak_bytes
             for number in range(ROUNDS)]
    return int(median(peaks)), plan_bytes(hotpack, inputs, folder / "nothing")


def plan_bytes(hotpack, inputs, out):
    """What the plan's last line says."""
    text = run([hotpack, "pack", *inputs, "--dry-run", "-o", out]).output
    return int(re.search(r"(\d+) bytes a sample", text)[1])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    hotpack, report = Path(sys.argv[1]).resolve(), sys.argv[2]
    with scratch() as name:
        few, _ = peak_bytes(hotpack, Path(name), FEW)
        many, plan = peak_bytes(hotpack, Path(name), MANY)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if own >= few:
        sys.exit("measure_memory: this program took more memory than hotpack, so its figures mean nothing")
    beside_plan = (many - plan * (MANY - FEW)) / few
    good = beside_plan <= MOST_GROWTH and plan <= MOST_PLAN_BYTES
    print(f"peak memory, -j2, samples of {SIDE}x{SIDE}, median of {ROUNDS}")
    print(f"  {FEW:>6} samples      {few / 2**20:8.1f} MiB")
    print(f"  {MANY:>6} samples      {many / 2**20:8.1f} MiB")
    print(f"  growth a sample     {(many - few) / (MANY - FEW):8.1f} bytes")
    print(f"  plan a sample       {plan:8} bytes, at most {MOST_PLAN_BYTES}")
    print(f"  growth beside plan  {100 * (beside_plan - 1):8.1f} %, at most {100 * (MOST_GROWTH - 1):.0f} %: {'good' if good else 'TOO MUCH'}")
    save(report, {"samples": [FEW, MANY], "peak_bytes": [few, many], "growth_bytes_a_sample": (many - few) / (MANY - FEW),
                  "plan_bytes_a_sample": plan, "growth_beside_plan": beside_plan - 1})
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
