"""What small random programs are made of (`corners`): the parts in `corners.txt`, one for each corner of the language.

    == sets                     Part("sets", definitions="", statements=("u = {{{i}, {j}}}\\nout.append(u < {{1}})",))
    -- statements
    u = {{{i}, {j}}}
    out.append(u < {{1}})

A part has definitions of a module, statements that are parted by empty lines, and, one a line, tweaks, which change the
module between two calls, and objects, of which one is the parameter `o`.  A statement puts what it finds into `out`.
In it `{i}` and `{j}` stand for ints, `{s}` and `{t}` for texts, `{xs}` and `{ys}` for lists, `{v}` for anything, `{c}`
for a condition, and doubled braces for braces; `keep(x)` is a call that nobody looks into, and gives `x` back.

Invariant: statements end whatever the values are, hold few lines, and nothing shows the address of an object.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.specialize.corner_tables import TABLES, Part
from tests.specialize.corner_ways import REACHED

__all__ = ["PARTS", "Part"]


def _part(text: str) -> Part:
    name, *sections = text.split("\n-- ")
    found = {title: body.strip("\n") for title, _, body in (section.partition("\n") for section in sections)}
    return Part(
        name.strip(),
        found.get("definitions", ""),
        tuple(found["statements"].split("\n\n")),
        tuple(found.get("tweaks", "").splitlines()),
        tuple(found.get("objects", "").splitlines()),
    )


_TEXT: Final = (Path(__file__).parent / "corners.txt").read_text(encoding="utf-8")
PARTS: Final = (*(_part(text) for text in f"\n{_TEXT}".split("\n== ")[1:]), *TABLES, *REACHED)
