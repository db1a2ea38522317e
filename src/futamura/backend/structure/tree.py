"""What the structurer gives: nested statements, ready to print.

An empty suite is printed as `pass`.  `orelse` with one `If` in it is an `elif`.
Invariant: executing the tree from top to bottom, as Python does, runs the opaque statements of the shape
in the order of its control-flow graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "Break",
    "Call",
    "Continue",
    "FlagTest",
    "For",
    "Guarded",
    "Handler",
    "If",
    "Initial",
    "Outlined",
    "Plain",
    "SetFlag",
    "Statement",
    "Suite",
    "While",
    "With",
    "has_jump",
    "parts_of",
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
    waits: bool = False
    """Is it an `async for`?"""


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


@dataclass(slots=True)
class Outlined:
    """`def name(parameters): body; return results`: a stretch of the function that became a local function."""

    name: str
    parameters: tuple[str, ...]
    results: tuple[str, ...]
    body: Suite


@dataclass(slots=True)
class Call:
    """`results = name(parameters)`: the place from which the stretch was taken."""

    name: str
    parameters: tuple[str, ...]
    results: tuple[str, ...]


@dataclass(slots=True)
class Initial:
    """`a = b = None`: variables that a `Call` passes although they may have no value yet, which nobody reads then."""

    names: tuple[str, ...]


Statement: TypeAlias = (
    Plain | SetFlag | If | While | For | Guarded | With | Break | Continue | Outlined | Call | Initial
)
Suite: TypeAlias = list[Statement]


def parts_of(statement: Statement) -> list[Suite]:
    """The suites of a compound statement, in order; a stretch that became a local function is no part of this one."""
    match statement:
        case If(_, then, orelse):
            return [then, orelse]
        case While(_, body, orelse) | For(_, _, body, orelse):
            return [body, orelse]
        case With(_, body):
            return [body]
        case Guarded(body, handlers, orelse, final):
            return [body, *(handler.body for handler in handlers), orelse, final]
    return []


def has_jump(suite: Suite, kinds: type | tuple[type, ...]) -> bool:
    """Does a `break` or `continue` of these kinds stand here that belongs to the loop whose body this is?"""
    work = [suite]
    while work:
        for statement in work.pop():
            if isinstance(statement, kinds):
                return True
            work.extend([statement.orelse] if isinstance(statement, (While, For)) else parts_of(statement))
    return False
