"""Handlers that take nothing of what comes to them are not in the residual; all others are.

    try: return s[i]           (s a str, i an int: only IndexError)          return s[i]
    except Failed: return 1                                            ->
"""

from __future__ import annotations

from typing import Any

import pytest

import futamura
from futamura import Dyn
from tests.outcomes import outcome


class Failed(Exception):
    pass


class Narrow(IndexError):
    pass


def item(k: int, s: str, i: int) -> object:
    try:
        return s[i]
    except Failed:
        return k


def counted(k: int, s: str) -> int:
    i = 0
    while True:
        try:
            if i >= len(s) or s[i] != "a":
                return i
            i = i + k
        except Failed:
            return -1


def several(k: int, x: int, y: int) -> object:
    try:
        z = x // y
    except KeyError:
        return "key"
    except (ValueError, Failed) as error:
        return str(error)
    return z + k


def narrower(k: int, s: str, i: int) -> object:
    try:
        return s[i]
    except Narrow:
        return k


def nested(k: int, s: str, i: int) -> object:
    try:
        try:
            c = s[i]
        except KeyError:
            return "inner"
    except IndexError:
        return "outer"
    return c * k


def wider(k: int, s: str, i: int) -> object:
    try:
        return s[i]
    except LookupError:
        return k


def anywhere(k: int, x: int, y: int) -> object:
    try:
        return x // y
    except (MemoryError, KeyboardInterrupt):
        return k


def everything(k: int, x: int, y: int) -> object:
    try:
        return x % y
    except Exception as error:
        return type(error).__name__ * k


def cleaned(k: int, x: int, y: int, log: list[int]) -> object:
    try:
        try:
            return x % y
        except Failed:
            return k
    finally:
        log.append(x)


TEXTS: list[tuple[Any, ...]] = [("ab", 1), ("ab", 2), ("", 0), ("a", -2), (None, 0), ("ab", None), ([1], 0)]
NUMBERS: list[tuple[Any, ...]] = [(7, 2), (7, 0), (0, -1), ("%d", 3), (1.5, 0.0), (None, 1)]


@pytest.mark.parametrize("function", [item, narrower, nested, wider])
def test_texts_mean_the_same(function: Any) -> None:
    residual = futamura.specialize(function, k=2, s=Dyn(str), i=Dyn(int))
    for given in TEXTS:
        assert outcome(residual, *given) == outcome(function, 2, *given)


@pytest.mark.parametrize("function", [several, anywhere, everything])
def test_numbers_mean_the_same(function: Any) -> None:
    residual = futamura.specialize(function, k=2, x=Dyn(int), y=Dyn(int))
    for given in NUMBERS:
        assert outcome(residual, *given) == outcome(function, 2, *given)


def test_clean_ups_mean_the_same() -> None:
    residual = futamura.specialize(cleaned, k=2, x=Dyn(int), y=Dyn(int))
    for given in NUMBERS:
        logs: list[list[Any]] = [[], []]
        assert outcome(residual, *given, logs[0]) == outcome(cleaned, 2, *given, logs[1])
        assert logs[0] == logs[1]


def test_counting_means_the_same() -> None:
    residual = futamura.specialize(counted, k=1, s=Dyn(str))
    for text in ("", "a", "aab", "b", "aaa"):
        assert residual(text) == counted(1, text)
    assert "try" not in residual.source and "while True" not in residual.source


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize(("function", "left"), [(item, 0), (narrower, 0), (nested, 2), (wider, 1)])
def test_clauses_that_are_left_of_texts(function: Any, left: int) -> None:
    source = futamura.specialize(function, k=2, s=Dyn(str), i=Dyn(int)).source
    assert source.count("except ") == left, source


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize(("function", "left"), [(several, 0), (anywhere, 1), (everything, 1)])
def test_clauses_that_are_left_of_numbers(function: Any, left: int) -> None:
    source = futamura.specialize(function, k=2, x=Dyn(int), y=Dyn(int)).source
    assert source.count("except ") == left, source


class Watched:
    """Its class is a property, as it is of lazy proxies."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        raise Failed("asked")


def asked(k: int, x: object) -> object:
    try:
        return isinstance(x, int)
    except Failed as error:
        return str(error) * k


def wrongly_named(k: Any, n: int) -> object:
    try:
        return [1, 2, 3][n] // (n - 1)
    except k:
        return "taken"


def test_the_class_of_an_open_object_may_be_a_property() -> None:
    assert futamura.specialize(asked, k=2)(Watched()) == asked(2, Watched()) == "askedasked"


@pytest.mark.parametrize("named", [int, (int, KeyError), KeyError, ZeroDivisionError, (KeyError, (ArithmeticError,))])
def test_what_is_no_exception_is_an_error_where_it_is_named(named: Any) -> None:
    residual = futamura.specialize(wrongly_named, k=named, n=Dyn(int))
    for n in (0, 1, 2, 5):
        assert outcome(residual, n) == outcome(wrongly_named, named, n)


def test_unknown_code_keeps_its_handlers() -> None:
    source = futamura.specialize(item, k=2).source
    assert "except Failed" in source
