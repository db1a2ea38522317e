"""New empty containers are made in front of what waits to be looped over: `for v in call(items)` keeps its operand.

Invariant: the calls, and the names that are read, come in the order of the source.
"""

from __future__ import annotations

from typing import Any

import futamura

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def collected(call, items):
    out = []
    for v in call(items, 2):
        out.append(v)
    return out


def counted(table):
    out = {}
    n = 0
    for k, v in table.items():
        out[k] = v
        n += 1
    return out, n


def first_seen(table, other):
    seen = set()
    found = []
    for k in table.keys() - other.keys() | {1}:
        if k not in seen:
            seen.add(k)
            found.append(k)
    return found, seen


def an_operand(call, x):
    made = []
    return call(call(x, made), []), made


def two_operands(call, x):
    made = {}
    for pair in zip(call(x, 1), call(x, 2)):
        made[pair[0]] = pair
    return made


def listed(x: Any, more: Any) -> Any:
    return [x, more]


def test_what_is_looped_over_stays_an_operand() -> None:
    assert "for v in call(items, 2):" in futamura.specialize(collected).source
    assert "for k, v in table.items():" in futamura.specialize(counted).source
    assert "for k in table.keys() - other.keys() | {1}:" in futamura.specialize(first_seen).source


def test_the_results_are_the_same() -> None:
    for function, inputs in (
        (collected, (listed, 5)),
        (counted, ({"a": 1, "b": 2},)),
        (first_seen, ({"a": 1}, {"b": 2})),
        (an_operand, (listed, 5)),
        (two_operands, (listed, 5)),
    ):
        assert futamura.specialize(function)(*inputs) == function(*inputs), function


def test_one_container_is_not_another() -> None:
    (_, inner), outer = futamura.specialize(an_operand)(listed, 5)[0], futamura.specialize(an_operand)(listed, 5)[1]
    assert inner is not outer
    got = futamura.specialize(an_operand)(listed, 5)
    assert got[0][0][1] is got[1] and got[0][1] is not got[1]
