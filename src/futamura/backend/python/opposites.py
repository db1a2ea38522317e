"""Comparisons of values of exact classes have opposites: conditions are written the way that people write them.

    if s != "users":                        if s == "users":
        if s != "orders":                       return 1
            raise NotFound                  elif s == "orders":
        else: return 2              ->          return 2
    else: return 1                          else:
                                                raise NotFound

Invariant: only where the program says that both operands are exactly of builtin classes of numbers, texts and None: a
class of the user may define `!=` as it likes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeGuard

from futamura.backend.python.trees import Expression, Fused, Literal, Node, Ref
from futamura.backend.structure.tree import If
from futamura.ir.graph import OBJECT, Value

__all__ = ["Exact", "equal_first", "has_opposite", "is_joined", "is_not", "opposite", "truth_operand"]

Exact = Callable[[Value], str]
"""The exact class of a value, by name; "object" where it is not known."""

_OPPOSITE: Final = {"is": "is_not", "is_not": "is", "in": "not_in", "not_in": "in"}
_OF_SCALARS: Final = {"eq": "ne", "ne": "eq"}
_OF_ORDERED: Final = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
_ORDERED: Final = (frozenset({"int", "bool"}), frozenset({"str"}), frozenset({"bytes"}))
"""Of two values of such classes one comes first, or they are equal; a NaN does neither."""
_SCALARS: Final = frozenset({"int", "bool", "float", "complex", "str", "bytes", "NoneType"})


def opposite(tree: Expression, exact: Exact) -> str | None:
    """The operator that gives the opposite of this comparison, whatever its operands are at run time."""
    if not isinstance(tree, Node):
        return None
    found = _OPPOSITE.get(tree.op.name)
    if found is not None:
        return found
    name, kinds = tree.op.name, {_kind(kid, exact) for kid in tree.kids}
    if name in _OF_SCALARS and kinds <= _SCALARS:
        return _OF_SCALARS[name]
    return _OF_ORDERED[name] if name in _OF_ORDERED and any(kinds <= group for group in _ORDERED) else None


def truth_operand(tree: Expression) -> Expression:
    """What a test of its truth looks at."""
    while isinstance(tree, Node) and tree.op.name == "truth":
        tree = tree.kids[0]
    return tree


def is_joined(tree: Expression) -> bool:
    """Is this a condition made of others, which gives its truth alone?"""
    tree = truth_operand(tree)
    return isinstance(tree, Fused) and tree.data == "condition"


def is_not(tree: Expression) -> TypeGuard[Node | Fused]:
    return (isinstance(tree, Fused) and tree.kind == "not") or (isinstance(tree, Node) and tree.op.name == "not")


def has_opposite(tree: Expression, exact: Exact) -> bool:
    """Is the opposite of this condition made of opposites, without a `not` before a parenthesis?

        not (v is None or v not in names)     ->     v is not None and v in names
    """
    tree = truth_operand(tree)
    if isinstance(tree, Fused) and tree.data == "condition":
        return tree.kind != "ifexp" and all(has_opposite(kid, exact) for kid in tree.kids)
    return is_not(tree) or opposite(tree, exact) is not None


def _kind(tree: Expression, exact: Exact) -> str:
    if isinstance(tree, Literal):
        return type(tree.constant.value).__name__ if type(tree.constant.value).__module__ == "builtins" else OBJECT
    if isinstance(tree, Ref):
        return exact(tree.value)
    return exact(tree.op.results[0]) if isinstance(tree, Node) and len(tree.op.results) == 1 else OBJECT


def equal_first(statement: If, chained: bool, exact: Exact) -> If:
    """The statement with its ways exchanged, if it asks for `!=` and another test is all that follows from that, or if
    it is one of a chain."""
    tree, then = statement.condition, statement.then
    if not isinstance(tree, Node) or not statement.orelse:
        return statement
    if not chained and then and not (len(then) == 1 and type(then[0]) is If):
        return statement
    asked = "eq" if statement.negated else "ne"
    if tree.op.name != asked or opposite(tree, exact) is None:
        return statement
    return If(tree, statement.orelse, then, not statement.negated)
