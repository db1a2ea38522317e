"""Functions that are handed to unknown code and read attributes of a static object: the object stays static.

    rows.sort(key=lambda row: row[self.order])     `self.limit`, read before, is known; `sort` cannot get at `self`

Invariant: functions that do more than read plain attributes are handed over with all that they hold.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import futamura
from tests.specialize.comparing import compare


class Row(dict[str, Any]):
    """Rows whose look-ups run code that may know of the query."""

    def __getitem__(self, name: str) -> Any:
        for query in SEEN:
            query.limit = 5
            query.order = "b"
        return super().__getitem__(name)


SEEN: list[Any] = []


class Query:
    kind = "query"

    def __init__(self, limit: int, order: str) -> None:
        self.limit, self.order = limit, order
        self.names = ["a", "b"]
        self.count = 0

    @property
    def first(self) -> str:
        SEEN.append(self)
        return self.order

    def sorted_rows(self, rows: Any) -> Any:
        out = [row for row in rows if row["a"] > self.limit]
        out.sort(key=lambda row: row[self.order])
        return out, self.limit

    def by_function(self, rows: Any) -> Any:
        def key(row: Any, sign: int = -1) -> Any:
            return sign * row[self.order] if self.limit else 0

        return sorted(rows, key=key), self.limit, self.order

    def written(self, rows: Any) -> Any:
        look = lambda row: (row["a"], self.count, self.order)  # noqa: E731
        self.count = 1
        first = list(map(look, rows))
        self.count += len(rows)
        self.order = "b"
        return first, sorted(rows, key=look), self.count, look

    def given_away(self, rows: Any) -> Any:
        rows.sort(key=lambda row: SEEN.append(self) or row["a"])
        rows.sort(key=lambda row: row["b"])
        return self.limit, self.order

    def by_property(self, rows: Any) -> Any:
        rows.sort(key=lambda row: row[self.first])
        return self.limit, self.order

    def by_list(self, rows: Any) -> Any:
        rows.sort(key=lambda row: row[self.names[0]])
        kept = lambda: self.names  # noqa: E731
        return self.names, kept

    def nested(self, rows: Any) -> Any:
        outer = lambda row: (lambda: row[self.order])()  # noqa: E731
        return sorted(rows, key=outer), self.limit

    def missing(self, rows: Any) -> Any:
        return sorted(rows, key=lambda row: row[self.nothing])  # type: ignore[attr-defined]

    def of_class(self, rows: Any) -> Any:
        return sorted(rows, key=lambda row: (self.kind, row["b"])), self.kind


METHODS = (
    "sorted_rows", "by_function", "written", "given_away", "by_property", "by_list", "nested", "missing", "of_class",
)  # fmt: skip


def _rows(random: Random) -> Any:
    kind = Row if random.randrange(2) else dict
    return ([kind(a=random.randrange(4), b=random.randrange(4)) for _ in range(random.randrange(4))],)


@pytest.mark.parametrize("method", METHODS)
def test_like_the_original(method: str) -> None:
    def make() -> Any:
        SEEN.clear()
        return getattr(Query, method), {"self": Query(1, "a")}

    compare(make, _rows, futamura.specialize)


def test_what_is_read_is_known() -> None:
    residual = futamura.specialize(Query.sorted_rows, self=Query(1, "a"))
    assert "limit" not in residual.source, residual.source
    assert "names" in futamura.specialize(Query.by_list, self=Query(1, "a")).source
