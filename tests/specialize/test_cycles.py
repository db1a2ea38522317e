"""Containers that contain themselves, and leave: one of those on the way around is real from the beginning.

    env = {}                                    env = {}
    env["look"] = lambda n: env.get(n, k)       env["look"] = lambda n: env.get(n, 3)
    return env                                  return env

Invariant: which objects are the same one is as in the original.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome


def held_by_a_closure(k: Any, x: Any) -> Any:
    env: dict[Any, Any] = {}

    def look(n: Any) -> Any:
        return env.get(n, k)

    env["look"] = look
    env["x"] = x
    return env["look"]("x"), env["look"]("y"), sorted(env), env["look"].__name__


def left_as_it_is(k: Any, x: Any) -> Any:
    a = [k, x]
    a.append(a)
    b: dict[Any, Any] = {"a": a, k: x}
    b["b"] = b
    return a, b, a[0], b[k], a[2] is a, b["b"] is b, b["a"] is a


def through_a_tuple(k: Any, x: Any) -> Any:
    a: list[Any] = [k]
    pair = (a, x)
    a.append(pair)
    a.append({"pair": pair})
    return pair, pair[0][1] is pair, pair[0][2]["pair"] is pair


def in_a_loop(k: Any, x: Any) -> Any:
    out = []
    for i in x:
        a = [i, k]
        a.append(a)
        out.append(a)
    return out, [one is two for one in out for two in out]


def ring(k: Any, x: Any) -> Any:
    made: list[list[Any]] = [[i, x] for i in range(3)]
    for a, b in zip(made, made[1:], strict=False):  # noqa: RUF007 - as people write it
        a.append(b)
    made[-1].append(made[0])
    return made[0], made[0][2][2][2] is made[0], k


def by_hand(k: Any, x: Any) -> Any:
    first: dict[str, Any] = dict(name=k)  # noqa: C408 - made by a call
    first["next"] = {"name": x, "next": first}
    return first, first["next"]["next"] is first


def handed_out(k: Any, x: Any) -> Any:
    a: list[Any] = [k]
    a.append(a)
    print(a, x)
    a.append(x)
    return a, len(a)


def of_tasks(k: Any, x: Any) -> Any:
    handlers: dict[Any, Any] = {}
    for name in ("a", "b"):
        handlers[name] = lambda v: (v, k, len(handlers))
    handlers["c"] = x
    return handlers["a"](x), handlers["b"](1), sorted(handlers)


PROGRAMS: list[Callable[..., Any]] = [
    held_by_a_closure, left_as_it_is, through_a_tuple, in_a_loop, ring, by_hand, handed_out, of_tasks,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS)
def test_like_the_original(function: Callable[..., Any]) -> None:
    residual = specialize(function, "z")
    assert not residual.stats["fallbacks"], residual.events
    for x in (1, [2], "ab", None):
        assert outcome(residual, x) == outcome(function, "z", x), residual.source


def test_one_statement_for_each() -> None:
    source = specialize(left_as_it_is, "z").source
    assert source.startswith("def left_as_it_is(x):\n    a = ['z', x]\n    a.append(a)\n")
