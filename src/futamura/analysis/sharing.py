"""Which variables of a closure another function may assign, by the source around it.

    def make(k):
        def reset(v):
            nonlocal k          the variable `k` of `read` is reassigned; without `reset` it would not be
            k = v
        def read(x): return x + k
        return read, reset

Invariant: "no" is said only if the whole source of the outermost function (or class) around the place was read, and no
function in it declares the name `nonlocal`; a variable of the outer function itself is assigned before it returns.
"""

from __future__ import annotations

import ast
import linecache
import warnings
from typing import Final, NamedTuple

__all__ = ["is_deleted", "is_reassigned"]


class _Extent(NamedTuple):
    """A statement of a module, and what the functions in it do to variables of functions around them."""

    first: int
    last: int
    assigned: frozenset[str]
    """Names that are declared `nonlocal`."""
    deleted: frozenset[str]


_known: Final[dict[str, tuple[object, list[_Extent] | None]]] = {}


def is_reassigned(file: str, line: int, name: str) -> bool:
    """May a function of the source around this line assign or delete the variable `name` of a closure?"""
    extents = _extents(file)
    return extents is None or any(e.first <= line <= e.last and name in e.assigned for e in extents)


def is_deleted(file: str, line: int, name: str) -> bool:
    """May a function of the source around this line delete the variable `name` of a closure?"""
    extents = _extents(file)
    return extents is None or any(e.first <= line <= e.last and name in e.deleted for e in extents)


def _extents(file: str) -> list[_Extent] | None:
    """The statements of the module with a `nonlocal` in them; None if the source is not known."""
    lines = linecache.getlines(file)
    found = _known.get(file)
    if found is None or found[0] is not lines:
        found = _known[file] = (lines, _read(lines))
    return found[1]


def _read(lines: list[str]) -> list[_Extent] | None:
    if not lines:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python has said them when it compiled the module
            tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = []
    for statement in tree.body:
        nodes = list(ast.walk(statement))
        assigned = frozenset(name for node in nodes if isinstance(node, ast.Nonlocal) for name in node.names)
        if assigned:
            targets = (target for node in nodes if isinstance(node, ast.Delete) for target in node.targets)
            parts = (node for target in targets for node in ast.walk(target))
            deleted = frozenset(node.id for node in parts if isinstance(node, ast.Name))
            last = statement.end_lineno or statement.lineno
            found.append(_Extent(_first_line(statement), last, assigned, deleted))
    return found


def _first_line(statement: ast.stmt) -> int:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return min([statement.lineno, *(one.lineno for one in statement.decorator_list)])
    return statement.lineno
