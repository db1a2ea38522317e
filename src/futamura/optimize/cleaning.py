"""Cleaning up a flow graph: pasting, pruning, and merging of blocks that are the same.

    paste    goto L, and nothing else leads to L: L's code stands at the jump
    prune    blocks that no jump leads to are taken away
    merge    blocks with the same code and the same ways on become one block, as do whole loops of them

Invariant: no operation is moved, left out or repeated on any way through the graph.
"""

from __future__ import annotations

from futamura.ir.graph import Edge, Value
from futamura.optimize.flowgraph import FlowGraph, Node

__all__ = ["merge", "paste", "prune"]


def paste(graph: FlowGraph) -> bool:
    """Put the target of a jump in the place of the jump where no other edge leads to it, in the same extent."""
    counts = graph.references()
    replaced: dict[Value, Value] = {}
    changed = False
    for at, node in graph.nodes():
        while node.end.name == "jump" and counts[node.end.edges[0].target] == 1:
            edge = node.end.edges[0]
            target = graph.node(edge.target)
            if target is node or edge.target == 0 or (target.region, target.handler) != (node.region, node.handler):
                break
            replaced.update(zip(target.params, edge.args, strict=True))
            node.ops.extend(target.ops)
            node.end = target.end
            graph.blocks[edge.target] = None
            changed = True
        assert graph.blocks[at] is node or graph.blocks[at] is None
    graph.replace(replaced)
    return changed


def prune(graph: FlowGraph) -> bool:
    """Take away what the entry does not lead to."""
    seen = {0}
    work = [0]
    while work:
        for edge in graph.node(work.pop()).edges():
            if edge.target not in seen:
                seen.add(edge.target)
                work.append(edge.target)
    unreached = [at for at, _ in graph.nodes() if at not in seen]
    for at in unreached:
        graph.blocks[at] = None
    return bool(unreached)


def merge(graph: FlowGraph) -> bool:
    """Make one block of those that nothing tells apart.

    Blocks begin in classes by their own code, with values told by where they are made: in the block, or outside; a
    class is split as long as its members lead to different classes.  What is left together is the same.  A step of an
    iterator at the end of a block counts as a block, where another block is nothing but one: a first round that stands
    before its loop, and is the same as the others, is one of them.
    """
    threaded = _thread(graph)
    steps = _set_apart(graph)
    numbers = {at: _own_code(node) for at, node in graph.nodes()}
    classes = _numbered(numbers)
    while True:
        finer = _numbered(
            {at: (classes[at], tuple([classes[edge.target] for edge in node.end.edges])) for at, node in graph.nodes()}
        )
        if len(set(finer.values())) == len(set(classes.values())):
            break
        classes = finer
    keeper: dict[int, int] = {}
    moved: dict[int, int] = {}
    for at, _ in graph.nodes():
        first = keeper.setdefault(classes[at], at) if at else at  # no edge may lead to the entry
        if first != at:
            moved[at] = first
    kept = set(moved.values())
    for at, node in steps.items():
        if at not in moved and at not in kept:
            node.end, graph.blocks[at] = graph.node(at).end, None
    if not moved:
        return threaded
    for _, node in graph.nodes():
        edges = tuple([Edge(moved.get(edge.target, edge.target), edge.args) for edge in node.end.edges])
        node.end = node.end._replace(edges=edges)
    for at in moved:
        graph.blocks[at] = None
    return True


def _set_apart(graph: FlowGraph) -> dict[int, Node]:
    """Make a block of each step behind other operations of an iterator that a block steps alone: the nodes before
    these, by their numbers."""
    alone = {node.end.args for _, node in graph.nodes() if node.end.name == "next" and not (node.ops or node.params)}
    found: dict[int, Node] = {}
    for _, node in [*graph.nodes()] if alone else ():
        if node.end.name == "next" and (node.ops or node.params) and node.end.args in alone:
            at = graph.add(Node(-1, [], [], node.end, node.handler, node.region))
            node.end = graph.terminator("jump", (), (Edge(at),))._replace(span=node.end.span)
            found[at] = node
    return found


def _thread(graph: FlowGraph) -> bool:
    """Let branches jump at once to where empty blocks would lead them: these pass values of the block before them.

    Not the value that the branch asks for its truth, if that is asked again or handed on: a branch that passes it on
    at once prints as `a and b`, and in a condition Python asks for the truth of `a` once only.
    """
    pruned = prune(graph)  # blocks that nothing leads to may pass on what is not taken any more
    again = {arg for _, node in graph.nodes() for edge in node.end.edges for arg in edge.args}
    again.update(arg for _, node in graph.nodes() for op in node.ops if op.name in ("truth", "not") for arg in op.args)

    def final(edge: Edge, tested: set[Value]) -> Edge:
        seen: set[int] = set()
        while edge.target not in seen:
            seen.add(edge.target)
            target = graph.node(edge.target)
            if target.ops or target.params or target.end.name != "jump":
                break
            (onward,) = target.end.edges
            received = zip(graph.node(onward.target).params, onward.args, strict=True)
            if any(arg in tested and param in again for param, arg in received):
                break
            edge = onward
        return edge

    changed = pruned
    for _, node in graph.nodes():
        if node.end.name == "branch":
            tested = {arg for op in node.ops if op.name == "truth" and op.results == node.end.args for arg in op.args}
            edges = tuple([final(edge, tested) for edge in node.end.edges])
            changed = changed or edges != node.end.edges
            node.end = node.end._replace(edges=edges)
    return prune(graph) or changed


def _numbered(keys: dict[int, object]) -> dict[int, int]:
    """Equal keys get equal numbers, in order of first appearance."""
    found: dict[object, int] = {}
    return {at: found.setdefault(key, len(found)) for at, key in keys.items()}


def _own_code(node: Node) -> object:
    """The code of a block with its own values by position and all others by name."""
    own: dict[Value, tuple[str, int]] = {}
    for param in node.params:
        own[param] = ("own", len(own))
    code: list[object] = []
    for op in node.ops:
        args = tuple([own.get(arg, ("outer", arg)) for arg in op.args])
        for result in op.results:
            own[result] = ("own", len(own))
        code.append((op.name, op.attr, args, len(op.results)))
    end = node.end
    passed = tuple([tuple([own.get(arg, ("outer", arg)) for arg in edge.args]) for edge in end.edges])
    tested = tuple([own.get(arg, ("outer", arg)) for arg in end.args])
    return (len(node.params), tuple(code), end.name, end.attr, tested, passed)
