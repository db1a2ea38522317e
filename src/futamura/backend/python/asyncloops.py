"""`async for`: the loops that wait for items one by one, as the statement that they are.

    it = aiter rows                      async for row in rows:
    while True:                   ->         ...
        try: row = anext it              ...
        except StopAsyncIteration: break
        ...

What does not have this form (an iterator that is used twice, say) stays a loop with a `try` statement, and calls of the
runtime's functions, which do the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from futamura.backend.python.prepare import ClauseHeader
from futamura.backend.python.trees import Assign, Literal, Move, Node, Ref, Target, Variable, refs
from futamura.backend.structure.tree import (
    Break,
    Continue,
    For,
    Guarded,
    Plain,
    Statement,
    Suite,
    While,
    has_jump,
    parts_of,
)
from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Value

__all__ = ["async_loops"]


def async_loops(suite: Suite, function: Function, names: Mapping[Value, str]) -> None:
    """Rewrite such loops of a coroutine, inner ones too; `names` are those of its variables."""
    if function.kind != "coroutine":
        return
    uses = Counter[Value]()
    seen: dict[Value, tuple[Value, ...]] = {}
    for block in function.blocks:
        for op in block.ops:
            uses.update(op.args)
            if op.name == "aiter" and block.handler is not None:
                seen[op.results[0]] = block.handler.args
        uses.update(block.terminator.args)
        edges = block.terminator.edges if block.handler is None else (*block.terminator.edges, block.handler)
        uses.update(arg for edge in edges for arg in edge.args)
    for inner in _suites(suite):
        at = 0
        while at < len(inner):
            _rewrite(inner, at, uses, names, seen)
            at += 1


class _Loop(NamedTuple):
    target: Target
    iterator: Value
    body: Suite
    ended: Suite
    """What comes when there is no item any more."""


def _rewrite(
    suite: Suite, at: int, uses: Counter[Value], names: Mapping[Value, str], seen: Mapping[Value, Iterable[Value]]
) -> None:
    """`seen` is what a handler sees if there is no such iterator, by the iterator."""
    loop = _loop(suite[at])
    if loop is None or uses[loop.iterator] != 1:
        return
    before = next((place for place in range(at - 1, -1, -1) if not _is_silent(suite[place])), -1)
    made = suite[before] if before >= 0 else None
    assigned = made.statement if isinstance(made, Plain) else None
    if not isinstance(assigned, Assign) or not isinstance(assigned.value, Node) or assigned.value.op.name != "aiter":
        return
    if assigned.value.op.results != (loop.iterator,) or len(assigned.targets) != 1:
        return
    needed = {names.get(value) for value in (*refs(assigned.value), *seen.get(loop.iterator, ()))}
    if any(names[target] in needed for between in suite[before + 1 : at] for target in _targets(between)):
        return  # what is iterated over, or what the handler sees, would be another one by then
    target, body = _target(loop, uses)
    leaves = has_jump(body, Break)
    statement = For(target, assigned.value.kids[0], body, loop.ended if leaves else [], waits=True)
    suite[at : at + 1] = [statement] if leaves else [statement, *loop.ended]
    del suite[before]


def _loop(statement: Statement) -> _Loop | None:
    """The `try` statement may also stand around the loop, if nothing else in it raises anything."""
    if isinstance(statement, Guarded):
        inner = statement.body[0] if len(statement.body) == 1 else None
        guarded, rounds = statement, inner.body if isinstance(inner, While) and _is_endless(inner) else []
        first, inside = (rounds[0], rounds[1:]) if rounds and not statement.orelse else (None, [])
    elif isinstance(statement, While) and _is_endless(statement) and isinstance(statement.body[0], Guarded):
        guarded = statement.body[0]
        first, inside = guarded.body[0], [*guarded.body[1:], *guarded.orelse, *statement.body[1:]]
    else:
        return None
    if guarded.final or len(guarded.handlers) != 1 or not isinstance(first, Plain):
        return None
    (handler,), header, waits = guarded.handlers, guarded.handlers[0].header, first.statement
    if not isinstance(header, ClauseHeader) or header.exception is not None or not isinstance(waits, Assign):
        return None
    if not isinstance(header.classes, Literal) or header.classes.constant != Constant(StopAsyncIteration):
        return None
    item, ended = waits.value, handler.body
    if len(waits.targets) != 1 or not isinstance(item, Node) or item.op.name != "anext":
        return None
    if isinstance(statement, While):
        ended = ended[:-1] if ended and isinstance(ended[-1], Break) else ended
        if has_jump(ended, (Break, Continue)):
            return None
    iterator = item.kids[0]
    return _Loop(waits.targets[0], iterator.value, inside, ended) if isinstance(iterator, Ref) else None


def _is_endless(loop: While) -> bool:
    return loop.condition is None and not loop.orelse and bool(loop.body)


def _target(loop: _Loop, uses: Counter[Value]) -> tuple[Target, Suite]:
    """The target and the body; of an item that is only assigned to something else at once, that is the target."""
    first = loop.body[0] if loop.body else None
    assigned = first.statement if isinstance(first, Plain) else None
    if not isinstance(assigned, Assign) or len(assigned.targets) != 1 or not isinstance(loop.target, Variable):
        return loop.target, loop.body
    alone = isinstance(assigned.value, Ref) and assigned.value.value == loop.target.value
    if not alone or uses[loop.target.value] != 1:
        return loop.target, loop.body
    return assigned.targets[0], loop.body[1:]


def _is_silent(statement: Statement) -> bool:
    """Does this only give constants, or empty containers, to variables?"""
    done = statement.statement if isinstance(statement, Plain) else None
    if isinstance(done, Move):
        return all(isinstance(source, Literal) for source in done.sources)
    if not isinstance(done, Assign) or not all(isinstance(target, Variable) for target in done.targets):
        return False
    value = done.value
    empty = isinstance(value, Node) and value.op.name in ("list", "set", "dict") and not value.kids
    return empty or isinstance(value, Literal)


def _targets(statement: Statement) -> list[Value]:
    """The variables that such a statement gives constants to."""
    done = statement.statement if isinstance(statement, Plain) else None
    if isinstance(done, Move):
        return [*done.targets]
    targets = done.targets if isinstance(done, Assign) else ()
    return [target.value for target in targets if isinstance(target, Variable)]


def _suites(suite: Suite) -> list[Suite]:
    """This one and all inside of it, inner ones first."""
    found = [suite]
    for one in found:  # which grows
        for statement in one:
            found.extend(parts_of(statement))
    return found[::-1]
