"""What residual functions do to objects of their callers, and what several ways may say of one value.

    def add(self, n): self.total += n; self.add(n - 1)    called by `__init__`: the object being made has the sum

An object that its caller made and goes on with is lent: what the callee stores in it, the caller finds there, however
many calls are between.
"""

from ..table import Case, Subject, integers


class Count:
    def __init__(self, n):
        self.n = n


def passed_on(k, x):
    def down(count, left):
        if left <= 0:
            return left
        count.n += left
        return down(count, left - 1)

    count = Count(k)
    return down(count, x), count.n


class Sum:
    def __init__(self, k, x):
        self.k = k
        self.total = 0
        self.add(x)

    def add(self, x):
        if x > 0:
            self.total += x * self.k
            self.add(x - 1)


def made_meanwhile(k, x):
    made = Sum(k, x)
    return made.k, made.total


def variable_assigned(k, x):
    total = k

    def add(n):
        nonlocal total
        if n > 0:
            total += n
            add(n - 1)

    add(x)
    return total


def variable_of_both(k, x):
    seen, last = 0, None

    def even(n):
        nonlocal seen
        seen += 1
        return k if n <= 0 else odd(n - 1)

    def odd(n):
        nonlocal last
        last = n
        return -k if n <= 0 else even(n - 1)

    return even(x), seen, last


def held_twice(k, xs):
    pair = [k]
    grown = [pair]
    for x in xs:
        grown.append(x)
        pair[0] = x
    return grown, pair, grown[0] is pair


def one_of_two_tests(k, x, which):
    if which:
        told = isinstance(x, str)
    else:
        told = isinstance(x, int)
    if told:
        return isinstance(x, str), isinstance(x, int), k
    return isinstance(x, str), isinstance(x, int), -k


def one_of_two_values(k, x, y, which):
    told, tested = (isinstance(x, str), x) if which else (isinstance(y, str), y)
    if told:
        return isinstance(tested, str), isinstance(x, str), isinstance(y, str), k
    return isinstance(tested, str), isinstance(x, str), isinstance(y, str)


def _one(function, inputs, **static):
    return Subject(function.__name__.replace("_", " "), [Case("", lambda: (function, dict(static)))], inputs)


def anything(random):
    return random.choice((1, "a", True, None, 2.5))


SUBJECTS = [
    _one(passed_on, integers(1, -1, 6), k=3),
    _one(made_meanwhile, integers(1, -1, 6), k=3),
    _one(variable_assigned, integers(1, -1, 6), k=3),
    _one(variable_of_both, integers(1, -1, 6), k=3),
    _one(held_twice, lambda random: ([random.randint(0, 9) for _ in range(random.randint(0, 4))],), k=3),
    _one(one_of_two_tests, lambda random: (anything(random), random.choice((True, False))), k=3),
    _one(one_of_two_values, lambda random: (anything(random), anything(random), random.choice((True, False))), k=3),
]
