"""Programs over builtins that go through items: some items known, some not."""

# ruff: noqa: C417
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


class Rule:
    def __init__(self, rank, name):
        self.rank = rank
        self.name = name

    def __call__(self, x):
        return self.name, x


def ordered_lazily(n, x):
    """The same out of generators, `map`, `zip`, views and iterators."""
    ranks = {"a": n, "b": 2, "c": 1}
    found = [rule(x) for rule in sorted((Rule(ranks[name], name) for name in ranks), key=lambda rule: -rule.rank)]
    found += [rule(x) for rule in sorted(map(lambda pair: Rule(pair[1], pair[0]), ranks.items()), key=lambda r: r.rank)]
    found += sorted(ranks.items(), key=lambda pair: pair[1], reverse=True)
    found += sorted(zip((n, 1, 2), (x, "b", x)), key=first)
    found += sorted(filter(lambda rank: rank != 2, ranks.values()), reverse=True)
    found += sorted(enumerate(reversed((n, x, 1))), key=lambda pair: -pair[0])
    best = max((Rule(ranks[name], name) for name in ranks), key=lambda rule: rule.rank)
    least = min(map(lambda pair: Rule(*pair[::-1]), ranks.items()), key=lambda rule: rule.rank)
    return found, best(x), least(x), max(enumerate((1, n, 1)), key=lambda pair: pair[1])


def ordered_by_open_keys(n, x):
    """What stays a call: keys that are open, and items of an open number."""
    found = []
    for make in (
        lambda: sorted((item for item in (n, x, 2)), key=lambda item: item),
        lambda: sorted((n * item for item in x), key=lambda item: item, reverse=True),
        lambda: sorted((item for item in (x, n)), reverse=True),
        lambda: sorted(map(lambda item: [item], x), reverse=x),
        lambda: sorted(enumerate(range(100)), key=lambda pair: -pair[0])[n:3],
        lambda: max(zip(range(100), range(100)), key=lambda pair: pair[0] * x),
    ):
        try:
            found.append(make())
        except TypeError as error:
            found.append(str(error))
    return found


def ordered_with_effects(n, x):
    """All items are made before the first key is computed, and what raises ends it there."""
    log = []

    def noted(item):
        log.append(item)
        return item

    try:
        log += sorted((noted(item) for item in (n, 1, x)), key=lambda item: noted(-item))
    except TypeError as error:
        log.append(str(error))
    source = iter((3, n, x, 1))
    next(source)
    log += [max(source, key=lambda item: item is x), list(source)]
    return log


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
    _cases(ordered_lazily, "n", 1, 2.5, 9, gone=("sorted", "map", "filter", "max", "min", "Rule", "yield", "lambda")),
    _cases(ordered_by_open_keys, "n", 1, 2.5, None),
    _cases(ordered_with_effects, "n", 1, 2.5, "a"),
    _cases(ordered_by_unknown, "n", 1, "a"),
    _cases(merged, "n", 1, "a", gone=("n",)),
    _cases(keyworded, "table", {"a": 1}, {"b": 1, "c": 2}, {}),
]
