"""Specialization points: a block of the source with the values of its static variables, and residual code for each.

    (L2, {"i": 3, "total": dynamic})     ->     block `L2` of the residual function number 4, a parameter for `total`

`StaticValues` gives each static value a small number by what it is, exactly (1, True and 1.0 differ; mutable objects by
identity), so that stores compare fast however large the values are; a tuple's comes from those of its items.

Invariant: two points of one function have different keys; the code of a point refers to no value of another point
except through its parameters.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.constant import exact_key
from futamura.ir.graph import Region, Value
from futamura.specializer.offline.early import Walk
from futamura.specializer.offline.structures import Shape

__all__ = ["Extent", "Path", "Point", "StaticValues", "Store", "Unit"]

Store: TypeAlias = "tuple[tuple[Value, int], ...]"
"""The static values of a point, by increasing number, each as `StaticValues.number` has it."""

Extent: TypeAlias = "tuple[int, object]"
"""One copy of a region of the source: the region, and the point through which it was entered."""

Path: TypeAlias = "tuple[Extent, ...]"


class StaticValues:
    """Numbers for static values."""

    def __init__(self) -> None:
        self._numbers: Final[dict[object, int]] = {}
        self._known: Final[dict[int, tuple[object, int]]] = {}

    def number(self, value: object) -> int:
        """Equal for two values if and only if no program can tell them apart by value."""
        known = self._known.get(id(value))
        if known is not None:
            return known[1]
        if isinstance(value, Walk):
            key: object = ("walk", self.number(value.items), value.position)
        elif isinstance(value, Shape):
            key = ("shape", value.kind, self.number(value.keys))
        elif type(value) is tuple:
            key = (tuple, tuple([self.number(item) for item in value]))
        else:
            key = exact_key(value)
        number = self._numbers.setdefault(key, len(self._numbers))
        self._known[id(value)] = (value, number)  # keeps the value alive, and with it its identity
        return number


@dataclass(slots=True, eq=False)
class Point:
    """A block under a static store; `out` is the residual block where its code begins."""

    block: int
    store: dict[Value, Any]
    path: Path
    out: BlockBuilder
    dynamic: dict[Value, Value]
    """The residual parameter of each dynamic value that the block takes, in order."""
    label: str = ""


@dataclass(slots=True, eq=False)
class Unit:
    """One residual function under construction."""

    name: str
    builder: FunctionBuilder
    regions: tuple[Region, ...]
    """The regions of the source."""
    table: dict[tuple[int, Path, Store], Point] = field(default_factory=dict)
    work: deque[Point] = field(default_factory=deque)
    places: dict[int, Path] = field(default_factory=dict)
    """The copies of regions in which each residual block lies."""
    handlers: dict[Path, int] = field(default_factory=dict)
    """The residual handler of each copy of a try region."""
    names: dict[int, str] = field(default_factory=dict)
    """The residual blocks where points begin, with label and store."""
    cells: dict[Value, Value] = field(default_factory=dict)
    """For each residual value that is a cell the result of the operation that makes it."""
