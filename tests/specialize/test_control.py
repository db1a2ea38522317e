"""Exceptions, unbound variables, long loops and recursion: original, residual and residual IR agree.

    handler_reads(4)    ==    specialize(handler_reads)(4)    ==    run of the residual IR with 4

Each function here is the smallest program that once came out wrong.  Invariant: none of them falls back to the
original because of a fault (an event FT9..).
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest

import futamura
import futamura.api
from futamura.driver import lower_for_specializer
from futamura.ir.interp import run
from futamura.specializer.online import Open, specialize_function

# ruff: noqa: SIM105
# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Point:
    def __init__(self) -> None:
        self.x = 1


def handler_reads(values):
    results: list[object] = []
    try:
        for value in values:
            results.append(1 / value)
    except ZeroDivisionError as stop:
        results.append(str(stop))
    return results


def handler_in_handler(d):
    try:
        d[0]
    except IndexError:
        raise TypeError("inner") from None
    finally:
        d.append(1)


def cleanup_with_try(d):
    try:
        d += 1
    finally:
        try:
            d = missing  # type: ignore[name-defined]  # noqa: F821
        except LookupError:
            pass


def exception_outlives_handler(d):
    try:
        for _ in d:
            pass
    except Exception as error:
        kept = error
    return kept


def unbound_after_match(d):
    match d:
        case {"a": _, **rest}:
            pass
        case int(number):
            pass
        case _:
            pass
    return (rest, number)


def unbound_caught(d):
    try:
        x = 1
        if d:
            del x
        return x
    except NameError as error:
        return str(error)


def swapped_around_handler(n, m):
    for _ in range(2):
        try:
            for _i in [3, 1, 2]:
                m, n = (n, m * 2)
        except TypeError:
            n = (n, "caught")
    return n, m


def in_place_before_handler(xs):
    total = 0
    kept = xs[:]
    for x in kept:
        total += x
    try:
        kept = xs[:]
        total += xs[2]
    except IndexError:
        if len(kept) < 6:
            kept += [1]
    return total


def unread_in_place(n):
    try:
        pass
    finally:
        n -= undefined  # type: ignore[name-defined]  # noqa: F821
    return n


def stored_before_exception(p, d):
    p.x = 5
    try:
        p.x = d
        d.missing  # noqa: B018
    except AttributeError:
        return p.x
    return 0


def stored_in_call(p, f):
    p.x = 7
    return f(p)


def recursion_generalizes(n, d):
    if d:
        return n
    return recursion_generalizes(n + 1, d + 1)


def long_loop(d):
    total = 0
    for i in range(60_000):
        total += i
    return total + d


def contexts(d):
    try:
        raise ValueError("outer")
    except ValueError:
        raise KeyError(d)  # noqa: B904


def left_by_continue(d):
    out: list[object] = []
    for i in range(3):
        try:
            out.append(i)
            if i == d:
                continue
            if i == d + 1:
                break
        finally:
            out.append("f")
    return out


def _x_of(p):
    return p.x


CASES: list[tuple[Callable[..., Any], Callable[[], dict[str, Any]], list[Any]]] = [
    (handler_reads, dict, [[1, 2], [1, 0], [], 3]),
    (handler_in_handler, dict, [[], [1], 3]),
    (cleanup_with_try, dict, [1, "a"]),
    (exception_outlives_handler, dict, [3, []]),
    (unbound_after_match, dict, [{"a": 1}, 3, None]),
    (unbound_after_match, lambda: {"d": 7}, [None]),
    (unbound_caught, dict, [0, 1]),
    (swapped_around_handler, lambda: {"n": 0}, [1, None, "a"]),
    (in_place_before_handler, dict, [[1, 2], [1, 2, 3], [], None]),
    (unread_in_place, lambda: {"n": 0}, [None]),
    (stored_before_exception, lambda: {"p": Point()}, [3]),
    (stored_in_call, lambda: {"p": Point()}, [_x_of, None]),
    (recursion_generalizes, lambda: {"n": 0}, [0, 1]),
    (long_loop, dict, [1]),
    (contexts, dict, [1]),
    (left_by_continue, dict, [0, 1, 5]),
]


def _observed(call: Callable[..., object], args: tuple[object, ...]) -> tuple[object, ...]:
    try:
        return ("returned", repr(call(*args)))
    except Exception as error:
        return ("raised", type(error), error.args, repr(error.__context__), repr(error.__cause__))


def _open_names(function: types.FunctionType, static: dict[str, Any]) -> list[str]:
    return [name for name in function.__code__.co_varnames[: function.__code__.co_argcount] if name not in static]


def _original(function: types.FunctionType, static: dict[str, Any]) -> Callable[..., object]:
    names = _open_names(function, static)
    return lambda *rest: function(**dict(zip(names, rest, strict=True)), **static)


def _interpreted(function: types.FunctionType, static: dict[str, Any]) -> Callable[..., object]:
    inputs = {**{name: Open() for name in _open_names(function, static)}, **static}
    ordered = {name: inputs[name] for name in function.__code__.co_varnames[: function.__code__.co_argcount]}
    outcome = specialize_function(function, ordered, lower_for_specializer)
    program = outcome.program
    assert program is not None
    return lambda *rest: run(program, rest, globals=function.__globals__)


def _emitted(function: types.FunctionType, static: dict[str, Any]) -> Callable[..., object]:
    residual = futamura.specialize(function, **static)
    assert not [event for event in residual.events if event.code.startswith(("FT9", "FT3"))]
    return residual


@pytest.mark.parametrize(
    ("function", "make", "inputs"), CASES, ids=[f"{case[0].__name__}-{at}" for at, case in enumerate(CASES)]
)
def test_original_residual_and_residual_ir_agree(
    function: types.FunctionType, make: Callable[[], dict[str, Any]], inputs: list[Any]
) -> None:
    for given in inputs:
        found = []
        for way in (_original, _emitted, _interpreted):
            static = make()
            fresh = list(given) if isinstance(given, list) else given  # the programs change lists
            args = (fresh,) if _open_names(function, static) else ()
            found.append(_observed(way(function, static), args))
        assert found[1:] == [found[0]] * 2


def endless(d):
    x = 0
    while True:
        x += 1


def endless_list(d):
    items: list[object] = []
    while True:
        items.append(d)


def endless_recursion(n, d):
    return endless_recursion(n + 1, d) + 1


@pytest.mark.parametrize("function", [endless, endless_list, endless_recursion])
def test_static_code_without_end_is_rolled(function: Callable[..., Any]) -> None:
    static = {"n": 0} if function is endless_recursion else {}
    residual = futamura.specialize(function, **static)
    assert residual.stats["specialized"]
    assert residual.stats["source_blocks"] <= 60_000
    assert len(residual.source) < 2_000


@pytest.mark.parametrize("part", ["specialize_function", "residual_text"])
def test_a_fault_of_ours_ends_with_the_original(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> object:
        raise KeyError("planted")

    monkeypatch.setattr(futamura.api, part, broken)
    residual = futamura.specialize(recursion_generalizes, n=1)
    assert [event.code for event in residual.events] == ["FT901"]
    assert residual(1) == 1
    with pytest.raises(futamura.FutamuraError, match="planted"):
        futamura.Specializer(strict=True)(recursion_generalizes, n=1)
