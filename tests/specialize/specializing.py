"""The specializer under test, and what the tests read off a residual: its names and strings, its counts, its fallbacks.

    words(specialize(power, n=2))    ->    {"power", "x", ...}

Invariant: this is the only test module that knows the shape of `residual.stats`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import futamura

Residual = Callable[..., Any]

RUNGS = frozenset({"FT401", "FT402", "FT403"})
"""Notes, not fallbacks: a value was generalized, a growing container is built at run time."""


def specialize(function: Callable[..., Any], /, *positional: Any, **static: Any) -> Residual:
    """`futamura.specialize`, looked up late so that the subject programs can be imported without it.

    Where the specializer itself fails the residual is the original, which would pass every comparison.
    """
    residual = futamura.specialize(function, *positional, **static)
    assert "FT901" not in fallbacks(residual), residual.events
    return residual


def source_of(residual: Residual) -> str:
    text = residual.source  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def words(residual: Residual) -> set[str]:
    """Every identifier, attribute name and string constant of the residual's source, pieces of f-strings too.

    A constant of the residual is named after what it holds with underscores before it; it counts under both names.
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(source_of(residual))):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
    return found | {word.lstrip("_") for word in found if word.isidentifier() and word.strip("_")}


def stats_of(residual: Residual) -> dict[str, Any]:
    stats = residual.stats  # type: ignore[attr-defined]
    assert isinstance(stats, dict)
    return stats


def fallbacks(residual: Residual) -> dict[str, int]:
    """Fallbacks by code; empty if everything was specialized."""
    return {code: count for code, count in stats_of(residual)["fallbacks"].items() if count}


def rungs(residual: Residual) -> int:
    """Generalizations and rungs of the ladder that were taken."""
    return sum(count for code, count in stats_of(residual)["notes"].items() if code in RUNGS)


def folded(residual: Residual) -> int:
    return int(stats_of(residual)["folded"])


def left(residual: Residual) -> int:
    return int(stats_of(residual)["left"])


def versions(residual: Residual) -> int:
    return int(stats_of(residual)["versions"])


def constant_tests(residual: Residual) -> list[str]:
    """Comparisons and lookups whose operands are all constants: dispatch that should have been decided."""
    found = []
    for node in ast.walk(ast.parse(source_of(residual))):
        if isinstance(node, ast.Compare):
            operands: list[ast.expr] = [node.left, *node.comparators]
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            operands = [node.value, node.slice]
        else:
            continue
        if all(is_constant(operand) for operand in operands) and gives_a_value(node):
            found.append(ast.unparse(node))
    return found


def gives_a_value(node: ast.expr) -> bool:
    """Does this operation on constants do anything but raise?  What always raises decides nothing."""
    try:
        eval(compile(ast.Expression(node), "constants", "eval"), {})
    except Exception:
        return False
    return True


def is_constant(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return False
    return True
