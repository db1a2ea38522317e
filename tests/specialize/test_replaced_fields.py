"""`_replace` and `_make` of named tuples: calls of the class, of which nothing is left where the tuple stays inside."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import futamura


class State(NamedTuple):
    text: str
    pos: int = 0
    ok: bool = True


Pair = namedtuple("Pair", "left right")


class Louder(Pair):
    def _replace(self, **fields: Any) -> Any:
        return "own"


class Odd(Pair):
    @classmethod
    def _make(cls, items: Any) -> Any:
        return "odd"


def literal(text: str) -> Callable[[State], State]:
    def parse(s: State) -> State:
        return s._replace(pos=s.pos + len(text)) if s.text.startswith(text, s.pos) else s._replace(ok=False)

    return parse


def sequence(*parsers: Callable[[State], State]) -> Callable[[State], State]:
    def parse(s: State) -> State:
        for parser in parsers:
            s = parser(s)
            if not s.ok:
                return s
        return s

    return parse


PARSER = sequence(literal("a"), literal("b"), literal("c"))


def parsed(x: str) -> Any:
    s = PARSER(State(x))
    return s.pos, s.ok


def made(x: int) -> Any:
    pair = Pair._make([x, 2])
    other = pair._replace(right=pair.left)
    return pair, other, other._asdict(), type(other), other._replace(), Pair(1, 2)._replace(left=x)


def unknown_field(x: int) -> Any:
    try:
        return Pair(x, 1)._replace(middle=4)
    except (TypeError, ValueError) as error:
        return type(error), str(error)


def too_few(x: int) -> Any:
    try:
        return Pair._make([x])
    except TypeError as error:
        return str(error)


def own_ways(x: int) -> Any:
    return Louder("a", x)._replace(left=x), Odd(x, 1)._make([1, 2]), Odd(x, 1)


@pytest.mark.parametrize("function", [made, unknown_field, too_few, own_ways])
def test_results_are_the_original_s(function: Callable[[int], Any]) -> None:
    residual = futamura.specialize(function)
    assert not residual.stats["fallbacks"]
    assert repr(residual(3)) == repr(function(3))


def test_a_parser_with_states_is_what_it_asks() -> None:
    residual = futamura.Specializer(assume="trust")(parsed)
    assert "State" not in residual.source
    assert "_replace" not in residual.source
    for text in ("abc", "ab", "", "xabc", "abx"):
        assert residual(text) == parsed(text)
