"""Versions: keys, the version table, in-place generalization, and the ladder of budgets.

    arrive(state at loop header)   ->  the version with the state's key; its state becomes the meet of both
    a counter grows old            ->  its place leaves the keys; versions that now collide become one
    too many versions of a block   ->  no scalar of that block is in the key; growing lists are materialized

Invariant: a version's state only rises, and `key(version.state) == version.key`.
"""

from __future__ import annotations

import heapq
import types
from collections.abc import Callable, Iterable
from typing import Final, NoReturn

from futamura.ir.classes import is_a
from futamura.specializer.machine import Restart
from futamura.specializer.merge import Meet, generalize
from futamura.specializer.policy import Budget, Event, Polyvariance, Style
from futamura.specializer.residual import Summary, Unit, Version
from futamura.specializer.situation import located
from futamura.specializer.state import ArgumentKey, State
from futamura.specializer.summaries import raised_state
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject, token_key

__all__ = ["Versions"]

SHAPES: Final = 3
"""As many lengths of a container are kept apart at one point of a loop; more mean that it grows with the loop."""

NESTINGS: Final = 2
"""Objects of one site that nest to more different depths than this among the versions of a block grow."""
MOST_NESTED: Final = 64
"""Deeper counts as this deep."""

_IDENTITIES: Final = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)


class _NoKey(Exception):
    """A place left the keys while a key was being made."""


class Versions:
    """The version table of one specialization."""

    def __init__(
        self, polyvariance: Polyvariance, budget: Budget, fresh: Callable[[int], int], event: Callable[[Event], None]
    ) -> None:
        self.polyvariance: Final = polyvariance
        self.budget: Final = budget
        self._fresh: Final = fresh
        self._event: Final = event
        self.nokey: set[object] = set()
        self.noshape: set[object] = set()
        self.plain: set[tuple[int, int]] = set()
        self.refused: set[object] = set()
        """The machine's places where something cannot be virtual."""
        self.extents: dict[object, int] = {}
        self.units: dict[object, int] = {}
        self.real: set[tuple[int, int]] = set()
        self.confused: set[object] = set()
        """The tokens of equal tuples that are two objects and met somewhere."""
        self.style = Style()
        self.rolled: set[tuple[int, int]] = set()
        self.opaque: set[object] = set()
        """Calls that bring nothing static and made versions explode: they stay calls."""
        self.work = 0
        self.summaries: dict[int, Summary] = {}
        self.unit = Unit("")
        self._queue: list[tuple[tuple[int, ...], int, Version]] = []
        self._count = 0
        self._per_block: dict[tuple[int, int], list[Version]] = {}
        self._shapes: dict[object, dict[tuple[tuple[object, int], ...], None]] = {}

    def reset(self) -> None:
        """Forget all versions, keep what was learned."""
        self.unit = Unit("")
        self.extents.clear()
        self.confused.clear()
        self.units.clear()
        self.summaries.clear()
        self._queue.clear()
        self._per_block.clear()
        self._shapes.clear()

    def keep(self, entry: VObject) -> bool:
        return entry.site not in self.noshape

    # -- keys

    def key(self, state: State) -> tuple[object, ...]:
        while True:
            try:
                return _Key(self, state).make()
            except _NoKey:
                self._rekey()

    def keyed(self, place: object, value: Known, state: State, in_loop: bool, plain: bool) -> bool:
        if is_a(value.value, _IDENTITIES):
            return True
        if self.polyvariance == "all":
            return True
        if self.polyvariance == "none" or plain or place in self.nokey:
            return False
        if in_loop and state.age(value) > 2:
            self.nokey.add(place)
            raise _NoKey
        return True

    # -- arrival

    def extent(self, state: State, region: int) -> int:
        """The number of the try region that is entered with `state`: states with equal keys share it."""
        trimmed = state.copy()
        trimmed.trim()
        key = (region, self.key(trimmed))
        return self.extents.setdefault(key, len(self.extents) + 1)

    def arrive_unit(self, state: State) -> Version:
        """A residual function is called with `state`, which has its one frame: the version of its entry.

        Recursion is a loop: the arguments age as at a dynamic loop's header.
        """
        state.trim(whole=False)
        state.ages = dict(state.ages)
        state.cross_header()
        state.unit = 0
        while True:
            key = ("unit", *self._unit_key(state))
            unit = self.units.get(key)
            if unit is not None:
                break
            unit = self.units[key] = len(self.units)
            self.summaries[unit] = Summary(plain=not unit)
        state.unit = unit
        entry = ("entry", unit)
        version = self.unit.table.get(entry)
        if version is None:
            return self._create(entry, state)
        self._join(version, state)
        return version

    def arrive_root(self, state: State) -> Version:
        """The program starts with `state`: nothing calls this version."""
        self.units["root"] = 0
        self.summaries[0] = Summary(plain=True)
        return self.arrive(state)

    def argument_key(self, state: State) -> ArgumentKey:
        """What tells a recursive call with the trimmed argument `state` from others."""
        while True:
            maker = _Key(self, state, recursive=True)
            try:
                key = maker.make()
            except _NoKey:
                self._rekey_units()
            return ArgumentKey(key, tuple(maker.signature), tuple(_weights(maker.shapes).items()))

    # -- summaries of residual functions

    def returns(self, left: State) -> None:
        """A residual function returns in this state."""
        summary = self.summaries[left.unit]
        if summary.returned is None:
            summary.returned = generalize(left, self._fresh, self.keep)
            self._call_again(summary)
            return
        meet = Meet(summary.returned, left, self._fresh, self.keep)
        self.confused |= meet.confused
        if meet.changed:
            summary.returned = meet.state
            self._call_again(summary)

    def raises(self, state: State) -> None:
        """An exception leaves the residual function that `state` belongs to, if anyone looks at what it leaves."""
        summary = self.summaries[state.unit]
        if not summary.watched or not state.frames[0].held:
            return
        left = raised_state(state)
        if summary.raised is None:
            summary.raised = generalize(left, self._fresh, self.keep)
            self._call_again(summary)
            return
        meet = Meet(summary.raised, left, self._fresh, self.keep)
        self.confused |= meet.confused
        if meet.changed:
            summary.raised = meet.state
            self._call_again(summary)

    def watched(self, unit: int) -> bool:
        return self.summaries[unit].watched

    def watch(self, unit: int) -> None:
        """A caller looks at its objects behind an exception of this residual function."""
        self.summaries[unit].watched = True
        for version in self.unit.table.values():
            if version.state.unit == unit and version.forward is None:
                self._enqueue(version)

    def _call_again(self, summary: Summary) -> None:
        for version in summary.callers:
            self._enqueue(version.final())

    def _unit_key(self, state: State) -> tuple[object, ...]:
        while True:
            try:
                return _Key(self, state, recursive=True).make()
            except _NoKey:
                self._rekey_units()

    def _rekey_units(self) -> NoReturn:
        """A place left the keys: residual functions that now have the same key cannot be joined in place."""
        raise Restart("an argument of a recursive function varies without bound")

    def arrive_raised(self, state: State, uid: int) -> Version:
        """The handler of the try region `uid` is reached: all its exceptions meet in one version."""
        state.trim()
        places = [(frame.facts.uid, frame.block, frame.index) for frame in state.frames]
        key = ("handler", uid, *places)
        version = self.unit.table.get(key)
        if version is None:
            return self._create(key, state)
        self._join(version, state)
        return version

    def arrive(self, state: State) -> Version:
        state.trim()
        top = state.top
        if top.index == 0 and top.block in top.facts.dynamic_headers:
            state.cross_header()
            if self.style.loops != "meet":
                state = loosened(state, self.style.loops, self._fresh)
        key = self.key(state)
        version = self.unit.table.get(key)
        if version is None:
            maker = _Key(self, state)
            maker.make()
            self._watch_shapes(state, maker)
        if version is None and self._turned_dynamic(key, state):
            self._rekey()
            key = self.key(state)
            version = self.unit.table.get(key)
        if version is None:
            return self._create(key, state)
        self._join(version, state)
        return version

    def _turned_dynamic(self, key: tuple[object, ...], state: State) -> bool:
        """At a dynamic loop's header: does a place hold a known value in one version and a dynamic one in
        another that is the same otherwise?  Then it varies around the loop, and leaves the keys."""
        top = state.top
        if self.polyvariance == "all" or top.index or top.block not in top.facts.dynamic_headers:
            return False
        maker = _Key(self, state)
        maker.make()
        places: dict[int, object] = {}
        for version in self._per_block.get((top.facts.uid, top.block), ())[-8:]:
            other = version.key
            if not isinstance(other, tuple) or len(other) != len(key) or version.forward is not None:
                continue
            differing = [at for at, (x, y) in enumerate(zip(key, other)) if x != y]
            if not all("*" in (key[at], other[at]) for at in differing):
                continue
            known = _Key(self, version.state)
            try:
                known.make()
            except _NoKey:
                return True  # the place of a value that grew old has left the keys
            for at in differing:
                places[at] = maker.scalars.get(at, known.scalars.get(at))
        found = {place for place in places.values() if place is not None} - self.nokey
        self.nokey |= found
        return bool(found)

    def _create(self, key: object, state: State) -> Version:
        self._count += 1
        place = tuple(frame.facts.position[frame.block] for frame in state.frames)
        version = Version(self._count, self.unit, key, generalize(state, self._fresh, self.keep), place)
        self.unit.table[key] = version
        self._enqueue(version)
        top = state.top
        siblings = self._per_block.setdefault((top.facts.uid, top.block), [])
        siblings.append(version)
        self._watch(siblings, (top.facts.uid, top.block), state)
        return version

    def _join(self, version: Version, state: State) -> None:
        meet = Meet(version.state, state, self._fresh, self.keep)
        self.confused |= meet.confused
        for place in meet.variables:
            assert isinstance(place, tuple)
            if ("variable", *place[1:]) not in self.refused:
                self.refused.add(("variable", *place[1:]))
                raise Restart("a variable is bound on some ways only")
        if meet.changed:
            version.state = meet.state
            self._enqueue(version)

    def _enqueue(self, version: Version) -> None:
        if not version.queued:
            version.queued = True
            heapq.heappush(self._queue, (version.place, version.uid, version))

    def next(self) -> Version | None:
        while self._queue:
            version = heapq.heappop(self._queue)[2]
            version.queued = False
            if version.forward is None:
                return version
        return None

    def _rekey(self) -> None:
        """Recompute all keys after a place left them; versions that collide become one."""
        old = sorted(self.unit.table.values(), key=lambda version: version.uid)
        while True:
            table: dict[object, Version] = {}
            try:
                for version in old:
                    if version.forward is not None:
                        continue
                    if not _is_fixed(version.key):
                        version.key = _Key(self, version.state).make()
                    other = table.setdefault(version.key, version)
                    if other is not version:
                        version.forward = other
                        self._join(other, version.state)
            except _NoKey:
                continue
            break
        self.unit.table = table
        for siblings in self._per_block.values():
            siblings[:] = [version for version in siblings if version.forward is None]

    # -- the ladder

    def _watch(self, siblings: list[Version], block: tuple[int, int], state: State) -> None:
        count = len(siblings)
        if self.polyvariance == "all" and count <= self.budget.hard_versions_per_block:
            return
        if count <= self.budget.versions_per_block or (
            count & (count - 1) and count < self.budget.hard_versions_per_block
        ):
            return
        growing = _growing(siblings)
        name = state.top.facts.function.qualname
        if growing - self.noshape:
            _mark_loops(state)
            self.grows(growing, state)
        if block in self.plain:
            return
        values = self._values(siblings)
        spread = max(values.values(), default=1)
        if count <= 1.5 * spread and count < self.budget.hard_versions_per_block:
            return
        _mark_loops(state)
        self._leave_a_call(state, name, count)
        others = {place for place, number in values.items() if 1 < number < spread} - self.nokey
        if others and count < self.budget.hard_versions_per_block:
            self.nokey |= others
            reason = f"{name}: {count} versions of one block: only what varies most tells them apart"
            self._note("FT403", reason, state)
        else:
            self.plain.add(block)
            reason = f"{name}: {count} versions of one block: its values are not specialized on"
            self._note("FT401", reason, state)
        self._rekey()

    def _leave_a_call(self, state: State, name: str, count: int) -> None:
        """Versions explode inside of a call that brings nothing static: the outermost such call stays a call."""
        for frame in state.frames[1:]:
            if frame.blind and frame.chain[-1] not in self.opaque:
                self.opaque.add(frame.chain[-1])
                callee = frame.facts.function.qualname
                self._note("FT406", f"{name}: {count} versions of one block: {callee} is called as it is", state)
                raise Restart("a call stays")

    def _note(self, code: str, reason: str, state: State) -> None:
        """Say what was given up, and at which block."""
        facts, block = state.top.facts, state.top.facts.blocks[state.top.block]
        span = next((op.span for op in block.ops if op.span is not None), block.terminator.span)
        self._event(located(Event(code, reason), facts.function.file, span, state))

    def grows(self, sites: set[object], state: State) -> NoReturn:
        name = state.top.facts.function.qualname
        self.noshape |= sites
        self.nokey.clear()  # learned from states that will not come again
        self.plain.clear()
        what = "a container grows" if len(sites) == 1 else f"{len(sites)} containers grow"
        self._note("FT402", f"{name}: {what} without bound: built at run time", state)
        raise Restart("containers grow without bound")

    def _values(self, siblings: list[Version]) -> dict[object, int]:
        """How many known values each place of the keys takes among these versions."""
        found: dict[object, set[object]] = {}
        for version in siblings:
            maker = _Key(self, version.state)
            try:
                key = maker.make()
            except _NoKey:
                continue  # it has left the keys, which are computed anew
            for at, place in maker.scalars.items():
                found.setdefault(place, set()).add(key[at])
        return {place: len(values) for place, values in found.items()}

    def _watch_shapes(self, state: State, maker: _Key) -> None:
        """At a dynamic loop's header, containers that differ in length from trip to trip while all else is equal
        grow with the loop."""
        top = state.top
        if self.polyvariance == "all" or top.index or top.block not in top.facts.dynamic_headers or not maker.shapes:
            return
        place = (top.facts.uid, top.block, tuple(maker.signature))
        seen = self._shapes.setdefault(place, {})
        seen.setdefault(tuple(maker.shapes))
        if len(seen) > SHAPES:
            held = [_weights(shapes) for shapes in seen]
            growing = {site for site in held[0] if len({found.get(site, 0) for found in held}) > 1} - self.noshape
            if growing:
                self.grows(growing, state)


def loosened(state: State, loops: str, fresh: Callable[[int], int]) -> State:
    """A copy of a trimmed state at a dynamic loop's header in which what the loop changes is dynamic."""
    facts = state.top.facts
    block = state.top.block
    if loops == "parameters":
        changing = frozenset(facts.blocks[block].params)
    else:
        changing = facts.varying(block)
    loose = state.copy()
    env = loose.top.env
    for value in sorted(env.keys() & changing):
        if type(state.resolve(env[value])) is Known:
            env[value] = Dynamic(fresh(-1))
    loose.trim()
    return loose


def _mark_loops(state: State) -> None:
    """Versions explode: the innermost loops around that have static control are dynamic after all.

    What decides about them depends on dynamic control earlier in the loop, through values that `facts` does not see.
    """
    for frame in reversed(state.frames):
        facts = frame.facts
        late = {loop.header for loop in facts.loops_of[frame.block]} - facts.dynamic_headers
        if late:
            facts.dynamic_headers |= late
            raise Restart(f"the loop of {facts.function.name} turned out dynamic")


def _is_fixed(key: object) -> bool:
    """Keys of handlers and of residual functions' entries do not depend on their states."""
    return isinstance(key, tuple) and key[0] in ("handler", "entry")


def _weights(shapes: Iterable[tuple[object, int]]) -> dict[object, int]:
    """How many containers of each site there are, and how much is in them, in one number."""
    weights: dict[object, int] = {}
    for site, length in shapes:
        weights[site] = weights.get(site, 0) + length + 1
    return weights


def _growing(siblings: list[Version]) -> set[object]:
    """Allocation sites whose containers have many lengths, or nest in themselves ever deeper, among these versions."""
    lengths: dict[object, set[int]] = {}
    depths: dict[object, set[int]] = {}
    for version in siblings[-64:]:
        heap = version.state.heap
        for entry in heap.values():
            if entry.kind in ("list", "tuple", "dict", "set"):
                lengths.setdefault(entry.site, set()).add(len(entry.items))
        for site, depth in _nesting(heap).items():
            depths.setdefault(site, set()).add(depth)
    limit = min(len(siblings), 64) // 2
    nested = {site for site, found in depths.items() if len(found) > NESTINGS}
    return {site for site, found in lengths.items() if len(found) > limit} | nested


def _nesting(heap: dict[int, VObject]) -> dict[object, int]:
    """How deep objects of one site lie inside each other, for the sites where any do."""
    inside = {
        oid: [item.oid for item in entry.items if type(item) is Virtual and heap[item.oid].site == entry.site]
        for oid, entry in heap.items()
    }
    depths: dict[object, int] = {}
    level = [oid for oid, items in inside.items() if items]
    for depth in range(1, MOST_NESTED):
        if not level:
            break
        depths.update((heap[oid].site, depth) for oid in level)
        reached = dict.fromkeys(item for oid in level for item in inside[oid])
        level = [oid for oid in reached if inside[oid]]
    return depths


class _Key:
    """One key: the frames' places, and a token for each value, virtual objects numbered in order."""

    def __init__(self, versions: Versions, state: State, recursive: bool = False) -> None:
        self._versions: Final = versions
        self._state: Final = state
        self._numbers: dict[int, int] = {}
        self.scalars: dict[int, object] = {}
        """The positions of the key that hold a known value, with its place."""
        self.shapes: list[tuple[object, int]] = []
        """The containers with their lengths, in order."""
        self.signature: list[object] = []
        """The key without what containers hold."""
        self._in_loop: Final = recursive or any(frame.facts.in_dynamic_loop(frame.block) for frame in state.frames)
        top = state.top
        place = (top.facts.uid, top.block)
        self._plain: Final = place in versions.plain or place in versions.rolled

    def make(self) -> tuple[object, ...]:
        tokens: list[object] = [self._state.unit]
        for depth, frame in enumerate(self._state.frames):
            facts = frame.facts
            useful = facts.useful(depth > 0)
            where = (facts.uid, frame.block, frame.index, frame.dynamic, frame.purpose, frame.result, frame.extents)
            tokens.append(where)
            self.signature.append(where)
            for value in sorted(frame.env):
                content = frame.env[value]
                if type(content) is Known and value not in useful and self._versions.polyvariance == "auto":
                    tokens.append("*")
                else:
                    self._token((facts.uid, value), content, tokens)
            if frame.subject is not None:
                self._token((facts.uid, "subject"), frame.subject, tokens)
        for place, (content, dirty) in self._state.overlays.items():
            tokens.append((place, dirty))
            self._token(place, content, tokens)
        self._versions.work += len(tokens)
        return tuple(tokens)

    def _token(self, place: object, value: AbstractValue, tokens: list[object]) -> None:
        work: list[tuple[object, AbstractValue, bool]] = [(place, value, False)]
        while work:
            place, value, inside = work.pop()
            at = len(tokens)
            if type(value) is Dynamic:
                tokens.append("*")
            elif type(value) is Known:
                keyed = self._versions.keyed(place, value, self._state, self._in_loop, self._plain)
                if keyed:
                    self.scalars[at] = place
                tokens.append(token_key(value.value) if keyed else "*")
            else:
                assert type(value) is Virtual
                self._object(value, tokens, work, inside)
            if not inside:
                self.signature.append(tokens[at] if type(value) is not Virtual else "object")

    def _object(
        self, value: Virtual, tokens: list[object], work: list[tuple[object, AbstractValue, bool]], inside: bool
    ) -> None:
        number = self._numbers.get(value.oid)
        if number is not None:
            tokens.append(("again", number))
            return
        entry = self._state.heap[value.oid]
        if not self._versions.keep(entry):
            tokens.append("*")
            return
        self._numbers[value.oid] = len(self._numbers)
        extra = (
            entry.extra
            if not isinstance(entry.extra, tuple)
            else tuple(part if isinstance(part, (tuple, int)) else id(part) for part in entry.extra)
        )
        tokens.append((entry.kind, entry.cls, len(entry.items), token_key(entry.names), extra))
        if entry.kind in ("list", "tuple", "dict", "set"):
            self.shapes.append((entry.site, len(entry.items)))
            inside = True
        places = [
            (entry.site, at if entry.kind != "instance" else name)
            for at, name in zip(range(len(entry.items)), entry.names or range(len(entry.items)))
        ]
        work.extend((place, item, inside) for place, item in reversed(list(zip(places, entry.items, strict=True))))
