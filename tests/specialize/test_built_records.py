"""Records that are built from keywords inside of open loops: the keywords are no container that grows.

    [Item(**{"sku": ..., "tags": ...}) for row in rows]    ->    Item(sku, tags), and no dict

Invariant: each residual is also run against the generic function.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import futamura


@dataclasses.dataclass
class Item:
    sku: str
    price: float
    tags: list[str] = dataclasses.field(default_factory=list)
    discount: float | None = None


KINDS = {"sku": (str,), "price": (float,), "tags": (list,), "discount": (float, None)}


def converted(kinds: tuple[Any, ...], value: object) -> object:
    for kind in kinds:
        if kind is None and value is None:
            return None
        try:
            if kind is list:
                return [converted((str,), item) for item in value]  # type: ignore[attr-defined]
            if kind is not None:
                return kind(value)
        except TypeError:
            continue
    raise ValueError(value)


def built(cls: Any, row: dict[str, Any]) -> Any:
    keywords = {}
    for field in dataclasses.fields(cls):
        if field.name in row:
            keywords[field.name] = converted(KINDS[field.name], row[field.name])
    return cls(**keywords)


def all_built(cls: Any, rows: list[dict[str, Any]]) -> list[Any]:
    return [built(cls, row) for row in rows]


ROWS = [
    {"sku": 1, "price": "2.5"},
    {"sku": "a", "price": 2, "tags": ["x", 5], "discount": None},
    {"sku": "a", "price": 2, "discount": 1},
    {"sku": "b", "price": 3.5, "tags": ()},
]


def test_keywords_that_differ_from_row_to_row_are_no_dict() -> None:
    residual = futamura.specialize(all_built, cls=Item)
    assert "**" not in residual.source
    assert "{}" not in residual.source
    assert residual(ROWS) == all_built(Item, ROWS)
    assert residual([]) == []


def by_name(pairs: Any, scale: float) -> tuple[int, dict[str, float]]:
    found = {name: value * scale for name, value in pairs if value}
    return len(found), {name: converted((float, None), value) for name, value in found.items()}  # type: ignore[misc]


def test_an_open_dict_is_made_once_and_stored_into_like_any_other() -> None:
    residual = futamura.specialize(by_name, scale=2.0)
    assert "__setitem__" not in residual.source
    assert residual.source.count("return") == 1
    for pairs in ([], [("a", 1.0)], [("a", 1.0), ("b", 0), ("a", 3)]):
        assert residual(pairs) == by_name(pairs, 2.0)
