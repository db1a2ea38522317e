"""Coroutines: what awaits at once continues in line, what is awaited stays, and no task sees a difference.

    steps(f(3), 1, KeyError())      what it gives at each stop when 1 is sent and then the error thrown, and its end

Invariant: each residual is driven beside its original, step by step, with values, exceptions and `close`.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import itertools
import linecache
import pickle
import sys
import types
from collections.abc import Callable, Coroutine, Generator
from pathlib import Path
from typing import Any

import pytest

import futamura
from futamura.errors import FutamuraError

LOG: list[object] = []
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:coroutine .* was never awaited"),
]
"""Coroutines that are closed and go on, and some that nobody awaits."""


@types.coroutine
def pause(value: object = None) -> Generator[object, object, Any]:
    return (yield value)


class Odd(Exception):
    pass


class Stops(StopIteration, Odd):
    """A StopIteration that a handler of another class takes."""


def steps(running: Coroutine[Any, Any, Any], *sent: object) -> list[object]:
    """What a coroutine gives when these are sent, or thrown, and how it ends; `close` is called if it does not."""
    LOG.clear()
    found: list[object] = []
    try:
        for one in (None, *sent):
            found.append(running.throw(one) if isinstance(one, BaseException) else running.send(one))
        running.close()
        found.append("closed")
    except StopIteration as end:
        found.append(("end", end.value))
    except BaseException as error:
        found.append((type(error), str(error), repr(error.__cause__), repr(error.__context__)))
    return [*found, list(LOG)]


SENT: list[tuple[Callable[[], object], ...]] = [
    *itertools.product((lambda: 5, lambda: "x", lambda: Odd("o")), repeat=3),
    (lambda: 1, lambda: StopIteration(3)),
    (lambda: StopIteration(2), lambda: 1, lambda: 1),
    (lambda: Stops(2), lambda: 1, lambda: 1),
    (lambda: RuntimeError("r"), lambda: 1),
    (lambda: GeneratorExit(), lambda: 1),
    (lambda: 1, lambda: GeneratorExit()),
    (lambda: asyncio.CancelledError(), lambda: 1),
    (lambda: 0,),
    (),
]


def alike(function: Callable[..., Any], residual: Callable[..., Any], *given: Any, **static: Any) -> None:
    names = [name for name in inspect.signature(function).parameters if name not in static]
    for make in SENT:
        expected = steps(function(**static, **dict(zip(names, given))), *[one() for one in make])
        assert steps(residual(*given), *[one() for one in make]) == expected, [one() for one in make]


async def twice(k, x):
    return await pause(x) * k, await pause(k)


async def through(k, x):
    found = await twice(k + 1, x)
    return found, k, await twice(k, x)


async def loops(k, x):
    total = []
    for at in range(k):
        if at % 2:
            total.append(await pause(at))
        else:
            total += await twice(at, x)
    return total


async def while_open(k, x):
    while await pause(k) != "x":
        x = (x, k)
    return x


async def handles(k, x):
    try:
        return await pause(k), await twice(k, x)
    except Odd as error:
        return "odd", await pause(str(error))
    finally:
        LOG.append(await pause("finally"))


async def handles_around(k, x):
    try:
        got = await handled(k, x)
    except StopIteration as stop:
        got = "stop", stop.value
    except RuntimeError as error:
        got = str(error), repr(error.__cause__), repr(error.__context__)
    except Odd as error:
        got = "odd", str(error)
    return k, got


async def handled(k, x):
    if await pause(x) == 5:
        raise StopIteration(k)
    if k > 2:
        raise Stops(x)
    return k


async def outside(k, x):
    return k, await handled(k, x)


async def raises_in_clause(k, x):
    try:
        await pause(k)
        {}[x]
    except KeyError:
        await handled(k, x)
    else:
        LOG.append("none")
    return k


class Held:
    def __init__(self, name, takes=None):
        self.name, self.takes = name, takes

    async def __aenter__(self):
        LOG.append(("in", self.name))
        return await pause(self.name)

    async def __aexit__(self, kind, error, traceback):
        LOG.append(("out", self.name, kind, str(error), traceback is None))
        await pause("out")
        return self.takes is not None and isinstance(error, self.takes)


async def holds(k, x):
    async with Held(k) as one, Held(x, Odd) as two:
        for at in range(k):
            got = await pause((one, two))
            if got == "x":
                return at
            if got == 5 and at:
                raise StopIteration(at)
            if got == 5:
                continue
            break
    return "behind", k


async def holds_open(k, manager):
    async with manager:
        async with manager as x:
            LOG.append(x)
        return k, await pause(k)


async def recursion(k, x):
    if k < 2:
        return await pause(x)
    return await recursion(k - 1, x), await recursion(k - 2, x)


async def recursion_open(n, k):
    if n < 2:
        return await pause(k)
    return k, await recursion_open(n - 1, k), await recursion_open(n - 2, k)


async def listed(k, x):
    return [await pause(at) for at in range(k)], {at: await pause(x) for at in "ab" if at != await pause(at)}


async def made_for_later(k, x):
    first, second = twice(k, x), twice(k + 1, x)
    got = await second
    return await first, got


async def dropped(k, x):
    running = twice(k, x)
    running.close()
    return inspect.iscoroutine(running), await pause(k)


async def awaited_twice(k, x):
    running = twice(k, x)
    await running
    return await running


async def no_awaitable(k, x):
    LOG.append(k)
    return await x


async def lends(k, x):
    rows = [k, x]
    await fills(rows, k)
    seen = {"rows": rows}
    return seen, await fills(seen["rows"], await pause(rows[-1]))


async def fills(rows, k):
    rows.append(await pause(len(rows)))
    return k


async def with_default(k, x, *rest, y=4, **names):
    return await starred(k, *rest, x, z=y, **names), await starred(*rest, k=k)


async def starred(k, *rest, z=1, **names):
    return k, rest, z, names, await pause(k)


FUNCTIONS = [
    twice, through, loops, while_open, handles, handles_around, outside, raises_in_clause, holds, recursion, listed,
    made_for_later, dropped, awaited_twice, no_awaitable, lends, with_default,
]  # fmt: skip


@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_driven_step_by_step(function: Any, k: int) -> None:
    residual = futamura.specialize(function, k=k)
    assert residual.stats["fallbacks"] == {} and inspect.iscoroutinefunction(residual)
    for x in (2, "y", None):
        alike(function, residual, x, k=k)
    alike(function, futamura.specialize(function), k, 2)
    alike(function, futamura.specialize(function, k=k, x=7), k=k, x=7)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_recursion_under_open_control(n: int) -> None:
    alike(recursion_open, futamura.specialize(recursion_open, k=3), n, k=3)


@pytest.mark.parametrize("manager", [Held(1), Held(1, Odd), 3, None, contextlib.nullcontext(5)])
def test_open_managers(manager: Any) -> None:
    residual = futamura.specialize(holds_open, k=3)
    assert "async with manager" in residual.source
    alike(holds_open, residual, manager, k=3)
    alike(holds_open, futamura.specialize(holds_open, k=3, manager=manager), k=3, manager=manager)


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_what_is_awaited_at_once_is_in_line() -> None:
    residual = futamura.specialize(through, k=2)
    assert "twice" not in residual.source and residual.source.count("await pause(") == 4
    residual = futamura.specialize(recursion, k=3)
    assert residual.source.count("await") == 3 and "recursion(" not in residual.source.replace("def recursion(", "")
    residual = futamura.specialize(handles_around, k=1)
    assert "await handled" in residual.source  # a StopIteration must not come out of it
    assert "= twice(1, x)\n" in futamura.specialize(made_for_later, k=1).source


class Takes:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        LOG.append(repr(error))
        return True


async def takes_all(k, x):
    try:
        return await pause(k), x
    except:  # noqa: E722
        return "default"


async def takes_by_manager(k, x):
    with Takes():
        return await pause(k), x
    return "behind"


async def waits_again(k, x):
    try:
        return await pause(k), x
    finally:
        LOG.append(await pause("clean"))


async def takes_in_loop(k, x):
    for at in range(2):
        try:
            await pause((k, at))
        except BaseException as error:
            LOG.append(repr(error))
    return x


async def passes_on(k, x):
    try:
        await pause(k)
    except (KeyError, Odd) as error:
        return str(error)
    except BaseException as error:
        LOG.append(repr(error))
        raise
    return x


async def awaits_one(k, x):
    got = await k(1, x)
    LOG.append(got)
    return got, await pause("after")


@pytest.mark.parametrize("inner", [takes_all, takes_by_manager, waits_again, takes_in_loop, passes_on])
def test_who_awaits_is_closed_too(inner: Any) -> None:
    residual = futamura.specialize(awaits_one, k=inner)
    assert residual.stats["fallbacks"] == {}
    assert (f"await {inner.__name__}" in residual.source) == (inner is not passes_on)
    alike(awaits_one, residual, 2, k=inner)


@pytest.mark.parametrize("inner", [takes_all, takes_by_manager, passes_on])
def test_closed_where_nobody_waits_again(inner: Any) -> None:
    assert steps(awaits_one(inner, 2)) == steps(futamura.specialize(awaits_one, k=inner)(2))


class Interpreter:
    """Programs as nested tuples, whose leaves wait."""

    def __init__(self, program: tuple[Any, ...]) -> None:
        self.program = program

    async def run(self, env):
        return await self.evaluate(self.program, env)

    async def evaluate(self, node, env):
        match node:
            case ("name", name):
                return await pause(env[name])
            case ("add", left, right):
                return await self.evaluate(left, env) + await self.evaluate(right, env)
            case ("loop", count, body):
                total = 0
                for _ in range(await self.evaluate(count, env)):
                    total += await self.evaluate(body, env)
                return total
            case ("guard", body, other):
                try:
                    return await self.evaluate(body, env)
                except TypeError:
                    return await self.evaluate(other, env)
            case value:
                return value


def test_an_interpreter_and_its_program() -> None:
    program = ("guard", ("add", ("name", "a"), ("loop", ("name", "n"), ("add", 1, ("name", "b")))), ("name", "b"))
    interpreter = Interpreter(program)
    residual: Any = futamura.specialize(interpreter.run)
    assert residual.stats["fallbacks"] == {} and "'guard'" not in residual.source and "'loop'" not in residual.source
    for sent in ((1, 2, 3, 4), (1, 0), ("x", 1, 1, 7), (1, 2, 3, KeyError("k"))):
        env = {"a": 1, "n": 2, "b": 3}
        assert steps(residual(env), *sent) == steps(interpreter.run(env), *sent)


def test_a_helper_that_is_bound_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    residual: Any = futamura.specialize(through, k=2)

    async def other(k, x):
        return "other", await pause((k, x))

    alike(through, residual, 1, k=2)
    monkeypatch.setattr(sys.modules[__name__], "twice", other)
    alike(through, residual, 1, k=2)


STATE = contextvars.ContextVar("STATE", default=0)


class Pool:
    def __init__(self, sizes: dict[str, int]) -> None:
        self.sizes = sizes
        self.log: list[object] = []

    async def work(self, kind, job):
        STATE.set(STATE.get() + self.sizes[kind])
        for at in range(self.sizes[kind]):
            try:
                async with asyncio.timeout(job):
                    await asyncio.sleep(0 if job else 1)
            except TimeoutError:
                self.log.append((kind, at))
        return STATE.get()

    async def all(self, jobs):
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self.work("a", one)) for one in jobs]
        found = await asyncio.gather(self.work("b", 1), self.work("a", 0), return_exceptions=True)
        return [task.result() for task in tasks], found, STATE.get()


def test_tasks() -> None:
    pool, other = Pool({"a": 2, "b": 1}), Pool({"a": 2, "b": 1})
    for jobs in ([1, 1], [0], []):
        assert asyncio.run(futamura.specialize(pool.all)(jobs)) == asyncio.run(other.all(jobs))
        assert asyncio.run(futamura.specialize(pool.work, "a")(1)) == asyncio.run(other.work("a", 1))
    assert pool.log == other.log != []


def test_cancelled() -> None:
    async def both(function: Any) -> object:
        task = asyncio.ensure_future(function())
        await asyncio.sleep(0)
        task.cancel()
        return (await asyncio.gather(task, return_exceptions=True))[0].__class__, list(LOG)

    LOG.clear()
    expected = asyncio.run(both(lambda: cleans(3)))
    LOG.clear()
    assert asyncio.run(both(futamura.specialize(cleans, k=3))) == expected == (ValueError, [3, "cleaned"])


async def cleans(k):
    LOG.append(k)
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        await asyncio.sleep(0)
        raise ValueError(k) from None
    finally:
        LOG.append("cleaned")


def test_saved_and_shipped(tmp_path: Path) -> None:
    residual: Any = futamura.specialize(with_default, k=3)
    again = pickle.loads(pickle.dumps(residual))
    alike(with_default, again, 2, k=3)
    plain: Any = futamura.specialize(alone, k=3)
    plain.save(tmp_path / "alone_residual.py")
    space: dict[str, Any] = {"__name__": "alone_residual"}
    exec(compile((tmp_path / "alone_residual.py").read_text(), "alone_residual.py", "exec"), space)
    assert inspect.iscoroutinefunction(space["alone"])
    assert asyncio.run(space["alone"]("x")) == asyncio.run(alone(3, "x")) == ("x", 3, 4)


async def alone(k, x):
    """Waits for nothing long."""
    await asyncio.sleep(0)
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(asyncio.sleep, 0)
        return x, k, await add(k, 1)


async def add(k, x):
    return k + x


def makes(k):
    async def inner(x):
        """Nested."""
        async for y in items(x):
            return y * k
        return k

    return inner


async def items(x):
    for one in x:
        yield one


def test_nested_ones_are_carried_as_they_are() -> None:
    residual: Any = futamura.specialize(makes, k=3)
    assert residual.stats["fallbacks"] == {}
    for x in ([4], []):
        assert asyncio.run(residual()(x)) == asyncio.run(makes(3)(x))
    assert residual().__qualname__ == makes(3).__qualname__ and residual().__doc__ == "Nested."


class Stopping:
    def __init__(self, *items):
        self.items = [*items]

    def __aiter__(self):
        LOG.append("aiter")
        return self

    async def __anext__(self):
        item = await pause("next")
        if not self.items:
            raise StopAsyncIteration(3)
        return self.items.pop(), item


async def iterates(k, x):
    total = []
    async for y, sent in x:
        if y == k or sent == "x":
            break
        for at in range(k):
            total.append((await pause(at), y))
    else:
        LOG.append("else")
    return total


async def iterates_in_try(k, x):
    try:
        async for y in x:
            if k:
                await handled(k, y)
    except Odd as error:
        return str(error), [y async for y in x if y != k]
    return [(await pause(k), y) async for y in x]


@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.parametrize("function", [iterates, iterates_in_try])
def test_asynchronous_iteration(function: Any, k: int) -> None:
    residual = futamura.specialize(function, k=k)
    assert residual.stats["fallbacks"] == {} and "async for" in residual.source
    for make in SENT:
        for x in (lambda: Stopping(4, 5), lambda: Stopping(1, 2, 3), Stopping, lambda: 3):
            expected = steps(function(k, x()), *[one() for one in make])
            assert steps(residual(x()), *[one() for one in make]) == expected


async def else_in_a_loop(k, rows, c):
    for row in rows:
        async for x in row:
            if x == c:
                break
        else:
            if c:
                LOG.append(k)
                continue
            return k
    return "end"


async def else_raises(k, x, c):
    async for y in (x, x := 0)[k]:
        LOG.append((x, y))
        x = y
        if c is None:
            break
    else:
        LOG.append(repr(sys.exc_info()[0]))
        if c:
            raise ValueError(c)
        await pause("else")
    return x


@pytest.mark.parametrize("c", [0, 1, None])
def test_what_comes_behind_the_last_item(c: Any) -> None:
    """It handles no StopAsyncIteration, and its jumps are those of the loop around."""
    rows = futamura.specialize(else_in_a_loop, k=0)
    raises = futamura.specialize(else_raises, k=0)
    for make in SENT:
        sent = [[one() for one in make] for _ in range(4)]
        expected = steps(else_in_a_loop(0, [Stopping(1, 2), Stopping(), Stopping(3)], c), *sent[0])
        assert steps(rows([Stopping(1, 2), Stopping(), Stopping(3)], c), *sent[1]) == expected
        assert steps(raises(Stopping(1, 2), c), *sent[3]) == steps(else_raises(0, Stopping(1, 2), c), *sent[2])


INNERMOST = {
    "await": "out.append(await pause(k))",
    "async with": "async with m as x:\n    out.append((k, x))",
    "async for": "async for x in items(xs):\n    out.append(x)",
    "a coroutine of its own": "try:\n    out.append(await add(k, a0))\nexcept KeyError: pass",
}


@pytest.mark.parametrize("innermost", INNERMOST.values(), ids=INNERMOST)
def test_what_waits_is_not_put_into_a_local_function(innermost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loops are deeper than Python allows blocks to be: the function is left as it was, with the reason."""
    loops = range(11)
    lines = []
    for name, last in (("low", innermost), ("high", "await low(k, xs, out, m)")):
        lines.append(f"async def {name}(k, xs, out, m):")
        lines += ["    " * (at + 1) + f"for a{at} in xs:" for at in loops]
        lines += ["    " * (len(loops) + 1) + line for line in last.split("\n")]
    text = "\n".join(lines) + "\n"
    monkeypatch.setitem(linecache.cache, "deep.py", (len(text), None, text.splitlines(True), "deep.py"))
    space: dict[str, Any] = {"pause": pause, "items": items, "add": add}
    exec(compile(text, "deep.py", "exec", dont_inherit=True), space)
    residual = futamura.specialize(space["high"], k=3)
    assert set(residual.stats["fallbacks"]) == {"FT405"}
    outs: list[list[Any]] = [[], []]
    seen = steps(space["high"](3, [1], outs[0], Held("m")), 1, 2)
    assert steps(residual([1], outs[1], Held("m")), 1, 2) == seen and outs[0] == outs[1] != []


async def asks_generators(k, x):
    return [(y, await pause(k)) async for y in items(x)]


def test_generators_that_are_called_stay_calls() -> None:
    residual = futamura.specialize(asks_generators, k=2)
    assert residual.stats["fallbacks"] == {} and "async for y in items(x)" in residual.source
    alike(asks_generators, residual, [1, 2], k=2)


async def bound_anew(k, x):
    """The iterator exists before `x` is 0."""
    found = []
    async for y in (x, x := 0)[k]:
        found.append((y, x))
        x = y
    return found, x


def test_what_is_iterated_over_gets_a_constant() -> None:
    residual = futamura.specialize(bound_anew, k=0)
    assert "_async_iterator(x)" in residual.source
    for make in SENT:
        expected = steps(bound_anew(0, Stopping(2, 3)), *[one() for one in make])
        assert steps(residual(Stopping(2, 3)), *[one() for one in make]) == expected


@pytest.mark.parametrize("function", [items, pause])
def test_asynchronous_generators_are_refused(function: Any) -> None:
    with pytest.raises(FutamuraError) as caught:
        futamura.Specializer(strict=True)(function)
    assert caught.value.diagnostic.code == "FT105"


class Static:
    def __init__(self) -> None:
        self.rows = [1, 2]

    async def shows(self, x):
        first = len(self.rows)
        await x(self)
        return first, len(self.rows)

    async def keeps(self, x):
        return len(self.rows), await pause(x), len(self.rows)


async def appends(one):
    one.rows.append(await pause(3))


def test_static_objects_that_others_change() -> None:
    one, other = Static(), Static()
    residual = futamura.specialize(one.shows)
    for _ in range(3):
        assert steps(residual(appends), 1) == steps(other.shows(appends), 1)
    assert one.rows == other.rows
