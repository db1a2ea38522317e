"""Tables that are read when the residual runs say which line of their module is the reason.

    for name, handler in HANDLERS.items(): ...     FT306: line 5 of its module may write to it

Invariant: a table that is only read, or that the residual itself writes, gets no such note.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import futamura

SOURCE = """
HANDLERS = {"double": lambda x: x * 2}
RATES = {"a": 3}
def replace(name, function):
    HANDLERS[name] = function
class Kind:
    options = [1, 2]
    names = ["x"]
    def more(self):
        self.options.append(1)
def run(n, x):
    for name, handler in HANDLERS.items():
        x = handler(x)
    for option in Kind.options:
        x += option
    return x * n + RATES["a"] + len(Kind.names)
def asked(n, x):
    return HANDLERS.get("double")(x) * n, "double" in HANDLERS
"""


@pytest.fixture(name="module")
def _module(tmp_path: Path) -> Any:
    (tmp_path / "unknown_tables.py").write_text(SOURCE)
    sys.path.insert(0, str(tmp_path))
    yield __import__("unknown_tables")
    sys.path.remove(str(tmp_path))
    del sys.modules["unknown_tables"]


def test_loops(module: Any) -> None:
    made = futamura.specialize(module.run, n=2)
    assert [event.reason for event in made.events if event.code == "FT306"] == [
        "`unknown_tables.HANDLERS` is read when the residual runs: line 5 of its module may write to it",
        "`unknown_tables.Kind.options` is read when the residual runs: line 10 of its module may write to it",
    ]
    module.replace("more", lambda x: x + 100)
    assert made(1) == module.run(2, 1) == 2 * (1 * 2 + 100 + 3) + 3 + 1


def test_methods(module: Any) -> None:
    made = futamura.specialize(module.asked, n=2)
    assert [event.code for event in made.events] == ["FT306"] and "line 5" in made.explain()


def test_what_is_promised_says_nothing(module: Any) -> None:
    made = futamura.Specializer(frozen=[module.HANDLERS, module.Kind.options])(module.run, n=2)
    assert not made.events and "for" not in made.source


METHODS = """
TABLE = {"a": [1, 2]}
class Row:
    def cells(self):
        return []
class Grid:
    def __init__(self):
        self.cells = [[0]]
    def put(self, x):
        self.cells[0].append(x)
def run(key, x):
    return TABLE[key][0] + x
"""


def test_a_method_with_the_name_of_an_attribute_whose_items_are_changed(tmp_path: Path) -> None:
    (tmp_path / "cells_twice.py").write_text(METHODS)
    sys.path.insert(0, str(tmp_path))
    module: Any = __import__("cells_twice")
    sys.path.remove(str(tmp_path))
    made = futamura.specialize(module.run, key="a")
    assert made.source == "def run(x):\n    return 1 + x\n" and made(2) == 3
    del sys.modules["cells_twice"]


NAMED = """
TABLE = {"a": [1, 2]}
ROWS = {"x": [1, 2]}
SAME = {"y": ROWS["x"]}
class Plug:
    def __init__(self):
        self.rows = ROWS["x"]
    def add(self, x):
        rows = self.rows
        rows.append(x)
PLUG = Plug()
def put(target, key):
    target[key].append(3)
def user(key):
    put(TABLE, key)
def run(n, x):
    return TABLE["a"][0] * n + ROWS["x"][0] * n + SAME["y"][0] * x
"""


def test_the_function_and_the_line_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = futamura.specialize(_written("named_writers", NAMED, tmp_path, monkeypatch).run, n=2)
    found = {one.title.partition("`")[2].partition("`")[0]: one.because[-1] for one in made.diagnostics}
    named = {name: (one.text, one.place and one.place.line) for name, one in found.items()}
    assert named["named_writers.TABLE"] == ("`put` may change it", 13)
    assert named["named_writers.ROWS"] == ("`Plug.add` may change it", 10)


READ = [
    "    if not ROWS: return x\n    return x + ROWS[0]",
    "    if ROWS is None or len(ROWS) < 1: return x\n    return x + ROWS[0]",
    "    rows = rows or ROWS\n    return x + sum(row for row in rows)",
    "    for row in (ROWS if rows is None else rows): x += row\n    return x",
    "    if rows is None: rows = ROWS\n    while rows and x < 3: x += rows[-1]\n    return x",
    "    return [row for row in rows or ROWS if ROWS and row != x], bool(ROWS)",
    "    assert ROWS, 'none'\n    return x if ROWS else -x",
]


@pytest.mark.parametrize("at", range(len(READ)))
def test_tables_that_are_tested_and_named_are_known(at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = _written(f"read_rows_{at}", f"ROWS = [1, 2]\ndef run(x, rows=None):\n{READ[at]}\n", tmp_path, monkeypatch)
    residual = futamura.specialize(made.run, rows=None)
    assert "ROWS" not in residual.source and "_k" not in residual.source, residual.source
    assert not any(event.code == "FT306" for event in residual.events)
    assert [residual(x) for x in (1, 5)] == [made.run(x) for x in (1, 5)]


CHANGED = [
    "    rows = rows or ROWS\n    rows.append(9)",
    "    rows = rows or ROWS\n    rows += [9]",
    "    rows = ROWS if rows is None else rows\n    more = rows\n    more.append(9)",
    "    rows = rows or ROWS\n    def inner(): return rows\n    inner().append(9)",
    "    def inner():\n        nonlocal rows\n        rows = ROWS\n    inner()\n    rows.append(9)",
    "    rows = rows or ROWS\n    rows[0] = 9",
    "    rows = rows or ROWS\n    del rows[0]",
    "    rows = rows or ROWS\n    list(map(rows.append, [9]))",
    "    if rows := ROWS: rows.append(9)",
    "    for rows in (ROWS or [],): rows.append(9)",
    "    rows = rows or ROWS\n    keep.append(rows)\n    keep[0].append(9)",
    "    rows = other = ROWS\n    other.append(9)",
    "    (rows or ROWS).append(9)",
    "    class Kept:\n        rows = ROWS\n    Kept.rows.append(9)",
    "    rows = rows or ROWS\n    locals()['rows'].append(9)",
    "    import sys\n    rows = rows or ROWS\n    sys._getframe().f_locals['rows'].append(9)",
    "    class Kept:\n        rows = ROWS\n        def go(self): return self.rows\n    Kept().go().append(9)",
    "    rows = rows or ROWS\n    def inner(rows=rows): rows.append(9)\n    inner()",
]


ITEMS_CHANGED = [
    "def change(): (lambda row=ROWS[0]: row.append(9))()",
    "def change(row=ROWS[0]): row.append(9)",
    "def change():\n    def inner(*, row=ROWS[0]): row.append(9)\n    inner()",
    "def change():\n    rows = ROWS\n    (lambda row=rows[0]: row.append(9))()",
    "def change():\n    rows = ROWS\n    going = (row for row in rows)\n    going.send(None).append(9)",
    "def change(): iter(ROWS).__next__().append(9)",
    "def taking():\n    row = yield\n    row.append(9)\n    yield\n"
    "def change():\n    going = taking()\n    next(going)\n    going.send(ROWS[0])",
]

ALL_CHANGED = [
    *[("[1, 2]", "ROWS", f"def change(rows=None):\n{body}") for body in CHANGED],
    *[("[[1, 2]]", "ROWS[0]", text) for text in ITEMS_CHANGED],
]


@pytest.mark.parametrize("at", range(len(ALL_CHANGED)))
def test_tables_that_are_changed_under_another_name(at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held, read, change = ALL_CHANGED[at]
    text = f"keep = []\nROWS = {held}\n{change}\ndef run(x): return [x, *{read}]\n"
    made = _written(f"changed_rows_{at}", text, tmp_path, monkeypatch)
    residual = futamura.specialize(made.run)
    assert residual(0) == [0, 1, 2]
    made.change()
    assert residual(0) == made.run(0) != [0, 1, 2]


def _written(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (folder / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return __import__(name)
