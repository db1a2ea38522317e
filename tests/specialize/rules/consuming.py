"""Generators that a builtin uses up where the residual runs: what they compute is specialized, and keeps its place
between what the builtin does with the items.

    sum(w * v for w, v in zip((2, 3), vector))    ->    a residual generator function without the weights

Each program shows the order of its effects, or whose objects the generator holds.
"""

import math
from collections import Counter

from ..table import Case, Inputs, Subject


class Loud:
    """A number that says when it is added and multiplied, and fails at 7."""

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        print("add", self.value, getattr(other, "value", other))
        if self.value == 7:
            raise ValueError(self.value)
        return Loud(self.value + getattr(other, "value", other))

    def __radd__(self, other):
        print("radd", other, self.value)
        return Loud(self.value + other)

    def __mul__(self, other):
        print("mul", self.value, other)
        return Loud(self.value * other)

    __rmul__ = __mul__

    def __eq__(self, other):
        return isinstance(other, Loud) and self.value == other.value

    def __hash__(self):
        print("hash", self.value)
        return hash(self.value)


def rows(*choices) -> Inputs:
    return lambda random: random.choice(choices)


def weighted(weights, vector):
    return sum(w * v for w, v in zip(weights, vector))


def weighted_in_floats(weights, vector):
    return math.fsum(w * v for w, v in zip(weights, vector) if w), math.prod(v for v in vector)


def picked(names, row):
    return frozenset(row[name] for name in names), Counter(row[name] for name in names)


def own_list(steps, seen):
    done = []

    def note(step):
        done.append(step)
        return step

    found = frozenset(note(step) or len(done) for step in seen if step in steps)
    done.append("end")
    return found, done


def shared_variable(scale, vector):
    made = math.fsum(scale * v for v in vector)
    scale = 0
    return made, scale


def assigned_between(scale, vector):
    items = (scale * v for v in vector)
    scale = scale + 1
    return math.fsum(items), scale


def used_twice(scale, vector):
    items = (scale * v for v in vector)
    return frozenset(items), list(items)


def caught(weights, vector):
    try:
        return sum((w * v for w, v in zip(weights, vector)), Loud(0))
    except (ValueError, TypeError) as error:
        print("caught", type(error).__name__)
        return None


def nested(table, xs):
    return math.fsum(math.fsum(a * x for a in row) for row, x in zip(table, xs))


def counted(tree, x):
    if isinstance(tree, tuple):
        return math.prod(counted(part, x) for part in tree)
    return tree * x


class Cart:
    def __init__(self):
        self.rate = 2
        self.seen = 0

    def price(self, item):
        self.seen = self.seen + 1
        return self.rate * item

    def total(self, items):
        self.seen = 0
        made = math.fsum(self.price(item) for item in items)
        return made, self.seen


def cleaned_up(n, xs):
    def items():
        try:
            for x in xs:
                yield n * x
        finally:
            print("done")

    try:
        return sum(items())
    except TypeError:
        print("handled")
        return None


def squares(n):
    for i in range(n):
        yield i * i
    return n


def of_a_function(n, more):
    return Counter(squares(n)), frozenset(square + more for square in squares(n))


def assigned_by_items(scale, vector):
    calls = 0

    def counted_up():
        nonlocal calls
        calls += 1
        return calls

    return math.fsum(counted_up() * v * scale for v in vector), calls


class Least:
    def __gt__(self, other):
        return True

    def __lt__(self, other):
        return True


def given_back(n, least):
    items = (n * x for x in (1, 2))
    found = max(items, least), min(least, (n + x for x in (1, 2))), dict(a=(n * x for x in (1, 2)))  # noqa: C408
    return [getattr(one, "__name__", one) for one in (*found[:2], found[2]["a"])]


VECTORS = rows(
    ([1, 2, 3],), ([0.1, 0.2, 0.3],), ([1e16, 1.0, -1e16],), ([1, 0.5],), ([],), (["a", "b"],), (None,),
    ([Loud(1), Loud(2), Loud(3)],), ([Loud(7), Loud(1), Loud(2)],), ([10**400, 1.5],), ([1.5, 10**400, 2],),
    ([1, [2]],),
)  # fmt: skip
NUMBERS = rows(([1, 2, 3],), ([0.5],), ([],), ("a",), ([1, None],))

SUBJECTS = [
    Subject(
        "weights of a sum",
        [Case(str(w), lambda w=w: (weighted, {"weights": w})) for w in ((2, 3, 0.5), [1], (), (2, 10**400))],
        VECTORS,
    ),
    Subject("exact sums", [Case("two", lambda: (weighted_in_floats, {"weights": [2, 0, 3]}))], VECTORS),
    Subject(
        "items of a row",
        [Case("ab", lambda: (picked, {"names": ("a", "b")}))],
        rows(({"a": 1, "b": 2},), ({"a": []},), ({"b": 1},), ({"a": Loud(1), "b": Loud(1)},), ([1, 2],)),
    ),
    Subject("a list that items grow", [Case("12", lambda: (own_list, {"steps": (1, 2)}))], rows(([1, 3, 2],), ((),))),
    Subject("a variable assigned behind", [Case("2", lambda: (shared_variable, {"scale": 2}))], NUMBERS),
    Subject("a variable assigned before", [Case("2", lambda: (assigned_between, {"scale": 2}))], NUMBERS),
    Subject("used up twice", [Case("2", lambda: (used_twice, {"scale": 2}))], NUMBERS),
    Subject("an addition that fails", [Case("three", lambda: (caught, {"weights": (1, 2, 3)}))], VECTORS),
    Subject(
        "generators in generators",
        [Case("two", lambda: (nested, {"table": [[1, 2], [3]]}))],
        rows(([1, 2],), ([0.5],), ([[], 1],)),
    ),
    Subject(
        "products of a tree",
        [Case("tree", lambda: (counted, {"tree": (1, (2, 3), (), 4)}))],
        rows((2,), (0.5,), ("a",)),
    ),
    Subject("attributes that items count", [Case("cart", lambda: (Cart().total, {}))], NUMBERS),
    Subject("what is done when a sum fails", [Case("2", lambda: (cleaned_up, {"n": 2}))], NUMBERS),
    Subject("a variable that items assign", [Case("2", lambda: (assigned_by_items, {"scale": 2}))], NUMBERS),
    Subject("generators that are given back", [Case("2", lambda: (given_back, {"n": 2}))], rows((Least(),), (1,))),
    Subject("generator functions", [Case("4", lambda: (of_a_function, {"n": 4}))], rows((1,), ("a",), (0.5,))),
]
