"""Whether tables hold what they held: the same objects in the same order, found without running their code.

    tables_reader([(HANDLERS, ["up", up])])()    True until HANDLERS gets another handler, or another order

Invariant: whatever is put into a table, no `__eq__` runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from futamura.backend.python.tables import tables_reader


class Loud:
    def __eq__(self, other: object) -> bool:
        raise AssertionError("compared")

    def __hash__(self) -> int:
        return 7


def parts(table: Any) -> list[Any]:
    return [*table, *table.values()] if isinstance(table, dict) else [*table]


def holds(test: Callable[[], bool]) -> bool:
    try:
        return test()
    except ValueError:
        return False


def replaced(table: Any) -> None:
    if isinstance(table, dict):
        table[next(iter(table))] = Loud()
    else:
        table[0] = Loud()


def reordered(table: Any) -> None:
    if isinstance(table, dict):
        table[next(iter(table))] = table.pop(next(iter(table)))
    else:
        table.reverse()


def more(table: Any) -> None:
    if isinstance(table, dict):
        table[Loud()] = 1
    else:
        table.append(Loud())


@pytest.mark.parametrize("change", [replaced, reordered, more, lambda table: table.clear()])
@pytest.mark.parametrize("size", [2, 3, 40, 200])
@pytest.mark.parametrize("kind", [list, dict])
def test_a_change_is_seen(kind: type, size: int, change: Callable[[Any], None]) -> None:
    items = [Loud() for _ in range(size)]
    table: Any = items[:] if kind is list else {f"k{at}": item for at, item in enumerate(items)}
    test = tables_reader([([1], [1]), (table, parts(table)), ({}, [])])
    assert holds(test)
    change(table)
    assert not holds(test)


@pytest.mark.parametrize("table", [[], {}, set()])
def test_an_empty_table(table: Any) -> None:
    test = tables_reader([(table, [])])
    assert holds(test)
    if isinstance(table, dict):
        table["a"] = 1
    elif isinstance(table, list):
        table.append(1)
    else:
        table.add(1)
    assert not holds(test)


def test_equal_is_not_the_same() -> None:
    table = [1, "a"]
    test = tables_reader([(table, parts(table))])
    table[0] = True
    assert not holds(test)


def test_sets() -> None:
    table = {"a", "b"}
    test = tables_reader([(table, parts(table))])
    assert holds(test)
    table.add("c")
    assert not holds(test)
