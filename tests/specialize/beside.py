"""Random machines whose method is called in all ways: with and without its parameters, with other classes, with hooks.

    machine(7)    text of a class `Machine`, whose `run(self, x, flag=None, mode=False, hook=None)` reads and writes
                  what the machine holds, and the parameters that `run` has
    differing(7)  "" or what a residual of `Machine().run` did otherwise than `run` itself, over a random list of calls

A hook is given the machine, and changes it, calls the method again, or raises.  Whatever runs in place of a residual,
because a parameter is given, a guess is wrong or a promise broken, may change what the residual believes.

Invariant: the same seed makes the same machine, promises and calls.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

import futamura
from tests.specialize.comparing import observe

__all__ = ["differing", "machine"]

HEAD = """
class Part:
    def __init__(self):
        self.size = 1

class Machine:
    def __init__(self):
        self.pc, self.k = 0, 1
        self.rows, self.table, self.seen = [1, 2], {"a": 1, "b": 2}, {1}
        self.part = Part()
"""
WRITES = (
    "self.k += 1", "self.rows.append(3)", "self.table['a'] += 1", "self.table['z'] = 1", "self.part.size += 1",
    "self.part = Part()", "self.seen.add(len(self.rows))", "self.rows = [7]", "self.pc += 1", "self.new = 1",
    "self.rows.pop() if len(self.rows) > 1 else None", "setattr(self, 'k', 5)", "self.table.pop('b', 0)",
)  # fmt: skip
READS = (
    "self.k", "len(self.rows)", "[*self.rows]", "self.table['a']", "'z' in self.table", "sorted(self.table)",
    "self.part.size", "1 in self.seen", "self.pc", "hasattr(self, 'new')", "sum(self.rows)",
)  # fmt: skip
USES = (
    "out.append(str(x))", "out.append(f'{x}')", "out.append(x in (1, 2))", "out.append(x == self.k)",
    "out.append(x + 1 if isinstance(x, int) else 0)", "self.pc = 7; out.append(str(x)); self.pc = 8",
)  # fmt: skip
ASKS = ("isinstance(x, str)", "isinstance(x, int)", "type(x) is float", "x == 'b'", "x")
OF_PARAMETERS = {"flag": ("flag is None", "flag"), "mode": ("mode", "mode is False"), "hook": ()}
DEFAULTS = {"flag": None, "mode": False, "hook": None}
HOOKED = (
    ("try:", "    out.append(3 / x)", "except (ZeroDivisionError, TypeError):", "    out.append(hook(self))"),
    ("try:", "    out.append(self.table[x])", "except KeyError:", "    out.append(hook(self))"),
    ("if hook is not None:", "    out.append(hook(self))"),
    ("if x == 'b' and hook:", "    hook(self)"),
)
GIVEN = {"flag": (None, 0, 1, True), "mode": (False, True, 0)}


def machine(seed: int) -> tuple[str, list[str]]:
    """The text of the module, and the parameters that may be left out."""
    rng = random.Random(seed)
    names = [name for name in DEFAULTS if rng.random() < 0.55]
    rng.shuffle(names)
    body = [*_block(rng, names, 0), rng.choice(USES), *_block(rng, names, 0)]
    body.append(f"out.append(({', '.join(rng.sample(READS, 4))}))")
    last = "yield from out" if rng.random() < 0.1 else "return out"
    parameters = "".join(f", {name}={DEFAULTS[name]}" for name in names)
    lines = [f"    def run(self, x{parameters}):", "        out = []", *(" " * 8 + line for line in [*body, last])]
    return HEAD + "\n" + "\n".join(lines) + "\n", names


def _block(rng: random.Random, names: list[str], depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        if kind < 0.2 or depth == 2:
            lines.append(rng.choice(WRITES))
        elif kind < 0.35:
            lines.append(f"out.append({rng.choice(READS)})")
        elif kind < 0.5:
            lines.append(rng.choice(USES))
        elif "hook" in names and kind < 0.65:
            lines.extend(rng.choice(HOOKED))
        else:
            asks = [*ASKS, *(ask for name in names for ask in OF_PARAMETERS[name])]
            lines.append(f"if {rng.choice(asks)}:")
            lines.extend("    " + line for line in _block(rng, names, depth + 1))
            if rng.random() < 0.4:
                lines.extend(["else:", *("    " + line for line in _block(rng, names, depth + 1))])
    return lines


def _loaded(text: str, name: str) -> Any:
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"__name__": "beside"}
    exec(compile(text, name, "exec"), space)
    return space["Machine"]()


def _hook(kind: int, call: Callable[..., Any], kept: list[Any]) -> Callable[[Any], Any]:
    def hook(held: Any) -> Any:
        if kind == 1:
            held.k += 1
            held.rows.append(9)
        elif kind == 2:
            held.table["z"] = 5
            held.part.size = 50
        elif kind == 3:
            return _seen(call, 1)
        elif kind == 4:
            held.k += 1
            inner = _seen(call, 1)
            held.rows.append(4)
            return inner
        elif kind == 5:
            held.rows.append(1)
            raise KeyError("boom")
        return kind

    return hook


def _seen(call: Callable[..., Any], *args: Any, **named: Any) -> Any:
    try:
        result = call(*args, **named)
        return observe([*result] if hasattr(result, "__next__") else result)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _story(held: Any, call: Callable[..., Any], names: list[str], seed: int) -> list[Any]:
    """What a random list of calls gives, and what the machine holds behind each."""
    rng = random.Random(seed)
    story: list[Any] = []
    for _ in range(rng.randint(5, 9)):
        x = rng.choice([1, 1, 1, 2, 0, "a", "b", 2.5, None, True])
        named: dict[str, Any] = {}
        for name in names:
            if rng.random() < 0.45:
                hook = _hook(rng.randrange(6), call, story)
                named[name] = hook if name == "hook" else rng.choice(GIVEN[name])
        told = (x, {name: value for name, value in named.items() if name != "hook"})
        story.append((told, _seen(call, x, **named), observe(vars(held))))
    return story


def differing(seed: int) -> str:
    """What differs first, "" if nothing does."""
    text, names = machine(seed)
    mine, theirs = (_loaded(text, f"<beside {kind} {seed}>") for kind in ("mine", "theirs"))
    promise = {"x": futamura.Dyn(int)} if seed % 4 == 0 else {}
    residual = futamura.specialize(mine.run, **promise)
    found, expected = _story(mine, residual, names, seed), _story(theirs, theirs.run, names, seed)
    for at, (one, other) in enumerate(zip(found, expected)):
        if one != other:
            calls = [told for told, *_ in expected[: at + 1]]
            return f"{text}\n{promise} {residual.stats['notes']}\ncalls {calls}\nfound    {one}\nexpected {other}"
    return ""
