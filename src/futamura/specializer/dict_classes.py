"""New instances of classes, those that extend `dict` with what they hold, as `dict.__init__` fills it.

    class Scope(dict): pass
    Scope(zip(names, values), depth=1)     ->    an instance that holds the pairs and "depth"

Invariant: an instance is given to the program only when all of its arguments are understood.
"""

from __future__ import annotations

from futamura.ir.graph import Operation
from futamura.specializer.containers import store_item
from futamura.specializer.extended import dict_held, extends_dict
from futamura.specializer.machine import Machine
from futamura.specializer.models import METHODS, Keywords
from futamura.specializer.state import Frame
from futamura.specializer.values import HELD, AbstractValue, Known, Virtual, VObject

__all__ = ["empty_instance", "filled_by_arguments"]


def empty_instance(m: Machine, cls: type, place: object) -> Virtual:
    """An instance without attributes, which holds an empty dict if its class extends `dict`."""
    if not extends_dict(cls):
        return m.virtual(VObject("instance", cls, (), site=place))
    m.extended = True
    held = m.virtual(VObject("dict", dict, (), (), place, HELD))
    return m.virtual(VObject("instance", cls, (held,), (HELD,), place))


def filled_by_arguments(
    m: Machine, frame: Frame, op: Operation, subject: Virtual, args: list[AbstractValue], keywords: Keywords
) -> bool:
    """Do what `dict.__init__` does with these arguments; False if they are not known well enough."""
    held = dict_held(m.state, subject)
    if held is None:
        return False
    filled = METHODS["dict", "__init__"](m, frame, op, held, m.state.heap[held.oid], args)
    for name, value in keywords if filled is not None else ():
        store_item(m, held, Known(name), value)
    return filled is not None
