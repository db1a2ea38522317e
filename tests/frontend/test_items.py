"""Which objects functions change: what is passed to a function that is not known by name, and what that costs."""

from __future__ import annotations

import ast

import pytest

from futamura.frontend.items import _Items, changed_by_functions

CALLS = {
    "fn(ROWS)": "row",
    "fn(0, ROWS)": "other",
    "fn(*[ROWS])": "row",
    "fn(0, 1, 2, ROWS)": "more[0]",
    "fn(0, 1, 2, *[ROWS])": "[*more][-1]",
    "fn(other=ROWS)": "other",
    "fn(key=ROWS)": "named['key']",
    "fn(**{'key': ROWS})": "[*named.values()][0]",
    "list(map(change, ROWS, [0], [ROWS]))": "more[0]",
    "fn(**{'other': ROWS})": "other",
    "table['key'](0, ROWS)": "other",
}
"""A call of a function that may be any, and by which name a function that is used as a value then has `ROWS`."""


@pytest.mark.parametrize("call", CALLS)
def test_what_is_passed_to_an_unknown_function_is_changed_there(call: str) -> None:
    program = (
        f"ROWS = []\ndef change(row, other=None, *more, **named):\n    {CALLS[call]}.append(1)\nTABLE = [change]\n"
    )
    program += f"def use(fn, table):\n    {call}\n"
    assert "ROWS" in changed_by_functions(ast.parse(program)).certain.itself
    assert "ROWS" not in changed_by_functions(ast.parse(program.replace("append", "index"))).certain.itself


SEARCHES = {
    "x in ROWS": False,
    "x not in ROWS": False,
    "1 < x in ROWS": False,
    "ROWS.index(x)": False,
    "ROWS == x": True,
    "ROWS in x": True,
    "x in ROWS == y": True,
    "x in ROWS in y": True,
    "x.unknown(ROWS)": True,
}
"""An operation, and whether a special method may get `ROWS` by it, not only what is in it."""


@pytest.mark.parametrize("search", SEARCHES)
def test_what_is_searched_is_no_operand(search: str) -> None:
    program = f"ROWS = [[1]]\nclass Any:\n    def __eq__(self, other): other[0] = 2\ndef use(x, y): return {search}\n"
    found = changed_by_functions(ast.parse(program)).certain
    assert ("ROWS" in found.itself) is SEARCHES[search]
    assert "ROWS" in found.items | found.by_methods.keys() or SEARCHES[search]


def test_what_a_method_collects_is_changed_there() -> None:
    program = "ROWS = []\nclass Log:\n    def add(self, *rows):\n        rows[0].append(1)\n"
    assert "ROWS" in changed_by_functions(ast.parse(program + "def use(log): log.add(ROWS)\n")).certain.itself


@pytest.mark.parametrize("default", ["", ", None"])
def test_what_getattr_reads_is_the_attribute(default: str) -> None:
    program = "class Log:\n    rows = []\ndef use(): getattr(Log, 'rows'DEFAULT).append(1)\n"
    assert ".rows" in changed_by_functions(ast.parse(program.replace("DEFAULT", default))).certain.itself


def _steps(functions: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often something is noted about a place, for a module with so many functions, used as values, and calls."""
    lines = ["TABLE = {}"]
    for number in range(functions):
        lines += [
            f"def f{number}(a, b, fn):",
            f"    return fn(a, b) + fn(b, key={number})",
            f"TABLE[{number}] = f{number}",
        ]
    count = 0
    plain = _Items.hold

    def hold(self: _Items, *args: object) -> None:
        nonlocal count
        count += 1
        plain(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(_Items, "hold", hold)
    changed_by_functions(ast.parse("\n".join(lines)))
    monkeypatch.undo()
    return count


def test_the_work_grows_with_the_module(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _steps(80, monkeypatch) < 5 * _steps(20, monkeypatch)


CALLED = {
    "reduce(lambda t, x: t.append(x) or ROWS, [1, 2], [])": True,
    "reduce(lambda t, x: x.append(t), ROWS, 1)": True,
    "reduce(lambda t, x: t.append(x) or t, ROWS)": True,
    "reduce(lambda *t: t[1].append(1), ROWS, 1)": True,
    "reduce(lambda t, x=ROWS: t.append(x) or x, [ROWS], [])": True,
    "list([reduce(lambda t, x: (t.append(len(x)), t)[1], ROWS, [])])": False,
    "reduce(lambda t, x: t, [1], ROWS).append(2)": True,
    "Made.make().append(2)": True,
    "Kind.A().append(2)": True,
    "defaultdict(ALIAS)[1].append(2)": True,
    "ROWS_OF[1]().append(2)": True,
}


@pytest.mark.parametrize("call", CALLED)
def test_what_is_called_without_its_name(call: str) -> None:
    """Functions that the library calls, classes of a metaclass, members of enumerations, objects in tables."""
    program = f"""
from functools import reduce
from collections import defaultdict
from enum import Enum
ROWS = [[1]]
def give(): return ROWS
ALIAS = give
class Giver:
    def __call__(self): return ROWS
class Giving(type):
    def __call__(cls): return ROWS
class Made(metaclass=Giving):
    @classmethod
    def make(cls): return cls()
class Kind(Enum):
    A = 1
    def __call__(self): return ROWS
ROWS_OF = [1, Giver()]
def use(): return {call}
"""
    found = changed_by_functions(ast.parse(program)).certain
    assert ("ROWS" in found.itself | found.items | found.by_methods.keys()) is CALLED[call]
