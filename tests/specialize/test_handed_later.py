"""What only the finished residual shows to be handed to code that is not known: who asks what, and where it is rare.

    except Invalid as e:
        report(e)             e may be what a call raised, or hold the validator: that is seen when all is there

Invariant: whatever that code does to static objects, at once or later, every call does what the original would do.
"""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Callable
from typing import Any

import pytest

from futamura import Specializer
from futamura.another import folds_as_much
from tests.specialize.specializing import source_of, specialize


class Plain:
    """No code is run to tell of what class its objects are."""

    def __init__(self, n: int) -> None:
        self.n = n


class Row(Plain):
    """Has methods that are code, but none that `isinstance` asks for."""

    def __repr__(self) -> str:
        return f"Row({self.n})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and other.n == self.n

    def __hash__(self) -> int:
        return hash(self.n)


class Meddling(type):
    """Changes what is asked to be an instance, or a subclass, of its classes."""

    def __instancecheck__(cls, row: Any) -> bool:
        row.n += 10
        return False

    __subclasscheck__ = __instancecheck__


class Never(metaclass=Meddling):
    pass


class Liar(Row):
    """Says of which class it is, and changes meanwhile."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        self.n += 100
        return Row


class Tested(abc.ABC):  # noqa: B024
    pass


def asks(row: Any, kind: Any) -> Any:
    return isinstance(row, kind)


def asks_of_several(row: Any, kind: Any) -> Any:
    return isinstance(row, (int, kind))


def asks_of_a_subclass(row: Any, kind: Any) -> Any:
    try:
        return issubclass(row, kind)
    except TypeError:
        return None


@pytest.mark.parametrize("ask", [asks, asks_of_several, asks_of_a_subclass])
@pytest.mark.parametrize("kind", [Row, Never, Tested, int])
@pytest.mark.parametrize("make", [Plain, Row, Liar])
def test_who_is_asked_of_what_class_something_is(ask: Any, kind: Any, make: Callable[[int], Any]) -> None:
    def around(rows: Any, at: Any, kind: Any) -> Any:
        before = rows[0].n
        found = ask(rows[at], kind)
        return before, found, rows[0].n

    residual: Any = specialize(around, [make(1), make(2)])
    rows = [make(1), make(2)]
    for _ in range(2):
        assert residual(0, kind) == around(rows, 0, kind)


def test_a_union_with_such_a_class() -> None:
    def around(rows: Any, at: Any, kind: Any) -> Any:
        before = rows[0].n
        return before, isinstance(rows[at], kind), rows[0].n

    union = int | Never
    rows = [Row(1), Row(2)]
    residual: Any = specialize(around, [Row(1), Row(2)], kind=union)
    assert residual(0) == around(rows, 0, union) == (1, False, 11)
    rows = [Row(1), Row(2)]
    residual = specialize(around, rows, kind=int | Row)
    assert residual(0) == around(rows, 0, int | Row)
    assert ".n" not in residual.source


@pytest.mark.parametrize("ask", [lambda row: isinstance(row, Row), callable, id, bool, len])
def test_what_is_asked_for_little_stays_known(ask: Any) -> None:
    class Sized(Row):
        __slots__ = ()

        def __str__(self) -> str:
            return "sized"

    def around(rows: Any, at: Any) -> Any:
        with contextlib.suppress(TypeError):
            ask(rows[at])
        return rows[0].n + rows[1].n

    residual: Any = specialize(around, [Sized(1), Sized(2)])
    assert residual(0) == 3
    assert ".n" not in residual.source


# -- exceptions that hold static objects


class Invalid(Exception):
    def __init__(self, owner: Any, text: str) -> None:
        super().__init__(text)
        self.owner = owner


class Field:
    def __init__(self, name: str, low: int) -> None:
        self.name = name
        self.low = low


class Checks:
    def __init__(self) -> None:
        self.fields = [Field("a", 1), Field("b", 2)]

    def check(self, data: Any) -> Any:
        for field in self.fields:
            if field.name not in data:
                raise Invalid(self, field.name)
            if data[field.name] < field.low:
                raise Invalid(field, "low")
        return len(self.fields)

    def reported(self, data: Any, report: Any) -> Any:
        try:
            return self.check(data)
        except Invalid as error:
            report(error)
            return str(error)


class Data(dict[str, Any]):
    """Raises such an exception itself."""

    def __contains__(self, key: object) -> bool:
        raise Invalid(Checks(), "own")


def _raise_bar(error: Any) -> None:
    for field in getattr(error.owner, "fields", [error.owner]):
        field.low += 2


def _add(error: Any) -> None:
    if isinstance(error.owner, Checks):
        error.owner.fields.append(Field("c", 0))


DATA: list[dict[str, int]] = [{"a": 1, "b": 2}, {"a": 0, "b": 2}, {"a": 1, "b": 2}, {}, {"a": 4, "b": 4}, {"b": 9}]


@pytest.mark.parametrize("report", [lambda error: None, _raise_bar, _add])
def test_a_way_that_is_rare_hands_it_over(report: Any) -> None:
    checks, other = Checks(), Checks()
    residual: Any = specialize(checks.reported)
    assert residual.stats["notes"].keys() & {"FT308", "FT413"} == {"FT413"}
    assert "owner = _fields_item" in residual.source and ".fields" not in residual.source
    for data in [*DATA, Data(), *DATA]:
        assert residual(data, report) == other.reported(data, report)


def test_what_was_kept_is_changed_later() -> None:
    def history(run: Any) -> list[Any]:
        kept: list[Any] = []
        found = []
        for data in [*DATA, *DATA]:
            found.append(run(data, kept.append))
            for error in kept:
                _raise_bar(error)
        return found

    assert history(specialize(Checks().reported)) == history(Checks().reported)


# -- what is handed over before anything of it is read


class Prices:
    def __init__(self) -> None:
        self.rows = [("a", 1), ("b", 2)]
        self.scale = 3

    def asked_first(self, data: Any, report: Any) -> Any:
        if data is None:
            report(self)
            return 0
        total = 0
        for name, price in self.rows:
            total += data[name] * price * self.scale
        return total

    def half_of_the_time(self, data: Any, report: Any) -> Any:
        if len(data) > 2:
            report(self)
        total = 0
        for name, price in self.rows:
            total += data[name] * price * self.scale
        return total

    def summed(self, data: Any, report: Any) -> Any:
        return sum(price * self.scale for name, price in self.rows if name in data)

    def asked_in_a_call(self, data: Any, report: Any) -> Any:
        if data is None:
            report(self.rows)
            return self.scale
        return self.summed(data, report)


def _reprice(prices: Any) -> None:
    rows = prices if isinstance(prices, list) else prices.rows
    rows[0] = ("a", rows[0][1] + 10)
    if not isinstance(prices, list):
        prices.scale += 1


@pytest.mark.parametrize("name", ["asked_first", "half_of_the_time", "asked_in_a_call"])
@pytest.mark.parametrize("report", [lambda prices: None, _reprice])
def test_it_is_read_later(name: str, report: Any) -> None:
    one, other = Prices(), Prices()
    residual: Any = specialize(getattr(one, name))
    rare = name != "half_of_the_time"
    assert residual.stats["notes"].keys() & {"FT308", "FT413"} == ({"FT413"} if rare else {"FT308"})
    assert (".rows" in source_of(residual)) is not rare
    some: list[Any] = [{"a": 1, "b": 2}, {"a": 3, "b": 4, "c": 5}]
    for data in [*some, *([None] if rare else []), *some]:
        assert residual(data, report) == getattr(other, name)(data, report)


def test_it_has_to_fold_more_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once something was handed over, all calls are slower: the residual that is right in all calls comes first."""
    asked: list[tuple[int, int]] = []

    def compared(one: Any, other: Any) -> bool:
        asked.append((one.stats["folded"], other.stats["folded"]))
        return folds_as_much(one, other)

    monkeypatch.setattr("futamura.api.folds_as_much", compared)
    parted: Any = specialize(Prices().asked_first)
    assert "FT413" in parted.stats["notes"] and asked[0][0] < asked[0][1]
    monkeypatch.setattr("futamura.api.folds_as_much", lambda one, other: True)
    alone: Any = specialize(Prices().asked_first)
    assert "FT413" not in alone.stats["notes"] and "_handed_over" not in alone.source
    for data in ({"a": 1, "b": 2}, None, {"a": 1, "b": 2}):
        assert alone(data, _reprice) == parted(data, _reprice)


class Box:
    def __init__(self, n: int) -> None:
        self.n = n
        self.items = [n]

    def push(self, value: Any) -> None:
        self.items.append(value)


class Hooks:
    def __init__(self) -> None:
        self.rows = [[1, 2], [3, 4]]
        self.boxes = [Box(1), Box(2), Box(3)]
        self.hooks = [_appends(self.rows[0]), _appends(self.boxes[1].items)]

    def run(self, k: Any, call: Any) -> Any:
        for box in self.boxes[: k % 3]:
            box.push(k)
        call(self.hooks)
        return len(self.rows[0]), self.boxes[0].n, self.rows[1][0]


def _appends(row: Any) -> Any:
    return lambda value: row.append(value)


def test_what_functions_reach_is_followed_again() -> None:
    """The run after the one in which it was read too late gives it all up once more."""

    def call(hooks: Any) -> None:
        for hook in hooks:
            hook(7)

    one, other = Hooks(), Hooks()
    residual = specialize(one.run)
    for k in (2, 1, 0):
        assert residual(k, call) == other.run(k, call)


@pytest.mark.usefixtures("assuming")
def test_where_it_is_handed_over_is_said() -> None:
    """It happens in most calls: nothing of it is believed, and both the note and the lines say why."""

    def around(checks: Any, data: Any, at: Any, report: Any) -> Any:
        total = 0
        report(checks.fields[at])
        for field in checks.fields:
            total += data[field.name] * field.low
        return total

    residual: Any = specialize(around, Checks())
    note = next(event for event in residual.events if event.code == "FT308")
    assert note.line == around.__code__.co_firstlineno + 2 and note.reason.startswith("a static Field ")
    assert "what the static Field holds may have changed: code that is not known gets it" in residual.explain()
    checks = Checks()
    for at in (0, 1, 0):
        got, expected = (run({"a": 3, "b": 5}, at, lambda one: _raise_bar(Invalid(one, ""))) for run in (
            residual, lambda *args: around(checks, *args)))  # fmt: skip
        assert got == expected


def test_what_is_written_is_said() -> None:
    def around(rows: Any, at: Any) -> Any:
        rows[at] += 1
        return rows[0] + rows[1]

    residual = Specializer()(around, [1, 2])
    assert "what the static list holds may have changed: it is written while the residual runs" in residual.explain()
