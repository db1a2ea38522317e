"""Constants that reading adds to: of a `defaultdict` that a module only reads, what is there stays there.

    class Schema:
        hooks = defaultdict(list, ...)     schema.hooks["load"] is believed if there is such an entry; how many entries
                                           there are, and that one is missing, is not: others may look for it

Invariant: an entry that was used is read, as contents are: a write of specialized code starts the specializer again.
"""

from __future__ import annotations

from typing import Final, Protocol

from futamura.ir.classes import is_a
from futamura.specializer.purity import MISSING, class_lookup

__all__ = ["GrowingDicts", "grows_when_read"]


class _World(Protocol):
    @property
    def read(self) -> set[int]: ...
    def gave_up(self, value: object) -> bool: ...
    def plainly_keyed(self, container: object) -> bool: ...


def grows_when_read(value: object) -> bool:
    """Is this a dict to which a look-up may add?"""
    return is_a(value, dict) and class_lookup(type(value), "__missing__") is not MISSING


class GrowingDicts:
    """The constants of a program that are such dicts."""

    def __init__(self, world: _World) -> None:
        self._world: Final = world
        self._dicts: Final[dict[int, object]] = {}

    def add(self, value: object) -> None:
        """The entries of this dict are constant, as far as the text of its module says."""
        self._dicts.setdefault(id(value), value)

    def holds(self, value: object) -> bool:
        """Is this such a dict, which nothing in sight writes?"""
        return id(value) in self._dicts and not self._world.gave_up(value)

    def reads(self, container: object, key: object) -> bool:
        """May the entry of this key be read now, and is there one?  Remembers that it was.  The key is plain."""
        if not self.holds(container) or not self._world.plainly_keyed(container):
            return False
        assert isinstance(container, dict)
        try:
            if key not in container:
                return False
        except TypeError:  # it has no hash
            return False
        self._world.read.add(id(container))
        return True
