"""How an operator asks the methods of its operands' classes, as ordinary Python that is inlined where it is.

    price * count       Money.__mul__ is entered; where it gives NotImplemented, `int.__rmul__` is known to say nothing,
                        and of a class that is not known it is asked at run time

Like those of `library`, the functions are only specialized, never called.

Invariant: each method is asked once, in the order in which Python asks.
"""

from __future__ import annotations

from typing import Any

from futamura import runtime

__all__ = ["answered", "failed", "tried_once", "tried_twice", "unanswered", "undecided"]


def undecided() -> Any:
    """An unknown operand would decide now: the specializer starts again and leaves the operation as it is."""
    raise TypeError


def failed(left: Any, right: Any, symbol: str) -> Any:
    """No method has answered."""
    if symbol == "==":
        return left is right
    if symbol == "!=":
        return left is not right
    names = f"{type(left).__name__!r} and {type(right).__name__!r}"
    if symbol in ("<", "<=", ">", ">="):
        raise TypeError(f"{symbol!r} not supported between instances of {names}")
    raise TypeError(f"unsupported operand type(s) for {symbol}: {names}")


def unanswered(left: Any, right: Any, symbol: str, other: str | None) -> Any:
    """The methods gave NotImplemented; `other` is the one of an operand of unknown class that comes next, if any."""
    if other == "":
        return undecided()
    return failed(left, right, symbol) if other is None else answered(left, right, other, symbol)


def answered(left: Any, right: Any, name: str, symbol: str) -> Any:
    """Stands for the function of `futamura.runtime`, which is called when the residual runs."""
    return runtime.answered(left, right, name, symbol)


def tried_once(
    method: Any, first: Any, second: Any, negated: bool, left: Any, right: Any, symbol: str, other: str | None
) -> Any:
    result = method(first, second)
    if result is not NotImplemented:
        return not result if negated else result
    return unanswered(left, right, symbol, other)


def tried_twice(
    method: Any,
    first: Any,
    second: Any,
    negated: bool,
    method_2: Any,
    first_2: Any,
    second_2: Any,
    negated_2: bool,
    left: Any,
    right: Any,
    symbol: str,
    other: str | None,
) -> Any:
    result = method(first, second)
    if result is not NotImplemented:
        return not result if negated else result
    result = method_2(first_2, second_2)
    if result is not NotImplemented:
        return not result if negated_2 else result
    return unanswered(left, right, symbol, other)
