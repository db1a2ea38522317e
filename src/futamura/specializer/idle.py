"""Flags that tell versions apart which do the same.

    found = False; late = False            each version of the loop has its copy for every combination of the flags,
    for x in xs:                           and all of them do the same: only what is returned differs
        if x is None: found = True
        elif x > 9: late = True            ->      the flags leave the keys, and are variables of one loop
    return found, late

Flags are True, False or None.  One that nothing asks leaves the keys where its versions lead to the same operations of
the source, if these are a loop or more than a few.  One that is asked, or selects anything, stays known; but not around
a loop whose trips do the same, down to the constants, nor along code of `_LONG` operations or more that is not in a
loop when it is asked: one test is less than a copy then, and as the versions differ in nothing else, all is known
behind the test that was known before.

Of loops that is told while much is still to be run: a router tries its rules one after the other, each in its own trip,
and at the end it matters whether one fitted but for its method.

Invariant: nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from futamura.specializer.keys import Choices, is_fixed
from futamura.specializer.residual import ResidualBlock, Version, blocks_of
from futamura.specializer.state import State
from futamura.specializer.varied import deciding_places
from futamura.specializer.ways import blocks_leading_to, successors

__all__ = ["early_flags", "idle_flags"]

_MOST: Final = 64
"""Versions of one block that are compared with each other, and pairs of versions of which it is looked up what they
lead to."""

_LONG: Final = 16
"""So many operations are too much to stand twice for a flag."""

_Done: TypeAlias = frozenset[tuple[object, ...]]
"""Residual operations and ends of blocks, by what they were in the source."""
_Pair: TypeAlias = tuple[Version, Version, set[object]]
"""Two versions, and the places of the flags in which they differ."""


def idle_flags(choices: Choices, versions: Sequence[Version]) -> set[object]:
    """The places of flags that tell versions apart and do nothing else."""
    flags = {choices.tokens.value(value) for value in (True, False, None)}
    pairs = [pair for group in _alike(versions) for pair in _pairs(group, flags)]
    if not pairs or choices.polyvariance != "auto":
        return set()
    asked = deciding_places(versions, {place for _, _, places in pairs for place in places}, choices.decided, 1)
    leading = _Leading()
    found: set[object] = set()
    looked = 0
    for first, other, places in pairs:
        if looked < _MOST and not found.issuperset(places):
            if asked.isdisjoint(places):
                done = leading.done(first)
                idle = done == leading.done(other) and (_is_loop(first.state) or len(done) >= _LONG)
            else:
                loops = _is_loop(first.state) and leading.trip(first) == leading.trip(other)
                idle = loops or leading.beside(first, other, places, flags) >= _LONG
            found.update(places if idle else ())
            looked += 1
    return found


def early_flags(choices: Choices, versions: Sequence[Version]) -> set[object]:
    """Those of them that can be told while versions are still to be run: loops around which all trips do the same."""
    if choices.polyvariance != "auto":
        return set()
    flags = {choices.tokens.value(value) for value in (True, False, None)}
    headers = [version for version in versions if _is_loop(version.state)]
    pairs = [pair for group in _alike(headers) for pair in _pairs(group, flags)]
    leading = _Leading()
    found: set[object] = set()
    for first, other, places in pairs[:_MOST]:
        if not found.issuperset(places) and leading.is_run(first) and leading.is_run(other):
            found.update(places if leading.trip(first) == leading.trip(other) else ())
    return found


def _alike(versions: Sequence[Version]) -> Iterator[list[Version]]:
    """Versions of one block, with keys of one length."""
    groups: dict[object, list[Version]] = {}
    for version in versions:
        if version.scalars is not None and not is_fixed(version.key):
            assert isinstance(version.key, tuple)
            groups.setdefault((_where(version.state), len(version.key)), []).append(version)
    yield from (group[:_MOST] for group in groups.values() if len(group) > 1)


def _where(state: State) -> tuple[int, int, int, int]:
    top = state.top
    return top.facts.uid, top.block, top.index, len(state.frames)


def _is_loop(state: State) -> bool:
    top = state.top
    return not top.index and top.block in top.facts.dynamic_headers


def _is_in_loop(state: State) -> bool:
    return any(frame.facts.in_dynamic_loop(frame.block) for frame in state.frames)


def _pairs(group: Sequence[Version], flags: Collection[int]) -> Iterator[_Pair]:
    """Versions that differ in flags alone."""
    for at, first in enumerate(group):
        for other in group[at + 1 :]:
            places = _differing_here(first, other, flags)
            if places and None not in places:
                yield first, other, places


def _differing(first: Version, other: Version, flags: Collection[int]) -> set[object]:
    """The places in which two versions differ, if these hold flags; else something that is no place."""
    return _differing_here(first, other, flags) if _where(first.state) == _where(other.state) else {None}


def _differing_here(first: Version, other: Version, flags: Collection[int]) -> set[object]:
    """The same of versions that begin at the same place."""
    one, twin = first.scalars, other.scalars
    key, other_key = first.key, other.key
    if one is None or twin is None or not isinstance(key, tuple) or not isinstance(other_key, tuple):
        return {None}
    if len(key) != len(other_key):
        return {None}
    places: set[object] = set()
    for at, (token, other_token) in enumerate(zip(key, other_key)):
        if token != other_token:
            if token not in flags or other_token not in flags or one.get(at) != twin.get(at):
                return {None}
            places.add(one.get(at))
    return places


class _Leading:
    """What the code of versions does."""

    def __init__(self) -> None:
        self._own: Final[dict[Version, tuple[_Done, list[Version]]]] = {}
        self._done: Final[dict[Version, _Done]] = {}
        self._trips: Final[dict[Version, _Done]] = {}
        self._exact: Final[dict[Version, _Done]] = {}

    def done(self, start: Version) -> _Done:
        """What this version does, and all that ways from it lead to, but for constants."""
        found = self._done.get(start)
        if found is None:
            seen, work = {start}, [start]
            done: set[tuple[object, ...]] = set()
            while work:
                ops, after = self._look(work.pop())
                done |= ops
                work.extend(version for version in after if version not in seen)
                seen.update(after)
            found = self._done[start] = frozenset(done)
        return found

    def trip(self, start: Version) -> _Done:
        """What one trip around the loop does that begins with this version, with the constants that it needs."""
        found = self._trips.get(start)
        if found is None:
            inside, ends = self._inside(start)
            found = frozenset().union(*(_done(blocks_leading_to(one, inside | ends), True) for one in inside))
            self._trips[start] = found
        return found

    def is_run(self, start: Version) -> bool:
        """Are all versions of such a trip run?"""
        return not any(version.queued for version in self._inside(start)[0])

    def _inside(self, start: Version) -> tuple[set[Version], set[Version]]:
        """The versions of such a trip, and those that it begins and ends with."""
        where, frames = _where(start.state), start.state.frames
        loop = next(loop for loop in frames[-1].facts.loops if loop.header == frames[-1].block)
        inside, ends, work = {start}, {start}, [start]
        while work:
            for after in self._look(work.pop())[1]:
                held = after.state.frames
                if _where(after.state) == where:
                    ends.add(after)
                elif len(held) >= len(frames) and held[len(frames) - 1].facts is frames[-1].facts:
                    if held[len(frames) - 1].block in loop.blocks and after not in inside:
                        inside.add(after)
                        work.append(after)
        return inside, ends

    def beside(self, first: Version, other: Version, places: set[object], flags: Collection[int]) -> int:
        """How many operations both versions do before one of these flags is asked; 0 if a loop asks it."""
        seen = {first}
        work = [(first, other)]
        count = 0
        while work:
            one, twin = work.pop()
            done, after = self._look(one)
            ways = list(zip(after, self._look(twin)[1]))
            same = self._exactly(one) == self._exactly(twin) and len(after) == len(self._look(twin)[1])
            if not same or not all(a is b or _differing(a, b, flags) <= places for a, b in ways):
                if _is_in_loop(one.state):
                    return 0
                continue
            count += len(done)
            for a, b in ways:
                if a is not b and a not in seen:
                    seen.add(a)
                    work.append((a, b))
        return count

    def _exactly(self, version: Version) -> _Done:
        found = self._exact.get(version)
        if found is None:
            found = self._exact[version] = _done(blocks_of(version), True)
        return found

    def _look(self, version: Version) -> tuple[_Done, list[Version]]:
        found = self._own.get(version)
        if found is None:
            found = self._own[version] = _done(blocks_of(version), False), list(successors(version))
        return found


def _done(blocks: Iterable[ResidualBlock], constants: bool) -> _Done:
    """What these blocks do."""
    done: set[tuple[object, ...]] = set()
    for block in blocks:
        for op in block.ops:
            if op.name in _READ:
                done.update([(op.name, op.attr)] if constants else ())
            else:
                done.add((op.name, op.span, op.where))
        if block.end is not None:
            done.add((block.end.name, block.end.span, block.end.where))
    return frozenset(done)


_READ: Final = frozenset({"const", "global_get"})
