"""Random programs with memo tables of which an entry may be there or not.

    def h0(k):                              def main(s, x):
        found = MEMO.get((0, k))                out = []
        if found is None:                       for i in range(x):
            found = MEMO[0, k] = [k, k + 1]         out.append(h0(s + 1))
        return found                            ...

Each helper keeps what depends on its argument alone, in one of the usual ways, so that no run can tell what the tables
held before.
"""

from __future__ import annotations

import functools
import linecache
import random
import sys
import types
from typing import Any

__all__ = ["Memos", "memos"]

HEAD = """\
import functools

MEMO = {}
OTHER = {}
NOISE = [1]


def make_noise():
    NOISE.append(2)


class Box:
    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __eq__(self, other):
        return type(other) is Box and (self.a, self.b) == (other.a, other.b)

    __hash__ = None

    def __repr__(self):
        return f"Box({self.a!r}, {self.b!r})"

"""

VALUES = (
    "[k, k + 1]", "{'k': k, 'l': [k]}", "(k, (k, 'a'))", "str(k) * 2", "[i * k for i in range(3)]", "Box(k, [k])",
    "sum(range(k))", "k * k", "None", "tuple(str(k))", "{k, 0}",
)  # fmt: skip

WAYS = (
    "found = {table}.get({key})\nif found is None:\n    found = {table}[{key}] = {value}\nreturn found",
    "if {key} not in {table}:\n    {table}[{key}] = {value}\nreturn {table}[{key}]",
    "try:\n    return {table}[{key}]\nexcept KeyError:\n    pass\nmade = {value}\n{table}[{key}] = made\nreturn made",
    "return {table}.setdefault({key}, {value})",
    "if {key} in {table}:\n    return {table}[{key}]\nmade = {table}[{key}] = []\nfor j in range(3):\n"
    "    made.append({value})\nreturn made",
    "if {key} in {table}:\n    return {table}[{key}]\nmade = {table}[{key}] = []\nif NOISE[0]:\n"
    "    made.append({value})\nelse:\n    made.append({value})\nmade.append(k)\nreturn made",
    "made = {table}.get({key})\nif made is None:\n    made = {table}[{key}] = {{}}\n    for j in range(len(NOISE)):\n"
    "        made[k] = {value}\n    if len(made) != 1:\n        raise LookupError(k)\nreturn made",
    "return {value}",
)

USES = (
    "out.append({call})",
    "if x > {n}:\n    out.append({call})",
    "for i in range(x):\n    out.append({call})",
    "out.append({helper}(x))",
    "v = {call}\nout.append(v[0] if isinstance(v, list) else v)",
    "for k in range(s):\n    out.append({helper}(k))",
    "v = {call} if x % 2 else {other}\nout.append(v)",
    "out.append({call} is {call})",
    "out.append(len(str({call})))",
)


class Memos:
    """A program, its tables, and how to empty them."""

    def __init__(self, module: types.ModuleType, source: str) -> None:
        self.source = source
        self.main: Any = module.__dict__["main"]
        found = list(vars(module).values())
        self.cached = [value for value in found if isinstance(value, functools._lru_cache_wrapper)]
        self.tables: list[dict[Any, Any]] = [module.__dict__["MEMO"], module.__dict__["OTHER"]]

    def caches(self) -> list[object]:
        return [*self.tables, *self.cached]

    def clear(self) -> None:
        for table in self.tables:
            table.clear()
        for function in self.cached:
            function.cache_clear()


def memos(seed: int) -> Memos:
    """The program of this seed."""
    choose = random.Random(seed)
    parts = [HEAD]
    helpers: list[str] = []
    for at in range(choose.randrange(2, 5)):
        way = choose.choice(WAYS)
        value = choose.choice(VALUES)
        if helpers and choose.random() < 0.3:
            value = f"[{choose.choice(helpers)}(k - 1) if k > 0 else None, {value}]"
        key = choose.choice((f"({at}, k)", f"k + {at * 100}", f"str(k) + '{at}'"))
        text = way.format(table=choose.choice(("MEMO", "OTHER")), key=key, value=value)
        parts.append(f"{'@functools.cache' if way is WAYS[-1] else ''}\ndef h{at}(k):\n{_indented(text)}\n")
        helpers.append(f"h{at}")
    body = ["out = []"]
    for _ in range(choose.randrange(2, 6)):
        helper, other = choose.choice(helpers), choose.choice(helpers)
        argument = choose.choice(("s", "s + 1", "2", "len(str(s))"))
        use = choose.choice(USES)
        body.append(use.format(call=f"{helper}({argument})", helper=helper, other=f"{other}(s)", n=choose.randrange(4)))
    parts.append("def main(s, x):\n" + _indented("\n".join([*body, "return out"])) + "\n")
    source = "\n".join(parts)
    name = f"memos_{seed}"
    module = sys.modules[name] = types.ModuleType(name)
    linecache.cache[f"<{name}>"] = (len(source), None, source.splitlines(keepends=True), f"<{name}>")
    exec(compile(source, f"<{name}>", "exec", dont_inherit=True), module.__dict__)
    return Memos(module, source)


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))
