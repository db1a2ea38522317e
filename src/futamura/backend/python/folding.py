"""Clean-up copies fold back: `finally` and `with` are one piece of code again.

    r: B -> c1: F -> after        c2: F -> return v        H: F; reraise
    ->  finally statement with body r and final part H; r: B -> after, B -> return v

A copy folds if it is the same graph as the handler's copy: operator for operator, with the same operands from outside.
A statement whose copies differ stays as plain try/except with the copies where they are.

Invariant: after folding, an edge that left an extent through a copy leads where the copy led.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from futamura.backend.python.draft import Draft, DraftNode
from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.ops import TERMINATORS

__all__ = ["Folded", "fold"]


@dataclass(slots=True)
class Folded:
    """A try region as a statement: kind "try", "finally" or "with".

    With: `leaving` is the exit that `with_enter` gave, `swallowed` the node where control goes on if the
    manager swallows an exception.
    """

    region: int
    kind: str
    handler: int
    leaving: Value = -1
    swallowed: int = -1


def fold(draft: Draft) -> dict[int, Folded]:
    """Fold what can be folded, innermost statements first; every try region with a handler gets an entry."""
    function = draft.function
    found: dict[int, Folded] = {}
    order = sorted(
        (region for region in function.regions if region.kind == "try" and region.handler in draft.nodes),
        key=lambda region: (-len(function.region_path(region.id)), region.id),
    )
    for region in order:
        if region.handler not in draft.nodes:
            continue
        folder = _Folder(draft, region.id, draft.nodes[region.handler])
        if region.flavor == "finally" and folder.fold_finally():
            found[region.id] = Folded(region.id, "finally", region.handler)
        elif region.flavor == "with" and (made := folder.fold_with()) is not None:
            found[region.id] = made
        else:
            found[region.id] = Folded(region.id, "try", region.handler)
        draft.prune()
    return {
        number: folded
        for number, folded in sorted(found.items())
        if folded.handler in draft.nodes or folded.kind == "with"
    }


class _Folder:
    def __init__(self, draft: Draft, region: int, handler: DraftNode) -> None:
        self.draft: Final = draft
        self.region: Final = region
        self.handler: Final = handler
        self.paths: Final = [frozenset(draft.function.region_path(r.id)) for r in draft.function.regions]

    def _inside(self, node: DraftNode, region: int) -> bool:
        return region in self.paths[node.region]

    def _copies(self) -> list[int]:
        return [r.id for r in self.draft.function.regions if r.kind == "copy" and r.of == self.region]

    def _ways_in(self, region: int) -> Iterator[tuple[DraftNode, int]]:
        """The edges that enter a region: (node, position)."""
        for node in self.draft.nodes.values():
            if self._inside(node, region):
                continue
            for at, edge in enumerate(node.end.edges):
                if self._inside(self.draft.nodes[edge.target], region):
                    yield node, at

    # -- finally

    def fold_finally(self) -> bool:
        ways: list[tuple[DraftNode, int, Edge]] = []
        for copy in self._copies():
            entering = list(self._ways_in(copy))
            entries = {node.end.edges[at].target for node, at in entering}
            if not entering:
                continue
            if len(entries) != 1:
                return False
            entry = self.draft.nodes[entries.pop()]
            same = _Isomorphism(self.draft, self, copy)
            if not same.compare(self.handler, entry):
                return False
            for node, at in entering:
                passed = dict(zip(entry.params, node.end.edges[at].args, strict=True))
                target = self._continued(same, passed)
                if target is None:
                    return False
                ways.append((node, at, target))
        if not self._only_reraised():
            return False
        for node, at, target in ways:
            edges = list(node.end.edges)
            edges[at] = target
            node.end = node.end._replace(edges=tuple(edges))
        return True

    def _continued(self, same: _Isomorphism, passed: dict[Value, Value]) -> Edge | None:
        """Where a way through the copy goes on, in terms of values from before it."""
        if same.exit is None:
            end = self.handler.end._replace(kind=TERMINATORS["unreachable"], args=(), edges=(), attr=None)
            parent = self.draft.function.regions[self.region].parent
            return Edge(self.draft.new_node(end, parent).id)
        args = []
        for arg in same.exit.args:
            if arg in same.inner and arg not in passed:
                return None
            args.append(passed.get(arg, arg))
        return Edge(same.exit.target, tuple(args))

    def _only_reraised(self) -> bool:
        """The handler's exception is used by `reraise` only."""
        exception = self.handler.params[0]
        for node in self.draft.nodes.values():
            if any(exception in item.args for item in node.items):
                return False
            if exception in node.end.args and node.end.name != "reraise":
                return False
            edges = [*node.end.edges, *([node.handler] if node.handler is not None else [])]
            if any(exception in edge.args for edge in edges):
                return False
        return len(self.handler.params) == 1

    # -- with

    def fold_with(self) -> Folded | None:
        handler = self.handler
        draft = self.draft
        if len(handler.items) != 2 or handler.end.name != "branch" or len(handler.params) != 1:
            return None
        unwind, truth = handler.items
        again = draft.nodes[handler.end.edges[1].target]
        if unwind.name != "with_unwind" or truth.name != "truth" or truth.args != unwind.results:
            return None
        if unwind.args[1] != handler.params[0] or handler.end.args != truth.results:
            return None
        if again.items or again.params or again.end.name != "reraise" or again.end.args != (handler.params[0],):
            return None
        leaving = unwind.args[0]
        opener = self._opener(leaving)
        ways = self._exits(leaving)
        if opener is None or ways is None:
            return None
        swallow = handler.end.edges[0]
        parent = draft.function.regions[self.region].parent
        landing = draft.new_node(handler.end._replace(kind=TERMINATORS["jump"], args=(), edges=(swallow,)), parent)
        landing.handler = opener.handler
        for node, at, target in ways:
            edges = list(node.end.edges)
            edges[at] = target
            node.end = node.end._replace(edges=tuple(edges))
        for node in draft.nodes.values():
            if node.handler is not None and node.handler.target == handler.id:
                node.handler = Edge(landing.id)
        return Folded(self.region, "with", handler.id, leaving, landing.id)

    def _opener(self, leaving: Value) -> DraftNode | None:
        """The node that enters the manager last, and then the statement's body."""
        counts = self.draft.predecessors()
        for node in self.draft.nodes.values():
            if node.items and node.items[-1].name == "with_enter" and node.items[-1].results[0] == leaving:
                entered = self.draft.nodes[node.end.edges[0].target] if node.end.name == "jump" else None
                if entered is not None and counts[entered.id] == 1 and self._inside(entered, self.region):
                    return node
        return None

    def _exits(self, leaving: Value) -> list[tuple[DraftNode, int, Edge]] | None:
        """The ways out that call the exit once and go on; None if the exit is used in any other way."""
        ways: list[tuple[DraftNode, int, Edge]] = []
        accounted = 0
        for copy in self._copies():
            for node, at in self._ways_in(copy):
                entry = self.draft.nodes[node.end.edges[at].target]
                if len(entry.items) != 1 or entry.items[0].name != "with_exit" or entry.items[0].args != (leaving,):
                    return None
                if entry.end.name != "jump":
                    return None
                passed = dict(zip(entry.params, node.end.edges[at].args, strict=True))
                after = entry.end.edges[0]
                ways.append((node, at, Edge(after.target, tuple(passed.get(arg, arg) for arg in after.args))))
        for node in self.draft.nodes.values():
            accounted += sum(
                1 for item in node.items if leaving in item.args and item.name not in ("with_exit", "with_unwind")
            )
        return ways if not accounted else None


class _Isomorphism:
    """Compares the handler's copy of a clean-up with another one."""

    def __init__(self, draft: Draft, folder: _Folder, copy: int) -> None:
        self.draft: Final = draft
        self.folder: Final = folder
        self.copy: Final = copy
        self.exit: Edge | None = None
        self.inner: set[Value] = set()
        self._values: dict[Value, Value] = {}
        self._nodes: dict[int, int] = {}

    def compare(self, left: DraftNode, right: DraftNode) -> bool:
        """Is `left` (the handler, its exception parameter aside) the same code as `right`?"""
        self._nodes[left.id] = right.id
        work = [(left, right)]
        self.inner.update(right.params)
        while work:
            a, b = work.pop()
            if not self._items(a, b) or not self._end(a, b, work) or not self._handlers(a, b, work):
                return False
        return True

    def _items(self, a: DraftNode, b: DraftNode) -> bool:
        if len(a.items) != len(b.items):
            return False
        for x, y in zip(a.items, b.items, strict=True):
            if not isinstance(x, Operation) or not isinstance(y, Operation):
                return False
            if x.operator is not y.operator or x.attr != y.attr or not self._args(x.args, y.args):
                return False
            self._define(x.results, y.results)
        return True

    def _define(self, left: tuple[Value, ...] | list[Value], right: tuple[Value, ...] | list[Value]) -> None:
        self._values.update(zip(left, right))
        self.inner.update(right)

    def _args(self, left: tuple[Value, ...], right: tuple[Value, ...]) -> bool:
        return len(left) == len(right) and all(self._values.get(x, x) == y for x, y in zip(left, right, strict=True))

    def _end(self, a: DraftNode, b: DraftNode, work: list[tuple[DraftNode, DraftNode]]) -> bool:
        if a.end.name == "reraise" and a.end.args == (self.folder.handler.params[0],):
            if b.end.name != "jump" or self._is_inside(b.end.edges[0]):
                return False
            if self.exit is not None and self.exit != b.end.edges[0]:
                return False
            self.exit = b.end.edges[0]
            return True
        if a.end.kind != b.end.kind or a.end.attr != b.end.attr or not self._args(a.end.args, b.end.args):
            return False
        implicit = 1 if a.end.name == "next" else 0
        return all(
            self._edge(x, y, work, implicit if at == 0 else 0)
            for at, (x, y) in enumerate(zip(a.end.edges, b.end.edges, strict=True))
        )

    def _is_inside(self, edge: Edge) -> bool:
        return self.folder._inside(self.draft.nodes[edge.target], self.copy)

    def _edge(self, x: Edge, y: Edge, work: list[tuple[DraftNode, DraftNode]], implicit: int) -> bool:
        if not self._args(x.args, y.args):
            return False
        if not self._is_inside(y):
            return x == y
        left, right = self.draft.nodes[x.target], self.draft.nodes[y.target]
        if left.id in self._nodes:
            return self._nodes[left.id] == right.id
        if right.id in self._nodes.values() or len(left.params) != len(right.params):
            return False
        self._nodes[left.id] = right.id
        self._define(left.params, right.params)
        work.append((left, right))
        return True

    def _handlers(self, a: DraftNode, b: DraftNode, work: list[tuple[DraftNode, DraftNode]]) -> bool:
        if a.handler is None or b.handler is None:
            return a.handler is None and b.handler is None
        return self._edge(a.handler, b.handler, work, 1)
