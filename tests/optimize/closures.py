"""Random Python functions that define and call functions of their own: food for the passes over closures.

    closure_source(random.Random(7))     def f(t, a, b): ... def g1(x, y=2): ... return t(3, g1(a) + v1)

Nested functions read and rebind variables around them, have defaults, catch what `t` raises, return from loops, call
each other in tail position and elsewhere, recurse a few times, and are passed on at times, so that they escape.  `t`
records its arguments, and raises at times; every run ends.

Invariant: a function depends on the random source alone.
"""

from __future__ import annotations

import random
from typing import Final

__all__ = ["closure_source"]

_NAMES: Final = ("a", "b", "v0", "v1")


class _Writer:
    """Writes one function from top to bottom."""

    def __init__(self, number: random.Random) -> None:
        self.random: Final = number
        self.lines: Final[list[str]] = []
        self.functions: list[tuple[str, int]] = []
        """Nested functions that can be called here, with the number of their parameters."""
        self.count = 0

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def write(self) -> str:
        self.put(0, "def f(t, a, b):")
        self.put(1, "v0 = 0")
        self.put(1, "v1 = a")
        self.body(1, list(_NAMES), 3, top=True)
        self.put(1, f"return t(99, {self.expression(list(_NAMES))}, v0, v1)")
        return "\n".join(self.lines) + "\n"

    # ---------------------------------------------------------------- expressions

    def expression(self, names: list[str], depth: int = 2) -> str:
        match self.random.randrange(9 if depth else 3):
            case 0:
                return str(self.random.randrange(-2, 6))
            case 1 | 2:
                return self.random.choice(names)
            case 3 | 4:
                operator = self.random.choice(("+", "-", "*"))
                return f"({self.expression(names, depth - 1)} {operator} {self.expression(names, depth - 1)})"
            case 5:
                return f"t({self.random.randrange(9)}, {self.expression(names, depth - 1)})"
            case _:
                return self.call(names, depth - 1)

    def call(self, names: list[str], depth: int = 1) -> str:
        if not self.functions:
            return self.random.choice(names)
        name, count = self.random.choice(self.functions)
        given = [self.expression(names, depth) for _ in range(count)]
        match self.random.randrange(8):
            case 0 if count > 1:
                given[1] = f"p1={given[1]}"
            case 1 if count > 1:
                given.pop()  # the default, or a TypeError
            case 2:
                return f"t(7, {name})(*[{', '.join(given)}])" if self.random.random() < 0.5 else f"t(8, {name} is None)"
        return f"{name}({', '.join(given)})"

    # ---------------------------------------------------------------- statements

    def body(self, depth: int, names: list[str], size: int, top: bool = False) -> None:
        for _ in range(self.random.randrange(1, size + 2)):
            self.statement(depth, names, top)

    def statement(self, depth: int, names: list[str], top: bool) -> None:
        choice = self.random.randrange(12)
        deep = depth < 4
        if top and choice < 5 and deep:
            self.definition(depth, names)
        elif choice == 5 and deep:
            self.put(depth, f"if {self.expression(names)} > {self.random.randrange(4)}:")
            self.nested(depth + 1, names)
            if self.random.random() < 0.5:
                self.put(depth, "else:")
                self.nested(depth + 1, names)
        elif choice == 6 and deep:
            item = self.fresh("i")
            self.put(depth, f"for {item} in range({self.random.randrange(4)}):")
            self.nested(depth + 1, [*names, item])
        elif choice == 7 and deep:
            self.protected(depth, names)
        elif choice == 8:
            self.put(depth, f"t({self.expression(names)})")
        else:
            self.put(depth, f"{self.target(names)} {self.random.choice(('=', '=', '+='))} {self.expression(names)}")

    def target(self, names: list[str]) -> str:
        return self.random.choice([name for name in names if name not in ("a", "b")] or ["v0"])

    def nested(self, depth: int, names: list[str]) -> None:
        known = list(self.functions)
        self.body(depth, names, 2)
        self.functions = known

    def protected(self, depth: int, names: list[str]) -> None:
        self.put(depth, "try:")
        self.nested(depth + 1, names)
        if self.random.random() < 0.6:
            self.put(depth, f"except {self.random.choice(('ValueError', 'Exception'))}:")
            self.nested(depth + 1, names)
        else:
            self.put(depth, "finally:")
            self.put(depth + 1, f"t(50, {self.expression(names, 1)})")

    def definition(self, depth: int, names: list[str]) -> None:
        name = self.fresh("g")
        count = self.random.randrange(3)
        params = [f"p{at}" for at in range(count)]
        shown = list(params)
        if count > 1 and self.random.random() < 0.6:
            shown[1] = f"p1={self.expression(names, 1)}"
        recursive = count > 0 and self.random.random() < 0.3
        self.put(depth, f"def {name}({', '.join(shown)}):")
        if self.random.random() < 0.3:
            self.put(depth + 1, "nonlocal v0")
            inner = [*params, "a", "b", "v1", "v0"]
            targets = [*params, "v0"]
        else:
            inner = [*params, "a", "b", "v1"]
            targets = list(params)
        outer, self.functions = self.functions, list(self.functions)
        if recursive:
            self.put(depth + 1, f"if type(p0) is not int or not 0 < p0 < {self.random.choice((4, 9))}:")
            self.put(depth + 2, f"return {self.expression(inner)}")
        for _ in range(self.random.randrange(3)):
            if targets and self.random.random() < 0.5:
                self.put(depth + 1, f"{self.random.choice(targets)} = {self.expression(inner)}")
            else:
                self.inside(depth + 1, inner)
        if recursive:
            rest = "".join(f", {self.expression(inner, 1)}" for _ in range(count - 1))
            again = f"{name}(p0 - 1{rest})"
            self.put(depth + 1, f"return {again if self.random.random() < 0.7 else f'{again} + 1'}")
        elif self.random.random() < 0.4 and self.functions:
            self.put(depth + 1, f"return {self.call(inner)}")
        else:
            self.put(depth + 1, f"return {self.expression(inner)}")
        self.functions = [*outer, (name, count)]

    def inside(self, depth: int, names: list[str]) -> None:
        """A statement of a nested function."""
        match self.random.randrange(5):
            case 0:
                self.put(depth, "try:")
                self.put(depth + 1, f"return {self.expression(names)}")
                self.put(depth, "except ValueError as error:")
                self.put(depth + 1, f"t(60, {self.expression(names, 1)})")
            case 1:
                self.put(depth, f"if {self.expression(names, 1)} == {self.random.randrange(3)}:")
                self.put(depth + 1, f"return {self.expression(names)}")
            case 2:
                item = self.fresh("i")
                self.put(depth, f"for {item} in range({self.random.randrange(3)}):")
                self.put(depth + 1, f"if t(40, {item}) == {item}:")
                self.put(depth + 2, f"return {self.expression([*names, item])}")
            case _:
                self.put(depth, f"t({self.expression(names)})")


def closure_source(number: random.Random) -> str:
    """The source of one function `f(t, a, b)`."""
    return _Writer(number).write()
