"""Versions: keys, the version table, in-place generalization, and the ladder of budgets.

    arrive(state at loop header)   ->  the version with the state's key; its state becomes the meet of both
    a counter grows old            ->  its place leaves the keys; versions that now collide become one
    too many versions of a block   ->  no scalar of that block is in the key; growing lists are materialized

Invariant: a version's state only rises, and `key(version.state) == version.key`.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from typing import Final, NoReturn

from futamura.specializer.firsttrips import FirstTrips
from futamura.specializer.growth import (
    SHAPES,
    Shapes,
    along_all_calls,
    check_stored,
    growing_at,
    growing_sites,
    grown_around,
    is_link,
    mark_loops,
    trips_of,
    weights_of,
)
from futamura.specializer.history import Groups, History, Restore, copied_set, copied_summaries, shortened
from futamura.specializer.keys import (
    Key,
    NoKey,
    Tokens,
    is_among,
    is_entry,
    is_fixed,
    key_now,
    old_values,
    wherever_made,
)
from futamura.specializer.knowledge import Knowledge, Learned
from futamura.specializer.machine import Restart
from futamura.specializer.meeting import mixed_places, most_records, recorded
from futamura.specializer.merge import Meet, generalize, loosened
from futamura.specializer.optionals import optional_objects
from futamura.specializer.policy import Budget, Event, Polyvariance, Style
from futamura.specializer.residual import ResidualBlock, Summary, Unit, Version, let_go
from futamura.specializer.situation import located, standing
from futamura.specializer.state import ArgumentKey, State
from futamura.specializer.stored import Stored
from futamura.specializer.summaries import raised_state, were_told
from futamura.specializer.values import Known, VObject
from futamura.specializer.varied import apart_without, deciding_places, values_of

__all__ = ["Versions"]

FEW_EACH: Final = 2
"""So many versions for each part of static data (the results of a test) are no explosion: of values that
multiply, the next look finds more."""
_LOOKED_AT: Final = 256
"""In so many versions values are looked for that have selected something."""


class Versions:
    """The version table of one specialization."""

    def __init__(
        self,
        polyvariance: Polyvariance,
        budget: Budget,
        fresh: Callable[[int], int],
        event: Callable[[Event], None],
        knowledge: Knowledge,
    ) -> None:
        self.polyvariance: Final = polyvariance
        self.budget: Final = budget
        self._fresh: Final = fresh
        self._event: Final = event
        self._knowledge: Final = knowledge
        self.history = History(knowledge)
        self.nokey, self.noshape, self.links, self.refused = (Learned[object](knowledge) for _ in range(4))
        """`refused` are the machine's places where something cannot be virtual."""
        self.stored = Stored(knowledge, self.noshape)
        self.trips: Final = FirstTrips(knowledge)
        self.varying: set[object] = set()
        """The places that left the keys because they vary from call to call of a recursive function."""
        self.omitted: set[type] = set()
        self.read = Learned[type](knowledge)
        self.plain = Learned[tuple[int, int]](knowledge)
        self.extents: dict[object, int] = {}
        self.units: dict[object, int] = {}
        self.real = Learned[tuple[int, int]](knowledge)
        self.confused: set[object] = set()
        """The tokens of equal tuples that are two objects and met somewhere."""
        self.style = Style()
        self.rolled = Learned[tuple[int, int]](knowledge)
        self.doubling = Learned[int](knowledge)
        """The functions in which optional objects made too many versions."""
        self.opaque = Learned[object](knowledge)
        """Calls that bring nothing static and made versions explode: they stay calls."""
        self.decided: Final[dict[int, Known]] = {}
        """The known values that selected something finite, by the negative of `vid` or else by their identity."""
        self._deciding: Final[set[object]] = set()
        self.work = 0
        self.tokens: Final = Tokens()
        self.summaries: dict[int, Summary] = {}
        self.unit = Unit("")
        self._running: Version | None = None
        self._queue: list[tuple[tuple[int, ...], int, Version]] = []
        self._left = 0
        """How many places had left the keys when these were made."""
        self._all: Final[list[Version]] = []
        """All versions in the order in which they were made, those that have become another one included."""
        self._per_block: dict[tuple[int, int], list[Version]] = {}
        self._shapes: Final = Groups[tuple[int, int, object], tuple[tuple[object, int], ...]]()

    def reset(self) -> None:
        """Forget all versions, keep what was learned."""
        let_go(self._all, self.unit)
        self._running = None
        self.unit = Unit("")
        self.decided.clear()
        self._deciding.clear()
        self.extents.clear()
        self.confused.clear()
        self.units.clear()
        self.summaries.clear()
        self._queue.clear()
        self._per_block.clear()
        self._shapes.clear()
        self._all.clear()
        self.tokens.flats.clear()
        self._knowledge.start()
        self.history = History(self._knowledge)

    @property
    def count(self) -> int:
        """How many versions were made."""
        return len(self._all)

    def size(self) -> int:
        """How much there is to copy for a way back, beside the versions themselves."""
        return len(self.summaries) + len(self.confused)

    def tables(self) -> list[Restore]:
        """What brings the tables beside the versions back."""
        return [
            copied_summaries(self.summaries),
            self._shapes.checkpoint(),
            copied_set(self.confused),
            shortened(self.extents),
            shortened(self.units),
            self._keys_made(),
        ]

    def _keys_made(self) -> Restore:
        left = self._left

        def restore() -> None:
            self._left = left

        return restore

    def settle(self) -> None:
        """Make the keys of versions anew, if more places have left them in runs that were undone."""
        if self._left != len(self.nokey):
            self._rekey()

    def back_to(self, count: int) -> None:
        """Only the first versions are left, and these are as they were: what is told from them, too."""
        let_go(self._all[count:])
        del self._all[count:]
        self.tokens.flats.clear()
        alive = [version for version in self._all if version.forward is None]
        self.unit.table = {version.key: version for version in alive}
        self._per_block.clear()
        for version in alive:
            top = version.state.top
            self._per_block.setdefault((top.facts.uid, top.block), []).append(version)
        self._queue[:] = [(version.place, version.uid, version) for version in self._all if version.queued]
        heapq.heapify(self._queue)

    def has_shape(self, entry: VObject) -> bool:
        return not is_among(self.noshape, entry.site)

    def _keeping(self, key: object) -> Callable[[VObject], bool]:
        return self.has_shape if is_entry(key) else self.keep

    def tokens_without(self, state: State, sites: Collection[object]) -> tuple[object, ...]:
        """What tells a call with the argument `state` from others, apart from the objects of these sites."""
        return Key(self, state, recursive=True, without=sites).tokens

    def keep(self, entry: VObject) -> bool:
        return self.has_shape(entry) or is_link(self.links, entry)

    # -- keys

    def key(self, state: State) -> Key:
        while True:
            try:
                return Key(self, state)
            except NoKey:
                self._rekey()

    # -- arrival

    def forgets(self, state: State) -> bool:
        return self.trips.forgets(state)

    def extent(self, state: State, region: int) -> int:
        """The number of the try region that is entered with `state`: states with equal keys share it."""
        trimmed = state.copy()
        trimmed.trim()
        key = (region, self.key(trimmed).tokens)
        return self.extents.setdefault(key, len(self.extents) + 1)

    def arrive_unit(self, state: State, plain: bool = False) -> Version:
        """A residual function is called with `state`, which has its one frame: the version of its entry.  Of a `plain`
        one the result is all that there is.

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
            self.summaries[unit] = Summary(plain=plain or not unit)
        state.unit = unit
        entry = ("entry", unit)
        version = self.unit.table.get(entry)
        if version is None:
            return self._create(entry, state)
        self._join(version, state)
        return version

    def units_of(self, uid: int) -> int:
        """How many residual functions of the function `uid` there are."""
        return sum(isinstance(key, tuple) and isinstance(key[3], tuple) and key[3][0] == uid for key in self.units)

    def arrive_root(self, state: State) -> Version:
        """The program starts with `state`: nothing calls this version."""
        self.units["root"] = 0
        self.summaries[0] = Summary(plain=True)
        return self.arrive(state)

    def argument_key(self, state: State) -> ArgumentKey:
        """What tells a recursive call with the trimmed argument `state` from others."""
        while True:
            try:
                key = Key(self, state, recursive=True)
            except NoKey:
                self._rekey_units()
            return ArgumentKey(key.tokens, key.signature(), tuple(weights_of(key.shapes).items()))

    def note_read(self, cls: type) -> None:
        """An attribute of an instance made during specialization is read: what such instances hold belongs to the
        keys, also that of the other classes of its module, which will be read next."""
        if self.read.has(cls):
            return
        late = {other for other in self.omitted if other.__module__ == cls.__module__} if cls in self.omitted else set()
        self.read.add(cls)
        self.read.update(late)
        if late:
            raise Restart(f"attributes of {cls.__name__} are read")

    # -- summaries of residual functions

    def returns(self, left: State) -> None:
        """A residual function returns in this state."""
        summary = self.summaries[left.unit]
        if summary.returned is None:
            summary.returned = generalize(left, self._fresh, self.keep, owning=False)
            self._call_again(summary)
            return
        meet = Meet(summary.returned, left, self._fresh, self.keep, owning=False)
        self.confused |= meet.confused
        if meet.changed:
            told = were_told(summary.returned, left)
            summary.returned = meet.state
            if told and left.top.facts.told.learn(True):
                raise Restart(f"{left.top.facts.function.name} returns several known results")
            self._call_again(summary)

    def raises(self, state: State, block: ResidualBlock) -> None:
        """An exception leaves the residual function that `state` belongs to, at `block`, if anyone looks at what it
        leaves."""
        summary = self.summaries[state.unit]
        if not summary.watched or not state.frames[0].held:
            return
        left = raised_state(state)
        block.raising.append((summary, left))
        if summary.raised is None:
            summary.raised = generalize(left, self._fresh, self.keep, owning=False)
            self._call_again(summary)
            return
        meet = Meet(summary.raised, left, self._fresh, self.keep, owning=False)
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
                return Key(self, state, recursive=True).tokens
            except NoKey:
                self._rekey_units()

    def varies(self, places: list[tuple[int, int]]) -> None:
        """These arguments of recursive functions leave the keys, too."""
        self.varying.update(places)
        self.nokey.update(places)

    def _rekey_units(self) -> NoReturn:
        """Residual functions that now have the same key cannot be joined in place."""
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
            if len(self.noshape) and not state.general:
                self.stored.store_growing(state)
            check_stored(self.stored)
            if self.style.loops != "meet":
                state = loosened(state, self.style.loops, self._fresh)
            state = self.trips.before(self, state, self._fresh)
        key = self.key(state)
        version = self.unit.table.get(key.tokens)
        if version is None:
            self.work += key.work  # a new version costs more than one that is reached again
            seen = self._watch_shapes(state, key)
            if self._turned_dynamic(key, state):
                self._rekey()
                key = self.key(state)
                version = self.unit.table.get(key.tokens)
            else:
                self._watch_optional(state)
        if version is None:
            version = self._create(key.tokens, state, key.scalars)
            version.alike = seen
            return version
        self._join(version, state)
        return version

    def _turned_dynamic(self, made: Key, state: State) -> bool:
        """Does a place hold a known value in one version and a dynamic one in another that is the same otherwise, and
        had better leave the keys?"""
        top = state.top
        if self.polyvariance == "all":
            return False
        siblings = self._per_block.get((top.facts.uid, top.block), [])
        loops = not top.index and top.block in top.facts.dynamic_headers
        found = mixed_places(self, made, siblings, loops, self._doubles(state))
        if found is None:
            return True  # the place of a value that grew old has left the keys
        left = {place for place in found if not self.nokey.has(place)}
        self.nokey.update(left)
        return bool(left)

    def _create(self, key: object, state: State, scalars: dict[int, object] | None = None) -> Version:
        place = tuple(frame.facts.position[frame.block] for frame in state.frames)
        made = generalize(state, self._fresh, self._keeping(key), owning=not is_entry(key))
        version = Version(len(self._all) + 1, self.unit, key, made, place)
        version.scalars, version.parent = scalars, self._running
        self._all.append(version)
        self.unit.table[key] = version
        self._enqueue(version)
        top = state.top
        siblings = self._per_block.setdefault((top.facts.uid, top.block), [])
        siblings.append(version)
        self._watch(siblings, (top.facts.uid, top.block), state)
        return version

    def _join(self, version: Version, state: State) -> None:
        meet = Meet(version.state, state, self._fresh, self._keeping(version.key), owning=not is_entry(version.key))
        self.confused |= meet.confused
        for place in meet.variables:
            assert isinstance(place, tuple)
            if ("variable", *place[1:]) not in self.refused:
                self.refused.add(("variable", *place[1:]))
                raise Restart("a variable is bound on some ways only")
        if meet.changed:
            self.history.before(version)
            if not old_values(meet.state) <= old_values(version.state):
                version.scalars = None  # a value in its key may have grown too old for it
            version.state = meet.state
            self._enqueue(version)

    def _enqueue(self, version: Version) -> None:
        if not version.queued:
            self.history.before(version)
            version.queued = True
            heapq.heappush(self._queue, (version.place, version.uid, version))

    def next(self) -> Version | None:
        check_stored(self.stored)
        meets = self.polyvariance != "all" and self.style.loops == "meet"
        self.trips.check_early(self, self._all, meets and self.work < self.budget.work // 2)
        while self._queue:
            version = heapq.heappop(self._queue)[2]
            self.history.before(version)
            version.queued = False
            if version.forward is None:
                self._knowledge.now += 1
                self._running = version
                return version
        check_stored(self.stored, settled=True)
        if meets and self.work < self.budget.work // 4 * 3:
            self.trips.check(self, self._all, self.work < self.budget.work // 2)  # another round has to fit
        return None

    def _rekey(self) -> None:
        """Make all keys anew after a place left them; versions that collide become one."""
        old = sorted(self.unit.table.values(), key=lambda version: version.uid)
        while True:
            table: dict[object, Version] = {}
            self.tokens.flats.clear()
            try:
                for version in old:
                    if version.forward is not None:
                        continue
                    if not is_fixed(version.key):
                        scalars, key = key_now(self, version.state, version.key, version.scalars)
                        self.history.before(version)
                        version.key, version.scalars = key, scalars
                    other = table.setdefault(version.key, version)
                    if other is not version:
                        self.history.before(version)
                        version.forward = other
                        self._join(other, version.state)
            except NoKey:
                continue
            break
        self.unit.table = table
        self._left = len(self.nokey)
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
        growing = growing_sites(siblings)
        if self.noshape.absent(growing):
            mark_loops(state)
            self.grows(growing, state)
        if block in self.plain:
            return
        values = values_of(self, siblings)
        trips, positions = trips_of(siblings)
        spread = max(trips, *values.values(), 1)
        if count <= 1.5 * spread and count < self.budget.hard_versions_per_block:
            return
        others = {place for place, number in values.items() if 1 < number < spread and not self.nokey.has(place)}
        others -= positions
        if count < self.budget.hard_versions_per_block and FEW_EACH * apart_without(self, siblings, others) >= count:
            return  # they differ in more than a few values: handlers, objects, loops over static data
        if self.nokey.came_late():
            raise Restart("versions that were made before a place left the keys are too many", whole=True)
        mark_loops(state)
        grown = self.noshape.absent(grown_around(state, self._shapes.items()))
        if grown:
            self.grows(grown, state)
        self._leave_a_call(state, count)
        if others and count < self.budget.hard_versions_per_block:
            useless = others - deciding_places(siblings, others, self.decided)
            enough = FEW_EACH * apart_without(self, siblings, useless) <= count
            self.nokey.update(useless if enough else others)
            reason = f"{count} versions of one block: only what varies most tells them apart"
            self._note("FT403", reason, state)
            if any(frame.extents for version in siblings for frame in version.state.frames):
                raise Restart("try statements were told apart by what has left the keys", whole=True)
        else:
            self.plain.add(block)
            self._note("FT401", f"{count} versions of one block: its values are not specialized on", state)
        self._rekey()

    def _leave_a_call(self, state: State, count: int) -> None:
        """Versions explode inside of a call that brings nothing static: the outermost such call stays a call."""
        for frame in state.frames[1:]:
            if frame.blind and frame.chain[-1] not in self.opaque:
                self.opaque.add(frame.chain[-1])
                callee = frame.facts.function.qualname
                self._note("FT406", f"{count} versions of one block: {callee} is called as it is", state)
                raise Restart("a call stays")

    def _note(self, code: str, what: str, state: State) -> None:
        """Say what was given up, and at which block."""
        facts, span = standing(state)
        reason = f"{facts.function.qualname}: {what}"
        self._event(located(Event(code, reason), facts.function.file, span, state))

    def grows(self, sites: set[object], state: State, certain: bool = False) -> NoReturn:
        """Containers grow; not `certain`: so it seems, because many states that hold more and more came by."""
        if not certain:
            self.nokey.clear(self.varying)  # the others were learned from states that will not come again
            self.plain.clear()
        self.noshape.update(along_all_calls(self.noshape.known(), sites))
        what = "a container grows" if len(sites) == 1 else f"{len(sites)} containers grow"
        self._note("FT402", f"{what} without bound: built at run time", state)
        raise Restart("containers grow without bound")

    def forgive(self) -> None:
        """What many states showed to vary, to grow or to be too much may be known, now that there will be others."""
        self.nokey.clear(self.varying)
        for learned in (self.plain, self.noshape, self.opaque, self.doubling):
            learned.clear()

    def _watch_shapes(self, state: State, key: Key) -> Collection[Shapes] | None:
        """At a dynamic loop's header, containers that differ in length from trip to trip while all else is equal
        grow with the loop; where that happens at another loop's header, a callee decides when it ends.  At any
        header, a list that the loop only appends to grows if a trip makes it longer, and changes nothing else.
        Gives the containers of all states that are alike."""
        top = state.top
        if self.polyvariance != "auto" or not key.shapes:
            return None
        if top.index or top.block not in top.facts.headers:
            self._watch_records(state)
            return None
        place = (top.facts.uid, top.block, key.signature())
        seen = self._shapes.add(place, tuple(key.shapes))
        growing = growing_at(self, state, seen, self._running)
        if growing:
            self.grows(growing, state, certain=len(seen) <= SHAPES)
        if len(seen) > 4 * SHAPES and top.block not in top.facts.dynamic_headers:
            top.facts.dynamic_headers.update({top.block})
            raise Restart(f"the loop of {top.facts.function.name} turned out dynamic")
        return seen

    def _watch_records(self, state: State) -> None:
        """Where ways meet, dicts that differ in their keys while all else is equal double what follows."""
        found = recorded(self, state)
        seen = self._shapes.add((state.top.facts.uid, -1, found[0]), found[1]) if found is not None else ()
        if len(seen) > most_records(state):
            self.noshape.update({site for kept in seen for site, _ in kept})
            self._note("FT402", "a dict has many sets of keys: built at run time", state)
            raise Restart("dicts have many sets of keys")

    def decides(self, place: object) -> bool:
        if place not in self._deciding:
            if not deciding_places(self._all[-_LOOKED_AT:], {place}, self.decided):
                return False
            self._deciding.add(place)
        return True

    def _doubles(self, state: State) -> bool:
        """Is this in a function in which optional objects made too many versions?"""
        return any(frame.facts.uid in self.doubling for frame in state.frames)

    def _watch_optional(self, state: State) -> None:
        """Objects that are made on some ways, where others have None or an open value, double what follows."""
        siblings = self._per_block.get((state.top.facts.uid, state.top.block), [])
        found = optional_objects(self, state, siblings, self._doubles(state)) if self.polyvariance == "auto" else None
        if found is not None:
            self.noshape.update(found.sites)
            self.noshape.update(wherever_made(found.sites))
            self.nokey.update(found.places)
            self.doubling.update([state.frames[0].facts.uid] if found.doubling else [])
            self._note("FT402", "objects that only some ways make: built at run time", state)
            raise Restart("objects are made on some ways only")
