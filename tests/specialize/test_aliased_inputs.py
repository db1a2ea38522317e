"""An open input that is one of the static objects: what is written to it is seen in what was read.

    def f(o, v): n = len(o); v |= {"q": 1}; return n, len(o)      o a static OrderedDict, v the same   ->   (1, 2)

Invariant: original and residual get equal objects, and the same one twice.
"""

from __future__ import annotations

import linecache
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import pytest

import futamura


def union(o, v):
    before = len(o)
    v |= {"q": 1}
    return before, len(o)


def members(o, v):
    before = len(o)
    v |= {7, 8}
    return before, len(o)


def fewer(o, v):
    before = 1 in o
    v -= {1}
    return before, 1 in o


def common(o, v):
    before = 1 in o
    v &= {2}
    return before, 1 in o


def either(o, v):
    before = 1 in o
    v ^= {1}
    return before, 1 in o


def longer(o, v):
    before = len(o)
    v += [5]
    return before, len(o)


def repeated(o, v):
    before = len(o)
    v *= 2
    return before, len(o)


def removed(o, v):
    before = len(o)
    del v[0]
    return before, len(o)


def replaced(o, v):
    before = o[0]
    v[0] = 9
    return before, o[0]


def by_method(name: str, args: tuple[Any, ...]) -> Callable[..., Any]:
    text = f"def by_method(o, v):\n    before = [*o]\n    v.{name}(*{args!r})\n    return before, [*o]\n"
    file = f"<{name}{args!r}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space: dict[str, Any] = {}
    exec(compile(text, file, "exec"), space)
    made: Callable[..., Any] = space["by_method"]
    return made


LISTS = (lambda: [3, 1, 2], lambda: deque([3, 1, 2]), lambda: bytearray(b"cab"))
DICTS = (
    lambda: {0: 1, "a": 2},
    lambda: OrderedDict({0: 1, "a": 2}),
    lambda: defaultdict(int, {0: 1, "a": 2}),
    lambda: Counter({0: 1, "a": 2}),
)
SETS = (lambda: {1, 2, 3},)
OPERATORS = [
    *((deed, make) for deed in (repeated, removed, replaced) for make in LISTS),
    *((longer, make) for make in LISTS[:2]),
    *((deed, make) for deed in (union, removed, replaced) for make in DICTS),
    *((deed, make) for deed in (members, fewer, common, either) for make in SETS),
]


@pytest.mark.parametrize(("deed", "make"), OPERATORS, ids=[f"{d.__name__} {type(m()).__name__}" for d, m in OPERATORS])
def test_an_operator_writes_to_the_static_object(deed: Callable[..., Any], make: Callable[[], Any]) -> None:
    agrees(deed, make)


def agrees(deed: Callable[..., Any], make: Callable[[], Any]) -> None:
    static, other = make(), make()
    residual = futamura.specialize(deed, o=static)
    assert not residual.stats["fallbacks"]
    assert residual(static) == deed(other, other)
    assert static == other


METHODS = [
    *((name, args, 0) for name, args in (("append", (4,)), ("extend", ([4],)), ("insert", (0, 4)), ("pop", ()))),
    *((name, args, 0) for name, args in (("remove", (1,)), ("reverse", ()), ("sort", ()), ("clear", ()))),
    *((name, args, 1) for name, args in (("append", (4,)), ("appendleft", (4,)), ("rotate", ()), ("popleft", ()))),
    *((name, args, 2) for name, args in (("setdefault", ("q", 1)), ("update", ({"q": 1},)), ("pop", ("a",)))),
    *((name, args, 2) for name, args in (("popitem", ()), ("clear", ()))),
    *((name, args, 3) for name, args in (("add", (4,)), ("discard", (1,)), ("update", ((4,),)), ("remove", (1,)))),
    *((name, args, 3) for name, args in (("difference_update", ((1,),)), ("intersection_update", ((1,),)))),
]


@pytest.mark.parametrize(("name", "args", "kind"), METHODS)
def test_a_method_writes_to_the_static_object(name: str, args: tuple[Any, ...], kind: int) -> None:
    for make in (LISTS[:1], LISTS[1:2], DICTS, SETS)[kind]:
        agrees(by_method(name, args), make)


class Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.value = text, 0, ""

    def anything(self) -> None:
        self.value = self.text[self.at]
        self.at += 1

    def bind(self, rule: Callable[[], None]) -> tuple[str, int]:
        before = self.at
        rule()
        return self.value, self.at - before


def test_methods_of_the_static_object() -> None:
    one, other = Parser("abc"), Parser("abc")
    residual = futamura.specialize(one.bind)
    for _ in range(3):
        assert residual(one.anything) == other.bind(other.anything)


class Named:
    def __init__(self, name: str) -> None:
        self.name = name


ROW = {"name": 3}


def handed_as_text(row, v):
    """What is handed on is a text that holds nothing of the row."""
    return row["name"], Named(str(v["name"])).name


def handed_itself(row, v):
    before = row["name"]
    keep_in(v, "name", 4)
    return before, row["name"]


def keep_in(v, name, value):
    exec("v[name] = value")


def test_only_what_may_be_written_is_told_apart() -> None:
    mine, theirs = dict(ROW), dict(ROW)
    residual = futamura.specialize(handed_as_text, row=mine)
    assert not residual._recipe.apart.names, "a test of each argument for nothing"
    assert residual(mine) == handed_as_text(theirs, theirs)
    assert residual({"name": 5}) == handed_as_text(theirs, {"name": 5})
    residual = futamura.specialize(handed_itself, row=mine)
    assert residual(mine) == handed_itself(theirs, theirs)
