"""The meet of two states that stand at the same point, and the matching of a state against its meet.

    meet( x = Known 1, y = Known 1 ;  x = Known 2, y = Known 2 )  =  x = y = Dynamic 7

Anti-unification: a pair of different leaves becomes one fresh dynamic leaf wherever that pair occurs, so the
knowledge that two variables hold the same value survives.  Virtual objects are paired by a bijection; an
object that finds no partner escapes: it and all that it reaches become leaves, and the edge that brings it
will materialize it.

Invariant: the meet is above both states, and `match(meet, state)` is total.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Set
from operator import is_
from typing import Final, TypeAlias

from futamura.specializer.handling import has_context
from futamura.specializer.owned import NOTHING, held_by, starts_owned
from futamura.specializer.purity import shows_methods
from futamura.specializer.refinement import classes_of, joined
from futamura.specializer.state import State
from futamura.specializer.values import (
    ANY_CLASS,
    BARE,
    FRESH,
    HELD,
    SHORT,
    About,
    AbstractValue,
    Dynamic,
    Known,
    Shape,
    Virtual,
    VObject,
    has_identity,
    token_key,
)

__all__ = ["Meet", "contents", "generalize", "loosened", "match"]


def contents(state: State) -> list[AbstractValue]:
    """What the places of a trimmed state hold, in a fixed order."""
    found: list[AbstractValue] = []
    for frame in state.frames:
        env = frame.env
        found += [env[value] for value in sorted(env)]
        if frame.subject is not None:
            found.append(frame.subject)
    found += [state.overlays[place][0] for place in sorted(state.overlays)]
    return found


def _paired(a: State, b: State) -> list[tuple[AbstractValue, AbstractValue]]:
    """What the same places of two states at one point hold."""
    assert a.overlays.keys() == b.overlays.keys()
    assert all(x.env.keys() == y.env.keys() for x, y in zip(a.frames, b.frames, strict=True))
    return list(zip(contents(a), contents(b), strict=True))


def _rebuilt(
    state: State,
    contents: Iterator[AbstractValue],
    heap: dict[int, VObject],
    ages: dict[int, int],
    abouts: dict[int, About],
    owned: frozenset[int] = NOTHING,
) -> State:
    """A state of the same places that hold these contents."""
    frames = []
    for frame in state.frames:
        copy = frame.copy(dict(zip(sorted(frame.env), contents)))
        if frame.subject is not None:
            copy.subject = next(contents)
        frames.append(copy)
    held = dict(zip(sorted(state.overlays), contents))
    overlays = {place: (held[place], dirty) for place, (_, dirty) in state.overlays.items()}
    return State(frames, heap, ages, overlays, state.unit, state.intact, abouts, state.general, owned)


def generalize(
    state: State, fresh: Callable[[int], int], keep: Callable[[VObject], bool], *, owning: bool = True
) -> State:
    """A copy of `state` in which each dynamic leaf is a new parameter: the first state of a version.

    Virtual objects that `keep` refuses, and all that they reach, become leaves too.  If not `owning`, somebody else
    may have the dicts of the state.
    """
    renamed: dict[int, Dynamic] = {}
    """By the residual value, or by the number below zero of an object that becomes a leaf."""
    forced = {oid for oid, entry in state.heap.items() if not keep(entry)}
    for oid in sorted(forced):
        forced.update(reached_with_owners(state, Virtual(oid)))

    def rename(value: AbstractValue) -> AbstractValue:
        if type(value) is Dynamic:
            found = renamed.get(value.rv)
            if found is None:
                held = classes_of(value) if value.type is None else ANY_CLASS
                found = renamed[value.rv] = Dynamic(fresh(value.rv), value.type, value.shape, held)
            return found
        if type(value) is Known or value.oid not in forced:  # type: ignore[union-attr]
            return value
        token = -1 - value.oid  # type: ignore[union-attr]
        if token not in renamed:
            renamed[token] = Dynamic(fresh(-1), _type_of(state, value), _shape_of(state, value), ANY_CLASS)
        return renamed[token]

    held = [value if type(value) is Known else rename(value) for value in contents(state)]
    heap = {}
    for oid, entry in state.heap.items():
        if oid not in forced:
            items: list[AbstractValue] | None = None
            for at, item in enumerate(entry.items):
                if type(item) is not Known and (new := rename(item)) is not item:
                    items = [*entry.items] if items is None else items
                    items[at] = new
            heap[oid] = entry if items is None else entry.with_items(tuple(items))
    abouts = {}
    for told, about in state.abouts.items():
        teller, subject = renamed.get(told), renamed.get(about.subject)
        if teller is not None and subject is not None and about.kind != "same":
            abouts[teller.rv] = about._replace(subject=subject.rv)
    owned = _owned_leaves(state, forced, renamed) if owning and (state.owned or forced) else NOTHING
    return _rebuilt(state, iter(held), heap, dict(state.ages), abouts, owned)


def _owned_leaves(state: State, forced: set[int], renamed: dict[int, Dynamic]) -> frozenset[int]:
    """Those of the new parameters that are owned dicts: what is made real with something that holds it is none."""
    held = held_by(state, forced)
    starting = {-1 - oid for oid in forced if starts_owned(state.heap[oid])}
    owned = {old for old in renamed if old in starting or old in state.owned}
    return frozenset([renamed[old].rv for old in owned if old not in held])


def reached_with_owners(state: State, value: Virtual) -> list[int]:
    """The virtual objects that `value` reaches; with a dict that an instance holds, this instance, too."""
    seen: set[int] = set()
    found: list[int] = []
    work = [value]
    while work:
        for leaf in state.leaves(work.pop(), seen):
            if type(leaf) is Virtual:
                found.append(leaf.oid)
                owner = state.owner(leaf.oid)
                if owner is not None and owner.oid not in seen:
                    work.append(owner)
    return found


_Token: TypeAlias = "int | tuple[object, ...]"
"""What tells a leaf from others: of a dynamic one the residual value."""


def leaf_token(value: AbstractValue) -> _Token:
    if type(value) is Dynamic:
        return value.rv
    if type(value) is Known:
        return ("known", token_key(value.value))
    assert type(value) is Virtual
    return ("virtual", value.oid)


class Meet:
    """The meet of a version's state `a` and an arriving state `b`; see `state` and `changed`."""

    def __init__(
        self, a: State, b: State, fresh: Callable[[int], int], keep: Callable[[VObject], bool], *, owning: bool = True
    ) -> None:
        self._a: Final = a
        self._b: Final = b
        self._fresh: Final = fresh
        self._keep: Final = keep
        self._owning: Final = owning
        self._forced_a: set[int] = set()
        self._forced_b: set[int] = set()
        self.confused: set[object] = set()
        """The tokens of equal tuples that are two objects: from here on they count as one."""
        self.variables: list[object] = []
        """Where cells were made that are bound in one of the states and not in the other."""
        while not self._attempt():
            pass

    state: State
    changed: bool

    def _attempt(self) -> bool:
        self.changed = False
        self._forward: dict[int, int] = {}
        self._backward: dict[int, int] = {}
        self._pairs: dict[tuple[_Token, _Token], Dynamic] = {}
        self._kept: set[object] = set()
        self._heap: dict[int, VObject] = {}
        self._ages: dict[int, int] = {}
        self._retry = False
        self._work: list[tuple[int, int]] = []
        contents = [
            left if left is right and type(left) is Known and not left.vid else self._join(left, right)
            for left, right in _paired(self._a, self._b)
        ]
        while self._work and not self._retry:
            left_oid, right_oid = self._work.pop()
            a, b = self._a.heap[left_oid], self._b.heap[right_oid]
            items = tuple([
                x if x is y and type(x) is Known and not x.vid else self._join(x, y)
                for x, y in zip(a.items, b.items, strict=True)
            ])  # fmt: skip
            self._heap[left_oid] = a if all(map(is_, items, a.items)) else a.with_items(items)
        if self._retry:
            return False
        abouts = self._abouts()
        owned = self._owned()
        self.changed = self.changed or abouts != self._a.abouts or (self._a.intact and not self._b.intact)
        self.changed = self.changed or owned != self._a.owned
        self.state = self._a
        if self.changed:
            self.state = _rebuilt(self._a, iter(contents), self._heap, self._ages, abouts, owned)
            self.state.intact = self._a.intact and self._b.intact
        return True

    def _owned(self) -> frozenset[int]:
        """The dicts that are owned in both states, each of which is one and the same wherever it is named."""
        if not self._owning or not ((self._a.owned or self._forced_a) and (self._b.owned or self._forced_b)):
            return NOTHING
        lefts, rights = Counter(left for left, _ in self._pairs), Counter(right for _, right in self._pairs)
        held_a, held_b = held_by(self._a, self._forced_a), held_by(self._b, self._forced_b)
        found = []
        for (left, right), result in self._pairs.items():
            if lefts[left] == 1 and rights[right] == 1 and _is_own(self._a, left, held_a):
                if _is_own(self._b, right, held_b):
                    found.append(result.rv)
        return frozenset(found)

    def _abouts(self) -> dict[int, About]:
        """What values say of others in both states."""
        found = {}
        for (left, right), result in self._pairs.items() if self._a.abouts and self._b.abouts else ():
            a = self._a.abouts.get(left) if type(left) is int else None
            b = self._b.abouts.get(right) if type(right) is int else None
            if a is None or b is None or a.kind == "same" or a._replace(subject=b.subject, held=b.held) != b:
                continue
            subject = self._pairs.get((a.subject, b.subject))
            if subject is not None:
                found[result.rv] = a._replace(subject=subject.rv, held=joined(a.held, b.held))
        return found

    def _join(self, a: AbstractValue, b: AbstractValue) -> AbstractValue:
        if type(a) is Known and type(b) is Known:
            if a.value is b.value:
                return self._join_known(a, b) if a.vid or b.vid else a
            if token_key(a.value) == token_key(b.value):
                if has_identity(a.value):
                    self.confused.add(token_key(a.value))
                return self._join_known(a, b)
        if type(a) is Virtual and type(b) is Virtual and self._partners(a, b):
            return a
        return self._leaf(a, b)

    def _join_known(self, a: Known, b: Known) -> AbstractValue:
        age_a, age_b = self._a.age(a), self._b.age(b)
        age = max(age_a, age_b)
        if not age:
            return a
        if age > age_a:
            self.changed = True
        if not a.vid:
            a = Known(a.value, b.vid)
        self._ages[a.vid] = max(age, self._ages.get(a.vid, 0))
        return a

    def _partners(self, a: Virtual, b: Virtual) -> bool:
        if a.oid in self._forced_a or b.oid in self._forced_b:
            return False
        if a.oid in self._forward or b.oid in self._backward:
            return self._forward.get(a.oid) == b.oid
        x, y = self._a.heap[a.oid], self._b.heap[b.oid]
        if not (_same_shape(x, y) and self._keep(x)):
            return False
        self._forward[a.oid] = b.oid
        self._backward[b.oid] = a.oid
        self._work.append((a.oid, b.oid))
        return True

    def _leaf(self, a: AbstractValue, b: AbstractValue) -> AbstractValue:
        if type(a) is Virtual:
            self._force(self._a, a, self._forced_a, self._forward)
        if type(b) is Virtual:
            self._force(self._b, b, self._forced_b, self._backward)
        left, right = leaf_token(a), leaf_token(b)
        found = self._pairs.get((left, right))
        if found is not None:
            return found
        kind = _common_type(self._a, a, self._b, b)
        held = joined(classes_of(a, self._a), classes_of(b, self._b)) if kind is None else ANY_CLASS
        unshaped = (type(a) is Dynamic and a.shape is None) or (type(b) is Dynamic and b.shape is None)
        shape = None if unshaped else _common_shape(self._a, a, self._b, b)
        if type(a) is Dynamic and left not in self._kept:
            self._kept.add(left)
            result = a
            if a.type is not kind or a.shape != shape or (kind is None and a.classes != held):
                result = Dynamic(a.rv, kind, shape, held)
                self.changed = True
        else:
            result = Dynamic(self._fresh(a.rv if type(a) is Dynamic else -1), kind, shape, held)
            self.changed = True
        self._pairs[left, right] = result
        return result

    def _force(self, state: State, value: Virtual, forced: set[int], paired: dict[int, int]) -> None:
        if state.heap[value.oid].kind == "cell":
            self.variables.append(state.heap[value.oid].site)
        for oid in reached_with_owners(state, value):
            if oid not in forced:
                forced.add(oid)
                if oid in paired:
                    self._retry = True


def _is_own(state: State, token: _Token, held: Set[int]) -> bool:
    """Does only this leaf of the state have the dict that it is?"""
    if type(token) is int:
        return token in state.owned and token not in held
    assert isinstance(token, tuple)
    oid = token[1]
    return token[0] == "virtual" and isinstance(oid, int) and starts_owned(state.heap[oid]) and -1 - oid not in held


def _same_shape(a: VObject, b: VObject) -> bool:
    return a is b or (
        a.kind == b.kind
        and a.cls is b.cls
        and len(a.items) == len(b.items)
        and a.extra == b.extra
        and (a.kind != "exception" or (a.site == b.site or not (has_context(a) or has_context(b))))
        and (a.names is b.names or (a.names == b.names and token_key(a.names) == token_key(b.names)))
    )


_TYPED: Final = ("list", "tuple", "dict", "set", "deque", "instance", "slice", "exception", "memory")


def _type_of(state: State, value: AbstractValue) -> type | None:
    if type(value) is Known:
        return type(value.value)
    if type(value) is Dynamic:
        return value.type
    assert type(value) is Virtual
    entry = state.heap[value.oid]
    if entry.extra == HELD:
        return None  # it is its owner as soon as it exists
    return entry.cls if entry.kind in _TYPED else None


def _shape_of(state: State, value: AbstractValue) -> Shape | None:
    if type(value) is Virtual:
        entry = state.heap[value.oid]
        if entry.kind == "list" and entry.cls is list:
            return FRESH
        return BARE if entry.kind == "instance" and shows_methods(entry.cls, entry.names) else None
    if type(value) is Known and type(value.value) is int:
        return Shape(least=value.value, short=abs(value.value) < SHORT and not state.age(value))  # else it will grow
    return value.shape if type(value) is Dynamic else None


def _common_shape(a: State, x: AbstractValue, b: State, y: AbstractValue) -> Shape | None:
    """What holds of both; of different lower bounds only that they are not negative, lest they fall step by step."""
    left, right = _shape_of(a, x), _shape_of(b, y)
    if left is None or right is None:
        return None
    if left == right:
        return left
    short = left.short and right.short
    length = left.length if left.length == right.length else None
    pattern = left.pattern if left.pattern is right.pattern else None
    most = left.most if left.most == right.most else None
    left, right = (shape._replace(short=short, length=length, pattern=pattern, most=most) for shape in (left, right))
    if left._replace(least=None) != right._replace(least=None):
        return None
    if left.least is None or right.least is None or left.least < 0 or right.least < 0:
        left = left._replace(least=None)
        return None if left == Shape() else left
    return left._replace(least=0)


def _common_type(a: State, x: AbstractValue, b: State, y: AbstractValue) -> type | None:
    left = _type_of(a, x)
    return left if left is _type_of(b, y) else None


def match(target: State, source: State) -> dict[int, AbstractValue]:
    """What `source` passes for each parameter (dynamic leaf) of the version state `target`."""
    found: dict[int, AbstractValue] = {}
    seen: set[int] = set()
    work = [pair for pair in _paired(target, source) if type(pair[0]) is not Known]
    while work:
        left, right = work.pop()
        if type(right) is Virtual:
            right = source.resolve(right)
        if type(left) is Dynamic:
            if left.rv not in found:
                found[left.rv] = right
        elif type(left) is Virtual and left.oid not in seen:
            seen.add(left.oid)
            assert type(right) is Virtual
            work += zip(target.heap[left.oid].items, source.heap[right.oid].items, strict=True)
    return found


def loosened(state: State, loops: str, fresh: Callable[[int], int]) -> State:
    """A copy of a trimmed state at a dynamic loop's header in which what the loop changes is dynamic."""
    facts = state.top.facts
    block = state.top.block
    if loops == "parameters":
        changing = facts.merging(block)
    else:
        changing = facts.varying(block)
    loose = state.copy()
    env = loose.top.env
    for value in sorted(env.keys() & changing):
        if type(state.resolve(env[value])) is Known:
            env[value] = Dynamic(fresh(-1))
    loose.trim()
    return loose
