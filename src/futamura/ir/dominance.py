"""Reverse postorder and dominators of any graph of dense integers (Lengauer and Tarjan 1979, the simple version).

    successors [[1, 2], [3], [3], []]     reverse_postorder(successors, 0)  [0, 2, 1, 3]
                                          immediate_dominators(...)         [0, 0, 0, 0]

Nodes that the root does not reach have the dominator -1.  With m edges between n nodes the time is O(m log n) on any
graph, irreducible ones and long ways into one join included, and linear in practice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = [
    "DepthFirst", "dominance_intervals", "dominators_in_preorder", "dominators_of_search", "immediate_dominators",
    "predecessor_lists", "reverse_postorder",
]  # fmt: skip


class DepthFirst:
    """A depth-first search that takes edges in their order; for the nodes that the root reaches.

    `nodes` are numbered in the order of their discovery (`number[node]`, or -1); `parent` goes from numbers to numbers.
    """

    __slots__ = ("nodes", "number", "order", "parent")

    def __init__(self, successors: Sequence[Sequence[int]], root: int) -> None:
        number = [-1] * len(successors)
        nodes: list[int] = []
        parent: list[int] = []
        order: list[int] = []
        over = [0] * len(successors)
        stack = [root]
        while stack:
            node = stack.pop()
            if node < 0:
                order.append(~node)
                continue
            if number[node] >= 0:
                continue
            number[node] = found = len(nodes)
            nodes.append(node)
            parent.append(over[node])
            stack.append(~node)
            # The last of several entries of a node is the one that counts: its `over` was written last, too.
            for target in reversed(successors[node]):
                if number[target] < 0:
                    over[target] = found
                    stack.append(target)
        order.reverse()
        self.number = number
        self.nodes = nodes
        self.parent = parent
        self.order = order
        """Reverse postorder: each before its successors unless a back edge leads there."""


def reverse_postorder(successors: Sequence[Sequence[int]], root: int) -> list[int]:
    """The nodes that `root` reaches, each before its successors unless a back edge leads there."""
    return DepthFirst(successors, root).order


def predecessor_lists(successors: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each node the nodes that lead to it, in order, once for each edge."""
    predecessors: list[list[int]] = [[] for _ in successors]
    for node, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(node)
    return predecessors


def immediate_dominators(successors: Sequence[Sequence[int]], root: int) -> list[int]:
    """The immediate dominator of each node that `root` reaches; the root's is itself."""
    return dominators_of_search(DepthFirst(successors, root), predecessor_lists(successors))


def dominators_of_search(search: DepthFirst, predecessors: Sequence[Sequence[int]]) -> list[int]:
    """The same, where the search and the predecessors are there already."""
    number, nodes = search.number, search.nodes
    # Nodes that the root does not reach have the number -1: they lead to nothing that counts.
    sources = ([number[source] for source in predecessors[node]] for node in reversed(nodes))
    result = [-1] * len(number)
    for node, above in zip(nodes, _dominators(search.parent, sources)):
        result[node] = nodes[above]
    return result


def dominators_in_preorder(parent: Sequence[int], sources: Sequence[Sequence[int]]) -> list[int]:
    """The immediate dominators of nodes numbered by a depth-first search: their parents in its tree, and the edges.

    Negative sources do not count.
    """
    return _dominators(parent, reversed(sources))


def _dominators(parent: Sequence[int], backwards: Iterable[Sequence[int]]) -> list[int]:
    """The same; the sources of the last node come first, one after the other, so that they need not all be there."""
    count = len(parent)
    forest = _Forest(parent)
    semi = forest.semi
    above = [0] * count
    # The nodes that wait for a node, as a list in two arrays; 0 ends it, the root waits for nothing.
    waiting = [0] * count
    behind = [0] * count
    for node, sources in zip(range(count - 1, 0, -1), backwards):
        over = parent[node]
        lowest = over
        for source in sources:
            if source > node:
                source = semi[forest.lowest(source, node + 1)]
            if 0 <= source < lowest:
                lowest = source
        semi[node] = lowest
        if lowest == over:
            above[node] = over
        else:
            behind[node] = waiting[lowest]
            waiting[lowest] = node
        other = waiting[over]
        while other:
            found = forest.lowest(other, node)
            above[other] = found if semi[found] < over else over
            other = behind[other]
        waiting[over] = 0
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
        self.semi = self.best.copy()

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
