"""hotpack.ray with the real Ray."""

import hashlib
import os
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, framework, golden_pack

import hotpack

ray = framework("ray")
import ray_check  # noqa: E402

import hotpack.ray as hpr  # noqa: E402
from hotpack import ray_tasks  # noqa: E402
from hotpack.reports import PlanReport  # noqa: E402

STREET = ROOT / "sample_data" / "street"
PLANNED = PlanReport("x.plan", 8, 8, (), None, (), {})


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
        assert np.array_equal(row["image"], sample.image) and np.array_equal(row["label"], sample.ids("int32"))


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
    report = hpr.pack(**given, parts=3, receipts=tmp_path / "receipts")
    assert digests(tmp_path / "parts") == whole and report.json["records"] == 24
    assert sorted(path.name for path in (tmp_path / "receipts").iterdir()) == [f"part-0000{i}-of-00003.json" for i in range(3)]
    assert not list(tmp_path.glob("*.plan"))


def test_a_plan_that_is_there_is_packed(whole, tmp_path):
    hotpack.plan(**street(tmp_path / "street.plan"))
    hpr.pack(plan=tmp_path / "street.plan", output=tmp_path / "parts", parts=2)
    assert digests(tmp_path / "parts") == whole and (tmp_path / "street.plan").exists()


def test_without_a_shared_folder_shards_leave_by_a_function(whole, tmp_path):
    bucket = tmp_path / "bucket"
    bucket.mkdir()

    def upload(shard):
        import shutil

        shutil.copy(shard, bucket)

    with pytest.raises(hotpack.UsageError, match="the plan must be") as caught:
        hpr.pack(**street(tmp_path / "manifest"), scratch=tmp_path / "scratch", on_shard=upload)
    assert caught.value.option == "plan"
    hpr.pack(**street(tmp_path / "manifest"), plan=tmp_path / "street.plan", parts=2, scratch=tmp_path / "scratch", on_shard=upload)
    (tmp_path / "manifest" / "dataset.json").rename(bucket / "dataset.json")
    assert digests(bucket) == whole and not os.listdir(tmp_path / "manifest")


def test_a_function_that_fails_is_tried_again(whole, tmp_path):
    tries = tmp_path / "tries"

    def upload(shard):
        with tries.open("a") as file:
            file.write("x")
        raise ConnectionError("no network")

    with pytest.raises(ConnectionError, match="no network") as caught:
        hpr.pack(**street(tmp_path / "x"), plan=tmp_path / "street.plan", parts=1, retries=2, scratch=tmp_path / "scratch", on_shard=upload)
    assert caught.value.__notes__ == ["in part 0/1"] and tries.read_text() == "xxx"


def test_errors_that_no_pickle_holds_are_told_as_text():
    class Odd(Exception):
        def __reduce__(self):
            raise TypeError

    assert repr(ray_tasks._portable(Odd("x"))) == "RuntimeError('Odd: x')"
    assert repr(ray_tasks._portable(KeyError("x"))) == "KeyError('x')"


def test_a_killed_worker_is_replaced(whole, tmp_path, monkeypatch):
    killed = tmp_path / "killed"
    real = hpr.part_task

    def dies_once(plan, number, *given):
        if number == 1 and not killed.exists():
            killed.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return real(plan, number, *given)

    monkeypatch.setattr(hpr, "part_task", dies_once)
    hpr.pack(**street(tmp_path / "parts"), parts=3)
    assert killed.exists() and digests(tmp_path / "parts") == whole


def test_a_worker_that_always_dies_is_told_with_its_part(tmp_path, monkeypatch):
    monkeypatch.setattr(hpr, "plan_task", lambda *given: PLANNED)
    monkeypatch.setattr(hpr, "part_task", lambda *given: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(hotpack.CancelledError, match="part 0/1: its worker died"):
        hpr.pack(output=tmp_path / "x", plan="x.plan", parts=1, retries=0)


@pytest.mark.parametrize("code, tries", [(-9, 3), (-15, 3), (3, 3), (1, 1), (2, 1), (4, 1)])
def test_only_what_may_pass_is_tried_again(tmp_path, monkeypatch, code, tries):
    """Signals, and errors of input and output."""
    log = tmp_path / "tries"

    def fails(plan, number, count, options, board):
        def function():
            with log.open("a") as file:
                file.write("x")
            error = hotpack.DataError("it ended")
            error.exit = code
            raise error

        return ray_tasks._tried(function)

    monkeypatch.setattr(hpr, "plan_task", lambda *given: PLANNED)
    monkeypatch.setattr(hpr, "part_task", fails)
    with pytest.raises(hotpack.DataError, match="it ended") as caught:
        hpr.pack(output=tmp_path / "x", plan="x.plan", parts=1, retries=2)
    assert caught.value.exit == code and len(log.read_text()) == tries


@pytest.mark.parametrize("is_stubborn", [False, True])
def test_a_failed_part_ends_the_others(tmp_path, monkeypatch, is_stubborn):
    """By an interrupt, or by force; nothing is written after the error."""
    written = tmp_path / "written"

    def part_of_test(plan, number, count, options, board):
        import time

        while number == 0 and not written.exists():
            time.sleep(0.05)
        if number == 0:
            raise hotpack.DataError("part 0/2: no image")
        while True:
            try:
                written.write_text(str(time.monotonic()))
                time.sleep(0.05)
            except KeyboardInterrupt:
                if not is_stubborn:
                    raise

    monkeypatch.setattr(hpr, "plan_task", lambda *given: PLANNED)
    monkeypatch.setattr(hpr, "part_task", part_of_test)
    monkeypatch.setattr(hpr, "_SECONDS_TO_END", 2.0 if is_stubborn else 40.0)
    with pytest.raises(hotpack.DataError, match="part 0/2: no image"):
        hpr.pack(output=tmp_path / "x", plan="x.plan", parts=2, cpus=1)
    last = written.read_text()
    time.sleep(0.5)
    assert written.read_text() == last


def test_a_failed_part_leaves_what_was_packed(whole, tmp_path):
    images = Path(shutil.copytree(STREET / "images", tmp_path / "images"))
    last = sorted(path for path in images.rglob("*") if path.is_file())[-1]
    good = last.read_bytes()
    last.write_bytes(good[:2000])
    given = {**street(tmp_path / "parts"), "images": images}
    with pytest.raises(hotpack.DataError, match="part 2/3: "):
        hpr.pack(**given, parts=3, cpus=2)  # one part after the other
    assert len(list((tmp_path / "parts").glob("*.safetensors"))) >= 4 and not list(tmp_path.glob("*.plan"))
    last.write_bytes(good)
    hpr.pack(**given, parts=3)
    assert digests(tmp_path / "parts") == whole


def test_an_interrupt_ends_the_tasks(tmp_path, monkeypatch):
    ended, calls, real = [], [], ray.wait

    def interrupted(tasks, **options):
        calls.append(tasks)
        if len(calls) == 1:  # that of the plan
            return real(tasks, num_returns=1)
        raise KeyboardInterrupt

    monkeypatch.setattr(hpr, "plan_task", lambda *given: PLANNED)
    monkeypatch.setattr(hpr, "part_task", lambda *given: time.sleep(60))
    monkeypatch.setattr(hpr, "_end", lambda tasks: ended.extend(tasks))
    monkeypatch.setattr(ray, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        hpr.pack(output=tmp_path / "x", plan="x.plan", parts=2)
    assert len(ended) == 2
    for task in ended:
        ray.cancel(task, force=True)


def test_each_task_has_a_log_of_its_own(whole, tmp_path):
    hpr.pack(**street(tmp_path / "parts"), parts=2, log_file=tmp_path / "log.txt")
    assert sorted(path.name for path in tmp_path.glob("log*")) == ["log.txt.0", "log.txt.1", "log.txt.plan"]
    assert digests(tmp_path / "parts") == whole


def test_skipped_samples_count_in_all_parts_together(tmp_path, command, monkeypatch):
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    images = Path(shutil.copytree(STREET / "images", tmp_path / "images"))
    files = sorted(path for path in images.rglob("*") if path.is_file())
    for damaged in (files[0], files[-1]):
        damaged.write_bytes(damaged.read_bytes()[:2000])
    given = {**street(tmp_path / "parts"), "images": images, "parts": 2, "on_error": "skip", "skipped": tmp_path / "skipped"}
    with pytest.raises(hotpack.DataError, match="more samples were skipped than accept_skips allows"):
        hpr.pack(**given, accept_skips=1)
    assert hpr.pack(**given, accept_skips=2).json["skipped"] == 2
    assert hpr.pack(**given).json["skipped"] == 2
    assert {path.name for path in tmp_path.glob("skipped*")} == {"skipped.0", "skipped.1"}


def test_progress_is_of_all_parts_and_ends_complete(whole, tmp_path):
    seen = []
    hpr.pack(**street(tmp_path / "parts"), parts=3, cpus=1, progress=seen.append)
    packing = [progress for progress in seen if progress.stage == "packing"]
    assert all(isinstance(progress, hotpack.Progress) for progress in seen) and seen[len(seen) - len(packing) :] == packing
    assert (packing[0].samples_done, packing[-1].samples_done, packing[-1].samples_total) == (0, 24, 24)
    assert packing[-1].seconds_left == 0


def progress_of(stage, done, total=10, bytes_in=0):
    return hotpack.Progress(stage, done, total, bytes_in, 0, 0, 1.0, 1.0, None)


def test_bytes_of_all_parts_are_added_up():
    bar = hpr._Bar(lambda progress: None)
    bar.begin(20)
    for number in (0, 1, 1):
        bar._hear(number, progress_of("packing", 5, bytes_in=100))
    bar.close()
    assert (bar._sum().bytes_in, bar._sum().samples_done) == (200, 10)


def test_progress_never_goes_back():
    """Tasks that are tried again begin anew."""
    told = []
    bar = hpr._Bar(lambda progress: told.append((progress.stage, progress.samples_done)))

    def looks(*written):
        for number, progress in written:
            ray.get(bar.board.write.remote(number, progress))
        for _ in range(2):  # the first was asked for before
            ray.wait([bar._taken])
            bar.look()

    try:
        looks((-1, progress_of("listing files", 5)))
        looks((-1, progress_of("reading headers", 3)))
        looks((-1, progress_of("listing files", 1)))
        looks((-1, progress_of("reading headers", 2)))
        looks((-1, progress_of("reading headers", 4)))
        bar.begin(20)
        looks((0, progress_of("packing", 7)), (1, progress_of("packing", 1)))
        looks((0, progress_of("reading headers", 10)), (1, progress_of("packing", 2)))
        looks((0, progress_of("packing", 0)))
        looks((0, progress_of("packing", 8)), (1, progress_of("packing", 1)))
        bar.end(1, 10)
        looks()
        bar.finish()
    finally:
        bar.close()
    plan = [("listing files", 5), ("reading headers", 3), ("reading headers", 4)]
    assert told == plan + [("packing", done) for done in (0, 8, 9, 10, 18, 20)]


def test_progress_goes_on_without_its_actor():
    told = []
    bar = hpr._Bar(told.append)
    bar.begin(20)
    ray.kill(bar.board)
    ray.wait([bar._taken])
    bar.look()
    bar.finish()
    bar.close()
    assert told[-1].samples_done == 20


@pytest.mark.parametrize("shards, parts", [(0, 1), (1, 1), (5, 2), (12, 3), (4000, 1000)])
def test_a_part_has_four_shards_unless_processors_would_idle(shards, parts):
    assert hpr._number_of_parts(shards, cpus=1) == parts  # the cluster has two


def test_mistakes_are_told_as_hotpack_tells_them(tmp_path, command, monkeypatch):
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    for wrong in (0, -1, "all"):
        with pytest.raises(hotpack.UsageError, match="parts is .*; it must be 1 or more, or 'auto'"):
            hpr.pack(**street(tmp_path / "x"), parts=wrong)
    with pytest.raises(hotpack.UsageError, match="nothing to pack: give inputs or a plan"):
        hpr.pack(output=tmp_path / "x", jobs=1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'partition'"):
        hpr.pack(**street(tmp_path / "x"), partition="0/2")
    with pytest.raises(hotpack.UsageError, match="--size"):
        hpr.pack(**{**street(tmp_path / "x"), "size": "12x"})
    with pytest.raises(hotpack.Error, match="no-such-folder"):
        hpr.pack(**{**street(tmp_path / "x"), "images": tmp_path / "no-such-folder"}, retries=0)


def test_workers_and_commands_are_killed_all_the_time(tmp_path, command, monkeypatch):
    """In small; `ray_check.py --kills 20` is the large form."""
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    killed = ray_check.check(tmp_path, kills=3, copies=12, parts=8)
    assert killed == {"worker": 2, "command": 1}
