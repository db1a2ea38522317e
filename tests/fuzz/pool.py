"""Real Python functions for the fuzzers, each with the signature (t, m, a, b, c) of `graphs.observe`.

    t(...)      records its arguments, answers with a small integer or an exception
    m(place)    a context manager of the same trace

Together they hold every kind of statement.  Some are odd on purpose: code that a person writes is in the test
of the standard modules.
"""

# ruff: noqa
# mypy: ignore-errors
from __future__ import annotations

from collections.abc import Callable
from typing import Any

counter = 0


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y


def loops(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    total = 0
    for i in range(4):
        j = i
        while j < 6:
            j += 1
            if t("inner", i, j) > 2:
                break
            if j % 2:
                continue
            total += j
        else:
            total -= 100
            continue
        if total > 20:
            break
    else:
        return ("whole", total)
    return ("broken", total, j)


def handlers(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    result = []
    for i in range(5):
        try:
            x = t("try", i)
            try:
                y = t("nested", x)
            except KeyError as e:
                result.append(("key", e.args))
                t("in handler")
                raise ValueError("other") from e
            else:
                t("else", y)
        except (ValueError, TypeError) as e:
            result.append((type(e), e.args, e.__context__, e.__cause__ is None))
            if i == 3:
                raise
        except Exception as e:
            result.append(e.args)
            continue
        finally:
            t("finally", i)
        result.append(x)
    return str(result)


def leaving(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    while True:
        try:
            if t("one") > 1:
                return t("value")
            if t("two") > 1:
                break
            if t("three") > 1:
                continue
        finally:
            x = t("finally")
            if x == 3:
                return "overridden"
    return "after", x


def managers(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    found = []
    for i in range(3):
        with m("outer") as p, m("inner") as q:
            found.append((p, q))
            if t("body", i) > 1:
                continue
            with m("third"):
                t("deep")
                if i:
                    return found
        found.append("after")
    return found


def unbound(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    if t("set?") > 0:
        x = 1
    if t("delete?") > 2:
        del x
    try:
        t(x)
    except UnboundLocalError as e:
        t("unbound", str(e))
    if t("again") > 1:
        y = x
    return x


def closures(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    count = 0

    def add(n: int = 2, *rest: Any, key: int = b) -> int:
        nonlocal count
        count += t("add", n) + key
        return count

    made: list[Callable[..., Any]] = [lambda x=i: (x, i, count) for i in range(3)]
    add()
    add(5, key=1)
    if t("more") > 1:
        add(*[1, 2], **{"key": 3})
    for f in made:
        t(*f())
    return count, [f()[1] for f in made]


def comprehensions(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    pairs = [(x, y) for x in range(3) if t("x", x) < 3 for y in range(x) if y != a]
    table = {k: [v for v in range(k)] for k in range(3)}
    odd = {x % 2 for x in range(b)}
    total = sum(t("gen", x) for x in range(3))
    return pairs, table, odd, total, [(lambda: x)() for x in range(2)]


def booleans(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    x = t(1) > 0 and t(2) or t(3)
    y = a < t(4) <= b != c if t(5) else not t(6)
    while (z := t(7)) > 0 and not (x and z > 2):
        t(z)
    assert t(8) > -2 or z, f"{x!r:>5} {y}"
    return x, y, z


def matching(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    found = []
    subjects = [0, (1, 2), [1, 2, 3, 4], {"k": 1, "z": 2}, Point(0, t("y")), "text", None, Point(5, [t("p"), 6])]
    for subject in subjects:
        match subject:
            case 0 | None:
                found.append("zero")
            case [x, y]:
                found.append((x, y))
            case [first, *rest, last] if t("guard") > 0:
                found.append((first, rest, last))
            case {"k": k, **others}:
                found.append((k, others))
            case Point(0, y=yy):
                found.append(yy)
            case Point(x=5, y=[_, 6 as six]):
                found.append(six)
            case str() as s:
                found.append(s)
            case _:
                found.append("other")
    return found


def unpacking(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    x, (y, *z), w = a, [b, c, t("z")], {1: 2}
    x, y = y, x
    w[1], z[0], *v = range(t("count") + 3)
    w[x] = w.get(x, 0) + 1
    w[y], q = z, x
    z += [q]
    z[:1] = [t("slice")]
    del z[0], w[1]
    return x, y, z, w, v, [*z, *v], {**w, "k": 1}, (*z,)


def globals_used(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    global counter
    counter = 0
    for _ in range(3):
        counter += t("global", counter)
    import os.path as path
    from math import floor, pi

    return counter, path.basename("a/b"), floor(pi)


def generator(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    received = []
    for i in range(4):
        try:
            got = yield i
            received.append(got)
            t("got", got)
        except ValueError as e:
            received.append(str(e))
            yield "handled"
        finally:
            t("clean")
    return received


def delegating(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    with m("around"):
        x = yield from [1, t("item"), 3]
        y = yield from generator(t, m, a, b, c)
        yield y
    yield from (t("inner", z) for z in range(2))
    return x


def classes(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    base = t("base")

    class Inner:
        value = base

        def method(self) -> Any:
            return self.value + base, __class__.__qualname__  # type: ignore[name-defined]

    base += 1
    t(Inner.__qualname__)
    return Inner().method(), Inner.__module__


def raising(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    try:
        try:
            t("first")
            raise KeyError("inner")
        except KeyError:
            t("second")
            try:
                t("third")
                raise
            except Exception as e:
                t("context", e.__context__)
                raise TypeError(1) from None
    except TypeError as error:
        t("outer", error.__cause__, error.__suppress_context__)
        failed = error
    try:
        raise failed
    except BaseException:
        t("bare")
        raise


def strings(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    width = t("width") + 4
    return f"{a}{b!r}{c:>{width}}{{}}{t('x')!s:.1}" + "%s-%s" % (a, b) + "x" * t("times")


def nested_finally(t: Any, m: Any, a: Any, b: Any, c: Any) -> Any:
    for i in range(3):
        try:
            try:
                if t("in", i) > 1:
                    break
                if t("out", i) > 1:
                    return i
            finally:
                t("f1")
                for j in range(2):
                    if t("loop") > 1:
                        continue
                    t("tail", j)
        except ValueError:
            t("value")
            continue
        finally:
            with m("final"):
                t("f2")
    return "end"


POOL: tuple[Callable[..., Any], ...] = (
    loops, handlers, leaving, managers, unbound, closures, comprehensions, booleans, matching, unpacking, globals_used,
    generator, delegating, classes, raising, strings, nested_finally,
)  # fmt: skip
