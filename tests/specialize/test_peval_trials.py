"""Small trials: what a partial evaluator for Python is usually tried on, none wrong, none a mere binding of arguments.

    power_recursion(x, n) with n=3    ->    x * x * x ...; operations folded > 0

Invariant: every trial compares with the original, ends, and folds operations.
"""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest

from .comparing import compare, observe
from .shape import branches, loops, operators
from .specializing import Residual, fallbacks, folded, left, source_of, specialize, words
from .table import integers, text


def tried(function: Any, inputs: Any, least: int = 1, **static: Any) -> Residual:
    """The residual, equal to the original, without fallback, with at least `least` operations folded."""
    residual = compare(lambda: (function, dict(static)), inputs, specialize)
    assert fallbacks(residual) == {}
    assert folded(residual) >= least
    assert static.keys() & words(residual) == set(), source_of(residual)
    return residual


# --- power ---


def power_for(x, n):
    result = 1
    for _ in range(n):
        result *= x
    return result


def power_while(x, n):
    result = 1
    while n:
        result *= x
        n -= 1
    return result


def power_recursion(x, n):
    if n == 0:
        return 1
    return x * power_recursion(x, n - 1)


def power_halving(x, n):
    if n == 0:
        return 1
    if n % 2 == 0:
        half = power_halving(x, n // 2)
        return half * half
    return x * power_halving(x, n - 1)


@pytest.mark.parametrize("n", [0, 1, 3, 8])
@pytest.mark.parametrize("function", [power_for, power_while, power_recursion], ids=lambda f: f.__name__)
def test_power(function: Any, n: int) -> None:
    residual = tried(function, lambda r: (r.choice([2, -1.5, 0, True, 10**20, "q"]),), n=n)
    source = source_of(residual)
    assert loops(source) == 0 and branches(source) == 0, source
    assert len(operators(source, ast.Mult)) == n, source


def test_power_by_halving() -> None:
    source = source_of(tried(power_halving, integers(1), n=10))
    assert len(operators(source, ast.Mult)) == 5, source  # x * 1, then 2, 4, 5 and 10 times x


# --- dot product ---


def dot_for(a, b):
    total = 0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def dot_generator(a, b):
    return sum(x * y for x, y in zip(a, b))


def dot_recursion(a, b, i=0):
    if i >= len(a):
        return 0
    return a[i] * b[i] + dot_recursion(a, b, i + 1)


def three_numbers(random: Any) -> tuple[Any, ...]:
    return ([random.choice([random.randint(-5, 5), 0.5]) for _ in range(random.choice([3, 3, 3, 2, 4]))],)


@pytest.mark.parametrize("a", [[], [2], [1, -2, 0.5]], ids=len)
@pytest.mark.parametrize("function", [dot_for, dot_generator], ids=lambda f: f.__name__)
def test_dot_product(function: Any, a: list[Any]) -> None:
    residual = tried(function, three_numbers, a=a)
    if function is dot_for:
        source = source_of(residual)
        assert loops(source) == 0 and len(operators(source, ast.Mult)) == len(a), source


@pytest.mark.parametrize("a", [[], [2], [1, -2, 0.5]], ids=len)
def test_dot_product_by_recursion(a: list[Any]) -> None:
    residual = compare(lambda: (dot_recursion, {"a": list(a), "i": 0}), three_numbers, specialize)
    assert fallbacks(residual) == {} and folded(residual) > 0
    assert words(residual) & {"a", "dot_recursion"} == set(), source_of(residual)
    residual = compare(
        lambda: (dot_recursion, {"a": list(a)}), lambda r: (*three_numbers(r), r.randint(0, 4)), specialize
    )
    assert folded(residual) > 0 or not a


# --- interpreters ---


def stack_interpreter(program, x):
    stack = []
    pc = 0
    while pc < len(program):
        op, arg = program[pc]
        pc += 1
        if op == "push":
            stack.append(arg)
        elif op == "x":
            stack.append(x)
        elif op == "add":
            b, a = stack.pop(), stack.pop()
            stack.append(a + b)
        elif op == "jump_if_zero":
            if stack.pop() == 0:
                pc = arg
        elif op == "jump":
            pc = arg
    return stack


STACK = [
    ("x", None), ("jump_if_zero", 4), ("push", 10), ("jump", 5), ("push", 20), ("x", None), ("add", None),
]  # fmt: skip


def accumulator_interpreter(program, x):
    acc, pc = 0, 0
    while pc < len(program):
        (op, arg), pc = program[pc], pc + 1
        if op == "add":
            acc += arg
        elif op == "input":
            acc += x
        elif op == "jump_if_positive" and acc > 0:
            pc = arg
        elif op == "negate":
            acc = -acc
    return acc


ACCUMULATOR = [("input", None), ("jump_if_positive", 3), ("negate", None), ("add", 5)]
COUNTDOWN = [("input", None), ("add", -1), ("jump_if_positive", 1), ("negate", None)]


def test_stack_interpreter_with_a_jump() -> None:
    residual = tried(stack_interpreter, integers(1, -1, 1), program=list(STACK))
    assert loops(source_of(residual)) == 0
    assert words(residual) & {"push", "pc", "op", "arg", "jump_if_zero"} == set(), source_of(residual)


@pytest.mark.parametrize(("program", "cycles"), [(ACCUMULATOR, 0), (COUNTDOWN, 1)])
def test_accumulator_interpreter_with_unpacking(program: list[Any], cycles: int) -> None:
    residual = tried(accumulator_interpreter, integers(1, -5, 9), program=list(program))
    assert loops(source_of(residual)) == cycles
    assert words(residual) & {"input", "pc", "op", "arg"} == set(), source_of(residual)


# --- regular expressions ---


def regex_match(pattern, string):
    if not pattern:
        return not string
    if len(pattern) > 1 and pattern[1] == "*":
        if regex_match(pattern[2:], string):
            return True
        return bool(string) and pattern[0] in (string[0], ".") and regex_match(pattern, string[1:])
    return bool(string) and pattern[0] in (string[0], ".") and regex_match(pattern[1:], string[1:])


@pytest.mark.parametrize("pattern", ["", "abc", "a.c", "ab*c", ".*", "a*b*"])
def test_regular_expressions(pattern: str) -> None:
    residual = compare(lambda: (regex_match, {"pattern": pattern}), text("abc", 6), specialize, rounds=30)
    assert fallbacks(residual) == {} and folded(residual) > 0
    assert "pattern" not in words(residual), source_of(residual)


# --- loops, names and results ---


def unknown_bound(limit, step):
    total = 0
    i = 0
    while i < limit:
        total += i
        i += step
    return total, i


@pytest.mark.parametrize("step", [1, 3])
def test_a_while_loop_with_an_unknown_bound_stays_one_loop(step: int) -> None:
    residual = compare(lambda: (unknown_bound, {"step": step}), integers(1, -2, 30), specialize)
    source = source_of(residual)
    assert fallbacks(residual) == {}
    assert loops(source) == 1 and "step" not in words(residual), source


def list_twice(n, x):
    values = [x] * n
    values.append(n)
    return values, values


def list_in_list(n, x):
    inner = [x]
    outer = [inner for _ in range(n)]
    outer[0].append(x)
    return outer, inner


def test_a_local_list_returned_twice_is_one_list() -> None:
    residual = tried(list_twice, integers(1), n=2)
    first, second = residual(5)
    assert first is second and residual(5)[0] is not first
    residual = tried(list_in_list, integers(1), n=3)
    outer, inner = residual(5)
    assert all(item is inner for item in outer)


def target_after_loop(values, x):
    for item in values:
        x += item
    return x, item


@pytest.mark.parametrize("values", [[1, 2, 3], [7], []], ids=len)
def test_the_target_of_a_for_loop_after_the_loop(values: list[int]) -> None:
    compare(lambda: (target_after_loop, {"values": list(values)}), integers(1), specialize)
    compare(lambda: (target_after_loop, {"x": 0}), lambda r: (r.choice([[1, 2], [], [5]]),), specialize)


def maybe_unbound(flag, x):
    if flag:
        value = x
    return value


def maybe_unbound_loop(n, x):
    while n > 0:
        value = x
        n -= 1
    return value + n


@pytest.mark.parametrize("static", [{"flag": 0}, {"flag": 1}, {"x": 3}, {}], ids=str)
def test_a_name_that_may_be_unbound(static: dict[str, int]) -> None:
    compare(lambda: (maybe_unbound, dict(static)), integers(2 - len(static), 0, 2), specialize)
    with pytest.raises(UnboundLocalError, match="'value'"):
        specialize(maybe_unbound, flag=0)(1)


@pytest.mark.parametrize("static", [{"n": 0}, {"n": 2}, {"x": 3}], ids=str)
def test_a_name_that_a_loop_may_leave_unbound(static: dict[str, int]) -> None:
    compare(lambda: (maybe_unbound_loop, dict(static)), integers(1, -1, 3), specialize)


# --- keys ---


def typed(x, y):
    return x, type(x), y


ALIKE = [1, True, 1.0, 0, False, 0.0, -0.0, (1,), (True,), (1.0,), (0.0,), (-0.0,), "1", b"1", None, math.nan, 1 + 0j]


@pytest.mark.parametrize("order", [1, -1], ids=["forwards", "backwards"])
def test_static_values_that_compare_equal_are_told_apart(order: int) -> None:
    residuals = [(value, specialize(typed, x=value)) for value in ALIKE[::order]]
    for value, residual in residuals:
        assert observe(residual(7)) == observe(typed(value, 7))


def merged(flag, other):
    """1, True, 1.0 and the zeros arrive at one place; what they are must survive the meeting."""
    if flag == 0:
        value = 1
    elif flag == 1:
        value = True
    elif flag == 2:
        value = 1.0
    elif flag == 3:
        value = 0.0
    elif flag == 4:
        value = -0.0
    else:
        value = other
    return value, [value], {value: flag}, value == 1


@pytest.mark.parametrize("other", [0, (1, 0.0), (True, -0.0)], ids=str)
def test_values_that_compare_equal_are_told_apart_where_they_meet(other: Any) -> None:
    compare(lambda: (merged, {"other": other}), lambda r: (r.randint(0, 5),), specialize, rounds=40)


def keyed(table, key):
    return table[key], table.get(key), key in table


def test_keys_of_a_static_table_keep_their_meaning() -> None:
    table = {1: "one", 0: "zero", "1": "text", None: "none", (1, 0): "pair"}
    keys = [1, True, 1.0, 0, False, -0.0, "1", None, (1, 0), (True, 0.0), 2, "2", [1], math.nan]
    compare(lambda: (keyed, {"table": dict(table)}), lambda r: (r.choice(keys),), specialize, rounds=60)


# --- globals ---

FACTOR = 3


def read_global(n, x):
    total = 0
    for _ in range(n):
        total += x * FACTOR
    return total


def plus(a, b):
    return a + b


def call_global(n, x):
    return plus(x, n)


def test_rebinding_a_global_between_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = tried(read_global, integers(1), n=2)
    assert residual(5) == 30
    monkeypatch.setitem(globals(), "FACTOR", 10)
    assert residual(5) == 100
    monkeypatch.setitem(globals(), "FACTOR", 3)
    assert residual(5) == 30


def test_rebinding_a_global_function_between_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = tried(call_global, integers(1), n=2)
    assert residual(5) == 7
    monkeypatch.setitem(globals(), "plus", lambda a, b: (a, b))
    assert residual(5) == (5, 2)


def call_builtin(values, x):
    return len(values) + x


def test_hiding_a_builtin_between_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = tried(call_builtin, integers(1), values=[1, 2, 3])
    assert residual(1) == 4
    monkeypatch.setitem(globals(), "len", lambda values: 100)
    assert residual(1) == 101


def test_a_residual_is_smaller_than_its_program() -> None:
    """What is left does not grow with the program's dispatch, only with what the program does."""
    short = specialize(stack_interpreter, program=[("x", None)])
    long = specialize(stack_interpreter, program=[("x", None), *[("jump", number) for number in range(2, 42)]])
    assert left(long) == left(short)
