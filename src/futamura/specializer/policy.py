"""What belongs to a version's key, and when to stop: the knobs of the online specializer.

The default policy is provenance: a known value stays in the key as long as every trip around the dynamic loops
that it lives in validates it (uses it as an index, a key, or equal to a constant).  What is not in the key is
not dynamic: it stays known as long as all arrivals agree.

Every budget has a reason beside it; running over one generalizes, it never fails.
"""

from __future__ import annotations

import gc
import types
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from futamura.errors import Because, Diagnostic, diagnose
from futamura.ir.classes import is_a
from futamura.ir.graph import Span

__all__ = ["Budget", "Event", "Polyvariance", "Style", "static_size"]

Polyvariance = Literal["auto", "all", "none"]

SMALL_MODULUS: Final = 16
"""`x % m` counts as finite up to here: larger moduli are finite too, but as keys they only multiply versions."""


LENGTHY: Final = 8
"""A residual so many times longer than long has to come to an end with half of the work."""
WORTHLESS: Final = 4_000
FOLDED_FOR_EACH: Final = 2
"""More residual operations than this must have folded as many operations each, or their loops are rolled; twice as
many operations, twice as many."""

LONG: Final = 12_000
"""The longest program that is compiled whole; static inputs are not counted further than this."""

_NOT_DATA: Final = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one specialization."""

    versions_per_block: int = 40
    """More versions of one block than this, when they do not come from one varying position, are an explosion."""
    hard_versions_per_block: int = 400
    steps: int = 200_000
    """Source operations executed, before `growth` for static data."""
    work: int = 400_000
    """Values looked at to tell versions apart, over all restarts: a few seconds."""
    unrolled: int = 40_000
    """From here on, loops that run in line are rolled, those of most trips first."""
    operations: int = 20_000
    """Residual operations: beyond, code is larger than any program that a person would want unrolled."""
    long: int = 400
    """Residual operations: in a residual of more, calls that bring nothing to fold are calls of residual functions,
    unless as much folds as there is left."""
    restarts: int = 60
    depth: int = 80
    """Inlined frames on the stack."""
    seconds: float | None = None
    """Wall-clock time; None: no limit.  A residual then depends on the machine's speed, so it is off by default."""
    virtual_length: int = 512
    """Longer lists, tuples and dicts are materialized: element-wise they cost more than they fold."""

    def is_spent(self, steps: int, emitted: int, folded: int) -> bool:
        """Is it time to roll the longest loop that runs in line: does it make more code than it saves?"""
        if emitted > WORTHLESS and folded < FOLDED_FOR_EACH * emitted * min(emitted // WORTHLESS, 2):
            return True
        return steps > self.unrolled or emitted > self.operations

    def allowed_work(self, emitted: int, attempts: int) -> int:
        """What gets long has half of the work at first; after that each attempt, long or not, has its quarter."""
        return self.work // 2 if emitted > LENGTHY * self.long and not attempts else self.work

    def scaled(self, size: int) -> Budget:
        """The budget for static inputs of `size` parts: a long program is not an explosion, an endless one is."""
        more = min(size, LONG)
        return replace(
            self,
            hard_versions_per_block=self.hard_versions_per_block + 2 * more,
            steps=self.steps + 200 * more,
            work=self.work + 500 * more,
            unrolled=self.unrolled + 50 * more,
            operations=self.operations + 5 * more,
        )


def static_size(values: Iterable[object]) -> int:
    """How many references to data, and how much text, these inputs hold, up to a bound; runs no code of theirs."""
    found: dict[int, object] = {}
    work = [value for value in values if not is_a(value, _NOT_DATA)]
    size = len(work)
    while work and size < LONG:
        value = work.pop()
        if id(value) not in found:
            found[id(value)] = value
            parts = [part for part in gc.get_referents(value) if not is_a(part, _NOT_DATA)]
            size += len(parts)
            if type(value) in (str, bytes):
                size += len(value)  # type: ignore[arg-type]
            work.extend(parts)
    return min(size, LONG)


@dataclass(frozen=True, slots=True)
class Style:
    """How the classical specializers differ from the default; every choice is sound."""

    every_block: bool = False
    """Each block is a specialization point, and jumps stay; otherwise static control is followed in line."""
    trim: bool = True
    """Variables that are dead at a point are not part of its key."""
    calls: Literal["unfold", "keep"] = "unfold"
    """Direct calls with a dynamic argument: unfolded while control is static, or always a residual function."""
    loops: Literal["meet", "parameters", "variables"] = "meet"
    """At the header of a dynamic loop: what differs between arrivals becomes dynamic; or each of its parameters
    does; or each variable that the loop both reads and assigns."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the user may want to know: a fallback, a generalization, a budget's rung."""

    code: str
    reason: str
    line: int = 0
    file: str = ""
    span: Span | None = None
    because: tuple[Because, ...] = ()
    label: str = ""
    context: tuple[Because, ...] = ()
    """The calls that were being executed, innermost first."""

    def __reduce__(self) -> tuple[object, ...]:
        parts = (self.code, self.reason, self.line, self.file, self.span, self.because, self.label, self.context)
        return Event, parts

    def diagnostic(self) -> Diagnostic:
        """The event as people see it."""
        return diagnose(
            self.code, self.reason, file=self.file, place=self.span, label=self.label, because=self.because,
            context=self.context,
        )  # fmt: skip

    @staticmethod
    def of(found: Diagnostic) -> Event:
        """The refusal of a function as an event."""
        span = None if found.place is None else Span(*found.place)
        line = 0 if span is None else span.line
        return Event(found.code, found.title, line, found.file, span, found.because, found.label)
