"""Named tuples as keys: what is known of them is found in dicts and sets, and equals what equals it.

    class Var(NamedTuple): name: str
    {Var("x"): 1}[Var(name)]       name known      ->    1

Invariant: named tuples are keys as tuples are: by their items alone, and the first of equal keys stays.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import futamura
from tests.outcomes import outcome


class Var(NamedTuple):
    name: Any
    n: int = 0


Pair = namedtuple("Pair", "left right")


class Strict(NamedTuple):
    name: str


class Own(Pair):
    """Not as plain: its `==` is its own."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    __hash__ = tuple.__hash__


def walk(term: Any, known: Any) -> Any:
    while isinstance(term, Var) and term in known:
        term = known[term]
    return term


def unify(a: Any, b: Any, known: Any) -> Any:
    a, b = walk(a, known), walk(b, known)
    if a == b:
        return known
    if isinstance(a, Var):
        return {**known, a: b}
    if isinstance(b, Var):
        return {**known, b: a}
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        for x, y in zip(a, b):
            known = unify(x, y, known)
            if known is None:
                return None
        return known
    return None


def renamed(term: Any, n: int) -> Any:
    if isinstance(term, Var):
        return Var(term.name, n)
    return tuple(renamed(part, n) for part in term) if isinstance(term, tuple) else term


def solve(rules: Any, goals: Any, known: Any, depth: int = 0) -> Iterator[Any]:
    if not goals:
        yield known
        return
    if depth > 6:
        return
    goal, *rest = goals
    for head, *body in rules:
        found = unify(goal, renamed(head, depth + 1), known)
        if found is not None:
            yield from solve(rules, [renamed(part, depth + 1) for part in body] + rest, found, depth + 1)


def query(rules: Any, who: Any, x: Any) -> Any:
    answer = Var("X")
    return [walk(answer, known) for known in solve(rules, [("grandparent", who, answer)], {})], x


RULES = (
    (("parent", "a", "b"),),
    (("parent", "b", "c"),),
    (("parent", "b", "d"),),
    (
        ("grandparent", Var("A"), Var("C")),
        ("parent", Var("A"), Var("B")),
        ("parent", Var("B"), Var("C")),
    ),
)


def test_a_logic_program_with_a_known_query_is_its_answer() -> None:
    residual = futamura.specialize(query, RULES, "a")
    assert residual.source.split(":", 1)[1].split() == ["return", "['c',", "'d'],", "x"]
    assert residual(1) == query(RULES, "a", 1) == (["c", "d"], 1)


def found(key: Any, x: Any) -> Any:
    table = {Var("a"): x, ("b", 0): 2, Pair(1, 2): 3}
    table[Var("c", 1)] = 4
    table[Pair("a", 0)] = 5
    seen = {Var("a"), Pair("p", x), Var("q")}
    seen.add(Var("q", 1))
    return table.get(key), key in table, [*table], [type(one) for one in table], len(table), key in seen, len(seen)


def compared(key: Any, x: Any) -> Any:
    return key == Var("a"), key != ("a", 0), key == "a", key == x, Var("a") == x, key in (Var("a"), 5), key in [x, key]


def changed(key: Any, x: Any) -> Any:
    table: dict[Any, Any] = {}
    table.setdefault(key, []).append(x)
    table.setdefault(Var("a"), []).append(1)
    table.update({Var("a"): 2, key: 3})
    removed = table.pop(key, None)
    if Var("a") in table:
        del table[Var("a")]
    return table, removed


def iterated(key: Any, x: Any) -> Any:
    table = {key: x, Var("z"): 1}
    return [(one.name if isinstance(one, Var) else one, value) for one, value in table.items()]


KEYS = [
    *[Var("a"), Var("c", 1), Var("b"), Pair("a", 0), Pair(1, 2), Var(1, 2), Var(True, 2), Var(1.0, 2)],
    *[("a", 0), ("b", 0), "a", None, 1, Var(None), Var(float("nan")), Var([1]), Var(("a", 1)), Var(Var("a"))],
    *[Strict("a"), Own("a", 0), Own(1, 2)],
]


@pytest.mark.parametrize("function", [found, compared, changed, iterated])
def test_named_tuples_are_keys_as_tuples_are(function: Any) -> None:
    for key in KEYS:
        residual = futamura.specialize(function, key)
        for x in (Var("a"), "a", [1], None):
            assert outcome(residual, x) == outcome(function, key, x), (key, x, residual.source)


def made(name: Any, x: Any) -> Any:
    """Named tuples that are made here, of what is known and what is not."""
    table = {Var(name): 1, Var(x): 2, Pair(name, x): 3}
    table[Var(name, 5)] = x
    return table, Var(name) in table, table.get(Var(x)), table[Var(name, 5)], Pair(name, x) in table


def test_named_tuples_that_are_made() -> None:
    for name in ("a", 1, None):
        residual = futamura.specialize(made, name)
        for x in ("a", 1, True, 2.5, [], Var("a")):
            assert outcome(residual, x) == outcome(made, name, x), (name, x, residual.source)


def derived(expression: Any, text: Any) -> Any:
    """Derivatives of a regular expression of tuples, which is None where nothing can follow."""

    def nullable(r: Any) -> Any:
        match r:
            case None:
                return False
            case ():
                return True
            case str():
                return False
            case ("*", _):
                return True
            case (".", a, b):
                return nullable(a) and nullable(b)

    def joined(a: Any, b: Any) -> Any:
        return None if a is None else b if a == () else (".", a, b)

    def derivative(r: Any, c: Any) -> Any:
        match r:
            case None | ():
                return None
            case str():
                return () if r == c else None
            case ("*", a):
                return joined(derivative(a, c), r)
            case (".", a, b):
                x = joined(derivative(a, c), b)
                return derivative(b, c) if nullable(a) and x is None else x

    for c in text:
        expression = derivative(expression, c)
        if expression is None:
            return False
    return nullable(expression)


def test_tuples_that_are_compared_with_none_may_be_one() -> None:
    expression = (".", ("*", "a"), "b")
    residual = futamura.specialize(derived, expression)
    assert residual.stats["fallbacks"] == {}
    for text in ("", "b", "ab", "aab", "ba", "aabb", ["a", "b"], ("b", None), None):
        assert outcome(residual, text) == outcome(derived, expression, text)


class Marked(namedtuple("Marked", "x y")):  # its objects have a `__dict__`
    pass


def is_the_key(n: int, x: object) -> object:
    p, t = Pair(n, 2), (n, 3)
    d: dict[object, object] = {}
    d[p] = x
    d[t] = x
    return [k is p or k is t for k in d], d, p, [k is p for k in {p}], {q: q for q in (p, t)}[p] is p


def marked(n: int, x: object) -> object:
    p = Marked(n, 2)
    d: dict[object, object] = {p: 1}
    d[9, 9] = x
    key: Any = next(iter(d))
    seen = hasattr(key, "mark")
    key.mark = x
    return seen, key is p, p.__dict__, d


def test_a_key_is_the_tuple_that_became_it() -> None:
    for function in (is_the_key, marked):
        residual = futamura.specialize(function, 3)
        for x in (1, "a", (3, 2), (3, 2)):
            assert outcome(residual, x) == outcome(function, 3, x)
    d, p = futamura.specialize(is_the_key, 3)(1)[1:3]
    assert next(iter(d)) is p
