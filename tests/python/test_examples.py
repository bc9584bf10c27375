"""The programs of scripts/examples, each small, as a user runs them."""

import importlib.util
import json
import os
import re
import struct
import subprocess
import sys

import pytest
from conftest import ROOT

import hotpack

EXAMPLES = ROOT / "scripts" / "examples"
SAMPLES, SEED = 24, 7
SMALL = ("--size", "64x48")


def need(*modules):
    """Skips where a package is not installed, unless HOTPACK_FRAMEWORKS=1 says that it must be there. Imports nothing."""
    for name in modules:
        if importlib.util.find_spec(name) is None and os.environ.get("HOTPACK_FRAMEWORKS") != "1":
            pytest.skip(f"{name} is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the programs run; they share their packs."""
    return tmp_path_factory.mktemp("examples")


@pytest.fixture
def example(folder, command):
    """Runs a program and returns the lines that it prints; or several times, with lists of arguments, in one process, which saves imports."""

    def run(name, *arguments, seconds=300):
        line = [sys.executable, EXAMPLES / name, *arguments]
        if arguments and isinstance(arguments[0], tuple):
            line = [sys.executable, "-c", SEVERAL, EXAMPLES / name, json.dumps(arguments)]
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOTPACK_COMMAND": command, "OMP_NUM_THREADS": "1"}
        variables.update(JAX_COMPILATION_CACHE_DIR=str(folder / "jax"), JAX_PERSISTENT_COMPILATION_CACHE_MIN_COMPILE_TIME_SECS="0")
        variables.pop("KERAS_BACKEND", None)
        done = subprocess.run(line, capture_output=True, text=True, timeout=seconds, cwd=folder, env=variables)
        assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
        return done.stdout.splitlines()

    return run


SEVERAL = """
import json, os, runpy, sys
program = sys.argv[1]
sys.path.insert(0, os.path.dirname(program))
for arguments in json.loads(sys.argv[2]):
    sys.argv = [program, *arguments]
    runpy.run_path(program, run_name="__main__")
"""


def losses(lines):
    """The loss of each epoch or step that was printed."""
    return [float(found[1]) for found in (re.search(r"loss (\d+\.\d+)", line) for line in lines) if found]


def rows(batch_size, epochs):
    """The samples of each step, as ORDER.md defines them."""
    return [row.tolist() for epoch in range(epochs) for row in hotpack.epoch_order(SAMPLES, batch_size, SEED, epoch)]


def test_each_example_is_in_the_list_and_says_how_to_run_it():
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    programs = sorted(path for path in EXAMPLES.glob("*.py"))
    assert {path.name for path in programs} == set(re.findall(r"\]\((\w+\.py)\)", page))
    for path in programs:
        text = path.read_text(encoding="utf-8")
        assert max(map(len, text.splitlines())) <= 100, path
        if path.name != "segmentation.py":
            assert f"    python {path.name}" in text and re.search(r"\b[Tt]akes?\b", text.split('"""')[1]), path


def test_quick_start_reads_two_epochs(example):
    lines = example("quick_start.py")
    found = [list(map(int, re.search(r"samples \[(.*?)\]", line)[1].split())) for line in lines[1:]]
    assert found == rows(4, 2)


def test_raw_files_and_their_pack_hold_the_same_pixels(folder, command, monkeypatch):
    """So the losses of both are the same, and so is the order: keys are sorted as files are."""
    need("PIL")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    import numpy as np
    import segmentation

    files = segmentation.Folder(size=(64, 48))
    ds = files.packed(folder / "packed")
    assert [one.name for one in ds.classes] == files.names
    assert list(ds.keys) == [path.relative_to(files.images).with_suffix("").as_posix() for path, _ in files.pairs]
    read = ds.read(range(len(ds)), image=hotpack.Image("float32"), label=hotpack.OneHot("float32"))
    for number in range(len(ds)):
        image, label = files.load(number)
        assert np.array_equal(image, read.image[number]) and np.array_equal(label, read.label[number])
    assert (read.label.sum(-1) == 0).any()  # Void is ignored in both


def test_a_folder_in_the_layout_of_camvid_is_found(folder, command, monkeypatch, tmp_path):
    need("PIL")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    import segmentation

    camvid = tmp_path / "CamVid"
    for name in ("train", "train_labels"):
        (camvid / name).mkdir(parents=True)
    street = segmentation.Folder()
    for number, (image, mask) in enumerate(street.pairs[:3]):
        (camvid / "train" / f"{number}{image.suffix}").symlink_to(image)
        (camvid / "train_labels" / f"{number}_L.png").symlink_to(mask)
    (camvid / "class_dict.csv").symlink_to(street.table)
    files = segmentation.Folder(camvid, (64, 48))
    assert list(files.packed(tmp_path / "packed").keys) == ["0", "1", "2"] and len(files) == 3
    with pytest.raises(SystemExit, match="no folders of images and masks"):
        segmentation.Folder(tmp_path)


@pytest.mark.parametrize("options", [(), ("--augment",)])
def test_show_batch_writes_a_png(example, folder, options):
    need("PIL", "matplotlib")
    name = f"batch{len(options)}.png"
    lines = example("show_batch.py", *SMALL, "-o", name, *options)
    data = (folder / name).read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert data.startswith(b"\x89PNG") and width == 1200 and height > 400
    assert str(rows(4, 1)[0]) in lines[-1]


def test_unet_torch_continues_in_the_middle_with_the_losses_of_raw_files(example):
    need("torch", "PIL")
    options = (*SMALL, "--epochs", "2")
    whole = losses(example("unet_torch.py", *options, "--data", "raw", "--workers", "0"))
    first = example("unet_torch.py", *options, "--stop-after", "8")
    assert first[-1] == "stopped after step 8; continue with --resume"
    rest = example("unet_torch.py", *options, "--resume")
    assert len(whole) == 2 and whole[1] < whole[0]
    assert losses(first) + losses(rest) == pytest.approx(whole, rel=1e-4)


def test_unet_keras_continues_in_the_middle_with_the_losses_of_raw_files(example):
    need("keras", "jax", "PIL")
    options = (*SMALL, "--epochs", "2")
    lines = example("unet_keras.py", (*options, "--data", "raw"), (*options, "--stop-after", "8"), (*options, "--resume"))
    assert lines[3] == "stopped after step 8; continue with --resume"
    whole, resumed = losses(lines)[:2], losses(lines)[2:]
    assert len(whole) == 2 and whole[1] < whole[0]
    assert resumed == pytest.approx(whole, rel=1e-4)


def test_two_processes_share_each_batch_and_one_continues(example):
    need("torch", "PIL")
    first = example("two_processes.py", *SMALL, "--stop-after", "4")
    rest = example("two_processes.py", *SMALL, "--resume", "--processes", "1")
    found = [json.loads(line[line.index("[["):]) for line in first + rest]
    assert [len(ranks) for ranks in found] == [2] * 4 + [1] * 2
    assert [sum(ranks, []) for ranks in found] == rows(8, 2)
    assert sorted(sum(sum(found[:3], []), [])) == list(range(SAMPLES))
    assert losses(first + rest)[-1] < losses(first)[0]


@pytest.mark.parametrize("name, modules", [("train_jax.py", ["jax"]), ("train_tensorflow.py", ["tensorflow"])])
def test_ten_steps_learn(example, name, modules):
    need(*modules)
    found = losses(example(name))
    assert len(found) == 10 and found[-1] < found[0] / 2
    # Both train the same model on the same batches; ignored pixels change no weight.
    assert found[-1] == pytest.approx(0.8787, rel=0.01)
