"""Loops that are comprehensions: found on the graph, given back as one operation.

    A: v1 = list; v2 = iter src; jump H           A: v1 = listcomp src   [element for target in _ if condition]
    H: next v2 -> B(v3:x) | E              ->     jump E
    B: ...; branch c -> L | H
    L: list_append v1, element; jump H

Inner loops and conditions may follow each other in any order, as they do in the source.  Nothing but conditions, the
inner iterables and the element may be computed; every tree must nest.

A generator expression's function has the same form with `yield` in place of `list_append`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from futamura.backend.python.draft import Draft, DraftNode, item_refs
from futamura.backend.python.nesting import Naming, Nested, nest
from futamura.backend.python.trees import (
    Clause,
    Comprehension,
    Expression,
    Fused,
    FusedItem,
    Item,
    Place,
    Target,
    TupleTarget,
    Variable,
    named,
    named_within,
)
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Value
from futamura.ir.ops import TERMINATORS

__all__ = ["comprehension_at", "generator_comprehension"]

_SINKS: Final = {"list": "list_append", "set": "set_add", "dict": "dict_put"}
_CONSUMER: Final = TERMINATORS["switch"]  # nests any number of operands
_KINDS: Final = {"list": "listcomp", "set": "setcomp", "dict": "dictcomp"}


class Found(NamedTuple):
    item: FusedItem
    exit: Edge
    removed: list[DraftNode]
    dropped: list[Item]


class _Reader:
    """Reads one loop nest from its outermost header on."""

    def __init__(
        self,
        draft: Draft,
        uses: Counter[Value],
        counts: dict[int, int],
        constants: dict[Value, Constant],
        expressible: Callable[[str], bool],
        sink: str,
        region: int,
        into: Value | None,
        *,
        named: bool = False,
    ) -> None:
        self.named: Final = named
        self.draft: Final = draft
        self.uses: Final = uses
        self.counts: Final = counts
        self.constants: Final = constants
        self.expressible: Final = expressible
        self.sink: Final = sink
        self.region: Final = region
        self.into: Final = into
        self.removed: list[DraftNode] = []
        self.clauses: list[Clause] = []

    def read(self, header: DraftNode, iterator: Value, entries: int) -> tuple[tuple[Expression, ...], Edge] | None:
        """The elements and the way out of the loop at `header`, which `entries` ways enter from outside."""
        headers: list[tuple[DraftNode, int]] = []
        iterable: Expression | None = None
        while True:
            body = self._header(header, iterator)
            if body is None:
                return None
            headers.append((header, entries))
            clause = Clause(Variable(body.params[0]), iterable)
            self.clauses.append(clause)
            found = self._body(body, clause, headers[-1][0])
            if found is None:
                return None
            kind, trees, node = found
            if kind == "element":
                return self._close(headers, trees)
            inner = self.draft.nodes[node.end.edges[0].target]
            self.draft.resolve_node(inner)
            if inner.end.name != "next" or inner.end.edges[1] != Edge(header.id):
                return None
            iterable, iterator = trees[0], inner.end.args[0]
            header, entries = inner, 1

    def _close(
        self, headers: list[tuple[DraftNode, int]], trees: tuple[Expression, ...]
    ) -> tuple[tuple[Expression, ...], Edge] | None:
        """Every header is reached from outside and by what was read, and by nothing else."""
        if any(node.handler is not None and node.handler.args for node in self.removed):
            return None  # what the handler is passed differs from part to part
        back: Counter[int] = Counter()
        for node in self.removed:
            back.update(edge.target for edge in node.end.edges)
        for header, entries in headers:
            outside = entries if header is headers[0][0] else 0
            if self.counts[header.id] != back[header.id] + outside:
                return None
        return trees, headers[0][0].end.edges[1]

    def _header(self, header: DraftNode, iterator: Value) -> DraftNode | None:
        self.draft.resolve_node(header)
        if header.end.name != "next" or header.items or header.params or header.end.args != (iterator,):
            return None
        if header.region != self.region or self.uses[iterator] != 1:
            return None
        body_edge = header.end.edges[0]
        body = self.draft.nodes[body_edge.target]
        self.draft.resolve_node(body)
        if body_edge.args or len(body.params) != 1 or self.counts[body.id] != 1 or body.region != self.region:
            return None
        self.removed.append(header)
        return body

    def _body(
        self, body: DraftNode, clause: Clause, header: DraftNode
    ) -> tuple[str, tuple[Expression, ...], DraftNode] | None:
        """Conditions, then the element or an inner loop."""
        first = True
        node = body
        while True:
            self.removed.append(node)
            if node.end.name == "branch":
                then, orelse = node.end.edges
                if Edge(header.id) not in (then, orelse):
                    return None
                nested = self._nest(node, clause if first else None)
                if nested is None or nested.statements:
                    return None
                keep = then if orelse == Edge(header.id) else orelse
                condition = nested.operands[0]
                clause.conditions.append(condition if keep is then else Fused("not", (condition,)))
                node = self.draft.nodes[keep.target]
                self.draft.resolve_node(node)
                if keep.args or node.params or self.counts[node.id] != 1 or node.region != self.region:
                    return None
                first = False
                continue
            return self._last(node, clause if first else None, header)

    def _last(
        self, node: DraftNode, clause: Clause | None, header: DraftNode
    ) -> tuple[str, tuple[Expression, ...], DraftNode] | None:
        """The node that ends in the element, or in the iterator of an inner loop."""
        if node.end.name != "jump" or node.end.edges[0].args:
            return None
        if node.end.edges[0] == Edge(header.id):
            at = self._sink_position(node)
            if at is None:
                return None
            sink = node.items[at]
            trees = self._without(node, clause, sink, Naming.ANYWHERE if self.named else Naming.NEVER)
            return None if trees is None else ("element", trees, node)
        last = node.items[-1] if node.items else None
        if last is None or last.name != "iter":
            return None
        trees = self._without(node, clause, last)
        return None if trees is None else ("loop", trees, node)

    def _sink_position(self, node: DraftNode) -> int | None:
        """The operation that takes the element must be the last one."""
        for at, item in enumerate(node.items):
            if item.name == self.sink and (self.into is None or item.args[0] == self.into):
                rest = node.items[at + 1 :]
                unused = self.sink != "yield" or self.uses[item.results[0]] == 0
                return at if unused and all(x.name == "const" for x in rest) else None
        return None

    def _without(
        self, node: DraftNode, clause: Clause | None, last: Item, naming: Naming = Naming.NEVER
    ) -> tuple[Expression, ...] | None:
        """The trees of the arguments of the node's last operation (without the container)."""
        args = last.args if self.into is None or last.args[0] != self.into else last.args[1:]
        from_items = [item for item in node.items if item is not last]
        shadow = DraftNode(
            node.id, node.params, from_items, node.end._replace(kind=_CONSUMER, args=args), node.handler, node.region
        )
        nested = self._nest(shadow, clause, naming)
        if nested is None or nested.statements:
            return None
        if naming is Naming.NEVER and any(True for tree in nested.operands for _ in named(tree)):
            return None  # Python forbids it in iterables
        return nested.operands

    def _nest(self, node: DraftNode, clause: Clause | None, naming: Naming = Naming.NEVER) -> Nested | None:
        if len(node.items) > 300:
            return None
        nested = nest(
            self.draft,
            node,
            self.uses,
            self.constants,
            self.expressible,
            target=node.params[0] if clause is not None else None,
            naming=naming,
            within=True,
        )
        if clause is not None and nested.target is not None:
            if not _local(nested.target):
                return None
            clause.target = nested.target
        return nested


def _local(target: Target) -> bool:
    """Comprehension targets are variables, or cells of the comprehension."""
    if isinstance(target, TupleTarget):
        return all(_local(item) for item in target.items)
    return isinstance(target, Variable) or (isinstance(target, Place) and target.op.name == "cell_set")


def comprehension_at(
    draft: Draft,
    node: DraftNode,
    uses: Counter[Value],
    counts: dict[int, int],
    constants: dict[Value, Constant],
    expressible: Callable[[str], bool],
    *,
    named: bool,
) -> Found | None:
    """The comprehension whose container and first iterator `node` makes before it jumps to the loop."""
    header = draft.nodes[node.end.edges[0].target]
    draft.resolve_node(header)
    if header.end.name != "next" or node.end.edges[0].args:
        return None
    iterator = header.end.args[0]
    start = next((item for item in reversed(node.items) if iterator in item.results), None)
    if start is None or start.name != "iter":
        return None
    tail = node.items[node.items.index(start) + 1 :]
    made = [item for item in node.items if item.name in _SINKS and not item.args]
    for container in reversed(made):
        if any(x is not container and x.name not in ("cell", "const") for x in tail):
            continue
        if _uses_of(container.results[0], node):
            continue  # something is put into it before the loop
        into = container.results[0]
        sink = _SINKS[container.name]
        reader = _Reader(draft, uses, counts, constants, expressible, sink, node.region, into, named=named)
        found = reader.read(header, iterator, 1)
        if found is None:
            continue
        if sum(_uses_of(container.results[0], gone) for gone in reader.removed) != 1:
            continue
        elements, way_out = found
        data = Comprehension(reader.clauses, elements)
        bound = tuple(named_within(data))
        item = FusedItem(_KINDS[container.name], (start.args[0],), container.results, (), data, start.span, bound)
        cells = [x for x in tail if x.name == "cell"]
        return Found(item, way_out, reader.removed, [start, container, *cells])
    return None


def _uses_of(value: Value, node: DraftNode) -> int:
    """How often a node of the loop reads `value`; what its way out passes on is read behind the loop."""
    count = node.end.args.count(value) + (node.handler.args.count(value) if node.handler is not None else 0)
    for item in node.items:
        count += item.args.count(value)
        if isinstance(item, FusedItem):
            count += item_refs(item).count(value)
    return count


def generator_comprehension(
    draft: Draft, constants: dict[Value, Constant], expressible: Callable[[str], bool]
) -> Comprehension | None:
    """The generator expression that a collapsed `<genexpr>` function is."""
    entry = draft.nodes[0]
    uses, counts = draft.uses(), draft.predecessors()
    header = entry
    entries = 0
    if entry.end.name == "jump":
        if any(item.name not in ("cell", "const") for item in entry.items):
            return None
        header = draft.nodes[entry.end.edges[0].target]
        entries = 1
    reader = _Reader(draft, uses, counts, constants, expressible, "yield", 0, None)
    found = reader.read(header, entry.params[0], entries)
    if found is None:
        return None
    elements, way_out = found
    after = draft.nodes[way_out.target]
    if after.end.name != "return" or any(item.name != "const" for item in after.items):
        return None
    return Comprehension(reader.clauses, elements)
