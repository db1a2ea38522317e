"""A known sequence beside an open one of a known class: the open one is read by its places, as its iterator would.

    for name, value in zip(("a", "b"), row)     row a list     ->     if not row: ...   row[0]
                                                                      if len(row) <= 1: ...   row[1]

Invariant: the length is asked for again each time, for the program may change the list meanwhile.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura

from .specializing import fallbacks, source_of, specialize

NAMES = ("a", "b", "c")


def pairs(names: tuple[str, ...], row: Any) -> Any:
    return {name: [value] for name, value in zip(names, row)}


def turned(names: tuple[str, ...], row: Any) -> Any:
    return [(name, value) for value, name in zip(row, names)]


def strictly(names: tuple[str, ...], row: Any) -> Any:
    found = []
    for name, value in zip(names, row, strict=True):
        found.append((value, name))
    return found


def strictly_turned(names: tuple[str, ...], row: Any) -> Any:
    return [(name, value) for value, name in zip(row, names, strict=True)]


def twice(names: tuple[str, ...], row: Any) -> Any:
    return [(one, name, other) for one, name, other in zip(row, names, row)]


def changed_on_the_way(names: tuple[str, ...], row: Any) -> Any:
    found = []
    for name, value in zip(names, row):
        if type(row) is list and value == 1:
            row.clear()
        elif type(row) is list and value == 2:
            row.insert(0, 5)
        found.append((name, value))
    return found


def asked_again(names: tuple[str, ...], row: Any) -> Any:
    together = zip(names, row)
    found = [next(together, None), next(together, None)]
    if type(row) is list:
        row += [8, 9]
    return found, next(together, None), list(together)


def ended_for_good(names: tuple[str, ...], row: Any) -> Any:
    together = zip(row, names)
    found = list(together)
    if type(row) is list:
        row.extend([8, 9])
    return found, next(together, "end"), next(together, "end")


def escaping(names: tuple[str, ...], row: Any) -> Any:
    together = zip(names, row)
    first = next(together, None)
    return first, together.__class__.__name__, sorted(map(repr, together))


def in_a_loop(names: tuple[str, ...], row: Any) -> Any:
    found = []
    for _ in row:
        for name, value in zip(names, row):
            if value == 3:
                break
            found.append(name)
        else:
            found.append("all")
    return found


def lazily(names: tuple[str, ...], row: Any) -> Any:
    def each() -> Iterator[Any]:
        for name, value in zip(names, row):
            yield name
            yield value

    return list(each())


def left_at_an_error(names: tuple[str, ...], row: Any) -> Any:
    found = {}
    try:
        for name, value in zip(names, row):
            found[name] = 6 / value
    except (ZeroDivisionError, TypeError) as error:
        return found, str(error), name
    return found, name


FUNCTIONS = [
    pairs, turned, strictly, strictly_turned, twice, changed_on_the_way, asked_again, ended_for_good, escaping,
    in_a_loop, lazily, left_at_an_error,
]  # fmt: skip

ROWS: list[Any] = [
    [], [1], [2], [0, 1], [2, 2, 2], [3, 1, 2], [4, 5, 6, 7], [2, 1, 2, 2, 1], (), (1, 2), (1, 2, 3, 4), "", "xy",
    "wxyz", None, iter([1, 2, 3]), {"k": 1, "l": 2},
]  # fmt: skip


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    args = copy.deepcopy(args)
    try:
        return function(*args), args[-1] if isinstance(args[-1], (list, tuple, str)) else None
    except Exception as error:
        return type(error), str(error), args[-1] if isinstance(args[-1], list) else None


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("declared", [list, tuple, str, None], ids=str)
def test_as_the_iterator_does(function: Callable[..., Any], declared: type | None) -> None:
    row = futamura.DYN if declared is None else futamura.Dyn(declared)
    residual = specialize(function, NAMES, row)
    assert not fallbacks(residual)
    for given in ROWS:
        assert outcome(residual, given) == outcome(function, NAMES, given)


@pytest.mark.parametrize("function", [pairs, turned, strictly, strictly_turned, twice, left_at_an_error])
def test_places_are_read(function: Callable[..., Any]) -> None:
    text = source_of(specialize(function, NAMES, futamura.Dyn(list)))
    assert "zip" not in text.replace("zip() argument", "")
    assert "for " not in text
    assert text.count("row[2]") == 1
    assert "row[3]" not in text


def test_a_list_that_nobody_else_has_is_measured_once() -> None:
    def parts(names: tuple[str, ...], line: str) -> dict[str, str]:
        found = {}
        for name, part in zip(names, line.split(",")):
            found[name] = part
        return found

    residual = specialize(parts, NAMES, futamura.Dyn(str))
    assert source_of(residual).count("len(") == 1
    for line in ("", "1", "1, 2", "1,2,3", "1,2,3,4"):
        assert residual(line) == parts(NAMES, line)
