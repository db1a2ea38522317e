"""Attributes of classes that the program stores while it runs.

type(self).made += 1        each object counts; what `made` was when the residual was made is not believed
"""

from ..table import Case, Subject


def fresh():
    """Classes of their own for each side."""

    class Gauge:
        made = 0
        unit = "m"

        def __init__(self, level):
            type(self).made += 1
            self.level = level

        def shown(self):
            return f"{self.level} {self.unit} of {self.made}"

        @classmethod
        def reset(cls):
            cls.made = 0
            return cls

    class Fine(Gauge):
        def shown(self):
            return super().shown() + "!"

    return Gauge, Fine


def counted(Gauge, n, x):
    gauges = [Gauge(x + i) for i in range(n)]
    before = Gauge.made
    Gauge.reset()
    return before, gauges[0].made, Gauge.made, [gauge.shown() for gauge in gauges]


def stored(Fine, n, x):
    base = Fine.__mro__[1]
    one = Fine(n)
    first = one.unit, hasattr(one, "extra"), getattr(one, "extra", 0)
    base.unit = x
    Fine.extra = n
    second = one.unit, one.shown(), hasattr(one, "extra"), one.extra
    Fine.unit = "f"
    third = one.unit, base.unit
    del Fine.unit
    setattr(base, "unit", 1)  # noqa: B010
    return first, second, third, one.unit


def replaced(Gauge, n, x):
    one = Gauge(n)
    first = one.shown()
    if x:
        Gauge.shown = lambda self: (self.level, x)
    return first, one.shown()


def operated(Gauge, n, x):
    one = Gauge(n)
    if x:
        Gauge.__add__ = lambda self, other: (self.level, other)
    try:
        return one + x
    except TypeError as error:
        return str(error)


def passed(Gauge, n, x):
    one = Gauge(n)
    first = one.unit
    x.unit = n
    return first, one.unit


def called_back(Gauge, act, n):
    first = Gauge.made
    act(n)
    return first, Gauge.made


def case(function, which=0):
    return [Case(function.__name__, lambda: (function, {"n": 2, ("Gauge", "Fine")[which]: fresh()[which]}))]


def callback():
    gauge, _ = fresh()
    return called_back, {"Gauge": gauge, "act": gauge}


def number(random):
    return (random.choice([0, 1, 5, "a"]),)


SUBJECTS = [
    Subject("objects that count themselves", case(counted), lambda random: (random.randint(0, 5),)),
    Subject("attributes of classes that are stored", case(stored, 1), number),
    Subject("a method that is replaced", case(replaced), number),
    Subject("an operator that a class gets late", case(operated), number),
    Subject("a callback that writes the class", [Case("class", callback)], number),
]
"""Rows of `n`, static, and one open parameter."""
