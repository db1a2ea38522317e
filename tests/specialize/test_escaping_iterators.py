"""Iterators over static dicts and their views that get away are those of the dict, where they stand.

Invariant: whoever gets one sees the class, the items that are left, and what it says of itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tests.specialize.specializing import fallbacks, specialize

TABLE = {"a": 1, "b": 2, "c": 3}


def keys(table: Any, n: Any) -> Any:
    return iter(table)


def values(table: Any, n: Any) -> Any:
    return iter(table.values())


def items(table: Any, n: Any) -> Any:
    return iter(table.items())


def begun(table: Any, n: Any) -> Any:
    steps = iter(table.items())
    next(steps)
    return steps


def ended(table: Any, n: Any) -> Any:
    steps = iter(table)
    for _ in steps:
        pass
    return steps


def nearly(table: Any, n: Any) -> Any:
    steps = iter(table.values())
    next(steps), next(steps), next(steps)
    return steps


def handed(table: Any, n: Any) -> Any:
    steps = iter(table)
    first = next(steps)
    return [first, *itertools.islice(steps, n)], steps


def looped(table: Any, n: Any) -> Any:
    found = []
    steps = iter(table.items())
    for key, value in steps:
        found.append(key)
        if value > n:
            break
    return found, steps


def kind(table: Any, n: Any) -> Any:
    return type(iter(table)).__name__, hasattr(iter(table.values()), "__setstate__"), n


@pytest.mark.parametrize("function", [keys, values, items, begun, ended, nearly, handed, looped, kind])
@pytest.mark.parametrize("table", [TABLE, {}, {"z": 0}], ids=["three", "none", "one"])
def test_what_gets_away(function: Callable[..., Any], table: dict[str, int]) -> None:
    residual = specialize(function, table)
    for n in (0, 1, 2, 5):
        found, expected = [_told(call) for call in (lambda: residual(n), lambda: function(table, n))]  # noqa: B023
        assert found == expected
    assert not fallbacks(residual)


def _told(call: Callable[[], Any]) -> Any:
    try:
        made = call()
    except StopIteration as stop:
        return repr(stop)
    parts = made if isinstance(made, tuple) else (made,)
    return [(type(part).__name__, list(part) if hasattr(part, "__next__") else part) for part in parts]


def used_up(xs: Any, x: Any) -> Any:
    found = iter(xs)
    taken = [(x, one) for one in found]
    return type(found).__name__, list(found), found, taken


def grown_behind(n: int, x: Any) -> Any:
    """An iterator that has given all of a list is done with it."""
    xs = [x] * n
    found = iter(xs)
    for _ in found:
        pass
    xs.append(3)
    return found, list(found), xs


@pytest.mark.parametrize("xs", [[1, 2], (1, 2), "ab", b"ab", range(3), {1: 2}, {1, 2}, [], "", ()])
def test_what_is_used_up_keeps_its_class(xs: Any) -> None:
    residual = specialize(used_up, xs=xs)
    mine, theirs = residual(5), used_up(xs, 5)
    assert type(mine[2]) is type(theirs[2]) and list(mine[2]) == []
    assert (mine[:2], mine[3]) == (theirs[:2], theirs[3])
    residual = specialize(grown_behind, n=len(xs))
    mine, theirs = residual(5), grown_behind(len(xs), 5)
    assert type(mine[0]) is type(theirs[0]) and mine[1:] == theirs[1:]
