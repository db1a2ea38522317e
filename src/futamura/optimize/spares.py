"""What was made for a handler that did not get it is used instead of another one like it.

    v1 = list v0                              v1 = list v0
    f() handler H(v1)                         f() handler H(v1)
    v2 = list v0                        ->    setattr[items] v1, v3
    setattr[items] v2, v3

A list that an exception would hand to a handler is made before the operation that may raise; where it does not, the
list is left over, and nobody has seen it.

Invariant: the first one is used by handlers alone, all of which are passed by on the way to the second one, which is
made as often.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from futamura.ir.graph import Value
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference

__all__ = ["passes_to_handlers", "spares"]

_MADE: Final = frozenset({"list", "dict", "set"})

_MOST: Final = 32
"""So many containers that hold the same are tried as spare ones."""

_Kind: TypeAlias = tuple[str, object, tuple[Value, ...]]


def passes_to_handlers(graph: FlowGraph) -> bool:
    """Is anything passed to a handler?"""
    return any(node.handler is not None and node.handler.args for _, node in graph.nodes())


def spares(graph: FlowGraph, inference: Inference) -> bool:
    """Use what is left over; did anything change?"""
    passed: dict[Value, list[int]] = {}
    for at, node in graph.nodes():
        for value in node.handler.args if node.handler is not None else ():
            passed.setdefault(value, []).append(at)
    made = _containers(graph, inference)
    uses = graph.uses() if any(len(found) > 1 for found in made.values()) else Counter[Value]()
    replaced: dict[Value, Value] = {}
    for found in made.values():
        left = [one for one in found if uses[one.value] == len(passed.get(one.value, ())) > 0][:_MOST]
        for one in found if left else ():
            before = _before(inference, one)
            for spare in left:
                if spare is one or not before.issuperset((spare.block, *passed[spare.value])):
                    continue
                if not _is_made_as_often(graph, inference, spare, one):
                    continue
                replaced[one.value] = spare.value
                if one in left:  # it is still used by handlers alone
                    left.remove(one)
                    passed[spare.value] = passed[spare.value] + passed[one.value]
                else:
                    spare.taken.append(one.block)
                break
    for _, node in graph.nodes():
        node.ops = [op for op in node.ops if not any(result in replaced for result in op.results)]
    graph.replace(replaced)
    return bool(replaced)


@dataclass(eq=False)
class _Made:
    """A container that is made, and where it is used in the place of another one."""

    block: int
    value: Value
    is_last: bool
    """Does nothing raise behind it in its block?"""
    taken: list[int] = field(default_factory=list)


def _containers(graph: FlowGraph, inference: Inference) -> dict[_Kind, list[_Made]]:
    """By what they hold: the containers that are made, each behind those that dominate it."""
    found: dict[_Kind, list[_Made]] = {}
    for at in inference.layout.order:
        node = graph.node(at)
        raises = node.end.name not in ("jump", "branch")
        here: list[tuple[_Kind, _Made]] = []
        for op in reversed(node.ops):
            fact = inference.fact(op)
            if op.name in _MADE and not fact.raises and not fact.effects.calls:
                here.append(((op.name, op.attr, op.args), _Made(at, op.results[0], not raises)))
            raises = raises or bool(fact.raises)
        for kind, made in reversed(here):
            found.setdefault(kind, []).append(made)
    return found


def _before(inference: Inference, one: _Made) -> set[int]:
    """The blocks that are passed on every way to where this is made, with no exception that comes from behind it."""
    found = set(inference.layout.on_all_ways(0, [one.block]))
    return found if one.is_last else found - {one.block}


def _is_made_as_often(graph: FlowGraph, inference: Inference, spare: _Made, one: _Made) -> bool:
    """Is `spare` made anew whenever `one` is, with nothing that took its place before, and can it be named there?"""
    if spare.block == one.block or graph.confined().get(spare.value) not in (None, graph.node(one.block).region):
        return False
    around = [
        {loop.header for loop in inference.layout.loops() if at in loop.nodes} for at in (spare.block, one.block)
    ]
    if around[0] != around[1]:
        return False
    return not any(
        _leads(graph, a, b, spare.block) for other in spare.taken for a, b in ((other, one.block), (one.block, other))
    )


def _leads(graph: FlowGraph, start: int, goal: int, without: int) -> bool:
    """Does a way lead from one block to another, but through `without`?"""
    work, seen = [start], {start, without}
    while work:
        at = work.pop()
        if at == goal:
            return True
        fresh = [edge.target for edge in graph.node(at).edges() if edge.target not in seen]
        seen.update(fresh)
        work.extend(fresh)
    return False
