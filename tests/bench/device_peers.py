#!/usr/bin/env python3
"""The DeviceLoader beside what people write with PyTorch to have a pack's records as training-ready tensors on a GPU.

usage: device_peers.py PACK LIBHOTPACK.so [--batch N] [--seconds S] [--rounds N] [--device N] [--workers LIST] [--json FILE]

PACK: uncompressed, records of one size, labels stored as class ids; this makes one:
  hotpack pack --images … --labels … --size 512x512 --label-storage index -o PACK
All give the same batches in the same order, images normalised f16 [N,3,H,W], labels one-hot f16 [N,C,H,W], on the device. First the
tensors of some batches are compared: one-hot exactly, images within a step of f16; then a sum that no order changes is compared over an
epoch. Then they take turns, N rounds of S seconds; figures are medians. Each is made for its turn and closed after it, so that nobody's
workers or memory are in the way of another's.

From the host:
- hotpack: libhotpack.so, its tensors taken over by DLPack without a copy; with records in the page cache, and in pinned memory.
- PyTorch: DataLoader with pin_memory, a sample or a whole batch at a time, without and with several numbers of workers (the best counts);
  .to(device, non_blocking), F.one_hot, permute, cast and normalisation on the device.
- DALI and FFCV are told of where they can be imported, and measured where they can read such records (DALI by an external source).
From the device, where the whole set fits into its memory:
- hotpack with its records on the device.
- PyTorch: all images and class ids as two tensors on the device, index_select and the same expansion.
Ratios are to the best peer of the same kind.

Exit: 0, 1 where batches differ, 77 without a GPU, PyTorch, NumPy or a pack.
"""

import argparse
import gc
import json
import os
import sys
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

SKIPPED = 77
MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
SEED = 7
HOST, DEVICE = "from the host", "from the device"
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

        self.torch = torch
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

    def images(self, images):
        return images.permute(0, 3, 1, 2).float().div_(255).sub_(self.mean).div_(self.std).half().contiguous()

    def labels(self, labels):
        # One class more for what is ignored: 255.
        ids = labels.long().clamp_(max=self.classes)
        one_hot = self.torch.nn.functional.one_hot(ids, self.classes + 1)[..., :self.classes]
        return one_hot.permute(0, 3, 1, 2).half().contiguous()

    def __call__(self, images, labels):
        return self.images(images), self.labels(labels)


class Records:
    """Images and labels by sample number, as views of memory maps. Goes to workers as names of files: each maps them itself."""

    def __init__(self, files):
        self.shards, self.maps = files.shards, None

    def __getstate__(self):
        return {"shards": self.shards, "maps": None}

    def __len__(self):
        return sum(shard.image.records for shard in self.shards)

    def pair(self, sample):
        """[H,W,3] and [H,W] of a sample."""
        if self.maps is None:
            self.maps = [views for shard in self.shards for views in zip(field_views(shard.path, shard.image),
                                                                        field_views(shard.path, shard.label), strict=True)]
        image, label = self.maps[sample]
        return image, label.reshape(image.shape[:2])


def field_map(path, field):
    """All records of a shard's field as one array in a memory map."""
    import numpy

    return numpy.asarray(numpy.memmap(path, numpy.uint8, "r", field.offset, (field.records, *field.shape)))


def field_views(path, field):
    return list(field_map(path, field))


class SampleDataset(Records):
    """For DataLoader's collation: a sample at a time."""

    def __getitem__(self, sample):
        import torch

        image, label = self.pair(sample)
        return torch.from_numpy(image.copy()), torch.from_numpy(label.copy())


class BatchDataset(Records):
    """A whole batch at a time, which saves the copy of collation."""

    def __getitem__(self, samples):
        import numpy
        import torch

        images, labels = zip(*(self.pair(sample) for sample in samples), strict=True)
        return torch.from_numpy(numpy.stack(images)), torch.from_numpy(numpy.stack(labels))


class Endless:
    """Batches of given sample numbers, epoch after epoch."""

    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        while True:
            yield from self.batches


class TorchLoader:
    def __init__(self, torch, files, order, options, workers, whole_batches):
        self.device = f"cuda:{options.device}"
        dataset = BatchDataset(files) if whole_batches else SampleDataset(files)
        fetching = {"batch_size": None, "sampler": Endless(order)} if whole_batches else {"batch_sampler": Endless(order)}
        waiting = {"persistent_workers": True, "prefetch_factor": PREFETCH} if workers else {}
        self.loader = torch.utils.data.DataLoader(dataset, num_workers=workers, pin_memory=True, **fetching, **waiting)
        self.batches = iter(self.loader)
        self.expand = Expansion(torch, files.classes, self.device)

    def next(self):
        images, labels = next(self.batches)
        return self.expand(images.to(self.device, non_blocking=True), labels.to(self.device, non_blocking=True))

    def close(self):
        del self.batches, self.loader  # which ends the workers


class TorchResident:
    """The whole set as two tensors on the device."""

    def __init__(self, torch, files, order, options):
        device = torch.device(f"cuda:{options.device}")
        self.torch = torch
        self.images = self.field_on_device(files, device, "image")
        self.labels = self.field_on_device(files, device, "label").reshape(self.images.shape[:3])
        self.batches = iter(Endless([torch.tensor(samples, device=device) for samples in order]))
        self.expand = Expansion(torch, files.classes, device)

    def field_on_device(self, files, device, name):
        fields = [(shard.path, getattr(shard, name)) for shard in files.shards]
        count = sum(field.records for _, field in fields)
        whole = self.torch.empty((count, *fields[0][1].shape), dtype=self.torch.uint8, device=device)
        begin = 0
        for path, field in fields:
            whole[begin:begin + field.records].copy_(self.torch.from_numpy(field_map(path, field).copy()))
            begin += field.records
        return whole

    def next(self):
        samples = next(self.batches)
        return self.expand(self.images.index_select(0, samples), self.labels.index_select(0, samples))

    def close(self):
        del self.images, self.labels, self.batches


# ---------------------------------------------------------------------------------------------------------------- DALI


class DaliSource:
    """A sample at a time to DALI's worker processes, which get it pickled."""

    def __init__(self, files, order):
        self.records, self.numbers = Records(files), [sample for batch in order for sample in batch]

    def __call__(self, info):
        return self.records.pair(self.numbers[info.idx_in_epoch % len(self.numbers)])


def dali_pipeline(source, options):
    from nvidia.dali import Pipeline, fn, types

    pipeline = Pipeline(batch_size=options.batch, num_threads=8, device_id=options.device, py_num_workers=8, py_start_method="spawn")
    with pipeline:
        image, label = fn.external_source(source, num_outputs=2, batch=False, parallel=True, dtype=[types.UINT8, types.UINT8],
                                          layout=["HWC", "HW"])
        image = fn.crop_mirror_normalize(image.gpu(), dtype=types.FLOAT16, output_layout="CHW", mean=[255 * m for m in MEAN],
                                         std=[255 * s for s in STD])
        pipeline.set_outputs(image, label.gpu())
    return pipeline


class Dali:
    """DALI with an external source of the same records: copy to the device, normalisation there, one-hot by PyTorch."""

    def __init__(self, torch, files, order, options):
        from nvidia.dali.plugin.pytorch import DALIGenericIterator

        self.iterator = DALIGenericIterator([dali_pipeline(DaliSource(files, order), options)], ["image", "label"])
        self.expand = Expansion(torch, files.classes, f"cuda:{options.device}")

    def next(self):
        batch = next(self.iterator)[0]
        return batch["image"], self.expand.labels(batch["label"])

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


class Contender:
    """What takes turns: made for each, so that nothing of it is left in the others'."""

    def __init__(self, name, kind, make, is_peer=True, may_fail=False):
        self.name, self.kind, self.make, self.is_peer, self.may_fail = name, kind, make, is_peer, may_fail

    @contextmanager
    def opened(self, torch):
        made = self.make()
        try:
            yield made
        finally:
            torch.cuda.synchronize()
            made.close()
            del made
            gc.collect()
            torch.cuda.empty_cache()


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


def measure(torch, contenders, options):
    rates = {contender.name: [] for contender in contenders}
    for _ in range(options.rounds):
        for contender in contenders:
            with contender.opened(torch) as made:
                rates[contender.name].append(turn(torch, made, options.seconds))
    return {name: {"samples_per_second": round(median(all_rates), 1), "all": [round(rate, 1) for rate in all_rates]}
            for name, all_rates in rates.items()}


def best_peers(contenders, figures):
    """Kind to the name of its fastest peer, and each figure's ratio to it."""
    best = {}
    for contender in contenders:
        known = best.get(contender.kind)
        if contender.is_peer and (known is None or rate_of(figures, contender.name) > rate_of(figures, known)):
            best[contender.kind] = contender.name
    for contender in contenders:
        if contender.kind in best:
            ratio = rate_of(figures, contender.name) / rate_of(figures, best[contender.kind])
            figures[contender.name] |= {"kind": contender.kind, "over_best_peer": round(ratio, 3)}
    return best


def rate_of(figures, name):
    return figures[name]["samples_per_second"]


def host_peers(torch, files, order, options, workers, notes):
    """What reads records from files, of that what is installed."""
    found = []
    for count in workers:
        for whole in (False, True):
            name = f"DataLoader, a {'batch' if whole else 'sample'} at a time, {count} worker{'s' * (count != 1)}"
            found.append(Contender(name, HOST, partial(TorchLoader, torch, files, order, options, count, whole)))
    try:
        import nvidia.dali

        make = partial(Dali, torch, files, order, options)
        found.append(Contender(f"DALI {nvidia.dali.__version__}, external source", HOST, make, may_fail=True))
    except Exception as problem:  # a package that is there may fail in its own ways
        notes.append(f"DALI is not measured: {problem}")
    try:
        import ffcv

        notes.append(f"FFCV {getattr(ffcv, '__version__', '')} is not measured: it reads its own files alone")
    except Exception as problem:
        notes.append(f"FFCV is not measured: {problem}")
    return found


def fits_on_device(torch, files, options, notes):
    """Whether the set and some batches have room there."""
    needed = sum(field.records * field.record_bytes for shard in files.shards for field in (shard.image, shard.label))
    free = torch.cuda.mem_get_info(options.device)[0]
    if needed <= free * 0.7:
        return True
    notes.append(f"nothing is measured from the device: the set has {needed:,} bytes, {free:,} are free")
    return False


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


def compare_all(torch, contenders, reference, steps, notes):
    """Ends the program where a peer's batches differ; leaves out one that may fail and does, with a note."""
    running = []
    for contender in contenders:
        try:
            with contender.opened(torch) as peer, reference.opened(torch) as fresh:
                problem = compare_batches(torch, fresh, peer, min(steps, 4))
        except Exception as failed:
            if not contender.may_fail:
                raise
            notes.append(f"{contender.name} is not measured: {type(failed).__name__}: {failed}")
            continue
        if problem:
            sys.exit(f"{contender.name} and hotpack differ: {problem}")
        running.append(contender)
    return running


def compare_sums(torch, contenders, steps):
    sums = {}
    for contender in contenders:
        with contender.opened(torch) as made:
            sums[contender.name] = epoch_checksum(torch, made, steps)
    if len({labels for labels, _ in sums.values()}) != 1:
        sys.exit(f"checksums of an epoch differ: {sums}")


def report(torch, contenders, figures, notes, options, cores):
    device = torch.cuda.get_device_name(options.device)
    best = best_peers(contenders, figures)
    print(f"{device}, {cores} cores, batches of {options.batch}")
    for kind in (HOST, DEVICE):
        print(f"\n{kind}; ratios to the best peer{', ' + best[kind] if kind in best else ': there is none'}")
        for contender in contenders:
            if contender.kind == kind:
                ratio = figures[contender.name].get("over_best_peer")
                text = "" if ratio is None else f"{ratio:8.2f}"
                print(f"  {contender.name:<48}{rate_of(figures, contender.name):12,.0f} samples/s{text}")
    for note in notes:
        print(f"note: {note}")
    if options.json:
        written = {"report": "hotpack-device-peers/2", "device": device, "cores": cores, "torch": torch.__version__,
                   "batch": options.batch, "best_peers": best, "figures": figures, "notes": notes}
        options.json.write_text(json.dumps(written, indent=2) + "\n")
        print(f"written: {options.json}")


def pack_files(options):
    """The pack, or the end where it is none that all can read."""
    from pack_records import PackFiles

    if not (options.pack / "dataset.json").is_file():
        skip(f"{options.pack} is no pack: make one with `hotpack pack --images IMAGES --labels LABELS --size 512x512 --label-storage index "
             f"-o {options.pack}`")
    files = PackFiles(options.pack)
    if files.storage != "index":
        skip(f"{options.pack}: labels are stored as {files.storage}; the peers read class ids (`hotpack pack … --label-storage index`)")
    return files


def main():
    options = parse_arguments()
    _, torch = import_torch()
    torch.cuda.set_device(options.device)
    files, notes = pack_files(options), []
    cores = len(os.sched_getaffinity(0))
    workers = [int(n) for n in options.workers.split(",")] if options.workers else sorted({0, 2, 4, 8, min(16, cores)})
    steps = len(files.records) // options.batch
    if steps == 0:
        skip(f"{options.pack} has {len(files.records)} records, fewer than a batch of {options.batch}")

    def hotpack(residency, kind):
        make = partial(Hotpack, torch, options.library, options.pack, options, residency)
        return Contender(f"hotpack, {residency}", kind, make, is_peer=False)

    ours = [hotpack("page", HOST), hotpack("pinned", HOST)]
    with ours[0].opened(torch) as made:
        order = epoch_order(made, steps)
    peers = host_peers(torch, files, order, options, workers, notes)
    if fits_on_device(torch, files, options, notes):
        ours.append(hotpack("device", DEVICE))
        peers.append(Contender("PyTorch, tensors on the device", DEVICE, partial(TorchResident, torch, files, order, options)))
    peers = compare_all(torch, peers, ours[0], steps, notes)
    compare_sums(torch, [ours[0], *peers[:1]], steps)
    report(torch, [*ours, *peers], measure(torch, [*ours, *peers], options), notes, options, cores)


if __name__ == "__main__":
    main()
