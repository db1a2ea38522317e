"""Objects that hold the ones of the call before, in functions that call themselves: they are made when the residual
runs, and what only says how deep it is keeps no copy of the code for each depth.

    count(Env("n", env.find("n") + 1, env), x - 1)
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

import pytest

from .bounds import bounded
from .specializing import specialize


class Env:
    def __init__(self, name, value, outer):
        self.name = name
        self.value = value
        self.outer = outer

    def find(self, name):
        env = self
        while env is not None:
            if env.name == name:
                return env.value
            env = env.outer
        raise LookupError(name)


class Scope(dict):  # type: ignore[type-arg]
    def __init__(self, names, values, outer=None):
        self.update(zip(names, values))
        self.outer = outer


def count(env, x):
    if x <= 0:
        return env.find("n")
    return count(Env("n", env.find("n") + 1, env), x - 1)


def counted(n, x):
    return count(Env("n", n, None), x)


def scopes(env, x):
    if x <= 0:
        return env
    return scopes(Scope(["n"], [env["n"] + 1], env), x - 1)


def scoped(n, x):
    scope = scopes(Scope(["n"], [n]), x)
    found = []
    while scope is not None:
        found.append(scope["n"])
        scope = scope.outer
    return found


class Cell:
    def __init__(self, head, tail):
        self.head = head
        self.tail = tail


def collect(xs, at, out):
    if at >= len(xs):
        return out
    return collect(xs, at + 1, Cell(xs[at] * 2, out))


def collected(k, x):
    out = collect(range(x), 0, None)
    total = 0
    while out is not None:
        total = total * k + out.head
        out = out.tail
    return total


class Frame:
    def __init__(self, back, arg):
        self.back = back
        self.arg = arg


class Saving:
    """A machine that calls itself for each call, and keeps the frame of the caller in a variable."""

    def __init__(self, functions):
        self.functions = functions
        self.frame = None

    def call(self, name, arg):
        old = self.frame
        self.frame = Frame(old, arg)
        try:
            return self.evaluate(self.functions[name])
        finally:
            self.frame = old

    def evaluate(self, term):
        kind = term[0]
        if kind == "lit":
            return term[1]
        if kind == "arg":
            return self.frame.arg
        if kind == "callers":
            return self.frame.back.arg if self.frame.back else 0
        if kind == "if":
            return self.evaluate(term[2]) if self.evaluate(term[1]) else self.evaluate(term[3])
        if kind == "mul":
            return self.evaluate(term[1]) * self.evaluate(term[2])
        if kind == "add":
            return self.evaluate(term[1]) + self.evaluate(term[2])
        if kind == "sub":
            return self.evaluate(term[1]) - self.evaluate(term[2])
        return self.call(term[1], self.evaluate(term[2]))


class Popping(Saving):
    """The same with the frame of the caller in that of the callee."""

    def call(self, name, arg):
        self.frame = Frame(self.frame, arg)
        found = self.evaluate(self.functions[name])
        self.frame = self.frame.back
        return found


class Ending(Saving):
    """The same, also where an exception leaves."""

    def call(self, name, arg):
        self.frame = Frame(self.frame, arg)
        try:
            return self.evaluate(self.functions[name])
        finally:
            self.frame = self.frame.back


ARG, ONE = ("arg",), ("lit", 1)
FUNCTIONS = {
    "fact": ("if", ARG, ("mul", ARG, ("call", "fact", ("sub", ARG, ONE))), ONE),
    "sum": ("if", ARG, ("add", ("callers",), ("call", "sum", ("sub", ARG, ONE))), ("callers",)),
    "fib": (
        "if",
        ("sub", ARG, ONE),
        ("if", ARG, ("add", ("call", "fib", ("sub", ARG, ONE)), ("call", "fib", ("sub", ARG, ("lit", 2)))), ("lit", 0)),
        ONE,
    ),
}


def run(machine, name, x):
    vm = machine(FUNCTIONS)
    try:
        found = vm.call(name, x)
    except TypeError as error:
        found = str(error)
    frames = []
    frame = vm.frame
    while frame is not None:
        frames.append(frame.arg)
        frame = frame.back
    return found, frames


def straight(machine, functions, name, x):
    return machine(functions).call(name, x)


def ended(call: Any, x: Any) -> Any:
    try:
        return call(x)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("subject", [counted, scoped], ids=lambda subject: subject.__name__)
def test_environments(subject: Any) -> None:
    with bounded():
        residual = specialize(subject, n=7)
    assert not {"FT401", "FT406"} & {event.code for event in residual.events}
    for x in (0, 1, 5, 12, 2.5, True, -1, "a"):
        assert ended(residual, x) == ended(lambda x: subject(7, x), x)


def test_lists_of_cells() -> None:
    with bounded():
        residual = specialize(collected, k=3)
    assert not {"FT401", "FT406"} & {event.code for event in residual.events}
    for x in (0, 1, 9):
        assert residual(x) == collected(3, x)


@pytest.mark.parametrize("name", list(FUNCTIONS))
@pytest.mark.parametrize("machine", [Saving, Popping, Ending], ids=lambda machine: machine.__name__)
def test_machines_that_call_themselves(machine: Any, name: str) -> None:
    with bounded():
        residual = specialize(run, machine=machine, name=name)
    for x in (0, 1, 2, 6, None, "a", 2.0, True):
        assert ended(residual, x) == ended(lambda x: run(machine, name, x), x)


@pytest.mark.parametrize("machine", [Saving, Popping], ids=lambda machine: machine.__name__)
def test_nothing_is_left_of_the_program(machine: Any) -> None:
    residual = specialize(straight, machine=machine, functions=FUNCTIONS, name="fib")
    source = residual.source
    assert "evaluate" not in source and "kind" not in source and source.count(".arg = ") <= 3, source
    assert [residual(x) for x in range(9)] == [straight(machine, FUNCTIONS, "fib", x) for x in range(9)]


def test_what_is_only_compared_is_not_told_apart() -> None:
    """The names of linked environments are compared at run time: code for each name would be of no use."""
    residual = specialize(named, term=("call", "fact", ("var", "x")))
    assert "if env_1.name == 'n':" in residual.source and len(residual.source.splitlines()) < 90, residual.source
    for x in (0, 1, 5, 9):
        assert residual(x) == named(("call", "fact", ("var", "x")), x)


BODIES = {
    "fact": (
        "n",
        ("if", ("var", "n"), ("mul", ("var", "n"), ("call", "fact", ("sub", ("var", "n"), ("lit", 1)))), ("lit", 1)),
    )
}


def evaluate(term, env):
    kind = term[0]
    if kind == "lit":
        return term[1]
    if kind == "var":
        return env.find(term[1])
    if kind == "if":
        return evaluate(term[2], env) if evaluate(term[1], env) else evaluate(term[3], env)
    if kind == "mul":
        return evaluate(term[1], env) * evaluate(term[2], env)
    if kind == "sub":
        return evaluate(term[1], env) - evaluate(term[2], env)
    name, body = BODIES[term[1]]
    return evaluate(body, Env(name, evaluate(term[2], env), env))


def named(term, x):
    return evaluate(term, Env("k", 2, Env("x", x, None)))
