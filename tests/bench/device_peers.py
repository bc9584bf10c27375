#!/usr/bin/env python3
"""The DeviceLoader next to PyTorch programs that bring a pack's records to a GPU as training-ready tensors.

usage: device_peers.py PACK LIBHOTPACK.so [--batch N] [--seconds S] [--rounds N] [--limit S] [--device N] [--workers LIST] [--json FILE]

PACK: uncompressed, records of one size, labels stored as class ids; either makes one:
  hotpack pack --images … --labels … --size 512x512 --label-storage index -o PACK
  hotpack_gpu_check --make-pack PACK --records 1024 --size 512x512
--seconds 3, --rounds 5: each takes a turn of S seconds in each round; --limit: no turn begins when S seconds have passed since the start
--workers 0,2,4,8,16: of DataLoader; the default is those of these numbers for which the machine has cores

All give the same batches in the same order, images normalized f16 [N,3,H,W], labels one-hot f16 [N,C,H,W], on the device. First some
batches of each are compared with what NumPy reads off the files: one-hot exactly, images within a step of f16. Then they take turns;
figures are medians. Each is made for its turn and closed after it, and batches that may have been read ahead are taken before the clock
starts. Ratios are to the best peer of the same kind. A peer that fails is not measured; the table has the reason.

From the host:
- hotpack: libhotpack.so, which writes into PyTorch's memory (next_into); with records in the page cache.
- PyTorch: DataLoader with pin_memory, a sample or a whole batch at a time, without and with several numbers of workers, copies and
  F.one_hot on one stream, as most write it; and with the copies of next batches on a stream of their own and labels by comparison.
- DALI, if it is installed, with an external source.
From the device, where the whole set fits into its memory:
- hotpack with its records on the device.
- PyTorch: all images and class ids as two tensors on the device, index_select, and the expansion by F.one_hot, by comparison, and by
  comparison compiled with torch.compile.

Exit: 0, 1 where batches differ or hotpack fails, 77 without a GPU, PyTorch, NumPy, the library or a pack.
"""

import argparse
import json
import os
import signal
import sys
import time
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median

from device_machine import find_machine
from torch_peers import MEAN, PREFETCH, STD, BatchDataset, Dali, Expected, SampleDataset, TorchLoader, TorchPrefetcher, TorchResident

SKIPPED = 77
SEED = 7
OURS = "hotpack, "  # begins the names of hotpack's own contenders
HOST, DEVICE = "from the host", "from the device"
COMPARED_BATCHES = 16
WARM_BATCHES = 8
STUCK_SECONDS = 60  # in addition to the requested time: a peer that hangs does not take the others' time
NO_TIME = "no time was left"


def skip(reason):
    print(f"{reason}; nothing was measured")
    sys.exit(SKIPPED)


class Hotpack:
    """hotpack_device.h as hotpack.torch.Loader uses it: batches in PyTorch's memory."""

    def __init__(self, machine, files, options, residency):
        from hotpack_c import DeviceLoader

        self.machine, (height, width) = machine, files.shards[0].image.shape[:2]
        self.shapes = [machine.torch.Size([options.batch, channels, height, width]) for channels in (3, files.classes)]
        self.loader = DeviceLoader(options.library, options.pack, batch=options.batch, seed=SEED, device=machine.ordinal,
                                   residency=residency, mean=MEAN, std=STD)

    def next(self):
        image, label = map(self.machine.empty, self.shapes)
        self.samples = self.loader.next_into(image, label, self.machine.stream())
        return image, label

    def close(self):
        self.loader.close()


# ---------------------------------------------------------------------------------------------------------------- who takes part


class Difference(Exception):
    """A batch that is not what it must be."""


class Contender:
    """Made for each of its turns. `ahead`: batches that may be read ahead; `rates`: samples per second of its turns; `problem`: why there
    are none, or no more."""

    stuck_seconds = 0  # that taking part once may last

    def __init__(self, name, kind, make, ahead=0):
        self.name, self.kind, self.make, self.ahead = name, kind, make, ahead
        self.rates, self.problem, self.differs = [], None, False

    @property
    def ours(self):
        return self.name.startswith(OURS)

    @property
    def rate(self):
        return round(median(self.rates), 1) if self.rates else None

    def take_part(self, machine, work):
        """The result of `work` on a new peer, which is closed afterwards. A failure becomes the peer's problem and ends nothing else."""
        made = None
        try:
            signal.setitimer(signal.ITIMER_REAL, Contender.stuck_seconds)
            made = self.make()
            work(made)
        except Difference as found:
            self.problem, self.differs = str(found), True
        except Exception as failed:  # others' packages fail in ways of their own
            self.problem = f"{type(failed).__name__}: {(str(failed).strip() or 'no text').splitlines()[0]}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.close(machine, made)

    def close(self, machine, made):
        try:
            machine.synchronize()
            if made is not None:
                made.close()
            machine.tidy()
        except Exception as failed:
            self.problem = self.problem or f"{type(failed).__name__} at its end: {failed}"


def stop_what_is_stuck(*_):
    raise TimeoutError(f"ended after {Contender.stuck_seconds:g} s")


def all_contenders(torch, machine, files, options, order, fits, notes):
    """hotpack, DataLoader in three ways, each with every number of workers, DALI, and tensors on the device."""
    found = [Contender(OURS + "page", HOST, partial(Hotpack, machine, files, options, "page"))]
    ways = [("samples, one_hot", TorchLoader, SampleDataset, "one_hot"), ("batches, one_hot", TorchLoader, BatchDataset, "one_hot"),
            ("batches, copy stream, ==", TorchPrefetcher, BatchDataset, "compare")]
    cores = len(os.sched_getaffinity(0))
    for (name, loader, dataset, how), count in product(ways, options.workers or [count for count in (0, 2, 4, 8, 16) if count <= cores]):
        found.append(Contender(f"DataLoader, {name}, {count} worker{'s' * (count != 1)}", HOST,
                               partial(loader, torch, machine, files, order, count, dataset, how), ahead=count * PREFETCH))
    try:
        import nvidia.dali

        found.append(Contender(f"DALI {nvidia.dali.__version__}, external source", HOST, partial(Dali, torch, machine, files, order)))
    except Exception as problem:  # a package that is there may fail in its own ways
        notes.append(f"DALI is not measured: {problem}")
    if fits:
        found.append(Contender(OURS + "device", DEVICE, partial(Hotpack, machine, files, options, "device")))
        for how, name in ({"one_hot": "one_hot", "compare": "=="} | ({"compile": "torch.compile"} if machine.real else {})).items():
            found.append(Contender(f"tensors on the device, {name}", DEVICE, partial(TorchResident, torch, machine, files, order, how)))
    return found


def fits_on_device(machine, files, notes):
    """True if the set and some batches fit there."""
    needed = sum(field.records * field.record_bytes for shard in files.shards for field in (shard.image, shard.label))
    free = machine.free_bytes()
    if needed <= free * 0.7:
        return True
    notes.append(f"nothing is measured from the device: the set has {needed:,} bytes, {free:,} are free")
    return False


# ---------------------------------------------------------------------------------------------------------------- comparison


def compare(expected, made):
    """Raises Difference where one of the first batches is not what it must be."""
    for number in range(min(len(expected.order), COMPARED_BATCHES)):
        batch, right = made.next(), expected.batch(number)
        for field, found, wanted in zip(("image", "label"), batch, right, strict=True):
            if found.shape != wanted.shape or found.dtype != wanted.dtype:
                raise Difference(f"batch {number}: {field}s are {found.dtype} {tuple(found.shape)}, not {wanted.dtype} {tuple(wanted.shape)}")
        if not expected.torch.equal(batch[1], right[1]):
            raise Difference(f"batch {number}: labels differ")
        if not expected.torch.allclose(batch[0].float(), right[0].float(), rtol=2**-10, atol=2**-10):
            raise Difference(f"batch {number}: images differ")


def compare_all(machine, contenders, expected, is_over):
    for contender in contenders:
        if is_over():
            contender.problem = NO_TIME
        else:
            contender.take_part(machine, partial(compare, expected))
        if contender.problem:
            print(f"{contender.name}: {contender.problem}", file=sys.stderr, flush=True)


def turn(machine, contender, seconds, made):
    """One more rate: of what comes after all that was read ahead while nobody looked."""
    for _ in range(contender.ahead + WARM_BATCHES):
        made.next()
    machine.synchronize()
    samples, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        samples += len(made.next()[0])
    machine.synchronize()
    contender.rates.append(samples / (time.perf_counter() - began))


def measure(machine, contenders, options, is_over, save):
    """Rounds of turns until all are done or time is over; `save` after each."""
    for number in range(options.rounds):
        for contender in contenders:
            if contender.problem or is_over():
                continue
            contender.take_part(machine, partial(turn, machine, contender, options.seconds))
        save()
        print(f"round {number + 1} of {options.rounds}", file=sys.stderr, flush=True)
    for contender in contenders:
        if not contender.rates and not contender.problem:
            contender.problem = NO_TIME


# ---------------------------------------------------------------------------------------------------------------- report


def best_peers(contenders):
    """Kind to its fastest peer."""
    peers = [contender for contender in contenders if contender.rates and not contender.ours]
    return {kind: max((peer for peer in peers if peer.kind == kind), key=lambda peer: peer.rate) for kind in {peer.kind for peer in peers}}


class Report:
    """Results as a table and as JSON, which is written after each round."""

    def __init__(self, torch, machine, files, options, notes):
        self.path, self.notes = options.json, notes
        height, width = files.shards[0].image.shape[:2]
        self.facts = {"report": "hotpack-device-peers/3", "device": machine.name(), "real": machine.real,
                      "cores": len(os.sched_getaffinity(0)), "torch": torch.__version__, "records": len(files.records),
                      "width": width, "height": height, "classes": files.classes, "batch": options.batch, "seconds": options.seconds}

    def results(self, contenders):
        """The best peer of each kind, figures by name, and hotpack's ratios to the best peer by residency."""
        best, figures = best_peers(contenders), {}
        for contender in contenders:
            figure = {"kind": contender.kind, "samples_per_second": contender.rate, "all": [round(rate, 1) for rate in contender.rates]}
            if contender.rates and contender.kind in best:
                figure["over_best_peer"] = round(contender.rate / best[contender.kind].rate, 3)
            if contender.problem:
                figure["problem"] = contender.problem
            figures[contender.name] = figure
        ratios = {name.removeprefix(OURS): figure["over_best_peer"] for name, figure in figures.items()
                  if name.startswith(OURS) and "over_best_peer" in figure}
        return {"best_peers": {kind: peer.name for kind, peer in best.items()}, "ratios": ratios, "figures": figures, "notes": self.notes}

    def save(self, contenders, complete):
        if self.path:
            whole = self.path.with_name(self.path.name + ".tmp")  # whoever stops us finds one that is whole
            whole.write_text(json.dumps({**self.facts, "complete": complete, **self.results(contenders)}, indent=2) + "\n")
            whole.replace(self.path)

    def show(self, contenders):
        facts, results = self.facts, self.results(contenders)
        print(f"{facts['device']}, {facts['cores']} cores, PyTorch {facts['torch']}; {facts['records']} samples of "
              f"{facts['width']}x{facts['height']}, {facts['classes']} classes, batches of {facts['batch']}")
        for kind in (HOST, DEVICE):
            print(f"\n{kind}; ratios to the best peer, {results['best_peers'].get(kind, 'which there is not')}")
            for name, figure in results["figures"].items():
                if figure["kind"] == kind:
                    rate = f"{figure['samples_per_second']:12,.0f} samples/s" if figure["all"] else " " * 9 + "not measured"
                    ratio = f"{figure['over_best_peer']:8.2f}" if "over_best_peer" in figure else ""
                    print(f"  {name:<52}{rate}{ratio}  {figure.get('problem', '')}".rstrip())
        for note in self.notes:
            print(f"note: {note}")
        print("ratios: " + (", ".join(f"{name} {ratio:.2f}" for name, ratio in results["ratios"].items()) or "none"))
        if self.path:
            print(f"written: {self.path}")


# ---------------------------------------------------------------------------------------------------------------- program


def parse_arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("pack", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=None)
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--workers", type=lambda text: [int(count) for count in text.split(",")], default=None)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def pack_files(options):
    """The pack, or the end where it is none that all can read."""
    from pack_records import PackFiles

    if not (options.pack / "dataset.json").is_file():
        skip(f"{options.pack} is no pack: make one with `hotpack_gpu_check --make-pack {options.pack}`, or with `hotpack pack --images "
             f"IMAGES --labels LABELS --size 512x512 --label-storage index -o {options.pack}`")
    files = PackFiles(options.pack)
    if files.storage != "index":
        skip(f"{options.pack}: labels are stored as {files.storage}; the peers read class ids (`hotpack pack … --label-storage index`)")
    if len(files.records) < options.batch:
        skip(f"{options.pack} has {len(files.records)} records, fewer than a batch of {options.batch}")
    return files


def epoch_order(machine, files, options):
    """Sample numbers of an epoch's batches, as hotpack gives them; or the end."""
    try:
        loader, order = Hotpack(machine, files, options, "page"), []
        for _ in range(len(files.records) // options.batch):
            loader.next()
            order.append(loader.samples)
        loader.close()
    except OSError as missing:
        skip(f"{options.library} cannot be loaded: {missing}")
    except RuntimeError as failed:
        sys.exit(f"hotpack fails: {failed}")
    return order


def main():
    options, began = parse_arguments(), time.monotonic()
    Contender.stuck_seconds = STUCK_SECONDS + options.seconds
    signal.signal(signal.SIGALRM, stop_what_is_stuck)
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # otherwise torch.compile's processes run on during measurements
    try:
        import numpy  # noqa: F401 (the peers need it)
        import torch
    except (ImportError, OSError) as missing:
        skip(str(missing))
    machine = find_machine(torch, options.device)
    if machine is None:
        skip("PyTorch finds no GPU")
    files, notes = pack_files(options), []
    order = epoch_order(machine, files, options)
    contenders = all_contenders(torch, machine, files, options, order, fits_on_device(machine, files, notes), notes)
    report = Report(torch, machine, files, options, notes)
    is_over = lambda: options.limit is not None and time.monotonic() - began > options.limit  # noqa: E731
    compare_all(machine, contenders, Expected(torch, machine, files, order), is_over)
    measure(machine, contenders, options, is_over, partial(report.save, contenders, complete=False))
    report.save(contenders, complete=True)
    report.show(contenders)
    return 1 if any(contender.differs or (contender.ours and contender.problem not in (None, NO_TIME)) for contender in contenders) else 0


if __name__ == "__main__":
    sys.exit(main())
