# ruff: noqa: B023 - closures over variables of loops are what this is about
"""Closures and generator expressions that a loop makes: some of their variables the loop assigns again.

    for c in text:                                    `c` is one variable of the residual function, `order` has its
        out.append(sorted(order, key=lambda s:        value once and for all
                   (s in c, order.index(s))))

    for c in text:                                    the generator is used up before `c` is assigned again: it has a
        states = frozenset(t for s in states          variable of its own
                           for t in moves.get((s, c), ()))

Invariant: what is called later sees what was assigned last, as in the original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome

MOVES = {("s", "a"): ("s", "t"), ("s", "b"): ("s",), ("t", "b"): ("u",)}


def called(functions: list[Any], *args: Any) -> list[Any]:
    return [function(*args) for function in functions]


def constant(k: Any, n: Any) -> Any:
    made = []
    for i in range(n):
        made.append(lambda x: (x, i, k))
    return called(made, 1)


def parameter(k: Any, n: Any) -> Any:
    made = []
    m = n * 2
    for i in range(n):
        j = i + k
        made.append(lambda x: (x, i, j, k, m, n))
    return called(made, 1)


def of_a_helper(k: Any, n: Any) -> Any:
    def inner(a: Any, b: Any) -> Any:
        return lambda x: (a, b, x, n, k)

    made = []
    for i in range(n):
        made.append(inner(i, k))
    n = 100
    return called(made, 1)


def with_defaults(k: Any, n: Any) -> Any:
    made: list[Any] = []
    for i in range(n):

        def function(x: Any, now: Any = i, *, last: Any = k) -> Any:
            return x, now, last, i, k

        made.append(function)
    return called(made, 1), [one.__name__ for one in made], [one.__defaults__ for one in made]


def of_themselves(k: Any, n: Any) -> Any:
    made: list[Any] = []
    for i in range(n):
        made.append(lambda x: (x, i, k, len(made)))
    return called(made, 1)


def assigned_by_the_closure(k: Any, n: Any) -> Any:
    total = 0
    made = []
    for i in range(n):

        def add(x: Any) -> Any:
            nonlocal total
            total += x + i + k
            return total

        made.append(add)
        add(0)
    return called(made, 1), total


def in_nested_loops(k: Any, n: Any) -> Any:
    made = []
    for i in range(n):
        limit = i + k
        for j in range(limit):
            made.append(lambda x: (x, i, j, k, limit))
    return called(made, 1)


def in_while(k: Any, n: Any) -> Any:
    made: list[Any] = []
    while len(made) < n:
        count = len(made)
        made.append(lambda x: (x, count, k))
    return called(made, 1)


def keys(k: Any, n: Any) -> Any:
    out = []
    for c in [str(i) for i in range(n)]:
        out.append(sorted(k, key=lambda s: (str(s) == c, k.index(s))))
    return out


def states(k: Any, n: Any) -> Any:
    now = frozenset("s")
    for c in "ab" * n:
        now = frozenset(t for s in now for t in k.get((s, c), ()))
        if not now:
            return False
    return sorted(now)


def assigned_while_used_up(k: Any, n: Any) -> Any:
    def items() -> Iterator[Any]:
        nonlocal last
        for at in range(n):
            last = at * k
            yield at

    out = []
    last = k
    for at in range(n):
        out.append(sum(x + last + at for x in items()))
        last += 1
    return out


def made_by_a_generator(k: Any, n: Any) -> Any:
    def makes() -> Iterator[Any]:
        last = k
        taken = (x + last for x in steps())
        yield taken
        while last < 50:
            last += 10
            yield last

    def steps() -> Iterator[Any]:
        for at in range(n):
            if at:
                seen.append(next(maker))
            yield at

    seen: list[Any] = []
    maker = makes()
    return sum(next(maker)), seen


def used_later(k: Any, n: Any) -> Any:
    waiting = []
    for c in range(n):
        waiting.append(x + c + k for x in range(2))
    return [sum(one) for one in waiting]


def of_a_class(k: Any, n: Any) -> Any:
    out = []
    for c in range(n):

        class Step:
            at = c

            def to(self) -> Any:
                nonlocal c
                c += k
                return c

        step = Step()
        out.append(sum(x + c + step.to() for x in range(n)))
    return out


def deleted(k: Any, n: Any) -> Any:
    out = []
    for c in range(n):
        out.append(max(x + c for x in [k, n]))
        del c
    return out


PROGRAMS: list[tuple[Callable[..., Any], Any]] = [
    (constant, 3), (constant, [3]), (parameter, 3), (of_a_helper, 3), (with_defaults, 3), (of_themselves, 3),
    (assigned_by_the_closure, 3),
    (in_nested_loops, 1), (in_while, "k"), (keys, ["2", "0", "1"]), (keys, [1, 0]), (states, MOVES),
    (assigned_while_used_up, 3), (made_by_a_generator, 3), (used_later, 3), (of_a_class, 3), (deleted, 3),
]  # fmt: skip


@pytest.mark.parametrize(("function", "k"), PROGRAMS, ids=lambda one: getattr(one, "__name__", str(type(one).__name__)))
def test_like_the_original(function: Callable[..., Any], k: Any) -> None:
    residual = specialize(function, k)
    for n in (0, 1, 2, 4, "x", -1):
        assert outcome(residual, n) == outcome(function, k, n), residual.source


@pytest.mark.parametrize(
    "function", [constant, parameter, of_a_helper, with_defaults, in_nested_loops, in_while, keys, states]
)
def test_specialized(function: Callable[..., Any]) -> None:
    residual = specialize(function, {keys: ["2", "0"], states: MOVES}.get(function, 3))
    assert not residual.stats["fallbacks"], residual.events
    assert residual.stats["specialized"]


def test_what_is_known_is_no_variable() -> None:
    assert "(x, i, 3)" in specialize(constant, 3).source


def test_variables_of_all_rounds_are_one() -> None:
    def made(k: Any, n: Any) -> Any:
        functions = []
        for i in range(n):
            functions.append(lambda x: (x, i, k))
        return functions

    one, other = specialize(made, [3])(2)
    assert one.__closure__[0] is other.__closure__[0]
    assert one(1)[2] is other(1)[2]


def test_each_call_has_variables_of_its_own() -> None:
    def maker(k: Any) -> Any:
        return lambda: k

    def made(n: Any, k: Any) -> Any:
        functions = []
        for _ in range(n):
            functions.append(maker(k))
        functions[0].__closure__[0].cell_contents = 99
        return [function() for function in functions]

    for residual in (specialize(made, k=[7]), specialize(made)):
        given = () if residual.static else ([7],)
        assert residual(3, *given) == made(3, [7]) == [99, [7], [7]]


def test_used_up_generators_have_variables_of_their_own() -> None:
    source = specialize(states, MOVES).source
    assert "for c in" in source and ", c)" in source, source


class Announcing:
    def __init__(self) -> None:
        self.rows = [1, 2]

    def run(self, first: Any, tell: Any) -> Any:
        try:
            return first()
        except KeyError:
            for _ in self.rows:
                tell(lambda: self)
        return None


def test_a_loop_in_the_handler_of_what_the_function_begins_with() -> None:
    """What the first block makes there is not known in its handler."""
    announcing = Announcing()
    residual: Any = specialize(announcing.run)
    assert "FT901" not in residual.stats["fallbacks"]
    told: list[Any] = []
    assert residual(dict[str, int]().popitem, told.append) is None
    assert [one() for one in told] == [announcing, announcing] and residual(int, told.append) == 0


def converters(rate: Any, x: Any) -> Any:
    scale = x * rate
    names = [f"{rate}-{x}"]

    def forth(y: Any) -> Any:
        return y * scale, names, len(names)

    def back(y: Any) -> Any:
        names.append(y)
        return y / scale, names

    return forth, back


def test_closures_have_their_variables_in_common() -> None:
    residual = specialize(converters, rate=3)
    assert sorted(residual.function.__code__.co_cellvars) == ["names", "scale"]
    made, expected = residual(2), converters(3, 2)
    for y in (1, 0, 5):
        for mine, theirs in zip(made, expected, strict=True):
            assert outcome(mine, y) == outcome(theirs, y)


def pairs(rate: Any, x: Any) -> Any:
    def maker(k: Any) -> Any:
        return lambda: k, lambda: (k, rate)

    return [maker(x) for _ in range(2)]


@pytest.mark.parametrize("function", [pairs, specialize(pairs, rate=3)])
def test_calls_at_one_place_share_no_variables(function: Callable[..., Any]) -> None:
    (one, other), (third, fourth) = function(5) if function is not pairs else pairs(3, 5)
    one.__closure__[0].cell_contents = 7
    assert [one(), other(), third(), fourth()] == [7, (7, 3), 5, (5, 3)]
