"""Read-only views of dicts (`types.MappingProxyType`): what they show is known as what dicts hold is.

Invariant: what is stored in the dict behind a view, by the residual or by code that gets it, is seen.
"""

from __future__ import annotations

import collections
import inspect
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome
from tests.specialize.specializing import source_of, specialize

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Registry:
    def __init__(self, kind: Any) -> None:
        self.table = kind(a=1, b=2)
        self.view = MappingProxyType(self.table)

    def scaled(self, x):
        return [(name, x * value) for name, value in self.view.items()], len(self.view), "b" in self.view, [*self.view]

    def put(self, key):
        self.table[key] = 7
        return self.view["a"], [*self.view], self.view.get("c")

    def handed(self, call):
        found = self.view["b"]
        call(self)
        return found, self.view["b"], dict(self.view)

    def shown(self, call):
        call(self.view)
        return self.view["a"]

    def asked(self, key):
        try:
            return self.view[key], self.view.get(key)
        except (KeyError, TypeError) as error:
            return repr(error)

    def stored(self, key):
        try:
            self.view[key] = 3
        except TypeError as error:
            return str(error), self.view["a"]
        return None


def change(registry):
    if isinstance(registry, Registry):
        registry.table["b"] += 1


CALLS: list[tuple[str, list[Any]]] = [
    ("scaled", [2, "ab", None]),
    ("put", ["a", "c", "a"]),
    ("handed", [change, change]),
    ("shown", [change, len]),
    ("asked", ["a", "z", []]),
    ("stored", ["a", []]),
]


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict, collections.Counter])
@pytest.mark.parametrize(("name", "inputs"), CALLS)
def test_what_a_view_shows(name: str, inputs: list[Any], kind: Any) -> None:
    mine, theirs = Registry(kind), Registry(kind)
    residual = specialize(getattr(mine, name))
    for given in inputs:
        assert outcome(residual, given) == outcome(getattr(theirs, name), given), given


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict])
def test_what_is_only_read_is_known(kind: Any) -> None:
    assert "view" not in source_of(specialize(Registry(kind).scaled))


class Options:
    level = 1


def level_of(names, x):
    found = names["level"]
    Options.level = x
    return found, names["level"]


def test_the_namespace_of_a_class_changes_with_the_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Options, "level", 1)
    residual = specialize(level_of, vars(Options))
    assert residual(5) == (1, 5)
    assert residual(6) == (5, 6)


def sized(width, height=2, *, depth=3):
    return width, height, depth


CALLED: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}), ((1, 5), {"depth": 4}), ((), {}), ((1, 2, 3), {}), ((1,), {"width": 2}), ((), {"width": 2, "x": 1}),
]  # fmt: skip


@pytest.mark.parametrize("function", [sized, lambda *names, **values: None, lambda a, /, b=1: None])
def test_arguments_bound_to_a_signature(function: Callable[..., Any]) -> None:
    signature = inspect.signature(function)
    residual = futamura.specialize(signature.bind)
    assert ".values()" not in source_of(residual)
    for args, keywords in CALLED:
        found = outcome(lambda: residual(*args, **keywords).arguments)  # noqa: B023
        assert found == outcome(lambda: signature.bind(*args, **keywords).arguments)  # noqa: B023
