"""The first items of a tuple are read out of it.

    A: i = iter xs; next i -> B | E                A: v = type(xs) is tuple; branch v -> T | A'
    B(y): next i -> C | F                    ->    T: v = len(xs) < 2; branch v -> A' | G
    C(z): ... y, z ...                             G: y' = xs[0]; z' = xs[1]; jump C'(y', z')
                                                   A': i = iter xs; next i -> B | E;  B(y): next i -> H | F
                                                   H(z): jump C'(y, z);  C'(y', z'): ... y', z' ...

That is what is left of `zip` and `next` where one side is static.  Where the exact type is known it is not tested.
Lists are left to their iterators: another thread could make one shorter between the test and the reads.

Invariant: nothing reads the iterator but this chain of `next`, and between them nothing is done that could be seen.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.cleaning import prune
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.shapes import NOTHING

__all__ = ["first_items"]

_FEWEST: Final = 2
"""So many items are read faster out of a tuple than by an iterator, with the tests."""


class _Chain(NamedTuple):
    """A block that ends with `iter`, the blocks that take an item each, and the one that has all of them."""

    start: Node
    made: Operation
    links: list[tuple[int, Node]]
    """The blocks that end with `next`; the first is `start`, or an empty one behind it."""
    last: int
    items: list[Value]


def first_items(graph: FlowGraph, inference: Inference) -> bool:
    """Read the first items of what may be a tuple at their places; did anything change?"""
    uses = graph.uses()
    changed = False
    for at, node in [*graph.nodes()]:
        chain = _chain(graph, at, node, uses)
        kind = "" if chain is None else inference.shapes.get(chain.made.args[0], NOTHING).type
        if chain is None or kind not in ("object", "tuple") or _is_asked(graph, inference, at, chain):
            continue
        if _split(graph, chain):
            _read(graph, chain, kind == "tuple")
            changed = True
    return changed and (prune(graph) or True)


def _chain(graph: FlowGraph, at: int, start: Node, uses: dict[Value, int]) -> _Chain | None:
    """The chain that begins at the end of this block."""
    rest = [op for op in start.ops if op.name != "const"]
    if not rest or rest[-1].name != "iter" or len(rest[-1].results) != 1:
        return None
    made, counts = rest[-1], graph.references()
    (iterator,) = made.results
    links: list[tuple[int, Node]] = []
    items: list[Value] = []
    place, node = at, start
    while True:
        fresh = node is start or (counts[place] == 1 and all(op.name == "const" for op in node.ops))
        if not fresh or (node.region, node.handler) != (start.region, start.handler):
            break
        if node.end.name == "jump" and not node.end.edges[0].args:
            place = node.end.edges[0].target
        elif node.end.name == "next" and node.end.args == (iterator,) and not node.end.edges[0].args:
            links.append((place, node))
            place = node.end.edges[0].target
            items.extend(graph.node(place).params)
        else:
            break
        node = graph.node(place)
        if node is start or any(node is one for _, one in links):
            return None
    if len(links) < _FEWEST or len(items) != len(links) or uses.get(iterator) != len(links):
        return None
    last = links[-1][1].end.edges[0].target
    return _Chain(start, made, links, last, items) if counts[last] == 1 else None


def _is_asked(graph: FlowGraph, inference: Inference, at: int, chain: _Chain) -> bool:
    """Is the chain the way of what is no tuple, or too short, already?"""
    return any(
        node.end.name == "branch" and _asks(inference, node.end.args[0], chain.made.args[0])
        for _, node in graph.nodes()
        if any(edge.target == at for edge in node.end.edges)
    )


def _asks(inference: Inference, condition: Value, source: Value) -> bool:
    """Does this compare the class of `source` with tuple, or its length with something?"""
    test = inference.definitions.get(condition)
    if test is None or test.name not in ("is", "lt"):
        return False
    asked = inference.definitions.get(test.args[0])
    return asked is not None and asked.name == "call" and asked.args[1:] == (source,)


def _split(graph: FlowGraph, chain: _Chain) -> bool:
    """Give the items names of their own where all of them are there; False if that place cannot be told apart."""
    ends = [node.end.edges[1].target for _, node in chain.links]
    behind, before = _reached(graph, chain, [chain.last]), _reached(graph, chain, ends)
    if any(at in behind for at, _ in chain.links):
        return False
    items = set(chain.items)
    for at in behind & before:
        node = graph.node(at)
        used = {arg for op in node.ops for arg in op.args} | {arg for edge in node.edges() for arg in edge.args}
        if (used | set(end_uses(node.end))) & items:
            return False
    fresh = {item: graph.value(graph.hints[item], graph.types[item]) for item in chain.items}
    last = graph.node(chain.last)
    for at in behind:
        _rename(graph, graph.node(at), fresh)
    kept = last.params
    last.params = [fresh[item] for item in chain.items]
    passing = graph.terminator("jump", (), (Edge(chain.last, tuple(chain.items)),))
    step = graph.add(Node(-1, kept, [], passing, last.handler, last.region))
    link = chain.links[-1][1]
    link.end = link.end._replace(edges=(Edge(step), link.end.edges[1]))
    return True


def _reached(graph: FlowGraph, chain: _Chain, roots: list[int]) -> set[int]:
    """The blocks that these lead to without passing the start of the chain."""
    seen = set(roots)
    work = [*roots]
    while work:
        node = graph.node(work.pop())
        if node is chain.start:
            continue
        for edge in node.edges():
            if edge.target not in seen:
                seen.add(edge.target)
                work.append(edge.target)
    return seen


def _rename(graph: FlowGraph, node: Node, names: dict[Value, Value]) -> None:
    def named(values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple([names.get(value, value) for value in values])

    node.ops = [op._replace(args=named(op.args)) for op in node.ops]
    graph.retarget(node, tuple([Edge(edge.target, named(edge.args)) for edge in node.edges()]))
    node.end = node.end._replace(args=named(node.end.args))


def _read(graph: FlowGraph, chain: _Chain, is_tuple: bool) -> None:
    """The tests, and the items by their places; the chain stays for all else."""
    start, source, region, handler = chain.start, chain.made.args[0], chain.start.region, chain.start.handler
    slow = graph.add(Node(-1, [], [chain.made], start.end, handler, region))
    found: list[Operation] = []
    for place in range(len(chain.items)):
        number = graph.constant(place)
        found += [number, graph.operation("getitem", (source, number.results[0]))]
    read = tuple([op.results[0] for op in found if op.name == "getitem"])
    step = graph.terminator("jump", (), (Edge(chain.last, read),))
    fast = graph.add(Node(-1, [], found, step, handler, region))
    count, needed = graph.constant(len), graph.constant(len(chain.items))
    length = graph.operation("call", (count.results[0], source))
    few = graph.operation("lt", (length.results[0], needed.results[0]))
    enough = graph.terminator("branch", few.results, (Edge(slow), Edge(fast)))
    measured = graph.add(Node(-1, [], [count, length, needed, few], enough, handler, region))
    start.ops = [op for op in start.ops if op is not chain.made]
    if is_tuple:
        start.end = graph.terminator("jump", (), (Edge(measured),))
        return
    builtin, wanted = graph.constant(type), graph.constant(tuple)
    kind = graph.operation("call", (builtin.results[0], source))
    same = graph.operation("is", (kind.results[0], wanted.results[0]))
    start.ops += [builtin, kind, wanted, same]
    start.end = graph.terminator("branch", same.results, (Edge(measured), Edge(slow)))
