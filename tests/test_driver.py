"""The driver: functions that went through the whole way, beside the functions that they came from."""

from __future__ import annotations

import functools
import gc
import inspect
import linecache
import pickle
import traceback
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import CellType, FunctionType, MethodType
from typing import Any

import pytest

from futamura import driver
from futamura.errors import UnsupportedError
from futamura.frontend.python import lower
from futamura.ir.graph import Program, Signature, Suspended
from futamura.ir.interp import Finished, suspend_at

SETTING = 1


def add(a: int, b: int = 2, *rest: int, scale: int = 1, **more: int) -> int:
    """Adds up."""
    total = a + b
    for item in rest:
        total += item
    return scale * total + sum(more.values()) + SETTING


class Account:
    rate = 2
    __secret = 5

    def __init__(self, value: int) -> None:
        self.value = value

    def worth(self) -> int:
        return self.value * self.rate + self.__secret

    @classmethod
    def make(cls, value: int) -> Account:
        return cls(value)

    @staticmethod
    def double(x: int) -> int:
        return 2 * x

    @property
    def half(self) -> float:
        """Half of it."""
        return self.value / 2

    @functools.cached_property
    def third(self) -> float:
        return self.value / 3

    def helper(self) -> Any:
        class Helper:
            class Deep: ...

            def name(self) -> str:
                return type(self).__qualname__

        def inner() -> Account:
            return self

        return Helper, inner


class Savings(Account):
    def worth(self) -> int:
        return super().worth() + 1


def counter() -> tuple[Any, Any]:
    count = 0

    def up() -> int:
        nonlocal count
        count += 1
        return count

    def look() -> int:
        return count

    return up, look


def fact(n: int) -> int:
    if n < 2:
        return 1
    return n * fact(n - 1)


def numbers(n: int) -> Generator[int, int, str]:
    total = 0
    for i in range(n):
        got = yield total + i
        total += got or 0
    return f"end {total}"


def same(function: FunctionType, made: FunctionType) -> None:
    assert made is not function and made.__code__ is not function.__code__
    assert made.__globals__ is function.__globals__
    names = ("__name__", "__qualname__", "__doc__", "__module__", "__defaults__", "__kwdefaults__", "__annotations__")
    for name in (*names, "__dict__"):
        assert getattr(made, name) == getattr(function, name), name
    assert made.__code__.co_name == function.__code__.co_name
    assert made.__code__.co_qualname == function.__code__.co_qualname
    assert inspect.signature(made) == inspect.signature(function)


# -------------------------------------------------------------------------------------------- round trips


def test_a_function() -> None:
    made = driver.roundtrip(add)
    same(add, made)
    for args, keywords in (((1,), {}), ((1, 2, 3), {"scale": 3}), ((1,), {"b": 5, "z": 7})):
        assert made(*args, **keywords) == add(*args, **keywords)
    with pytest.raises(TypeError) as info:
        made()
    assert str(info.value) == "add() missing 1 required positional argument: 'a'"


def test_globals_are_read_when_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = driver.roundtrip(add)
    before = sorted(globals())
    monkeypatch.setitem(globals(), "SETTING", 100)
    assert made(1) == add(1) == 103
    assert sorted(globals()) == before


def test_recursion_goes_through_the_globals(monkeypatch: pytest.MonkeyPatch) -> None:
    made = driver.roundtrip(fact)
    assert made(5) == 120
    monkeypatch.setitem(globals(), "fact", lambda n: 1000)
    assert made(5) == 5000


def test_a_lambda() -> None:
    offset = 3
    function = lambda x, y=2: x * y + offset  # noqa: E731
    made = driver.roundtrip(function)
    same(function, made)
    assert made(4) == 11 and made(4, y=1) == 7


def test_methods() -> None:
    same(Account.worth, driver.roundtrip(Account.worth))
    assert driver.roundtrip(Account.worth)(Account(3)) == 11
    bound = driver.roundtrip(Account(4).worth)
    assert isinstance(bound, MethodType) and bound() == 13
    assert driver.roundtrip(Savings.worth)(Savings(1)) == 8
    with pytest.raises(TypeError):
        driver.roundtrip(Savings.worth)(Account(1))


def test_what_a_class_holds() -> None:
    held = vars(Account)
    made = driver.roundtrip(held["make"])
    assert isinstance(made, classmethod) and made.__get__(None, Savings)(1).worth() == 8
    static = driver.roundtrip(held["double"])
    assert isinstance(static, staticmethod) and static(4) == 8
    half = driver.roundtrip(held["half"])
    assert isinstance(half, property) and half.fget is not held["half"].fget
    assert half.__get__(Account(5)) == 2.5 and half.__doc__ == "Half of it."
    third = driver.roundtrip(held["third"])
    account = Account(6)
    assert isinstance(third, functools.cached_property) and third.__get__(account) == 2.0
    assert vars(account)["third"] == 2.0


def test_nested_names() -> None:
    helper, inner = driver.roundtrip(Account.helper)(Account(1))
    expected, function = Account(1).helper()
    assert helper.__qualname__ == expected.__qualname__ == helper().name()
    assert helper.Deep.__qualname__ == expected.Deep.__qualname__ and helper.__module__ == __name__
    assert inner.__qualname__ == function.__qualname__ and inner.__module__ == __name__
    assert inner.__globals__ is globals() and inner().value == 1


def test_closures_are_shared() -> None:
    up, look = counter()
    made = driver.roundtrip(up)
    same(up, made)
    assert made.__closure__ == up.__closure__
    assert [made(), up(), made(), look()] == [1, 2, 3, 3]


def test_a_wrapper() -> None:
    calls: list[str] = []

    def traced(function: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(function)
        def wrapper(*args: Any) -> int:
            calls.append(function.__name__)
            return function(*args)

        return wrapper

    @traced
    def square(x: int) -> int:
        """Squares."""
        return x * x

    made = driver.roundtrip(square)
    assert made(3) == 9 and calls == ["square"]
    assert made.__wrapped__ is square.__wrapped__ and made.__doc__ == "Squares."  # type: ignore[attr-defined]


def test_a_generator_function() -> None:
    made = driver.roundtrip(numbers)
    same(numbers, made)

    def play(generator: Generator[int, int, str]) -> list[object]:
        seen: list[object] = [next(generator), generator.send(5), generator.send(0)]
        try:
            generator.send(1)
        except StopIteration as end:
            seen.append(end.value)
        return seen

    assert play(made(3)) == play(numbers(3))
    assert made(1).__qualname__ == "numbers"


def test_what_is_refused() -> None:
    def evaluates(text: str) -> Any:
        return eval(text)

    for target in (evaluates, len, 3):
        with pytest.raises(UnsupportedError):
            driver.roundtrip(target)


def test_source_and_emitted_form() -> None:
    text = driver.roundtrip_source(fact)
    assert text.startswith("def fact(n") and "fact(n - 1)" in text
    emitted = driver.emit_function(Savings.worth)
    assert emitted.free == ("__class__",) and len(emitted.spans) == emitted.text.count("\n")


def test_a_round_trip_of_a_round_trip() -> None:
    for function in (add, Savings.worth, numbers, fact):
        once = driver.roundtrip(function)
        assert driver.roundtrip_source(once) == driver.roundtrip_source(function)


# -------------------------------------------------------------------------------------------- what is seen


def test_tracebacks_and_the_source_map(tmp_path: Path) -> None:
    def divide(a: int, b: int) -> float:
        c = a + 1
        return c / b

    for path in (None, tmp_path / "divide.py"):
        made = driver.roundtrip(divide, path=path)
        try:
            made(1, 0)
        except ZeroDivisionError as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
        assert last.line == "return c / b"
        found = driver.source_map(made)
        assert found is not None and last.lineno is not None
        place = found.place(last.lineno)
        assert place is not None and place[0] == __file__
        assert linecache.getline(place[0], place[1].line).strip() == "return c / b"


def test_the_entry_dies_with_the_function() -> None:
    made = driver.roundtrip(fact)
    file = made.__code__.co_filename
    assert file in linecache.cache
    del made
    gc.collect()
    assert file not in linecache.cache


def test_swap() -> None:
    old = Account.worth.__code__
    try:
        stored = pickle.dumps(Account.worth)
        function = Account.worth
        driver.swap(Account.worth, driver.roundtrip(Account.worth))
        assert Account.worth is function and Account.worth.__code__ is not old
        assert pickle.loads(stored) is function and Account(1).worth() == 7
    finally:
        Account.worth.__code__ = old


# -------------------------------------------------------------------------------------------- programs


def test_a_residual_program() -> None:
    def original(a: int, b: int = 7) -> int:
        """Doc."""
        return a * b

    def left(b: int) -> int:
        return 3 * b

    program = lower(left).program
    made = driver.load_residual(program, original, Signature(regular=("b",)))
    assert made() == 21 and made(2) == 6
    assert (made.__name__, made.__doc__) == ("original", "Doc.")
    assert str(inspect.signature(made)) == "(b: 'int' = 7) -> 'int'"
    assert driver.load_residual(program, original)(4) == 12


def test_a_program_of_its_own() -> None:
    up, look = counter()
    program = lower(up).program
    cell = CellType(40)
    made = driver.load_program(program, {}, (cell,))
    assert made() == 41 and cell.cell_contents == 41 and look() == 0


# -------------------------------------------------------------------------------------------- continuations


def loops(n: int) -> list[object]:
    out: list[object] = []
    total = 0

    def note(x: int) -> None:
        nonlocal total
        total += x
        out.append((x, total))

    for i in range(n):
        try:
            for j in range(i):
                note(i * j)
                if j == 3:
                    raise KeyError(j)
        except KeyError as error:
            out.append(error.args)
        finally:
            out.append(i)
    out.append(total)
    return out


def deleting(n: int) -> list[int]:
    out = []
    for i in range(n):
        if i % 2:
            x = i
        elif i:
            out.append(x)
            del x
    return out


def test_a_continuation_of_a_loop() -> None:
    program = lower(fact).program
    block = next(block for block in program.main.blocks if any(op.name == "mul" for op in block.ops))
    index = next(i for i, op in enumerate(block.ops) if op.name == "mul")
    rest = driver.continuation(fact, block.id, index)
    assert sorted(rest.parameters) == ["n", f"value_{block.ops[index].args[1]}"]
    assert rest(6, 7) == 42
    with pytest.raises(TypeError, match="1 live-ins instead of 2"):
        rest(6)


def states(function: FunctionType, argument: int) -> Iterator[tuple[Program, Suspended]]:
    """Every stop of a run, in the entry."""
    program = lower(function).program
    for stop in range(10_000):
        state = suspend_at(program, stop, (argument,), globals=function.__globals__)
        if isinstance(state, Finished):
            return
        if state.function == program.entry:
            yield program, state


@pytest.mark.parametrize("function", [loops, deleting, fact], ids=lambda function: function.__name__)
def test_continuations_from_every_stop(function: FunctionType) -> None:
    expected = function(6)
    made: dict[tuple[int, int], driver.Resumption] = {}
    count = 0
    for _, state in states(function, 6):
        point = (state.block, state.index)
        if point not in made:
            made[point] = driver.continuation(function, *point)
        assert made[point].resume(state) == expected, point
        count += 1
    assert count >= 10


def test_continuations_of_a_generator() -> None:
    def drive(generator: Generator[int, int, str], seen: list[object]) -> list[object]:
        try:
            item = next(generator)
            while True:
                seen.append(item)
                item = generator.send(len(seen))
        except StopIteration as end:
            seen.append(end.value)
        return seen

    def answer(seen: list[object], item: object) -> int:
        seen.append(item)
        return len(seen)

    program = lower(numbers).program
    expected = drive(numbers(3), [])
    for stop in range(1000):
        seen: list[object] = []
        on_yield = functools.partial(answer, seen)
        state = suspend_at(program, stop, (3,), globals=globals(), on_yield=on_yield)
        if isinstance(state, Finished):
            break
        rest = driver.continuation(numbers, state.block, state.index)
        assert drive(rest.resume(state), seen) == expected, stop
    assert stop > 20


def test_a_continuation_of_a_nested_function() -> None:
    program = lower(counter).program
    (inner,) = [function for function in program.functions if function.name.endswith("up")]
    rest = driver.continuation(counter, 0, 0, function=inner.name)
    cell = CellType(5)
    assert rest.parameters == ("count",)
    assert rest(cell) == 6 and cell.cell_contents == 6


def lambdas_in_a_loop(xs: list[int]) -> object:
    out = []
    for x in xs:
        out += [(lambda: y) for y in [x, x + 1] if (z := y)]  # noqa: B023
    return [call() for call in out], z


def test_a_captured_variable_that_a_loop_makes_anew_is_refused() -> None:
    """Printed as one variable of the function, its closures would all see the last value."""
    with pytest.raises(UnsupportedError, match="FT301"):
        driver.roundtrip(lambdas_in_a_loop)
