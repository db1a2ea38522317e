# ruff: noqa: C416 - comprehensions take items one by one
"""Methods and other code of objects that `sorted`, `min`, `max`, `map` and `filter` are given.

    sorted(rows, key=self.key)     ->    the keys are computed in line, in the order in which `sorted` asks for them

Invariant: what the keys are computed from, when, and what is raised is as in the original.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome


class Report:
    made = 0

    def __init__(self, columns: list[str], factor: int) -> None:
        self.columns = columns
        self.factor = factor

    def key(self, row: Any) -> Any:
        return sum(self.factor * row[name] for name in self.columns)

    def told(self, row: Any) -> Any:
        print("key", row)
        if row == {}:
            raise StopIteration(row)
        return row[self.columns[0]]

    def __call__(self, row: Any) -> Any:
        return row.get(self.columns[-1], 0) * self.factor

    @classmethod
    def first(cls, row: Any) -> Any:
        return row["a"], cls.__name__

    def by_keys(self, rows: Any) -> Any:
        rows = sorted(rows, key=self.key)
        return [[row[name] for name in self.columns] for row in rows]

    def largest(self, rows: Any) -> Any:
        return max(rows, key=self.key), min(rows, key=self, default=self.factor), self.columns[0]

    def backwards(self, rows: Any) -> Any:
        return sorted(rows, reverse=True, key=self.told), self.factor

    def mapped(self, rows: Any) -> Any:
        return [x for x in map(self, rows)], list(filter(self.key, rows)), [*map(self.first, rows)], self.factor

    def by_partial(self, rows: Any) -> Any:
        return sorted(rows, key=functools.partial(Report.key, self)), [
            x for x in map(functools.partial(self.weighted, 2), rows)
        ]

    def weighted(self, weight: int, row: Any) -> Any:
        return weight * self.factor * row["a"]


ROWS: list[Any] = [
    [],
    [{"a": 2, "b": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 1}],
    ({"a": 1, "b": 5}, {"a": 1, "b": 5, "c": 1}),
    [{"a": 1}],
    [{"a": "x", "b": 0}],
    [{"a": 1, "b": 2}, {}],
    [{"a": 1, "b": 2}, {"a": None, "b": 2}],
    5,
    None,
    "ab",
]


def by_keys(report: Report, rows: Any) -> Any:
    return report.by_keys(rows)


def largest(report: Report, rows: Any) -> Any:
    return report.largest(rows)


def backwards(report: Report, rows: Any) -> Any:
    return report.backwards(rows)


def mapped(report: Report, rows: Any) -> Any:
    return report.mapped(rows)


def by_partial(report: Report, rows: Any) -> Any:
    return report.by_partial(rows)


FUNCTIONS: list[Callable[..., Any]] = [by_keys, largest, backwards, mapped, by_partial]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_like_the_original(function: Callable[..., Any]) -> None:
    report = Report(["a", "b"], 3)
    residual = specialize(function, report)
    assert not residual.stats["fallbacks"], residual.events
    for rows in ROWS:
        assert outcome(residual, rows) == outcome(function, report, rows), residual.source
    assert outcome(residual, iter(ROWS[1])) == outcome(function, report, iter(ROWS[1]))


@pytest.mark.parametrize("function", [by_keys, largest, backwards, by_partial])
def test_the_object_is_gone(function: Callable[..., Any]) -> None:
    source = specialize(function, Report(["a", "b"], 3)).source
    assert "_report" not in source and "_method" not in source, source
