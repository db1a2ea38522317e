"""Programs over named tuples and enumerations that mix in a number or a text, and over items that are not there."""

# ruff: noqa: RUF005
from __future__ import annotations

import enum
from collections import namedtuple
from typing import Any, ClassVar, NamedTuple

from ..table import Case, Subject
from .hostile import values

Plain = namedtuple("Plain", "x y", defaults=(7,))


class Located(NamedTuple):
    name: str
    place: Any = None

    def moved(self, to):
        return self._replace(place=to)


class Loud(namedtuple("Loud", "x")):
    __slots__ = ()

    def __eq__(self, other):
        return "never"

    def __hash__(self):
        return 1


class Step(enum.IntEnum):
    UP = 1
    DOWN = 2


class Word(enum.StrEnum):
    YES = "yes"
    NO = "no"


class Stubborn(enum.IntEnum):
    ONE = 1

    def __eq__(self, other):
        return "stubborn"

    def __hash__(self):
        return 5


def fields(p, x):
    made = Plain(x)
    first, second = made
    same = [p.x, p.y, p[0], p[-1], len(p), *p, p[:1], p + (x,), p * 2, bool(p), x in p]
    new = [made.x, first is x, second, made[1], made[0:1], made * 2, made + (1,)]
    return same, new, isinstance(made, Plain), isinstance(made, tuple), type(made)


def escaping(p, x):
    made = Plain(y=x, x=p.x)
    return made, [made, made], made._fields, {made.y: 1} if isinstance(x, str) else None


def wrong_arguments(p, x):
    try:
        return Plain(p, x, 3)
    except TypeError as error:
        return str(error)


def merged(p, x):
    made = Plain(1, x) if x else Plain(2, x)
    other = Plain(1, x) if x else (1, x)
    return made.x, made, other, made == other


def with_methods(p, x):
    point = Located("home", x)
    return point.place, point.moved(p), str(point.name), point == ("home", x)


def overridden(p, x):
    return Loud(p) == (p,), Loud(x) == Loud(x), Loud(x).x


def numbers_of_members(op, x):
    table = ["zero", "one", "two"]
    by_member = {Step.UP: "up", Step.DOWN: "down"}
    return (
        op == 1, op != Step.UP, op < 2, op + 1, -op, table[op], by_member[op], by_member.get(1), op in (Step.UP, 3),
        [Step.DOWN == 2, 2 in by_member, bool(op), op * 2.5, op is Step.UP], f"{op}", x == op,
    )  # fmt: skip


def texts_of_members(op, x):
    return op == "yes", op + "!", op in ("yes", "no"), {"yes": x}[op] if op == Word.YES else None, op.upper(), x == op


def stubborn_members(op, x):
    return op == 1, {1: "one"}.get(op), op in (1, 2), op + 1, x == op


def popping(items, x):
    stack = [x, *items]
    found = []
    try:
        for _ in range(4):
            found.append(stack.pop())
    except IndexError as error:
        found.append(str(error))
    table = {"a": x}
    try:
        table.pop("a")
        table.pop("a")
    except KeyError as error:
        found.append(error.args)
    try:
        [x].pop(3)
    except IndexError as error:
        found.append(error.args)
    return found, stack, table


class Shop:
    rates: ClassVar = {"low": 1, "high": 2}
    seen: ClassVar = []
    open_rates: ClassVar = {"low": 1}

    def note(self, x):
        self.seen.append(x)
        self.open_rates.update(low=x)
        return len(self.seen)


def class_contents(kind, x):
    shop = Shop()
    before = shop.rates[kind], Shop.rates.get("none"), "low" in Shop.rates, [*shop.rates]
    shop.note(x)
    after = Shop.seen[-1], shop.open_rates["low"]
    Shop.seen.clear()
    return before, after


class Power:
    def __init__(self, base):
        self.base = base

    def __pow__(self, exponent):
        return NotImplemented if exponent is None else Power((self.base, exponent))

    def __rpow__(self, base):
        return ("reflected", base)


def powers(n, x):
    found = [(Power(x) ** n).base, 2 ** Power(x), None ** Power(x)]
    value = Power(n)
    value **= x
    try:
        found.append(Power(n) ** None)
    except TypeError as error:
        found.append(str(error).replace("'Power'", "P"))
    try:
        value **= None
    except TypeError as error:
        found.append(str(error).replace("'Power'", "P"))
    return found, value.base if isinstance(value, Power) else value


def kinds(items, x):
    local = lambda: x  # noqa: E731
    bound = Located("home", x).moved
    return isinstance(local, list), type(local).__name__, isinstance(local, type(kinds)), isinstance(bound, list)


SUBJECTS = [
    Subject(
        "named_tuple_fields",
        [
            Case("plain", lambda: (fields, {"p": Plain(3, "y")})),
            Case("nested", lambda: (fields, {"p": Plain(Plain(1), 2)})),
        ],
        inputs=values(1),
        gone=("isinstance", "len"),
    ),
    Subject("named_tuple_escapes", [Case("plain", lambda: (escaping, {"p": Plain(3)}))], inputs=values(1)),
    Subject("named_tuple_wrong", [Case("one", lambda: (wrong_arguments, {"p": 3}))], inputs=values(1)),
    Subject("named_tuple_merges", [Case("one", lambda: (merged, {"p": 3}))], inputs=values(1)),
    Subject("named_tuple_methods", [Case("one", lambda: (with_methods, {"p": 3}))], inputs=values(1)),
    Subject("named_tuple_overridden", [Case("one", lambda: (overridden, {"p": 3}))], inputs=values(1)),
    Subject(
        "members_as_numbers",
        [Case(str(int(op)), lambda op=op: (numbers_of_members, {"op": op})) for op in Step],
        inputs=values(1),
        gone=("by_member", "table", "zero"),
    ),
    Subject(
        "members_as_texts", [Case(op, lambda op=op: (texts_of_members, {"op": op})) for op in Word], inputs=values(1)
    ),
    Subject("members_with_eq", [Case("one", lambda: (stubborn_members, {"op": Stubborn.ONE}))], inputs=values(1)),
    Subject(
        "nothing_to_pop",
        [Case(str(count), lambda count=count: (popping, {"items": tuple(range(count))})) for count in (2, 5)],
        inputs=values(1),
        gone=("pop",),
    ),
    Subject(
        "class_contents", [Case("low", lambda: (class_contents, {"kind": "low"}))], inputs=values(1), gone=("rates",)
    ),
    Subject("powers_of_classes", [Case("two", lambda: (powers, {"n": 2}))], inputs=values(1)),
    Subject(
        "kinds_of_functions", [Case("any", lambda: (kinds, {"items": ()}))], inputs=values(1), gone=("isinstance",)
    ),
]
