"""Coroutines: a function whose call is awaited at once continues in line; what else is awaited is awaited at run time.

    async def load(key):            return await store.get(key)
    async def page(keys):
        head = await load("head")   ->    head = await store.get("head")
        return head, keys           ->    return head, keys

A coroutine that nobody awaits at once (it is put into a task, or awaited later) is made by a call that stays.

Invariant: Python lets no StopIteration leave a coroutine, so a coroutine that is awaited inside of a try statement,
which would see one, becomes a coroutine of its own in the residual program.
"""

from __future__ import annotations

from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.rules import hint_of, rule
from futamura.specializer.state import Frame

__all__ = ["awaited_at_once", "is_watched"]


@rule("await")
def wait(m: Machine, frame: Frame, op: Operation) -> None:
    value = m.get(frame, op.args[0])
    m.escape(value)
    m.set(frame, op, m.emit("await", (value,), hint=hint_of(frame, op)))


@rule("aiter")
def begin(m: Machine, frame: Frame, op: Operation) -> None:
    iterable = m.get(frame, op.args[0])
    m.escape(iterable)
    m.set(frame, op, m.emit("aiter", (iterable,)))


@rule("anext")
def wait_for_item(m: Machine, frame: Frame, op: Operation) -> None:
    m.set(frame, op, m.emit("anext", (m.get(frame, op.args[0]),), hint=hint_of(frame, op)))


def awaited_at_once(frame: Frame, op: Operation) -> Operation | None:
    """The operation that awaits what this call makes, if it is the next one and nothing else looks at that."""
    ops = frame.facts.blocks[frame.block].ops
    then = ops[frame.index] if frame.index < len(ops) else None
    if then is None or then.name != "await" or then.args != op.results:
        return None
    return None if op.results[0] in frame.facts.live_at(frame.block, frame.index + 1) else then


def is_watched(m: Machine) -> bool:
    """Would a try statement see an exception that leaves the running frame now?"""
    return any(frame.facts.blocks[frame.block].handler is not None for frame in m.state.frames)
