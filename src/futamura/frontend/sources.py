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
    "ANY_FIELD", "FOREIGN", "GIVEN", "GIVER", "NOTHING", "RAISED", "Changed", "In", "Left", "Place", "Source",
    "Sources", "items_of",
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
FOREIGN: Final = (None, "foreign")
"""Stands for objects and functions of other modules, of which it is not known what they do, and for classes whose
methods are called on an argument."""
GIVER: Final = (None, "giver")
"""Stands for methods of containers that give items, under other names."""
GIVEN: Final = (None, "given")
"""Stands for what a caller, of another module perhaps, passes."""
NOTHING: Final[frozenset[Source]] = frozenset()


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


class Sources:
    """Where the values of places, of the results of functions and in objects come from."""

    def __init__(self) -> None:
        self._of: Final[dict[Source, set[Source]]] = {}

    def add(self, place: Source, held: Iterable[Source]) -> None:
        self._of.setdefault(place, set()).update(held)

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

    def holding(self, starts: Iterable[Source]) -> set[Source]:
        """All that may be one of these, or may come out of one."""
        places: dict[Source, list[Source]] = {}
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


def _in(source: Source) -> Source:
    """What is in it, at any depth."""
    return source if isinstance(source, In) else In(source)


def items_of(sources: Iterable[Source]) -> frozenset[Source]:
    return frozenset(map(_in, sources))
