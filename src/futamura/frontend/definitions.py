"""Definitions inside a function: `def`, `lambda`, and the opaque `class`.

    @deco                       t0 = deco;  t1 = 1;  t2 = function g (defaults t1, cells ...);
    def g(a=1): ...             t3 = call t0, t2;  SET g <- t3

A nested class (also a generic function, a type alias, an `async def` that would be refused) is one operation that
carries its source and the cells of all names of this function that it mentions.  Its text is the tree unparsed, after
what depends on the place has been made explicit: private names of the class around, annotations that
`from __future__ import annotations` turns into strings.

Invariant: the source of an opaque definition parses back to the very tree that it was made from.
"""

from __future__ import annotations
import __future__

import ast
import copy
import sys
from types import CodeType
from typing import Any, Final

from futamura.frontend.draft import Draft, Temp, lowers
from futamura.frontend.scopes import is_opaque, mangle, parameters
from futamura.ir.graph import ClassAttr, FunctionAttr
from futamura.ir.ops import OPERATORS

__all__ = ["docstring"]

CLEANED_DOCSTRINGS: Final = sys.version_info >= (3, 13)
"""From 3.13 on the compiler removes the indentation of docstrings."""

_FUNCTION: Final = OPERATORS["function"]
_CALL: Final = OPERATORS["call"]


@lowers(ast.Lambda)
def lambda_(d: Draft, node: ast.Lambda) -> Temp:
    return _function(d, node, d.inner + "<lambda>")


@lowers(ast.FunctionDef, ast.AsyncFunctionDef)
def definition(d: Draft, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    if is_opaque(node):
        opaque(d, node)
        return
    name = d.mangled(node.name)
    decorators = [d.value(decorator) for decorator in node.decorator_list]
    qualname = node.name if name in d.scope.explicit else d.inner + node.name
    value = _function(d, node, qualname)
    for decorator, place in zip(reversed(decorators), reversed(node.decorator_list)):
        value = d.emit(_CALL, (decorator, value), None, place)
    d.store(name, value, node)


def _function(d: Draft, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, qualname: str) -> Temp:
    arguments = node.args
    args = [d.value(default) for default in arguments.defaults]
    keywords: list[str] = []
    for parameter, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if default is not None:
            keywords.append(d.mangled(parameter.arg))
            args.append(d.value(default))
    annotations = () if isinstance(node, ast.Lambda) else _annotations(d, node, args)
    scope = d.scope_of(node)
    free, cells = d.capture(scope.free, node)
    unique = d.unit.function(node, qualname, scope, free)
    attr = FunctionAttr(unique, len(arguments.defaults), tuple(keywords), annotations)
    return d.emit(_FUNCTION, (*args, *cells), attr, node)


def _annotations(d: Draft, node: ast.FunctionDef | ast.AsyncFunctionDef, args: list[Temp]) -> tuple[str, ...]:
    """Evaluate the annotations in CPython's order: positional-only parameters come after the regular ones."""
    stars = [star for star in (node.args.vararg,) if star is not None]
    last = [star for star in (node.args.kwarg,) if star is not None]
    names: list[str] = []
    for parameter in (*node.args.args, *node.args.posonlyargs, *stars, *node.args.kwonlyargs, *last):
        if parameter.annotation is not None:
            names.append(d.mangled(parameter.arg))
            args.append(_annotation(d, parameter.annotation))
    if node.returns is not None:
        names.append("return")
        args.append(_annotation(d, node.returns))
    return tuple(names)


def _annotation(d: Draft, node: ast.expr) -> Temp:
    if d.unit.stringized:
        return d.constant(annotation_text(node), node)
    if isinstance(node, ast.Starred):
        (value,) = d.several(OPERATORS["unpack"], (d.value(node.value),), (1, False, 0), 1, node)
        return value
    return d.value(node)


def annotation_text(node: ast.expr) -> str:
    """The string that the compiler makes of an annotation: its own unparser is asked."""
    target = ast.Name("x", ast.Store())
    module = ast.Module([ast.AnnAssign(target, node, None, 1)], [])
    ast.fix_missing_locations(module)
    flags = __future__.annotations.compiler_flag
    text = compile(module, "<annotation>", "exec", flags, dont_inherit=True).co_consts[0]
    assert isinstance(text, str)
    return text


def docstring(node: ast.AST, optimize: int) -> str | None:
    """The docstring of a function as its code object has it."""
    body = getattr(node, "body", None)
    if not isinstance(body, list) or optimize >= 2:
        return None
    first = body[0].value if isinstance(body[0], ast.Expr) else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return None
    text = first.value
    if not CLEANED_DOCSTRINGS:
        return text
    sample = ast.parse("def f(): pass")
    sample.body[0].body = [ast.Expr(ast.Constant(text))]  # type: ignore[attr-defined]
    code = compile(ast.fix_missing_locations(sample), "<docstring>", "exec", dont_inherit=True, optimize=0)
    (function,) = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    cleaned = function.co_consts[0]
    assert isinstance(cleaned, str)
    return cleaned


@lowers(ast.ClassDef, *((ast.TypeAlias,) if hasattr(ast, "TypeAlias") else ()))
def opaque(d: Draft, node: Any) -> None:
    """One `class` operation for a definition that the IR does not look into."""
    name = node.name.id if isinstance(node.name, ast.Name) else node.name
    scope = d.scope_of(node)
    _check_head(d, node)
    tree = _explicit(d, node)
    try:
        source = ast.unparse(tree)
        same = ast.dump(ast.parse(source).body[0]) == ast.dump(tree)
    except (ValueError, SyntaxError):
        same = False
    if not same:
        raise d.unit.refuse("FT107", f"the definition of `{name}` cannot be written as source text again", node)
    free, cells = d.capture(scope.free, node)
    written = tree.name.id if isinstance(tree.name, ast.Name) else tree.name
    value = d.emit(OPERATORS["class"], cells, ClassAttr(written, source, free), node)
    d.store(d.mangled(name), value, node)


def _check_head(d: Draft, node: Any) -> None:
    """The head runs outside of this function in the end: nothing in it may need the function's frame."""
    for part in _head(node):
        for inner in ast.walk(part):
            if isinstance(inner, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)):
                raise d.unit.refuse("FT107", "an assignment or `yield` in the head of a nested definition", inner)
            if isinstance(inner, ast.Name) and inner.id == "super":
                raise d.unit.refuse("FT107", "`super` in the head of a nested definition", inner)


def _head(node: Any) -> list[ast.AST]:
    """The expressions of a definition that run in the function around it."""
    if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return []
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    defaults = [default for default in node.args.kw_defaults if default is not None]
    annotations = [parameter.annotation for parameter in parameters(node.args)] + [node.returns]
    found = [annotation for annotation in annotations if annotation is not None]
    return [*node.decorator_list, *node.args.defaults, *defaults, *found]


def _explicit(d: Draft, node: Any) -> Any:
    """The tree with private names and stringized annotations written out; the original is not changed."""
    tree = copy.deepcopy(node)
    if d.unit.stringized:
        _Stringizer().visit(tree)
    if d.private is not None:
        tree = _Mangler(d.private).definition(tree)
    if isinstance(tree, ast.ClassDef) and mangle(d.private, node.name) in d.scope.explicit:
        # A class that is assigned to a global has a name without the function's.
        name = ast.Assign([ast.Name("__qualname__", ast.Store())], ast.Constant(node.name), lineno=node.lineno)
        tree.body.insert(int(ast.get_docstring(tree, clean=False) is not None), name)
    return tree


class _Stringizer(ast.NodeTransformer):
    """Annotations become string constants."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        if node.annotation is not None:
            node.annotation = ast.Constant(annotation_text(node.annotation))
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        if node.returns is not None:
            node.returns = ast.Constant(annotation_text(node.returns))
        self.generic_visit(node)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.annotation = ast.Constant(annotation_text(node.annotation))
        self.generic_visit(node)
        return node


class _Mangler(ast.NodeTransformer):
    """Private names of the class around are written as Python stores them; nested classes have their own."""

    def __init__(self, private: str) -> None:
        self.private = private

    def definition(self, node: Any) -> Any:
        """The definition itself keeps its written name, which shows in `__name__`."""
        if isinstance(node, ast.ClassDef):
            return self.visit_ClassDef(node)
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.decorator_list = [self.visit(item) for item in node.decorator_list]
        node.bases = [self.visit(item) for item in node.bases]
        node.keywords = [self.visit(item) for item in node.keywords]
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = mangle(self.private, node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.Attribute:
        node.attr = mangle(self.private, node.attr)
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg = mangle(self.private, node.arg)
        self.generic_visit(node)
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        node.name = None if node.name is None else mangle(self.private, node.name)
        self.generic_visit(node)
        return node

    def visit_Global(self, node: Any) -> Any:
        node.names = [mangle(self.private, name) for name in node.names]
        return node

    visit_Nonlocal = visit_Global

    def visit_alias(self, node: ast.alias) -> ast.alias:
        bound = node.asname or node.name.partition(".")[0]
        if mangle(self.private, bound) != bound:
            node.asname = mangle(self.private, bound)
        return node
