"""The key of a state: the frames' places, and a token for each value, virtual objects numbered in order.

    frame of f at block 3, n = Known 5, xs = a virtual list of (Known 1, Dynamic)
    ->   (0, ("f", 3, ...), 17, 18, 12, "*")         17: the value 5; 18: "a list of two"; 12: the value 1

Tokens are small numbers that a table gives to exact values and to the layouts of objects, so that keys are hashed and
compared fast.  Invariant: two values have one number exactly if `token_key` gives them equal keys, which the table
makes sure of by keeping alive what it has numbered.
"""

from __future__ import annotations

import types
from typing import Final, Protocol

from futamura.ir.classes import is_a
from futamura.specializer.knowledge import Learned
from futamura.specializer.policy import Polyvariance
from futamura.specializer.records import holds_only
from futamura.specializer.state import State
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject, token_key

__all__ = ["Key", "NoKey", "Tokens"]

_IDENTITIES: Final = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)

_CONTAINERS: Final = frozenset({"list", "tuple", "dict", "set", "deque"})

OPEN: Final = "*"
"""The token of what no key tells apart."""


class NoKey(Exception):
    """A place left the keys while a key was being made."""


class Choices(Protocol):
    """What decides about keys, and changes with what is learned."""

    @property
    def polyvariance(self) -> Polyvariance: ...
    @property
    def tokens(self) -> Tokens: ...

    nokey: Learned[object]
    noshape: Learned[object]
    varying: set[object]
    omitted: set[type]
    """Classes whose instances were told apart by nothing that they hold, because nothing has read it."""
    read: Learned[type]
    plain: Learned[tuple[int, int]]
    rolled: Learned[tuple[int, int]]
    work: int


class Tokens:
    """The numbers of known values and of the layouts of virtual objects."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._values: dict[int, tuple[object, int]] = {}
        """The numbers of known values by their identity; this keeps them alive."""
        self._alive: list[VObject] = []

    def value(self, value: object) -> int:
        found = self._values.get(id(value))
        if found is not None:
            return found[1]
        number = self._numbers.setdefault(token_key(value), len(self._numbers))
        self._values[id(value)] = (value, number)
        return number

    def layout(self, entry: VObject) -> int:
        """The number of an object's kind, class, length, names and extra."""
        extra = entry.extra
        if isinstance(extra, tuple):
            extra = tuple([part if isinstance(part, (tuple, int)) else id(part) for part in extra])
        key = (entry.kind, entry.cls, len(entry.items), self.value(entry.names) if entry.names else None, extra)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            self._alive.append(entry)
        return number


class Key:
    """One key, as `tokens`, with what is worth knowing about it.  Raises NoKey if a place has to leave the keys."""

    def __init__(self, choices: Choices, state: State, recursive: bool = False) -> None:
        self._choices: Final = choices
        self._state: Final = state
        self._objects: dict[int, int] = {}
        self.scalars: dict[int, object] = {}
        """The positions of the key that hold a known value, with its place."""
        self.shapes: list[tuple[object, int]] = []
        """The containers with their lengths, in order."""
        self._recursive: Final = recursive
        top = state.top
        place = (top.facts.uid, top.block)
        self._plain: Final = choices.polyvariance == "none" or place in choices.plain or place in choices.rolled
        self._made: list[object] = [state.unit, state.general]
        self._outside: list[int] = []
        """The positions of the key without what containers hold."""
        self._collect()
        choices.work += len(self._made)
        self.tokens: Final = tuple(self._made)

    def signature(self) -> tuple[object, ...]:
        """The key without what containers hold."""
        made = self._made
        return tuple(["object" if at < 0 else made[at] for at in self._outside])

    def _collect(self) -> None:
        made, outside = self._made, self._outside
        polyvariant = self._choices.polyvariance == "auto"
        for depth, frame in enumerate(self._state.frames):
            facts = frame.facts
            useful = facts.useful(depth > 0)
            outside.append(len(made))
            where = (facts.uid, frame.block, frame.index, frame.dynamic, frame.purpose, frame.result, frame.extents)
            made.append(where)
            env = frame.env
            for value in sorted(env):
                content = env[value]
                if type(content) is Dynamic:
                    outside.append(len(made))
                    made.append(OPEN)
                elif type(content) is Known and value not in useful and polyvariant:
                    made.append(OPEN)
                else:
                    self._token((facts.uid, value), content)
            if frame.subject is not None:
                self._token((facts.uid, "subject"), frame.subject)
        for place, (content, dirty) in self._state.overlays.items():
            made.append((place, dirty))
            self._token(place, content)

    def _token(self, place: object, value: AbstractValue) -> None:
        """The tokens of what a variable or overlay holds."""
        self._outside.append(len(self._made) if type(value) is not Virtual else -1)
        if type(value) is Known:
            self._known(place, value)
        elif type(value) is Dynamic:
            self._made.append(OPEN)
        else:
            assert type(value) is Virtual
            self._object(value)

    def _known(self, place: object, value: Known) -> None:
        made = self._made
        if self._keyed(place, value):
            self.scalars[len(made)] = place
            made.append(self._choices.tokens.value(value.value))
        else:
            made.append(OPEN)

    def _keyed(self, place: object, value: Known) -> bool:
        choices = self._choices
        if self._plain or self._left(place):
            return choices.polyvariance == "all" or is_a(value.value, _IDENTITIES)
        if value.vid and self._state.ages.get(value.vid, 0) > 2 and self._in_loop():
            if choices.polyvariance == "all" or is_a(value.value, _IDENTITIES):
                return True
            choices.nokey.add(place)
            if self._recursive:
                choices.varying.add(place)
            raise NoKey
        return True

    def _left(self, place: object) -> bool:
        """Has the place left the keys?  Versions get new keys when one does, calls do not: only these ask."""
        nokey = self._choices.nokey
        return (self._recursive or nokey.has(place)) and place in nokey

    def _in_loop(self) -> bool:
        return self._recursive or any(frame.facts.in_dynamic_loop(frame.block) for frame in self._state.frames)

    def _object(self, value: Virtual) -> None:
        """The tokens of a virtual object and of all that it holds, in preorder."""
        made = self._made
        outside = self._outside
        entry, inside = self._enter(value, False)
        work = [(entry, 0, inside)] if entry is not None else []
        while work:
            entry, start, inside = work.pop()
            items = entry.items
            names = entry.names if entry.kind == "instance" else ()
            for at in range(start, len(items)):
                item = items[at]
                if type(item) is Virtual:
                    if not inside:
                        outside.append(-1)
                    held, contained = self._enter(item, inside)
                    if held is not None:
                        work.append((entry, at + 1, inside))
                        work.append((held, 0, contained))
                        break
                else:
                    if not inside:
                        outside.append(len(made))
                    if type(item) is Known:
                        self._known((entry.site, names[at] if names else at), item)
                    else:
                        made.append(OPEN)

    def _enter(self, value: Virtual, inside: bool) -> tuple[VObject | None, bool]:
        """The object if it is met for the first time and is in the key, and whether a container holds its items."""
        number = self._objects.get(value.oid)
        if number is not None:
            self._made.append(-1 - number)
            return None, inside
        entry = self._state.heap[value.oid]
        if entry.site in self._choices.noshape:
            self._made.append(OPEN)
            return None, inside
        self._objects[value.oid] = len(self._objects)
        self._made.append(self._choices.tokens.layout(entry))
        if entry.kind == "instance" and entry.cls not in self._choices.read and holds_only(entry.cls):
            self._choices.omitted.add(entry.cls)
            return None, inside
        if entry.kind in _CONTAINERS:
            self.shapes.append((entry.site, len(entry.items)))
            inside = True
        return entry, inside
