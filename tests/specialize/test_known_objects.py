"""Generators, dict views, operators of user classes and attribute builtins on objects that specialization knows.

    def count(n, x): return sum(i * x for i in range(n))      specialize(count, n=3)(5)    ->    15, without a generator

Invariant: each program is run beside its residual on the same inputs; results and messages must be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from .specializing import fallbacks, source_of, specialize


def changed_value(n: int, x: Any) -> Any:
    table = {"a": x, "b": 2}
    out = []
    for key, value in table.items():
        table["b"] = x + n
        out.append((key, value))
    return out, table


def changed_size(n: int, x: Any) -> Any:
    table = {"a": x}
    try:
        for key in table:
            table["z" + key] = n
    except RuntimeError as error:
        return str(error)
    return table


def dict_methods(n: int, x: Any) -> Any:
    table = dict(zip("abc", (x, n, 3)), q=1)
    first = table.pop("a")
    table.update({"b": x})
    return first, table, list(table.values()), sorted(table), list(reversed((n, x)))


class Base:
    def __init__(self) -> None:
        self.log: list[int] = []

    def __add__(self, other: object) -> Any:
        return NotImplemented

    def __getitem__(self, key: Any) -> Any:
        return key * 2


class Derived(Base):
    def __init__(self, v: Any) -> None:
        super().__init__()
        self.v = v

    def __call__(self, *args: Any) -> Any:
        return self.v, args

    def __radd__(self, other: Any) -> Any:
        return other, self.v


def class_operators(n: int, x: Any) -> Any:
    made = Derived(x)
    try:
        message = Base() + n
    except TypeError as error:
        message = str(error)
    found = getattr(made, "v"), getattr(made, "w", n), hasattr(made, "log"), type(made).__name__  # noqa: B009
    return made(1, 2), 3 + made, made[n], message, found


def numbers(n: int) -> Generator[Any, None, int]:
    for i in range(n):
        yield i * 1
    yield from (j for j in "xy")
    return 7


def delegating(n: int) -> Iterator[Any]:
    value = yield from numbers(n)
    yield value


def stepped(n: int, x: Any) -> Any:
    iterator = numbers(n)
    first = next(iterator)
    return first, list(iterator), list(delegating(n)), next(iterator, "none")


def consumed(n: int, x: Any) -> Any:
    return (
        any(i > x for i in range(n)),
        all(i < x for i in range(n)),
        "-".join(str(i + x) for i in range(n)),
        max(i + x for i in (1, 5, 2)),
        [*map(lambda v: v + x, range(n))],  # noqa: C417
        dict((key, x) for key in "ab"),  # noqa: C402
    )


def nested_use(n: int, x: Any) -> Any:
    pieces = (i for i in range(n))
    total = 0
    for a in pieces:
        for b in pieces:
            if b > x:
                total += a * b
    return total


def broken_off(n: int, x: Any) -> Any:
    iterator = numbers(n)
    out = []
    for i in iterator:
        if i == 1:
            break
    for i in iterator:
        out.append(i)
    return out, x


def stops_inside(n: int, x: Any) -> Any:
    def bad() -> Iterator[int]:
        yield n
        raise StopIteration

    try:
        return list(bad())
    except RuntimeError as error:
        return str(error)


@dataclass
class Pair:
    x: Any
    y: Any


def class_patterns(n: int, x: Any) -> Any:
    match Pair(n, x):
        case Pair(3, y):
            return "three", y
        case Pair(x=a, y=b):
            return a + b


PROGRAMS = (
    changed_value,
    changed_size,
    dict_methods,
    class_operators,
    stepped,
    consumed,
    nested_use,
    broken_off,
    stops_inside,
    class_patterns,
)
GONE: dict[Callable[..., Any], tuple[str, ...]] = {
    changed_value: ("items",),
    dict_methods: ("zip", "pop", "update", "sorted", "reversed"),
    class_operators: ("_Derived", "getattr", "hasattr", "NotImplemented"),
    nested_use: ("range",),
    class_patterns: ("Pair",),
}
"""What the residuals do not say any more."""


def outcome(function: Callable[..., Any], *args: Any) -> str:
    try:
        return repr(function(*args))
    except Exception as error:
        return repr(error)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_residual_gives_what_the_program_gives(program: Callable[..., Any], n: int) -> None:
    residual = specialize(program, n=n)
    for x in (0, 1, 2, 5, -1, 1.5, "s"):
        assert outcome(residual, x) == outcome(program, n, x), source_of(residual)


@pytest.mark.parametrize("program", GONE, ids=lambda program: program.__name__)
def test_known_objects_leave_nothing(program: Callable[..., Any]) -> None:
    residual = specialize(program, n=3)
    assert fallbacks(residual) == {}
    source = source_of(residual)
    assert [word for word in GONE[program] if word in source] == []


LIMIT = 5


def peeled(numbers: list[float], x: Any) -> Any:
    """A loop whose first trip tests what every later one tests again."""
    for item in x:
        if 0 < sum(number for number in numbers) < LIMIT:
            return item
    return None


def test_a_comparison_that_is_needed_again_is_no_part_of_a_chain() -> None:
    for numbers in ([float("nan"), -0.0], [1.0, 2.5], [9.0]):
        residual = specialize(peeled, numbers=numbers)
        assert fallbacks(residual) == {}
        for x in ([], [7], [7, 8]):
            assert residual(x) == peeled(numbers, x)


def kept_for_the_outer_handler(x: Any, *, width: Any = 2) -> Any:
    """What no inner clause takes goes to the outer handler, which finds the value of the `try` statement."""
    if x:
        pass
    try:
        width = x.index
        try:  # noqa: SIM105
            missing  # type: ignore[name-defined]  # noqa: B018, F821
        except KeyError:
            pass
    except Exception:
        pass
    return width


def another_iterator_each_time(x: Any, n: int) -> Any:
    """The first item is taken of another iterator on each trip."""
    left = 3
    while left:
        left -= 1
        x = list({at: item for at, item in enumerate(x)}.items())  # noqa: C416
        n = left
    x[0] = x[1] = n
    return x


def test_values_for_an_outer_handler() -> None:
    residual = specialize(kept_for_the_outer_handler)
    for x in ((), (1,), [2], 5):
        assert residual(x) == kept_for_the_outer_handler(x)


def test_a_loop_over_another_iterator_each_time() -> None:
    residual = specialize(another_iterator_each_time, n=0)
    for x in ((1, 2), [3, 4, 5], "abcd"):
        assert residual(x) == another_iterator_each_time(x, 0)


class Guarded:
    """A context whose exit is seen."""

    def __init__(self, log: list[str]) -> None:
        self.log = log

    def __enter__(self) -> None:
        self.log.append("enter")

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self.log.append("exit")


def guarded_items(log: list[str], x: Any) -> Iterator[Any]:
    with Guarded(log):
        log.append(str(x))
        yield x


def closed_in_the_middle(x: Any) -> Any:
    log: list[str] = []
    items = guarded_items(log, x)
    first = next(items)
    items.close()  # type: ignore[attr-defined]
    return first, log


def test_a_generator_that_is_closed_inside_of_a_context() -> None:
    residual = specialize(closed_in_the_middle)
    for x in (0, "a", None):
        assert residual(x) == closed_in_the_middle(x)
