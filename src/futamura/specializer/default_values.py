"""Blocks that only give a variable its default, where it is tested whether it has a value.

    t = t or []            t = 30 if t is None else t            if t is None: t = {}

Invariant: the other way brings the value that was tested to the same place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.graph import Block

__all__ = ["default_blocks"]

_FRESH: Final = frozenset({"list", "dict"})
_ASKING: Final = frozenset({"truth", "is", "is_not"})


def default_blocks(blocks: tuple[Block, ...], predecessors: list[set[int]]) -> Iterator[tuple[int, int]]:
    """Such blocks, each with the default."""
    for block in blocks:
        end, before = block.terminator, predecessors[block.id]
        if len(block.ops) != 1 or block.params or end.name != "jump" or len(before) != 1 or block.handler is not None:
            continue
        made = block.ops[0]
        if made.name != "const" and not (made.name in _FRESH and not made.args):
            continue
        edge, asking = end.edges[0], blocks[next(iter(before))]
        places = [at for at, value in enumerate(edge.args) if value == made.results[0]]
        tested = _asked_about(asking)
        if len(places) == 1 and tested is not None:
            other = next((one for one in asking.terminator.edges if one.target != block.id), None)
            if other is not None and other.target != edge.target:  # by way of a block that does nothing
                empty = blocks[other.target]
                plain = not empty.ops and not empty.params and empty.terminator.name == "jump"
                other = empty.terminator.edges[0] if plain and empty.handler is None else None
            if other is not None and other.target == edge.target and other.args[places[0]] == tested:
                yield block.id, made.results[0]


def _asked_about(block: Block) -> int | None:
    """The value whose truth, or whether it is None, decides where this block goes on."""
    if block.terminator.name != "branch":
        return None
    made = {op.results[0]: op for op in block.ops if op.results}
    asked = made.get(block.terminator.args[0])
    if asked is None or asked.name not in _ASKING:
        return None
    if asked.name == "truth":
        return asked.args[0]
    none = made.get(asked.args[1])
    plain = none is not None and none.name == "const" and isinstance(none.attr, Constant) and none.attr.value is None
    return asked.args[0] if plain else None
