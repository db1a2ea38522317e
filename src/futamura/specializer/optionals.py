"""Objects that only some ways make, where others have None: each would double what follows.

    pre = (m["letter"], int(m["number"])) if m["letter"] else None       five of these lines make 32 ways: from the
    post = ("post", int(m["post"])) if m["post"] else None               third one on, such tuples are real

The same goes for lists, dicts and sets to which only some ways add, but not for the stack of a machine, on top of which
are different objects.  What is known of such objects is lost: where there
are several that hold different known values they tell the states of a machine apart, and are kept.  So are containers
that the block itself tests, and that are empty in some states.

Invariant: nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, NamedTuple

from futamura.ir.classes import is_a
from futamura.ir.graph import Block
from futamura.specializer.keys import OPEN, Choices, is_among
from futamura.specializer.knowledge import Learned
from futamura.specializer.meeting import KEYWORDS, most_records
from futamura.specializer.records import is_method
from futamura.specializer.residual import Version
from futamura.specializer.state import Frame, State
from futamura.specializer.values import HELD, AbstractValue, Dynamic, Known, Virtual, VObject, token_key

__all__ = ["Optionals", "is_optional", "optional_objects"]

MADE: Final = 3
"""So many versions are kept apart because of objects that only some ways make."""
SHAPED: Final = 4
"""So many are kept apart because of containers that hold more in some, if what they hold may be known."""
SHAPED_IN_MACHINES: Final = 9
"""The same within loops that a program counter, or the like, may control: its stack is such a container."""
_LAST: Final = 16
"""So many siblings are compared."""
_CONTAINERS: Final = frozenset({"list", "dict", "set", "deque"})
_OPTIONAL: Final = _CONTAINERS | {"tuple", "instance"}
_PARTS: Final = 4
"""A chain of calls, a function, a block, an operation."""
_TESTS: Final = frozenset({"truth", "not", "is", "is_not", "copy", "eq", "ne", "lt", "le", "gt", "ge", "call"})
"""Operators whose result may be what a branch asks: `while len(stack) > 0` calls a function and compares."""
_QUIET: Final = frozenset({"__init__", "__repr__", "__str__"})


class Optionals(NamedTuple):
    """The sites of objects that should be real, and the places of known values that stand where others have them."""

    sites: set[object]
    places: set[object]
    doubling: bool
    """Is one more of them known to double what follows, rather than to make it longer?"""


def optional_objects(choices: Choices, state: State, siblings: Sequence[Version], doubles: bool) -> Optionals | None:
    """What makes the state another version than its siblings, if too many of these differ in nothing but objects that
    some have, and others have not, or in how much containers hold; one is too many if it `doubles` what follows."""
    most = 1 if doubles else MADE
    if len(siblings) < most or not (doubles or _is_time(len(siblings))):
        return None
    differing: list[_Differing] = []
    states: set[object] = set()
    for version in siblings[-_LAST:]:
        found = _Differing(choices, state, version.state)
        if version.forward is None and found.compare():
            differing.append(found)
        states.add(found.apart)
    states |= _several(differing)
    known: set[object] = set()
    held: set[object] = set()
    longer: set[object] = set()
    few = some = many = 0
    for found in differing:
        if (found.held or found.longer) and states.isdisjoint(found.known) and states.isdisjoint(found.held):
            known.update(found.known)
            held.update(site for _, site in found.held)
            longer |= found.longer
            few += not found.longer
            some += found.open
            many += 1
    if few >= most and held:
        return Optionals(held, known, _any_of_trip(state, held))
    machine = _may_be_machine(state)
    enough = doubles or many >= (SHAPED_IN_MACHINES if machine else SHAPED) or (some >= most and not machine)
    if enough and many >= most and most_records(state) != KEYWORDS:
        return Optionals(longer | held, known, _any_of_trip(state, held))
    return None


def _any_of_trip(state: State, sites: set[object]) -> bool:
    """Are objects of any of these sites made within the innermost loop around? What is made in front of it differs from
    trip to trip, and doubles nothing."""
    for frame in reversed(state.frames):
        loops = frame.facts.loops_of[frame.block]
        if loops:
            return not all(_is_before(frame, loops[-1].blocks, site) for site in sites)
    return bool(sites)


def _is_before(frame: Frame, loop: Container[int], site: object) -> bool:
    """Is this the place of an object that the frame, or one around it, makes outside of this loop?"""
    while isinstance(site, tuple) and site and len(site) != _PARTS:
        site = site[0]  # what an operation makes beside its result has the site of that, and a name
    if not (isinstance(site, tuple) and site and isinstance(site[0], tuple)):
        return False
    chain, uid, block, _ = site
    outside = len(chain) < len(frame.chain)
    return outside or (chain == frame.chain and uid == frame.facts.uid and block not in loop)


def _several(differing: Sequence[_Differing]) -> set[object]:
    """The places where versions have several known values, there or in an object: the states of a machine."""
    seen: dict[object, object] = {}
    found = [item for one in differing for item in (*one.known.items(), *one.held.items())]
    return {place for place, value in found if seen.setdefault(place, value) != value}


def _is_time(count: int) -> bool:
    """Is it time to compare, which takes long if it is done for each version?  At 3, 4, 6, 8, 12, 16 ... siblings."""
    return count >> max(count.bit_length() - 2, 0) << max(count.bit_length() - 2, 0) == count


def _may_be_machine(state: State) -> bool:
    """Is this within a loop that a program counter, or the like, may control?"""
    for frame in state.frames:
        headers = [loop.header for loop in frame.facts.loops_of[frame.block]]
        if not all(frame.facts.blocks[header].terminator.name == "next" for header in headers):
            return True
    return False


def is_optional(noshape: Learned[object], entry: VObject) -> bool:
    """Is this an object of a site that `wherever_made` stands for?"""
    return isinstance(entry.site, tuple) and entry.site[1:] in noshape


class _Differing:
    """What two states at one block differ in."""

    def __init__(self, choices: Choices, a: State, b: State) -> None:
        self._choices: Final = choices
        self._a: Final = a
        self._b: Final = b
        self.known: Final[dict[object, object]] = {}
        """By its place, the known value that stands where the other state has something else."""
        self.held: Final[dict[tuple[object, object], object]] = {}
        """By its place and site, what is known of an object that stands where the other state has something else."""
        self.longer: Final[set[object]] = set()
        """The sites of containers that hold more in one of the states."""
        self.apart: object = None
        """A place where both have known values, and not the same."""
        self.open = True
        """Do these hold nothing but open values?"""
        self._paired: Final[dict[int, int]] = {}
        self._work: Final[list[tuple[VObject, VObject]]] = []

    def compare(self) -> bool:
        """Is there no other difference?"""
        a, b = self._a, self._b
        if (a.unit, a.general, len(a.frames)) != (b.unit, b.general, len(b.frames)):
            return False
        if a.overlays.keys() != b.overlays.keys():
            return False
        for frame, partner in zip(a.frames, b.frames, strict=True):
            uid, env = frame.facts.uid, partner.env
            if uid != partner.facts.uid or _stand(frame) != _stand(partner) or frame.env.keys() != env.keys():
                return False
            if frame.subject is not None or partner.subject is not None:
                return False
            for value in sorted(env):
                x, y = frame.env[value], env[value]
                if (x is not y or type(x) is Virtual) and not self._same((uid, value), x, y):
                    return False
        if any(self._is_apart(frame.env[value], env[value]) for value in _tested(frame)):
            return False
        for place, (content, dirty) in a.overlays.items():
            other, stored = b.overlays[place]
            if dirty != stored or not self._same(place, content, other):
                return False
        while self._work:
            entry, twin = self._work.pop()
            names = entry.names if entry.kind == "instance" else range(len(entry.items))
            for name, x, y in zip(names, entry.items, twin.items, strict=True):
                if (x is not y or type(x) is Virtual) and not self._same((entry.site, name), x, y):
                    return False
        return True

    def _is_apart(self, a: AbstractValue, b: AbstractValue) -> bool:
        """Is one of these an empty container, and the other one not, or open?"""
        return (type(a) is Virtual or type(b) is Virtual) and _is_empty(self._a, a) is not _is_empty(self._b, b)

    def _same(self, place: object, a: AbstractValue, b: AbstractValue) -> bool:
        """Are these values the same, or is one of them an object that may be real?"""
        if type(a) is Virtual and type(b) is Virtual:
            return self._same_objects(place, a, b)
        if type(a) is Known and type(b) is Known:
            if a.value is b.value or token_key(a.value) == token_key(b.value) or self._choices.nokey.has(place):
                return True
            self.apart = place
            return False
        for value, other, state in ((a, b, self._a), (b, a, self._b)):
            if type(value) is Virtual and not self._may_be_real(place, state, value, type(other) is Dynamic):
                return False
            if type(value) is Known:
                self.known[place] = token_key(value.value)
        return True

    def _same_objects(self, place: object, a: Virtual, b: Virtual) -> bool:
        partner = self._paired.get(a.oid)
        if partner is not None:
            return partner == b.oid
        self._paired[a.oid] = b.oid
        left, right = self._a.heap[a.oid], self._b.heap[b.oid]
        if self._is_real(left) and self._is_real(right):
            return True
        tokens = self._choices.tokens
        if tokens.layout(left) == tokens.layout(right):
            self._work.append((left, right))
            return True
        if left.kind == right.kind and left.cls is right.cls and left.extra == right.extra and _has_contents(left):
            if self._is_stack(place) and self._have_other_tops(left, right):
                self.apart = place
                return False
            self.longer.update((left.site, right.site))
            self.open = self.open and all(type(item) is Dynamic for item in (*left.items, *right.items))
            return True
        return self._may_be_real(place, self._a, a) and self._may_be_real(place, self._b, b)

    def _is_stack(self, place: object) -> bool:
        """Is this a variable that a loop around does more with than to add to it, or an attribute that one tests?"""
        if not isinstance(place, tuple):
            return False
        for frame in self._a.frames:
            for loop in frame.facts.loops_of[frame.block]:
                if isinstance(place[1], str) and place[1] in _asked_attributes(frame.facts.blocks[loop.header]):
                    return True
                if frame.facts.uid == place[0] and place[1] in frame.facts.gathering(loop.header).used:
                    return True
        return False

    def _have_other_tops(self, left: VObject, right: VObject) -> bool:
        """Are these stacks of objects, on top of which are different ones, or is only one of them empty?  On top of the
        stack of a machine is what runs, and that is what tells its states apart."""
        tops = [
            state.object(entry.items[-1]) if entry.items else None
            for state, entry in ((self._a, left), (self._b, right))
        ]
        kinds = [top.kind for top in tops if top is not None]
        if left.kind != "list" or not kinds or any(kind != "instance" for kind in kinds):
            return False
        one, other = tops
        if one is None or other is None:
            return not (left.items and right.items)
        if one.cls is not other.cls or one.names != other.names:
            return True
        return any(
            type(x) is Known and type(y) is Known and token_key(x.value) != token_key(y.value)
            for x, y in zip(one.items, other.items)
        )

    def _may_be_real(self, place: object, state: State, value: Virtual, known: bool = False) -> bool:
        """Is little lost if this object is real, as what the other state has there is, if `known`?"""
        entry = state.heap[value.oid]
        if self._is_real(entry):
            return True
        if entry.kind not in _OPTIONAL or entry.extra == HELD:
            return False
        if entry.kind == "instance" and (known or not _only_holds(entry.cls)):
            return False
        tokens = self._tokens(state, value)
        return self.held.setdefault((place, entry.site), tokens) == tokens

    def _is_real(self, entry: VObject) -> bool:
        return is_among(self._choices.noshape, entry.site)

    def _tokens(self, state: State, value: Virtual) -> tuple[object, ...]:
        """What is known of an object and of those that it holds."""
        tokens = self._choices.tokens
        made: list[object] = []
        seen: set[int] = set()
        work: list[AbstractValue] = [value]
        while work:
            item = work.pop()
            if type(item) is Known:
                made.append(tokens.value(item.value))
            elif type(item) is Virtual and item.oid not in seen:
                seen.add(item.oid)
                entry = state.heap[item.oid]
                made.append(tokens.layout(entry))
                work.extend(entry.items)
            else:
                made.append(OPEN)
        return tuple(made)


def _tested(frame: Frame) -> list[int]:
    """The values that the block of this frame tests: behind it they tell nothing apart any more."""
    block = frame.facts.blocks[frame.block]
    if block.terminator.name != "branch":
        return []
    tested = set(block.terminator.args)
    for op in reversed(block.ops):
        if op.name in _TESTS and not tested.isdisjoint(op.results):
            tested.update(op.args)
    return [value for value in frame.env if value in tested]


def _asked_attributes(block: Block) -> set[str]:
    """The attributes that this block tests."""
    tested = set(block.terminator.args) if block.terminator.name == "branch" else set()
    found: set[str] = set()
    for op in reversed(block.ops if tested else ()):
        if tested.isdisjoint(op.results):
            continue
        if op.name == "getattr":
            found.add(str(op.attr))
        elif op.name in _TESTS:
            tested.update(op.args)
    return found


def _stand(frame: Frame) -> tuple[object, ...]:
    """Where a frame stands, and what it does with a result."""
    return (frame.block, frame.index, frame.dynamic, frame.purpose, frame.result, frame.extents)


def _is_empty(state: State, value: AbstractValue) -> bool:
    entry = state.object(value)
    return entry is not None and entry.kind in _CONTAINERS and not entry.items


def _has_contents(entry: VObject) -> bool:
    """Is this a container, or an object that is little else?"""
    return entry.extra != HELD and (entry.kind in _CONTAINERS or (entry.kind == "instance" and _only_holds(entry.cls)))


def _only_holds(cls: type) -> bool:
    """Has this class no methods of its own that would be looked into?"""
    own = [item for base in cls.__mro__[:-1] for item in base.__dict__.items()]
    return not any(is_a(value, property) or (name not in _QUIET and is_method(value)) for name, value in own)
