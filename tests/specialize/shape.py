"""The shape of a residual's source: its statements, loops, branches, calls and operators, counted in the syntax tree.

    statements("def f(n):\\n    print('ge')\\n    return 8\\n")    ->    ["print('ge')", "return 8"]

Invariant: only syntax is read; documentation strings and `pass` are no statements.
"""

from __future__ import annotations

import ast


def function_of(source: str) -> ast.FunctionDef:
    """The residual function: the innermost of a factory's, the first of several."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    inner = [
        node for node in functions if not any(isinstance(n, ast.FunctionDef) for n in ast.walk(node) if n is not node)
    ]
    assert inner, source
    return inner[0]


def statements(source: str) -> list[str]:
    """The statements of the residual function as text."""
    body = function_of(source).body
    return [ast.unparse(node) for node in body if not isinstance(node, ast.Pass) and not is_text(node)]


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def count(source: str, *kinds: type[ast.AST]) -> int:
    return sum(isinstance(node, kinds) for node in ast.walk(ast.parse(source)))


def loops(source: str) -> int:
    kinds = (ast.While, ast.For, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return count(source, *kinds)


def branches(source: str) -> int:
    return count(source, ast.If, ast.IfExp, ast.BoolOp, ast.Match)


def calls(source: str, name: str) -> list[ast.Call]:
    """The calls of a name, of a constant named after it, or of a method of that name."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [
        node for node in found if name in (getattr(node.func, "id", "").lstrip("_"), getattr(node.func, "attr", None))
    ]


def operators(source: str, kind: type[ast.operator]) -> list[str]:
    """The operations of one kind, in-place ones too, as text."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.BinOp, ast.AugAssign))]
    return [ast.unparse(node) for node in nodes if isinstance(node.op, kind)]


def stores(source: str) -> list[str]:
    """The items that are written, as text."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Subscript)]
    return [ast.unparse(node) for node in nodes if isinstance(node.ctx, ast.Store)]


def prints(source: str) -> list[str]:
    """What is printed by constant first arguments, in the order of the text."""
    return [
        str(node.args[0].value)
        for node in calls(source, "print")
        if node.args and isinstance(node.args[0], ast.Constant)
    ]
