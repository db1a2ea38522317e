"""What operators, calls and attributes give where the obvious answer is the wrong one.

    (x, nan) == (x, nan)        True: the same object counts as equal
    Base() < Derived()          the derived class is asked first
    "%s: %d" % ("50%", x)       the text that is filled in is no template

The classes here have operators, descriptors and attributes of their own.
"""

import collections
import collections.abc
import enum
import functools
import math
import re
from dataclasses import dataclass

from ..table import Case, Subject, integers


def same_nan(nan, x):
    return (x, nan) == (x, nan), [x, (nan,)] == [x, (nan,)], (x, nan) != (x, float("nan")), (nan, x) == (-nan, x)


def products_below_zero(k, xs, ys):
    x, y = len(xs) - k, len(ys) + 2
    product = x * y
    return product >= -2 * k, product < -2 * k - 1, product >= k, x * x >= k * k, product * y > -99


def ranges_that_go_down(k, xs, step):
    seen = []
    for i in range(len(xs), -k, step):
        seen.append((i >= 0, i < 0, i > 2))
    return seen


class Text(str):
    pass


class Shown:
    def __str__(self):
        return Text("shown")

    def __repr__(self):
        return Text("repr")

    def __format__(self, spec):
        return Text(spec)


def texts_of(k, x):
    made = [str(x), repr(x), format(x, "")]
    return [(type(text) is str, isinstance(text, Text), isinstance(text, str), type(text) is Text) for text in made], k


def text_of(k, x):
    made = str(x)
    if type(made) is str:
        return made, k
    return "other", k


class Base:
    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return "add", self.n

    def __radd__(self, other):
        return "radd", self.n

    def __lt__(self, other):
        return "lt", self.n

    def __gt__(self, other):
        return "gt", self.n

    def __eq__(self, other):
        return "eq", self.n


class Derived(Base):
    pass


class Overriding(Base):
    def __radd__(self, other):
        return "own radd", self.n

    def __gt__(self, other):
        return "own gt", self.n

    def __eq__(self, other):
        return "own eq", self.n


def inherited_operators(k, x):
    one, other, own = Base(k), Derived(x), Overriding(x)
    return [one + other, other + one, one + own, own + one, one < other, one < own, own > one, one > own,
            one == own, own == one, one != own, one == other]  # fmt: skip


def places_in_a_list(k, x):
    xs = [k, x, k]
    return [xs.index(k, start) for start in (-9, -4, -3, -2, 0, 1, 2)], xs.count(k)


def turned_around(k, x):
    queue = collections.deque([k, x, 3, 4])
    queue.rotate(1)
    once = list(queue)
    queue.rotate(-2)
    queue.rotate()
    return once, list(queue)


def sorted_backwards(k, x):
    rows = [(1, x), (2, k), (1, k), (2, x), (1, 7)]
    return sorted(rows, key=lambda row: row[0], reverse=True), sorted(rows, key=lambda row: -row[0])


def percent_in_a_text(k, x):
    return "%s: %s" % (k, x), "%s%%: %s" % (k, x), "%s%s%s" % (k, x, k)  # noqa: UP031


@functools.singledispatch
def described(value):
    return "something"


@described.register
def _(value: collections.abc.Sized):
    return "sized", len(value)


@described.register
def _(value: Base):
    return "base", value.n


class Counted:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n


class CountedBase(Base):
    def __len__(self):
        return self.n


def abstract_classes(k, x):
    return [described(Counted(x)), described(Base(k)), described(CountedBase(x)), described([x]), described(k)]


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2

    def __add__(self, other):
        return Level.HIGH

    def __lt__(self, other):
        return "less"

    def __bool__(self):
        return self is Level.HIGH

    def __neg__(self):
        return "negated"


def members_with_operators(level, x):
    return level + 1, level < 5, -level, bool(level), level + x, level * 2, not level, "true" if level else "false"


@dataclass
class Loud:
    x: int
    y: int

    def __setattr__(self, name, value):
        print("set", name, value)
        object.__setattr__(self, name, value)


@dataclass
class Point:
    x: int
    y: int


def stores_of_its_own(k, x):
    made = Loud(k, x)
    made.x = x
    return made, [Loud(x, k)], Loud(k, k).x + Loud(x, k).y


def fields_in_another_order(k, x):
    made = Point(k, x)
    del made.x
    made.x = x + 1
    return made, list(vars(made))


def matches_that_escape(text, use):
    found = list(re.finditer(r"(\d+)(\w)?", text))
    return [use(one) for one in found], use(found[1]), use(found[-1])


def _taking(a, b=2, *, c=3):
    return a, b, c


def given_twice(k, x):
    told = []
    for call in (lambda: _taking(k, a=x), lambda: _taking(k, x, b=x), lambda: _taking(x, b=k), lambda: _taking(c=x)):
        try:
            told.append(call())
        except TypeError as error:
            told.append(str(error))
    return told


def keywords_of_partials(k, x):
    made = functools.partial(_taking, k, b=k, c=k)
    return made(), made(b=x), made(c=x), functools.partial(made, b=x)(), functools.partial(made, c=x)(c=k)


class Named:
    def name(self):
        return "method"


def hidden_method(k, use):
    one = Named()
    method = one.name
    one.name = lambda: k
    return use(method), use(one.name), list(vars(one))


class Doubling:
    """Keeps twice what is stored under the name that it has, and reads it as a text."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, one, owner):
        return f"<{one.__dict__[self.name]}>"

    def __set__(self, one, value):
        one.__dict__[self.name] = value * 2


class Holder:
    value = Doubling()
    limit = 5

    def __init__(self, value):
        self.value = value


def descriptors(holder, k, x):
    made = Holder(k)
    before = holder.value, made.value
    made.value = x
    return before, made.value, holder.value, vars(made)


def hidden_later(holder, use):
    before = holder.limit
    use(holder)
    return before, holder.limit


def stored_on_a_base(top, below, x):
    before = below.level, below().level
    top.level = x
    return before, below.level, below().level, top().level


def set_again(k, x):
    seen = {0, 8, 16}
    seen.remove(0)
    seen.add(0)
    other = {k, k + 8}
    other.discard(k)
    other.add(k + 16)
    other.add(k)
    return seen, list(seen), list(other), x


def known_at_first(k, x):
    def down(n):
        if n <= 0:
            return k
        while n > 5:
            n -= 2
        if n == 4:
            return n * x
        return down(n - 1)

    found = down(x)
    return found, found == k, type(found) is int


def _classes():
    top = type("Top", (), {"level": 1})
    return {"top": top, "below": type("Below", (top,), {})}


def _one(function, inputs, *makes):
    cases = [Case("", lambda make=make: (function, make())) for make in makes or (lambda: {"k": 3},)]
    return Subject(function.__name__.replace("_", " "), cases, inputs)


def called(random):
    return (lambda one: one(),)


SUBJECTS = [
    _one(same_nan, integers(1), lambda: {"nan": math.nan}),
    _one(products_below_zero, lambda random: ([0] * random.randint(0, 9), [0] * random.randint(0, 9))),
    _one(ranges_that_go_down, lambda random: ([0] * random.randint(0, 6), random.choice((-1, -2, 1)))),
    _one(texts_of, lambda random: (random.choice((Shown(), "text", Text("own"), 3)),)),
    _one(text_of, lambda random: (random.choice((Shown(), "text", Text("own"), 3)),)),
    _one(inherited_operators, integers(1)),
    _one(places_in_a_list, integers(1)),
    _one(turned_around, integers(1)),
    _one(sorted_backwards, integers(1)),
    _one(percent_in_a_text, integers(1), *(lambda k=k: {"k": k} for k in ("50%", "%d", "%%", "a"))),
    _one(abstract_classes, integers(1, 0, 9)),
    _one(members_with_operators, integers(1), *(lambda level=level: {"level": level} for level in Level)),
    _one(stores_of_its_own, integers(1)),
    _one(fields_in_another_order, integers(1)),
    _one(matches_that_escape, lambda r: (lambda one: (one.span(), one.groups()),), lambda: {"text": "12a 3 45b"}),
    _one(given_twice, integers(1)),
    _one(keywords_of_partials, integers(1)),
    _one(hidden_method, called),
    _one(descriptors, integers(1), lambda: {"holder": Holder(2), "k": 3}),
    _one(
        hidden_later,
        lambda random: (random.choice((lambda one: setattr(one, "limit", 7), lambda one: None)),),
        lambda: {"holder": Holder(2)},
    ),
    _one(stored_on_a_base, integers(1), _classes),
    _one(set_again, integers(1)),
    _one(known_at_first, integers(1, 0, 12)),
]
