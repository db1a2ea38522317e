"""A function taken out of a static table at a place that is not known is one of few: the call becomes a way for each.

    HANDLERS[op](x)      HANDLERS static, op open     ->     f = HANDLERS[op]
                                                             if f is add: ...the body of add
                                                             else: ...the body of the other one

Of a key that is a tuple some parts may be known: `HANDLERS["locked", event]` is one of those of "locked".
The look-up stays as it is, with its errors.  What it gave is asked for its identity, and in each way the function is
known, so that it is entered like any other.  The ways meet again behind the call.

Invariant: the table is believed not to change, so nothing else than what it holds can have come out of it.
"""

from __future__ import annotations

from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Final, TypeAlias

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.plainness import comparable
from futamura.specializer.purity import deep
from futamura.specializer.refinement import refused_by
from futamura.specializer.residual import ResidualBlock
from futamura.specializer.state import Frame, State
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, VObject

__all__ = [
    "Parts", "branch_on_function", "fork", "known_parts", "may_equal", "meet_behind", "note_choice",
    "note_choice_of_get",
]  # fmt: skip

_FUNCTIONS: Final = (FunctionType, BuiltinFunctionType, type)
Parts: TypeAlias = "list[Known | None] | None"
"""What is known of the parts of a tuple; None of what may be none."""
MOST: Final = 8
"""So many functions may be told apart at a call."""
OTHER: Final = object()
"""What an item may be beside the functions of a table: a list, if a list was asked for a slice."""


def note_choice(m: Machine, table: AbstractValue, parts: Parts, taken: AbstractValue, *others: object) -> None:
    """Remember what the item of a static table may be, or what else, or `OTHER`; `parts` of the key."""
    if type(table) is not Known or type(taken) is not Dynamic or type(table.value) not in (dict, list, tuple):
        return
    content = table.value
    assert isinstance(content, (dict, list, tuple))
    if not content or len(content) > 64:
        return
    pairs = content.items() if is_a(content, dict) else enumerate(content)
    items = [item for key, item in pairs if may_equal(key, parts)]
    items.extend(others)
    functions = {id(item): item for item in items if type(item) in _FUNCTIONS}
    missing = tuple([other for other in others if other is None or other is OTHER])
    if not 1 <= len(functions) <= MOST or len(functions) + len(missing) < len({id(item) for item in items}):
        return
    if type(content) is not tuple and not m.frozen(content):  # asked last: from now on it is compared
        return
    entered = [item for item in functions.values() if type(item) is FunctionType and m.resolve(item) is not None]
    if entered:
        for item in functions.values():
            m.reads(content, item)
        m.choices[taken.rv] = (*functions.values(), *missing)


def known_parts(m: Machine, key: AbstractValue) -> Parts:
    """The parts of a key that is a tuple, as far as they are known."""
    entry = m.state.object(key)
    if entry is not None and entry.kind == "tuple" and entry.cls is tuple:
        items = entry.items
    else:
        key = m.state.resolve(key)
        if type(key) is not Dynamic or key.rv not in m.parts:
            return None
        items = m.parts[key.rv]
    return [item if type(item) is Known and comparable(item.value) else None for item in items]


def may_equal(stored: object, parts: Parts) -> bool:
    """May a key of the table equal one with these parts?"""
    if parts is None or type(stored) is not tuple:
        return parts is None or not deep(stored)
    if len(stored) != len(parts):
        return False
    return all(
        part is None or one is part.value or not comparable(one) or one == part.value
        for one, part in zip(stored, parts)
    )


def note_choice_of_get(
    m: Machine, frame: Frame, op: Operation, method: VObject, args: list[AbstractValue], parts: Parts
) -> None:
    """The same for `table.get(key)` and `table.get(key, function)`."""
    if method.extra != "get" or not op.results or not 1 <= len(args) <= 2:
        return
    default = args[1] if len(args) == 2 else NONE
    taken = frame.env.get(op.results[0])
    if taken is None or type(default) is not Known:
        return
    table = m.state.resolve(method.items[0])
    if _has_none(m, table, parts):
        frame.env[op.results[0]] = Known(default.value, found=taken if type(taken) is Dynamic else None)
    else:
        note_choice(m, table, parts, taken, default.value)


def _has_none(m: Machine, table: AbstractValue, parts: Parts) -> bool:
    """Is there no key with these parts in the table?"""
    if parts is None or type(table) is not Known or type(table.value) is not dict or len(table.value) > 64:
        return False
    return m.frozen(table.value) and not any(may_equal(key, parts) for key in table.value)


def branch_on_function(m: Machine, frame: Frame, function: AbstractValue) -> bool:
    """Go on with the call that stands before `frame.index` in one way for each function that it may call."""
    choices = m.choices.get(function.rv) if type(function) is Dynamic else None
    if choices is None or type(function) is not Dynamic or len(m.state.frames) >= m.budget.depth // 2:
        return False
    left = choices[-1] is OTHER
    if choices[-1] is None and not refused_by(function, None):
        return False
    if left or choices[-1] is None:
        choices = choices[:-1]
    for active in m.state.frames:
        active.dynamic = True
    frame.index -= 1
    state = m.state

    def way(at: int) -> State:
        if at < len(choices):
            return _where(state, function, Known(choices[at], found=function))
        return _where(state, function, m.emit("copy", (function,), raises=False))

    fork(m, frame, len(choices) + left, lambda at: ("is", (function, Known(choices[at]))), way)
    return True


def fork(
    m: Machine,
    frame: Frame,
    count: int,
    told: Callable[[int], tuple[str, tuple[AbstractValue, ...]]],
    way: Callable[[int], State],
) -> None:
    """Go on in as many ways as `count`: the first whose comparison is `told` true at run time, or else the last."""
    state = m.state
    arms: list[tuple[State, ResidualBlock]] = []
    for at in range(count - 1):
        arm = way(at)
        name, operands = told(at)
        same = m.emit(name, operands, type=bool, raises=False)
        then, otherwise = ResidualBlock(place=state.regions()), ResidualBlock(place=state.regions())
        then.origin = otherwise.origin = (frame.facts, frame.block)
        m.end("branch", (same.rv,), (then, otherwise))
        arms.append((arm, then))
        m.block = otherwise
    arms.append((way(count - 1), m.block))
    m.pending.extend(reversed(arms))
    m.alive = False


def _where(state: State, function: Dynamic, choice: AbstractValue) -> State:
    """The state in which the function is this."""
    arm = state.copy()
    for active in arm.frames:
        for value, content in active.env.items():
            if type(content) is Dynamic and content.rv == function.rv:
                active.env[value] = choice
    arm.top.forked = True
    return arm


def meet_behind(m: Machine, frame: Frame) -> None:
    """The call of one of several functions was entered, or is done."""
    frame.forked = False
    if not m.alive:
        return
    if m.state.top is frame:
        m.arrive_here()
    else:
        m.state.top.dynamic = True  # so that its return is a point where ways meet
