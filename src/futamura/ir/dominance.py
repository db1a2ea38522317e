"""Reverse postorder and dominators of any graph of dense integers (Cooper, Harvey and Kennedy 2001).

    successors [[1, 2], [3], [3], []]     reverse_postorder(successors, 0)  [0, 2, 1, 3]
                                          immediate_dominators(...)         [0, 0, 0, 0]

Nodes that the root does not reach have the dominator -1.  The iteration is linear in practice: one pass
and a check for reducible graphs, and at most as many passes as loops are nested otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["dominance_intervals", "immediate_dominators", "predecessor_lists", "reverse_postorder"]


def reverse_postorder(successors: Sequence[Sequence[int]], root: int) -> list[int]:
    """The nodes that `root` reaches, each before its successors unless a back edge leads there."""
    seen = bytearray(len(successors))
    seen[root] = 1
    order: list[int] = []
    stack = [(root, iter(successors[root]))]
    while stack:
        node, rest = stack[-1]
        for target in rest:
            if not seen[target]:
                seen[target] = 1
                stack.append((target, iter(successors[target])))
                break
        else:
            stack.pop()
            order.append(node)
    order.reverse()
    return order


def predecessor_lists(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each node the nodes that lead to it, in order, once for each edge."""
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(node)
    return predecessors


def immediate_dominators(
    predecessors: Sequence[Sequence[int]], order: Sequence[int], root: int
) -> list[int]:
    """The immediate dominator of each node of `order` (a reverse postorder from `root`); the root's is itself."""
    rank = [-1] * len(predecessors)
    for position, node in enumerate(order):
        rank[node] = position
    # All in ranks: a dominator's rank is never greater than that of the node it dominates.
    sources = [[rank[source] for source in predecessors[node] if rank[source] >= 0] for node in order]
    above = [-1] * len(order)
    above[0] = 0
    changed = True
    while changed:
        changed = False
        for position in range(1, len(order)):
            best = -1
            for source in sources[position]:
                if above[source] < 0:
                    continue
                if best < 0:
                    best = source
                    continue
                while source != best:
                    while source > best:
                        source = above[source]
                    while best > source:
                        best = above[best]
            if above[position] != best:
                above[position] = best
                changed = True
    result = [-1] * len(predecessors)
    for position, node in enumerate(order):
        result[node] = order[above[position]]
    return result


def dominance_intervals(dominators: Sequence[int], order: Sequence[int]) -> tuple[list[int], list[int]]:
    """(first, last) of each node: a dominates b if and only if first[a] <= first[b] <= last[a].

    Unreached nodes have first -1 and last -2, so that nothing dominates them and they dominate nothing.
    """
    size = [0] * len(dominators)
    for node in reversed(order):
        size[node] += 1
        if dominators[node] != node:
            size[dominators[node]] += size[node]
    first = [-1] * len(dominators)
    last = [-2] * len(dominators)
    free = [0] * len(dominators)
    for node in order:  # a dominator comes before what it dominates
        parent = dominators[node]
        if parent == node:
            first[node] = 0
        else:
            first[node] = free[parent]
            free[parent] += size[node]
        free[node] = first[node] + 1
        last[node] = first[node] + size[node] - 1
    return first, last
