"""The commands as functions: options, reports, errors, progress, interrupts. They need the command alone."""

import json
import logging
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, golden_pack

import hotpack
from hotpack import process

STREET = ROOT / "sample_data" / "street"


@pytest.fixture(autouse=True)
def of_the_build(command, monkeypatch):
    monkeypatch.setenv("HOTPACK_COMMAND", command)


@pytest.fixture
def street(tmp_path):
    """Arguments for packing the sample data."""
    return {"images": STREET / "images", "labels": STREET / "masks_color", "classes": STREET / "class_dict.csv", "size": (64, 48), "fit": "cover", "output": tmp_path / "packed"}


def test_the_functions_are_those_of_the_command(command):
    subprocess.run([ROOT / "scripts" / "make-python-commands", "--check", command], check=True)


def test_pack_makes_a_pack_and_says_what_it_did(street):
    report = hotpack.pack(**street)
    assert (report.status, report.records, report.skipped, report.output) == ("packed", 24, 0, str(street["output"])) and report.json["classes"]
    assert report.labels.startswith("labels are read as color") and report.warnings == ()
    again = hotpack.pack(**street)
    assert again.status == "complete" and again.kept_shards == report.packed_shards
    assert (Path(street["output"]) / "dataset.json").exists()


def test_info_describes_every_split_of_a_plan(street, tmp_path):
    inputs = {name: value for name, value in street.items() if name != "output"}
    plan = tmp_path / "train.plan"
    hotpack.plan(**inputs, output=plan, split="ratio:train=75,val=25")
    train, val = hotpack.info(plan, partitions=2)
    assert (train.pack, train.fingerprint, train.skipped, train.json["split"], val.json["split"]) == (str(plan), "", 0, "train", "val")
    assert (train.samples, val.samples) == (18, 6) and train.json["partitions"]["count"] == 2
    hotpack.pack_part(plan, 0, 1, output=tmp_path / "packed")
    packed = sum(file.stat().st_size for file in (tmp_path / "packed/train").glob("*.safetensors"))
    assert packed <= train.size_bytes < packed + 4096  # the rows of classes are bounded


def test_info_verify_extract_preview_and_merge(street, tmp_path):
    hotpack.pack(**street)
    (facts,) = hotpack.info(street["output"])
    assert facts.samples == 24 and facts.json["schema"]["geometry"]["size"] == [64, 48]
    (checked,) = hotpack.verify(street["output"])
    assert checked.ok and checked.records == 24 and checked.findings == ()
    files = hotpack.extract(street["output"], output=tmp_path / "back", key=["north/country_02"], ids=True)
    assert files.samples == 1 and files.files >= 2
    sheet = hotpack.preview(street["output"], output=tmp_path / "sheet.png", grid=(2, 1))
    assert Path(sheet.sheet).stat().st_size > 100
    parts = {**street, "shard_samples": 6}
    for part in (0, 1):
        hotpack.pack(**{**parts, "output": tmp_path / f"part{part}"}, partition=f"{part}/2")
    hotpack.merge(tmp_path / "part0", tmp_path / "part1", output=tmp_path / "merged")
    assert hotpack.verify(tmp_path / "merged")[0].ok
    assert hotpack.check(images=street["images"], labels=street["labels"], classes=street["classes"]).ok


def test_damage_is_a_report_with_findings(pack):
    folder = pack("index")
    shard = next(folder.glob("*.safetensors"))
    data = bytearray(shard.read_bytes())
    data[-1] ^= 1
    shard.write_bytes(data)
    (report,) = hotpack.verify(folder)
    assert not report.ok and shard.name in {finding.file for finding in report.findings} and report.findings[0].text


def test_every_refusal_is_an_error_of_its_class(street, tmp_path):
    with pytest.raises(hotpack.UsageError) as caught:
        hotpack.pack(**{**street, "size": "12x"})
    assert caught.value.option == "--size" and "12" in caught.value.message and caught.value.exit == 2
    with pytest.raises(hotpack.IoError) as caught:
        hotpack.pack(**{**street, "images": tmp_path / "none"})
    assert caught.value.path == str(tmp_path / "none") == caught.value.filename
    with pytest.raises(hotpack.DamagedError):
        hotpack.extract(STREET, output=tmp_path / "back")
    ids = tmp_path / "labels"
    shutil.copytree(STREET / "masks_color", ids)
    next(ids.rglob("*.png")).unlink()
    with pytest.raises(hotpack.DataError) as caught:
        hotpack.pack(**{**street, "labels": ids})
    assert caught.value.problems[0]["count"] == 1
    again = pickle.loads(pickle.dumps(caught.value))
    assert again.problems == caught.value.problems and str(again) == str(caught.value)
    assert not list((tmp_path / "packed").glob("*"))


def test_progress_is_told_and_messages_are_logged(street, caplog):
    seen = []
    with caplog.at_level(logging.INFO, "hotpack"):
        hotpack.pack(**street, progress=seen.append)
    assert seen and isinstance(seen[-1], hotpack.Progress) and seen[-1].samples_done == 24
    assert any("labels are read as color" in record.getMessage() for record in caplog.records)


def test_an_error_is_an_exception_alone(street, run, command):
    """Not a line on stderr, too."""
    program = "import hotpack, sys\ntry: hotpack.pack(images=sys.argv[1], output='packed')\nexcept hotpack.Error as error: print(type(error).__name__)"
    assert run(program, "no-such-folder", environment={"HOTPACK_COMMAND": command}) in ("UsageError\n", "IoError\n", "DataError\n")


def test_a_listener_that_raises_ends_the_command_in_order(street):
    def refuse(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        hotpack.pack(**street, progress=refuse)
    assert not list(Path(street["output"]).glob("*.tmp")) and not list(Path(street["output"]).glob(".*.tmp"))
    assert hotpack.pack(**street).records == 24


def test_an_interrupt_of_this_process_alone_ends_the_command(tmp_path, command):
    """As Jupyter interrupts: the command is in another group and is told by this process."""
    images = tmp_path / "images"
    images.mkdir()
    pixels = np.random.default_rng(1).integers(0, 256, (700, 900, 3), np.uint8)
    from hotpack.html import png

    data = png(pixels)
    (tmp_path / "one.png").write_bytes(data)
    for number in range(1500):
        os.link(tmp_path / "one.png", images / f"{number}.png")
    program = f"""
import sys; sys.path[:0] = {sys.path!r}
import hotpack
print("begun", flush=True)
try: hotpack.pack(images={str(images)!r}, output={str(tmp_path / 'out')!r}, size=(800, 600), jobs=1, shard_samples=10)
except KeyboardInterrupt: print("interrupted", flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert child.stdout.readline() == "begun\n"
    while not list(tmp_path.glob("out/*.safetensors")):  # it packs
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    began = time.monotonic()
    output, errors = child.communicate(timeout=60)
    assert (output, errors, child.returncode) == ("interrupted\n", "", 0)
    assert time.monotonic() - began < 30
    left = os.listdir(tmp_path / "out")
    assert not [name for name in left if name.endswith(".tmp") or name == "dataset.json"]


def test_names_that_are_not_utf8_go_through(street, tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff"
    report = hotpack.pack(**{**street, "output": name})
    assert report.records == 24 and os.path.exists(name + b"/dataset.json") and hotpack.verify(name)[0].ok


def test_commands_run_in_several_threads(street, tmp_path):
    reports = []
    threads = [threading.Thread(target=lambda n=n: reports.append(hotpack.pack(**{**street, "output": tmp_path / str(n)}))) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [report.status for report in reports] == ["packed"] * 3


def test_a_missing_command_and_one_of_another_version_are_refused(monkeypatch, tmp_path):
    other = tmp_path / "hotpack"
    other.write_text("#!/bin/sh\necho hotpack 9.9.9\n")
    other.chmod(0o755)
    monkeypatch.setenv("HOTPACK_COMMAND", str(other))
    with pytest.raises(hotpack.UsageError, match="of version 9.9.9"):
        hotpack.info(golden_pack("bits"))
    monkeypatch.setenv("HOTPACK_COMMAND", str(tmp_path / "none"))
    with pytest.raises(hotpack.UsageError, match="was not found"):
        process.find_command()


@pytest.mark.parametrize("end, kind, text", [("kill -9 $$", "CancelledError", "signal 9 (SIGKILL, as if memory ran out)"), ("kill -11 $$", "InternalError", "signal 11 (SIGSEGV)"), ("exit 7", "InternalError", "exit code 7")])
def test_a_command_without_a_report_is_an_error_that_names_its_end(monkeypatch, tmp_path, end, kind, text):
    other = tmp_path / "hotpack"
    other.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo hotpack {hotpack.__version__} && exit\n{end}\n')
    other.chmod(0o755)
    monkeypatch.setenv("HOTPACK_COMMAND", str(other))
    with pytest.raises(getattr(hotpack, kind), match=re.escape(f"ended with {text} and without a report")) as caught:
        hotpack.info(golden_pack("bits"))
    assert caught.value.exit == {"kill -9 $$": -9, "kill -11 $$": -11, "exit 7": 7}[end]


def test_a_bar_needs_tqdm(monkeypatch, street):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(hotpack.UsageError, match="pip install tqdm"):
        hotpack.pack(**street, progress=True)


def test_a_bar_shows_the_samples(street, capsys):
    pytest.importorskip("tqdm")
    hotpack.pack(**street, progress=True)
    assert "24" in capsys.readouterr().err


def test_the_module_is_the_command(run):
    assert json.loads(run("import runpy, sys; sys.argv[1:] = ['version', '--json']; runpy.run_module('hotpack', run_name='__main__')"))["version"] == hotpack.__version__


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems cannot")
def test_a_command_may_end_with_its_process(tmp_path):
    """A worker that is killed leaves no command behind."""
    noted = tmp_path / "pid"
    line = ["sh", "-c", f"echo $$ > {noted}.new; mv {noted}.new {noted}; exec sleep 100"]
    program = f"from hotpack import process\nprocess.end_commands_with_this_process()\nprocess._run({line!r}, None)"
    with subprocess.Popen([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}) as worker:
        until(noted.exists)
        worker.kill()
    until(lambda: not is_running(int(noted.read_text())))


def is_running(pid):
    """Not so for one that has ended but that nobody has waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def until(holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
