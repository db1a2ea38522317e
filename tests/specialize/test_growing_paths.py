"""Recursion over a known structure whose other argument grows from call to call: the path to what is looked at.

    def check(schema, value, path): ...  check(inner, item, (*path, i)) ...      path is an argument of the residual
                                                                                 function of a schema that holds itself

Invariant: the structure is gone, whatever the path is made of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome

TREE = {"tree": ("obj", {"v": ("int",), "kids": ("list", ("ref", "tree")), "note": ("opt", ("int",))})}
MUTUAL = {
    "file": ("obj", {"size": ("int",)}),
    "folder": (
        "obj",
        {"files": ("list", ("ref", "file")), "folders": ("list", ("ref", "folder")), "up": ("opt", ("ref", "folder"))},
    ),
}  # fmt: skip


class Wrong(Exception):
    pass


def displayed(kinds: Any, schema: Any, value: Any, path: tuple[Any, ...] = ()) -> Any:
    kind = schema[0]
    if kind == "ref":
        return displayed(kinds, kinds[schema[1]], value, path)
    if kind == "int":
        if not isinstance(value, int):
            raise Wrong(f"{path}: no number")
        return value
    if kind == "opt":
        return None if value is None else displayed(kinds, schema[1], value, path)
    if kind == "list":
        return [displayed(kinds, schema[1], one, (*path, at)) for at, one in enumerate(value)]
    return {key: displayed(kinds, inner, value.get(key), (*path, key)) for key, inner in schema[1].items()}


def added(kinds: Any, schema: Any, value: Any, path: tuple[Any, ...] = ()) -> Any:
    kind = schema[0]
    if kind == "ref":
        return added(kinds, kinds[schema[1]], value, path)
    if kind == "int":
        if not isinstance(value, int):
            raise Wrong(path)
        return value
    if kind == "opt":
        return None if value is None else added(kinds, schema[1], value, path)
    if kind == "list":
        out = []
        for at in range(len(value)):
            out.append(added(kinds, schema[1], value[at], path + (at,)))  # noqa: RUF005
        return out
    out = {}
    for key in schema[1]:
        out[key] = added(kinds, schema[1][key], value.get(key), path + (key,))  # noqa: RUF005
    return out


def listed(kinds: Any, schema: Any, value: Any, path: list[Any]) -> Any:
    kind = schema[0]
    if kind == "ref":
        return listed(kinds, kinds[schema[1]], value, path)
    if kind == "int":
        return [] if isinstance(value, int) else ["/".join(map(str, path)) + ": no number"]
    if kind == "opt":
        return [] if value is None else listed(kinds, schema[1], value, path)
    if kind == "list":
        return [text for at, one in enumerate(value) for text in listed(kinds, schema[1], one, [*path, at])]
    return [text for key, inner in schema[1].items() for text in listed(kinds, inner, value.get(key), [*path, key])]


def linked(kinds: Any, schema: Any, value: Any, path: Any = None) -> Any:
    """A path of pairs."""
    kind = schema[0]
    if kind == "ref":
        return linked(kinds, kinds[schema[1]], value, path)
    if kind == "int":
        return [] if isinstance(value, int) else [path]
    if kind == "opt":
        return [] if value is None else linked(kinds, schema[1], value, path)
    if kind == "list":
        return [one for at, item in enumerate(value) for one in linked(kinds, schema[1], item, (at, path))]
    return [one for key, inner in schema[1].items() for one in linked(kinds, inner, value.get(key), (key, path))]


TREES: list[Any] = [
    {"v": 1, "kids": []},
    {"v": 1, "kids": [{"v": 2, "kids": [{"v": 3, "kids": [], "note": 7}]}, {"v": 4, "kids": []}]},
    {"v": 1, "kids": [{"v": 2, "kids": [{"v": "3", "kids": []}]}]},
    {"v": 1, "kids": [{"v": None, "kids": [{"v": 3, "kids": [{}]}], "note": "x"}]},
    {"v": 1},
    5,
]
FOLDERS: list[Any] = [
    {"files": [{"size": 1}], "folders": []},
    {"files": [{"size": 1}, {"size": ""}], "folders": [{"files": [{"size": "x"}], "folders": [], "up": None}]},
    {"files": [], "folders": [{"files": [], "folders": [{"files": [{}], "folders": []}]}]},
    {"files": [], "folders": [], "up": {"files": [], "folders": [], "up": {"files": [{"size": []}]}}},
    {"files": 5},
]  # fmt: skip
ROOTS: dict[Callable[..., Any], Any] = {displayed: (), added: (), listed: [], linked: None}


@pytest.mark.parametrize(("kinds", "name", "values"), [(TREE, "tree", TREES), (MUTUAL, "folder", FOLDERS)])
@pytest.mark.parametrize("function", ROOTS, ids=lambda one: one.__name__)
def test_the_schema_is_gone(function: Callable[..., Any], kinds: Any, name: str, values: list[Any]) -> None:
    given: dict[str, Any] = {"kinds": kinds, "schema": ("ref", name), "path": ROOTS[function]}
    residual = specialize(function, **given)
    assert not residual.stats["fallbacks"], residual.events
    assert not any(event.code == "FT406" for event in residual.events), residual.events
    assert not any(kind in residual.source for kind in ("'ref'", "'int'", "'opt'", "'obj'", "_kinds")), residual.source
    for value in values:
        assert outcome(residual, value) == outcome(lambda value: function(value=value, **given), value), residual.source
