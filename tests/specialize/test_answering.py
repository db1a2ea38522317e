"""Classes with `__getattr__`: what is there is read as of any other class, and what is not is what the method gives.

    class Proxy:                                        Proxy(tax).rate is tax.rate
        def __getattr__(self, name): return getattr(self.inner, name)

Invariant: the residual gives and raises what the function does, with the objects in the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura


class Tax:
    rate = 3

    def of(self, x: Any) -> Any:
        return x * self.rate


class Proxy:
    kind = "proxy"
    shared: list[int] = [1]  # noqa: RUF012

    def __init__(self, inner: Any, **own: Any) -> None:
        self.inner = inner
        self.__dict__.update(own)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"no {name}")
        return getattr(self.inner, name)

    def twice(self, x: Any) -> Any:
        return self.of(self.of(x))

    @property
    def failing(self) -> Any:
        raise AttributeError("from the property")

    @property
    def good(self) -> Any:
        return self.rate

    @staticmethod
    def plain(x: Any) -> Any:
        return x

    @classmethod
    def named(cls, x: Any) -> Any:
        return cls.kind, x


class Counting:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        return len(self.asked)


class Lazy:
    def __getattr__(self, name: str) -> Any:
        if name != "value":
            raise AttributeError(name)
        self.value = 7
        return self.value


class Slotted:
    __slots__ = ("a", "b")

    def __getattr__(self, name: str) -> str:
        return "no " + name


def slotted() -> Slotted:
    made = Slotted()
    made.a = 1  # type: ignore[assignment]
    return made


def reads(o: Any, x: Any) -> Any:
    return o.rate, o.kind, o.twice(x), o.plain(x), o.named(x), o.of(x)


def fails(o: Any, x: Any) -> Any:
    return x, o._missing


def property_fails(o: Any, x: Any) -> Any:
    try:
        return x, o.failing
    except AttributeError as error:
        return str(error)


def reads_a_property(o: Any, x: Any) -> Any:
    return o.good, x


def hidden(o: Any, x: Any) -> Any:
    return o.kind, o.plain, o.rate, x


def counted(o: Any, x: Any) -> Any:
    return o.a, o.b, o.a, x, list(o.asked)


def lazy(o: Any, x: Any) -> Any:
    return o.value, o.value, x


def of_slots(o: Any, x: Any) -> Any:
    return o.a, o.b, o.c, x


def written(o: Any, x: Any) -> Any:
    before = o.rate
    o.rate = x
    after = o.rate
    del o.rate
    return before, after, o.rate


def made_here(o: Any, x: Any) -> Any:
    proxy = Proxy(o)
    proxy.of = lambda y: y + 1  # type: ignore[method-assign]
    return proxy.twice(x), proxy.rate, proxy.kind


def asked_for(o: Any, x: Any) -> Any:
    return hasattr(o, "rate"), hasattr(o, "_rate"), getattr(o, "_rate", x), getattr(o, "rate", x)


CASES: list[tuple[Callable[..., Any], Callable[[], Any]]] = [
    (reads, lambda: Proxy(Tax())),
    (reads, lambda: Proxy(Proxy(Tax()))),
    (fails, lambda: Proxy(Tax())),
    (property_fails, lambda: Proxy(Tax())),
    (property_fails, lambda: Proxy(Proxy(Tax(), failing=3))),
    (reads_a_property, lambda: Proxy(Tax())),
    (hidden, lambda: Proxy(Tax(), kind="own", plain=4, rate=5)),
    (counted, Counting),
    (lazy, Lazy),
    (of_slots, slotted),
    (written, lambda: Proxy(Tax())),
    (made_here, Tax),
    (asked_for, lambda: Proxy(Tax())),
]


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except AttributeError as error:
        return str(error)


def state(value: Any) -> Iterator[Any]:
    """What the object and those inside hold."""
    for name, inner in (vars(value) if type(value) in (Proxy, Tax, Counting, Lazy) else {}).items():
        yield name, inner if isinstance(inner, (int, str, list)) else type(inner)
        yield from state(inner)


@pytest.mark.parametrize(("function", "make"), CASES)
def test_objects_that_answer(function: Callable[..., Any], make: Callable[[], Any]) -> None:
    mine, its = make(), make()
    residual = futamura.specialize(function, its)
    assert outcome(residual, 2) == outcome(function, mine, 2), residual.source
    assert [*state(its)] == [*state(mine)]


def test_nothing_of_a_proxy_is_left() -> None:
    source = futamura.specialize(reads, Proxy(Tax())).source
    assert "_o" not in source and "getattr" not in source and "* 3 * 3" in source


class Keeping:
    """Keeps what it is asked for in one of several ways."""

    def __init__(self, way: int) -> None:
        self.log: list[str] = []
        self.way = way

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        self.log.append(name)
        if self.way == 0:
            self.__dict__[name] = 7
        elif self.way == 1:
            self.value = 7
        elif self.way == 2:
            setattr(self, name, 7)
        else:
            object.__setattr__(self, name, 7)
        return 8


def in_a_loop(o: Any, xs: Any) -> Any:
    out = []
    for x in xs:
        if x:
            out.append(o.value)
        out.append(x)
    return out, o.value


def on_one_way(o: Any, xs: Any) -> Any:
    if xs:
        o.value  # noqa: B018
    return o.value, o.value


def stored_on_one_way(o: Any, xs: Any) -> Any:
    if xs:
        o.value = 3
    before = o.value
    del o.value
    return before, o.value


def deleted_on_some_ways(o: Any, xs: Any) -> Any:
    total = 0
    for x in xs:
        total += o.value * 10
        if x:
            del o.value
    return total


@pytest.mark.parametrize("way", range(4))
@pytest.mark.parametrize("function", [in_a_loop, on_one_way, stored_on_one_way, deleted_on_some_ways])
def test_attributes_that_come_and_go(function: Callable[..., Any], way: int) -> None:
    for xs in ([], [0], [1, 0], [0, 1, 1]):
        mine, its = Keeping(way), Keeping(way)
        residual = futamura.specialize(function, its)
        assert outcome(residual, xs) == outcome(function, mine, xs), residual.source
        assert vars(its) == vars(mine)
