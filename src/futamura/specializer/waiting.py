"""Coroutines: a function whose call is awaited at once continues in line; what else is awaited is awaited at run time.

    async def load(key):            return await store.get(key)
    async def page(keys):
        head = await load("head")   ->    head = await store.get("head")
        return head, keys           ->    return head, keys

A coroutine that nobody awaits at once (it is put into a task, or awaited later) is made by a call that stays.

Invariant: Python lets no StopIteration leave a coroutine, so a coroutine that is awaited inside of a try statement,
which would see one, becomes a coroutine of its own in the residual program.  So does one that may catch a GeneratorExit
where it waits: when a task is closed, Python ends the innermost coroutine first, and then those that await it, too,
whether the inner one took its GeneratorExit or not; and one that waits again then has ignored it.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.attributes import ASYNC
from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Operation
from futamura.ir.ops import SUSPENDING
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.machine import Machine
from futamura.specializer.rules import hint_of, rule
from futamura.specializer.state import Frame

__all__ = ["awaited_at_once", "is_watched", "survives_closing"]

_CAUGHT: Final = -1
"""Stands for an exception of which nothing is known."""


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


def survives_closing(m: Machine, facts: FunctionFacts) -> bool:
    """May it go on, or wait again, when a GeneratorExit comes out of what it awaits?"""
    seen: set[tuple[int, int]] = set()
    for block in facts.blocks:
        if block.handler is not None and _waits(block):
            seen.add(_entry(facts, block.handler.target))
    work = list(seen)
    while work:
        at, caught = work.pop()
        block = facts.blocks[at]
        if block.terminator.name == "return" or _waits(block):
            return True
        edges = block.terminator.edges
        if block.terminator.name == "branch" and not _may_take(m, facts, block, caught):
            edges = edges[1:]
        found = {(edge.target, caught) for edge in edges}
        if block.handler is not None:
            passes = block.terminator.name == "reraise" and block.terminator.args == (caught,) and not block.ops
            outer = block.handler.target
            found.add(_entry(facts, outer) if passes else (outer, _CAUGHT))
        work.extend(found - seen)
        seen |= found
    return False


def _entry(facts: FunctionFacts, handler: int) -> tuple[int, int]:
    """A handler, and the exception that comes to it."""
    params = facts.blocks[handler].params
    return handler, params[0] if params else _CAUGHT


def _waits(block: Block) -> bool:
    return any(op.name in SUSPENDING or op.attr == ASYNC for op in block.ops)


def _may_take(m: Machine, facts: FunctionFacts, block: Block, caught: int) -> bool:
    """May a branch go the first way if `caught` is a GeneratorExit?  Not if it is an `except` clause for others."""
    classes: dict[int, tuple[object, ...]] = {}
    for op in block.ops:
        if op.name == "global_get" and isinstance(op.attr, tuple):
            found = m.world.lookup(facts.namespace, *op.attr)
            if found is None:
                return True
            classes[op.results[0]] = found
        elif op.name == "const" and isinstance(op.attr, Constant):
            classes[op.results[0]] = (op.attr.value,)
        elif op.name == "tuple" and op.attr is None and all(arg in classes for arg in op.args):
            classes[op.results[0]] = tuple([one for arg in op.args for one in classes[arg]])
        elif op.name == "exc_match" and op.args[0] == caught and op.results == block.terminator.args:
            return not all(_is_other(one) for one in classes.get(op.args[1], (None,)))
        else:
            return True
    return True


def _is_other(cls: object) -> bool:
    """Is it a class of exceptions that takes no GeneratorExit?"""
    return type(cls) is type and issubclass(cls, BaseException) and not issubclass(GeneratorExit, cls)
