"""Named tuples that a text makes by calls, as the classes that they are; methods with a second name, as two methods.

    Op = namedtuple("Op", "name run")               class Op(NamedTuple):
                                                        name: Any
                                                        run: Any
    class Point(namedtuple("Point", "x y")): ...    class Point(NamedTuple): x: Any; y: Any; ...
    class Keys:
        def keys(self): ...
        __iter__ = keys                             def __iter__(self): ...

What a call of an imported function gives may do anything; these do nothing.  A special method is called without its
name, and so without that of the function.

Invariant: only what is certainly `collections.namedtuple`, with fields that are written out, is taken for one; lines
and columns stay.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from futamura.analysis.reading import bound_by
from futamura.analysis.trees import every

__all__ = ["with_methods", "with_named_tuples"]

_BASE: Final = "NamedTuple"


def with_methods(tree: ast.Module) -> ast.Module:
    """The text, in which special methods that are functions of the same class are functions of their own: it is
    changed."""
    for cls in [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]:
        bound = Counter(name for one in cls.body for node in ast.walk(one) for name in bound_by(node))
        methods = {one.name: one for one in cls.body if isinstance(one, ast.FunctionDef) and bound[one.name] == 1}
        cls.body = [_as_method(one, methods) or one for one in cls.body]
    return tree


def _as_method(statement: ast.stmt, methods: Mapping[str, ast.FunctionDef]) -> ast.FunctionDef | None:
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
        return None
    if len(statement.targets) != 1:
        return None
    name, function = getattr(statement.targets[0], "id", ""), methods.get(statement.value.id)
    if function is None or not (name.startswith("__") and name.endswith("__")):
        return None
    made = copy.deepcopy(function)
    made.name = name
    return made


def with_named_tuples(tree: ast.Module) -> ast.Module:
    """The text with such calls as classes; what is not changed is shared."""
    bound = Counter(name for node in every(tree) for name in bound_by(node))
    callees = {name: dotted for name, dotted in _callees(tree) if bound[name] == 1}
    if not callees or bound["*"] or _defines_base(tree):
        return tree
    return ast.Module([_spelled(one, callees, bound) for one in tree.body], tree.type_ignores)


def _callees(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names that stand for the function, or for its module, and how it is called by them."""
    for node in every(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "collections" and not node.level:
            yield from ((one.asname or one.name, "") for one in node.names if one.name == "namedtuple")
        elif isinstance(node, ast.Import):
            yield from ((one.asname or one.name, "namedtuple") for one in node.names if one.name == "collections")


def _defines_base(tree: ast.Module) -> bool:
    """Does `NamedTuple` mean something else here?"""
    imported = [one for node in every(tree) if isinstance(node, ast.ImportFrom) for one in node.names]
    kept = {id(one) for one in imported if one.name == _BASE and one.asname is None}
    return any(_BASE in bound_by(node) for node in every(tree) if not isinstance(node, ast.ImportFrom)) or any(
        (one.asname or one.name) == _BASE and id(one) not in kept for one in imported
    )


def _spelled(statement: ast.stmt, callees: Mapping[str, str], bound: Mapping[str, int]) -> ast.stmt:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        name, fields = statement.targets[0].id, _fields(statement.value, callees)
        if fields is not None and bound[name] == 1:
            return _class(statement, name, fields, [], [])
    elif isinstance(statement, ast.ClassDef) and len(statement.bases) == 1 and not statement.keywords:
        fields = _fields(statement.bases[0], callees)
        if fields is not None:
            return _class(statement, statement.name, fields, statement.body, statement.decorator_list)
    return statement


def _fields(value: ast.expr, callees: Mapping[str, str]) -> list[str] | None:
    """The fields, if this is such a call."""
    if not isinstance(value, ast.Call) or len(value.args) != 2 or not _is_callee(value.func, callees):
        return None
    if not all(one.arg == "defaults" and _is_plain(one.value) for one in value.keywords):
        return None
    found: list[object] = []
    name, given = value.args
    if not isinstance(name, ast.Constant) or not _is_plain(given):
        return None
    if isinstance(given, ast.Constant):
        found += given.value.replace(",", " ").split() if isinstance(given.value, str) else []
    elif isinstance(given, (ast.Tuple, ast.List)):
        found += [getattr(one, "value", None) for one in given.elts]
    names = [one for one in found if isinstance(one, str) and one.isidentifier() and not one.startswith("_")]
    return names if names and names == found and len({*names}) == len(names) else None


def _is_callee(node: ast.expr, callees: Mapping[str, str]) -> bool:
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and callees.get(node.value.id) == node.attr
    return isinstance(node, ast.Name) and callees.get(node.id) == ""


def _is_plain(node: ast.expr) -> bool:
    """Is this a constant, or several?"""
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    return all(isinstance(one, ast.Constant) for one in parts)


def _class(
    statement: ast.stmt, name: str, fields: list[str], body: list[ast.stmt], decorators: list[ast.expr]
) -> ast.stmt:
    declared: list[ast.stmt] = [
        ast.AnnAssign(ast.Name(one, ast.Store()), ast.Constant(None), None, 1) for one in fields
    ]
    made = ast.ClassDef(name, [ast.Name(_BASE, ast.Load())], [], [*declared, *body], decorators)
    for node in (made, *made.bases, *(part for one in declared for part in ast.walk(one))):
        ast.copy_location(node, statement)
    return made
