"""Attributes that a static object computes when it first needs them: `functools.cached_property`, undeclared.

    self.label          what its function gives; the bare read `self.label` is left, by which the object keeps it
    self.by_name[k]     a dict is known as if the object had it; where the dict itself is needed, it is `self.by_name`

A static input is what it was when the residual was made, so the function gives the same whoever asks first, before or
between the calls of the residual.  It is entered once in each attempt, for what it assumes and reads.

Invariant: only where the function leaves no operation, and neither writes attributes of static objects nor reads any
that the code writes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Program
from futamura.specializer import library
from futamura.specializer.aliasing import Apart, KeptBy
from futamura.specializer.binding import Keywords
from futamura.specializer.caching import same
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS
from futamura.specializer.partials import Call
from futamura.specializer.purity import deep
from futamura.specializer.realizing import realized
from futamura.specializer.residual import ResidualOperation
from futamura.specializer.restoring import store_new
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known
from futamura.specializer.world import World

__all__ = ["by_owner", "check_stand_ins", "settling_call"]

def settling_call(m: Machine, target: Known, found: functools.cached_property[object], name: str) -> Call | None:
    """The call that finds out what a static object computes under `name`; None if it is read at run time."""
    place = (m.world.serial(target.value), name)
    if m.world.is_of_a_constant(target.value) or m.world.objects.compares(target.value):
        return None
    if found.attrname != name or type(found.func) is not FunctionType or not m.world.contents(target.value):
        return None
    if ("settled", *place) in m.refused:
        return None
    m.read_places.add(place)  # who stores it himself starts again
    if place in m.kept.values:
        return Known(library.itself), [_kept(m, target, name, m.kept.values[place])], []
    m.kept.begun[place] = m.emitted
    return Known(library.settled), [target, Known(name), Known(found.func)], []


def _settle(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords) -> AbstractValue:
    """The function of an attribute is done: its value, if it has left nothing behind."""
    target, key, value = args
    assert type(target) is Known and type(key) is Known and isinstance(key.value, str)
    name, place = key.value, (m.world.serial(target.value), key.value)
    real = realized(m.state, value) if m.kept.begun.pop(place, None) == m.emitted else None
    if real is None:
        m.refuse(("settled", *place), "what a static object computes is not static")
    stands, parts = real.value, [*real.made.values()]
    if deep(stands) or not any(part is stands for part in parts):
        m.kept.found[id(target.value), name] = None
        return _kept(m, target, name, Known(stands))
    first, first_parts = m.world.settled.setdefault(place, (stands, parts))
    if first is not stands and not same(first, stands):
        m.refuse(("settled", *place), "what a static object computes is another thing each time")
    m.world.freeze(first)
    m.kept.found[id(target.value), name] = first
    m.kept.reads.update((id(part), functools.partial(_inner, m, place)) for part in first_parts if not deep(part))
    m.kept.reads[id(first)] = functools.partial(_read, m, target, name)
    return _kept(m, target, name, Known(first))


def _kept(m: Machine, target: Known, name: str, value: Known) -> Known:
    """`value`, after the read by which the object keeps it."""
    m.kept.values[m.world.serial(target.value), name] = value
    before = store_new(m, m.world, target.value)
    m.kept.bare[_read(m, target, name)] = before
    return value


def _read(m: Machine, target: Known, name: str) -> int:
    """What the object has kept under this name."""
    found, where = m.residual_value(), m.state.frames[-1].facts
    m.block.ops.append(ResidualOperation("getattr", (m.lift(target),), name, (found,), m.span, where=where))
    m.kept.made[found] = (m.world.serial(target.value), name)
    return found


def _inner(m: Machine, place: tuple[int, str]) -> int:
    """A part of what an object has kept: there is no name for it."""
    m.refuse(("settled", *place), "a part of what a static object computes is needed itself")


def check_stand_ins(m: Machine, program: Program, apart: Callable[[], Apart]) -> None:
    """Refuse what the residual would hold, or compare at its entry, in place of what a static object keeps."""
    stand_ins = {id(part): place for place, (_, parts) in m.world.settled.items() for part in parts if not deep(part)}
    if not stand_ins:
        return
    ops = [op for function in program.functions for op in function.operations()]
    held = [part for op in ops if isinstance(op.attr, Constant) for part in _in_tuples(op.attr.value)]
    for part in (*held, *apart().objects):
        if id(part) in stand_ins:
            m.refuse(("settled", *stand_ins[id(part)]), "what a static object computes is needed itself")


def by_owner(world: World, apart: Apart) -> Apart:
    """The objects that no open input may be, with the attributes of the real ones for those that stand for them."""
    owners = {id(first): place for place, (first, _) in world.settled.items()}
    kept = [value for value in apart.objects if id(value) in owners]
    if not kept:
        return apart
    named = [(value, *owners[id(value)]) for value in kept]
    return Apart(
        apart.names,
        tuple(value for value in apart.objects if id(value) not in owners),
        tuple(KeptBy(world.by_serial(number), name, type(value)) for value, number, name in named),
    )


def _in_tuples(value: object) -> list[object]:
    found = [value]
    for item in found:
        if type(item) in (tuple, frozenset) and not deep(item):
            assert isinstance(item, (tuple, frozenset))
            found.extend(item)
    return found


KEYWORD_MODELS[library.keeping] = _settle
