#!/usr/bin/env python3
"""Readers that people write with NumPy and PyTorch; loader_compare.py and compare_table.py time them next to hotpack.

usage: loader_peers.py PACK BATCH [--files IMAGES LABELS] [--ffcv FOLDER]

Lines on stdin are answered on stdout: `peers plain` or `peers training` with the names of the programs, separated by `; `;
`first NAME` with the mean of the images and the sum of the labels of that program's first batch; `SECONDS NAME` with `SAMPLES BYTES
SECONDS`. All read the same records of class ids in a shuffled order, endlessly; with
--files also the image files that the pack was made of.

Each has the settings that suit it best, and the comparison takes the best of each kind:
- NumPy: preallocated batches; one or two threads, which share the rows (NumPy lets go of the interpreter's lock in its loops); for float
  images a multiplication and an addition per value, or a table; for one-hot a comparison with each class, or a table.
- PyTorch: no, one or two persistent workers (prefetch 2); single samples with the usual collation, or whole batches, which saves the copy
  of collation; without workers PyTorch's own threads, one per core.
- PyTorch on image files: OpenCV or torchvision decode and resize in each of two workers.
- In the style of FFCV: see ffcv_style.py. The records are copied to a file of its own in FOLDER.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from pack_records import PackFiles
from torch.utils.data import DataLoader, Dataset
from torch_peers import BatchDataset, Records, SampleDataset

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
SCALE, OFFSET = 1 / (255 * STD), -MEAN / STD
PREFETCH = 2


class Fields:
    """Images and labels of a pack by sample number, as views of memory maps."""

    def __init__(self, pack):
        self.files = PackFiles(pack)
        if self.files.storage != "index":
            sys.exit(f"{pack}: labels are stored as {self.files.storage}; the peers read class ids")
        self.classes = self.files.classes
        records = Records(self.files)
        self.images, self.labels = zip(*map(records.pair, range(len(records))), strict=True)

    def __len__(self):
        return len(self.images)


def shuffled_batches(count, batch):
    """Sample numbers of batches, epoch after epoch."""
    rng = np.random.default_rng(7)
    while True:
        order = rng.permutation(count)
        for first in range(0, count - batch + 1, batch):
            yield order[first:first + batch].tolist()


# ---------------------------------------------------------------------------------------------------------------- NumPy


def image_by_arithmetic(image, out, _):
    np.multiply(image.transpose(2, 0, 1), SCALE[:, None, None], out=out)
    np.add(out, OFFSET[:, None, None], out=out)


TABLE = (np.arange(256, dtype=np.float32)[None] / 255 - MEAN[:, None]) / STD[:, None]


def image_by_table(image, out, _):
    for channel in range(3):
        np.take(TABLE[channel], image[..., channel], out=out[channel], mode="clip")


def one_hot_by_comparison(label, out, _):
    for number in range(len(out)):
        np.copyto(out[number], label == number)


def one_hot_by_table(label, out, eye):
    for number in range(len(out)):
        np.take(eye[number], label, out=out[number], mode="clip")


NUMPY_TRAINING = {"arithmetic and comparison": (image_by_arithmetic, one_hot_by_comparison),
                  "table and comparison": (image_by_table, one_hot_by_comparison),
                  "arithmetic and table": (image_by_arithmetic, one_hot_by_table)}


class NumpyLoop:
    ahead = 0

    def __init__(self, fields, batch, threads, kernels=None):
        self.fields, self.kernels, self.threads = fields, kernels, threads
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self.order = shuffled_batches(len(fields), batch)
        height, width, channels = fields.images[0].shape
        if kernels:
            self.images = np.ones((batch, channels, height, width), np.float32)
            self.labels = np.ones((batch, fields.classes, height, width), np.float32)
            self.eye = np.zeros((fields.classes, 256), np.float32)
            self.eye[range(fields.classes), range(fields.classes)] = 1
        else:
            self.images = np.ones((batch, height, width, channels), np.uint8)
            self.labels = np.ones((batch, height, width), np.uint8)

    def fill(self, rows):
        for row, sample in rows:
            if self.kernels:
                self.kernels[0](self.fields.images[sample], self.images[row], None)
                self.kernels[1](self.fields.labels[sample], self.labels[row], self.eye)
            else:
                np.copyto(self.images[row], self.fields.images[sample])
                np.copyto(self.labels[row], self.fields.labels[sample])

    def next(self):
        rows = list(enumerate(next(self.order)))
        if self.pool:
            list(self.pool.map(self.fill, [rows[thread::self.threads] for thread in range(self.threads)]))
        else:
            self.fill(rows)
        return self.images, self.labels


# ---------------------------------------------------------------------------------------------------------------- PyTorch


def training_tensors(images, labels, classes):
    """u8 [..., H, W, 3] and ids [..., H, W] to floats, channels first."""
    images = images.movedim(-1, -3).to(torch.float32, memory_format=torch.contiguous_format)
    images = images.mul_(torch.from_numpy(SCALE)[:, None, None]).add_(torch.from_numpy(OFFSET)[:, None, None])
    one_hot = (labels.unsqueeze(-3) == torch.arange(classes, dtype=torch.uint8)[:, None, None]).float()
    return images.contiguous(), one_hot


class Training(Dataset):
    """Training-ready samples or batches of a data set of stored ones."""

    def __init__(self, stored, classes):
        self.stored, self.classes = stored, classes

    def __len__(self):
        return len(self.stored)

    def __getitem__(self, which):
        return training_tensors(*self.stored[which], self.classes)


def stored_records(fields, whole_batches, training):
    stored = (BatchDataset if whole_batches else SampleDataset)(fields.files)
    return Training(stored, fields.classes) if training else stored


class Endless:
    """A sampler of batches that has no end: no pause between epochs."""

    def __init__(self, count, batch):
        self.count, self.batch = count, batch

    def __iter__(self):
        return shuffled_batches(self.count, self.batch)


class TorchLoader:
    def __init__(self, dataset, batch, workers, whole_batches=False):
        order = Endless(len(dataset), batch)
        fetching = {"batch_size": None, "sampler": order} if whole_batches else {"batch_sampler": order}
        waiting = {"persistent_workers": True, "prefetch_factor": PREFETCH} if workers else {}
        self.ahead = workers * PREFETCH
        self.batches = iter(DataLoader(dataset, num_workers=workers, **fetching, **waiting))

    def next(self):
        return next(self.batches)


def file_loader(folders, fields, batch, library, training):
    from image_files import ImageFiles  # needs torchvision

    height, width = fields.images[0].shape[:2]
    stored = ImageFiles(*folders, (width, height), library)
    return TorchLoader(Training(stored, fields.classes) if training else stored, batch, workers=2)


# ---------------------------------------------------------------------------------------------------------------- FFCV


def ffcv_file(path, views):
    """All records one after the other, as one memory map."""
    if not os.path.exists(path):
        whole = np.memmap(path, np.uint8, "w+", 0, (len(views), *views[0].shape))
        for number, view in enumerate(views):
            whole[number] = view
        whole.flush()
    return np.memmap(path, np.uint8, "r", 0, (len(views), *views[0].shape))


def ffcv_style(folder, fields, batch, threads, training):
    from ffcv_style import FfcvStyle  # needs numba

    files = (np.asarray(ffcv_file(os.path.join(folder, f"{name}.raw"), views))
              for name, views in (("images", fields.images), ("labels", fields.labels)))
    return FfcvStyle(*files, fields.classes, shuffled_batches(len(fields), batch), batch, threads, TABLE if training else None)


# ---------------------------------------------------------------------------------------------------------------- turns


def bytes_of(batch):
    return sum(part.nbytes for part in batch)


def turn(peer, seconds):
    """Samples, bytes and seconds. Batches that were read ahead in the pause do not count; workers come to rest afterwards."""
    for _ in range(peer.ahead + 1):
        batch = peer.next()
    samples = size = batches = 0
    began = time.perf_counter()
    while (spent := time.perf_counter() - began) < seconds or samples == 0:
        batch = peer.next()
        samples, size, batches = samples + len(batch[0]), size + bytes_of(batch), batches + 1
    time.sleep(1.5 * (peer.ahead + 1) * spent / batches if peer.ahead else 0)
    return samples, size, spent


def peers(options, fields, training):
    """Names, and a function that makes each."""
    batch = options.batch
    made = {}
    for threads in (1, 2):
        for name, kernels in NUMPY_TRAINING.items() if training else {"copies": None}.items():
            made[f"NumPy, {name}, {threads} thread{'s' * (threads > 1)}"] = lambda t=threads, k=kernels: NumpyLoop(fields, batch, t, k)
    for workers in (0, 1, 2):
        for whole in (False, True):
            name = f"DataLoader, {'whole batches' if whole else 'single samples'}, {workers} worker{'s' * (workers != 1)}"
            made[name] = lambda w=workers, b=whole: TorchLoader(stored_records(fields, b, training), batch, w, b)
    for library in ("OpenCV", "torchvision") if options.files else ():
        made[f"files, DataLoader with {library}, 2 workers"] = lambda n=library: file_loader(options.files, fields, batch, n, training)
    for threads in (1, 2) if options.ffcv else ():
        name = f"FFCV-style, {threads} thread{'s' * (threads > 1)}"
        made[name] = lambda t=threads: ffcv_style(options.ffcv, fields, batch, t, training)
    return made


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("pack")
    parser.add_argument("batch", type=int)
    parser.add_argument("--files", nargs=2)
    parser.add_argument("--ffcv")
    options = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    fields = Fields(options.pack)
    makers, running = {}, {}
    for line in sys.stdin:
        seconds, name = line.strip().split(" ", 1)
        if seconds == "peers":
            makers = peers(options, fields, name == "training")
            print("; ".join(makers), flush=True)
            continue
        if name not in running:
            running[name] = makers[name]()
        if seconds == "first":
            images, labels = running[name].next()
            print(np.asarray(images).mean(dtype=np.float64), np.asarray(labels).sum(dtype=np.float64), flush=True)
            continue
        print(*turn(running[name], float(seconds)), flush=True)


if __name__ == "__main__":
    main()
