"""Programs that read what classes say about themselves: fields, annotations, members of enumerations."""

from __future__ import annotations

import dataclasses
import enum
import typing
from dataclasses import dataclass
from typing import Any

from ..table import Case, Subject
from .hostile import values


class Color(enum.Enum):
    RED = "r"
    BLUE = "b"
    SKY = "b"  # noqa: PIE796

    @property
    def loud(self):
        return self.name + "!"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Inner:
    a: int
    b: str = "x"


@dataclass
class Outer:
    inner: Inner
    items: list[Inner]
    maybe: int | None = None
    tag: typing.ClassVar[int] = 3
    other: dict[str, Color] = dataclasses.field(default_factory=dict)


class Plain:
    size: int
    name: "str | None"  # noqa: UP037


def named_fields(cls, x):
    return [(field.name, field.default is dataclasses.MISSING, x) for field in dataclasses.fields(cls)]


def hints(cls, x):
    found = {}
    for name, kind in typing.get_type_hints(cls).items():
        origin = typing.get_origin(kind)
        if origin is list:
            [item] = typing.get_args(kind)
            found[name] = ("list of", item.__name__, x)
        elif origin is None and dataclasses.is_dataclass(kind):
            found[name] = ("record", kind.__name__)
        else:
            found[name] = x
    return found


def parts(kind, x):
    found = typing.get_args(kind)
    for part in found:
        if isinstance(part, list):
            part.append(x)
    return found, typing.get_origin(kind) is None


def make(cls, x):
    value = cls(x, b="y") if cls is Inner else cls(Inner(x), [], x)
    return value, dataclasses.is_dataclass(value), [getattr(value, f.name) for f in dataclasses.fields(value)]


def color_of(text, x):
    color = Color(text)
    again = Color[color.name]
    if color is Color.RED:
        return "red", again.value, color.loud, color == x, x is color
    return [c.name for c in Color], again is Color.BLUE, isinstance(color, Color), color != Color.RED, bool(color)


def wrong_color(text, x):
    try:
        return Color(text)
    except ValueError as error:
        return str(error), x


def levels(n, x):
    return Level(n), Level(n) + 1, Level.HIGH > n, Level.LOW == x, [level for level in Level]  # noqa: C416, SIM300


def color_table(text, x):
    table = {Color.RED: 1, Color.BLUE: x}
    return table[Color(text)], Color.SKY in table


def _cases(function: Any, name: str, *found: Any, gone: tuple[str, ...] = ()) -> Subject:
    cases = [Case(getattr(v, "__name__", repr(v)), lambda v=v: (function, {name: v})) for v in found]  # type: ignore[misc]
    return Subject(function.__name__, cases, values(1), gone)


SUBJECTS = [
    _cases(named_fields, "cls", Inner, Outer, gone=("fields", "MISSING", "cls")),
    _cases(hints, "cls", Inner, Outer, Plain, gone=("get_type_hints", "get_origin", "is_dataclass")),
    _cases(parts, "kind", typing.Callable[[int], str], list[int], int | None, int),
    _cases(make, "cls", Inner, Outer, gone=("fields", "is_dataclass")),
    _cases(color_of, "text", "r", "b", gone=("Color", "loud", "SKY")),
    _cases(wrong_color, "text", "q"),
    _cases(levels, "n", 1, 2),
    _cases(color_table, "text", "r", "b", gone=()),
]
