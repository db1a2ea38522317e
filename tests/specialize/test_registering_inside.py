"""Registries that a function fills when it runs: what `setdefault` puts in is as well known as what is stored.

    table.setdefault((Leaf, "show"), []).append(f)      table virtual      ->      the virtual list in it changes

Invariant: the first of equal keys stays, what is there already is given back as it is, and a dict of the program's own
class is asked by its own methods.
"""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

import pytest

import futamura
from tests.outcomes import outcome

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Leaf:
    pass


class Twig:
    pass


class Kind(enum.Enum):
    A = 1
    B = 2


class Route(NamedTuple):
    method: Any
    path: str


class Loose(NamedTuple):
    """Equal to all of its class."""

    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loose)

    def __hash__(self) -> int:
        return 1


class Loud(dict):  # type: ignore[type-arg]
    def setdefault(self, key: Any, default: Any = None) -> Any:
        self["asked"] = key
        return super().setdefault(key, default)


PAIRS = [
    ("a", "b"), (Leaf, Twig), ((Leaf, "n"), (Twig, "n")), ((Kind.A, 1), (Kind.B, 1)),
    ((Leaf, (Kind.A, Twig)), (Leaf, 2)), (Route(Leaf, "/"), Route(Twig, "/")),
    (Route("GET", "/"), Route("PUT", "/")), ((1, True), (1.0, 2)),
]  # fmt: skip


def made_anew(key):
    """The same key, put together while the program runs."""
    if type(key) is Route:
        return Route(*key)
    return (key[0], *key[1:]) if type(key) is tuple else key


def appended(table, first, second, x):
    def on(kind):
        def register(f):
            table.setdefault(kind, []).append(f)
            return f

        return register

    @on(made_anew(first))
    def one(y):
        return y + 1

    @on(made_anew(second))
    def two(y):
        return y * x

    @on(first)
    def three(y):
        return y - 3

    for f in table[first]:
        x = f(x)
    return x, len(table), [f(x) for f in table.get(second, ())]


def named(table, first, second, x):
    def on(kind, name):
        def register(f):
            table.setdefault(kind, {})[name] = f
            return f

        return register

    @on(made_anew(first), "one")
    def one(y):
        return y + 1

    @on(made_anew(second), "two")
    def two(y):
        return y * x

    @on(first, "one")
    def three(y):
        return y - 3

    return table[first]["one"](x), sorted(table[first]), table[second]["two"](x), len(table)


@pytest.mark.parametrize("program", [appended, named])
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_a_registry_disappears(program: Any, pair: tuple[Any, Any]) -> None:
    def filled(x):
        return program({}, *pair, x)

    residual = futamura.specialize(filled)
    assert not any(word in residual.source for word in ("setdefault", "append", "{}"))
    assert residual.source.count("def ") == 1
    assert residual(5) == filled(5)


def first_of_equal_keys(x):
    table = {}
    one, other = Route(Leaf, "/"), (Leaf, "/")
    given = table.setdefault(one, [x])
    again = table.setdefault(other, [])
    again.append(2)
    return given is again, next(iter(table)) is one, type(next(iter(table))) is Route, table[other], len(table)


def without_a_default(x):
    table = {"a": x}
    return table.setdefault("a"), table.setdefault("b"), table.setdefault((Leaf, 1)), list(table.values())


def taken_away(x):
    table = {(Leaf, 1): x, (Twig, 1): 2, (Leaf, 2): 3}
    key = Leaf, 1
    found = table.pop(key), table.pop(key, "gone"), table.pop((Leaf, 3), 7)
    del table[Twig, 1]
    return found, list(table.items()) == [((Leaf, 2), 3)], len(table)


def taken_away_twice(x):
    table = {(Leaf, 1): x}
    del table[Leaf, 1]
    try:
        del table[Leaf, 1]
    except KeyError as error:
        return error.args[0] == (Leaf, 1), table


def nothing_to_take(x):
    table = {(Leaf, 1): x}
    return table.pop((Twig, 1))


def default_is_made_in_any_case(x):
    made = []

    def default():
        made.append(len(made))
        return made

    table = {}
    table.setdefault((Leaf, 1), default())
    table.setdefault((Leaf, 1), default())
    return table[Leaf, 1], len(made), x


def unhashable(x):
    table = {}
    return table.setdefault((Leaf, []), x)


def too_many(x):
    table = {}
    return table.setdefault((Leaf, 1), x, x)


def too_few(x):
    return {}.setdefault() + x


@pytest.mark.parametrize(
    "program",
    [
        first_of_equal_keys, without_a_default, taken_away, taken_away_twice, nothing_to_take,
        default_is_made_in_any_case, unhashable, too_many, too_few,
    ],
)  # fmt: skip
def test_agrees(program: Any) -> None:
    residual = futamura.specialize(program)
    assert outcome(lambda: residual(5)) == outcome(lambda: program(5))


@pytest.mark.parametrize("program", [first_of_equal_keys, without_a_default, taken_away])
def test_is_known(program: Any) -> None:
    source = futamura.specialize(program).source
    assert not any(word in source for word in ("setdefault", "pop", "del "))


def test_what_may_be_equal_to_others_is_asked() -> None:
    def loose(x):
        table = {}
        table.setdefault(Loose("a"), []).append(x)
        table.setdefault(Loose("b"), []).append(2)
        return len(table), table[Loose("c")]

    residual = futamura.specialize(loose)
    assert residual(5) == loose(5) == (1, [5, 2])


def test_a_part_of_the_key_is_open() -> None:
    def opened(kind, x):
        table = {}
        table.setdefault((Leaf, kind), []).append(x)
        table.setdefault((Leaf, 1), []).append(2)
        return table

    residual = futamura.specialize(opened)
    for kind in (1, True, 2, "a"):
        assert residual(kind, 5) == opened(kind, 5)


def test_a_dict_with_its_own_method() -> None:
    def loud(x):
        table = Loud()
        table.setdefault((Leaf, 1), []).append(x)
        return dict(table)

    residual = futamura.specialize(loud)
    assert residual(5) == loud(5) == {"asked": (Leaf, 1), (Leaf, 1): [5]}
