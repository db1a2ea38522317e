"""Tables that are passed to functions of their module: known where these only read them, or pass them on to such.

Invariant: what the residual gives after `use` is what the function gives.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import futamura

from .test_implied import module_of

READING = [
    "def look(key, rows): return rows[key]",
    "def look(key, rows=None): return rows.get(key) if rows else None",
    "def look(key, *, rows): return next(v for k, v in rows.items() if k == key)",
    "def look(key, rows):\n    def inner(k): return deeper(rows, k)\n    return inner(key)\n"
    "def deeper(rows, k): return rows[k] if k in rows else deeper(rows, k)",
    "def look(key, rows):\n    found = rows\n    return found[key]",
]
CHANGING = [
    "def look(key, rows):\n    rows['z'] = 1\n    return rows[key]",
    "def look(key, rows): return deeper(rows)[key]\ndef deeper(rows): return rows\n"
    "def more(): deeper(ROWS)['a'] = [5]",
    "def look(key, rows):\n    KEPT.append(rows)\n    return rows[key]\nKEPT = []\ndef more(): KEPT[0]['a'] = [5]",
    "def look(key, rows): return (lambda: rows)()[key]\ndef more(): (lambda: ROWS)()['a'] = [5]",
    "def look(key, rows):\n    rows, other = {}, rows\n    other['a'] = [5]\n    return other[key]",
    "def look(key, rows): return rows[key]\ndef other(look):\n    look('a', ROWS)\n"
    "def more():\n    other(change)\ndef change(key, rows): rows['a'] = [5]",
    "def look(key, rows): return rows[key]\ndef more():\n    look('a', ROWS).append(6)",
    "def look(key, rows):\n    global ALL\n    ALL = rows\n    return rows[key]\ndef more():\n    ALL['a'] = [5]",
    "def look(key, rows):\n    return rows[key]\ndef each(rows):\n    for row in rows.values(): row.append(1)\n"
    "def more(): each(ROWS)",
    "def look(key, rows):\n    vars()['rows']['a'] = [7]\n    return rows[key]",
]


def text_with(functions: str) -> str:
    keyword = "look(key, rows=ROWS)" if "*, rows" in functions else "look(key, ROWS)"
    more = "more()" if "def more" in functions else "pass"
    lines = ["ROWS = {'a': [1, 2], 'b': [3]}", functions, f"def f(key, x): return len({keyword}), x"]
    lines += ["def use():", f"    {keyword.replace('key,', repr('a') + ',')}", f"    {more}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("functions", READING)
def test_what_functions_only_read_is_known(functions: str, tmp_path: Path) -> None:
    module = module_of(text_with(functions), tmp_path)
    residual = futamura.specialize(module.f, key="a")
    assert residual.source.strip().endswith("return 2, x")
    assert not [event for event in residual.events if event.code == "FT306"]


@pytest.mark.parametrize("functions", CHANGING)
def test_what_a_function_changes_is_not(functions: str, tmp_path: Path) -> None:
    module = module_of(text_with(functions), tmp_path)
    residual = futamura.specialize(module.f, key="a")
    assert residual(1) == module.f("a", 1)
    module.use()
    assert residual(1) == module.f("a", 1)
