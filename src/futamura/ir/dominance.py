"""Reverse postorder and dominators of any graph of dense integers (Lengauer and Tarjan 1979, the simple version).

    successors [[1, 2], [3], [3], []]     reverse_postorder(successors, 0)  [0, 2, 1, 3]
                                          immediate_dominators(...)         [0, 0, 0, 0]

Nodes that the root does not reach have the dominator -1.  With m edges between n nodes the time is O(m log n) on any
graph, irreducible ones and long ways into one join included, and linear in practice.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "dominance_intervals", "dominators_in_preorder", "immediate_dominators", "predecessor_lists", "reverse_postorder",
]  # fmt: skip


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


def immediate_dominators(successors: Sequence[Sequence[int]], root: int) -> list[int]:
    """The immediate dominator of each node that `root` reaches; the root's is itself."""
    number = [-1] * len(successors)
    number[root] = 0
    nodes = [root]
    parent = [0]
    sources: list[list[int]] = [[]]
    stack = [(0, iter(successors[root]))]
    while stack:
        source, rest = stack[-1]
        for target in rest:
            found = number[target]
            if found < 0:
                found = number[target] = len(nodes)
                nodes.append(target)
                parent.append(source)
                sources.append([source])
                stack.append((found, iter(successors[target])))
                break
            sources[found].append(source)
        else:
            stack.pop()
    result = [-1] * len(successors)
    for node, above in zip(nodes, dominators_in_preorder(parent, sources)):
        result[node] = nodes[above]
    return result


def dominators_in_preorder(parent: Sequence[int], sources: Sequence[Sequence[int]]) -> list[int]:
    """The immediate dominators of nodes numbered by a depth-first search: their parents in its tree, and the edges."""
    count = len(parent)
    forest = _Forest(parent)
    semi = forest.semi
    above = [0] * count
    waiting: list[list[int]] = [[] for _ in range(count)]
    for node in range(count - 1, 0, -1):
        over = parent[node]
        lowest = over
        for source in sources[node]:
            found = source if source <= node else semi[forest.lowest(source, node + 1)]
            if found < lowest:
                lowest = found
        semi[node] = lowest
        if lowest == over:
            above[node] = over
        else:
            waiting[lowest].append(node)
        for other in waiting[over]:
            found = forest.lowest(other, node)
            above[other] = found if semi[found] < over else over
        waiting[over] = []
    for node in range(1, count):
        if above[node] != semi[node]:
            above[node] = above[above[node]]
    return above


class _Forest:
    """The part of the tree whose nodes have their semidominators, with paths that queries make shorter."""

    __slots__ = ("best", "over", "semi")

    def __init__(self, parent: Sequence[int]) -> None:
        self.over = list(parent)
        self.best = list(range(len(parent)))
        self.semi = list(range(len(parent)))

    def lowest(self, node: int, first: int) -> int:
        """The node with the least semidominator from `node` up to below the root of its tree; `first` and up are in."""
        over, best, semi = self.over, self.best, self.semi
        if over[node] < first:
            return best[node]
        path = []
        top = node
        while over[top] >= first:
            path.append(top)
            top = over[top]
        found, end = best[top], over[top]
        for step in reversed(path):
            if semi[found] < semi[best[step]]:
                best[step] = found
            else:
                found = best[step]
            over[step] = end
        return found


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
