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
]
