"""Iterators over iterators that are not known: one item is one run of an ordinary Python function.

for name, value in zip(("a", "b"), values):     values dynamic     ->     next: the frame of `library.zip_2` is entered
                                                                          return: an item, or `END`

A virtual iterator's `extra` names its row in `STEPS`, `items` are the arguments of the step: the iterators that it
takes from, which a step leaves as the builtin would. All else that an iterator remembers is in a virtual list.

Invariant: a step does what the builtin's `__next__` does, in the same order; an exception that leaves it leaves the
iterator as it was then, for there is no frame that would end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from futamura.specializer import library
from futamura.specializer.machine import Machine
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, Virtual, VObject

__all__ = ["STEPS", "enter_step", "leave_step", "stepping"]

STEPS: Final[dict[str, Callable[..., object]]] = {
    "zip 1": library.zip_1,
    "zip 2": library.zip_2,
    "zip 3": library.zip_3,
    "strict 2": library.strict_2,
    "enumerate": library.enumerate_step,
}
"""The step of each kind of iterator."""


def stepping(m: Machine, frame: Frame, kind: str, cls: type, items: tuple[AbstractValue, ...]) -> AbstractValue | None:
    """A virtual iterator of this kind; None if it had to be a real one in an earlier attempt."""
    if kind not in STEPS or site(frame) in m.refused:
        return None
    return m.virtual(VObject("iterator", cls, items, site=site(frame), extra=("step", kind)))


def inner_iterator(m: Machine, value: AbstractValue) -> AbstractValue:
    """`iter(value)` at run time."""
    return m.emit("iter", (value,))


def enter_step(m: Machine, iterator: Virtual) -> bool:
    """Enter the step of this iterator for the running frame's `next`; False if it has none."""
    entry = m.state.heap[iterator.oid]
    if entry.kind != "iterator" or not isinstance(entry.extra, tuple) or len(m.state.frames) >= m.budget.depth:
        return False
    facts = m.resolve(STEPS[entry.extra[1]])  # type: ignore[arg-type]
    if facts is None:
        return False
    frame = m.state.top
    env = dict(zip(facts.function.entry.params, entry.items, strict=True))
    chain = (*frame.chain, (frame.facts.uid, ("next", frame.block)))
    m.state.frames.append(Frame(facts, env, chain, purpose="step"))
    return True


def leave_step(m: Machine, frame: Frame, value: AbstractValue) -> None:
    """The step has returned: the frame below takes the edge for an item, or the one for the end."""
    m.state.frames.pop()
    caller = m.state.top
    caller.dynamic = caller.dynamic or frame.dynamic
    ended = type(value) is Known and value.value is library.END
    edge = caller.facts.blocks[caller.block].terminator.edges[1 if ended else 0]
    m.follow(caller, edge, None if ended else value)
    if frame.dynamic and m.alive:
        m.arrive_here()
