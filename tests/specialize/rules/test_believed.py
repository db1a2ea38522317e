"""What is believed of static objects and of the source, and what must end that: each by the program that breaks else.

    machine.n += 1; xs.remove(x)      an item of `xs` may look at `machine` when it is compared, and write to it

Invariant: the residual and the original see the same, also what is done to them between two calls.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from ..comparing import observe, outcome
from ..specializing import Residual, fallbacks, specialize


class Machine:
    def __init__(self, n: int) -> None:
        self.n = n
        self.items: list[Any] = []


class Watcher:
    """Compared with anything, it doubles what its machine holds."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def __eq__(self, other: object) -> bool:
        self.machine.n *= 2
        return False

    __hash__ = None  # type: ignore[assignment]


def removed(machine, items, x):
    xs = list(items)
    machine.n += 1
    xs.remove(x)
    machine.n += 1
    return machine.n, len(xs)


def counted(machine, items, x):
    xs = list(items)
    machine.n += 1
    found = xs.count(x)
    machine.n += 1
    return machine.n, found


def compared(machine, items, x):
    xs, ys = list(items), [1, 2, x]
    machine.n += 1
    same = xs == list(ys)
    machine.n += 1
    return machine.n, same


def found(machine, items, x):
    xs = list(items)
    machine.n += 1
    there = x in xs
    machine.n += 1
    return machine.n, there


class Watching:
    """Gives items, and doubles what its machine holds."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def __iter__(self) -> Iterator[int]:
        self.machine.n *= 2
        return iter([1, 2])


def extended(machine, items, more):
    xs = list(items)
    machine.n += 1
    xs.extend(more)
    machine.n += 1
    return machine.n, len(xs)


def sliced(machine, items, more):
    xs = list(items)
    machine.n += 1
    xs[0:1] = more
    machine.n += 1
    return machine.n, len(xs)


def unpacked(machine, items, more):
    machine.n += 1
    first, second = more
    machine.n += 1
    return machine.n, first, second, items


@pytest.mark.parametrize("function", [extended, sliced, unpacked], ids=lambda one: one.__name__)
def test_what_is_walked_through_looks_at_a_static_object(function: Callable[..., Any]) -> None:
    results = []
    for specialized in (True, False):
        machine = Machine(3)
        call = specialize(function, machine=machine) if specialized else functools.partial(function, machine)
        results.append(observe([(call([1, 2], Watching(machine)), machine.n) for _ in range(3)]))
    assert results[0] == results[1]


@pytest.mark.parametrize("function", [removed, counted, compared, found], ids=lambda one: one.__name__)
def test_items_that_are_compared_look_at_a_static_object(function: Callable[..., Any]) -> None:
    results = []
    for specialized in (True, False):
        machine = Machine(3)
        call = specialize(function, machine=machine) if specialized else functools.partial(function, machine)
        results.append(observe([(call([1, Watcher(machine), 3], 3), machine.n) for _ in range(3)]))
    assert results[0] == results[1]


def kept_before_failing(machine, items, at):
    """Each item that is taken may not be there: then the machine holds those before it."""
    xs, i = list(items), int(at)
    machine.items = [i]
    first = xs[i]
    machine.items.append(first)
    machine.n = 1
    second = xs[i + 1]
    machine.items.append(second)
    third = xs[i + 2]
    return first, second, third, list(machine.items)


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_what_a_failing_operation_finds_is_stored_back(at: int) -> None:
    results = []
    for specialized in (True, False):
        machine = Machine(3)
        call: Residual = functools.partial(kept_before_failing, machine)
        if specialized:
            call = specialize(kept_before_failing, machine=machine)
            assert not fallbacks(call)
        results.append(outcome(functools.partial(call, [5, 6, 7], at), (), machine))
    assert results[0] == results[1]


def written_in_a_box(a, xs, ks):
    first, box = a[0], []
    for _ in ks:
        box.append(xs)
    for one in box:
        one[0] += 5
    return first, a[0]


def written_after_an_item(a, xs, ks):
    before = len(a)
    held = dict.fromkeys(ks, xs)
    for k in ks:
        held[k].append(k)
    return before, len(a)


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize("function", [written_in_a_box, written_after_an_item], ids=lambda one: one.__name__)
def test_an_alias_that_was_put_into_a_container(function: Callable[..., Any], same: bool) -> None:
    results = []
    for specialized in (True, False):
        a = [1, 2]
        call = specialize(function, a=a) if specialized else functools.partial(function, a)
        results.append(observe([call(a if same else [1, 2], [7, 8]), a]))
    assert results[0] == results[1]


class Money:
    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return "sum", self.n


def paid(k, x):
    return Money(k) + x


def test_a_subclass_that_is_made_later() -> None:
    residual = specialize(paid, k=3)
    assert residual(4) == ("sum", 3) and not fallbacks(residual)

    class Euro(Money):
        def __radd__(self, other):
            return "reflected", self.n, other.n

    assert residual(Euro(1)) == paid(3, Euro(1)) == ("reflected", 1, 3)
    del Euro
    gc.collect()
    assert residual(4) == ("sum", 3)


class Top:
    def area(self, x):
        return x * 2


class Low(Top):
    def area(self, x):
        return super().area(x) + 1


def area_of(low, x):
    return low.area(x)


@dataclass
class Point:
    x: int
    y: int


def sum_of(k, x):
    point = Point(k, x)
    return point.x + point.y


def test_a_method_of_a_base_that_is_replaced_later(monkeypatch: pytest.MonkeyPatch) -> None:
    low = Low()
    residual = specialize(area_of, low=low)
    assert residual(4) == 9 and not fallbacks(residual)
    monkeypatch.setattr(Top, "area", lambda self, x: -x)
    assert residual(4) == area_of(low, 4) == -3


def test_the_init_of_a_dataclass_that_is_replaced_later(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = specialize(sum_of, k=3)
    assert residual(4) == 7 and not fallbacks(residual)

    def init(self: Any, x: int, y: int) -> None:
        self.x, self.y = 10 * x, y

    monkeypatch.setattr(Point, "__init__", init)
    assert residual(4) == sum_of(3, 4) == 34


def scaled_by(k):
    def scaled(x):
        return k * x

    return scaled


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_a_variable_that_is_assigned_from_outside() -> None:
    function = scaled_by(3)
    residual = specialize(function)
    assert residual(2) == 6 and "3" in residual.source  # type: ignore[attr-defined]
    function.__closure__[0].cell_contents = 5
    assert residual(2) == function(2) == 10
    function.__closure__[0].cell_contents = 3
    assert residual(2) == 6
