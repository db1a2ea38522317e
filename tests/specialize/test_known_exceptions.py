"""Exceptions that are caught where they are raised are values: their clauses, their texts, their arguments.

    try: raise Failed(code)
    except (KeyError, Failed) as error: f"{error}"     ->     the text, and nothing is raised
"""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome


class Coded(Exception):
    def __init__(self, code: Any, text: str) -> None:
        super().__init__(text)
        self.code = code

    def __str__(self) -> str:
        return f"[{self.code}] {self.args[0]}"


class Plain(Exception):
    pass


class OfKey(KeyError):
    pass


class Texts(str):
    pass


class Shown:
    def __str__(self) -> str:
        return Texts("shown")

    def __repr__(self) -> str:
        return "<Shown>"


class Bad:
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


def of_many(n: Any, x: Any) -> Any:
    out = []
    for cls in (ValueError, KeyError, Plain, OfKey, OSError, StopIteration):
        for args in ((), (n,), (x,), (n, x), ("a", n), (Shown(),), ("q", 2.5)):
            try:
                raise cls(*args)
            except (ValueError, KeyError, Plain, OSError, StopIteration) as e:
                out.append((str(e), f"{e}", f"{e!s}", f"{e!r}", repr(e), e.args[1:], type(str(e)).__name__))
    return out


def in_a_tuple(n: Any, x: Any) -> Any:
    try:
        if n:
            raise KeyError("a")
        return x
    except (ValueError, LookupError) as e:
        return f"{e}", e.args, x


def coded(n: Any, x: Any) -> Any:
    found = []
    for at in range(3):
        try:
            if at:
                raise Coded(at, f"bad {n}")
            raise Plain
        except (Coded, Plain) as e:
            found.append(str(e))
            found.append(f"{e!r}")
    return found, x


def with_open_text(n: Any, x: Any) -> Any:
    try:
        raise Coded(n, x)
    except Coded as e:
        return f"{e}", e.code, e.args


def of_the_argument(n: Any, x: Any) -> Any:
    try:
        raise ValueError(x)
    except ValueError as e:
        return str(e), type(str(e)).__name__


def formatted(n: Any, x: Any) -> Any:
    try:
        raise ValueError(n)
    except ValueError as e:
        return f"{e:>5}", x


def failing(n: Any, x: Any) -> Any:
    try:
        raise ValueError(x, n)
    except ValueError as e:
        try:
            return str(e)
        except RuntimeError as other:
            return type(other.__context__).__name__, other.args


def without_one_text(n: Any, x: Any) -> Any:
    long, names = 10**5000, frozenset(("a", "b", "cc"))
    out: list[Any] = []
    for args in ((names,), (names, n), (long,), (long, n)):
        for cls in (ValueError, KeyError):
            try:
                raise cls(*args)
            except (ValueError, KeyError) as e:
                try:
                    out.append((str(e), repr(e), f"{e}"))
                except ValueError as other:
                    out.append(str(other))
    return out, x


CASES = (of_many, in_a_tuple, coded, with_open_text, of_the_argument, formatted, failing, without_one_text)


@pytest.mark.parametrize("function", CASES)
def test_like_the_original(function: Any) -> None:
    for n in (0, 2, "k"):
        residual = futamura.specialize(function, n=n)
        assert not residual.stats["fallbacks"], residual.events
        for x in (7, "a", Shown(), Texts("p"), Bad(), None):
            assert outcome(residual, x) == outcome(function, n, x), (n, x, residual.source)


@pytest.mark.parametrize("function", [in_a_tuple, coded])
def test_nothing_is_raised(function: Any) -> None:
    source = futamura.specialize(function, n=2).source
    assert "raise" not in source and "try" not in source, source


class Lock:
    def __init__(self) -> None:
        self.held = 0

    def __enter__(self) -> Any:
        self.held += 1
        return self

    def __exit__(self, *exception: Any) -> None:
        self.held -= 1


def locked(n: Any, x: Any, call: Any) -> Any:
    lock = Lock()
    with lock:
        call(x)
    with contextlib.nullcontext(n) as held, lock as also:
        for i in range(x):
            call(held + also.held + i)
    return lock.held


def test_handlers_that_only_raise_again_are_gone() -> None:
    residual = futamura.specialize(locked, n=2)
    assert "try" not in residual.source, residual.source

    def run(function: Any, *given: Any) -> Any:
        seen: list[Any] = []

        def call(value: Any) -> None:
            seen.append(value)
            if value == 4:
                raise Plain(value)

        return outcome(function, *given, call), seen

    for x in range(6):
        assert run(residual, x) == run(locked, 2, x)
