"""Functions of `functools.singledispatch`: the function for a known class is called, as long as it is the one.

    shown(Slot("a"))    Slot is known: what is registered for it is unfolded

Invariant: what is registered later, for this class or for others, is found by the residual as by the program.
"""

from __future__ import annotations

import abc
import collections.abc
import functools
from collections.abc import Callable
from typing import Any

import pytest

import futamura


class Node:
    def __init__(self, value: Any) -> None:
        self.value = value


class Leaf(Node):
    pass


class Twig(Leaf):
    pass


class Claims(Node):
    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        return Leaf


class Sized(Node):
    def __len__(self) -> int:
        return 3


def made() -> Any:
    """A function of its own for each test."""

    @functools.singledispatch
    def shown(node: Any, x: int) -> Any:
        return "any", x

    @shown.register
    def _(node: Leaf, x: int) -> Any:
        return "leaf", node.value + x

    return shown


def shown_all(shown: Callable[..., Any], nodes: list[Node], x: int) -> list[Any]:
    return [shown(node, x) for node in nodes]


def test_what_is_registered_is_unfolded() -> None:
    residual = futamura.specialize(shown_all, made(), [Leaf(1), Twig(2), Node(3)])
    assert "shown(" not in residual.source
    assert residual(5) == [("leaf", 6), ("leaf", 7), ("any", 5)]


@pytest.mark.parametrize("kind", [Leaf, Twig, Node, object, int])
def test_what_is_registered_later_is_found(kind: type) -> None:
    shown = made()
    nodes = [Leaf(1), Twig(2), Node(3)]
    residual = futamura.specialize(shown_all, shown, nodes)
    shown.register(kind)(lambda node, x: ("later", x))
    assert residual(5) == shown_all(shown, nodes, 5)
    assert not residual.holds()


def test_an_abstract_class_is_asked_when_the_residual_runs() -> None:
    shown = made()
    shown.register(collections.abc.Sized)(lambda node, x: ("sized", len(node) + x))
    nodes = [Leaf(1), Sized(2)]
    residual = futamura.specialize(shown_all, shown, nodes)
    assert residual(5) == shown_all(shown, nodes, 5) == [("leaf", 6), ("sized", 8)]


def test_an_object_that_claims_to_be_of_another_class() -> None:
    shown = made()
    nodes = [Claims(1), Leaf(2)]
    residual = futamura.specialize(shown_all, shown, nodes)
    assert residual(5) == shown_all(shown, nodes, 5) == [("leaf", 6), ("leaf", 7)]


def test_open_arguments_are_dispatched_when_the_residual_runs() -> None:
    shown = made()
    residual = futamura.specialize(shown_all, shown, x=5)
    nodes = [Leaf(1), Node(3), Claims(2)]
    assert residual(nodes) == shown_all(shown, nodes, 5)


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> int: ...


class Square(Shape):
    def __init__(self, side: int) -> None:
        self.side = side

    def area(self) -> int:
        return self.side**2


def of_shapes() -> Any:
    @functools.singledispatch
    def measured(node: Any, x: int) -> Any:
        return "any", x

    measured.register(Shape)(lambda node, x: ("shape", node.area() + x))
    measured.register(int)(lambda node, x: ("int", node + x))
    return measured


def test_abstract_bases_are_looked_up_as_others() -> None:
    measured = of_shapes()
    residual = futamura.specialize(shown_all, measured, [Square(3), 4, Leaf(1)])
    assert "measured(" not in residual.source
    assert residual(1) == shown_all(measured, [Square(3), 4, Leaf(1)], 1) == [("shape", 10), ("int", 5), ("any", 1)]


def test_a_class_that_is_registered_with_an_abstract_one_later() -> None:
    measured = of_shapes()

    class Late(Node):
        def area(self) -> int:
            return 7

    nodes = [Late(1), Square(2)]
    residual = futamura.specialize(shown_all, measured, nodes)
    assert residual(1) == shown_all(measured, nodes, 1) == [("any", 1), ("shape", 5)]
    Shape.register(Late)
    assert residual(1) == shown_all(measured, nodes, 1) == [("shape", 8), ("shape", 5)]
