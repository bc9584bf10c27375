"""What scripts/prove-wheels runs, some of it in a bare system: it needs hotpack and NumPy alone.

usage: wheel_proof.py pack SAMPLE_DATA OUTPUT   packs it and prints the SHA-256 of every file
       wheel_proof.py train PACK                trains ten steps, and prints the losses and how long the command takes to start
       wheel_proof.py rate PACK NAME            prints NAME and the samples per second of a loader of u8 and of f32
       wheel_proof.py compare FILE              fails if the median rate of "wheel" is below 0.95 of that of "tree"
"""

import hashlib
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import hotpack


def pack(sample_data, output):
    street = Path(sample_data) / "street"
    hotpack.pack(images=street / "images", labels=street / "masks_color", classes=street / "class_dict.csv", size=(256, 192), fit="cover", output=output)
    for path in sorted(Path(output).iterdir()):
        if path.suffix in (".safetensors", ".json"):
            print(path.name, hashlib.sha256(path.read_bytes()).hexdigest())


def train(folder):
    """A linear classifier of pixels, by gradient descent."""
    ds = hotpack.open(folder)
    weights, losses = np.zeros((3, len(ds.classes)), np.float32), []
    for _, (x, y) in zip(range(10), loop(hotpack.Loader(ds, 4, seed=7, image=hotpack.Image("float32"), label=hotpack.OneHot("float32")))):
        logits = x @ weights
        shares = np.exp(logits - logits.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        losses.append(float(-(y * np.log(shares + 1e-9)).sum() / y.sum()))
        weights -= np.einsum("nhwc,nhwk->ck", x, (shares - y) * y.sum(-1, keepdims=True)) / y.sum()
    assert losses[-1] < losses[0], losses
    starts = []
    for _ in range(20):
        begin = time.perf_counter()
        subprocess.run([Path(sys.executable).with_name("hotpack"), "--version"], check=True, capture_output=True)
        starts.append(time.perf_counter() - begin)
    print(f"ten steps: loss {losses[0]:.3f} to {losses[-1]:.3f}; the command starts in {statistics.median(starts) * 1000:.1f} ms (median of 20)")


def loop(loader):
    while True:
        yield from loader


def rate(folder, name):
    data = hotpack.open(*[folder] * 40)
    rates = []
    for image in (hotpack.Image(), hotpack.Image("float32", "NCHW")):
        loader = hotpack.Loader(data, 16, seed=1, image=image)
        sum(1 for _ in loader)  # an epoch that is not counted
        begin, count = time.perf_counter(), 0
        while time.perf_counter() - begin < 1:
            for batch in loader:
                count += batch.num_valid
        rates.append(count / (time.perf_counter() - begin))
    print(name, *(f"{rate:.0f}" for rate in rates))


def compare(path):
    rows = [line.split() for line in Path(path).read_text().splitlines()]
    medians = {name: [statistics.median(float(row[i]) for row in rows if row[0] == name) for i in (1, 2)] for name in ("tree", "wheel")}
    ratios = [wheel / tree for wheel, tree in zip(medians["wheel"], medians["tree"])]
    for name, ratio, wheel in zip(("u8", "f32"), ratios, medians["wheel"]):
        print(f"{name}: {wheel:.0f} samples/s, {ratio:.2f} of a build of this machine (medians of {len(rows) // 2})")
    if min(ratios) < 0.95:
        sys.exit("the wheel is slower than 0.95 of a build of this machine")


if __name__ == "__main__":
    {"pack": pack, "train": train, "rate": rate, "compare": compare}[sys.argv[1]](*sys.argv[2:])
