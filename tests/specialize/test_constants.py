"""Decimals, dates and durations that are made of known arguments are made once, with the residual.

Invariant: what a context or the arguments decide is decided as it was, in each call.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

import futamura

# mypy: disable-error-code="call-arg, call-overload"

LIMITS: dict[str, Any] = {
    "rate": "0.19", "least": 3, "days": 14, "month": 2, "half": 0.5,
    "bad": "1,5", "nan": "NaN", "wide": "1e999999999999",
}  # fmt: skip


def taxed(limits: dict[str, Any], net: Any) -> Any:
    total = Decimal(0) + Decimal()
    for part in net:
        total += part * Decimal(limits["rate"])
    return total.quantize(Decimal("0.01")) if total > Decimal(limits["least"]) else total


def due(limits: dict[str, Any], day: Any) -> Any:
    last = datetime.date(2024, limits["month"], 29)
    moved = day + timedelta(days=limits["days"], hours=-1)
    return moved, moved > last, max(moved, last), datetime.time(1, limits["month"]), datetime.datetime(2024, 1, 2, 3)


def shown(limits: dict[str, Any], x: Any) -> Any:
    rate = Decimal(limits["rate"])
    found = {rate: 1}.get(x), x in (rate, 1), isinstance(rate, int)
    return f"{rate:.1f} {rate!r}", rate * 3, -rate, bool(rate), rate == x, hash(rate), *found


def computed(limits: dict[str, Any], x: Any) -> Any:
    return Decimal(limits["rate"]) / Decimal(limits["least"]) + x


WRONG: dict[str, Callable[[dict[str, Any], Any], Any]] = {
    "no number": lambda limits, x: Decimal(limits["bad"]) + x,
    "not a number": lambda limits, x: Decimal(limits["nan"]) == x,
    "too wide": lambda limits, x: Decimal(limits["wide"]) + x,
    "a float": lambda limits, x: Decimal(limits["half"]) + x,
    "a bool": lambda limits, x: (Decimal(True), x),
    "blanks": lambda limits, x: Decimal(" 1_0 ") + x,
    "no such day": lambda limits, x: date(2023, limits["month"], 29) > x,
    "too many": lambda limits, x: timedelta(1, 2, 3, 4, 5, 6, 7, 8) + x,
    "no such name": lambda limits, x: timedelta(years=1) + x,
    "far": lambda limits, x: timedelta(10**12) + x,
    "a context": lambda limits, x: Decimal("1", None) + x,
}  # fmt: skip


def outcome(function: Any, *args: Any) -> Any:
    try:
        found = function(*args)
    except (ArithmeticError, TypeError, ValueError) as error:
        return type(error), str(error)
    return [(type(part), str(part)) for part in found] if type(found) is tuple else (type(found), str(found))


def test_decimals() -> None:
    residual = futamura.specialize(taxed, limits=LIMITS)
    assert "Decimal(" not in residual.source, residual.source
    for net in ([], [Decimal("10.5"), 3], [100], [0.5], ["a"], [None], [True], 7):
        assert outcome(residual, net) == outcome(taxed, LIMITS, net)


def test_days_and_durations() -> None:
    residual = futamura.specialize(due, limits=LIMITS)
    assert not any(word in residual.source for word in ("timedelta(", "date(", "time(")), residual.source
    for day in (date(2024, 2, 20), date(2023, 1, 1), date.max, 3, None, "x"):
        assert outcome(residual, day) == outcome(due, LIMITS, day)


@pytest.mark.parametrize("x", [Decimal("0.19"), 0.19, 1, None, "0.19"])
def test_what_is_asked_of_them(x: Any) -> None:
    assert outcome(futamura.specialize(shown, limits=LIMITS), x) == outcome(shown, LIMITS, x)


def test_contexts_decide_in_each_call() -> None:
    residual = futamura.specialize(computed, limits=LIMITS)
    for digits in (3, 28, 50, 1):
        with decimal.localcontext() as context:
            context.prec = digits
            context.traps[decimal.Inexact] = digits == 1
            context.clear_flags()
            assert outcome(residual, 1) == outcome(computed, LIMITS, 1)
            seen = dict(context.flags)
            context.clear_flags()
            outcome(computed, LIMITS, 1)
            assert seen == dict(context.flags)


@pytest.mark.parametrize("name", WRONG)
def test_what_fails_or_asks_a_context_stays(name: str) -> None:
    function = WRONG[name]
    with decimal.localcontext() as context:
        context.clear_flags()
        residual = futamura.specialize(function, limits=LIMITS)
        assert not residual.stats["fallbacks"]
        assert not any(context.flags.values())
        for traps in (True, False):
            context.traps = dict.fromkeys(context.traps, traps)
            for x in (Decimal(1), 1, date(2024, 1, 1)):
                context.clear_flags()
                wanted, seen = outcome(function, LIMITS, x), dict(context.flags)
                context.clear_flags()
                assert outcome(residual, x) == wanted
                assert dict(context.flags) == seen


def test_a_module_makes_them_once() -> None:
    text = futamura.specialize(taxed, limits=LIMITS).module_text()
    space: dict[str, Any] = {}
    exec(text, space)
    assert space["taxed"]([100]) == Decimal("19.00")


def rolled(days: int, day: Any) -> Any:
    for _ in range(days):
        day = day + timedelta(days=1) if day.weekday() < 5 else day + timedelta(2)
    return day


def test_one_object_tells_no_trips_apart() -> None:
    residual = futamura.specialize(rolled, days=1000)
    assert residual(date(2024, 1, 1)) == rolled(1000, date(2024, 1, 1))
    assert len(residual.source.splitlines()) < 20


NOON = datetime.time(12)
BANDS: list[tuple[Any, ...]] = [
    (datetime.time(6), datetime.time(22), Decimal("0.25")),
    (datetime.time(22), datetime.time(6), Decimal("0.10")),
    (NOON, NOON, Decimal("-0.0")),
    (datetime.time(1, tzinfo=datetime.UTC), datetime.time(2, tzinfo=datetime.UTC), Decimal("NaN")),
]


def price(bands: list[tuple[Any, ...]], at: Any) -> Any:
    found = []
    for first, last, rate in bands:
        if first <= at < last or (first > last and (at >= first or at < last)):
            found.append(("in", rate if rate else "free", not rate, bool(rate), first == last))
    return tuple(found)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_what_is_known_is_compared_now(count: int) -> None:
    bands = BANDS[:count]
    residual = futamura.specialize(price, bands=bands)
    if count < 3:
        assert not any(word in residual.source for word in ("free", "bool", "not", "_item >")), residual.source
    for at in (datetime.time(3), datetime.time(23), NOON, datetime.time(1, 30, tzinfo=datetime.UTC), 3, None):
        assert outcome(residual, at) == outcome(price, bands, at)


PAIR = (Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal(2))
COMPARED: dict[str, Callable[[tuple[Decimal, ...], Any], Any]] = {
    "less": lambda pair, x: (pair[0] < pair[3], x),
    "equal": lambda pair, x: (pair[1] == pair[3], x),
    "greater": lambda pair, x: (pair[2] > pair[3], x),
    "true": lambda pair, x: (bool(pair[0]), not pair[2], x),
    "floats": lambda pair, x: (pair[3] == 2.0, pair[3] < 1.5, x),
}


@pytest.mark.parametrize("name", COMPARED)
def test_no_number_is_compared_in_each_call(name: str) -> None:
    function = COMPARED[name]
    residual = futamura.specialize(function, pair=PAIR)
    assert not residual.stats["fallbacks"]
    for traps in (True, False):
        with decimal.localcontext() as context:
            context.traps = dict.fromkeys(context.traps, traps)
            context.clear_flags()
            wanted, seen = outcome(function, PAIR, 1), dict(context.flags)
            context.clear_flags()
            assert outcome(residual, 1) == wanted
            assert dict(context.flags) == seen
