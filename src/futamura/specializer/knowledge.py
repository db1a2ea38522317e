"""What is learned during a specialization, and when each question about it was first asked.

    run 7 asks whether the loop's header is dynamic: no           headers.no == {header: 7}
    run 30 finds that it is, and starts again                     everything before run 7 would come out the same:
                                                                  `answers_change()` is 7, and runs 1 to 6 are kept

A `Learned` set remembers when an item was first asked for, by the number of the version's run.  Whoever asks without
`in` uses `absent`; `has` is for those on whom nothing depends.
Invariant: the runs before the one that `answers_change` gives came out as they would with what is known now.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final, Generic, TypeVar

__all__ = ["Knowledge", "Learned"]

Item = TypeVar("Item")


class Knowledge:
    """All that is learned, and the number of the run that is under way (0: none yet)."""

    def __init__(self) -> None:
        self.now = 0
        self._sets: Final[list[Learned[object]]] = []

    def learned(self, found: Learned[Item]) -> Learned[Item]:
        self._sets.append(found)  # type: ignore[arg-type]  # the items are only compared
        return found

    def answers_change(self) -> int | None:
        """The first run that asked something whose answer is another one now; None if there is none."""
        moments = [moment for one in self._sets if (moment := one.answers_change()) is not None]
        return min(moments, default=None)

    def start(self) -> None:
        """Nothing is done, and nothing asked; what is known is known from the start."""
        self.rewind(-1)
        self.now = 0

    def rewind(self, moment: int) -> None:
        """The runs after `moment` are undone; what they found out is kept, unless it was cleared."""
        self.now = moment
        for one in self._sets:
            one.rewind(moment)


class Learned(Generic[Item]):
    """A set of what was learned.  What is added stays, until all of it is cleared."""

    __slots__ = ("_added", "_cleared", "_knowledge", "_no", "_yes")

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge: Final = knowledge
        self._added: dict[Item, int] = {}
        """With the run that added it; 0: it is known from the start."""
        self._cleared: dict[Item, int] = {}
        self._no: dict[Item, int] = {}
        self._yes: dict[Item, int] = {}
        knowledge.learned(self)

    def __contains__(self, item: Item) -> bool:
        if item in self._added:
            if item not in self._yes:
                self._yes[item] = self._knowledge.now
            return True
        if item not in self._no:
            self._no[item] = self._knowledge.now
        return False

    def __len__(self) -> int:
        return len(self._added)

    def known(self) -> Mapping[Item, int]:
        """What is known now, for those who ask so often that they look by themselves whether to ask."""
        return self._added

    def has(self, item: Item) -> bool:
        """Is `item` known, without that anything depends on the answer?"""
        return item in self._added

    def was_missed(self, item: Item) -> bool:
        """Did anybody ask for `item` before it was known?"""
        return item in self._no

    def came_late(self) -> bool:
        """Was something found out in the course of the runs that stand?"""
        return any(self._added.values())

    def absent(self, items: Iterable[Item]) -> set[Item]:
        """Those of these items that are not known."""
        return {item for item in items if item not in self}

    def add(self, item: Item) -> None:
        self._added.setdefault(item, self._knowledge.now)

    def learn(self, item: Item) -> bool:
        """Add `item`: did anybody who asked before hear that it is not known?"""
        if item in self._added:
            return False
        self.add(item)
        return self.was_missed(item)

    def update(self, items: Iterable[Item]) -> None:
        for item in items:
            self.add(item)

    def clear(self, kept: Collection[Item] = ()) -> None:
        """Forget all but these, before starting again: what the runs that stand have found comes back with them."""
        for item, moment in list(self._added.items()):
            if item not in kept:
                self._cleared.setdefault(item, moment)
                del self._added[item]

    def answers_change(self) -> int | None:
        moments = [self._no[item] for item in self._added if item in self._no]
        moments += [self._yes[item] for item, moment in self._cleared.items() if not moment and item in self._yes]
        return min(moments, default=None)

    def rewind(self, moment: int) -> None:
        back = {item: added for item, added in self._cleared.items() if 0 < added <= moment}
        self._added = {item: added if added <= moment else 0 for item, added in self._added.items()}
        for item, added in back.items():
            self._added.setdefault(item, added)
        self._cleared = {}
        self._no = {item: asked for item, asked in self._no.items() if asked <= moment}
        self._yes = {item: asked for item, asked in self._yes.items() if asked <= moment}
