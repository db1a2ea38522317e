"""Truth: conditions that branch, boolean values, comparisons, conditional expressions.

    if a and not b: X          t0 = truth a -> (next | else);  t1 = truth b -> (else | X)
    x = a or b                 t0 = truth a -> (join(a) | next);  next: jump join(b)

How often the truth of an operand is asked for is part of the meaning (`__bool__` is a call).  CPython before
3.12 asks once for an operand of `(a or b) and c` taken as a value, later versions once for each operator
that looks at it; both are followed, after the version that runs.

Invariant: `branch_on` ends the current block; afterwards control is in `then` or in `orelse` only.
"""

from __future__ import annotations

import ast
import sys
from typing import Final

from futamura.frontend.draft import Draft, DraftBlock, Temp, lowers
from futamura.ir.ops import OPERATORS, Operator

__all__ = ["branch_on", "constant_truth"]

ASKS_ONCE: Final = sys.version_info < (3, 12)

_TRUTH: Final = OPERATORS["truth"]
_NOT: Final = OPERATORS["not"]

COMPARE: Final[dict[type[ast.cmpop], Operator]] = {
    ast.Lt: OPERATORS["lt"],
    ast.LtE: OPERATORS["le"],
    ast.Eq: OPERATORS["eq"],
    ast.NotEq: OPERATORS["ne"],
    ast.Gt: OPERATORS["gt"],
    ast.GtE: OPERATORS["ge"],
    ast.Is: OPERATORS["is"],
    ast.IsNot: OPERATORS["is_not"],
    ast.In: OPERATORS["in"],
    ast.NotIn: OPERATORS["not_in"],
}

_EXACT: Final = frozenset({COMPARE[ast.Is], COMPARE[ast.IsNot]})
"""Comparisons whose result is a bool whatever they compare."""


def constant_truth(d: Draft, node: ast.expr) -> bool | None:
    """What CPython's compiler knows about a condition: the truth of a constant, or `None`."""
    negations = 0
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
        negations += 1
    if isinstance(node, ast.Constant):
        return bool(node.value) ^ bool(negations % 2)
    if isinstance(node, ast.Name) and node.id == "__debug__":
        return (d.unit.optimize == 0) ^ bool(negations % 2)
    return None


def branch_on(d: Draft, node: ast.expr, then: DraftBlock, orelse: DraftBlock) -> None:
    """Go to `then` if the condition holds, else to `orelse`."""
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
        then, orelse = orelse, then
    known = constant_truth(d, node)
    if known is not None:
        d.jump(then if known else orelse, node=node)
    elif isinstance(node, ast.BoolOp):
        leaves_on = isinstance(node.op, ast.Or)
        for operand in node.values[:-1]:
            following = d.new_block()
            branch_on(d, operand, then if leaves_on else following, following if leaves_on else orelse)
            d.start(following)
            if not d.alive:
                return
        branch_on(d, node.values[-1], then, orelse)
    elif isinstance(node, ast.IfExp):
        first, second = d.new_block(), d.new_block()
        branch_on(d, node.test, first, second)
        d.start(first)
        if d.alive:
            branch_on(d, node.body, then, orelse)
        d.start(second)
        if d.alive:
            branch_on(d, node.orelse, then, orelse)
    elif isinstance(node, ast.Compare):
        _branch_on_comparison(d, node, then, orelse)
    else:
        _branch(d, d.value(node), node, then, orelse)


def _branch(d: Draft, value: Temp, node: ast.expr, then: DraftBlock, orelse: DraftBlock) -> None:
    test = d.emit(_TRUTH, (value,), None, node)
    d.terminate("branch", (test,), [(then, ()), (orelse, ())], node)


def _branch_on_comparison(d: Draft, node: ast.Compare, then: DraftBlock, orelse: DraftBlock) -> None:
    left = d.value(node.left)
    last = len(node.ops) - 1
    for position, (operation, operand) in enumerate(zip(node.ops, node.comparators)):
        right = d.value(operand)
        row = COMPARE[operation.__class__]
        test = d.emit(row, (left, right), None, node)
        if row not in _EXACT:
            test = d.emit(_TRUTH, (test,), None, node)
        following = then if position == last else d.new_block()
        d.terminate("branch", (test,), [(following, ()), (orelse, ())], node)
        if position < last:
            d.start(following)
        left = right


def _join(d: Draft) -> tuple[DraftBlock, Temp]:
    """A block that receives one value."""
    block = d.new_block()
    temp = d.temp()
    block.params = (temp,)
    return block, temp


@lowers(ast.Compare)
def compare(d: Draft, node: ast.Compare) -> Temp:
    left = d.value(node.left)
    if len(node.ops) == 1:
        return d.emit(COMPARE[node.ops[0].__class__], (left, d.value(node.comparators[0])), None, node)
    join, result = _join(d)
    last = len(node.ops) - 1
    for position, (operation, operand) in enumerate(zip(node.ops, node.comparators)):
        right = d.value(operand)
        row = COMPARE[operation.__class__]
        outcome = d.emit(row, (left, right), None, node)
        if position == last:
            d.jump(join, (outcome,), node)
            break
        test = outcome if row in _EXACT else d.emit(_TRUTH, (outcome,), None, node)
        following = d.new_block()
        d.terminate("branch", (test,), [(following, ()), (join, (outcome,))], node)
        d.start(following)
        left = right
    d.start(join)
    return result


@lowers(ast.BoolOp)
def boolean(d: Draft, node: ast.BoolOp) -> Temp:
    join, result = _join(d)
    leaves_on = isinstance(node.op, ast.Or)
    for operand in node.values[:-1]:
        following = d.new_block()
        _operand(d, operand, leaves_on, join, following, node)
        d.start(following)
    d.jump(join, (d.value(node.values[-1]),), node)
    d.start(join)
    return result


def _operand(
    d: Draft, node: ast.expr, leaves_on: bool, join: DraftBlock, following: DraftBlock, whole: ast.expr
) -> None:
    """Go to `join` with the operand if its truth is `leaves_on`, else to `following`."""
    if not (ASKS_ONCE and isinstance(node, ast.BoolOp)):
        value = d.value(node)
        test = d.emit(_TRUTH, (value,), None, node)
        leave, stay = (join, (value,)), (following, ())
        d.terminate("branch", (test,), [leave, stay] if leaves_on else [stay, leave], whole)
        return
    inner = isinstance(node.op, ast.Or)
    for operand in node.values[:-1]:
        another = d.new_block()
        if inner == leaves_on:
            _operand(d, operand, leaves_on, join, another, whole)
        else:
            branch_on(d, operand, following if inner else another, another if inner else following)
        d.start(another)
    _operand(d, node.values[-1], leaves_on, join, following, whole)


@lowers(ast.IfExp)
def conditional(d: Draft, node: ast.IfExp) -> Temp:
    known = constant_truth(d, node.test)
    if known is not None:
        return d.value(node.body if known else node.orelse)
    join, result = _join(d)
    then, orelse = d.new_block(), d.new_block()
    branch_on(d, node.test, then, orelse)
    for block, value in ((then, node.body), (orelse, node.orelse)):
        d.start(block)
        d.jump(join, (d.value(value),), value)
    d.start(join)
    return result


@lowers(ast.UnaryOp)
def unary(d: Draft, node: ast.UnaryOp) -> Temp:
    operand = node.operand
    if isinstance(node.op, ast.USub) and isinstance(operand, ast.Constant):
        number = operand.value
        if isinstance(number, (int, float, complex)) and not isinstance(number, bool):
            return d.constant(-number, node)
    return d.emit(_UNARY[node.op.__class__], (d.value(operand),), None, node)


_UNARY: Final[dict[type[ast.unaryop], Operator]] = {
    ast.USub: OPERATORS["neg"],
    ast.UAdd: OPERATORS["pos"],
    ast.Invert: OPERATORS["invert"],
    ast.Not: _NOT,
}
