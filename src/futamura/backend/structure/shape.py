"""What the structurer takes: a control-flow graph whose statements and conditions are opaque.

    Shape
      nodes    0: [x = 0] goto 1        1: test "x < n" -> 2 | 3
               2: [x += 1] goto 1       3: leave "return x"
      entry    0

The printer makes it from IR (statements are nested, variables are named, clean-up copies are folded); the
structurer never looks into a statement or a condition.

Extents are the lexical parts of try and with statements.  Each node lies in exactly one extent; extent 0
is the function's body.  A `Protected` statement owns the extents of its parts; an extent follows its parent.

An edge leaves the extents that do not hold its target (a manager exits, a final part runs) and enters those that do not
hold its source.  An edge between two nodes of an extent does neither: to leave a statement and to enter it again,
go through an (empty) node outside of it.  Only bodies are entered by edges; clauses and final parts are entered
by exceptions, respectively by leaving the body.  A body may have several entries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "Clause",
    "Edge",
    "End",
    "Extent",
    "Falls",
    "Goto",
    "Leave",
    "Next",
    "Node",
    "Protected",
    "Shape",
    "Test",
]


@dataclass(slots=True)
class Edge:
    """A way to the node `target`; `moves` are opaque statements that run on the way, in the extent of the source."""

    target: int
    moves: tuple[object, ...] = ()


@dataclass(slots=True)
class Goto:
    edge: Edge


@dataclass(slots=True)
class Test:
    """Two ways by an opaque condition; a tree may ask for its negation."""

    condition: object
    then: Edge
    orelse: Edge


@dataclass(slots=True)
class Next:
    """`for target in iterator`: both opaque; `done` is taken when the iterator is exhausted.

    The iterator is an expression without effect (a variable that holds an iterator).  It may be an iterable that is
    evaluated anew on each entry if the node has no statements and
    - a single edge leads to it, or no way leads from it back to itself: it is evaluated whenever control comes; or
    - it is the header of a natural loop (it dominates all sources of ways back to it) with one other edge to it, `body`
      in the loop and `done` not: that becomes `for target in iterator`.
    """

    target: object
    iterator: object
    body: Edge
    done: Edge
    varies: bool = False
    """Is the iterator another one on some trips around the loop?  Then no `for` statement makes these trips."""


@dataclass(slots=True)
class Leave:
    """`statement` never goes on: return or raise.  None: never reached."""

    statement: object | None


@dataclass(slots=True)
class Falls:
    """The end of a `finally` part: control goes where it was going."""


End: TypeAlias = Goto | Test | Next | Leave | Falls


@dataclass(slots=True)
class Node:
    id: int
    statements: list[object]
    end: End
    extent: int = 0


@dataclass(slots=True)
class Extent:
    """kind: "function", "body" (of try or with), "clause" (one except clause), "final"."""

    id: int
    parent: int
    kind: str
    statement: int = -1


@dataclass(slots=True)
class Clause:
    """`header` is opaque: the exception classes and the name.  `entry` is the clause's first node."""

    header: object
    extent: int
    entry: int


@dataclass(slots=True)
class Protected:
    """One try or with statement.

    kind "try": `clauses`; "finally": `final_entry` in `final_extent`; "with": `header` is the opaque list of
    items, and `swallowed` is the node where control goes on if the manager swallows an exception (-1: it never does).
    """

    id: int
    kind: str
    body_extent: int
    header: object = None
    clauses: list[Clause] = field(default_factory=list)
    final_extent: int = -1
    final_entry: int = -1
    swallowed: int = -1


@dataclass(slots=True)
class Shape:
    nodes: dict[int, Node]
    entry: int
    extents: list[Extent] = field(default_factory=lambda: [Extent(0, -1, "function")])
    statements: list[Protected] = field(default_factory=list)
