"""How a person writes an `if`: guard clauses, negated tests instead of empty arms, flat elif chains.

    if c: pass                 if not c:           if c: a                        if c:
    else: a              ->        a               else: <many lines>       ->        a
                                                                                      continue
                                                                                  <many lines>
Invariant: the `if` is the last statement of its suite, so what follows a guard may move into the suite.
"""

from __future__ import annotations

from futamura.backend.structure.tree import Break, For, Guarded, If, SetFlag, Statement, Suite, While, parts_of

__all__ = ["GUARD_THEN", "finish_if", "has_one_guarded", "longer_than", "reset_before_breaks"]

GUARD_THEN = 2
"""An arm of at most so many lines becomes a guard clause ..."""
GUARD_ELSE = 8
"""... if the other arm has more lines than this."""
NEGATE = 5
"""An empty first arm becomes a guard clause if the other arm has more lines than this."""


def finish_if(statement: If, suite: Suite, explicit: Statement | None) -> None:
    """Settle the arms of the last `if` of `suite`.  `explicit` goes where control falls from there, if anything can."""
    then, orelse = statement.then, statement.orelse
    if not orelse:
        return
    if not then:
        if explicit is not None and longer_than(orelse, NEGATE):
            _guard(statement, suite, explicit)
            return
        if len(orelse) == 1 and isinstance(orelse[0], If) and orelse[0].orelse:
            return  # `if a: pass` `elif b: ...` reads better than a deeper chain
        statement.then, statement.orelse = orelse, []
        statement.negated = not statement.negated
        return
    if explicit is None or (len(orelse) == 1 and isinstance(orelse[0], If)):
        return
    if longer_than(orelse, GUARD_ELSE) and not longer_than(then, GUARD_THEN):
        _guard(statement, suite, explicit)


def _guard(statement: If, suite: Suite, explicit: Statement) -> None:
    statement.then.append(explicit)
    suite.extend(statement.orelse)
    statement.orelse = []


def longer_than(suite: Suite, lines: int) -> bool:
    """Whether the suite has more lines than that; looks at no more of it than necessary."""
    work = [suite]
    while work:
        for statement in work.pop():
            lines -= 1
            if lines < 0:
                return True
            work.extend(parts_of(statement))
    return False


def has_one_guarded(suite: Suite) -> bool:
    """Whether the suite is one try statement without a final part, so that a final part can be added to it."""
    if len(suite) != 1:
        return False
    only = suite[0]
    return isinstance(only, Guarded) and not only.final


def reset_before_breaks(loop: Suite, flag: str) -> None:
    """Let all ways out of the one loop in `loop` clear the flag, but for the jumps that set it.

    Needed when a clean-up can replace a break that was on its way, after its flag was set.
    """
    work: list[Suite] = []
    for statement in loop:
        if isinstance(statement, (While, For)):
            work.append(statement.body)
            if isinstance(statement, For) or statement.condition is not None:
                statement.orelse.insert(0, SetFlag(flag, 0))
    while work:
        suite = work.pop()
        for place in range(len(suite) - 1, -1, -1):
            statement = suite[place]
            if isinstance(statement, Break):
                before = suite[place - 1] if place else None
                if not (isinstance(before, SetFlag) and before.name == flag):
                    suite.insert(place, SetFlag(flag, 0))
            else:
                work.extend([statement.orelse] if isinstance(statement, (While, For)) else parts_of(statement))
