"""Batches as sequences of two, their copies, and what type checkers see."""

import copy
import gc
import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT, framework, golden_pack

import hotpack

FACTS = ("epoch", "step", "batch_size", "num_valid", "keys")
AUGMENT = hotpack.Augment(horizontal_flip=0.5, crop=hotpack.Crop(6, 5))


@pytest.fixture
def big():
    return hotpack.open(*[golden_pack("bits")] * 8)  # 24 samples


def loader(data, **options):
    return hotpack.Loader(data, 5, seed=3, last_batch="pad", augment=AUGMENT, **options)


def last(data, **options):
    """The last batch of an epoch, of four samples and an empty row; its slot is shared with the loader."""
    *_, batch = loader(data, **options)
    return batch


def same(a, b):
    """All that batches say of themselves, and their values."""
    facts = all(getattr(a, name) == getattr(b, name) for name in FACTS)
    fields = all(np.array_equal(np.asarray(one, np.float32), np.asarray(other, np.float32)) for one, other in zip(a, b))
    return facts and fields and np.array_equal(a.indices, b.indices) and np.array_equal(a.crops, b.crops)


def test_a_batch_is_a_sequence_of_image_and_label(big):
    b = last(big)
    x, y = b
    assert x is b.image is b[0] is b[-2] is b["image"] is b[np.int64(0)] and y is b.label is b[1] is b[-1] is b["label"]
    assert len(b) == 2 and b.batch_size == 5 and b.num_valid == 4 and b[:] == (x, y) and list(reversed(b)) == [y, x]
    with pytest.raises(IndexError, match=r"a batch is image and label, \[0\] and \[1\]; there is no \[2\]"):
        b[2]
    with pytest.raises(KeyError, match="^'a batch has image and label, not mask'$"):
        b["mask"]
    for index in (0.0, None, x > 0):
        with pytest.raises(TypeError, match="a batch has"):
            b[index]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
@pytest.mark.parametrize("dtype", ["uint8", "bfloat16"])
def test_copies_have_memory_of_their_own(big, copied, dtype):
    options = {"image": hotpack.Image(dtype), "label": hotpack.OneHot(dtype)}
    b = last(big, **options)
    again = copied(b)
    assert same(again, b) and type(again) is hotpack.Batch and again.image.dtype == b.image.dtype == dtype
    assert not np.shares_memory(again.image, b.image) and not np.shares_memory(again.label, b.label)
    again.image[:], again.crops[:], again.keys[0] = 0, 0, "other"
    assert same(copied(b), b) and b.keys[0] != "other" and b.crops.any()


def test_a_batch_of_read_can_be_copied(big):
    b = big.read([4, 1], image=hotpack.Image("float32"))
    again = pickle.loads(pickle.dumps(copy.deepcopy(b)))
    assert same(again, b) and again.indices.tolist() == [4, 1] and not np.shares_memory(again.image, b.image)


def test_a_batch_without_labels_can_be_copied():
    b = next(iter(hotpack.Loader(golden_pack("unlabelled"), 1)))
    again = copy.deepcopy(b)
    assert b.label is again.label is b[1] is None and np.array_equal(again.image, b.image)


def test_a_copy_outlives_loader_and_batch(big):
    one = loader(big)
    iterator = iter(one)
    b = next(iterator)
    again, wanted = copy.deepcopy(b), (b.image.copy(), b.keys, b.indices.copy(), b.crops.copy())
    b.release()
    for _ in iterator:
        pass
    del b, iterator, one
    gc.collect()
    assert np.array_equal(again.image, wanted[0]) and again.keys == wanted[1]
    assert np.array_equal(again.indices, wanted[2]) and np.array_equal(again.crops, wanted[3])


@pytest.mark.parametrize("of", ["loader", "copy", "read"])
def test_a_released_batch_keeps_its_arrays_and_its_size(big, of):
    b = {"loader": lambda: last(big), "copy": lambda: copy.deepcopy(last(big)), "read": lambda: big.read([1, 2])}[of]()
    x, size, values = b.image, b.batch_size, b.image.copy()
    b.release()
    b.release()
    assert np.array_equal(x, values) and b.batch_size == size and len(b) == 2 and repr(b) == "<hotpack.Batch released>"
    for name in ("image", "label", "epoch", "step", "num_valid", "indices", "keys", "crops"):
        with pytest.raises(hotpack.UsageError, match="released"):
            getattr(b, name)
    for use in (lambda: b[0], lambda: b["label"], lambda: list(b), lambda: pickle.dumps(b), lambda: copy.deepcopy(b)):
        with pytest.raises(hotpack.UsageError, match="released"):
            use()


def test_a_release_gives_the_slot_back(big):
    one = loader(big)
    b = next(iter(one))
    copied = copy.deepcopy(b)
    assert one.stats()["leased"] == 1
    b.release()
    assert one.stats()["leased"] == 0 and copied.image.size


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_a_moved_batch_of_torch_keeps_its_facts(big, device):
    torch = framework("torch")
    import hotpack.torch as hpt

    *_, b = hpt.Loader(big, 5, last_batch="pad", augment=AUGMENT)
    moved = b.to(device, non_blocking=True)
    assert type(moved) is hpt.Batch and all(tensor.device.type == device for tensor in moved)
    assert [getattr(moved, name) for name in FACTS] == [getattr(b, name) for name in FACTS]
    assert np.array_equal(moved.indices, b.indices) and np.array_equal(moved.crops, b.crops)
    facts = [moved.keys, moved.indices.copy()]
    b.release()
    assert [moved.keys, moved.num_valid, moved.step] == [facts[0], 4, 4] and np.array_equal(moved.indices, facts[1])
    if device == "cpu":
        assert torch.equal(moved[0], moved.image) and same(copy.deepcopy(moved), moved)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_copies_of_batches_of_frameworks(big, dtype):
    for name in ("torch", "jax"):
        framework(name)
        module = __import__(f"hotpack.{name}", fromlist=["Loader"])
        b = next(iter(module.Loader(big, 5, augment=AUGMENT, image=hotpack.Image(dtype))))
        for again in (copy.deepcopy(b), pickle.loads(pickle.dumps(b))):
            assert type(again) is module.Batch and again.image.dtype == b.image.dtype and type(again[0]) is type(b[0])
            assert same_values(again.image, b.image) and same_values(again.label, b.label) and again.keys == b.keys


def same_values(a, b):
    return bool((a == b).all())


# ---- types

TYPED = """
import hotpack
{imports}

ds = hotpack.open("packed")
for batch in {module}.Loader(ds, 4, shuffle="block"):
    x, y = batch
    reveal_type(x)
    reveal_type(y)
    reveal_type(batch.label)
    reveal_type(batch[1])
    reveal_type(batch.keys)
reveal_type(ds[3])
reveal_type(ds["a"])
reveal_type(ds[1:])
reveal_type(ds[[1, 2]])
reveal_type(ds[["a", "b"]])
reveal_type(ds[3].label)
{module}.Loader(ds, 4, sede=1)
{module}.Loader(ds, 4, shuffle="full")
"""


@pytest.mark.parametrize("name", ["numpy", "torch", "jax"])
def test_type_checkers_see_the_types_of_a_batch(tmp_path, name):
    pytest.importorskip("mypy")
    if name != "numpy":
        framework(name)
    module = "hotpack" if name == "numpy" else f"hotpack.{name}"
    program = tmp_path / "program.py"
    program.write_text(TYPED.format(imports="" if name == "numpy" else f"import {module}", module=module))
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", program], cwd=ROOT, capture_output=True, text=True)
    lines = [line.split(": ", 1)[1] for line in done.stdout.splitlines() if ": " in line]
    revealed = [line.split('"')[1].replace("builtins.", "") for line in lines if "Revealed type" in line]
    array = {"numpy": "numpy.ndarray[", "torch": "torch._tensor.Tensor", "jax": "jax."}[name]
    assert all(text.startswith(array) for text in revealed[:4]), done.stdout
    sample, data = "hotpack.dataset.Sample", "hotpack.dataset.Dataset"
    assert revealed[4:-1] == ["list[str]", sample, sample, data, data, data] and revealed[-1].startswith("numpy.ndarray["), done.stdout
    errors = [line for line in lines if line.startswith("error")]
    assert len(errors) == 2 and 'Unexpected keyword argument "sede"' in errors[0] and '"shuffle"' in errors[1], done.stdout


def test_a_framework_may_rebuild_a_batch_of_a_pair(big):
    """As Lightning and TensorFlow do with sequences when they convert types."""
    b = next(iter(hotpack.Loader(big, 4)))
    made = type(b)([b.image.astype("float64"), b.label])
    assert made.image.dtype == "float64" and made[1] is b.label and made.num_valid == made.batch_size == 4
    assert made.indices.tolist() == [-1] * 4 and made.keys == [""] * 4 and "4 samples" in repr(made)


def test_next_into_says_what_it_wrote_and_can_be_pickled(big):
    loader = hotpack.Loader(big, 4)
    info = loader.next_into(np.empty((4, 10, 12, 3), np.uint8), np.empty((4, 10, 12), np.uint8))
    again = pickle.loads(pickle.dumps(info))
    assert type(again) is type(info) and again.keys == info.keys and again.crops.tolist() == info.crops.tolist()
    assert repr(info) == "<hotpack.NextInfo step 0 of epoch 0, 4 samples>"
