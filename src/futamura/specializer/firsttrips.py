"""First trips around a dynamic loop that differ from the others only in what they make real.

    out = [0] * n                        the first trip writes to a virtual list at an unknown place, and makes it real:
    for x in xs:                         the others come to a loop's header of their own
        out[x % n] += 1          ->      out is made real before the loop, and all trips are one

A trip that is never come back to is worth its copy if it decides something.  Where the header's two versions are the
same but for objects, it only saves what becomes of them before they are real.  Where a trip may leave them virtual, the
loop comes back to the first version, and both are kept, unless the later one has nothing to do that the first has not:
options with defaults, of which those that are given are stored at an open key.

Invariant: a version that ways lead back to is given up only if its virtual objects save nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, TypeAlias

from futamura.specializer.idle import early_flags, idle_flags
from futamura.specializer.keys import OPEN, Choices, Key, NoKey, holds_no_values, is_among, is_fixed, opened
from futamura.specializer.knowledge import Knowledge, Learned
from futamura.specializer.machine import Restart
from futamura.specializer.merge import generalize
from futamura.specializer.residual import Version, blocks_of
from futamura.specializer.state import State
from futamura.specializer.values import Dynamic, Virtual, VObject
from futamura.specializer.ways import blocks_leading_to, looping, reached

__all__ = ["FirstTrips"]

_REAL: Final = frozenset({"list", "tuple", "dict", "set", "deque", "instance", "memory"})
_REAL_CLASSES: Final = (list, dict, set, deque, bytearray, str, bytes)
_MOST: Final = 16
"""Versions of one header that are compared with each other."""
_EARLY: Final = 64
_EARLIER: Final = 4
"""Flags are looked for when there are so many versions, and when there are so many times as many as the last time."""


_Header: TypeAlias = tuple[int, int, int]
"""A loop's header, by its function and block; what general code needs is nothing to the specialized one."""


def _header(state: State) -> _Header:
    return state.top.facts.uid, state.top.block, state.general


class FirstTrips:
    """What is learned of the first trips of one specialization."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._early: Final = Learned[tuple[_Header, object]](knowledge)
        """A loop's header, and a site whose objects are made real in front of it."""
        self._look_at = _EARLY
        """With so many versions flags are looked for again."""

    def before(self, choices: Choices, state: State, fresh: Callable[[int], int]) -> State:
        """The trimmed state that enters a dynamic loop, from one that arrives at its header."""
        header = _header(state)
        real = {entry.site for entry in state.heap.values() if (header, entry.site) in self._early}
        real.update(_iterators(choices, state))
        if not real:
            return state
        made = generalize(state, fresh, lambda entry: entry.site not in real or not _may_be_real(choices, state, entry))
        made.trim()
        return made

    def forgets(self, state: State) -> bool:
        """Forget what the first trip alone would know of attributes of static objects; is there one among them that
        must be stored back before?"""
        header = _header(state)
        found = [place for place in state.overlays if (header, ("held", place)) in self._early]
        stored = any(state.overlays[place][1] for place in found)
        for place in found if not stored else ():
            del state.overlays[place]
        return stored

    def check(self, choices: Choices, versions: Iterable[Version], again: bool) -> None:
        """All versions are run: no first trip should be a copy for nothing, and no flag tell twins apart,
        if all of it may be done `again`."""
        alive = [version for version in versions if version.forward is None]
        found = _wasted(choices, alive)
        if self._early.absent(found):
            self._early.update(found)
            raise Restart("objects are made real in front of a loop")
        if again and (flags := idle_flags(choices, alive)):
            choices.nokey.update(flags)
            raise Restart("flags that nothing asks", whole=True)

    def check_early(self, choices: Choices, versions: Sequence[Version], again: bool) -> None:
        """The same while versions are still to be run, now and then: what can be told of flags."""
        if len(versions) < self._look_at:
            if len(versions) < _EARLY:  # it has started again
                self._look_at = _EARLY
            return
        self._look_at *= _EARLIER
        flags = early_flags(choices, [one for one in versions if one.forward is None]) if again else set()
        if flags:
            choices.nokey.update(flags)
            raise Restart("flags that nothing asks", whole=True)


def _iterators(choices: Choices, state: State) -> Iterable[object]:
    """The sites of the iterator that gives the items of the loop, and of those that it takes them from, if the
    positions are in no key: they will not stay known."""
    header = state.top.facts.blocks[state.top.block].terminator
    given = state.top.env.get(header.args[0]) if header.name == "next" else None
    entry = None if given is None else state.object(state.resolve(given))
    if entry is None or entry.kind != "iterator" or choices.polyvariance == "none":
        return ()  # without known values in the keys, what containers hold may tell the trips apart
    whole = not isinstance(entry.extra, tuple)
    found: dict[object, int] = {}
    for one in (entry,) if whole else map(state.object, map(state.resolve, entry.items)):
        if one is not None and one.kind == "iterator":
            found.update(_positions(state, one) or {})
    return found if holds_no_values(choices, state) or any(place in choices.nokey for place in found.items()) else ()


def _positions(state: State, iterator: VObject) -> dict[object, int] | None:
    """The sites of an iterator and of those that it takes its items from, with the place of the position in each; None
    if no iterator at run time would do as well."""
    if iterator.extra == "sequence":
        source = state.object(state.resolve(iterator.items[0]))
        plain = iterator.cls is not reversed and len(iterator.items) == 2
        return {iterator.site: 1} if plain and (source is None or source.kind == "tuple") else None
    if iterator.extra not in ("zip", "enumerate"):
        return None
    found = {iterator.site: len(iterator.items) - 1}
    for item in iterator.items:
        entry = state.object(state.resolve(item))
        if entry is None:
            continue
        inner = _positions(state, entry) if entry.kind == "iterator" else None
        if inner is None:
            return None
        found.update(inner)
    return found


def _wasted(choices: Choices, versions: Iterable[Version]) -> list[tuple[_Header, object]]:
    """Headers, and the sites whose objects are better real before these loops begin."""
    headers: dict[_Header, list[Version]] = {}
    for version in versions:
        top = version.state.top
        if not is_fixed(version.key) and not top.index and top.block in top.facts.dynamic_headers:
            headers.setdefault(_header(version.state), []).append(version)
    found: list[tuple[_Header, object]] = []
    for header, copies in headers.items():
        for later in copies[:_MOST] if len(copies) > 1 else ():
            for first in copies[:_MOST]:
                sites = _made_real(choices, first, later) if first is not later else None
                if sites and _is_wasted(first, later, sites):
                    found.extend((header, site) for site in sites)
    return found


def _made_real(choices: Choices, first: Version, later: Version) -> set[object] | None:
    """The sites of objects that are virtual in the first version and not in the later one, if nothing else differs but
    values that are known there and not here."""
    there = {(entry.site, entry.kind, entry.extra == "sequence") for entry in later.state.heap.values()}
    sites: dict[int, object] = {
        oid: entry.site
        for oid, entry in first.state.heap.items()
        if _may_be_real(choices, first.state, entry)
        and (entry.site, entry.kind, entry.extra == "sequence") not in there
    }
    held = _known_of(first.state, later.state)
    gained = _known_of(later.state, first.state)
    if not (sites or held or gained) or not all(_stores(later, place) for place in gained):
        return None
    try:
        tokens = Key(choices, _without(first.state, held), without=sites).tokens
        others = Key(choices, _without(later.state, gained)).tokens
    except NoKey:
        return None
    found = {*sites.values()} | {("held", place) for place in (*held, *gained)}
    if tokens == others:
        return found
    if len(tokens) != len(others):
        return None
    differing = opened(tokens, others)
    # What is known in the first trip only is forgotten as soon as both have one version.
    return found if differing is not None and all(others[at] == OPEN for at in differing) else None


def _known_of(state: State, other: State) -> list[tuple[int, str]]:
    """The attributes of static objects that have open values in one state, of which the other knows nothing."""
    return [
        place
        for place, (content, _) in state.overlays.items()
        if type(content) is Dynamic and place not in other.overlays
    ]


def _without(state: State, places: Collection[tuple[int, str]]) -> State:
    """A state that does not know what these attributes hold."""
    if not places:
        return state
    state = state.copy()
    for place in places:
        del state.overlays[place]
    return state


def _stores(version: Version, place: tuple[int, str]) -> bool:
    """Is an attribute of that name stored on each trip, as it seems: may it as well be stored before the next one?"""
    ops = [op for one in looping(version) for block in blocks_of(one) for op in block.ops]
    return any(op.name == "setattr" and op.attr == place[1] for op in ops)


def _may_be_real(choices: Choices, state: State, entry: VObject) -> bool:
    if entry.kind == "method":  # `append = found.append`, of a list that is real, or will be in front of the loop
        held = None if not entry.items or entry.cls not in _REAL_CLASSES else state.resolve(entry.items[0])
        return type(held) is Dynamic or (type(held) is Virtual and is_among(choices.noshape, state.heap[held.oid].site))
    return entry.kind in _REAL or (entry.kind == "iterator" and _positions(state, entry) is not None)


def _is_wasted(first: Version, later: Version, sites: set[object]) -> bool:
    """Is there a way from the first version to the later one, and is either none back to itself, or nothing to do in
    the later one's loop that the first does not do as well, with its objects virtual?  If these hold nothing yet, what
    is known behind the loop is not worth much."""
    before = reached(first, later)
    if later not in before:
        return False
    if first not in before:
        return True
    after = looping(later)
    done = {
        (op.name, op.span, op.where) for version in before - {later} for block in blocks_of(version) for op in block.ops
    }
    made = [entry for entry in first.state.heap.values() if entry.site in sites and entry.kind != "method"]
    empty = all(not entry.items and entry.kind != "instance" for entry in made)
    inside = blocks_leading_to if empty else lambda version, _: blocks_of(version)
    ops = [op for version in after for block in inside(version, after) for op in block.ops]
    return all(op.lazy is None and (op.name, op.span, op.where) in done for op in ops)
