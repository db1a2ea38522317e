"""Clean-up copies fold back: `finally` and `with` are one piece of code again.

    r: B -> c1: F -> after        c2: F -> return v        H: F; reraise
    ->  finally statement with body r and final part H; r: B -> after, B -> return v

A copy folds if it is the same graph as the handler's copy: operator for operator, with the same operands from outside.
A statement whose copies differ stays as plain try/except with the copies where they are.  A residual program has no
copies: a `with` in it folds if all ways out of the region begin with the call of the exit.

Invariant: after folding, an edge that left an extent through a copy leads where the copy led.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from futamura.backend.python.draft import Draft, DraftNode
from futamura.ir.graph import Edge, Operation, Region, Value
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
    levels: dict[int, list[Region]] = {}
    for region in function.regions:
        if region.kind == "try" and region.handler in draft.nodes:
            levels.setdefault(len(function.region_path(region.id)), []).append(region)
    for _, regions in sorted(levels.items(), reverse=True):
        surroundings = _Surroundings(draft, [draft.nodes[r.handler] for r in regions if r.handler in draft.nodes])
        for region in regions:
            if region.handler not in draft.nodes:
                continue
            folder = _Folder(draft, region.id, draft.nodes[region.handler], surroundings)
            if region.flavor == "finally" and folder.fold_finally():
                found[region.id] = Folded(region.id, "finally", region.handler)
            elif region.flavor != "finally" and (made := folder.fold_with()) is not None:
                found[region.id] = made
            else:
                found[region.id] = Folded(region.id, "try", region.handler)
        draft.prune()
    return {
        number: folded
        for number, folded in sorted(found.items())
        if folded.handler in draft.nodes or folded.kind == "with"
    }


class _Surroundings:
    """What the statements of one nesting depth need to know of the whole graph, collected in one walk.

    Statements of one depth do not lie in each other, nor in each other's copies: folding one leaves true what is
    known for the others, but that a way in may have been led elsewhere, which `_ways_in` looks at again.
    """

    def __init__(self, draft: Draft, handlers: list[DraftNode]) -> None:
        function = draft.function
        self.paths: Final = [frozenset(function.region_path(region.id)) for region in function.regions]
        self.counts: Final = draft.predecessors()
        self.copies: Final[dict[int, list[int]]] = {}
        for region in function.regions:
            if region.kind == "copy":
                self.copies.setdefault(region.of, []).append(region.id)
        self.ways_in: Final[dict[int, list[tuple[DraftNode, int]]]] = {}
        self.ways_out: Final[dict[int, list[DraftNode]]] = {}
        """The nodes behind the edges that leave a region, one for each edge."""
        self.exits: Final[dict[Value, list[DraftNode]]] = {}
        """The nodes that call an exit function."""
        self.handled: Final[dict[int, list[DraftNode]]] = {}
        self.openers: Final[dict[Value, DraftNode]] = {}
        self.exceptions: Final = {handler.params[0] for handler in handlers if handler.params}
        self.read: Final[set[Value]] = set()
        """The exceptions that anything but `reraise` reads."""
        self.kept: Final[set[Value]] = set()
        """The exit functions that anything but `with_exit` and `with_unwind` reads."""
        for node in draft.nodes.values():
            self._note(draft, node)

    def _note(self, draft: Draft, node: DraftNode) -> None:
        here = self.paths[node.region]
        for at, edge in enumerate(node.end.edges):
            region = draft.nodes[edge.target].region
            if region != node.region:
                for entered in self.paths[region] - here:
                    self.ways_in.setdefault(entered, []).append((node, at))
                for left in here - self.paths[region]:
                    self.ways_out.setdefault(left, []).append(draft.nodes[edge.target])
        if node.items and node.items[-1].name == "with_enter":
            self.openers[node.items[-1].results[0]] = node
        for item in node.items:
            self.read.update(self.exceptions.intersection(item.args))
            if item.name == "with_exit":
                self.exits.setdefault(item.args[0], []).append(node)
            elif item.name != "with_unwind":
                self.kept.update(item.args)
        if node.end.name != "reraise":
            self.read.update(self.exceptions.intersection(node.end.args))
        for edge in node.end.edges:
            self.read.update(self.exceptions.intersection(edge.args))
        if node.handler is not None:
            self.read.update(self.exceptions.intersection(node.handler.args))
            self.handled.setdefault(node.handler.target, []).append(node)


class _Folder:
    def __init__(self, draft: Draft, region: int, handler: DraftNode, surroundings: _Surroundings) -> None:
        self.draft: Final = draft
        self.region: Final = region
        self.handler: Final = handler
        self.around: Final = surroundings

    def _inside(self, node: DraftNode, region: int) -> bool:
        return region in self.around.paths[node.region]

    def _copies(self) -> list[int]:
        return self.around.copies.get(self.region, [])

    def _ways_in(self, region: int) -> Iterator[tuple[DraftNode, int]]:
        """The edges that enter a region: (node, position)."""
        for node, at in self.around.ways_in.get(region, ()):
            if self._inside(self.draft.nodes[node.end.edges[at].target], region):
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
            target = self._continued(same, entry)
            if target is None:
                return False
            for node, at in entering:
                passed = node.end.edges[at].args if entry.params else target.args
                ways.append((node, at, target._replace(args=passed)))
        if not self._only_reraised():
            return False
        for node, at, target in ways:
            edges = list(node.end.edges)
            edges[at] = target
            node.end = node.end._replace(edges=tuple(edges))
        return True

    def _continued(self, same: _Isomorphism, entry: DraftNode) -> Edge | None:
        """Where a way through the copy that begins at `entry` goes on."""
        if same.exit is None:
            end = self.handler.end._replace(kind=TERMINATORS["unreachable"], args=(), edges=(), attr=None)
            parent = self.draft.function.regions[self.region].parent
            landing = self.draft.new_node(end, parent)
            landing.params = list(entry.params)
            return Edge(landing.id, tuple(entry.params))
        if any(arg in same.inner and arg not in entry.params for arg in same.exit.args):
            return None
        return self._landing(entry, same.exit)

    def _landing(self, entry: DraftNode, exit: Edge) -> Edge:
        """The way to `exit` without the copy; what the copy's entry got may be used anywhere behind it."""
        if not entry.params:
            return exit
        parent = self.draft.function.regions[self.region].parent
        end = self.handler.end._replace(kind=TERMINATORS["jump"], args=(), edges=(exit,), attr=None)
        landing = self.draft.new_node(end, parent)
        landing.params = list(entry.params)
        return Edge(landing.id, tuple(entry.params))

    def _only_reraised(self) -> bool:
        """The handler's exception is used by `reraise` only."""
        return len(self.handler.params) == 1 and self.handler.params[0] not in self.around.read

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
        if not self._copies():
            # What the statement raises itself finds in the outer handler what was passed to it in front of it.
            same = handler.handler == opener.handler == again.handler
            if not same or not self._drop_exits(leaving, opener):
                return None
        swallow = handler.end.edges[0]
        parent = draft.function.regions[self.region].parent
        landing = draft.new_node(handler.end._replace(kind=TERMINATORS["jump"], args=(), edges=(swallow,)), parent)
        landing.handler = opener.handler
        for node, at, target in ways:
            edges = list(node.end.edges)
            edges[at] = target
            node.end = node.end._replace(edges=tuple(edges))
        for node in self.around.handled.get(handler.id, ()):
            node.handler = Edge(landing.id)
        return Folded(self.region, "with", handler.id, leaving, landing.id)

    def _opener(self, leaving: Value) -> DraftNode | None:
        """The node that enters the manager last, and then the statement's body."""
        node = self.around.openers.get(leaving)
        if node is None or node.end.name != "jump":
            return None
        entered = self.draft.nodes[node.end.edges[0].target]
        return node if self.around.counts.get(entered.id) == 1 and self._inside(entered, self.region) else None

    def _exits(self, leaving: Value) -> list[tuple[DraftNode, int, Edge]] | None:
        """The ways out that call the exit once and go on; None if the exit is used in any other way."""
        ways: list[tuple[DraftNode, int, Edge]] = []
        landings: dict[int, Edge] = {}
        for copy in self._copies():
            for node, at in self._ways_in(copy):
                entry = self.draft.nodes[node.end.edges[at].target]
                if len(entry.items) != 1 or entry.items[0].name != "with_exit" or entry.items[0].args != (leaving,):
                    return None
                if entry.end.name != "jump":
                    return None
                if entry.id not in landings:
                    landings[entry.id] = self._landing(entry, entry.end.edges[0])
                target = landings[entry.id]
                passed = node.end.edges[at].args if entry.params else target.args
                ways.append((node, at, target._replace(args=passed)))
        return ways if leaving not in self.around.kept else None

    def _drop_exits(self, leaving: Value, opener: DraftNode) -> bool:
        """Where there are no copies: take the calls of the exit out of the nodes that all ways out lead to."""
        around = self.around
        reached = around.ways_out.get(self.region, [])
        nodes = {node.id: node for node in reached}
        calls = around.exits.get(leaving, [])
        if len(calls) != len(nodes) or any(node.id not in nodes for node in calls):
            return False
        for node in calls:
            first = node.items[0]
            if first.name != "with_exit" or first.args != (leaving,) or node.region != opener.region:
                return False
            if node.handler != opener.handler or around.counts.get(node.id) != sum(one is node for one in reached):
                return False
        for node in calls:
            del node.items[0]
        return True


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
