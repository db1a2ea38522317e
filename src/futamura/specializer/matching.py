r"""Regular expressions on known texts: matches are virtual objects.

for found in re.compile(r"\d+|\w+").finditer("a 1"):     ->     two rounds; found.group() is "a", then "1"
pattern.sub(lambda found: names[found[1]], "Hi {x}!")    ->     the function, inlined for the one match, and a join

A match is found again where somebody looks at the object itself: `extra` holds the search that found it, and its
number there.

Invariant: a search is tried only if the number of ways to match is small (`backtracking`), and gives what the
same search gives at run time, for patterns, texts and bounds never change.
"""

from __future__ import annotations

import itertools
import re
import sys
from dataclasses import dataclass
from typing import Any, Final

from futamura.ir.graph import Operation
from futamura.specializer import library
from futamura.specializer.attributes import VIRTUAL_FIELDS
from futamura.specializer.backtracking import places_to_begin, ways_to_match
from futamura.specializer.calls import enter
from futamura.specializer.emitting import CONSTRUCTORS, Emitter
from futamura.specializer.groups import MOST_GROUPS, group_number, pattern_of, place_of_groups, sure_groups
from futamura.specializer.machine import Machine
from futamura.specializer.models import HANDLED, KEYWORD_METHODS, KEYWORD_MODELS, METHODS, Keywords, iterator_over
from futamura.specializer.partials import is_callable
from futamura.specializer.purity import deep
from futamura.specializer.refinement import one_of
from futamura.specializer.rules import SPECIAL, exact_type, hint_of, site
from futamura.specializer.state import Frame
from futamura.specializer.stepping import STEPS, stepping
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject

__all__: list[str] = []

_MOST_STEPS: Final = 50_000_000
_MOST_MATCHES: Final = 10_000
_LONGEST_RESULT: Final = 1 << 20


@dataclass(frozen=True, eq=False)
class Search:
    """One call of a method of `pattern`, and all matches that it finds."""

    pattern: re.Pattern[Any]
    method: str
    text: str | bytes
    bounds: tuple[int, ...]
    found: tuple[re.Match[Any], ...]


def _search(m: Machine, pattern: AbstractValue, method: str, args: list[AbstractValue]) -> Search | None:
    """What this call finds: `args` are the text and its bounds.  None if it must be made at run time."""
    values = [arg.value for arg in args if type(arg) is Known]
    if type(pattern) is not Known or not 1 <= len(args) <= 3 or len(values) != len(args):
        return None
    expression, text, bounds = pattern.value, values[0], tuple(values[1:])
    assert isinstance(expression, re.Pattern)
    if expression.flags & re.LOCALE:
        return None  # what it matches depends on the locale of the moment
    if type(text) is not type(expression.pattern) or not all(map(_is_count, bounds)):
        return None
    assert isinstance(text, (str, bytes))
    key = ("search", id(expression), method, text, bounds)
    if key not in m.world.searches:
        m.world.searches[key] = _made(expression, method, text, bounds)  # type: ignore[arg-type]
    for arg in (pattern, *args):
        m.validate(arg)
    made = m.world.searches[key]
    assert made is None or isinstance(made, Search)
    return made


def _is_count(value: object) -> bool:
    """Is this an int that the engine takes?"""
    return type(value) is int and abs(value) < sys.maxsize


def _made(pattern: re.Pattern[Any], method: str, text: str | bytes, bounds: tuple[int, ...]) -> Search | None:
    ways = ways_to_match(pattern, text)
    starts = places_to_begin(pattern, text) if method in ("search", "finditer") else 1
    if ways is None or ways * (len(text) + 1) * starts > _MOST_STEPS:
        return None
    if method == "finditer":
        found = tuple(itertools.islice(pattern.finditer(text, *bounds), _MOST_MATCHES + 1))
    else:
        one = getattr(pattern, method)(text, *bounds)
        found = (one,) if one is not None else ()
    return Search(pattern, method, text, bounds, found) if len(found) <= _MOST_MATCHES else None


def _match(m: Machine, search: Search, number: int, age: int, place: object) -> AbstractValue:
    items = (Known(search.pattern), m.known(search.text, age))
    return m.virtual(VObject("match", re.Match, items, site=place, extra=(search, number)))


# -- methods of patterns


def _one(name: str) -> None:
    """`match`, `search` and `fullmatch`: a match, or None."""

    def model(
        m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
    ) -> AbstractValue | None:
        search = None if keywords else _search(m, target, name, args)
        if search is None:
            return None
        age = m.state.age(args[0])
        return _match(m, search, 0, age, site(frame)) if search.found else m.known(None, age)

    KEYWORD_METHODS[re.Pattern, name] = model


def _finditer(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    search = None if keywords else _search(m, target, "finditer", args)
    return None if search is None else _walk(m, frame, search, len(search.found))


def _walk(m: Machine, frame: Frame, search: Search, count: int) -> AbstractValue | None:
    """An iterator over the first matches of a search."""
    if site(frame) in m.refused:
        return None
    numbers = iterator_over(m, frame, Known(range(count)))
    return None if numbers is None else stepping(m, frame, "matches", object, (numbers,), (search, site(frame)))


def _match_at(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """The next match of an iterator; where its number is not known the iterator must be a real one."""
    number, search, place = args
    assert type(search) is Known and isinstance(search.value, Search) and type(place) is Known
    if type(number) is not Known:
        m.refuse(place.value, "the number of a match is not known")
    assert isinstance(number.value, int)
    return _match(m, search.value, number.value, m.state.age(number), place.value)


def _all_texts(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    search = None if keywords else _search(m, target, "finditer", args)
    if search is None or len(search.found) > m.budget.virtual_length:
        return None
    age = m.state.age(args[0])
    items = tuple(m.known(item, age) for item in search.pattern.findall(search.text, *search.bounds))
    return m.virtual(VObject("list", list, items, site=site(frame)))


def _split(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    most = args[1] if len(args) == 2 else Known(0)
    search = None if keywords or len(args) not in (1, 2) else _search(m, target, "finditer", args[:1])
    if search is None or type(most) is not Known or not _is_count(most.value):
        return None
    assert type(most.value) is int
    age = m.state.age(args[0])
    items = tuple(m.known(item, age) for item in search.pattern.split(search.text, most.value))
    return m.virtual(VObject("list", list, items, site=site(frame))) if len(items) <= m.budget.virtual_length else None


def _sub(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """With a text as replacement the text that comes out; with a function its calls, one for each match."""
    count = args[2] if len(args) == 3 else Known(0)
    search = None if keywords or len(args) not in (2, 3) else _search(m, target, "finditer", args[1:2])
    if search is None or type(count) is not Known or not _is_count(count.value):
        return None
    assert type(count.value) is int
    number = count.value
    if is_callable(m, args[0]):
        found = len(search.found)
        matches = _walk(m, frame, search, min(max(number, 0), found) if number else found)  # none if it is negative
        empty = Known(search.text[:0])
        return (
            HANDLED if matches and enter(m, frame, op, library.replaced, [matches, args[0], args[1], empty]) else None
        )
    replacement = args[0].value if type(args[0]) is Known else None
    if not isinstance(replacement, (str, bytes)) or type(replacement) is not type(search.text):
        return None
    if (len(search.text) + 1) * (len(replacement) + 1) > _LONGEST_RESULT:
        return None
    try:
        made = search.pattern.sub(replacement, search.text, number)
    except (re.error, IndexError):
        return None
    m.validate(args[0])
    return m.known(made, max(m.state.age(args[0]), m.state.age(args[1]))) if len(made) <= _LONGEST_RESULT else None


for _name in ("match", "search", "fullmatch"):
    _one(_name)
KEYWORD_METHODS[re.Pattern, "finditer"] = _finditer
KEYWORD_METHODS[re.Pattern, "findall"] = _all_texts
KEYWORD_METHODS[re.Pattern, "split"] = _split
KEYWORD_METHODS[re.Pattern, "sub"] = _sub
KEYWORD_MODELS[library.match_at] = _match_at
STEPS["matches"] = library.next_match


# -- matches


def _of(held: VObject) -> re.Match[Any]:
    assert isinstance(held.extra, tuple)
    search, number = held.extra
    found = search.found[number]
    assert isinstance(found, re.Match)
    return found


def _reading(name: str) -> None:
    """A method of a match whose arguments are known."""

    def method(
        m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
    ) -> AbstractValue | None:
        values = [arg.value for arg in args if type(arg) is Known]
        if len(values) != len(args) or not all(deep(value) for value in values):
            return None
        try:
            result = getattr(_of(held), name)(*values)
        except (IndexError, TypeError, OverflowError):
            return None
        age = max(m.state.age(value) for value in (held.items[1], *args))
        if type(result) is dict:
            items = tuple(m.known(item, age) for item in result.values())
            return m.virtual(VObject("dict", dict, items, tuple(result), site(frame)))
        return m.known(result, age)

    METHODS["match", name] = method


for _name in ("group", "groups", "groupdict", "start", "end", "span"):
    _reading(_name)


def _group_at(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`match[group]`."""
    held = m.state.object(args[0])
    if held is None or held.kind != "match" or type(args[0]) is not Virtual:
        return None
    return METHODS["match", "group"](m, frame, op, args[0], held, args[1:])


# -- matches that are open, of known patterns


def _open_group(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`match[group]`, a group that the pattern has."""
    pattern = pattern_of(args[0]) if exact_type(m, args[0]) is re.Match else None
    number = None if pattern is None else group_number(pattern, args[1])
    return None if pattern is None or number is None else _read_group(m, pattern, number, args, hint_of(frame, op))


def _read_group(
    m: Machine, pattern: re.Pattern[Any], number: int, args: list[AbstractValue], hint: str | None
) -> Dynamic:
    """The text of a group; None if it may have taken no part, and has not."""
    if number in sure_groups(pattern):
        return m.emit("getitem", args, type=str, hint=hint, raises=False)
    made = m.emit("getitem", args, hint=hint, raises=False)
    return Dynamic(made.rv, classes=one_of((type(None), str)))


def _open_groupdict(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """A virtual dict of the named groups."""
    pattern = pattern_of(target)
    given = [*args, *(value for name, value in keywords if name == "default")]
    if pattern is None or len(given) > 1 or len(given) != len(args) + len(keywords):
        return None
    names = tuple(pattern.groupindex)
    place = place_of_groups(len(names), site(frame))
    if len(names) > MOST_GROUPS or place in m.refused:
        return None
    plain = not given or (type(given[0]) is Known and given[0].value is None)
    if not plain and not sure_groups(pattern).issuperset(pattern.groupindex.values()):
        return None
    numbers = pattern.groupindex.values()
    items = [_read_group(m, pattern, number, [target, Known(name)], name) for name, number in zip(names, numbers)]
    return m.virtual(VObject("dict", dict, tuple(items), names, place))


def _field(m: Machine, held: VObject, name: str) -> AbstractValue | None:
    if name == "re":
        return held.items[0]
    if name == "string":
        return held.items[1]
    if name in ("pos", "endpos", "lastindex", "lastgroup", "regs"):
        return m.known(getattr(_of(held), name), m.state.age(held.items[1]))
    return None


def _construct_match(m: Emitter, held: VObject) -> Dynamic:
    """The same search again: it finds the same."""
    assert isinstance(held.extra, tuple)
    search, number = held.extra
    method = m.emit("getattr", (held.items[0],), search.method, raises=False)
    bounds = [Known(bound) for bound in search.bounds]
    made = m.emit("call", (method, held.items[1], *bounds), raises=False)
    if search.method != "finditer":
        return made
    every = m.emit("call", (Known(list), made), type=list, raises=False)
    return m.emit("getitem", (every, Known(number)), raises=False)


SPECIAL.setdefault("getitem", []).extend((_group_at, _open_group))
KEYWORD_METHODS[re.Match, "groupdict"] = _open_groupdict
VIRTUAL_FIELDS["match"] = _field
CONSTRUCTORS["match"] = _construct_match
