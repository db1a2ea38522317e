"""What a function must not do to be lowered: asynchronous code, `except*`, access to its own frame.

    def f(x): return eval(x)            error[FT103]: this function uses `eval`
    def f(eval): return eval(x)         fine: a parameter

Invariant: a suspicious name is refused only if it means the real thing, by identity, when the function is
lowered; a name that the function itself binds never is.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType
from typing import Final

from futamura.errors import Because, UnsupportedError
from futamura.frontend.draft import Unit
from futamura.frontend.scopes import Scope

__all__ = ["refuse_unsupported"]

_ALWAYS: Final = {
    "eval": builtins.eval,
    "exec": builtins.exec,
    "locals": builtins.locals,
    "_getframe": sys._getframe,
    "currentframe": inspect.currentframe,
    "stack": inspect.stack,
}
_WITHOUT_ARGUMENTS: Final = {"vars": builtins.vars, "dir": builtins.dir}
_OWNERS: Final = {"_getframe": sys, "currentframe": inspect, "stack": inspect}
_TELLING: Final = frozenset({"_getframe", "currentframe"})
"""Attributes that mean the frame functions whatever they are taken from."""


def refuse_unsupported(unit: Unit, root: Scope, namespace: Mapping[str, object], free: tuple[str, ...]) -> None:
    """Raise `UnsupportedError` for the first thing in the code of `root` that is refused."""
    for scope in root.function_scopes():
        for code, what, node in scope.trouble:
            raise unit.refuse(code, f"this function contains {what}", node)
        for kind, node in scope.suspects:
            found = _named(scope, kind, node, namespace, free)
            if found:
                raise _frame_error(unit, found, node)


def _frame_error(unit: Unit, found: str, node: ast.expr) -> UnsupportedError:
    refused = unit.refuse("FT103", f"this function uses `{found}`", node, "needs the frame of this very function")
    reason = Because(f"`{found}` sees local variables and frames that differ in any other form of the function")
    return UnsupportedError(replace(refused.diagnostic, because=(reason,)))


def _named(scope: Scope, kind: str, node: ast.expr, namespace: Mapping[str, object], free: tuple[str, ...]) -> str:
    """What the suspicious expression means if it is refused, else the empty string."""
    if isinstance(node, ast.Name):
        meanings = _WITHOUT_ARGUMENTS if kind == "call" else _ALWAYS
        value = _global_value(scope, node.id, namespace, free)
        return node.id if value is meanings[node.id] else ""
    assert isinstance(node, ast.Attribute)
    owner = _OWNERS[node.attr]
    if isinstance(node.value, ast.Name):
        value = _global_value(scope, node.value.id, namespace, free)
        if isinstance(value, ModuleType):
            same = value.__dict__.get(node.attr) is _ALWAYS[node.attr]
            return f"{node.value.id}.{node.attr}" if same else ""
        if value is not _LOCAL:
            return ""
        return node.attr if node.attr in _TELLING or node.value.id == owner.__name__ else ""
    return node.attr if node.attr in _TELLING else ""


_LOCAL: Final = object()


def _global_value(scope: Scope, name: str, namespace: Mapping[str, object], free: tuple[str, ...]) -> object:
    """The global (or builtin) that the name means in `scope`; `_LOCAL` for a variable of a function."""
    current: Scope | None = scope
    while current is not None:
        if name in current.explicit:
            return namespace.get(name)
        if current.kind != "class" and name in current.bound:
            return _LOCAL
        current = current.parent
    return _LOCAL if name in free else namespace.get(name)
