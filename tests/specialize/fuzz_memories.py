"""Random programs that store and read items of one long list or bytearray, at known and at open places.

    def f(rom, a, b):                  rom is static
        m = bytearray(20)
        m[2:6] = rom
        if a: m[b] = 9
        return m[3], list(m)

Invariant: what is made depends on the random numbers alone.
"""

from __future__ import annotations

import linecache
import random
import types
from collections.abc import Callable
from typing import Any, Final

import futamura

__all__ = ["differences"]

_INDEXES: Final = [
    *("0", "1", "2", "3", "4", "5", "-1", "-2", "a", "b", "a", "y", "x % 5", "a + 1", "7 + b", "x", "True", "a * 2"),
    *("LAST", "SIZE"),
]
_CONDITIONS: Final = ["a", "b", "x", "y > 3", "a > b", "m[2]", "m[a]", "m"]
_READING: Final = [
    *("m[1:3] = b'ab'", "m[2:4] = rom[:2]", "m[a:a + 1] = b'z'", "x = sum(m[1:4])", "out.append(bytes(m[0:6]))"),
    *("y = len(m)", "m[3:3] = b'q'", "out.append(m[2] in m)", "x = m.index(m[0])"),
    "y = int.from_bytes(m[2:4], 'big')",
]
_GIVING: Final = [
    *("m.append(3)", "x = m.pop()", "del m[0]", "m.extend(rom)", "m.reverse()", "m += b'xy'", "m.insert(1, 4)")
]


class _Program:
    """One program, as lines."""

    def __init__(self, rng: random.Random) -> None:
        self.rng: Final = rng
        self.lines: Final[list[str]] = []
        self.size: Final = rng.choice([8, 20, 600])
        self.alias: Final = rng.random() < 0.2
        whole = f"bytearray(rom * {self.size // 4})"
        filled = f"[{rng.choice([0, 0, 0, -1, 7])}] * {self.size}"
        empty = f"bytearray({self.size})"
        made = rng.choice([empty, empty, whole, *([filled] * 3 if self.size == 600 else [])])
        self.add(0, "def f(rom, a, b):", f"    m = {made}", "    x, y, out = 0, 1, []")
        self.add(1, *rng.choice([
            ["m[2:2 + len(rom)] = rom"], ["for i, v in enumerate(rom):", "    m[i + 3] = v"],
            ["for v in rom:", "    m[x] = v", "    x += 1"], [],
        ]))  # fmt: skip
        if self.alias:
            self.add(1, "k = [m]")
        for _ in range(rng.randint(3, 9)):
            self.statement(1, 3)
        self.add(1, f"return x, y, out, {rng.choice(['list(m)', '0', 'm', 'sum(m)'])}")
        self.add(0, "def g(m, i):", "    return m[i]")
        self.add(0, "def h(m, i, v):", "    if v:", "        m[i] = v", "    else:", "        m[0] = 1")

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def add(self, depth: int, *lines: str) -> None:
        self.lines.extend("    " * depth + line for line in lines)

    def index(self) -> str:
        return self.rng.choice(_INDEXES).replace("LAST", str(self.size - 1)).replace("SIZE", str(self.size))

    def value(self) -> str:
        rare = ["300", "-1"] if self.rng.random() < 0.1 else ["9", "2"]
        plain = ["0", "1", "5", "200", "a", "b", "y", "x & 255", "255", "True", "(a + b) & 255"]
        return self.rng.choice([*plain, *rare, f"m[{self.index()}]"])

    def block(self, depth: int, left: int) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth, left)

    def statement(self, depth: int, left: int) -> None:
        kind = self.rng.randrange(22)
        simple = {
            **dict.fromkeys(range(5), f"m[{self.index()}] = {self.value()}"),
            **dict.fromkeys(range(5, 9), f"x = m[{self.index()}]"),
            9: f"y = y + m[{self.index()}]",
            10: f"m[{self.index()}] += 1",
            11: f"out.append(m[{self.index()}])",
            16: self.rng.choice(_READING),
            17: self.rng.choice(_GIVING) if self.rng.random() < 0.4 else "x = (x + 1) % 7",
            18: f"k[0][{self.index()}] = {self.value()}" if self.alias else "y = x",
            19: f"m[{self.index()}], m[{self.index()}] = {self.value()}, {self.value()}",
            20: f"x = g(m, {self.index()})",
            21: f"h(m, {self.index()}, {self.value()})",
        }
        if kind in simple or not left:
            self.add(depth, simple.get(kind, f"x = (x + {self.value()}) % 7"))
        else:
            self.compound(kind, depth, left - 1)

    def compound(self, kind: int, depth: int, left: int) -> None:
        if kind == 12:
            self.add(depth, f"if {self.rng.choice(_CONDITIONS)}:")
        elif kind == 13:
            self.add(depth, f"for i in range({self.rng.choice(['a', '3', 'b', '2'])}):")
        elif kind == 14:
            self.add(depth, f"t{depth} = 0", f"while t{depth} < {self.rng.choice('ab4')} and m[t{depth} + 2] != 9:")
            self.add(depth + 1, f"t{depth} += 1")
        else:
            self.add(depth, "try:")
        self.block(depth + 1, left)
        if kind == 15:
            self.add(depth, f"except {self.rng.choice(['IndexError', 'ValueError', 'Exception'])} as e:")
            self.add(depth + 1, "out.append(str(e))")
        elif kind == 12 and self.rng.random() < 0.5:
            self.add(depth, "else:")
            self.block(depth + 1, left)


def _outcome(function: Callable[..., Any], *arguments: object) -> object:
    try:
        return repr(function(*arguments))
    except Exception as error:
        return type(error), str(error)


def differences(rng: random.Random, count: int) -> list[str]:
    """The texts of those of `count` programs whose residual does something else, or fails, with what it does."""
    found = []
    for _ in range(count):
        text = _Program(rng).text
        name = f"<memories {rng.random()}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        module = types.ModuleType(name)
        exec(compile(text, name, "exec"), module.__dict__)
        rom = bytes(rng.choice([0, 1, 2, 3, 9, 65]) for _ in range(4))
        residual = futamura.specialize(module.f, rom)
        failed = [event.reason for event in residual.events if event.code in ("FT301", "FT901")]
        for a in [*range(6), -2, True, 2.0]:
            for b in (0, 1, 2, 7):
                wanted, given = _outcome(module.f, rom, a, b), _outcome(residual, a, b)
                if wanted != given:
                    failed.append(f"{(rom, a, b)}: {given}, not {wanted}")
        if failed:
            found.append(f"{text}\n{failed[0]}")
    return found
