"""What the list operators do to abstract values: car, cdr, cons and null of exact tuples, and show.

    cons Dynamic 3, Known (1,)         ->  a virtual tuple (Dynamic 3, Known 1)
    cdr  virtual (Dynamic 3, Known 1)  ->  a virtual tuple (Known 1)
    car  Known ()                      ->  stays, and raises where it stands

A list that is only taken apart has as many values as it has items, so `cdr` does not age; `cons` does.
Invariant: what would raise is emitted, never folded; what raises always ends its way.
"""

from __future__ import annotations

from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.rules import exact_type, hint_of, rule, sequence_items, site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, VObject

__all__ = ["list_operator", "show"]


def _items(m: Machine, value: AbstractValue) -> tuple[AbstractValue, ...] | None:
    """The items of an exact tuple whose length is known."""
    if exact_type(m, value) is not tuple:
        return None
    found = sequence_items(m, value)
    return None if found is None or found[0] is not tuple else found[1]


@rule("car", "cdr", "cons", "null")
def list_operator(m: Machine, frame: Frame, op: Operation) -> None:
    name = op.operator.name
    args = [m.get(frame, arg) for arg in op.args]
    result = _cons(m, frame, args[0], args[1]) if name == "cons" else _taken_apart(m, frame, name, args[0])
    if result is None and _fails(name, args):
        m.emit(name, args)
        m.end("unreachable")
        return
    if result is None:
        kind = {"car": None, "null": bool}.get(name, tuple)
        result = m.emit(name, args, type=kind, hint=hint_of(frame, op))
    else:
        m.folded += 1
    m.set(frame, op, result)


def _fails(name: str, args: list[AbstractValue]) -> bool:
    """Does the operator raise, whatever happens?"""
    value = args[-1]
    if type(value) is not Known:
        return False
    return type(value.value) is not tuple or (not value.value and name in ("car", "cdr"))


def _taken_apart(m: Machine, frame: Frame, name: str, value: AbstractValue) -> AbstractValue | None:
    items = _items(m, value)
    if items is None or (not items and name != "null"):
        return None
    if name == "null":
        return Known(not items)
    if name == "car":
        return items[0]
    if type(value) is Known:
        assert isinstance(value.value, tuple)
        return m.known(value.value[1:], m.state.age(value))
    return _sequence(m, frame, items[1:])


def _cons(m: Machine, frame: Frame, item: AbstractValue, value: AbstractValue) -> AbstractValue | None:
    items = _items(m, value)
    if items is None or len(items) >= m.budget.virtual_length:
        return None
    if type(item) is Known and type(value) is Known:
        assert isinstance(value.value, tuple)
        age = max(m.older(item), m.older(value))
        return m.known((item.value, *value.value), age)
    return _sequence(m, frame, (item, *items))


def _sequence(m: Machine, frame: Frame, items: tuple[AbstractValue, ...]) -> AbstractValue:
    """A tuple of these items; a virtual one, unless there are none."""
    return m.virtual(VObject("tuple", tuple, items, site=site(frame))) if items else Known(())


@rule("show")
def show(m: Machine, frame: Frame, op: Operation) -> None:
    m.emit("show", (m.get(frame, op.args[0]),), results=0)
