"""Copies of static lists and dicts, and what static sets are asked where their order makes no difference."""

from __future__ import annotations

from typing import Any

import futamura


def with_options(defaults: dict[str, Any], x: Any) -> Any:
    options = defaults.copy()
    options["x"] = x
    if options["loud"]:
        options["said"] = True
    if defaults["upper"]:
        return str(options["x"]).upper(), options, defaults
    return options["x"]


def grown(rows: list[Any], x: Any) -> Any:
    own = rows.copy()
    own.append(x)
    own[0] = 7
    return own, rows, len(rows), own is rows, own[1] is rows[1]


def asked(allowed: set[str], hidden: frozenset[str], x: Any) -> Any:
    return (
        sorted(allowed), min(allowed), max(hidden), allowed == {"b", "a"}, allowed <= {"a", "b", "c"}, hidden < allowed,
        hidden.isdisjoint({"z"}), sorted(hidden, reverse=True), len(allowed), "a" in allowed, x,
    )  # fmt: skip


def written_later(rows: list[int], x: int) -> Any:
    own = rows.copy()
    rows.append(x)
    return own, rows, rows.copy()


def mixed(values: set[Any], x: int) -> Any:
    try:
        return sorted(values), x
    except TypeError as error:
        return str(error)[:30], x


def test_a_copy_is_a_new_one() -> None:
    defaults = {"loud": False, "upper": True}
    residual = futamura.Specializer(assume="trust")(with_options, defaults=defaults)
    assert "copy" not in residual.source and "if" not in residual.source
    assert residual("a") == with_options(defaults, "a")
    assert residual("a")[1] is not residual("a")[1]
    assert residual("a")[2] is defaults
    rows = [1, [2], 3]
    residual = futamura.Specializer(assume="trust")(grown, rows=rows)
    assert "copy" not in residual.source
    assert residual(9) == grown(rows, 9) == ([7, [2], 3, 9], rows, 3, False, True)


def test_sets_are_asked_now() -> None:
    allowed, hidden = {"a", "b"}, frozenset({"b"})
    residual = futamura.Specializer(assume="trust")(asked, allowed=allowed, hidden=hidden)
    assert residual(3) == asked(allowed, hidden, 3)
    assert "allowed" not in residual.source and "min" not in residual.source, residual.source


def in_order(values: set[Any], x: int) -> Any:
    return sorted(values), max(values), min(values), x


def test_what_has_no_place_in_an_order_is_asked_when_it_runs() -> None:
    nan = float("nan")
    for values in ({(nan, 1), (2, 0), (1, 5)}, {nan, 3.0, 1.0}, {(1, (nan,)), (1, (2,)), (1, (0,))}):
        residual = futamura.Specializer(assume="trust")(in_order, values=values)
        assert repr(residual(1)) == repr(in_order(values, 1))


def test_what_the_code_writes_is_copied_when_it_runs() -> None:
    ours, theirs = [1, 2], [1, 2]
    residual = futamura.specialize(written_later, rows=ours)
    for x in (3, 4):
        assert residual(x) == written_later(theirs, x)
        assert ours == theirs


def test_sets_without_an_order() -> None:
    values = {1, "a"}
    residual = futamura.specialize(mixed, values=values)
    assert residual(1) == mixed(values, 1)


def updated(fields: list[tuple[str, Any]], row: dict[str, Any]) -> Any:
    out: dict[str, Any] = {"z": 0}
    out.update((name, convert(row[name])) for name, convert in fields)
    seen: set[str] = set()
    seen.update(name for name, _ in fields if row.get(name))
    return out, seen


def not_pairs(x: Any) -> Any:
    found: dict[Any, Any] = {}
    try:
        found.update(pair for pair in [(1, 2), x, ("a", "b")])
    except (TypeError, ValueError) as error:
        return str(error), found, x
    return found


def not_hashed(x: Any) -> Any:
    found = {1}
    try:
        found.update(one for one in (2, x, 3))
    except TypeError as error:
        return str(error), found
    return found


def test_generators_that_update_are_unrolled() -> None:
    fields = [("a", int), ("b", str)]
    residual = futamura.Specializer(assume="trust")(updated, fields=fields)
    assert "for " not in residual.source and ".update" not in residual.source, residual.source
    for row in ({"a": "1", "b": 0}, {"a": 1, "b": 2}):
        assert residual(row) == updated(fields, row)


def test_what_is_no_item_is_refused_as_ever() -> None:
    for function in (not_pairs, not_hashed):
        residual = futamura.specialize(function)
        for x in (3, (4, 5), [6, 7], "ab", "abc", [], {}, None, ((), 1), ([], 1)):
            assert repr(residual(x)) == repr(function(x))
