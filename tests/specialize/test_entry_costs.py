"""What would cost more to test at each call than it folds is not assumed: the residual reads it where it is used.

Invariant: where much folds, or the program says itself what is to fold, nothing is given up.
"""

from __future__ import annotations

import pickle
import sys
from math import erf
from pathlib import Path
from typing import Any

import pytest

import futamura
from futamura import DYN, Dyn, Specializer
from futamura.specializer import entry_costs
from tests.outcomes import outcome
from tests.specialize.specializing import fallbacks, source_of, specialize
from tests.specialize.subjects.numbers import power_for

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

FEBRUARY = 2
MARCH = 3
DAYS = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_days(year, month):
    if not 1 <= month <= 12:
        raise ValueError(month)
    return DAYS[month] + (month == FEBRUARY and is_leap(year))


def report(day, how):
    if how == "long":
        return f"{day.strftime('%A')}, {describe(day, DAYS)}"
    return describe(day, DAYS)


def describe(day, table):
    left = table[min(day.month, 12)] - day.day
    if not isinstance(left, int) or round(left) != abs(left):
        return ascii(left) + format(day, "") + hex(id(day))
    return str(left) if left > 1 else repr(max(left, -1)) + chr(sum(divmod(left, 7)) + ord("@"))[:len(table)]


class Range:
    """Its methods only pass on what they are given."""

    def __init__(self, low, high):
        self.low = low
        self.high = high
        self.seen = 0

    def __contains__(self, x):
        if isinstance(x, Range) or not isinstance(x, (int, float)):
            return False
        if hasattr(x, "real") and abs(x) != abs(round(x, 1)):
            return False
        if any(map(callable, (x, repr(x), ascii(x)))) or sum(divmod(x, 1)) == hash(str(x)):
            return False
        return min(self.low, x, self.high) >= self.low and max(x, 0) <= self.high

    def note(self, x):
        self.seen += 1
        return x in self, self.seen


class Day:
    month, day = 2, 27

    def strftime(self, how):
        return how.replace("%A", "Friday")


@pytest.fixture(name="stern")
def weighed_as_if_tests_were_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_LITTLE", "_MARGIN"):
        monkeypatch.setattr(entry_costs, name, getattr(entry_costs, f"{name}_FOR_NOTHING"))
    monkeypatch.setattr(entry_costs, "_OF_A_STAMP", 200)


def assumed(residual: Any) -> int:
    return len(residual.assumptions)


def notes(residual: Any) -> Any:
    return residual.stats["notes"]


def test_names_are_read_where_nothing_folds_for_them() -> None:
    residual = specialize(month_days)
    assert assumed(residual) == 0 and notes(residual)["FT412"] == 1 and not fallbacks(residual)
    assert "month == FEBRUARY and is_leap(year)" in source_of(residual)
    for year in (1900, 2000, 2023, 2024):
        for month in range(1, 13):
            got, expected = residual(year, month), month_days(year, month)
            assert got == expected and type(got) is type(expected)
    with pytest.raises(ValueError, match="13"):
        residual(2000, 13)


def test_what_is_bound_anew_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = specialize(month_days)
    here = sys.modules[__name__]
    monkeypatch.setattr(here, "FEBRUARY", 3)
    monkeypatch.setattr(here, "is_leap", lambda year: 100)
    assert residual(2000, 3) == month_days(2000, 3) == 131
    monkeypatch.setitem(here.__dict__, "ValueError", KeyError)
    with pytest.raises(KeyError):
        residual(2000, 0)


def test_promises_make_it_worth() -> None:
    residual: Any = Specializer(assume="trust")(month_days)
    assert "FT412" not in notes(residual) and "is_leap(" not in residual.source
    assert residual(2024, 2) == 29


def test_what_folds_much_is_tested() -> None:
    residual = specialize(power_for, DYN, 5)
    assert assumed(residual) and "FT412" not in notes(residual)
    assert "range" not in source_of(residual) and residual(3) == 243


@pytest.mark.interpreted
@pytest.mark.usefixtures("stern")
def test_plain_data_is_known_without_a_test() -> None:
    residual = specialize(report, DYN, "short")
    assert "FT412" in notes(residual) and assumed(residual) == 0
    assert "how" not in source_of(residual) and "strftime" not in source_of(residual)
    assert residual(Day()) == report(Day(), "short")


@pytest.mark.interpreted
@pytest.mark.usefixtures("stern")
def test_an_object_is_used_as_it_is() -> None:
    limits = Range(1, 9)
    residual = specialize(limits.__contains__)
    assert assumed(residual) == 0 and notes(residual)["FT412"] == 1
    assert [residual(x) for x in (0, 1, 9, 9.5, "5", limits)] == [False, True, True, False, False, False]
    limits.low = -1
    assert residual(0) is True
    noted = specialize(limits.note)
    assert [noted(5), noted(50)] == [(True, 1), (False, 2)] and limits.seen == 2


@pytest.mark.interpreted
@pytest.mark.usefixtures("stern")
def test_a_closure_is_used_as_it_is() -> None:
    def made(shift):
        def moved(x):
            low, high = sorted((x, shift))
            if not isinstance(x, int) or not callable(getattr(x, "bit_length", None)):
                return format(x, "") + hex(id(x))
            if not bool(x) or hash(x) != hash(round(x)):
                return bin(round(x)) + oct(round(x))
            return str(max(low, high)) + repr(min(low, high)) + ascii(abs(round(x)))

        def change(value):
            nonlocal shift
            shift = value

        return moved, change

    moved, change = made(3)
    residual = specialize(moved)
    assert assumed(residual) == 0 and "FT412" in notes(residual)
    assert residual(5) == moved(5) == "535"
    change(7)
    assert residual(5) == moved(5) == "755"


def steered(year, month):
    return futamura.static(DAYS[FEBRUARY]) + month_days(year, month) + len(str(year)) + len(repr(month))


def test_controls_of_the_program_decide() -> None:
    residual = specialize(steered)
    assert "FT412" not in notes(residual) and "FT204" not in notes(residual)
    assert residual(2024, 2) == steered(2024, 2)


def test_the_reason_is_told() -> None:
    residual: Any = specialize(month_days)
    text = residual.explain()
    assert "DAYS: it is read when the residual runs: to test it at each call would take longer" in text
    assert "FT412" in text and "does not exist yet" not in text


def shown(value, names, limits):
    if value in names:
        return ascii(value) + format(value, "") + hex(hash(value)) + bin(len(value)) + oct(ord(value[:1]))
    if (isinstance(value, (list, tuple)) and any(map(callable, value))) or not all(map(bool, value)):
        return sorted(value, key=repr) + list(reversed(value)) + [*zip(value, enumerate(value))]
    low, high = min(value), max(value)
    if abs(low) > round(high) or divmod(high, 3) == (sum(value), pow(low, 2)):
        return str(low) + chr(int(high)), dict(zip(value, value)), set(value), frozenset(value)
    return limits.fits(low, high), id(limits) == id(value), getattr(value, "count", None) is None


class Limits:
    def fits(self, low, high):
        return low < high


@pytest.mark.interpreted
def test_static_objects_are_left_where_that_is_a_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_costs, "_OF_A_STAMP", 250)
    limits = Limits()
    residual = specialize(shown, DYN, DYN, limits)
    assert assumed(residual) == 0 and notes(residual)["FT412"] == 1
    for value in ([1, 2, 3], (3, 0), "ab", [5], (2.5, 7)):
        assert outcome(residual, value, ("ab", "c")) == outcome(shown, value, ("ab", "c"), limits)


SQRT2 = 2.0**0.5


class Normal:
    __slots__ = ("mu", "sigma")

    def __init__(self, mu, sigma):
        self.mu, self.sigma = mu, sigma

    def cdf(self, x):
        if not self.sigma:
            raise ValueError("sigma is zero")
        return 0.5 * (1.0 + erf((x - self.mu) / (self.sigma * SQRT2)))

    def cdf_of_all(self, xs):
        return [self.cdf(x) for x in xs]

    def __sub__(self, other):
        self.mu += 1.0
        return self.mu - other


def test_all_tests_at_entry_count(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Normal(3.0, 2.0), Normal(3.0, 2.0)
    assert "3.0" in source_of(specialize(one.cdf)), "a little may be lost for what can be read"
    monkeypatch.setattr(entry_costs, "_LITTLE", 8)
    residual = specialize(one.cdf)
    assert notes(residual) == {"FT412": 1} and assumed(residual) == 0 and not residual._recipe.apart.names
    assert "_self.mu" in source_of(residual)
    looping = specialize(one.cdf_of_all)
    assert "FT412" not in notes(looping) and assumed(looping) and "3.0" in source_of(looping)
    for xs in ([1.5, 2], [], ["a"], (-3.0,)):
        assert outcome(looping, xs) == outcome(other.cdf_of_all, xs)
    for x, y in ((1.5, 1.5), (one, other), (2.5, 2.5), ("a", "a")):
        assert outcome(residual, x) == outcome(other.cdf, y)


def test_a_small_loss_is_no_reason_to_leave_what_is_static() -> None:
    residual = specialize(Range(1, 9).note)
    assert "FT412" not in notes(residual) and assumed(residual) > 0


def test_a_module_is_written_with_all_that_was_assumed(tmp_path: Path) -> None:
    residual: Any = specialize(month_days)
    text = residual.save(tmp_path / "days.py").read_text()
    assert "% 400" in text and "is_leap(" not in text
    found: dict[str, Any] = {}
    exec(compile(text, "days.py", "exec"), found)
    assert [found["month_days"](2024, month) for month in range(1, 13)] == [*map(month_days, [2024] * 12, range(1, 13))]


def test_residuals_that_assume_nothing_are_pickled() -> None:
    residual: Any = pickle.loads(pickle.dumps(specialize(month_days)))
    assert assumed(residual) == 0 and residual(2024, 2) == 29


def test_a_promised_class_is_still_tested() -> None:
    residual: Any = specialize(month_days, Dyn(int), Dyn(int))
    assert "FT412" in notes(residual)
    assert residual(2024, 2) == 29 and residual(2024.0, 2) == month_days(2024.0, 2)


def test_the_same_function_twice() -> None:
    assert source_of(specialize(month_days)) == source_of(specialize(month_days))


def sorted_by(rows, key, reverse):
    found = sorted(rows, key=lambda row: str(row.get(key)), reverse=bool(reverse))
    if isinstance(rows, tuple):
        found = tuple(found)
    return list(map(repr, found)), max(len(found), 1)


def test_functions_made_inside_still_are() -> None:
    residual = specialize(sorted_by, DYN, "b", DYN)
    rows = [{"b": 3}, {"a": 1}, {"b": "x"}]
    assert residual(rows, 1) == sorted_by(rows, "b", 1)
    assert residual(tuple(rows), 0) == sorted_by(tuple(rows), "b", 0)


def counted(items):
    for index, item in enumerate(items):
        yield index, str(item), max(index, len(repr(item)))
    yield from zip(items, map(ascii, items))


def test_generators_still_are() -> None:
    residual = specialize(counted)
    assert list(residual(["a", 1])) == list(counted(["a", 1]))
    assert not fallbacks(residual)


def chosen(first, second, third):
    return 1 + (first == FEBRUARY and is_leap(second)), [second or not third], (third < MARCH or second) + 1


def test_operands_with_and_are_written_so() -> None:
    residual = specialize(chosen)
    assert "(first == FEBRUARY and is_leap(second))" in source_of(residual)
    assert " else " not in source_of(residual)
    for values in ((2, 2000, 1), (1, 0, 5), (2, 7, 9)):
        assert residual(*values) == chosen(*values)


def within(low, x, high):
    return low <= x <= high


def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def named_or(first, second):
    return first.name or second.name or (first == second and first)


def test_what_is_returned_is_written_with_and_and_or() -> None:
    assert "return low <= x <= high" in source_of(specialize(within))
    assert "return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)" in source_of(specialize(leap))
    assert " if " not in source_of(specialize(named_or)) and " or " in source_of(specialize(named_or))
    assert [specialize(leap)(year) for year in (1900, 2000, 2023, 2024)] == [False, True, False, True]


FIRST, SECOND, THIRD, FOURTH = (object() for _ in range(4))


class Noted(dict[Any, Any]):
    """`super()` is needed where nothing is assumed, too."""

    def put(self, key: Any, value: Any) -> Any:
        marks = [FIRST, SECOND, THIRD, FOURTH, len, print, sorted, isinstance]
        before = super().get(key, marks[0])
        super().__setitem__(key, value)
        return before in marks, super().__len__()


@pytest.mark.interpreted
def test_methods_that_ask_those_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_costs, "_MARGIN", 1e9)
    monkeypatch.setattr(entry_costs, "_LITTLE", 0)
    mine, residual = Noted(a=1), specialize(Noted(a=1).put)
    assert "FT412" in residual.stats["notes"] and not fallbacks(residual)
    for key, value in (("a", 2), ("b", 3), ([], 4), ("b", 5)):
        assert outcome(residual, key, value) == outcome(mine.put, key, value)


class Money:
    def __init__(self, amount, currency):
        self.amount = amount
        self.currency = currency


def exceeds(amount, currency, other):
    if not isinstance(other, Money):
        raise TypeError(currency)
    if other.currency != currency:
        raise ValueError(currency)
    return other.amount > amount


def test_names_for_which_nothing_folds_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known folds as well if the names stand for something else."""
    residual = specialize(exceeds, 10, "EUR")
    assert "'EUR'" in source_of(residual) and not notes(residual) and not assumed(residual)
    assert {"isinstance", "Money", "TypeError", "ValueError"} <= {*residual.function.__code__.co_names}
    others = (Money(5, "EUR"), Money(50, "EUR"), Money(5, "USD"), 3, None)

    def agree() -> None:
        for other in others:
            assert outcome(residual, other) == outcome(exceeds, 10, "EUR", other)

    agree()
    for name, value in (("isinstance", lambda x, kind: kind is Money), ("ValueError", KeyError), ("Money", int)):
        monkeypatch.setitem(globals(), name, value)
        agree()
        monkeypatch.undo()
        agree()


def limited(low, x):
    try:
        if low < 5:
            raise ValueError
    except ValueError:
        low = 5
    return [x, low]


def test_names_for_which_something_folds_are_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is raised is caught by the function itself, as long as its name stands for an exception."""
    residual = specialize(limited, 1)
    assert "try" not in source_of(residual) and assumed(residual) == 1
    monkeypatch.setitem(globals(), "ValueError", int)
    assert outcome(residual, 3) == outcome(limited, 1, 3)


def test_a_module_has_all_names_that_were_assumed(tmp_path: Path) -> None:
    path = specialize(exceeds, 10, "EUR").save(tmp_path / "exceeds.py")
    scope: dict[str, Any] = {"__name__": "exceeds"}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    assert scope["exceeds"](Money(50, "EUR")) is True
