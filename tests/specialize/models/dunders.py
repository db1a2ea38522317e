"""Programs over classes with operators of their own: which method Python tries, and what it makes of the answer."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from ..table import Case, Subject
from .hostile import values


class Meters:
    def __init__(self, size):
        self.size = size

    def __add__(self, other):
        if isinstance(other, Meters):
            return Meters(self.size + other.size)
        return NotImplemented

    def __radd__(self, other):
        return Meters(("r", other, self.size))

    def __iadd__(self, other):
        self.size = (self.size, other)
        return self

    def __mul__(self, other):
        return Meters((self.size, other))

    def __eq__(self, other):
        if not isinstance(other, Meters):
            return NotImplemented
        return self.size == other.size

    __hash__ = None

    def __lt__(self, other):
        return ("lt", self.size, getattr(other, "size", other))

    def __neg__(self):
        return Meters(("neg", self.size))


class Sub(Meters):
    def __radd__(self, other):
        return Meters(("sub", other.size, self.size))

    def __gt__(self, other):
        return ("gt", self.size, other.size)


class Bag:
    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __contains__(self, item):
        return item in self.items

    def __iter__(self):
        return iter(self.items)

    def __getitem__(self, index):
        return self.items[index]

    def __setitem__(self, index, value):
        self.items = (*self.items[:index], value, *self.items[index + 1 :])

    def __delitem__(self, index):
        self.items = (*self.items[:index], *self.items[index + 1 :])


class Countdown:
    def __init__(self, start):
        self.left = start

    def __iter__(self):
        return self

    def __next__(self):
        if self.left <= 0:
            raise StopIteration
        self.left -= 1
        return self.left


class Odd:
    """Truth and length of odd types."""

    def __init__(self, answer):
        self.answer = answer

    def __bool__(self):
        return self.answer


class Long:
    def __init__(self, answer):
        self.answer = answer

    def __len__(self):
        return self.answer


@dataclasses.dataclass(order=True)
class Point:
    x: Any
    y: Any = 2
    tags: list = dataclasses.field(default_factory=list)
    hidden: Any = dataclasses.field(default=0, compare=False, repr=False)
    limit: ClassVar[int] = 9

    def norm(self):
        return (self.x, self.y)


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    x: Any
    y: Any = 3


@dataclasses.dataclass
class Checked:
    size: Any
    scale: dataclasses.InitVar[int] = 2
    double: Any = dataclasses.field(init=False)
    name: str = dataclasses.field(default="n", kw_only=True)

    def __post_init__(self, scale):
        if self.size == 0:
            raise ValueError("no size")
        self.double = (self.size, scale)


def sizes(*found):
    return [getattr(value, "size", value) for value in found]


def added(n, x):
    left = Meters(n)
    both = left + Meters(x)
    other = "r" + left
    return sizes(both, other, left * 2, -left, left + Sub(x), Sub(n) + left)


def added_to_anything(n, x):
    return sizes(Meters(n) * x, Meters(n) + x, x + Meters(n))


def in_place(n, x):
    left = Meters(n)
    again = left
    left += x
    other = Sub(n)
    other *= 3
    return left is again, sizes(left, other)


def compared(n, x):
    left = Meters(n)
    return (
        left == Meters(x), left != Meters(n), left == Sub(n), left == 3, "a" != left, None == left,  # noqa: E711, SIM300
        left < Sub(x), Sub(x) > left, left < 5, left is left,
    )  # fmt: skip


def compared_to_anything(n, x):
    left = Meters(n)
    return left < x, left == x, left != x


def unordered(n, x):
    try:
        return Bag(n) < Bag(x)
    except TypeError as error:
        return str(error)


def refused(n, x):
    found = []
    for left, right in ((Bag(n), 1), (1, Bag(n)), (Bag(n), Bag(x)), ("a", Bag(n))):
        try:
            found.append(left - right)
        except TypeError as error:
            found.append(str(error))
    return found


def bag(n, x):
    held = Bag(n, x, 3)
    held[1] = 5
    del held[0]
    return len(held), x in held, 3 in held, 4 not in held, held[0], list(held), bool(held), not Bag(), [*held]


def countdown(n, x):
    return [(i, x) for i in Countdown(n)], any(i == 1 for i in Countdown(n))


def countdown_from(n, x):
    total = n
    for i in Countdown(x):
        total += i
    return total


def truths(answer, x):
    found = []
    for value in (Odd(answer), Long(answer), Odd(x)):
        try:
            found.append(bool(value))
            found.append(not value)
            found.append("yes" if value else "no")
        except (TypeError, ValueError, OverflowError) as error:
            found.append(str(error))
    try:
        found.append(len(Long(answer)))
    except (TypeError, ValueError, OverflowError) as error:
        found.append(str(error))
    return found


def points(n, x):
    p = Point(n)
    q = Point(x, hidden=5)
    p.tags.append(x)
    return p == q, p != q, p == Point(n, tags=[x], hidden=1), p.norm(), Point.limit, p.limit, q.tags, p


def ordered_points(n, x):
    return Point(n, x) < Point(n, 3), Point(1, x) >= Point(2)


def frozen(n, x):
    p = Frozen(n)
    found = [p.x, p.y, p == Frozen(n), p == Frozen(n, x), p == 5]
    try:
        p.x = 3
    except dataclasses.FrozenInstanceError as error:
        found.append(str(error))
    return found, p


def checked(n, x):
    try:
        value = Checked(n, 4, name=x)
    except ValueError as error:
        return str(error)
    return value.double, value.name, value.size, Checked(x).double


def _cases(function, *ns, gone=()):
    cases = [Case(repr(n), lambda n=n: (function, {"n": n})) for n in ns]
    return Subject(function.__name__, cases, values(1), gone)


SUBJECTS = [
    _cases(added, 4, 2.5, "a", gone=("Meters", "Sub", "n")),
    _cases(added_to_anything, 4, "a"),
    _cases(in_place, 4, "a", gone=("Meters", "n")),
    _cases(compared, 4, "a", None, gone=("Meters", "Sub")),
    _cases(compared_to_anything, 4),
    _cases(unordered, 4),
    _cases(refused, 4),
    _cases(bag, 4, "a"),
    _cases(countdown, 0, 3, gone=("Countdown", "left")),
    _cases(countdown_from, 0, 3, gone=("Countdown", "left")),
    Subject(
        "truths",
        [
            Case(repr(n), lambda n=n: (truths, {"answer": n}))
            for n in (True, False, 0, 3, -1, 10**30, "a", None, 1.5, -(10**30))
        ],
        values(1),
    ),
    _cases(points, 4, "a"),
    _cases(ordered_points, 1, 2.0),
    _cases(frozen, 4, "a"),
    _cases(checked, 4, 0, "a"),
]
