#!/usr/bin/env python3
"""hotpack next to a PyTorch program on its GPU: batches in PyTorch's memory on busy streams, beside a captured graph, through the Python
package, and next to a model's matrix products. One line of JSON for each step, and all of them in --json after each.

usage: device_torch.py PACK LIBHOTPACK.so [--json FILE] [--seconds S] [STEP…]      steps: equal graph package stall interference (all)

PACK: hotpack_gpu_check --make-pack PACK. A step that fails is reported, and the next begins. Exit: 0, 1 where a step failed, 77 without a
GPU, PyTorch, NumPy or the library.
"""

import argparse
import json
import sys
import time
from itertools import islice
from pathlib import Path

BATCH, SKIPPED, SIDE = 32, 77, 8192


class NotHere(Exception):
    """A step that this machine cannot run."""


class Steps:
    def __init__(self, torch, machine, options):
        from hotpack_c import DeviceLoader
        from pack_records import PackFiles
        from torch_peers import MEAN, STD

        self.torch, self.machine, self.options, self.files = torch, machine, options, PackFiles(options.pack)
        height, width = self.files.shards[0].image.shape[:2]
        self.batch = min(BATCH, len(self.files.records))
        self.shapes = [torch.Size([self.batch, channels, height, width]) for channels in (3, self.files.classes)]
        self.packed = self.batch * sum(field.record_bytes for field in (self.files.shards[0].image, self.files.shards[0].label))
        self.open = lambda residency="page": DeviceLoader(options.library, options.pack, batch=self.batch, seed=7, device=machine.ordinal,
                                                          residency=residency, mean=MEAN, std=STD)

    def take(self, loader):
        """Image, label and sample numbers of the next batch, written on the current stream."""
        image, label = map(self.machine.empty, self.shapes)
        return image, label, loader.next_into(image, label, self.machine.stream())

    def check(self, image, label, samples, what):
        from torch_peers import Expected

        right = Expected(self.torch, self.machine, self.files, [list(samples)]).batch(0)
        if not self.torch.equal(label, right[1]):
            raise RuntimeError(f"{what}: labels differ")
        if not self.torch.allclose(image.float(), right[0].float(), rtol=2**-10, atol=2**-10):
            raise RuntimeError(f"{what}: images differ")

    def real(self):
        if not self.machine.real:
            raise NotHere("no GPU")
        return self.torch.cuda

    def equal(self):
        """On the default stream and on a side stream that is busy; PyTorch uses the memory of dropped batches again."""
        for residency in ("page", "device"):
            loader = self.open(residency)
            side = self.torch.cuda.Stream() if self.machine.real else None
            busy = self.torch.empty(1 << 28 if self.machine.real else 16, dtype=self.torch.uint8, device=self.machine.device)
            for step in range(16):
                if side is None or step % 2 == 0:
                    self.check(*self.take(loader), f"{residency}, step {step}")
                    continue
                with self.torch.cuda.stream(side):
                    for _ in range(20):
                        busy.add_(1)
                    self.check(*self.take(loader), f"{residency}, step {step} on a side stream")
            loader.close()
        return {"batches": 32}

    def graph(self):
        """A captured graph reads fixed buffers that next_into fills; a batch comes on another stream during the capture."""
        cuda, loader = self.real(), self.open()
        image, label, samples = self.take(loader)
        cuda.synchronize()
        captured, side = cuda.CUDAGraph(), cuda.Stream()
        spare = [self.machine.empty(shape) for shape in self.shapes]
        with cuda.graph(captured):
            copy = image.clone()
            loader.next_into(*spare, side.cuda_stream)
        for _ in range(4):
            samples = loader.next_into(image, label, self.machine.stream())
            captured.replay()
            self.check(copy, label, samples, "a batch that a graph reads")
        loader.close()
        return {"batches": 4}

    def package(self):
        """hotpack.torch.Loader on the GPU next to that on the host, and arrays that CuPy, JAX and PyTorch take over by DLPack."""
        self.real()
        try:
            import hotpack
            import hotpack.torch
        except ImportError as missing:
            raise NotHere(str(missing)) from missing
        import numpy

        data, found = hotpack.open(self.options.pack), {}
        both = zip(hotpack.torch.Loader(data, BATCH, seed=7, device="cuda"), hotpack.torch.Loader(data, BATCH, seed=7), strict=True)
        for a, b in islice(both, 16):
            if not (a.image.is_cuda and self.torch.equal(a.image.cpu(), b.image) and self.torch.equal(a.label.cpu(), b.label)):
                raise RuntimeError("hotpack.torch.Loader: batches differ")
        takers = {"torch": lambda x: self.torch.from_dlpack(x).cpu().numpy(), "cupy": lambda x: __import__("cupy").from_dlpack(x).get(),
                  "jax": lambda x: numpy.asarray(__import__("jax").dlpack.from_dlpack(x))}
        for name, take in takers.items():
            try:
                both = zip(hotpack.DeviceLoader(data, BATCH, seed=7), hotpack.Loader(data, BATCH, seed=7), strict=True)
                same = all((take(a.image) == b.image).all() and (take(a.label) == b.label).all() for a, b in islice(both, 6))
            except Exception as failed:  # packages that are not there, or fail in ways of their own
                found[name] = f"{type(failed).__name__}: {failed}"[:150]
                continue
            if not same:
                raise RuntimeError(f"{name}: arrays differ")
            found[name] = "equal"
        return found

    def products(self, count, pace=0, loader=None):
        """Seconds of `count` steps of matrix products, with a batch before every step, or before every pace-th."""
        a = self.a
        self.machine.synchronize()
        began = time.perf_counter()
        for step in range(count):
            if loader is not None and step % pace == 0:
                self.take(loader)
            for _ in range(self.products_a_step):
                a @ a
        self.machine.synchronize()
        return time.perf_counter() - began

    def prepare(self):
        """A loader, the seconds of a batch without other work, and those of one product."""
        self.real()
        self.a, self.products_a_step, loader = self.torch.randn(SIDE, SIDE, device=self.machine.device, dtype=self.torch.bfloat16), 1, self.open()
        for _ in range(20):
            self.take(loader)
        self.machine.synchronize()
        began = time.perf_counter()
        for _ in range(50):
            self.take(loader)
        self.machine.synchronize()
        service = (time.perf_counter() - began) / 50
        self.products(20)
        return loader, service, self.products(100) / 100

    def stall(self):
        """A step 1.2 times as long as a batch takes or longer: how much longer batches make it."""
        loader, service, product = self.prepare()
        self.products_a_step = int(1.2 * service / product) + 1
        count = int(self.options.seconds / (product * self.products_a_step)) + 1
        alone, both, again = self.products(count), self.products(count, 1, loader), self.products(count)
        loader.close()
        return {"step_ms": alone / count * 1e3, "longer": both / (0.5 * (alone + again)) - 1, "target": "<= 0.03 (wait 0.01, kernels the rest)"}

    def interference(self):
        """The rate of products next to a loader at a tenth of its pace."""
        loader, service, product = self.prepare()
        pace = max(1, round(10 * service / product))
        count = (int(self.options.seconds / product) // pace + 1) * pace
        alone, both, again = self.products(count), self.products(count, pace, loader), self.products(count)
        loader.close()
        return {"rate": 0.5 * (alone + again) / both, "target": ">= 0.98", "products_a_batch": pace, "bytes_per_second": self.packed * count / pace / both}


def skip(reason):
    print(f"{reason}; nothing was run")
    sys.exit(SKIPPED)


def main():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("pack", type=Path)
    parser.add_argument("library", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("steps", nargs="*", default=["equal", "graph", "package", "stall", "interference"])
    options = parser.parse_intermixed_args()
    try:
        import numpy  # noqa: F401
        import torch
        from device_machine import find_machine

        machine = find_machine(torch, 0)
        steps = Steps(torch, machine, options) if machine else None
        if machine:
            steps.open().close()
    except (ImportError, OSError) as missing:
        skip(str(missing))
    if machine is None:
        skip("PyTorch finds no GPU")
    report, failures = {"report": "hotpack-device-torch/1", "device": machine.name(), "torch": torch.__version__}, 0
    for name in options.steps:
        began = time.perf_counter()
        try:
            report[name] = getattr(steps, name)()
        except NotHere as missing:
            report[name] = {"skipped": str(missing)}
        except Exception as failed:
            failures += 1
            report[name] = {"FAILED": f"{type(failed).__name__}: {failed}"[:300]}
        print(json.dumps({name: report[name], "seconds": round(time.perf_counter() - began, 1)}), flush=True)
        if options.json:
            options.json.write_text(json.dumps(report, indent=2) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
