"""A variable that names a row of a static table is the row itself: the rows are linked with each other.

    state = "idle"                              row = IDLE             IDLE = {"start": RUNNING, "stop": IDLE}
    for event in events:                 ->     for event in events:
        state = TABLE[state][event]                 row = row[event]
    return state                                return "idle" if row is IDLE else "running" if row is RUNNING else ...

So it is for a table whose keys are pairs, of which the row has the second parts.  A linked row has the keys of the row
that it stands for, in their order, and in place of a state that has a row that row, else what it is.  Where the state
itself is needed it is told by the row's identity, or, if that is so in the loop, each row comes in a pair with it.

Invariant: the rows of the table are believed not to change, and a look-up asks an open key what it was asked: linked
rows have the same keys, no two of one hash.  Of the pairs that a table has for keys, those that begin with another
state are not compared further; those of one state have equal hashes only if their second parts do.  Whether a key that
says no is compared once or twice depends on where the others lie, in a table of pairs with texts on the seed of hashes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from futamura.analysis.cfg import ControlFlow
from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Operation, Program
from futamura.ir.stamps import words_for
from futamura.specializer.automata import MOST_ENTRIES, Automaton, loop_depths
from futamura.specializer.entry_costs import Saved
from futamura.specializer.finite import Finite
from futamura.specializer.machine import Machine
from futamura.specializer.plainness import is_told_plainly
from futamura.specializer.relinked import relinked

__all__ = ["link"]

MOST_TABLES: Final = 16
"""Of one function."""


def link(m: Machine, program: Program, saved: Saved) -> Program:
    """The residual program with linked rows where loops look up one state after the other; what that saves is added."""
    if m.world.parting.begun or m.style.every_block:
        return program
    functions = [_linked(m, function, saved) for function in program.functions]
    if all(one is other for one, other in zip(functions, program.functions)):
        return program
    return Program(program.entry, tuple(functions))


def _linked(m: Machine, function: Function, saved: Saved) -> Function:
    if not _looks_up(function):
        return function
    rows = _Rows(m)
    done: dict[int, object] = {}
    finite = Finite(function, rows.items)
    while len(done) < MOST_TABLES:
        tables = [held.value for op in function.operations() if (held := _table_of(finite, op)) is not None]
        table = next((one for one in tables if id(one) not in done), None)
        if table is None:
            break
        done[id(table)] = table
        plan = Automaton(finite, rows.items, table)
        if plan.is_worth() and rows.believe():
            for block, price in plan.saves():
                saved[function.name, block] = saved.get((function.name, block), 0) + price
            function = relinked(finite, plan.linked())
            finite = Finite(function, rows.items)
    return function


def _looks_up(function: Function) -> bool:
    """Is there a loop, and a constant container that is looked into at an open place?"""
    made = [op for op in function.operations() if isinstance(op.attr, Constant)]
    tables = {op.results[0] for op in made if type(op.attr.value) in (dict, list)}  # type: ignore[attr-defined]
    constants = {op.results[0] for op in made}
    found = any(
        op.args[0] in tables and (op.attr == "get" if op.name == "getattr" else op.args[1] not in constants)
        for op in function.operations()
        if op.name in ("getattr", "getitem")
    )
    return found and bool(loop_depths(ControlFlow(function).successors))


def _table_of(finite: Finite, op: Operation) -> Constant | None:
    """The constant that is looked into at a place that is not constant."""
    if (op.name != "getitem" and finite.method(op, "get") is None) or len(op.args) < 2:
        return None
    table = op.args[0] if op.name == "getitem" else finite.method(op, "get")
    held = None if table is None or finite.constant(op.args[1]) is not None else finite.constant(table)
    return held if held is not None and type(held.value) in (dict, list) else None


class _Rows:
    """Static containers, as far as they may be looked into."""

    def __init__(self, m: Machine) -> None:
        self._m: Final = m
        self._found: Final[dict[int, Mapping[object, object] | None]] = {}
        self._objects: Final[list[object]] = []

    def items(self, container: object) -> Mapping[object, object] | None:
        """The items by key, if nobody is known to write the container, and its keys can be compared."""
        if id(container) not in self._found:
            self._found[id(container)] = self._items(container)
            self._objects.append(container)
        return self._found[id(container)]

    def _items(self, container: object) -> Mapping[object, object] | None:
        world = self._m.world
        if type(container) not in (dict, list, tuple) or not isinstance(container, dict | list | tuple):
            return None
        if len(container) > MOST_ENTRIES or not (type(container) is tuple or self._is_constant(container)):
            return None
        pairs = container if isinstance(container, dict) else dict(enumerate(container))
        if not all(map(is_told_plainly, pairs)):
            return None
        for item in pairs.values():
            if type(item) in (dict, list):
                world.found(container, item)
        return pairs

    def _is_constant(self, container: object) -> bool:
        """Does nobody write it, and is that not tested item by item?"""
        world = self._m.world
        by_stamp = id(container) not in world.filled or words_for(container) > 0
        return world.is_index(container) or (world.is_frozen(container) and by_stamp)

    def believe(self) -> bool:
        """The residual needs that nobody writes those that were looked into."""
        world = self._m.world
        used = [one for one in self._objects if type(one) is not tuple and self._found[id(one)] is not None]
        return all(world.is_index(one) or world.contents(one) for one in used)
