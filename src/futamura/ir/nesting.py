"""The loops of any graph, nested, irreducible ones included (Steensgaard 1993, Bourdoncle 1993).

    0 -> 1, 1 -> 2, 2 -> 1, 1 -> 3      one loop: header 1, nodes {1, 2}, entries [1]

A loop is a strongly connected component with an edge inside.  Its header is its first node in reverse postorder; the
loops inside it are those of the component without the header.  A loop that can be entered elsewhere than at the header
is irreducible.  The time is linear for each level of nesting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from futamura.ir.dominance import predecessor_lists, reverse_postorder

__all__ = ["Loop", "loop_forest"]


@dataclass(slots=True)
class Loop:
    """`nodes` holds those of the inner loops too; `parent` is an index into the forest, or -1."""

    header: int
    nodes: frozenset[int]
    entries: tuple[int, ...]
    parent: int = -1
    depth: int = 1
    children: list[int] = field(default_factory=list)

    @property
    def irreducible(self) -> bool:
        return len(self.entries) > 1


def loop_forest(successors: Sequence[Sequence[int]], root: int) -> list[Loop]:
    """All loops that `root` reaches, outer ones before inner ones."""
    order = reverse_postorder(successors, root)
    rank = {node: position for position, node in enumerate(order)}
    predecessors = predecessor_lists(successors)
    loops: list[Loop] = []
    work = [(frozenset(order), -1, order)]
    while work:
        inside, parent, nodes = work.pop()
        for component in _components(successors, inside, nodes):
            members = frozenset(component)
            first = min(component, key=rank.__getitem__)
            if len(component) == 1 and first not in successors[first]:
                continue
            entries = tuple(sorted(
                node for node in component
                if node == root or any(source in rank and source not in members for source in predecessors[node])
            ))  # fmt: skip
            depth = 1 if parent < 0 else loops[parent].depth + 1
            loops.append(Loop(first, members, entries, parent, depth))
            if parent >= 0:
                loops[parent].children.append(len(loops) - 1)
            if len(component) > 1:
                rest = members - {first}
                work.append((rest, len(loops) - 1, sorted(rest, key=rank.__getitem__)))
    return loops


def _components(successors: Sequence[Sequence[int]], inside: frozenset[int], nodes: list[int]) -> list[list[int]]:
    """The strongly connected components of the subgraph `inside` (Tarjan), without recursion."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_nodes: set[int] = set()
    stack: list[int] = []
    found: list[list[int]] = []
    for start in nodes:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        stack.append(start)
        open_nodes.add(start)
        path = [(start, iter(successors[start]))]
        while path:
            node, rest = path[-1]
            for target in rest:
                if target not in inside:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    open_nodes.add(target)
                    path.append((target, iter(successors[target])))
                    break
                if target in open_nodes and index[target] < low[node]:
                    low[node] = index[target]
            else:
                path.pop()
                if path and low[node] < low[path[-1][0]]:
                    low[path[-1][0]] = low[node]
                if low[node] == index[node]:
                    component = []
                    while True:
                        member = stack.pop()
                        open_nodes.discard(member)
                        component.append(member)
                        if member == node:
                            break
                    found.append(component)
    return found
