"""Saved residuals that say something which means another thing in a module of its own.

Invariant: the saved module does what the residual does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import ModuleType

import pytest

import futamura
from futamura.residual import SavingError
from futamura.standalone import absolute, reads_renamed
from tests.frontend.test_implied import module_of

RENDER = """
def render(template, data):
    out = []
    for part in template:
        if part.startswith("#"):
            out.append(data[part[1:]](lambda text, scope=data: render([text], scope)))
        else:
            out.append(part)
    return "".join(out)
"""


def saved(residual: futamura.Residual, folder: Path) -> ModuleType:
    return module_of(residual.module_text(), folder)


def test_the_original_is_called_by_another_name(tmp_path: Path) -> None:
    module = module_of(RENDER, tmp_path)
    residual = futamura.specialize(module.render, template=["a", "#f", "#f"])
    data = {"f": lambda show: show("x")}
    made = saved(residual, tmp_path)
    assert made.render(data) == residual(data) == module.render(["a", "#f", "#f"], data) == "axx"


def test_an_original_that_nobody_can_import_is_named(tmp_path: Path) -> None:
    module = module_of(RENDER, tmp_path)
    residual = futamura.specialize(module.render, template=["#f"])
    del sys.modules[module.__name__]
    with pytest.raises(SavingError, match="calls the original `render`"):
        residual.module_text()


def test_a_residual_that_calls_itself_keeps_its_name(tmp_path: Path) -> None:
    module = module_of("def power(x, n):\n    return 1 if n == 0 else x * power(x, n - 1)\n", tmp_path)
    residual = futamura.specialize(module.power, x=3)
    made = saved(residual, tmp_path)
    assert made.power(4) == 81 and "_original" not in residual.module_text()


def test_relative_imports_get_the_name_of_their_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "shop_of_parts"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("RATE = 3\n")
    (package / "data.py").write_text("ROWS = {1: 5}\n")
    (package / "inner" / "__init__.py").write_text("")
    (package / "inner" / "core.py").write_text(
        "def look(k, x):\n    if x > 5:\n        from ..data import ROWS\n        from .. import RATE as rate\n"
        "        return ROWS[k] * rate\n    return x\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    core = __import__("shop_of_parts.inner.core", fromlist=["look"])
    made = saved(futamura.specialize(core.look, k=1), tmp_path)
    assert [made.look(x) for x in (1, 7)] == [core.look(1, x) for x in (1, 7)] == [1, 15]


def test_lambdas_are_saved(tmp_path: Path) -> None:
    made = saved(futamura.specialize(lambda x, n: x + n, n=3), tmp_path)
    assert made._lambda(4) == 7


def test_only_imports_and_global_reads_are_touched() -> None:
    assert absolute("def f():\n    from . import é; from ..a import b\n", {"__package__": "p.q"}) == (
        "def f():\n    from p.q import é; from p.a import b\n"
    )
    assert absolute("x = 'from . import y'\n", {}) == "x = 'from . import y'\n"
    with pytest.raises(ImportError):
        absolute("from ... import y\n", {"__package__": "p"})
    assert reads_renamed("def f(x):\n    return 'é', f(x), x.f, g(f=1)\n", "f", "h") == (
        "def f(x):\n    return 'é', h(x), x.f, g(f=1)\n"
    )
    assert reads_renamed("def f(x):\n    return lambda f: f(x)\n", "f", "h") is None


def test_constants_are_not_called_like_the_function(tmp_path: Path) -> None:
    module = module_of(
        "import struct\ndef _pack(obj, n): return struct.pack('B', obj + n)\n"
        "class Packer:\n    def _pack(self, obj, n): return struct.pack('B', obj + n)\n",
        tmp_path,
    )
    assert saved(futamura.specialize(module._pack, n=1), tmp_path)._pack(5) == b"\x06"
    assert saved(futamura.specialize(module.Packer._pack, n=1), tmp_path)._pack(None, 5) == b"\x06"


def between(datetime: date, decimal: Decimal, least: date, math: float, x: date) -> object:
    return x - datetime, x > least, decimal, math


def test_constants_are_not_called_like_what_is_imported(tmp_path: Path) -> None:
    given = {"datetime": date(2020, 1, 1), "decimal": Decimal(3), "least": date(2021, 1, 1), "math": float("nan")}
    residual = futamura.specialize(between, **given)
    made = saved(residual, tmp_path)
    assert made.between(date(2022, 1, 1))[:3] == residual(date(2022, 1, 1))[:3]
    assert type(made.between(date(2022, 1, 1))[3]) is float


def counter(step: int) -> Callable[[int], int]:
    n = 0

    def count(x: int) -> int:
        nonlocal n
        n += step * x
        return n

    return count


def test_a_variable_that_is_assigned_outside_is_named(tmp_path: Path) -> None:
    residual = futamura.specialize(counter(2))
    assert residual(3) == 6
    with pytest.raises(SavingError, match="it shares the variable `n` with an enclosing function"):
        residual.save(tmp_path / "counter.py")
    assert not (tmp_path / "counter.py").exists()
