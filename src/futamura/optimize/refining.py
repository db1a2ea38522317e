"""What a branch says about values on its two ways.

    v2 = lt v0, v1; branch v2 -> b1 | b2        (v0: int, v1: 10)     to b1: v0 is in ..9; to b2: v0 is in 10..
    v2 = eq v0, v1; branch v2 -> b1 | b2        (v0: str, v1: "a")    to b1: v0 is "a"
    v2 = is v0, v1; branch v2 -> b1 | b2        (v1: None)            to b1: v0 is None

`x == K` says that x is K only where both have exactly the same type, of which equal members are the same for every
operation but `is`; 0.0 is not among them (-0.0), nor is an int beside a bool.  `isinstance(x, bool)` does not say that
x is a bool: anything may claim so by `__class__`.

Invariant: only what holds for every value of the program; nothing is said of a value that cannot be on this way.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from types import NoneType
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Terminator, Value
from futamura.optimize.flowgraph import Node
from futamura.optimize.shapes import Shape, known_as, narrowed, of_type

__all__ = ["Conditions"]

_WHOLE: Final = frozenset({"int", "bool"})
_SINGLE: Final = frozenset({"NoneType", "bool", "ellipsis"})
_TYPES: Final = frozenset({int, bool, float, complex, str, bytes, tuple, list, dict, set, frozenset, range, NoneType})
_OPPOSITE: Final = {
    "lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq", "is": "is_not", "is_not": "is"
}  # fmt: skip
_MIRRORED: Final = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


class Conditions:
    """Reads conditions; `shape` says what is known of a value now, `callee` which function it is."""

    def __init__(
        self,
        definitions: Mapping[Value, Operation],
        shape: Callable[[Value], Shape],
        callee: Callable[[Value], Constant | None],
    ) -> None:
        self._definitions: Final = definitions
        self._shape: Final = shape
        self._callee: Final = callee
        self._counted: Final[dict[int, Counter[int]]] = {}

    def told(self, node: Node, number: int) -> tuple[Value, ...]:
        """The values of which `under` may say something, and those that it looks at to do so."""
        end = node.end
        if number == len(end.edges) or end.name not in ("branch", "switch"):
            return ()
        found = [end.args[0]]
        if end.name == "switch":
            return tuple(found)
        made = self._tested(found)
        if made is not None and made.name in _OPPOSITE:
            found.extend(made.args)
            for value in made.args:
                asked = self._definitions.get(value)
                if asked is not None and asked.name == "call" and len(asked.args) == 2:  # type(x) is C
                    found.append(asked.args[1])
        return tuple(dict.fromkeys(found))

    def called(self, node: Node) -> tuple[Value, ...]:
        """The values that `under` asks which function or class they are."""
        if node.end.name != "branch":
            return ()
        made = self._tested([node.end.args[0]])
        if made is None:
            return ()
        asked = [self._definitions.get(value) for value in made.args] if made.name in _OPPOSITE else []
        return (*made.args, *[call.args[0] for call in asked if call is not None and call.name == "call"])

    def _tested(self, trail: list[Value]) -> Operation | None:
        """What makes the value of whose truth the last of `trail` tells; the values between are added to it."""
        made = self._definitions.get(trail[-1])
        while made is not None and made.name in ("not", "truth", "copy") and len(made.args) == 1:
            trail.append(made.args[0])
            made = self._definitions.get(trail[-1])
        return made

    def under(self, node: Node, number: int) -> dict[Value, Shape]:
        """What holds on the edge of this number, beyond what holds at the end of the block."""
        end = node.end
        found: dict[Value, Shape] = {}
        if number == len(end.edges):  # to the handler, from anywhere in the block
            return found
        if end.name == "branch" and end.edges[0].target != end.edges[1].target:
            self._condition(end.args[0], number == 0, found)
        elif end.name == "switch" and number < len(end.edges) - 1:
            if self._ways(end)[end.edges[number].target] == 1:
                assert isinstance(end.attr, tuple)
                found[end.args[0]] = known_as(end.attr[number])
        return found

    def _ways(self, end: Terminator) -> Counter[int]:
        """How many edges of a switch lead to each block, counted once."""
        found = self._counted.get(end.id)
        if found is None:
            found = self._counted[end.id] = Counter([edge.target for edge in end.edges])
        return found

    def _condition(self, value: Value, holds: bool, found: dict[Value, Shape]) -> None:
        found[value] = known_as(Constant(holds))
        made = self._definitions.get(value)
        while made is not None and made.name in ("not", "truth", "copy") and len(made.args) == 1:
            holds = holds is not (made.name == "not")
            value = made.args[0]
            shape = self._shape(value)
            if shape.type == "bool":
                found[value] = known_as(Constant(holds))
            elif shape.type == "int":
                found[value] = _nonzero(shape) if holds else known_as(Constant(0))
            made = self._definitions.get(value)
        if made is None:
            return
        if made.name in _OPPOSITE:
            self._comparison(made.name if holds else _OPPOSITE[made.name], made.args[0], made.args[1], found)

    def _class(self, value: Value) -> type | None:
        constant = self._callee(value)
        return constant.value if constant is not None and type(constant.value) is type else None

    def _comparison(self, name: str, left: Value, right: Value, found: dict[Value, Shape]) -> None:
        one, other = self._shape(left), self._shape(right)
        if name == "is":
            self._same(left, right, other, found)
            self._same(right, left, one, found)
        if name in _MIRRORED and one.type in _WHOLE and other.type in _WHOLE:
            self._bounded(left, one, name, other, found)
            self._bounded(right, other, _MIRRORED[name], one, found)
        elif name == "eq" and one.type == other.type:
            for value, constant in ((left, other.constant), (right, one.constant)):
                if constant is not None and _is_interchangeable(constant.value):
                    found[value] = known_as(constant)

    def _same(self, value: Value, other: Value, shape: Shape, found: dict[Value, Shape]) -> None:
        """`value is other`: it is the other, if that is the only one of its kind; or a value's exact class is told."""
        if shape.constant is not None and shape.type in _SINGLE:
            found[value] = known_as(shape.constant)
        made, kind = self._definitions.get(value), self._class(other)
        if kind in _TYPES and made is not None and made.name == "call" and len(made.args) == 2 and made.attr is None:
            function = self._callee(made.args[0])
            if function is not None and function.value is type:
                inner = self._shape(made.args[1])
                found[made.args[1]] = inner if inner.type == kind.__name__ else of_type(kind.__name__)

    def _bounded(self, value: Value, shape: Shape, name: str, other: Shape, found: dict[Value, Shape]) -> None:
        if shape.constant is not None:
            return
        match name:
            case "lt":
                found[value] = narrowed(shape, None, None if other.high is None else other.high - 1)
            case "le":
                found[value] = narrowed(shape, None, other.high)
            case "gt":
                found[value] = narrowed(shape, None if other.low is None else other.low + 1, None)
            case "ge":
                found[value] = narrowed(shape, other.low, None)
            case "eq":
                found[value] = narrowed(shape, other.low, other.high)
            case _ if other.low is not None and other.low == other.high:
                found[value] = _without(shape, other.low)


def _nonzero(shape: Shape) -> Shape:
    return _without(shape, 0)


def _without(shape: Shape, number: int) -> Shape:
    """A range loses a number that stands at one of its ends."""
    if shape.low == number:
        return narrowed(shape, number + 1, None)
    if shape.high == number:
        return narrowed(shape, None, number - 1)
    return shape


def _is_interchangeable(value: object) -> bool:
    """Is a value of this exact type that equals it the same for every operation but `is`?"""
    if type(value) is float:
        return value != 0.0 and not math.isnan(value)
    return type(value) in (str, bytes)
