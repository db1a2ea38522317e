"""What a clause of a `try` statement leads to, and cannot raise, is printed in the clause; nothing else moves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome


def one_clause(m: Any) -> Any:
    try:
        a = [int(m["a"])]
    except KeyError:
        a = None
    try:
        b = [int(m["b"])]
    except KeyError:
        b = None
    try:
        c = [int(m["c"])]
    except KeyError:
        c = None
    try:
        d = [int(m["a"]), 2]
    except KeyError:
        d = None
    return [a, b, c, d]


def two_clauses(m: Any) -> Any:
    try:
        a = ["a", int(m["a"])]
    except KeyError:
        a = []
    except ValueError as error:
        a = [{"error": str(error)}]
    a.append(len(a))
    return a


def left_early(m: Any) -> Any:
    try:
        a = int(m["a"])
    except KeyError:
        return None, 1
    return a, 1


def raising_afterwards(m: Any) -> Any:
    """What comes behind the statement may raise what the statement catches."""
    try:
        a = m["a"]
    except KeyError:
        a = None
    else:
        a = {a: int(a)}
    try:
        b = m["b"]
    except (KeyError, ValueError):
        b = None
    if b is not None:
        b = [int(b), m["c"]]
    return a, b


def in_an_outer_one(m: Any) -> Any:
    try:
        try:
            a = (m["a"], 1)
        except KeyError:
            a = (m["b"], 2)
        return [a]
    except KeyError as error:
        return error.args, repr(error.__context__)


def in_a_loop(rows: Any) -> Any:
    out = []
    for row in rows:
        try:
            item = (row["a"], int(row["b"]))
        except KeyError:
            continue
        except ValueError:
            break
        out.append(item)
    else:
        out.append("all")
    return out


def with_a_final_part(m: Any) -> Any:
    seen = []
    try:
        try:
            a = [m["a"]]
        finally:
            seen.append(1)
    except KeyError:
        a = seen
    return a, seen


ROWS: list[Any] = [
    {"a": "1", "b": "2"},
    {"a": "x", "b": "2"},
    {"b": "2"},
    {"a": 1, "b": "x", "c": 3},
    {"a": [], "b": "4"},
    {"a": 1, "b": "4", "c": None},
    {},
    None,
]
FUNCTIONS: list[Callable[[Any], Any]] = [
    one_clause,
    two_clauses,
    left_early,
    raising_afterwards,
    in_an_outer_one,
    with_a_final_part,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_like_the_original(function: Callable[[Any], Any]) -> None:
    residual = specialize(function)
    assert not residual.stats["fallbacks"], residual.events
    for row in ROWS:
        assert outcome(residual, row) == outcome(function, row), row


def test_in_a_loop() -> None:
    residual = specialize(in_a_loop)
    for at in range(len(ROWS)):
        assert outcome(residual, ROWS[:at]) == outcome(in_a_loop, ROWS[:at])
    assert outcome(residual, [{"a": 1, "b": 2}]) == outcome(in_a_loop, [{"a": 1, "b": 2}])


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize("function", [one_clause, two_clauses, left_early])
def test_no_loop_is_made_for_it(function: Callable[[Any], Any]) -> None:
    source = specialize(function).source
    assert "while" not in source and "pass" not in source, source
    assert source.count("try:") == (4 if function is one_clause else 1)
