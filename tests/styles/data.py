"""Data work: pipelines of generators, combinators with operators, a schema-driven packer, cron lines, dates, a sheet.

    total_by(QUERY, rows)     groups and sums as the query says: the query is static, the rows are open

Invariant: written as people write them; nothing here knows of specialization.
"""

from __future__ import annotations

import operator
import re
from collections import namedtuple
from functools import reduce

# mypy: disable-error-code="no-untyped-def, no-untyped-call, no-any-return, arg-type, operator"

# -- a query: each step is a generator over the one before

Step = namedtuple("Step", "kind argument")
COMPARE = {"=": operator.eq, "<": operator.lt, ">": operator.gt, "!=": operator.ne}


def where(rows, condition):
    column, sign, wanted = condition
    for row in rows:
        if COMPARE[sign](row[column], wanted):
            yield row


def columns(rows, names):
    for row in rows:
        yield {name: row[name] for name in names}


def derived(rows, parts):
    name, left, sign, right = parts
    for row in rows:
        row = dict(row)
        row[name] = row[left] * row[right] if sign == "*" else row[left] + row[right]
        yield row


STEPS = {"where": where, "columns": columns, "derived": derived}


def query(steps, rows):
    for step in steps:
        rows = STEPS[step.kind](rows, step.argument)
    return list(rows)


SALES = (
    Step("where", ("count", ">", 0)),
    Step("where", ("kind", "!=", "gift")),
    Step("derived", ("sum", "count", "*", "price")),
    Step("columns", ("kind", "sum")),
)

# -- validation by combinators: small objects that are joined by operators


class Check:
    def __init__(self, test, message):
        self.test, self.message = test, message

    def __call__(self, value):
        return [] if self.test(value) else [self.message]

    def __and__(self, other):
        return Both(self, other)

    def __or__(self, other):
        return Either(self, other)


class Both(Check):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def __call__(self, value):
        return self.left(value) or self.right(value)


class Either(Check):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def __call__(self, value):
        return self.left(value) and self.right(value)


def is_a(kind):
    return Check(lambda value: isinstance(value, kind), f"must be {kind.__name__}")


def at_least(bound):
    return Check(lambda value: value >= bound, f"must be at least {bound}")


def longest(bound):
    return Check(lambda value: len(value) <= bound, f"at most {bound} long")


FORM = {
    "name": is_a(str) & longest(10),
    "age": is_a(int) & at_least(18),
    "tag": is_a(int) | (is_a(str) & longest(3)),
}


def complaints(form, data):
    found = {}
    for name, check in form.items():
        if name not in data:
            found[name] = ["missing"]
            continue
        said = check(data[name])
        if said:
            found[name] = said
    return found


# -- a packer in the manner of protocol buffers


def varint(value, out):
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def pack(schema, message):
    out = bytearray()
    for number, name, kind in schema:
        value = message.get(name)
        if value is None:
            continue
        if kind == "int":
            out.append(number << 3)
            varint(value, out)
        elif kind == "text":
            data = value.encode()
            out.append(number << 3 | 2)
            varint(len(data), out)
            out += data
        elif isinstance(kind, tuple):
            for item in value:
                data = pack(kind, item)
                out.append(number << 3 | 2)
                varint(len(data), out)
                out.extend(data)
        else:
            raise ValueError(f"unknown kind {kind}")
    return bytes(out)


POINT = ((1, "x", "int"), (2, "y", "int"))
SHAPE = ((1, "name", "text"), (2, "points", POINT), (3, "closed", "int"))

# -- cron lines: parsed each time, matched with a time


def field_matches(spec, value, low):
    for part in spec.split(","):
        step = 1
        if "/" in part:
            part, width = part.split("/")
            step = int(width)
        if part == "*":
            if (value - low) % step == 0:
                return True
        elif "-" in part:
            first, last = map(int, part.split("-"))
            if first <= value <= last and (value - first) % step == 0:
                return True
        elif int(part) == value:
            return True
    return False


def is_due(line, minute, hour, day, month, weekday):
    given = (minute, hour, day, month, weekday)
    return all(field_matches(spec, value, low) for spec, value, low in zip(line.split(), given, (0, 0, 1, 1, 0)))


# -- a formatter in the manner of strftime

PIECES = re.compile(r"%(\d*)([a-z])|([^%]+)")


def formatted(pattern, moment):
    out = []
    for width, letter, text in PIECES.findall(pattern):
        if text:
            out.append(text)
        elif letter == "n":
            out.append(str(moment["name"]))
        else:
            value = {"y": "year", "m": "month", "d": "day"}[letter]
            out.append(str(moment[value]).rjust(int(width or 1), "0"))
    return "".join(out)


# -- a sheet: cells hold formulas that name other cells


def cell(sheet, name, inputs, seen=()):
    if name in inputs:
        return inputs[name]
    if name in seen:
        raise RecursionError(f"{name} depends on itself")
    formula = sheet[name]
    if not isinstance(formula, tuple):
        return formula
    sign, *parts = formula
    values = [cell(sheet, part, inputs, (*seen, name)) for part in parts]
    return reduce({"+": operator.add, "*": operator.mul, "-": operator.sub}[sign], values)


def sheet_total(sheet, inputs, name="total"):
    return cell(sheet, name, inputs)


def sheet_of(sheet, price, count):
    """The total of the sheet for the two open cells."""
    return cell(sheet, "total", {"price": price, "count": count})


BILL = {
    "tax": 19, "hundred": 100, "net": ("*", "price", "count"), "gross": ("*", "net", "rate"),
    "rate": ("+", "hundred", "tax"), "total": ("+", "gross", "fee", "net"), "fee": 250,
}  # fmt: skip

# -- routes in a tree of dictionaries


def resolve(tree, path):
    values = []
    node = tree
    for part in path.strip("/").split("/"):
        if part in node:
            node = node[part]
        elif "*" in node and part:
            values.append(part)
            node = node["*"]
        else:
            return None
    handler = node.get("")
    return (handler, values) if handler else None


TREE = {
    "users": {"": "all users", "*": {"": "one user", "posts": {"": "posts of", "*": {"": "one post"}}}},
    "about": {"": "about", "team": {"": "team"}},
}

# -- a pattern matcher of continuations: closures made for a pattern, then run on texts


def matcher(pattern):
    """A function of (text, at, then); the pattern has letters, `.`, `x*` and `[abc]`."""
    if not pattern:
        return lambda text, at, then: then(at)
    if pattern[0] == "[":
        end = pattern.index("]")
        wanted, rest = pattern[1:end], pattern[end + 1 :]
    else:
        wanted, rest = pattern[0], pattern[1:]

    def fits(letter):
        return wanted == "." or letter in wanted

    if rest.startswith("*"):
        after = matcher(rest[1:])

        def many(text, at, then):
            if at < len(text) and fits(text[at]) and many(text, at + 1, then):
                return True
            return after(text, at, then)

        return many
    after = matcher(rest)
    return lambda text, at, then: at < len(text) and fits(text[at]) and after(text, at + 1, then)


def fullmatch(pattern, text):
    return bool(matcher(pattern)(text, 0, lambda at: at == len(text)))
