"""One hostile case: a function, its static inputs made fresh by a factory, and the dynamic inputs to compare on.

    Case("endless while", spin, lambda: {"n": 1})     no input: the program itself would not end; specializing it must

Invariant: the factory gives new objects each time, so what one run writes is not seen by the next.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["EFFECTS", "Case"]

EFFECTS: list[str] = []
"""What misbehaving objects did; must not grow while a program is specialized."""


@dataclass(frozen=True)
class Case:
    """`inputs` makes the positional dynamic arguments of each run."""

    name: str
    function: Any
    static: Callable[[], dict[str, Any]]
    inputs: Callable[[], list[tuple[Any, ...]]] = field(default=list)
    fresh: bool = False
    """Each input starts from static values made anew, for cases that write them."""
