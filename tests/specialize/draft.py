"""The state of a random program while it is written, and the weighted choice among productions.

    draft = Draft(random.Random(7))        draft.expr("int")        ->        '(i0 + len(xs))'

A production is a row: the kind of thing that it makes, the feature that it counts as, a weight, and a function from
the draft to text (expressions) or to emitted lines (statements).  Kinds are what a value probably is; a program may
still give another type at run time, and then it raises, which is behaviour like any other.

Invariant: whatever a production writes ends: it grows values by bounded amounts inside loops, and iterates over
bounded things only.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

__all__ = ["EXPRESSIONS", "KINDS", "STATEMENTS", "ClassInfo", "Draft", "FunctionInfo", "Row", "expression", "statement"]

KINDS: Final = ("int", "float", "bool", "str", "list", "dict", "set", "tuple", "rows", "obj", "any")
PREFIX: Final = {
    "int": "i",
    "float": "x",
    "bool": "b",
    "str": "s",
    "list": "xs",
    "dict": "d",
    "set": "u",
    "tuple": "t",
    "rows": "rows",
    "obj": "o",
    "any": "v",
    "func": "fn",
}
LEAVES: Final = {
    "int": ("0", "1", "2", "3", "5", "7", "-1", "10", "True"),
    "float": ("0.5", "1.0", "-0.0", "2.5", "1e3", "0.0"),
    "bool": ("True", "False"),
    "str": ("''", "'a'", "'ab'", "'x,y'", "'b1'", "'abca'"),
    "list": ("[]", "[1]", "[1, 2, 3]", "[3, 1, 2]", "[0, True, 1.0]", "['a', 'b']"),
    "dict": ("{}", "{'a': 1}", "{'a': 1, 'b': 2}", "{1: 2, 'k': 3}"),
    "set": ("set()", "{1, 2}", "{1, True, 3}"),
    "tuple": ("()", "(1,)", "(1, 2)", "(2, 'a', 0.5)", "(1, (2, 3))"),
    "rows": ("[[1], [2, 3]]", "[[], [0]]"),
    "any": ("None", "1", "'a'", "0.5", "(1, 2)", "...", "b'z'"),
}
WILD: Final = 0.015
"""How often an expression of a wrong kind stands where another is expected: these programs raise."""


PLAIN: Final = ("int", "float", "bool", "str", "any")


GROWS: Final = re.compile(
    r"append|extend|insert|push|(?:xs\d+|items|rows\d+|TABLE\d+)\S* [+*]= |\.step|\.twice|:[^]]*\] = |with |yield"
    r"|\b(?:helper|recur|even|odd|produce|maker|wrapped|fn|func|o|Box|Local)\d+\(| [+] o\d"
)
"""Text that may make a list longer, perhaps the one that a loop is walking along."""


class Missing(Exception):
    """A production needs a variable of a kind that does not exist here."""


@dataclass(frozen=True, slots=True)
class Row:
    """One production."""

    feature: str
    weight: int
    make: Callable[[Draft], str]
    calm: bool = True
    """False: may double the size of a value, so not allowed in loops."""


@dataclass(frozen=True, slots=True)
class Deed:
    """One production of statements; `size` is the number of lines that it needs at least."""

    feature: str
    weight: int
    make: Callable[[Draft], None]
    size: int = 1


EXPRESSIONS: Final[dict[str, list[Row]]] = {kind: [] for kind in (*KINDS, "func", "cond", "iter")}
STATEMENTS: Final[list[Deed]] = []


def expression(kind: str, feature: str, weight: int, make: Callable[[Draft], str], *, calm: bool = True) -> None:
    """Add a row to the table of expressions of `kind`."""
    EXPRESSIONS[kind].append(Row(feature, weight, make, calm))


def statement(feature: str, weight: int, size: int = 1) -> Callable[[Callable[[Draft], None]], Callable[[Draft], None]]:
    """Add the decorated function to the table of statements."""

    def register(make: Callable[[Draft], None]) -> Callable[[Draft], None]:
        STATEMENTS.append(Deed(feature, weight, make, size))
        return make

    return register


@dataclass(frozen=True, slots=True)
class ClassInfo:
    """A class of the program: what may be done with its instances."""

    name: str
    methods: tuple[str, ...]
    dunders: frozenset[str]
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionInfo:
    """A function of the program: how to call it, and what it gives."""

    name: str
    arguments: tuple[str, ...]
    gives: str
    generator: bool = False
    extra: str = ""
    """A keyword-only argument that it also takes."""


@dataclass(slots=True)
class Draft:
    """Everything that productions read and write."""

    rng: random.Random
    features: Counter[str] = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)
    indent: int = 0
    budget: int = 30
    """Lines left."""
    depth: int = 3
    """Levels that an expression may still nest."""
    loops: int = 0
    trips: int = 60
    """Product of the trips of loops that may still be nested here."""
    names: dict[str, list[str]] = field(default_factory=dict)
    frozen: set[str] = field(default_factory=set)
    """Names that must not be assigned: counters, parameters of comprehensions."""
    loop: bool = False
    handler: bool = False
    kind_of: str = "function"
    functions: list[FunctionInfo] = field(default_factory=list)
    classes: list[ClassInfo] = field(default_factory=list)
    managers: list[str] = field(default_factory=list)
    errors: list[str] = field(
        default_factory=lambda: ["ValueError", "KeyError", "IndexError", "TypeError", "ZeroDivisionError"]
    )
    globals: dict[str, list[str]] = field(default_factory=dict)
    extras: dict[str, list[Callable[[Draft], str]]] = field(default_factory=dict)
    """Expressions by kind that the parts of this module make possible."""
    deeds: list[Callable[[Draft], None]] = field(default_factory=list)
    """Statements of the same."""
    tweaks: list[str] = field(default_factory=list)
    """Calls that change the module from outside, between two calls of the target."""
    declared: set[str] = field(default_factory=set)
    nested: int = 0
    serial: int = 0

    # choices -------------------------------------------------------------------------------------------------
    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def pick(self, *options: str) -> str:
        return options[int(self.rng.random() * len(options))]

    def number(self, low: int, high: int) -> int:
        return low + int(self.rng.random() * (high - low + 1))

    def use(self, feature: str) -> None:
        self.features[feature] += 1

    # names ---------------------------------------------------------------------------------------------------
    def fresh(self, kind: str) -> str:
        self.serial += 1
        return f"{PREFIX.get(kind, kind)}{self.serial}"

    def have(self, kind: str) -> list[str]:
        return self.names.get(kind, [])

    def add(self, kind: str, name: str) -> None:
        known = self.names.setdefault(kind, [])
        if name not in known:
            known.append(name)

    def writable(self, kind: str) -> list[str]:
        return [name for name in self.have(kind) if name not in self.frozen]

    def target(self, kind: str) -> str:
        """A name to be assigned: an old one, or a new one.  Call `add` once the assignment is written."""
        old = self.writable(kind)
        if old and self.chance(0.6):
            return self.pick(*old)
        return self.fresh(kind)

    def var(self, kind: str) -> str:
        """A variable of this kind; of numbers and text a leaf if there is none."""
        known = self.have(kind)
        if known:
            return self.pick(*known)
        if kind in PLAIN or self.chance(WILD / 3):
            return self.leaf(kind)
        raise Missing(kind)

    def leaf(self, kind: str) -> str:
        if kind == "iter":
            return self.leaf("list") + "[:5]"
        if kind == "cond":
            kind = "bool"
        known = self.have(kind)
        if known and self.chance(0.75):
            return self.pick(*known)
        if kind == "obj" and self.classes:
            return f"{self.pick(*(c.name for c in self.classes))}({self.number(0, 4)})"
        if kind == "func":
            return "abs"
        return self.pick(*LEAVES.get(kind, LEAVES["any"]))

    def walked(self, source: str, body: str) -> str:
        """What a loop with this body may iterate over: the list itself if the body does not make lists longer."""
        bare = source.removesuffix("[:5]")
        if bare == source or not bare.replace(".", "").isalnum() or GROWS.search(body) or self.chance(0.2):
            return source
        return bare

    @contextmanager
    def bound(self, *pairs: tuple[str, str]) -> Iterator[None]:
        """Inside, the names of the (kind, name) pairs exist and are not assigned."""
        saved = {kind: list(known) for kind, known in self.names.items()}
        frozen = set(self.frozen)
        for kind, name in pairs:
            self.add(kind, name)
            self.frozen.add(name)
        yield
        self.names, self.frozen = saved, frozen

    # expressions ---------------------------------------------------------------------------------------------
    def expr(self, kind: str) -> str:
        """A random expression, probably of this kind."""
        if self.chance(WILD) and kind in KINDS:
            self.use("wrong type")
            kind = self.pick(*KINDS)
        rows = EXPRESSIONS.get(kind, ())
        if self.depth <= 0 or not rows or self.chance(0.2):
            return self.leaf(kind)
        self.depth -= 1
        try:
            row = self.choose(rows)
            text = row.make(self)
        except Missing:
            return self.leaf(kind)
        finally:
            self.depth += 1
        self.use(row.feature)
        return text

    def choose(self, rows: list[Row]) -> Row:
        allowed = rows if not self.loops else [row for row in rows if row.calm]
        return self.rng.choices(allowed, [row.weight for row in allowed])[0]

    def i(self) -> str:
        return self.expr("int")

    def s(self) -> str:
        return self.expr("str")

    def xs(self) -> str:
        return self.expr("list")

    def cond(self) -> str:
        return self.expr("cond")

    def some(self) -> str:
        return self.expr(self.pick("int", "int", "float", "str", "tuple", "bool", "any"))

    def fuel(self) -> str:
        """A small bound of a recursion, known or not."""
        return self.pick("2", "3", f"({self.leaf('int')} & 3)", f"min({self.leaf('int')}, 3)")

    def call(self, function: FunctionInfo) -> str:
        """A call that fits the function's signature: positions, keywords, stars."""
        arguments = [self.fuel() if kind == "fuel" else self.expr(kind) for kind in function.arguments]
        if function.extra and self.chance(0.5):
            self.use("keyword argument")
            arguments.append(f"{function.extra}={self.i()}")
        elif len(arguments) > 1 and self.chance(0.12):
            self.use("star call")
            return f"{function.name}(*({', '.join(arguments)},))"
        return f"{function.name}({', '.join(arguments)})"

    # statements ----------------------------------------------------------------------------------------------
    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)
        self.budget -= 1

    def block(self, count: int) -> None:
        """An indented block of up to `count` statements, at least one line."""
        self.indent += 1
        before = len(self.lines)
        names = {kind: list(known) for kind, known in self.names.items()}
        for _ in range(count):
            if self.budget <= 0:
                break
            self.statement()
        if len(self.lines) == before:
            self.line("pass")
        if not self.chance(0.12):
            self.names = names
        elif self.names != names:
            self.use("maybe unbound")
        self.indent -= 1

    def statement(self) -> None:
        room = self.budget if self.indent < 6 else 1
        rows = [row for row in STATEMENTS if row.size <= room]
        row = self.rng.choices(rows, [row.weight for row in rows])[0]
        before = len(self.lines)
        self.depth = self.number(1, 3)
        with suppress(Missing):
            row.make(self)
        if len(self.lines) > before:
            self.use(row.feature)
