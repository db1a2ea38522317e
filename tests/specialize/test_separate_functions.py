"""Long residuals in which little folds call functions of their own, where nothing would be gained by copies.

    power(s, t)     thirty calls of `normalized` with open arguments     ->  def normalized(...), once

Invariant: what is called so gives what the source gives, errors and effects included.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome

Number = tuple[int, int, int]


def normalized(sign: Any, digits: Any, exponent: Any, most: Any = 12) -> Number:
    if not digits:
        return (0, 0, 0)
    if digits < 0:
        sign, digits = 1 - sign, -digits
    while digits % 10 == 0:
        digits //= 10
        exponent += 1
    while digits >= 10**most:
        digits, rest = divmod(digits, 10)
        exponent += 1
        if rest > 5 or (rest == 5 and digits % 2):
            digits += 1
    return (sign, digits, exponent)


def added(a: Any, b: Any, most: Any = 12) -> Number:
    if a[2] < b[2]:
        a, b = b, a
    sign, digits, exponent = a
    other_sign, other_digits, other_exponent = b
    digits *= 10 ** (exponent - other_exponent)
    total = (-digits if sign else digits) + (-other_digits if other_sign else other_digits)
    return normalized(0, total, other_exponent, most)


def multiplied(a: Any, b: Any, most: Any = 12) -> Number:
    return normalized(a[0] ^ b[0], a[1] * b[1], a[2] + b[2], most)


def divided(a: Any, b: Any, most: Any = 12) -> Number:
    if not b[1]:
        raise ZeroDivisionError("division of a number by zero")
    shift = most + 2
    return normalized(a[0] ^ b[0], a[1] * 10**shift // b[1], a[2] - b[2] - shift, most)


def series(x: Any, y: Any) -> Any:
    square = multiplied(x, x)
    total = added(x, y)
    term = x
    term = divided(multiplied(term, square), (0, 6, 0))
    total = added(total, term)
    term = divided(multiplied(term, square), (1, 20, 0))
    total = added(total, term)
    term = divided(multiplied(term, square), (0, 42, 0))
    total = added(total, term)
    term = divided(multiplied(term, square), (1, 72, 0))
    total = added(total, term)
    term = divided(multiplied(added(term, y), square), added(x, y))
    return added(total, term)


class Board:
    """Its methods call each other with `self`, and with nothing else that is known."""

    def __init__(self, width: int, walls: set[tuple[int, int]]) -> None:
        self.width = width
        self.walls = walls
        self.asked = 0

    def free(self, x: Any, y: Any) -> bool:
        self.asked += 1
        if x < 0 or y < 0 or x >= self.width or y >= self.width:
            return False
        if (x + y) % 7 == 5 and x * y % 3 == 1:
            return False
        return (x, y) not in self.walls

    def around(self, x: Any, y: Any) -> int:
        count = 0
        for dx, dy in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
            if self.free(x + dx, y + dy):
                count += 1
            elif self.free(x + 2 * dx, y + 2 * dy):
                count += 2
        return count

    def score(self, x: Any, y: Any) -> Any:
        near = [self.around(x, y), self.around(x + 1, y), self.around(x, y + 1), self.around(x + 1, y + 1)]
        far = [self.around(x + 5, y), self.around(x - 5, y), self.around(x, y + 5), self.around(x, y - 5)]
        return near, far, sum(near) > sum(far), self.asked


def board() -> Board:
    return Board(9, {(1, 2), (4, 4), (5, 3)})


class Text:
    """Calls that raise, inside `try`."""

    def __init__(self, text: Any) -> None:
        self.text = text
        self.at = 0


def digit(text: Any, least: Any, most: Any) -> Any:
    if text.at >= len(text.text):
        raise EOFError(f"nothing at {text.at}")
    found = text.text[text.at]
    if not "0" <= found <= "9":
        raise ValueError(f"{found!r} at {text.at}")
    text.at += 1
    value = int(found)
    if value < least or value > most:
        raise ValueError(f"{value} is not in {least} to {most}")
    return value


def number(text: Any, least: Any = 0, most: Any = 9) -> Any:
    start = text.at
    try:
        return digit(text, least, most) * 10 + digit(text, 0, 9)
    except EOFError:
        text.at = start
        return digit(text, 0, 9)


def date(text: Any) -> Any:
    text = Text(text)
    found: list[Any] = []
    try:
        found.append((number(text), number(text)))
        found.append((number(text, 0, 1), number(text, 0, 3)))
        found.append((number(text, 0, 2), number(text, 0, 5), number(text, 0, 5)))
        found.append((number(text), number(text), number(text), number(text), number(text)))
        found.append((number(text), number(text), number(text), number(text), number(text)))
    except (EOFError, ValueError) as error:
        return found, text.at, str(error), type(error)
    finally:
        found.append("end")
    return found


def numbers() -> list[tuple[Any, ...]]:
    rng = random.Random(11)
    made = [(rng.randrange(2), rng.choice((0, rng.randrange(10**14))), rng.randrange(-9, 9)) for _ in range(40)]
    return [*zip(made[::2], made[1::2]), (made[0], None), ((0, "1", 2), made[1]), ((0, 1.5, 2), (1, 2, 3)), ((), ())]


CASES: dict[str, tuple[Callable[[], Callable[..., Any]], list[tuple[Any, ...]]]] = {
    "series": (lambda: series, numbers()),
    "score": (lambda: board().score, [*((x, y) for x in range(-3, 9, 2) for y in range(0, 9, 3)), (1.5, 2), ("a", 1)]),
    "date": (
        lambda: date,
        [(text,) for text in ("20240131235959" + "1" * 40, "2024", "20x", "", "2024999", None, ["1", "2"], "٣٤")],
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("long", [40, 400])
def test_separate_functions_do_what_the_source_does(name: str, long: int) -> None:
    made, inputs = CASES[name]
    residual = futamura.Specializer(budget=futamura.Budget(long=long))(made())
    assert residual.stats["specialized"] and residual.stats["fallbacks"] == {}
    original = made()
    for args in inputs:
        assert outcome(residual, *args) == outcome(original, *args), (args, residual.source)


def test_each_function_is_there_once() -> None:
    long = futamura.Specializer(budget=futamura.Budget(long=100_000))(series)
    short = futamura.Specializer(budget=futamura.Budget(long=250))(series)
    assert "FT407" not in long.stats["notes"]
    assert short.stats["notes"]["FT407"] >= 1
    assert long.source.count("\n") > short.source.count("\n") and long.source.count("while") > 6
    assert short.source.count("\n") < 80


@futamura.inline
def marked(x: Any, y: Any) -> Any:
    if x < y:
        return x + y * 2 + (x - y) % 7 - (x + y) // 3
    return x - y * 2 - (x - y) % 5 + (x + y) // 4 + 1


def marks(x: Any, y: Any) -> Any:
    return marked(x, y) + marked(x + 1, y) + marked(x, y + 1) + marked(marked(x, 2), marked(3, y))


def test_what_is_marked_is_unfolded() -> None:
    residual = futamura.Specializer(budget=futamura.Budget(long=20))(marks)
    assert "FT407" not in residual.stats["notes"] and residual.source.count("def ") == 1
    assert [residual(x, y) for x in range(9) for y in range(9)] == [marks(x, y) for x in range(9) for y in range(9)]


def run(program: tuple[tuple[str, int], ...], x: Any) -> Any:
    stack = [x]
    for name, operand in program:
        step(stack, name, operand)
    return stack


def step(stack: list[Any], name: str, operand: int) -> None:
    if name == "push":
        stack.append(operand)
    elif name == "add":
        stack.append(stack.pop() + stack.pop())
    elif name == "multiply":
        stack.append(stack.pop() * stack.pop())
    elif name == "copy":
        stack.append(stack[-1])
    else:
        raise ValueError(name)


def test_an_interpreter_that_folds_has_no_such_functions() -> None:
    program = (("copy", 0), ("push", 3), ("add", 0), ("add", 0)) * 60
    residual = futamura.Specializer(budget=futamura.Budget(long=20))(run, program)
    assert "FT407" not in residual.stats["notes"] and residual.source.count("def ") == 1
    assert residual(5) == run(program, 5)


def reader(x: int, k: int, m: int) -> Callable[[], int]:
    a = x * k + m
    b = (a * a - x * m + k) % 1009
    c = (a * b - m * x + k * b) % 1013
    d = (c * a - b * x + m * c - k) % 1019
    if x:
        y = d * 2
    return lambda: a + (y if x else 0) - b


def readers(x: int, k: int) -> int:
    t = 1
    t += reader(x, k, t)() - reader(k, x, t)() + reader(t, t, k)() - reader(k, t, x)()
    t += reader(x, k, t)() - reader(k, x, t)() + reader(t, t, k)() - reader(k, t, x)()
    return t % 10007


def test_what_fails_as_a_function_is_unfolded() -> None:
    residual = futamura.Specializer(budget=futamura.Budget(long=20))(readers)
    assert residual.stats["fallbacks"] == {} and residual.source.count("reader(") == 0
    assert [residual(x, y) for x in range(5) for y in range(5)] == [readers(x, y) for x in range(5) for y in range(5)]


def collatz(n: int, x: int, k: int) -> int:
    a = x * k + n
    b = (a * a - x * n + k) % 1009
    c = (a * b - n * x + k * b) % 1013
    d = (c * a - b * x + n * c - k) % 1019
    if n == 1:
        return d
    return collatz(n // 2 if n % 2 == 0 else 3 * n + 1, c, d) - b


def branching(n: int, x: int, k: int) -> int:
    a = x * k + n
    b = (a * a - x * n + k) % 1009
    c = (a * b - n * x + k * b) % 1013
    d = (c * a - b * x + n * c - k) % 1019
    return d if n <= 0 else branching(n - 1, c, d) - branching(n - 2, d, b)


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_a_recursion_under_known_control_is_unfolded() -> None:
    residual = futamura.specialize(collatz, 9)
    assert residual.source.count("collatz") == 1 and "// 2" not in residual.source
    assert residual(3, 4) == collatz(9, 3, 4)
    residual = futamura.specialize(branching, 14)
    assert "FT407" in residual.stats["notes"] and residual.source.count("\n") < 40
    assert residual(3, 4) == branching(14, 3, 4)
