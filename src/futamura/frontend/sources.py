"""Where values come from: what places hold, what functions give, what was put into objects.

    def first(rows): return rows[0]         first  <-  In((first, rows))
    def use(): KEPT.append(first(ROWS))     In(KEPT)  <-  first,  (first, rows)  <-  ROWS

Invariant: what comes out of an object may be all that was put into it, at any depth.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from futamura.frontend.walking import Scope

__all__ = [
    "ANY_FIELD", "CALLED", "EXTENDING", "FOREIGN", "GIVEN", "GIVER", "NOTHING", "OF_DICTS", "RAISED", "Changed",
    "In", "Left", "Paths", "Place", "Source", "Sources", "items_of", "names_of_items",
]  # fmt: skip

Place: TypeAlias = "tuple[Scope | None, str]"
"""A variable of a function, or a global or an attribute (`.name`), which have no function."""
Source: TypeAlias = "str | Place | ast.AST | In"
"""What a value may come out of: an object that has this name, what a place holds, what a function gives or an
expression makes, what was put into one of these."""


class In(NamedTuple):
    """What was put into an object, at any depth."""

    source: str | Place | ast.AST


RAISED: Final = (None, "raised")
"""The place of all that was raised."""
ANY_FIELD: Final = (None, ".*")
OF_DICTS: Final = (None, "dicts of objects")
"""Stands for what is stored in `x.__dict__`, `vars(x)` or `locals()`: any attribute or variable of this text."""
CALLED: Final = (None, "what keys get")
"""The place of what the library passes to functions that have no name where it gets them: `sorted(rows, key=key)`."""
EXTENDING: Final = "+="
"""Stands for an attribute of an object: what it, or a view or an iterator of it, gives when it is iterated over."""
FOREIGN: Final = (None, "foreign")
"""Stands for objects and functions of other modules, of which it is not known what they do, and for classes whose
methods are called on an argument."""
GIVER: Final = (None, "giver")
"""Stands for methods of containers that give items, under other names."""
GIVEN: Final = (None, "given")
"""Stands for what a caller, of another module perhaps, passes."""
NOTHING: Final[frozenset[Source]] = frozenset()
_ELSEWHERE: Final = (FOREIGN, GIVEN, GIVER)
"""What these stand for is not one object: what is put into one does not come out of another."""


class Sources:
    """Where the values of places, of the results of functions and in objects come from."""

    def __init__(self) -> None:
        self._of: Final[dict[Source, set[Source]]] = {}
        self.reads: Final[dict[Source, str]] = {}
        """Expressions that read an attribute, and its name; statements that extend something."""
        self.unlike: Final[set[Source]] = set()
        """What makes objects whose attributes may hold anything that it was given."""
        self._puts: Final[dict[frozenset[Source], Place]] = {}
        """By what something is put into: the place of what that is."""
        self._groups: Final[dict[int, Place]] = {}
        self._bits: Final[dict[Source, int]] = {}
        """By source the numbers of the puts that may go to it, as bits."""
        self._fresh: dict[Source, int] = {}
        """The same, as far as it was not followed yet."""
        self._dirty: set[Source] = set()
        """What comes out of more than when it was followed."""
        self._places: dict[Source, list[Source]] = {}
        """The places that may be each source; none where that has to be found anew."""
        self._numbered: Numbered | None = None

    def add(self, place: Source, held: Iterable[Source]) -> None:
        self._places = {}
        self._numbered = None
        self._dirty |= {place, _in(place)}
        self._of.setdefault(place, set()).update(held)
        if isinstance(place, In) and place.source in self.reads:  # `op.rows.append(x)`: x is in `op`, too
            for owner in self._of.get(place.source, ()):
                self.add(_in(owner), held)

    def put(self, owners: frozenset[Source], held: frozenset[Source]) -> None:
        """This is put into what may be one of these."""
        for owner in owners:
            self.add(_in(owner), held)
        if held:
            if owners not in self._puts:
                bit = 1 << len(self._puts)
                self._fresh.update({owner: self._fresh.get(owner, 0) | bit for owner in owners})
            place = self._puts.setdefault(owners, (None, f"put {len(self._puts)}"))
            self.add(place, held)

    def spread(self) -> None:
        """What was put into something by one name is in it under all others: `rows = found[0]; rows.append(x)`."""
        while self._fresh or self._dirty:
            for source in self._reached_by_puts():
                inside = ANY_FIELD if source == OF_DICTS else _in(source)
                self.add(inside, (self._group(self._bits[source]),))

    def _reached_by_puts(self) -> set[Source]:
        """What may be that into which something is put, as far as that was not known before; `_bits` has the puts."""
        known, waiting, dirty = self._bits, self._fresh, self._dirty
        self._fresh, self._dirty = {}, set()
        for source in dirty & known.keys():
            for one in self._before(source):
                if known[source] & ~known.get(one, 0):
                    waiting[one] = waiting.get(one, 0) | known[source]
        found: set[Source] = set()
        before: dict[Source, tuple[Source, ...]] = {}
        while waiting:
            work, waiting = waiting, {}
            for source, bits in work.items():
                have = known.get(source, 0)
                if not bits & ~have or source in _ELSEWHERE:
                    continue
                known[source] = have | bits
                found.add(source)
                if source not in before:
                    before[source] = tuple(self._before(source))
                for one in before[source]:
                    if bits & ~known.get(one, 0):
                        waiting[one] = waiting.get(one, 0) | bits
        return found

    def _group(self, bits: int) -> Place:
        """A place that holds what these put."""
        place = self._groups.get(bits)
        if place is None:
            place = self._groups[bits] = (None, f"puts {len(self._groups)}")
            self.add(place, [one for at, one in enumerate(self._puts.values()) if bits >> at & 1])
        return place

    def read(self, node: ast.AST, name: str, held: frozenset[Source]) -> None:
        """This expression reads the attribute of an object; `held` is what may be in that, at any depth."""
        self.reads[node] = name
        self.add(node, held)

    def size(self) -> int:
        return sum(map(len, self._of.values()))

    def past_reads(self, found: Iterable[Source]) -> set[Source]:
        """These, and what they were read from."""
        seen: set[Source] = set()
        work = list(found)
        while work:
            source = work.pop()
            if source not in seen:
                seen.add(source)
                work.extend(self._of.get(source, ()) if source in self.reads else ())
        return seen

    def shared(self, sources: Iterable[Source]) -> set[Source]:
        """What of these another one of them may be itself."""
        wanted = set(sources)
        origins: dict[Source, list[Source]] = {source: [source] for source in wanted}  # two tell as much as all
        work = [(source, source) for source in wanted]
        while work:
            one, origin = work.pop()
            for other in () if isinstance(one, In) else self._of.get(one, ()):
                known = origins.setdefault(other, [])
                if len(known) < 2 and origin not in known:
                    known.append(origin)
                    work.append((other, origin))
        return {source for source in wanted if any(origin is not source for origin in origins[source])}

    def reached(self, starts: Iterable[Source], without: Collection[Source] = ()) -> set[Source]:
        """All that these come out of, but `without` these and what is only reached through them."""
        seen: set[Source] = set()
        work = list(starts)
        while work:
            source = work.pop()
            if source not in seen and source not in without:
                seen.add(source)
                work.extend(self._before(source))
        return seen

    def lines(self, starts: Mapping[Source, int]) -> dict[Source, int]:
        """All that these come out of, each with the first of their lines from which it is reached."""
        seen: dict[Source, int] = {}
        for start, line in sorted(starts.items(), key=lambda one: one[1]):
            found = self.reached([start], without=seen)
            seen.update(dict.fromkeys(found, line))
        return seen

    def numbered(self) -> Numbered:
        """All this as it is now, to be walked through again and again."""
        if self._numbered is None:
            self._numbered = Numbered(self._of, self.reads, self.unlike, self._before)
        return self._numbered

    def holding(self, starts: Iterable[Source]) -> set[Source]:
        """All that may be one of these, or may come out of one."""
        places = self._places
        if not places:
            for place, held in self._of.items():
                for one in held:
                    places.setdefault(one, []).append(place)
        seen: set[Source] = set()
        work = list(starts)
        while work:
            source = work.pop()
            if source in seen:
                continue
            seen.add(source)
            work.append(_in(source))
            work.extend(places.get(source, ()))
            if isinstance(source, In):
                work.extend(map(_in, places.get(source.source, ())))
        return seen

    def _before(self, source: Source) -> Iterator[Source]:
        found = self._of.get(source, ())
        yield from found
        if isinstance(source, In):
            yield from map(_in, found)
            yield from items_of(self._of.get(source.source, ()))


class Numbered:
    """The sources by numbers, with what each comes out of: asked for one object after the other, each once."""

    def __init__(
        self,
        of: Mapping[Source, Collection[Source]],
        reads: Mapping[Source, str],
        unlike: Collection[Source],
        before: Callable[[Source], Iterator[Source]],
    ) -> None:
        self._of: Final = of
        self._reads: Final = reads
        self._unlike: Final = unlike
        self._before: Final = before
        self._numbers: Final[dict[Source, int]] = {}
        self._all: Final[list[Source]] = []
        self.names: Final[list[str | None]] = []
        """The name of the global or the attribute that this is what was put into."""
        self._plain: Final[list[list[int] | None]] = []
        self._past: Final[dict[int, _Past]] = {}

    def number(self, source: Source) -> int:
        found = self._numbers.get(source)
        if found is None:
            found = self._numbers[source] = len(self._all)
            self._all.append(source)
            inside = source.source if isinstance(source, In) else None
            self.names.append(inside if isinstance(inside, str) else None)
            self._plain.append(None)
        return found

    def _numbers_of(self, sources: Iterable[Source]) -> list[int]:
        return list(dict.fromkeys(map(self.number, sources)))

    def _plainly(self, number: int) -> list[int]:
        found = self._plain[number]
        if found is None:
            found = self._plain[number] = self._numbers_of(self._before(self._all[number]))
        return found

    def _beyond(self, number: int) -> _Past:
        found = self._past.get(number)
        if found is None:
            source = self._all[number]
            base = source.source if isinstance(source, In) else source
            held, same = self._of.get(_in(base), ()), self._of.get(base, ())
            found = self._past[number] = _Past(
                self._reads.get(base, ""),
                self._numbers_of(map(_in, (*held, *same))),
                self._numbers_of(map(_in, same)),
                self._numbers_of(one for put in held for one in (put, _in(put))),
                source != base,
                base in self._unlike,
            )
        return found

    def reached_past(
        self, starts: Iterable[Source], atoms: Collection[str], without: Collection[int]
    ) -> set[int]:
        """All that these come out of, but `without` these and what is only reached through them, as far as it holds for
        an object in which whatever has an attribute of these names has something there that holds nothing: where that
        is read, the owner is nothing in this object.

        Who reads the attribute of something that holds parts of the object gets these: that is followed.
        """
        seen: set[int] = set()
        beyond: set[tuple[int, str]] = set()
        work = [self.number(source) for source in starts]
        later: list[tuple[int, str]] = []
        while work or later:
            while work:
                number = work.pop()
                if number in seen or number in without:
                    continue
                seen.add(number)
                past = self._beyond(number)
                if past.read in atoms and past.read:
                    later.extend([(one, past.read) for one in past.same])
                    work += past.put if past.inside else ()
                else:
                    work += self._plainly(number)
            if later:
                state = later.pop()
                if state in beyond:
                    continue
                beyond.add(state)
                number, name = state
                past = self._beyond(number)
                later.extend([(one, name) for one in past.all])
                if past.unlike:
                    work.append(number)
                elif name == EXTENDING:
                    work += past.put
        return seen


class _Past(NamedTuple):
    """How to go on from a source of which an attribute is read that holds nothing."""

    read: str
    """The attribute that it reads itself."""
    all: list[int]
    """What was put into what may be its owner, and the owner."""
    same: list[int]
    put: list[int]
    """What was put into it, and what is in that."""
    inside: bool
    """Is it what was put into something?"""
    unlike: bool


class Paths:
    """What is changed, and where it comes from: asked anew for each object."""

    def __init__(
        self,
        sources: Sources,
        changed: Iterable[Source],
        by: Mapping[str, Iterable[Source]],
        implied: Collection[str],
    ) -> None:
        """`implied` are attributes of which objects have something that no text gives them."""
        self._sources: Final = sources
        self.attributes: Final = frozenset(sources.reads.values()) - frozenset(implied)
        self._starts: Final = frozenset(changed), {name: frozenset(places) for name, places in by.items()}
        self._found: Final[dict[frozenset[str], tuple[frozenset[str], dict[str, frozenset[str]]]]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Paths) and self._sources is other._sources and self._starts == other._starts

    __hash__ = None  # type: ignore[assignment]

    def changed(self, atoms: frozenset[str]) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
        """What `Changed` has as `items` and `by_methods`, for objects in which attributes of these names hold atoms."""
        if atoms not in self._found:
            changed, by = self._starts
            numbered = self._sources.numbered()
            seen = numbered.reached_past(changed, atoms, ())
            by_methods: dict[str, frozenset[str]] = {}
            for method, places in by.items():
                for name in self._names(numbered, numbered.reached_past(places, atoms, seen)):
                    by_methods[name] = by_methods.get(name, frozenset()) | {method}
            self._found[atoms] = self._names(numbered, seen), by_methods
        return self._found[atoms]

    def _names(self, numbered: Numbered, found: Iterable[int]) -> frozenset[str]:
        """What `names_of_items` gives for these."""
        names = numbered.names
        return frozenset([name for number in found if (name := names[number]) is not None])


def names_of_items(seen: Iterable[Source]) -> frozenset[str]:
    """The names of those out of which something of this comes."""
    parts = (source.source for source in seen if isinstance(source, In))
    return frozenset(source for source in parts if isinstance(source, str))


class Changed(NamedTuple):
    """Names of globals, attributes (`.rows`), variables that closures share and parameters with a default."""

    itself: frozenset[str]
    """A function changes the object that has this name."""
    items: frozenset[str]
    """A function changes what it takes out of this object."""
    classes: frozenset[str] = frozenset()
    """Classes whose instances are changed by their own special methods: by whatever asks or compares them."""
    reading: frozenset[str] = frozenset()
    """Classes of descriptors that change the object of which an attribute is read."""
    parameters: frozenset[tuple[str, str]] = frozenset()
    """Functions (`run`, `Machine.run`) and those of their parameters that are changed, or what is in them."""
    kept: Callable[[str, str], frozenset[str]] = lambda *_: frozenset()
    """The names (of attributes with a dot) of what keeps a parameter of a function, or something in it, when the
    function has ended."""
    giving: Callable[[str], frozenset[tuple[str, str]]] = lambda _: frozenset()
    """The parameters of functions out of which the results of a function may come, or parts of these."""
    by_methods: Mapping[str, frozenset[str]] = MappingProxyType({})
    """Names of which, beside those of `items`, a function changes what it takes out of the object if that has one of
    these methods: `x += 1` and `x.append(1)` change no number."""
    results: frozenset[str] = frozenset()
    """Functions whose results a function changes, or what it takes out of them, or gives to its own caller."""
    whole_results: frozenset[str] = frozenset()
    """The same of the results alone, not of what is taken out of them."""
    paths: Paths | None = None
    """How all this comes to be."""
    line: Callable[[str], int] = lambda _: 0
    """The first line where a function changes what has this name, or something in it; 0 if that is not known."""

    def has(self, function: str, name: str) -> bool:
        """Is this parameter changed, or this attribute, which belongs to no function?"""
        if function:
            return (function, name) in self.parameters
        return "." + name in self.itself | self.items | self.by_methods.keys()


class Left(NamedTuple):
    """What a function or class of another module does with an argument that it leaves alone."""

    makes: bool
    """It is a class, and the object that it makes keeps it."""
    gives: bool
    """The results, of methods in that case, may be parts of it."""


def _in(source: Source) -> Source:
    """What is in it, at any depth."""
    return source if isinstance(source, In) else In(source)


def items_of(sources: Iterable[Source]) -> frozenset[Source]:
    return frozenset(map(_in, sources))
