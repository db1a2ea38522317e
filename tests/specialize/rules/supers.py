"""Methods of builtin classes that `super()` gives, while the object's own class has another one of that name.

    class Refused(Exception):
        def __init__(self, what, why): super().__init__(f"{what}: {why}")     Exception's, never the object's own

Invariant: the object may be static, open or made by the program; the method may be called at once, kept, or returned.
"""

from io import BytesIO

from ..table import Case, Subject


class Problem(Exception):
    """What the others stand on."""


class Refused(Problem):
    def __init__(self, what, why):
        self.text = f"{what}: {why}"
        super(Problem, self).__init__(self.text, what)


class Kept(Problem):
    def __init__(self, what, *more):
        first = super().__init__
        self.kept = type(first).__name__
        first(what, 1)
        first(*more)


class Plain:
    def __init__(self, a):
        begin = super().__init__
        self.name = begin.__name__
        begin()
        self.a = a

    def again(self):
        return super().__init__


class Wrong:
    def __init__(self, a):
        super().__init__(a)


class Doubling(list):
    calls = 0

    def append(self, item):
        super().append(item)
        self.calls += 1
        return self.calls + super().__len__()

    def order(self):
        before = self.calls
        super().sort(key=self.rank)
        return before, self.calls

    def rank(self, item):
        self.calls += 10
        return -item


class Stream(BytesIO):
    def __init__(self, data):
        super().__init__(data)
        self.moves = 0

    def seek(self, at):
        self.moves += 1
        return super().seek(at + 1)

    def left(self):
        return super().getvalue()[super().tell() :]


class Counting:
    n = 0

    @property
    def next(self):
        self.n += 1
        return self.n


class Offset(Counting):
    @property
    def next(self):
        return super().next + 100

    def seen(self):
        return self.n, super().next, self.n, super()


def own(held, x):
    return held.append(x), held.calls, held.order(), held.calls, list(held), type(held).__name__


def moved(held, x):
    return held.seek(x), held.moves, held.left(), held.seek(0)


def doubling(a, x):
    return own(Doubling([5, 1]), x), a


def count(held, x):
    first, second, third, kept = held.seen()
    return held.next, first, second, third, kept.next, held.n, x


def make(cls, a, x):
    try:
        made = cls(a, x)
    except TypeError as error:
        return str(error)
    return made.args, sorted(vars(made).items())


def begin(made, a):
    try:
        made.__init__("what", a)
    except TypeError as error:
        return str(error)
    return made.args, sorted(vars(made).items())


def plain(a, x):
    made = Plain(x)
    again = made.again()
    return again(), made.a, made.name, type(again).__name__, again.__self__ is made


def wrong(a, x):
    try:
        return Wrong(x)
    except TypeError as error:
        return str(error), a


def static(function, name, *values):
    return [Case(repr(value), lambda value=value: (function, {name: value()})) for value in values]


def number(random):
    return (random.choice([0, 3, 9]),)


def value(random):
    return (random.choice([0, "x", (1,)]),)


def two(random):
    return random.choice([0, "x"]), random.choice([1, "y"])


SUBJECTS = [
    Subject("classes that are called", static(make, "cls", lambda: Refused, lambda: Kept), two),
    Subject("a static object", static(begin, "made", lambda: Refused(1, 2), lambda: Kept(3)), value),
    Subject(
        "an open object",
        static(begin, "a", lambda: 0, lambda: "y"),
        lambda random: (random.choice([Refused, Kept])(1, 2),),
    ),
    Subject("what object has", static(plain, "a", lambda: 1), value),
    Subject("what a builtin class has", static(own, "held", lambda: Doubling([5, 1])), number),
    Subject("what a stream has", static(moved, "held", lambda: Stream(b"abcdef")), number),
    Subject("what a builtin class has, made here", static(doubling, "a", lambda: 1), number),
    Subject("a property of the next class", static(count, "held", Offset), number),
    Subject("too many arguments", static(wrong, "a", lambda: 1), value),
]
