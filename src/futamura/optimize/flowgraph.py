"""A function that passes may change: blocks that come and go, and the way back to a frozen function.

    graph = FlowGraph(function); graph.blocks[1].end = ...; function, origins = graph.freeze()

`origins[i]` is the block of the old function that block i began as.  Passes that move or merge blocks take only
functions without exception handlers and suspensions (`FlowGraph.is_plain`); those that change operations, edges and
parameters take all but those with guards (`FlowGraph.takes`).

Invariant: `freeze` drops what nothing reaches, renumbers values and blocks in order of first appearance, and verifies.
Regions keep their numbers; one that lost its handler or all its blocks protects nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from futamura.ir.build import FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import OBJECT, Edge, Function, Operation, Region, Terminator, Value
from futamura.ir.liveness import end_uses
from futamura.ir.ops import OPERATORS, TERMINATORS
from futamura.ir.verify import VerificationError

if TYPE_CHECKING:
    from futamura.optimize.calls import Called

__all__ = ["FlowGraph", "Node", "Pass"]

Pass = Callable[["FlowGraph"], bool]
"""Changes a graph; did it change?"""


_ENDS: Final = frozenset({"jump", "branch", "switch", "next", "return", "raise", "unreachable"})


@dataclass(slots=True, eq=False)
class Node:
    """A block; edges name other blocks by their place in `FlowGraph.blocks`."""

    origin: int
    params: list[Value]
    ops: list[Operation]
    end: Terminator
    handler: Edge | None = None
    region: int = 0

    def copy(self) -> Node:
        return Node(self.origin, [*self.params], [*self.ops], self.end, self.handler, self.region)

    def edges(self) -> tuple[Edge, ...]:
        """The ways out, that to the handler last."""
        return self.end.edges if self.handler is None else (*self.end.edges, self.handler)

    def implicit(self, at: int) -> int:
        """How many parameters of the target the edge of this number binds by itself."""
        return 1 if at == len(self.end.edges) or (at == 0 and self.end.name == "next") else 0


class FlowGraph:
    """The blocks of a function by number; block 0 is the entry.  A block that was taken away is None."""

    def __init__(self, function: Function) -> None:
        self.function: Final = function
        self.blocks: list[Node | None] = [
            Node(block.id, list(block.params), list(block.ops), block.terminator, block.handler, block.region)
            for block in function.blocks
        ]
        self.regions: Final[list[Region]] = list(function.regions)
        """Handlers are named by their places in `blocks`."""
        self.hints: Final[list[str | None]] = list(function.hints)
        self.types: Final[list[str]] = list(function.types)
        self.fired: Final[Counter[str]] = Counter()
        """How often each rewrite rule was applied, by name."""
        self.constants: Final[dict[int, tuple[object, Called]]] = {}
        """By the id of an operation that makes a constant: this constant, and what is known of it."""
        self.nameless = False
        """Do values that are used once lose their names before anybody reads the function (`forwarding.py`)?"""
        self._ids = 1 + max(
            [op.id for op in function.operations()] + [block.terminator.id for block in function.blocks], default=0
        )

    def copy(self) -> FlowGraph:
        """The graph as it is now."""
        made = FlowGraph(self.function)
        made.blocks = [None if node is None else node.copy() for node in self.blocks]
        made.regions[:], made.hints[:], made.types[:] = self.regions, self.hints, self.types
        made._ids, made.nameless = self._ids, self.nameless
        return made

    @staticmethod
    def takes(function: Function) -> bool:
        """May operations, edges and parameters of this function be changed here?"""
        return all(block.terminator.name != "guard" for block in function.blocks)

    @staticmethod
    def is_plain(function: Function) -> bool:
        """May its blocks be moved and merged too?"""
        plain = function.kind == "function" and len(function.regions) == 1
        return plain and all(block.terminator.name in _ENDS for block in function.blocks)

    def fire(self, rule: str, times: int = 1) -> None:
        """Count a rule that is applied: one of those that the row of its pass names."""
        if times:
            self.fired[rule] += times

    def nodes(self) -> Iterator[tuple[int, Node]]:
        for at, node in enumerate(self.blocks):
            if node is not None:
                yield at, node

    def node(self, at: int) -> Node:
        found = self.blocks[at]
        assert found is not None
        return found

    def value(self, hint: str | None = None, type: str = OBJECT) -> Value:
        self.hints.append(hint)
        self.types.append(type)
        return len(self.hints) - 1

    def add(self, node: Node | None) -> int:
        self.blocks.append(node)
        return len(self.blocks) - 1

    def number(self) -> int:
        """An id that no operation has."""
        self._ids += 1
        return self._ids

    def operation(self, name: str, args: tuple[Value, ...], hint: str | None = None, attr: object = None) -> Operation:
        return Operation(self.number(), OPERATORS[name], args, attr, (self.value(hint),))

    def constant(self, value: object, hint: str | None = None) -> Operation:
        return self.operation("const", (), hint, Constant(value))

    def terminator(self, name: str, args: tuple[Value, ...] = (), edges: tuple[Edge, ...] = ()) -> Terminator:
        return Terminator(self.number(), TERMINATORS[name], args, edges)

    def renumbered(self, op: Operation) -> Operation:
        """The same operation under a number of its own."""
        self._ids += 1
        return op._replace(id=self._ids)

    def renumbered_end(self, end: Terminator) -> Terminator:
        self._ids += 1
        return end._replace(id=self._ids)

    def references(self) -> list[int]:
        """How many edges lead to each block."""
        counts = [0] * len(self.blocks)
        for _, node in self.nodes():
            for edge in node.edges():
                counts[edge.target] += 1
        return counts

    def uses(self) -> Counter[Value]:
        """How often each value is read, by ends and handler edges too."""
        found: Counter[Value] = Counter()
        for _, node in self.nodes():
            for op in node.ops:
                found.update(op.args)
            found.update(end_uses(node.end))
            if node.handler is not None:
                found.update(node.handler.args)
        return found

    def retarget(self, node: Node, edges: tuple[Edge, ...]) -> None:
        """Give a node other edges, as many as `node.edges()` has."""
        count = len(node.end.edges)
        node.end = node.end._replace(edges=edges[:count])
        node.handler = edges[count] if len(edges) > count else None

    def confined(self) -> dict[Value, int]:
        """The values made in clean-ups and handlers, with their regions: code behind these cannot name them."""
        inside: set[int] = set()
        for region in self.regions:  # each behind the one that it lies in
            if region.kind in ("copy", "except") or region.parent in inside:
                inside.add(region.id)
        if not inside:
            return {}
        return {
            value: node.region
            for _, node in self.nodes()
            if node.region in inside
            for value in (*node.params, *(result for op in node.ops for result in op.results))
        }

    def shared(self) -> set[Value]:
        """The values that are used outside of the blocks that define them, or passed to handlers."""
        found: set[Value] = set()
        for _, node in self.nodes():
            own = {*node.params, *[result for op in node.ops for result in op.results]}
            used = {arg for op in node.ops for arg in op.args}
            used.update(end_uses(node.end))
            found.update(used - own)
            if node.handler is not None:
                found.update(node.handler.args)
        return found

    def replace(self, replaced: dict[Value, Value]) -> None:
        """Use other values in the place of some."""
        if not replaced:
            return
        ends = _ends(replaced)
        for _, node in self.nodes():
            node.ops = [op._replace(args=tuple([ends.get(arg, arg) for arg in op.args])) for op in node.ops]
            edges = [Edge(edge.target, tuple([ends.get(arg, arg) for arg in edge.args])) for edge in node.edges()]
            self.retarget(node, tuple(edges))
            node.end = node.end._replace(args=tuple([ends.get(arg, arg) for arg in node.end.args]))

    def freeze(self, free: tuple[str, ...] | None = None) -> tuple[Function, list[int]]:
        """The function, verified, and where its blocks come from; with other free variables, if these are given."""
        reached = self._reached()
        number = {at: new for new, at in enumerate(reached)}
        old = self.function
        builder = FunctionBuilder(
            old.name,
            old.signature,
            qualname=old.qualname,
            free=old.free if free is None else free,
            kind=old.kind,
            doc=old.doc,
            module=old.module,
            file=old.file,
            span=old.span,
        )
        for region in self.regions[1:]:
            handler = number.get(region.handler, -1)
            builder.region(
                region.kind, region.parent, flavor=region.flavor, handler=handler, of=region.of, span=region.span
            )
        values: dict[Value, Value] = {}
        for at in reached:
            node = self.node(at)
            for value in (*node.params, *(result for op in node.ops for result in op.results)):
                values[value] = builder.value(self.hints[value], self.types[value])
        for at in reached:
            node = self.node(at)
            block = builder.block(node.region)
            block.params.extend(values[param] for param in node.params)
            for op in node.ops:
                args, results = tuple([values[a] for a in op.args]), tuple([values[r] for r in op.results])
                builder.append(block, op.name, args, op.attr, results, op.span)
            edges = tuple([Edge(number[e.target], tuple([values[a] for a in e.args])) for e in node.edges()])
            if node.handler is not None:
                *_, block.handler = edges
                edges = edges[:-1]
            builder.terminate(
                block, node.end.name, tuple([values[a] for a in node.end.args]), edges, node.end.attr, node.end.span
            )
        return builder.finish(), [self.node(at).origin for at in reached]

    def _reached(self) -> list[int]:
        """The blocks that the entry leads to, in the order of their numbers."""
        seen = {0}
        work = [0]
        while work:
            for edge in self.node(work.pop()).edges():
                if edge.target not in seen:
                    seen.add(edge.target)
                    work.append(edge.target)
        return sorted(seen)


def _ends(replaced: dict[Value, Value]) -> dict[Value, Value]:
    """What each of these is in the end, replaced as often as it takes."""
    ends: dict[Value, Value] = {}
    for value in replaced:
        way = []
        while value in replaced and value not in ends:
            way.append(value)
            value = replaced[value]
            if len(way) > len(replaced):
                raise VerificationError(f"value {value} would be replaced by itself")
        ends.update(dict.fromkeys(way, ends.get(value, value)))
    return ends
