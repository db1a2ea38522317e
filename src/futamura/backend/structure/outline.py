"""Stretches of a function that become local functions, where CPython's limits leave no other way.

    for a in x:                          def _inner1(s, y):
        ... (ten more loops)                 for k in y:
            for k in y:           ->             s += k
                s += k                       return s
                                         for a in x:
                                             ... (ten more loops)
                                                 s = _inner1(s, y)
Variables go in as parameters and come back as results (lambda lifting), so that all others stay fast locals.
A call costs about 50 ns, so loops are taken that lie deep and hold many more.

Invariant: a stretch holds no return, no yield and no jump to outside of it, and the names of all its variables are
known.  A variable without a value is read nowhere, so None may be passed for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from futamura.backend.structure.gate import nested_blocks
from futamura.backend.structure.tree import (
    Break,
    Call,
    Continue,
    FlagTest,
    For,
    Guarded,
    If,
    Initial,
    Outlined,
    Plain,
    SetFlag,
    Suite,
    While,
    With,
    parts_of,
)

__all__ = ["LONG_FUNCTION", "LONG_STRETCH", "OUTLINE_DEPTH", "Names", "outline"]

OUTLINE_DEPTH = 8
"""Loops that lie so many blocks deep are taken out, if they hold too many blocks for the limit."""
LONG_FUNCTION = 20_000
"""A function with more lines is split: CPython's compiler slows down beyond."""
LONG_STRETCH = 4_000
"""... into stretches of about so many lines."""

Names: TypeAlias = Callable[[object], tuple[Iterable[str], Iterable[str], bool]]
"""Which local variables an opaque part reads and which it writes, and whether it must stay in the function.

It must if it returns, yields, deletes a variable, or touches one that a nested function captures.
"""


@dataclass(slots=True)
class _Uses:
    """How often each variable is read and written.  `fixed`: something must stay in its function."""

    reads: Counter[str] = field(default_factory=Counter)
    writes: Counter[str] = field(default_factory=Counter)
    fixed: bool = False


def outline(
    suite: Suite, names: Names, parameters: Iterable[str], fresh: Callable[[str], str], block_limit: int
) -> Suite:
    """The function body `suite` with what is too deep or too long in local functions, as far as that is possible.

    `parameters`: the variables that have a value when the function starts.  The suite is changed in place.
    """
    outliner = _Outliner(names, fresh, block_limit)
    body = outliner.function(suite, frozenset(parameters), ())
    return [*outliner.made, *body]


class _Outliner:
    def __init__(self, names: Names, fresh: Callable[[str], str], block_limit: int) -> None:
        self.names = names
        self.fresh = fresh
        self.block_limit = block_limit
        self.made: list[Outlined] = []
        self._parts: dict[int, tuple[object, Iterable[str], Iterable[str], bool]] = {}
        """What `names` says of opaque parts, by their identity; this keeps them alive."""
        self._wholes: dict[int, _Uses] = {}
        """How often all of a suite uses each variable, as long as nothing is taken out."""

    def function(self, suite: Suite, bound: frozenset[str], results: tuple[str, ...]) -> Suite:
        """Outline in the body of one function, which starts with the values of `bound` and returns `results`."""
        calls: list[Call] = []
        if _lines(suite) > LONG_FUNCTION:
            suite = self._split(suite, results, calls)
        if nested_blocks(suite)[0] > self.block_limit:
            self._deep(suite, results, calls)
        unset = tuple(sorted({name for call in calls for name in call.parameters} - bound))
        return [Initial(unset), *suite] if unset else suite

    def _deep(self, top: Suite, results: tuple[str, ...], calls: list[Call]) -> None:
        work = [(top, 0, False)]
        while work:
            current, depth, watched = work.pop()
            for place, statement in enumerate(current):
                if depth >= OUTLINE_DEPTH and isinstance(statement, (While, For)):
                    if depth + nested_blocks([statement])[0] > self.block_limit:
                        call = self._take(top, [statement], results, True, watched)
                        if call is not None:
                            calls.append(call)
                            current[place] = call
                            continue
                inner = depth + isinstance(statement, (While, For, Guarded, With))
                watches = watched or isinstance(statement, (Guarded, With))
                work.extend([(part, inner, watches) for part in parts_of(statement)])

    def _split(self, suite: Suite, results: tuple[str, ...], calls: list[Call]) -> Suite:
        """Take out long stretches of the body's own statements."""
        split: Suite = []
        stretch: Suite = []
        length = 0
        for statement in [*suite, None]:
            if statement is not None and not self._uses([statement]).fixed:
                stretch.append(statement)
                length += _lines([statement])
                if length < LONG_STRETCH:
                    continue
                statement = None
            call = self._take(suite, stretch, results, False) if length >= LONG_STRETCH // 4 else None
            if call is not None:
                calls.append(call)
                split.append(call)
            else:
                split.extend(stretch)
            if statement is not None:
                split.append(statement)
            stretch, length = [], 0
        return split

    def _take(
        self, top: Suite, stretch: Suite, results: tuple[str, ...], repeated: bool, watched: bool = False
    ) -> Call | None:
        """Make a local function of `stretch`; gives the call that stands for it.

        `repeated`: it stands in a loop, so that it may read what it wrote before.
        `watched`: a handler or a clean-up around it could see variables that change before an exception.
        """
        inside = self._uses(stretch)
        if inside.fixed:
            return None
        whole = self._wholes.get(id(top))
        if whole is None:
            whole = self._wholes[id(top)] = self._uses(top)
        own: Counter[str] = Counter() if repeated else inside.reads
        kept = tuple(
            name for name in sorted(inside.writes) if whole.reads[name] + results.count(name) > own[name]
        )
        if watched and kept:
            return None
        given = tuple(sorted(set(inside.reads) | set(kept)))
        name = self.fresh("inner")
        body = self.function(list(stretch), frozenset(given), kept)
        self._wholes.clear()
        self.made.append(Outlined(name, given, kept, body))
        return Call(name, given, kept)

    def _uses(self, suite: Suite) -> _Uses:
        uses = _Uses()
        for part in _opaque(suite, uses):
            found = self._parts.get(id(part))
            if found is None:
                found = self._parts[id(part)] = (part, *self.names(part))
            _, reads, writes, fixed = found
            uses.fixed = uses.fixed or fixed
            uses.reads.update(reads)
            uses.writes.update(writes)
        return uses


def _opaque(suite: Suite, uses: _Uses) -> Iterator[object]:
    """All opaque parts; flags and calls are counted at once.  Jumps to outside of `suite` make it fixed."""
    work: list[tuple[Suite, bool]] = [(suite, False)]
    while work:
        current, in_loop = work.pop()
        for statement in current:
            match statement:
                case Plain(part):
                    yield part
                case SetFlag(name):
                    uses.writes[name] += 1
                case Break() | Continue():
                    uses.fixed = uses.fixed or not in_loop
                case Call(_, parameters, results):
                    uses.reads.update(parameters)
                    uses.writes.update(results)
                case If(condition) | While(condition):
                    if isinstance(condition, FlagTest):
                        uses.reads[condition.name] += 1
                    elif condition is not None:
                        yield condition
                case For(target, iterator):
                    yield target
                    yield iterator
                case With(header):
                    yield header
                case Guarded(_, handlers):
                    yield from [handler.header for handler in handlers]
            if isinstance(statement, (While, For)):
                work.append((statement.body, True))
                work.append((statement.orelse, in_loop))
            else:
                work.extend([(part, in_loop) for part in parts_of(statement)])


def _lines(suite: Suite) -> int:
    count = 0
    work = [suite]
    while work:
        current = work.pop()
        count += len(current)
        for statement in current:
            work.extend(parts_of(statement))
    return count
