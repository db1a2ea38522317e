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


def events(machine: Any, rows: Any) -> Any:
    found = []
    for name, *args in rows:
        try:
            found.append(machine.fire(name, *args))
        except LookupError as error:
            found.append(str(error))
    return found, machine.fired


class Machine:
    def __init__(self) -> None:
        self.fired = 0
        self.table = {"put": lambda x, y: (x, y), "get": lambda x: x}

    def fire(self, name: str, *args: Any) -> Any:
        if name not in self.table:
            raise LookupError(f"no {name}")
        self.fired += 1
        return self.table[name](*args)


def test_what_a_star_takes_is_a_list() -> None:
    """So that it is collected, and the method entered."""
    residual = futamura.specialize(events, machine=Machine())
    assert "fire" not in residual.source.replace("fired", ""), residual.source
    twin = Machine()
    futures: list[Any] = [[], [("put", 1, 2), ("get", 3)], [("none",), ["get", [4]]], [("put", 1)], [()], [3], ["get"]]
    residual = futamura.specialize(events, machine=Machine())
    for rows in futures:
        assert outcome(residual, rows) == outcome(lambda rows: events(twin, rows), rows)


def middle(rows: Any) -> Any:
    first, *rest, last = rows
    first, *others = rest
    return isinstance(rest, list), type(others) is list, [*rest, first, last], others


def test_its_class_is_known() -> None:
    residual = futamura.Specializer(assume="trust")(middle, futamura.DYN)
    assert "return True, True" in residual.source, residual.source
    for rows in ([1, 2, 3], "abcd", (x for x in range(5)), [1, 2], None, {1: 2, 3: 4, 5: 6}.items()):
        again = list(rows) if hasattr(rows, "gi_frame") else rows
        assert outcome(residual, again) == outcome(middle, again)
