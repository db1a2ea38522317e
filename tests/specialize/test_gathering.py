"""Lists that a loop only appends to: found after one trip, and only where nothing can tell a longer list.

    for row in rows: if row > 2: out.append(row)      one trip is thrown away, not four

Invariant: each residual is compared with its original; what the loop reads stays known as far as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import futamura
from futamura.driver import lower_for_specializer
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.machine import Machine


def chosen(rows: Any, tests: Any) -> Any:
    out = []
    for row in rows:
        kept = True
        for name, least in tests:
            if row[name] < least:
                kept = False
                break
        if kept:
            out.append(row)
    return out


def doubled(rows: Any) -> Any:
    return [row * 2 for row in rows]


def filtered(rows: Any) -> Any:
    return [row * 2 for row in rows if row != 1]


def nested(rows: Any) -> Any:
    return [[item + 1 for item in row] for row in rows]


def pairs(rows: Any) -> Any:
    good, bad = [], []
    for row in rows:
        if row > 2:
            good.append((row, "good"))
        else:
            bad.append({"row": row})
    return good, bad


def first_two(rows: Any) -> Any:
    out: list[Any] = []
    for row in rows:
        if len(out) < 2:
            out.append(row)
    return out


def by_another_name(rows: Any) -> Any:
    out: list[Any] = []
    other = out
    for row in rows:
        if not other:
            out.append(row)
    return out


def held(rows: Any) -> Any:
    out: list[Any] = []
    place = {"out": out}
    for row in rows:
        if not place["out"]:
            out.append(row)
    return out


def by_method(rows: Any) -> Any:
    out: list[Any] = []
    add = out.append
    for row in rows:
        add(row)
        if len(out) == 3:
            break
    return out


def popped(rows: Any) -> Any:
    out = [0]
    for row in rows:
        out.append(row)
        out.pop(0)
    return out


def never(rows: Any, strict: Any) -> Any:
    problems = []
    for row in rows:
        if strict and row < 0:
            problems.append(row)
    if problems:
        raise ValueError(problems)
    return sum(rows)


def counted(rows: Any) -> Any:
    out: list[Any] = []
    left = [2]
    for row in rows:
        if left[0]:
            left[0] -= 1
            out.append(row)
    return out


def left_behind(rows: Any) -> Any:
    out: list[Any] = []
    for row in rows:
        out.append(row)
        if row > 2:
            return out
    return out


def in_handler(rows: Any) -> Any:
    out: list[Any] = []
    for row in rows:
        try:
            out.append(10 // row)
        except ZeroDivisionError:
            continue
    return out


def machine(code: Any, x: Any) -> Any:
    out: list[Any] = []
    at = 0
    left = 3
    while at < len(code):
        op = code[at]
        at += 1
        if op == "out":
            out.append(x)
        elif op == "skip":
            if x > 3:
                at += 1
        elif op == "again":
            left -= 1
            if left:
                at = 0
    return out


CASES: list[tuple[Callable[..., Any], dict[str, Any], list[Any]]] = [
    (chosen, {"tests": (("a", 1), ("b", 2))}, [[], [{"a": 1, "b": 2}, {"a": 0, "b": 5}, {"a": 3, "b": 3}]]),
    *[
        (function, {}, [[], [1], [1, 3], [5, 4, 3, 2], [0, 0, 3]])
        for function in (
            doubled, filtered, pairs, first_two, by_another_name, held, by_method, popped, counted, left_behind,
            in_handler,
        )
    ],
    (nested, {}, [[], [[]], [[1, 2], [3]]]),
    (never, {"strict": False}, [[], [1, -1]]),
    (never, {"strict": True}, [[], [1, 2]]),
    (machine, {"code": ("out", "skip", "out", "again")}, [2, 5]),
]  # fmt: skip


@pytest.mark.parametrize(("function", "static", "inputs"), CASES, ids=lambda part: getattr(part, "__name__", ""))
def test_residuals_do_the_same(function: Callable[..., Any], static: dict[str, Any], inputs: list[Any]) -> None:
    residual = futamura.specialize(function, **static)
    name = next(name for name in ("rows", "x") if name in function.__code__.co_varnames[:2])
    for given in inputs:
        assert residual(given) == function(**{name: given}, **static), given


def blocks_executed(monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any], **static: Any) -> tuple[int, int]:
    """Source blocks executed in all attempts, and in what became the residual."""
    executed = [0]
    count_step = Machine._count_step

    def counted(self: Machine) -> None:
        executed[0] += 1
        count_step(self)

    monkeypatch.setattr(Machine, "_count_step", counted)
    residual = futamura.specialize(function, **static)
    assert not residual.stats["fallbacks"]
    return executed[0], residual.stats["source_blocks"]


def test_one_trip_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    tests = tuple((name, at) for at, name in enumerate("abcdefgh"))
    everything, needed = blocks_executed(monkeypatch, chosen, tests=tests)
    assert everything < 2.2 * needed


def test_no_trip_is_needed_where_each_appends(monkeypatch: pytest.MonkeyPatch) -> None:
    everything, needed = blocks_executed(monkeypatch, nested)
    assert everything < 2 * needed


def test_what_is_never_appended_to_stays_known() -> None:
    source = futamura.specialize(never, strict=False).source
    assert "ValueError" not in source and "append" not in source


def test_a_list_whose_length_the_loop_asks_for_stays_known() -> None:
    assert "append" not in futamura.specialize(first_two).source


def test_what_loops_only_append_to() -> None:
    def named(function: Any) -> tuple[set[str | None], set[str | None]]:
        program, entry, namespace, cells = lower_for_specializer(function)
        facts = FunctionFacts(program, entry, namespace, cells)
        found = facts.gathering(facts.loops[0].header)
        hints = entry.hints
        return {hints[value] for value in found.added}, {hints[value] for value in found.always}

    assert named(chosen) == ({"out"}, set())
    assert named(pairs) == ({"good", "bad"}, set())
    assert named(left_behind) == ({"out"}, set())
    assert named(doubled) == ({None}, {None})
    assert named(filtered) == ({None}, set())
    assert named(in_handler) == ({"out"}, set())
    for function in (first_two, by_method, popped):
        assert named(function) == (set(), set()), function
