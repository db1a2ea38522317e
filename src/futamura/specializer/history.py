"""The way back: to what the version table and the machine were before some run, when what is learned changes only what
came after it.

    runs 1 2 3 ... 40, a loop turns out dynamic, whose header run 31 asked about first
    ->   the versions as they were behind run 28, and on from there

A checkpoint copies what is small; of a version it keeps the fields that it had, when they are changed for the first
time after the checkpoint.  Numbers of residual values, objects and ages are never given twice, so that tables of these
need no way back.
Invariant: `Versions` calls `History.before` before it changes a version, and what a version holds never changes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Generic, TypeAlias, TypeVar

from futamura.specializer.facts import FunctionFacts
from futamura.specializer.knowledge import Knowledge
from futamura.specializer.residual import ResidualBlock, Summary, Version
from futamura.specializer.state import State

__all__ = [
    "Groups", "History", "Restore", "copied", "copied_dicts", "copied_set", "copied_sets", "copied_summaries",
    "shortened",
]  # fmt: skip

Key = TypeVar("Key")
Value = TypeVar("Value")
Inner = TypeVar("Inner")

CLOSEST: Final = 16
"""Source blocks executed between two checkpoints, at least."""
SHARE: Final = 16
"""The more there is to copy, the farther apart they are: copying costs one part in so many."""
MOST: Final = 32
"""Of more checkpoints every second one of the older half is dropped."""

Restore: TypeAlias = Callable[[], None]
"""Brings back what was copied."""

Fields: TypeAlias = (
    "tuple[object, dict[int, object] | None, State, ResidualBlock, bool, Version | None, int,"
    " dict[tuple[int, int], FunctionFacts]]"
)


@dataclass(slots=True)
class _Checkpoint:
    moment: int
    steps: int
    """How many source blocks were executed."""
    count: int
    """How many versions there were."""
    restore: list[Restore]
    changed: dict[Version, Fields] = field(default_factory=dict)
    """What the versions held that were changed after this checkpoint and before the next one."""


class History:
    """The checkpoints of one specialization, oldest first."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge: Final = knowledge
        self._checkpoints: Final[list[_Checkpoint]] = []
        self._next = 0

    def due(self, steps: int) -> bool:
        return steps >= self._next

    def keep(self, steps: int, count: int, size: int, restore: list[Restore]) -> None:
        """A checkpoint: `restore` brings back what was copied, which was `size` entries; there are `count` versions."""
        if len(self._checkpoints) >= MOST:
            self._thin()
        now = self._knowledge.now
        self._checkpoints.append(_Checkpoint(now, steps, count, restore))
        self._next = steps + CLOSEST + (size + now // 4) // SHARE

    def before(self, version: Version) -> None:
        """This version is about to change."""
        if self._checkpoints:
            changed = self._checkpoints[-1].changed
            if version not in changed:
                changed[version] = (
                    version.key, version.scalars, version.state, version.root, version.queued, version.forward,
                    version.runs, version.executed,
                )  # fmt: skip

    def rewind(self, first: int) -> int | None:
        """Undo run `first` and all behind it: the number of versions that are left, or None if nothing would be."""
        checkpoints = self._checkpoints
        if not checkpoints or checkpoints[0].moment >= first:
            return None
        while True:
            found = checkpoints.pop()
            for version, fields in found.changed.items():
                (
                    version.key, version.scalars, version.state, version.root, version.queued, version.forward,
                    version.runs, version.executed,
                ) = fields  # fmt: skip
            if found.moment < first:
                break
        for restore in found.restore:
            restore()
        self._knowledge.rewind(found.moment)
        self._next = found.steps
        return found.count

    def _thin(self) -> None:
        """The older of two neighbours takes over what the other one, which is dropped, has kept."""
        kept: list[_Checkpoint] = []
        half = len(self._checkpoints) // 2
        for at, checkpoint in enumerate(self._checkpoints):
            if at < half and at % 2:
                into = kept[-1].changed
                for version, fields in checkpoint.changed.items():
                    into.setdefault(version, fields)
            else:
                kept.append(checkpoint)
        self._checkpoints[:] = kept


class Groups(Generic[Key, Value]):
    """Ordered sets of values by a key, which only grow: the way back is a log of what was added."""

    __slots__ = ("_groups", "_log")

    def __init__(self) -> None:
        self._groups: Final[dict[Key, dict[Value, None]]] = {}
        self._log: Final[list[tuple[Key, Value]]] = []

    def of(self, key: Key) -> Mapping[Value, None]:
        return self._groups.get(key, {})

    def add(self, key: Key, value: Value) -> Mapping[Value, None]:
        """The values of the key, with this one."""
        group = self._groups.setdefault(key, {})
        if value not in group:
            group[value] = None
            self._log.append((key, value))
        return group

    def items(self) -> Iterable[tuple[Key, Mapping[Value, None]]]:
        return self._groups.items()

    def clear(self) -> None:
        self._groups.clear()
        self._log.clear()

    def checkpoint(self) -> Restore:
        size = len(self._log)

        def restore() -> None:
            while len(self._log) > size:
                key, value = self._log.pop()
                del self._groups[key][value]
                if not self._groups[key]:
                    del self._groups[key]

        return restore


def copied(target: dict[Key, Value]) -> Restore:
    """Brings back the entries that this dict has now."""
    entries = dict(target)

    def restore() -> None:
        target.clear()
        target.update(entries)

    return restore


def copied_set(target: set[Key]) -> Restore:
    """The same for a set."""
    items = set(target)

    def restore() -> None:
        target.clear()
        target.update(items)

    return restore


def copied_sets(target: dict[Key, set[Value]]) -> Restore:
    """The same for a dict of sets."""
    entries = {key: set(inner) for key, inner in target.items()}

    def restore() -> None:
        target.clear()
        target.update(entries)

    return restore


def copied_dicts(target: dict[Key, dict[Inner, Value]]) -> Restore:
    """The same for a dict of dicts."""
    entries = {key: dict(inner) for key, inner in target.items()}

    def restore() -> None:
        target.clear()
        target.update(entries)

    return restore


def shortened(target: dict[Key, Value]) -> Restore:
    """Takes away from this dict, which only grows, what will have been added."""
    size = len(target)

    def restore() -> None:
        while len(target) > size:
            target.popitem()

    return restore


def copied_summaries(target: dict[int, Summary]) -> Restore:
    """Brings back what is known now of the residual functions that there are now."""
    entries = [
        (key, summary, summary.returned, summary.raised, summary.watched, len(summary.callers))
        for key, summary in target.items()
    ]

    def restore() -> None:
        target.clear()
        for key, summary, returned, raised, watched, callers in entries:
            target[key] = summary
            summary.returned, summary.raised, summary.watched = returned, raised, watched
            while len(summary.callers) > callers:
                summary.callers.popitem()

    return restore
