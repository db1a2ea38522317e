"""How long may a regular expression take on a known text?  Asked before it is tried during specialization.

    \\d+\\.\\d+       on "1.5"       ->    few ways to match: the dot can not be a digit
    (a+)+$          on "aaaa...b"  ->    None: the number of ways doubles with each letter

The engine backtracks: from one place it may try every way in which the pattern can match what follows.  The bound is
the number of these ways.  A part is repeated no more often than characters of it stand side by side in the text.  Which
characters a part can begin with is asked of the pattern itself, for each character of the text, so flags and categories
mean what they mean to the engine.

Invariant: the bound holds for every way the engine may go; parts that are not understood have no bound.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any, Final

__all__ = ["GROUP", "parsed", "places_to_begin", "ways_to_match"]

_MOST: Final = 10**12
GROUP: Final = _constants.SUBPATTERN
"""What `re` calls a group in a parsed pattern."""
_SINGLE: Final = frozenset({_constants.LITERAL, _constants.NOT_LITERAL, _constants.IN, _constants.ANY})
_REPEATS: Final = frozenset({_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT})
_LOOKING: Final = frozenset({_constants.ASSERT, _constants.ASSERT_NOT})

Characters = frozenset[int]
Node = tuple[Any, Any]


def ways_to_match(pattern: re.Pattern[Any], text: str | bytes) -> int | None:
    """An upper bound of the number of ways that are tried at one place of `text`; None if there is no small one."""
    try:
        tree = parsed(pattern)
        found = _Measure(tree.state, text).sequence(list(tree), tree.state.flags, frozenset())
    except (re.error, RecursionError, _Unbounded):
        return None
    return found if found < _MOST else None


def places_to_begin(pattern: re.Pattern[Any], text: str | bytes) -> int:
    """An upper bound of the number of places of `text` at which more than one character is looked at."""
    try:
        tree = parsed(pattern)
        measure = _Measure(tree.state, text)
        first, empty = measure.first_of(list(tree), tree.state.flags)
    except (re.error, RecursionError):
        return len(text) + 1
    return len(text) + 1 if empty else sum(measure.numbers[char] in first for char in measure.characters_of_text())


def parsed(pattern: re.Pattern[Any]) -> Any:
    """The parser's nodes of a pattern that was compiled before: what it has to say was said then."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)


class _Unbounded(Exception):
    """A part that is not understood."""


class _Measure:
    """The ways of a pattern's parts on one text; a part is a list of the parser's nodes."""

    def __init__(self, state: Any, text: str | bytes) -> None:
        self.state = state
        self.text = text
        self.alphabet = [text[i : i + 1] for i in sorted({text[i : i + 1]: i for i in range(len(text))}.values())]
        self.numbers = {char: at for at, char in enumerate(self.alphabet)}
        self.everything: Characters = frozenset(range(len(self.alphabet)))
        self._runs: dict[Characters, int] = {}

    def characters_of_text(self) -> Iterator[str | bytes]:
        return (self.text[i : i + 1] for i in range(len(self.text)))

    def run(self, characters: Characters) -> int:
        """How many of these stand side by side at most?"""
        if characters not in self._runs:
            longest = length = 0
            for char in self.characters_of_text():
                length = length + 1 if self.numbers[char] in characters else 0
                longest = max(longest, length)
            self._runs[characters] = longest
        return self._runs[characters]

    def sequence(self, nodes: list[Node], flags: int, follow: Characters) -> int:
        """The ways to match these nodes one after another, with `follow` what may come behind."""
        ways = 1
        behind = follow
        for node in reversed(nodes):
            ways = min(ways * self.node(node, flags, behind), _MOST)
            first, empty = self.first(node, flags)
            behind = first | behind if empty else first
        return ways

    def node(self, node: Node, flags: int, follow: Characters) -> int:
        kind, value = node
        if kind in _SINGLE or kind in (_constants.AT, _constants.GROUPREF, _constants.FAILURE):
            return 1
        if kind is GROUP:
            return self.sequence(list(value[3]), (flags | value[1]) & ~value[2], follow)
        if kind is _constants.ATOMIC_GROUP:
            return self.sequence(list(value), flags, follow)
        if kind in _LOOKING:
            width = min(int(value[1].getwidth()[1]), len(self.text))
            return min(self.sequence(list(value[1]), flags, self.everything) * (width + 1), _MOST)
        if kind is _constants.BRANCH:
            return self.branch([list(part) for part in value[1]], flags, follow)
        if kind is _constants.GROUPREF_EXISTS:
            arms = [list(value[1]), list(value[2] or ())]
            return sum(self.sequence(arm, flags, follow) for arm in arms)
        if kind in _REPEATS:
            return self.repeat(value[0], value[1], list(value[2]), flags, follow)
        raise _Unbounded

    def branch(self, arms: list[list[Node]], flags: int, follow: Characters) -> int:
        ways = [self.sequence(arm, flags, follow) for arm in arms]
        seen: Characters = frozenset()
        for arm in arms:
            first, empty = self.first_of(arm, flags)
            if empty or first & seen:
                return sum(ways)
            seen |= first
        return max(ways, default=1)  # the first character tells which arm it is

    def repeat(self, least: int, most: int, body: list[Node], flags: int, follow: Characters) -> int:
        first, empty = self.first_of(body, flags)
        inside = self.sequence(body, flags, first | follow)
        times = min(int(most), max(self.run(self.anywhere(body, flags)), int(least)) + 1)
        ends = 1 if not empty and not first & follow else max(times - int(least), 0) + 1
        if inside == 1:
            return min(ends * max(int(least), 1), _MOST) if empty else ends
        return min(ends * inside**times, _MOST) if times < 64 else _MOST

    def first(self, node: Node, flags: int) -> tuple[Characters, bool]:
        """The characters with which this node may begin, and whether it may match nothing."""
        kind, value = node
        if kind in _SINGLE:
            return self.characters(node, flags), False
        if kind in (_constants.AT, _constants.FAILURE):
            return frozenset(), True
        if kind is GROUP:
            return self.first_of(list(value[3]), (flags | value[1]) & ~value[2])
        if kind is _constants.ATOMIC_GROUP:
            return self.first_of(list(value), flags)
        if kind is _constants.BRANCH:
            arms = [self.first_of(list(part), flags) for part in value[1]]
            return frozenset().union(*(first for first, _ in arms)), any(empty for _, empty in arms)
        if kind in _REPEATS:
            first, empty = self.first_of(list(value[2]), flags)
            return first, empty or value[0] == 0
        return self.everything, True

    def anywhere(self, nodes: list[Node], flags: int) -> Characters:
        """The characters of what these nodes match."""
        found: Characters = frozenset()
        for node in nodes:
            kind, value = node
            if kind in _SINGLE:
                found |= self.characters(node, flags)
            elif kind is GROUP:
                found |= self.anywhere(list(value[3]), (flags | value[1]) & ~value[2])
            elif kind is _constants.ATOMIC_GROUP:
                found |= self.anywhere(list(value), flags)
            elif kind is _constants.BRANCH:
                found = found.union(*(self.anywhere(list(part), flags) for part in value[1]))
            elif kind in _REPEATS:
                found |= self.anywhere(list(value[2]), flags)
            elif kind is not _constants.AT and kind is not _constants.FAILURE and kind not in _LOOKING:
                return self.everything
        return found

    def first_of(self, nodes: list[Node], flags: int) -> tuple[Characters, bool]:
        found: Characters = frozenset()
        for node in nodes:
            first, empty = self.first(node, flags)
            found |= first
            if not empty:
                return found, False
        return found, True

    def characters(self, node: Node, flags: int) -> Characters:
        """The characters of the text, by their numbers, that this node matches."""
        single = _compiler.compile(_parser.SubPattern(self.state, [node]), flags)
        return frozenset(at for at, char in enumerate(self.alphabet) if single.fullmatch(char))
