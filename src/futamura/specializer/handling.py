"""Exceptions that are raised while another one is handled: that one is their context.

    try: d[k]
    except KeyError: raise ValueError(k)      caught again during specialization: there is no exception at run time
    return error                              but if it escapes, somebody may read `error.__context__`

Invariant: a virtual exception that would have a context says so in its site; it is never constructed, for what would be
constructed has none: the specializer starts again, and raises it when the residual runs.
"""

from __future__ import annotations

from collections.abc import Container

from futamura.specializer.state import State
from futamura.specializer.values import AbstractValue, Virtual, VObject

__all__ = ["has_context", "loses_context"]

_MARK = "context"


def loses_context(state: State, exception: AbstractValue, refused: Container[object]) -> bool:
    """Must this exception, which is raised now, be a real one for the sake of its context?"""
    frames = state.frames
    if not any(extent.kind == "except" for frame in frames for extent in frame.extents):
        return False
    top = frames[-1]
    place = (_MARK, top.chain, top.facts.uid, top.block, top.index)
    if place in refused:
        return True
    exception = state.resolve(exception)
    if type(exception) is Virtual and state.heap[exception.oid].kind == "exception":
        state.heap[exception.oid] = state.heap[exception.oid]._replace(site=place)
    return False


def has_context(entry: VObject) -> bool:
    """Was this virtual exception raised while another one was handled?"""
    return type(entry.site) is tuple and entry.site[:1] == (_MARK,)
