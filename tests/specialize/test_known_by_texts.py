"""What global objects and classes hold is known where functions of the module look as if they changed it, and do not.

    for x in self.rows["a"]: x -= 2           numbers and lists have no `__isub__`: the rows stay as they are
    reduce(lambda a, f: f(a), self.steps, x)  the lambda gets x, what it gave itself, and the steps one by one

Invariant: each program has a twin in which the change is real, and is seen.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from futamura import specialize
from tests.outcomes import outcome
from tests.specialize.test_modules import agree_midway, module


class Program(NamedTuple):
    """`run(x)` reads what is known; `change()` changes it really, once `real` stands in place of `only`."""

    text: str
    only: str
    real: str
    left: str
    """What the residual would have to read."""


PIPELINE = """
import functools
def add(field, by):
    def step(row):
        row[field] = row[field] + by
        return row
    return step
class Pipeline:
    def __init__(self, steps): self.steps = [add(*step) for step in steps]
    def __call__(self, row): return functools.reduce(lambda made, step: step(made), self.steps, row)
P = Pipeline([("a", 1), ("b", 2), ("a", 3), ("b", 4)])
def run(x):
    row = P({"a": x, "b": 2 * x})
    return sorted(row.items())
def change(): P({"a": 1, "b": 2})
"""
FIELDS = """
import datetime
class Field:
    def __set_name__(self, owner, name):
        self.name = name
        owner.known = {**getattr(owner, "known", {}), name: self}
    def __get__(self, row, cls): return self if row is None else row.__dict__[self.name]
    def __set__(self, row, value): row.__dict__[self.name] = self.clean(value)
    def clean(self, value): return int(value)
class Date(Field):
    def clean(self, value): return datetime.date.fromisoformat(value)
class Row:
    count, day, size = Field(), Date(), Field()
    @classmethod
    def load(cls, values):
        row = cls()
        for name, field in cls.known.items(): setattr(row, name, values[name])
        return row
def run(x):
    row = Row.load({"count": x, "day": "2024-01-02", "size": 2})
    return row.count + row.size, row.day
def change(): Row.load({"count": 3, "day": "2024-01-02", "size": 1})
"""
GRADES = """
import bisect
class Grades:
    def __init__(self, limits, names): self.limits, self.names = limits, names
    def name(self, x): return self.names[bisect.bisect_right(self.limits, x)]
G = Grades([50, 60, 80], ["D", "C", "B", "A"])
def run(x): return "grade " + G.name(x) + " of " + G.names[-1]
def change(): bisect.bisect(G.limits, 4)
"""
LOWERED = """
class Table:
    def __init__(self, rows, less): self.rows, self.less = rows, less
    def shown(self, name, by):
        found = ""
        for x in self.rows[name]:
            x -= self.less
            found += f"{x} {by}"
        return found
T = Table({"a": [1, 2, 3], "b": [4]}, 2)
def run(x): return T.shown("a", x) + T.shown("b", x)
def change(): T.shown("a", 1)
"""
PROGRAMS = {
    "pipeline": Program(
        PIPELINE, "made, step: step(made)", "made, step: step(made) if made else P.steps.pop()", "steps"
    ),
    "what folds": Program(PIPELINE, "change(): P(", "change(): P.steps.append(lambda row: {}) or P(", "steps"),
    "fields": Program(FIELDS, "def change(): Row", "def change():\n    Row.known.pop('size')\n    Row", "known"),
    "bisect": Program(GRADES, "bisect.bisect(G.limits, 4)", "bisect.insort(G.limits, 4)", "limits"),
    "numbers": Program(LOWERED, '{"a": [1, 2, 3], "b": [4]}, 2', '{"a": [{2}, {3}], "b": [{4}]}, {2}', "rows"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_not_changed_is_known(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROGRAMS[name]
    made: Any = module("texts_", program.text, tmp_path, monkeypatch)
    residual = specialize(made.run)
    assert program.left not in residual.source, residual.source
    for x in (3, 70, "a", None):
        assert outcome(residual, x) == outcome(made.run, x)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_changed_is_seen(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROGRAMS[name]
    assert program.only in program.text
    text = program.text.replace(program.only, program.real)
    own, twin = (module(one, text, tmp_path, monkeypatch) for one in ("texts_", "textstwin_"))
    residual = specialize(own.run)
    for x in (3, 70, "a"):
        assert outcome(residual, x) == outcome(twin.run, x)
        for made in (own, twin):
            outcome(made.change)
        assert outcome(residual, x) == outcome(twin.run, x)


MIDWAY = """
from textsof_ import Table
T = Table({"a": [1, 2, 3], "b": [4]}, 2)
def change(): T.lower("a")
def midway(change):
    before = [bool(x) for x in T.rows["a"]]
    change()
    return before, [bool(x) for x in T.rows["a"]]
"""


@pytest.mark.parametrize("rows", [PROGRAMS["numbers"].only, PROGRAMS["numbers"].real])
def test_what_the_module_of_the_class_changes_midway(
    rows: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The class is one of another module than the object."""
    classes = LOWERED.partition("T = ")[0].replace("shown(self, name, by)", "lower(self, name, by=1)")
    module("textsof_", classes, tmp_path, monkeypatch)
    source = agree_midway("texts_", MIDWAY.replace(PROGRAMS["numbers"].only, rows), tmp_path, monkeypatch, "change")
    assert ("rows" in source) is (rows == PROGRAMS["numbers"].real), source
