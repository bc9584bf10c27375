#!/usr/bin/env python3
"""The DeviceLoader beside what people write with PyTorch to have a pack's records as training-ready tensors on a GPU.

usage: device_peers.py PACK LIBHOTPACK.so [--batch N] [--seconds S] [--rounds N] [--device N] [--workers LIST] [--json FILE]

PACK: uncompressed, records of one size, labels stored as class ids. All give the same batches in the same order, images normalised f16
[N,3,H,W], labels one-hot f16 [N,C,H,W], on the device. First the tensors of some batches are compared: one-hot exactly, images within a
step of f16; then a sum that no order changes is compared over an epoch. Then they take turns, N rounds of S seconds; figures are medians.

- hotpack: libhotpack.so, its tensors taken over by DLPack without a copy; with records in the page cache, in pinned memory, on the device.
- PyTorch: DataLoader with pin_memory, a sample or a whole batch at a time, without and with several numbers of workers (the best counts);
  .to(device, non_blocking), F.one_hot, permute, cast and normalisation on the device.
- DALI and FFCV are told of where they can be imported, and measured where they can read such records (DALI by an external source).

Exit: 0, 1 where batches differ, 77 without a GPU, PyTorch or NumPy.
"""

import argparse
import ctypes
import json
import os
import sys
import time
from pathlib import Path
from statistics import median

SKIPPED = 77
MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
SEED = 7
PREFETCH = 4


def skip(reason):
    print(f"no device: {reason}; nothing was measured" if "GPU" in reason else f"{reason}; nothing was measured")
    sys.exit(SKIPPED)


def import_torch():
    """NumPy and PyTorch with a GPU, or the end."""
    try:
        import numpy
        import torch
    except ImportError as missing:
        skip(str(missing))
    if not torch.cuda.is_available():
        skip("PyTorch finds no GPU")
    return numpy, torch


# ---------------------------------------------------------------------------------------------------------------- hotpack


class Hotpack:
    """As a person uses hotpack_device.h from Python; `hotpack_c` has the structs."""

    def __init__(self, torch, library, pack, options, residency):
        from hotpack_c import DeviceLoader

        self.torch, self.name = torch, f"hotpack, {residency}"
        self.loader = DeviceLoader(library, pack, batch=options.batch, seed=SEED, device=options.device, residency=residency, mean=MEAN,
                                   std=STD)

    def next(self):
        """Image, label and sample numbers of the next batch; over the ends of epochs."""
        stream = self.torch.cuda.current_stream().cuda_stream
        image, label, samples = self.loader.next(stream)
        return self.torch.from_dlpack(image), self.torch.from_dlpack(label), samples

    def close(self):
        self.loader.close()


# ---------------------------------------------------------------------------------------------------------------- PyTorch


class Expansion:
    """u8 [N,H,W,3] and class ids [N,H,W] on the device to what the model wants."""

    def __init__(self, torch, classes, device):
        self.torch, self.classes = torch, classes
        self.mean = torch.tensor(MEAN, device=device)[:, None, None]
        self.std = torch.tensor(STD, device=device)[:, None, None]

    def __call__(self, images, labels):
        floats = images.permute(0, 3, 1, 2).float().div_(255).sub_(self.mean).div_(self.std).half()
        ids = labels.long()
        # One class more for what is ignored: 255.
        one_hot = self.torch.nn.functional.one_hot(ids.clamp_(max=self.classes), self.classes + 1)[..., :self.classes]
        return floats.contiguous(), one_hot.permute(0, 3, 1, 2).half().contiguous()


class Records:
    """Images and labels by sample number, as views of memory maps; picklable, so that workers have it too."""

    def __init__(self, numpy, torch, files, whole_batches):
        self.numpy, self.torch, self.whole_batches = numpy, torch, whole_batches
        self.images, self.labels = [], []
        for shard in files.shards:
            self.images += self.views(shard.path, shard.image)
            self.labels += self.views(shard.path, shard.label)

    def views(self, path, field):
        return list(self.numpy.asarray(self.numpy.memmap(path, self.numpy.uint8, "r", field.offset, (field.records, *field.shape))))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, which):
        if self.whole_batches:
            images = self.numpy.stack([self.images[sample] for sample in which])
            labels = self.numpy.stack([self.labels[sample].reshape(self.images[0].shape[:2]) for sample in which])
            return self.torch.from_numpy(images), self.torch.from_numpy(labels)
        label = self.labels[which].reshape(self.images[0].shape[:2])
        return self.torch.from_numpy(self.images[which].copy()), self.torch.from_numpy(label.copy())


class Endless:
    """Batches of given sample numbers, epoch after epoch."""

    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        while True:
            yield from self.batches


class TorchLoader:
    def __init__(self, numpy, torch, files, order, options, workers, whole_batches):
        self.torch, self.device = torch, f"cuda:{options.device}"
        self.name = f"DataLoader, a {'batch' if whole_batches else 'sample'} at a time, {workers} worker{'s' * (workers != 1)}"
        records = Records(numpy, torch, files, whole_batches)
        fetching = {"batch_size": None, "sampler": Endless(order)} if whole_batches else {"batch_sampler": Endless(order)}
        waiting = {"persistent_workers": True, "prefetch_factor": PREFETCH} if workers else {}
        self.loader = torch.utils.data.DataLoader(records, num_workers=workers, pin_memory=True, **fetching, **waiting)
        self.batches = iter(self.loader)
        self.expand = Expansion(torch, files.classes, self.device)

    def next(self):
        images, labels = next(self.batches)
        return self.expand(images.to(self.device, non_blocking=True), labels.to(self.device, non_blocking=True))

    def close(self):
        del self.batches, self.loader


# ---------------------------------------------------------------------------------------------------------------- DALI


class Dali:
    """DALI with an external source of the same records: copy to the device, normalisation there, one-hot by PyTorch."""

    def __init__(self, numpy, torch, files, order, options):
        from nvidia.dali import fn, pipeline_def, types
        from nvidia.dali.plugin.pytorch import DALIGenericIterator

        records = Records(numpy, torch, files, False)
        numbers = [sample for batch in order for sample in batch]

        def read(info):
            sample = numbers[info.idx_in_epoch % len(numbers)]
            return records.images[sample], records.labels[sample].reshape(records.images[0].shape[:2])

        @pipeline_def(batch_size=options.batch, num_threads=8, device_id=options.device, py_num_workers=8, py_start_method="spawn")
        def pipeline():
            image, label = fn.external_source(read, num_outputs=2, batch=False, parallel=True, dtype=[types.UINT8, types.UINT8])
            image = fn.crop_mirror_normalize(image.gpu(), dtype=types.FLOAT16, output_layout="CHW", mean=[255 * m for m in MEAN],
                                             std=[255 * s for s in STD])
            return image, label.gpu()

        self.name = "DALI, external source"
        self.iterator = iter(DALIGenericIterator([pipeline()], ["image", "label"]))
        self.expand = Expansion(torch, files.classes, f"cuda:{options.device}")

    def next(self):
        batch = next(self.iterator)[0]
        return batch["image"], self.expand(batch["image"][:, :, :1, :1].permute(0, 2, 3, 1), batch["label"])[1]

    def close(self):
        del self.iterator


# ---------------------------------------------------------------------------------------------------------------- comparison


def checksum(torch, tensor):
    """A sum of the tensor's bits, the same in every order of batches and rows."""
    return int(tensor.contiguous().view(torch.int16).to(torch.int64).sum().item())


def compare_batches(torch, ours, peer, count):
    """The first batches element by element; an error text or None."""
    for number in range(count):
        image, label, _ = ours.next()
        other = peer.next()
        if image.shape != other[0].shape or label.shape != other[1].shape:
            return f"batch {number}: shapes {tuple(image.shape)}, {tuple(label.shape)} and {tuple(other[0].shape)}, {tuple(other[1].shape)}"
        if not torch.equal(label, other[1]):
            return f"batch {number}: labels differ"
        if not torch.allclose(image.float(), other[0].float(), rtol=2**-10, atol=2**-10):
            return f"batch {number}: images differ"
    return None


def epoch_checksum(torch, peer, steps):
    """Of the labels, which all make to the bit, and the images' sum."""
    labels, images = 0, 0.0
    for _ in range(steps):
        batch = peer.next()
        labels += checksum(torch, batch[1])
        images += float(batch[0].double().sum().item())
    return labels, images


def turn(torch, peer, seconds):
    """Samples a second; what was read ahead is taken first."""
    for _ in range(8):
        peer.next()
    torch.cuda.synchronize()
    samples, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        samples += len(peer.next()[0])
    torch.cuda.synchronize()
    return samples / (time.perf_counter() - began)


def measure(torch, peers, options):
    rates = {peer.name: [] for peer in peers}
    for _ in range(options.rounds):
        for peer in peers:
            rates[peer.name].append(turn(torch, peer, options.seconds))
    return {name: {"samples_per_second": round(median(all_rates), 1), "all": [round(rate, 1) for rate in all_rates]}
            for name, all_rates in rates.items()}


def others(numpy, torch, files, order, options, notes):
    """Peers that may be installed."""
    found = []
    try:
        found.append(Dali(numpy, torch, files, order, options))
    except Exception as problem:  # a package that is there may fail in its own ways
        notes.append(f"DALI is not measured: {problem}")
    try:
        import ffcv

        notes.append(f"FFCV {getattr(ffcv, '__version__', '')} is not measured: it reads its own files alone")
    except Exception as problem:
        notes.append(f"FFCV is not measured: {problem}")
    return found


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("pack", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--workers", default=None)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def epoch_order(ours, steps):
    """Sample numbers of an epoch's batches, as hotpack gives them."""
    return [list(ours.next()[2]) for _ in range(steps)]


def main():
    options = parse_arguments()
    numpy, torch = import_torch()
    from pack_records import PackFiles

    torch.cuda.set_device(options.device)
    files, notes = PackFiles(options.pack), []
    if files.storage != "index":
        skip(f"{options.pack}: labels are stored as {files.storage}; the peers read class ids")
    cores = len(os.sched_getaffinity(0))
    workers = [int(n) for n in options.workers.split(",")] if options.workers else sorted({0, 2, 4, 8, min(16, cores)})
    steps = len(files.records) // options.batch

    def hotpack(residency):
        return Hotpack(torch, options.library, options.pack, options, residency)

    reference = hotpack("page")
    order = epoch_order(reference, steps)
    reference.close()
    ours = [hotpack(residency) for residency in ("page", "pinned", "device")]
    peers = [TorchLoader(numpy, torch, files, order, options, count, whole) for count in workers for whole in (False, True)]
    peers += others(numpy, torch, files, order, options, notes)

    for peer in peers:
        fresh = hotpack("page")
        problem = compare_batches(torch, fresh, peer, min(steps, 4))
        fresh.close()
        if problem:
            sys.exit(f"{peer.name} and hotpack differ: {problem}")
    sums = {peer.name: epoch_checksum(torch, peer, steps) for peer in (ours[0], peers[0])}
    if len({labels for labels, _ in sums.values()}) != 1:
        sys.exit(f"checksums of an epoch differ: {sums}")

    figures = measure(torch, [*ours, *peers], options)
    best = max((peer.name for peer in peers), key=lambda name: figures[name]["samples_per_second"])
    print(f"{torch.cuda.get_device_name(options.device)}, {cores} cores, batches of {options.batch}\n")
    for name, told in figures.items():
        ratio = told["samples_per_second"] / figures[best]["samples_per_second"]
        told["over_best_peer"] = round(ratio, 3)
        print(f"  {name:<48}{told['samples_per_second']:12,.0f} samples/s{ratio:8.2f} of the best peer")
    for note in notes:
        print(f"note: {note}")
    if options.json:
        report = {"report": "hotpack-device-peers/1", "device": torch.cuda.get_device_name(options.device), "cores": cores,
                  "torch": torch.__version__, "batch": options.batch, "best_peer": best, "figures": figures, "notes": notes}
        options.json.write_text(json.dumps(report, indent=2) + "\n")
        print(f"written: {options.json}")


if __name__ == "__main__":
    main()
