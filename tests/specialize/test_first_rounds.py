"""First rounds that are like the others: a loop whose first trip only makes what the later ones know is one loop.

    scope = {}; for item in data: scope["x"] = item; show(scope["x"])    ->    for item in data: show(item)
"""

from __future__ import annotations

from typing import Any

import pytest

import futamura
from tests.outcomes import outcome


def scoped(name: str, data: Any) -> Any:
    scope: dict[str, object] = {}
    out = []
    for item in data["xs"]:
        scope[name] = item
        out.append(scope[name])
    return out


def scoped_and_shown(name: str, data: Any, show: Any) -> Any:
    scope: dict[str, object] = {}
    for item in data:
        scope[name] = item
        show(scope[name])
        show(item)
    show(len(data))


def told_apart(name: str, data: Any) -> Any:
    scope: dict[str, object] = {}
    out = []
    for item in data:
        out.append(name in scope)
        scope[name] = item
    return out


def phases(data: Any, c: Any, log: Any) -> Any:
    phase = v = 0
    for x in data:
        if phase == 0:
            if c:
                v = 1
                log("a")
            else:
                v = 2
                log("b")
            phase = 1
        elif phase == 1:
            log(v > 0)
            phase = 2
        else:
            log(x)
    return v


INPUTS: list[Any] = [[], [1], [1, 2, 3], "ab", None, 3]


@pytest.mark.parametrize("xs", INPUTS)
def test_they_mean_the_same(xs: Any) -> None:
    residual = futamura.specialize(scoped, name="x")
    assert outcome(residual, {"xs": xs}) == outcome(scoped, "x", {"xs": xs})
    seen: list[list[object]] = [[], []]
    shown = outcome(futamura.specialize(scoped_and_shown, name="x"), xs, seen[0].append)
    assert shown == outcome(scoped_and_shown, "x", xs, seen[1].append) and seen[0] == seen[1]
    assert outcome(futamura.specialize(told_apart, name="x"), xs) == outcome(told_apart, "x", xs)


@pytest.mark.parametrize("c", [True, False])
def test_steps_that_are_equal_to_each_other_alone(c: bool) -> None:
    residual = futamura.specialize(phases)
    assert residual.stats["fallbacks"] == {}
    for xs in ([], [1], [1, 2], [1, 2, 3, 4]):
        seen: list[list[object]] = [[], []]
        assert residual(xs, c, seen[0].append) == phases(xs, c, seen[1].append) and seen[0] == seen[1]


@pytest.mark.parametrize(("function", "loops"), [(scoped, 1), (scoped_and_shown, 1), (told_apart, 2)])
def test_one_loop_is_left(function: Any, loops: int) -> None:
    source = futamura.specialize(function, name="x").source
    assert source.count("for ") == loops and "while" not in source, source
