"""Random programs that look things up in tables at open places, and go on as the item says.

    TABLE = {'a': ('int', 1), 2: ('str', None)}        def f(T, x, y, zs):
                                                           out = []; n = 0; d = {}
                                                           for x in zs:
                                                               v = T.get(x, ())
                                                               for w in v: ...

Keys count how often they are hashed and compared, or refuse it; tables are static inputs, globals of the module, or
made in the function.
"""

from __future__ import annotations

import linecache
import random
import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["Lookups", "lookups"]

HEAD = """\
log = []


class Key:
    def __init__(self, value):
        self.value = value

    def __hash__(self):
        log.append(("hash", self.value))
        return hash(self.value)

    def __eq__(self, other):
        log.append(("eq", self.value, other if isinstance(other, (int, str)) else type(other).__name__))
        return self.value == (other.value if isinstance(other, Key) else other)

    def __repr__(self):
        return f"Key({self.value!r})"


class Bad:
    def __hash__(self):
        raise ValueError("no hash")

    def __repr__(self):
        return "Bad()"


class Place:
    def __index__(self):
        log.append("index")
        return 1

    def __repr__(self):
        return "Place()"


class Item:
    def __init__(self, kind, n):
        self.kind = kind
        self.n = n

    def area(self, x):
        return x * self.n if self.kind == "a" else [x] * self.n

    def __repr__(self):
        return f"Item({self.kind!r}, {self.n!r})"


def helper(spec, x):
    if isinstance(spec, tuple):
        if spec[0] == "int":
            return int(x) + spec[1]
        return (spec, x)
    if isinstance(spec, dict):
        return {k: helper(v, x) for k, v in spec.items()}
    if isinstance(spec, list):
        return [helper(v, x) for v in spec]
    if spec == "a":
        return x
    return spec


def neg(x):
    return -x


def dbl(x):
    log.append("dbl")
    return x + x

"""
KEYS = ("'a'", "'b'", "'c'", "1", "2", "3", "0", "-1", "-2", "None", "('a', 1)", "('b', 2)", "True", "1.5")
SCALARS = ("'a'", "'b'", "'int'", "1", "2", "0", "True", "1.0", "None", "-1", "'x'", "-0.0", "b'q'")
INPUTS = (
    "'a'", "'b'", "1", "2", "True", "None", "0", "-1", "-2", "1.0", "'zz'", "[1]", "Key('a')", "Key(1)", "Bad()",
    "Place()", "('a', 1)", "3", "slice(0, 1)", "1.5", "float('nan')",
)  # fmt: skip
KINDS = ("scalar", "str", "int", "tuple", "function", "called", "dict", "list", "object", "mixed")


class Lookups(NamedTuple):
    """A program: its function, its static table, inputs for the rest, and what its keys have written down."""

    source: str
    function: Callable[..., Any]
    table: Any
    inputs: list[tuple[Any, ...]]
    log: list[Any]


class _Writer:
    def __init__(self, random_: random.Random) -> None:
        self.random = random_
        self.kind = random_.choice(KINDS)
        self.table = random_.choice(("dict", "dict", "dict", "list", "tuple"))

    def item(self, kind: str) -> str:
        pick = self.random.choice
        if kind == "scalar":
            return pick(SCALARS)
        if kind == "str":
            return pick(("'a'", "'b'", "'c'", "'int'"))
        if kind == "int":
            return pick(("0", "1", "2", "3"))
        if kind == "tuple":
            return f"({pick(('int', 'str', 'a'))!r}, {pick(SCALARS)})"
        if kind == "function":
            return pick(("neg", "dbl", "str", "len"))
        if kind == "called":
            return f"({pick(('neg', 'dbl', 'str'))}, {pick(SCALARS)})"
        if kind == "dict":
            return f"{{'type': {pick(('1', '2'))!r}, 'n': {pick(SCALARS)}}}"
        if kind == "list":
            return "[" + ", ".join(self.item(pick(("tuple", "str"))) for _ in range(pick((0, 1, 2, 3)))) + "]"
        if kind == "object":
            return f"Item({pick('ab')!r}, {pick('0123')})"
        return self.item(pick(("scalar", "tuple", "dict", "list")))

    def contents(self) -> str:
        count = self.random.randint(0, 9)
        if self.table == "dict":
            return "{" + ", ".join(f"{key}: {self.item(self.kind)}" for key in self.random.sample(KEYS, count)) + "}"
        items = ", ".join(self.item(self.kind) for _ in range(max(count, 1)))
        return f"[{items}]" if self.table == "list" else f"({items},)"

    def lookup(self, table: str, key: str, name: str) -> list[str]:
        way = self.random.randint(0, 5)
        if way == 4:
            error = self.random.choice(("KeyError", "LookupError", "Exception"))
            return [
                f"try: {name} = {table}[{key}]",
                f"except {error} as e:",
                f"    out.append(type(e).__name__); {name} = None",
            ]
        if self.table != "dict" or way == 5:
            return [f"{name} = {table}[{key}]"]
        if way == 0:
            return [f"{name} = {table}.get({key})"]
        if way == 1:
            return [f"{name} = {table}.get({key}, {self.random.choice(('None', repr('a'), '()', '[]', '0'))})"]
        if way == 2:
            return [f"if {key} {self.random.choice(('in', 'not in'))} {table}: n += 1", f"{name} = {table}[{key}]"]
        return [f"if {key} not in {table}: {name} = None", f"else: {name} = {table}[{key}]"]

    def use(self, name: str) -> list[str]:
        wanted = self.random.choice(("'a'", "'int'", "1", "'b'", "None", "2", "0"))
        uses = [
            [f"if {name} == {wanted}: out.append(('eq', x))", f"else: out.append(('ne', {name}))"],
            [f"if {name} in ('a', 'int', 1): out.append(y)", f"elif {name} is None: out.append('none')"],
            [f"out.append(helper({name}, x))"],
            [f"if isinstance({name}, str): n += 1", f"elif isinstance({name}, tuple): n += 2"],
            [f"if {name} == {wanted}: return (out, n)"],
            [f"out.append({name})"],
            [f"if not {name}: n += 10", f"d[{name} if isinstance({name}, (str, int)) else 'o'] = n"],
        ]
        if self.kind in ("tuple", "called"):
            uses.append(
                [
                    f"p, q = {name}",
                    "if p == 'int': out.append((q, x))",
                    "elif callable(p): out.append(p(x) if isinstance(x, int) else q)",
                    "else: out.append((p, q))",
                ]
            )
        if self.kind == "dict":
            uses.append([f"if {name}['type'] == '1': out.append({name}['n'])", f"else: out.append({name}.get('z', x))"])
        if self.kind in ("list", "tuple", "dict"):
            uses.append([f"for w in {name}:", "    if w == 'a': out.append(x)", "    else: out.append(w)"])
        if self.kind == "list":
            uses.append([f"if {name} and x == 1: {name}.append(n)", f"out.append(len({name}))"])
        if self.kind == "function":
            uses.append([f"out.append({name}(x))"])
        if self.kind == "object":
            uses.append([f"out.append({name}.area(x))", f"if {name}.kind == 'a': n += {name}.n"])
        return self.random.choice(uses)

    def source(self) -> tuple[str, str]:
        """The program, and its table if that is an input."""
        pick = self.random.choice
        where = pick(("global", "local", "input", "input"))
        contents = self.contents()
        lines = [f"TABLE = {contents}"] if where == "global" else []
        lines += ["def f(T, x, y, zs):", "    out = []; n = 0; d = {}"]
        if where == "local":
            lines.append(f"    T = {contents}")
        table = "TABLE" if where == "global" else "T"
        key = pick(("x", "y", "(x, 1)", "('a', y)")) if self.table == "dict" else pick(("x", "y", "len(zs) % 2"))
        loop = pick(("", "", "for x in zs:", "while n < 7 and len(out) < 9:", "for x in ('a', y, 1):"))
        body = ["n += 1"] if loop.startswith("while") else []
        body += self.lookup(table, key, "v")
        for _ in range(self.random.randint(1, 3)):
            body += self.use("v")
        if self.random.random() < 0.4:
            body += [*self.lookup(table, pick(("y", "v")), "w2"), *self.use("w2"), *self.use("v")]
        if self.random.random() < 0.3:
            body.append("out.append((v, n))")
        if loop:
            lines += [f"    {loop}", *(f"        {line}" for line in body), "    return (out, n, d)"]
        else:
            lines += [*(f"    {line}" for line in body), "    return (out, n, d, v)"]
        return "\n".join(lines) + "\n", contents if where == "input" else "None"


def lookups(seed: int, count: int = 14) -> Lookups:
    """The program of a seed, with so many inputs."""
    chance = random.Random(seed)
    text, table = _Writer(chance).source()
    name = f"lookups_{seed}"
    source = HEAD + text
    linecache.cache[f"<{name}>"] = (len(source), None, source.splitlines(True), f"<{name}>")
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, f"<{name}>", "exec"), module.__dict__)

    def value(text: str) -> Any:
        return eval(text, module.__dict__)

    inputs = [
        (value(chance.choice(INPUTS)), value(chance.choice(INPUTS)),
         [value(chance.choice(INPUTS)) for _ in range(chance.randint(0, 4))])
        for _ in range(count)
    ]  # fmt: skip
    return Lookups(text, module.__dict__["f"], value(table), inputs, module.__dict__["log"])
