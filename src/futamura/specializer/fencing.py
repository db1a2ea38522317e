"""How far residual try regions reach: blocks in which nothing raises lie inside only where they must.

    try r: b1: branch s.isascii -> b2 | b4          nothing raises in b1 and b2
           b2: branch s.isdigit -> b3 | b4          ->     try r: b3 alone
           b3: n = int(s)

What comes before the first operation that may raise is led out, unless there would be more ways in, which cannot be
written as one statement.  What follows the last one stays where the source has it, if it is not also reached from
outside; a return behind one of several ways out is taken in.

Invariant: a block that may raise keeps its regions; regions of handlers are left by no block.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from futamura.specializer.assembly import Assembly
from futamura.specializer.residual import ResidualBlock
from futamura.specializer.state import Extent

__all__ = ["fenced"]

_Edges = Mapping[ResidualBlock, list[ResidualBlock]]


def fenced(assembly: Assembly) -> dict[ResidualBlock, tuple[Extent, ...]]:
    """The residual regions around the operations of each block."""
    contexts = {block: block.context if block.context is not None else block.place for block in assembly.blocks}
    silent = {block for block in assembly.blocks if block.context is None and block not in assembly.entered}
    variants = _variants(assembly)
    inside: dict[int, list[ResidualBlock]] = {}
    for block in assembly.blocks:
        for extent in contexts[block]:
            if extent.kind == "try":
                for uid in variants.get(extent.uid, [extent.uid]) if block in silent else [extent.uid]:
                    inside.setdefault(uid, []).append(block)
    fences = _Fences(assembly, silent)
    kept = {uid: fences.kept(blocks) for uid, blocks in inside.items()}
    for block in silent:
        contexts[block] = _narrowed(block, contexts[block], variants, kept)
    fences.take_in(contexts)
    return contexts


def _variants(assembly: Assembly) -> dict[int, list[int]]:
    """The numbers of try regions, and those of the regions that stand for them with other attributes kept aside."""
    found: dict[int, list[int]] = {}
    for key, uid in assembly.machine.versions.extents.items():
        if isinstance(key, tuple) and key[0] == "holding":
            found.setdefault(key[1], [key[1]]).append(uid)
    return found


def _narrowed(
    block: ResidualBlock,
    context: tuple[Extent, ...],
    variants: Mapping[int, list[int]],
    kept: Mapping[int, set[ResidualBlock]],
) -> tuple[Extent, ...]:
    """The regions of a silent block without those that it need not lie in."""
    while context and context[-1].kind == "try":
        innermost = context[-1]
        for uid in variants.get(innermost.uid, [innermost.uid]):
            if block in kept[uid]:
                return (*context[:-1], innermost._replace(uid=uid))
        context = context[:-1]
    return context


class _Fences:
    """Looks at the edges between the blocks of a function, those to handlers left out."""

    def __init__(self, assembly: Assembly, silent: set[ResidualBlock]) -> None:
        self._silent: Final = silent
        self._after: Final[dict[ResidualBlock, list[ResidualBlock]]] = {block: [] for block in assembly.blocks}
        self._before: Final[dict[ResidualBlock, list[ResidualBlock]]] = {block: [] for block in assembly.blocks}
        for (number, _), (target, _) in assembly.edges.items():
            self._after[assembly.blocks[number]].append(target)
            self._before[target].append(assembly.blocks[number])

    def kept(self, blocks: list[ResidualBlock]) -> set[ResidualBlock]:
        """Those of a region's blocks that stay inside."""
        raising = [block for block in blocks if block not in self._silent]
        members = set(blocks)
        kept = _reached(raising, self._after, members)
        before = _reached(raising, self._before, members)
        between = kept & before
        doubtful = [block for block in blocks if block in kept and block not in between]
        while doubtful:
            left = [block for block in doubtful if block in kept and not kept.issuperset(self._before[block])]
            kept.difference_update(left)
            doubtful = [after for block in left for after in self._after[block] if after not in between]
        return kept if self._entries(kept) <= self._entries(kept | before) else kept | before

    def take_in(self, contexts: dict[ResidualBlock, tuple[Extent, ...]]) -> None:
        """A region that is left to several places takes in those from which the function returns at once."""
        exits: dict[tuple[Extent, ...], dict[ResidualBlock, None]] = {}
        for block, targets in self._after.items():
            context = contexts[block]
            if context and context[-1].kind == "try":
                left = [target for target in targets if contexts[target] == context[:-1]]
                exits.setdefault(context, {}).update(dict.fromkeys(left))
        for context, outside in exits.items():
            for target in outside if len(outside) > 1 else ():
                returns = target in self._silent and target.end is not None and target.end.name == "return"
                if returns and all(contexts[block] == context for block in self._before[target]):
                    contexts[target] = context

    def _entries(self, blocks: set[ResidualBlock]) -> int:
        """How many of these blocks control comes to from elsewhere."""
        return sum(not blocks.issuperset(self._before[block]) for block in blocks)


def _reached(start: list[ResidualBlock], edges: _Edges, members: set[ResidualBlock]) -> set[ResidualBlock]:
    """These blocks, and those of the members that the edges lead to."""
    found = set(start)
    work = list(start)
    while work:
        for block in edges[work.pop()]:
            if block in members and block not in found:
                found.add(block)
                work.append(block)
    return found
