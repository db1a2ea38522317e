"""Calls with a star before a tuple or list of open length: it is what the function collects.

Invariant: the residual gives and raises what the function does, however many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import futamura
from futamura import Dyn


def text(form: str, *args: Any) -> str:
    out, at = [], 0
    for char in form:
        if char == "%":
            out.append(str(args[at]))
            at += 1
        else:
            out.append(char)
    return "".join(out)


def named(form: str, *args: Any, sep: str = "-", **rest: Any) -> Any:
    return form + sep, args, rest


def fixed(form: str, first: Any, *args: Any) -> Any:
    return form * 2, first, args


class Form:
    def __init__(self, form: str) -> None:
        self.form = form

    def __call__(self, *args: Any) -> Any:
        return text(self.form, *args)

    def put(self, *args: Any) -> Any:
        return text(self.form, *args), args


def logged(function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any, **options: Any) -> Any:
        return "logged", function(*args, **options)

    return wrapper


@logged
def decorated(form: str, *args: Any) -> Any:
    return text(form, *args)


def plain(form: str, *values: Any) -> Any:
    return text(form, *values)


def more(form: str, *values: Any) -> Any:
    return text(form, 5, *values), named(form, 1, *values, sep="+"), named(form, *values, x=1)


def filled(form: str, *values: Any) -> Any:
    return fixed(form, *values)


def method(form: str, *values: Any) -> Any:
    return Form(form).put(*values), Form(form)(*values)


def around(form: str, *values: Any) -> Any:
    return decorated(form, *values)


def changed(form: str, *values: Any) -> Any:
    rows = list(values)
    found = named(form, *rows)
    rows.append(1)
    return found, rows


@pytest.mark.parametrize("function", [plain, more, filled, method, around, changed])
@pytest.mark.parametrize("form", ["a%b%", "", "%"])
def test_what_is_collected_is_entered(function: Callable[..., Any], form: str) -> None:
    residual = futamura.specialize(function, form)
    for values in ((), (1,), (1, "x"), (1, 2, 3)):
        assert outcome(residual, *values) == outcome(function, form, *values)
    if function is plain:
        assert "text" not in residual.source


def of_a_list(form: str, values: list[Any]) -> Any:
    return text(form, *values), named(form, *values)[1] is values


def of_anything(form: str, values: Any) -> Any:
    return text(form, *values)


def test_lists_are_collected_as_tuples() -> None:
    residual = futamura.specialize(of_a_list, "a%b%", Dyn(list))
    assert "text" not in residual.source
    for values in ([1, 2], [], [1, 2, 3]):
        assert outcome(residual, values) == outcome(of_a_list, "a%b%", values)
    residual = futamura.specialize(of_anything, "a%")
    for given in ([1], (1,), "x", {"k": 1}, iter([1]), 5, None):
        other = iter([1]) if hasattr(given, "__next__") else given
        assert outcome(residual, given) == outcome(of_anything, "a%", other)


def outcome(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)
