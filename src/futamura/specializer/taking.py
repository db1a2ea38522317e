"""Copies and parts of open lists and tuples whose length is promised: lists of known shape, of items that are read.

    points: list[float], length 3       list(points), points[:], [*points]    ->    [points[0], points[1], points[2]]
                                        points[1:]                            ->    [points[1], points[2]]
                                        reversed(points)                      points[2] first, when it is asked for

Invariant: items are taken when the copy is made, as long as the promise holds; what runs over the list itself looks at
it as late as before.
"""

from __future__ import annotations

from typing import Final

from futamura.specializer.machine import Machine
from futamura.specializer.promises import promised_item, promised_length
from futamura.specializer.values import AbstractValue, Dynamic, Known

__all__ = ["items_taken"]

_MOST: Final = 12
"""So many items are taken one by one."""


def items_taken(m: Machine, value: AbstractValue, part: slice | None = None) -> tuple[AbstractValue, ...] | None:
    """The items of an open list or tuple, or of a part of it, which are taken now; None if their number is not known,
    or too large."""
    if type(value) is not Dynamic or value.type not in (list, tuple):
        return None
    length = promised_length(value, m.state.intact)
    if length is None:
        return None
    places = range(length) if part is None else range(length)[part]
    if len(places) > _MOST:
        return None
    items: list[AbstractValue] = []
    for at in places:
        found = promised_item(value, Known(at), m.state.intact)
        assert found is not None
        items.append(m.emit("getitem", (value, Known(at)), type=found[0], raises=found[1]))
    return tuple(items)
