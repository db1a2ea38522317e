"""Functions of `futamura.runtime` as text of their own, for modules that must not import them.

    iterated     ->     def _futamura_iterated(iterable): ...        with the class and the number that it uses

Invariant: the text uses nothing of futamura; a function that does is not embedded.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from typing import Final

from futamura import runtime

__all__ = ["embedded"]

_PREFIX: Final = "_futamura_"


def embedded(value: object) -> tuple[str, str] | None:
    """The name and the text of a function or class of the runtime; None if it is none, or needs more than that."""
    if not isinstance(value, (type, types.FunctionType)):
        return None
    name = value.__name__
    if getattr(runtime, name, None) is not value or value.__module__ != runtime.__name__:
        return None
    definitions = _definitions()
    wanted = [name]
    for one in wanted:
        found = definitions.get(one)
        if found is None:
            return None
        wanted += [other for other in _read(found) if other not in wanted and not hasattr(builtins, other)]
    renamed = {one: _PREFIX + one.lstrip("_") for one in wanted}
    parts = [ast.unparse(_Renamed(renamed).visit(definitions[one])) for one in definitions if one in renamed]
    return renamed[name], "\n\n".join(parts)


def _definitions() -> dict[str, ast.stmt]:
    """What the runtime defines, by name, in order: functions, classes and numbers, not what it imports."""
    found: dict[str, ast.stmt] = {}
    for node in ast.parse(inspect.getsource(runtime)).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found[node.target.id] = ast.copy_location(ast.Assign([node.target], node.value), node)
    return found


def _read(node: ast.stmt) -> list[str]:
    """The global names that a definition reads, without those of annotations."""
    plain = _Renamed({}).visit(node)
    local = {one.arg for one in ast.walk(plain) if isinstance(one, ast.arg)}
    local |= {one.id for one in ast.walk(plain) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    read = [one.id for one in ast.walk(plain) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    return [name for name in dict.fromkeys(read) if name not in local]


class _Renamed(ast.NodeTransformer):
    """Without annotations and docstrings, and with other names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names: Final = names

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._definition(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._definition(node)

    def _definition(self, node: ast.FunctionDef | ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        node.name = self.names.get(node.name, node.name)
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        assert node.value is not None
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.names.get(node.id, node.id)
        return node
