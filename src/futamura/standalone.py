"""The text of a residual where it stands in a module of its own: what meant something in the old module is spelled out.

    from .data import ROWS                   ->     from shop.data import ROWS
    def render(x): ... lambda: render(...)   ->     def render(x): ... lambda: _original_render(...)

Invariant: nothing but these words is replaced; lines stay where they are.
"""

from __future__ import annotations

import ast
import importlib.util
import re
from collections.abc import Iterator, Mapping

__all__ = ["absolute", "reads_renamed"]

_Edit = tuple[int, int, int, str]
"""Line, first and last column (in bytes), and what comes there."""


def absolute(text: str, namespace: Mapping[str, object]) -> str:
    """The text with absolute names in its imports.  Raises ImportError if one has none."""
    package = namespace.get("__package__") or _package(namespace)
    return _edited(text, _relative_imports(ast.parse(text), text, package)) if "from ." in text else text


def _package(namespace: Mapping[str, object]) -> str:
    name = str(namespace.get("__name__", ""))
    return name if "__path__" in namespace else name.rpartition(".")[0]


def _relative_imports(tree: ast.Module, text: str, package: object) -> Iterator[_Edit]:
    lines = text.encode("utf-8").splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            name = importlib.util.resolve_name("." * node.level + (node.module or ""), str(package))
            found = re.compile(rb"from\s+[.\w]+").match(lines[node.lineno - 1], node.col_offset)
            assert found is not None
            yield node.lineno, found.start(), found.end(), f"from {name}"


def reads_renamed(text: str, name: str, other: str) -> str | None:
    """The text in which `other` is read instead of the global `name`, which a function of it defines; None if the name
    means something else as well."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        bound = isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id == name
        if bound or (isinstance(node, ast.arg) and node.arg == name):
            return None
        defines = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == name
        if defines and node not in tree.body:
            return None
    return _edited(
        text,
        (
            (node.lineno, node.col_offset, node.col_offset + len(name.encode("utf-8")), other)
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and node.id == name
        ),
    )


def _edited(text: str, edits: Iterator[_Edit]) -> str:
    lines = text.encode("utf-8").splitlines(keepends=True)
    for line, start, end, new in sorted(edits, reverse=True):
        old = lines[line - 1]
        lines[line - 1] = old[:start] + new.encode("utf-8") + old[end:]
    return b"".join(lines).decode("utf-8")
