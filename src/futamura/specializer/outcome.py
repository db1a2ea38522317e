"""What a specialization gives: a residual program and what was assumed for it, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from futamura.ir.graph import Program
from futamura.specializer.aliasing import Apart
from futamura.specializer.assumption import Assumption
from futamura.specializer.origins import Trace
from futamura.specializer.parting import HandedOver
from futamura.specializer.policy import Event
from futamura.specializer.programs import Point

__all__ = ["COUNTED", "Outcome"]

COUNTED: Final = ("source_blocks", "versions", "folded", "left", "restarts")
"""What `stats` counts."""


@dataclass(slots=True)
class Outcome:
    """A residual program, or None with the reason in `events`; what was assumed, and counts."""

    program: Program | None
    open: tuple[str, ...]
    assumptions: tuple[Assumption, ...] = ()
    events: tuple[Event, ...] = ()
    stats: dict[str, Any] = field(default_factory=dict)
    points: tuple[Point, ...] = ()
    """Where the residual blocks come from; only of programs that were not Python functions."""
    apart: Apart = field(default_factory=Apart)
    """Open inputs that may not be one of the static objects; the original is right for those."""
    trace: Trace | None = None
    """What became of each source line, and why."""
    declared: tuple[str, ...] = ()
    """Promises that were used, and are not tested."""
    believed: tuple[object, ...] = ()
    """The static objects of which the program believes what they hold."""
    unfrozen: frozenset[int] = frozenset()
    """Of those that it may change, or give away."""
    escaped: tuple[object, ...] = ()
    """What it gives away, whole."""
    written: frozenset[tuple[int, str]] = frozenset()
    """Attributes of static objects that it writes."""
    hides: bool = False
    """Does it store attributes on objects that are not known?"""
    given: tuple[object, ...] = ()
    """What it hands to code that may keep it, and all that this reaches, although it believes what that holds."""
    left_out: Mapping[str, object] = field(default_factory=dict)
    """What these open parameters are in the calls that the program is for."""
    handed_over: HandedOver | None = None
    """If given: once it is set, static objects may have been changed, and the program may not run any more."""
    guesses: dict[str, type] = field(default_factory=dict)
    """Classes of open inputs with which nothing might have to be given up that is known of static objects."""
    late: frozenset[str] = frozenset()
    """Globals without which one more specialization is tried, or was made (`read_late.py`)."""
    nets: tuple[float, ...] = ()
    """Nanoseconds that one call takes less than one of the original, by each guess at how often blocks run."""

    @property
    def seconds(self) -> dict[str, float]:
        """The time of each phase; part of `stats`."""
        found: dict[str, float] = self.stats.setdefault("seconds", {})
        return found

    def add_seconds(self, other: Outcome) -> None:
        """It took what the other one took, too."""
        for phase, taken in other.seconds.items():
            self.seconds[phase] = self.seconds.get(phase, 0.0) + taken
