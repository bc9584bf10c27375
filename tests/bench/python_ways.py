"""Batches of 16 in one Python program, for compare_python.py: each way on request for some seconds, so that programs can take turns.

usage: python_ways.py FOLDER      (images, masks, classes.csv and packed, as compare_epoch.py makes them)

A line `SECONDS WAY` is answered with `SAMPLES BYTES SECONDS`; a line `cpu BATCHES PAUSE WAY` with the processor time of the consuming thread a
batch, in microseconds. PAUSE: seconds of other work between two batches.
"""

import sys
import time
from pathlib import Path
from statistics import median

import epoch_ways

BATCH, SLOTS, SEED = 16, 4, 7
MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def training_forms():
    import hotpack

    return {"image": hotpack.Image("float32", "NCHW", mean=MEAN, std=STD), "label": hotpack.OneHot("float32", "NCHW")}


def numpy_loader(folder, threads, form):
    import hotpack

    forms = training_forms() if form == "training" else {}
    return hotpack.Loader(folder / "packed", BATCH, seed=SEED, prefetch_batches=SLOTS, threads=threads, **forms)


def torch_loader(folder, threads, form):
    import hotpack
    import hotpack.torch

    forms = training_forms() if form == "training" else {"image": hotpack.Image(), "label": None}
    return hotpack.torch.Loader(folder / "packed", BATCH, seed=SEED, prefetch_batches=SLOTS, threads=threads, **forms)


def normalized(image, one_hot):
    """f32 [3,H,W] and f32 [C,H,W], as the usual script has it."""
    import torch

    mean, std = (torch.tensor(values)[:, None, None] for values in (MEAN, STD))
    pixels = (torch.from_numpy(image.copy()).permute(2, 0, 1).float() / 255 - mean) / std
    return pixels, torch.from_numpy(one_hot).permute(2, 0, 1).contiguous()


def data_loader(folder, workers, stored):
    """A DataLoader over raw files, or over records of the pack that are mapped (`stored`)."""
    import torch

    colors, pairs = epoch_ways.colors_of(folder), epoch_ways.pairs_of(folder)
    data = None

    class Samples(torch.utils.data.Dataset):
        def __len__(self):
            return len(pairs)

        def __getitem__(self, number):
            nonlocal data
            if not stored:
                return normalized(*epoch_ways.decoded(pairs[number], colors))
            if data is None:
                import hotpack

                data = hotpack.open(folder / "packed")
            sample = data[number]
            return normalized(sample.image, sample.one_hot("float32"))

    return torch.utils.data.DataLoader(Samples(), BATCH, shuffle=True, num_workers=workers, drop_last=True, persistent_workers=workers > 0)


WAYS = {
    "NumPy, u8 + ids": lambda folder: numpy_loader(folder, 2, "plain"),
    "NumPy, f32 + one-hot": lambda folder: numpy_loader(folder, 2, "training"),
    "torch, u8 + ids": lambda folder: torch_loader(folder, 2, "plain"),
    "torch, f32 + one-hot": lambda folder: torch_loader(folder, 2, "training"),
    "DataLoader, raw files, 0 workers": lambda folder: data_loader(folder, 0, False),
    "DataLoader, raw files, 2 workers": lambda folder: data_loader(folder, 2, False),
    "DataLoader, mapped records, 0 workers": lambda folder: data_loader(folder, 0, True),
    "DataLoader, mapped records, 2 workers": lambda folder: data_loader(folder, 2, True),
}


class Stream:
    """The batches of one way, epoch after epoch."""

    def __init__(self, loader):
        self.loader, self.batches = loader, self.forever(loader)
        self.take()

    @staticmethod
    def forever(loader):
        while True:
            yield from loader

    def take(self):
        x, y = next(self.batches)
        return x, y

    def work(self, seconds):
        """As SteadyLoader::work of loader_speed.cpp: the clock starts when a batch has just come, and the slots are full at the end."""
        if seconds > 0.1:
            for _ in range(SLOTS + 1):
                self.take()
        samples = size = batches = 0
        began = time.perf_counter()
        while True:
            x, y = self.take()
            samples, size, batches = samples + len(x), size + x.nbytes + y.nbytes, batches + 1
            del x, y
            spent = time.perf_counter() - began
            if spent >= seconds:
                break
        time.sleep(min(1.0, 1.5 * (SLOTS + 1) * spent / batches))
        return samples, size, spent

    def processor(self, batches, pause):
        """Taking a batch, its arrays, and letting it go. The median, because what else the machine does falls on some batches."""
        spent = []
        for _ in range(batches):
            resumed = time.perf_counter() + pause
            while time.perf_counter() < resumed:
                pass
            began = time.thread_time_ns()
            x, y = self.take()
            del x, y
            spent.append((time.thread_time_ns() - began) / 1000)
        return median(spent)


def main(folder):
    streams = {}

    def stream(way):
        if way not in streams:
            streams[way] = Stream(WAYS[way](folder))
        return streams[way]

    for line in sys.stdin:
        first, rest = line.strip().split(" ", 1)
        if first == "cpu":
            batches, pause, way = rest.split(" ", 2)
            print(stream(way).processor(int(batches), float(pause)), flush=True)
        else:
            print(*stream(rest).work(float(first)), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
