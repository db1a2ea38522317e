"""Bounded static variation: static values that can be only finitely many different ones.

    while d:                        pc takes values from the static table only        finite
        pc = table[pc]
    while d:                        pc grows, but each trip indexes `code` with it    finite: outside of `code` the
        op = code[pc]; pc = pc + 1                                                    trip ends in an error
    while d:                        n grows and nothing stops it                      not finite
        n = n + 1

A graph of static values: what an operation computes depends on its operands and *grows*; what it only selects (an item,
the rest of a list, a copy) depends on the structure it selects from and does not grow; a comparison depends on nothing.
A value is not finite if it lies on a cycle that grows, or depends on such a value.  Parameters that no decision at run
time controls depend on nothing here: the program itself runs through their values.

Invariant: finite is decided for static values only, where every operation runs on builtin types.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from futamura.analysis.dominators import Dominators
from futamura.ir.graph import Function, Operation, Value

__all__ = ["growing_values", "strongly_connected", "validated_parameters"]

_TRUTHS: Final = frozenset(
    {"eq", "ne", "lt", "le", "gt", "ge", "is", "is_not", "in", "not_in", "not", "truth", "null", "match_sequence",
     "match_mapping", "const"}
)  # fmt: skip
"""Their results are few whatever the operands are."""

_SELECTS: Final = frozenset({"getitem", "getattr", "car", "cdr", "unpack", "iter"})
"""Their results are parts of the first operand; it has finitely many, found one inside the other."""


def growing_values(
    function: Function,
    arguments: Mapping[Value, Iterable[tuple[int, Value]]],
    uncontrolled: Collection[Value],
    dynamic: Collection[Value],
    validated: Collection[Value],
) -> set[Value]:
    """The static values that may be infinitely many; no decision merges values into the parameters `uncontrolled`."""
    sources: dict[Value, list[tuple[Value, bool]]] = {}
    for operation in function.operations():
        below = _sources(operation)
        for result in operation.results:
            sources[result] = below
    for block in function.blocks:
        if block.terminator.name == "next":
            item = function.blocks[block.terminator.edges[0].target].params[0]
            sources[item] = [(block.terminator.args[0], False)]
    for param, passed in arguments.items():
        if param not in validated and param not in uncontrolled:
            sources[param] = sources.get(param, []) + [(value, False) for _, value in passed]
    return _infinite({v: [s for s in below if s[0] not in dynamic] for v, below in sources.items() if v not in dynamic})


def _sources(operation: Operation) -> list[tuple[Value, bool]]:
    """What the results depend on, and whether they may grow beyond it."""
    if operation.name in _TRUTHS:
        return []
    if operation.name in _SELECTS:
        return [(operation.args[0], False)]
    return [(value, operation.name != "copy") for value in operation.args]


def _infinite(sources: Mapping[Value, list[tuple[Value, bool]]]) -> set[Value]:
    component: dict[Value, int] = {}
    found: set[Value] = set()
    for index, members in enumerate(strongly_connected(sources, lambda v: [s for s, _ in sources.get(v, ())])):
        for member in members:
            component[member] = index
        # Components come before those that depend on them.
        for member in members:
            for source, grows in sources.get(member, ()):
                if source in found or (grows and component[source] == index):
                    found.update(members)
    return found


def strongly_connected(nodes: Iterable[Value], below: Callable[[Value], Iterable[Value]]) -> list[list[Value]]:
    """The components of a graph, each after those that it leads to (Tarjan, without recursion)."""
    index: dict[Value, int] = {}
    low: dict[Value, int] = {}
    stack: list[Value] = []
    waiting: dict[Value, int] = {}
    found: list[list[Value]] = []
    for root in nodes:
        if root in index:
            continue
        work = [(root, iter(below(root)))]
        index[root] = low[root] = len(index)
        waiting[root] = len(stack)
        stack.append(root)
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    waiting[target] = len(stack)
                    stack.append(target)
                    work.append((target, iter(below(target))))
                    break
                if target in waiting:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = stack[waiting[node] :]
                    del stack[waiting[node] :]
                    for member in members:
                        del waiting[member]
                    found.append(members)
    return found


def _copies(function: Function, arguments: Mapping[Value, Iterable[tuple[int, Value]]]) -> dict[Value, Value]:
    """What each copy, and each parameter that gets one value only, is a copy of."""
    direct: dict[Value, Value] = {}
    for operation in function.operations():
        if operation.name == "copy":
            direct.update(zip(operation.results, operation.args))
    for param, passed in arguments.items():
        values = {value for _, value in passed}
        if len(values) == 1 and param not in values:
            direct[param] = values.pop()
    found: dict[Value, Value] = {}
    for value in direct:
        trail = [value]
        while trail[-1] in direct and direct[trail[-1]] not in trail:
            trail.append(direct[trail[-1]])
        found[value] = trail[-1]
    return found


def validated_parameters(
    function: Function,
    arguments: Mapping[Value, Iterable[tuple[int, Value]]],
    tree: Dominators,
    dynamic: Collection[Value],
    candidates: Collection[Value],
) -> set[Value]:
    """Header parameters that index a static structure on each trip: a value outside of it does not come around again.

    The indexing must dominate each back edge; a header of an irreducible loop has an edge that it does not dominate,
    and that is no entry to its loop, so nothing there counts.
    """
    owner = {param: block.id for block in function.blocks for param in block.params if param in candidates}
    same = _copies(function, arguments)
    places: dict[Value, list[int]] = {}
    if _slices_escape(function):
        return set()
    for block in function.blocks:
        if block.handler is not None:
            continue  # the error could be caught, and the trip go on
        for operation in block.ops:
            if operation.name != "getitem" or operation.args[0] in dynamic:
                continue
            index = same.get(operation.args[1], operation.args[1])
            if index in owner:
                places.setdefault(index, []).append(block.id)
    found: set[Value] = set()
    for param, blocks in places.items():
        header = owner[param]
        # Edges from blocks that the header reaches without dominating them would be further entries.
        latches = [source for source in tree.predecessors[header] if tree.dominates(header, source)]
        others = [source for source in tree.predecessors[header] if not tree.dominates(header, source)]
        if any(_reaches(function, header, source) for source in others):
            continue
        if latches and any(all(tree.dominates(place, latch) for latch in latches) for place in blocks):
            found.add(param)
    return found


def _slices_escape(function: Function) -> bool:
    """Is a slice kept in a variable?  Any slice is a good index."""
    made = {operation.results[0] for operation in function.operations() if operation.name == "slice"}
    if not made:
        return False
    for block in function.blocks:
        for operation in block.ops:
            used = operation.args if operation.name != "getitem" else operation.args[:1]
            if not made.isdisjoint(used):
                return True
        edges = (*block.terminator.edges, block.handler) if block.handler is not None else block.terminator.edges
        if any(not made.isdisjoint(edge.args) for edge in edges):
            return True
    return False


def _reaches(function: Function, start: int, end: int) -> bool:
    """Does `start` lead to `end` without passing itself again?"""
    seen = {start}
    work = [start]
    while work:
        block = function.blocks[work.pop()]
        targets = [edge.target for edge in block.terminator.edges]
        if block.handler is not None:
            targets.append(block.handler.target)
        for target in targets:
            if target == end:
                return True
            if target not in seen:
                seen.add(target)
                work.append(target)
    return False
