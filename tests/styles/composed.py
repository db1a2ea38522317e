"""Things that are put together of smaller ones: validators, matrices, layouts of bytes, columns of text, documents.

    problems(NAME, "x")    gives ["shorter than 2"]

Invariant: each function takes what is static first and gives the same for the same inputs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Check:
    """A validator; `&` wants both, `|` one of the two, `~` the opposite."""

    def __init__(self, test: Callable[[Any], bool], text: str) -> None:
        self.test = test
        self.text = text

    def __call__(self, value: Any) -> list[str]:
        return [] if self.test(value) else [self.text]

    def __and__(self, other: Check) -> Check:
        return Both(self, other)

    def __or__(self, other: Check) -> Check:
        return Either(self, other)

    def __invert__(self) -> Check:
        return Check(lambda value: bool(self(value)), f"not: {self.text}")


class Both(Check):
    def __init__(self, first: Check, second: Check) -> None:
        self.first, self.second = first, second
        self.text = f"{first.text} and {second.text}"

    def __call__(self, value: Any) -> list[str]:
        return self.first(value) + self.second(value)


class Either(Check):
    def __init__(self, first: Check, second: Check) -> None:
        self.first, self.second = first, second
        self.text = f"{first.text} or {second.text}"

    def __call__(self, value: Any) -> list[str]:
        return [] if not self.first(value) or not self.second(value) else [self.text]


def instance(kind: type) -> Check:
    return Check(lambda value: isinstance(value, kind), f"no {kind.__name__}")


def longer(size: int) -> Check:
    return Check(lambda value: not isinstance(value, str) or len(value) >= size, f"shorter than {size}")


def between(low: float, high: float) -> Check:
    return Check(lambda value: isinstance(value, (int, float)) and low <= value <= high, f"not in {low}..{high}")


NAME = instance(str) & longer(2) & ~Check(lambda value: value == "admin", "other name")
AMOUNT = (instance(int) | instance(float)) & between(0, 100)


def problems(check: Check, value: Any) -> list[str]:
    return check(value)


def form_problems(form: dict[str, Check], data: dict[str, Any]) -> dict[str, list[str]]:
    found = {}
    for name, check in form.items():
        if name not in data:
            found[name] = ["missing"]
        elif wrong := check(data[name]):
            found[name] = wrong
    return found


FORM = {"name": NAME, "amount": AMOUNT}


class Matrix:
    """A known matrix; `@` with a vector computes, `+` and `*` with matrices make others."""

    def __init__(self, rows: list[list[float]]) -> None:
        self.rows = rows

    def __matmul__(self, other: list[Any]) -> list[Any]:
        return [sum(a * x for a, x in zip(row, other) if a) for row in self.rows]

    def __add__(self, other: Matrix) -> Matrix:
        return Matrix([[a + b for a, b in zip(one, two)] for one, two in zip(self.rows, other.rows)])

    def __mul__(self, factor: float) -> Matrix:
        return Matrix([[a * factor for a in row] for row in self.rows])


ROTATED = Matrix([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
SHEARED = Matrix([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


def moved(steps: list[Matrix], weight: float, point: list[float]) -> list[float]:
    """All steps one after the other, then the weighted mean of both kinds."""
    for step in steps:
        point = step @ point
    return (steps[0] * weight + steps[-1] * (1 - weight)) @ point


class Field:
    """A descriptor that knows its name, and how to read itself out of bytes."""

    size = 0

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def read(self, data: bytes, at: int, made: dict[str, Any]) -> tuple[Any, int]:
        raise NotImplementedError


class Number(Field):
    def __init__(self, size: int, signed: bool = False) -> None:
        self.size = size
        self.signed = signed

    def read(self, data: bytes, at: int, made: dict[str, Any]) -> tuple[Any, int]:
        end = at + self.size
        if end > len(data):
            raise ValueError(f"{self.name}: the data ends at {len(data)}")
        return int.from_bytes(data[at:end], "big", signed=self.signed), end


class Text(Field):
    def __init__(self, length: str) -> None:
        self.length = length

    def read(self, data: bytes, at: int, made: dict[str, Any]) -> tuple[Any, int]:
        end = at + made[self.length]
        return data[at:end].decode("ascii"), end


class Repeated(Field):
    def __init__(self, count: str, item: Field) -> None:
        self.count = count
        self.item = item

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.item.name = name

    def read(self, data: bytes, at: int, made: dict[str, Any]) -> tuple[Any, int]:
        values = []
        for _ in range(made[self.count]):
            value, at = self.item.read(data, at, made)
            values.append(value)
        return values, at


class Layout:
    """What inherits from this declares its fields in order."""

    @classmethod
    def fields(cls) -> Iterator[Field]:
        for value in vars(cls).values():
            if isinstance(value, Field):
                yield value

    @classmethod
    def parse(cls, data: bytes) -> dict[str, Any]:
        made: dict[str, Any] = {}
        at = 0
        for one in cls.fields():
            made[one.name], at = one.read(data, at, made)
        if at != len(data):
            raise ValueError(f"{len(data) - at} bytes too many")
        return made


class Packet(Layout):
    version = Number(1)
    size = Number(1)
    name = Text("size")
    count = Number(1)
    values = Repeated("count", Number(2, signed=True))


def unpacked(layout: type[Layout], data: bytes) -> dict[str, Any]:
    return layout.parse(data)


class Align(Enum):
    LEFT = "<"
    RIGHT = ">"
    CENTER = "^"


@dataclass
class Column:
    title: str
    width: int
    align: Align = Align.LEFT
    show: Callable[[Any], str] = str
    cut: bool = True


@dataclass
class Listing:
    columns: list[Column] = field(default_factory=list)
    gap: str = " | "

    def cell(self, column: Column, text: str) -> str:
        if len(text) > column.width and column.cut:
            text = text[: column.width - 1] + "~"
        return format(text, f"{column.align.value}{column.width}")

    def lines(self, rows: list[dict[str, Any]]) -> Iterator[str]:
        yield self.gap.join(self.cell(column, column.title) for column in self.columns)
        yield "-" * (sum(column.width for column in self.columns) + len(self.gap) * (len(self.columns) - 1))
        for row in rows:
            yield self.gap.join(self.cell(column, column.show(row.get(column.title, ""))) for column in self.columns)


BOOKS = Listing([
    Column("title", 12), Column("year", 6, Align.RIGHT), Column("price", 8, Align.RIGHT, lambda x: f"{x:.2f}", False),
])  # fmt: skip


def listed(listing: Listing, rows: list[dict[str, Any]]) -> str:
    return "\n".join(listing.lines(rows))


@dataclass(frozen=True)
class Node:
    pass


@dataclass(frozen=True)
class Words(Node):
    text: str


@dataclass(frozen=True)
class Slot(Node):
    name: str


@dataclass(frozen=True)
class Element(Node):
    tag: str
    parts: tuple[Node, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Each(Node):
    name: str
    body: Node


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@functools.singledispatch
def rendered(node: Node, data: dict[str, Any]) -> str:
    raise TypeError(f"cannot render {type(node).__name__}")


@rendered.register
def _(node: Words, data: dict[str, Any]) -> str:
    return escaped(node.text)


@rendered.register
def _(node: Slot, data: dict[str, Any]) -> str:
    return escaped(str(data[node.name]))


@rendered.register
def _(node: Element, data: dict[str, Any]) -> str:
    attributes = "".join(f' {name}="{escaped(value)}"' for name, value in node.attributes)
    inside = "".join(rendered(part, data) for part in node.parts)
    return f"<{node.tag}{attributes}>{inside}</{node.tag}>" if node.parts else f"<{node.tag}{attributes}/>"


@rendered.register
def _(node: Each, data: dict[str, Any]) -> str:
    return "".join(rendered(node.body, {**data, "item": item}) for item in data[node.name])


PAGE = Element(
    "main",
    (
        Element("h1", (Words("Books & more of "), Slot("owner"))),
        Element("hr"),
        Element("ul", (Each("books", Element("li", (Slot("item"),), (("class", "book"),))),)),
    ),
)


def page(tree: Node, data: dict[str, Any]) -> str:
    return rendered(tree, data)
