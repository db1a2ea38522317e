"""Reads of static objects that are there only for what they make the object keep: the first one on each way is enough.

    schema.names                          schema.names
    for k in row:                ->       for k in row:
        schema.names                          ...
        ...

Invariant: on every way to a read that goes there was another one of the same attribute that stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from futamura.specializer.kept import Kept, Place
from futamura.specializer.residual import Lazy, ResidualBlock, ResidualOperation, Target, Version

__all__ = ["drop_repeated"]

_Reads: TypeAlias = frozenset[Place]


def drop_repeated(kept: Kept, root: Version) -> None:
    """Take the repeated ones out of the residual's blocks."""
    if not kept.bare:
        return
    first = root.final().root
    done: dict[ResidualBlock, _Reads] = {first: frozenset()}
    work = [first]
    while work:
        block = work.pop()
        for target, reads in _ways(kept, block, done[block]):
            after = target.final().root if isinstance(target, Version) else target
            before = done.get(after)
            now = reads if before is None else before & reads
            if now != before:
                done[after] = now
                work.append(after)
    for block, reads in done.items():
        ops: list[ResidualOperation] = []
        for op in block.ops:
            read = _read(kept, op)
            if read is None or read not in reads or op.results[0] not in kept.bare:
                ops.append(op)
            else:
                stores = kept.bare[op.results[0]]
                ops = [one for one in ops if not any(one is store for store in stores)]
            reads = reads if read is None else reads | {read}
        block.ops[:] = ops


def _ways(kept: Kept, block: ResidualBlock, reads: _Reads) -> Iterator[tuple[ResidualBlock | Version, _Reads]]:
    """Where control goes from a block, and what was read then."""
    if block.handler is not None:
        yield _entered(block.handler), reads
    for op in block.ops:
        if op.lazy is not None:
            yield op.lazy.version, frozenset()
        read = _read(kept, op)
        reads = reads if read is None else reads | {read}
    for target in () if block.end is None else block.end.targets:
        yield _entered(target), reads


def _entered(target: Target) -> ResidualBlock | Version:
    return target.version if isinstance(target, Lazy) else target


def _read(kept: Kept, op: ResidualOperation) -> Place | None:
    return kept.made.get(op.results[0]) if op.name in ("getattr", "call") else None
