"""What a loop does nothing with but append to it, put items into it, or take some out.

    for row in rows:
        if row.age > 20:
            out.append(row)         ->      added {out}, used {rows, row, ...}
        missing.discard(row.name)           written {missing}

Invariant: whatever the operations of the loop read, or pass on to such, is in `used`; what has no name
in `used` the loop cannot tell from a longer list.
"""

from __future__ import annotations

from collections.abc import Collection, Container
from typing import Final, NamedTuple

from futamura.ir.graph import Block, Function

__all__ = ["Gathering", "gathering", "read_anywhere"]

_PLAIN: Final = (None, ("",), ("", ""))
"""The attributes of a call that passes an argument or two by their positions."""
_WRITES: Final = {"add": (2,), "discard": (2,), "pop": (3,), "setdefault": (2, 3)}
"""Methods of sets and dicts that raise nothing, whatever these hold, with the numbers of operands of such calls."""
_WRITTEN: Final = {"list_append": 0, "setitem": 1}
"""The place among the operands of what is written to."""


class Gathering(NamedTuple):
    """Values of a function, as one of its loops uses them."""

    added: frozenset[int]
    """What the loop appends to, and uses for nothing else."""
    used: frozenset[int]
    """What it uses otherwise."""
    always: frozenset[int]
    """Those of `added` that each trip around the loop appends to, of lists of comprehensions: what raises in a trip
    ends these, so that nobody sees one that stayed as it was."""
    written: frozenset[int]
    """Dicts and sets that the loop puts items into, or takes out of without looking at them, and uses for nothing
    else."""
    read: frozenset[int]
    """What it uses otherwise than these."""


def gathering(function: Function, header: int, blocks: frozenset[int], read_at_all: frozenset[int]) -> Gathering:
    """What the loop of these blocks does with values; `read_at_all` is everything that the function uses anywhere."""
    inside = [function.blocks[at] for at in sorted(blocks)]
    links = [link for block in inside for link in _links(function, block, blocks)]
    places: dict[int, set[int]] = {}
    for block in inside:
        for op in block.ops:
            if op.name == "list_append":
                places.setdefault(op.args[0], set()).add(block.id)
    added, used = _only(inside, links, {"append": (2,)}, "list_append", frozenset())
    written, read = _only(inside, links, _WRITES, "setitem", read_at_all)
    placed = sorted(added.intersection(places))
    always = [value for value in placed if not _returns(function, header, blocks, places[value])]
    return Gathering(added, used, frozenset(always), written, read)


def _only(
    inside: list[Block],
    links: list[tuple[int, int]],
    names: dict[str, tuple[int, ...]],
    writer: str,
    read: Container[int],
) -> tuple[frozenset[int], frozenset[int]]:
    """The values of which these blocks only call the methods of these names, with so many operands and for nothing that
    is read, or to which they do the operation `writer`; and those that they use otherwise."""
    methods = {
        op.results[0]: op for block in inside for op in block.ops if op.name == "getattr" and op.attr in names
    }  # fmt: skip
    only = {op.args[0] for op in methods.values()}
    used: set[int] = set()
    for block in inside:
        for op in block.ops:
            called = methods.get(op.args[0]) if op.name == "call" and op.attr in _PLAIN else None
            if op.name == writer:
                place = _WRITTEN[writer]
                only.add(op.args[place])
                used.update([arg for at, arg in enumerate(op.args) if at != place])
            elif called is not None and len(op.args) in names[str(called.attr)] and op.results[0] not in read:
                used.update(op.args[1:])
            elif op.name != "getattr" or op.attr not in names:
                used.update(op.args)
        used.update(block.terminator.args)
    used.update(source for source, _ in links if source in methods)
    used.update(op.args[0] for method, op in methods.items() if method in used)
    while more := {source for source, param in links if param in used} - used:
        used |= more
    while more := {param for source, param in links if source in only} - only:
        only |= more
    return frozenset(only - used), frozenset(used)


def read_anywhere(function: Function) -> frozenset[int]:
    """Everything that anything is done with in a function."""
    read: set[int] = set()
    for block in function.blocks:
        read.update(arg for op in block.ops for arg in op.args)
        read.update(block.terminator.args)
        read.update(arg for edge in block.terminator.edges for arg in edge.args)
        read.update(block.handler.args if block.handler is not None else ())
    return frozenset(read)


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
