"""Trains with PyTorch on two processes, each with its share of every batch.

    python two_processes.py                           # starts two processes itself
    torchrun --nproc-per-node 2 two_processes.py      # or torchrun does
    python two_processes.py --stop-after 3            # stops in the middle of an epoch …
    python two_processes.py --resume                  # … and continues with the next batch,
    python two_processes.py --resume --processes 1    # also on another number of processes

Needs torch and Pillow. Takes 10 seconds.
"""

import argparse
import os
import tempfile
from pathlib import Path

import segmentation
import torch
from torch import distributed, multiprocessing, nn

import hotpack.torch


def train(rank, world, meeting, options):
    """What each process does. meeting: where the processes find each other."""
    distributed.init_process_group("gloo", init_method=meeting, rank=rank, world_size=world)
    ds = opened(rank, options)
    loader = hotpack.torch.Loader(
        ds, global_batch_size=options.batch_size, seed=7, rank=rank, world_size=world
    )
    torch.manual_seed(7)  # every process begins with the same weights
    model = nn.Conv2d(3, len(ds.classes), 5, padding="same")
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    done = 0  # steps since the first
    if options.resume:
        saved = torch.load(options.checkpoint, weights_only=True)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        loader.load_state_dict(saved["data"])  # the same on every rank
        done = saved["done"]

    steps = len(loader)
    for epoch in range(done // steps, options.epochs):
        for batch in loader:
            loss = nn.functional.cross_entropy(model(batch.image), batch.label)
            optimizer.zero_grad()
            loss.backward()
            loss = average(model, loss.detach())
            optimizer.step()
            done += 1
            report(f"epoch {epoch}  step {batch.step}  loss {loss:.5f}", batch)
            if done == options.stop_after or done % steps == 0:
                save(options.checkpoint, model, optimizer, loader, done)
            if done == options.stop_after:
                return distributed.destroy_process_group()
    distributed.destroy_process_group()


def opened(rank, options):
    """Rank 0 packs, once; the others get the data set, which is sent as the path of its pack."""
    found = [None]
    if rank == 0:
        found = [segmentation.Folder(options.folder, options.size).packed(options.packed)]
    distributed.broadcast_object_list(found)
    return found[0]


def average(model, loss):
    """Replaces the gradients by their means over all processes; gives the mean loss."""
    for value in (loss, *(parameter.grad for parameter in model.parameters())):
        distributed.all_reduce(value)
        value /= distributed.get_world_size()
    return loss


def report(text, batch):
    """Rank 0 prints which samples each rank has."""
    samples = [None] * distributed.get_world_size()
    distributed.all_gather_object(samples, batch.indices.tolist())
    if distributed.get_rank() == 0:
        print(f"{text}  samples {samples}", flush=True)


def save(path, model, optimizer, loader, done):
    """One checkpoint for all: every rank has the same weights and the same position."""
    if distributed.get_rank() == 0:
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "data": loader.state_dict(),
            "done": done,
        }
        torch.save(state, f"{path}.new")
        os.replace(f"{path}.new", path)


def main():
    options = arguments()
    if "RANK" in os.environ:  # torchrun started this process
        return train(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), "env://", options)
    with tempfile.TemporaryDirectory() as folder:
        meeting = Path(folder, "meeting").as_uri()
        world = options.processes
        multiprocessing.spawn(train, (world, meeting, options), nprocs=world)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", default=segmentation.STREET, help="images and masks")
    parser.add_argument(
        "--size", type=segmentation.size, default=(256, 192), help="such as 256x192"
    )
    parser.add_argument("--batch-size", type=int, default=8, help="of all processes together")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--packed", default="packed", help="where packs are")
    parser.add_argument("--checkpoint", default="two_processes.pt")
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint")
    parser.add_argument("--stop-after", type=int, metavar="STEPS")
    return parser.parse_args()


if __name__ == "__main__":
    main()
