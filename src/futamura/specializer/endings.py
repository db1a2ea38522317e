"""Why an attempt to specialize ends before its time."""

from __future__ import annotations

from typing import Final

__all__ = ["OutOfTime", "OverBudget", "Restart"]


class Restart(Exception):
    """What was assumed about the source turned out wrong; the better knowledge is recorded, start again.

    If it stands in `Learned` sets alone, what was done before the first question about it stands.
    """

    def __init__(self, reason: str, whole: bool = False) -> None:
        super().__init__(reason)
        self.whole: Final = whole


class OverBudget(Exception):
    """A budget ran out: specialize again with a coarser key."""


class OutOfTime(Exception):
    """The time that the user set is over: no second attempt."""
