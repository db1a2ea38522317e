"""Calls that hand static objects to code that is not known, on ways that are rare (`parting.py`).

    raises TypeError ->  handler: it = iter(xs)  ...          what runs over a static list is made real,
                                  vm.pc = 7                    what was written is stored back,
                                  _handed_over.now = True
                                  try: ...                     try statements are entered anew: their handlers will
                                                               not find the same things known

Where that cannot be done, nothing of such objects is believed on any way (`World.escape`).

Invariant: behind the mark nothing that is known of the state depends on what a static object holds.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from types import FunctionType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Program
from futamura.specializer import library
from futamura.specializer.entry_costs import times_in_a_call
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.handed import handed
from futamura.specializer.leaking import At, Changed
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.parting import HandedOver, Parting
from futamura.specializer.policy import Event
from futamura.specializer.purity import behind, is_mutable
from futamura.specializer.residual import ResidualBlock
from futamura.specializer.state import HANDED, Extent
from futamura.specializer.values import AbstractValue, Known, Virtual, VObject

__all__ = [
    "before_handing_over", "find_sites", "hand_over", "handed_by_residual", "handed_later", "hope_again", "is_believed",
    "is_left", "parts", "require_rare", "what_is_given",
]  # fmt: skip

_HOLDING: Final = frozenset(
    {"list", "tuple", "dict", "set", "instance", "cell", "function", "bound", "method", "slice", "exception"}
)
"""Kinds of virtual objects that depend on no object that they hold."""
_RARE: Final = 0.35
"""So often may one call of the residual hand something over, if of two ways each is taken as often: else most calls
would run the other one."""


def hand_over(m: Machine, values: Iterable[AbstractValue]) -> None:
    """A call that stays gets these values: code that is not known may keep and change what is static in them."""
    values = list(values)
    if not parts(m, values):
        for value in values:
            _tell(m, value)
            m.escape(value)


def _tell(m: Machine, value: AbstractValue) -> None:
    """Something is given up that is read elsewhere, and was hoped to be known there."""
    hoped = m.world.parting.hoped
    known = [leaf.value for leaf in m.state.leaves(value) if type(leaf) is Known] if hoped else ()
    given = next((one for one in known if any(id(item) in hoped for item in _reached([one]))), None)
    if given is not None and m.state.general != HANDED:
        m.event("FT308", f"a static {type(given).__name__} is handed to code that is not known")


def parts(m: Machine, values: Sequence[AbstractValue]) -> bool:
    """Can what is known of static objects be given up on this way alone?  Then it is."""
    state, parting = m.state, m.world.parting
    if state.general == HANDED:
        return True
    if not parting.allowed or state.unit or not all(frame.dynamic for frame in state.frames):
        return False
    if state.general and m.guessed:  # the test that failed will stand at entry, and then there is no such way
        return False
    leaves = (leaf for value in values for leaf in handed(state, value, m.nested, m.own_cells))
    known = [leaf.value for leaf in leaves if type(leaf) is Known]
    given = next((value for value in known if is_believed(m, value) or _is_hoped(m, value)), None)
    if given is None:
        parting.unread.update(map(id, _reached(known)))
        return False
    extents = _entered_anew(m)
    running = _running_over_static(m, values)
    if extents is None or running is None:
        return False
    m.event("FT413", f"code that is not known gets a static {type(given).__name__}")
    parting.begin(lambda: m.state.general == HANDED)
    parting.given.extend(_reached(known))
    for oid in running:
        m.lift(Virtual(oid))
    m.observe()
    m.emit("setattr", (Known(True), Known(parting.flag)), "now", results=0, raises=False)
    for frame, entered in zip(state.frames, extents):
        frame.extents = entered
    m.next_block(state.regions(), None, late=False)
    state.general = HANDED
    return True


def hope_again(m: Machine) -> None:
    """Start again if something is read that was given up before, because nothing of it had been read when it was handed
    over: on its way alone, if that can be."""
    parting = m.world.parting
    if parting.missed and (again := parting.hope()):
        m.world.believe_again(again)
        raise Restart("static objects are read that were handed over before", whole=True)


def site_of(m: Machine) -> object:
    """What tells the call of the source that is specialized now from others."""
    return m.state.frames[-1].facts.uid, m.span


def handed_later(m: Machine) -> tuple[AbstractValue, ...]:
    """What the call that is left now hands over by ways that only the finished residual shows."""
    sites = m.world.parting.sites
    return tuple(map(Known, sites.get(site_of(m), ()))) if sites else ()


def find_sites(m: Machine, program: Program, found: Changed, placed: Mapping[tuple[str, int], ResidualBlock]) -> bool:
    """Are the static objects that the finished residual gives away, by ways that only it knows, handed over by calls
    that are rare?  These are remembered; False if not, or if they were already."""
    parting = m.world.parting
    if not parting.allowed:
        return False
    sites: dict[object, list[object]] = {}
    weights = {one.name: [0.0] * len(one.blocks) for one in program.functions}
    blocks = {(one.name, block.id): at for one in program.functions for at, block in enumerate(one.blocks)}
    for value, at in zip(found.given, found.places, strict=True):
        if not is_believed(m, value):
            continue
        if at is None or at.op.name != "call" or (where := _standing(at, placed)) is None:
            return False
        sites.setdefault((where.uid, at.op.span), []).append(value)
        weights[at.function][blocks[at.function, at.block]] = 1.0
    if not sites or not parting.sites.keys().isdisjoint(sites):
        return False
    often = times_in_a_call(program, lambda function: weights[function.name], plainly=parting.unlikely)
    if often > _RARE:
        return False
    parting.sites.update({site: tuple(values) for site, values in sites.items()})
    return True


def _standing(at: At, placed: Mapping[tuple[str, int], ResidualBlock]) -> FunctionFacts | None:
    """The function of the source that an operation of the residual comes from, if it is the only one."""
    block = placed.get((at.function, at.block))
    ops = () if block is None else block.ops
    left = {op.where for op in ops if op.name == at.op.name and op.span == at.op.span and op.where is not None}
    return left.pop() if len(left) == 1 else None


def handed_by_residual(value: object, at: At | None, placed: Mapping[tuple[str, int], ResidualBlock]) -> Event:
    """The event of a static object that the residual hands over by a way that only it knows."""
    event = Event("FT308", f"a static {type(value).__name__} is handed to code that is not known")
    where = None if at is None else _standing(at, placed)
    if at is None or where is None or at.op.span is None:
        return event
    return replace(event, file=where.function.file, span=at.op.span, line=at.op.span.line)


def is_believed(m: Machine, value: object) -> bool:
    """Was anything read that this object holds, or what it reaches?"""
    world = m.world
    return any(
        id(item) in world.read and not (world.gave_up(item) or world.is_promised(item)) for item in _reached([value])
    )


def _is_hoped(m: Machine, value: object) -> bool:
    """Was anything read that this object holds in an earlier run, behind what handed it over?"""
    hoped = m.world.parting.hoped
    return bool(hoped) and any(id(item) in hoped and not m.world.gave_up(item) for item in _reached([value]))


def _reached(values: Iterable[object]) -> Iterator[object]:
    """What can be changed by who has these objects."""
    seen: set[int] = set()
    work = [*values]
    while work:
        item = work.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if is_mutable(item):
            yield item
            work.extend(gc.get_referents(item))
        else:
            work.extend(behind(item))


def _entered_anew(m: Machine) -> list[tuple[Extent, ...]] | None:
    """The regions of all frames with new numbers for the try statements around; None if one of them lies around a
    handler that is running, which cannot be entered again."""
    found: list[tuple[Extent, ...]] = []
    tries = False
    for frame in m.state.frames:
        entered: list[Extent] = []
        for extent in frame.extents:
            if extent.kind == "except" and tries:
                return None
            if extent.kind == "try":
                tries = True
                numbers = m.versions.extents
                extent = extent._replace(uid=numbers.setdefault(("handed", extent.uid), len(numbers) + 1))
            entered.append(extent)
        found.append(tuple(entered))
    return found


def _running_over_static(m: Machine, values: Sequence[AbstractValue]) -> list[int] | None:
    """The virtual iterators over static lists, which have to become real if these values or the frames still need
    them; None if anything else depends on what a static object holds."""
    found: list[int] = []
    later = m.state.copy()
    later.trim(whole=False)
    needed = {leaf.oid for value in values for leaf in m.state.leaves(value) if type(leaf) is Virtual}
    needed.update(later.heap)
    for oid, entry in m.state.heap.items():
        if oid not in needed:
            continue
        if entry.kind == "iterator" and entry.cls in (dict, deque, reversed):
            return None
        if entry.kind == "forward" or entry.kind in _HOLDING or not _holds_static(entry):
            continue
        if entry.kind != "iterator" or entry.extra != "sequence" or len(entry.items) != 2:
            return None
        found.append(oid)
    return found


def _holds_static(entry: VObject) -> bool:
    return any(type(item) is Known and is_mutable(item.value) for item in entry.items) or entry.kind == "memory"


def is_left(m: Machine, purpose: str, function: object) -> bool:
    """Is this call of a function of the program not unfolded, because static objects were handed over on the way here,
    and so nothing that they hold would fold?"""
    if m.state.general != HANDED or purpose not in ("call", "init"):
        return False
    return is_a(function, FunctionType) and not library.is_own(function.__globals__)


def require_rare(m: Machine, program: Program) -> None:
    """Start again without handing over if the mark stands where most calls come, or where it cannot be trusted."""
    parting = m.world.parting
    parting.used = False
    if not parting.begun:
        return
    marks = [_marks(parting.flag, function) for function in program.functions]
    weights = {one.name: [float(mark) for mark in found] for one, found in zip(program.functions, marks)}
    often = times_in_a_call(program, lambda function: weights[function.name], plainly=parting.unlikely)
    elsewhere = any(any(found) for found, function in zip(marks, program.functions) if function is not program.main)
    if often > _RARE or elsewhere or program.main.kind != "function" or _calls_itself(program):
        parting.allowed = False
        raise Restart("static objects are handed over too often", whole=True)
    parting.used = any(map(any, marks))


def before_handing_over(program: Program, behind: Set[tuple[str, int]]) -> Program:
    """The program without what it does `behind` such calls, where nothing is believed of static objects any more."""
    if not behind:
        return program
    functions = []
    for function in program.functions:
        blocks = [block._replace(ops=()) if (function.name, block.id) in behind else block for block in function.blocks]
        functions.append(replace(function, blocks=tuple(blocks)))
    return replace(program, functions=tuple(functions))


def what_is_given(parting: Parting, changed: Callable[[], Changed]) -> tuple[object, ...]:
    """What the whole program gives away or changes, and all that this reaches; nothing if it hands nothing over."""
    if not parting.used:
        return ()
    found = changed()
    return (*parting.given, *_reached([*found.given, *found.written, *(value for value, _ in found.stored)]))


def _marks(flag: HandedOver, function: Function) -> list[bool]:
    """The blocks that say so."""
    flags = {
        op.results[0] for op in function.operations()
        if op.name == "const" and isinstance(op.attr, Constant) and op.attr.value is flag
    }  # fmt: skip
    return [any(op.name == "setattr" and op.args[1] in flags for op in block.ops) for block in function.blocks]


def _calls_itself(program: Program) -> bool:
    """A call in the middle of another one, which it does not tell what it has handed over."""
    main = program.main.name
    calls = [op for function in program.functions for op in function.operations() if op.name == "invoke"]
    return any(op.attr == main for op in calls)
