"""What only waits to be returned is returned at once.

    if c:                              if c:
        f(); _1 = True                     f(); return True
    else:                    ->        g(); return False
        g(); _1 = False
    return _1

    found = 1; return found, x    ->   return 1, x              behind the structurer, where it has copied a `return`

Invariant: nothing but the end of the function is copied.  What the program itself gives a name and returns waits, as it
was written to; a variable is left out where the `return` is the next statement, so that nobody else can read it: not
inside of a statement that cleans up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from futamura.backend.python.draft import Draft
from futamura.backend.python.trees import (
    MATCHES,
    Assign,
    Expression,
    Fused,
    Literal,
    Move,
    Node,
    Ref,
    Return,
    Variable,
    refs,
)
from futamura.backend.structure.tree import For, Guarded, If, Plain, Suite, While
from futamura.ir.evaluate import INPLACE
from futamura.ir.graph import ClassAttr, FunctionAttr, Value

__all__ = ["leave_out_variables", "return_at_once"]

_STATEMENTS: Final = frozenset({*INPLACE, *MATCHES, "cell", "import", "import_from", "with_enter"})
_DEEPEST: Final = 64
"""Trees that are deeper stay as they are."""


def return_at_once(draft: Draft) -> None:
    """Copy the ends of the function that return a nameless value to where it is made."""
    while True:
        ends = {
            node.id: node.end
            for node in draft.nodes.values()
            if node.id and node.end.name == "return" and not node.items and node.handler is None
            if tuple(node.params) == node.end.args and draft.hints[node.params[0]] is None
        }
        copied = False
        for node in draft.nodes.values() if ends else ():
            if node.end.name == "jump" and node.end.edges[0].target in ends:
                edge = node.end.edges[0]
                node.end = ends[edge.target]._replace(args=edge.args)
                copied = True
        if not copied:
            return
        draft.prune()
        draft.merge()


def leave_out_variables(suite: Suite, hints: Sequence[str | None], names: Mapping[Value, str]) -> None:
    """Return what is assigned to a variable right before that is returned."""
    for inner in _suites(suite):
        while len(inner) > 1:
            before, end = inner[-2], inner[-1]
            if not isinstance(before, Plain) or not isinstance(end, Plain) or not isinstance(end.statement, Return):
                break
            value = _returned(before.statement, end.statement.value, hints, names)
            if value is None:
                break
            inner[-2:] = [Plain(Return(value, end.statement.span))]


def _returned(
    before: object, value: Expression, hints: Sequence[str | None], names: Mapping[Value, str]
) -> Expression | None:
    """What is returned if the assignment before is left out; None if it has to stay.

    Values that have one variable are one here: that a parameter gets what is in it already is written nowhere.
    """
    if isinstance(before, Move) and all(isinstance(source, (Ref, Literal)) for source in before.sources):
        moved = dict(zip([names[target] for target in before.targets], before.sources, strict=True))
        return _replaced(value, {one: moved[names[one]] for one in refs(value) if names.get(one) in moved})
    if isinstance(before, Assign) and isinstance(value, Ref) and len(before.targets) == 1:
        target = before.targets[0]
        if isinstance(target, Variable) and names[target.value] == names[value.value]:
            plain = hints[target.value] is None and hints[value.value] is None
            return before.value if plain and _is_expression(before.value) else None
    return None


def _is_expression(tree: Expression) -> bool:
    """Is no part of this right-hand side a statement of its own kind, as a definition with its decorators is?"""
    work = [tree]
    while work:
        item = work.pop()
        if isinstance(item, Node):
            if item.op.name in _STATEMENTS or isinstance(item.op.attr, (ClassAttr, FunctionAttr)):
                return False
            work.extend(item.kids)
        elif isinstance(item, Fused):
            work.extend(item.kids)
    return True


def _replaced(tree: Expression, sources: Mapping[Value, Expression]) -> Expression | None:
    """The tree with what variables get in their places; None if it assigns or loops itself."""
    if isinstance(tree, Ref):
        return sources.get(tree.value, tree)
    if isinstance(tree, Literal):
        return tree
    if tree.depth > _DEEPEST or (isinstance(tree, Fused) and tree.data is not None):
        return None
    kids = [_replaced(kid, sources) for kid in tree.kids]
    found = tuple([kid for kid in kids if kid is not None])
    if len(found) < len(kids):
        return None
    return Node(tree.op, found, tree.depth) if isinstance(tree, Node) else Fused(tree.kind, found, None, tree.depth)


def _suites(suite: Suite) -> Iterator[Suite]:
    """All suites that are not inside of a statement that cleans up."""
    work = [suite]
    while work:
        inner = work.pop()
        yield inner
        for statement in inner:
            if isinstance(statement, If):
                work.extend((statement.then, statement.orelse))
            elif isinstance(statement, (While, For)):
                work.extend((statement.body, statement.orelse))
            elif isinstance(statement, Guarded) and not statement.final:
                work.extend((statement.body, statement.orelse, *(handler.body for handler in statement.handlers)))
