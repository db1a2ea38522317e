"""`async def` functions inside of others: unfolded where their calls are awaited at once, else made by the residual.

    async def handler(x):
        async def step(y): return await load(y) + k        ->    return await load(x) + 3
        return await step(x)

Invariant: each residual is driven beside its original, stop by stop, and ends as that does.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
import linecache
import types
from collections.abc import Callable
from typing import Any

import pytest

import futamura

pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited"),
]


SOURCE = """
import asyncio
import functools
import inspect
import types

@types.coroutine
def stop(value=0):
    return (yield value)

def deco(f):

    @functools.wraps(f)
    async def w(*a, **k):
        r = await f(*a, **k)
        return ('w', r)
    return w

def retry(n):

    def d(f):

        async def w(*a):
            for i in range(n):
                try:
                    return await f(*a)
                except ValueError as e:
                    err = e
            raise err
        return w
    return d

async def items(k, x):

    async def g(y):
        await stop(y)
        return y * k
    return ([await g(i) for i in x], [h.__name__ for h in [g]], inspect.iscoroutinefunction(g))

async def made_first(k, x):

    async def g(y):
        return y + k
    cs = [g(i) for i in x]
    out = []
    for c in cs:
        out.append(await c)
    return (out, list(map(type, [g(1)]))[0].__name__)

async def decorated(k, x):

    @deco
    async def g(y, *, z=k):
        await stop(1)
        return y + z
    return (await g(x), await g(x, z=2), g.__name__, g.__wrapped__.__qualname__)

async def retried(k, x):

    @retry(k)
    async def g(y):
        nonlocal n
        n += 1
        await stop(n)
        if n < y:
            raise ValueError(n)
        return n
    n = 0
    try:
        return (await g(x), n)
    except ValueError as e:
        return ('bad', str(e), n)

async def interleaved(k, x):
    total = 0

    async def add(v):
        nonlocal total
        t = total
        await stop(v)
        total = t + v
    c, d = (add(k), add(x))
    c.send(None)
    d.send(None)
    for z in (c, d):
        try:
            z.send(None)
        except StopIteration:
            pass
    await add(5)
    return total

async def mutual(k, x):

    async def g(y):
        if y == 0:
            return 0
        return y + await h(y - 1)

    async def h(y):
        await stop()
        if y == 0:
            return k
        return y * await g(y - 1)
    return (await g(x), await g(3))

async def in_a_loop(k, x):
    fs = []
    for i in range(k):

        async def g(y, i=i):
            await stop()
            return i * y

        async def h(y):
            return i * y
        fs += [g, h]
    return [await f(x) for f in fs]

async def managed(k, x):

    async def ctx():
        pass

    class M:

        async def __aenter__(self):
            await stop(k)
            return self

        async def __aexit__(self, *a):
            await stop(a[0])
            return True
    async with M() as m:
        raise KeyError(x)
    return type(m).__qualname__

async def finally_and_shown(k, x):

    async def g():
        'doc'
        try:
            await stop(1)
            raise ValueError(k)
        finally:
            await stop(2)
            out.append('fin')
    out = []
    try:
        await g()
    except ValueError as e:
        out.append(str(e) + str(x))
    return (out, g.__doc__)

async def stop_iterations(k, x):

    async def g(y):
        raise StopIteration(y)

    async def h(y):
        raise StopAsyncIteration(y)

    async def i(y):
        return next(iter(()))
    out = []
    for f in (g, h, i):
        try:
            await f(x)
        except RuntimeError as e:
            out.append(('rt', str(e), repr(e.__cause__)))
        except StopAsyncIteration as e:
            out.append(('sai', str(e)))
    await g(x)

async def no_class(k, x):

    async def g(y):
        return super

    async def h():
        return __class__ if False else 1
    try:
        await h()
    except NameError as e:
        return str(e)

async def unbound_yet(k, x):

    async def later():
        return v
    try:
        await later()
    except NameError as e:
        r = str(e)
    v = x
    return (r, await later(), k)

async def tasks(k, x):
    tick = [0]

    async def a():
        for _ in range(k):
            tick[0] += 1
            await asyncio.sleep(0)
        return tick[0]

    async def b():
        before = tick[0]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return (before, tick[0], x)
    return await asyncio.gather(a(), b(), a())

async def closed_and_awaited_twice(k, x):

    async def g(y):
        return y
    co = g(x)
    co.close()
    c2 = g(k)
    try:
        r = await c2
        await c2
    except RuntimeError as e:
        return (r, str(e))

async def handed_on(k, x):
    lam = lambda f: f(k)

    async def g(y):
        await stop(y)
        return y
    return (await lam(g), await (lambda: g(x))(), await functools.partial(g, 3)())

async def signature(k, x):

    async def g(y: int, *r: str, q: 'z'=3, **kw) -> list:
        return (y, r, q, kw)
    return (await g(x, *[1, 2], **{'q': 1, 'zz': k}), g.__annotations__, str(inspect.signature(g)), g.__kwdefaults__)

async def nested_twice(k, x):

    async def g(y):

        async def h(z):
            nonlocal acc
            acc = acc + [z]
            await stop(z)
            return y + z
        return (await h(y), await h(k))
    acc = []
    return (await g(x), acc)

async def for_else(k, x):

    async def g(y):
        async for i in it():
            if i == y:
                return i
        else:
            return 'none'

    async def it():
        for i in range(k):
            yield i
    return (await g(x), await g(100), [z async for z in it()])

async def refused_parts(k, x):

    async def g():
        locals()
        return sorted(locals())

    async def h():
        return [i async for i in it() if await p(i)]

    async def it():
        yield 1
        yield k

    async def p(i):
        await stop(i)
        return i != x
    return (await g(), await h())

async def matched(k, x):

    async def g(y):
        match y:
            case [a, b]:
                return await g(a) + await g(b)
            case int():
                await stop(y)
                return y + k
            case _:
                return 0
    return (await g(x), await g([1, [2, 3]]))

def wrapping(name, next):
    async def handler(request):
        request.append(name)
        return [name, *await next(request)]
    return handler

async def last(request):
    await stop(1)
    return list(request)

class App:
    def __init__(self, names):
        self.handler = last
        for name in names:
            self.handler = wrapping(name, self.handler)
        self.makers = [made(at, name) for at, name in enumerate(names)]

    async def run(self, request):
        return await self.handler(request)

    async def through(self, request):
        return [await make(request)() for make in self.makers]

def made(number, name):
    def make(request):
        async def inner():
            await stop(number)
            return name, request
        return passed(inner)
    return make

def passed(inner):
    async def outer():
        try:
            return await inner()
        except ValueError:
            return None
    return outer

def shifting(number):
    def make(x):
        def get():
            return number + x
        return get
    def shift(by):
        nonlocal number
        number += by
    return make, shift

class Shifts:
    def __init__(self):
        self.make, self.shift = shifting(10)

    def run(self, x):
        got = self.make(x)
        self.shift(1)
        return got(), got

    def later(self, x):
        got = self.make(x)
        return got(), got
"""


def loaded() -> dict[str, Any]:
    name = f"<inner coroutines {next(_count)}>"
    linecache.cache[name] = (len(SOURCE), None, SOURCE.splitlines(True), name)
    namespace: dict[str, Any] = {"__name__": "inner_coroutines"}
    exec(compile(SOURCE, name, "exec"), namespace)
    return namespace


_count = itertools.count()
PROGRAMS = loaded()
COMPARED = [
    name for name, item in PROGRAMS.items()
    if isinstance(item, types.FunctionType) and inspect.iscoroutinefunction(item) and name not in ("last", "tasks")
]  # fmt: skip


def driven(make: Callable[..., Any], *args: object) -> tuple[object, ...]:
    """What a coroutine gives at each stop, and its end."""
    log: list[object] = []
    running = make(*args)
    try:
        while True:
            log.append(running.send(None))
    except StopIteration as end:
        return *log, "end", repr(end.value)
    except Exception as error:
        return *log, type(error), str(error), repr(error.__cause__)


def codes(residual: Any) -> set[str]:
    return {event.code for event in residual.events}


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("known", [False, True])
def test_the_same_at_each_stop(name: str, known: bool) -> None:
    function = PROGRAMS[name]
    residual = futamura.specialize(function, **({"k": 3} if known else {}))
    assert "FT301" not in codes(residual)
    for k in [3] if known else [2, 3]:
        for x in [[], [1, 2, 3]] if name in ("items", "made_first") else [0, 1, 3, 4]:
            assert driven(residual, *([] if known else [k]), x) == driven(function, k, x)


def test_other_tasks_change_shared_variables() -> None:
    async def run(function: Any, *args: object) -> object:
        return await function(*args)

    residual = futamura.specialize(PROGRAMS["tasks"], k=3)
    assert asyncio.run(run(residual, 5)) == asyncio.run(run(PROGRAMS["tasks"], 3, 5))


def test_middlewares_of_an_object_are_unfolded() -> None:
    app = PROGRAMS["App"]("ab")
    residual = futamura.specialize(app.run)
    assert driven(residual, [1]) == driven(app.run, [1])
    assert residual.source.count("await") == 1
    assert "def" not in residual.source.partition("\n")[2]


def test_a_function_takes_what_a_closure_holds_with_it() -> None:
    app = PROGRAMS["App"]("ab")
    residual = futamura.specialize(app.through)
    assert driven(residual, 7) == driven(app.through, 7)
    assert not codes(residual) & {"FT301", "FT302"}
    assert residual.source.count("async def") == 3  # itself, and one for each name, as they are awaited in a `try`


@pytest.mark.parametrize("name", ["run", "later"])
def test_a_variable_that_changes_is_not_taken_along(name: str) -> None:
    one, other = PROGRAMS["Shifts"](), PROGRAMS["Shifts"]()
    residual = futamura.specialize(getattr(other, name))
    for x in (1, 2):
        (now, get), (then, original) = residual(x), getattr(one, name)(x)
        one.shift(5)
        other.shift(5)
        assert (now, get()) == (then, original())


def test_what_cannot_be_unfolded_stays_a_call() -> None:
    residual = futamura.specialize(PROGRAMS["finally_and_shown"], k=3)
    assert "FT302" in codes(residual)
    assert "raise ValueError(3)" in residual.source
