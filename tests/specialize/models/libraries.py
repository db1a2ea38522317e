"""Programs over functions of the standard library whose arguments are known in part."""

# ruff: noqa: C416
from __future__ import annotations

import itertools
import re
import struct
from typing import Any

from ..table import Case, Subject
from .hostile import values


def matched(pattern, x):
    compiled = re.compile(pattern, re.IGNORECASE)
    found = []
    try:
        for text in (x, "aab"):
            match = compiled.match(text)
            found.append(match and match.span())
            found.append(re.sub(pattern, "-", text))
            found.append([m.group() for m in re.finditer(pattern, text, flags=re.ASCII)])
            found.append(bool(re.fullmatch(pattern, text)))
    except TypeError as error:
        found.append(str(error))
    return found


def wrong_pattern(pattern, x):
    try:
        return re.compile(pattern), x
    except re.error as error:
        return str(error), x


def layouts(layout, x):
    packer = struct.Struct(layout)
    try:
        return packer.size, packer.pack(1, 2), packer.unpack(bytes(packer.size)), packer.pack(x, 1)
    except struct.error as error:
        return str(error)


def combined(items, x):
    pairs = [(a, b) for a, b in itertools.product(items, (x, 1))]
    orders = [order for order in itertools.permutations(items, 2)]
    chosen = list(itertools.combinations(items, 2))
    chain = [value for value in itertools.chain(items, (x,), "ab")]
    first = [value for value in itertools.islice(items, 2)]
    steps = [b for _, b in itertools.pairwise((x, *items))]
    twice = list(itertools.repeat(x, 2))
    return pairs, orders, chosen, chain, first, steps, twice


def escaping(items, x):
    made = itertools.product(items, [x])
    taken = [next(made, None)]
    return type(made).__name__, taken, list(made)


def unknown(items, x):
    try:
        return (
            list(itertools.product(items, x))[:9],
            list(itertools.islice(items, x)),
            list(itertools.chain(items, x))[:9],
        )
    except (TypeError, ValueError) as error:
        return str(error)


def _cases(function: Any, name: str, *found: Any, gone: tuple[str, ...] = ()) -> Subject:
    cases = [Case(repr(v), lambda v=v: (function, {name: v})) for v in found]  # type: ignore[misc]
    return Subject(function.__name__, cases, values(1), gone)


SUBJECTS = [
    _cases(matched, "pattern", "a+", "(b)|a", "", gone=("pattern",)),
    _cases(wrong_pattern, "pattern", "(", "a"),
    _cases(layouts, "layout", "<Bh", "2i", gone=("layout", "size")),
    _cases(
        combined, "items", (), (1,), (1, "a"), gone=("product", "permutations", "combinations", "chain", "pairwise")
    ),
    _cases(escaping, "items", (), (1, 2)),
    _cases(unknown, "items", (), (1, 2)),
]
