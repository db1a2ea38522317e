"""Objects with a `__next__` in Python: `next`, and the builtins that take items of an iterator, enter it.

    next(tokens, None)              tokens an object of the program   ->   the body of `Tokens.__next__`
    zip(rows, (1, 2)), islice(rows, 3), enumerate(rows), map(f, rows)      likewise, behind one call of `__iter__`

Invariant: `__iter__` and `__next__` are called as often and in the same order; who goes on asking behind the end, or
behind an exception, gets what the object gives then.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, type-arg, no-any-return"
# ruff: noqa: C400, C416, C417

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import futamura
from futamura import Dyn
from tests.outcomes import outcome

LOG: list[Any] = []


class Steps:
    """An iterator that logs what is asked."""

    def __init__(self, count, step):
        self.count = count
        self.step = step
        self.at = 0

    def __iter__(self):
        LOG.append("iter")
        return self

    def __next__(self):
        LOG.append(("next", self.at))
        if self.at >= self.count:
            raise StopIteration(self.step)
        self.at += 1
        return self.at * self.step


class Bag:
    """Its iterator is another object."""

    def __init__(self, count, step):
        self.count = count
        self.step = step

    def __iter__(self):
        LOG.append("bag")
        return Steps(self.count, self.step)


class Poured(Bag):
    def __iter__(self):
        LOG.append("poured")
        for at in range(self.count):
            LOG.append(("yield", at))
            yield at * self.step


class Moody(Steps):
    """It fails once, and goes on behind its end."""

    def __next__(self):
        LOG.append(("moody", self.at))
        self.at += 1
        if self.at == 2:
            raise ValueError(self.at)
        if self.at == self.count:
            raise StopIteration
        return self.at * self.step


class Kept:
    """Takes of another iterator what it keeps."""

    def __init__(self, source, keeps):
        self.source = iter(source)
        self.keeps = keeps

    def __iter__(self):
        return self

    def __next__(self):
        while True:
            item = next(self.source)
            if self.keeps(item):
                return item


class Plain:
    """Python has its iterator: nothing is known of it."""

    def __init__(self, count, step):
        self.items = [step] * count

    def __iter__(self):
        LOG.append("plain")
        return iter(self.items)


class Wrong:
    def __init__(self, count, step):
        self.count = count

    def __iter__(self):
        LOG.append("wrong")
        return self.count


KINDS = [Steps, Bag, Poured, Moody, Plain, Wrong]


def taken(kind, x):
    steps = iter(kind(2, x))
    return next(steps), next(steps)


def one_too_many(kind, x):
    steps = iter(kind(1, x))
    try:
        return next(steps), next(steps)
    except StopIteration as end:
        return end.value, end.args


def with_default(kind, x):
    steps = iter(kind(1, x))
    return next(steps, 7), next(steps, 8), next(steps, None)


def until_the_end(kind, x):
    steps, total = iter(kind(3, x)), 0
    while (item := next(steps, None)) is not None:
        total += item
    return total


def zipped(kind, x):
    return [a * b for a, b in zip(kind(4, x), (1, 2, 3))], [*zip((1, 2, 3), kind(2, x))]


def zipped_strictly(kind, x):
    return [a * b for a, b in zip(kind(3, x), (1, 2, 3), strict=True)], list(zip((1, 2), kind(3, x), strict=True))


def zipped_with_itself(kind, x):
    steps = iter(kind(5, x))
    return [a + b for a, b in zip(steps, steps)], next(steps, "end")


def zipped_by_three(kind, x):
    return [*zip("abc", kind(2, x), kind(3, 1))]


def zipped_further(kind, x):
    steps = iter(kind(3, x))
    both = zip(steps, "abcdef")
    first = next(both)
    return first, next(steps), list(both), next(both, "end"), next(steps, "end"), next(both, "end")


def numbered(kind, x):
    return [(at, item) for at, item in enumerate(kind(3, x))], list(enumerate(kind(2, x), 5)), dict(
        enumerate(kind(2, x), start=7)
    )


def mapped(kind, x):
    return list(map(lambda v: v + 1, kind(3, x))), [v for v in filter(lambda v: v, kind(3, x))], list(
        map(lambda a, b: a - b, kind(3, x), (1, 2))
    )


def sliced(kind, x):
    steps = iter(kind(6, x))
    return list(itertools.islice(steps, 2)), list(itertools.islice(steps, 1, 3)), next(steps, "end")


def sliced_with_steps(kind, x):
    return list(itertools.islice(kind(6, x), 1, None, 2)), list(itertools.islice(kind(6, x), 0))


def sliced_wrongly(kind, x):
    return list(itertools.islice(kind(6, x), -1))


def by_functions(kind, x):
    return (
        list(itertools.takewhile(lambda v: v < 3 * x, kind(5, x))),
        list(itertools.dropwhile(lambda v: v < 3 * x, kind(5, x))),
        list(itertools.filterfalse(lambda v: v == x, kind(3, x))),
    )


def by_pairs(kind, x):
    return (
        list(itertools.pairwise(kind(3, x))),
        list(itertools.accumulate(kind(3, x))),
        list(itertools.accumulate(kind(3, x), lambda a, b: a * b)),
        list(itertools.compress(kind(3, x), (1, 0, 1))),
        list(itertools.compress("abc", kind(3, x))),
        list(itertools.chain(kind(2, x), "ab", kind(2, x))),
    )


def kept(kind, x):
    odd = Kept(kind(6, x), lambda v: v % 2)
    return list(itertools.islice(odd, 2)), next(odd, "end"), [*zip(odd, "ab")]


def inside_a_generator(kind, x):
    steps = iter(kind(2, x))
    return list(next(steps) for _ in range(3))


def inside_a_mapped_function(kind, x):
    steps = iter(kind(2, x))
    return list(map(lambda at: next(steps) + at, range(5)))


def behind_an_error(kind, x):
    steps, found = iter(kind(4, x)), []
    pairs = zip(steps, "abcd")
    for _ in range(6):
        try:
            found.append(next(pairs))
        except (ValueError, StopIteration) as error:
            found.append(error.args)
    return found


def behind_an_error_of_a_map(kind, x):
    found = []
    changed = map(lambda v: v + 1, kind(4, x))
    for _ in range(6):
        try:
            found.append(next(changed))
        except (ValueError, StopIteration) as error:
            found.append(error.args)
    return found


def two_at_a_time(kind, x):
    found = []
    for first in (steps := iter(kind(5, x))):
        found.append((first, next(steps, None)))
    return found


def given_away(kind, x):
    pairs = zip(kind(2, x), "ab")
    LOG.append(type(pairs).__name__)
    return sorted(pairs, key=lambda pair: pair[1]), max(enumerate(kind(2, x)))


PROGRAMS = [
    taken, one_too_many, with_default, until_the_end, zipped, zipped_strictly, zipped_with_itself, zipped_by_three,
    zipped_further, numbered, mapped, sliced, sliced_with_steps, sliced_wrongly, by_functions, by_pairs, kept,
    inside_a_generator, inside_a_mapped_function, behind_an_error, behind_an_error_of_a_map, two_at_a_time, given_away,
]  # fmt: skip


def seen(function: Callable[..., Any], *given: Any) -> Any:
    LOG.clear()
    return outcome(lambda: function(*given)), list(LOG)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_asks_as_the_program_does(program: Any, kind: Any) -> None:
    residual = futamura.specialize(program, kind)
    for x in (1, 0, 2.5, "a"):
        assert seen(residual, x) == seen(program, kind, x), residual.source


@pytest.mark.parametrize(
    "program", [taken, with_default, until_the_end, zipped, zipped_with_itself, zipped_by_three, numbered, sliced, kept]
)
def test_is_in_line(program: Any) -> None:
    source = futamura.specialize(program, Steps).source
    words = ("next(", "zip(", "enumerate(", "islice(", "Steps", "new__(")
    assert not any(word in source for word in words), source


def of_static(steps, x):
    return next(steps) * x, next(steps, x)


def test_a_static_iterator_is_advanced() -> None:
    static, other = Steps(3, 2), Steps(3, 2)
    residual = futamura.specialize(of_static, static)
    for x in (1, 2.5, "a"):
        assert seen(residual, x) == seen(of_static, other, x)
        assert static.at == other.at


def pairs_of_static(bag, xs):
    return [a * b for a, b in zip(bag, xs)], [a - b for a, b in zip(xs, bag)]


@pytest.mark.parametrize("kind", [Bag, Poured])
def test_beside_what_is_open(kind: Any) -> None:
    bag = kind(3, 2)
    residual = futamura.specialize(pairs_of_static, bag)
    assert "_bag" not in residual.source
    for xs in ([1, 2], (1, 2, 3, 4), Bag(2, 5), iter([3, 4, 5, 6]), Moody(5, 3), Plain(2, 2), 5):
        again = iter([3, 4, 5, 6]) if hasattr(xs, "__length_hint__") else Moody(5, 3) if type(xs) is Moody else xs
        assert seen(residual, xs) == seen(pairs_of_static, bag, again)


class Turned(Steps):
    def __next__(self):
        LOG.append("turned")
        raise StopIteration


def of_another_class(x):
    steps, found = Steps(5, x), []
    for item, letter in zip(steps, "abcd"):
        found.append((item, letter))
        if item > x:
            steps.__class__ = Turned
    return found


def handed_to(look, x):
    steps, found = Steps(5, x), []
    for item, letter in zip(steps, "abcd"):
        look(steps)
        found.append((item, letter))
    return found, steps.at


def test_its_class_is_another_one_by_then() -> None:
    residual = futamura.specialize(of_another_class)
    assert seen(residual, 2) == seen(of_another_class, 2)


def test_it_is_handed_to_code_that_is_not_known() -> None:
    def skip(steps: Any) -> None:
        next(steps, None)

    def turn(steps: Any) -> None:
        steps.__class__ = Turned

    residual = futamura.specialize(handed_to)
    for look in (skip, turn, LOG.append, lambda steps: setattr(steps, "at", 7)):
        expected = outcome(lambda look=look: handed_to(look, 2))
        assert outcome(lambda look=look: residual(look, 2)) == expected


def test_the_class_gets_another_method() -> None:
    class Late(Steps):
        pass

    def late(x):
        steps = Late(3, x)
        return next(steps), list(itertools.islice(steps, 1))

    residual = futamura.specialize(late)
    assert seen(residual, 2) == seen(late, 2)
    Late.__next__ = lambda self: 5  # type: ignore[method-assign]
    assert residual(2) == late(2) == (5, [5])
    assert not residual.holds()


def with_promise(steps, x):
    return next(steps, x)


def test_of_a_promised_class() -> None:
    residual = futamura.specialize(with_promise, Dyn(Steps))
    for count in (0, 1):
        assert seen(residual, Steps(count, 2), 5) == seen(with_promise, Steps(count, 2), 5)
    assert seen(residual, iter([3]), 5) == seen(with_promise, iter([3]), 5)
