"""Exceptions that are raised while another one is handled: that one is their context.

    try: d[k]
    except KeyError: raise ValueError(k)      caught again during specialization: there is no exception at run time
    return error                              but if it escapes, somebody may read `error.__context__`

    except BaseException as e: generator.throw(e)      the generator is inlined, its `finally` lets `e` pass, and
                                                       `e` is caught again: all this is known, and nothing is raised

Invariant: a virtual exception that would have a context says so in its site; it is never constructed, for what would be
constructed has none: the specializer starts again, and raises it when the residual runs.  An except region numbered
AGAIN lies in the one of the handler that caught the exception first: it is active there.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, NamedTuple

from futamura.runtime import STOPPED
from futamura.specializer import library
from futamura.specializer.refinement import NO_STOP
from futamura.specializer.state import AGAIN, Extent, Frame, State
from futamura.specializer.values import ANY_CLASS, About, AbstractValue, Dynamic, Known, Virtual, VObject

__all__ = [
    "CONSUMING",
    "Handled",
    "about_caught",
    "caught_by",
    "classes_behind",
    "handled",
    "has_context",
    "here",
    "is_caught",
    "is_cause",
    "loses_context",
    "of_generator",
    "stopped",
]

CONSUMING: Final = ("next", "delegate", "send", "close")
"""Purposes of frames that run a generator: for a `next` terminator, for a `yield from`, for a call of `next`, `send`
or `throw`, for a call of `close`."""
_MARK: Final = "context"
_STOPPED: Final = "stopped"


def here(state: State) -> tuple[object, ...]:
    """The place of the running operation, as one where a virtual exception gets a context."""
    top = state.frames[-1]
    return (_MARK, top.chain, top.facts.uid, top.block, top.index)


def loses_context(
    state: State, exception: AbstractValue, refused: Container[object], *, caused: bool = False
) -> bool:
    """Must this exception, which is raised now, be a real one for the sake of its context, or because it is `caused` by
    another one, or said not to be?"""
    frames = state.frames
    if not caused and not any(extent.kind == "except" for frame in frames for extent in frame.extents):
        return False
    place = here(state)
    if place in refused:
        return True
    exception = state.resolve(exception)
    entry = state.object(exception)
    if caused and entry is not None and entry.extra == _STOPPED:
        return True
    if type(exception) is Virtual and entry is not None and entry.kind == "exception" and entry.extra != _STOPPED:
        state.heap[exception.oid] = state.heap[exception.oid]._replace(site=place)
    return False


def is_cause(state: State, value: AbstractValue) -> bool:
    """May `raise error from value` be done without an error because of that?"""
    entry = state.object(value)
    if entry is not None:
        return entry.kind == "exception"
    value = state.resolve(value)
    return is_caught(state, value) if type(value) is Dynamic else type(value) is Known and value.value is None


def has_context(entry: VObject) -> bool:
    """Was this virtual exception raised while another one was handled?"""
    return type(entry.site) is tuple and entry.site[:1] == (_MARK,)


# -- exceptions that exist when the residual runs


class Handled(NamedTuple):
    """The exception that is active, if it is a real one; the position of the frame that caught it, and its region."""

    exception: Dynamic
    at: int
    extent: Extent


def caught_by(state: State, frame: Frame, extent: Extent) -> AbstractValue | None:
    """The exception that the handler of this except region got, if anything still needs it."""
    function = frame.facts.function
    handler = function.blocks[function.regions[function.regions[extent.region].of].handler]
    caught = frame.env.get(handler.params[0])
    return None if caught is None else state.resolve(caught)


def handled(state: State) -> Handled | None:
    """What is active now; None if it is not known, or exists during specialization only."""
    known: Dynamic | None = None
    for at in range(len(state.frames) - 1, -1, -1):
        frame = state.frames[at]
        for extent in reversed(frame.extents):
            if extent.kind != "except":
                continue
            caught = caught_by(state, frame, extent) if extent.uid else None
            if known is None and type(caught) is Dynamic:
                known = caught
            if extent.uid != AGAIN:
                return None if known is None or not extent.uid else Handled(known, at, extent)
    return None


def is_caught(state: State, value: AbstractValue) -> bool:
    """Is this the exception of one of the handlers that are running?"""
    for frame in state.frames:
        for extent in frame.extents:
            caught = caught_by(state, frame, extent) if extent.kind == "except" else None
            if type(caught) is Dynamic and type(value) is Dynamic and caught.rv == value.rv:
                return True
    return False


def about_caught(state: State, name: str, args: Sequence[AbstractValue]) -> About | None:
    """What `is` says of two exceptions of handlers that are running."""
    if name not in ("is", "is_not") or not all(is_caught(state, arg) for arg in args):
        return None
    one, other = args
    assert type(one) is Dynamic and type(other) is Dynamic
    return About("same", one.rv, positive=name == "is", other=other.rv)


def of_generator(frame: Frame) -> bool:
    """Does the frame run the code of a generator?  What stands for `map` and `filter` is none."""
    return frame.purpose in CONSUMING and not library.is_own(frame.facts.namespace)


def classes_behind(left: Sequence[Frame]) -> int:
    """The classes of an exception that has left these frames: Python lets no StopIteration leave a generator."""
    return NO_STOP if any(map(of_generator, left)) else ANY_CLASS


def stopped(state: State, stop: Dynamic) -> VObject:
    """What becomes of a StopIteration that leaves a generator: a RuntimeError, whose cause and context it is."""
    return VObject("exception", RuntimeError, (Known(STOPPED), stop), site=here(state), extra=_STOPPED)
