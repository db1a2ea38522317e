"""What the structurer gives: nested statements, ready to print.

Invariant: executing the tree from top to bottom, as Python does, runs the opaque statements of the shape
in the order of its control-flow graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "Break", "Continue", "FlagTest", "For", "Guarded", "Handler", "If", "Plain", "SetFlag", "Statement", "Suite",
    "While", "With",
]


@dataclass(slots=True)
class Plain:
    """One opaque statement of the shape."""

    statement: object


@dataclass(slots=True)
class SetFlag:
    """`name = value`: an exit flag or a dispatcher's state."""

    name: str
    value: int


@dataclass(slots=True, frozen=True)
class FlagTest:
    """A condition on a flag or state: `name == value`, `name < value`, or its truth (operator "truth")."""

    name: str
    operator: str = "truth"
    value: int = 0


@dataclass(slots=True)
class If:
    condition: object  # opaque, or a FlagTest
    then: Suite
    orelse: Suite = field(default_factory=list)
    negated: bool = False


@dataclass(slots=True)
class While:
    """`condition` None: `while True`."""

    condition: object | None
    body: Suite
    orelse: Suite = field(default_factory=list)
    negated: bool = False


@dataclass(slots=True)
class For:
    target: object
    iterator: object
    body: Suite
    orelse: Suite = field(default_factory=list)


@dataclass(slots=True)
class Handler:
    header: object
    body: Suite


@dataclass(slots=True)
class Guarded:
    """try / except / else / finally."""

    body: Suite
    handlers: list[Handler] = field(default_factory=list)
    orelse: Suite = field(default_factory=list)
    final: Suite = field(default_factory=list)


@dataclass(slots=True)
class With:
    header: object
    body: Suite


@dataclass(slots=True)
class Break:
    pass


@dataclass(slots=True)
class Continue:
    pass


Statement: TypeAlias = Plain | SetFlag | If | While | For | Guarded | With | Break | Continue
Suite: TypeAlias = list[Statement]
