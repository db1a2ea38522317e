"""Recursion under dynamic control: residual functions that take and give back objects made during specialization.

    walk(tree, seen) with seen a virtual list     ->     the list's contents pass from call to call, or it is built

Invariant: results, identities, effects and what a handler sees are those of the original, for every input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .specializing import fallbacks, source_of, specialize


class Box:
    def __init__(self, value: Any) -> None:
        self.value = value
        self.seen: list[Any] = []


class Chain:
    def __init__(self, depth: int, limit: int) -> None:
        self.depth = depth
        self.rest = Chain(depth + 1, limit) if depth < limit else None


class Stop(Exception):
    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value


def count_down(box: Box, n: int) -> int:
    if n <= 0:
        return box.value
    box.value = box.value + n
    return count_down(box, n - 1)


def lent_instance(n: int, start: int) -> Any:
    box = Box(start)
    result = count_down(box, n)
    return result, box.value, box.seen


def fill(xs: list[Any], n: int) -> list[Any]:
    if n > 0:
        xs[0] = n
        return fill(xs, n - 1)
    return xs


def same_list(n: int, start: int) -> Any:
    xs = [start, 0]
    ys = fill(xs, n)
    ys[1] = 7
    return xs is ys, xs


def grow(xs: list[Any], n: int) -> None:
    if n > 0:
        xs.append(n)
        grow(xs, n - 1)


def grown(n: int, start: int) -> Any:
    xs = [start]
    grow(xs, n)
    return xs, len(xs)


def leak(xs: list[Any], kept: list[Any], n: int) -> int:
    if n > 0:
        kept.append(xs)
        return leak(xs, kept, n - 1)
    return len(kept)


def leaked(n: int, start: int) -> Any:
    xs = [start]
    kept: list[Any] = []
    count = leak(xs, kept, n)
    xs.append(count)
    return kept, all(item is xs for item in kept)


def fail(xs: list[Any], n: int) -> int:
    xs[0] = n
    if n == 0:
        raise ValueError(xs[0])
    return fail(xs, n - 2) if n > 0 else xs[0]


def behind_an_exception(n: int, start: int) -> Any:
    xs = [start]
    try:
        result = fail(xs, n)
    except ValueError as error:
        return "failed", xs, error.args
    return result, xs


def search(xs: list[int], at: int, box: Box) -> None:
    box.value = at
    if at < len(xs):
        if xs[at] > 2:
            raise Stop(at)
        search(xs, at + 1, box)


def signalled(n: int, start: int) -> Any:
    box = Box(None)
    try:
        search([start, n, n + 1], 0, box)
    except Stop as stop:
        return stop.value
    return None


def restored(box: Box, n: int) -> int:
    saved = box.value
    box.value = n
    try:
        return 1 // n if n <= 1 else restored(box, n - 1)
    finally:
        box.value = saved


def with_finally(n: int, start: int) -> Any:
    box = Box(start)
    try:
        return restored(box, n), box.value
    except ZeroDivisionError:
        return "zero", box.value


def pair(n: int) -> Any:
    return (n, 0) if n <= 0 else (pair(n - 1)[0], n)


def pairs(n: int, start: int) -> Any:
    left, right = pair(n)
    return left, right, start


def even(n: int, box: Box) -> bool:
    box.value += 1
    return True if n == 0 else odd(n - 1, box)


def odd(n: int, box: Box) -> bool:
    box.value += 1
    return False if n == 0 else even(n - 1, box)


def mutual(n: int, start: int) -> Any:
    box = Box(start)
    return even(max(n, 0), box), box.value


def chained(n: int, start: int) -> Any:
    chain: Any = Chain(start, n)
    length = 0
    while chain is not None:
        length += 1
        chain = chain.rest
    return length


def swap(a: list[Any], b: list[Any], n: int) -> Any:
    if n > 0:
        a[0] = n
        return swap(b, a, n - 1)
    return a is b, a, b


def swapped(n: int, start: int) -> Any:
    a, b = [start], [start]
    return swap(a, b, n), swap(a, a, n), a, b


CASES: list[Callable[[int, int], Any]] = [
    lent_instance,
    same_list,
    grown,
    leaked,
    behind_an_exception,
    signalled,
    with_finally,
    pairs,
    mutual,
    chained,
    swapped,
]


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
@pytest.mark.parametrize("start", [0, 3])
def test_like_the_original(function: Callable[[int, int], Any], start: int) -> None:
    residual = specialize(function, start=start)
    for n in (0, 1, 2, 3, 6, -1):
        assert repr(residual(n)) == repr(function(n, start)), (function.__name__, n, residual.source)


def test_lent_fields_are_arguments_and_results() -> None:
    residual = specialize(lent_instance, start=3)
    assert fallbacks(residual) == {}
    assert "Box" not in residual.source
    assert ".value" not in residual.source


def test_what_is_given_back_unchanged_is_not_passed() -> None:
    residual = specialize(with_finally, start=3)
    assert fallbacks(residual) == {}
    assert "Box" not in residual.source


def test_an_exception_with_attributes_is_not_made() -> None:
    residual = specialize(signalled, start=5)
    assert "raise" not in residual.source


def rebuilding(factor: int) -> tuple[Callable[[Any, Any], Any], Callable[[int], None]]:
    lists = 0

    def fill(made: Any, given: Any) -> Any:
        nonlocal lists
        if isinstance(given, tuple):
            for one, other in zip(made, given):
                fill(one, other)
        elif isinstance(given, list):
            lists += 1
            made.extend(scaled(item) for item in given)
        return made, lists, factor

    def scaled(item: Any) -> Any:
        return fill([], item)[0] if isinstance(item, list) else item * factor

    def change(value: int) -> None:
        nonlocal factor
        factor = value

    return fill, change


def test_a_closure_that_calls_itself_and_lends_its_variables_to_others() -> None:
    (mine, mine_change), (theirs, theirs_change) = rebuilding(3), rebuilding(3)
    residual = specialize(mine)
    assert fallbacks(residual) == {}
    results: list[list[Any]] = [[], []]
    for given in (([1, [2]], ([3],)), [4, [5, [6]]], (7,), 8):
        for run, change, found in ((residual, mine_change, results[0]), (theirs, theirs_change, results[1])):
            made: Any = ([], ([],)) if isinstance(given, tuple) else []
            found.append((run(made, given), made))
            change(len(found) + 5)
    assert repr(results[0]) == repr(results[1])


class Words:
    """A machine whose stack is an attribute, and whose words call each other by name."""

    def __init__(self, words: Any) -> None:
        self.words = words
        self.stack: list[Any] = []

    def execute(self, name: str) -> None:
        if name == "*":
            b, a = self.stack.pop(), self.stack.pop()
            self.stack.append(a * b)
            return
        at, word = 0, self.words[name]
        while at < len(word):
            kind, given = word[at]
            at += 1
            if kind == "lit":
                self.stack.append(given)
            elif kind == "dup":
                self.stack.append(self.stack[-1])
            elif kind == "jz":
                at = at if self.stack[-1] else given
            else:
                self.execute(given)

    def run(self, n: Any) -> list[Any]:
        self.stack = [n]
        self.execute("main")
        return self.stack


@pytest.mark.parametrize("times", [1, 2, 5])
def test_words_that_are_called_again_keep_what_is_known_of_the_machine(times: int) -> None:
    main = [("jz", 2), ("word", "square"), *[("lit", 3), ("word", "*")] * times]
    words = {"square": [("dup", 0), ("word", "*")], "main": main}
    mine, theirs = Words(words), Words(words)
    residual = specialize(mine.run)
    assert not fallbacks(residual)
    assert "pop" not in source_of(residual) and "words" not in source_of(residual), source_of(residual)
    for n in (0, 1, 2, -3, 2.5, True, "ab", [1], None):
        results = []
        for machine, run in ((mine, residual), (theirs, theirs.run)):
            try:
                results.append((run(n), machine.stack))
            except TypeError as error:
                results.append((str(error), machine.stack))
        assert repr(results[0]) == repr(results[1]), n
