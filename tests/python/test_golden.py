"""Every golden pack, read completely, against its expectation file, which no code of hotpack made, and against the command."""

import hashlib
import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import GOLDEN, HERE, ROOT, golden_pack
from safetensors import safe_open

from hotpack import UsageError, pure

sys.path.insert(0, str(HERE.parent / "golden"))
from golden_packs import golden_packs  # noqa: E402

SOURCES = {pack.name: pack for pack in golden_packs()}
IGNORED = {"uint8": 255, "uint16": 65535, "int32": -100, "int64": -100}


def expected(golden):
    return json.loads(golden.with_suffix(".json").read_text())


def sha256(array):
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def test_all_kinds_of_packs_are_here():
    assert {pack.name for pack in GOLDEN} == set(SOURCES)


def test_images_are_the_expected_ones(golden):
    wanted = expected(golden)["samples"]
    ds = pure.open(golden)
    assert len(ds) == len(wanted)
    for sample, entry in zip(ds, wanted):
        image = entry["image"]
        assert (sample.key, sample.image.shape) == (entry["key"], (image["height"], image["width"], image["channels"]))
        assert sample.image.dtype == np.uint8 and not sample.image.flags.writeable
        assert sha256(sample.image) == image["pixels"]


def test_labels_are_the_expected_ones(golden):
    wanted = expected(golden)
    for sample, entry in zip(pure.open(golden), wanted["samples"]):
        if entry["label"] is None:
            for read in (sample.ids, sample.one_hot, lambda: sample.label, lambda: sample.label_bits):
                with pytest.raises(UsageError, match="no label"):
                    read()
            continue
        whole = wanted["label"]["kind"] == "sample"
        size = () if whole else (entry["label"]["height"], entry["label"]["width"])
        count = len(wanted["classes"])
        one_hot = sample.one_hot()
        assert one_hot.shape == (*size, count) and sha256(one_hot) == entry["label"]["one_hot"]
        assert sample.label_bits.shape == (*size, (count + 7) // 8)
        assert np.array_equal(np.unpackbits(sample.label_bits, axis=-1, count=count, bitorder="little"), one_hot)


@pytest.mark.parametrize("name", [name for name, source in SOURCES.items() if source.classes and not source.multi])
def test_ids_are_those_of_the_drawn_inputs(name):
    golden, source = golden_pack(name), SOURCES[name]
    for sample, drawn in zip(pure.open(golden), source.samples):
        rows = drawn.label if isinstance(drawn.label, list) else [[drawn.label]]
        for dtype, ignored in IGNORED.items():
            if len(source.classes) > 255 and dtype == "uint8":
                continue
            ids = [[min(held, default=ignored) for held in row] for row in rows]
            found = sample.ids(dtype)
            assert found.dtype == dtype and found.tolist() == (ids if isinstance(drawn.label, list) else ids[0][0])


def test_several_classes_have_no_ids():
    golden = golden_pack("several_classes")
    with pytest.raises(ValueError, match="several classes"):
        pure.open(golden)[0].label


def test_facts_are_the_expected_ones(golden):
    wanted, ds = expected(golden), pure.open(golden)
    assert [one.name for one in ds.classes] == wanted["classes"]
    assert [one.id for one in ds.classes] == list(range(len(wanted["classes"])))
    assert [one.pixels for one in ds.classes] == wanted["class_pixels"]
    assert ds.ignored_pixels == wanted["ignored_pixels"]
    sizes = {(entry["image"]["height"], entry["image"]["width"], entry["image"]["channels"]) for entry in wanted["samples"]}
    assert ds.image_shape == (None if golden.name.startswith("mixed") else sizes.pop())


def test_uncompressed_images_are_views_of_one_mapping():
    golden = golden_pack("bits")
    ds = pure.open(golden)
    assert np.shares_memory(ds[0].image, ds[0].image)
    assert np.shares_memory(ds[0].label_bits, ds[0].label_bits)
    image = ds[0].image
    before = image.copy()
    del ds
    assert np.array_equal(image, before)  # the mapping outlives the data set


def test_without_zstandard_the_error_names_it(monkeypatch):
    golden = golden_pack("zstd")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    ds = pure.open(golden)
    assert ds[0].key == "0"
    with pytest.raises(ValueError, match="zstandard"):
        _ = ds[0].image


# ---- against the command


def test_arrays_equal_those_of_the_command(golden, command, tmp_path):
    done = subprocess.run([command, "extract", golden, "-o", tmp_path / "out", "--npy"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for sample in pure.open(golden):
        assert np.array_equal(sample.image, np.load(tmp_path / "out" / "images" / f"{sample.key}.npy"))
        label = tmp_path / "out" / "labels" / f"{sample.key}.npy"
        assert label.exists() == bool(expected(golden)["label"])
        if label.exists():
            stored = np.load(label)
            assert np.array_equal(sample._stored_label()[0].reshape(stored.shape), stored)


def test_facts_equal_those_of_the_command(golden, command):
    done = subprocess.run([command, "info", "--json", golden], capture_output=True, text=True, check=True)
    told, ds = json.loads(done.stdout), pure.open(golden)
    statistics = told["statistics"]
    assert [len(ds), ds.fingerprint, ds.ignored_pixels] == [told["samples"], told["fingerprint"], statistics["ignored"]]
    colors = [one["color"] and tuple(one["color"]) for one in told["schema"]["classes"]]
    assert [one.color for one in ds.classes] == colors
    assert [one.sources for one in ds.classes] == [tuple(one["sources"]) for one in told["schema"]["classes"]]
    assert [one.samples for one in ds.classes] == statistics["samples"]
    for found, name in ((ds.mean, "mean"), (ds.std, "std")):
        assert found.dtype == np.float32 and found.tolist() == [np.float32(value) for value in statistics[name]]
    for kind in ("median", "inverse"):
        numbers = [math.nan if value is None else np.float32(value) for value in statistics["weights"][kind]]
        np.testing.assert_array_equal(ds.class_weights(kind), np.array(numbers, np.float32))


@pytest.mark.parametrize("name", ["class_folders", "several_classes", "tiles"])
def test_the_example_in_the_documentation_agrees(name):
    """docs/cpp.md reads packs of one shard, of one size, with bits, with the package safetensors alone."""
    (path,) = golden_pack(name).glob("*.safetensors")
    with safe_open(path, framework="numpy") as shard:
        images, labels = shard.get_tensor("image"), shard.get_tensor("label")
    for number, sample in enumerate(pure.open(path.parent)):
        assert np.array_equal(sample.image, images[number]) and np.array_equal(sample.label_bits, labels[number])


def test_the_example_of_this_package_in_the_documentation_runs(golden, monkeypatch, tmp_path):
    """Packs with several classes per pixel, and without labels, have no ids."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "cpp.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "train").symlink_to(golden)
    monkeypatch.chdir(tmp_path)
    names = {}
    if golden.name in ("several_classes", "unlabelled"):
        with pytest.raises(UsageError):
            exec(blocks[-1], names)
    else:
        exec(blocks[-1], names)
        assert names["report"].ok and sorted(names["batches"].ravel()) == list(range(len(names["ds"])))
