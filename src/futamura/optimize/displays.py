"""What is put into a new container step by step is in it when it is made.

    A: d = dict "a", v1; jump B                 A: jump B                          ...
    B: dict_put d, "b", v2; ...          ->     B: d = dict "a", v1, "b", v2       d = {'a': x, 'b': y}

    xs = list v1; list_append xs, v2     ->     xs = list v1, v2                   xs = [x, y]

The container is made where the first thing is put into it, with that in it; then where the next one is, and so on, as
long as nothing else uses it before.  It stays in the loop and the region where it was made.  Sets stay as they are: a
display of constants may show them in another order than items that were added.

Invariant: until then nobody else has the container; keys that are hashed later than they were, or in front of others,
are scalars, which run nothing; things are put in in the order in which they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from futamura.ir.facts import SCALARS
from futamura.ir.graph import Operation, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.wayplaces import WayPlaces

__all__ = ["RULES", "displays", "has_displays"]

_PUTS: Final = {
    ("dict_put", 0): ("dict", (1, 2)),
    ("setitem", 1): ("dict", (2, 0)),
    ("list_append", 0): ("list", (1,)),
}
"""By the operation and the place of the container in it: its type, and where that stands which is put into it."""
RULES: Final = ("items", "appended")
"""What is counted by `FlowGraph.fire`."""
_DISPLAYS: Final = frozenset({"dict", "list"})
_PUTTING: Final = frozenset({"dict_put", "setitem", "list_append", "call"})


class _Use(NamedTuple):
    """A use of a container: where, and what is put into it, if that is all."""

    place: int
    at: int
    op: Operation | None = None
    items: tuple[Value, ...] = ()
    method: int | None = None
    """The id of the `getattr` that is not needed either if the container is made with these."""


def has_displays(graph: FlowGraph) -> bool:
    """Is there a new container, and something that is put into one?"""
    names = {op.name for _, node in graph.nodes() for op in node.ops}
    return not names.isdisjoint(_DISPLAYS) and not names.isdisjoint(_PUTTING)


def displays(graph: FlowGraph, inference: Inference) -> bool:
    """Make containers with what is put into them first; did anything change?"""
    merging = _Merging(graph, inference)
    gone: set[int] = set()
    moved: dict[int, Operation] = {}
    """By the id of the operation whose place it takes."""
    for value, (at, op) in merging.made.items():
        taken = merging.taken(value, at, op)
        if taken:
            args = [item for use in taken for item in use.items]
            gone.add(op.id)
            gone.update(use.op.id for use in taken if use.op is not None)
            gone.update(use.method for use in taken if use.method is not None)
            last = taken[-1].op
            assert last is not None
            moved[last.id] = op._replace(args=(*op.args, *args))
            graph.fire("items", sum(use.method is None for use in taken))
            graph.fire("appended", sum(use.method is not None for use in taken))
    for _, node in graph.nodes() if moved else ():
        node.ops = [moved.get(op.id, op) for op in node.ops if op.id not in gone or op.id in moved]
    return bool(moved)


class _Merging:
    """The new containers of a function, and how they are used."""

    def __init__(self, graph: FlowGraph, inference: Inference) -> None:
        self._inference: Final = inference
        self._places: Final = WayPlaces(graph)
        self.made: Final = {
            op.results[0]: (at, op)
            for at, node in graph.nodes()
            if at in inference.reached
            for op in node.ops
            if op.name in _DISPLAYS and not (isinstance(op.attr, tuple) and any(op.attr)) and self._runs_nothing(op)
        }
        """With the block of each."""
        self._uses: Final[dict[Value, list[_Use]]] = {value: [] for value in self.made}
        self._appends: Final = self._calls_of_append(graph)
        self._methods: Final = {method.id for method in self._appends.values()}
        for at, node in graph.nodes():
            place = self._places.of_block(at)
            for position, op in enumerate(node.ops):
                self._collect(place, position, op)
            self._use(end_uses(node.end._replace(edges=())), place, len(node.ops))
            for number, edge in enumerate(node.end.edges):
                self._use(edge.args, self._places.of_edge(at, number), len(node.ops))
            if node.handler is not None:
                self._use(node.handler.args, at, -1)

    def taken(self, value: Value, at: int, op: Operation) -> list[_Use]:
        """What is put into a container first, in order, and may be in it when it is made."""
        here = self._places.of_block(at)
        uses = sorted(self._uses[value], key=lambda use: (self._places.preorder(use.place), use.at))
        taken: list[_Use] = []
        for use in uses:
            if not use.items or not self._places.is_above(use.place, uses[-1].place):
                break
            if use.place != here and not self._places.is_fitting(here, use.place):
                break
            if op.name == "dict" and not self._is_hashed_silently(use):
                break
            taken.append(use)
        return taken

    def _runs_nothing(self, op: Operation) -> bool:
        fact = self._inference.fact(op)
        return not (fact.raises or fact.effects.calls or fact.effects.writes or fact.effects.suspends)

    def _is_hashed_silently(self, use: _Use) -> bool:
        assert use.op is not None
        shapes = self._inference.operands.get(use.op.id)
        return shapes is not None and shapes[use.op.args.index(use.items[0])].type in SCALARS

    def _calls_of_append(self, graph: FlowGraph) -> dict[int, Operation]:
        """By the id of the call that puts something into one of the lists: the `getattr` of what it calls."""
        methods = {
            op.results[0]: op
            for _, node in graph.nodes()
            for op in node.ops
            if (op.name, op.attr) == ("getattr", "append") and self._is(op.args[0], "list")
        }
        if not methods:
            return {}
        uses = Counter(arg for _, node in graph.nodes() for op in node.ops for arg in op.args)
        for _, node in graph.nodes():
            uses.update(end_uses(node.end))
            uses.update(() if node.handler is None else node.handler.args)
        return {
            op.id: methods[op.args[0]]
            for _, node in graph.nodes()
            for op in node.ops
            if op.name == "call" and op.attr is None and len(op.args) == 2 and op.args[0] in methods
            if uses[op.args[0]] == 1 and not uses[op.results[0]] and op.args[1] != methods[op.args[0]].args[0]
        }

    def _collect(self, place: int, at: int, op: Operation) -> None:
        """The uses of containers in an operation."""
        method = self._appends.get(op.id)
        if method is not None:
            self._uses[method.args[0]].append(_Use(place, at, op, op.args[1:], method.id))
        if op.id in self._methods:
            return
        for number, arg in enumerate(op.args):
            if arg in self._uses:
                kind, items = _PUTS.get((op.name, number), ("", ()))
                if self._is(arg, kind) and op.args.count(arg) == 1:
                    self._uses[arg].append(_Use(place, at, op, tuple([op.args[item] for item in items])))
                else:
                    self._uses[arg].append(_Use(place, at))

    def _is(self, value: Value, name: str) -> bool:
        return value in self.made and self.made[value][1].name == name

    def _use(self, values: Iterable[Value], place: int, at: int) -> None:
        for value in values:
            if value in self._uses:
                self._uses[value].append(_Use(place, at))
