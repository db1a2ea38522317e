"""Statements that change a static object by a way that their text hides: methods kept in tables, classes, closures.

    b.appends[k](1)          a static table of bound methods of the rows, k open: one of the rows grows,
    len(b.rows[0])           so this may not be believed

Each statement runs several times through one residual, as the original does with objects of its own.  Invariant:
`call` and `Guest` run what they are given.
"""

from __future__ import annotations

import bisect
import collections
import copy
import dataclasses
import functools
import heapq
import itertools
import linecache
import operator
import re
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

import futamura


@dataclasses.dataclass
class Point:
    r: list[int]

    def add(self) -> Point:
        self.r.append(1)
        return self

    @property
    def grown(self) -> int:
        self.r.append(1)
        return 0


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: Any


class Named(NamedTuple):
    a: Any


class Kept(Exception):
    pass


class Own(Exception):
    def __init__(self, x: Any) -> None:
        super().__init__("own")
        self.x = x


class Grow:
    def __init__(self, row: list[int]) -> None:
        row.append(9)


CLASSES = [Grow, list, Grow]


def late(rows: list[list[int]]) -> Callable[[], None]:
    def go(*_: Any) -> None:
        rows[0].append(1)

    return go


class Box:
    def __init__(self) -> None:
        self.rows = rows = [[1], [2], [3]]
        self.table = {0: [1], 1: [2], 2: [3]}
        self.appends = [rows[0].append, rows[1].append, rows[0].append]
        self.push = rows[0].append
        self.late = [late(rows), late(rows)]
        self.partial = functools.partial(late(rows))
        self.points = [Point(row) for row in rows]
        self.queue = collections.deque([[1], [2], [3]])
        self.missing = collections.defaultdict(list, {0: [1]})
        self.counts = collections.Counter("abc")
        self.sets = [{1}, {2}, {3}]
        self.buffers = [bytearray(b"123"), bytearray(b"456"), bytearray(b"789")]
        self.rest: list[Any] = [[0]]
        asked = [Asked(row) for row in rows]
        self.kept = [Frozen(one) for one in asked]
        self.named = [Named(one) for one in asked]
        self.spaces = [types.SimpleNamespace(a=one) for one in asked]
        self.partials = [functools.partial(print, one) for one in asked]
        self.errors = [Kept(one) for one in asked]
        self.methods = [one.grow for one in asked]
        self.ordered = collections.OrderedDict(a=[1], b=[2])

        class Local:
            def __call__(self, *_: Any) -> None:
                rows[0].append(1)

            def __eq__(self, other: object) -> bool:
                rows[0].append(1)
                return True

            __hash__ = None  # type: ignore[assignment]

        self.locals = [Local(), Local()]
        self.local = Local


def called(what: Any) -> None:
    """Runs what it is given, as far as it can."""
    for one in what if isinstance(what, (list, tuple, type({}.values()))) else [what]:
        (one() if isinstance(one, type) else one)(0)


USED = (bisect, collections, copy, dataclasses, functools, heapq, itertools, operator, re, types)
ROWS = "[len(row) for row in b.rows], len(b.rows[0])"

STATEMENTS = [
    *(
        (text, ROWS)
        for text in (
            "b.appends[k](k)",
            "b.push(k)",
            "CLASSES[k](b.rows[k])",
            "[heapq.heapify, heapq.heappop, list.clear][k](b.rows[k])",
            "list.append(b.rows[k], 1)",
            "type(b.rows[k]).append(b.rows[k], 1)",
            "operator.iadd(b.rows[k], [7])",
            "b.rows[k].__iadd__([1])",
            "(lambda f: f(1))(b.rows[k].append)",
            "(g := (r for r in b.rows[k:])) and next(g).append(1)",
            "[*map(lambda r: r.append(k), b.rows[k:])]",
            "any(r.append(1) for r in b.rows[k:])",
            "copy.copy(b).rows[k].append(1)",
            "next(itertools.islice(b.rows, k, None)).append(1)",
            "{}.setdefault(k, b.rows[k]).append(1)",
            "types.SimpleNamespace(r=b.rows[k]).r.append(1)",
            "call(b.late)",
            "call(b.late[k & 1])",
            "call(tuple(b.late))",
            "call(b.appends)",
            "call(b.partial)",
            "call([b.partial])",
            "call(b.locals[0])",
            "call(b.locals)",
            "call(b.local)",
            "b.locals[k & 1](k)",
            "call in b.locals",
            "b.locals.index(call)",
            "re.sub('a', b.late[k & 1], 'aa')",
            "b.appends[k].__self__.append(1)",
            "b.appends[k].__call__(1)",
            "list({b.appends[k]: 1})[0](1)",
            "b.points[k].add.__self__.r.append(1)",
            "b.points[k].add.__func__(b.points[k])",
            "type(b.points[k]).add(b.points[k])",
            "b.points[k].__class__.add(b.points[k])",
            "b.points[k].grown",
            "b.points[k].add().r.append(2)",
            "copy.copy(b.points[k]).r.append(1)",
            "dataclasses.replace(b.points[k]).r.append(1)",
            "operator.attrgetter('r')(b.points[k]).append(1)",
            "operator.itemgetter(k)(b.rows).append(1)",
            "operator.methodcaller('append', 1)(b.rows[k])",
            "operator.getitem(b.rows, k).append(1)",
            "functools.partial(b.rows[k].append, 1)()",
            "functools.partial(list.append, b.rows[k])(2)",
            "functools.reduce(lambda a, r: (a.append(1), r)[1], b.rows[k:])",
            "[r.append(1) for i, r in enumerate(b.rows) if i == k]",
            "list(zip(b.rows, 'abc'))[k][0].append(1)",
            "(b.rows * 2)[k].append(1)",
            "max(b.rows[k:]).append(1)",
            "sorted(b.rows, key=lambda r: r[0] * k)[0].append(1)",
            "sum([b.rows[k:]], [])[0].append(1)",
            "heapq.heappush(b.rows[k], 0)",
            "bisect.insort(b.rows[k], 0)",
        )
    ),
    ("b.queue[k].append(1)", "len(b.queue[0])"),
    ("b.queue.rotate(k)", "b.queue[0]"),
    ("b.missing[k]", "len(b.missing)"),
    ("b.counts['abc'[k]] += 1", "b.counts['a']"),
    ("b.sets[k] |= {7}", "len(b.sets[0])"),
    ("b.buffers[k].append(9)", "len(b.buffers[0])"),
    ("memoryview(b.buffers[k])[0] = k", "b.buffers[0][0]"),
    ("b.ordered.move_to_end('ab'[k & 1])", "list(b.ordered)"),
    ("next(iter(b.ordered.values())).append(k)", "len(b.ordered['a'])"),
    ("dict(b.table)[k].append(1)", "len(b.table[0])"),
    ("(b.table | {})[k].append(1)", "len(b.table[0])"),
    ("collections.ChainMap(b.table)[k].append(1)", "len(b.table[0])"),
    ("vars(b.points[k])['r'] = []", "len(b.points[0].r)"),
]


class Asked:
    """An object whose operators change what it holds."""

    def __init__(self, r: list[int]) -> None:
        self.r = r

    def grow(self, *_: Any) -> Any:
        self.r.append(1)
        return self

    def one(self, *_: Any) -> int:
        self.r.append(1)
        return 1

    def text(self, *_: Any) -> str:
        self.r.append(1)
        return ""

    def walk(self) -> Any:
        self.r.append(1)
        return iter([1])

    def __getattr__(self, name: str) -> int:
        if name == "r":
            raise AttributeError
        self.r.append(1)
        return 1

    def __bool__(self) -> bool:
        return self.one() > 0

    __eq__ = __hash__ = __len__ = __contains__ = __getitem__ = __index__ = __lt__ = one  # type: ignore[assignment]
    __neg__ = __add__ = __radd__ = __iadd__ = __setitem__ = __delitem__ = __call__ = __enter__ = __exit__ = grow
    __str__ = __repr__ = __format__ = text
    __iter__ = walk


class Watching:
    """An object whose attributes are set and deleted by code of its own."""

    def __init__(self, r: list[int]) -> None:
        object.__setattr__(self, "r", r)

    def __setattr__(self, name: str, value: Any) -> None:
        self.r.append(value)

    def __delattr__(self, name: str) -> None:
        self.r.append(0)


class Derived(Grow):
    def __init__(self, row: list[int]) -> None:
        super().__init__(row)


@futamura.opaque
def hide(value: Any) -> Any:
    return value


USES = [
    *("{} == 1", "1 == {}", "{} in [1, 2]", "1 in {}", "not {}", "len({})", "str({})", "f'{{{}}}'", "hash({})"),
    *("list({})", "{}[k]", "-{}", "1 + {}", "{}()", "{}.other", "sorted([{}, 1])", "max({}, 1)", "[1, 2][{}]"),
    *("[1, 2][{}:]", "{{{}: 1}}", "{{{}}}", "any([{}])", "[x for x in {}]", "'%s' % {}", "[{}] == [1]"),
    *("({},) == (1,)", "{} and 1", "1 if {} else 2", "[*{}]", "print(*{}, end='')", "a, = {}"),
    *("g = {}\n    g[0] = 1", "g = {}\n    del g[0]", "g = {}\n    g += 1", "g = {}\n    with g: pass"),
    *(
        "g = {}\n    for x in g: pass",
        "q = [{}]\n    1 in q",
        "q = [{}]\n    q.index(1)",
        "d = {{'a': {}}}\n    d['a'] == k",
    ),
    *(
        "b.rest.append({})\n    b.rest[-1:] == [k]",
        "b.rest.append({})\n    k in b.rest",
        "b.rest.append({})\n    b.rest[-1] == k",
    ),
]
MAKERS = ["Asked(b.rows[k])", "hide(Asked)(b.rows[k])", "[Asked, Point, Asked][k](b.rows[k])"]
STATEMENTS += [(use.format(make), ROWS) for use in USES for make in MAKERS]
STATEMENTS += [
    (text, ROWS)
    for text in (
        "repr(b.kept[k])",
        "str(b.kept[k:])",
        "hash(b.kept[k])",
        "b.kept[k] == Frozen(k)",
        "{b.kept[k]: 1}",
        "f'{b.kept[k]}'",
        "repr(b.named[k])",
        "repr(b.spaces[k])",
        "repr(b.partials[k])",
        "str(b.errors[k])",
        "repr(b.methods[k])",
        "repr(Frozen(Asked(b.rows[k])))",
        "repr([Frozen, Kept][k & 1](Asked(b.rows[k])))",
    )
]
STATEMENTS += [
    (text, ROWS)
    for text in (
        "Watching(b.rows[k]).y = 1",
        "hide(Watching)(b.rows[k]).y = 1",
        "hide(0) or setattr(Watching(b.rows[k]), 'y', 1)",
        "del hide(Watching)(b.rows[k]).y",
        "Derived(b.rows[k])",
        "[Derived, Grow, Derived][k](b.rows[k])",
        "hide(Derived)(b.rows[k])",
    )
]


def calls(run: Callable[..., Any]) -> list[str]:
    found = []
    for k in (0, 1, 2, 0):
        try:
            found.append(repr(run(k, called)))
        except Exception as error:
            found.append(repr(error))
    return found


@pytest.mark.parametrize(("statement", "told"), STATEMENTS, ids=[one for one, _ in STATEMENTS])
def test_statement(statement: str, told: str) -> None:
    text = f"def target(b, k, call):\n    {statement}\n    return {told}\n"
    file = f"<hidden way {statement}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = globals() | {module.__name__: module for module in USED}
    exec(compile(text, file, "exec"), scope)
    target = scope["target"]
    residual = futamura.specialize(target, Box())
    want = calls(functools.partial(target, Box()))
    assert calls(residual) == want
    untouched = repr(eval(told, {"b": Box()}))
    assert set(want) != {untouched}


def kept(b: Any, k: Any, call: Any) -> Any:
    try:
        raise Kept(b.rows[k])
    except Kept as e:
        e.args[0].append(1)
    return len(b.rows[0])


def own(b: Any, k: Any, call: Any) -> Any:
    try:
        raise Own(b.rows[k])
    except Own as e:
        e.x.append(1)
    return len(b.rows[0])


def value_of_stop(b: Any, k: Any, call: Any) -> Any:
    try:
        raise StopIteration(b.rows[k])
    except StopIteration as e:
        e.value.append(1)
    return len(b.rows[0])


def cause(b: Any, k: Any, call: Any) -> Any:
    try:
        try:
            raise Kept(b.rows[k])
        except Kept as e:
            raise Kept("later") from e
    except Kept as e:
        e.__cause__.args[0].append(1)  # type: ignore[union-attr]
    return len(b.rows[0])


def context(b: Any, k: Any, call: Any) -> Any:
    try:
        try:
            raise Kept(b.rows[k])
        except Kept:
            raise Kept("later")  # noqa: B904
    except Kept as e:
        e.__context__.args[0].append(1)  # type: ignore[union-attr]
    return len(b.rows[0])


@pytest.mark.parametrize("target", [kept, own, value_of_stop, cause, context])
def test_exception(target: Callable[..., Any]) -> None:
    want = calls(functools.partial(target, Box()))
    assert calls(futamura.specialize(target, Box())) == want
    assert len(set(want)) > 1
