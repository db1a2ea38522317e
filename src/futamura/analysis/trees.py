"""The nodes of the text of a module, which many questions about it go through, one after the other.

Invariant: no tree is changed, so that its nodes are found once.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

__all__ = ["every"]


def every(tree: ast.AST) -> Sequence[ast.AST]:
    """The node and all that are in it, in the order of `ast.walk`."""
    return _found(tree) if isinstance(tree, ast.Module) else list(ast.walk(tree))


@functools.lru_cache(maxsize=8)  # those that are asked about now
def _found(tree: ast.Module) -> list[ast.AST]:
    return list(ast.walk(tree))
