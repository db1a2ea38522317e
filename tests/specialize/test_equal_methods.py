"""Bound methods are compared by their function and their object.

    if mode == self.zero_page: ...       mode one of the machine's methods    ->    decided

Invariant: the object's own `==` is not asked.
"""

from __future__ import annotations

from typing import Any

import pytest

import futamura


class Unlike:
    """Its objects are equal to all there is, and have no hash."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, key: Any) -> None:
        self.key = key

    def __eq__(self, other: object) -> bool:
        return True

    def first(self) -> int:
        return 1

    def second(self) -> int:
        return 2

    def compared(self, name: str, x: Any) -> list[Any]:
        m = getattr(self, name)
        known = [m == self.first, m != self.second, m in (self.second, self.first), m not in [self.second]]
        others = [m == x, x != m, m == None, m == Unlike(self.key).first, m == Unlike.first]  # noqa: E711
        return [*known, *others]


def made_here(key: Any, name: str, x: Any) -> Any:
    return Unlike(key).compared(name, x)


def given(left: Any, right: Any, x: Any) -> Any:
    return left.first == right.first, left.first == left.second, left.first != right.second, left.first in [right.first]


def opened(left: Any, x: Any) -> Any:
    return left.first == x, x == left.first, left.first in (x,), left.first in (left.second, x)


@pytest.mark.parametrize("name", ["first", "second"])
def test_methods_of_objects_made_here(name: str) -> None:
    residual = futamura.specialize(made_here, 1, name)
    for x in (None, Unlike(1), Unlike.first, Unlike(1).first):
        assert residual(x) == made_here(1, name, x)
    assert " in " not in residual.source and "!=" not in residual.source.replace("!= m", "")


def test_methods_of_objects_that_are_given() -> None:
    one, other = Unlike(1), Unlike(1)
    for right in (one, other):
        residual = futamura.specialize(given, one, right)
        assert residual(None) == given(one, right, None)
        assert "first" not in residual.source
    residual = futamura.specialize(opened, one)
    for x in (one.first, other.first, one.second, one, None, Unlike.first):
        assert residual(x) == opened(one, x)


class Machine:
    """Its addressing modes are methods, kept in a table."""

    def __init__(self, memory: list[int], x: Any) -> None:
        self.memory, self.sum, self.pc = memory, x, 0
        self.table = {1: (self.add, self.immediate), 2: (self.add, self.zero_page), 3: (self.jump, self.immediate)}

    def immediate(self) -> int:
        self.pc += 1
        return self.memory[self.pc - 1]

    def zero_page(self) -> int:
        self.pc += 1
        return self.memory[self.pc - 1]

    def add(self, value: Any) -> None:
        self.sum += value

    def jump(self, value: int) -> None:
        if self.sum < 100:
            self.pc = value

    def run(self) -> Any:
        while code := self.memory[self.pc]:
            self.pc += 1
            function, mode = self.table[code]
            at = mode()
            function(self.memory[at] if mode == self.zero_page else at)
        return self.sum


def run(code: list[int], x: Any) -> Any:
    return Machine(list(code), x).run()


def test_a_machine_with_methods_in_a_table_is_compiled() -> None:
    code = [1, 3, 3, 0, 2, 1, 0]
    residual = futamura.specialize(run, code)
    assert "table" not in residual.source and "mode" not in residual.source
    assert [residual(x) for x in (-5, 7, 100, 99.5)] == [run(code, x) for x in (-5, 7, 100, 99.5)]
