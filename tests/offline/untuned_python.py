"""Functions with classes, generators, comprehensions, `try`, `finally`, `with`, closures and keyword arguments.

CASES     (function, static arguments, rounds of open arguments, nothing that must be gone)

Nobody wrote them for the offline specializer: most of what they do stays, and must mean the same.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.offline.untuned import Case


@dataclass
class Vector:
    x: Any
    y: Any

    def __add__(self, other: Any) -> Vector:
        return Vector(self.x + other.x, self.y + other.y)

    def scaled(self, by: Any) -> Vector:
        return Vector(self.x * by, self.y * by)


class Counter:
    made = 0

    def __init__(self, start: Any) -> None:
        self.value = start

    @property
    def doubled(self) -> Any:
        return self.value * 2

    def up(self, by: Any = 1) -> Counter:
        self.value += by
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("plus_"):
            return self.value + int(name[5:])
        raise AttributeError(name)


def walk_vectors(steps: Any, x: Any) -> Any:
    here = Vector(x, 0)
    for dx, dy in steps:
        here = here + Vector(dx, dy).scaled(2)
    return (here.x, here.y)


def count_up(n: Any, x: Any) -> Any:
    counter = Counter(x)
    for step in range(n):
        counter.up(step).up()
    return counter.doubled, counter.plus_3, counter.value


def evens(limit: Any, start: Any) -> Iterator[Any]:
    at = start
    while at < limit:
        if at % 2 == 0:
            got = yield at
            if got:
                at += got
        at += 1


def sum_of_evens(limit: Any, start: Any) -> Any:
    total = []
    source = evens(limit, start)
    for value in source:
        total.append(value)
        if value == 4:
            total.append(source.send(3))
    return total


def flattened(tree: Any, extra: Any) -> Any:
    def walk(part: Any) -> Iterator[Any]:
        for item in part:
            if isinstance(item, tuple):
                yield from walk(item)
            else:
                yield item + extra

    return list(walk(tree))


def grid(n: Any, m: Any) -> Any:
    rows = [[i * j for j in range(m) if j != i] for i in range(n)]
    return rows, {i: sum(row) for i, row in enumerate(rows)}, {len(row) for row in rows}


def parsed(kinds: Any, texts: Any) -> Any:
    found = []
    for kind, text in zip(kinds, texts):
        try:
            if kind == "int":
                found.append(int(text))
            elif kind == "float":
                found.append(float(text))
            else:
                found.append(text[0])
        except ValueError as error:
            found.append(str(error)[:7])
        except (TypeError, IndexError):
            found.append(None)
        else:
            found.append("ok")
        finally:
            found.append(kind)
    return found


def left_early(items: Any, stop: Any) -> Any:
    log = []
    for item in items:
        try:
            if item == stop:
                break
            if item < 0:
                continue
            log.append(100 // item)
        finally:
            log.append(("done", item))
    else:
        log.append("end")
    return log


@contextlib.contextmanager
def tagged(log: Any, name: Any) -> Iterator[str]:
    log.append("in " + name)
    try:
        yield name.upper()
    except KeyError:
        log.append("key")
    finally:
        log.append("out " + name)


def nested_with(name: Any, table: Any) -> Any:
    log: list[Any] = []
    with tagged(log, name) as big, tagged(log, "b"):
        log.append(table[big])
    return log


def accumulator(step: Any, values: Any) -> Any:
    total = 0

    def add(value: Any) -> Any:
        nonlocal total
        total += value * step
        return total

    return [add(value) for value in values], total


def composed(names: Any, x: Any) -> Any:
    table = {"inc": lambda v: v + 1, "dbl": lambda v: v * 2, "neg": lambda v: -v}
    return functools.reduce(lambda value, name: table[name](value), names, x)


def adders(ns: Any, x: Any) -> Any:
    late = [lambda v: v + n for n in ns]  # noqa: B023  the last `n` is what is wanted
    early = [lambda v, n=n: v + n for n in ns]
    return [f(x) for f in late], [f(x) for f in early]


def keywords(flag: Any, a: Any, *rest: Any, sep: Any = "-", **more: Any) -> Any:
    parts = [str(a), *[str(item) for item in rest]]
    if flag:
        parts.extend(f"{key}={value!r}" for key, value in sorted(more.items()))
    return sep.join(parts)


def called_with_keywords(flag: Any, a: Any) -> Any:
    more = {"k": flag}
    return keywords(flag, a, 2, *[3, 4], sep="+", z=a, **more)


def shape_of(command: Any, size: Any) -> Any:
    match command:
        case {"kind": "circle", "r": r}:
            return 3 * r * size
        case ("rect", w, h) if w != h:
            return w * h * size
        case ("rect", w, _):
            return ("square", w * size)
        case [first, *others]:
            return first, len(others), size
        case str() as name:
            return name + str(size)
        case _:
            return None


def chained(mode: Any, value: Any) -> Any:
    try:
        try:
            return [10, 20][value]
        except IndexError as error:
            if mode == "wrap":
                raise ValueError("bad index") from error
            raise
    except ValueError as error:
        return type(error.__cause__).__name__


def first_large(limit: Any, values: Any) -> Any:
    if any((found := value) > limit for value in values):
        return found
    return -1


def updated(keys: Any, store: Any) -> Any:
    seen: set[Any] = set()
    for key in keys:
        seen.add(key)
        store = {**store, key: store.get(key, 0) + 1}
        del key
    a, *middle, b = sorted(store)
    return a, middle, b, store, sorted(seen, reverse=True)


CASES: list[Case] = [
    (walk_vectors, {"steps": ((1, 2), (3, 4))}, [(0,), (1.5,), ("a",)], ""),
    (count_up, {"n": 3}, [(0,), (2.5,), ("a",)], ""),
    (sum_of_evens, {"limit": 9}, [(0,), (3,), (20,), ("a",)], ""),
    (sum_of_evens, {"start": 1}, [(9,), (0,), ("a",)], ""),
    (flattened, {"tree": (1, (2, (3,)), 4)}, [(0,), (1.5,), ("a",)], ""),
    (grid, {"n": 3}, [(0,), (2,), (4,), ("a",)], ""),
    (parsed, {"kinds": ("int", "float", "str")}, [(["1", "2.5", "abc"],), (["x", "y", ""],), ([None, [], 3],)], ""),
    (left_early, {"items": (5, -1, 4, 0)}, [(4,), (9,), (-1,), (None,)], ""),
    (left_early, {"stop": 2}, [([1, 2, 3],), ([4, -5],), ([0],), (3,)], ""),
    (nested_with, {"name": "a"}, [({"A": 1},), ({},), (None,)], ""),
    (accumulator, {"step": 3}, [([1, 2],), ([],), (["a"],), (5,)], ""),
    (composed, {"names": ("inc", "dbl", "neg")}, [(1,), (2.5,), ("a",)], ""),
    (composed, {"names": ("inc", "no")}, [(1,), ("a",)], ""),
    (adders, {"ns": (1, 2, 3)}, [(1,), ("a",)], ""),
    (called_with_keywords, {"flag": True}, [(1,), ("a",), (None,)], ""),
    (shape_of, {"command": ("rect", 2, 3)}, [(1,), ("a",)], ""),
    (shape_of, {"size": 2}, [({"kind": "circle", "r": 2},), (("rect", 2, 2),), ([1, 2, 3],), ("s",), (4,)], ""),
    (chained, {"mode": "wrap"}, [(0,), (5,), ("a",)], ""),
    (chained, {"mode": "not"}, [(1,), (5,)], ""),
    (first_large, {"limit": 3}, [([1, 5, 9],), ([1],), ([],), (3,)], ""),
    (updated, {"keys": ("b", "a", "b")}, [({},), ({"c": 1},), ({"a": "x"},), (None,)], ""),
]
