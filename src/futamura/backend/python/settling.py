"""What only one part of a `try` statement leads to, and cannot raise, belongs to that part.

    try:                                          try:
        _1 = int(text)                                a = [int(text)]
    except ValueError:                            except ValueError:
        pass                                          a = None
    else:                         ->
        a = [_1]; leave
    a = None; leave

A clause takes what it leads to; the body takes what leads on to where a clause does, too.
Invariant: nothing that runs code of the program comes into another part of the statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from futamura.backend.python.draft import Draft, DraftNode, node_uses
from futamura.backend.python.folding import Folded
from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Value

__all__ = ["settle"]


def settle(draft: Draft, folded: Mapping[int, Folded]) -> None:
    """Move such nodes into the regions of the ways that lead to them, and join the lines that this makes."""
    if not folded:
        return
    for statement in folded.values():
        if statement.kind == "try" and statement.handler in draft.nodes:
            _copy_late(draft, draft.nodes[statement.handler])
    settling = _Settling(draft, folded)
    work = list(draft.nodes.values())
    moved = False
    while work:
        node = work.pop()
        region = settling.part_for(node)
        if region is not None:
            node.region, node.handler = region, None
            moved = True
            work.extend(draft.nodes[edge.target] for edge in node.end.edges)
    if moved:
        draft.merge()


def _copy_late(draft: Draft, handler: DraftNode) -> None:
    """An exception that is kept is copied where it is known that the clause is for it: the test comes first then."""
    end = handler.end
    if end.name != "branch" or draft.predecessors()[end.edges[0].target] != 1:
        return
    kept, other = draft.nodes[end.edges[0].target], end.edges[1]
    if kept.region != handler.region or kept.params:
        return
    needed = {*end.args, *other.args, *(handler.handler.args if handler.handler is not None else ())}
    seen = {handler.id, kept.id}
    work = [other.target]
    while work:
        node = draft.nodes[work.pop()]
        if node.id not in seen:
            seen.add(node.id)
            needed.update(node_uses(node))
            work.extend(edge.target for edge in node.end.edges)
            work.extend([node.handler.target] if node.handler is not None else [])
    staying = []
    for at, item in enumerate(handler.items):
        later = {arg for one in handler.items[at + 1 :] for arg in one.args}
        if item.name == "copy" and item.args == (handler.params[0],) and needed.isdisjoint(item.results):
            if later.isdisjoint(item.results):
                kept.items.insert(0, item)
                continue
        staying.append(item)
    handler.items[:] = staying


class _Settling:
    def __init__(self, draft: Draft, folded: Mapping[int, Folded]) -> None:
        self.draft: Final = draft
        self.folded: Final = folded
        self.before: Final[dict[int, list[DraftNode]]] = {number: [] for number in draft.nodes}
        self.handlers: Final[set[int]] = set()
        self.lists: Final[set[Value]] = set()
        """The lists that are made here."""
        for node in draft.nodes.values():
            for edge in node.end.edges:
                self.before[edge.target].append(node)
            if node.handler is not None:
                self.handlers.add(node.handler.target)
            self.lists.update(item.results[0] for item in node.items if item.name == "list")

    def part_for(self, node: DraftNode) -> int | None:
        """The region that all ways to this node lie in, if it belongs there."""
        regions = {before.region for before in self.before[node.id]}
        if len(regions) != 1 or node.id in self.handlers or node.end.name not in ("jump", "return"):
            return None
        number = regions.pop()
        region = self.draft.function.regions[number]
        if number == node.region or region.parent != node.region or region.kind not in ("try", "except"):
            return None
        statement = self.folded.get(number if region.kind == "try" else region.of)
        if statement is None or statement.kind != "try":
            return None
        if region.kind == "try" and not (node.end.name == "jump" and len(self.before[node.end.edges[0].target]) > 1):
            return None
        return number if self._is_silent(node) else None

    def _is_silent(self, node: DraftNode) -> bool:
        """Can nothing in the node raise, whatever the types?"""
        texts: set[Value] = set()
        appends: set[Value] = set()
        for item in node.items:
            if not isinstance(item, Operation):
                return False
            name, args = item.name, item.args
            if name == "const" and isinstance(item.attr, Constant) and type(item.attr.value) is str:
                texts.add(item.results[0])
            if name == "getattr" and item.attr == "append" and args[0] in self.lists:
                appends.add(item.results[0])
                continue
            silent = item.operator.silent
            if item.attr is None:
                silent = silent or name in ("tuple", "list")
                silent = silent or (name == "dict" and texts.issuperset(args[::2]))
                silent = silent or (name == "call" and len(args) == 2 and args[0] in appends)
            if not silent:
                return False
        return True
