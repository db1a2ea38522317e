"""Small things of the library and of builtin containers that are known where their operands are.

    cast(int, x)  ->  x        f"{Color.RED}"  ->  'Color.RED'        d.update(a=x), d.popitem(), "a" in d.keys()
"""

from __future__ import annotations

import copy
import enum
import types
import typing
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome


class Color(enum.Enum):
    RED = 1
    GREEN = "g"


class Number(enum.IntEnum):
    ONE = 1
    TWENTY = 20


class Text(str, enum.Enum):  # noqa: UP042
    X = "x"


class Name(enum.StrEnum):
    X = "x"


class Bits(enum.Flag):
    P = 1
    Q = 2


class Own(enum.Enum):
    A = 1

    def __str__(self) -> str:
        return f"own {self.name}"

    def __format__(self, spec: str) -> str:
        return f"<{spec}>"


class Holding(enum.Enum):
    ROW = [1]  # noqa: RUF012


MEMBERS = (
    Color.RED, Color.GREEN, Number.ONE, Number.TWENTY, Text.X, Name.X, Bits.P, Bits.P | Bits.Q, Own.A, Holding.ROW,
)  # fmt: skip


def texts(member: Any, x: Any) -> Any:
    return (
        str(member), repr(member), f"{member}", f"{member:>8}", f"{member!r}", f"{member!s}|{x}", f"{member!r:>20}",
        f"{member:d}" if x == "d" else None,
    )  # fmt: skip


@pytest.mark.parametrize("member", MEMBERS)
def test_texts_of_members(member: Any) -> None:
    residual = futamura.specialize(texts, member=member)
    for x in (1, "d"):
        assert outcome(residual, x) == outcome(texts, member, x)
    if isinstance(member, (Color, Number)):
        assert residual.source.count("_" + type(member).__name__) == (1 if isinstance(member, Color) else 0)


def cast(n: Any, x: Any) -> Any:
    return typing.cast(int, n) + 1, typing.cast("list[int]", x)


def updated(n: Any, x: Any) -> Any:
    d = {"a": x, "b": n}
    d.update(c=x)
    d.update({"a": n}, b=x)
    d.update([("e", x)], e=n)
    return d["a"], d["b"], d["c"], d["e"], len(d)


def popped(n: Any, x: Any) -> Any:
    d = {"a": x, "b": n}
    pairs = [d.popitem(), d.popitem()]
    try:
        d.popitem()
    except KeyError as error:
        return pairs, error.args, d
    return None


def members(n: Any, x: Any) -> Any:
    d = {"a": x, n: 1}
    return "a" in d.keys(), "z" not in d.keys(), n in d.keys(), x in d.keys()  # noqa: SIM118


def displays(n: Any, x: Any) -> Any:
    d = {"a": x, "b": n}
    return [*zip("ab", (n, x)), *enumerate((x,), 5)], (*d, *d.values()), [*range(2), *"xy", *{n: x}.items()]


def copies(n: Any, x: Any) -> Any:
    xs, d, s = [x, n], {"a": [n]}, {n}
    other, also, third = copy.copy(xs), copy.copy(d), copy.copy(s)
    other.append(x)
    also["b"] = x
    third.add(7)
    also["a"].append(x)
    return xs, other, d, also, sorted(s, key=str), 7 in third


def exhausted(n: Any, x: Any) -> Any:
    it = iter(["ab", "cd"] if n else [("a", x)])
    d = {"a": n}
    d.update(it)
    many = [*enumerate([x] * 5000), *zip([n] * 5000, [x] * 5000)]
    return d, len(many), many[-1], list(it)


class Items:
    def __init__(self, *items: Any) -> None:
        self.items = items

    def __iter__(self) -> Any:
        return iter(self.items)


class Counting(Items):
    def __len__(self) -> int:
        ASKED.append(len(self.items))
        return len(self.items)


class Wrong(Items):
    def __iter__(self) -> Any:
        return self.items


class Down:
    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> int:
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n


ASKED: list[int] = []


def of_instances(n: Any, x: Any) -> Any:
    out: list[Any] = []
    ASKED.clear()
    for cls in (Items, Counting, Wrong):
        for function in (list, tuple, set, sum, any, all, sorted, min, max, dict, "".join):
            try:
                out.append(function(cls(1, n, x)))
            except TypeError as error:
                out.append(str(error))
    return out, list(Down(3)), sum(Down(2)), [*Items(n, x)], x in Items(1, x), len(ASKED)


def namespaces(n: Any, x: Any) -> Any:
    space = types.SimpleNamespace(pc=0, stack=[x], n=n)
    while space.pc < 3:
        space.stack.append((space.stack[-1], space.pc))
        space.pc += 1
    other = types.SimpleNamespace(inner=space, a=x)
    del space.n
    other.inner.pc = space.q = other.a
    return vars(space), other, hasattr(space, "n"), getattr(space, "zz", n), space == other.inner


def called_with_a_member(n: Any, x: Any) -> Any:
    code = [Number.ONE, 20, Color(1), Color(Color.GREEN)]
    return Number(code[0]) is Number.ONE, Number(code[1]), Color(code[2]), code[3].name, x


def test_like_the_original() -> None:
    functions = (cast, updated, popped, members, displays, copies, exhausted)
    for function in (*functions, of_instances, namespaces, called_with_a_member):
        for n in (0, 1, "q"):
            residual = futamura.specialize(function, n=n)
            assert not residual.stats["fallbacks"].keys() - {"FT302"}, residual.events
            for x in (1, "q", None):
                assert outcome(residual, x) == outcome(function, n, x), (function, n, x, residual.source)


@pytest.mark.parametrize(
    ("function", "gone"),
    [(cast, "cast"), (updated, "update"), (copies, "copy"), (called_with_a_member, "Number(")],
)
def test_nothing_of_it_is_left(function: Any, gone: str) -> None:
    assert gone not in futamura.specialize(function, n=1).source.split(":", 1)[1]


def _in_order(k: int, x: object) -> object:
    return list(frozenset([20, 3, 5, 6, k])), [one for one in frozenset((k, 33, 1, 9, 17))], x  # noqa: C416


def test_frozensets_of_numbers_keep_their_order() -> None:
    for k in (7, 12, 64):
        assert futamura.specialize(_in_order, k)("x") == _in_order(k, "x")
