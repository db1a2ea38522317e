"""A loop that only copies a list is one operation.

    A: ys = list; i = iter xs; jump H               A: v = type(xs) is list; branch v -> F | S
    H: next i -> B | E                              F: ys = list [*xs]; jump M(ys)
    B(x): list_append ys, x; jump H          ->     S: zs = list; i = iter xs; jump H'    (the loop, on zs)
    E: ... ys ...                                   M(ys): jump E

So is a loop that puts the items of a dict into a new one, where the keys are of builtin classes: of others, it calls
`__hash__` and `__eq__` again.

A chain that takes the first items of a tuple reads them out of it (`firstitems`).

Where the exact type of `xs` is known to be list or tuple, there is no test and no loop.  Only of these is `[*xs]` the
same: of anything else, Python asks for its length first.

Invariant: nobody else sees `ys` before the loop is over, and nothing comes between `iter` and the loop.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Operation, Value
from futamura.optimize.cleaning import prune
from futamura.optimize.firstitems import first_items
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.shapes import NOTHING

__all__ = ["copies"]

_COPIED: Final = frozenset({"list", "tuple"})
_PLAIN_KEYS: Final = frozenset({"str", "bytes", "int", "bool", "NoneType"})


class _Loop(NamedTuple):
    """A loop that copies, and the block before it."""

    before: Node
    header: Node
    at: int
    body: Node
    made: Operation
    iterated: Operation


class _Items(NamedTuple):
    """A loop that copies a dict, and the block before it."""

    before: Node
    header: Node
    made: Operation
    asked: tuple[Operation, Operation, Operation]
    """`.items`, its call, and `iter`."""


def copies(graph: FlowGraph, inference: Inference) -> bool:
    """Make operations of the loops that copy a list; did anything change?"""
    entering: dict[int, list[tuple[int, int]]] = {}
    for at, node in graph.nodes():
        for number, edge in enumerate(node.edges()):
            entering.setdefault(edge.target, []).append((at, number))
    uses = graph.uses()
    changed = False
    for at, header in [*graph.nodes()]:
        loop = _loop(graph, at, header, entering.get(at, []), uses)
        if loop is not None:
            kind = inference.shapes.get(loop.iterated.args[0], NOTHING).type
            if kind in _COPIED:
                _replaced(graph, loop)
                changed = True
            elif kind == "object" and not _is_asked(graph, inference, loop, entering):
                _ask(graph, loop)
                changed = True
        elif (items := _items_loop(graph, at, header, entering.get(at, []), uses, inference)) is not None:
            _copied(graph, items)
            changed = True
    if changed:
        prune(graph)
    return first_items(graph, inference) or changed


def _around(graph: FlowGraph, at: int, header: Node, entering: list[tuple[int, int]]) -> tuple[Node, Node] | None:
    """The one block before a loop with this header, and the one block in it, which takes an item."""
    if header.end.name != "next" or header.ops or header.params or len(entering) != 2:
        return None
    inside = header.end.edges[0].target
    outer = [source for source, _ in entering if source != inside]
    if len(outer) != 1 or inside == at or header.end.edges[0].args:
        return None
    body, before = graph.node(inside), graph.node(outer[0])
    if not before.region == header.region == body.region or before.end.name != "jump" or body.end.name != "jump":
        return None
    return (before, body) if body.end.edges[0].target == at and len(body.params) == 1 else None


def _loop(
    graph: FlowGraph, at: int, header: Node, entering: list[tuple[int, int]], uses: dict[Value, int]
) -> _Loop | None:
    """The loop with this header, if it does nothing but append each item to a new list."""
    around = _around(graph, at, header, entering)
    if around is None or len(around[1].ops) != 1:
        return None
    before, body = around
    (append,) = body.ops
    if append.name != "list_append" or append.args[1] != body.params[0] or uses.get(append.args[1]) != 1:
        return None
    made = next((op for op in before.ops if op.name == "list" and not op.args and op.results == append.args[:1]), None)
    rest = [op for op in before.ops if op.name not in ("const", "list") or op.args]
    if made is None or not rest or rest[-1].name != "iter" or rest[-1].results != header.end.args:
        return None
    if uses.get(rest[-1].results[0]) != 1 or any(made.results[0] in op.args for op in before.ops):
        return None
    if header.handler is not None and made.results[0] in header.handler.args:
        return None
    return _Loop(before, header, at, body, made, rest[-1])


def _items_loop(
    graph: FlowGraph,
    at: int,
    header: Node,
    entering: list[tuple[int, int]],
    uses: dict[Value, int],
    inference: Inference,
) -> _Items | None:
    """The loop with this header, if it does nothing but put what `.items()` of a dict gives into a new one."""
    around = _around(graph, at, header, entering)
    if around is None or [op.name for op in around[1].ops] != ["unpack", "dict_put"]:
        return None
    before, body = around
    unpack, put = body.ops
    pair = unpack.args == tuple(body.params) and unpack.attr == (2, False, 0) and put.args[1:] == unpack.results
    if not pair or any(uses.get(value) != 1 for value in (*body.params, *unpack.results)):
        return None
    if inference.shapes.get(unpack.results[0], NOTHING).type not in _PLAIN_KEYS:
        return None
    made = next((op for op in before.ops if op.name == "dict" and not op.args and op.results == put.args[:1]), None)
    rest = [op for op in before.ops if op.name != "const" and op is not made][-3:]
    if made is None or [op.name for op in rest] != ["getattr", "call", "iter"] or rest[0].attr != "items":
        return None
    chain = [(rest[0].results, rest[1].args), (rest[1].results, rest[2].args), (rest[2].results, header.end.args)]
    if any(results != args or uses.get(results[0]) != 1 for results, args in chain):
        return None
    if inference.shapes.get(rest[0].args[0], NOTHING).type != "dict":
        return None
    if any(made.results[0] in op.args for op in before.ops):
        return None
    if header.handler is not None and made.results[0] in header.handler.args:
        return None
    return _Items(before, header, made, (rest[0], rest[1], rest[2]))


def _is_asked(graph: FlowGraph, inference: Inference, loop: _Loop, entering: dict[int, list[tuple[int, int]]]) -> bool:
    """Is the loop the way of what is no list already?"""
    (at,) = [source for source, _ in entering[loop.at] if graph.node(source) is loop.before]
    ways = entering.get(at, [])
    node = graph.node(ways[0][0]) if len(ways) == 1 else None
    if node is None or node.end.name != "branch" or ways[0][1] != 1:
        return False
    test = inference.definitions.get(node.end.args[0])
    if test is None or test.name != "is" or inference.callee(test.args[1]) != Constant(list):
        return False
    asked = inference.definitions.get(test.args[0])
    if asked is None or asked.name != "call" or asked.args[1:] != loop.iterated.args:
        return False
    return inference.callee(asked.args[0]) == Constant(type)


def _replaced(graph: FlowGraph, loop: _Loop) -> None:
    """The whole list at once."""
    copied = loop.made._replace(args=loop.iterated.args, attr=(True,))
    loop.before.ops = [op for op in loop.before.ops if op is not loop.made and op is not loop.iterated] + [copied]
    loop.before.end = loop.before.end._replace(edges=loop.header.end.edges[1:])


def _copied(graph: FlowGraph, loop: _Items) -> None:
    """The whole dict at once."""
    copied = loop.made._replace(args=loop.asked[0].args, attr=(True,))
    gone = (loop.made, *loop.asked)
    loop.before.ops = [op for op in loop.before.ops if all(op is not one for one in gone)] + [copied]
    loop.before.end = loop.before.end._replace(edges=loop.header.end.edges[1:])


def _ask(graph: FlowGraph, loop: _Loop) -> None:
    """The whole list at once if it is one, the loop if not."""
    before, source, made = loop.before, loop.iterated.args[0], loop.made.results[0]
    left = graph.operation("list", (), graph.hints[made])
    fast = graph.operation("list", (source,), graph.hints[made], (True,))
    region, handler = before.region, before.handler
    after = graph.add(Node(-1, [made], [], graph.terminator("jump", (), loop.header.end.edges[1:]), handler, region))
    joined = Edge(after, fast.results)
    at_once = graph.add(Node(-1, [], [fast], graph.terminator("jump", (), (joined,)), handler, region))
    steps = graph.terminator("jump", (), (Edge(loop.at),))
    one_by_one = graph.add(Node(-1, [], [left, loop.iterated], steps, handler, region))
    builtin, kind = graph.constant(type), graph.constant(list)
    asked = graph.operation("call", (builtin.results[0], source))
    same = graph.operation("is", (asked.results[0], kind.results[0]))
    before.ops = [op for op in before.ops if op is not loop.made and op is not loop.iterated]
    before.ops += [builtin, asked, kind, same]
    before.end = graph.terminator("branch", same.results, (Edge(at_once), Edge(one_by_one)))
    loop.header.end = loop.header.end._replace(edges=(loop.header.end.edges[0], Edge(after, left.results)))
    (append,) = loop.body.ops
    loop.body.ops = [append._replace(args=(left.results[0], append.args[1]))]
