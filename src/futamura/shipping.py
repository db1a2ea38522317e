"""A residual taken apart for another process: source text, and what else it is made of, as picklable data.

    ship(target, static, assumptions ...)  ->  Shipped    pickled by the caller
    assumptions_of(shipped)                ->  the assumptions, about the objects of this process

An assumption travels as its place and a digest of what was found there.  Where the other process has something else at
that place, the assumption does not hold, and the residual runs the original.

Invariant: nothing here is executed but imports; a code object is never pickled.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from futamura.backend.python.emitted import Emitted
from futamura.entry import Promise
from futamura.ir.graph import Signature
from futamura.specializer.assumption import Assumption
from futamura.specializer.policy import Event

__all__ = ["Shipped", "assumptions_of", "ship", "shipped_key"]

_NAMED: Final = (type, types.FunctionType, types.BuiltinFunctionType)


@dataclass(frozen=True, slots=True)
class _Place:
    """One assumption: `module` for a global, `holder` for an attribute; `digest` of the value.  An object that is
    a global has its name for `holder`."""

    kind: str
    place: str
    module: str
    holder: object
    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Shipped:
    """What travels."""

    target: Any
    static: dict[str, object]
    places: tuple[_Place, ...]
    promises: tuple[Promise, ...]
    assume: str
    printed: tuple[Emitted, Signature] | None
    events: tuple[Event, ...]
    stats: dict[str, Any]
    explained: str
    declared: tuple[str, ...]


def ship(
    target: Any,
    static: dict[str, object],
    assumptions: tuple[Assumption, ...],
    promises: tuple[Promise, ...],
    assume: str,
    printed: tuple[Emitted, Signature] | None,
    events: tuple[Event, ...],
    stats: dict[str, Any],
    explained: str,
    declared: tuple[str, ...],
) -> Shipped:
    """Raises `pickle.PicklingError` for an assumption about something that another process cannot find."""
    places = tuple([_place(one, assumptions) for one in assumptions])
    return Shipped(target, static, places, promises, assume, printed, events, stats, explained, declared)


def shipped_key(shipped: Shipped) -> str:
    """A digest of all that the residual is made of."""
    return hashlib.sha256(pickle.dumps(shipped, protocol=4)).hexdigest()


def _place(assumption: Assumption, assumptions: Sequence[Assumption]) -> _Place:
    holder, module = assumption.holder, ""
    if assumption.kind == "global":
        module, holder = _module(assumption), None
    elif assumption.kind in ("own", "field"):
        named = next((one for one in assumptions if one.kind == "global" and one.value is holder), None)
        if named is not None:
            module, holder = _module(named), named.name
        elif assumption.kind == "field":
            raise pickle.PicklingError(f"the residual depends on {assumption.place} of an object that has no name")
    elif assumption.kind == "contents":
        raise pickle.PicklingError(f"the residual depends on what {assumption.place} holds")
    elif assumption.kind == "cell":
        raise pickle.PicklingError(f"the residual depends on {assumption.place}, a variable of an enclosing function")
    elif assumption.kind == "registered":
        raise pickle.PicklingError(f"the residual depends on {assumption.place}, which has no name in another process")
    digest = _digest(assumption.value)
    if not digest:
        raise pickle.PicklingError(f"the residual depends on {assumption.place}, whose value cannot be pickled")
    return _Place(assumption.kind, assumption.place, module, holder, assumption.name, digest)


def _module(assumption: Assumption) -> str:
    """The module of a global, by its name."""
    assert isinstance(assumption.holder, Mapping)
    module = str(assumption.holder.get("__name__", ""))
    if getattr(sys.modules.get(module), "__dict__", None) is not assumption.holder:
        raise pickle.PicklingError(f"the residual depends on {assumption.place}, whose module is not imported")
    return module


def _digest(value: object) -> str:
    """A text that is equal where another process has the same thing; empty if there is none."""
    if isinstance(value, types.CodeType):
        parts = (
            value.co_code, value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars, value.co_flags,
            tuple(_digest(item) for item in value.co_consts),
        )  # fmt: skip
        return "code " + hashlib.sha256(repr(parts).encode("utf-8", "backslashreplace")).hexdigest()
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__}"
    if isinstance(value, _NAMED):
        return f"name {value.__module__}:{value.__qualname__}"
    try:
        return "value " + hashlib.sha256(pickle.dumps(value, protocol=4)).hexdigest()
    except Exception:  # whatever the pickling of a foreign object raises: it cannot travel
        return ""


class _Elsewhere:
    """Stands for the value of an assumption that does not hold in this process."""


def assumptions_of(shipped: Shipped) -> tuple[Assumption, ...]:
    """The assumptions about the objects of this process."""
    return tuple(map(_assumption, shipped.places))


def _assumption(place: _Place) -> Assumption:
    missing = _Elsewhere()
    holder: object = place.holder
    if place.kind == "own":
        if place.module:
            holder = getattr(sys.modules.get(place.module), str(holder), missing)
        return Assumption(place.kind, place.place, holder, place.name, None)
    if place.kind == "field":
        holder = getattr(sys.modules.get(place.module), str(holder), missing)
    if place.kind == "global":
        found = sys.modules.get(place.module)
        holder = {} if found is None else found.__dict__
        assert isinstance(holder, dict)
        value = holder.get(place.name, getattr(sys.modules["builtins"], place.name, missing))
    else:
        value = getattr(holder, place.name, missing)
    if value is missing or _digest(value) != place.digest:
        value = missing
    return Assumption(place.kind, place.place, holder, place.name, value)
