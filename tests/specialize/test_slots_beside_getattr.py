"""Slots of objects whose class has a `__getattr__`: it is asked only where nothing was stored.

    s.limit, stored                              known, as it is without a `__getattr__`
    s.extra, a slot in which nothing is          what `__getattr__` gives

Invariant: stores, deletions and changes of the class from elsewhere count, at any time.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.specialize.specializing import specialize


class Spec:
    __slots__ = ("extra", "limit", "name")

    def __init__(self, name: str, limit: int) -> None:
        self.name = name
        self.limit = limit

    def __getattr__(self, key: str) -> Any:
        if key.startswith("no_"):
            raise AttributeError(key)
        return f"<{key}>"


class Wide(Spec):
    """With a dictionary beside the slots."""


def reads(spec: Any, xs: Any) -> Any:
    return [x * spec.limit for x in xs if spec.name == "a"], spec.extra, spec.other


def writes(spec: Any, x: Any) -> Any:
    before = spec.extra
    spec.extra = x
    spec.limit += 1
    return before, spec.extra, spec.limit


def deletes(spec: Any, x: Any) -> Any:
    before = spec.limit
    if x:
        del spec.limit
    return before, spec.limit


def deletes_twice(spec: Any, x: Any) -> Any:
    del spec.limit
    found = spec.limit
    spec.limit = x
    del spec.limit
    return found, spec.limit


def hands_over(spec: Any, function: Any) -> Any:
    before = spec.limit, spec.extra
    function(spec)
    return before, spec.limit, spec.extra


def asks(spec: Any, x: Any) -> Any:
    named = getattr(spec, "limit", x), getattr(spec, "extra", x), getattr(spec, "no_such", x)
    return named, hasattr(spec, "limit"), hasattr(spec, "extra"), hasattr(spec, "no_such")


def fails(spec: Any, x: Any) -> Any:
    try:
        return spec.limit, spec.no_limit
    except AttributeError as error:
        return str(error), x


def makes(cls: Any, xs: Any) -> Any:
    made = cls("b", 3)
    total = sum(x * made.limit for x in xs)
    first = made.extra
    made.extra = total
    return first, made.extra, made.other


def made_and_deleted(cls: Any, x: Any) -> Any:
    made = cls("b", x)
    del made.limit
    return made.limit


def _put(spec: Any) -> None:
    spec.limit, spec.extra = 100, "put"


def _drop(spec: Any) -> None:
    del spec.limit


CASES = [
    (reads, [1, 2]), (writes, 7), (deletes, True), (deletes, False), (deletes_twice, 4), (hands_over, _put),
    (hands_over, _drop), (hands_over, id), (asks, 1), (fails, 1),
]  # fmt: skip


@pytest.mark.parametrize("cls", [Spec, Wide])
@pytest.mark.parametrize(("function", "arg"), CASES)
def test_the_same_as_the_original(cls: Any, function: Any, arg: Any) -> None:
    expected = cls("a", 3)
    spec = cls("a", 3)
    residual = specialize(function, spec)
    for _ in range(2):
        outcomes = []
        for call in (lambda: function(expected, arg), lambda: residual(arg)):
            try:
                outcomes.append(call())
            except AttributeError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
        assert (spec.limit, spec.extra) == (expected.limit, expected.extra)


def test_slots_are_static() -> None:
    residual = specialize(reads, Spec("a", 3))
    assert "limit" not in residual.source and "'<extra>', '<other>'" in residual.source
    assert residual([1, 2]) == ([3, 6], "<extra>", "<other>")
    residual = specialize(makes, Spec)
    assert "Spec" not in residual.source
    assert residual([1, 2]) == makes(Spec, [1, 2]) == ("<extra>", 9, "<other>")
    assert specialize(made_and_deleted, Spec)(4) == "<limit>"


def test_a_class_that_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = Spec("a", 3)
    residual = specialize(reads, spec)
    assert residual([1]) == ([3], "<extra>", "<other>")
    with monkeypatch.context() as patch:
        patch.setattr(Spec, "limit", property(lambda self: 5))
        assert residual([1]) == reads(spec, [1]) == ([5], "<extra>", "<other>")
    with monkeypatch.context() as patch:
        patch.setattr(Spec, "extra", "of the class")
        assert residual([1]) == reads(spec, [1]) == ([3], "of the class", "<other>")
    with monkeypatch.context() as patch:
        patch.setattr(Spec, "__getattr__", lambda self, key: 0)
        assert residual([1]) == reads(spec, [1]) == ([3], 0, 0)
    assert residual([1]) == reads(spec, [1]) == ([3], "<extra>", "<other>")


class Told(ImportError):
    """A member of C code is None where nothing was stored: nobody asks `__getattr__`."""

    def __getattr__(self, key: str) -> Any:
        return f"<{key}>"


def told(error: Any, x: Any) -> Any:
    return error.name, error.path, error.other, x


def told_of_a_new_one(x: Any) -> Any:
    error = Told(x)
    return error.name, error.path, error.other


def test_members_of_c_code() -> None:
    error = Told("message")
    assert specialize(told, error)(1) == told(error, 1) == (None, None, "<other>", 1)
    assert specialize(told_of_a_new_one)(1) == told_of_a_new_one(1) == (None, None, "<other>")


def test_another_object_of_the_class() -> None:
    """What is open is asked when the residual runs."""

    def limit(x: Any, spec: Any) -> Any:
        return spec.limit + x

    residual = specialize(limit, 1)
    assert residual(Spec("a", 3)) == 4
