"""The programs of docs/python.md and docs/python/*.md, each as it stands, in the order of its page.

A block ```python is a program: it runs. A block ```py is a piece of one: it is only compiled. The line `<!-- needs: NAME -->` before a program
says that it is for another tool, which need not be installed: without it the program is only compiled.
"""

import ast
import importlib.util
import re
from dataclasses import dataclass

import pytest
from conftest import ROOT, framework

PAGES = [ROOT / "docs" / "python.md", *sorted((ROOT / "docs" / "python").glob("*.md"))]
BLOCK = re.compile(r"^(?:<!-- needs: ([\w, ]+) -->\n\n?)?```(python|py)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FRAMEWORKS = {"torch", "torchdata", "lightning", "accelerate", "transformers", "keras", "tensorflow", "jax", "grain", "datasets", "ray"}
OURS = {"hotpack.torch": "torch", "hotpack.keras": "keras", "hotpack.tf": "tensorflow", "hotpack.jax": "jax", "hotpack.grain": "grain", "hotpack.datasets": "datasets", "hotpack.ray": "ray"}


@dataclass(frozen=True)
class Program:
    page: str
    number: int
    heading: str
    needs: tuple  # tools that need not be installed
    runs: bool
    text: str

    @property
    def name(self):
        return f"{self.page} {self.number} {self.heading}"

    def compiled(self):
        return compile(self.text, f"docs/{self.page}, program {self.number}", "exec")

    def imports(self):
        for node in ast.walk(ast.parse(self.text)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) else []
            yield from (OURS.get(name, name.split(".")[0]) for name in names)


def programs_of(page):
    text = page.read_text(encoding="utf-8")
    for number, block in enumerate(BLOCK.finditer(text)):
        headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text[: block.start()], flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
        needs = tuple(name.strip() for name in (block[1] or "").split(",") if name.strip())
        yield Program(page.relative_to(ROOT / "docs").as_posix(), number, headings[-1], needs, block[2] == "python", block[3])


PROGRAMS = [program for page in PAGES for program in programs_of(page)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("docs")
    (folder / "sample_data").symlink_to(ROOT / "sample_data")
    return folder


def test_every_block_of_python_is_found():
    for page in PAGES:
        lines = page.read_text(encoding="utf-8").splitlines()
        assert sum(line.strip().startswith(("```py", "~~~")) for line in lines) == len(list(programs_of(page))), page


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.name for program in PROGRAMS])
def test_the_program_runs(program, folder, command, monkeypatch, capsys):
    code = program.compiled()
    if not program.runs:
        return
    for name in program.needs:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed: only compiled")
    for name in FRAMEWORKS & set(program.imports()):
        framework(name)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOTPACK_COMMAND", command)
    if program is not PROGRAMS[0] and not (folder / "packed" / "street").exists():
        exec(PROGRAMS[0].compiled(), {"__name__": "__main__"})
    exec(code, {"__name__": "__main__"})
