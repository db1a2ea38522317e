"""The body of a function as blocks of another one.

    copy = splice(graph, function, cells, region, handler)
    jump copy.entry(arguments)        the blocks of `function`, its parameters those of the first one
    copy.returns                      the blocks of the copy that end with `return`

The copy lies in `region`: its own regions lie below it, and blocks outside of all its own try regions get `handler`.
Free variables are the cells of the function around it.

Invariant: every block, operation, value and region of the copy is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from futamura.ir.graph import Edge, Function, Operation, Value
from futamura.ir.ops import SUSPENDING
from futamura.optimize.flowgraph import FlowGraph, Node

__all__ = ["Copy", "may_splice", "return_to", "splice", "split"]

NOT_SPLICED = frozenset({"function", "class", "super", *SUSPENDING})
"""What says in which function it stands."""
SPLICED = 400
"""Longer functions are not copied."""


@dataclass(slots=True)
class Copy:
    """The first block, and those that return."""

    entry: int
    returns: list[int] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)


def may_splice(function: Function, module: str) -> bool:
    """Can its body stand in a function of this module?  Then it makes no functions, classes or empty variables."""
    if function.kind != "function" or function.module != module or not FlowGraph.takes(function):
        return False
    count = 0
    for op in function.operations():
        count += 1
        # An empty variable would keep its value from the last time, where the body is in a loop.
        if op.name in NOT_SPLICED or (op.name == "cell" and not op.args):
            return False
    return count <= SPLICED


def splice(graph: FlowGraph, function: Function, cells: Sequence[Value], region: int, handler: Edge | None) -> Copy:
    """Copy the body of a function that `may_splice`; nothing leads to it yet."""
    first_block, first_region = len(graph.blocks), len(graph.regions)
    for old in function.regions[1:]:
        graph.regions.append(
            old._replace(
                id=first_region + old.id - 1,
                parent=region if old.parent == 0 else first_region + old.parent - 1,
                handler=-1 if old.handler < 0 else first_block + old.handler,
                of=-1 if old.of < 0 else first_region + old.of - 1,
            )
        )
    entry = function.entry.params
    values = dict(zip(entry[len(function.signature.names) :], cells, strict=True))
    for block in function.blocks:
        for value in (*block.params, *(result for op in block.ops for result in op.results)):
            if value not in values:
                values[value] = graph.value(function.hints[value], function.types[value])

    def renamed(edge: Edge) -> Edge:
        return Edge(first_block + edge.target, tuple([values[arg] for arg in edge.args]))

    copy = Copy(first_block)
    outer = frozenset(graph.node(0).params)
    for block in function.blocks:
        ops = [_copied(graph, op, values, outer) for op in block.ops]
        end = block.terminator
        new_end = graph.terminator(
            end.name, tuple([values[arg] for arg in end.args]), tuple(map(renamed, end.edges))
        )._replace(attr=end.attr, span=end.span)
        params = [values[param] for param in block.params]
        if block.id == 0:
            params = params[: len(function.signature.names)]  # the cells are those of the function around it
        inner = handler
        if any(function.regions[around].kind == "try" for around in function.region_path(block.region)):
            inner = renamed(block.handler) if block.handler is not None else None  # nothing in it raises
        home = region if block.region == 0 else first_region + block.region - 1
        at = graph.add(Node(-1, params, ops, new_end, inner, home))
        copy.blocks.append(at)
        if end.name == "return":
            copy.returns.append(at)
    return copy


def _copied(graph: FlowGraph, op: Operation, values: dict[Value, Value], outer: frozenset[Value]) -> Operation:
    args, results = tuple([values[arg] for arg in op.args]), tuple([values[result] for result in op.results])
    attr = op.attr
    if op.name in ("cell_get", "cell_del") and isinstance(attr, tuple):
        attr = (attr[0], "free" if args[0] in outer else "local")
    return op._replace(id=graph.number(), args=args, results=results, attr=attr)


def split(graph: FlowGraph, at: int, index: int) -> int:
    """Cut a block before an operation: a new block has the rest, and nothing leads to it yet.  The first part has no
    end of its own."""
    node = graph.node(at)
    rest = Node(-1, [], node.ops[index:], node.end, node.handler, node.region)
    node.ops = node.ops[:index]
    return graph.add(rest)


def return_to(graph: FlowGraph, copy: Copy, target: int) -> None:
    """Let the copy go on at a block with what it returned."""
    for at in copy.returns:
        node = graph.node(at)
        node.end = graph.terminator("jump", (), (Edge(target, node.end.args),))
