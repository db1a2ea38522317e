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

from futamura.backend.structure.tree import Break, Continue, For, Guarded, If, Outlined, Suite, While, With

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
    return None if _continues(body) else body


def _continues(suite: Suite) -> bool:
    """Does a `continue` of this very loop stand here?"""
    work = [suite]
    while work:
        for statement in work.pop():
            if isinstance(statement, Continue):
                return True
            if isinstance(statement, If):
                work.extend((statement.then, statement.orelse))
            elif isinstance(statement, (While, For)):
                work.append(statement.orelse)
            elif isinstance(statement, Guarded):
                work.extend((statement.body, statement.orelse, statement.final))
                work.extend(handler.body for handler in statement.handlers)
            elif isinstance(statement, (With, Outlined)):
                work.append(statement.body)
    return False
