"""Who must be looked at again when something new is known: the blocks that use a value, by what branches tell of it.

    b0(v0): v1 = lt v0, 10; branch v1 -> b1 | b2      b1: ... v0 ...; jump b3      b2: ... v0 ...      b3: ... v0 ...

`b1` and `b2` see v0 as the branch leaves it to them: each begins a scope for v0, in which all that it dominates is.  So
the v0 in b1 is not the v0 in b3, and what is known of either has its own users.

Invariant: a block that reads what is known of a value, by name or through a condition, is a user of it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Final, TypeVar

from futamura.ir.graph import Operation, Value
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.layout import Layout
from futamura.optimize.private import Private
from futamura.optimize.refining import Conditions

__all__ = ["Dependents", "Worklist"]

_NO_SCOPES: Final[dict[Value, int]] = {}


class Dependents:
    """The scopes of one function, and the users of its values in them."""

    def __init__(
        self,
        graph: FlowGraph,
        layout: Layout,
        conditions: Conditions,
        definitions: dict[Value, Operation],
        private: dict[Value, Private],
    ) -> None:
        self._graph: Final = graph
        self._definitions: Final = definitions
        self.opened: Final[dict[int, tuple[Value, ...]]] = {}
        """For a block that begins scopes: the values that they are of."""
        self._scopes: Final[dict[int, dict[Value, int]]] = {}
        self.users: Final[dict[Value, list[int]]] = {}
        """The users of a value outside of scopes of it."""
        self.inside: Final[dict[tuple[int, Value], list[int]]] = {}
        """The users of a value within the scope that a block begins, by block and value."""
        self.lists: Final[dict[Value, list[int]]] = {}
        """The blocks with operations on a private list."""
        self.appends: Final = {call: value for value, mine in private.items() for call in mine.appends}
        """By the id of a call of `append`: its private list."""
        self._resolve(layout, conditions)
        steps = {end: value for value, mine in private.items() for end in mine.steps}
        for at in layout.order if private else ():
            node = graph.node(at)
            touched = [value for op in node.ops for value in (*op.args, *op.results, self.appends.get(op.id, -1))]
            for value in (*touched, steps.get(node.end.id, -1)):
                if value in private and (found := self.lists.setdefault(value, []))[-1:] != [at]:
                    found.append(at)

    def scopes(self, at: int) -> dict[Value, int]:
        """For the values used in a block that have a scope there: the block that begins it."""
        return self._scopes.get(at, _NO_SCOPES)

    def _resolve(self, layout: Layout, conditions: Conditions) -> None:
        current: dict[Value, int] = {}
        undo: list[list[tuple[Value, int | None]]] = []
        count = len(self._graph.blocks)
        for entering, at in layout.walk():
            if not entering:
                for value, old in undo.pop()[::-1]:
                    if old is None:
                        del current[value]
                    else:
                        current[value] = old
                continue
            undo.append([])
            if at >= count:  # the tail of a split block
                continue
            node = self._graph.node(at)
            ways = layout.entering[at]
            if len(ways) == 1:
                source, number = ways[0]
                told = conditions.told(self._graph.node(source), number)
                for value in told:
                    self._use(value, at, current)  # it is looked at as it was before
                if told:
                    self.opened[at] = told
                for value in told:
                    undo[-1].append((value, current.get(value)))
                    current[value] = at
            scopes = {}
            for value in self._used(node, conditions):
                scope = self._use(value, at, current)
                if scope is not None:
                    scopes[value] = scope
            if scopes:
                self._scopes[at] = scopes
            for value in self._called(node, conditions):
                _add(self.users, value, at)

    def _use(self, value: Value, at: int, current: dict[Value, int]) -> int | None:
        scope = current.get(value)
        if scope is None:
            _add(self.users, value, at)
        else:
            _add(self.inside, (scope, value), at)
        return scope

    def _used(self, node: Node, conditions: Conditions) -> Iterator[Value]:
        """What a visit of a block looks at, as it is known there."""
        for op in node.ops:
            yield from op.args
            name = op.operator.name
            if name == "call" or name == "getitem":
                made = self._definitions.get(op.args[name == "getitem"])
                if made is not None and made.name in ("getattr", "slice"):  # a method is told by its owner
                    yield from made.args
        end = node.end
        yield from end.args
        for edge in node.edges():
            yield from edge.args
        if end.name in ("branch", "switch"):
            for number in range(len(end.edges)):
                yield from conditions.told(node, number)
        elif end.name == "next":
            for source in self._iterated(end.args[0]):
                yield source
                called = self._definitions.get(source)
                yield from called.args if called is not None else ()

    def _iterated(self, iterator: Value) -> tuple[Value, ...]:
        made = self._definitions.get(iterator)
        return () if made is None else made.args

    def _called(self, node: Node, conditions: Conditions) -> Iterator[Value]:
        """What a visit looks at to tell which function or class it is, wherever it stands."""
        for op in node.ops:
            if op.operator.name == "call":
                yield op.args[0]
                if len(op.args) == 3:
                    yield op.args[2]
                    made = self._definitions.get(op.args[2])
                    if made is not None and made.name == "tuple":  # isinstance(x, (A, B))
                        yield from made.args
        yield from conditions.called(node)
        if node.end.name == "next":
            for source in self._iterated(node.end.args[0]):
                called = self._definitions.get(source)
                yield from called.args[:1] if called is not None else ()


_Key = TypeVar("_Key")


def _add(users: dict[_Key, list[int]], key: _Key, at: int) -> None:
    found = users.get(key)
    if found is None:
        users[key] = [at]
    elif found[-1] != at:
        found.append(at)


class Worklist:
    """Blocks to look at, those that come first in an order first."""

    def __init__(self, order: list[int]) -> None:
        self._order: Final = order
        self._position: Final = {at: position for position, at in enumerate(order)}
        self._heap: Final[list[int]] = []
        self._waiting: Final[set[int]] = set()

    def add(self, at: int) -> None:
        if at not in self._waiting:
            self._waiting.add(at)
            heapq.heappush(self._heap, self._position[at])

    def take(self) -> int | None:
        """The next block; None if there is none."""
        if not self._heap:
            return None
        at = self._order[heapq.heappop(self._heap)]
        self._waiting.discard(at)
        return at
