"""Ways between versions: what one leads to, what loops hold, and which parts of a version stay in its loop.

    header -> body -> header         looping(header) == {header, body}
              body -> behind         the blocks of `body` that only lead there are none of those that lead to `header`

Invariant: nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from futamura.specializer.residual import Lazy, ResidualBlock, Version, blocks_of

__all__ = ["blocks_leading_to", "looping", "reached", "successors"]


def reached(start: Version, end: Version | None) -> set[Version]:
    """The versions that ways from one lead to, which end at `end`."""
    seen: set[Version] = set()
    work = list(successors(start))
    while work:
        version = work.pop()
        if version not in seen:
            seen.add(version)
            if version is not end:
                work.extend(successors(version))
    return seen


def looping(start: Version) -> set[Version]:
    """The versions on the ways that lead from a loop's header back to it within the loop."""
    leading: dict[Version, list[Version]] = {}
    frames = start.state.frames
    loop = next((loop for loop in frames[-1].facts.loops if loop.header == frames[-1].block), None)
    for version in reached(start, None):
        held = version.state.frames
        inside = len(held) > len(frames) or (len(held) == len(frames) and held[-1].facts is frames[-1].facts)
        if not inside or (loop is not None and held[len(frames) - 1].block not in loop.blocks):
            continue
        for after in successors(version):
            leading.setdefault(after, []).append(version)
    found = {start}
    work = [start]
    while work:
        for before in leading.get(work.pop(), ()):
            if before not in found:
                found.add(before)
                work.append(before)
    return found


def blocks_leading_to(version: Version, wanted: Collection[Version]) -> Iterable[ResidualBlock]:
    """The blocks of a version from which ways lead to one of these versions: not those that leave the loop."""
    blocks = list(blocks_of(version))
    found: set[ResidualBlock] = set()
    while True:
        more = [
            block
            for block in blocks
            if block not in found
            and any(
                one.version.final() in wanted if isinstance(one, Lazy) else one in found
                for one in (*(() if block.end is None else block.end.targets), block.handler)
                if one is not None
            )
        ]
        if not more:
            return [block for block in blocks if block in found]
        found.update(more)


def successors(version: Version) -> Iterator[Version]:
    for block in blocks_of(version):
        targets = () if block.end is None else block.end.targets
        for target in (*targets, block.handler):
            if isinstance(target, Lazy):
                yield target.version.final()
