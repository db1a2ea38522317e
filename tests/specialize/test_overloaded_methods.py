"""Methods of `functools.singledispatchmethod`: the method for a known class is called, as long as it is the one.

    self.visit(Num(1))    Num is known: what is registered for it is unfolded

Invariant: what is registered later, for this class or for others, is found by the residual as by the program.
"""

from __future__ import annotations

import collections.abc
import functools
from collections.abc import Callable
from typing import Any

import pytest

import futamura

from .specializing import fallbacks, source_of, specialize


class Node:
    pass


class Num(Node):
    def __init__(self, value: int) -> None:
        self.value = value


class Var(Node):
    def __init__(self, name: str) -> None:
        self.name = name


class Pair(Node):
    def __init__(self, left: Node, right: Node) -> None:
        self.left = left
        self.right = right


class Add(Pair):
    pass


class Mul(Pair):
    pass


class Odd(Node):
    pass


class Claims(Node):
    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        return Odd


def made() -> type:
    """A class of its own for each test."""

    class Evaluator:
        def __init__(self, env: dict[str, Any]) -> None:
            self.env = env

        @functools.singledispatchmethod
        def visit(self, node: Any, *args: Any, **options: Any) -> Any:
            raise NotImplementedError(f"{type(node).__name__} {args} {options}")

        @visit.register
        def _(self, node: Num) -> Any:
            return node.value

        @visit.register(Var)
        def _(self, node: Var) -> Any:
            return self.env[node.name]

        @visit.register
        def _(self, node: Add) -> Any:
            return self.visit(node.left) + self.visit(node.right)

        @visit.register
        def _(self, node: Mul) -> Any:
            return self.visit(node.left) * self.visit(node.right)

        @visit.register(int)
        @staticmethod
        def _(value: int, *more: int) -> Any:
            return "static", value, more

        @visit.register(str)
        @classmethod
        def _(cls, text: str) -> Any:
            return cls.__name__, text

        @visit.register
        def by_keyword(self, value: float, *, sign: int = 1) -> Any:
            return sign * value

        called = visit

    return Evaluator


AST = Add(Num(1), Mul(Var("x"), Add(Var("x"), Num(2))))


def evaluated(cls: Any, node: Any, x: Any) -> Any:
    return cls({"x": x}).visit(node)


def visited(evaluator: Any, node: Any) -> Any:
    return evaluator.visit(node)


def corners(cls: Any, x: Any) -> Any:
    own = cls({"x": x})
    method = own.visit
    return own.visit(3, 4), own.visit("text"), own.visit(2.5, sign=x), own.called(Var("x")), method(Num(x)), method(1)


def without_arguments(cls: Any, x: Any) -> Any:
    return cls({"x": x}).visit()


def by_name(cls: Any, x: Any) -> Any:
    return cls({}).visit(node=Num(x))


def not_registered(cls: Any, x: Any) -> Any:
    return cls({}).visit(Odd(), x, more=x)


def missing_name(cls: Any, x: Any) -> Any:
    return cls({"y": x}).visit(Var("x"))


def of_the_class(cls: Any, x: Any) -> Any:
    return cls.visit(Num(x))


def on_the_class(cls: Any, x: Any) -> Any:
    return cls.visit(cls({}), Num(x))


def claims(cls: Any, x: Any) -> Any:
    return cls({}).visit(Claims(), x)


def escapes(cls: Any, x: Any) -> Any:
    own = cls({"x": 2})
    method = own.visit
    return x(method), method.__name__, method.__doc__


def hidden(cls: Any, x: Any) -> Any:
    own = cls({"x": x})
    own.called = lambda node: ("hidden", node.value)
    return own.called(Num(x))


def hidden_later(cls: Any, x: Any) -> Any:
    own = cls({"x": x})
    method = own.called
    own.called = lambda node: ("hidden", node.value)
    return method(Num(x)), own.called(Num(x))


def by_map(cls: Any, x: Any) -> Any:
    return list(map(cls({"x": x}).visit, [Num(1), Var("x")]))


def outcome(function: Callable[..., Any], *args: Any) -> object:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error), error.args, type(error.__cause__), type(error.__context__)


def test_an_interpreter_is_arithmetic() -> None:
    cls = made()
    residual = specialize(evaluated, cls=cls, node=AST)
    assert "visit" not in source_of(residual) and len(source_of(residual).splitlines()) == 2
    assert not fallbacks(residual)
    for x in (3, 2.5, "no", None):
        assert outcome(residual, x) == outcome(evaluated, cls, AST, x)


def test_a_static_instance() -> None:
    cls = made()
    evaluator = cls({"x": 4})
    residual = specialize(visited, evaluator=evaluator, node=AST)
    assert ".visit" not in source_of(residual)
    assert residual() == visited(evaluator, AST) == 25


@pytest.mark.parametrize(
    "function",
    [
        *(corners, without_arguments, by_name, not_registered, missing_name, of_the_class, on_the_class, claims),
        *(hidden, hidden_later, by_map),
    ],
)
def test_agrees(function: Callable[..., Any]) -> None:
    cls = made()
    residual = specialize(function, cls=cls)
    assert not fallbacks(residual)
    for x in (3, 2.5, True):
        assert outcome(residual, x) == outcome(function, cls, x), source_of(residual)


def test_what_is_left_of_calls_with_known_classes() -> None:
    assert "visit" not in source_of(specialize(missing_name, cls=made()))
    assert "'text'" in source_of(specialize(corners, cls=made()))


def test_the_method_escapes() -> None:
    cls = made()
    residual = specialize(escapes, cls=cls)
    for x in (lambda method: method(Var("x")), lambda method: method(3, 4), lambda method: method.register is not None):
        assert outcome(residual, x) == outcome(escapes, cls, x)


def test_open_arguments_are_dispatched_when_the_residual_runs() -> None:
    cls = made()
    evaluator = cls({"x": 4})
    residual = specialize(visited, evaluator=evaluator)
    other = specialize(visited, node=AST)
    for node in (AST, Num(3), Claims(), Var("q"), 3, "text", Odd()):
        assert outcome(residual, node) == outcome(visited, evaluator, node)
    assert other(evaluator) == 25


@pytest.mark.parametrize("kind", [Num, Add, Pair, Node, object, list])
def test_what_is_registered_later_is_found(kind: type) -> None:
    cls = made()
    residual = futamura.specialize(evaluated, cls, AST)
    assert residual(5) == 36 and residual.holds()
    cls.visit.register(kind)(lambda self, node: 1000)
    assert residual.holds() is (kind is object)  # which had one before, and nothing here comes to it
    assert residual(5) == evaluated(cls, AST, 5)


def test_another_method_in_the_class_is_found() -> None:
    cls = made()
    residual = futamura.specialize(evaluated, cls, AST)
    setattr(cls, "".join(("vis", "it")), lambda self, node: "other")  # the text of this module stores none
    assert residual(5) == evaluated(cls, AST, 5) == "other"


def test_an_abstract_class_is_asked_when_the_residual_runs() -> None:
    cls = made()
    cls.visit.register(collections.abc.Sized)(lambda self, node: len(node))  # type: ignore[attr-defined]
    residual = specialize(visited, evaluator=cls({}), node=[1, 2])
    assert residual() == 2


def test_a_subclass_with_equal_instances() -> None:
    base = made()

    class Equal(base):  # type: ignore[misc, valid-type]
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Equal)

        def __hash__(self) -> int:
            return 3

    def both(x: Any) -> Any:
        one, other = Equal({"x": x}), Equal({"x": x + 1})
        return one.visit(Var("x")), other.visit(Var("x"))

    residual = specialize(both)
    assert residual(3) == both(3)


class Printer:
    """At the top of a module, as most are."""

    @functools.singledispatchmethod
    def show(self, node: Any) -> str:
        return "?"

    @show.register
    def _(self, node: Num) -> str:
        return str(node.value)

    @show.register
    def _(self, node: Var) -> str:
        return node.name

    @show.register
    def _(self, node: Pair) -> str:
        sign = "+" if isinstance(node, Add) else "*"
        return f"({self.show(node.left)} {sign} {self.show(node.right)})"


def printed(node: Any) -> str:
    return Printer().show(node)


def test_bases_are_asked_in_their_order() -> None:
    residual = specialize(printed, node=AST)
    assert residual() == printed(AST) == "(1 + (x * (x + 2)))"
    assert "return '(1 + (x * (x + 2)))'" in source_of(residual)
