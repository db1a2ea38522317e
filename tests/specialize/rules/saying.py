"""Classes that say for themselves what operators, tests and stores do, where a builtin class would say something else.

isinstance(x, Odd)      a metaclass answers, whatever is known of the class of `x`
(x, 1) == (y, 2, 3)     the first items are compared before the lengths tell that the tuples differ
"""

# ruff: noqa: PIE804, RUF005

import collections
import enum
import math
from dataclasses import dataclass
from typing import NamedTuple

from ..table import Case, Subject, integers


class Meta(type):
    def __instancecheck__(cls, one):
        print("asked", cls.__name__)
        return True


class Odd(metaclass=Meta):
    pass


class Mixin:
    pass


class Mixed(Mixin, str):
    pass


def asked_of_a_metaclass(k, x):
    if type(x) is int:
        return isinstance(x, Odd), isinstance(x, (str, Odd)), k
    return isinstance(x, (int, Odd)), isinstance(x, str)


def classes_beside(k, x):
    if isinstance(x, str):
        return isinstance(x, Mixin), isinstance(x, (int, Mixin)), k
    return isinstance(x, Mixin), isinstance(x, (str, Mixin))


class Loud:
    """Says with what it is compared."""

    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        print("compared", self.n, type(other).__name__)
        return self.n == 1

    __hash__ = None


def tuples_of_two_lengths(k, x):
    return (x, k) == (k, 2, 3), (k, x) == (k,), (x, k) != (k,), [x, k] == [k], (k, x) == (4, x)


class Sum:
    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return "add", self.n, type(other).__name__

    def __lt__(self, other):
        return "lt", self.n, type(other).__name__


class Reflected(Sum):
    def __radd__(self, other):
        return "radd", self.n

    def __gt__(self, other):
        return "gt", self.n


def opened_operand(k, x):
    one = Sum(k)
    return one + x, one < x


class Gated:
    def __init__(self):
        self.log = []

    @property
    def value(self):
        return "got", self.log

    @value.setter
    def value(self, value):
        self.log.append(value)


def set_past_a_property(k, x):
    one = Gated()
    object.__setattr__(one, "value", x)
    object.__setattr__(one, "other", k)
    return one.value, one.other


class Pair(NamedTuple):
    first: object
    second: object

    def __len__(self):
        return 7

    def __add__(self, other):
        return "sum", other

    def __eq__(self, other):
        return "equal"

    __hash__ = None


class Row(collections.namedtuple("Row", "a b")):
    __slots__ = ()

    def __getitem__(self, key):
        return "item", key

    def __contains__(self, one):
        return one == "in"


def named_tuples(pair, k, x):
    made, row = Pair(k, x), Row(k, x)
    return (len(pair), pair + (x,), pair == (1, 2), len(made), made + (k,), made == pair, row[0], x in row, "in" in row,
            row.a, pair.second, bool(pair))  # fmt: skip


class Strange(enum.Enum):
    ONE = 1
    TWO = 2

    def __eq__(self, other):
        print("compared with", other)
        return other in (self.value, self.value + 4)

    def __hash__(self):
        return hash(self.value + 4)


def strange_members(member, x):
    table = {5: "five", 6: "six"}
    return member == 5, member in (x, 5), table.get(member), member is Strange.ONE, [member] == [5], (member,) == (1,)


class Noted:
    def __get__(self, one, owner):
        return 4 if one is None else ("noted", one.__dict__["_x"])

    def __set__(self, one, value):
        one.__dict__["_x"] = value


@dataclass
class Described:
    x: object = Noted()
    y: int = 2


@dataclass
class Thinking:
    x: int

    def __post_init__(self):
        self.twice = self.x * 2


def fields_with_more(k, x):
    first, second, third = Described(k), Described(), Thinking(x)
    first.x = x
    return first.x, second.x, third.twice, vars(first), third


def equal_elements(k, x):
    ints, bools, floats = {k, 2}, {True, 5}, {1.0, 2.0}
    return (
        sorted(ints & bools),
        sorted(bools & ints),
        sorted(ints & floats),
        sorted(floats | ints),
        len(ints - bools),
        x,
    )


def added_sets(k, x):
    seen, other = {0}, set()
    seen.update({8, 16, k})
    other |= {16, 8, k}
    third = {16}
    third.update({1, 8, k})
    return list(seen), list(other), list(third), x


def sorted_equals(k, x):
    xs = [k, True, 1.0, 0, False, 0.0]
    queue = collections.deque([x])
    queue.extendleft([k, 2, 3])
    return sorted(xs, reverse=True), sorted(xs), list(queue)


def greatest_of_equals(k, x):
    rows = [(1, x), (k, "first"), (3, "second"), (1, k)]
    return max(rows, key=lambda row: row[0]), min(rows, key=lambda row: row[0]), max((x, 1), (x, 2), key=lambda r: r[0])


def modulo_of_negatives(k, xs, ys):
    left, right = len(xs) + k, -len(ys) - 1
    rest = left % right
    return rest >= 0, rest > -1, left // right >= 0, left % (right + 9 + len(ys)) >= 0


def false_floats(k, x):
    v = float(x)
    if v:
        return 0 * v, v * 1, v + 0, v * k
    return v, 0 * v, -v, v + 0


def long_numbers(k, x, which):
    n = int(10**x)
    if n < 0:
        return None
    if which:
        n = len(which)
    try:
        text = str(n)
    except ValueError:
        text = "long"
    try:
        return text, f"{n}", "%d" % n, k  # noqa: UP031
    except ValueError:
        return text, "long, too", k


def _named(a, /, b, *, c=3):
    return a, b, c


def names_of_positions(k, x):
    told = []
    for call in (
        lambda: _named(a=k, b=x),
        lambda: _named(k, **{"b": x, "c": k}),
        lambda: _named(k, **{"b": x}, **{"b": k}),
        lambda: _named(x, b=k),
        lambda: _named(k, x, a=x),
    ):
        try:
            told.append(call())
        except TypeError as error:
            told.append(str(error))
    return told


def every_other_one(k, x):
    made = (k, x, 3)
    return made[::2], made[:], made[::-1], made[0:3] is made, made[:3:2], (k, x)[::2], made[1::2]


def _one(function, inputs, *makes):
    cases = [Case("", lambda make=make: (function, make())) for make in makes or (lambda: {"k": 1},)]
    return Subject(function.__name__.replace("_", " "), cases, inputs)


def anything(random):
    return (random.choice((1, True, "a", Mixed("b"), None, 2.5, Loud(1), Mixin())),)


def numbers(random):
    return (random.choice((0.0, -0.0, 0, math.inf, -math.inf, math.nan, 2.5, -3)),)


SUBJECTS = [
    _one(asked_of_a_metaclass, anything),
    _one(classes_beside, anything),
    _one(tuples_of_two_lengths, lambda random: (random.choice((1, 4, Loud(1), Loud(2))),)),
    _one(opened_operand, lambda random: (random.choice((1, Sum(2), Reflected(3), None)),)),
    _one(set_past_a_property, integers(1)),
    _one(named_tuples, lambda random: (random.choice((1, "in", (2,))),), lambda: {"pair": Pair(1, 2), "k": 3}),
    _one(strange_members, integers(1, 0, 6), *(lambda one=one: {"member": one} for one in Strange)),
    _one(fields_with_more, integers(1)),
    _one(equal_elements, integers(1)),
    _one(added_sets, integers(1), *(lambda k=k: {"k": k} for k in (24, 3, 0))),
    _one(sorted_equals, integers(1)),
    _one(greatest_of_equals, integers(1), lambda: {"k": 3}),
    _one(modulo_of_negatives, lambda r: ([0] * r.randint(0, 9), [0] * r.randint(0, 9)), lambda: {"k": 5}),
    _one(false_floats, numbers, lambda: {"k": 2}),
    _one(long_numbers, lambda random: (random.choice((7, 5000, 0)), random.choice(("", "ab")))),
    _one(names_of_positions, integers(1), lambda: {"k": 3}),
    _one(every_other_one, integers(1)),
]
