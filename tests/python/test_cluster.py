"""Parts of a plan as tasks of any scheduler: plan, pack_part, receipts, merge.

They need the command alone.
"""

import errno
import hashlib
import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

import hotpack
from hotpack import on_shard, parts, process
from hotpack.receipts import ReceiptFolders

STREET = ROOT / "sample_data" / "street"
PARTS = 3


@pytest.fixture(autouse=True)
def of_the_build(command, monkeypatch):
    monkeypatch.setenv("HOTPACK_COMMAND", command)


@pytest.fixture
def street():
    """Arguments for packing the sample data: 24 samples in 5 shards."""
    return {
        "images": STREET / "images",
        "labels": STREET / "masks_color",
        "classes": STREET / "class_dict.csv",
        "size": (64, 48),
        "fit": "cover",
        "shard_samples": 5,
    }


@pytest.fixture
def plan(street, tmp_path):
    hotpack.plan(**street, output=tmp_path / "street.plan")
    return tmp_path / "street.plan"


@pytest.fixture
def whole(street, tmp_path):
    """The digests of a pack that was made in a single run."""
    hotpack.pack(**street, output=tmp_path / "whole")
    return digests(tmp_path / "whole")


def digests(folder):
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(Path(folder).iterdir())
        if path.suffix in (".safetensors", ".json")
    }


def packed(plan, **options):
    return [hotpack.pack_part(plan, number, PARTS, **options) for number in range(PARTS)]


def with_answer(tmp_path, monkeypatch, answer):
    """Puts a command in place that does what a line of shell says when it packs."""
    other = tmp_path / "hotpack"
    version = f'[ "$1" = --version ] && echo hotpack {hotpack.__version__} && exit'
    other.write_text(f"#!/bin/sh\n{version}\n{answer}\n")
    other.chmod(0o755)
    monkeypatch.setenv("HOTPACK_COMMAND", str(other))
    process._known.pop(str(other), None)


def test_a_plan_says_what_it_holds(street, tmp_path):
    report = hotpack.plan(**street, output=tmp_path / "street.plan")
    assert (report.output, report.samples, report.shards) == (str(tmp_path / "street.plan"), 24, 5)
    assert [(one.split, one.samples, one.shards) for one in report.sets] == [(None, 24, 5)]
    assert report.labels.startswith("labels are read as color") and report.warnings == ()
    assert parts.look_at_plan(report.output).sets == report.sets


def test_a_plan_holds_all_splits(street, tmp_path):
    split = {**street, "split": "ratio:train=80,val=20"}
    report = hotpack.plan(**split, output=tmp_path / "street.plan")
    assert (report.samples, report.shards) == (24, 5)
    found = [(one.split, one.samples, one.shards) for one in report.sets]
    assert found == [("train", 19, 4), ("val", 5, 1)]
    assert parts.look_at_plan(report.output).sets == report.sets
    shards = []
    receipts = packed(report.output, scratch=tmp_path / "scratch", on_shard=shards.append)
    merged = hotpack.merge(receipts=receipts, output=tmp_path / "parts")
    hotpack.pack(**split, output=tmp_path / "whole")
    for name in ("train", "val"):
        manifest = Path(name) / "dataset.json"
        assert (tmp_path / "parts" / manifest).read_bytes() == (
            tmp_path / "whole" / manifest
        ).read_bytes()
    assert len(merged.json["packs"]) == 2
    assert sorted(Path(shard).parent.name for shard in shards) == ["train"] * 4 + ["val"]


def test_parts_and_their_receipts_give_the_bytes_of_a_single_run(plan, whole, tmp_path):
    receipts = packed(plan, output=tmp_path / "parts")
    report = hotpack.merge(receipts=receipts, output=tmp_path / "parts")
    assert digests(tmp_path / "parts") == whole and report.json["records"] == 24


def test_a_receipt_names_its_part_and_stays_small(plan, tmp_path):
    receipt = hotpack.pack_part(plan, 1, 3, output=tmp_path / "parts")
    assert (receipt.index, receipt.count, receipt.path) == (1, 3, None)
    assert (receipt.records, receipt.skipped) == (10, 0)
    assert receipt.name == "part-00001-of-00003.json" and len(pickle.dumps(receipt)) < 8192
    assert receipt.json == json.loads(receipt.to_bytes())
    assert pickle.loads(pickle.dumps(receipt)) == receipt
    assert hotpack.Receipt.from_bytes(receipt.to_bytes()) == receipt


def test_a_receipt_is_kept_where_one_wants_it(plan, whole, tmp_path):
    receipts = packed(plan, output=tmp_path / "parts", receipts=tmp_path / "receipts")
    assert [Path(receipt.path).name for receipt in receipts] == [one.name for one in receipts]
    assert [hotpack.Receipt.load(receipt.path) for receipt in receipts] == receipts
    hotpack.merge(receipts=tmp_path / "receipts", output=tmp_path / "parts")  # as a folder
    assert digests(tmp_path / "parts") == whole


def receipt_of(text):
    return hotpack.Receipt.from_bytes(b'{"partition":[0,2],"sets":[],"note":"%s"}' % text)


def test_a_saved_receipt_is_whole_or_not_there(tmp_path, monkeypatch):
    """Also in place of an older one: its bytes are on the disk before it gets its name."""
    old, new, calls = receipt_of(b"old"), receipt_of(b"a later one"), []
    path = Path(old.save(tmp_path))
    for name in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, fails)
            with pytest.raises(hotpack.IoError, match="cannot write the receipt: No space left"):
                new.save(tmp_path)
        assert list(tmp_path.iterdir()) == [path] and path.read_bytes() == old.data
    for name, call in (("fsync", os.fsync), ("replace", os.replace)):
        monkeypatch.setattr(os, name, lambda what, *to, name=name, call=call: (calls.append((name, os.stat(what).st_size)), call(what, *to)))
    assert new.save(tmp_path) == str(path)
    assert calls == [("fsync", len(new.data)), ("replace", len(new.data))]
    assert list(tmp_path.iterdir()) == [path] and path.read_bytes() == new.data


def fails(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_receipts_of_one_name_are_all_given_to_the_command():
    given = [receipt_of(text) for text in (b"one", b"two", b"three")]
    with ReceiptFolders(given) as folders:
        assert [Path(folder, given[0].name).read_bytes() for folder in folders] == [one.data for one in given]


def test_receipts_of_every_form_are_merged(plan, whole, tmp_path):
    first, second, third = packed(plan, output=tmp_path / "parts")
    third.save(tmp_path / "third")
    forms = [first.json, second.to_bytes(), tmp_path / "third", Path(first.save(tmp_path / "one"))]
    hotpack.merge(receipts=(form for form in forms), output=tmp_path / "parts")
    assert digests(tmp_path / "parts") == whole


def test_temporary_receipts_are_removed(plan, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "tmp").mkdir()
    hotpack.merge(receipts=packed(plan, output=tmp_path / "parts"), output=tmp_path / "parts")
    with pytest.raises(hotpack.IoError):
        hotpack.pack_part(tmp_path / "none.plan", 0, 1, output=tmp_path / "parts")
    assert not list((tmp_path / "tmp").iterdir())


def test_what_is_no_receipt_is_refused(plan, tmp_path):
    for wrong in (b"{}", b"no JSON", {"partition": 3}, {"partition": [0, "1"]}):
        with pytest.raises(hotpack.DamagedError, match="this is no receipt"):
            hotpack.merge(receipts=[wrong], output=tmp_path / "parts")
    with pytest.raises(hotpack.IoError, match="none.json: cannot read the receipt"):
        hotpack.merge(receipts=tmp_path / "none.json", output=tmp_path / "parts")
    with pytest.raises(hotpack.UsageError, match="receipts is empty"):
        hotpack.merge(receipts=[], output=tmp_path / "parts")


def test_a_missing_part_is_told_by_the_merge(plan, tmp_path):
    receipts = packed(plan, output=tmp_path / "parts")
    with pytest.raises(hotpack.DataError, match="of 5 shards are in no receipt"):
        hotpack.merge(receipts=receipts[1:], output=tmp_path / "parts")


def test_shards_leave_as_they_are_finished(plan, whole, tmp_path):
    """Without a folder that is shared: the manifest is made where no shard has been."""
    bucket, threads = tmp_path / "bucket", set()
    bucket.mkdir()

    def upload(shard):
        assert os.path.isabs(shard)
        threads.add(threading.current_thread().name)
        shutil.copy(shard, bucket)

    receipts = packed(plan, scratch=tmp_path / "a scratch's folder", on_shard=upload)
    assert not list((tmp_path / "a scratch's folder").glob("**/*.safetensors"))
    hotpack.merge(receipts=receipts, output=tmp_path / "manifest")
    assert os.listdir(tmp_path / "manifest") == ["dataset.json"]
    shutil.copy(tmp_path / "manifest" / "dataset.json", bucket)
    assert digests(bucket) == whole and threads == {"hotpack on_shard"}


def test_a_kept_receipt_says_what_was_taken(plan, tmp_path):
    """Another call does not pack it again."""
    taken = []
    given = {"scratch": tmp_path / "scratch", "on_shard": taken.append}
    first = hotpack.pack_part(plan, 0, 2, receipts=tmp_path / "receipts", **given)
    again = hotpack.pack_part(plan, 0, 2, receipts=tmp_path / "receipts", **given)
    assert len(taken) == 3 and again == first
    assert hotpack.pack_part(plan, 0, 2, **given).data == first.data and len(taken) == 6


def test_a_part_whose_function_failed_continues(plan, tmp_path):
    taken = []

    def upload(shard):
        if len(taken) == 1:
            raise ConnectionError
        taken.append(Path(shard).name)

    given = {"scratch": tmp_path / "scratch", "receipts": tmp_path / "receipts", "jobs": 1}
    with pytest.raises(ConnectionError):
        hotpack.pack_part(plan, 0, 1, on_shard=upload, **given)
    hotpack.pack_part(plan, 0, 1, on_shard=lambda shard: taken.append(Path(shard).name), **given)
    assert len(taken) == len(set(taken)) == 5


def test_shards_go_to_a_command(plan, tmp_path):
    (tmp_path / "bucket").mkdir()
    packed(plan, scratch=tmp_path / "scratch", on_shard=f"cp {{}} {tmp_path / 'bucket'}")
    assert len(list((tmp_path / "bucket").iterdir())) == 5


@pytest.mark.parametrize("error", [ValueError("no network"), SystemExit(3)])
def test_a_function_that_raises_fails_its_part(plan, tmp_path, error):
    calls = []

    def upload(shard):
        calls.append(shard)
        raise error

    with pytest.raises(type(error)) as caught:
        hotpack.pack_part(plan, 0, 2, scratch=tmp_path / "scratch", on_shard=upload, jobs=1)
    assert caught.value is error and caught.value.__notes__ == ["in part 0/2"]
    assert len(calls) == 1  # not again


def test_an_interrupt_does_not_wait_for_the_function(plan, tmp_path, command):
    program = f"""
import sys; sys.path[:0] = {sys.path!r}
import hotpack, time
def upload(shard):
    print("begun", flush=True)
    time.sleep(60)
try: hotpack.pack_part({str(plan)!r}, 0, 1, scratch={str(tmp_path / 'scratch')!r}, on_shard=upload)
except KeyboardInterrupt: print("interrupted", flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begun\n"
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    output, _ = child.communicate(timeout=60)
    assert (output, child.returncode) == ("interrupted\n", 0) and time.monotonic() - began < 20


def test_the_helper_gives_up_when_the_program_is_gone():
    with on_shard.ShardCalls(lambda path: None) as calls:
        line = calls.command.replace("{}", "x")
    assert subprocess.run(["sh", "-c", line], check=False).returncode == 1


def test_nothing_but_a_path_calls_the_function():
    told = []
    with on_shard.ShardCalls(told.append) as calls:
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(f"\0{calls._name}")
            client.shutdown(socket.SHUT_WR)
            assert client.recv(2) == b""
        assert subprocess.run(["sh", "-c", calls.command.replace("{}", "/x")]).returncode == 0
    assert told == ["/x"] and calls.failure is None


def test_errors_name_the_part(plan, tmp_path):
    with pytest.raises(hotpack.IoError, match="part 1/3: ") as caught:
        hotpack.pack_part(tmp_path / "none.plan", 1, 3, output=tmp_path / "parts")
    assert caught.value.exit == 3 and caught.value.path == str(tmp_path / "none.plan")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.exit) == (str(caught.value), 3)
    with pytest.raises(hotpack.UsageError) as caught:
        hotpack.pack_part(plan, 0, 1)
    assert caught.value.exit == 2


def test_parts_are_numbers_from_0(plan, tmp_path):
    for index, count in ((3, 3), (-1, 3), (0, 0)):
        with pytest.raises(hotpack.UsageError, match="parts are numbered from 0 to count - 1"):
            hotpack.pack_part(plan, index, count, output=tmp_path / "parts")
    with pytest.raises(hotpack.UsageError, match="index is '1'; expected an integer"):
        hotpack.pack_part(plan, "1", 3, output=tmp_path / "parts")
    assert hotpack.pack_part(plan, np.int64(1), 3, output=tmp_path / "parts").index == 1


@pytest.mark.parametrize(
    "answer, kind, code",
    [
        ("kill -9 $$", hotpack.CancelledError, -9),
        ("kill -SEGV $$", hotpack.InternalError, -11),
        ("exit 7", hotpack.InternalError, 7),
        ("""echo '{"status":"stopped","exit":143}'; kill -TERM $$""", hotpack.CancelledError, -15),
    ],
)
def test_a_killed_command_is_an_error_with_its_signal(tmp_path, monkeypatch, answer, kind, code):
    with_answer(tmp_path, monkeypatch, answer)
    with pytest.raises(kind, match="part 0/2: ") as caught:
        hotpack.pack_part("x.plan", 0, 2, output=tmp_path / "parts")
    assert caught.value.exit == code


@pytest.fixture
def damaged(street, tmp_path):
    """Arguments with one image that ends too early."""
    images = Path(shutil.copytree(street["images"], tmp_path / "images"))
    first = next(path for path in sorted(images.rglob("*")) if path.is_file())
    first.write_bytes(first.read_bytes()[:2000])
    return {**street, "images": images}


def test_skipped_samples_are_refused_only_if_more_than_accepted(damaged, tmp_path):
    plan = tmp_path / "street.plan"
    hotpack.plan(**damaged, output=plan)
    given = {"output": tmp_path / "parts", "on_error": "skip"}
    first = hotpack.pack_part(plan, 0, 2, **given)
    assert first.skipped == 1
    assert hotpack.pack_part(plan, 0, 2, accept_skips=1, **given).data == first.data
    with pytest.raises(hotpack.DataError, match="part 0/2: more samples were skipped") as caught:
        hotpack.pack_part(plan, 0, 2, accept_skips=0, **given)
    assert caught.value.exit == 1
    both = [first, hotpack.pack_part(plan, 1, 2, accept_skips="10%", **given)]
    report = hotpack.merge(receipts=both, output=tmp_path / "parts", accept_skips="1")
    assert report.json["exit"] == 0 and report.json["skipped"] == 1
