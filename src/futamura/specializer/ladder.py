"""The ladder of a specialization: each rung tells less apart, and the last is the original function.

    auto     copies of code for known values, as the policy has it
             many operations that fold little: `none` is tried, and taken if it leaves much less
    none     no known value tells copies apart
    -        the original, with the reason recorded

Invariant: it always ends, and what ends it is said by an event.
"""

from __future__ import annotations

from typing import Final, Protocol

from futamura.ir.verify import VerificationError
from futamura.specializer.machine import OutOfTime, OverBudget, Unsupported
from futamura.specializer.outcome import COUNTED, Outcome
from futamura.specializer.policy import Event, Polyvariance

__all__ = ["Run", "descend"]

_EXPLODED: Final = 1_500
"""Fewer residual operations than this are a program that a person can read."""
_FOR_EACH: Final = 6
"""Fewer for each operation of the sources are no explosion but a long program."""
_MUCH_SMALLER: Final = 4


class Run(Protocol):
    """One specialization, which may be started again on another rung."""

    @property
    def name(self) -> str: ...
    @property
    def open(self) -> tuple[str, ...]: ...
    @property
    def events(self) -> list[Event]: ...
    def outcome(self, polyvariance: str) -> Outcome: ...
    def unsupported(self, reason: Unsupported) -> Event: ...
    def is_trial(self) -> bool: ...
    def operations(self) -> int:
        """How many operations the sources have that were looked at."""
        ...


def descend(run: Run, polyvariance: Polyvariance, *, trial: bool = False) -> Outcome | None:
    """The outcome of the first rung on which something comes out; without a program if nothing does.  None if it is a
    trial in which something was guessed, and the first rung is none."""
    for rung in (polyvariance, "none"):
        try:
            found = run.outcome(rung)
            return _plainer(run, found) if rung == "auto" and _has_exploded(run, found) else found
        except OverBudget as over:
            if trial and run.is_trial():
                return None
            run.events.append(Event("FT401", str(over)))
        except OutOfTime as late:
            run.events.append(Event("FT411", f"{run.name}: {late}: the original code is used"))
            break
        except Unsupported as reason:
            run.events.append(run.unsupported(reason))
            break
        except VerificationError as broken:
            text = f"the residual code was not well-formed ({broken}): the original code is used"
            run.events.append(Event("FT901", text))
            break
        except RecursionError:
            run.events.append(Event("FT405", "nesting of data or calls is too deep: the original code is used"))
            break
    else:
        run.events.append(Event("FT410", f"{run.name} did not settle: the original code is used"))
    return Outcome(None, run.open, events=tuple(run.events), stats=dict.fromkeys(COUNTED, 0))


def _has_exploded(run: Run, found: Outcome) -> bool:
    """Do copies of the code leave more than they fold, out of all proportion to the program?"""
    left: int = found.stats["left"]
    folded: int = found.stats["folded"]
    return left > _EXPLODED and left > folded and left > _FOR_EACH * run.operations()


def _plainer(run: Run, found: Outcome) -> Outcome:
    """The outcome without copies for known values, if that is much smaller."""
    count = len(run.events)
    try:
        plain = run.outcome("none")
    except (OverBudget, OutOfTime, Unsupported, VerificationError, RecursionError):
        plain = found
    left = found.stats["left"]
    if plain.stats["left"] * _MUCH_SMALLER > left:
        del run.events[count:]
        return found
    reason = f"{run.name}: {left} operations in copies that fold {found.stats['folded']}: known values make no copies"
    plain.events = (*plain.events, Event("FT401", reason))
    return plain
