"""Random Python functions for differential tests, and their observation.

    generate(Random(7))     ->      "def f(note, pick, boom):\\n    while pick():\\n        try:\\n ..."

A program takes three functions: `note(x)` appends to a trace and returns x, `pick()` gives the next random bit,
`boom(n)` notes n and raises every few times.  Programs use every control statement in every position that the
grammar allows, locals that may be unbound, `del`, closures, comprehensions, walrus, generators and matches.

Invariant: a program is a function of the seed, and its run of the seed's decisions; a run always ends, because
`pick` answers no after `LIMIT` decisions and `boom` raises `Exhausted` then.
"""

from __future__ import annotations

import ast
from random import Random
from typing import Any, Final

__all__ = ["Exhausted", "generate", "observe"]

LIMIT: Final = 120
NAMES: Final = ("a", "b", "c", "d")
ERRORS: Final = ("ValueError", "KeyError", "(KeyError, IndexError)", "Exception", "LookupError")


class Exhausted(Exception):
    """The run has used up its decisions."""


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.depth = 0
        self.loops = 0
        self.size = 0
        self.number = 0
        self.generator = random.random() < 0.2
        self.closures = random.random() < 0.3

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def tag(self) -> int:
        self.number += 1
        return self.number

    def name(self) -> str:
        return self.random.choice(NAMES)

    def expression(self, depth: int = 0) -> str:
        pick = self.random.random()
        if depth > 2 or pick < 0.25:
            return self.random.choice([self.name(), self.name(), f"note({self.tag()})", str(self.tag()), "pick()"])

        def sub() -> str:
            return self.expression(depth + 1)

        forms = [
            lambda: f"boom({self.tag()})",
            lambda: f"({sub()} and {sub()})",
            lambda: f"({sub()} or {sub()})",
            lambda: f"(({sub()} or {sub()}) and {sub()})",
            lambda: f"({sub()} if {sub()} else {sub()})",
            lambda: f"(not {sub()})",
            lambda: f"(note({sub()}) < {sub()} < note({sub()}))",
            lambda: f"({self.name()} := {sub()})",
            lambda: f"note([note({self.name()}) for {self.name()} in range({self.random.randrange(3)}) if {sub()}])",
            lambda: f"[({self.name()}, x) for x in (1, boom({self.tag()})) for y in note([x]) if note(y)]",
            lambda: f"{{x: note(x) for x in range(3) if {sub()}}}",
            lambda: f"list(note(x) for x in [1, {sub()}] if {sub()})",
            lambda: f"note(({sub()}, *note([{sub()}]), {sub()}))",
            lambda: f"note(f'{{{self.name()}!r}} {{note({self.tag()})}}')",
            lambda: f"({sub()} is {sub()})",
            lambda: f"note({sub()} == {sub()})",
            lambda: f"note(*[{sub()}], **{{}})",
        ]
        if self.generator:
            forms.append(lambda: f"(yield {sub()})")
        if self.closures:
            forms.append(lambda: f"(lambda: {self.name()})()")
            forms.append(lambda: f"(lambda x={sub()}: (x, {self.name()}))()")
        return self.random.choice(forms)()

    def block(self) -> None:
        self.depth += 1
        before = len(self.lines)
        for _ in range(self.random.choice((1, 1, 2, 3))):
            self.statement()
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def statement(self) -> None:
        self.size += 1
        compound = [self.if_, self.while_, self.for_, self.try_, self.try_, self.finally_, self.with_, self.match_]
        simple = [
            self.assign,
            self.assign,
            self.parallel,
            self.augmented,
            self.call,
            self.call,
            self.delete,
            self.jump,
            self.jump,
            self.raise_,
            self.unpack,
            self.assert_,
        ]
        if self.closures:
            simple.append(self.nested)
        deep = self.depth > 5 or self.size > 40
        self.random.choice(simple if deep or self.random.random() < 0.5 else compound)()

    def assign(self) -> None:
        targets = " = ".join(self.name() for _ in range(self.random.choice((1, 1, 2))))
        self.line(f"{targets} = {self.expression()}")

    def parallel(self) -> None:
        first, second = self.name(), self.name()
        self.line(self.random.choice([f"{first}, {second} = {second}, {first}", f"{first} = {second}"]))

    def unpack(self) -> None:
        self.line(f"{self.name()}, *{self.name()} = note([{self.expression()}, {self.expression()}])")

    def augmented(self) -> None:
        self.line(self.random.choice([f"{self.name()} += {self.expression()}", f"box[0] = {self.expression()}"]))

    def call(self) -> None:
        self.line(f"note({self.expression()})")

    def delete(self) -> None:
        self.line(f"del {self.name()}" if self.random.random() < 0.2 else f"boom({self.tag()})")

    def assert_(self) -> None:
        self.line(f"assert {self.expression()}, {self.expression()}")

    def jump(self) -> None:
        forms = [f"return {self.expression()}", "return"]
        if self.loops:
            forms += ["break", "continue", "break", "continue"]
        text = self.random.choice(forms)
        if self.random.random() < 0.6:
            self.line(f"if {self.expression()}:")
            self.line(f"    {text}")
        else:
            self.line(text)

    def raise_(self) -> None:
        text = self.random.choice(
            ["raise", f"raise ValueError({self.expression()})", f"raise KeyError({self.tag()}) from IndexError()"]
        )
        self.line(f"if {self.expression()}:")
        self.line(f"    {text}")

    def nested(self) -> None:
        name = self.name()
        self.line(f"def g(x={self.expression()}):")
        if self.random.random() < 0.5:
            self.line(f"    nonlocal {name}")
            self.line(f"    {name} = x")
        self.line(f"    return note({name})")
        self.line("g()")

    def if_(self) -> None:
        self.line(f"if {self.expression()}:")
        self.block()
        while self.random.random() < 0.3:
            self.line(f"elif {self.expression()}:")
            self.block()
        if self.random.random() < 0.5:
            self.line("else:")
            self.block()

    def loop(self) -> None:
        self.loops += 1
        self.block()
        self.loops -= 1
        if self.random.random() < 0.3:
            self.line("else:")
            self.block()

    def while_(self) -> None:
        self.line(self.random.choice(["while pick():", f"while {self.expression()} and pick():", "while True:"]))
        if self.lines[-1].endswith("while True:"):
            self.line(f"    if boom({self.tag()}): break")
        self.loop()

    def for_(self) -> None:
        self.line(f"for {self.name()} in range({self.random.randrange(4)}):")
        self.loop()

    def try_(self) -> None:
        self.line("try:")
        self.block()
        for _ in range(self.random.choice((1, 1, 2))):
            name = f" as {self.name()}" if self.random.random() < 0.5 else ""
            self.line(f"except {self.random.choice(ERRORS)}{name}:")
            self.block()
        if self.random.random() < 0.2:
            self.line("except:")
            self.block()
        if self.random.random() < 0.3:
            self.line("else:")
            self.block()
        if self.random.random() < 0.3:
            self.line("finally:")
            self.block()

    def finally_(self) -> None:
        self.line("try:")
        self.block()
        self.line("finally:")
        self.block()

    def with_(self) -> None:
        second = f", manager({self.tag()}, pick()) as {self.name()}" if self.random.random() < 0.3 else ""
        self.line(f"with manager({self.tag()}, pick()) as {self.name()}{second}:")
        self.block()

    def match_(self) -> None:
        self.line(f"match note([{self.expression()}, {self.expression()}]):")
        self.depth += 1
        patterns = [
            f"[{self.name()}, 1]",
            "[1 | 2, True]",
            f"[int() as {self.name()}, _]",
            f"[{self.name()}, *_]",
            "[*_, None]",
        ]
        for pattern in self.random.sample(patterns, 2):
            guard = f" if {self.expression()}" if self.random.random() < 0.5 else ""
            self.line(f"case {pattern}{guard}:")
            self.block()
        if self.random.random() < 0.5:
            self.line(f"case {self.name()}:")
            self.block()
        self.depth -= 1


def generate(random: Random) -> str:
    """The source of a random function `f(note, pick, boom, manager, box)`; it compiles."""
    while True:
        writer = _Writer(random)
        writer.line("def f(note, pick, boom, manager, box):")
        writer.depth = 1
        if random.random() < 0.8:
            writer.line("a, b, c, d = 1, 2, 0, [3]")
        for _ in range(4):
            writer.statement()
        writer.line("return a, b")
        if writer.generator:
            writer.line("yield")
        source = "\n".join(writer.lines) + "\n"
        try:
            compile(ast.parse(source), "<generated>", "exec")
        except SyntaxError:
            continue
        return source


class _Manager:
    def __init__(self, world: _World, tag: int, swallow: bool) -> None:
        self.world = world
        self.tag = tag
        self.swallow = swallow

    def __enter__(self) -> int:
        self.world.note(("enter", self.tag))
        return self.tag

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.world.note(("exit", self.tag, None if kind is None else kind.__name__))
        return self.swallow


class _World:
    """The functions that a program is given, and what they saw."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.trace: list[str] = []
        self.left = LIMIT

    def note(self, *values: Any) -> Any:
        self.trace.append(_describe(values[0] if len(values) == 1 else values))
        if len(self.trace) > 4 * LIMIT:
            raise Exhausted
        return values[0]

    def pick(self) -> bool:
        self.left -= 1
        return self.left > 0 and self.random.random() < 0.5

    def boom(self, tag: int) -> int:
        self.trace.append(f"boom {tag}")
        self.left -= 1
        if self.left < 0:
            raise Exhausted
        choice = self.random.randrange(8)
        if choice < 3:
            raise (ValueError, KeyError, IndexError)[choice](tag)
        return tag % 3


def _describe(value: Any) -> str:
    if isinstance(value, RecursionError):
        return "RecursionError"
    if isinstance(value, BaseException):
        return f"{type(value).__name__}{value.args!r}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(map(_describe, value))})"
    return repr(value) if isinstance(value, (int, str, dict, type(None))) else type(value).__name__


def _chain(error: BaseException) -> str:
    """An exception with what is behind it."""
    parts: list[str] = []
    step: BaseException | None = error
    while step is not None and len(parts) < 12:
        parts.append(f"{_describe(step)} cause={step.__cause__ is not None} suppress={step.__suppress_context__}")
        step = step.__context__
    return " <- ".join(parts)


def observe(function: Any, seed: int) -> list[str]:
    """The trace of one run, ending with its result or exception."""
    world = _World(seed)
    try:
        result = function(world.note, world.pick, world.boom, lambda tag, swallow: _Manager(world, tag, swallow), [0])
        if hasattr(result, "send"):
            return _drive(result, world)
        world.trace.append(f"returned {_describe(result)}")
    except Exception as error:
        world.trace.append(f"raised {_chain(error)}")
    return world.trace


def _drive(generator: Any, world: _World) -> list[str]:
    """Run a generator to its end, sending and throwing by the world's decisions.

    The context of what comes out is left out: a thrown exception gets it from whoever calls `throw`.
    """
    value: object = None
    for _ in range(LIMIT):
        try:
            choice = world.random.randrange(12) if value is not None else 5
            if choice == 0:
                got = generator.throw(ValueError("thrown"))
            elif choice == 1:
                generator.close()
                break
            else:
                got = generator.send(value)
        except Exception as error:
            world.trace.append(f"raised {_describe(error)} {_describe(getattr(error, 'value', None))}")
            break
        world.trace.append(f"yielded {_describe(got)}")
        value = 1
    return list(world.trace)  # before the generator is collected, which may run more of it
