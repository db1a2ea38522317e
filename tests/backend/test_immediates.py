"""Constants of the entry test among the constants of the code: they are no free variables, and nothing else changes.

    specialize(power, n=3)    has `_power` for a constant; its text, lowered again, for a free name

Invariant: code with immediates is lowered, swapped and refused as code of the same text with cells is.
"""

from __future__ import annotations

import abc
import enum
import gc
import inspect
import types
import weakref

import pytest

import futamura
from futamura.driver import roundtrip
from futamura.errors import UnsupportedError
from futamura.frontend.python import lower
from futamura.ir.immediates import closure_of, fits, free_names, immediates_of


class Shape(metaclass=abc.ABCMeta):  # noqa: B024
    sides = 4

    def area(self, x: int, n: int) -> int:
        return x * n * self.sides


class Colour(enum.Enum):
    RED = 1


class Counted(type):
    def __hash__(cls) -> int:
        raise AssertionError("code of the program")


class Odd(metaclass=Counted):
    pass


def product(x: int, y: int) -> int:
    return x * y


def raised(x: int, n: int) -> int:
    return 1 if n == 0 else product(x, raised(x, n - 1))


def with_default(x: int, y: int = 2) -> int:
    return x + y


def twice(x: int) -> int:
    return CUBE(x) * 2


def bind() -> None:
    """Names of a module that binds some while it runs are read one by one at entry."""
    global bound
    bound = 1


CUBE = futamura.specialize(raised, n=3)


def test_constants_of_the_entry_test_are_no_free_variables() -> None:
    code = CUBE.function.__code__
    found = immediates_of(code)
    assert found is not None and "_raised" in found.cells and "_raised" not in code.co_freevars
    assert any(item is raised for item in code.co_consts)
    assert set(free_names(code)) == {*code.co_freevars, *found.cells}
    cells = dict(zip(free_names(code), closure_of(CUBE.function)))
    assert cells["_raised"].cell_contents is raised
    assert "raised is _raised" in inspect.getsource(CUBE.function)
    assert isinstance(hash(code), int)


def test_what_was_assumed_is_still_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CUBE(2) == 8
    monkeypatch.setitem(globals(), "raised", lambda x, n: 50)
    assert CUBE(2) == 100
    monkeypatch.undo()
    monkeypatch.setattr(product, "__code__", (lambda x, y: x + y).__code__)
    assert CUBE(2) == 7


def test_a_residual_is_lowered_again_with_its_constants() -> None:
    again = roundtrip(CUBE.function)
    assert again(3) == 27
    lowered = lower(CUBE.function)
    cells = dict(zip(lowered.program.main.free, lowered.closure))
    assert cells["_raised"].cell_contents is raised and len(cells) == len(lowered.closure)
    outer = futamura.specialize(twice)
    assert outer(2) == 16


def test_changed_code_is_refused() -> None:
    residual = futamura.specialize(raised, n=2)
    function = residual.function
    function.__code__ = function.__code__.replace(co_name="other")
    assert immediates_of(function.__code__) is None
    with pytest.raises(UnsupportedError):
        lower(function)


def test_what_fits_is_hashed_without_the_program_and_belongs_to_a_module() -> None:
    class Local:
        pass

    fitting = [int, Shape, Colour, len, raised, raised.__code__, types, Colour.__mro__, str.join]
    others = [with_default, Odd, Odd.__mro__, Local, (Local,), lambda: 1, [].append, Colour.RED, "text", 3, (1, 2), {}]
    assert [value for value in [*fitting, Shape.area] if not fits(value)] == []
    assert [value for value in others if fits(value)] == []


class Owner:
    def __init__(self) -> None:
        self.fast = futamura.specialize(self.run, n=2)

    def run(self, x: int, n: int) -> int:
        return raised(x, n)


def test_objects_that_keep_their_residuals_are_collected() -> None:
    owner = Owner()
    assert owner.fast(3) == 9
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None
