"""Specializing says nothing of the text that Python has not said already: no warning, whatever the filters are.

x is 1, None(k)     SyntaxWarning when Python compiles the module, and none when a residual is made of it
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path
from types import ModuleType

import pytest

import futamura

SOURCE = r"""
LOG = [1]


def odd(x, k):
    return x is 1, "\d", None(k) if k == 2 else x, [1, 2](3) if k == 5 else LOG[0]


def nested(x, k):
    class Inner:
        y = x is 1

    return Inner.y, k


def closure(k):
    def write():
        nonlocal k
        k = "\w"

    def read(x):
        return x is "a" "b", k

    return read, write
"""


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    file = tmp_path / "module_with_warnings.py"
    file.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("module_with_warnings", file)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("action", ["always", "error"])
def test_no_warning_is_given_while_specializing(module: ModuleType, action: str, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter(action)  # type: ignore[arg-type]
        kept = list(warnings.filters)
        for k in (0, 2, 5):
            futamura.specialize(module.odd, k=k)
        whole = futamura.specialize(module.odd)
        whole.save(tmp_path / "saved.py")
        futamura.specialize(module.nested, k=1)
        read, write = module.closure(1)
        residual = futamura.specialize(read)
        assert warnings.filters == kept
    assert [str(warning.message) for warning in given] == []
    write()
    assert residual("c") == (False, "\\w")
    assert sys.modules.get("module_with_warnings") is None
