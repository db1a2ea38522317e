"""A short text for a value, for records and diagnostics.

    shown([1, 2, 3])   '<list of 3>'        shown("abc")   "'abc'"        shown(Point(1, 2))   '<Point>'

Invariant: no code of the program runs, so a value's own `__repr__` is never asked.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Final

__all__ = ["shown"]

_name: Final[Callable[[object], str]] = type.__dict__["__qualname__"].__get__
"""The name of a class, without a look at what its metaclass defines."""


def shown(value: object, limit: int = 60) -> str:
    """A short text for a value, made without running code of the program."""
    if type(value) in (int, float, complex, bool, str, bytes, type(None), range):
        if isinstance(value, int) and value.bit_length() > 256:
            return f"<int of {value.bit_length()} bits>"
        if isinstance(value, (str, bytes)) and len(value) > limit:
            return f"{value[: limit - 20]!r}... ({len(value)})"
        return repr(value)
    if issubclass(type(value), type):  # `isinstance` would ask the value, an attribute its metaclass
        return _name(value)
    if type(value) in (types.FunctionType, types.BuiltinFunctionType):
        return str(value.__qualname__)  # type: ignore[attr-defined]
    if type(value) in (list, tuple, dict, set, frozenset):
        assert isinstance(value, (list, tuple, dict, set, frozenset))
        return f"<{type(value).__name__} of {len(value)}>"
    return f"<{_name(type(value))}>"
