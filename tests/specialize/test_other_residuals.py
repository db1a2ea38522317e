"""What runs in place of a residual changes a static object: later calls see it.

Invariant: it does not matter what kind of object it is, nor what else runs while the change is made.
"""

from __future__ import annotations

import pickle
import threading
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import pytest

from futamura import Dyn
from tests.specialize.beside import differing
from tests.specialize.specializing import specialize


class Config(dict[str, int]):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.level = 1


class Names(list[str]):
    level = 0


class Recent(deque[int]):
    level = 0


class Idle:
    def go(self) -> str:
        return "idle"


class Busy:
    def go(self) -> str:
        return "busy"


def attribute(held: Any, x: Any, change: Any = False) -> Any:
    if change:
        held.level += 1
    return held.level, x


def item(held: Any, x: Any, change: Any = False) -> Any:
    if change:
        held["a"] += 1
    return held["a"], x


def order(held: Any, x: Any, change: Any = False) -> Any:
    if change:
        held.move_to_end("a")
    return list(held), x


def state(held: Any, x: Any, change: Any = False) -> Any:
    if change:
        held.__class__ = Busy
    return held.go(), x


def appended(held: Any, x: Any, change: Any = False) -> Any:
    if change:
        held.append(x)
    return [*held], x


def factory(held: Any, x: Any, change: Any = False) -> Any:
    if change:
        held.default_factory = list
    return held["zz"], x


def made(kind: str) -> Any:
    return {
        "config": lambda: Config({"a": 1}),
        "ordered": lambda: OrderedDict(a=1, b=2),
        "idle": Idle,
        "names": lambda: Names("ab"),
        "recent": lambda: Recent([1, 2]),
        "default": lambda: defaultdict(int),
        "list": lambda: [1, 2],
        "deque": lambda: deque([1, 2]),
    }[kind]()


CASES: list[tuple[Callable[..., Any], str]] = [
    (attribute, "config"), (attribute, "names"), (attribute, "recent"), (item, "config"), (item, "ordered"),
    (order, "ordered"), (state, "idle"), (appended, "names"), (appended, "recent"), (appended, "list"),
    (appended, "deque"), (factory, "default"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "kind"), CASES, ids=[f"{one.__name__}-{kind}" for one, kind in CASES])
def test_all_of_an_object_is_looked_at(function: Callable[..., Any], kind: str) -> None:
    mine, theirs = made(kind), made(kind)
    residual = specialize(function, mine)
    for args in ((1,), (1, True), (2,), (3, True), (3,), (3,)):
        assert residual(*args) == function(theirs, *args)


# -- while the change is made, the residual is called


def hooked(held: Any, x: Any, flag: Any = False, hook: Any = None) -> Any:
    if flag:
        hook()
        held["a"] += 1
    return held["a"], x


def nested(call: Callable[..., Any]) -> list[Any]:
    inner: list[Any] = []
    return [call(1), call(1, True, lambda: inner.append(call(5))), call(1), inner]


def in_a_thread(call: Callable[..., Any]) -> list[Any]:
    begun, go_on = threading.Event(), threading.Event()
    found = [call(1)]
    thread = threading.Thread(target=lambda: call(1, True, lambda: (begun.set(), go_on.wait())))
    thread.start()
    begun.wait()
    found.append(call(1))
    go_on.set()
    thread.join()
    return [*found, call(1)]


def failing(call: Callable[..., Any]) -> list[Any]:
    def fail() -> None:
        raise ValueError("no")

    found = [call(1)]
    for hook in (fail, lambda: call(2)):
        try:
            found.append(call(1, True, hook))
        except ValueError as error:
            found.append(str(error))
        found.append(call(1))
    return found


@pytest.mark.parametrize("calls", [nested, in_a_thread, failing])
def test_calls_within_the_change(calls: Callable[..., Any]) -> None:
    theirs = {"a": 1}
    assert calls(specialize(hooked, {"a": 1})) == calls(lambda *args: hooked(theirs, *args))


class Machine:
    """The class of what it is given is guessed: for another one, another residual runs."""

    def __init__(self) -> None:
        self.pc, self.k = 0, 4

    def step(self, x: Any) -> Any:
        self.pc = 7
        text = str(x)
        if isinstance(x, str):
            self.k = len(x)
        return text, self.k


class Text(str):
    again: Callable[..., Any]

    def __str__(self) -> str:
        return repr(self.again(3))


def test_calls_within_the_change_of_another_class() -> None:
    def calls(call: Callable[..., Any]) -> list[Any]:
        text = Text("abcdefg")
        text.again = call
        return [call(3), call(text), call(3)]

    assert calls(specialize(Machine().step)) == calls(Machine().step)


# -- items that are made


def grouped(xs: Any, key: Any) -> Any:
    found: defaultdict[Any, list[Any]] = defaultdict(list)
    for x in xs:
        found[key].append(x)
        found[x].append(1)
    return found


@pytest.mark.parametrize("key", [float("nan"), 1, "k", (1, 2)], ids=str)
def test_items_of_any_key_are_made(key: Any) -> None:
    assert repr(specialize(grouped, key=key)([3, 1])) == repr(grouped([3, 1], key))


# -- random machines, and promises that are broken


@pytest.mark.parametrize("seed", range(1, 41))
def test_random_machines(seed: int) -> None:
    assert differing(seed) == ""


def promised(held: Any, x: Any, flag: Any = None) -> Any:
    if flag:
        held["a"] = 7
    if isinstance(x, str):
        held["a"] += 1
        return x
    return held["a"] + x


@pytest.mark.parametrize("promise", [Dyn(int), Dyn(float)])
def test_calls_that_break_a_promise(promise: Any) -> None:
    mine, theirs = {"a": 1}, {"a": 1}
    residual = specialize(promised, mine, x=promise)
    for args in ((1,), ("s",), (1,), (2.5,), (2, True), (2,), ("s", True), (2.5,), (True,), ("s",), (1,)):
        assert residual(*args) == promised(theirs, *args), args
    assert mine == theirs


def scaled(held: Any, x: Any) -> Any:
    return x * held["k"] + len(held)


def test_a_promise_that_is_broken_without_changes_is_kept() -> None:
    residual = specialize(scaled, {"k": 3}, x=Dyn(int))
    for x in (1, "ab", 2, 2.5, 3):
        if isinstance(x, str):
            with pytest.raises(TypeError):
                residual(x)
        else:
            assert residual(x) == scaled({"k": 3}, x)
    assert pickle.loads(pickle.dumps(residual))(4) == 13
