"""Machines that are static objects and work on values of unknown class: a test keeps the position known, and what runs
where it fails is general code, which the specialized code does not suffer from.

Invariant: what is learned of loops in general code holds for general code alone.
"""

from __future__ import annotations

from typing import Any

import pytest

import futamura


class Interpreter:
    """Expressions over an environment, jumps, and a count of all steps that were ever made."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.pos = 0
        self.steps = 0

    def run(self, given: Any) -> Any:
        env = {"n": given}
        self.pos = 0
        while self.pos < len(self.program):
            op = self.program[self.pos]
            self.pos += 1
            self.count()
            if op[0] == "set":
                env[op[1]] = self.value(op[2], env)
            elif op[0] == "jz":
                if not self.value(op[1], env):
                    self.pos = op[2]
            elif op[0] == "jmp":
                self.pos = op[1]
            elif op[0] == "ret":
                return self.value(op[1], env)
        return None

    def count(self) -> None:
        pass

    def value(self, tree: Any, env: Any) -> Any:
        if isinstance(tree, str):
            return env[tree]
        if isinstance(tree, int):
            return tree
        name, left, right = tree
        left = self.value(left, env)
        right = self.value(right, env)
        if name == "+":
            return left + right
        if name == "*":
            return left * right
        if name == "<":
            return left < right
        return left - right


class Counting(Interpreter):
    def count(self) -> None:
        self.steps += 1


STRAIGHT = [("set", "i", "n"), ("set", "s", ("+", "i", 1)), ("set", "s", ("+", "s", ("*", "i", 2))), ("ret", "s")]
LOOP = [
    ("set", "i", "n"), ("set", "s", 0), ("jz", "i", 6), ("set", "s", ("+", "s", "i")), ("set", "i", ("-", "i", 1)),
    ("jmp", 2), ("ret", "s"),
]  # fmt: skip


class Told:
    """A number that moves the machine when it is added, twice."""

    def __init__(self, machine: Interpreter) -> None:
        self.machine = machine
        self.left = 2

    def __bool__(self) -> bool:
        return self.machine.pos < 5

    def __add__(self, other: Any) -> Any:
        if not self.left:
            raise OverflowError(self.machine.pos)
        self.left -= 1
        self.machine.pos += 1
        return 7

    __radd__ = __sub__ = __mul__ = __add__


@pytest.mark.parametrize("kind", [Interpreter, Counting])
@pytest.mark.parametrize("program", [STRAIGHT, LOOP])
def test_the_program_is_not_looked_at(kind: type[Interpreter], program: Any) -> None:
    machine, other = kind(program), kind(program)
    residual = futamura.specialize(machine.run)
    general = residual.source.index("_program") if "_program" in residual.source else len(residual.source)
    assert "is int" in residual.source[:general] or "is not _int" in residual.source[:general]
    for given in (0, 5, 2.0, True):
        assert residual(given) == other.run(given)
        assert vars(machine) == vars(other)
    assert observed(residual, machine) == observed(other.run, other)
    with pytest.raises(TypeError):
        residual("text")


def observed(run: Any, machine: Interpreter) -> Any:
    try:
        return run(Told(machine)), vars(machine)
    except Exception as error:
        return repr(error), vars(machine)


def test_general_code_calls_functions() -> None:
    """The function that evaluates expressions stands once in general code, and is unfolded in the specialized one."""
    residual = futamura.specialize(Interpreter(LOOP).run)
    assert not residual.stats["fallbacks"]
    assert len(residual.source.splitlines()) < 140
