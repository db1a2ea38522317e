"""Rule 8 for functions: what is made during specialization and escapes is a real function with the original's identity.

    g(lambda y: x + y)     the lambda gets variables of its own for what is never assigned again,
    g(bump)                and shares those that `bump` or its maker assigns

An open function `g` calls what it gets on the further arguments, or keeps it for later calls.
"""

import functools
import operator

from ..table import Case, Subject


def apply(function, *arguments):
    """What a function gives on each argument, and what it says about itself."""
    results = []
    for argument in arguments:
        try:
            results.append(function(argument))
        except Exception as error:
            results.append((type(error).__name__, str(error)))
    named = [getattr(function, name, None) for name in ("__name__", "__qualname__", "__module__", "__doc__")]
    return results, named, getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)


def given(random):
    return apply, random.choice([0, 1, 2, 3])


def with_everything(n, g, x):
    def add(y, z: int = n, /, *rest, k=x, **more) -> "text":  # noqa: F821
        """Adds."""
        return x + y + z + k + n, rest, more

    return g(add, 1, "a"), add(1, 2, 3, k=4, m=5), add.__annotations__


def lambda_in_call(n, g, x):
    return g(lambda y, *, k=x: (x, y, n, k), n, x)


def sharing(n, g, x):
    count = 0

    def bump(by):
        nonlocal count
        count += by
        return count

    def read(_):
        return count

    first = g(bump, x, n)
    count += 10
    return first, g(read, 0), count, bump(1), g(read, 0)


def assigned_later(n, g, x):
    value = x
    f = lambda y: (value, y)  # noqa: E731
    before = g(f, n)
    if x > 1:
        value = n
    return before, g(f, n)


def captured_on_one_way(n, g, x):
    value = n
    if x > 1:
        f = lambda y: value + y  # noqa: E731
        kept = g(f, 1)
    else:
        kept = None
    value = value + 1
    return kept, value


def made_in_loop(n, g, x):
    functions = []
    for i in range(x):

        def f(y, i=i):
            return i, y, n

        functions.append(f)
    return [g(f, n) for f in functions], len({id(f) for f in functions})


def late_binding(n, g, x):
    functions = [lambda y: (i, y) for i in range(x)]  # noqa: B023
    return [g(f, n) for f in functions]


def adder(i, x):
    def add(y):
        return (i, x, y)

    return add


def made_by_another(n, g, x):
    first, second = adder(1, x), adder(2, n)
    h = 5
    return g(first, n), g(second, n), h, first.__qualname__, first is second, first.__code__ is second.__code__ or True


def made_by_another_in_loop(n, g, x):
    return [g(f, n) for f in [adder(i, n) for i in range(x)]]


def recursive(n, g, x):
    def factorial(k):
        return 1 if k <= 0 else k * factorial(k - 1)

    return g(factorial, x, n), factorial(3)


def mutually_recursive(n, g, x):
    def even(k):
        return True if k == 0 else odd(k - 1)

    def odd(k):
        return False if k == 0 else even(k - 1)

    return g(even, x, n), g(odd, x, n)


def counters(n, g, x):
    def make(start):
        count = start

        def bump(by):
            nonlocal count
            count += by
            return count

        return bump

    first, second = make(x), make(n)
    return g(first, 1, 2), g(second, x), g(first, 3), first(1), second(1)


def counters_in_loop(n, g, x):
    def make(start):
        count = start

        def bump(by):
            nonlocal count
            count += by
            return count

        return bump

    return [g(bump, 1, 2) for bump in [make(i) for i in range(x)]]


def decorated(n, g, x):
    def twice(function):
        def inner(*args, **keywords):
            return function(*args, **keywords), function(*args, **keywords)

        inner.__name__ = function.__name__
        return inner

    @twice
    def f(y, k=n):
        print(y, k)
        return y

    return g(f, x), f(1, k=x)


def maybe_unbound(n, g, x):
    if x:
        value = 1

    def f(_):
        return value

    try:
        return g(f, 1), value
    except NameError as error:
        return str(error)


def unbound_later(n, g, x):
    value = x

    def f(_):
        return value  # noqa: F821

    first = g(f, 1)
    del value
    return first, g(f, 1)


def escaping_generator(n, g, x):
    def produce(start, *rest, stop=n, **more):
        print("start")
        yield start
        yield from rest
        yield stop, sorted(more)

    made = produce(x, 1, 2, stop=3, z=4)
    print("made")
    return g(list, made), list(produce(n))


def escaping_expression(n, g, x):
    def once(source):
        print("next")
        return iter(source)

    made = (i * x for i in once(range(n)) if i != x)
    print("made")
    return g(list, made), g(sum, (i + j for i in (1, x) for j in range(n))), g(next, (y for y in iter([x, n])))


class Odd:
    """An iterator that is no iterable."""

    def __init__(self, n):
        self.n = n

    def __next__(self):
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n


class Source:
    def __iter__(self):
        return Odd(3)


def odd_iterator(n, g, x):
    return g(list, (i + n for i in Source())), g(sorted, (i + x for i in Source()))


def started_generator(n, g, x):
    made = (i + x for i in range(n))
    first = next(made)
    return first, g(list, made)


def key_function(n, g, x):
    order = {"a": 2, "b": 1, "c": x}
    return sorted("cab", key=lambda c: order[c]), max("abc", key=lambda c: -order[c]), g(lambda c: order.get(c, n), "a")


def writing_static(table, g, x):
    def add(value):
        table.append(value)
        return len(table)

    before = len(table)
    return before, g(add, x), len(table)


def nested_class(n, g, x):
    class Local:
        """Local."""

        value = n + x

        def method(self, z):
            return n, x, z, self.value, __class__.__name__

        def __repr__(self):
            return super().__repr__()[:9]

    made = Local()
    return g(made.method, x), Local.__qualname__, Local.method.__qualname__, Local.__module__, repr(made)


def class_of(n):
    class Inner:
        def method(self):
            return n

    return Inner


def classes_of_another(n, g, x):
    first, second = class_of(n), class_of(x)
    return first().method(), second().method(), first.__qualname__, second.method.__qualname__, first is second


def bound_on_some_ways(n, g, x):
    try:
        value = {"a": n}.pop("a" if x else "b")
        other = value // (x - 1)
    except KeyError:
        pass
    except ZeroDivisionError:
        other = "zero"
    finally:
        print("done")
    try:
        return value, other
    except UnboundLocalError as error:
        return str(error)


class Holder:
    def __init__(self, value):
        self.value = value
        self.me = self

    def method(self, y):
        return self.value, y


def keywords(a, b=2, *, k=0):
    return a, b, k


second = operator.itemgetter(1)
seven = functools.partial(keywords, 7)


def partials(n, g, x):
    first = functools.partial(keywords, n, k=x)
    again = functools.partial(first, b=3, k=4)
    made = functools.partial(lambda a, b: (a, b, n), 1)
    results = [first(), first(5), again(), made(x), seven(), seven(x)]
    try:
        results.append(first(1, 2, 3))
    except TypeError as error:
        results.append(str(error))
    return results, g(first, 1, x), g(functools.partial(lambda u, v: (u, v, x), 1), 2), again.keywords, again.args


def getters(n, g, x):
    holder = Holder(x)
    rows = [(1, x), (n, 0)]
    results = [operator.itemgetter(0)(rows), second((1, x)), operator.itemgetter(0, 1)((n, x))]
    results.append(operator.attrgetter("value", "me.value")(holder))
    results.append(sorted(rows, key=operator.itemgetter(1)))
    try:
        second((n,))
    except IndexError as error:
        results.append(str(error))
    return results, list(map(second, rows)), g(operator.itemgetter("a"), {"a": x})


def bound_methods(n, g, x):
    holder = Holder(n)
    method = holder.method
    before = method(1)
    holder.value = x
    return before, method(2), g(method, x), method.__self__ is holder, g(Holder(x).method, n)


computed = []


@functools.cache
def cached(y):
    computed.append(y)
    return [y]


def caches(n, g, x):
    return cached(n) is cached(n), cached(x) is cached(x), len(computed) > 0


def _one(function, **static):
    return Subject(function.__name__, [Case(function.__name__, lambda: (function, dict(static)))], given)


SUBJECTS = [
    _one(with_everything, n=2),
    _one(lambda_in_call, n=2),
    _one(sharing, n=2),
    _one(assigned_later, n=2),
    _one(captured_on_one_way, n=2),
    _one(made_in_loop, n=2),
    _one(late_binding, n=2),
    _one(made_by_another, n=2),
    _one(made_by_another_in_loop, n=2),
    _one(recursive, n=2),
    _one(mutually_recursive, n=2),
    _one(counters, n=2),
    _one(counters_in_loop, n=2),
    _one(decorated, n=2),
    _one(maybe_unbound, n=2),
    _one(unbound_later, n=2),
    _one(escaping_generator, n=2),
    _one(escaping_expression, n=2),
    _one(odd_iterator, n=2),
    _one(started_generator, n=2),
    _one(key_function, n=2),
    _one(partials, n=2),
    _one(getters, n=2),
    _one(bound_methods, n=2),
    _one(caches, n=2),
    _one(nested_class, n=2),
    _one(classes_of_another, n=2),
    _one(bound_on_some_ways, n=2),
    Subject("writing_static", [Case("list", lambda: (writing_static, {"table": [1]}))], given),
]
