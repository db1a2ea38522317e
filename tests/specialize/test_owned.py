"""Dicts that the residual makes and nobody else has: a store runs no code, and what is caught around it is not raised.

Invariant: whoever gets such a dict, on whatever way, may put keys into it that run code when they are compared.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from futamura import Specializer

NAMES = ("a", "b", "c")


class Bad(Exception):
    pass


class Key:
    """A key that is told of comparisons, and lets none succeed."""

    asked: ClassVar[list[str]] = []

    def __init__(self, name: str) -> None:
        self.name = name

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        Key.asked.append(self.name)
        raise ValueError("compared")

    def __repr__(self) -> str:
        return f"Key({self.name})"


class Holder:
    def __init__(self) -> None:
        self.errors: Any = {}


HELD = Holder()


def need(value: Any) -> Any:
    if not value:
        raise Bad("required")
    if len(value) > 9:
        raise Bad("long")
    return value


def collected(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    good = {}
    for name in names:
        value = data.get(name)
        try:
            good[name] = need(value)
        except Bad as problem:
            errors[name] = str(problem)
    return errors, good


def handed(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    for name in names:
        value = data.get(name)
        sink(errors)
        try:
            need(value)
        except Bad as problem:
            errors[name] = str(problem)
    return errors


def in_a_list(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    held = [errors]
    for name in names:
        value = data.get(name)
        if value:
            errors[name + "x"] = 1
        sink(held)
        try:
            need(value)
        except Bad as problem:
            errors[name] = str(problem)
    return errors


def by_another_name(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    other: dict[str, Any] = errors
    for name in names:
        value = data.get(name)
        if value:
            other = {}
        sink(other)
        try:
            need(value)
        except Bad as problem:
            errors[name] = str(problem)
            other[name] = 2
    return errors, other


def by_a_method(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    get = errors.get
    for name in names:
        value = data.get(name)
        sink(get)
        try:
            need(value)
        except Bad as problem:
            errors[name] = str(problem)
    return errors


def by_a_closure(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}

    def add(key: Any, value: Any) -> None:
        errors[key] = value

    for name in names:
        value = data.get(name)
        sink(add)
        try:
            need(value)
        except Bad as problem:
            errors[name] = str(problem)
    return errors


def within_itself(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    for name in names:
        value = data.get(name)
        try:
            need(value)
        except Bad as problem:
            errors[name] = str(problem)
        errors.setdefault("z", errors)
        sink(errors["z"])
    return len(errors)


def in_an_attribute(names: Any, data: Any, sink: Any) -> Any:
    HELD.errors = errors = {}  # type: ignore[var-annotated]
    for name in names:
        value = data.get(name)
        if value:
            errors[name + "x"] = 1
        sink(HELD)
        try:
            need(value)
        except Bad as problem:
            errors[name] = str(problem)
    return errors


def further(at: Any, names: Any, data: Any, sink: Any, errors: Any) -> Any:
    if at >= len(names):
        return errors
    value = data.get(names[at])
    try:
        need(value)
    except Bad as problem:
        errors[names[at]] = str(problem)
    sink(errors)
    return further(at + 1, names, data, sink, errors)


def by_a_function(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    found = further(0, names, data, sink, errors)
    try:
        need(data.get("a"))
    except Bad as problem:
        errors["last"] = str(problem)
    return found


def in_a_loop(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    trips = 0
    while trips < len(data):
        for name in names:
            try:
                need(data.get(name))
            except Bad as problem:
                errors[name] = str(problem)
        if data.get("c") and trips:
            sink(errors)
        trips += 1
    return errors


def two_names_in_a_loop(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    other: dict[str, Any] = {}
    for value in data.values():
        if value:
            errors["k"] = other["k"] = 1
        try:
            need(value)
        except Bad as problem:
            errors["a"] = str(problem)
        sink(other)
        if value == "x":
            other = errors
    return errors, other


def deeper(at: Any, again: Any, data: Any, sink: Any, errors: Any) -> Any:
    if at <= 0:
        if again:
            sink(errors)
        raise Bad("deep")
    if data.get("b"):
        return deeper(at - 2, True, data, sink, errors)
    return deeper(at - 1, True, data, sink, errors)


def by_a_function_that_raises(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    if data.get("c"):
        errors["c"] = 1
    with contextlib.suppress(Bad):
        deeper(len(data), False, data, sink, errors)
    try:
        need(data.get("a"))
    except Bad as problem:
        errors["a"] = str(problem)
    return errors


def by_a_view(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    for name in names:
        if data.get(name):
            errors[name + "x"] = 1
    shown = errors.items()
    sink(shown.mapping == Taking(sink))
    for name in names:
        try:
            need(data.get(name))
        except Bad as problem:
            errors[name] = str(problem)
    return errors


def after_another_call(k: Any, flag: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    for at in range(flag):
        errors[str(at)] = 1
    try:
        sink(1)
        sink(errors)
    except KeyError:
        try:
            errors["a"] = 1
        except ValueError:
            return "caught", k
    return k


def by_a_method_that_was_called(names: Any, data: Any, sink: Any) -> Any:
    errors: dict[str, Any] = {}
    for name in data:
        errors[name + "x"] = 1
    put = errors.setdefault
    put("b", 2)
    with contextlib.suppress(ValueError):
        sink(put)
    try:
        errors["a"] = 1
    except ValueError:
        return "caught"
    return errors


def counted_down(left: Any, errors: Any, sink: Any) -> Any:
    if left <= 0:
        sink(errors)
        raise KeyError(left)
    own: dict[str, Any] = {}
    for at in range(left):
        own[str(at)] = at
    try:
        counted_down(left - 1, own, sink)
    except KeyError:
        try:
            own["a"] = 1
        except ValueError:
            return "caught"
    return own


def by_a_function_in_a_handler(names: Any, data: Any, sink: Any) -> Any:
    return counted_down(len(data) - 1, {}, sink)


class Taking:
    """What is compared with something gets it."""

    def __init__(self, sink: Any) -> None:
        self.sink = sink

    def __eq__(self, other: object) -> bool:
        self.sink(other)
        return True

    __hash__ = object.__hash__


def filler(keys: tuple[str, ...]) -> Callable[[Any], None]:
    """Puts such keys into whatever dicts it gets, however deep."""

    def fill(given: Any) -> None:
        work, seen = [given], []
        while work:
            one = work.pop()
            if any(one is other for other in seen):
                continue
            seen.append(one)
            if isinstance(one, dict):
                work += one.values()
                for key in keys:
                    put(one, key)
            elif isinstance(one, (list, tuple)):
                work += one
            elif isinstance(one, Holder):
                work.append(one.errors)
            elif callable(one) and hasattr(one, "__self__"):
                work.append(one.__self__)
            elif callable(one):
                for key in keys:
                    one(Key(key), 1)

    def put(target: dict[Any, Any], key: str) -> None:
        with contextlib.suppress(ValueError):
            target[Key(key)] = 1

    return fill


def outcome(function: Callable[..., Any], *args: Any) -> object:
    Key.asked.clear()
    try:
        found = repr(function(*args))
    except Exception as error:
        before = error.__context__
        found = repr((error, before, before and before.__context__))
    return found, list(Key.asked)


@pytest.mark.parametrize("polyvariance", ["auto", "all", "none"])
@pytest.mark.parametrize(
    "function",
    [
        collected, handed, in_a_list, by_another_name, by_a_method, by_a_closure, within_itself, in_an_attribute,
        by_a_function, in_a_loop, two_names_in_a_loop, by_a_function_that_raises, by_a_view,
        by_a_method_that_was_called, by_a_function_in_a_handler,
    ],
)
def test_whoever_gets_the_dict(function: Any, polyvariance: str) -> None:
    residual = Specializer(polyvariance=polyvariance)(function, names=NAMES)
    for values in itertools.product((None, "x", "y" * 12), repeat=3):
        data = dict(zip(NAMES, values))
        for keys in (NAMES, NAMES[1:], NAMES[2:], ()):
            expected = outcome(function, NAMES, data, filler(keys))
            assert outcome(residual, data, filler(keys)) == expected, (values, keys)


def test_errors_that_are_collected_are_not_raised() -> None:
    residual = Specializer()(collected, names=NAMES)
    assert "raise" not in residual.source
    assert residual.source.count("errors['a'] = ") == 3


class Scanner:
    """A machine whose position is known as long as no code that is not known runs."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.pos = 0

    def run(self, x: Any, flag: Any) -> Any:
        found: dict[str, Any] = {}
        if flag:
            found["flag"] = x
        self.pos = 0
        while self.pos < len(self.program):
            name = self.program[self.pos]
            self.pos += 1
            found[name] = x
            if name in found:
                x = found[name]
        return found


def test_a_store_tells_nobody() -> None:
    scanner = Scanner(["a", "b", "c"])
    residual = Specializer()(scanner.run)
    assert "_program" not in residual.source
    assert "while" not in residual.source
    for flag in (0, 1):
        assert residual(5, flag) == Scanner(["a", "b", "c"]).run(5, flag)
    assert scanner.pos == 3


def test_a_handler_that_two_calls_share() -> None:
    def sink(given: Any) -> None:
        if given != 1:
            given[Key("a")] = 1
            raise KeyError(3)

    residual = Specializer()(after_another_call, 3)
    for flag in (0, 2):
        assert residual(flag, sink) == after_another_call(3, flag, sink) == ("caught", 3)
