"""The program dependence graph of a function: which operations use what, and which decisions they obey.

    x = n            flow     1:x -> 2, 1:x -> 3:x, 3:x -> 2, 3:x -> 3
    while x:         control  2 -> 3, 2 -> 2; the others obey the entry
        x = x - 1

Nodes are the operations and terminators, by their id, and `ENTER`, which defines the parameters and is obeyed by what
always happens.  A flow edge is a def-use chain: block parameters are no definitions but ways that a value takes, so an
edge leads from each operation whose result may arrive to each that uses it.  Jumps are no nodes, they decide nothing.

Invariant: definitions dominate uses, so all that arrives at a use came along the edges' arguments.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from futamura.analysis.cfg import ControlFlow
from futamura.analysis.controldependence import ControlDependence
from futamura.ir.graph import Function, Operation, Terminator, Value
from futamura.ir.liveness import end_uses

__all__ = ["ENTER", "Dependence", "FlowEdge", "arguments_of_parameters", "given_parameters"]

ENTER: Final = -1


class FlowEdge(NamedTuple):
    """The node `target` uses what `source` defined; `variable` is the user's name for it, if it has one."""

    source: int
    target: int
    variable: str | None = None


def arguments_of_parameters(function: Function) -> dict[Value, list[tuple[int, Value]]]:
    """For each block parameter the values that edges bring it, with the block that they come from.

    The parameters of the entry, the item of `next` and the exception of a handler come from no value of the function.
    """
    found: dict[Value, list[tuple[int, Value]]] = {}
    for block in function.blocks:
        edges = [
            (edge, 1 if position == 0 and block.terminator.name == "next" else 0)
            for position, edge in enumerate(block.terminator.edges)
        ]
        if block.handler is not None:
            edges.append((block.handler, 1))
        for edge, implicit in edges:
            for param, value in zip(function.blocks[edge.target].params[implicit:], edge.args):
                found.setdefault(param, []).append((block.id, value))
    return found


def given_parameters(function: Function) -> set[Value]:
    """The parameters that come from no value of the function: of the entry, and those that an edge brings by itself."""
    found = set(function.entry.params)
    for block in function.blocks:
        if block.terminator.name == "next":
            found.update(function.blocks[block.terminator.edges[0].target].params[:1])
        if block.handler is not None:
            found.update(function.blocks[block.handler.target].params[:1])
    return found


class Dependence:
    """Flow and control dependences of one function."""

    def __init__(self, function: Function) -> None:
        self.function: Final = function
        self.control: Final = ControlDependence(ControlFlow(function))
        self._arguments: Final = arguments_of_parameters(function)
        self._node: Final = self._definitions()
        self._origins: Final[dict[Value, tuple[tuple[int, Value], ...]]] = {}

    def _definitions(self) -> dict[Value, int]:
        """The node that defines each value that is no mere way of others."""
        found = dict.fromkeys(self.function.entry.params, ENTER)
        for block in self.function.blocks:
            for operation in block.ops:
                for result in operation.results:
                    found[result] = operation.id
            if block.terminator.name == "next":
                found[self.function.blocks[block.terminator.edges[0].target].params[0]] = block.terminator.id
            if block.handler is not None:
                found.setdefault(self.function.blocks[block.handler.target].params[0], ENTER)
        return found

    def origins(self, value: Value) -> tuple[tuple[int, Value], ...]:
        """The (node, value) of each definition that may have made what `value` is."""
        if value not in self._origins:
            seen = {value}
            work = [value]
            found: list[tuple[int, Value]] = []
            while work:
                here = work.pop()
                if here in self._node:
                    found.append((self._node[here], here))
                for _, source in self._arguments.get(here, ()):
                    if source not in seen:
                        seen.add(source)
                        work.append(source)
            self._origins[value] = tuple(sorted(set(found)))
        return self._origins[value]

    def flow_edges(self) -> list[FlowEdge]:
        """All def-use chains, in order of their target and source."""
        hints = self.function.hints
        found: list[FlowEdge] = []
        for block in self.function.blocks:
            for node, used in self._uses(block.ops, block.terminator):
                edges = {FlowEdge(source, node, hints[made] or hints[value])
                         for value in used for source, made in self.origins(value)}  # fmt: skip
                found += sorted(edges, key=lambda edge: (edge.source, edge.variable or ""))
        return found

    def _uses(self, ops: tuple[Operation, ...], end: Terminator) -> list[tuple[int, list[Value]]]:
        found = [(operation.id, list(operation.args)) for operation in ops]
        passed = {value for edge in end.edges for value in edge.args}
        found.append((end.id, [value for value in end_uses(end) if value not in passed or value in end.args]))
        return found

    def control_edges(self) -> list[tuple[int, int]]:
        """(deciding node, node) for each node and each decision that it obeys; `ENTER` for what always happens."""
        blocks = self.function.blocks
        found: list[tuple[int, int]] = []
        for block in blocks:
            above = sorted({blocks[source].terminator.id for source, _ in self.control.on[block.id]
                            if len(self.control.flow.successors[source]) > 1})  # fmt: skip
            nodes = [operation.id for operation in block.ops]
            if block.terminator.name != "jump":
                nodes.append(block.terminator.id)
            if not above or self.control.post.dominates(block.id, 0):
                above.insert(0, ENTER)
            found += [(source, node) for node in nodes for source in above]
        return found

    def lines(self) -> dict[int, int]:
        """The line of the source on which each node stands; `ENTER` stands on line 0."""
        found = {ENTER: 0}
        for block in self.function.blocks:
            places = [(operation.id, operation.span) for operation in block.ops]
            for node, span in (*places, (block.terminator.id, block.terminator.span)):
                found[node] = span.line if span is not None else -1
        return found

    def statement_edges(self) -> tuple[list[tuple[int, int, str]], list[tuple[int, int]]]:
        """The graph between lines: flow edges with their variable, and control edges.

        Chains of temporaries inside a line are no edges: its parts are one node.
        """
        line = self.lines()
        flow = {
            (line[edge.source], line[edge.target], edge.variable)
            for edge in self.flow_edges()
            if edge.variable is not None
        }
        control = {(line[source], line[node]) for source, node in self.control_edges()}
        return sorted(flow), sorted(edge for edge in control if -1 not in edge)
