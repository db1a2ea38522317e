r"""Groups of matches that are open, of patterns that are known: their names and number are known, their texts are not.

    found = re.compile(r"/(?P<id>\d+)").match(path)    found.groupdict()    ->    the virtual dict {"id": found["id"]}
    if found:                                          found["id"]          ->    exactly a str, and nothing raises
        return view(**found.groupdict())               found.groups()       ->    a tuple of one item

Invariant: only a value whose class is known to be `re.Match` is asked for groups, and its pattern is the one that
every search that may have made it used.  Texts are strings: what a match has found in a buffer, it reads from there
each time.  A dict of all groups that somebody looks at as a whole is made by the call, as it stood there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from futamura.specializer.backtracking import GROUP, parsed
from futamura.specializer.residual import ResidualOperation
from futamura.specializer.values import AbstractValue, Dynamic, Known, VObject

__all__ = ["MOST_GROUPS", "group_number", "is_all_groups", "pattern_of", "place_of_groups", "sure_groups"]

MOST_GROUPS: Final = 24
"""Patterns with more are taken apart by the match itself."""
_MARK: Final = "groups"


def pattern_of(found: AbstractValue) -> re.Pattern[Any] | None:
    """The pattern of texts that made this open match, if it is known."""
    shape = found.shape if type(found) is Dynamic else None
    pattern = None if shape is None else shape.pattern
    return pattern if pattern is not None and type(pattern.pattern) is str else None


def group_number(pattern: re.Pattern[Any], group: AbstractValue) -> int | None:
    """The number of a group that this pattern has; None if it is not known, or there is none."""
    if type(group) is not Known:
        return None
    if type(group.value) is str:
        return pattern.groupindex.get(group.value)
    number = group.value
    return number if type(number) is int and 0 <= number <= pattern.groups else None


@lru_cache(maxsize=256)
def sure_groups(pattern: re.Pattern[Any]) -> frozenset[int]:
    """The groups that take part in each match: those in no branch, repetition, condition or look-around."""
    found = {0}
    try:
        work = list(parsed(pattern))
    except (re.error, RecursionError):
        return frozenset(found)
    while work:
        kind, value = work.pop()
        if kind is GROUP:
            found.update([value[0]] if value[0] is not None else [])
            work += list(value[3])
    return frozenset(found)


def place_of_groups(count: int, site: object) -> tuple[object, ...]:
    """The site of the dict of all `count` groups that is made at `site`."""
    return (_MARK, count, site)


def is_all_groups(entry: VObject, origins: Mapping[int, ResidualOperation]) -> bool:
    """Does this dict, made of groups, still hold all of them, as the match has them?"""
    if type(entry.site) is not tuple or entry.site[:1] != (_MARK,) or len(entry.items) != entry.site[1]:
        return False
    reads = [origins.get(item.rv) if type(item) is Dynamic else None for item in entry.items]
    matches = {read.args[0] if read is not None and read.name == "getitem" and read.pure else -1 for read in reads}
    return len(matches) == 1 and -1 not in matches
