"""Functions that are only there to be called while modules are imported: what they fill is complete by then.

    OPS = {}
    def op(name):                       op is used as a decorator, at module level, and nowhere else
        def deco(function):
            OPS[name] = function
            return function
        return deco

    @op("add")
    def add(stack): ...

Hooks that Python calls for a new class count as well: `__init_subclass__`, `__set_name__`.

A function inside of them that is kept (a wrapper, a setter) may be called at any time: it is none of them.

Invariant: every use of the name in the text stands outside of all functions, where it is called or decorates.
That it is used so in other modules is not seen: who believes what was filled in has to test it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

__all__ = ["registering_functions"]

_HOOKS: Final = frozenset({"__init_subclass__", "__set_name__"})


def registering_functions(tree: ast.Module, users: Sequence[ast.Module] = ()) -> list[ast.AST]:
    """The definitions of these functions; of functions inside of them those that do nothing but decorate.  `users` are
    other texts that use them."""
    outside = list(_outside(tree))
    everywhere = [*outside, *(node for user in users for node in _outside(user))]
    called = {id(node) for statement in everywhere for node in _called(statement)}
    decorating = {
        id(decorator.func)
        for statement in everywhere
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef))
        for decorator in statement.decorator_list
        if isinstance(decorator, ast.Call)
    }
    ways: dict[str, set[str]] = {}
    for node in (node for text in (tree, *users) for node in ast.walk(text)):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        if name is not None and isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
            way = "decorating" if id(node) in decorating else "called" if id(node) in called else "used"
            ways.setdefault(name, set()).add(way)
    found: list[ast.AST] = []
    for node in outside:
        if not isinstance(node, ast.FunctionDef) or _is_suspended(node):
            continue
        if node.name in _HOOKS or ways.get(node.name, {"used"}) <= {"decorating", "called"}:
            found.append(node)
            if ways.get(node.name) == {"decorating"}:
                found.extend(_given_back(node))
    return found


def _is_suspended(function: ast.FunctionDef) -> bool:
    """Does its body run later, or another function in its place?"""
    if any(not _is_binding(decorator) for decorator in function.decorator_list):
        return True
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(function))


def _is_binding(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in ("classmethod", "staticmethod")


def _given_back(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The functions that this one makes only to return them: the decorators of `@function(...)`, called at once."""
    for statement in function.body:
        if isinstance(statement, ast.FunctionDef) and not statement.decorator_list and not _is_suspended(statement):
            uses = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == statement.name]
            returned = [node.value for node in function.body if isinstance(node, ast.Return)]
            if len(uses) == 1 and uses[0] in returned:
                yield statement
        elif isinstance(statement, ast.Return) and isinstance(statement.value, ast.Lambda):
            yield statement.value


_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def _outside(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that are in no function; of functions the definitions themselves and their decorators."""
    work: list[ast.AST] = list(tree.body)
    while work:
        node = work.pop()
        yield node
        if isinstance(node, _FUNCTIONS):
            work.extend(node.decorator_list)
        elif not isinstance(node, ast.Lambda):
            work.extend(ast.iter_child_nodes(node))


def _called(node: ast.AST) -> Iterator[ast.AST]:
    """The names and attributes that this node calls, or decorates with."""
    if isinstance(node, ast.Call):
        yield node.func
    elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        yield from node.decorator_list
