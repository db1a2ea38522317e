"""Generators that a builtin uses up where the residual runs: they are made by residual generator functions.

    sum(w * v for w, v in zip((2, 3), vector))    ->    sum(items(iter(vector)))
                                                        def items(y): for v in y: break ... yield 2 * v ...

What such a generator computes is specialized like all other code, and its builtin keeps the order in which items are
computed and used: floats are added as `sum` adds them.
Invariant: the builtins named here look at nothing but the items of an iterator, and drop it.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Sequence
from types import FunctionType, GeneratorType
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer import iterators, library
from futamura.specializer.captures import Capture
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.functions import parts_of, settle_functions
from futamura.specializer.generators import arguments_of
from futamura.specializer.machine import Machine
from futamura.specializer.owned import NOTHING
from futamura.specializer.recursion import lent_objects
from futamura.specializer.residual import Lazy, ResidualOperation
from futamura.specializer.state import Frame, State, Suspension
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject

__all__ = ["with_real_generators"]

_CONSUMERS: Final = {
    id(function): function
    for function in (
        all, any, bytearray, bytes, dict, frozenset, list, max, min, set, sorted, sum, tuple,
        collections.Counter, collections.OrderedDict, collections.deque, math.fsum, math.prod,
    )
}  # fmt: skip
"""By identity, for what is called may be anything."""
_METHODS: Final[dict[type, tuple[str, ...]]] = {
    **dict.fromkeys((set, frozenset), ("union", "intersection", "difference", "symmetric_difference", "isdisjoint")),
    collections.deque: ("extend", "extendleft"),
    bytes: ("join",),
    bytearray: ("extend", "join"),
}
_MOST: Final = 64
"""So many residual functions are made of one generator function: its arguments may grow from call to call."""


def with_real_generators(
    m: Machine, frame: Frame, op: Operation, args: Sequence[AbstractValue], shape: object
) -> Sequence[AbstractValue]:
    """The operands of a call that stays, with the generator that the callee uses up made by a residual function.

    That is what it is given first and alone: of several arguments `max` may give one back.
    """
    at, more = _place_of_iterable(m, args[0])
    if not at or len(args) <= at:
        return args
    marks = shape if isinstance(shape, tuple) else ("",) * (len(args) - 1)
    others = any(mark in ("", "*") for mark in marks[at:])
    given = args[at]
    if marks[at - 1] != "" or (others and not more) or type(given) is not Virtual:
        return args
    return [*args[:at], _made(m, frame, op, given, args), *args[at + 1 :]]


def _place_of_iterable(m: Machine, callee: AbstractValue) -> tuple[int, bool]:
    """Which operand the callee uses up, 0 if none, and whether what follows it is something else."""
    entry = m.state.object(callee)
    if entry is not None and entry.kind == "method":
        owner = m.state.resolve(entry.items[0])
        of_dict = type(owner) is Known and owner.value is dict
        return int(entry.extra in (("fromkeys",) if of_dict else _METHODS.get(entry.cls, ()))), of_dict
    if type(callee) is not Known:
        return 0, False
    function = callee.value
    if function is collections._count_elements:  # type: ignore[attr-defined]
        return 2, False
    return int(id(function) in _CONSUMERS), function is sum or function is collections.deque


def _made(m: Machine, frame: Frame, op: Operation, arg: Virtual, args: Sequence[AbstractValue]) -> AbstractValue:
    generator = m.state.resolve(arg)
    entry = m.state.object(generator)
    if type(generator) is not Virtual or entry is None or entry.kind != "generator":
        return arg
    where = entry.extra
    if not isinstance(where, Suspension) or where.waiting is not None or where.made_by is None:
        return arg
    facts: FunctionFacts | None = where.facts
    if library.is_own(where.facts.namespace):
        facts = m.resolve(iterators.ENDING.get(where.made_by, where.made_by))  # type: ignore[arg-type]
    elif len(where.facts.function.regions) > 1:
        return arg  # what has something to do when it is dropped must be dropped in time
    if facts is None:
        return arg
    if m.versions.units_of(facts.uid) >= _MOST:
        return arg
    values = _own_values(m, entry, where)
    others = [other for other in args if other is not arg]
    if values is None or generator.oid in lent_objects(m, frame, op, [generator], others):
        return arg
    m.observe()
    settle_functions(m)
    for oid in lent_objects(m, frame, op, values, others):
        if m.state.heap[oid].kind != "forward":
            m.lift(Virtual(oid))
    env = dict(zip(facts.function.entry.params, [m.state.resolve(value) for value in values], strict=True))
    callee = State([Frame(facts, env)], dict(m.state.heap), dict(m.state.ages), intact=False, general=m.state.general)
    version = m.versions.arrive_unit(callee, plain=True)
    made = Dynamic(m.residual_value(None), GeneratorType)
    m.types[made.rv] = GeneratorType
    call = ResidualOperation("invoke", (), None, (made.rv,), m.span, lazy=Lazy(version, callee), where=frame.facts)
    m.block.ops.append(call)
    m.state.owned = NOTHING
    m.emitted += 1
    m.origins[made.rv] = call
    m.state.heap[generator.oid] = VObject("forward", entry.cls, (made,))
    return made


def _own_values(m: Machine, entry: VObject, where: Suspension) -> list[AbstractValue] | None:
    """What the generator is entered with, in variables of its own; None if it shares one that may be assigned before it
    is used up."""
    values = arguments_of(entry)
    own = tuple(values)
    count = len(where.facts.function.free)
    known = [Capture(False, False, False)] * count
    if isinstance(where.made_by, tuple):
        facts, attr, place = where.made_by
        function = VObject(
            "function", FunctionType, tuple(values[len(values) - count :]), site=place, extra=(facts, attr)
        )
        known = list(parts_of(m, function)[3])
    for at, capture in zip(range(len(values) - count, len(values)), known, strict=True):
        cell = m.state.resolve(values[at])
        held = m.state.object(cell)
        if held is not None and capture.passing:
            values[at] = Known(None)
        elif held is not None and capture.rests and held.items:
            values[at] = held.items[0]
        elif type(cell) is not Known:
            return None
    if any(_is_cell(m, leaf) for value in values for leaf in m.state.leaves(value)):
        return None  # a closure's variable, which others may assign
    for at, (value, capture) in enumerate(zip(own[len(values) - count :], known, strict=True), len(values) - count):
        held = m.state.object(value)
        if held is not None:
            values[at] = m.virtual(held.with_items(()) if capture.passing else held)
    return values


def _is_cell(m: Machine, value: AbstractValue) -> bool:
    held = m.state.object(value)
    return held is not None and held.kind == "cell"
