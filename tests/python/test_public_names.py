"""What `help()` shows: each public name has a docstring, and the examples in docstrings are true."""

import ast
import doctest
import importlib
import importlib.util
import inspect
import pydoc

import pytest
from conftest import ROOT, framework

PACKAGE = ROOT / "src" / "python" / "hotpack"
NEEDS = {"torch": "torch", "keras": "keras", "tf": "tensorflow", "jax": "jax", "grain": "grain", "datasets": "datasets", "ray": "ray"}
PUBLIC = ["hotpack", "hotpack.pure", *(f"hotpack.{name}" for name in NEEDS)]
MODULES = sorted(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__") for path in PACKAGE.rglob("*.py"))
IS_COMPILED = importlib.util.find_spec("hotpack._core") is not None


def imported(name):
    """The module; the test is skipped where its framework or the compiled part is not installed."""
    if name.removeprefix("hotpack.") in NEEDS:
        framework(NEEDS[name.removeprefix("hotpack.")])
    try:
        return importlib.import_module(name)
    except ImportError:
        if IS_COMPILED:
            raise
        pytest.skip("hotpack._core is not built")


def own_members(kind):
    """(name, member) of each public method and property that hotpack defines, also in a base class."""
    for base in kind.__mro__:
        if base.__module__.split(".")[0] != "hotpack":
            continue
        for name, member in vars(base).items():
            if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, (property, classmethod, staticmethod))):
                yield name, member


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_documented(name):
    module = imported(name)
    assert module.__doc__ and module.__all__ == sorted(module.__all__)
    missing = []
    for public in module.__all__:
        if public == "__version__":
            continue
        value = getattr(module, public)
        if not (value.__doc__ or "").strip() or value.__doc__.startswith(f"{public}("):  # what a dataclass without docstring gets
            missing.append(public)
        if inspect.isclass(value):
            missing += [f"{public}.{member}" for member, found in own_members(value) if not inspect.getdoc(found)]
    assert not missing


@pytest.mark.parametrize("name", PUBLIC)
def test_pydoc_renders_every_public_name(name):
    module = imported(name)
    for public in module.__all__:
        text = pydoc.plain(pydoc.render_doc(f"{name}.{public}"))
        if public != "__version__":
            assert inspect.getdoc(getattr(module, public)).split("\n")[0] in text


def test_public_modules_are_those_with_a_list_of_names():
    with_list = [name for name in MODULES if "\n__all__ = " in source_of(name).read_text(encoding="utf-8")]
    assert sorted(with_list) == sorted(PUBLIC)


def source_of(name):
    folder = PACKAGE.parent.joinpath(*name.split("."))
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def undocumented(node, prefix):
    """Names of public functions and classes of a module or class that have no docstring."""
    for child in node.body:
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)) and not child.name.startswith("_"):
            if not ast.get_docstring(child):
                yield prefix + child.name
            if isinstance(child, ast.ClassDef):
                yield from undocumented(child, f"{prefix}{child.name}.")


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith("hotpack.pure.")])
def test_every_function_outside_pure_is_documented(name):
    tree = ast.parse(source_of(name).read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    assert not list(undocumented(tree, f"{name}."))


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name):
    result = doctest.testmod(imported(name))
    assert result.failed == 0
    if name == "hotpack.pure.order":
        assert result.attempted >= 2  # examples are found


def test_the_main_module_can_be_imported():
    """It becomes the command only when Python runs it."""
    assert callable(importlib.import_module("hotpack.__main__").main)
