"""Cells that no nested function captures any more are values, and cells that nobody reads are gone.

    v1 = cell[x]; cell_set v0, v1; call v5; v6 = cell_get v1         v6 becomes v0: a call cannot reach the variable
    b1(): cell_set v2, v1; jump b3   b2(): cell_set v4, v1; jump b3   b3(): v6 = cell_get v1
        ->  b1(): jump b3(v2)   b2(): jump b3(v4)   b3(v7:x): v6 becomes v7
    v2 = function[g] v1; cell_set v2, v1, and no other use             all gone: a function that only itself would call

A variable is a cell because a nested function captures it, or because it may be unbound, or because a handler needs
what it holds in the middle of a `try`.  The first reason goes away with the nested function: then each read is the
value of the last store, brought by parameters to where several stores meet.  What a handler reads, what is deleted, and
what may be empty where it is read stays a cell.

Requires: nothing; finds more behind `inline` and `closures`.  Ensures: no cell is left that is only written.
Invariant: every read that is replaced is behind a store on every way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.cleaning import prune
from futamura.optimize.dead import alive
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.layout import Layout

__all__ = ["uncaptured"]


def uncaptured(graph: FlowGraph) -> bool:
    """Replace what need not be a cell; did anything change?"""
    changed = prune(graph)  # no read is replaced where nothing leads
    changed = _without_unused(graph) or changed
    cells = _own_cells(graph)
    if not cells:
        return changed
    layout = Layout(graph)
    replaced: dict[Value, Value] = {}
    gone: set[Value] = set()
    for cell, one in cells.items():
        if not one.reads:
            gone.add(cell)
        elif one.deletes == 0:
            live = _live(one, layout)
            if _may_be_values(graph, live, one, layout):
                _Promotion(graph, layout, one, live, replaced).run()
                gone.add(cell)
    if not gone:
        return changed
    for _, node in graph.nodes():
        node.ops = [op for op in node.ops if not _is_of(op, gone)]
    graph.replace(replaced)
    return True


def _without_unused(graph: FlowGraph) -> bool:
    """Take away the functions and cells that only each other need: what counts for nothing else is alive last."""
    needed: dict[Value, list[Value]] = {}
    work: list[Value] = []
    for _, node in graph.nodes():
        for op in node.ops:
            if op.name == "cell":
                needed.setdefault(op.results[0], []).extend(op.args)
            elif op.name == "function":
                needed[op.results[0]] = list(op.args)
            elif op.name == "cell_set":
                needed.setdefault(op.args[1], []).append(op.args[0])
            else:
                work.extend(op.args)
        work.extend(end_uses(node.end))
        work.extend(node.handler.args if node.handler is not None else ())
    if not needed:
        return False
    work.extend(graph.node(0).params)
    live = alive(work, needed)
    changed = False
    for _, node in graph.nodes():
        kept = [op for op in node.ops if _counts(op, live)]
        changed = changed or len(kept) != len(node.ops)
        node.ops = kept
    return changed


def _counts(op: Operation, live: set[Value]) -> bool:
    if op.name in ("cell", "function"):
        return op.results[0] in live
    return op.name != "cell_set" or op.args[1] in live


@dataclass(slots=True)
class _Cell:
    """The blocks in which a cell is made, stored to, read."""

    name: str
    blocks: dict[int, list[Operation]] = field(default_factory=dict)
    reads: int = 0
    deletes: int = 0


def _own_cells(graph: FlowGraph) -> dict[Value, _Cell]:
    """The cells that only this function has, with the operations on them."""
    cells = {op.results[0]: _Cell(str(op.attr)) for _, node in graph.nodes() for op in node.ops if op.name == "cell"}
    if not cells:
        return {}
    shared: set[Value] = set()
    for at, node in graph.nodes():
        for op in node.ops:
            cell = _cell_of(op)
            shared.update([arg for arg in op.args if arg in cells and (arg != cell or op.args.count(arg) > 1)])
            if cell in cells:
                one = cells[cell]
                one.blocks.setdefault(at, []).append(op)
                one.reads += op.name == "cell_get"
                one.deletes += op.name == "cell_del"
        shared.update([value for value in end_uses(node.end) if value in cells])
        if node.handler is not None:
            shared.update([value for value in node.handler.args if value in cells])
    return {cell: one for cell, one in cells.items() if cell not in shared and not (one.deletes and not one.reads)}


def _cell_of(op: Operation) -> Value:
    """The cell that an operation is about, or -1."""
    if op.name == "cell":
        return op.results[0]
    if op.name in ("cell_get", "cell_del"):
        return op.args[0]
    return op.args[1] if op.name == "cell_set" else -1


def _is_of(op: Operation, cells: set[Value]) -> bool:
    return _cell_of(op) in cells


def _live(one: _Cell, layout: Layout) -> set[int]:
    """The blocks where the value of the cell is needed when they begin."""
    live: set[int] = set()
    work = [at for at, ops in one.blocks.items() if ops[0].name == "cell_get" and at in layout.entering]
    while work:
        at = work.pop()
        if at in live:
            continue
        live.add(at)
        for source, _ in layout.entering[at]:
            if source not in one.blocks or (source not in live and one.blocks[source][0].name == "cell_get"):
                work.append(source)
    return live


def _may_be_values(graph: FlowGraph, live: set[int], one: _Cell, layout: Layout) -> bool:
    """Is there a store on every way to each read, and does no handler need one?"""
    if 0 in live:
        return False
    for at in live:
        for source, number in layout.entering[at]:
            if number == len(graph.node(source).end.edges):
                return False
            if source in one.blocks and _is_empty(one.blocks[source][-1]):
                return False
    return not any(_is_empty(a) and b.name == "cell_get" for ops in one.blocks.values() for a, b in pairwise(ops))


def _is_empty(op: Operation) -> bool:
    return op.name == "cell" and not op.args


class _Promotion:
    """One cell."""

    def __init__(
        self,
        graph: FlowGraph,
        layout: Layout,
        one: _Cell,
        live: set[int],
        replaced: dict[Value, Value],
    ) -> None:
        self._graph: Final = graph
        self._layout: Final = layout
        self._one: Final = one
        self._live: Final = live
        self._replaced: Final = replaced
        self._end: Final[dict[int, Value]] = {}
        """What the cell holds at the end of a block."""
        self._params: Final[set[int]] = set()
        """The blocks that get it as a parameter."""

    def run(self) -> None:
        for at in self._layout.order:
            if at in self._live or at in self._one.blocks:
                self._block(at)
        for at in sorted(self._params):
            for source, number in self._layout.entering[at]:
                self._pass(self._graph.node(source), number, self._end[source])

    def _block(self, at: int) -> None:
        now = self._begin(at) if at in self._live else -1
        for op in self._one.blocks.get(at, ()):
            if op.name == "cell_get":
                self._replaced[op.results[0]] = now
            else:
                now = op.args[0] if op.args else -1
        self._end[at] = now

    def _begin(self, at: int) -> Value:
        ways = self._layout.entering[at]
        node = self._graph.node(at)
        if len(ways) == 1 and self._graph.node(ways[0][0]).region == node.region:
            return self._end[ways[0][0]]
        param = self._graph.value(self._one.name)
        node.params.append(param)
        self._params.add(at)
        return param

    def _pass(self, node: Node, number: int, value: Value) -> None:
        edges = list(node.edges())
        edges[number] = Edge(edges[number].target, (*edges[number].args, value))
        self._graph.retarget(node, tuple(edges))
