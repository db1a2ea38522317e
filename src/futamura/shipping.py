"""A residual taken apart for another process: source text, and what else it is made of, as picklable data.

    ship(target, static, assumptions ...)  ->  Shipped    pickled by the caller
    assumptions_of(shipped)                ->  the assumptions, about the objects of this process

An assumption travels as its place and a digest of what was found there.  Where the other process has something else at
that place, the assumption does not hold, and the residual runs the original.  A list, a dict or an object that the code
uses and that has such a place (`LOG`, a default that is a list) is that of the other process, as for the original.

Invariant: nothing here is executed but imports; a code object is never pickled.
"""

from __future__ import annotations

import copyreg
import gc
import hashlib
import inspect
import pickle
import sys
import types
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from futamura.backend.python.emitted import Emitted
from futamura.entry import Promise
from futamura.ir.classes import is_a
from futamura.ir.graph import Signature
from futamura.ir.homes import module_of
from futamura.specializer.abstract import counts_as
from futamura.specializer.aliasing import NONE_APART, Apart
from futamura.specializer.assumption import Assumption, Filled, Registrations, identities, parts
from futamura.specializer.policy import Event
from futamura.specializer.purity import HEAP_TYPE, MISSING, class_lookup, deep

__all__ = ["Shipped", "apart_here", "assumptions_of", "printed_here", "ship", "shipped_key"]

_NAMED: Final = (type, types.FunctionType, types.BuiltinFunctionType)
_BY_NAME: Final = (*_NAMED, types.ModuleType)
"""What pickling finds again by itself."""
_PICKLING: Final = ("__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__", "__getnewargs_ex__")
"""With these a class says itself what travels."""


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
class _Named:
    """An object of the code that the other process has, too: its module, and the steps that lead to it."""

    module: str
    steps: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class _Tuple:
    """A tuple with such objects."""

    parts: list[object]


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
    apart: Apart
    """With what the other process has, too: a copy that only the residual has is no input."""
    doubtful: bool
    """May what runs where a test fails change what the residual believes of static objects?"""


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
    apart: Apart,
    *,
    doubtful: bool,
) -> Shipped:
    """Raises `pickle.PicklingError` for an assumption about something that another process cannot find."""
    places = tuple([_place(one, assumptions) for one in assumptions])
    if printed is not None:
        emitted, signature = printed
        given = [*map(id, static.values())]
        named = [
            (name, value if id(value) in given else _by_name(value, assumptions)) for name, value in emitted.constants
        ]
        printed = replace(emitted, constants=tuple(named)), signature
    return Shipped(
        target, static, places, promises, assume, printed, events, stats, explained, declared,
        _shared(apart, static, assumptions), doubtful,
    )  # fmt: skip


def _shared(apart: Apart, static: Mapping[str, object], assumptions: Sequence[Assumption]) -> Apart:
    """Of the objects that no input may be those that somebody in another process can have: the static ones, what these
    hold, and what has a name."""
    if not apart.objects:
        return NONE_APART
    wanted, held, seen = set(map(id, apart.objects)), set[int](), set[int]()
    work = deque(static.values())
    while work and len(held) < len(wanted):
        value = work.popleft()
        if id(value) in seen or is_a(value, _BY_NAME):
            continue
        seen.add(id(value))
        held.update({id(value)} & wanted)
        if _travels_whole(type(value)):
            work.extend(gc.get_referents(value))
    named = [value if id(value) in held else _by_name(value, assumptions) for value in apart.objects]
    objects = tuple([one for one in named if type(one) is _Named or id(one) in held])
    return Apart(apart.names, objects, methods=apart.methods)


def _travels_whole(cls: type) -> bool:
    """Does pickling take what such an object holds as it is, and run no code of the program for that?"""
    if cls in (list, tuple, dict, set, frozenset):
        return True
    return not any(
        name in vars(base) for base in cls.__mro__ if base.__flags__ & HEAP_TYPE for name in _PICKLING
    ) and cls not in copyreg.dispatch_table


def apart_here(shipped: Shipped) -> Apart:
    """What no input may be, in this process."""
    return shipped.apart._replace(objects=tuple([_resolved(one) for one in shipped.apart.objects]))


def shipped_key(shipped: Shipped) -> str:
    """A digest of all that the residual is made of."""
    return hashlib.sha256(pickle.dumps(shipped, protocol=4)).hexdigest()


def printed_here(shipped: Shipped) -> tuple[Emitted, Signature] | None:
    """The text with the objects of this process."""
    if shipped.printed is None:
        return None
    emitted, signature = shipped.printed
    constants = [(name, _resolved(value)) for name, value in emitted.constants]
    return replace(emitted, constants=tuple(constants)), signature


def _by_name(value: object, assumptions: Sequence[Assumption]) -> object:
    """The name of an object that somebody may change, if it has one."""
    if type(value) is types.ModuleType and module_of(value.__dict__) is value:
        return _Named(value.__name__, ())
    if deep(value) or is_a(value, _BY_NAME):
        return value
    if (home := module_of(value)) is not None:
        return _Named(home.__name__, ("__dict__",))
    path = _path(value, assumptions)
    if path is None:
        for one in assumptions:
            named = one.kind == "global" or is_a(one.holder, (type, types.FunctionType))
            steps = _steps_to(value, one.value) if named else None
            if steps is None:
                continue
            holder: Any = one.holder
            if one.kind == "global":
                path = _module(one), (one.name, *steps)
            elif "<" not in holder.__qualname__:
                path = holder.__module__, (*holder.__qualname__.split("."), one.name, *steps)
            if path is not None:
                break
    if path is not None and _at(*path) is value:
        return _Named(*path)
    return _Tuple([_by_name(part, assumptions) for part in value]) if type(value) is tuple else value


def _steps_to(value: object, held: object, deep: int = 3) -> tuple[str | int, ...] | None:
    """The way from what an assumption has seen to what it is, or what a tuple or the defaults by name have in them."""
    if held is value:
        return ()
    places: Iterable[tuple[object, object]] = ()
    if deep and type(held) is tuple:
        places = enumerate(held)
    elif deep and type(held) is dict:
        places = held.items()
    for at, part in places:
        steps = _steps_to(value, part, deep - 1)
        if steps is not None and isinstance(at, (int, str)):
            return at, *steps
    return None


def _resolved(value: object) -> object:
    if type(value) is _Tuple:
        return tuple(map(_resolved, value.parts))
    return _at(value.module, value.steps) if type(value) is _Named else value


def _at(module: str, steps: Sequence[str | int]) -> object:
    """What the steps lead to; a new object that is nothing else if they lead nowhere."""
    missing = _Elsewhere()
    found: object = sys.modules.get(module, missing)
    for step in steps:
        owner = found
        if type(found) is dict and step in found:
            found = found[step]
        elif is_a(found, types.FunctionType) and step in ("__defaults__", "__kwdefaults__"):
            found = getattr(found, step)
        elif isinstance(step, str):
            found = inspect.getattr_static(found, step, missing)
            found = found.__func__ if is_a(found, (staticmethod, classmethod)) else found
            found = _in_slot(owner, found, missing) if type(found) is types.MemberDescriptorType else found
        else:
            held = found if type(found) is tuple else parts(found) if type(found) in (list, dict, set) else ()
            found = held[step] if step < len(held) else missing
    return found


def _in_slot(owner: object, slot: types.MemberDescriptorType, missing: object) -> object:
    try:
        return slot.__get__(owner)
    except (AttributeError, TypeError):
        return missing


def _place(assumption: Assumption, assumptions: Sequence[Assumption]) -> _Place:
    holder, module = assumption.holder, ""
    if assumption.kind == "present":
        return _Place(assumption.kind, assumption.place, _module(assumption), None, assumption.name, "")
    if assumption.kind == "global":
        module, holder = _module(assumption), None
    elif assumption.kind == "imported":
        holder = None
    elif assumption.kind in ("own", "field", "contents"):
        named = _path(holder, assumptions)
        if named is not None and (assumption.kind != "contents" or len(named[1]) > 1):  # a registry may be filled later
            module, holder = named
        elif assumption.kind != "own":
            raise pickle.PicklingError(f"the residual depends on what {assumption.place} holds, which has no name")
    elif assumption.kind == "cell":
        raise pickle.PicklingError(f"the residual depends on {assumption.place}, a variable of an enclosing function")
    elif assumption.kind == "registered":
        raise pickle.PicklingError(f"the residual depends on {assumption.place}, which has no name in another process")
    held = assumption.value
    if isinstance(held, Registrations):
        return _Place(assumption.kind, assumption.place, "", tuple(held.pairs), assumption.name, "")
    digest = _digest(held.kept if isinstance(held, Filled) else held)
    if not digest:
        raise pickle.PicklingError(f"the residual depends on {assumption.place}, whose value cannot be pickled")
    return _Place(assumption.kind, assumption.place, module, holder, assumption.name, digest)


_Step = str | int
"""The name of an attribute, or the number of a part of a table."""


def _path(value: object, assumptions: Sequence[Assumption]) -> tuple[str, tuple[_Step, ...]] | None:
    """The module of an object that a global holds, or that hangs on one, and the steps that lead to it."""
    ways: list[tuple[object, tuple[_Step, ...]]] = [(value, ())]
    for holder, steps in ways:  # which grows: from the object to what holds it
        for one in assumptions:
            step: _Step | None = None
            if one.value is holder and one.kind == "global":
                return _module(one), (one.name, *steps)
            if one.value is holder and one.kind == "field":
                step = one.name
            elif one.kind == "contents" and isinstance(one.value, Filled):
                step = next((at for at, part in enumerate(one.value.kept) if part is holder), None)
            if step is not None and all(one.holder is not seen for seen, _ in ways):
                ways.append((one.holder, (step, *steps)))
    return None


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
    if value is MISSING:
        return "missing"
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
    if place.kind == "present":
        imported = sys.modules.get(place.module)
        return Assumption(place.kind, place.place, {} if imported is None else imported.__dict__, place.name, None)
    if place.module and place.kind != "global":
        holder = _at(place.module, place.holder) if isinstance(place.holder, tuple) else missing
    if place.kind == "own":
        return Assumption(place.kind, place.place, holder, place.name, None)
    if place.kind == "contents":
        kept = tuple(parts(holder)) if type(holder) in (list, dict, set) else ()
        same = type(holder) in (list, dict, set) and _digest(kept) == place.digest
        filled = Filled(identities(holder), kept) if same else None
        return Assumption(place.kind, place.place, holder, place.name, filled)
    if place.kind == "registrations":
        assert isinstance(holder, tuple)
        return Assumption(place.kind, place.place, None, place.name, Registrations(-1, [*holder], counts_as))
    if place.digest == "missing":
        found_now = class_lookup(holder, place.name) if isinstance(holder, type) else missing
        return Assumption(place.kind, place.place, holder, place.name, MISSING if found_now is MISSING else missing)
    if place.kind == "global":
        found = sys.modules.get(place.module)
        holder = {} if found is None else found.__dict__
        assert isinstance(holder, dict)
        value = holder.get(place.name, getattr(sys.modules["builtins"], place.name, missing))
    elif place.kind == "imported":
        holder, value = sys.modules, sys.modules.get(place.name, missing)
    else:
        value = getattr(holder, place.name, missing)
    if value is missing or _digest(value) != place.digest:
        value = missing
    return Assumption(place.kind, place.place, holder, place.name, value)
