"""Programs in which a residual once differed from the original: what random programs found, made small.

    for p, q in zip(parts): ...    was printed with the iterable's variable overwritten before the loop

Each is a function with its static inputs and dynamic ones that showed the difference.
"""

from ..table import Case, Inputs, Subject


def one_of(*values) -> Inputs:
    return lambda random: (random.choice(values),)


def some_of(*rows) -> Inputs:
    return lambda random: random.choice(rows)


def loop_variable_in_handler(items, last):
    try:
        for last in items:  # noqa: B007
            pass
    except LookupError:
        pass
    return last


class Empty:
    def __init__(self):
        self.items = ""

    def __getattr__(self, name):
        print("getattr", name)


def iterable_before_first_value(box, x):
    if x:
        print(x)
    return [sum(p for p, q in zip(box.items)) for _ in (0.0, x)]


TABLE = [3]


def cleared_global(values):
    values.clear()
    values += list(enumerate(TABLE))
    return len(values)


class Slotted:
    __slots__ = ("n",)

    def step(self, k):
        return self.n if k else None


def empty_slot(k, x):
    holder = Slotted()
    if x:
        holder.n = x
    return holder.step(k)


class Counter:
    def __init__(self, n):
        self.n = n


def late_store(counter, items, x):
    counter.n += x
    items[0] = []
    return counter.n


SUBJECTS = [
    Subject(
        "a handler reads what the loop assigns",
        [Case("open", lambda: (loop_variable_in_handler, {}))],
        some_of(([3, 1, 2], 0), ((), 5), (None, 1)),
    ),
    Subject(
        "the iterable is evaluated after the loop's first values",
        [Case("empty", lambda: (iterable_before_first_value, {"box": Empty()}))],
        one_of(0, 1),
    ),
    Subject(
        "a slot that may be empty", [Case("one", lambda: (empty_slot, {"k": 1}))], one_of(0, 2, "a")
    ),
    Subject(
        "an operation in place whose store comes later",
        [Case("counter", lambda: (late_store, {"counter": Counter(2)}))],
        some_of(([1], 3), ([], 4), ((), 1), ([1], "a")),
    ),
]
