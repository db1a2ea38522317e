"""What runs in place of a residual, where what it believes may be wrong by now, or is not so in this call.

    scaled = specialize(counter.scaled)        scaled(3)        `force` is left out, and counter.k is known
                                               scaled(3, 10)    another residual, in which `force` is open: it stores
                                                                counter.k, so from now on it runs in any case

A residual and all that run in its place have one flag: it is set before anything runs that may change, or give away,
what one of them believes of static objects.

Invariant: once the flag is set, the residual itself does not run any more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from futamura.specializer.outcome import Outcome
from futamura.specializer.parting import HandedOver

__all__ = ["Another", "disturbs", "setting"]

_ROOM: Final = 400
"""So many calls in each other does a specialization need."""


class Another:
    """A residual that is made when it is first needed."""

    def __init__(
        self, make: Callable[[], tuple[Callable[..., Any], bool]], original: Callable[..., Any], flag: HandedOver | None
    ) -> None:
        """`make` gives it, and says whether it may change what the one in whose place it runs believes."""
        self._make: Final = make
        self._original: Final = original
        self._flag: Final = flag
        self._made: Callable[..., Any] | None = None

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        if self._made is None:
            if not _has_room():
                if self._flag is not None:
                    self._flag.now = True
                return self._original(*args, **keywords)
            self._made, changes = self._make()
            if changes and self._flag is not None:
                self._flag.now = True
        return self._made(*args, **keywords)


def setting(flag: HandedOver, function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, which may change anything: the flag is set before it runs."""

    def run(*args: Any, **keywords: Any) -> Any:
        flag.now = True
        return function(*args, **keywords)

    return run


def disturbs(other: Outcome, main: Outcome) -> bool:
    """May the program of `other` change, or give away, what that of `main` believes of static objects?"""
    if other.program is None or other.handed_over is not None or other.hides:
        return True
    if not other.unfrozen.isdisjoint(main.believed):
        return True
    return any(place[0] in main.believed for place in other.written - main.written)


def _has_room() -> bool:
    """Can so many calls be in each other still?"""
    try:
        _deep(_ROOM)
    except RecursionError:
        return False
    return True


def _deep(count: int) -> None:
    if count:
        _deep(count - 1)
