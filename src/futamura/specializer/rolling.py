"""Loops over a known range that stay loops: each trip only does what the one before has done.

    for _ in range(40):                            for _ in range(40):
        for name, take in RULES:           ->          if state["raw"] >= 2 and state["free"] >= 1: ...
            if fits(take, state): ...

Such a loop would be copied as often as it runs.  `for _ in range(n): result *= x` is: it leaves less than a loop costs.

Invariant: nobody uses the loop's variable, and what is known where a trip begins is the same a few trips later.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.constant import count_of
from futamura.ir.graph import Terminator
from futamura.specializer.machine import Machine, Restart, Unsupported
from futamura.specializer.state import Frame, State
from futamura.specializer.values import AbstractValue, Known, Virtual, token_key

__all__ = ["watch_repeating"]

FIRST, LAST = 4, 8
"""The trips that are compared."""
FEWEST: Final = 12
"""Loops of fewer trips are not looked at."""
LEAST_LEFT: Final = 8
"""So many operations has a trip to leave."""
MOST_STATES: Final = 8
"""So many states may a trip begin with."""


def watch_repeating(m: Machine, frame: Frame, end: Terminator, iterator: Virtual) -> None:
    """The next item of a loop is taken: start again with a loop, if it only goes on as it did."""
    entry = m.state.heap[iterator.oid]
    if entry.kind != "iterator" or entry.extra != "sequence" or len(entry.items) != 2:
        return
    source, position = (m.state.resolve(item) for item in entry.items)
    if type(position) is not Known or type(source) is not Known or type(source.value) is not range:
        return
    if position.value not in (FIRST, LAST) or count_of(source.value) < FEWEST or m.versions.polyvariance != "auto":
        return
    place = (frame.facts.uid, frame.block)
    decided = place in m.rolled or iterator.oid in m.unrolled or frame.block not in frame.facts.headers
    if decided or _is_used(frame, end):
        return
    try:
        tokens = _known(m.state, iterator)
    except Unsupported:  # something that waits for its end would be dropped
        return
    if position.value == FIRST:
        begun = m.repeating.setdefault(place, {})
        if len(begun) < MOST_STATES:
            begun.setdefault(tokens, m.emitted)
        return
    before = m.repeating.get(place, {}).get(tokens)
    if before is None or m.emitted - before < LEAST_LEFT * (LAST - FIRST):
        return
    m.rolled.add(place)
    frame.facts.dynamic_headers.add(frame.block)
    m.event("FT401", f"a loop of {frame.facts.function.qualname} is not unrolled: its trips all do the same")
    raise Restart("a loop whose trips all do the same is rolled")


def _known(state: State, iterator: Virtual) -> tuple[object, ...]:
    """What is known where a trip begins, but for the position in the range."""
    now = state.copy()
    now.trim()
    numbers: dict[int, int] = {}
    found: list[object] = [now.general]
    work: list[AbstractValue] = []

    def note(value: AbstractValue) -> None:
        value = now.resolve(value)
        if type(value) is Known:
            found.append(token_key(value.value))
        elif type(value) is Virtual:
            if value.oid not in numbers:
                numbers[value.oid] = len(numbers)
                work.append(value)
            found.append(("object", numbers[value.oid]))
        else:
            found.append("open")

    for frame in now.frames:
        found.append((frame.facts.uid, frame.block, frame.index, frame.dynamic, *sorted(frame.env, key=str)))
        for name in sorted(frame.env, key=str):
            note(frame.env[name])
    for place, (content, dirty) in now.overlays.items():
        found.append((place, dirty))
        note(content)
    while work:
        value = work.pop()
        assert isinstance(value, Virtual)
        entry = now.heap[value.oid]
        found.append((entry.kind, id(entry.cls), entry.names, len(entry.items)))
        for item in entry.items[:1] if value.oid == iterator.oid else entry.items:
            note(item)
    return tuple(found)


def _is_used(frame: Frame, end: Terminator) -> bool:
    """Does anybody read the variable of this loop?"""
    params = frame.facts.blocks[end.edges[0].target].params
    used = {value for op in frame.facts.function.operations() for value in op.args}
    for block in frame.facts.blocks:
        used.update(block.terminator.args)
        used.update(value for edge in block.terminator.edges for value in edge.args)
    return not used.isdisjoint(params)
