"""Programs over builtins that go through items: some items known, some not."""

from __future__ import annotations

from typing import Any

from ..table import Case, Subject
from .hostile import Spy, values


def decided(n, x):
    return any([n, x, 1]), all((n, x, 0)), any([0, n, ""]), all([]), any([x, 0]), any([0, x, 5, x]), all([1, x])


def decided_by_objects(spy, x):
    return any([0, spy]), all([1, spy, x]), any([spy]), all([spy]), spy.calls


def totals(n, x):
    found = []
    for items in ([n, x], [n, 1, 2], (x, n, x), [], [n, True]):
        try:
            found.append(sum(items))
            found.append(sum(items, start=n))
        except TypeError as error:
            found.append(str(error))
    return found


def total_of_texts(start, x):
    found = []
    for make in (lambda: sum(["a", "b", x], start), lambda: sum(["a", x], start)):
        try:
            found.append(make())
        except TypeError as error:
            found.append(str(error))
    return found


def extremes(n, x):
    rows = [(1, "b"), (n, "a"), (3, x)]
    longest = max(rows, key=lambda row: row[0])
    first = min("b", "a", "c", key=lambda word: -ord(word))
    none = max([], key=lambda row: row, default=x)
    try:
        min((), key=lambda row: row)
    except ValueError as error:
        return longest, first, none, str(error)


def extreme_of_unknown(n, x):
    try:
        return max([n, x, 2], key=lambda item: item), min(n, x), max([x], default=n)
    except TypeError as error:
        return str(error)


def ordered(n, x):
    rows = [(n, x), (1, "b"), (2, x)]
    by_number = sorted(rows, key=lambda row: row[0])
    backwards = sorted(rows, key=lambda row: row[0], reverse=True)
    return by_number, backwards, [row for row in sorted(["bb", "a"], key=len)]  # noqa: C416


def first(row):
    return row[0]


def ordered_by_unknown(n, x):
    try:
        return sorted([(n, 1), (x, 2)], key=first)
    except TypeError as error:
        return str(error)


def merged(n, x):
    left = {"a": n, 1: x}
    right = {"b": 2, True: n}
    both = left | right
    left |= {"c": x}
    shown = {**right, "a": x, **left, "z": 0}
    return both, left, shown, right, len(both), both["a"]


def show(a, b=2, **rest):
    return a, b, rest


def keyworded(table, x):
    try:
        return show(**table), show(x, **{**table, "b": x}), show(a=1, **table)
    except TypeError as error:
        return str(error)


def _cases(function: Any, name: str, *found: Any, gone: tuple[str, ...] = ()) -> Subject:
    cases = [Case(repr(v), lambda v=v: (function, {name: v})) for v in found]  # type: ignore[misc]
    return Subject(function.__name__, cases, values(1), gone)


SUBJECTS = [
    _cases(decided, "n", 0, 1, "", "a", None, 0.0),
    Subject(
        "decided_by_objects",
        [Case(str(n), lambda n=n: (decided_by_objects, {"spy": Spy(n)})) for n in (True, False)],  # type: ignore[misc]
        values(1),
    ),
    _cases(totals, "n", 1, 2.5, True, "a", -0.0),
    _cases(total_of_texts, "start", 1, "", b"", ()),
    _cases(extremes, "n", 1, 2.5, 9, gone=("rows", "n")),
    _cases(extreme_of_unknown, "n", 1, "a", float("nan")),
    _cases(ordered, "n", 1, 2.5, 9, gone=("sorted", "rows")),
    _cases(ordered_by_unknown, "n", 1, "a"),
    _cases(merged, "n", 1, "a", gone=("n",)),
    _cases(keyworded, "table", {"a": 1}, {"b": 1, "c": 2}, {}),
]
