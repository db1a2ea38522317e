"""Containers that hold each other leave the specialized code as the program made them, however deep.

    for i in range(n): x = (x, i)       n = 150       ->      a tuple in a tuple in a tuple ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from futamura.specializer.state import State
from tests.specialize.specializing import specialize


class Node:
    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.back: Any = None


def nested(x: Any, n: int) -> Any:
    for i in range(n):
        x = (x, i)
    return x


def shared(x: Any, n: int) -> Any:
    held: list[Any] = [x]
    for i in range(n):
        held = [held, held, {"i": i, "held": held}]
    return held


def held_by_an_instance(x: Any, n: int) -> Any:
    inner: list[Any] = [x]
    node = Node([inner])
    inner.append(node)
    found: Any = inner
    for i in range(n):
        found = (found, [node.items, i])
    return found


def shape(value: Any, seen: dict[int, int]) -> Any:
    """What a value is made of, and which of its parts are the same object."""
    if id(value) in seen:
        return seen[id(value)]
    if isinstance(value, Node):
        seen[id(value)] = len(seen)
        return ("node", shape(value.items, seen))
    if isinstance(value, (list, tuple, dict)):
        seen[id(value)] = len(seen)
        return (type(value), [shape(item, seen) for item in (value.values() if isinstance(value, dict) else value)])
    return value


@pytest.mark.parametrize("function", [nested, shared, held_by_an_instance])
@pytest.mark.parametrize("n", [0, 1, 3, 60])
def test_as_they_were_made(function: Callable[..., Any], n: int) -> None:
    residual = specialize(function, n=n)
    assert not residual.stats["fallbacks"]
    for x in (1, [2]):
        assert shape(residual(x), {}) == shape(function(x, n), {})


@pytest.mark.interpreted
def test_each_is_looked_at_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    resolve, counts = State.resolve, [0]

    def counting(self: State, value: Any) -> Any:
        counts[0] += 1
        return resolve(self, value)

    monkeypatch.setattr(State, "resolve", counting)
    taken = []
    for n in (20, 80):
        counts[0] = 0
        specialize(nested, n=n)
        taken.append(counts[0])
    assert taken[1] < 6 * taken[0], taken
