"""Import operations as import statements.

v1:np = import[(numpy, None, 0)]                       import numpy as np
v1 = import[(a.b.c, None, 0)]; v3:x = import_from ...  import a.b.c as x
from-imports are put together by `nesting`              from a import b as x, c
"""

from __future__ import annotations

from collections.abc import Callable

from futamura.backend.python.trees import Expression, FromImport, Node, Target

__all__ = ["from_import_lines", "import_line", "member_import_line"]


def import_line(tree: Node, wanted: str) -> str | None:
    """The statement that binds `wanted` to an imported module; None if no plain one does."""
    assert isinstance(tree.op.attr, tuple)
    name, names, level = tree.op.attr
    if names or level or not wanted.isidentifier():
        return None
    if wanted == name.partition(".")[0]:
        return f"import {name}"
    return None if "." in name else f"import {name} as {wanted}"


def member_import_line(tree: Node, wanted: str) -> str | None:
    """`import a.b.c as x`: members taken off the top package one by one."""
    members: list[str] = []
    inner: Expression = tree
    while isinstance(inner, Node) and inner.op.name == "import_from":
        members.insert(0, str(inner.op.attr))
        inner = inner.kids[0]
    if not isinstance(inner, Node) or inner.op.name != "import" or not isinstance(inner.op.attr, tuple):
        return None
    name, names, level = inner.op.attr
    if names or level or name.split(".")[1:] != members or not wanted.isidentifier():
        return None
    return f"import {name} as {wanted}"


def from_import_lines(statement: FromImport, text: Callable[[Target], str], temporary: Callable[[], str]) -> list[str]:
    """`from m import a, b as x`, and the stores of members that do not go to variables."""
    assert isinstance(statement.op.attr, tuple)
    module, _, level = statement.op.attr
    shown = []
    after: list[str] = []
    for name, target in statement.names:
        wanted = text(target)
        if not wanted.isidentifier():
            holder = temporary()
            after.append(f"{wanted} = {holder}")
            wanted = holder
        shown.append(name if wanted == name else f"{name} as {wanted}")
    return [f"from {'.' * level}{module} import {', '.join(shown)}", *after]
