"""Parsers of open input with a static grammar, as people write them: by precedence, with tokens out of a list or a
generator.

Invariant: each of their loops stands in a residual function once, and a residual function is made once for all that its
calls know.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from futamura import specialize
from tests.outcomes import outcome

Parse = Callable[[Any, Any], Any]


class Operator(NamedTuple):
    left: int
    right: int
    name: str


GRAMMAR = {
    "infix": {
        "+": Operator(10, 11, "add"),
        "-": Operator(10, 11, "sub"),
        "*": Operator(20, 21, "mul"),
        "^": Operator(31, 30, "pow"),
    },
    "prefix": {"-": Operator(0, 25, "neg")},
    "postfix": {"!": Operator(40, 0, "fact")},
}


class Parser:
    def __init__(self, grammar: Any, tokens: Any) -> None:
        self.grammar = grammar
        self.tokens = tokens
        self.pos = 0

    def advance(self) -> Any:
        token = self.tokens[self.pos]
        self.pos += 1
        return token

    def parse(self, power: int = 0) -> Any:
        token = self.advance()
        if isinstance(token, int):
            left: Any = token
        elif token == "(":
            left = self.parse(0)
            if self.advance() != ")":
                raise SyntaxError("expected )")
        elif token in self.grammar["prefix"]:
            op = self.grammar["prefix"][token]
            left = (op.name, self.parse(op.right))
        else:
            raise SyntaxError(f"unexpected {token!r}")
        while self.pos < len(self.tokens):
            token = self.tokens[self.pos]
            if token in self.grammar["postfix"] and self.grammar["postfix"][token].left >= power:
                self.pos += 1
                left = (self.grammar["postfix"][token].name, left)
                continue
            op = self.grammar["infix"].get(token)
            if op is None or op.left < power:
                return left
            self.pos += 1
            left = (op.name, left, self.parse(op.right))
        return left


def of_a_list(grammar: Any, tokens: Any) -> Any:
    return Parser(grammar, tokens).parse()


def scanned(text: str) -> Iterator[Any]:
    for c in text:
        if c.isdigit():
            yield int(c)
        elif not c.isspace():
            yield c
    yield None


class Reader:
    """The same, one token ahead in a stream."""

    def __init__(self, grammar: Any, stream: Iterator[Any]) -> None:
        self.grammar = grammar
        self.stream = stream
        self.current = next(stream)

    def advance(self) -> Any:
        token, self.current = self.current, next(self.stream, None)
        return token

    def parse(self, power: int = 0) -> Any:
        token = self.advance()
        if isinstance(token, int):
            left: Any = token
        elif token == "(":
            left = self.parse(0)
            if self.advance() != ")":
                raise SyntaxError("expected )")
        elif token in self.grammar["prefix"]:
            op = self.grammar["prefix"][token]
            left = (op.name, self.parse(op.right))
        else:
            raise SyntaxError(f"unexpected {token!r}")
        while self.current is not None:
            op = self.grammar["infix"].get(self.current)
            if op is None or op.left < power:
                return left
            self.advance()
            left = (op.name, left, self.parse(op.right))
        return left


def of_a_generator(grammar: Any, text: Any) -> Any:
    return Reader(grammar, scanned(text)).parse()


def texts(seed: int) -> Iterator[str]:
    pick = random.Random(seed)
    yield from ("", "1", "-1!", "1+2*3^4^5-6", "-(1+2)*3!", "((1))", "(1", "1)", "1 2", "*", "1+?", "(-(-1)")
    for length in range(40):
        yield "".join(pick.choices("12+-*^!() ", k=length % 13))


@pytest.mark.parametrize(("parse", "lines"), [(of_a_list, 330), (of_a_generator, 330)])
def test_a_parser_by_precedence_does_not_explode(parse: Parse, lines: int) -> None:
    residual = specialize(parse, grammar=GRAMMAR)
    assert residual.source.count("\n") <= lines, residual.source
    assert "break\n    else" not in residual.source and set(residual.stats["fallbacks"]) <= {"FT302"}
    assert "FT406" not in residual.stats["notes"], "no call had to be left lest versions explode"
    for text in texts(5):
        given = text if parse is of_a_generator else [int(c) if c.isdigit() else c for c in text if c != " "]
        assert outcome(residual, given) == outcome(parse, GRAMMAR, given), (given, residual.source)
    for wrong in (None, 5, [None], [1, []], [2.5, "+", "a"]):
        assert outcome(residual, wrong) == outcome(parse, GRAMMAR, wrong), wrong


def climb(limits: Any, depth: int, xs: Any) -> Any:
    """Knows less when it calls itself for the first time, and nothing more after that."""
    if not xs:
        return depth
    if xs[0] in limits:
        return climb(limits, limits[xs[0]], xs[1:])
    return climb(limits, depth + xs[0], xs[1:]) + climb(limits, depth, xs[2:])


def test_a_call_that_knows_less_is_not_unfolded() -> None:
    limits = {3: 7, 4: 1}
    residual = specialize(climb, limits=limits, depth=0)
    for xs in ([], [1], [3], [1, 3, 2, 4], [4, 4, 1, 5, 3, 3], [2.5, 1]):
        assert residual(xs) == climb(limits, 0, xs)
    assert residual.source.count("len(") == 0 and residual.source.count("def ") <= 3, residual.source


class Led:
    def __init__(self, power: int, led: Any) -> None:
        self.power, self.led = power, led


def infix(power: int, combine: Any) -> Led:
    return Led(power, lambda parser, left: combine(left, parser.expression(power)))


class Pratt:
    """What an operator does is a closure that calls the parser again."""

    def __init__(self, operators: Any, tokens: Any) -> None:
        self.operators, self.tokens, self.at = operators, tokens, 0

    def advance(self) -> Any:
        self.at += 1
        return self.tokens[self.at - 1]

    def power(self) -> int:
        operator = self.operators.get(self.tokens[self.at])
        return operator.power if operator else 0

    def expression(self, least: int) -> Any:
        left = self.advance()
        while self.power() > least:
            left = self.operators[self.advance()].led(self, left)
        return left


def evaluated(operators: Any, tokens: Any) -> Any:
    return Pratt(operators, tokens).expression(0)


OPERATORS = {
    "+": infix(10, lambda a, b: a + b), "-": infix(10, lambda a, b: a - b), "*": infix(20, lambda a, b: a * b),
}  # fmt: skip


def test_a_parser_of_closures_is_one_function_for_each_power() -> None:
    residual = specialize(evaluated, operators=OPERATORS)
    assert not residual.stats["fallbacks"] and ".led" not in residual.source, residual.source
    assert residual.source.count("def ") == 3 and len(residual.source.splitlines()) < 80, residual.source
    whole = [1, "+", 2, "*", 3, "-", 4, "*", 2, "end"]
    for tokens in ([1, "end"], whole, [2, "*", 3, "+", "a", "end"], [], [1, "+"], [1, []]):
        assert outcome(residual, tokens) == outcome(evaluated, OPERATORS, tokens)
