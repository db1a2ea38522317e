"""In what the versions of one block differ, and which of it selects something.

    pc = 0, 1, 2    hit = 0, 1    y = 0 or open        twelve versions of the loop that draws
    code[pc]        has selected from a static list: `pc` decides; what `hit` and `y` are has selected nothing so far

Invariant: nothing is changed here; what decides is a hint, and only that.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from futamura.specializer.keys import REPEATED, Choices, Key, NoKey
from futamura.specializer.residual import Version
from futamura.specializer.values import AbstractValue, Known, token_key

__all__ = ["apart_without", "deciding_places", "key_of", "values_of"]

_Keyed: TypeAlias = tuple[dict[int, object], tuple[object, ...]]


def values_of(choices: Choices, siblings: Sequence[Version]) -> dict[object, int]:
    """How many known values each place of the keys takes among these versions."""
    found: dict[object, set[object]] = {}
    for scalars, key in _keys_of(choices, siblings):
        choices.work += len(key) // REPEATED
        for at, place in scalars.items():
            found.setdefault(place, set()).add(key[at])
    return {place: len(values) for place, values in found.items()}


def apart_without(choices: Choices, siblings: Sequence[Version], places: Collection[object]) -> int:
    """How many of these versions would be told apart without the values of these places."""
    found: set[tuple[object, ...]] = set()
    for scalars, key in _keys_of(choices, siblings):
        found.add(tuple([None if scalars.get(at) in places else token for at, token in enumerate(key)]))
    return len(found)


def deciding_places(
    siblings: Sequence[Version], places: Collection[object], decided: Collection[int], least: int = 2
) -> set[object]:
    """Those of these places of which so many values, each in some version, have selected something; `decided` has what
    `Versions.decided` has."""
    found: dict[object, set[object]] = {}

    def look(place: object, content: AbstractValue) -> None:
        if type(content) is Known and (-content.vid or id(content)) in decided and place in places:
            found.setdefault(place, set()).add(token_key(content.value))

    for version in siblings:
        for frame in version.state.frames:
            for value, content in frame.env.items():
                look((frame.facts.uid, value), content)
        for entry in version.state.heap.values():
            names = entry.names if entry.kind in ("instance", "memory") else ()
            for at, item in enumerate(entry.items):
                look((entry.site, names[at] if names else at), item)
    return {place for place, values in found.items() if len(values) >= least}


def _keys_of(choices: Choices, siblings: Sequence[Version]) -> list[_Keyed]:
    return [made for version in siblings if (made := key_of(choices, version)) is not None]


def key_of(choices: Choices, version: Version) -> _Keyed | None:
    """The places of the known values in the key of a version's state, and this key; None if it has none now."""
    if version.scalars is not None:
        assert isinstance(version.key, tuple)
        return version.scalars, version.key
    try:
        made = Key(choices, version.state)
    except NoKey:
        return None  # it has left the keys, which are computed anew
    return made.scalars, made.tokens
