"""What a loop does nothing with but append to it.

    for row in rows:
        if row.age > 20:
            out.append(row)         ->      added {out}, used {rows, row, ...}

Invariant: whatever the operations of the loop read, or pass on to such, is in `used`; what has no name
in `used` the loop cannot tell from a longer list.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple

from futamura.ir.graph import Block, Function

__all__ = ["Gathering", "gathering"]

_PLAIN: Final = (None, ("",))
"""The attributes of a call that passes one argument by its position."""


class Gathering(NamedTuple):
    """Values of a function, as one of its loops uses them."""

    added: frozenset[int]
    """What the loop appends to, and uses for nothing else."""
    used: frozenset[int]
    """What it uses otherwise."""
    always: frozenset[int]
    """Those of `added` that each trip around the loop appends to, of lists of comprehensions: what raises in a trip
    ends these, so that nobody sees one that stayed as it was."""


def gathering(function: Function, header: int, blocks: frozenset[int]) -> Gathering:
    """What the loop of these blocks does with values."""
    inside = [function.blocks[at] for at in sorted(blocks)]
    methods = {
        op.results[0]: op.args[0]
        for block in inside
        for op in block.ops
        if op.name == "getattr" and op.attr == "append"
    }
    added = set(methods.values())
    places: dict[int, set[int]] = {}
    used: set[int] = set()
    for block in inside:
        for op in block.ops:
            if op.name == "list_append":
                added.add(op.args[0])
                places.setdefault(op.args[0], set()).add(block.id)
                used.add(op.args[1])
            elif op.name == "call" and op.args[0] in methods and len(op.args) == 2 and op.attr in _PLAIN:
                used.add(op.args[1])
            elif op.name != "getattr" or op.attr != "append":
                used.update(op.args)
        used.update(block.terminator.args)
    links = [link for block in inside for link in _links(function, block, blocks)]
    used.update(source for source, _ in links if source in methods)
    used.update(target for method, target in methods.items() if method in used)
    while more := {source for source, param in links if param in used} - used:
        used |= more
    while more := {param for source, param in links if source in added} - added:
        added |= more
    found = frozenset(added - used)
    placed = sorted(found.intersection(places))
    always = [value for value in placed if not _returns(function, header, blocks, places[value])]
    return Gathering(found, frozenset(used), frozenset(always))


def _returns(function: Function, header: int, blocks: frozenset[int], places: Collection[int]) -> bool:
    """Is there a trip around the loop that leaves none of these blocks by its end?"""
    work, seen = [header], {header}
    while work:
        block = function.blocks[work.pop()]
        edges = () if block.id in places else block.terminator.edges
        for edge in (*edges, *([block.handler] if block.handler is not None else [])):
            if edge.target == header:
                return True
            if edge.target in blocks and edge.target not in seen:
                seen.add(edge.target)
                work.append(edge.target)
    return False


def _links(function: Function, block: Block, blocks: frozenset[int]) -> list[tuple[int, int]]:
    """What this block passes on within the loop, with the parameters that take it."""
    found: list[tuple[int, int]] = []
    for edge in (*block.terminator.edges, *([block.handler] if block.handler is not None else [])):
        if edge.target in blocks:
            params = function.blocks[edge.target].params
            found += zip(edge.args, params[len(params) - len(edge.args) :])
    return found
