"""Handlers to which nothing comes that they take: the exceptions of a block go past them.

    b0 in 1 handler b1():  v3 = getitem v0, v1     (str, int: IndexError)       b0 in 1:  v3 = getitem v0, v1
    b1(v2) in 2:  v5 = exc_match v2, Failed; branch v5 -> b3() | b2()      ->
    b2() in 2:    reraise v2

A block whose operations raise exceptions of known classes alone loses its edge to a handler whose clauses name other
classes, one after the other, and which then lets the exception go on, out of the function.  Only in try regions of
residuals: those of source code keep the edge of each block that may raise.

Invariant: clauses that take what may come out of any code (`MemoryError`, `RecursionError`, `KeyboardInterrupt`,
`SystemExit`, and the classes above these) are kept.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.facts import ANYTHING
from futamura.ir.graph import Value
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference

__all__ = ["handlers", "has_handlers"]

_ALL: Final = ANYTHING | {Exception}
_ANYWHERE: Final = (MemoryError, RecursionError, KeyboardInterrupt, SystemExit, GeneratorExit)
_PLAIN_ENDS: Final = frozenset({"jump", "branch", "switch", "return"})
_LOOKED_UP: Final = frozenset({"const", "global_get", "tuple"})


def has_handlers(graph: FlowGraph) -> bool:
    return any(node.handler is not None for _, node in graph.nodes())


def handlers(graph: FlowGraph, inference: Inference) -> bool:
    """Take the edges to such handlers away; did anything change?"""
    changed = False
    for at, node in graph.nodes():
        if node.handler is None or at not in inference.reached or node.end.name not in _PLAIN_ENDS:
            continue
        if not _is_residual(graph, node.region, node.handler.target):
            continue
        raised = _raised(node, inference)
        if raised is not None and _lets_pass(graph, inference, node.handler.target, raised):
            node.handler = None
            changed = True
    return changed


def _is_residual(graph: FlowGraph, at: int, handler: int) -> bool:
    """May blocks of the try region with this handler do without it?"""
    while at >= 0 and (graph.regions[at].kind != "try" or graph.regions[at].handler != handler):
        at = graph.regions[at].parent
    return at >= 0 and graph.regions[at].flavor == "residual"


def _raised(node: Node, inference: Inference) -> frozenset[type[BaseException]] | None:
    """The classes of what may come out of a block, if that is known."""
    found: frozenset[type[BaseException]] = frozenset()
    for op in node.ops:
        raises = inference.fact(op).raises
        if not raises.isdisjoint(_ALL) or inference.asks(op):  # what an object says is its class may be a property
            return None
        found |= raises
    return found


def _lets_pass(graph: FlowGraph, inference: Inference, at: int, raised: frozenset[type[BaseException]]) -> bool:
    """Does a handler let exceptions of exactly these classes go on, out of the function?"""
    caught = graph.node(at).params[:1]
    seen: set[int] = set()
    while at not in seen and caught:
        seen.add(at)
        node = graph.node(at)
        if node.handler is not None:
            return False
        if node.end.name == "reraise":
            return not node.ops and node.end.args == tuple(caught)
        if node.end.name == "jump" and not node.ops:
            at = node.end.edges[0].target
        elif node.end.name == "branch" and _takes_others(node, inference, caught[0], raised):
            at = node.end.edges[1].target
        else:
            return False
    return False


def _takes_others(node: Node, inference: Inference, caught: Value, raised: frozenset[type[BaseException]]) -> bool:
    """Is this a clause for other classes than these?"""
    if not node.ops:
        return False
    *before, test = node.ops
    if test.name != "exc_match" or test.results != node.end.args or test.args[0] != caught:
        return False
    if not all(op.name in _LOOKED_UP for op in before):
        return False
    named = inference.classes(test.args[1])
    if named is None:
        return False
    classes = named.value if type(named.value) is tuple else (named.value,)
    return all(_is_other(one, raised) for one in classes)


def _is_other(named: object, raised: frozenset[type[BaseException]]) -> bool:
    """Is this a class of exceptions, of which none of these is one, nor what may come out of any code?"""
    if not isinstance(named, type) or BaseException not in named.__mro__:
        return False  # to name it in a clause is an error
    return not any(named in kind.__mro__ for kind in (*raised, *_ANYWHERE))
