"""Static objects that exceptions carry away (`raise Invalid(self, text)`), and bound methods that static inputs hold.

Invariant: what an exception's `__init__` does to what it is given is seen.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest

import futamura


class Bad(ValueError):
    def __init__(self, node: Any, text: str, *, value: Any = None) -> None:
        self.node = node
        self.text = text
        self.value = value


class Named(Exception):
    def __init__(self, text: str, node: Any = None) -> None:
        super().__init__(text)
        self.node = node


class Counting(Exception):
    def __init__(self, node: Any) -> None:
        self.node = node
        node.low += 1


class Noting(Exception):
    def __init__(self, text: str, node: Any = None) -> None:
        node.notes.append(text)


class Node:
    def __init__(self, name: str, low: int) -> None:
        self.name = name
        self.low = low
        self.notes: list[str] = []

    def check(self, value: Any) -> Any:
        if value is None:
            raise Bad(self, "required")
        value = int(value)
        if value < self.low:
            raise Bad(self, f"{self.name} is low", value=value)
        return value

    def named(self, value: Any) -> Any:
        if value is None:
            raise Named("none", node=self)
        return value + self.low

    def counted(self, value: Any) -> Any:
        if value is None:
            raise Counting(self)
        return value + self.low

    def noted(self, value: Any) -> Any:
        if value is None:
            raise Noting("none", node=self)
        return value, len(self.notes)


class Record:
    def __init__(self, **nodes: Node) -> None:
        self.nodes = nodes

    def check(self, data: dict[str, Any]) -> Any:
        found, errors = {}, {}
        for name, node in self.nodes.items():
            try:
                found[name] = node.check(data.get(name))
            except Bad as error:
                errors[name] = error
        if errors:
            raise Bad(self, "bad", value=errors)
        return found


class Chain:
    def __init__(self, *tests: Callable[[Any], Any]) -> None:
        self.tests = list(tests)

    def run(self, value: Any) -> Any:
        for test in self.tests:
            value = test(value)
        return value


def positive(value: int) -> int:
    if value < 0:
        raise ValueError("negative")
    return value


def chained(checks: Any, value: Any) -> Any:
    for check in checks:
        value = check(value)
    return value


def _outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        named = {name: type(held).__name__ for name, held in vars(error).items()}
        return type(error), len(error.args), named, getattr(error, "text", None)


@pytest.mark.parametrize("method", ["check", "named", "counted", "noted"])
def test_who_carries_an_object_away_leaves_it_known(method: str) -> None:
    ours, theirs = Node("a", 3), Node("a", 3)
    residual = futamura.Specializer(assume="trust")(getattr(ours, method))
    for value in (5, 1, None, 4, None, 7):
        assert _outcome(residual, value) == _outcome(getattr(theirs, method), value)
        assert vars(ours) == vars(theirs)
    if method == "check":
        assert ".low" not in residual.source, residual.source


def test_the_object_itself_is_carried() -> None:
    node = Node("a", 3)
    residual = futamura.specialize(node.check)
    with pytest.raises(Bad) as caught:
        residual(1)
    assert caught.value.node is node


def test_a_record_that_collects_errors_stays_right() -> None:
    record = Record(a=Node("a", 1), b=Node("b", 2))
    residual = futamura.specialize(record.check)
    for data in ({"a": 1, "b": 2}, {"a": 0}, {}, {"b": "9", "a": 4}):
        assert _outcome(residual, data) == _outcome(record.check, data)


class Asking(Exception):
    def __init__(self, node: Any) -> None:
        self.node = node

    def __getattr__(self, name: str) -> Any:
        if name == "grown":
            self.node.low += 1
            return self.node.low
        raise AttributeError(name)


class Showing(Exception):
    def __init__(self, node: Any) -> None:
        self.node = node

    def __str__(self) -> str:
        self.node.low += 1
        return "shown"


def asked(node: Any, x: int) -> Any:
    error = Asking(node)
    if x > 1:
        error.grown  # noqa: B018
    return node.low


def looked_at(node: Any, x: int) -> Any:
    try:
        raise Named("text", node)
    except Named:
        caught: Any = sys.exc_info()[1]
        caught.node.low += x
    return node.low


def handed_on(node: Any, x: Callable[[], None]) -> Any:
    try:
        raise Named("text", node)
    except Named:
        x()
    return node.low


def shown(node: Any, x: int) -> Any:
    try:
        raise Showing(node)
    except Showing:
        text = traceback.format_exc()
    return node.low, "shown" in text, x


def calling(node: Any, x: Callable[[Callable[[], None]], None]) -> Any:
    def fails() -> None:
        raise Named("text", node)

    x(fails)
    return node.low


def _grow() -> None:
    caught: Any = sys.exc_info()[1]
    caught.node.low += 1


def _catching(call: Callable[[], None]) -> None:
    try:
        call()
    except Named as error:
        error.node.low += 1


@pytest.mark.parametrize(
    ("function", "x"), [(asked, 5), (looked_at, 5), (handed_on, _grow), (shown, 1), (calling, _catching)]
)
def test_who_catches_an_exception_may_change_what_it_carries(function: Callable[..., Any], x: Any) -> None:
    ours, theirs = Node("a", 3), Node("a", 3)
    residual = futamura.Specializer(assume="trust")(function, node=ours)
    for _ in range(3):
        assert residual(x) == function(theirs, x)
        assert vars(ours) == vars(theirs)


CHECKS = [Chain(int, positive).run, Chain(str).run]


def of_a_global(value: Any) -> Any:
    for check in CHECKS:
        value = check(value)
    return value


@pytest.mark.parametrize("checks", [CHECKS, tuple(CHECKS), CHECKS[:1]])
def test_bound_methods_in_containers_are_entered(checks: Any) -> None:
    residual = futamura.specialize(chained, checks=checks)
    assert "tests" not in residual.source, residual.source
    for value in (3, "4", -1, "x"):
        assert _outcome(residual, value) == _outcome(chained, checks, value)


def test_a_bound_method_whose_object_changes() -> None:
    chain = Chain(int)
    checks = [chain.run, lambda value: chain.tests.append(str) or value]

    residual = futamura.specialize(chained, checks=checks)
    assert residual("4") == 4
    assert chain.tests == [int, str]
    assert residual("4") == "4"


def test_bound_methods_of_objects_that_globals_hold() -> None:
    residual = futamura.specialize(of_a_global)
    assert _outcome(residual, "3") == "3"
    CHECKS[1].__self__.tests.append(len)  # type: ignore[attr-defined]
    try:
        assert residual("3") == 1
    finally:
        CHECKS[1].__self__.tests.pop()  # type: ignore[attr-defined]
    assert residual("3") == "3"
