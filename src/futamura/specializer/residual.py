"""Residual code while it grows, and its way to a frozen function.

Each version (a specialization point with a key) owns residual blocks; edges between versions are lazy: they
keep a snapshot of the state that arrived, and only at the end, when all states are final, becomes each of
them a block that materializes what must be and passes the parameters.

    version(loop header, i: Dynamic 4)  <-  snapshot(i: Known 0)      =>   jump header(const 0)

Invariant: residual values are defined once; within a version definitions dominate uses; values cross
versions only as parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from futamura.ir.graph import Span
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.merge import contents
from futamura.specializer.refinement import classes_of
from futamura.specializer.state import Extent, State
from futamura.specializer.values import AbstractValue, Dynamic

__all__ = [
    "Lazy",
    "ResidualBlock",
    "ResidualEnd",
    "ResidualOperation",
    "Summary",
    "Target",
    "Unit",
    "Version",
    "blocks_of",
    "let_go",
    "same_edge",
    "taken_along",
]


@dataclass(slots=True)
class ResidualOperation:
    name: str
    args: tuple[int, ...]
    attr: object
    results: tuple[int, ...]
    span: Span | None
    pure: bool = False
    lazy: Lazy | None = None
    """The residual function's entry that `invoke` calls."""
    where: FunctionFacts | None = None
    """The source function that `span` lies in."""
    lost: dict[int, int] = field(default_factory=dict)
    """What the caller's objects hold where the call fails, by the dynamic leaves of the summary's `raised`."""
    making: int | None = None
    """The new object that this makes or fills, and does nothing else: it goes where nobody needs that."""


@dataclass(slots=True)
class Lazy:
    """An edge to a version, with the state that arrived; `implicit` is the residual value that the edge itself
    provides (a handler's exception)."""

    version: Version
    snapshot: State
    implicit: int | None = None


Target: TypeAlias = "ResidualBlock | Lazy"


@dataclass(slots=True, eq=False)
class Summary:
    """How the calls of one residual function end, as far as it is known."""

    plain: bool
    """The result is passed as it is: the function is what the user calls."""
    returned: State | None = None
    """The result and the caller's objects behind a call: the meet of all returns; None while there is none."""
    raised: State | None = None
    """The caller's objects behind an exception."""
    watched: bool = False
    """Does a caller look at its objects behind an exception?"""
    callers: dict[Version, None] = field(default_factory=dict)


@dataclass(slots=True)
class ResidualEnd:
    name: str
    args: tuple[int, ...] = ()
    targets: tuple[Target, ...] = ()
    attr: object = None
    span: Span | None = None
    where: FunctionFacts | None = None
    leaving: tuple[Summary, State] | None = None
    """A return from a residual function: what `args` will be is matched when the summary is final."""


@dataclass(slots=True, eq=False)
class ResidualBlock:
    """`params` holds at most the item of a `next` terminator or nothing: blocks of a version see its values."""

    params: list[int] = field(default_factory=list)
    ops: list[ResidualOperation] = field(default_factory=list)
    end: ResidualEnd | None = None
    handler: Target | None = None
    """Where an exception goes: a try statement's handler, or a block that stores static objects' attributes back."""
    restored: State | None = None
    """The state of which that block stores the attributes back."""
    context: tuple[Extent, ...] | None = None
    """The regions of the operations in it that may raise; None while there are none."""
    place: tuple[Extent, ...] = ()
    """The regions around the block's first operation."""
    constants: dict[object, int] = field(default_factory=dict)
    raising: list[tuple[Summary, State]] = field(default_factory=list)
    """How exceptions leave the residual function here, if a caller looks at what they leave."""
    origin: tuple[FunctionFacts, int] | None = None
    """The source block that the arm of a branch begins with."""
    saved: int = 0
    """Nanoseconds that what has folded while code went here would take."""
    handed: bool = False
    """Has code that is not known got static objects on the way to its operations?"""
    unlikely: bool = False
    """Is this the way for values that nothing is seen to store?"""


@dataclass(slots=True, eq=False)
class Version:
    """One residual copy of a specialization point."""

    uid: int
    unit: Unit
    key: object
    state: State
    place: tuple[int, ...]
    root: ResidualBlock = field(default_factory=ResidualBlock)
    queued: bool = False
    forward: Version | None = None
    runs: int = 0
    implicit: int | None = None
    executed: dict[tuple[int, int], FunctionFacts] = field(default_factory=dict)
    """The source blocks that were executed for this version: explanations say which lines nothing remains of."""
    scalars: dict[int, object] | None = None
    """The positions of the key that hold a known value, with its place; None if the key is not its state's."""
    parent: Version | None = None
    """The version whose code first came here."""
    alike: object = None
    """At a loop's header: what it shares with those whose states are alike but for what containers hold."""

    def final(self) -> Version:
        version = self
        while version.forward is not None:
            version = version.forward
        return version


@dataclass(slots=True, eq=False)
class Unit:
    """One residual function under construction: its versions by key."""

    name: str
    table: dict[object, Version] = field(default_factory=dict)
    root: Version | None = None
    params: list[int] = field(default_factory=list)


_NOTHING: Final = ResidualBlock()


def taken_along(
    ops: list[ResidualOperation], handler: State | None, types: Mapping[int, type]
) -> list[ResidualOperation]:
    """What the operation to come reads or makes first, and may stand where that does: names, constants, and a slice or
    an exception that its handler knows nothing of.  It is taken from the end of `ops`."""
    start = len(ops)
    while start and ops[start - 1].pure and _stands_anywhere(ops[start - 1], handler, types):
        start -= 1
    taken = ops[start:]
    del ops[start:]
    return taken


def _stands_anywhere(op: ResidualOperation, handler: State | None, types: Mapping[int, type]) -> bool:
    if op.name in ("const", "global_get"):
        return True
    if op.name != "slice" and not (op.name == "call" and issubclass(types.get(op.results[0], object), BaseException)):
        return False
    held = [] if handler is None else contents(handler)
    held += [] if handler is None else [item for entry in handler.heap.values() for item in entry.items]
    return not any(type(item) is Dynamic and item.rv in op.results for item in held)


def blocks_of(version: Version) -> Iterator[ResidualBlock]:
    """The blocks of its code, each once."""
    seen: set[ResidualBlock] = set()
    work = [version.root]
    while work:
        block = work.pop()
        if block in seen:
            continue
        seen.add(block)
        yield block
        targets = () if block.end is None else block.end.targets
        work.extend(target for target in (*targets, block.handler) if isinstance(target, ResidualBlock))


def let_go(versions: Iterable[Version], unit: Unit | None = None) -> None:
    """Versions that are over, and their unit, no longer lead back to themselves: then all that they hold is freed at
    once, and no collection has to look at it."""
    for version in versions:
        version.root = _NOTHING
    if unit is not None:
        unit.table.clear()
        unit.root = None


def same_edge(old: Target | None, new: tuple[State, int, Dynamic] | None) -> bool:
    """Would an exception find the handler in the same state?"""
    if new is None or not isinstance(old, Lazy):
        return old is None and new is None
    a, b = old.snapshot, new[0]
    if (a.intact and not b.intact) or not a.owned <= b.owned:
        return False
    if old.implicit is None or len(a.frames) != len(b.frames) or a.heap != b.heap or a.overlays != b.overlays:
        return False
    for x, y in zip(a.frames, b.frames, strict=True):
        if x.block != y.block or x.index != y.index or x.extents != y.extents or x.env.keys() != y.env.keys():
            return False
        for value, content in x.env.items():
            other = y.env[value]
            fresh = type(content) is Dynamic and content.rv == old.implicit
            if content is not other and not (fresh and type(other) is Dynamic and other.rv == new[2].rv):
                return False
            if fresh and not _covers(content, other):
                return False
    return True


def _covers(caught: AbstractValue, other: AbstractValue) -> bool:
    """Is what is known of the class of one exception true of the other one, too?"""
    assert type(caught) is Dynamic and type(other) is Dynamic
    return caught.type in (None, other.type) and not classes_of(other) & ~classes_of(caught)
