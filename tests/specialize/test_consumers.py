"""Builtins that use up an iterator whose items specialized code computes: `sorted(filter(self.test, rows), key=...)`.

    each consumer x each iterator     the result, the exception and what is left of an open iterator are the same, and
                                      nothing of the static object is left

Invariant: a StopIteration that a mapped function raises ends the items, as it does in `map`.
"""

# ruff: noqa: C416, C417
from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from futamura import Residual, specialize
from tests import outcomes
from tests.specialize.modules import written

HEAD = """
import collections, functools, heapq, itertools, math, operator

class Plan:
    def __init__(self, k):
        self.k = k
        self.names = ("a", "b")

    def test(self, x):
        return x > self.k

    def scaled(self, x):
        return x * self.k

    def pair(self, x):
        return x, self.k

    def walk(self, xs):
        for x in xs:
            if x != self.k:
                yield x + self.k

    def run(self, xs):
        return {consumer}
"""
ITERATORS = {
    "filter": "filter(self.test, xs)",
    "map": "map(self.scaled, xs)",
    "map of filter": "map(self.scaled, filter(self.test, xs))",
    "map of map": "map(self.scaled, map(self.scaled, xs))",
    "generator": "self.walk(xs)",
    "expression": "(x * self.k for x in xs if x != self.k)",
    "filterfalse": "itertools.filterfalse(self.test, xs)",
    "takewhile": "itertools.takewhile(self.test, xs)",
}
CONSUMERS = [
    "list({})", "tuple({})", "set({})", "frozenset({})", "sorted({})", "sorted({}, reverse=True)",
    "sorted({}, key=operator.neg)", "sorted({}, key=None)", "sum({})", "sum({}, 0.5)", "max({})",
    "max({}, default=0)", "min({}, default=None)", "max({}, key=operator.neg)", "min({}, key=None, default=3)",
    "any({})", "all({})", "next({}, None)", "','.join(map(str, {}))", "list(enumerate({}))", "list(zip(xs, {}))",
    "list(itertools.islice({}, 2))", "list(itertools.chain({}, xs))", "functools.reduce(operator.add, {}, 0)",
    "math.fsum({})", "math.prod({})", "collections.deque({})", "collections.deque({}, maxlen=1)",
    "collections.Counter({})", "dict(map(self.pair, {}))", "dict.fromkeys({})", "dict.fromkeys({}, 1)", "[*{}, 1]",
    "3 in {}", "3 not in {}", "4.0 in {}", "float('nan') in {}", "list(itertools.accumulate({}))",
    "list(itertools.accumulate({}, lambda a, b: b + self.k))", "bytes({})", "set(xs).union({})",
    "set(xs).intersection({})", "{{1}}.isdisjoint({})", "len(list({}))", "(lambda a, *b: (a, b))(*{})",
]  # fmt: skip
INPUTS: list[Callable[[], Any]] = [
    lambda: [1, 2, 3, 4], list, lambda: [3], lambda: [5, 1, 2.5, 4], lambda: (7, True), lambda: "ab", lambda: None,
    lambda: [1, "a", 3], lambda: range(5), lambda: iter([3, 4, 5]), lambda: [float("nan")],
]  # fmt: skip


def outcome(call: Callable[[Any], Any], given: Any) -> Any:
    """The result or the exception, and what is left of the input."""
    try:
        result = repr(call(given))
    except Exception as error:
        result = f"{type(error).__name__}: {error}"
    return result, list(given) if hasattr(given, "__next__") else repr(given)


@pytest.mark.parametrize("consumer", CONSUMERS)
def test_nothing_static_is_left(consumer: str, tmp_path: Path) -> None:
    for name, iterator in ITERATORS.items():
        text = HEAD.format(consumer=consumer.format(iterator))
        plan = written(tmp_path, f"plan_{len(list(tmp_path.iterdir()))}", text).Plan(2)
        residual = specialize(plan.run)
        assert not residual.stats["fallbacks"], name
        assert "FT412" not in residual.stats["notes"], name
        for way in ("_self", "_method("):
            assert way not in residual.source, (name, residual.source)
        for make in INPUTS:
            assert outcome(residual, make()) == outcome(plan.run, make()), (name, make())


# -- a function that is mapped may end the items


class Rows:
    """Functions that call what is not known of a row."""

    def __init__(self, k: int) -> None:
        self.k = k

    def old(self, row: Any) -> Any:
        return row.get("age", 0) > self.k

    def twice(self, row: Any) -> Any:
        return row.get("age", 0) * self.k

    def filtered(self, rows: Any) -> Any:
        return list(filter(self.old, rows))

    def left_out(self, rows: Any) -> Any:
        return list(itertools.filterfalse(self.old, rows))

    def summed(self, rows: Any) -> Any:
        return sum(map(self.twice, rows))

    def looped(self, rows: Any) -> Any:
        found = []
        for value in map(self.twice, rows):
            found.append(value)
        else:
            found.append("end")
        return found

    def both(self, rows: Any) -> Any:
        return sorted(map(self.twice, filter(self.old, rows)))

    def until(self, rows: Any) -> Any:
        return [row for row in itertools.takewhile(self.old, rows)]

    def behind(self, rows: Any) -> Any:
        return list(itertools.dropwhile(self.old, rows))

    def of_two(self, rows: Any) -> Any:
        return list(map(lambda a, b: a.get("age", 0) * self.k + b, rows, (1, 2, 3)))

    def gathered(self, rows: Any) -> Any:
        return list(itertools.accumulate(rows, lambda total, row: row.get("age", 3) + self.k))

    def real(self, rows: Any) -> Any:
        return frozenset(map(self.twice, rows))

    def delegated(self, rows: Any) -> Any:
        def steps() -> Iterator[Any]:
            yield 0
            yield from map(self.twice, rows)
            yield 1

        return list(steps())

    def asked_twice(self, rows: Any) -> Any:
        steps = map(self.twice, rows)
        return [*steps], [*steps]


class Ending(dict[str, Any]):
    """A row that ends what reads it."""

    def get(self, *args: Any) -> Any:
        if "stop" in self:
            raise StopIteration(3)
        return dict.get(self, *args)


ROWS: list[Callable[[], Any]] = [
    lambda: [{"age": 3}, {"age": 1}, {"age": 5}],
    list,
    lambda: [{"age": 3}, Ending(stop=1), {"age": 5}],
    lambda: [Ending(stop=1)],
    lambda: iter([{"age": 4}, {"age": 5}, Ending(stop=1), {"age": 3}]),
    lambda: [{"age": 3}, Ending(age=7), {"age": "a"}],
    lambda: 3,
    lambda: [1],
]
METHODS = [name for name, held in vars(Rows).items() if name[0] != "_" and name not in ("old", "twice")]


@pytest.mark.parametrize("name", METHODS)
def test_the_items_end(name: str) -> None:
    call = getattr(Rows(2), name)
    residual = specialize(call)
    assert residual.stats["specialized"]
    for make in ROWS:
        assert outcome(residual, make()) == outcome(call, make())
    if name != "asked_twice":  # who asks on gets the builtin itself
        assert "old" not in residual.source
        assert "twice" not in residual.source


# -- maps in maps


def plus(x: int) -> int:
    return x + 1


def chained(n: int, xs: Any) -> Any:
    for _ in range(n):
        xs = map(plus, xs)
    return list(xs)


def nested(k: int, xs: Any) -> Any:
    def rows(k: int) -> Any:
        return xs if k == 0 else map(lambda v: v + k, rows(k - 1))

    return list(rows(k))


def flat(tree: Any) -> Any:
    return [leaf for part in map(flat, tree) for leaf in part] if isinstance(tree, list) else [tree]


def in_turn(tables: Any, xs: Any) -> Any:
    if not tables:
        return list(xs)
    return in_turn(tables[1:], map(lambda v: v * 2, xs))


def alike(residual: Residual, call: Callable[..., Any], *given: Any) -> None:
    assert residual(*copy.deepcopy(given)) == call(*copy.deepcopy(given))


def test_maps_of_maps_are_one_loop() -> None:
    residual = specialize(chained, 3)
    alike(residual, lambda xs: chained(3, xs), [1, 2])
    assert "map" not in residual.source
    alike(specialize(nested, 3), lambda xs: nested(3, xs), [1, 2])


def test_many_maps_of_maps_end() -> None:
    alike(specialize(chained, 40), lambda xs: chained(40, xs), [1, 2])
    alike(specialize(nested, 40), lambda xs: nested(40, xs), [1, 2])
    alike(specialize(chained, xs=[1, 2]), lambda n: chained(n, [1, 2]), 5)
    alike(specialize(nested, xs=[1, 2]), lambda k: nested(k, [1, 2]), 5)
    alike(specialize(flat), flat, [1, [2, [3]], []])
    alike(specialize(in_turn), in_turn, (1, 2, 3), [4, 5])
    alike(specialize(in_turn, xs=(1, 2)), lambda tables: in_turn(tables, (1, 2)), (1, 2, 3))


# -- an iterator of which a residual generator takes items at several places


class Countdown:
    """Starts again whenever it is asked for its iterator."""

    def __init__(self, start: int) -> None:
        self.start = self.now = start
        self.asked = 0

    def __iter__(self) -> Iterator[int]:
        self.asked += 1
        self.now = self.start
        return self

    def __next__(self) -> int:
        self.now -= 1
        if self.now < 0:
            raise StopIteration
        return self.now


def mixed(key: Any, data: Any) -> Any:
    return bytes(b ^ k for b, k in zip(data, itertools.cycle(key)))


def test_an_iterator_is_asked_once() -> None:
    residual = specialize(mixed, b"abc")
    assert "_lasting(" in residual.source and "_iterating(" not in residual.source
    mine, theirs = Countdown(7), Countdown(7)
    assert residual(mine) == mixed(b"abc", theirs)
    assert mine.asked == theirs.asked == 1
    for make in (lambda: b"hello", lambda: iter([1, 2, 3, 4]), list, lambda: [300], lambda: 5, lambda: "ab"):
        assert outcome(residual, make()) == outcome(lambda data: mixed(b"abc", data), make())


# -- pairs


def ruled(rule: Any, x: Any) -> Any:
    parts = dict(part.split("=") for part in rule.split(";"))
    return parts, parts.get("MUL"), x


@pytest.mark.parametrize("rule", ["MUL=3;ADD=4", "MUL=3;MUL=4", "", "MUL", "A=B=C", "A=1;B"])
def test_pairs_may_be_lists(rule: str) -> None:
    residual = specialize(ruled, rule)
    assert outcome(residual, 1) == outcome(lambda x: ruled(rule, x), 1)
    if rule == "MUL=3;ADD=4":
        assert "split" not in residual.source and "update" not in residual.source


def test_open_pairs() -> None:
    residual = specialize(ruled, x=1)
    for rule in ("MUL=3;ADD=4", "", "A=B=C", "A", 5):
        assert outcome(residual, rule) == outcome(lambda rule: ruled(rule, 1), rule)


# -- keys of functions that know an object


class Order:
    def __init__(self, names: Any, backwards: bool) -> None:
        self.names, self.backwards = names, backwards

    def ordered(self, rows: Any) -> Any:
        return sorted(rows, key=lambda row: tuple(row[name] for name in self.names), reverse=self.backwards)

    def filtered(self, rows: Any) -> Any:
        return sorted(filter(lambda row: row[self.names[0]] > 1, rows), key=lambda row: row[self.names[1]])

    def best(self, rows: Any) -> Any:
        most = max(rows, key=lambda row: row[self.names[0]])
        return most, min(rows, key=lambda row: row[self.names[1]], default=None)


TABLE = [{"a": i * 7 % 11, "b": i * 5 % 13} for i in range(20)]
TABLES: list[Callable[[], Any]] = [
    lambda: TABLE, list, lambda: [1], lambda: [{}], lambda: None, lambda: [{"a": 1, "b": "x"}, {"a": 2, "b": 2}],
    lambda: iter(TABLE), lambda: tuple(TABLE[:3]),
]  # fmt: skip


@pytest.mark.parametrize("name", ["ordered", "filtered", "best"])
@pytest.mark.parametrize("backwards", [False, True])
def test_keys_of_functions_that_know_an_object(name: str, backwards: bool) -> None:
    call = getattr(Order(("a", "b"), backwards), name)
    residual = specialize(call)
    assert "self" not in residual.source
    for make in TABLES:
        assert outcome(residual, make()) == outcome(call, make())


# -- objects with an `__iter__` of their own

LOG: list[str] = []


class Vector:
    def __init__(self, *items: Any) -> None:
        self.items = items

    def __iter__(self) -> Iterator[Any]:
        LOG.append("iter")
        return iter(self.items)


class Sized(Vector):
    def __len__(self) -> int:
        LOG.append("len")
        return 1


class Again:
    """An iterator that starts again whenever it is asked for its iterator."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Again:
        LOG.append("again")
        self.n = 3
        return self

    def __next__(self) -> int:
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n


OF_VECTORS: dict[str, Callable[[Any, Any], Any]] = {
    "zip": lambda v, x: [*zip(v, x)],
    "zip behind": lambda v, x: [*zip(x, v)],
    "enumerate": lambda v, x: [*enumerate(v)],
    "enumerate from": lambda v, x: [*enumerate(v, x)],
    "map": lambda v, x: [*map(lambda a: (a, x), v)],
    "map of two": lambda v, x: [*map(lambda a, b: (a, b), v, x)],
    "filter": lambda v, x: [*filter(lambda a: a != x, v)],
    "list": lambda v, x: (list(v), tuple(v), sorted(v), x),
    "sum": lambda v, x: (sum(v), max(v), any(v), x),
    "star": lambda v, x: [*v, x],
    "in": lambda v, x: x in v,
    "unpack": lambda v, x: (lambda a, b: (a, b, x))(*v),
}


@pytest.mark.parametrize("name", OF_VECTORS)
@pytest.mark.parametrize("make", [lambda: Vector(3, 4), lambda: Sized(3, 4), lambda: Again(3)])
def test_objects_are_asked_for_their_iterators(name: str, make: Any) -> None:
    use, vector, other = OF_VECTORS[name], make(), make()
    residual = specialize(use, vector)
    for x in ([1, 2], [5], 1, "s", None, (), 3):
        seen = []
        for call in (residual, lambda x: use(other, x)):
            LOG.clear()
            seen.append((outcome(call, x), [*LOG]))
        assert seen[0] == seen[1], (name, x, residual.source)


def test_a_view_is_an_item_of_several() -> None:
    class Least:
        def __lt__(self, other: Any) -> bool:
            return False

        def __gt__(self, other: Any) -> bool:
            return False

    def of_two(table: Any, x: Any) -> Any:
        return type(max(table.items(), x)).__name__, min(table.keys(), x), max(table.items())

    residual = specialize(of_two, {1: 2, 3: 4})
    for x in (Least(), {5}, 3):
        assert outcome(residual, x) == outcome(lambda x: of_two({1: 2, 3: 4}, x), x)


def squares(xs: Any, mean: Any, y: Any) -> Any:
    """A variable in the generator that only hands a value on to the next operation."""
    return math.fsum((d := x - mean) * d + y for x in xs)


def of_two(xs: Any, y: Any) -> Any:
    found = math.fsum((d := x - 1) * d for x in xs)
    return found, math.fsum((d := x - y) * d for x in xs)


def seen_outside(xs: Any, y: Any) -> Any:
    found = math.fsum((d := x - y) * d for x in xs)
    return found, d


def seen_later(xs: Any, y: Any) -> Any:
    d = y
    return math.fsum((old := d, d := x)[0] * y + old for x in xs), y


def seen_by_another(xs: Any, y: Any) -> Any:
    def last() -> Any:
        return d

    return math.fsum((d := x) * d + last() * y for x in xs)


def seen_behind_code(xs: Any, y: Any) -> Any:
    return math.fsum((d := x) * y + d for x in xs)


@pytest.mark.parametrize("function", [squares, of_two, seen_outside, seen_later, seen_by_another, seen_behind_code])
def test_variables_that_generators_share(function: Callable[..., Any]) -> None:
    given = {"mean": 2.0} if function is squares else {}
    residual = specialize(function, xs=[1.0, 2.5, 4.0], **given)
    for y in (3, 0.5, -1.0, "a", None):
        assert outcomes.outcome(residual, y) == outcomes.outcome(function, [1.0, 2.5, 4.0], *given.values(), y)


@pytest.mark.parametrize("function", [squares, of_two])
def test_a_variable_that_hands_on_a_value_is_one_of_the_generator(function: Callable[..., Any]) -> None:
    residual = specialize(function, xs=[1.0, 2.5, 4.0], **({"mean": 2.0} if function is squares else {}))
    assert "nonlocal" not in residual.source and "_xs" not in residual.source
