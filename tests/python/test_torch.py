"""hotpack.torch with the real torch, torchdata, Lightning, Accelerate and Transformers."""

import itertools
import os
import pickle

import numpy as np
import pytest
from conftest import framework, golden_pack

import hotpack

torch = framework("torch")
import hotpack.torch as hpt  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::hotpack.PerformanceWarning")
DataLoader = torch.utils.data.DataLoader


@pytest.fixture(scope="module")
def big():
    return hotpack.open(*[golden_pack("bits")] * 8)


def test_tensors_equal_to_tensor_and_one_hot(big):
    """By the formulas of ToTensor, Normalize and F.one_hot."""
    mean, std = torch.tensor([0.4, 0.5, 0.6]), torch.tensor([0.2, 0.3, 0.25])
    image, label = hotpack.Image("float32", "NCHW", mean, std), hotpack.OneHot("float32", "NCHW")
    for x, y in hpt.Loader(big, 4, shuffle=False, image=image, label=label):
        assert x.dtype == y.dtype == torch.float32 and x.is_contiguous()
        break
    raw = torch.stack([torch.from_numpy(big[i].image.copy()) for i in range(4)]).permute(0, 3, 1, 2)
    assert torch.equal(x, (raw.float() / 255 - mean[:, None, None]) / std[:, None, None])
    ids = torch.stack([torch.from_numpy(big[i].ids("int64", ignore_index=11)) for i in range(4)])
    assert torch.equal(y, torch.nn.functional.one_hot(ids, 12)[..., :11].permute(0, 3, 1, 2).float())


@pytest.mark.parametrize("error", [RuntimeError("Found no NVIDIA driver"), AssertionError("Torch not compiled with CUDA enabled")])
@pytest.mark.parametrize("device", ["cuda", "cuda:0", 0, torch.device("cuda", 0)])
def test_a_torch_without_a_device_is_told(big, monkeypatch, error, device):
    def fail():
        raise error

    monkeypatch.setattr(torch.cuda, "current_device", fail)
    with pytest.raises(hotpack.UsageError, match=f"^{error}; leave out device, or use a machine with a GPU") as told:
        hpt.Loader(big, 4, device=device)
    assert told.value.option == "device"
    for name, text in (("abc", "'abc'"), (torch.device("meta"), r"device\(type='meta'\)")):
        with pytest.raises(hotpack.UsageError, match=f"^{text} is no CUDA device"):
            hpt.Loader(big, 4, device=name)
    for name in ("cpu", "cpu:0", torch.device("cpu")):
        assert hpt.Loader(big, 4, device=name).device is None


def test_by_default_losses_take_the_tensors(big):
    x, y = next(iter(hpt.Loader(big, 4)))
    assert x.shape == (4, 3, 10, 12) and x.dtype == torch.float32 and y.dtype == torch.int64 and y.shape == (4, 10, 12)
    torch.nn.functional.cross_entropy(torch.nn.Conv2d(3, 11, 1)(x), y).backward()


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "bfloat16"])
def test_every_type_of_image_shares_the_slot(big, dtype):
    loader = hpt.Loader(big, 4, image=hotpack.Image(dtype, "NHWC"), shuffle=False)
    batch = next(iter(loader))
    x = batch.image
    assert str(x.dtype) == f"torch.{dtype}" and x.data_ptr() % 64 == 0 and x is batch.image
    raw = torch.from_numpy(big[0].image.copy())
    assert torch.equal(x[0], raw if dtype == "uint8" else (raw.float() / 255).to(x.dtype))
    del batch
    assert loader.stats()["leased"] == 1
    x[:] = 0  # safe: nobody else reads the slot
    del x
    assert loader.stats()["leased"] == 0


@pytest.mark.parametrize("form", [hotpack.Ids("uint8"), hotpack.Ids("int32"), hotpack.Ids("int64"), hotpack.OneHot("bfloat16"), hotpack.OneHot("float16", "NCHW"), hotpack.Bits()])
def test_every_form_of_label_is_a_tensor(big, form):
    label = next(iter(hpt.Loader(big, 2, label=form, shuffle=False))).label
    wanted = next(iter(hotpack.Loader(big, 2, label=form, shuffle=False))).label
    assert np.array_equal(label.float().numpy(), wanted.astype(np.float32))


def test_a_training_loop_adds_no_slot_and_graphs_keep_their_batches(big):
    model, loader = torch.nn.Conv2d(3, 11, 3, padding=1), hpt.Loader(big, 4)
    for _ in range(3):
        for x, y in loader:
            torch.nn.functional.cross_entropy(model(x), y).backward()
    assert loader.stats()["slots"] == 4
    graphs = [(model(x).sum(), x) for x, y in loader]
    wanted = [model(x.clone()).sum() for _, x in graphs]
    assert [a.item() for a, _ in graphs] == [b.item() for b in wanted]
    assert loader.stats()["slots"] > 4


def test_unlabeled_sets_have_no_label():
    for options in ({}, {"label": None}):
        x, y = next(iter(hpt.Loader(hotpack.open(golden_pack("unlabelled")), 1, **options)))
        assert y is None and x.shape == (1, 3, 9, 9)


def test_to_moves_both(big):
    x, y = next(iter(hpt.Loader(big, 2))).to("meta")
    assert x.device.type == y.device.type == "meta"


def test_samples_are_a_map_style_data_set(big):
    samples = hpt.Samples(big)
    assert len(samples) == 24 and len(samples[3]) == 2 and samples[3][0].dtype == torch.float32
    assert np.array_equal(samples[5][1].numpy(), big[5].ids("int64", ignore_index=-100))
    doubled = hpt.Samples(big, transform=lambda x, y: (x * 2, y))
    assert torch.equal(doubled[1][0], samples[1][0] * 2)
    parts = torch.utils.data.random_split(samples, [20, 4])
    assert sum(len(x) for x, y in DataLoader(parts[0], 5)) == 20
    assert len(pickle.loads(pickle.dumps(samples))) == 24


def test_samples_are_of_every_type_and_keep_no_other(big):
    for dtype in ("uint8", "float16", "float32", "bfloat16"):
        samples = hpt.Samples(big, image=hotpack.Image(dtype), label=hotpack.OneHot("bfloat16"))
        x, y = samples[3]
        assert x.dtype == getattr(torch, dtype) and y.dtype == torch.bfloat16
        batch = next(iter(hpt.Loader(big, 4, shuffle=False, image=samples._rows.image, label=samples._rows.label)))
        assert torch.equal(x, batch.image[3]) and torch.equal(y, batch.label[3])
        held = samples[7]
        assert [t.untyped_storage().nbytes() for t in held] == [t.nbytes for t in held]


def test_a_data_loader_gets_batches_of_samples_in_one_piece(big):
    """As put together from the samples; subsets of subsets, samplers and workers included."""
    samples = hpt.Samples(big, label=hotpack.OneHot("bfloat16"))
    wanted = [torch.stack(fields) for fields in zip(*[samples[i] for i in (7, 2, 2)])]
    parts = torch.utils.data.Subset(torch.utils.data.Subset(samples, range(2, 24)), [5, 0, 0])
    for data, options in ((samples, {"sampler": [7, 2, 2]}), (parts, {}), (parts, {"num_workers": 1}), (torch.utils.data.ConcatDataset([parts]), {})):
        (batch,) = DataLoader(data, 3, **options)
        assert type(batch) is list and all(map(torch.equal, batch, wanted)) and not any(field.is_pinned() for field in batch)
    rows = samples.__getitems__([7, 2, 2])
    x, y = torch.utils.data.default_collate(rows)
    assert x.data_ptr() == rows[0][0].data_ptr() and y.data_ptr() == rows[0][1].data_ptr()  # no copy
    own = DataLoader(samples, 3, sampler=[7, 2, 2], collate_fn=lambda rows: [torch.stack(fields) for fields in zip(*rows)])
    assert all(map(torch.equal, next(iter(own)), wanted))


def test_rows_that_a_program_changed_are_collated_as_they_are(big):
    rows = hpt.Samples(big).__getitems__([7, 2, 5])
    others = hpt.Samples(big).__getitems__([7, 2, 5])
    for changed in (rows[::-1], rows[1:], rows[:2], [rows[0], rows[0], rows[2]], [rows[0], others[1], rows[2]], [(rows[0][0] * 2, rows[0][1]), *rows[1:]], [*rows[:2], (rows[2][0] * 2, rows[2][1])]):
        x, y = torch.utils.data.default_collate(changed)
        assert torch.equal(x, torch.stack([row[0] for row in changed])) and torch.equal(y, torch.stack([row[1] for row in changed]))
    assert type(pickle.loads(pickle.dumps(rows[1]))) is tuple


def test_samples_without_labels_or_of_their_own_sizes_are_read():
    unlabelled = hpt.Samples(hotpack.open(golden_pack("unlabelled")))
    x, y = next(iter(DataLoader(unlabelled, 2)))
    assert len(x) == min(2, len(unlabelled)) and y is None and unlabelled[0][1] is None
    mixed = hpt.Samples(hotpack.open(golden_pack("mixed_sizes")), label=hotpack.Ids("int64"))
    rows = next(iter(DataLoader(mixed, 3, collate_fn=list)))
    assert len({x.shape for x, y in rows}) == 3 and all(x.shape[1:] == y.shape for x, y in rows)


@pytest.mark.parametrize("method, workers", [("fork", 0), ("fork", 3), ("spawn", 1), ("forkserver", 1)])
def test_samples_and_batches_come_once_from_every_kind_of_worker(run, method, workers):
    """Map style, and batches on two ranks: every sample once, nothing on stderr."""
    text = run(
        f"""
import sys, warnings
import hotpack, hotpack.torch as hpt, torch
warnings.simplefilter("ignore", hotpack.PerformanceWarning)
if __name__ == "__main__":
    ds = hotpack.open(*[sys.argv[1]] * 8)
    options = dict(num_workers={workers}, multiprocessing_context={method!r}) if {workers} else {{}}
    samples = hpt.Samples(ds.subset(range(24)), image=hotpack.Image("uint8"), label=hotpack.Ids("int64"))
    print(sum(len(x) for x, y in torch.utils.data.DataLoader(samples, 5, **options)))
    rows = []
    for rank in range(2):
        batches = hpt.Batches(ds, 2, image=hotpack.Image("uint8"), label=None, rank=rank, world_size=2, seed=3, last_batch="keep")
        for epoch in range(1):
            for x, y in torch.utils.data.DataLoader(batches, batch_size=None, **options):
                rows += [bytes(row.numpy().tobytes()) for row in x if row.any()]
    print(sorted(rows) == sorted(sample.image.tobytes() for sample in ds))
""",
        golden_pack("bits"),
        warns=True,
    )
    assert text == "24\nTrue\n"


EPOCHS = """
import sys, warnings
import hotpack, hotpack.torch as hpt, torch
warnings.simplefilter("ignore", hotpack.PerformanceWarning)

def sums(loop):
    return sorted(round(float(x.double().sum()), 6) for x, y in loop)

# Crops differ in every epoch, and so do their sums.
augment = hotpack.Augment(crop=hotpack.Crop(5, 5))

def made():
    return hpt.Batches(ds, 2, seed=5, augment=augment)

def loader_of(batches, kind=torch.utils.data.DataLoader, workers=2, **more):
    options = dict(num_workers=workers, multiprocessing_context=method) if workers else {}
    return kind(batches, batch_size=None, **options, **more)

def check(found, *epochs):
    assert [wanted.index(one) for one in found] == list(epochs), [wanted.index(one) if one in wanted else one for one in found]

if __name__ == "__main__":
    folder, method = sys.argv[1:]
    ds = hotpack.open(*[folder] * 8)
    wanted = []
    for epoch in range(8):  # two ranks of two rows have the samples of one of four
        loaders = [hpt.Loader(ds, 2, seed=5, augment=augment, rank=rank, world_size=2) for rank in range(2)]
        for one in loaders:
            one.set_epoch(epoch)
        wanted.append(sorted(sums(loaders[0]) + sums(loaders[1])))
    assert len({tuple(one) for one in wanted}) == 8
"""


def test_each_loop_in_workers_is_the_next_epoch(run):
    program = """
    loader = loader_of(made())
    check([sums(loader) for _ in range(3)], 0, 1, 2)
    batches = made()
    loader, other, wrapped = loader_of(batches), loader_of(made()), loader_of(torch.utils.data.ChainDataset([batches]))
    len(loader)  # opens a Loader here, which workers must not take
    torch.manual_seed(0)
    check([sums(loader), sums(other)], 0, 0)
    for x, y in loader:  # left early: an epoch too
        break
    torch.manual_seed(0)
    check([sums(loader), sums(wrapped), sums(other)], 2, 3, 1)
    batches.set_epoch(6)
    check([sums(loader), sums(loader)], 6, 7)
"""
    run(EPOCHS + program, golden_pack("bits"), "fork", warns=True)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_persistent_workers_count_epochs_and_take_orders(run, method):
    program = """
    batches = made()
    loader = loader_of(batches, persistent_workers=True)
    check([sums(loader) for _ in range(3)], 0, 1, 2)
    for x, y in loader:
        break
    check([sums(loader)], 4)
    batches.set_epoch(1)
    check([sums(loader), sums(loader)], 1, 2)
    check([sums(loader_of(batches))], 3)
"""
    run(EPOCHS + program, golden_pack("bits"), method, warns=True, seconds=400)


def test_epochs_go_on_between_workers_and_none(big):
    batches = hpt.Batches(big, 4, seed=5)
    whole = [sums_of(big, 1, resume={**hpt.Loader(big, 4, seed=5).state_dict(), "epoch": epoch}) for epoch in range(6)]

    def sums(workers):
        return [round(float(x.double().sum()), 6) for x, y in DataLoader(batches, batch_size=None, num_workers=workers)]

    assert [sums(0), sums(0), sums(1), sums(1), sums(0), sums(1)] == whole
    assert [round(float(x.double().sum()), 6) for x, y in pickle.loads(pickle.dumps(hpt.Batches(big, 4, seed=5)))] == whole[0]


@pytest.mark.parametrize("persistent", [False, True])
def test_a_stateful_loader_with_workers_continues_with_the_epochs(run, persistent):
    """From the middle; from where one worker is at the end; from where both are; and from the end."""
    framework("torchdata")
    program = f"""
    from torchdata.stateful_dataloader import StatefulDataLoader
    def loader():
        return loader_of(made(), StatefulDataLoader, persistent_workers={persistent})
    for taken in 3, 11, 12, 13:
        first = loader()
        check([sums(first)], 0)
        iterator, seen = iter(first), []
        for _ in range(min(taken, 12)):
            seen.append(next(iterator))
        if taken == 13:
            assert next(iterator, None) is None
        state = first.state_dict()
        second = loader()
        second.load_state_dict(state)
        found = [] if taken == 13 else [sorted(sums(seen) + sums(second))]
        check([*found, sums(second), sums(second)], *([] if taken == 13 else [1]), 2, 3)
"""
    run(EPOCHS + program, golden_pack("bits"), "fork", warns=True)


def test_a_position_that_workers_have_is_not_given(big):
    batches = hpt.Batches(big, 4, seed=5)
    state = batches.state_dict()
    for _ in DataLoader(batches, batch_size=None, num_workers=1):
        pass
    with pytest.raises(hotpack.UsageError, match="StatefulDataLoader"):
        batches.state_dict()
    for foreign in ({}, {"epoch": 1}, {**state, "epoch": "1"}):
        with pytest.raises(hotpack.UsageError, match="not a state"):
            hpt.Batches(big, 4).load_state_dict(foreign)
    batches.load_state_dict(state)
    assert batches.state_dict() == state
    with pytest.raises(hotpack.UsageError, match="epoch"):
        batches.set_epoch(-1)


def test_workers_continue_a_state_once(big):
    first, second = hpt.Batches(big, 4, seed=5), hpt.Batches(big, 4, seed=5)
    for _ in range(2):
        loop = iter(first)
        for _ in range(2):
            next(loop)
    second.load_state_dict(first.state_dict())
    found = [float(x.double().sum()) for _ in range(2) for x, y in DataLoader(second, batch_size=None, num_workers=1)]
    loader = hpt.Loader(big, 4, seed=5, resume=first.state_dict())
    wanted = [float(x.double().sum()) for _ in range(2) for x, y in loader]
    assert found == wanted and len(found) == 10


def test_a_stateful_loader_continues_in_the_middle(big):
    framework("torchdata")
    from torchdata.stateful_dataloader import StatefulDataLoader

    def made():
        return StatefulDataLoader(hpt.Batches(big, 4, seed=5), batch_size=None)

    loader = made()
    whole = [x.clone() for x, y in loader]
    first = made()
    iterator = iter(first)
    for _ in range(2):
        next(iterator)
    state = first.state_dict()
    second = made()
    second.load_state_dict(state)
    rest = [x.clone() for x, y in second]
    assert len(rest) == len(whole) - 2 and all(torch.equal(a, b) for a, b in zip(rest, whole[2:]))


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_begin_with_the_epoch_that_was_asked_for(big, workers):
    wanted = [batch.image for batch in hpt.Loader(big, 6, epoch=5, image=hotpack.Image("uint8"))]
    found = DataLoader(hpt.Batches(big, 6, epoch=5, image=hotpack.Image("uint8")), batch_size=None, num_workers=workers)
    assert all(torch.equal(a, b) for a, (b, _) in zip(wanted, found, strict=True))


@pytest.mark.parametrize(("rows", "workers"), [(5, 2), (5, 3), (4, 4), (24, 2)])
def test_workers_give_the_batches_of_one_process(big, rows, workers):
    """As many as len() says, in the same order, also in the rest of an epoch."""
    def made(num_workers, state=None):
        batches = hpt.Batches(big, rows, seed=3, last_batch="keep", image=hotpack.Image("uint8"))
        if state:
            batches.load_state_dict(state)
        return DataLoader(batches, batch_size=None, num_workers=num_workers)

    alone, several = made(0), made(workers)
    for _ in range(2):
        wanted, found = list(alone), list(several)
        assert len(wanted) == len(found) == len(several) == -(-24 // rows)
        assert all(torch.equal(a, b) and torch.equal(x, y) for (a, x), (b, y) in zip(wanted, found))
    state = hpt.Loader(big, rows, seed=3, last_batch="keep").state_dict()
    state["samples"] = min(rows, 24 - rows)  # one step is done
    rest = list(made(0, state))
    assert len(rest) == len(wanted) - state["samples"] // rows
    assert all(torch.equal(a, b) for (a, _), (b, _) in zip(rest, made(workers, state), strict=True))


@pytest.mark.parametrize("label", [hotpack.OneHot("float32", "NCHW"), hotpack.Ids("int64", ignore_index=-100)])
def test_validation_counts_each_sample_once(label):
    """17 samples in batches of 16 give the loss and the accuracy of one batch of 17."""
    data = hotpack.open(*[golden_pack("zstd")] * 6).subset(range(17))
    torch.manual_seed(3)
    model = torch.nn.Conv2d(3, 3, 3, padding=1)

    def measured(batches):
        sums = torch.zeros(3, dtype=torch.float64)
        for x, y in batches:
            found = model(x)
            right = found.argmax(1) == (y.argmax(1) if y.ndim == 4 else y)
            sums += len(x) * torch.tensor([torch.nn.functional.cross_entropy(found, y), right.double().mean(), 1])
        return sums / 17

    (whole,) = hpt.Loader(data, 17, shuffle=False, label=label)
    wanted = measured([whole])
    options = {"shuffle": False, "last_batch": "keep", "label": label}
    assert torch.allclose(measured(hpt.Loader(data, 16, **options)), wanted, rtol=0, atol=1e-5)
    batches = hpt.Batches(data, 16, **options)
    for workers in (0, 3):  # the third worker has no batch
        found = measured(DataLoader(batches, batch_size=None, num_workers=workers))
        assert torch.allclose(found, wanted, rtol=0, atol=1e-5)
    found = sum(measured(hpt.Loader(data, global_batch_size=15, rank=rank, world_size=2, **options)) for rank in range(2))
    assert torch.allclose(found, wanted, rtol=0, atol=1e-5)
    with pytest.raises(hotpack.UsageError, match='last_batch="keep"'):
        next(iter(hpt.Batches(data, 16, last_batch="pad")))


class Recorder(torch.nn.Module):
    """A model that notes what it gets."""

    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 11, 1)
        self.seen = []

    def forward(self, pixel_values, labels=None):
        self.seen.append(round(float(pixel_values.double().sum()), 6))
        logits = self.conv(pixel_values)
        return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}


def sums_of(data, epochs, **options):
    loader = hpt.Loader(data, 4, seed=5, **options)
    return [round(float(x.double().sum()), 6) for _ in range(epochs) for x, y in loader]


def test_lightning_gets_each_epoch_and_continues_in_the_middle(big, tmp_path):
    lightning = framework("lightning")

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = Recorder()

        def training_step(self, batch, index):
            x, y = batch
            return self.net(x, y)["loss"]

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 1e-3)

    def fit(module, steps, checkpoint=None, **options):
        trainer = lightning.Trainer(accelerator="cpu", devices=1, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, default_root_dir=tmp_path, max_steps=steps, **options)
        loader = hpt.Loader(big, 4, seed=5)
        trainer.fit(module, loader, ckpt_path=checkpoint)
        return trainer

    whole = Module()
    fit(whole, 12)
    assert whole.net.seen == sums_of(big, 2)
    first = Module()
    fit(first, 8).save_checkpoint(tmp_path / "middle.ckpt")
    second = Module()
    fit(second, 12, tmp_path / "middle.ckpt")
    assert first.net.seen + second.net.seen == whole.net.seen


def test_lightning_validates_each_sample_once(tmp_path):
    """Lightning moves each batch to its device before; the batch keeps what it says of its rows."""
    lightning = framework("lightning")
    data, label = hotpack.open(*[golden_pack("zstd")] * 6).subset(range(17)), hotpack.OneHot("float32", "NCHW")

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 3, 1)

        def validation_step(self, batch, index):
            x, y = batch
            assert len(batch.keys) == batch.num_valid == len(x)
            self.log("loss", torch.nn.functional.cross_entropy(self.conv(x), y), batch_size=len(x))

    trainer = lightning.Trainer(accelerator="cpu", devices=1, logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, default_root_dir=tmp_path)
    found = [trainer.validate(module, hpt.Loader(data, rows, shuffle=False, last_batch="keep", label=label), verbose=False)[0]["loss"] for module in [Module()] for rows in (16, 17)]
    assert found[0] == pytest.approx(found[1], abs=1e-5)


def test_the_trainer_of_transformers_gets_each_epoch(big, tmp_path):
    transformers = framework("transformers")
    framework("accelerate")

    class Trainer(transformers.Trainer):
        def get_train_dataloader(self):
            return DataLoader(hpt.Batches(big, 4, seed=5), batch_size=None, collate_fn=lambda b: {"pixel_values": b[0], "labels": b[1]})

    model = Recorder()
    arguments = transformers.TrainingArguments(output_dir=str(tmp_path), max_steps=15, report_to=[], use_cpu=True, disable_tqdm=True, save_strategy="no", logging_strategy="no")
    Trainer(model=model, args=arguments).train()
    assert model.seen == sums_of(big, 3)[:15]


def test_accelerate_leaves_the_loader_alone(big):
    accelerate = framework("accelerate")
    accelerator = accelerate.Accelerator(cpu=True)
    model = accelerator.prepare(torch.nn.Conv2d(3, 11, 1))
    loader, seen = hpt.Loader(big, 4, seed=5), []
    for _ in range(2):
        for batch in loader:
            x, y = batch.to(accelerator.device)
            accelerator.backward(torch.nn.functional.cross_entropy(model(x), y))
            seen.append(round(float(x.double().sum()), 6))
    assert seen == sums_of(big, 2)


def worker(rank, world, folder, port, state, steps, out):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.distributed.init_process_group("gloo", rank=rank, world_size=world)
    loader = hpt.Loader(hotpack.open(*[folder] * 8), global_batch_size=4, seed=5, resume=state)
    assert (loader.rank, loader.world_size) == (rank, world)
    rows = []
    for batch in itertools.islice(loader, steps):
        rows += batch.indices.tolist()
    torch.save((rows, loader.state_dict()), f"{out}.{rank}")
    torch.distributed.destroy_process_group()


def test_two_processes_stop_and_one_continues(tmp_path):
    folder, out = str(golden_pack("bits")), str(tmp_path / "rows")
    torch.multiprocessing.spawn(worker, (2, folder, 29511, None, 3, out), nprocs=2)
    first = [torch.load(f"{out}.{rank}", weights_only=True) for rank in range(2)]
    assert first[0][1] == first[1][1]
    torch.multiprocessing.spawn(worker, (1, folder, 29512, first[0][1], 99, out), nprocs=1)
    rest = torch.load(f"{out}.0", weights_only=True)[0]
    assert sorted(first[0][0] + first[1][0] + rest) == list(range(24))
