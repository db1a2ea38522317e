"""Programs that take known texts apart by regular expressions, and compare what they find."""

# ruff: noqa: UP031, C416, SIM300
from __future__ import annotations

import enum
import re
import string
from typing import Any

from ..table import Case, Subject
from .hostile import values

TOKEN = re.compile(r"\s*(?:(?P<number>\d+)|(?P<name>[A-Za-z_]\w*)|(?P<sign>.))")
FIELD = re.compile(r"\{(\w*)(?::([^}]*))?\}")


class Kind(enum.Enum):
    NUMBER = 1
    NAME = 2
    SIGN = 3


def tokens(text):
    for found in TOKEN.finditer(text):
        kind = Kind[found.lastgroup.upper()]
        yield kind, found[kind.name.lower()], found.span()


def read(source, x):
    total = []
    for kind, text, (begin, end) in tokens(source):
        if (kind, text) == (Kind.SIGN, "+"):
            total.append((x, begin))
        elif kind is Kind.NUMBER:
            total.append(int(text) + end)
        else:
            total.append([text, x])
    return total


def filled(template, x):
    def value(found):
        name, form = found.groups("")
        return "%s%s" % (name, x if type(x) is str else form)

    return FIELD.sub(value, template), FIELD.sub(value, template, 1)


def refused_values(template, x):
    try:
        return FIELD.sub(lambda found: x, template)
    except TypeError as error:
        return str(error)


def looked_at(text, x):
    found = TOKEN.match(text, 1)
    if found is None:
        return "nothing", x
    again = TOKEN.match(text, 1)
    return (
        found is again,
        found == again,
        found.re is TOKEN,
        (found.string, found.pos, found.endpos, found.lastindex, found.regs),
        found.groupdict(),
        [found, x][0].span("name"),
        found.expand(r"<\g<0>>"),
        bool(found),
        found.start("number"),
    )


def escaping(text, x):
    kept = [found for found in TOKEN.finditer(text)]
    first = next(TOKEN.finditer(text), x)
    rest = TOKEN.finditer(text)
    next(rest, None)
    return [one.group() for one in kept[: len(str(x)) % 3]], type(first).__name__, [one.end() for one in rest], kept


def at_open_place(text, x):
    walk = TOKEN.finditer(text)
    found = None
    for _ in range(x if type(x) is int and 0 <= x < 5 else 1):
        found = next(walk, None)
    return found and found.group()


def pieces(text, x):
    return (
        re.split(r"[,;]\s*", text),
        re.split(r"([,;])", text, maxsplit=1),
        re.findall(r"(\w)(\w)?", text),
        FIELD.findall(text),
        re.sub(r"\w", r"<\g<0>>", text),
        re.compile("").sub("-", text),
        re.compile("b*").sub(lambda found: f"({found[0]}{x})", text),
        re.split(text[:1] or ",", "a,b", flags=re.IGNORECASE),
        re.sub("[ab]", lambda found: found[0] * 2, text, count=1, flags=re.ASCII),
        re.split(r",", x if type(x) is str else "q,r", maxsplit=1),
        re.sub("(x)", r"\2" if x is None else "", text),
    )


def missing_group(text, x):
    found = re.match(r"(a)|(b)", text)
    try:
        return found.group(x if type(x) is int else 3)
    except (IndexError, AttributeError) as error:
        return str(error)


class Letter(string.Template):
    delimiter = "%"


def template(text, x):
    try:
        return Letter(text).safe_substitute(name=x), Letter(text).substitute({"name": x})
    except (KeyError, ValueError) as error:
        return type(error).__name__, str(error)


def slow(text, x):
    return re.match(r"(a+)+$", text[:6]), re.match(r"(x+x+)+y", "x" * 8), x


def compared(items, x):
    kinds = [(Kind.NAME, item) for item in items]
    nan = float("nan")
    return (
        [kind == (Kind.NAME, "a") for kind in kinds],
        (x, 1) == (x, 1),
        (1, x) == (2, x),
        [1, 2] != [1, 2],
        ([x], "a") == ([x], b"a"[:0]),
        (nan,) == (nan,),
        ((items, 1), 2) == ((items, 1), 2),
        (1, 2) == (1, 2, x),
        (True, 0.0) == (1, -0.0),
        [*kinds] == list(kinds),
        (frozenset([nan]), 1) == (frozenset([nan]), 1),
    )


def counted(text, x):
    def by(found):
        return found[0] + str(x)

    called = [FIELD.sub(by, text, count) for count in (-1, 0, 1, 5)]
    return called, [FIELD.sub("-", text, count) for count in (-2, 0, 1)]


def counted_far(n, x):
    def tried(function, *args):
        try:
            return function(*args)
        except OverflowError as error:
            return str(error)

    return tried(FIELD.sub, "-", "{a}", n), tried(FIELD.split, "{a}b", n), tried(FIELD.findall, "{a}", n), x


LOCALE = re.compile(rb"\w+", re.LOCALE)


def by_locale(text, x):
    return LOCALE.findall(text), x


def _cases(function: Any, name: str, *found: Any, gone: tuple[str, ...] = ()) -> Subject:
    cases = [Case(repr(v), lambda v=v: (function, {name: v})) for v in found]  # type: ignore[misc]
    return Subject(function.__name__, cases, values(1), gone)


SUBJECTS = [
    _cases(read, "source", "a + 12", "", "x1y 2 - +", gone=("source", "finditer", "Kind")),
    _cases(filled, "template", "a{b}{c:d}", "none", "{}", gone=("template", "sub", "groups")),
    _cases(refused_values, "template", "a{b}", "{a}{b}c"),
    _cases(looked_at, "text", " ab", "12", ""),
    _cases(escaping, "text", "a b 1", ""),
    _cases(at_open_place, "text", "a b 1"),
    _cases(pieces, "text", "a, b;c", "", "abbbxa"),
    _cases(missing_group, "text", "a", "b", "c"),
    _cases(template, "text", "%name and %%", "%{name}%other", "% broken", gone=("group", "safe_substitute")),
    _cases(counted, "text", "{a}{b}c{d}", "none"),
    _cases(counted_far, "n", 2**63, -(2**63) - 1, 2**62),
    _cases(by_locale, "text", b"a \xe9", gone=("text",)),
    _cases(slow, "text", "aaab"),
    _cases(compared, "items", ("a", "b"), (), gone=("Kind",)),
]
