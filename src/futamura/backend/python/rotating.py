"""Loops whose first test stands before them: written with one test, as people do.

    if i < n:                      while i < n:
        while True:                    i += step
            i += step
            if not i < n:
                break

Invariant: the test is evaluated as often as before and at the same times: it is the same text, and no `continue` of
the loop goes around its end.
"""

from __future__ import annotations

from collections.abc import Callable

from futamura.backend.structure.tree import Break, Continue, If, Suite, While, has_jump

__all__ = ["rotated"]


def rotated(statement: If, text: Callable[[object, bool], str]) -> Suite | None:
    """The body of the `while` that `statement` is, if it is one; `text(condition, negated)` is how a test prints."""
    if statement.orelse or len(statement.then) != 1:
        return None
    loop = statement.then[0]
    if not isinstance(loop, While) or loop.condition is not None or loop.orelse or not loop.body:
        return None
    last = loop.body[-1]
    if not isinstance(last, If) or last.orelse or len(last.then) != 1 or not isinstance(last.then[0], Break):
        return None
    if text(statement.condition, statement.negated) != text(last.condition, not last.negated):
        return None
    body = loop.body[:-1]
    return None if has_jump(body, Continue) else body
