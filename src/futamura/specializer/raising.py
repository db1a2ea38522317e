"""Exceptions that specialized code raises: where they go, and what becomes of those that leave a generator.

    raise ValueError(x)    with a handler around      control goes on in the handler, nothing is emitted
    raise error            an open exception          emitted, with an edge to the handler
    f(x)                   inside a generator         emitted so that a StopIteration becomes the RuntimeError of Python

Generators are inlined, so the frames that an exception passes at run time are those of their consumers; what Python
does where an exception leaves a generator's frame must be done where the exception is raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import BuiltinFunctionType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.runtime import call_in_generator, raise_in_generator, raise_thrown
from futamura.specializer import library
from futamura.specializer.handling import CONSUMING, handled, here, is_cause, loses_context, of_generator, stopped
from futamura.specializer.machine import GUARDED, Machine, Restart, Unsupported
from futamura.specializer.purity import deep
from futamura.specializer.refinement import may_be_stop, told
from futamura.specializer.residual import ResidualBlock
from futamura.specializer.rules import exact_type
from futamura.specializer.state import AGAIN, Extent, Frame, State
from futamura.specializer.values import NONE, About, AbstractValue, Dynamic, Known, Virtual
from futamura.specializer.worth import RAISED

__all__ = [
    "leave_closing",
    "left_generator",
    "may_stop",
    "operands_in_generator",
    "own_traceback",
    "passes",
    "plain_argument",
    "raise_guarded",
    "raise_value",
    "raised_at_once",
    "raised_class",
    "rethrown_may_stop",
]

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
    if frame.purpose != GUARDED and library.is_own(frame.facts.namespace):
        # `map` and `filter` are no generators: there the exception is the end of the items.
        place = ("ends", frame.chain[-1])
        m.refused.add(("call", frame.chain[-1]) if place in m.refused else place)
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
            if extent.uid == AGAIN:
                return may_stop(m, kind)
            if extent.kind == "except":
                caught = frame.facts.function.regions[extent.region].of
                return (kind is not None or ("stops", frame.facts.uid, caught) in m.refused) and may_stop(m, kind)
    return may_stop(m, kind)


def operands_in_generator(
    m: Machine, args: Sequence[AbstractValue], shape: object
) -> tuple[Sequence[AbstractValue], object]:
    """The operands of a call of unknown code: where a StopIteration would leave a generator, of the call's guard."""
    if not _may_raise_stop(m, args[0], shape):
        return args, shape
    leave_closing(m, None)
    if not may_stop(m, None):
        return args, shape
    return (Known(call_in_generator), *args), None if shape is None else ("", *_marks(shape))


def _marks(shape: object) -> tuple[object, ...]:
    assert isinstance(shape, tuple)
    return shape


_CALLING: Final = frozenset({"sub", "subn"})
"""Methods of builtin classes that call what they are given."""


def _may_raise_stop(m: Machine, callee: AbstractValue, shape: object) -> bool:
    """May a call of `callee` raise StopIteration, other than from a special method of an argument?"""
    entry = m.state.object(callee)
    if shape is not None:
        return True
    if entry is not None:
        return entry.kind != "method" or entry.extra in _CALLING
    if type(callee) is not Known or callee.value is next:
        return True
    simple = is_a(callee.value, (type, BuiltinFunctionType))
    return not simple or getattr(callee.value, "__module__", None) not in ("builtins", "math")


def raised_class(m: Machine, exception: AbstractValue) -> type | None:
    """The exact class of what `raise exception` raises, if it is known."""
    if type(exception) is Known and is_a(exception.value, type):
        return exception.value
    return exact_type(m, exception)


def raised_at_once(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    """Is `op` the call in `raise Error(...)`, and must the exception be a real one that brings nothing static but
    plain values?  Then the call is best left as it is: what its `__init__` does, it does when it is made."""
    block = frame.facts.blocks[frame.block]
    end = block.terminator
    behind = block.ops[block.ops.index(op) + 1 :]
    if end.name != "raise" or op.results != end.args[:1] or any(later.name != "const" for later in behind):
        return False
    if m.catching_frame() is not None and not m.catches_for_real():
        return False
    return all(plain_argument(m, arg) for arg in args)


def plain_argument(m: Machine, value: AbstractValue) -> bool:
    value = m.state.resolve(value)
    if type(value) is Known:
        return deep(value.value)
    entry = m.state.object(value)
    return entry is None or (entry.kind == "tuple" and all(plain_argument(m, item) for item in entry.items))


def raise_value(m: Machine, *operands: AbstractValue, thrown: bool = False) -> None:
    """Raise an exception, or an exception with a cause, at the current point.

    What is thrown into a generator does not get the consumer's active exception as its context.
    """
    exception = operands[0]
    caused = len(operands) > 1
    fine = not caused or is_cause(m.state, operands[1])
    if type(exception) is Known and is_a(exception.value, type) and issubclass(exception.value, BaseException):
        made = m.plain_exception(exception.value)
        if made is not None and fine:
            exception = made
    if len(operands) == 1 and passes(m, exception):
        return
    if may_stop(m, raised_class(m, exception)):
        raise_guarded(m, operands)
        return
    entry = m.state.object(exception)
    if entry is not None and (entry.kind == "exception" or (entry.kind == "instance" and not caused)) and fine:
        if leave_closing(m, entry.cls):
            return
        if (
            m.catching_frame() is not None
            and not m.catches_for_real()
            and not loses_context(m.state, exception, m.refused, caused=caused)
        ):
            m.saved += RAISED
            m.unwind(exception)
            return
    if thrown and not _stops(exact_type(m, exception)):
        raised = m.emit("call", (Known(raise_thrown), exception))
        m.end("raise", (raised.rv,))
        return
    kind = entry.cls if entry is not None and entry.kind == "exception" and fine else None
    lifted = tuple(m.lift(arg) for arg in (exception, *operands[1:]))
    m.observe()
    m.protect(kind)
    m.end("raise", lifted)


def _stops(kind: type | None) -> bool:
    return kind is None or issubclass(kind, StopIteration)


def raise_guarded(m: Machine, operands: Sequence[AbstractValue]) -> None:
    """Raise inside a generator's frame what may be a StopIteration."""
    if not operands or raised_class(m, operands[0]) is None:
        leave_closing(m, None)
    raised = m.emit("call", (Known(raise_in_generator), *operands))
    m.end("raise", (raised.rv,))


def leave_closing(m: Machine, kind: type | None) -> bool:
    """An exception of exactly this class is raised: if it is the GeneratorExit that leaves a generator which is being
    closed, that ends here, and whoever closes it goes on."""
    frames = m.state.frames
    for at in range(len(frames) - 1, -1, -1):
        if frames[at].facts.blocks[frames[at].block].handler is not None:
            return False
        if frames[at].purpose in CONSUMING:
            break
    else:
        return False
    closing = frames[at]
    if closing.purpose != "close" or (kind is not None and not issubclass(kind, GeneratorExit)):
        return False
    if kind is None:
        raise Unsupported("an exception that may be a GeneratorExit leaves a generator that is closed", m.span)
    dynamic = any(frame.dynamic for frame in frames[at:])
    generator = m.state.resolve(closing.subject) if closing.subject is not None else None
    assert isinstance(generator, Virtual)
    m.state.heap[generator.oid] = m.state.heap[generator.oid]._replace(items=(), names=(), extra=None)
    del frames[at:]
    m.give(closing.result, NONE)
    if dynamic:
        frames[-1].dynamic = True
        m.arrive_here()
    return True


def own_traceback(m: Machine, value: AbstractValue, target: AbstractValue) -> bool:
    """Is this the traceback that was read from this very exception?"""
    entry = m.state.object(value)
    if entry is None or entry.kind != "traceback":
        return False
    held = m.state.resolve(entry.items[0])
    if type(held) is Dynamic and type(target) is Dynamic:
        return held.rv == target.rv
    return type(held) is Virtual and type(target) is Virtual and held.oid == target.oid


# -- the exception that is handled, raised once more


def passes(m: Machine, exception: AbstractValue) -> bool:
    """The exception that is being handled goes on, or is raised or thrown anew: if a handler catches it that lies in
    the one that runs, nothing need be raised.  False if that is not so.

    Nothing but its traceback could tell: it does not become its own context.
    """
    active = handled(m.state) if type(exception) is Dynamic else None
    at = m.catching()
    if active is None or at is None or active.exception.rv != exception.rv:  # type: ignore[union-attr]
        return False
    frames, known = m.state.frames, active.exception
    if at < active.at or (at == active.at and active.extent.region not in _path_of_handler(frames[at])):
        return False
    left = [frame for frame in frames[at + 1 :] if frame.purpose in CONSUMING]
    if not all(frame.purpose != "close" and of_generator(frame) for frame in left):
        return False
    if not left or not may_be_stop(known):
        m.folded += 1
        m.unwind(known, AGAIN)
        return True
    if here(m.state) in m.refused or m.catches_for_real():
        return False
    if frames[at].facts.mark_raising(frames[at].block):
        raise Restart("an exception leaves a loop")
    _leave_both_ways(m, known, at)
    return True


def _path_of_handler(frame: Frame) -> tuple[int, ...]:
    handler = frame.facts.blocks[frame.block].handler
    assert handler is not None
    return frame.facts.paths[handler.target]


def _regions_behind(state: State, at: int) -> tuple[Extent, ...]:
    """The residual regions around the handler of the frame at this position."""
    path = _path_of_handler(state.frames[at])
    extents = [extent for frame in state.frames[:at] for extent in frame.extents]
    extents += [extent for extent in state.frames[at].extents if extent.region in path]
    return tuple([extent for extent in extents if extent.uid > 0])


def _leave_both_ways(m: Machine, exception: Dynamic, at: int) -> None:
    """It leaves a generator: as a RuntimeError if it is a StopIteration, else as it is."""
    m.prepare()
    m.next_block(_regions_behind(m.state, at), None, late=False)
    test = m.emit("exc_match", (exception, Known(StopIteration)), type=bool, raises=False)
    state, block, origin = m.state, m.block, (m.state.top.facts, m.state.top.block)
    for active in state.frames:
        active.dynamic = True
    arms: list[tuple[State, ResidualBlock]] = []
    targets: list[ResidualBlock] = []
    for way in (_goes_on_stopped, _goes_on):
        m.state, m.block = state.copy(), ResidualBlock()
        here = m.block
        here.origin, m.alive = origin, True
        told(m.state, About("caught", exception.rv), way is _goes_on_stopped)
        way(m)
        here.place = m.state.regions()
        targets.append(here)
        if m.alive:
            arms.append((m.state, here))
    m.state, m.block = state, block
    m.end("branch", (test.rv,), tuple(targets))
    m.pending.extend(reversed(arms))


def _goes_on(m: Machine) -> None:
    active = handled(m.state)
    assert active is not None
    m.unwind(active.exception, AGAIN)


def _goes_on_stopped(m: Machine) -> None:
    active = handled(m.state)
    assert active is not None
    made = stopped(m.state, active.exception)
    while not of_generator(m.state.frames.pop()):
        pass
    m.unwind(m.virtual(made))
