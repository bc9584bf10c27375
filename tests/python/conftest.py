"""What the tests of the Python package share. The environment variable HOTPACK names the command; without it, tests that compare with the
command are skipped."""

import os
import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GOLDEN = sorted(path.parent for path in (ROOT / "tests" / "golden").glob("[0-9]*/*/dataset.json"))

sys.path.insert(0, str(ROOT / "src" / "python"))


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


@pytest.fixture
def pack(tmp_path):
    """Copies a golden pack, so that a test may damage it."""

    def copy(name, to="pack"):
        source = next(path for path in GOLDEN if path.name == name)
        return Path(shutil.copytree(source, tmp_path / to))

    return copy
