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

Invariant: every use of the name in the text stands outside of all functions, where it is called or decorates.
That it is used so in other modules is not seen: who believes what was filled in has to test it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

__all__ = ["registering_functions"]

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_HOOKS: Final = frozenset({"__init_subclass__", "__set_name__"})


def registering_functions(tree: ast.Module) -> list[ast.AST]:
    """The definitions of these functions, those of functions and lambdas inside of them included."""
    outside = list(_outside(tree))
    good = {id(node) for statement in outside for node in _called(statement)}
    used: dict[str, bool] = {}
    for node in ast.walk(tree):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
        if name is not None and isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
            used[name] = used.get(name, True) and id(node) in good
    found: list[ast.AST] = []
    for node in outside:
        if isinstance(node, _Function) and (node.name in _HOOKS or used.get(node.name, False)):
            found.extend(inner for inner in ast.walk(node) if isinstance(inner, (*_FUNCTIONS, ast.Lambda)))
    return found


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
