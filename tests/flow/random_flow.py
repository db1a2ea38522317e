"""Random flow-graph programs, random inputs, random splits of the inputs, and what a run of a program shows.

    random_program(7)  ->  text with blocks L0, L1 ..., inputs a, b, c; every variable is assigned before it is read

Half of the programs carry a counter that sends them to the exit when it is used up; the others may run for ever, and
runs without an end within their fuel are not compared.  Invariant: a seed gives one program.
"""

from __future__ import annotations

import contextlib
import io
import random
from dataclasses import dataclass

from futamura.frontend.flow.lowering import lower_flow
from futamura.frontend.flow.running import deep
from futamura.ir.graph import Program
from futamura.ir.interp import Failed, OutOfFuel, run_located
from futamura.ir.lists import literal

__all__ = ["Case", "Shown", "random_case", "shown"]

_INPUTS = ("a", "b", "c")
_OTHERS = ("u", "v", "w", "x")
_ALL = _INPUTS + _OTHERS
_LISTS = ("c", "w")


@dataclass(frozen=True)
class Case:
    """A program, which of its inputs are static with their values, and rounds of values for the others."""

    text: str
    static: dict[str, object]
    rounds: tuple[dict[str, object], ...]


@dataclass(frozen=True)
class Shown:
    """All that a run shows: what it printed, its result as a literal, or the exception; None: it did not end."""

    printed: str
    result: str | None
    error: tuple[str, str] | None


def random_case(seed: int) -> Case:
    r = random.Random(seed)
    text = _program(r)
    static = {name: _value(r, name) for name in _INPUTS if r.random() < 0.5}
    rounds = tuple({name: _value(r, name) for name in _INPUTS if name not in static} for _ in range(4))
    return Case(text, static, rounds)


def shown(program: Program, given: dict[str, object], fuel: int) -> Shown | None:
    """A run of a lowered program, seen from outside."""
    names = program.main.signature.names
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            result = deep(lambda: run_located(program, [given[name] for name in names], fuel=fuel))
    except OutOfFuel:
        return None
    except Failed as failed:
        cause = failed.__cause__
        return Shown(out.getvalue(), None, (type(cause).__name__, str(cause)))
    return Shown(out.getvalue(), literal(result), None)


def _integer(r: random.Random) -> object:
    return r.randint(-2, 5) if r.random() < 0.95 else r.choice([True, False])


def _list(r: random.Random) -> object:
    return tuple(r.choice([0, 1, 2, 3, "a", (), (1,)]) for _ in range(r.randint(0, 5)))


def _value(r: random.Random, name: str) -> object:
    """Lists for `c` and `w`, anything for `x`, numbers for all others; now and then something else."""
    if r.random() < 0.04:
        return r.choice(["a", "", True, (), 7])
    if name == "x":
        return r.choice([_integer, _list])(r)
    return _list(r) if name in _LISTS else _integer(r)


def _program(r: random.Random) -> str:
    count = r.randint(2, 9)
    counted = r.random() < 0.5
    lines = ["L0:", *(f"  read {name}" for name in _INPUTS)]
    for name in _OTHERS:
        lines.append(f"  {name} = {literal(_value(r, name))}")
    if counted:
        limit = r.choice(["6", "10", "a" if r.random() < 0.5 else "4"])
        lines.append(f"  fuel = {limit}")
    lines.append("  goto L1")
    for block in range(1, count):
        lines.append(f"L{block}:")
        if counted:
            lines += ["  fuel = fuel - 1", f"  if fuel > 0 then goto M{block} else goto end", f"M{block}:"]
        lines += [_statement(r) for _ in range(r.randint(0, 4))]
        lines.append(_end(r, count))
    lines += ["end:", f"  return {_expression(r, 1, r.choice('nlx'))}"]
    return "\n".join(lines) + "\n"


def _statement(r: random.Random) -> str:
    kind = r.random()
    if kind < 0.15:
        return f"  print {_expression(r, 1, r.choice('nlx'))}"
    target = r.choice(_ALL)
    sort = "x" if target == "x" or r.random() < 0.03 else "l" if target in _LISTS else "n"
    if kind < 0.3:
        return f"  {target} = {_name(r, sort)}"
    if kind < 0.55 and sort == "n":
        return f"  {target} = {target} {r.choice(['+', '-', '+'])} 1"
    if kind < 0.45 and sort == "l":
        return f"  {target} = cons({_name(r, 'n')}, {target})"
    return f"  {target} = {_expression(r, 2, sort)}"


def _end(r: random.Random, count: int) -> str:
    def label() -> str:
        return "end" if r.random() < 0.15 else f"L{r.randint(1, count - 1)}"

    kind = r.random()
    if kind < 0.25:
        return f"  goto {label()}"
    if kind < 0.93:
        return f"  if {_condition(r)} then goto {label()} else goto {label()}"
    return "  return" if kind < 0.95 else f"  return {_name(r, 'x')}"


def _condition(r: random.Random) -> str:
    if r.random() < 0.4:
        return r.choice([*_ALL, f"null({_name(r, 'l')})"])
    left, right = _name(r, "n"), r.choice([_name(r, "n"), "0", "1", "3"])
    return f"{left} {r.choice(['==', '!=', '<', '>', '<=', '>='])} {right}"


def _name(r: random.Random, sort: str) -> str:
    """A variable of a sort: "n" for numbers, "l" for lists, "x" for any."""
    if sort == "x" or r.random() < 0.03:
        return r.choice(_ALL)
    return r.choice(_LISTS) if sort == "l" else r.choice([name for name in _ALL if name not in (*_LISTS, "x")])


def _expression(r: random.Random, depth: int, sort: str) -> str:
    kind = r.random()
    if depth == 0 or kind < 0.3:
        return _name(r, sort) if r.random() < 0.7 else literal(_value(r, {"n": "a", "l": "c", "x": "x"}[sort]))
    if sort == "x":
        sort = r.choice("nl")
    if sort == "l":
        part = _expression(r, depth - 1, "l")
        if kind < 0.55:
            return f"cdr({part})"
        if kind < 0.8:
            return f"cons({_expression(r, depth - 1, 'n')}, {part})"
        return (
            f"[{_expression(r, depth - 1, 'n')}, {_expression(r, depth - 1, 'x')}]" if kind < 0.9 else f"({part}) + [1]"
        )
    if kind < 0.75:
        left, right = _expression(r, depth - 1, "n"), _expression(r, depth - 1, "n")
        return f"({left}) {r.choice(['+', '-', '*', '+', '-', '+', '-', '//', '%', '==', '<', '>='])} ({right})"
    if kind < 0.8:
        return f"-({_expression(r, depth - 1, 'n')})" if depth < 2 else f"(not {_expression(r, depth - 1, 'n')})"
    part = _expression(r, depth - 1, "l")
    return f"car({part})" if kind < 0.87 else f"null({part})" if kind < 0.93 else f"({part})[{_name(r, 'n')}]"


def lowered(text: str) -> Program:
    """The program of a text."""
    return lower_flow(text).program
