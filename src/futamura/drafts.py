"""A residual program that is written as Python when somebody needs the text.

    specialize(router.match)     a draft for any `path`, and one for a `path` that is a str, which is the better one:
                                 only this one is written, and the other one when it is first called

Invariant: what a draft says of itself before it is written stays true: it is told from the program alone.  What is
written later begins its life only while all that was assumed for it is still so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from futamura.another import Later, disturbs
from futamura.optimize.effects import count_calling
from futamura.residual import Residual, counts
from futamura.specializer.outcome import Outcome

__all__ = ["Draft"]


class Draft:
    """What a specialization came to, before it is known whether it is needed."""

    def __init__(
        self,
        outcome: Outcome,
        make: Callable[[], tuple[Residual, Outcome, int]],
        original: Callable[[], Callable[..., Any]],
        *,
        doubts: bool,
    ) -> None:
        """`make` writes it, and counts the operations that are left and may run code that is not known; `original`
        gives what does without it, and may change what residuals believe.  `doubts`: may what runs in its place in some
        calls do so?"""
        self.outcome = outcome
        """How it came out; once it is written, how that came out."""
        self.doubts = doubts
        self._make = make
        self._original = original
        self._calling: int | None = None
        self._made: Residual | None = None
        self._held = False
        """Was all that was assumed still so when it was written?  What the residual compares with later, it noted
        then."""

    def finish(self) -> tuple[Residual, Outcome]:
        """The residual, and how it came out."""
        if self._made is None:
            self._held = self._holds()
            self._made, self.outcome, self._calling = self._make()
        return self._made, self.outcome

    def runs(self) -> Callable[..., Any]:
        """What does what the residual does."""
        if self._made is not None:
            return self._made
        return Later(self._late, lambda *args, **keywords: self._original()(*args, **keywords))

    def instead(self, main: Outcome) -> tuple[Callable[..., Any], bool]:
        """What runs in place of the residual that came out like `main`; may it change what that one believes?"""
        runs = self._late()
        return (self._original(), True) if runs is None else (runs, disturbs(self.outcome, main))

    def _late(self) -> Callable[..., Any] | None:
        """What runs from now on; None if something that was assumed is not so now."""
        if self._made is None and not self._holds():
            return None
        made, outcome = self.finish()
        return made if self._held and outcome.program is not None else self._original()

    def _holds(self) -> bool:
        return all(one.holds() for one in self.outcome.assumptions)

    @property
    def source(self) -> str:
        return self.finish()[0].source

    @property
    def calling(self) -> int:
        """How many operations may run code that is not known: of what is written, if it is."""
        if self._calling is None:
            self._calling = 0 if self.outcome.program is None else count_calling(self.outcome.program)
        return self._calling

    @property
    def stats(self) -> dict[str, Any]:
        outcome = self.outcome
        return {**outcome.stats, **counts(outcome.events, specialized=outcome.program is not None)}
