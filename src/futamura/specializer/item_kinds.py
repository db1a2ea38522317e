"""What a static container gives for a key that is open: the class that all its items have, and what is in them.

    CRC[(crc ^ byte) & 255]        CRC a list of ints          an int
    table[state][letter]           a dict of dicts of texts    a dict whose keys and values are texts, then a text

What is in items that could be written holds while the state is intact, as what is promised of inputs does.

Invariant: contents that are looked at were read: a later store to them starts again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from futamura.specializer.bounds import is_within
from futamura.specializer.machine import Machine
from futamura.specializer.rules import exact_type
from futamura.specializer.values import AbstractValue, Dynamic, Known, Shape, tuple_shape

__all__ = ["is_inside", "item_for_open_key"]

_EXACT: Final = frozenset(
    {int, bool, float, complex, str, bytes, list, tuple, dict, set, frozenset, type(None), range, bytearray}
)
_SCALARS: Final = frozenset({int, bool, float, complex, str, bytes, type(None)})
_SEQUENCES: Final = (str, bytes, list, tuple)
_BOUNDS: Final = (int, bool, type(None))
_MOST: Final = 1024
"""Items of a container that are looked at, and of all its items together."""
_MOST_ROWS: Final = 64

_NOTHING: Final = Dynamic(-1)


def item_for_open_key(m: Machine, target: AbstractValue, key: AbstractValue) -> Dynamic:
    """What is known of `target[key]`, if that gives something; the number of the value says nothing."""
    if type(target) is not Known or type(target.value) not in (list, tuple, dict):
        return _NOTHING
    content: Any = target.value
    if type(content) is not dict and exact_type(m, key) not in (int, bool):
        return _NOTHING  # a slice, for one
    if not 0 < len(content) <= _MOST or not _is_static(m, content):
        return _NOTHING
    items = content.values() if type(content) is dict else content
    kind = _class_of_all(items)
    if kind is None:
        return _NOTHING
    return Dynamic(-1, kind, None if kind in _SCALARS else _shape(m, content, list(items)))


def is_inside(m: Machine, target: AbstractValue, key: AbstractValue) -> bool:
    """Has this list or tuple an item at every place that the key may name, or this sequence all its parts?"""
    if exact_type(m, target) in _SEQUENCES and _cuts(m, key):
        return True
    content: Any = target.value if type(target) is Known else None
    return type(content) in (list, tuple) and is_within(key, len(content)) and _is_static(m, content)


def _cuts(m: Machine, key: AbstractValue) -> bool:
    """Is this a slice that any sequence has: its bounds are ints or None, and its step is not 0?"""
    if type(key) is Known:
        if type(key.value) is not slice:
            return False
        bounds: Any = [Known(part) for part in (key.value.start, key.value.stop, key.value.step)]
    else:
        entry = m.state.object(key)
        if entry is None or entry.kind != "slice":
            return False
        bounds = [m.state.resolve(item) for item in entry.items]
    step = bounds[2]
    if type(step) is not Known or not (step.value is None or (type(step.value) is int and step.value)):
        return False
    return all(exact_type(m, part) in _BOUNDS for part in bounds)


def _is_static(m: Machine, content: object) -> bool:
    """May it be looked at?  What a registry holds is compared at each call: that is worth its items, and no class."""
    return type(content) is tuple or (id(content) not in m.world.filled and m.world.contents(content))


def _class_of_all(items: Iterable[object]) -> type | None:
    """The class of all of these, if it is one of those whose instances keep it."""
    kinds = set(map(type, items))
    return kinds.pop() if len(kinds) == 1 and kinds <= _EXACT else None


def _shape(m: Machine, content: object, rows: list[Any]) -> Shape | None:
    """What all these lists, tuples or dicts have in common."""
    kind = type(rows[0])
    if kind not in (list, tuple, dict) or len(rows) > _MOST_ROWS or not 0 < sum(map(len, rows)) <= _MOST:
        return None
    for row in rows:
        m.reads(content, row)
        if not _is_static(m, row):
            return None
    if kind is tuple and len(set(map(len, rows))) == 1:
        return tuple_shape(tuple([_scalar(column) for column in zip(*rows)]))
    if kind is dict:
        keys = _scalar(key for row in rows for key in row)
        values = _scalar(value for row in rows for value in row.values())
        return None if keys is None else Shape(items=(keys, values))
    element = _scalar(item for row in rows for item in row)
    return None if element is None else Shape(element=element)


def _scalar(items: Iterable[object]) -> type | None:
    kind = _class_of_all(items)
    return kind if kind in _SCALARS else None
