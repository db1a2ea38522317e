"""Nested statements whose jumps still carry labels: what `nesting.py` makes and `lowering.py` resolves.

    [Scope 5 [Cond c [a, Jump 5] [Jump 5]], b, Exit return]     is     if c: a
                                                                       b
                                                                       return
A sequence is a list.  Control falls from a `Scope` to the element behind it; a jump to the scope's label goes there
too.  Every other element but plain statements ends its sequence, or is followed by where it falls to.

Invariant: a jump lies inside of the scope or loop that has its label.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from futamura.backend.structure.graph import Vertex
from futamura.backend.structure.tree import Plain, SetFlag

__all__ = [
    "NOWHERE",
    "RETURNS",
    "Cond",
    "Element",
    "Exit",
    "Jump",
    "Loop",
    "Managed",
    "Scope",
    "Sequence",
    "Take",
    "Try",
]

NOWHERE = -1
"""No label."""
RETURNS = -2
"""The label of the end of the function, where falling off returns None."""


@dataclass(slots=True)
class Jump:
    """`clone` is a short vertex to repeat here if jumping would need a flag."""

    label: int
    clone: Vertex | None = None


@dataclass(slots=True)
class Exit:
    """A return or raise; None: control never comes here."""

    statement: object | None


@dataclass(slots=True)
class Cond:
    condition: object
    then: Sequence = field(default_factory=list)
    orelse: Sequence = field(default_factory=list)


@dataclass(slots=True)
class Take:
    """The next item of an iterator, not as a loop; falls to the element behind it, or to `done`, which must leave."""

    target: object
    iterator: object
    done: Sequence = field(default_factory=list)


@dataclass(slots=True)
class Loop:
    """`data` is the condition, or (target, iterator).  `exits` counts the jumps from inside to labels outside."""

    label: int
    place: tuple[int, int]  # the region that the quality gate may dispatch: (extent, header)
    kind: Literal["forever", "while", "for"]
    data: object = None
    negated: bool = False
    body: Sequence = field(default_factory=list)
    done: Sequence = field(default_factory=list)
    exits: dict[int, int] = field(default_factory=dict)
    clones: dict[int, Vertex] = field(default_factory=dict)  # of exits that may be repeated instead


@dataclass(slots=True)
class Scope:
    """`far` counts the jumps to `label` that do not stand where control falls there anyway."""

    label: int
    place: tuple[int, int]
    body: Sequence = field(default_factory=list)
    far: int = 0


@dataclass(slots=True)
class Try:
    handlers: list[tuple[object, Sequence]] = field(default_factory=list)
    body: Sequence = field(default_factory=list)
    orelse: Sequence = field(default_factory=list)
    final: Sequence = field(default_factory=list)


@dataclass(slots=True)
class Managed:
    """A with statement; if the manager swallows, control falls to the element behind it, a jump to `swallowed`."""

    header: object
    swallowed: int
    body: Sequence = field(default_factory=list)


Element: TypeAlias = Plain | SetFlag | Jump | Exit | Cond | Take | Loop | Scope | Try | Managed
Sequence: TypeAlias = list[Element]
