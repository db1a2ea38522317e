"""Iterators over iterators that are not known: one item is one run of an ordinary Python function.

for name, value in zip(("a", "b"), values):     values dynamic     ->     next: the frame of `library.zip_2` is entered
                                                                          return: an item, or `END`

A virtual iterator's `extra` names its row in `STEPS`, `items` are the arguments of the step: the iterators that it
takes from, which a step leaves as the builtin would. All else that an iterator remembers is in a virtual list.
A builtin takes the items of an object with a `__next__` in Python by way of an "own" iterator, which nobody else sees:
it has asked the object for its iterator already.

Invariant: a step does what the builtin's `__next__` does, in the same order; an exception that leaves it leaves the
iterator as it was then, for there is no frame that would end.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Final

from futamura.ir.classes import is_a
from futamura.specializer import iterators, library
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.purity import class_lookup
from futamura.specializer.rules import exact_type, site
from futamura.specializer.state import Frame, Suspension
from futamura.specializer.values import AbstractValue, Dynamic, Known, VObject

__all__ = ["STEPS", "enter_step", "goes_on", "is_stepping", "leave_step", "stepping"]

STEPS: Final[dict[str, Callable[..., object]]] = {
    "zip 1": library.zip_1,
    "zip 2": library.zip_2,
    "zip 3": library.zip_3,
    "strict 2": library.strict_2,
    "enumerate": library.enumerate_step,
    "places": library.places_step,
    "next": library.next_item,
    "own": library.item_of,
}
"""The step of each kind of iterator."""


def stepping(
    m: Machine,
    frame: Frame,
    kind: str,
    cls: type,
    items: tuple[AbstractValue, ...],
    constants: tuple[object, ...] = (),
) -> AbstractValue | None:
    """A virtual iterator of this kind; None if it had to be a real one in an earlier attempt.

    `constants` are further arguments of its step that never change.
    """
    if kind not in STEPS or site(frame) in m.refused:
        return None
    return m.virtual(VObject("iterator", cls, items, site=site(frame), extra=("step", kind, *constants)))


def is_stepping(m: Machine, value: AbstractValue) -> bool:
    """Is this a virtual iterator whose items are taken by running a step?"""
    entry = m.state.object(value)
    return entry is not None and entry.kind == "iterator" and isinstance(entry.extra, tuple)


def goes_on(m: Machine, iterator: AbstractValue) -> bool:
    """Is this a counter or the like, which says nothing of the number of trips, nor tells them apart?"""
    entry = m.state.object(iterator)
    where = None if entry is None else entry.extra
    return isinstance(where, Suspension) and where.made_by in (iterators.count_of, iterators.repeat_of)


def inner_iterator(m: Machine, frame: Frame, value: AbstractValue, number: int) -> AbstractValue:
    """`iter(value)` at run time, or, of a sequence whose class is known, the next place in it, which is known, too."""
    if type(value) is not Dynamic or exact_type(m, value) not in _PLACED:
        return m.emit("iter", (value,))
    where = (site(frame), number)
    place = m.virtual(VObject("list", list, (Known(0),), site=(where, "place")))
    return m.virtual(VObject("iterator", object, (value, place), site=where, extra=("step", "places")))


_PLACED: Final = (list, tuple, str)


def enter_step(m: Machine, iterator: AbstractValue) -> bool:
    """Enter the step of this iterator for the running frame's `next`; False if it has none."""
    entry = m.state.object(iterator)
    if entry is not None and entry.kind == "iterator" and entry.extra == ("step", "own"):
        iterator = m.state.resolve(entry.items[0])  # its class may be another one by now
        entry = m.state.object(iterator)
    step: Callable[..., object] | None = None
    items: tuple[AbstractValue, ...] = ()
    if entry is not None and entry.kind == "iterator" and isinstance(entry.extra, tuple):
        step, items = STEPS[entry.extra[1]], (*entry.items, *(Known(part) for part in entry.extra[2:]))
    elif not isinstance(iterator, Dynamic):
        cls = exact_type(m, iterator)
        method = None if cls is None else class_lookup(cls, "__next__")
        if cls is not None and is_a(method, FunctionType) and m.resolve(method) is not None:
            m.assume_attribute(cls, "__next__", method)
            step, items = library.item_of, (Known(method), iterator)
    facts = None if step is None else m.resolve(step)  # type: ignore[arg-type]
    frames = m.state.frames
    if facts is None or len(frames) >= m.budget.depth or any(f.facts is facts and f.dynamic for f in frames):
        return False
    frame = m.state.top
    env = dict(zip(facts.function.entry.params, items, strict=True))
    chain = (*frame.chain, (frame.facts.uid, ("next", frame.block)))
    frames.append(Frame(facts, env, chain, purpose="step"))
    return True


def leave_step(m: Machine, frame: Frame, value: AbstractValue) -> None:
    """The step has returned: the frame below takes the edge for an item, or the one for the end."""
    m.state.frames.pop()
    caller = m.state.top
    caller.dynamic = caller.dynamic or frame.dynamic
    ended = type(value) is Known and value.value is library.END
    if frame.dynamic:
        _note_way(m, caller, ended)
    edge = caller.facts.blocks[caller.block].terminator.edges[1 if ended else 0]
    m.follow(caller, edge, None if ended else value)
    if frame.dynamic and m.alive:
        m.arrive_here()


def _note_way(m: Machine, caller: Frame, ended: bool) -> None:
    """A dynamic value decided in the step; if it decides whether the loop ends, that loop is dynamic."""
    ways = m.ways.setdefault((caller.facts.uid, caller.block), set())
    ways.add(ended)
    if len(ways) == 2 and caller.facts.mark_dynamic(caller.block):
        raise Restart(f"the loop of {caller.facts.function.name} turned out dynamic")
