"""Trees walked in different styles: methods of node classes, match on dataclasses, tuples, closures, inheritance.

    total(SUM, {"x": 3})    gives 13

Invariant: each function takes what is static first and gives the same for the same inputs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Node:
    def value(self, names: dict[str, int]) -> int:
        raise NotImplementedError


class Number(Node):
    def __init__(self, number: int) -> None:
        self.number = number

    def value(self, names: dict[str, int]) -> int:
        return self.number


class Name(Node):
    def __init__(self, name: str) -> None:
        self.name = name

    def value(self, names: dict[str, int]) -> int:
        return names[self.name]


class Pair(Node):
    """The base of the operators: subclasses say how two values are put together."""

    def __init__(self, left: Node, right: Node) -> None:
        self.left, self.right = left, right

    def value(self, names: dict[str, int]) -> int:
        return self.join(self.left.value(names), self.right.value(names))

    def join(self, left: int, right: int) -> int:
        raise NotImplementedError


class Plus(Pair):
    def join(self, left: int, right: int) -> int:
        return left + right


class Times(Pair):
    def join(self, left: int, right: int) -> int:
        return left * right


SUM = Plus(Times(Number(4), Name("x")), Plus(Number(1), Times(Name("x"), Number(0))))


def total(tree: Node, names: dict[str, int]) -> int:
    return tree.value(names)


@dataclass(frozen=True)
class Is:
    field: str
    value: Any


@dataclass(frozen=True)
class Both:
    left: Any
    right: Any


@dataclass(frozen=True)
class Either:
    left: Any
    right: Any


QUERY = Both(Is("kind", "book"), Either(Is("year", 1999), Is("language", "nl")))


def fits(query: Any, row: dict[str, Any]) -> bool:
    """Queries as dataclasses, taken apart by class patterns."""
    match query:
        case Is(field=field, value=value):
            return bool(row.get(field) == value)
        case Both(left=left, right=right):
            return fits(left, row) and fits(right, row)
        case Either(left=left, right=right):
            return fits(left, row) or fits(right, row)
    raise TypeError(query)


def lisp(expression: Any, x: int) -> Any:
    """A little Lisp of nested tuples."""
    if isinstance(expression, int):
        return expression
    if expression == "x":
        return x
    operator, *operands = expression
    if operator == "if":
        condition, then, otherwise = operands
        return lisp(then, x) if lisp(condition, x) else lisp(otherwise, x)
    values = [lisp(operand, x) for operand in operands]
    if operator == "+":
        return sum(values)
    if operator == "*":
        product = 1
        for value in values:
            product = product * value
        return product
    if operator == "<":
        return values[0] < values[1]
    raise ValueError(operator)


POLYNOMIAL = ("if", ("<", "x", 10), ("+", 1, ("*", 2, "x"), ("*", 3, "x", "x")), 0)

Check = Callable[[Any], str]


def number(low: int, high: int) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, int):
            return "no number"
        return "" if low <= value <= high else f"not between {low} and {high}"

    return check


def text(longest: int) -> Check:
    def check(value: Any) -> str:
        if not isinstance(value, str):
            return "no text"
        return "" if len(value) <= longest else "too long"

    return check


def record(fields: dict[str, Check]) -> Check:
    def check(value: Any) -> str:
        for name, inner in fields.items():
            if name not in value:
                return f"{name} is missing"
            problem = inner(value[name])
            if problem:
                return f"{name}: {problem}"
        return ""

    return check


PERSON = record({"name": text(20), "age": number(0, 130), "home": record({"street": text(40), "floor": number(0, 9)})})


def problem(check: Check, value: Any) -> str:
    """Validators made of closures."""
    return check(value)
