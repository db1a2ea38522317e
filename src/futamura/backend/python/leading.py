"""What gets its variable first in a statement is a statement of its own.

    x.append((_1 := f()) + _1)      stays: `x.append` is evaluated before
    return (_1 := f()) + _1         ->      _1 = f(); return _1 + _1

Invariant: nothing but variables and constants stood before the expression that is led out.
"""

from __future__ import annotations

from dataclasses import replace

from futamura.backend.python.trees import (
    Assign,
    AugStore,
    Delete,
    Effect,
    Expression,
    Fused,
    Literal,
    Node,
    Raise,
    Ref,
    Return,
    Statement,
    Variable,
)

__all__ = ["first_named", "leading", "replaced"]


def first_named(statement: Statement) -> list[Statement]:
    """The statement, behind assignments of what got its variable in it before anything else was evaluated."""
    found: list[Statement] = []
    work = [statement]
    while work:
        current = work.pop()
        named = leading(_first(current))
        if named is None:
            found.append(current)
            continue
        assert isinstance(named.data, int)
        work.append(_without(current, named))
        work.append(Assign((Variable(named.data),), named.kids[0], current.span))
    return found


def _first(statement: Statement) -> Expression | None:
    """The expression that a statement evaluates first."""
    if isinstance(statement, (Assign, Effect, Return)):
        return statement.value
    if isinstance(statement, AugStore):
        return statement.place
    if isinstance(statement, (Delete, Raise)):
        return next((kid for kid in statement.kids if not isinstance(kid, (Ref, Literal))), None)
    return None


def leading(tree: Expression | None) -> Fused | None:
    """What is evaluated first in a tree, if that gets its variable then."""
    while tree is not None and not isinstance(tree, (Ref, Literal)):
        if isinstance(tree, Fused):
            if tree.kind == "named":
                return tree
            tree = tree.kids[0] if tree.kids else None
        else:
            tree = next((kid for kid in tree.kids if not isinstance(kid, (Ref, Literal))), None)
    return None


def _without(statement: Statement, named: Fused) -> Statement:
    """The statement that reads the variable instead."""
    if isinstance(statement, (Assign, Effect, Return)):
        return replace(statement, value=replaced(statement.value, named))
    if isinstance(statement, AugStore):
        place = replaced(statement.place, named)
        assert isinstance(place, Node)
        return replace(statement, place=place)
    assert isinstance(statement, (Delete, Raise))
    return replace(statement, kids=_first_of(statement.kids, named))


def replaced(tree: Expression, named: Fused) -> Expression:
    """The tree that reads the variable where `named`, which it evaluates first, assigned it."""
    if tree is named:
        assert isinstance(named.data, int)
        return Ref(named.data)
    if isinstance(tree, Node):
        return Node(tree.op, _first_of(tree.kids, named), tree.depth)
    assert isinstance(tree, Fused)
    return Fused(tree.kind, (replaced(tree.kids[0], named), *tree.kids[1:]), tree.data, tree.depth)


def _first_of(kids: tuple[Expression, ...], named: Fused) -> tuple[Expression, ...]:
    """`kids` with the first one that is evaluated replaced."""
    at = next(at for at, kid in enumerate(kids) if not isinstance(kid, (Ref, Literal)))
    return (*kids[:at], replaced(kids[at], named), *kids[at + 1 :])
