"""Trains a small U-Net with PyTorch, from raw files or from a pack.

    python unet_torch.py                            # sample_data/street, from a pack
    python unet_torch.py --data raw                 # the same batches, decoded by a DataLoader
    python unet_torch.py CamVid --size 480x352      # a folder of your own; see segmentation.py
    python unet_torch.py --stop-after 8             # stops in the middle of an epoch …
    python unet_torch.py --resume                   # … and continues with the next batch

Both kinds of data give the same samples in the same order, so the losses are the same; what differs
is how long steps wait. Needs torch and Pillow. Three epochs take half a minute on 2 cores.
"""

import argparse
import os
import time

import numpy as np
import segmentation
import torch
from torch import nn
from torch.nn import functional

import hotpack.torch

SEED = 7


class UNet(nn.Module):
    """Four levels; the way up joins what the way down had at the same size."""

    def __init__(self, classes, widths=(16, 32, 64, 128)):
        super().__init__()
        pairs = list(zip(widths, widths[1:]))
        self.down = nn.ModuleList(convolutions(a, b) for a, b in zip((3, *widths), widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, stride=2) for a, b in pairs)
        self.join = nn.ModuleList(convolutions(2 * a, a) for a, _ in pairs)
        self.head = nn.Conv2d(widths[0], classes, 1)

    def forward(self, x):
        levels = []
        for down in self.down:
            x = down(functional.max_pool2d(x, 2) if levels else x)
            levels.append(x)
        for level in reversed(range(len(self.up))):
            x = self.join[level](torch.cat([levels[level], self.up[level](x)], dim=1))
        return self.head(x)


def convolutions(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
        nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


def pack_loader(files, options, device):
    """Images as f32 [N,3,H,W] in 0 … 1, labels as one-hot f32 [N,C,H,W]."""
    return hotpack.torch.Loader(
        files.packed(options.packed),
        options.batch_size,
        seed=SEED,
        image=hotpack.Image("float32", "NCHW"),
        label=hotpack.OneHot("float32", "NCHW"),
        device=device,
    )


class RawLoader:
    """The same batches without a pack: worker processes decode the files of each sample."""

    def __init__(self, files, options, device):
        self.samples, self.options, self.device = Samples(files), options, device
        self.done = 0  # batches since the first

    def __len__(self):
        return len(self.samples) // self.options.batch_size

    def __iter__(self):
        epoch, step = divmod(self.done, len(self))
        order = hotpack.epoch_order(len(self.samples), self.options.batch_size, SEED, epoch)
        batches = torch.utils.data.DataLoader(
            self.samples,
            batch_sampler=order[step:].tolist(),
            num_workers=self.options.workers,
        )
        for x, y in batches:
            self.done += 1
            yield x.to(self.device), y.to(self.device)

    def state_dict(self):
        return {"done": self.done}

    def load_state_dict(self, state):
        self.done = state["done"]


class Samples(torch.utils.data.Dataset):
    """A sample by its number, channels first."""

    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, number):
        return tuple(
            np.ascontiguousarray(one.transpose(2, 0, 1)) for one in self.files.load(number)
        )


def main():
    options = arguments()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(SEED)
    files = segmentation.Folder(options.folder, options.size)
    loader = {"pack": pack_loader, "raw": RawLoader}[options.data](files, options, device)
    model = UNet(len(files.names)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    losses = []  # of every step since the first

    if options.resume:
        saved = torch.load(options.checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        loader.load_state_dict(saved["data"])
        losses = saved["losses"]

    def save():
        """Writes a checkpoint whole or not at all; the data's position is in it."""
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "data": loader.state_dict(),
            "losses": losses,
        }
        torch.save(state, f"{options.checkpoint}.new")
        os.replace(f"{options.checkpoint}.new", options.checkpoint)

    steps = len(loader)
    for epoch in range(len(losses) // steps, options.epochs):
        waited, begin = 0.0, time.perf_counter()
        before = begin
        for x, y in loader:
            waited += time.perf_counter() - before
            loss = functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if len(losses) == options.stop_after:
                save()
                return print(f"stopped after step {len(losses)}; continue with --resume")
            before = time.perf_counter()
        save()
        mean = sum(losses[epoch * steps :]) / steps
        seconds = time.perf_counter() - begin
        print(f"epoch {epoch}  loss {mean:.5f}  {seconds:.2f} s  waited {waited:.3f} s for data")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=segmentation.STREET, help="images and masks")
    parser.add_argument("--data", choices=["pack", "raw"], default="pack")
    parser.add_argument(
        "--size", type=segmentation.size, default=(256, 192), help="such as 256x192"
    )
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2, help="processes that decode raw files")
    parser.add_argument("--packed", default="packed", help="where packs are")
    parser.add_argument("--checkpoint", default="unet_torch.pt")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint")
    parser.add_argument("--stop-after", type=int, metavar="STEPS")
    return parser.parse_args()


if __name__ == "__main__":
    main()
