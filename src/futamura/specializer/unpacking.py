"""Unpacking of generators and other iterators that run code: their items are taken in line.

    left, right = (compile(part) for part in parts)    ->    the generator runs twice, and once more to its end
    x, y = point                                             so does what `Point.__iter__` gives
    factory(*(get(name) for name in needs))            ->    it runs to its end, then the call has its items

`library.up_to` takes as many items as Python would ask for; when it returns, the running frame unpacks its list, or
goes on with the call or the display.
Invariant: what is taken for a call or a display is its only starred operand, so nothing else is unpacked before or
after it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer import iterators, library
from futamura.specializer.generators import is_generator, may_go_on
from futamura.specializer.machine import Machine
from futamura.specializer.purity import HEAP_TYPE, class_lookup
from futamura.specializer.rules import OPERATOR_CALLS, exact_type, site
from futamura.specializer.state import Frame
from futamura.specializer.stepping import is_stepping
from futamura.specializer.values import AbstractValue, Dynamic, Known, VObject

__all__ = ["TAKING", "go_on", "taken"]

TAKING: Final[dict[str, Callable[[Machine, Frame, Operation, list[AbstractValue]], None]]] = {}
"""How each operator goes on with its operands, of which one is the list of what was taken."""

_STARS: Final = ("*", True)
"""How calls and displays mark a starred operand."""


def _unpack(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    value = args[0]
    if not (is_generator(m, value) or is_stepping(m, value) or _runs_code(m, value)):
        return False
    assert isinstance(op.attr, tuple)
    before, starred, after = op.attr
    if starred and _runs_code(m, value):
        return _enter(m, frame, op, iterators.front_and_rest, [value, Known(before)])
    if starred:
        return _enter(m, frame, op, library.list_of, [value])
    return _enter(m, frame, op, library.up_to, [value, Known(before + after)])


def _runs_code(m: Machine, value: AbstractValue) -> bool:
    """Is this an object whose class has an `__iter__` in Python, and no builtin base that has another one?"""
    cls = exact_type(m, value) if type(value) is not Dynamic else None
    if cls is None or not all(base is object or base.__flags__ & HEAP_TYPE for base in cls.__mro__):
        return False
    return isinstance(class_lookup(cls, "__iter__"), FunctionType)


def _enter(
    m: Machine,
    frame: Frame,
    op: Operation,
    taker: object,
    values: list[AbstractValue],
    operands: AbstractValue | None = None,
) -> bool:
    assert isinstance(taker, FunctionType)
    facts = m.resolve(taker)
    frames = m.state.frames
    if facts is None or len(frames) >= m.budget.depth or may_go_on(m, facts):
        return False
    env = dict(zip(facts.function.entry.params, values, strict=True))
    frames.append(Frame(facts, env, (*frame.chain, (frame.facts.uid, op.id)), purpose="unpack", subject=operands))
    m.folded += 1
    return True


def taken(m: Machine, frame: Frame, op: Operation, operands: list[AbstractValue]) -> bool:
    """Go on in the generator, or the steps of an iterator, that is the only starred one of these operands; False if
    there is none.

    The operands wait in a tuple of the frame that takes the items: for all else they are dead behind the operator.
    """
    at = _starred(op)
    if at is None or not (is_generator(m, operands[at]) or is_stepping(m, operands[at])):
        return False
    waiting = [Known(None) if place == at else operand for place, operand in enumerate(operands)]
    held = m.virtual(VObject("tuple", tuple, tuple(waiting), site=("taken", site(frame))))
    return _enter(m, frame, op, library.list_of, [operands[at]], held)


def _starred(op: Operation) -> int | None:
    """The place of the only starred operand; None where a mapping is merged, too, which may fail before."""
    if not isinstance(op.attr, tuple) or "**" in op.attr:
        return None
    found = [at for at, mark in enumerate(op.attr) if mark in _STARS]
    return found[0] + len(op.args) - len(op.attr) if len(found) == 1 else None


def go_on(m: Machine, operands: AbstractValue | None, items: AbstractValue) -> None:
    """All items have been taken, the frame that took them is left."""
    frame = m.state.top
    op = frame.facts.blocks[frame.block].ops[frame.index - 1]
    given = [items]
    if operands is not None:
        at = _starred(op)
        held = m.state.object(operands)
        count = len(op.args)
        waited = m.emit_many("unpack", (operands,), (count, False, 0), results=count) if held is None else held.items
        given = [items if place == at else operand for place, operand in enumerate(waited)]
    TAKING[op.operator.name](m, frame, op, given)


OPERATOR_CALLS["unpack"] = _unpack
