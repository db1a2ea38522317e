"""What is computed when it is first needed, and kept: `functools.cached_property`, `functools.lru_cache`, undeclared.

    self.label          what its function gives; the bare read `self.label` is left, by which the object keeps it
    self.by_name[k]     a dict is known as if the object had it; where the dict itself is needed, it is `self.by_name`
    hints(Order)["id"]  likewise; the bare call `hints(Order)` is left where the module asks for `cache_info`

A static input is what it was when the residual was made, so the function gives the same whoever asks first, before or
between the calls of the residual.  It is entered once in each attempt, for what it assumes and reads.  What a cached
function has kept already, under other circumstances perhaps, has to be what it would give now.

Invariant: only where the function leaves no operation, and neither writes attributes of static objects nor reads any
that the code writes.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from types import FunctionType, GenericAlias, UnionType
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Operation, Program
from futamura.ir.liveness import end_uses
from futamura.runtime import keep
from futamura.specializer import library
from futamura.specializer.aliasing import Apart, KeptBy
from futamura.specializer.binding import Keywords
from futamura.specializer.caching import is_plain_key, is_told_apart, same
from futamura.specializer.kept import CachedCall, Named, Place
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS
from futamura.specializer.owned import NOTHING
from futamura.specializer.partials import Call
from futamura.specializer.plain_copies import asked_instead
from futamura.specializer.purity import deep, is_mutable, own_attribute, own_attributes
from futamura.specializer.realizing import realized
from futamura.specializer.residual import ResidualOperation
from futamura.specializer.restoring import store_new
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known
from futamura.specializer.world import World

__all__ = ["by_owner", "check_stand_ins", "is_refused", "settling_cached_call", "settling_call"]

MOST_ENTRIES: Final = 1000
"""Caches that hold more already are not looked through."""

_EMPTY: Final = gc.get_referents(functools.lru_cache(len))
"""What an empty cache holds: first its links, each behind its key and its result, then the table, the function, ..."""


def settling_call(m: Machine, target: Known, found: functools.cached_property[object], name: str) -> Call | None:
    """The call that finds out what a static object computes under `name`; None if it is read at run time."""
    place = (m.world.serial(target.value), name)
    if m.world.is_of_a_constant(target.value) or m.world.objects.compares(target.value):
        return None
    if found.attrname != name or type(found.func) is not FunctionType or not m.world.contents(target.value):
        return None
    if ("settled", *place) in m.refused:
        return None
    m.read_places.add(place)  # who stores it himself starts again
    if place in m.kept.values:
        return Known(library.itself), [_kept(m, target, name, m.kept.values[place])], []
    m.kept.begun[place] = m.emitted
    return Known(library.settled), [target, Known(name), Known(found.func)], []


def settling_cached_call(
    m: Machine, cache: Known, wrapped: FunctionType, args: list[AbstractValue], keywords: Keywords
) -> Call | None:
    """The call that finds out what a cached function gives for known arguments; None if it is called at run time."""
    given = [value.value for value in (*args, *(value for _, value in keywords)) if type(value) is Known]
    if len(given) < len(args) + len(keywords) or not all(map(is_plain_key, given)):
        return None
    alone = len(args) == len(given) == 1 and type(given[0]) in (int, str)
    texts = m.world.has_texts(wrapped.__globals__)
    if not alone and not all(is_told_apart(value, texts) for value in given):
        return None  # what the function gave for `True`, or for 1, it keeps for 1.0 as well
    call = CachedCall.of(given, [name for name, _ in keywords])
    place = (m.world.serial(cache.value), call)
    if ("settled", *place) in m.refused or is_refused(m, cache.value):
        return None
    if place in m.kept.values:
        return Known(library.itself), [_kept(m, cache, call, m.kept.values[place])], []
    if _entry(cache.value, call) is None:
        return None
    m.kept.begun[place] = m.emitted
    return Known(library.settled_call), [cache, Known(call), Known(wrapped), *args], keywords


def is_refused(m: Machine, cache: object) -> bool:
    """Has it turned out that what this cached function gives is not static, or is changed?"""
    return ("settled", m.world.serial(cache)) in m.refused


def _entry(cache: object, call: CachedCall) -> tuple[object, ...] | None:
    """What a cached function has kept for these arguments, nothing if it has not been called with them; None if that
    cannot be found out without running code of the program."""
    parts = gc.get_referents(cache)
    if len(parts) < len(_EMPTY):
        return None
    *links, table, wrapped, mark, link, _, own = parts
    if (
        own is not own_attributes(cache)
        or type(table) is not dict
        or wrapped is not own_attribute(cache, "__wrapped__")
    ):
        return None
    if len(table) > MOST_ENTRIES or not all(map(is_plain_key, table)):
        return None
    plain = call.args[: len(call.args) - len(call.names)]
    named = [part for pair in zip(call.names, call.args[len(plain) :]) for part in pair]
    key = (*plain, mark, *named) if named else plain
    alone = len(key) == 1 and type(key[0]) in (int, str)
    keys = [key[0] if alone else key, (*key, *map(type, call.args))]
    found = [(one, kept) for one, kept in table.items() if any(one == key for key in keys)]
    places = {id(links[at - 2]): links[at - 1] for at, part in enumerate(links) if part is link}
    return tuple([places[id(one)] if type(kept) is link else kept for one, kept in found])


def _settle(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords) -> AbstractValue:
    """The function of an attribute is done: its value, if it has left nothing behind."""
    target, key, value = args
    assert type(target) is Known and type(key) is Known and isinstance(key.value, (str, CachedCall))
    name, place = key.value, (m.world.serial(target.value), key.value)
    real = realized(m.state, value) if m.kept.begun.pop(place, None) == m.emitted else None
    if real is None:
        number = place if isinstance(name, str) else place[:1]
        m.refuse(("settled", *number), "what is computed when it is first needed is not static")
    stands, parts = real.value, [*real.made.values()]
    if isinstance(name, CachedCall):
        if not all(same(held, stands) for held in _entry(target.value, name) or ()):
            m.refuse(("settled", *place), "what a cached function has kept is not what it would give now")
        if real.can_be_changed() and not _is_only_read(m, target.value, _holds_unchanging(stands)):
            m.refuse(("settled", place[0]), "what a cached function gives is changed, or handed on")
    if deep(stands) or not any(part is stands for part in parts):
        m.kept.found[id(target.value), name] = None
        return _kept(m, target, name, Known(stands))
    first, first_parts = m.world.settled.setdefault(place, (stands, parts))
    if first is not stands and not same(first, stands):
        m.refuse(("settled", *place), "what a static object computes is another thing each time")
    m.world.freeze(first)
    m.kept.found[id(target.value), name] = first
    named = [part for part in first_parts if not deep(part)]
    m.kept.reads.update((id(part), functools.partial(_inner, m, place)) for part in named)
    m.kept.parts.update((id(part), (part, asked_instead(part))) for part in named if part is not first)
    m.kept.reads[id(first)] = functools.partial(_read, m, target, name)
    return _kept(m, target, name, Known(first))


def _kept(m: Machine, target: Known, name: Named, value: Known) -> Known:
    """`value`, after the read by which the object keeps it."""
    m.kept.values[m.world.serial(target.value), name] = value
    if isinstance(name, CachedCall) and not _tells(m, target.value):
        return value
    before = store_new(m, m.world, target.value) if isinstance(name, str) else []
    m.kept.bare[_read(m, target, name)] = before
    return value


def _holds_unchanging(value: object) -> bool:
    """Is this a container of what nobody can change?"""
    if type(value) is dict:
        return not any(map(_is_changing, (*value.keys(), *value.values())))
    return type(value) in (list, tuple, set) and not any(map(_is_changing, value))  # type: ignore[call-overload]


def _is_changing(value: object) -> bool:
    """May this be changed?  A type hint may not."""
    return is_mutable(value) and type(value) not in _HINTS and _MODULE.__get__(type(value)) != "typing"


_HINTS: Final = (GenericAlias, UnionType)
_MODULE: Final = type.__dict__["__module__"]


def _is_only_read(m: Machine, cache: object, whole: bool) -> bool:
    """Does nobody change what a cached function of this module gives, or at least the `whole` of it?"""
    function = (own_attributes(cache) or {}).get("__wrapped__")
    assert isinstance(function, FunctionType)
    caller = m.state.frames[-2].facts
    return caller.namespace is function.__globals__ and m.world.results_are_constant(function, whole)


def _tells(m: Machine, cache: object) -> bool:
    """May the module of a cached function ask what the cache holds?  Nobody else can see it."""
    function = (own_attributes(cache) or {}).get("__wrapped__")
    return type(function) is not FunctionType or m.world.mentions(function.__globals__, "cache_info")


def _read(m: Machine, target: Known, name: Named) -> int:
    """What the object has kept under this name."""
    where = m.state.frames[-1].facts
    operands = [m.lift(target)]
    attr: object = name
    if isinstance(name, CachedCall):
        operands += [m.lift(Known(value)) for value in name.args]
        marks = ("",) * (len(name.args) - len(name.names))
        attr = (*marks, *name.names) if name.names else None
    found = m.residual_value()
    op = "getattr" if isinstance(name, str) else "call"
    m.state.owned = NOTHING
    m.block.ops.append(ResidualOperation(op, tuple(operands), attr, (found,), m.span, where=where))
    m.kept.made[found] = (m.world.serial(target.value), name)
    return found


def _inner(m: Machine, place: Place) -> int:
    """A part of what an object has kept: there is no name for it."""
    m.refuse(("settled", *place), "a part of what a static object computes is needed itself")


def check_stand_ins(m: Machine, program: Program, apart: Callable[[], Apart]) -> None:
    """Refuse what the residual would hold, or compare at its entry, in place of what a static object keeps."""
    stand_ins = {id(part): place for place, (_, parts) in m.world.settled.items() for part in parts if not deep(part)}
    if not stand_ins:
        return
    held = [
        part
        for function in program.functions
        for op in _used(function)
        if isinstance(op.attr, Constant)
        for part in _in_tuples(op.attr.value)
    ]
    for part in (*held, *apart().objects):
        if id(part) in stand_ins:
            m.refuse(("settled", *stand_ins[id(part)]), "what a static object computes is needed itself")


def _used(function: Function) -> list[Operation]:
    """The operations whose results are more than what an object is given to keep."""
    ops = list(function.operations())
    keeping = {op.results[0] for op in ops if isinstance(op.attr, Constant) and op.attr.value is keep}
    used = {arg for op in ops if op.name != "call" or op.args[0] not in keeping for arg in op.args}
    for block in function.blocks:
        used.update(end_uses(block.terminator))
        used.update(block.handler.args if block.handler is not None else ())
    return [op for op in ops if not used.isdisjoint(op.results)]


def by_owner(world: World, apart: Apart) -> Apart:
    """The objects that no open input may be, with the attributes of the real ones for those that stand for them."""
    owners = {id(first): place for place, (first, _) in world.settled.items()}
    kept = [value for value in apart.objects if id(value) in owners]
    if not kept:
        return apart
    named = [(value, *owners[id(value)]) for value in kept]
    return Apart(
        apart.names,
        tuple(value for value in apart.objects if id(value) not in owners),
        tuple(KeptBy(world.by_serial(number), name, type(value)) for value, number, name in named),
        apart.methods,
    )


def _in_tuples(value: object) -> list[object]:
    found = [value]
    for item in found:
        if type(item) in (tuple, frozenset) and not deep(item):
            assert isinstance(item, (tuple, frozenset))
            found.extend(item)
    return found


KEYWORD_MODELS[library.keeping] = _settle
