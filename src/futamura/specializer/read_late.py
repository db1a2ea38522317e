"""Globals that the residual needs as they are: read when it runs, they need no test at entry.

    def area(self):                          nothing folds because it is known what `ValueError` is, but that would be
        if self.r < 0:                ->     tested at each call: the residual reads it where the source does
            raise ValueError(self.r)

Whether something folds because of a name is found out by trying: specialization is done once more without those that
are left in the residual, and the residual of which one call takes less is taken.  So it is done for short ones only,
where these tests are more than a small part of a call.

Invariant: only counts decide, as in `entry_costs.py`.
"""

from __future__ import annotations

import builtins
import operator
from types import FunctionType
from typing import Final

from futamura.ir.classes import extends, is_a
from futamura.ir.constant import Constant
from futamura.ir.graph import Program
from futamura.ir.stamps import FEW_OWN_NAMES
from futamura.specializer.assumption import Assumption
from futamura.specializer.entry_costs import cost_of, time_left
from futamura.specializer.machine import Machine
from futamura.specializer.outcome import Outcome

__all__ = ["better_of", "late_names"]

_NAMED: Final = (type, FunctionType)
_SAYING_LITTLE: Final = ("NotImplemented", "isinstance", "issubclass", "callable")
"""Builtins of which it tells the optimizer nothing more that they are these; nor do classes of exceptions."""
_PART: Final = 0.02
"""Tests that take less of a call than this are not worth another attempt."""
_LEAST: Final = 4
"""Nor are so few nanoseconds."""


def late_names(m: Machine, program: Program) -> frozenset[str]:
    """The globals of the residual's own module that are tested one by one, and are left in it; none if they are many,
    which one test tells, or if that is little of what a call takes."""
    world, assumed = m.world, m.world.assumptions.values()
    own = [one for one in assumed if one.kind == "global" and one.holder is m.home]
    if world.late or not (world.assumes and world.objects.tested) or not 0 < len(own) <= FEW_OWN_NAMES:
        return frozenset()
    read, constants = _needed(program, str(m.home.get("__name__")))
    late = [one for one in own if _may_be_late(m, one) and (one.name in read or id(one.value) in constants)]
    others = [one for one in assumed if one not in late]
    if cost_of(assumed, m.home) - cost_of(others, m.home) < max(_LEAST, _PART * time_left(program)):
        return frozenset()
    return frozenset([one.name for one in late])


def better_of(found: Outcome, late: Outcome) -> Outcome:
    """The one of which a call takes less, by each guess; `late` only if it gives up what the other one does, for the
    same reasons, and leaves no more, but for what reads the names."""
    short = late.program is not None and late.stats["left"] <= found.stats["left"] + len(found.late)
    alike = {event.code for event in found.events} == {event.code for event in late.events}
    if short and alike and _takes_less(late, found):
        return late
    found.late = frozenset()
    return found


def _takes_less(one: Outcome, other: Outcome) -> bool:
    return all(map(operator.gt, one.nets, other.nets))


def _may_be_late(m: Machine, one: Assumption) -> bool:
    if one.name == m.own_name or one.name in m.hidden:
        return False
    value = one.value
    if one.name in _SAYING_LITTLE and value is getattr(builtins, one.name):
        return True
    own = is_a(value, _NAMED) and getattr(value, "__module__", None) != "builtins"
    return own or (is_a(value, type) and extends(value, BaseException))


def _needed(program: Program, module: str) -> tuple[set[str], set[int]]:
    """The globals of the module that the residual reads, and the objects that are constants of it."""
    read: set[str] = set()
    constants: set[int] = set()
    for function in program.functions:
        for op in function.operations():
            if op.name == "global_get" and isinstance(op.attr, tuple) and op.attr[0] == module:
                read.add(op.attr[1])
            elif op.name == "const" and isinstance(op.attr, Constant):
                constants.add(id(op.attr.value))
    return read, constants
