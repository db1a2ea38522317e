"""Generators that are given away after they were started: they are real ones from their start.

    items = walk(xs); first = next(items); f(items)     no generator can be made that stands in the middle of its code

Invariant: what the code does with such a generator before it is given away, and what others do with it later, is as in
the original; a generator that has something to do when it is dropped stays with the original code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome


def letters(text: Any, end: Any) -> Iterator[Any]:
    for c in text:  # noqa: UP028
        yield c
    yield end


def of_a_function(end: Any, text: Any, use: Any) -> Any:
    items = letters(text, end)
    return next(items), use(items), list(items)


def of_a_closure(count: Any, text: Any, use: Any) -> Any:
    def counted() -> Iterator[Any]:
        nonlocal count
        for c in text:
            count += 1
            yield c, count

    items = counted()
    first = next(items)
    return first, use(items), count


def of_an_expression(factor: Any, text: Any, use: Any) -> Any:
    items = (c * factor for c in text if c)
    return next(items, None), use(items), next(items, "none")


def of_map(factor: Any, text: Any, use: Any) -> Any:
    items = map(lambda c: c * factor, text)  # noqa: C417
    return next(items, None), use(items), type(items)


def exhausted(end: Any, text: Any, use: Any) -> Any:
    items = letters((), end)
    return [next(items, None), next(items, None)], use(items), text


def delegating(end: Any, text: Any, use: Any) -> Any:
    def around() -> Iterator[Any]:
        yield "first"
        yield from letters(text, end)

    items = around()
    return next(items), use(items), list(items)


def on_one_way(end: Any, text: Any, use: Any) -> Any:
    items = letters((1, 2, 3), end)
    total = next(items)
    if text:
        return use(items)
    for item in items:
        total += item
    return total


class Machine:
    def __init__(self, data: Any) -> None:
        self.pos = 0
        self.data = data

    def items(self, xs: Any) -> Iterator[Any]:
        for x in xs:
            self.pos += 1
            yield self.data[self.pos % len(self.data)], x

    def run(self, xs: Any, use: Any) -> Any:
        items = self.items(xs)
        self.pos = 5
        first = next(items, None)
        self.pos = 10
        second = use(items)
        self.pos += 1
        return first, second, next(items, None), self.pos


def of_a_method(data: Any, xs: Any, use: Any) -> Any:
    machine = Machine(data)
    return machine.run(xs, use), machine.pos


CASES: list[tuple[Callable[..., Any], Any]] = [
    (of_a_function, 3),
    (of_a_closure, 3),
    (of_an_expression, 3),
    (of_map, 3),
    (exhausted, 3),
    (delegating, 3),
    (on_one_way, 3),
    (of_a_method, (1, 2, 3)),
]
USES: list[Callable[[Any], Any]] = [list, lambda items: next(items, "none"), lambda items: None, next]


@pytest.mark.parametrize(("function", "static"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_like_the_original(function: Callable[..., Any], static: Any) -> None:
    residual = specialize(function, static)
    assert residual.source and set(residual.stats["fallbacks"]) <= {"FT302"}, residual.stats
    for use in USES:
        for given in ("abc", "", [1, 0, 2], [[1], []], None, 5):
            assert outcome(residual, given, use) == outcome(function, static, given, use), given


def test_the_objects_of_a_static_input_are_used_by_both() -> None:
    mine, theirs = Machine((1, 2, 3)), Machine((1, 2, 3))
    residual = specialize(mine.run)
    for use in USES:
        for xs in ("abc", [], [1]):
            assert outcome(residual, xs, use) == outcome(theirs.run, xs, use)
            assert vars(mine) == vars(theirs)


def guarded(log: Any, xs: Any) -> Iterator[Any]:
    try:
        yield from xs
    finally:
        log.append("end")


def dropped(n: Any, xs: Any, use: Any) -> Any:
    log = [n]
    items = guarded(log, xs)
    return next(items), use(items), len(log)


def test_one_that_has_something_to_do_when_it_is_dropped() -> None:
    residual = specialize(dropped, 3)
    for use in USES:
        for xs in ("abc", "a", []):
            assert outcome(residual, xs, use) == outcome(dropped, 3, xs, use)


def told(table: Any, k: Any) -> Any:
    def gen() -> Any:
        yield 1
        return table[k]

    found = gen()
    next(found)
    try:
        next(found)
    except StopIteration as e:
        return e.value


def told_late(table: Any, k: Any) -> Any:
    def gen() -> Any:
        one = table[k]
        yield one
        return k

    found = gen()
    try:
        return next(found), next(found)
    except StopIteration as e:
        return e.value


@pytest.mark.parametrize("subject", [told, told_late])
def test_what_a_generator_returns_behind_an_operation_that_may_raise_is_caught(subject: Any) -> None:
    residual = specialize(subject, table=[5, 6])
    for k in (0, 1, -1):
        assert residual(k) == subject([5, 6], k)
    for wrong in (7, "a"):
        assert str(outcome(residual, wrong)) == str(outcome(subject, [5, 6], wrong))
