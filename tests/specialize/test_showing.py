"""Texts of objects: the methods that Python calls for `str`, `repr` and f-strings are entered.

    f"{node}"     node: Add(Name("x"), Number(1))    ->   '(x + 1)'

Invariant: text, errors and what the methods do are those of the source; what is known of the object stays known.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import functools
from collections.abc import Callable
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome


class Node:
    def eval(self, env: Any) -> Any:
        raise NotImplementedError


class Name(Node):
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Name({self.name!r})"

    def __str__(self) -> str:
        return self.name

    def eval(self, env: Any) -> Any:
        if self.name not in env:
            raise KeyError(f"no {self} in {sorted(env)}: {self!r}")
        return env[self.name]


class Number(Node):
    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value})"

    def eval(self, env: Any) -> Any:
        return self.value


class Binary(Node):
    def __init__(self, symbol: str, left: Node, right: Node) -> None:
        self.symbol, self.left, self.right = symbol, left, right

    def __str__(self) -> str:
        return f"({self.left} {self.symbol} {self.right})"

    def eval(self, env: Any) -> Any:
        left, right = self.left.eval(env), self.right.eval(env)
        if self.symbol == "/" and right == 0:
            raise ZeroDivisionError(f"{self.right} is zero in {self}, {self.left!s:>4}, {self.left!r:>9}|")
        return left + right if self.symbol == "+" else left / right


def tree() -> Node:
    return Binary("+", Name("x"), Binary("/", Number(6), Name("y")))


def traced(node: Any, env: Any) -> Any:
    return node.eval(env), str(node), repr(node.left)


class Measure:
    """A `__format__` of its own, and open parts."""

    def __init__(self, value: Any, unit: str) -> None:
        self.value, self.unit = value, unit

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec or '.1f'}} {self.unit}"

    def __str__(self) -> Any:
        return self.value


def measured(unit: str, x: Any) -> Any:
    m = Measure(x, unit)
    return f"{m}|{m:.3f}", format(m, "5"), "{:>6}".format(m)  # noqa: UP032


def shown(unit: str, x: Any) -> Any:
    return str(Measure(x, unit)), f"{Measure(x, unit)!s}{Measure(x, unit)!s:>5}"


class Text(str):
    def __format__(self, spec: str) -> str:
        return f"<{str.__str__(self)}{spec}>"


def shown_twice(unit: str, x: Any) -> Any:
    text = Text(x)
    return type(str(Measure(text, unit))), f"{Measure(text, unit)!s:5}", f"{Measure(text, unit)!s}"


class Counting:
    def __init__(self) -> None:
        self.shown = 0

    def __repr__(self) -> str:
        self.shown += 1
        return f"shown {self.shown}"


def counted(counting: Any, x: Any) -> Any:
    return f"{counting}{x}{counting!r}", str(counting), counting.shown


class Plain:
    pass


class Failing:
    def __str__(self) -> str:
        raise LookupError("no text")


def failing(x: Any) -> Any:
    try:
        return f"{x}{Failing()}"
    except LookupError as error:
        return f"{error!r} {error}"


def no_spec(unit: str, x: Any) -> Any:
    return f"{Name(unit):>{x}}"


@dataclasses.dataclass
class Point:
    x: Any
    y: Any


def generated(x: Any) -> Any:
    return repr(Point(x, 2)), f"{Point(1, x)}"


class Color(enum.Enum):
    RED = "red"

    def __str__(self) -> str:
        return f"a {self.value}"


def member(color: Any, x: Any) -> Any:
    return f"{color}{x}", str(color), repr(color)


class Inherits(Name):
    def __str__(self) -> str:
        return "of " + super().__str__()


def inherits(name: str, x: Any) -> Any:
    return f"{Inherits(name)}/{Inherits(name)!r}/{x}"


class Nested:
    """Contains itself."""

    def __init__(self) -> None:
        self.inner: Any = self
        self.depth = 0

    def __str__(self) -> str:
        self.depth += 1
        return "..." if self.depth > 3 else f"[{self.inner}]"


def nested(x: Any) -> Any:
    return f"{Nested()}{x}"


Case = tuple[Callable[..., Any], Callable[[], tuple[Any, ...]], list[Any]]
CASES: list[Case] = [
    (traced, lambda: (tree(),), [{"x": 1, "y": 2}, {"x": 1, "y": 0}, {"x": 1}, {}, None]),
    (measured, lambda: ("kg",), [1.5, 2, "x", None, float("nan")]),
    (shown, lambda: ("kg",), ["5", 5, None, Text("5")]),
    (shown_twice, lambda: ("kg",), ["5", 5, ""]),
    (counted, lambda: (Counting(),), [1, "a"]),
    (failing, tuple, [1, Failing(), Plain]),
    (no_spec, lambda: ("kg",), [0, 3, ""]),
    (generated, tuple, [1, "a", [1], None]),
    (member, lambda: (Color.RED,), [1]),
    (inherits, lambda: ("x",), [1]),
    (nested, tuple, [1]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_texts_are_those_of_the_source(case: Case) -> None:
    function, static, inputs = case
    for value in inputs:
        residual = futamura.specialize(function, *static())
        assert outcome(residual, value) == outcome(function, *static(), value), (value, residual.source)


def test_known_texts_are_written_out() -> None:
    residual = futamura.specialize(traced, tree())
    assert "'(x + Number(6) / y)'" not in residual.source and "'(x + (Number(6) / y))'" in residual.source
    assert "repr" not in residual.source and "str(" not in residual.source and "_node" not in residual.source
    assert "Inherits" not in futamura.specialize(inherits, "x").source


def test_a_later_method_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = futamura.specialize(traced, tree())
    env = {"x": 1, "y": 2}
    assert residual(env) == traced(tree(), env)
    monkeypatch.setattr(Name, "__str__", lambda self: "?")
    assert residual(env) == traced(tree(), env) == (4.0, "(? + (Number(6) / ?))", "Name('x')")
    monkeypatch.undo()
    monkeypatch.setattr(Number, "__format__", lambda self, spec: "!", raising=False)
    assert residual(env) == traced(tree(), env)


class Text(str):
    def __format__(self, spec: str) -> str:
        return "formatted"


class Subtle:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __str__(self) -> str:
        return Text(f"<{self.x}>")


class Wrong:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __repr__(self) -> Any:
        return self.x


def subtle(x: Any) -> Any:
    made = Subtle(x)
    fields = (f"{made}", f"{made!s}", f"{made!s:}", f"-{made}-", str(made))
    return [(type(field).__name__, str.__str__(field)) for field in fields]


def wrong(x: Any, way: int) -> Any:
    made = Wrong(x)
    try:
        if way == 0:
            return str(made)
        if way == 1:
            return repr(made)
        if way == 2:
            return f"{made}"
        return f"{made!r}"
    except TypeError as error:
        return str(error)


def test_texts_of_a_class_of_their_own() -> None:
    residual = futamura.specialize(subtle)
    for x in (1, "a", None):
        assert outcome(residual, x) == outcome(subtle, x)


class Liar(type):
    @property
    def __name__(cls) -> str:
        return "Somebody"


class Lying(metaclass=Liar):
    pass


def test_errors_speak_of_methods_and_classes_as_python_does() -> None:
    for way in range(4):
        residual = futamura.specialize(wrong, way=way)
        date = datetime.date(2026, 1, 2)
        for x in ("text", 3, None, collections.deque(), date, Wrong(1), Lying(), functools.partial(int)):
            assert outcome(residual, x) == outcome(wrong, x, way), residual.source
