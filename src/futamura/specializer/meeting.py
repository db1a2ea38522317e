"""Where ways meet: what the versions of one block differ in, and had better not.

    out = {}                                    8 ways come to the end of these two lines for three names of a schema:
    for name, default in schema:                the places of what is known on one way and open on another leave the
        out[name] = data.get(name, default)     keys, and one version is left

What differs in known values alone is kept apart: interpreters live on that.  A known value that meets an open one
mostly is a default, and doubles what follows; so does a key that a dict has on some ways only, and so do objects that
are made on some ways only (`optionals.py`).

Invariant: nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from futamura.specializer.growth import Shapes
from futamura.specializer.keys import Choices, Key, NoKey, opened
from futamura.specializer.residual import Version
from futamura.specializer.state import State
from futamura.specializer.values import Dynamic
from futamura.specializer.varied import key_of

__all__ = ["KEYWORDS", "mixed_places", "most_records", "recorded"]

MIXED: Final = 3
"""So many versions are kept apart because of values that are known in some and open in others."""
RECORDS: Final = 4
"""So many sets of keys of a dict that holds open values are kept apart."""
KEYWORDS: Final = 16
"""The same where a function that is running passes keywords on: then it is good to know which there are."""
_LAST: Final = 16
"""So many siblings are compared, half as many at loops."""


def mixed_places(
    choices: Choices, made: Key, siblings: Sequence[Version], loops: bool, doubles: bool
) -> set[object] | None:
    """The places that hold a known value in one version and a dynamic one in another that is the same otherwise, and
    should leave the keys; None if a key has to be made anew first.

    At a dynamic loop's header (`loops`) such a place varies around the loop; where ways meet, it leaves if it holds an
    amount, or if such places have made too many versions; one is too many where objects have shown that this `doubles`
    what follows, but then what may be the result of a test is kept.
    """
    tokens = choices.tokens
    amounts, most = tokens.amounts, 1 if doubles else MIXED
    if siblings and siblings[0].state.unit:
        most += 1  # an argument of a recursive function that has several values will have more
    if not (loops or amounts or len(siblings) >= most):
        return set()
    results = {tokens.value(True), tokens.value(False)} if doubles else set()
    key = made.tokens
    sure: set[object] = set()
    mixed: list[tuple[list[int], list[object]]] = []
    values: dict[int, set[object]] = {}
    for version in siblings[-_LAST // 2 :] if loops else siblings[-_LAST:]:
        other = version.key
        if not isinstance(other, tuple) or len(other) != len(key) or version.forward is not None:
            continue
        differing = opened(key, other)
        if differing is None:
            continue
        known = key_of(choices, version)
        if known is None:
            return None
        places = [made.scalars.get(at, known[0].get(at)) for at in differing]
        if loops or all(key[at] in amounts or other[at] in amounts for at in differing):
            sure.update(places)
        elif not any(key[at] in results or other[at] in results for at in differing):
            mixed.append((differing, places))
            for at in differing:
                values.setdefault(at, set()).update({key[at], other[at]})
    # One known value is a default; several are the states of a machine, of which one way leads to any.
    defaults = [places for differing, places in mixed if all(len(values[at]) == 2 for at in differing)]
    if len(defaults) >= most:
        sure.update(*defaults)
    return sure - {None}


def recorded(choices: Choices, state: State) -> tuple[tuple[object, ...], Shapes] | None:
    """The key of a state without its virtual dicts of open values, and these with their sets of keys; None if there is
    none."""
    records = {
        entry.site: entry.names
        for entry in state.heap.values()
        if entry.kind == "dict" and entry.items and all(type(item) is Dynamic for item in entry.items)
    }
    if not records:
        return None
    try:
        key = Key(choices, state, without=records)
    except NoKey:
        return None
    return key.tokens, tuple([(site, choices.tokens.value(names)) for site, names in records.items()])


def most_records(state: State) -> int:
    """How many sets of keys of dicts are kept apart where this state is."""
    return KEYWORDS if any(frame.facts.passes_keywords for frame in state.frames) else RECORDS
