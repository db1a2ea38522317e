"""A function's graph while it is turned into statements: mutable nodes, aliases instead of dead parameters.

    b1: ... jump b2(v3)      b2(v4): use v4       (b1 the only way to b2)
    ->  b1: ... use v3                            v4 is an alias of v3

Nodes keep the block's region; a node is merged into another only within one region, or where it holds
nothing but the end of the function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from futamura.backend.python.trees import (
    Comprehension,
    Fused,
    FusedItem,
    Item,
    renamed,
    renamed_comprehension,
)
from futamura.backend.python.trees import refs as _refs
from futamura.ir.graph import Edge, Function, Terminator, Value

__all__ = ["Draft", "DraftNode", "node_uses"]


@dataclass(slots=True, eq=False)
class DraftNode:
    id: int
    params: list[Value]
    items: list[Item]
    end: Terminator
    handler: Edge | None
    region: int
    resolved: int = 0
    """How many aliases there were when this node was last freed of them."""


class Draft:
    """The graph of `function`, ready to be folded and collapsed."""

    def __init__(self, function: Function) -> None:
        self.function: Final = function
        self.hints: Final[list[str | None]] = list(function.hints)
        self.nodes: Final[dict[int, DraftNode]] = {
            block.id: DraftNode(
                block.id, list(block.params), list(block.ops), block.terminator, block.handler, block.region
            )
            for block in function.blocks
        }
        self._alias: Final[dict[Value, Value]] = {}
        self._next_id = len(function.blocks)

    def new_value(self, hint: str | None = None) -> Value:
        self.hints.append(hint)
        return len(self.hints) - 1

    def new_node(self, end: Terminator, region: int) -> DraftNode:
        node = DraftNode(self._next_id, [], [], end, None, region)
        self.nodes[node.id] = node
        self._next_id += 1
        return node

    def value(self, value: Value) -> Value:
        """The value that `value` is an alias of."""
        alias = self._alias
        if value not in alias:
            return value
        root = value
        while root in alias:
            root = alias[root]
        while value in alias:
            alias[value], value = root, alias[value]
        return root

    def identify(self, value: Value, other: Value) -> None:
        """From now on `value` is `other`."""
        other = self.value(other)
        if value == other:
            return
        self._alias[value] = other
        if self.hints[other] is None:
            self.hints[other] = self.hints[value]

    def edge(self, edge: Edge) -> Edge:
        return Edge(edge.target, tuple([self.value(arg) for arg in edge.args]))

    def resolve(self) -> None:
        """Replace aliases everywhere."""
        for node in self.nodes.values():
            self.resolve_node(node)

    def resolve_node(self, node: DraftNode) -> None:
        """Replace aliases in one node, if there are any since the last time."""
        if node.resolved == len(self._alias):
            return
        node.resolved = len(self._alias)
        alias, value = self._alias, self.value
        for at, item in enumerate(node.items):
            if isinstance(item, FusedItem):
                if not (alias.keys().isdisjoint(item.args) and alias.keys().isdisjoint(item_refs(item))):
                    node.items[at] = substituted(item, value)
            elif not alias.keys().isdisjoint(item.args):
                node.items[at] = item._replace(args=tuple([value(arg) for arg in item.args]))
        end = node.end
        node.end = end._replace(
            args=tuple([value(arg) for arg in end.args]), edges=tuple([self.edge(edge) for edge in end.edges])
        )
        if node.handler is not None:
            node.handler = self.edge(node.handler)

    def predecessors(self) -> dict[int, int]:
        """How many edges reach each node; handlers count as many."""
        counts: dict[int, int] = dict.fromkeys(self.nodes, 0)
        for node in self.nodes.values():
            for edge in node.end.edges:
                counts[edge.target] += 1
            if node.handler is not None:
                counts[node.handler.target] += 2
        return counts

    def prune(self) -> None:
        """Drop the nodes that cannot be reached."""
        seen = {0}
        work = [0]
        while work:
            node = self.nodes[work.pop()]
            targets = [edge.target for edge in node.end.edges]
            if node.handler is not None:
                targets.append(node.handler.target)
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        for number in [number for number in self.nodes if number not in seen]:
            del self.nodes[number]

    def merge(self) -> None:
        """Join straight lines, within regions."""
        counts = self.predecessors()
        for number in list(self.nodes):
            node = self.nodes.get(number)
            if node is None:
                continue
            while node.end.name == "jump":
                edge = node.end.edges[0]
                after = self.nodes[edge.target]
                if after is node or counts[after.id] != 1 or after.id == 0:
                    break
                harmless = not after.items and after.end.name == "return" and after.handler is None
                if after.region != node.region and not harmless:
                    break
                if node.handler != after.handler and not harmless and not self.same_handler(node, after):
                    break
                for param, arg in zip(after.params, edge.args, strict=True):
                    self.identify(param, arg)
                node.items.extend(after.items)
                node.end = after.end
                if node.handler is None:
                    node.handler = after.handler
                del self.nodes[after.id]
        self.resolve()

    @staticmethod
    def same_handler(node: DraftNode, after: DraftNode) -> bool:
        """One of two nodes of a region has no handler edge because nothing in it raises; the edge passes nothing, for
        what it passes must be in place before the first operation of its own node."""
        if node.handler is not None and after.handler is not None:
            return False
        handler = node.handler if node.handler is not None else after.handler
        return handler is not None and not handler.args

    def uses(self) -> Counter[Value]:
        """How often each value is used, in items, ends, edges and inside fused operands."""
        counts: Counter[Value] = Counter()
        for node in self.nodes.values():
            counts.update(node_uses(node))
        return counts


def node_uses(node: DraftNode) -> Iterator[Value]:
    """The values that a node uses, as often as it does."""
    for item in node.items:
        yield from item.args
        if isinstance(item, FusedItem):
            yield from item_refs(item)
    yield from node.end.args
    for edge in node.end.edges:
        yield from edge.args
    if node.handler is not None:
        yield from node.handler.args


def item_refs(item: FusedItem) -> list[Value]:
    """The variables that the trees in a fused item read."""
    from_rest = [value for tree in item.rest for value in _refs(tree)]
    return from_rest + _data_refs(item)


def substituted(item: FusedItem, value: Callable[[Value], Value]) -> FusedItem:
    """The item with every value replaced."""
    data = item.data
    if isinstance(data, Comprehension):
        data = renamed_comprehension(data, value)
    args = tuple([value(arg) for arg in item.args])
    rest = tuple([renamed(tree, value) for tree in item.rest])
    named = tuple([value(name) for name in item.named])
    return FusedItem(item.kind, args, item.results, rest, data, item.span, named)


def _data_refs(item: FusedItem) -> list[Value]:
    if not isinstance(item.data, Comprehension):
        return []
    return list(_refs(Fused(item.kind, (), item.data)))
