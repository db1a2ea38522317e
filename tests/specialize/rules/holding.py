"""Records that are made and never read: what they hold does not tell copies of the code apart, but all of it is there.

    Box(a, b or None, tags or [])      one copy of what follows, whatever the ways here

What is given back is an instance of the very class, with the attributes that Python gives it, shared objects included.
"""

from dataclasses import dataclass, field
from typing import Optional

from ..table import Case, Subject


@dataclass
class Box:
    name: str
    size: int = 3
    tags: list = field(default_factory=list)
    inner: Optional["Box"] = None


@dataclass(frozen=True)
class Point:
    x: float
    y: float = 0.0


@dataclass
class Counted:
    left: int = field(default=1, repr=False)
    right: object = None


def optional(keys, raw):
    given = {}
    for key in keys:
        if key in raw:
            given[key] = None if raw[key] == 0 else raw[key]
    made = Box(**given)
    return made, len(given)


def nested(depth, raw):
    inner = None
    shared = []
    for at in range(depth):
        inner = Box("b", at, shared, inner) if raw.get(at) else Box("c", inner=inner)
    shared.append(depth)
    return inner, shared


def read_late(k, raw):
    """What nothing had read is read in the end."""
    point = Point(1.0) if "x" in raw else Point(2.0, k)
    total = 0
    for key in raw:
        total += len(key)
    if total > 2:
        return point
    return point.x + total, point.y, point == Point(2.0, k), Counted() == Counted(1)


def written(k, raw):
    """An instance that is changed after it was made."""
    made = Counted(right=[])
    twin = Counted(right=made.right)
    for key in raw:
        made.left = key
        made.right.append(k)
    if len(raw) > 1:
        made.extra = k
    return made, twin, made.right is twin.right


def _case(function, **static):
    return [Case(", ".join(f"{name}={value!r:.40}" for name, value in static.items()), lambda: (function, static))]


def raws(*keys):
    return lambda random: ({key: random.choice((0, 1, "a")) for key in keys if random.random() < 0.6},)


SUBJECTS = [
    Subject("fields that may be absent", _case(optional, keys=("name", "size", "tags")), raws("name", "size", "tags")),
    Subject("records in records", _case(nested, depth=3), raws(0, 1, 2)),
    Subject("read at the end", _case(read_late, k=7), raws("x", "y", "zz")),
    Subject("records that are written", _case(written, k=5), raws("x", "y", "z")),
]
