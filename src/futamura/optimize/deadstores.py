"""Dead stores: what is stored into a private list and stored over before anybody reads it.

    setitem v4, v1, v2; v5 = add v4, 1; setitem v5, v1, v2        the first one goes
    setitem v4, v1, v2; v5 = getitem v1, v3; setitem v5, v1, v2   stays: v3 may be v2

Backwards over the graph: a place is dead where every way leads to a store to it, or out of the function, before any
read that may be of it.  Nothing is said of a place before the value that it is counted from is made.  A store that may
raise stays, so that the first one to a place does; behind a load from the same place it cannot, as long as the list's
length is fixed.

Invariant: the lists are private (`private.py`), so that no call reads them.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.graph import Value
from futamura.ir.liveness import end_uses
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.places import Place, Places

__all__ = ["RULES", "dead_stores"]

RULES: Final = ("dead store",)
"""What is counted by `FlowGraph.fire`."""

_FEW: Final = 256
"""With more places only what happens within blocks is looked at."""


def dead_stores(graph: FlowGraph, inference: Inference) -> bool:
    """Take dead stores away; did anything change?"""
    lists = {value for value, mine in inference.private.items() if mine.length is not None and not mine.iterated}
    if not lists:
        return False
    search = _Search(graph, inference, lists)
    return search.run() if search.places else False


class _Search:
    """The places of one function that are dead, block by block."""

    def __init__(self, graph: FlowGraph, inference: Inference, lists: set[Value]) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._lists: Final = lists
        self._places: Final = Places(inference)
        self._order: Final = [at for at in inference.layout.order if at in inference.reached]
        self._read_by: Final = {
            op.args[at]
            for node in (graph.node(one) for one in self._order)
            for op in node.ops
            for at in range(len(op.args))
            if op.name == "mul" and op.args[at] in lists
        }
        self.places: Final = self._stored()
        """The places that are stored to."""

        self._bases: Final = frozenset([place.base for place in self.places])

    def _stored(self) -> frozenset[Place]:
        found: set[Place] = set()
        for at in self._order:
            for op in self._graph.node(at).ops:
                place = self._places.of(op) if op.name == "setitem" else None
                if place is not None and place.list in self._lists and place.list not in self._read_by:
                    found.add(place)
        return frozenset(found)

    def run(self) -> bool:
        few = len(self.places) <= _FEW
        before: dict[int, frozenset[Place]] = dict.fromkeys(self._order, self.places if few else frozenset())
        changed = few
        while changed:
            changed = False
            for at in reversed(self._order):
                new = self._through(at, before, None)
                if new != before[at]:
                    before[at] = new
                    changed = True
        removed = False
        for at in self._order:
            gone: set[int] = set()
            self._through(at, before, gone)
            node = self._graph.node(at)
            node.ops = [op for op in node.ops if op.id not in gone]
            removed = removed or bool(gone)
            self._graph.fire("dead store", len(gone))
        return removed

    def _through(self, at: int, before: dict[int, frozenset[Place]], gone: set[int] | None) -> frozenset[Place]:
        """The places that are dead where a block begins; with `gone` the stores that are dead in it."""
        node = self._graph.node(at)
        dead = self._behind(node, before)
        handled = before.get(node.handler.target, frozenset()) if node.handler is not None else None
        safe = self._safe(node) if gone is not None else frozenset()
        for op in reversed(node.ops):
            place = self._places.of(op)
            if op.name == "setitem" and place is not None and place.list in self._lists:
                if gone is not None and place in dead and op.id in safe:
                    gone.add(op.id)
                    continue
                if place in self.places:
                    dead |= {place}
            elif place is not None and place.list in self._lists:
                dead = frozenset([other for other in dead if self._places.apart(place, other)])
                dead = self._without(dead, op.results)
            else:
                dead = self._unread(self._without(dead, op.results), op.args)
            if handled is not None and self._inference.fact(op).raises:
                dead &= handled
        dead = self._without(dead, tuple(node.params))
        return dead if node.handler is None else self._unread(dead, node.handler.args)

    def _without(self, dead: frozenset[Place], made: tuple[Value, ...]) -> frozenset[Place]:
        """What is still about the same places before these values are made."""
        if self._bases.isdisjoint(made):
            return dead
        return frozenset([place for place in dead if place.base not in made])

    def _behind(self, node: Node, before: dict[int, frozenset[Place]]) -> frozenset[Place]:
        dead = self.places
        for edge in node.end.edges:
            dead &= before.get(edge.target, frozenset())
        if node.handler is not None:
            dead &= before.get(node.handler.target, frozenset())
        return self._unread(dead, tuple(end_uses(node.end)))

    def _unread(self, dead: frozenset[Place], used: tuple[Value, ...]) -> frozenset[Place]:
        """What is still dead before these values are read at a place that is not known, as a whole, or leave."""
        read = self._lists.intersection(used)
        return frozenset([place for place in dead if place.list not in read]) if read else dead

    def _safe(self, node: Node) -> frozenset[int]:
        """The stores of a block that cannot raise: to places that it reached before, or within the bounds."""
        found: set[int] = set()
        reached: set[Place] = set()
        for op in node.ops:
            place = self._places.of(op)
            if place is not None and place.list in self._lists:
                if op.name == "setitem" and (place in reached or not self._inference.fact(op).raises):
                    found.add(op.id)
                reached.add(place)
        return frozenset(found)
