"""Habits of other libraries: what works as there, and what an error says where it does not."""

import contextlib
import importlib
import io
import os
import pickle
import re
import shutil
import sys

import numpy as np
import pytest
from conftest import ROOT, framework, golden_pack

import hotpack
from hotpack import pure, versions


@pytest.fixture
def ds():
    return hotpack.open(golden_pack("bits"))  # three samples


@pytest.fixture
def big():
    return hotpack.open(*[golden_pack("bits")] * 8)


# ---- samples


@pytest.mark.parametrize("reader", [hotpack, pure])
def test_a_label_is_a_property_like_an_image(reader):
    sample = reader.open(golden_pack("bits"))[1]
    assert sample.label.dtype == np.uint8 and np.array_equal(sample.label, sample.ids())
    assert sample.ids("int32").dtype == np.int32 and np.array_equal(sample.ids("int64", -7) == -7, sample.label == 255)


def test_classes_are_counted_and_named(golden):
    for data in (hotpack.open(golden), pure.open(golden)):
        assert data.num_classes == len(data.classes) and data.class_names == tuple(one.name for one in data.classes)


# ---- choosing samples


@pytest.mark.parametrize(
    "chosen, keys",
    [
        ([2, 0, 2], "202"),
        (np.array([1, -1]), "12"),
        (np.uint8([1]), "1"),
        (range(2), "01"),
        ([True, False, True], "02"),
        (np.array([False, True, False]), "1"),
        (["road/2", "road/0"], "20"),
        (np.array(["road/1"]), "1"),
        (np.array(["road/1", "road/0"], object), "10"),
        (slice(1, None), "12"),
        (slice(None, None, -2), "20"),
        (slice(5, 9), ""),
        ([], ""),
    ],
)
def test_an_index_of_several_samples_is_a_subset(ds, chosen, keys):
    for part in (ds[chosen], ds.subset(chosen)):
        assert isinstance(part, hotpack.Dataset) and list(part.keys) == [f"road/{key}" for key in keys]
        assert [sample.number for sample in part] == list(range(len(keys)))


def test_tensors_choose_samples(ds):
    torch = framework("torch")
    assert list(ds[torch.tensor([2, 1])].keys) == ["road/2", "road/1"] and ds[torch.tensor(1)].key == "road/1"
    assert list(ds[torch.tensor([True, False, True])].keys) == ["road/0", "road/2"]


def test_subset_takes_its_own_keys_too(ds):
    assert ds.subset(ds.keys) == ds[range(3)] and list(ds.subset(tuple(ds.keys[1:])).keys) == ["road/1", "road/2"]
    assert list(ds[[2, 1]][["road/1"]].keys) == ["road/1"]


@pytest.mark.parametrize(
    "chosen, error, text",
    [
        (["road/0", "lost/7"], KeyError, "lost/7"),
        ([0, 3], IndexError, "there is no sample 3; the data set has 3"),
        ([True], hotpack.UsageError, r"a mask of shape \(1,\) does not fit 3 samples"),
        ([0.5], TypeError, "indices must be"),
        ([["road/0"]], TypeError, "indices must be"),
        (["road/0", 1], TypeError, "indices must be keys or numbers, not both"),
    ],
)
def test_what_chooses_no_samples_is_refused(ds, chosen, error, text):
    for choose in (ds.__getitem__, ds.subset):
        with pytest.raises(error, match=text):
            choose(chosen)


@pytest.mark.parametrize("index", [(0, 1), b"road/0", 1.0, None, {0}])
def test_other_indexes_raise_type_error(ds, index):
    with pytest.raises(TypeError):
        ds[index]


def test_a_subset_is_not_taken_from_one_text(ds):
    with pytest.raises(TypeError, match="indices must be"):
        ds.subset("road/0")


# ---- equality


def test_a_data_set_that_is_opened_again_is_equal(ds):
    again = hotpack.open(golden_pack("bits"), verify_checksums="never")
    assert ds == again and hash(ds) == hash(again) and not ds != again and {ds: 1}[again] == 1
    assert pickle.loads(pickle.dumps(ds)) == ds and ds[[2, 0]] == again[["road/2", "road/0"]] and hash(ds[1:]) == hash(again[1:])
    assert ds[:] == ds and ds[::-1] != ds and ds[1:][:] == ds[1:]
    assert ds[1] == again[1] and hash(ds[1]) == hash(again[1]) and again[1] in ds and ds[1] != ds[2]


def test_other_data_sets_differ(ds, pack):
    others = [ds[1:], ds[[2, 1, 0]], hotpack.open(golden_pack("one_hot")), hotpack.open(pack("bits")), hotpack.open(*ds.folders * 2), pure.open(*ds.folders), None]
    assert all(ds != other for other in others) and ds[[0, 1]] != ds[[1, 0]] and ds[[0]] != ds[[1]]
    assert ds[0] != ds[::-1][2]  # another number


# ---- the front door


@pytest.mark.parametrize("reader", [hotpack, pure])
def test_a_data_set_is_opened_not_constructed(reader):
    with pytest.raises(hotpack.UsageError, match=r"open\(folder\) opens a data set"):
        reader.Dataset(golden_pack("bits"))
    for folder in (str(golden_pack("bits")), os.fsencode(golden_pack("bits"))):
        with pytest.raises(hotpack.UsageError, match=r"open\(folder\) opens a data set"):
            reader.Dataset(folder)


@pytest.mark.parametrize("reader", [hotpack, pure])
def test_open_says_how_it_takes_folders(reader):
    for folders in ([golden_pack("bits")], (golden_pack("bits"),)):
        with pytest.raises(hotpack.UsageError, match=r"one by one: open\(a, b\)"):
            reader.open(folders)
    with pytest.raises(hotpack.UsageError, match="no folder was given; give at least one"):
        reader.open()


MODULES = {"torch": "torch", "jax": "jax", "tf": "tensorflow", "grain": "grain", "datasets": "datasets"}


@pytest.mark.parametrize("name", MODULES)
def test_modules_of_frameworks_list_their_own_names(name):
    framework(MODULES[name])
    module = importlib.import_module(f"hotpack.{name}")
    assert dir(module) == module.__all__


def test_loaders_do_not_lend_the_name_of_a_data_set():
    """hotpack.torch.Dataset would be taken for that of torch."""
    for name in ("torch", "jax", "tf"):
        framework(MODULES[name])
        assert not hasattr(importlib.import_module(f"hotpack.{name}"), "Dataset")


def test_tensorflow_wants_a_loader(ds):
    framework("tensorflow")
    hptf = importlib.import_module("hotpack.tf")
    for call in (hptf.dataset, lambda data: next(hptf.batches(data))):
        with pytest.raises(hotpack.UsageError, match=r"loader is a Dataset; give a hotpack.Loader"):
            call(ds)


@pytest.mark.parametrize(
    "option, value, form",
    [
        ("size", 64, r"\(width, height\)"),
        ("size", (1, 2, 3), r"\(width, height\)"),
        ("tile", [4], r"\(width, height\)"),
        ("pad_color", 0, r"\(red, green, blue\)"),
        ("pad_color", (0, 0), r"\(red, green, blue\)"),
    ],
)
def test_sizes_and_colors_have_parts(option, value, form):
    with pytest.raises(hotpack.UsageError, match=f"{option} is .*; it must be {form}") as caught:
        hotpack.pack("nowhere", **{option: value})
    assert caught.value.option == option


def test_values_of_repeated_options_may_be_one_number(command, monkeypatch, tmp_path):
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    street = ROOT / "sample_data" / "street"
    options = {"images": street / "images", "labels": street / "masks_id", "num_classes": 12, "size": (np.int64(64), 48)}
    report = hotpack.pack(**options, ignore=255, output=tmp_path / "packed")
    assert report.records == 24
    assert "json" not in repr(report) and len(repr(report)) < 500, repr(report)
    assert "json" not in repr(hotpack.info(tmp_path / "packed"))


# ---- without the compiled part

NAMES = """
import sys
import hotpack, hotpack.pure
for name in hotpack.__all__:
    try: getattr(hotpack, name)
    except ImportError as error: print(name, error.name, error, sep="; ")
try: import hotpack.loader
except ImportError as error: print("module", error.name, error, sep="; ")
print(len(hotpack.pure.open(sys.argv[1])))
"""


@pytest.fixture
def uncompiled(tmp_path):
    """The package alone, first in the path of a process."""
    shutil.copytree(ROOT / "src" / "python" / "hotpack", tmp_path / "alone" / "hotpack", ignore=shutil.ignore_patterns("_core*.so", "__pycache__"))
    return tmp_path / "alone"


def test_without_the_compiled_part_each_name_says_so(run, uncompiled):
    paths = os.pathsep.join([str(uncompiled), *filter(None, sys.path)])
    *lines, samples = run(NAMES, golden_pack("bits"), environment={"PYTHONPATH": paths}).splitlines()
    text = "hotpack._core; the compiled part of hotpack is not built: run `pip install .` in the folder of the source. hotpack.pure works without it"
    assert {line.split("; ", 1)[1] for line in lines} == {text} and samples == "3"
    refused = {line.split("; ")[0] for line in lines}
    assert {"Dataset", "Loader", "module", "open"} <= refused and not refused & {"Augment", "UsageError", "epoch_order", "pack"}


def test_a_compiled_part_that_does_not_load_says_why(run, uncompiled):
    (uncompiled / "hotpack" / "_core.so").write_text("no library")
    paths = os.pathsep.join([str(uncompiled), *filter(None, sys.path)])
    text = run(NAMES, golden_pack("bits"), environment={"PYTHONPATH": paths})
    assert re.search(r"^open; hotpack\._core; the compiled part of hotpack cannot be loaded \(.*_core\.so: .*\): run", text, re.MULTILINE)


# ---- names of options

LOADERS = {
    "Loader": lambda data, **options: hotpack.Loader(data, 2, **options),
    "torch.Loader": lambda data, **options: importlib.import_module("hotpack.torch").Loader(data, 2, **options),
    "torch.Batches": lambda data, **options: importlib.import_module("hotpack.torch").Batches(data, 2, **options),
    "jax.Loader": lambda data, **options: importlib.import_module("hotpack.jax").Loader(data, 2, **options),
    "epoch_order": lambda data, **options: hotpack.epoch_order(data, 2, **options),
}
OURS = {"drop_last": "last_batch", "num_workers": "leave it out", "pin_memory": "device", "transform": "image=", "weights": "subset", "tail": "use last_batch$", "world": "use world_size$", "sede": "use seed$", "last_bach": "use last_batch$"}


@pytest.fixture(params=LOADERS)
def loader_of(request):
    if "." in request.param:
        framework(request.param.split(".")[0])
    return LOADERS[request.param]


@pytest.mark.parametrize("name", OURS)
def test_names_of_other_loaders_are_answered_with_ours(big, loader_of, name):
    is_order = loader_of is LOADERS["epoch_order"] and name == "transform"  # it has no forms
    wanted = "the options are" if is_order else OURS[name]
    with pytest.raises(hotpack.UsageError, match=f"there is no option {name}; .*{wanted}") as caught:
        loader_of(big, **{name: 1})
    assert caught.value.option == name


@pytest.mark.parametrize("value", [1000, "full", 1, None])
def test_values_of_shuffle_are_named(big, loader_of, value):
    with pytest.raises(hotpack.UsageError, match=f"shuffle is {value!r}; it must be True, 'block' or False") as caught:
        loader_of(big, shuffle=value)
    assert caught.value.option == "shuffle"


@pytest.mark.parametrize("name, text", [("num_workers", "see threads"), ("thread", "use threads$"), ("transform", "image="), ("drop_last", "the options are indices, image, label"), ("tail", "the options are indices"), ("shuffle", "the options are indices"), ("world", "the options are indices")])
def test_read_answers_with_its_own_options(ds, name, text):
    with pytest.raises(hotpack.UsageError, match=f"there is no option {name}; .*{text}"):
        ds.read([0], **{name: 1})


# ---- versions


def test_versions_name_the_package_that_has_a_module(monkeypatch):
    monkeypatch.setattr("importlib.metadata.packages_distributions", lambda: {"numpy": ["numpy"], "tensorflow": ["tensorflow-cpu"]})
    monkeypatch.setattr("importlib.metadata.version", {"numpy": "2.1", "tensorflow-cpu": "2.21"}.__getitem__)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        versions.show_versions()
    lines = printed.getvalue().splitlines()
    assert "numpy 2.1" in lines and "tensorflow (tensorflow-cpu) 2.21" in lines and "keras: not installed" in lines
