"""All ways in which a value flows in Python, times what holds it: is a change at the end of the way seen?

    python -m tests.specialize.flows [holders] [places]     runs the whole table, and prints what went wrong

`flows.txt` has the ways.  In each `@` stands for the thing and `!` for a statement that changes `t`; a name with a `*`
was once not seen.  Invariant: `after()` changes the thing, whichever way it takes.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import futamura
from tests.specialize.twins import shown, twin

__all__ = ["FLOWS", "HOLDERS", "PLACES", "STARRED", "module_text", "wrong"]


class Holder(NamedTuple):
    """What holds a thing, how it is read, and how it is changed."""

    text: str
    """Of the module; `use(key, row)` reads the thing."""
    thing: str
    change: str
    key: str
    """What `use` is specialized to."""


HINTS: Final = """class Order:
    x: int
"""
MADE: Final = "{name: hint for name, hint in Order.__annotations__.items()}"
RETYPED: Final = "t['x'] = float if t['x'] is int else int"
BOX: Final = """class Box:
    def __init__(self): self.n, self.rows = 1, [2]
"""
READ: Final = """def use(key, row):
    box = BOX
    for i in range(box.n): row += i * box.n * 2 + 1
    return box.n + row, box.n * 2 + box.n, key
"""
HOLDERS: Final = {
    "item": Holder(
        "ROWS = {'a': [1]}\ndef use(key, row): return [x + row for x in ROWS['a']], key\n",
        'ROWS["a"]', "t.append(7)", "1",
    ),
    "deep item": Holder(
        "ROWS = {'b': {'k': [3]}}\ndef use(key, row): return ROWS['b']['k'][0] + row, key\n",
        'ROWS["b"]["k"]', "t[0] += 1", "1",
    ),
    "class": Holder(
        "class Shop:\n    RATES = {'a': 1}\ndef use(key, row): return Shop.RATES['a'] + row, key\n",
        "Shop.RATES", "t['a'] += 1", "1",
    ),
    "object": Holder(BOX + "BOX = Box()\n" + READ, "BOX", "t.n += 1", "1"),
    "object in a list": Holder(
        BOX + "BOXES = [Box()]\n" + READ.replace("BOX", "BOXES[0]"), "BOXES[0]", "t.n += 1", "1"
    ),
    "cached": Holder(
        "import functools\n@functools.lru_cache(None)\ndef table(k): return {'a': k}\n"
        "def use(key, row): return table(key)['a'] + row, key\n",
        "table(1)", "t['a'] += 1", "1",
    ),
    "entry": Holder(
        HINTS + "KEPT = {}\ndef hints_of(cls):\n    found = KEPT.get(cls)\n    if found is None:\n"
        f"        found = KEPT[cls] = {MADE.replace('Order', 'cls')}\n    return found\n"
        "def use(key, row): return {n: hint(row) for n, hint in hints_of(key).items()}\n",
        "hints_of(Order)", RETYPED, "Order",
    ),
    "lazy": Holder(
        HINTS + "class Hints:\n    def __init__(self): self._hints = None\n    def made(self):\n"
        "        if self._hints is None:\n            cls = Order\n"
        f"            self._hints = {MADE.replace('Order', 'cls')}\n        return self._hints\nHINTS = Hints()\n"
        "def use(key, row): return {n: hint(row) for n, hint in key.made().items()}\n",
        "HINTS.made()", RETYPED, "HINTS",
    ),
}  # fmt: skip
PLACES: Final = {
    "here": ("", ""),
    "in a function": ("def changes(z): CHANGE\n", "changes(t)"),
    "in a method": ("class Changer:\n    def change(self, z): CHANGE\nCHANGER = Changer()\n", "CHANGER.change(t)"),
    "elsewhere": ("def changes(z): CHANGE\nCHANGES = [changes]\n", "CHANGES[0](t)"),
}
HEAD: Final = "import typing\nOUT = []\nclass Plain: pass\n"


def _read() -> Iterator[tuple[str, str]]:
    shared = ""
    for part in (Path(__file__).parent / "flows.txt").read_text(encoding="utf-8").split("\n== ")[1:]:
        name, _, text = part.partition("\n")
        if name == "results":
            shared = text
        else:
            yield name, text.replace("%results", shared.rstrip())


STARRED: Final = frozenset(name.removesuffix(" *") for name, _ in _read() if name.endswith(" *"))
FLOWS: Final = {name.removesuffix(" *"): text for name, text in _read()}


def module_text(flow: str, holder: str, place: str) -> str:
    """The text of a module in which the thing goes this way, and is changed."""
    known, (before, call) = HOLDERS[holder], PLACES[place]
    before = before.replace("CHANGE\n", re.sub(r"\bt\b", "z", known.change) + "\n")
    way = re.sub(r"@(?![a-z])", lambda _: known.thing, FLOWS[flow])
    return HEAD + known.text + before + re.sub(r"!(?!=)", lambda _: call or known.change, way)


def wrong(folder: Path, flow: str, holder: str, place: str, *, first: bool) -> str:
    """What the residual gives otherwise than the original, if anything; `first` the thing is changed once before."""
    text = module_text(flow, holder, place)
    ours, theirs = twin(folder, text), twin(folder, text)
    lazily = HOLDERS[holder].key == "HINTS"
    if lazily and any(vars(ours.HINTS).values()):  # it is filled on import: what a static input holds
        return ""
    first = first and not lazily
    if first and shown(ours.after) != shown(theirs.after):
        return "the change differs"
    key = HOLDERS[holder].key
    residual = futamura.specialize(ours.use, eval(key, vars(ours)))
    other = eval(key, vars(theirs))
    for row in (1, 2, 3):
        found, expected = shown(residual, row), shown(theirs.use, other, row)
        if found != expected:
            return f"{found}, not {expected}:\n{residual.source}"
        found, expected = shown(ours.after), shown(theirs.after)
        if found != expected or found != "None":
            return f"after() gives {found}, and the original {expected}"
    return ""


def main(holders: list[str], places: list[str]) -> None:
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for flow in FLOWS:
            for holder in holders:
                for place in places:
                    count += 1
                    found = wrong(Path(folder), flow, holder, place, first=count % 2 > 0)
                    if found:
                        print(f"{flow} | {holder} | {place}: {found.splitlines()[0]}", flush=True)
    print(count, "ways")


if __name__ == "__main__":
    asked = [one.split(",") for one in sys.argv[1:]]
    main(asked[0] if asked else [*HOLDERS], asked[1] if asked[1:] else [*PLACES])
