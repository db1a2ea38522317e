"""Instances of classes that extend `str`, `int` or `float` and say nothing of operators: symbols, registers, units.

    class Symbol(str): pass       ast: ["if", Symbol("m"), 1, 0]      ->    x[0] == "if", env[x] are decided

Invariant: what such a class says of itself (`__str__`, `__eq__`, `__radd__`, ...) decides where Python asks for it.
"""

from __future__ import annotations

import enum
import operator
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome


class Symbol(str):
    pass


class Shown(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "shown"

    def __repr__(self) -> str:
        return "repr"

    def __format__(self, spec: str) -> str:
        return f"format {spec}"

    def upper(self) -> str:
        return "UP"


class Folded(str):
    """Equal to what is written in other letters."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self.lower() == other.lower()

    def __hash__(self) -> int:
        return hash(self.lower())


class Joining(str):
    def __radd__(self, other: str) -> str:
        return f"joined {other}"

    def __contains__(self, item: object) -> bool:
        return item == "?"


class Falsy(int):
    def __bool__(self) -> bool:
        return self > 5


class Register(int):
    pass


class Meters(float):
    pass


class Named(str):
    """With attributes of its own."""

    place: int

    def __new__(cls, text: str, place: int) -> Named:
        made = super().__new__(cls, text)
        made.place = place
        return made


class Color(str, enum.Enum):  # noqa: UP042
    RED = "a"


class Number(enum.IntEnum):
    SEVEN = 7


def texts(s: Any, x: Any) -> list[Any]:
    return [
        *[s == "a", s != "b", s > "a", s in ("a", "b"), s in {"a": 1}, {"a": 2}.get(s, 3), s == x, s is x, x in [s]],
        *[isinstance(s, str), type(s) is str, len(s), s.upper(), s + "b", "b" + s, s * 2, f"{s}", f"{s!s:>7}{s!r}"],
        *[s[0], s[:], s < "b", bool(s), s.startswith("a"), list(s), str(s), repr(s), not s, s in "abc", "?" in s],
        *["%s" % s, "%s %s" % (s, x), "%r" % (s,), "{} {:>4}".format(s, s), "".join([s, "x"]), s.split("a"), {s: 5}],  # noqa: UP031, UP032
        *[{s, "a"}, {s: 1, "a": 2}, [*{"a": 1, s: 2}], sorted([s, "a"]), max(s, "a"), hash(s) == hash("a")],
        *[type(s + ""), type(s[:]), type(s * 1), type(str(s)), s.lower() == "a"],
    ]


def numbers(n: Any, x: Any) -> list[Any]:
    table = {7: "seven", 2.5: "two and a half"}
    return [
        *[n + 1, 1 + n, n * 2, n // 2, -n, +n, n % 4, n == 7, n != 7.0, n < 8, n in (7, 8), n in table, table.get(n)],
        *[bool(n), not n, int(n), float(n), f"{n}", str(n), repr(n), "%s" % n, "%d" % n, type(+n), type(n + 0)],  # noqa: UP031
        *["yes" if n else "no", isinstance(n, int), type(n) is int, n is x, round(n), abs(n), divmod(n, 2), n**2],
    ]


def indexed(n: Any, x: Any) -> list[Any]:
    rows = ["a", "b", "c", "d", "e", "f", "g", "h"]
    return [rows[n], rows[:n], (1, 2, 3, 4, 5, 6, 7, 8)[n], range(n), n | 1, n & 3, n << 1, x[n], "x" * n]


def matched(s: Any, x: Any) -> Any:
    match s:
        case "b":
            return 1
        case "a":
            return 2, x
        case str():
            return 3, x
    return 4


TEXTS = [Symbol("a"), Shown("a"), Folded("A"), Joining("a"), Named("a", 3), Color.RED, Symbol("")]
NUMBERS = [Register(7), Falsy(3), Falsy(7), Meters(2.5), Meters(7), Meters("nan"), Number.SEVEN, True]


@pytest.mark.parametrize("function", [texts, matched])
def test_texts(function: Any) -> None:
    for s in TEXTS:
        residual = futamura.specialize(function, s)
        for x in ("a", s, "A", None, Symbol("a")):
            assert outcome(residual, x) == outcome(function, s, x), (s, x, residual.source)


@pytest.mark.parametrize("function", [numbers, indexed])
def test_numbers(function: Any) -> None:
    for n in NUMBERS:
        residual = futamura.specialize(function, n)
        for x in (7, n, 2.5, [1] * 9, "abcdefgh"):
            assert outcome(residual, x) == outcome(function, n, x), (n, x, residual.source)


def evaluated(x: Any, env: Any) -> Any:
    if isinstance(x, Symbol):
        return env[x]
    if not isinstance(x, list):
        return x
    if x[0] == "if":
        return evaluated(x[2] if evaluated(x[1], env) else x[3], env)
    if x[0] == "quote":
        return x[1]
    function, *args = [evaluated(part, env) for part in x]
    return function(*args)


def lisp(ast: Any, n: Any, m: Any) -> Any:
    return evaluated(ast, {"+": operator.add, "*": operator.mul, "-": operator.sub, "n": n, "m": m})


def parsed(text: str) -> Any:
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()

    def parse() -> Any:
        token = tokens.pop(0)
        if token != "(":
            return int(token) if token.isdigit() else Symbol(token)
        out = []
        while tokens[0] != ")":
            out.append(parse())
        tokens.pop(0)
        return out

    return parse()


def test_a_lisp_with_symbols_leaves_no_symbol() -> None:
    ast = parsed("(if (- m 1) (+ (* n n) (- m 1)) 0)")
    residual = futamura.specialize(lisp, ast)
    assert residual.source.count("\n") == 2 and "_ast" not in residual.source, residual.source
    for n, m in ((0, 1), (3, 2), (2.5, 2), (3, 1)):
        assert residual(n, m) == lisp(ast, n, m)


class Real(float):
    pass


NAN = Real("nan")


def found(x: object) -> object:
    return NAN in (NAN,), NAN in [x, NAN], (NAN,) == (NAN,), NAN == NAN, (x, NAN).index(NAN), [NAN, x].count(NAN)


def test_what_looks_for_a_nan_finds_itself() -> None:
    residual = futamura.specialize(found)
    for x in (1, NAN, float("nan")):
        assert residual(x) == found(x)
