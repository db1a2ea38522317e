"""Static objects that only some ways hand to code that is not known: what is believed of them elsewhere is kept.

    try:                                            try:
        return names[node.id]                           return names["a"]
    except TypeError:                       ->      except TypeError:
        return names(node)                              _handed_over.now = True
                                                        return names(_node)

Behind such a call nothing that a static object holds is believed on that way; and since that code may have kept the
object, every later call of the residual runs another one, in which nothing of it is believed anywhere.

Invariant: `is_over` is asked of the state that runs; between the runs of versions it is False.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from futamura.specializer.residual import ResidualBlock

__all__ = ["DOUBTED", "NOTHING_ASKED", "Asked", "HandedOver", "Parting"]


DOUBTED: Final = 2
_MOST_HOPES: Final = 2


class HandedOver:
    """Has a residual handed static objects to code that is not known?  `DOUBTED`: something ran, or is `running`, that
    may have changed them, and keeps none of them."""

    __slots__ = ("believed", "now", "running")

    def __init__(self) -> None:
        self.now: int = False
        self.running: Final[list[None]] = []
        self.believed: Final[list[Callable[[], bool]]] = []
        """What tells whether all still is as the residuals that ask for this believe it."""

    def doubt(self) -> None:
        self.now = self.now or DOUBTED

    def settle(self) -> bool:
        """Nothing that may change them runs, and nothing has changed: there is no doubt any more."""
        self.now = False  # before anybody looks: what begins meanwhile, in another thread, doubts again
        if self.running or not all(holds() for holds in self.believed):
            self.doubt()
            return False
        return True


class Asked(NamedTuple):
    """What a specialization may believe although it is not so in each call, or not for good."""

    defaults: Mapping[str, object]
    """What parameters are in most calls; others run another residual."""
    parts: bool
    """May later calls run another residual, once the flag says so?"""
    flag: HandedOver
    given_up: tuple[object, ...] = ()
    """Static objects that somebody else may change."""


NOTHING_ASKED: Final = Asked({}, False, HandedOver())


class Parting:
    """How far one specialization does so."""

    def __init__(self) -> None:
        self.allowed = False
        self.flag = HandedOver()
        self.given: list[object] = []
        """What was handed over, and all that it reaches."""
        self.active = False
        """Do versions run?"""
        self.used = False
        """Does the residual do so?"""
        self.tried = False
        """Has any run done so?"""
        self.handed: Final[set[tuple[str, int]]] = set()
        """The blocks, by function and number, that come behind such a call."""
        self.unlikely: Final[set[tuple[str, int]]] = set()
        """Those that only values lead to that nothing is seen to store."""
        self.sites: Final[dict[object, tuple[object, ...]]] = {}
        """What calls of the source, by their functions and places, were found to hand over in the finished residual."""
        self.unread: Final[set[int]] = set()
        """Static objects that were handed over before anything of them was read."""
        self.missed = False
        """Was one of these to be read then?"""
        self.hoped: Final[set[int]] = set()
        """Those that are not given up for it from now on: the next run hands them over on its way alone."""
        self._hopes = 0
        self._is_over: Callable[[], bool] | None = None
        self.follows = True
        """Are elements of sets followed in the finished residual, instead of taking them for handed over at once?"""
        self._followed = False

    def follow(self) -> bool:
        """May an element of a set be followed?  It is, then."""
        self._followed = self._followed or self.follows
        return self.follows

    def follow_no_more(self) -> bool:
        """Static objects get away: it may be because of that.  False if it cannot be."""
        followed, self._followed, self.follows = self._followed, False, False
        return followed

    def begin(self, is_over: Callable[[], bool]) -> None:
        """A way hands static objects over; `is_over` tells of the state that runs whether it has done so."""
        self._is_over = is_over
        self.tried = True

    def give_up(self) -> bool:
        """What was tried failed: it may be because of this.  False if it cannot be."""
        tried = self.allowed and self.begun
        if tried:
            self.allowed = False
        return tried

    def hope(self) -> set[int]:
        """What is to be believed again, as it is read behind a way that hands it over."""
        found = self.unread - self.hoped if self.missed and self.allowed and self._hopes < _MOST_HOPES else set()
        self.missed = False
        self._hopes += bool(found)
        self.hoped.update(found)
        return found

    def reset(self) -> None:
        """A new run begins."""
        self.unread.clear()
        self.missed = False
        self._is_over = None
        self._followed = False

    def assembling(self) -> None:
        """The residual's blocks get their places."""
        self.handed.clear()
        self.unlikely.clear()

    def placed(self, place: tuple[str, int], block: ResidualBlock) -> None:
        if block.handed:
            self.handed.add(place)
        if block.unlikely:
            self.unlikely.add(place)

    @property
    def begun(self) -> bool:
        return self._is_over is not None

    def is_over(self) -> bool:
        """Has the way that runs handed static objects to code that is not known?"""
        return self._is_over is not None and self.active and self._is_over()
