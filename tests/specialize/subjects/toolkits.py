"""Small tools that read their rules from data: options, tokenizers, renderers, dates, layouts, growth, checks.

shell(OPTIONS, ["--size", "3", "file"])    ->    {"verbose": False, "size": 3, "names": ["file"]}
"""

from __future__ import annotations

import functools
import operator
import re
from collections import ChainMap
from dataclasses import dataclass, replace
from typing import ClassVar

from ..table import Case, Subject, integers, mostly, text

# --- Command-line options by description ---


@dataclass(frozen=True)
class Option:
    name: str
    short: str
    kind: type = bool
    default: object = None


def shell(options, argv):
    found = {option.name: False if option.kind is bool else option.default for option in options}
    names = []
    words = iter(argv)
    for word in words:
        if not word.startswith("-"):
            names.append(word)
            continue
        for option in options:
            if word in ("--" + option.name, "-" + option.short):
                if option.kind is bool:
                    found[option.name] = True
                else:
                    found[option.name] = option.kind(next(words))
                break
        else:
            raise ValueError(f"unknown option {word}")
    return found | {"names": names}


VERBOSE = Option("verbose", "v")
SIZE = Option("size", "s", int, 1)
NAME = Option("name", "n", str, "none")

# --- A tokenizer by a table of patterns ---


def tokenize(rules, source):
    pattern = re.compile("|".join(f"(?P<{name}>{regex})" for name, regex in rules))
    tokens = []
    position = 0
    while position < len(source):
        found = pattern.match(source, position)
        if found is None:
            raise SyntaxError(f"at {position}")
        kind = found.lastgroup
        if kind != "space":
            tokens.append((kind, found.group()))
        position = found.end()
    return tokens


ARITHMETIC = [("number", r"\d+"), ("name", r"[a-z]\w*"), ("operator", r"[-+*/()]"), ("space", r"\s+")]

# --- Dates and numbers by a format with codes ---


class Formatter:
    codes: ClassVar = {
        "d": lambda self: f"{self.day:02d}",
        "m": lambda self: f"{self.month:02d}",
        "Y": lambda self: str(self.year),
        "y": lambda self: f"{self.year % 100:02d}",
        "q": lambda self: "Q" + str((self.month - 1) // 3 + 1),
    }

    def __init__(self, year, month, day):
        self.year, self.month, self.day = year, month, day

    def format(self, template):
        parts = []
        characters = iter(template)
        for character in characters:
            if character != "%":
                parts.append(character)
                continue
            code = next(characters, "%")
            parts.append(self.codes[code](self) if code in self.codes else code)
        return "".join(parts)


def format_date(template, year, month, day):
    return Formatter(year, month, day).format(template)


# --- A line of markup to HTML by rules ---


def render_line(rules, line):
    for prefix, tag in rules:
        if line.startswith(prefix):
            return f"<{tag}>{render_inline(line[len(prefix) :])}</{tag}>"
    return render_inline(line)


INLINE = (("**", "b"), ("*", "i"), ("`", "code"))


def render_inline(line):
    for mark, tag in INLINE:
        pieces = line.split(mark)
        if len(pieces) > 2:
            line = "".join(piece if at % 2 == 0 else f"<{tag}>{piece}</{tag}>" for at, piece in enumerate(pieces))
    return line


HEADINGS = [("## ", "h2"), ("# ", "h1"), ("- ", "li")]

# --- A layout of fields, like `struct`, by a class for each kind of field ---


class Field:
    size = 1

    def __init__(self, name):
        self.name = name

    def read(self, data, at):
        return data[at]

    def __repr__(self):
        return f"{type(self).__name__}({self.name!r})"


class Word(Field):
    size = 2

    def read(self, data, at):
        return data[at] | data[at + 1] << 8


class Signed(Field):
    def read(self, data, at):
        value = super().read(data, at)
        return value - 256 if value > 127 else value


class Repeated(Field):
    def __init__(self, name, inner, count):
        super().__init__(name)
        self.inner = inner
        self.count = count

    @property
    def size(self):
        return self.inner.size * self.count

    def read(self, data, at):
        return [self.inner.read(data, at + i * self.inner.size) for i in range(self.count)]


class Layout:
    def __init__(self, *fields):
        self.fields = fields

    def __len__(self):
        return sum(field.size for field in self.fields)

    def parse(self, data):
        if len(data) < len(self):
            raise ValueError("too short")
        result = {}
        at = 0
        for field in self.fields:
            result[field.name] = field.read(data, at)
            at += field.size
        return result


# --- Systems of growth: rewriting of words ---


def grow(rules, axiom, steps, angle):
    word = axiom
    for _ in range(steps):
        word = "".join(rules.get(letter, letter) for letter in word)
    x = y = 0
    direction = 0
    points = [(x, y)]
    stack = []
    moves = {0: (1, 0), 1: (0, 1), 2: (-1, 0), 3: (0, -1)}
    for letter in word:
        if letter == "F":
            dx, dy = moves[direction % 4]
            x, y = x + dx * angle, y + dy * angle
            points.append((x, y))
        elif letter == "+":
            direction += 1
        elif letter == "-":
            direction -= 1
        elif letter == "[":
            stack.append((x, y, direction))
        elif letter == "]":
            x, y, direction = stack.pop()
    return points


# --- Arithmetic in a finite field, by objects with operators ---


class Residue:
    __slots__ = ("modulus", "value")

    def __init__(self, value, modulus):
        self.value = value % modulus
        self.modulus = modulus

    def __add__(self, other):
        return Residue(self.value + self._of(other), self.modulus)

    def __mul__(self, other):
        return Residue(self.value * self._of(other), self.modulus)

    __radd__ = __add__
    __rmul__ = __mul__

    def __pow__(self, exponent):
        result = Residue(1, self.modulus)
        base = self
        while exponent:
            if exponent & 1:
                result = result * base
            base = base * base
            exponent >>= 1
        return result

    def _of(self, other):
        return other.value if isinstance(other, Residue) else other

    def __eq__(self, other):
        return isinstance(other, Residue) and self.value == other.value

    def __hash__(self):
        return hash(self.value)


def fermat(modulus, exponent, x):
    residue = Residue(x, modulus)
    return (residue**exponent).value, residue + 1 == 1 + residue


def polynomial_at(coefficients, modulus, x):
    total = Residue(0, modulus)
    for coefficient in coefficients:
        total = total * x + coefficient
    return total.value


# --- Checks built from functions that return functions ---


def required(name):
    return lambda record: [] if record.get(name) is not None else [f"{name} is missing"]


def between(name, low, high):
    def check(record):
        value = record.get(name)
        if value is None or low <= value <= high:
            return []
        return [f"{name} must be between {low} and {high}"]

    return check


def every(*checks):
    return lambda record: functools.reduce(operator.iadd, (check(record) for check in checks), [])


def either(left, right):
    return lambda record: left(record) and right(record)


def validate(check, record):
    errors = check(record)
    return {"valid": not errors, "errors": errors}


PERSON = every(required("name"), required("age"), between("age", 0, 150))
CONTACT = either(required("mail"), required("phone"))

# --- Pipelines of generators over records ---


def scaled(rows, column, factor):
    for row in rows:
        yield {**row, column: row[column] * factor}


def kept(rows, column, least):
    return (row for row in rows if row[column] >= least)


def limited(rows, count):
    for at, row in enumerate(rows):
        if at >= count:
            return
        yield row


STAGES = {"scale": scaled, "keep": kept, "limit": limited}


def pipeline(steps, rows):
    stream = iter(rows)
    for name, *arguments in steps:
        stream = STAGES[name](stream, *arguments)
    return list(stream)


# --- Settings from layers, and totals by class ---


@dataclass(frozen=True)
class Rate:
    name: str
    percent: float
    above: int = 0

    def of(self, amount):
        return max(amount - self.above, 0) * self.percent / 100


def invoice(rates, layers, amount):
    settings = ChainMap(*layers)
    rates = [replace(rate, above=settings["free"]) if rate.above < 0 else rate for rate in rates]
    lines = {rate.name: rate.of(amount) for rate in sorted(rates, key=operator.attrgetter("percent"))}
    return lines, round(sum(lines.values()), settings.get("digits", 2))


RATES = [Rate("state", 5.0, -1), Rate("city", 2.5)]

SUBJECTS = [
    Subject(
        "options",
        [
            Case("flags", lambda: (shell, {"options": [VERBOSE]})),
            Case("size", lambda: (shell, {"options": [VERBOSE, SIZE]})),
            Case("names", lambda: (shell, {"options": [NAME, SIZE]})),
        ],
        inputs=lambda random: (
            random.choices(["-v", "--verbose", "--size", "3", "-s", "x", "-n", "--what"], k=random.randint(0, 4)),
        ),
        gone=("options", "option", "kind", "short", "default"),
    ),
    Subject(
        "pattern_tokens",
        [
            Case("arithmetic", lambda: (tokenize, {"rules": ARITHMETIC})),
            Case("words", lambda: (tokenize, {"rules": ARITHMETIC[1:2] + ARITHMETIC[3:]})),
            Case("numbers", lambda: (tokenize, {"rules": ARITHMETIC[:1]})),
        ],
        inputs=text("a1+ *b2", 8),
        gone=("rules", "regex", "name", "join"),
    ),
    Subject(
        "dates",
        [
            Case("plain", lambda: (format_date, {"template": "%d.%m.%Y"})),
            Case("quarter", lambda: (format_date, {"template": "%q/%y %%"})),
            Case("text", lambda: (format_date, {"template": "no codes"})),
        ],
        inputs=lambda random: (random.randint(1900, 2100), random.randint(1, 12), random.randint(1, 28)),
        gone=("template", "characters", "codes", "parts", "next", "Formatter"),
        types=(("year", int), ("month", int), ("day", int)),
    ),
    Subject(
        "markup_lines",
        [
            Case("headings", lambda: (render_line, {"rules": HEADINGS})),
            Case("one", lambda: (render_line, {"rules": HEADINGS[:1]})),
            Case("none", lambda: (render_line, {"rules": []})),
        ],
        inputs=text("# -*`ab", 12),
        gone=("rules", "prefix", "tag", "mark", "INLINE"),
    ),
    Subject(
        "layout_classes",
        [
            Case("header", lambda: (Layout(Field("kind"), Word("size"), Signed("delta")).parse, {})),
            Case("repeated", lambda: (Layout(Repeated("points", Word("p"), 2), Field("end")).parse, {})),
            Case("empty", lambda: (Layout().parse, {})),
        ],
        inputs=lambda random: (bytes(random.choices(range(256), k=random.randint(0, 8))),),
        gone=("fields", "field", "read", "inner", "super"),
        types=(("data", bytes),),
    ),
    Subject(
        "growth",
        [
            Case("koch", lambda: (grow, {"rules": {"F": "F+F-F"}, "axiom": "F", "steps": 2})),
            Case("tree", lambda: (grow, {"rules": {"X": "F[+X]F"}, "axiom": "X", "steps": 3})),
            Case("still", lambda: (grow, {"rules": {}, "axiom": "FF", "steps": 0})),
        ],
        inputs=mostly(integers(1), 2.5),
        gone=("rules", "axiom", "letter", "moves", "direction", "stack", "word", "F"),
    ),
    Subject(
        "residues",
        [
            Case("seven", lambda: (fermat, {"modulus": 7, "exponent": 6})),
            Case("two", lambda: (fermat, {"modulus": 13, "exponent": 2})),
            Case("zero", lambda: (fermat, {"modulus": 5, "exponent": 0})),
        ],
        inputs=integers(1, 0, 40),
        gone=("modulus", "exponent", "Residue", "residue", "_of", "value"),
        types=(("x", int),),
    ),
    Subject(
        "field_polynomial",
        [
            Case("cubic", lambda: (polynomial_at, {"coefficients": [1, 2, 0, 5], "modulus": 11})),
            Case("linear", lambda: (polynomial_at, {"coefficients": [3, 4], "modulus": 5})),
            Case("empty", lambda: (polynomial_at, {"coefficients": [], "modulus": 5})),
        ],
        inputs=integers(1, 0, 40),
        gone=("coefficients", "modulus", "Residue", "coefficient"),
        types=(("x", int),),
    ),
    Subject(
        "checks",
        [
            Case("person", lambda: (validate, {"check": PERSON})),
            Case("contact", lambda: (validate, {"check": CONTACT})),
            Case("range", lambda: (validate, {"check": between("size", 1, 3)})),
        ],
        inputs=lambda random: (
            {name: random.choice([None, 5, 200]) for name in ("name", "age", "mail", "size") if random.random() < 0.7},
        ),
        gone=("check", "checks", "required", "between", "reduce", "left", "low"),
        types=(("record", dict),),
    ),
    Subject(
        "record_stages",
        [
            Case("scaled", lambda: (pipeline, {"steps": [("scale", "n", 3), ("keep", "n", 6)]})),
            Case("limited", lambda: (pipeline, {"steps": [("keep", "n", 2), ("limit", 2)]})),
            Case("nothing", lambda: (pipeline, {"steps": []})),
        ],
        inputs=lambda random: ([{"n": random.randint(0, 5), "k": "a"} for _ in range(random.randint(0, 4))],),
        gone=("steps", "STAGES", "stream", "column", "scaled", "limited"),
        types=(("rows", list),),
    ),
    Subject(
        "invoices",
        [
            Case("two", lambda: (invoice, {"rates": RATES, "layers": [{"free": 10}, {"digits": 1}]})),
            Case("one", lambda: (invoice, {"rates": RATES[1:], "layers": [{}]})),
            Case("none", lambda: (invoice, {"rates": [], "layers": [{"digits": 0}]})),
        ],
        inputs=integers(1, 0, 99),
        gone=("rates", "layers", "settings", "ChainMap", "attrgetter", "percent", "above", "sorted"),
        types=(("amount", int),),
    ),
]
