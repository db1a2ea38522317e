"""Functions in `functools.lru_cache` and `functools.cache` that a function makes for itself.

    @cache
    def best(i, j): ...            dynamic programming over static data: what `best(0, n)` gives is known

Invariant: what the cached function does is done as often, and in the order, as in the original.
"""

from __future__ import annotations

import functools
import itertools
from functools import cache, lru_cache
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome
from tests.specialize.specializing import words

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def order(dims):
    @lru_cache(None)
    def best(i, j):
        if j - i == 1:
            return 0, i
        return min(
            (best(i, k)[0] + best(k, j)[0] + dims[i] * dims[k] * dims[j], (best(i, k)[1], best(k, j)[1]))
            for k in range(i + 1, j)
        )

    return best(0, len(dims) - 1)[1]


def chain(dims, mats):
    def product(tree):
        if isinstance(tree, int):
            return mats[tree]
        left, right = product(tree[0]), product(tree[1])
        return [[sum(x * y for x, y in zip(row, column)) for column in zip(*right)] for row in left]

    return product(order(dims))


def fib(n, x):
    @cache
    def at(i):
        return x if i < 2 else at(i - 1) + at(i - 2)

    return at(n)


def shown(names, log):
    """Each name is logged once; as a decorator without brackets."""

    @lru_cache
    def width(name):
        log.append(name)
        return len(name) * 2

    return [width(name) for name in names]


def same(names, log):
    @functools.lru_cache(maxsize=64, typed=True)
    def made(name):
        log.append(name)
        return [name]

    first, second = made(names[0]), made(names[0])
    first.append(1)
    return first is second, second, made(names[-1])


def failing(names, log):
    """What raises is kept nowhere."""

    @cache
    def asked(name):
        log.append(name)
        raise ValueError(name)

    for name in (*names, *names):
        try:
            asked(name)
        except ValueError:
            log.append("no")
    return log


def one_and_true(names, log):
    @cache
    def asked(name):
        log.append(name)
        return repr(name)

    return asked(1), asked(True), asked(1.0), asked("1"), asked(names[0])


def emptied(names, log):
    @lru_cache(None)
    def asked(name):
        log.append(name)
        return name

    asked(names[0])
    asked.cache_clear()
    return asked(names[0]), asked.cache_info().hits, asked.__name__, asked.__wrapped__(3)


def handed_on(names, log):
    @cache
    def asked(name):
        log.append(name)
        return name

    asked(names[0])
    log.append(list(map(asked, names)))
    return type(asked).__name__, callable(asked), isinstance(asked, type(handed_on))


def of_open_values(names, log):
    @cache
    def asked(name, more):
        log.append(name)
        return len(log)

    return [asked(name, len(log) % 2) for name in (*names, *names)]


def named(names, log):
    @cache
    def asked(name, more=1):
        log.append(name)
        return name, more

    return asked(names[0]), asked(name=names[0]), asked(names[0], 1), asked(names[0], more=1)


def bounded(names, log):
    """The oldest results are dropped."""

    @lru_cache(maxsize=2)
    def asked(name):
        log.append(name)
        return name

    return [asked(name) for name in (*names, *names)]


def under_open_control(names, log):
    @cache
    def asked(name):
        log.append(name)
        return name * 2

    found = []
    for name in names:
        if len(log) > 1:
            found.append(asked(name))
        if log:
            found.append(asked(names[0]))
    return found


def wrong_use(names, log):
    @cache
    def asked(name):
        return {name: 1}

    try:
        return asked([names[0]])
    except TypeError as error:
        return str(error), asked(names[0])


def mistaken(names, log):
    return lru_cache(maxsize=names[0])(len)


LOGGING = (
    shown, same, failing, one_and_true, emptied, handed_on, of_open_values, named, bounded, under_open_control,
    wrong_use, mistaken,
)  # fmt: skip


@pytest.mark.parametrize("function", LOGGING)
@pytest.mark.parametrize("names", [("a", "bc", "a"), ("x",), (3, 4, 5, 3), ("a", "b", "c", "d")])
def test_as_often_as_in_the_original(function: Any, names: Any) -> None:
    residual = futamura.specialize(function, names=names)
    for given in ([], ["z"], ["y", "z"]):
        mine, theirs = list(given), list(given)
        assert outcome(residual, mine) == outcome(function, names, theirs)
        assert mine == theirs


@pytest.mark.parametrize("dims", [(1, 2), (1, 3, 1, 2), (4, 2, 3, 1, 3)])
def test_dynamic_programming_is_done(dims: Any) -> None:
    residual = futamura.specialize(chain, dims=dims)
    assert not {"lru_cache", "best", "_lru_cache_wrapper", "min"} & words(residual), residual.source
    mats = [[[i + k + n for k in range(m)] for i in range(n)] for n, m in itertools.pairwise(dims)]
    assert residual(mats) == chain(dims, mats)


def test_equal_calls_are_one() -> None:
    residual = futamura.specialize(fib, n=12)
    assert residual.source.count("+") == 11 and "cache" not in residual.source, residual.source
    for x in (1, 2.5, "ab"):
        assert residual(x) == fib(12, x)


def test_caches_of_virtual_functions_are_gone() -> None:
    residual = futamura.specialize(shown, names=("a", "bc", "a"))
    assert "cache" not in residual.source and residual.source.count("append") <= 2, residual.source
