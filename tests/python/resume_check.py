"""Kills training runs at random steps and continues them; scripts/resume-check says how to run it.

A run is one process per rank. Each rank notes the rows of every batch in a file of its own; a checkpoint is made after every step. When a
rank has noted a random number of steps, all are killed (SIGKILL) and begun again. What counts in the end is, for each step, what was noted
last, and a step that was noted twice must have had the same rows both times.

The frameworks are imported once, and each rank is a fork of this process: it begins with no loader, and sooner than a new interpreter.
"""

import argparse
import importlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACK = ROOT / "tests" / "golden" / "1.0" / "bits"
EPOCHS, GLOBAL_BATCH, COPIES = 3, 4, 16  # 48 samples, 12 steps an epoch
STEPS = EPOCHS * COPIES * 3 // GLOBAL_BATCH
WAYS = ("torch", "lightning", "accelerate", "trainer")


# ---- one rank


class Notes:
    """A file with a line for each batch."""

    def __init__(self, folder, rank):
        self.file = open(folder / f"rows.{rank}", "a", encoding="utf-8")

    def add(self, batch):
        self.file.write(json.dumps([batch.epoch, batch.step, batch.indices.tolist()]) + "\n")
        self.file.flush()


def data():
    import hotpack

    return hotpack.open(*[PACK] * COPIES)


def opened(resume=None):
    import hotpack.torch

    return hotpack.torch.Loader(data(), global_batch_size=GLOBAL_BATCH, seed=11, resume=resume)


def model():
    import torch

    torch.manual_seed(1)
    return torch.nn.Conv2d(3, 11, 1)


def loss_of(net, batch):
    import torch

    return torch.nn.functional.cross_entropy(net(batch.image), batch.label)


def save(state, path):
    import torch

    torch.save(state, f"{path}.new")
    os.replace(f"{path}.new", path)


def train_torch(folder, rank, notes):
    import torch

    path = folder / "checkpoint"
    net, state = model(), None
    if path.exists():
        state = torch.load(path, weights_only=True)
        net.load_state_dict(state["model"])
    loader = opened(state and state["data"])
    optimizer = torch.optim.SGD(net.parameters(), 1e-2)
    while loader.state_dict()["epoch"] < EPOCHS:
        for batch in loader:
            notes.add(batch)
            loss_of(net, batch).backward()
            optimizer.step()
            barrier()
            if rank == 0:
                save({"model": net.state_dict(), "data": loader.state_dict()}, path)
            barrier()


def train_accelerate(folder, rank, notes):
    import accelerate
    import torch

    accelerator = accelerate.Accelerator(cpu=True)
    net, path = model(), folder / "checkpoint"
    optimizer = torch.optim.SGD(net.parameters(), 1e-2)
    net, optimizer = accelerator.prepare(net, optimizer)  # not the loader
    loader = opened()
    accelerator.register_for_checkpointing(loader)
    if path.exists():
        accelerator.load_state(str(path))
    while loader.state_dict()["epoch"] < EPOCHS:
        for batch in loader:
            notes.add(batch)
            accelerator.backward(loss_of(net, batch))
            optimizer.step()
            accelerator.wait_for_everyone()
            accelerator.save_state(str(folder / "new"))
            accelerator.wait_for_everyone()
            if rank == 0:
                shutil.rmtree(path, ignore_errors=True)
                os.replace(folder / "new", path)
            accelerator.wait_for_everyone()


def train_lightning(folder, rank, notes):
    import lightning
    import torch
    from lightning.pytorch.callbacks import ModelCheckpoint

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = model()

        def train_dataloader(self):
            return opened()

        def training_step(self, batch, index):
            notes.add(batch)
            return loss_of(self.net, batch)

        def transfer_batch_to_device(self, batch, device, index):
            return batch

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 1e-2)

    # max_steps, not max_epochs: after a restart at the end of an epoch, Lightning 2.6 counts epochs wrongly, and then neither loads the
    # loader's state nor ends in time.
    world = int(os.environ["WORLD_SIZE"])
    keep = ModelCheckpoint(folder / "lightning", save_top_k=-1, every_n_train_steps=1, filename="{step:06d}")
    trainer = lightning.Trainer(
        accelerator="cpu", devices=world, strategy="ddp" if world > 1 else "auto", max_epochs=-1, max_steps=STEPS, callbacks=[keep], logger=False,
        enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder, use_distributed_sampler=False,
    )  # fmt: skip
    trainer.fit(Module(), ckpt_path=newest(folder / "lightning"))


class Dicts:
    """The loader as the Trainer of Transformers takes one: batches are dictionaries."""

    def __init__(self, loader, notes):
        self.loader, self.notes = loader, notes
        self.set_epoch = loader.set_epoch

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        for batch in self.loader:
            self.notes.add(batch)
            yield {"pixel_values": batch.image, "labels": batch.label}


def train_trainer(folder, rank, notes):
    import torch
    import transformers

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = model()

        def forward(self, pixel_values, labels):
            logits = self.conv(pixel_values)
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    class Trainer(transformers.Trainer):
        def get_train_dataloader(self):
            state = checkpoint and json.loads((checkpoint / "data.json").read_text())
            self.loader = opened(state)
            return Dicts(self.loader, notes)

        def _save_checkpoint(self, *arguments, **options):
            super()._save_checkpoint(*arguments, **options)
            path = folder / "trainer" / f"checkpoint-{self.state.global_step}" / "data.json"
            if rank == 0:
                path.write_text(json.dumps(self.loader.state_dict()))
            barrier()

    arguments = transformers.TrainingArguments(
        output_dir=str(folder / "trainer"), max_steps=STEPS, save_steps=1, save_strategy="steps", report_to=[], use_cpu=True,
        disable_tqdm=True, logging_strategy="no", ignore_data_skip=True, per_device_train_batch_size=GLOBAL_BATCH,
        save_only_model=int(os.environ["WORLD_SIZE"]) > 1,  # its optimizer states of several CPU processes cannot be loaded
    )  # fmt: skip
    found = sorted((folder / "trainer").glob("checkpoint-*/data.json"), key=lambda path: int(path.parent.name.split("-")[1]))
    found = [path.parent for path in found if path.stat().st_size]
    checkpoint = found[-1] if found else None
    Trainer(model=Net(), args=arguments).train(resume_from_checkpoint=checkpoint and str(checkpoint))


def newest(folder):
    """The last checkpoint that was written completely."""
    import torch

    for path in sorted(folder.glob("*.ckpt"), reverse=True):
        try:
            torch.load(path, weights_only=False)
        except Exception:
            continue  # killed while it was written
        return path
    return None


def barrier():
    import torch

    if torch.distributed.is_initialized():
        torch.distributed.barrier()


def worker(way, folder):
    import logging
    import warnings

    import torch

    logging.disable()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if world > 1 and way == "torch":
        torch.distributed.init_process_group("gloo")
    notes = Notes(folder, rank)
    {"torch": train_torch, "lightning": train_lightning, "accelerate": train_accelerate, "trainer": train_trainer}[way](folder, rank, notes)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


# ---- all ranks


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def begin_rank(way, folder, environment):
    """In the forked process."""
    os.environ.update(environment)
    log = os.open(folder / f"log.{environment['RANK']}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    worker(way, folder)


def start(way, world, folder):
    port = str(free_port())
    ranks = []
    for rank in range(world):
        environment = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(world), "NODE_RANK": "0",
                       "LOCAL_WORLD_SIZE": str(world), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}  # fmt: skip
        ranks.append(multiprocessing.get_context("fork").Process(target=begin_rank, args=(way, folder, environment)))
        ranks[-1].start()
    return ranks


def lines_of(folder, rank):
    path = folder / f"rows.{rank}"
    return path.read_text(encoding="utf-8").count("\n") if path.exists() else 0


def run(way, world, folder, kill_after=None):
    """Runs to the end, or kills all ranks when rank 0 has noted `kill_after` steps more. Returns whether it came to the end."""
    before = lines_of(folder, 0)
    ranks = start(way, world, folder)
    deadline = time.monotonic() + 300
    while any(rank.exitcode is None for rank in ranks):
        if kill_after is not None and lines_of(folder, 0) >= before + kill_after or time.monotonic() > deadline:
            for rank in ranks:
                rank.kill()
        time.sleep(0.002)
    codes = [rank.exitcode for rank in ranks]
    if any(code not in (0, -signal.SIGKILL) for code in codes) and kill_after is None:
        sys.exit(f"resume-check: {way} on {world} ended with {codes}:\n{(folder / 'log.0').read_text()[-3000:]}")
    return codes == [0] * world


def rows_of(folder, world):
    """The rows of each step, over all ranks; a step that was noted twice must be the same."""
    steps, repeated, differ = {}, 0, 0
    for rank in range(world):
        noted = {}
        for line in (folder / f"rows.{rank}").read_text(encoding="utf-8").splitlines():
            try:
                epoch, step, rows = json.loads(line)
            except ValueError:
                continue  # killed while it was written; the step comes again
            if (epoch, step) in noted:
                repeated += 1
                differ += noted[epoch, step] != rows
            noted[epoch, step] = rows
        for place, rows in noted.items():
            steps.setdefault(place, []).extend(rows)
    return steps, repeated, differ


def check(way, world, runs, chance):
    with tempfile.TemporaryDirectory() as root:
        whole = Path(root) / "whole"
        whole.mkdir()
        run(way, world, whole)
        wanted, _, _ = rows_of(whole, world)
        kills = equal = repeats = 0
        for number in range(runs):
            folder = Path(root) / str(number)
            folder.mkdir()
            while not run(way, world, folder, chance.randint(1, STEPS - 1) if kills < (number + 1) * 2 else None):
                kills += 1
            found, repeated, differ = rows_of(folder, world)
            repeats += repeated
            is_equal = found == wanted and differ == 0 and len(found) == STEPS
            equal += is_equal
            if not is_equal:
                others = sorted(place for place in wanted.keys() | found.keys() if found.get(place) != wanted.get(place))
                print(f"run {number}: {differ} steps had other rows when they came again; (epoch, step) that differ: {others[:8]}")
        return kills, repeats, equal


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--processes", default="1,2")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    chance, failed = random.Random(options.seed), 0
    print(f"{'way':<12}{'processes':>10}{'runs':>6}{'kills':>7}{'steps again':>13}{'equal':>7}")
    for way in options.ways.split(","):
        importlib.import_module({"trainer": "transformers.trainer"}.get(way, way))
        importlib.import_module("hotpack.torch")
        for world in map(int, options.processes.split(",")):
            kills, repeats, equal = check(way, world, options.runs, chance)
            failed += options.runs - equal
            print(f"{way:<12}{world:>10}{options.runs:>6}{kills:>7}{repeats:>13}{equal:>7}", flush=True)
    print(f"{'all rows are those of uninterrupted runs' if not failed else f'{failed} runs differ'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
