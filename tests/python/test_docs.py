"""The programs of docs/python.md, each as it stands, in the order of the page."""

import re

import pytest
from conftest import ROOT, framework

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
NEEDS = {"hotpack.torch": "torch", "hotpack.keras": "keras", "hotpack.tf": "tensorflow", "hotpack.jax": "jax", "hotpack.grain": "grain", "hotpack.datasets": "datasets", "hotpack.ray": "ray"}


def headings():
    before = re.split(r"```python\n", PAGE)[:-1]
    return [re.findall(r"^#+ (.*)$", "".join(before[: i + 1]), re.MULTILINE)[-1] for i in range(len(before))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    (folder / "sample_data").symlink_to(ROOT / "sample_data")
    return folder


@pytest.mark.parametrize("number", range(len(PROGRAMS)), ids=[f"{i} {name}" for i, name in enumerate(headings())])
def test_the_program_runs(number, folder, command, monkeypatch, capsys):
    program = PROGRAMS[number]
    for module, name in NEEDS.items():
        if f"import {module}\n" in program:
            framework(name)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    if number and not (folder / "packed" / "street").exists():
        exec(PROGRAMS[0], {})
    exec(compile(program, f"docs/python.md, program {number}", "exec"), {"__name__": "__main__"})
    assert "import hotpack" in program
