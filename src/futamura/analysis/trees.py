"""The nodes of the text of a module, which many questions about it go through, one after the other.

Invariant: no tree is changed, so that its nodes are found once.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

__all__ = ["every"]

_MOST: Final = 8
"""So many texts are kept: those that are asked about now."""
_known: Final[dict[int, tuple[ast.Module, list[ast.AST]]]] = {}


def every(tree: ast.AST) -> Sequence[ast.AST]:
    """The node and all that are in it, in the order of `ast.walk`."""
    if not isinstance(tree, ast.Module):
        return list(ast.walk(tree))
    found = _known.pop(id(tree), None)
    if found is None or found[0] is not tree:
        found = (tree, list(ast.walk(tree)))
    _known[id(tree)] = found
    if len(_known) > _MOST:
        del _known[next(iter(_known))]
    return found[1]
