"""Generators that are dropped while they stand inside a `try` statement whose clauses let a GeneratorExit pass.

    def fields(node):                                      for name in fields(node):
        for name in node.names:                                if ...: break          nothing of `fields` is run
            try: yield name, getattr(node, name)
            except AttributeError: pass

Invariant: the residual gives, raises and notes what the function does, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura

NOTED: list[Any] = []


class Own(Exception):
    pass


class Wide(BaseException):
    pass


def plain(xs: Any) -> Iterator[Any]:
    for x in xs:
        try:
            yield 10 // x
        except ZeroDivisionError:
            NOTED.append("zero")


def several(xs: Any) -> Iterator[Any]:
    for x in xs:
        try:
            yield 10 // x
        except (ZeroDivisionError, Own):
            NOTED.append("zero")
        except TypeError as error:
            NOTED.append(str(error))
        else:
            NOTED.append("else")


def nested(xs: Any) -> Iterator[Any]:
    try:
        for x in xs:
            try:
                yield 10 // x
            except ZeroDivisionError:
                NOTED.append("zero")
    except Wide:
        NOTED.append("wide")


def catching_all(xs: Any) -> Iterator[Any]:
    for x in xs:
        try:
            yield 10 // x
        except BaseException as error:
            NOTED.append(type(error).__name__)
            raise


def catching_exit(xs: Any) -> Iterator[Any]:
    for x in xs:
        try:
            yield 10 // x
        except (ValueError, GeneratorExit):
            NOTED.append("exit")
            return


def finishing(xs: Any) -> Iterator[Any]:
    try:
        for x in xs:
            try:
                yield 10 // x
            except ZeroDivisionError:
                NOTED.append("zero")
    finally:
        NOTED.append("finally")


def by_variable(xs: Any, kind: Any = BaseException) -> Iterator[Any]:
    for x in xs:
        try:
            yield 10 // x
        except kind:
            NOTED.append("caught")
            raise


def inner(xs: Any) -> Iterator[Any]:
    try:
        yield from plain(xs)
    except Own:
        NOTED.append("own")


def to_the_end(make: Any, limit: Any, xs: Any) -> Any:
    return list(make(xs))


def breaking(make: Any, limit: Any, xs: Any) -> Any:
    out = []
    for value in make(xs):
        if value == limit:
            break
        out.append(value)
    NOTED.append("behind")
    return out


def returning(make: Any, limit: Any, xs: Any) -> Any:
    for value in make(xs):
        if value == limit:
            return value
    return None


def raising(make: Any, limit: Any, xs: Any) -> Any:
    out = []
    for value in make(xs):
        if value == limit:
            raise Own(value)
        out.append(value)
    return out


def calling(make: Any, limit: Any, xs: Any) -> Any:
    try:
        for value in make(xs):
            limit(value)
    except Exception as error:
        NOTED.append(repr(error))
    return "end"


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    NOTED.clear()
    try:
        return function(*args), [*NOTED]
    except Exception as error:
        return repr(error), [*NOTED]


MAKERS = [plain, several, nested, catching_all, catching_exit, finishing, by_variable, inner]
INPUTS: list[Any] = [[], [1, 2], [5, 0, 2], [0], ["a", 1], [2, 5, 1], None]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("consume", [to_the_end, breaking, returning, raising])
def test_dropped(make: Any, consume: Any) -> None:
    residual = futamura.specialize(consume, make, 5)
    for xs in INPUTS:
        assert outcome(residual, xs) == outcome(consume, make, 5, xs), (xs, residual.source)
    if make in (plain, several, nested):
        assert not residual.stats["fallbacks"] and "make" not in residual.source


def fails_at_five(value: Any) -> None:
    if value == 5:
        raise ValueError(value)


@pytest.mark.parametrize("make", MAKERS)
def test_dropped_by_an_error_of_an_open_function(make: Any) -> None:
    residual = futamura.specialize(calling, make)
    for xs in INPUTS:
        assert outcome(residual, fails_at_five, xs) == outcome(calling, make, fails_at_five, xs), residual.source


def test_a_class_with_another_meaning() -> None:
    residual = futamura.specialize(breaking, nested, 5)
    old = Wide
    try:
        globals()["Wide"] = GeneratorExit
        assert outcome(residual, [2, 1]) == outcome(breaking, nested, 5, [2, 1])
        assert "wide" in outcome(breaking, nested, 5, [2, 1])[1]
    finally:
        globals()["Wide"] = old


def handed_over(function: Any) -> Any:
    def given(k: Any) -> Iterator[Any]:
        try:
            got = yield k
            NOTED.append(got)
        finally:
            pass

    made = given(10)
    try:
        found = function(made)
    finally:
        NOTED.append(made.close)
    return found


def test_one_that_is_handed_over_in_a_try_statement() -> None:
    residual = futamura.specialize(handed_over)
    assert not [event for event in residual.events if event.code == "FT901"]

    def closing(made: Any) -> None:
        made.close()

    for function in (next, list, closing, len):
        got, expected = outcome(residual, function), outcome(handed_over, function)
        assert got[0] == expected[0] and len(got[1]) == len(expected[1])
