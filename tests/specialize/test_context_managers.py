"""`with` over generators: the exception that the body raises is thrown into the generator, comes out of it again, and
`__exit__` lets it go on.  All that is left is what the generator does.

    with scope(env, "a", 1):            try: v = env["b"]
        v = env["b"]            ->      except BaseException: del env["a"]; raise

Invariant: what leaves a residual has the class, arguments, cause and context of what leaves the function.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura

from .specializing import fallbacks, source_of, specialize


class Own(Exception):
    pass


class Stop(StopIteration):
    pass


class Both(StopIteration, RuntimeError):
    """A StopIteration that a clause for RuntimeError takes, too."""


class Claims(Exception):
    """Says that it is a StopIteration."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        return StopIteration


@contextlib.contextmanager
def scope(env: dict[str, Any], name: str, value: Any) -> Iterator[None]:
    old = env.get(name)
    env[name] = value
    try:
        yield
    finally:
        if old is None:
            del env[name]
        else:
            env[name] = old


@contextlib.contextmanager
def noted(log: Any) -> Iterator[Any]:
    log.append("in")
    try:
        yield log
    except BaseException as error:
        log.append(type(error).__name__)
        raise
    else:
        log.append("fine")


@contextlib.contextmanager
def ended(log: Any) -> Iterator[None]:
    try:
        yield
    finally:
        log.append("end")


@contextlib.contextmanager
def catching(log: Any) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        log.append(str(error))


@contextlib.contextmanager
def plain(log: Any) -> Iterator[Any]:
    log.append("in")
    yield log
    log.append("out")


@contextlib.contextmanager
def translating() -> Iterator[None]:
    try:
        yield
    except KeyError as error:
        raise ValueError("bad") from error


@contextlib.contextmanager
def in_place() -> Iterator[None]:
    try:
        yield
    except KeyError:
        raise ValueError("bad")  # noqa: B904  # the context is what is tested


@contextlib.contextmanager
def again() -> Iterator[None]:
    try:
        try:
            yield
        except KeyError as error:
            raise error
    except LookupError as error:
        if error.args == ("swallowed",):
            return
        raise


@contextlib.contextmanager
def replacing(error: BaseException) -> Iterator[None]:
    try:
        yield
    finally:
        raise error


@contextlib.contextmanager
def wrapped() -> Iterator[None]:
    """Makes by hand what Python makes of a StopIteration."""
    try:
        yield
    except BaseException as error:
        raise RuntimeError("by hand") from error


@contextlib.contextmanager
def never_ending(log: Any) -> Iterator[None]:
    try:
        yield
    except ValueError:
        log.append("caught")
        yield


class Machine:
    def __init__(self) -> None:
        self.depth = 0
        self.most = 0
        self.lock = threading.Lock()

    @contextlib.contextmanager
    def level(self) -> Iterator[int]:
        self.depth += 1
        self.most = max(self.most, self.depth)
        try:
            yield self.depth
        finally:
            self.depth -= 1

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        with self.lock:
            yield


def in_scope(x: Callable[[], Any], log: list[Any]) -> Any:
    env = {"a": 1}
    with scope(env, "a", 2), scope(env, "b", 3):
        v = env["a"] + env["b"], x()
    return v, env


def is_noted(x: Callable[[], Any], log: list[Any]) -> Any:
    with noted(log) as same:
        v = x()
    return v, same is log


def is_ended(x: Callable[[], Any], log: list[Any]) -> Any:
    with ended(log):
        return x()


def own_log(x: Callable[[], Any], log: list[Any]) -> Any:
    mine: list[Any] = []
    try:
        with ended(mine), noted(mine):
            v = x()
    except KeyError as error:
        v = error.args
    return v, mine


def is_caught(x: Callable[[], Any], log: list[Any]) -> Any:
    with catching(log):
        log.append(x())
    return len(log)


def is_plain(x: Callable[[], Any], log: list[Any]) -> Any:
    with plain(log), plain(log):
        return x()


def is_translated(x: Callable[[], Any], log: list[Any]) -> Any:
    with translating():
        return x()


def is_replaced_in_place(x: Callable[[], Any], log: list[Any]) -> Any:
    with in_place():
        return x()


def is_raised_again(x: Callable[[], Any], log: list[Any]) -> Any:
    with again():
        return x()
    return "out"


def is_replaced(x: Callable[[], Any], log: list[Any]) -> Any:
    with replacing(Own("new")):
        return x()


def is_wrapped(x: Callable[[], Any], log: list[Any]) -> Any:
    with wrapped():
        return x()


def goes_on(x: Callable[[], Any], log: list[Any]) -> Any:
    with never_ending(log):
        return x()
    return "out"


def in_methods(x: Callable[[], Any], log: list[Any]) -> Any:
    machine = Machine()
    try:
        with machine.level() as one, machine.level() as two, machine.locked():
            v = one, two, x()
    except Own as error:
        v = error.args
    return v, machine.depth, machine.most


def in_loop(x: Callable[[], Any], log: list[Any]) -> Any:
    for number in range(5):
        with noted(log):
            if number == 1:
                continue
            if x() == number:
                break
            if number == 3:
                return "three"
            log.append(number)
    return "end"


def fails(x: Callable[[], Any], log: list[Any]) -> Any:
    mine: list[Any] = []
    try:
        with ended(mine), noted_plainly(mine):
            v = x()
    except KeyError:
        return mine
    return v, mine


@contextlib.contextmanager
def noted_plainly(log: list[Any]) -> Iterator[None]:
    try:
        yield
    except BaseException:
        log.append("failed")
        raise
    log.append("fine")


def by_hand(x: Callable[[], Any], log: list[Any]) -> Any:
    """What `__exit__` does, but for its answers."""

    def steps() -> Iterator[int]:
        try:
            yield 1
        finally:
            log.append("end")

    generator = steps()
    next(generator)
    try:
        v = x()
    except BaseException as error:
        try:
            generator.throw(error)  # type: ignore[attr-defined]
        except StopIteration as stop:
            return "stop", stop is error
        except RuntimeError as wrong:
            return "wrong", wrong is error, wrong.__cause__ is error, wrong.__context__ is error, str(wrong), wrong.args
        except Exception as other:
            return "other", other is error
        return "nothing"
    return v, list(generator)


def while_handling(x: Callable[[], Any], log: list[Any]) -> Any:
    try:
        raise KeyError("first")
    except KeyError:
        with ended(log), translating():
            return x()


def raises_another(x: Callable[[], Any], log: list[Any]) -> Any:
    try:
        return x()
    except Exception as error:
        try:
            raise Own("second")
        except Own:
            log.append(shape(error.__context__))
            raise error  # noqa: B904  # the other one becomes its context


def leaves_the_handler(x: Callable[[], Any], log: list[Any]) -> Any:
    try:
        try:
            return x()
        except Exception as error:
            raise error
    except LookupError as error:
        return "caught", shape(error)


def shape(error: BaseException | None) -> object:
    if error is None:
        return None
    chain = shape(error.__cause__), shape(error.__context__), error.__suppress_context__
    return type(error), str(error), error.args, *chain


def outcome(function: Callable[..., Any], x: Callable[[], Any], log: Any) -> object:
    found: object
    try:
        found = function(x, log)
    except BaseException as error:
        found = shape(error)
    return found, list(log)


def raising(make: Callable[[], BaseException]) -> Callable[[], Any]:
    def x() -> Any:
        raise make()

    return x


def from_another() -> BaseException:
    try:
        raise Own("around")
    except Own as own:
        made = RuntimeError("inner")
        made.__cause__ = own
        return made


MAKERS: list[Callable[[], BaseException]] = [
    *(lambda: ValueError("v"), lambda: KeyError("k"), lambda: KeyError("swallowed"), lambda: Own("o", 2)),
    *(KeyboardInterrupt, GeneratorExit, StopIteration, lambda: StopIteration(3), lambda: Stop(4), lambda: Both(5)),
    *(lambda: RuntimeError("r"), from_another, lambda: Claims("c"), lambda: StopAsyncIteration(6)),
]
FUNCTIONS = [
    *(in_scope, is_noted, is_ended, own_log, is_caught, is_plain, is_translated, is_replaced_in_place, is_raised_again),
    *(is_replaced, is_wrapped, in_methods, in_loop, by_hand, while_handling, raises_another),
    *(leaves_the_handler, fails),
]


class Evil(list[Any]):
    """A log that raises the exception that is handled, or one that it is the cause of."""

    def __init__(self, how: Callable[[BaseException | None], BaseException | None]) -> None:
        self.how = how

    def append(self, item: Any) -> None:
        import sys

        wrong = self.how(sys.exc_info()[1])
        if wrong is not None and item != "in":
            raise wrong
        super().append(item)


def caused_by(error: BaseException | None) -> BaseException:
    made = RuntimeError("caused")
    made.__cause__ = error
    return made


LOGS: list[Callable[[], list[Any]]] = [
    *(list, lambda: Evil(lambda error: error), lambda: Evil(caused_by), lambda: Evil(lambda error: Own("log"))),
    lambda: Evil(lambda error: RuntimeError("log")),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("assume", ["check", "trust"])
def test_agrees(function: Callable[..., Any], assume: str) -> None:
    """Where the tests at entry would take too long, little is inlined: not so under "trust"."""
    made = futamura.Specializer(assume=assume)(function)
    assert not fallbacks(made)
    for log in LOGS:
        for x in (*map(raising, MAKERS), lambda: 3, lambda: None):
            assert outcome(made, x, log()) == outcome(function, x, log()), source_of(made)
            try:  # while another exception is handled, which is the context of all that is raised
                raise Own("around")
            except Own:
                assert outcome(made, x, log()) == outcome(function, x, log()), source_of(made)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("log", [list, lambda: Evil(lambda error: error)])
def test_the_same_exception_comes_out(function: Callable[..., Any], log: Callable[[], Any]) -> None:
    made = specialize(function)
    for make in MAKERS:
        for called in (function, made):
            error = make()
            found = None
            try:
                called(raising(lambda error=error: error), log())
            except BaseException as other:
                found = other is error
            if called is function:
                wanted = found
        assert found == wanted, (make, source_of(made))


def test_a_generator_that_yields_again_stays_as_it_is() -> None:
    made = specialize(goes_on)
    for x in (*map(raising, MAKERS), lambda: 3):
        assert outcome(made, x, []) == outcome(goes_on, x, []), source_of(made)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_nothing_is_raised_to_be_caught(function: Callable[..., Any]) -> None:
    text = source_of(specialize(function))
    assert "_raise_in_generator" not in text and "raise _e" not in text
    assert "__traceback__" not in text or function is in_methods, text  # the lock gets the traceback


def test_what_is_known_leaves_nothing() -> None:
    text = source_of(specialize(in_scope))
    assert "try" not in text and "except" not in text and len(text.splitlines()) <= 3, text


def test_one_clause_is_left() -> None:
    text = source_of(specialize(is_translated))
    assert text.count("except") == 1 and "except KeyError as" in text, text
    assert source_of(specialize(fails)).count("except") == 1


def ev(e: Any, env: dict[str, Any]) -> Any:
    if isinstance(e, int):
        return e
    if isinstance(e, str):
        return env[e]
    op = e[0]
    if op == "let":
        _, n, v, b = e
        with scope(env, n, ev(v, env)):
            return ev(b, env)
    if op == "+":
        return ev(e[1], env) + ev(e[2], env)
    if op == "*":
        return ev(e[1], env) * ev(e[2], env)
    raise ValueError(op)


def run_let(e: Any, x: Any) -> Any:
    return ev(e, {"x": x})


LET = ("let", "a", ("+", "x", 1), ("let", "b", ("*", "a", 2), ("+", "a", ("*", "b", "x"))))


def test_an_interpreter_with_scopes_is_arithmetic() -> None:
    made = specialize(run_let, e=LET)
    assert "try" not in source_of(made) and len(source_of(made).splitlines()) <= 4, source_of(made)
    for x in (0, 3, -2.5):
        assert made(x) == run_let(LET, x)
    with pytest.raises(TypeError) as wanted:
        run_let(LET, None)
    with pytest.raises(TypeError) as found:
        made(None)
    assert shape(found.value) == shape(wanted.value)


def deep(x: Any, log: Any) -> Any:
    """Several in a function that calls itself."""

    def walk(number: int) -> Any:
        if not number:
            return x()
        with noted(log):
            return walk(number - 1)

    return walk(3)


def test_nested_in_each_other() -> None:
    made = specialize(deep)
    for log in LOGS:
        for x in (*map(raising, MAKERS), lambda: 3):
            assert outcome(made, x, log()) == outcome(deep, x, log()), source_of(made)


def entered(x: Any, y: Any) -> Any:
    pair = (x, y)
    with pair as found:
        return found


def made_here(x: Any, y: Any) -> Any:
    def pair(a: Any) -> Any:
        return a, y

    with pair(x):
        for one in y:
            x += one
    return x


@pytest.mark.parametrize("function", [entered, made_here])
def test_a_tuple_is_no_manager(function: Any) -> None:
    residual = futamura.specialize(function, 1)
    for value in (2, [3]):
        with pytest.raises(TypeError, match="context manager") as wanted:
            function(1, value)
        with pytest.raises(TypeError) as found:
            residual(value)
        assert str(found.value) == str(wanted.value)


class Scope:
    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        return None


def named_alike(scope: Any, a: Any, e: Any, e_1: Any, n: Any) -> Any:
    with scope:
        while n < 3:
            n += 1
            with scope:
                e[a] = n
                e_1.append(a)
    return e, e_1


def test_the_name_of_a_constant_is_no_name_of_an_exception() -> None:
    residual = specialize(named_alike, e={}, e_1=[], n=1)
    assert residual(Scope(), 5) == named_alike(Scope(), 5, {}, [], 1)
