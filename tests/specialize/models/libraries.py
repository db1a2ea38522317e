"""Programs over functions of the standard library whose arguments are known in part."""

# ruff: noqa: C416
from __future__ import annotations

import _string
import itertools
import re
import string
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


class Lenient(string.Formatter):
    """Fields that are missing are shown as they are written."""

    def get_value(self, key, args, kwargs):
        return args[key] if type(key) is int and key < len(args) else f"<{key}>"

    def convert_field(self, value, conversion):
        return value.upper() if conversion == "u" else super().convert_field(value, conversion)


def format_strings(template, x):
    found = []
    for text, field, spec, conversion in string.Formatter().parse(template):
        found.append((text, conversion, spec if field else x))
    walk = _string.formatter_parser(template)
    first = next(walk, x)
    found.append((first, list(walk), list(walk), [part[1] for part in Lenient().parse(template)]))
    try:
        found.append(Lenient().vformat(template, (x, [x, 2]), {}))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        found.append(str(error))
    return found


def format_strings_that_stay(template, x):
    """A walk that somebody looks at, texts that are wrong, and such that are open."""
    found = []
    try:
        walk = string.Formatter().parse(template)
        found.append(next(walk))
        found.append(type(walk).__name__)
        if x:
            found += walk
        found += [part for part in string.Formatter().parse(x)]
    except (StopIteration, ValueError, TypeError) as error:
        found.append(str(error))
    head, rest = _string.formatter_field_name_split(template)
    return found, head, next(rest, x), [walk is x for walk in (walk, rest)]


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
    _cases(
        format_strings, "template", "", "a", "{0:>9}", "{{{1[0]!r:{0}^9}}} {a!u}",
        gone=("parse", "formatter_parser", "Formatter", "split"),
    ),
    _cases(format_strings_that_stay, "template", "a{b}{", "a{b}c{d}", "{", "a}"),
    _cases(escaping, "items", (), (1, 2)),
    _cases(unknown, "items", (), (1, 2)),
]
