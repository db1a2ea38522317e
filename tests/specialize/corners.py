"""Random programs of few statements from the corners of the language, each with its own split of what is known.

    generate(7)    ->    def target(i, j, s, t, xs, ys, v, c): out = []; ...; return out        with i static, say

Where the other random programs are long and ordinary, these are short and odd: the statements of one `Part`, or of two,
with the parameters, constants and what `keep` gives in their places, so that a few hundred programs meet each statement
with its values known, open and promised, in loops, under conditions and in try statements.  Between two calls what the
part defines is changed from outside.

Invariant: a program is a function of its seed, and ends.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Final

from tests.specialize.corner_parts import PARTS, Part
from tests.specialize.ordinary import LIBRARY
from tests.specialize.programs import Program, parsed

__all__ = ["DEFINITIONS", "PARAMETERS", "VALUES", "generate"]

INPUTS: Final = 6
DEFINITIONS: Final = """
def keep(x):
    return (x, len(SEEN))[0] if not SEEN.append(type(x).__name__) else None
SEEN = []
keep = futamura.opaque(keep)
@futamura.opaque
def call(function, *given):
    return function(*given)
@futamura.opaque
def bump(vm):
    vm.pc = getattr(vm, 'pc', 0) + 100
def noisy(name, n):
    for q in range(n):
        print(name, q)
        yield q
"""
PARAMETERS: Final = ("i", "j", "s", "t", "xs", "ys", "v", "c")
VALUES: Final[dict[str, tuple[str, ...]]] = {
    "i": ("0", "1", "2", "3", "-1", "-5", "7", "True", "10 ** 20", "1.0"),
    "j": ("0", "1", "2", "-2", "4", "2", "1", "False"),
    "s": ("''", "'a'", "'ab'", "'b'", "'bc'", "'a1b2'", "'x'"),
    "t": ("'a'", "'b'", "''", "'zz'"),
    "xs": ("[]", "[1]", "[2, 1]", "[1, 2, 3]", "[0, 'a']", "[5, 5, 0]", "(1, 2)"),
    "ys": ("[]", "[3]", "[1, 2]", "[4, 5, 6]"),
    "v": ("None", "0", "1", "'a'", "'ab'", "[1, 2]", "(1, 2)", "{'k': 1}", "True", "2.5", "[]"),
    "c": ("True", "False", "True", "False", "0", "[]"),
}
_PROMISES: Final = {
    "i": "Dyn(int)",
    "s": "Dyn(str)",
    "xs": "Dyn(list[int], length=3)",
    "ys": "Dyn(list)",
    "j": "Dyn(int)",
}
_CONSTANTS: Final[dict[str, tuple[str, ...]]] = {
    "i": ("0", "1", "2", "-1", "len(s)", "(i + 1)", "(j - 2)", "keep(i)"),
    "j": ("0", "1", "2", "3", "len(xs)", "(j * 2)", "keep(j)"),
    "s": ("'a'", "'ab'", "(s + 'a')", "keep(s)", "s[:1]"),
    "t": ("'a'", "'b'", "(s + t)", "keep(t)"),
    "xs": ("[1, 2]", "[*xs]", "[i, j]", "keep(xs)", "ys"),
    "ys": ("[3]", "[*ys, i]", "xs", "keep(ys)"),
    "v": ("None", "1", "'ab'", "[i, s]", "(s, i)", "keep(v)", "i", "s"),
    "c": ("i > 1", "s == 'a'", "keep(c)", "not xs", "i == j", "v is None"),
}
_HOLE: Final = re.compile(r"\{(i|j|s|t|xs|ys|v|c)\}")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random: Final = random.Random(seed)

    def pick(self, options: Sequence[str]) -> str:
        return options[int(self.random.random() * len(options))]

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def value(self, kind: str) -> str:
        return kind if self.chance(0.65) else self.pick(_CONSTANTS[kind])

    def fill(self, text: str) -> list[str]:
        """The lines of a statement with something in each place."""
        filled = _HOLE.sub(lambda found: self.value(found[1]), text.replace("{{", "\0").replace("}}", "\1"))
        return filled.replace("\0", "{").replace("\1", "}").split("\n")

    def statement(self, statements: Sequence[str], depth: int = 0) -> list[str]:
        lines = self.fill(self.pick(statements))
        roll = self.random.random()
        if lines[0].startswith("global ") or depth > 1:
            return lines
        if roll < 0.3:
            return [
                "try:", *_indented(lines), "except Exception as failed:",
                "    out.append((type(failed).__name__, str(failed)))",
            ]  # fmt: skip
        if roll < 0.38:
            return [f"for turn in range({self.value('i')} & 1 | 1 if {self.value('c')} else 2):", *_indented(lines)]
        if roll < 0.5:
            other = self.statement(statements, depth + 1)
            return [f"if {self.value('c')}:", *_indented(lines), "else:", *_indented(other)]
        if roll < 0.55:
            return ["def inner():", *_indented(lines), "    return out", "inner()"]
        return lines

    def body(self, statements: Sequence[str]) -> list[str]:
        found: list[str] = []
        for _ in range(self.random.randrange(1, 6)):
            found += self.statement(statements)
        return found


def _indented(lines: Sequence[str]) -> list[str]:
    return ["    " + line for line in lines]


def generate(seed: int) -> Program:
    """The program of this seed."""
    writer = _Writer(seed)
    while True:
        made = _program(writer, seed)
        if parsed(made.source) is not None:
            return made


def _program(p: _Writer, seed: int) -> Program:
    chosen: list[Part] = [PARTS[seed % len(PARTS)]]
    if p.chance(0.2):
        other = PARTS[p.random.randrange(len(PARTS))]
        if not _defined(chosen[0]) & _defined(other):
            chosen.append(other)
    parameters = [*PARAMETERS, *(["o"] if chosen[0].objects else [])]
    values = {**VALUES, "o": chosen[0].objects}
    lines = p.body([one for part in chosen for one in part.statements if "o" in parameters or "o." not in one])
    source = "\n".join(
        [
            LIBRARY, DEFINITIONS, *dict.fromkeys(part.definitions for part in chosen),
            f"def target({', '.join(parameters)}):", "    out = []", *_indented(lines), "    return out", "",
        ]
    )  # fmt: skip
    aliased = bool(chosen[0].objects) and not chosen[0].tweaks  # what matters is that `v` is `o`
    share = (0.2, 0.5, 0.5, 0.8)[p.random.randrange(4)]
    known = [name for name in parameters if p.chance(0.8 if name == "o" else share) and not (aliased and name == "v")]
    static = [(name, p.pick(values[name])) for name in known]
    given = set(known)
    opened = [name for name in parameters if name not in given]
    likely = 0.7 if p.chance(0.25) else 0.0
    promises = [(name, _PROMISES[name]) for name in opened if name in _PROMISES and p.chance(likely)]
    held = [f"static[{name!r}]" for name in ("xs", "ys", "o") if name in given]
    inputs = [_input(p, opened, values) for _ in range(INPUTS - 1)]
    some = {name: (*values[name], *held * 5) for name in ("xs", "ys", "v")}  # in the last input alone
    if aliased and "o" in given:
        some["v"] = ("static['o']",)
    inputs.append(_input(p, opened, {**values, **some}))
    used = set(re.findall(r"\w+", " ".join(lines)))
    tweaks = [tweak for part in chosen for tweak in part.tweaks if used.intersection(re.findall(r"\w+", tweak))]
    if tweaks and p.chance(0.6):
        for place in (2, 4):
            inputs[place] = f"({p.pick(tweaks)}, {inputs[place]})[1]"
    return Program(seed, source, "target", tuple(parameters), (), tuple(static), tuple(inputs), tuple(promises))


def _defined(part: Part) -> set[str]:
    return set(re.findall(r"^(?:class |def )?(\w+)", part.definitions, re.MULTILINE))


def _input(p: _Writer, opened: Sequence[str], values: dict[str, tuple[str, ...]]) -> str:
    found = {name: p.pick(values[name]) for name in opened}
    if "xs" in found and "ys" in found and p.chance(0.2):
        return (
            "(lambda shared: {"
            + ", ".join(f"{name!r}: {'shared' if name in ('xs', 'ys') else text}" for name, text in found.items())
            + "})([1, 2, 3])"
        )
    return "{" + ", ".join(f"{name!r}: {text}" for name, text in found.items()) + "}"
