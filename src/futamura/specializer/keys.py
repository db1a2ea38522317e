"""The key of a state: the frames' places, and a token for each value, virtual objects numbered in order.

    frame of f at block 3, n = Known 5, xs = a virtual list of (Known 1, Dynamic)
    ->   (0, ("f", 3, ...), 17, 18, 12, "*")         17: the value 5; 18: "a list of two"; 12: the value 1

Tokens are small numbers that a table gives to exact values and to the layouts of objects, so that keys are hashed and
compared fast.  Invariant: two values have one number exactly if `token_key` gives them equal keys, which the table
makes sure of by keeping alive what it has numbered.
"""

from __future__ import annotations

import types
from collections.abc import Collection
from typing import Final, NamedTuple, Protocol

from futamura.ir.classes import is_a
from futamura.specializer.knowledge import Learned
from futamura.specializer.policy import Polyvariance
from futamura.specializer.records import holds_only
from futamura.specializer.state import PLAIN, State
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject, token_key

__all__ = [
    "CONTAINERS", "OPEN", "REPEATED", "Choices", "Flat", "Key", "NoKey", "Tokens", "holds_no_values", "is_among",
    "is_entry", "is_fixed", "key_now", "old_values", "opened", "wherever_made",
]  # fmt: skip

_IDENTITIES: Final = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)

CONTAINERS: Final = frozenset({"list", "tuple", "dict", "set", "deque"})
"""The kinds of objects whose lengths are their shapes."""

_NAMED: Final = ("instance", "memory")

OPEN: Final = "*"
"""The token of what no key tells apart."""


REPEATED: Final = 8
"""So many tokens that are repeated are as much work as one that is found out."""

YOUNG: Final = 2
"""Known values of this age are in the keys: one crossing of a dynamic loop's header may change them unseen."""

MIDDLE_AGED: Final = 4
"""The same for values of places that have selected something: a way back that was kept, and is computed with."""


class NoKey(Exception):
    """A place left the keys while a key was being made."""


class Choices(Protocol):
    """What decides about keys, and changes with what is learned."""

    @property
    def polyvariance(self) -> Polyvariance: ...
    @property
    def tokens(self) -> Tokens: ...
    @property
    def decided(self) -> dict[int, Known]: ...

    nokey: Learned[object]
    noshape: Learned[object]
    varying: set[object]
    omitted: set[type]
    """Classes whose instances were told apart by nothing that they hold, because nothing has read it."""
    read: Learned[type]
    plain: Learned[tuple[int, int]]
    rolled: Learned[tuple[int, int]]
    work: int

    def decides(self, place: object) -> bool:
        """Have values of this place selected something?"""
        ...


class Tokens:
    """The numbers of known values and of the layouts of virtual objects."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self.values: Final[dict[int, tuple[object, int]]] = {}
        """The numbers of known values by their identity; this keeps them alive."""
        self.identities: Final[set[int]] = set()
        """The numbers of functions, classes and modules, which are in the keys wherever they stand."""
        self.amounts: Final[set[object]] = set()
        """The numbers of what is computed with and seldom decides anything: of floats and complex numbers."""
        self._layouts: dict[int, tuple[VObject, int]] = {}
        """The numbers of the layouts of objects by their identity; this keeps them alive."""
        self.flats: Final[dict[int, Flat]] = {}
        """What objects are in the keys by their identity, as long as no place leaves the keys."""

    def value(self, value: object) -> int:
        found = self.values.get(id(value))
        if found is not None:
            return found[1]
        number = self._numbers.setdefault(token_key(value), len(self._numbers))
        self.values[id(value)] = (value, number)
        if is_a(value, _IDENTITIES):
            self.identities.add(number)
        elif type(value) is float or type(value) is complex:
            self.amounts.add(number)
        return number

    def layout(self, entry: VObject) -> int:
        """The number of an object's kind, class, length, names and extra."""
        found = self._layouts.get(id(entry))
        if found is not None:
            return found[1]
        extra = entry.extra
        if isinstance(extra, tuple):
            extra = tuple([part if isinstance(part, (tuple, int)) else id(part) for part in extra])
        key = (entry.kind, entry.cls, len(entry.items), self.value(entry.names) if entry.names else None, extra)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
        self._layouts[id(entry)] = (entry, number)
        return number


class Flat(NamedTuple):
    """The tokens of an object that holds no others, nor values that may grow old; the places of known values, counted
    from the first item; and the object, which this keeps alive."""

    entry: VObject
    tokens: tuple[object, ...]
    places: tuple[tuple[int, object], ...]


class Key:
    """One key, as `tokens`, with what is worth knowing about it.  Raises NoKey if a place has to leave the keys."""

    def __init__(
        self, choices: Choices, state: State, recursive: bool = False, without: Collection[object] = ()
    ) -> None:
        self._choices: Final = choices
        self._state: Final = state
        self._objects: dict[int, int] = {}
        self.scalars: dict[int, object] = {}
        """The positions of the key that hold a known value, with its place."""
        self.shapes: list[tuple[object, int]] = []
        """The containers with their lengths, in order."""
        self._recursive: Final = recursive
        self._left: Final = choices.nokey.known()
        self._ages: Final = state.ages
        self._values: Final = choices.tokens.values
        self._plain: Final = holds_no_values(choices, state)
        self._special: Final = self._plain or recursive
        """Has each known value to be looked at closely?"""
        self._without: Final = without
        """The sites of objects that do not count, or such objects."""
        self._flats: Final = {} if self._special or without else choices.tokens.flats
        self._made: list[object] = [state.unit, state.general]
        self._repeated = 0
        self._outside: list[int] = []
        """The positions of the key without what containers hold."""
        self._collect()
        self.work: Final = len(self._made) - self._repeated + self._repeated // REPEATED
        choices.work += self.work
        self.tokens: Final = tuple(self._made)

    def signature(self) -> tuple[object, ...]:
        """The key without what containers hold, but for the object on top of a list."""
        made = self._made
        return tuple(["object" if at < 0 else made[at] for at in self._outside])

    def _collect(self) -> None:
        made, outside = self._made, self._outside
        scalars, values, ages, left = self.scalars, self._values, self._ages, self._left
        special = self._special
        polyvariant = self._choices.polyvariance == "auto"
        called = self._state.unit > 0
        for depth, frame in enumerate(self._state.frames):
            facts = frame.facts
            uid = facts.uid
            useful = facts.useful(depth > 0 or called)
            outside.append(len(made))
            made.append((uid, frame.block, frame.index, frame.dynamic, frame.purpose, frame.result, frame.extents))
            env = frame.env
            for value in sorted(env):
                content = env[value]
                kind = type(content)
                if kind is Dynamic:
                    outside.append(len(made))
                    made.append(OPEN)
                elif kind is Virtual:
                    outside.append(-1)
                    self._object(content.oid)  # type: ignore[union-attr]
                elif value not in useful and polyvariant:
                    made.append(OPEN)
                else:
                    at = len(made)
                    outside.append(at)
                    place = (uid, value)
                    if special or (content.vid and content.vid in ages) or place in left:  # type: ignore[union-attr]
                        self._known(place, content)  # type: ignore[arg-type]
                        continue
                    scalars[at] = place
                    found = values.get(id(content.value))  # type: ignore[union-attr]
                    made.append(found[1] if found is not None else self._number(content))  # type: ignore[arg-type]
            if frame.subject is not None:
                self._token((uid, "subject"), frame.subject)
        for written, (content, dirty) in self._state.overlays.items():
            made.append((written, dirty))
            self._token(written, content)

    def _number(self, value: Known) -> int:
        return self._choices.tokens.value(value.value)

    def _token(self, place: object, value: AbstractValue) -> None:
        """The tokens of what an overlay, or the subject of a frame, holds."""
        self._outside.append(len(self._made) if type(value) is not Virtual else -1)
        if type(value) is Known:
            self._known(place, value)
        elif type(value) is Dynamic:
            self._made.append(OPEN)
        else:
            assert type(value) is Virtual
            self._object(value.oid)

    def _known(self, place: object, value: Known) -> None:
        made = self._made
        if self._special or (value.vid and value.vid in self._ages) or place in self._left:
            if not self._keyed(place, value):
                made.append(OPEN)
                return
        self.scalars[len(made)] = place
        made.append(self._number(value))

    def _keyed(self, place: object, value: Known) -> bool:
        """Is a known value in the key?  Versions get new keys when a place leaves them, calls do not: these ask."""
        choices = self._choices
        left = (self._recursive or place in self._left) and place in choices.nokey
        if left or self._plain:
            return choices.polyvariance == "all" or is_a(value.value, _IDENTITIES)
        age = self._ages.get(value.vid, 0) if value.vid else 0
        if age > YOUNG and self._in_loop():
            if choices.polyvariance == "all" or is_a(value.value, _IDENTITIES):
                return True
            if age <= MIDDLE_AGED and not self._recursive and choices.decides(place):
                return True
            choices.nokey.add(place)
            choices.tokens.flats.clear()
            if self._recursive:
                choices.varying.add(place)
            raise NoKey
        return True

    def _in_loop(self) -> bool:
        return self._recursive or any(frame.facts.in_dynamic_loop(frame.block) for frame in self._state.frames)

    def _object(self, oid: int) -> None:
        """The tokens of a virtual object and of all that it holds, in preorder."""
        outside, objects = self._outside, self._objects
        heap, flats = self._state.heap, self._flats
        work: list[tuple[VObject, int, int]] = []
        """The objects whose items are to be looked at, from which one on, and how many containers hold these."""
        inside = 0
        while True:
            entry: VObject | None = None
            number = objects.get(oid)
            if number is not None:
                self._made.append(-1 - number)
            else:
                entry = heap[oid]
                flat = flats.get(id(entry)) if flats else None
                if flat is not None:
                    objects[oid] = len(objects)
                    self._repeat(flat, inside)
                    entry = None
                elif self._begin(oid, entry):
                    inside += entry.kind in CONTAINERS
                else:
                    entry = None
            start = 0
            while True:
                if entry is None:
                    if not work:
                        return
                    entry, start, inside = work.pop()
                at = self._items(entry, start, inside)
                if at < 0:
                    entry = None
                    continue
                if not inside:
                    outside.append(-1)
                items = entry.items
                item = items[at]
                assert type(item) is Virtual
                if at + 1 < len(items):
                    work.append((entry, at + 1, inside))
                elif inside == 1 and entry.kind == "list" and heap[item.oid].kind == "instance":
                    inside = (
                        0  # the top of a stack of frames: where it stands tells trips around a machine's loop apart
                    )
                oid = item.oid
                break

    def _begin(self, oid: int, entry: VObject) -> bool:
        """The token of an object that is met for the first time: does what it holds belong to the key?"""
        made, choices, site = self._made, self._choices, entry.site
        if is_among(choices.noshape, site) or site in self._without or oid in self._without:
            made.append(OPEN)
            return False
        self._objects[oid] = len(self._objects)
        made.append(choices.tokens.layout(entry))
        if entry.kind in CONTAINERS:
            self.shapes.append((site, len(entry.items)))
        elif entry.kind == "instance" and entry.cls not in choices.read and holds_only(entry.cls):
            choices.omitted.add(entry.cls)
            return False
        return True

    def _items(self, entry: VObject, start: int, inside: int) -> int:
        """The tokens of what an object holds up to the first virtual object: the place of that one, or -1."""
        made, outside = self._made, self._outside
        scalars, values, left, special = self.scalars, self._values, self._left, self._special
        first = len(made)
        names = entry.names if entry.kind in _NAMED else ()
        lasting = start == 0 and not special
        items, site = entry.items, entry.site
        for at in range(start, len(items)):
            item = items[at]
            kind = type(item)
            if kind is Virtual:
                return at
            if not inside:
                outside.append(len(made))
            if kind is not Known:
                made.append(OPEN)
                continue
            place = (site, names[at] if names else at)
            if special or item.vid or (left and place in left):  # type: ignore[union-attr]
                lasting = lasting and not item.vid  # type: ignore[union-attr]
                self._known(place, item)  # type: ignore[arg-type]
                continue
            scalars[len(made)] = place
            found = values.get(id(item.value))  # type: ignore[union-attr]
            made.append(found[1] if found is not None else self._number(item))  # type: ignore[arg-type]
        if lasting:
            places = tuple([(at - first, scalars[at]) for at in range(first, len(made)) if at in scalars])
            self._flats[id(entry)] = Flat(entry, tuple(made[first - 1 :]), places)
        return -1

    def _repeat(self, flat: Flat, inside: int) -> None:
        """The tokens of an object that holds no others, as they were last time."""
        made = self._made
        first = len(made) + 1
        made += flat.tokens
        self._repeated += len(flat.tokens)
        for at, place in flat.places:
            self.scalars[first + at] = place
        if flat.entry.kind in CONTAINERS:
            self.shapes.append((flat.entry.site, len(flat.entry.items)))
        elif not inside:
            self._outside.extend(range(first, len(made)))


def key_now(
    choices: Choices, state: State, key: object, scalars: dict[int, object] | None
) -> tuple[dict[int, object], tuple[object, ...]]:
    """The places of the known values in the key of a version with this state, and the key, now that places have left
    the keys; what they were before."""
    block = (state.top.facts.uid, state.top.block)
    plain = choices.polyvariance != "auto" or choices.plain.has(block) or choices.rolled.has(block)
    if plain or scalars is None or not isinstance(key, tuple):
        made = Key(choices, state)
        return made.scalars, made.tokens
    choices.work += len(key) // REPEATED
    left = choices.nokey.known()
    named = choices.tokens.identities
    gone = {at for at, place in scalars.items() if place in left and place in choices.nokey and key[at] not in named}
    tokens = tuple([OPEN if at in gone else token for at, token in enumerate(key)]) if gone else key
    return {at: place for at, place in scalars.items() if at not in gone}, tokens


def holds_no_values(choices: Choices, state: State) -> bool:
    """Are no known values in the key of this state?"""
    place = (state.top.facts.uid, state.top.block)
    if choices.polyvariance == "none" or state.general != PLAIN:
        return True
    return place in choices.plain or place in choices.rolled


def is_among(sites: Learned[object], site: object) -> bool:
    """Is this one of the sites, or of the places of which all sites are meant?"""
    return site in sites or (type(site) is tuple and site[1:] in sites)


def wherever_made(sites: Collection[object]) -> list[object]:
    """What stands for objects that the same operations make along other calls."""
    return [site[1:] for site in sites if isinstance(site, tuple) and isinstance(site[0], tuple)]


def is_fixed(key: object) -> bool:
    """Keys of handlers and of residual functions' entries do not depend on their states."""
    return isinstance(key, tuple) and key[0] in ("handler", "entry")


def is_entry(key: object) -> bool:
    """Is this the key of a residual function's entry?"""
    return isinstance(key, tuple) and key[0] == "entry"


def opened(key: tuple[object, ...], other: tuple[object, ...]) -> list[int] | None:
    """The places where two keys differ, if one of them is open at each."""
    found: list[int] = []
    for at, token in enumerate(key):
        if token != other[at]:
            if token != OPEN and other[at] != OPEN:
                return None
            found.append(at)
    return found


def old_values(state: State) -> set[int]:
    """The known values of a state, by `vid`, that have grown too old for the keys of dynamic loops."""
    return {vid for vid, age in state.ages.items() if age > YOUNG}
