"""What belongs to a version's key, and when to stop: the knobs of the online specializer.

The default policy is provenance: a known value stays in the key as long as every trip around the dynamic loops
that it lives in validates it (uses it as an index, a key, or equal to a constant).  What is not in the key is
not dynamic: it stays known as long as all arrivals agree.

Every budget has a reason beside it; running over one generalizes, it never fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

__all__ = ["Budget", "Event", "Polyvariance"]

Polyvariance = Literal["auto", "all", "none"]

SMALL_MODULUS: Final = 16
"""`x % m` counts as finite up to here: larger moduli are finite too, but as keys they only multiply versions."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one specialization."""

    versions_per_block: int = 40
    """More versions of one block than this, when they do not come from one varying position, are an explosion."""
    hard_versions_per_block: int = 400
    steps: int = 200_000
    """Source operations executed, before `growth` for static data."""
    unrolled: int = 40_000
    """From here on, loops that run in line are rolled, those of most trips first."""
    operations: int = 20_000
    """Residual operations: beyond, code is larger than any program that a person would want unrolled."""
    restarts: int = 60
    depth: int = 80
    """Inlined frames on the stack."""
    virtual_length: int = 512
    """Longer lists, tuples and dicts are materialized: element-wise they cost more than they fold."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the user may want to know: a fallback, a generalization, a budget's rung."""

    code: str
    reason: str
    line: int = 0
