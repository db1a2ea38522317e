"""Targets of assignments, deletions and augmented assignments.

    a[i], *b = v       first, b = unpack[1, starred, 0] v;  a;  i;  setitem first, a, i;  SET b
    a[i] += v          a;  i;  t = getitem a, i;  v;  t2 = iadd t, v;  setitem t2, a, i

Invariant: the parts of a target are evaluated after the value, from left to right, each once.
"""

from __future__ import annotations

import ast
from typing import Final

from futamura.frontend.draft import Draft, Temp, lowers
from futamura.frontend.expressions import BINARY, index
from futamura.ir.ops import OPERATORS

__all__ = ["assign"]

_GETATTR: Final = OPERATORS["getattr"]
_SETATTR: Final = OPERATORS["setattr"]
_GETITEM: Final = OPERATORS["getitem"]
_SETITEM: Final = OPERATORS["setitem"]
_UNPACK: Final = OPERATORS["unpack"]
_INPLACE: Final = {kind: OPERATORS["i" + name] for kind, name in BINARY.items()}


def assign(d: Draft, target: ast.expr, value: Temp) -> None:
    """Store `value` in a target of any form."""
    if isinstance(target, ast.Name):
        d.store(d.mangled(target.id), value, target)
    elif isinstance(target, ast.Attribute):
        d.effect(_SETATTR, (value, d.value(target.value)), d.mangled(target.attr), target)
    elif isinstance(target, ast.Subscript):
        container = d.value(target.value)
        d.effect(_SETITEM, (value, container, index(d, target.slice)), None, target)
    else:
        assert isinstance(target, (ast.Tuple, ast.List)), target
        _unpack(d, target, value)


def _unpack(d: Draft, target: ast.Tuple | ast.List, value: Temp) -> None:
    items = target.elts
    starred = [position for position, item in enumerate(items) if isinstance(item, ast.Starred)]
    before = starred[0] if starred else len(items)
    form = (before, bool(starred), len(items) - before - len(starred))
    parts = d.several(_UNPACK, (value,), form, len(items), target)
    for item, part in zip(items, parts):
        assign(d, item.value if isinstance(item, ast.Starred) else item, part)


def _same_length(target: ast.expr, value: ast.expr) -> bool:
    """Whether `target = value` needs no tuple between them."""
    if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(value, (ast.Tuple, ast.List)):
        return False
    if len(target.elts) != len(value.elts) or not target.elts:
        return False
    return not any(isinstance(item, ast.Starred) for item in (*target.elts, *value.elts))


@lowers(ast.Assign)
def assignment(d: Draft, node: ast.Assign) -> None:
    target = node.targets[0]
    if len(node.targets) > 1 or not _same_length(target, node.value):
        value = d.value(node.value)
        for target in node.targets:
            assign(d, target, value)
        return
    assert isinstance(target, (ast.Tuple, ast.List)) and isinstance(node.value, (ast.Tuple, ast.List))
    values = [d.value(item) for item in node.value.elts]
    names = [d.mangled(item.id) for item in target.elts if isinstance(item, ast.Name)]
    if len(names) == len(values) and d.store_all(names, values, node):
        return
    for item, part in zip(target.elts, values):
        assign(d, item, part)


@lowers(ast.AnnAssign)
def annotated_assignment(d: Draft, node: ast.AnnAssign) -> None:
    """In a function no annotation is evaluated; the parts of a target without value are."""
    if node.value is not None:
        assign(d, node.target, d.value(node.value))
    elif isinstance(node.target, ast.Attribute):
        d.value(node.target.value)
    elif isinstance(node.target, ast.Subscript):
        d.value(node.target.value)
        _evaluate_index(d, node.target.slice)


def _evaluate_index(d: Draft, node: ast.expr) -> None:
    """What CPython evaluates of the index of a target that is only annotated: the parts, no slice."""
    if isinstance(node, ast.Slice):
        for part in (node.lower, node.upper, node.step):
            if part is not None:
                d.value(part)
    elif isinstance(node, ast.Tuple):
        for item in node.elts:
            _evaluate_index(d, item)
    else:
        d.value(node)


@lowers(ast.AugAssign)
def augmented_assignment(d: Draft, node: ast.AugAssign) -> None:
    row = _INPLACE[node.op.__class__]
    target = node.target
    if isinstance(target, ast.Name):
        name = d.mangled(target.id)
        old = d.read(name, target)
        d.store(name, d.emit(row, (old, d.value(node.value)), None, node), target)
    elif isinstance(target, ast.Attribute):
        container = d.value(target.value)
        attribute = d.mangled(target.attr)
        old = d.emit(_GETATTR, (container,), attribute, target)
        new = d.emit(row, (old, d.value(node.value)), None, node)
        d.effect(_SETATTR, (new, container), attribute, target)
    else:
        container = d.value(target.value)
        place = index(d, target.slice)
        old = d.emit(_GETITEM, (container, place), None, target)
        new = d.emit(row, (old, d.value(node.value)), None, node)
        d.effect(_SETITEM, (new, container, place), None, target)


@lowers(ast.Delete)
def deletion(d: Draft, node: ast.Delete) -> None:
    for target in node.targets:
        _delete(d, target)


def _delete(d: Draft, target: ast.expr) -> None:
    if isinstance(target, ast.Name):
        d.delete(d.mangled(target.id), target)
    elif isinstance(target, ast.Attribute):
        d.effect(OPERATORS["delattr"], (d.value(target.value),), d.mangled(target.attr), target)
    elif isinstance(target, ast.Subscript):
        container = d.value(target.value)
        d.effect(OPERATORS["delitem"], (container, index(d, target.slice)), None, target)
    else:
        assert isinstance(target, (ast.Tuple, ast.List)), target
        for item in target.elts:
            _delete(d, item)
