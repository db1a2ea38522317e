"""Summaries of residual functions: the states in which calls of them end, without what only they know.

    def count(n, seen): seen.append(n); return n + 1        seen lent by the caller, empty there
    ->  result Dynamic 7, first lent object a list of Dynamic 8: two residual results, 7 and 8

Invariant: a summary only rises, and each of its dynamic leaves is one residual result, in the order of
`returned_leaves`.
"""

from __future__ import annotations

from typing import Final

from futamura.specializer.state import LEFT, Frame, State
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject

__all__ = ["RESULT", "lent_alone", "raised_state", "returned_leaves", "returned_state", "were_told"]

RESULT: Final = -1
"""The entry of a frame that has returned which holds the result; the lent objects have the ones below."""

_UNCHANGING: Final = ("tuple", "function", "bound", "method", "slice")


def lent_alone(entry: VObject) -> bool:
    """Is lending this object enough, because what it holds itself never changes?"""
    return entry.kind in _UNCHANGING


def returned_state(state: State, value: AbstractValue) -> State:
    """What the caller sees of `state`, whose only frame returns `value`."""
    frame = state.frames[0]
    env = {slot: frame.env[slot] for slot in frame.held}
    env[RESULT] = value
    return _left(state, frame, env)


def raised_state(state: State) -> State:
    """What the caller sees of `state`, in which an exception is raised that leaves the residual function."""
    frame = state.frames[0]
    return _left(state, frame, {slot: frame.env[slot] for slot in frame.held})


def _left(state: State, frame: Frame, env: dict[int, AbstractValue]) -> State:
    left = State(
        [Frame(frame.facts, env, block=LEFT, held=tuple(sorted(env)))],
        dict(state.heap),
        dict(state.ages),
        {},
        state.unit,
        intact=False,
    )
    left.trim(whole=False)
    return left


def were_told(one: State, other: State) -> bool:
    """Are both results known throughout, and do they more than answer a question, which a branch would ask again?"""
    results = [state.top.env[RESULT] for state in (one, other)]
    if len(one.top.env) > 1 or all(_is_answer(result) for result in results):
        return False
    return not any(type(leaf) is Dynamic for state in (one, other) for leaf in state.leaves(state.top.env[RESULT]))


def _is_answer(result: AbstractValue) -> bool:
    return type(result) is Known and (result.value is None or type(result.value) is bool)


def returned_leaves(state: State) -> list[int]:
    """The residual values that a call gives: the result's and the lent objects' dynamic leaves, each once."""
    env = state.top.env
    alone = {
        value.oid
        for slot, value in env.items()
        if slot != RESULT and type(value) is Virtual and lent_alone(state.heap[value.oid])
    }
    found: dict[int, None] = {}
    seen: set[int] = set(alone)
    for slot in sorted(env, reverse=True):
        work = [env[slot]]
        while work:
            value = work.pop()
            if type(value) is Dynamic:
                found.setdefault(value.rv)
            elif type(value) is Virtual and value.oid not in seen:
                seen.add(value.oid)
                work.extend(reversed(state.heap[value.oid].items))
    return list(found)
