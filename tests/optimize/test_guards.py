"""Calls out of generators that were inlined, which may raise StopIteration at any of them.

Invariant: whichever call raises what, the residual gives, raises and notes what the function does, causes too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura


class Calls:
    """A function that notes its calls, and raises at one of them."""

    def __init__(self, at: int, error: BaseException | None) -> None:
        self.noted: list[Any] = []
        self.at, self.error = at, error

    def __call__(self, *values: Any, **named: Any) -> Any:
        self.noted.append((values, named))
        if len(self.noted) == self.at and self.error is not None:
            raise self.error
        return len(self.noted)

    def method(self, *values: Any) -> Any:
        return self(*values)


def two(call: Any, n: int) -> Iterator[Any]:
    for i in range(n):
        first = call.method(i)
        yield first + call(first, key=i)


def many(call: Any, n: int) -> Iterator[Any]:
    yield call(1)
    yield call(2)
    if call(3) > n:
        yield call(4)
    yield call(5)
    for i in range(call(6) - 4):
        yield call(i)


def handling(call: Any, n: int) -> Iterator[Any]:
    for i in range(n):
        try:
            yield call(i)
        except StopIteration as stop:
            yield "stopped", stop.args
        finally:
            call("finally")


def outer(call: Any, n: int) -> Iterator[Any]:
    for value in two(call, n):
        yield call(value)


def delegating(call: Any, n: int) -> Iterator[Any]:
    yield from two(call, n)
    call("end")


def listed(n: int, make: Any, call: Any) -> list[Any]:
    return list(make(call, n))


def consumed(n: int, make: Any, call: Any) -> Any:
    """The consumer's own calls are not guarded."""
    out = []
    for value in make(call, n):
        out.append(call("consumer", value))
    return out


def caught(n: int, make: Any, call: Any) -> Any:
    out: list[Any] = []
    try:
        for value in make(call, n):
            out.append(value)
    except StopIteration as stop:
        out.append(("stop", stop.args))
    except RuntimeError as error:
        out.append((str(error), repr(error.__cause__), repr(error.__context__)))
    else:
        out.append("else")
    finally:
        out.append(call("finally"))
    return out


def handled_around(n: int, make: Any, call: Any) -> Any:
    """Another exception is active."""
    try:
        raise KeyError("first")
    except KeyError:
        return [value for value in make(call, n)]  # noqa: C416


def first_of(n: int, make: Any, call: Any) -> Any:
    for value in make(call, n):
        return value, call("behind")
    return None


def chain(error: BaseException | None) -> list[str]:
    found = []
    while error is not None and len(found) < 6:
        found.append(f"{error!r} from {error.__cause__!r}")
        error = error.__context__
    return found


def outcome(function: Callable[[Any], Any], at: int, error: BaseException | None) -> Any:
    call = Calls(at, error)
    try:
        return function(call), call.noted
    except BaseException as raised:
        return type(raised), str(raised), chain(raised), call.noted


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # what a dropped generator raises
@pytest.mark.parametrize("make", [two, many, handling, outer, delegating])
@pytest.mark.parametrize("consumer", [listed, consumed, caught, handled_around, first_of])
def test_whatever_raises(make: Any, consumer: Any) -> None:
    residual = futamura.specialize(consumer, 2, make)
    for at in range(14):
        for kind in (StopIteration, StopAsyncIteration, RuntimeError, ValueError, GeneratorExit):
            wanted = outcome(lambda call: consumer(2, make, call), at, kind(7))
            assert outcome(residual, at, kind(7)) == wanted, (at, kind, residual.source)


def test_statements_instead_of_calls() -> None:
    residual = futamura.specialize(consumed, 2, two)
    assert "except _StopIteration as stop" in residual.source and "_call_in_generator" not in residual.source


def test_one_statement_around_everything() -> None:
    source = futamura.specialize(listed, 2, two).source
    assert source.startswith("def listed(call):\n    try:\n") and source.count("try:") == 1


def more(call: Any, n: int) -> Iterator[Any]:
    yield from many(call, n)
    yield from many(call, n + 1)


def test_many_calls_keep_their_guards() -> None:
    def each(call: Any) -> Any:
        out = []
        for value in more(call, 2):
            out.append(call("consumer", value))
        return out

    assert "_call_in_generator(call, 1)" in futamura.Specializer(assume="trust")(each).source
