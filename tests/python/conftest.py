"""What the tests of the Python package share. The environment variable HOTPACK names the command; without it, tests that compare with the
command are skipped. In continuous integration a skipped test fails, unless tests/skips.txt lists it."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
import skips  # noqa: E402

GOLDEN = sorted(path.parent for path in (ROOT / "tests" / "golden").glob("[0-9]*/*/dataset.json"))

# A shell starts background jobs with interrupts ignored, which programs of the tests would inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("USE_TF", "0")  # or Transformers asks for another Keras where TensorFlow is
if importlib.util.find_spec("hotpack") is None:  # not installed: its pure part can be tested as it lies there
    sys.path.insert(0, str(ROOT / "src" / "python"))
if importlib.util.find_spec("hotpack._core") is None:
    if os.environ.get("HOTPACK_COMPILED") == "1":
        raise ImportError("hotpack._core is not built, and HOTPACK_COMPILED=1 requires it")
    collect_ignore_glob = ["test_compiled_*.py", "test_docs.py", "test_examples.py", *(f"test_{name}.py" for name in ("torch", "keras", "jax", "tf", "grain", "datasets", "ray"))]


def has_device():
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout.startswith("GPU")
    except (OSError, subprocess.CalledProcessError):
        return False


def pytest_collection_modifyitems(items):
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if marked and not has_device():
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="no CUDA device"))


def checked(report):
    if report.skipped and skips.unlisted("pytest", [report.nodeid]):
        report.outcome = "failed"
        report.longrepr = f"skipped, and tests/skips.txt does not list it: pytest  {report.nodeid}\n{report.longrepr[2]}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return checked((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return checked((yield))


def pytest_report_header():
    command = os.environ.get("HOTPACK")
    return f"hotpack: {command}" if command else "hotpack: HOTPACK is not set, so tests that compare with the command are SKIPPED"


def pytest_generate_tests(metafunc):
    if "golden" in metafunc.fixturenames:
        metafunc.parametrize("golden", GOLDEN, ids=[pack.name for pack in GOLDEN])


@pytest.fixture
def command():
    if not os.environ.get("HOTPACK"):
        pytest.skip("HOTPACK is not set")
    return os.environ["HOTPACK"]


def framework(name):
    """Imports a framework; without it, the tests that ask for it are skipped, unless HOTPACK_FRAMEWORKS=1 says that it must be there."""
    if os.environ.get("HOTPACK_FRAMEWORKS") == "1":
        return importlib.import_module(name)
    return pytest.importorskip(name)


def golden_pack(name):
    return next(path for path in GOLDEN if path.name == name)


@pytest.fixture
def run(tmp_path):
    """Runs a program of Python and returns what it prints. It must exit with `code`, and write to stderr only what `warns` allows."""

    def run(program, *arguments, code=0, warns=False, seconds=120, environment=None):
        command = [sys.executable, "-c", program, *map(str, arguments)]
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **(environment or {})}
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, cwd=tmp_path, env=variables)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        assert warns or not done.stderr, done.stderr
        return done.stdout

    return run


@pytest.fixture
def pack(tmp_path):
    """Copies a golden pack, so that a test may damage it."""

    def copy(name, to="pack"):
        return Path(shutil.copytree(golden_pack(name), tmp_path / to))

    return copy
