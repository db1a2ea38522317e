"""What a call comes to, as a text that two calls are compared by.

    outcome(f, 1)    "2"        outcome(f, "a")    "TypeError: can only concatenate ..."

Invariant: what prints alike counts as alike; where types and aliases matter, `tests/specialize/comparing.py` compares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["outcome"]


def outcome(function: Callable[..., Any], *inputs: Any) -> str:
    """The result as it prints, or the exception with its text."""
    try:
        return repr(function(*inputs))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
