"""What residual code calls where Python has no expression for what must happen.

    inside a generator that was inlined:    call_in_generator(f, x)      f(x); StopIteration becomes RuntimeError
                                            raise_in_generator(error)    raise error, likewise
    a context manager of unknown class:     leave, value = enter_context(manager)

Invariant: nothing here keeps anything between two calls, and nothing here looks at the frames of its callers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from futamura.ir.evaluate import with_enter

__all__ = ["call_in_generator", "enter_context", "raise_in_generator"]

_MESSAGE: Final = "generator raised StopIteration"


def call_in_generator(function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
    """Call what a generator's body calls: a StopIteration that would leave the generator must not end its consumer."""
    try:
        return function(*args, **keywords)
    except StopIteration as stop:
        raise RuntimeError(_MESSAGE) from stop


def raise_in_generator(*operands: Any) -> Any:
    """Raise what a generator's body raises: nothing (the active exception), an exception, or one and its cause."""
    try:
        if not operands:
            raise
        if len(operands) == 1:
            raise operands[0]
        raise operands[0] from operands[1]
    except StopIteration as stop:
        raise RuntimeError(_MESSAGE) from stop


def enter_context(manager: Any) -> tuple[Callable[..., Any], Any]:
    """Enter a context manager: its exit, looked up before as the statement does, and what `__enter__` returned."""
    found = with_enter((manager,), None)
    assert isinstance(found, tuple)
    return found
