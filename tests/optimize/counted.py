"""Random functions with loops that count: what `closed-forms` makes sums of, and what only looks like it.

    counted_source(7)     def f(a, b, i, data): ...  while a != 0: xs[1] = xs[1] + 3 & 255; a = a - 1 & 255 ...

Counters are parameters, variables and places of a list that nobody else sees; they go up and down by small and by large
steps, with and without a mask or a remainder, to zero, to other numbers and to limits that are variables; the test
stands before or behind the round.  Steps are constants, and variables that the loop leaves alone or does not.  Places
are in range, below zero, or neither; some are the same place under two names.

Invariant: the source depends on the seed alone.  Not every run ends.
"""

from __future__ import annotations

import linecache
import random
from types import FunctionType
from typing import Any, Final

from futamura.frontend.python import lower
from futamura.ir.graph import Program
from futamura.optimize.shapes import Shape

__all__ = ["KNOWN", "TYPES", "arguments_of", "counted_function", "counted_program", "counted_source"]

KNOWN: Final = {("counted", "len"): len, ("counted", "str"): str, ("counted", "IndexError"): IndexError}
TYPES: Final = {"a": Shape("int"), "b": Shape("int"), "i": Shape("int"), "data": Shape("bytes")}
VARIABLES = ("a", "b", "c", "d")
LENGTH = 6


def counted_source(seed: int) -> str:
    """The text of a function `f(a, b, i, data)`."""
    return _Writer(random.Random(seed)).source()


def counted_function(seed: int) -> FunctionType:
    """The function, its text known to `linecache`."""
    source, file = counted_source(seed), f"<counted {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"__name__": "counted"}
    exec(compile(source, file, "exec"), namespace)
    made: FunctionType = namespace["f"]
    return made


def counted_program(seed: int) -> Program:
    return lower(counted_function(seed)).program


def arguments_of(seed: int) -> tuple[Any, ...]:
    """Arguments for a run: mostly small integers, where the list is looked at, and bytes."""
    number = random.Random(seed)
    a, b = (number.choice((0, 1, 2, 3, 5, 17, 255, 256, 257, 600, -1, -3, True, 2.0, 1 << 66)) for _ in range(2))
    if number.random() < 0.8:
        a, b = number.randrange(-4, 300), number.randrange(-4, 40)
    place = number.randrange(-3, 4) if number.random() < 0.8 else number.randrange(-9, 9)
    return a, b, place, bytes(number.randrange(256) for _ in range(3))


class _Writer:
    def __init__(self, number: random.Random) -> None:
        self.random = number
        self.lines: list[str] = []

    def source(self) -> str:
        self.line(1, f"xs = [0] * {LENGTH}")
        self.line(1, f"c = {self.random.choice(('0', '1', 'len(data)', '7', 'a'))}")
        self.line(1, f"d = {self.random.choice(('0', '3', 'data[0]', '-2', 'b'))}")
        for _ in range(self.random.randrange(1, 4)):
            self.statement(1)
        guarded = self.random.random() < 0.2
        if guarded:
            self.line(1, "try:")
        for _ in range(self.random.randrange(1, 4)):
            self.loop(1 + guarded, self.random.random() < 0.4)
            if self.random.random() < 0.5:
                self.statement(1 + guarded)
        if guarded:
            self.line(1, "except IndexError as error:")
            self.line(2, "return str(error), xs[0], xs[1], xs[2], a, c")
        self.line(1, "return a, b, c, d, i, xs[0], xs[1], xs[2], xs[3], xs[4], xs[5]")
        body = "\n".join(self.lines)
        return f"def f(a: int, b: int, i: int, data: bytes):\n{body}\n"

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def place(self) -> str:
        return f"xs[{self.random.choice(('0', '1', '2', '5', 'i', 'i + 1', 'i + 2', 'i - 1', '-1'))}]"

    def target(self) -> str:
        return self.random.choice(VARIABLES) if self.random.random() < 0.5 else self.place()

    def amount(self) -> str:
        return self.random.choice(("1", "1", "2", "3", "5", "-1", "-4", "256", "b", "d", "data[1]", "b - 1"))

    def masked(self, text: str) -> str:
        row = self.random.randrange(10)
        return f"({text}) {('& 255', '& 255', '& 15', '% 256', '% 10', '& 254', '& 65535', '', '', '')[row]}".rstrip()

    def change(self, depth: int, target: str, rows: int = 12) -> None:
        """Something that a round does to one of the variables or places."""
        row = self.random.randrange(rows)
        if row < 7:
            sign = self.random.choice("+-")
            self.line(depth, f"{target} = {self.masked(f'{target} {sign} {self.amount()}')}")
        elif row == 7:
            self.line(depth, f"{target} += {self.amount()}")
        elif row == 8:
            self.line(depth, f"{target} = {self.amount()}")
        elif row == 9:
            self.line(depth, f"{target} = {self.masked(f'{target} + {self.target()}')}")
        elif row == 10:
            self.line(depth, f"{target} = {target} * 3 & 255")
        else:
            self.line(depth, f"{target}, {self.target()} = {self.target()}, {target}")

    def statement(self, depth: int) -> None:
        if self.random.random() < 0.4:
            self.line(depth, f"{self.place()} = data[{self.random.randrange(3)}]")
        else:
            self.change(depth, self.target())

    def counting(self, counter: str) -> tuple[str, str]:
        """The step of a counter, and the test that goes on."""
        row = self.random.randrange(10)
        step = self.random.choice(("- 1", "- 1", "+ 1", "- 3", "+ 5", "- 2"))
        end = self.random.choice(("0", "0", "0", "1", "7", "b", "300"))
        if row < 6:
            mask = self.random.choice(("& 255", "& 255", "& 15", "% 256", "% 10", "% 7"))
            return f"{counter} = ({counter} {step}) {mask}", f"{counter} != {end}"
        compare = self.random.choice(("<", "<=", "!=") if "+" in step else (">", ">=", "!=", ">"))
        asks_truth = end == "0" and compare == "!=" and self.random.random() < 0.5
        return f"{counter} = {counter} {step}", counter if asks_truth else f"{counter} {compare} {end}"

    def loop(self, depth: int, nested: bool) -> None:
        counter = self.target()
        step, test = self.counting(counter)
        first = self.random.random() < 0.5
        self.line(depth, f"while {test}:" if first else "while True:")
        if first and self.random.random() < 0.1 and counter in VARIABLES:
            self.line(depth + 1, f"e = {counter}")
        plain = self.random.random() < 0.7
        targets = [self.target() for _ in range(self.random.randrange(0, 4))]
        for target in dict.fromkeys(targets) if plain else targets:
            if not plain or target != counter:
                self.change(depth + 1, target, 9 if plain else 12)
        if nested:
            self.loop(depth + 1, False)
        self.line(depth + 1, step)
        if not plain and self.random.random() < 0.4:
            self.change(depth + 1, self.target())
        if not first:
            self.line(depth + 1, f"if not ({test}):")
            self.line(depth + 2, "break")
