"""Generators whose consumer is known: the frame of the generator lives in the heap between two items.

    def evens(n):                     g = evens(4)            g: a virtual generator, nothing emitted
        for i in range(n):            for x in g:             next: the frame of `evens` is entered where it stopped
            yield 2 * i                   total += x          yield: the frame goes back to the heap, x is its value

A virtual generator's `names` are the live values of its frame, `items` what they hold, `extra` where it stopped:
(facts, block, index, chain, dynamic, made_by); None once it is exhausted, RUNNING while its frame is on the stack.

Invariant: a frame is never suspended inside a try region, so that a generator which is dropped has nothing to run.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, GeneratorType
from typing import Final

from futamura.ir.graph import Operation
from futamura.runtime import call_in_generator
from futamura.specializer import library
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.machine import GUARDED, Machine, Restart, Unsupported
from futamura.specializer.rules import rule
from futamura.specializer.state import Chain, Frame
from futamura.specializer.values import NONE, AbstractValue, Known, Virtual, VObject

__all__ = [
    "CONSUMING",
    "finish",
    "is_generator",
    "is_iterator",
    "left_generator",
    "may_stop",
    "new_generator",
    "operands_in_generator",
    "resume",
    "rethrown_may_stop",
    "suspend",
]

RUNNING: Final = "running"
CONSUMING: Final = ("next", "delegate")
"""Purposes of frames that run a generator: for a `next` terminator, for a `yield from`."""


def new_generator(
    m: Machine,
    facts: FunctionFacts,
    env: dict[int, AbstractValue],
    chain: Chain,
    site: object,
    made_by: FunctionType | None = None,
) -> Virtual:
    """A generator that was not started: what a call of `made_by` on all of `env` makes, if given."""
    names = tuple(env)
    where = (facts, 0, 0, chain, False, made_by)
    return m.virtual(VObject("generator", GeneratorType, tuple(env.values()), names, site, where))


def is_generator(m: Machine, value: AbstractValue) -> bool:
    entry = m.state.object(value)
    return entry is not None and entry.kind == "generator"


def is_iterator(m: Machine, value: AbstractValue) -> bool:
    entry = m.state.object(value)
    return entry is not None and entry.kind in ("generator", "iterator")


def left_generator(m: Machine) -> Frame | None:
    """The frame of the innermost generator that an exception raised now would leave; None if it is caught before.

    A residual function that is called from inside a generator stands for that generator's frame.
    """
    for frame in reversed(m.state.frames):
        if frame.facts.blocks[frame.block].handler is not None:
            return None
        if frame.purpose in CONSUMING or frame.purpose == GUARDED:
            return frame
    return None


def may_stop(m: Machine, kind: type | None) -> bool:
    """Would an exception of exactly this class (None: of any class), raised now, be a StopIteration that leaves a
    generator?  Python makes a RuntimeError of it, so whoever raises it must do that."""
    if kind is not None and not issubclass(kind, StopIteration):
        return False
    frame = left_generator(m)
    if frame is None:
        _mark_caught(m)
        return False
    if frame.facts.function.module == library.__name__:
        # `map` and `filter` are no generators: there the exception is the end of the items.
        m.refused.add(("call", frame.chain[-1]))
        raise Restart("a function that is mapped may end the items")
    return True


def _mark_caught(m: Machine) -> None:
    """The try statement that is around catches what may be a StopIteration, inside a generator: if no clause
    matches it, it leaves the generator after all."""
    inside = False
    for frame in m.state.frames:
        inside = inside or frame.purpose in CONSUMING or frame.purpose == GUARDED
        if inside and frame.facts.blocks[frame.block].handler is not None:
            region = next(extent.region for extent in reversed(frame.extents) if extent.kind == "try")
            place = ("stops", frame.facts.uid, region)
            if place not in m.refused:
                m.refused.add(place)
                raise Restart("a StopIteration may be caught inside a generator")


def rethrown_may_stop(m: Machine, kind: type | None) -> bool:
    """`may_stop` where the active exception goes on."""
    for frame in reversed(m.state.frames):
        for extent in reversed(frame.extents):
            if extent.kind == "except":
                caught = frame.facts.function.regions[extent.region].of
                return (kind is not None or ("stops", frame.facts.uid, caught) in m.refused) and may_stop(m, kind)
    return may_stop(m, kind)


def operands_in_generator(
    m: Machine, args: Sequence[AbstractValue], shape: object
) -> tuple[Sequence[AbstractValue], object]:
    """The operands of a call of unknown code: where a StopIteration would leave a generator, of the call's guard."""
    if not _may_raise_stop(m, args[0], shape) or not may_stop(m, None):
        return args, shape
    return (Known(call_in_generator), *args), None if shape is None else ("", *_marks(shape))


def _marks(shape: object) -> tuple[object, ...]:
    assert isinstance(shape, tuple)
    return shape


def _may_raise_stop(m: Machine, callee: AbstractValue, shape: object) -> bool:
    """May a call of `callee` raise StopIteration, other than from a special method of an argument?"""
    entry = m.state.object(callee)
    if shape is not None:
        return True
    if entry is not None:
        return entry.kind != "method"
    if type(callee) is not Known or callee.value is next:
        return True
    simple = isinstance(callee.value, (type, BuiltinFunctionType))
    return not simple or getattr(callee.value, "__module__", None) not in ("builtins", "math")


def resume(m: Machine, generator: Virtual, purpose: str) -> bool:
    """Enter the generator's frame; False if it is exhausted."""
    entry = m.state.heap[generator.oid]
    if entry.extra is None or entry.extra == RUNNING:
        for frame in m.state.frames:
            subject = None if frame.subject is None else m.state.resolve(frame.subject)
            if frame.purpose in CONSUMING and isinstance(subject, Virtual) and subject.oid == generator.oid:
                raise Unsupported("a generator asks itself for an item", m.span)
        return False  # an exception that left it has ended it
    if len(m.state.frames) >= m.budget.depth:
        raise Unsupported("generators are nested too deep", m.span)
    assert isinstance(entry.extra, tuple)
    facts, block, index, chain, dynamic, _ = entry.extra
    env = {value: item for value, item in zip(entry.names, entry.items, strict=True) if isinstance(value, int)}
    m.state.heap[generator.oid] = entry._replace(items=(), names=(), extra=RUNNING)
    m.state.frames.append(
        Frame(facts, env, chain, block=block, index=index, dynamic=dynamic, purpose=purpose, subject=generator)
    )
    return True


def suspend(m: Machine, frame: Frame, value: AbstractValue) -> None:
    """The running frame is one of a generator and yields `value`: whoever waits for an item gets it."""
    while True:
        if frame.purpose not in CONSUMING:
            raise Unsupported("yield inside specialized code", m.span)
        if frame.extents:
            raise Unsupported("a generator is suspended inside a try statement", m.span)
        _store(m, frame)
        m.state.frames.pop()
        dynamic = frame.dynamic
        if frame.purpose == "next":
            _deliver(m, 0, value, dynamic)
            return
        frame = m.state.frames[-1]
        frame.dynamic = frame.dynamic or dynamic


def _store(m: Machine, frame: Frame) -> None:
    live = [value for value in frame.facts.live_at(frame.block, frame.index) if value in frame.env]
    items = tuple(m.get(frame, value) for value in live)
    generator = m.state.resolve(frame.subject) if frame.subject is not None else None
    assert isinstance(generator, Virtual)
    where = (frame.facts, frame.block, frame.index, frame.chain, frame.dynamic, None)
    m.state.heap[generator.oid] = m.state.heap[generator.oid]._replace(items=items, names=tuple(live), extra=where)


def _deliver(m: Machine, way: int, value: AbstractValue | None, dynamic: bool) -> None:
    """The frame below stands at its `next`: it takes the edge for an item, or the one for the end."""
    caller = m.state.frames[-1]
    caller.dynamic = caller.dynamic or dynamic
    m.follow(caller, caller.facts.blocks[caller.block].terminator.edges[way], value)
    if dynamic and m.alive:
        m.arrive_here()


def finish(m: Machine, frame: Frame, value: AbstractValue) -> None:
    """The running frame of a generator returns."""
    generator = m.state.resolve(frame.subject) if frame.subject is not None else None
    assert isinstance(generator, Virtual)
    m.state.heap[generator.oid] = m.state.heap[generator.oid]._replace(items=(), names=(), extra=None)
    m.state.frames.pop()
    if frame.purpose == "next":
        _deliver(m, 1, None, frame.dynamic)
        return
    caller = m.state.frames[-1]
    _after_delegation(caller, value)
    if frame.dynamic:
        caller.dynamic = True
        m.arrive_here()


def _after_delegation(frame: Frame, value: AbstractValue) -> None:
    op = frame.facts.blocks[frame.block].ops[frame.index]
    frame.index += 1
    frame.env[op.results[0]] = value


@rule("yield")
def yield_value(m: Machine, frame: Frame, op: Operation) -> None:
    frame.env[op.results[0]] = NONE  # nobody but `next` resumes it
    suspend(m, frame, m.get(frame, op.args[0]))


@rule("yield_from")
def yield_from(m: Machine, frame: Frame, op: Operation) -> None:
    """The frame stays at this operation until the inner generator, kept in place of the operand, is exhausted."""
    place = op.args[0]
    inner = m.get(frame, place)
    if not is_generator(m, inner):
        if place in frame.facts.live_at(frame.block, frame.index):
            raise Unsupported("yield from something that is used again", op.span)
        facts = m.resolve(library.delegate)  # type: ignore[arg-type]
        if facts is None:
            raise Unsupported("yield from inside specialized code", op.span)
        env = {facts.function.entry.params[0]: inner}
        chain = (*frame.chain, (frame.facts.uid, op.id))
        inner = new_generator(m, facts, env, chain, ("delegate", frame.facts.uid, op.id))
        frame.env[place] = inner
    assert isinstance(inner, Virtual)
    frame.index -= 1
    if not resume(m, inner, "delegate"):
        _after_delegation(frame, NONE)
