"""The interpreter against the same code in Python, on hand-written graphs with every kind of region."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from futamura.ir.graph import Suspended
from futamura.ir.interp import Finished, OutOfFuel, resume, run, suspend_at
from futamura.ir.text import parse_program

LOOP = parse_program("""program f
func f(a, b)
b0(v0:a, v1:b):
  jump b1(v0)
b1(v2:a):
  v3 = lt v2, v1
  v4 = truth v3
  branch v4 -> b2() | b3()
b2():
  v5 = const 1
  v6:a = iadd v2, v5
  jump b1(v6)
b3():
  return v2
""")

# def f(log): try: x = log("body"); except ValueError as e: log("handler"); raise KeyError(1); finally: log("finally")
TRY = parse_program("""program f
func f(log)
  region 1 try flavor finally in 0 handler b6
  region 2 try flavor except in 1 handler b2
  region 3 except in 1 of 2
  region 4 except in 0 of 1
  region 5 copy in 0 of 1
b0(v0:log):
  jump b1()
b1() in 2 handler b2():
  v1 = const 'body'
  v2 = call v0, v1
  jump b5()
b2(v3:e) in 3 handler b6():
  v4 = const builtins:ValueError
  v5 = exc_match v3, v4
  branch v5 -> b3() | b4()
b3() in 3 handler b6():
  v6 = const 'handler'
  v7 = call v0, v6
  v8 = const builtins:KeyError
  v9 = const 1
  v10 = call v8, v9
  raise v10
b4() in 3 handler b6():
  reraise v3
b5() in 5:
  v11 = const 'finally'
  v12 = call v0, v11
  return v2
b6(v13) in 4:
  v14 = const 'finally'
  v15 = call v0, v14
  reraise v13
""")


def outcome(function: Callable[[], object]) -> object:
    """The value, or the exceptions of the context chain."""
    try:
        return function()
    except Exception as error:
        chain: list[tuple[type, str]] = []
        current: BaseException | None = error
        while current is not None:
            chain.append((type(current), str(current)))
            current = current.__context__
        return chain


class Log:
    """Records what it is called with and the exception that is active then; may raise."""

    def __init__(self, **raises: type[Exception]) -> None:
        self.raises = raises
        self.seen: list[object] = []

    def __call__(self, what: str) -> str:
        self.seen.append((what, repr(sys.exception())))
        if what in self.raises:
            raise self.raises[what](what)
        return what


def python_try(log: Log) -> object:
    try:
        try:
            return log("body")
        except ValueError:
            log("handler")
            raise KeyError(1)  # noqa: B904  the context is what is tested
    finally:
        log("finally")


RAISES: list[dict[str, type[Exception]]] = [
    {}, {"body": ValueError}, {"body": OSError}, {"finally": TypeError}, {"body": ValueError, "handler": OSError},
    {"body": ValueError, "finally": TypeError}, {"body": OSError, "finally": ValueError},
]  # fmt: skip


def test_loop() -> None:
    assert run(LOOP, (1, 5), globals={}) == 5
    assert run(LOOP, (1,), {"b": 2}, globals={}) == 2
    with pytest.raises(TypeError, match=r"^f\(\) missing 1 required positional argument: 'b'$"):
        run(LOOP, (1,), globals={})


def test_fuel() -> None:
    assert run(LOOP, (0, 10), globals={}, fuel=1 + 10 * 6 + 4) == 10
    with pytest.raises(OutOfFuel):
        run(LOOP, (0, 10), globals={}, fuel=10 * 6 + 4)


@pytest.mark.parametrize("raises", RAISES)
@pytest.mark.parametrize("active", [False, True])
def test_regions(raises: dict[str, type[Exception]], active: bool) -> None:
    """Same calls, same active exceptions, same chain of contexts, also under an exception of the caller."""
    ours, theirs = Log(**raises), Log(**raises)
    try:
        if active:
            raise ZeroDivisionError("of the caller")
    except ZeroDivisionError:
        result = outcome(lambda: run(TRY, (ours,), globals={}))
        assert result == outcome(lambda: python_try(theirs))
    else:
        result = outcome(lambda: run(TRY, (ours,), globals={}))
        assert result == outcome(lambda: python_try(theirs))
    assert ours.seen == theirs.seen


@pytest.mark.parametrize("raises", RAISES)
def test_every_stop(raises: dict[str, type[Exception]]) -> None:
    """Stopping anywhere and going on is the whole run."""
    whole = Log(**raises)
    expected = outcome(lambda: run(TRY, (whole,), globals={}))
    for stop in range(45):
        log = Log(**raises)

        def stopped(log: Log = log, stop: int = stop) -> object:
            state = suspend_at(TRY, stop, (log,), globals={})
            return state if isinstance(state, Finished) else resume(TRY, state, globals={})

        result = outcome(stopped)
        if isinstance(result, Finished):
            assert result.value == expected
            break
        assert result == expected
        assert log.seen == whole.seen


GENERATOR = parse_program("""program g
func g(items) generator
  region 1 try flavor except in 0 handler b4
  region 2 except in 0 of 1
b0(v0:items):
  v1 = iter v0
  jump b1()
b1() in 1 handler b4():
  next v1 -> b2() | b3()
b2(v2:x) in 1 handler b4():
  v3 = yield v2
  v4 = add v3, v2
  v5 = yield v4
  jump b1()
b3():
  v6 = const 'end'
  return v6
b4(v7:e) in 2:
  v8 = yield v7
  raise
""")


def python_generator(items: list[int]) -> Any:
    try:
        for x in items:
            y = yield x
            yield y + x
    except BaseException as e:
        yield e
        raise
    return "end"


def drive(generator: Any, script: list[tuple[str, Any]]) -> list[object]:
    log: list[object] = []
    for verb, value in script:
        try:
            log.append(repr(generator.close() if verb == "close" else getattr(generator, verb)(value)))
        except BaseException as error:
            log.append(repr((error, error.__context__, error.__cause__)))
    return log


@pytest.mark.parametrize("script", [
    [("send", None), ("send", 3), ("send", None), ("send", 4), ("send", None), ("send", None)],
    [("send", 1)],
    [("send", None), ("throw", ValueError("x")), ("send", None), ("send", None)],
    [("send", None), ("throw", StopIteration(5)), ("send", None), ("send", None)],
    [("send", None), ("send", "bad"), ("send", None), ("send", None)],
    [("send", None), ("close", None)],
    [("send", None), ("throw", KeyError("x")), ("close", None)],
    [("send", None), ("throw", KeyError("x")), ("throw", ValueError("while handling"))],
    [("throw", KeyError("before the start")), ("send", None)],
])  # fmt: skip
def test_generator(script: list[tuple[str, Any]]) -> None:
    ours = run(GENERATOR, ([1, 2],), globals={})
    theirs = python_generator([1, 2])
    theirs.__name__ = "g"
    assert drive(ours, script) == drive(theirs, script)


def stopped_generator(stop: int, seen: list[object]) -> Suspended | Finished:
    """`seen` gets what is yielded before the stop; 5 is sent each time."""

    def on_yield(item: object) -> object:
        seen.append(item)
        return 5

    return suspend_at(GENERATOR, stop, ([1, 2, 3],), globals={}, on_yield=on_yield)


def test_suspended_generator() -> None:
    whole = [1, 6, 2, 7, 3, 8]
    for stop in range(40):
        seen: list[object] = []
        state = stopped_generator(stop, seen)
        if isinstance(state, Finished):
            assert (state.value, seen) == ("end", whole)
            break
        rest = resume(GENERATOR, state, globals={})
        sent: object = None
        try:
            while True:
                seen.append(rest.send(sent))
                sent = 5
        except StopIteration as end:
            assert end.value == "end"
        assert seen == whole
    else:
        pytest.fail("the generator never ends")


CLOSURE = parse_program("""program f
func f(a)
b0(v0:a):
  v1 = cell[x] v0
  v2 = const 10
  v3 = const 20
  v4 = function[FunctionAttr(f.<locals>.g, 1, (k,), ())] v2, v3, v1
  v5 = class[ClassAttr(C, 'class C:\\n  def m(self): return x, __class__', (x,))] v1
  v6 = cell_get[(x, local)] v1
  v7 = tuple v4, v5, v6
  return v7
func f.<locals>.g(p, *, k) free(x) doc 'the doc'
b0(v0:p, v1:k, v2:x):
  v3 = cell_get[(x, free)] v2
  v4 = tuple v0, v1, v3
  v5 = const 7
  cell_set[x] v5, v2
  cell_del[(x, free)] v2
  return v4
""")


def test_closures() -> None:
    globals: dict[str, Any] = {"__name__": "somewhere"}
    g, C, x = run(CLOSURE, (3,), globals=globals)
    assert (g.__name__, g.__qualname__, g.__doc__, g.__module__) == ("g", "f.<locals>.g", "the doc", "somewhere")
    assert (g.__defaults__, g.__kwdefaults__, x) == ((10,), {"k": 20}, 3)
    assert (C.__qualname__, C.m.__qualname__, C.__module__) == ("f.<locals>.C", "f.<locals>.C.m", "somewhere")
    assert C().m() == (3, C)
    assert g(1, k=2) == (1, 2, 3)
    with pytest.raises(NameError, match="cannot access free variable 'x'") as caught:
        g()
    assert caught.value.__context__ is None
    with pytest.raises(TypeError, match=r"^f\.<locals>\.g\(\) got an unexpected keyword argument 'q'$"):
        g(q=1)


def test_environment_is_a_snapshot() -> None:
    state = suspend_at(LOOP, 3, (1, 5), globals={})
    assert isinstance(state, Suspended)
    assert (state.block, state.index) == (1, 2)
    assert state.environment == {0: 1, 1: 5, 2: 1, 3: True, 4: True}
    assert [resume(LOOP, state, globals={}) for _ in range(2)] == [5, 5]
