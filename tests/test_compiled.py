"""The core can be compiled: what mypyc cannot do, or does otherwise, is not in it.

That the compiled core works is shown by the tests themselves: `make test-compiled` runs them on it.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.compiled import HOUSE, INTERPRETED, PARTS, VERSION, compiled_modules

PACKAGE = HOUSE / "src" / "futamura"
MODULES = compiled_modules(PACKAGE)


def test_what_is_compiled() -> None:
    assert len(MODULES) > 250
    assert all((PACKAGE / name).is_file() for name in INTERPRETED)
    assert all(any(name.startswith(f"{part}/") for part in PARTS) for name in INTERPRETED)
    assert not {str(file.relative_to(PACKAGE)) for file in MODULES} & INTERPRETED.keys()


def test_one_version_compiles_and_checks() -> None:
    """Newer versions free what `Final` attributes hold while it is used."""
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text(encoding="utf-8"))
    hook = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    assert f"mypy=={VERSION}.*" in hook["dependencies"]
    assert f"mypy>={VERSION},<2.3" in project["project"]["optional-dependencies"]["dev"]
    assert project["tool"]["mypy"]["warn_unreachable"] is True


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_a_caught_exception_shares_its_name_with_nothing(file: Path) -> None:
    """A variable has one class where it is compiled: what else is bound to the name would not fit."""
    for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(function, ast.FunctionDef):
            handlers = [node for node in _own(function) if isinstance(node, ast.ExceptHandler) and node.name]
            caught = {node.name for node in handlers}
            classes = {(node.name, ast.unparse(node.type)) for node in handlers if node.type is not None}
            assert len(classes) == len(caught), (file, function.name)
            bound = {node.id for node in _own(function) if isinstance(node, ast.Name) and _is_bound(node)}
            assert not caught & (bound | {arg.arg for arg in function.args.args}), (file, function.name)


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_no_property_is_cached_by_functools(file: Path) -> None:
    """Instances of compiled classes have no dict to keep it in: it would be computed each time."""
    for cls in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(cls, ast.ClassDef):
            decorators = [ast.unparse(one) for node in cls.body for one in getattr(node, "decorator_list", ())]
            assert not any("cache" in name for name in decorators), (file, cls.name)


def _is_bound(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of the functions in it."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            yield from _own(child)
