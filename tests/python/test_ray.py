"""hotpack.ray with the real Ray."""

import hashlib
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, framework, golden_pack

import hotpack

ray = framework("ray")
import hotpack.ray as hpr  # noqa: E402

STREET = ROOT / "sample_data" / "street"


@pytest.fixture(scope="module", autouse=True)
def cluster():
    import sys

    environment = {"PYTHONPATH": os.pathsep.join(filter(None, [str(Path(__file__).parent), *sys.path]))}
    if os.environ.get("HOTPACK"):
        environment["HOTPACK_COMMAND"] = os.environ["HOTPACK"]
    ray.shutdown()  # that of a program of the documentation
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": environment}, _metrics_export_port=None)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def big():
    return hotpack.open(*[golden_pack("bits")] * 8)


def test_a_data_source_gives_each_row_once(big):
    rows = ray.data.read_datasource(hpr.Datasource(big)).take_all()
    assert sorted(row["index"] for row in rows) == list(range(24))
    for row in rows:
        sample = big[row["index"]]
        assert np.array_equal(row["image"], sample.image) and np.array_equal(row["label"], sample.label("int32"))


def test_batches_are_tensors(big):
    torch = framework("torch")
    (batch,) = ray.data.read_datasource(hpr.Datasource(big)).iter_torch_batches(batch_size=24)
    assert batch["image"].shape == (24, *big.image_shape) and batch["image"].dtype == torch.uint8


def test_samples_of_different_sizes_are_rows():
    data = hotpack.open(golden_pack("mixed_sizes"))
    rows = ray.data.read_datasource(hpr.Datasource(golden_pack("mixed_sizes"))).take_all()
    assert {row["index"]: row["image"].shape for row in rows} == {sample.number: sample.image.shape for sample in data}


def test_a_data_set_goes_through_a_task(big):
    @ray.remote
    def key_of(data, number):
        return data[number].key

    assert ray.get(key_of.remote(big, 5)) == big[5].key


def street(output):
    return {"images": STREET / "images", "labels": STREET / "masks_color", "classes": STREET / "class_dict.csv", "size": (64, 48), "fit": "cover", "shard_samples": 5, "output": output}


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(Path(folder).iterdir()) if path.suffix in (".safetensors", ".json")}


@pytest.fixture
def whole(command, tmp_path, monkeypatch):
    """The digests of a pack that was made in a single run."""
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    hotpack.pack(**street(tmp_path / "whole"))
    return digests(tmp_path / "whole")


def test_packing_in_tasks_gives_the_bytes_of_a_single_run(whole, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    given = {**street(tmp_path / "parts"), "images": "sample_data/street/images"}
    hpr.pack(**given, partitions=3)
    assert digests(tmp_path / "parts") == whole


def test_a_killed_worker_is_replaced(whole, tmp_path, monkeypatch):
    killed = tmp_path / "killed"
    real = hpr._pack_partition

    def dies_once(inputs, output, partition, options):
        if partition.startswith("1/") and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        real(inputs, output, partition, options)

    monkeypatch.setattr(hpr, "_pack_partition", dies_once)
    hpr.pack(**street(tmp_path / "parts"), partitions=3)
    assert killed.exists() and digests(tmp_path / "parts") == whole


@pytest.mark.parametrize("is_stubborn", [False, True])
def test_a_failed_partition_ends_the_others(tmp_path, monkeypatch, is_stubborn):
    """By an interrupt, or by force; nothing is written after the error."""
    written = tmp_path / "written"

    def partition_of_test(inputs, output, partition, options):
        import time

        while partition == "0/2" and not written.exists():
            time.sleep(0.05)
        if partition == "0/2":
            raise hotpack.DataError("no image")
        while True:
            try:
                written.write_text(str(time.monotonic()))
                time.sleep(0.05)
            except KeyboardInterrupt:
                if not is_stubborn:
                    raise

    monkeypatch.setattr(hpr, "_pack_partition", partition_of_test)
    monkeypatch.setattr(hpr, "_SECONDS_TO_END", 2.0 if is_stubborn else 40.0)
    with pytest.raises(hotpack.DataError, match="no image"):
        hpr.pack(output=tmp_path / "x", partitions=2)
    last = written.read_text()
    time.sleep(0.5)
    assert written.read_text() == last


def test_an_interrupt_ends_the_tasks(tmp_path, monkeypatch):
    ended = []
    monkeypatch.setattr(hpr, "_pack_partition", lambda *given: None)
    monkeypatch.setattr(hpr, "_end", lambda tasks: ended.extend(tasks))

    def interrupted(tasks):
        raise KeyboardInterrupt

    monkeypatch.setattr(ray, "get", interrupted)
    with pytest.raises(KeyboardInterrupt):
        hpr.pack(output=tmp_path / "x", partitions=2)
    assert len(ended) == 2


def test_each_partition_has_a_log_of_its_own(whole, tmp_path):
    hpr.pack(**street(tmp_path / "parts"), partitions=2, log_file=tmp_path / "log.txt")
    assert sorted(path.name for path in tmp_path.glob("log*")) == ["log.txt.0", "log.txt.1"]
    assert digests(tmp_path / "parts") == whole


def test_mistakes_are_told_as_hotpack_tells_them(tmp_path, command, monkeypatch):
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    with pytest.raises(hotpack.UsageError, match="partitions is 0"):
        hpr.pack(**street(tmp_path / "x"), partitions=0)
    with pytest.raises(hotpack.UsageError, match="give partitions"):
        hpr.pack(**street(tmp_path / "x"), partitions=2, partition="0/2")
    with pytest.raises(hotpack.Error, match="no-such-folder"):
        hpr.pack(**{**street(tmp_path / "x"), "images": tmp_path / "no-such-folder"}, partitions=2)
