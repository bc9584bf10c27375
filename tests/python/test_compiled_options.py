"""The options of src/options.toml: every signature has their names and defaults."""

import importlib
import inspect
import tomllib

import pytest
from conftest import ROOT, framework, golden_pack

import hotpack

TABLE = tomllib.loads((ROOT / "src" / "options.toml").read_text(encoding="utf-8"))
HOST, DEVICE = ([option for option in TABLE[kind] if "python" in option.get("languages", ["python"])] for kind in ("option", "device_option"))
WORDS = {choice["name"]: {value["name"]: value.get("python", value["name"]) for value in choice["values"]} for choice in TABLE["choice"]}
OWN = {"image", "label", "device"}  # whose defaults are those of the framework


def default_of(option):
    kind, _, choice = option["type"].partition(":")
    if kind == "choice":
        word = WORDS[choice][option["default"]]
        return {"True": True, "False": False}.get(word, word)
    return None if "python_default" in option else option.get("default")


def signature(path):
    module, _, name = path.rpartition(".")
    names = {"hotpack.torch": "torch", "hotpack.jax": "jax"}
    if module in names:
        framework(names[module])
    return inspect.signature(getattr(importlib.import_module(module), name)).parameters


@pytest.mark.parametrize(
    ("path", "options", "left_out"),
    [
        ("hotpack.Loader", HOST, set()),
        ("hotpack.DeviceLoader", HOST + DEVICE, set()),
        ("hotpack.torch.Loader", HOST + DEVICE, set()),
        ("hotpack.jax.Loader", HOST + DEVICE, set()),
        ("hotpack.torch.Batches", HOST, {"global_batch_size", "resume"}),
    ],
)
def test_loaders_have_the_names_and_defaults_of_the_table(path, options, left_out):
    found = signature(path)
    assert list(found) == ["data", *(option["name"] for option in options if option["name"] not in left_out)]
    for option in options:
        if option["name"] in left_out | OWN or (path.endswith("Batches") and option["name"] == "batch_size"):
            continue
        assert found[option["name"]].default == default_of(option), option["name"]
        assert f"{option['name']}:" in inspect.getdoc(getattr(importlib.import_module(path.rpartition(".")[0]), path.rpartition(".")[2]).__init__)


@pytest.mark.parametrize("path", ["hotpack.epoch_order", "hotpack.pure.epoch_order"])
def test_epoch_order_has_the_names_and_defaults_of_the_table(path):
    found = {name: parameter.default for name, parameter in signature(path).items() if name != "data"}
    rows = {option["name"]: default_of(option) for option in HOST}
    rows |= {"rank": 0, "world_size": 1}  # no process: the caller asks for one
    assert set(found) == {"batch_size", "seed", "epoch", "global_batch_size", "shuffle", "rank", "world_size", "last_batch", "block_samples", "window_blocks"}
    assert found == {name: rows[name] for name in found}


@pytest.mark.parametrize(("function", "names"), [(hotpack.open, {"verify_checksums"}), (hotpack.Dataset.read, {"pad_to", "threads"})])
def test_reading_has_the_names_and_defaults_of_the_table(function, names):
    rows = {option["name"]: default_of(option) for option in HOST}
    found = {name: parameter.default for name, parameter in inspect.signature(function).parameters.items() if name in rows and name not in OWN}
    assert set(found) == names and found == {name: rows[name] for name in found}


def test_pad_to_is_width_and_height():
    data = hotpack.open(golden_pack("mixed_sizes"))
    batch = next(iter(hotpack.Loader(data, 2, pad_to=(64, 48))))
    assert batch.image.shape == (2, 48, 64, 3) and data.read([0, 1], pad_to=(64, 48)).image.shape == (2, 48, 64, 3)
    for wrong in (64, (64,), (0, 3), (1.5, 3)):
        with pytest.raises(hotpack.UsageError, match="pad_to"):
            data.read([0, 1], pad_to=wrong)


def test_wrong_types_of_options_are_usage_errors():
    data = hotpack.open(golden_pack("bits"))
    for options in ({"seed": None}, {"threads": None}, {"rank": 0.5, "world_size": 2}, {"image": "float32"}, {"label": 3}, {"resume": 5}):
        with pytest.raises(hotpack.UsageError):
            hotpack.Loader(data, 1, **options)
    for form in (lambda: hotpack.Ids(ignore_index=2**70), lambda: hotpack.OneHot(ignore_channel="yes"), lambda: hotpack.Image("float32", mean=0.5, std=0.5)):
        with pytest.raises(hotpack.UsageError):
            form()
    with pytest.raises(hotpack.UsageError, match="give the folder of a pack or a data set"):
        hotpack.Loader([data], 1)
    assert data[0].ids(ignore_index=300).dtype == "uint16"
