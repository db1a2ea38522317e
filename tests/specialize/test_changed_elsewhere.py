"""What a residual relies on is changed from elsewhere: builtins, defaults of generated methods, metaclasses.

Invariant: the next call does what the source would do then.
"""

from __future__ import annotations

import builtins
import dataclasses
import textwrap
from collections import namedtuple
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.specialize.modules import written
from tests.specialize.specializing import specialize

SHOP = """
RATE = 3

def rate(x):
    return RATE + abs(x)

def show(x):
    return len(repr(x))

def tell(x):
    print(x)
    return 2
"""
MANY = """
A, B, C, D, E, F, G = range(7)

def total(n, x):
    return [A + B + C + D + E + F + G + abs(x) + len(str(x)) for _ in range(n)]
"""


def test_builtins_of_other_modules(tmp_path: Path) -> None:
    shop = written(tmp_path, "shop_with_builtins", SHOP)

    def calls(n: int, x: Any) -> Any:
        return [shop.rate(x) + shop.show(x) + shop.tell(x) for _ in range(n)]

    residual = specialize(calls, 2)
    for name, other in (("abs", lambda x: 1000), ("repr", lambda x: "other"), ("print", lambda x: None)):
        assert residual(-1) == calls(2, -1)
        with mock.patch.object(builtins, name, other):
            assert residual(-1) == calls(2, -1)
        assert residual(-1) == calls(2, -1)


def test_builtins_beside_many_globals(tmp_path: Path) -> None:
    many = written(tmp_path, "many_globals", MANY)
    residual = specialize(many.total, 2)
    for _ in range(3):
        assert residual(-1) == many.total(2, -1)
        with mock.patch.object(builtins, "abs", lambda x: 1000):
            assert residual(-1) == many.total(2, -1)
    many.abs = lambda x: 7
    assert residual(-1) == many.total(2, -1) == [30, 30]
    del many.abs
    assert residual(-1) == many.total(2, -1)


@dataclasses.dataclass
class Plain:
    a: int
    b: int = 1


@dataclasses.dataclass
class Made:
    a: int
    b: int = 1
    c: list[int] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.a += 1


Point = namedtuple("Point", "a b", defaults=(1,))


def constructed(cls: Any, n: Any, x: Any) -> Any:
    return [cls(x).a + cls(x).b for _ in range(n)]


@pytest.fixture(params=["Plain", "Made", "Point"])
def cls(request: pytest.FixtureRequest) -> Iterator[Any]:
    found = globals()[request.param]
    maker = found.__new__ if found is Point else found.__init__
    code, defaults = maker.__code__, maker.__defaults__
    yield found
    maker.__code__, maker.__defaults__ = code, defaults


def test_defaults_of_generated_methods(cls: Any) -> None:
    maker = cls.__new__ if cls is Point else cls.__init__
    residual = specialize(constructed, cls, 2)
    assert residual(1) == constructed(cls, 2, 1)
    maker.__defaults__ = (50, *maker.__defaults__[1:])
    assert residual(1) == constructed(cls, 2, 1)
    assert specialize(constructed, cls, 2)(1) == constructed(cls, 2, 1)


def test_code_of_generated_methods(cls: Any) -> None:
    if cls is Made:
        return  # its code has free variables, which no function of a test has
    maker = cls.__new__ if cls is Point else cls.__init__

    def store(self: Any, a: Any, b: Any = 1) -> None:
        self.a, self.b = a, 70

    def make(_cls: Any, a: Any, b: Any = 1) -> Any:
        return _tuple_new(_cls, (a, 70))  # type: ignore[name-defined] # noqa: F821 - among its globals

    residual = specialize(constructed, cls, 2)
    assert residual(1) == constructed(cls, 2, 1)
    maker.__code__ = (make if cls is Point else store).__code__
    assert residual(1) == constructed(cls, 2, 1)
    assert specialize(constructed, cls, 2)(1) == constructed(cls, 2, 1)


class Meta(type):
    pass


class Rated(metaclass=Meta):
    rate = 1


def rated(n: int, x: Any) -> Any:
    return [Rated.rate + x for _ in range(n)]


def test_a_metaclass_gets_a_property(monkeypatch: pytest.MonkeyPatch) -> None:
    residual: Callable[..., Any] = specialize(rated, 2)
    assert residual(1) == rated(2, 1)
    monkeypatch.setattr(Meta, "rate", property(lambda cls: 50), raising=False)
    assert residual(1) == rated(2, 1) == [51, 51]


class Failed(Exception):
    pass


def told(n: int, x: Any) -> Any:
    return [str(Failed(n)), f"{Failed(n)}", x]


def test_an_exception_gets_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = specialize(told, 3)
    assert residual(1) == told(3, 1) == ["3", "3", 1]
    monkeypatch.setattr(Failed, "__str__", lambda self: "other", raising=False)
    assert residual(1) == told(3, 1) == ["other", "other", 1]


def test_a_global_that_a_namespace_holds(tmp_path: Path) -> None:
    text = """
    import types
    RULES = [3, 1, 2]
    config = types.SimpleNamespace(rules=RULES)

    def add(x):
        config.rules.append(x)

    def count(n, x):
        return [len(RULES) + x for _ in range(n)]
    """
    made = written(tmp_path, "held_by_a_namespace", textwrap.dedent(text))
    residual = specialize(made.count, 2)
    assert residual(0) == made.count(2, 0)
    made.add(7)
    assert residual(0) == made.count(2, 0) == [4, 4]
