"""Attributes that the program stores on functions which it makes while the specialized function runs.

    def count(f):                            the calls are in line, the counter is a local variable; who gets the
        def inner(*a):                       function itself gets one with all its attributes, in their order
            inner.calls += 1
            return f(*a)
        inner.calls = 0
        return inner
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import functools

import pytest

from .specializing import specialize
from .test_wrapping import LOG, VALUES, is_gone, outcome, same


def count(f):
    @functools.wraps(f)
    def inner(*args):
        inner.calls += 1
        return f(*args)

    inner.calls = 0
    return inner


def counted(n, x):
    @count
    def add(v):
        return v + n

    @count
    def pair(v):
        return v, add(v)

    return pair(add(x)), add.calls, pair.calls, add.__name__, pair.__wrapped__.__name__


def test_counters():
    residual = same(counted, 3)
    is_gone(residual, "calls", "inner", "args")


def named(f):
    def inner(*args):
        try:
            return f(*args)
        except TypeError:
            raise ValueError(f"{inner.__name__} failed, {f.__doc__}") from None

    inner.__name__ = f"checked_{f.__name__}"
    inner.__qualname__ = f.__qualname__
    inner.__doc__ = f.__doc__
    inner.__wrapped__ = f
    return inner


def with_names(n, x):
    @named
    def half(v):
        "halves"
        return v / n

    return half(x), half.__name__, half.__doc__, half.__qualname__, half.__wrapped__.__name__


def test_names():
    residual = same(with_names, 2)
    is_gone(residual, "inner", "__name__", "args")


def rules(table, row):
    checks = []
    for field, low in table:

        @named
        def rule(v, low=low):
            return v >= low

        rule.field = field
        rule.__name__ = f"{field}_rule"
        rule.low = low
        checks.append(rule)
    return [rule.__name__ for rule in checks if not rule(row[rule.field])], [rule.low for rule in checks]


def test_rules():
    residual = same(rules, (("a", 1), ("b", 3)), values=[{"a": 1, "b": 2}, {"a": 0, "b": 4}, {"a": 1}, {"a": "x"}])
    is_gone(residual, "rule", "field", "checks")


def given_away(n, x):
    @count
    def add(v):
        return v + n

    add.b = [x]
    add.a = {"x": n}
    add.b.append(n)
    if x:
        add(1)
    add.__name__ = "other"
    add.__qualname__ = "other.one"
    LOG.append(add)
    return add, add.__name__, list(add.__dict__)


def test_who_gets_the_function_finds_its_attributes_in_their_order():
    same(given_away, 3)


def itself(n, x):
    def step(v):
        step.seen.append(v)
        return v * n if len(step.seen) < 4 else step

    step.seen = []
    found = [step(x), step(n), step(1)]
    step.seen.append(step)
    return found, step.seen[:-1], step.seen[-1] is step, [step][0](x) is step


def test_a_function_that_holds_itself():
    same(itself, 3)


def in_a_loop(n, xs):
    @count
    def add(v):
        return v + n

    add.total = 0
    for x in xs:
        if x:
            add.total += add(x)
        else:
            add.last = x
    return add.calls, add.total, hasattr(add, "last")


def test_loops_and_ways():
    same(in_a_loop, 3, values=[(), (1,), (1, 0, 2), (0,), [5] * 40, (1, "a"), None])


def changed_afterwards(n, x):
    def f(v):
        return v + n

    f.mark = [n]
    f.kind = "old"

    @functools.wraps(f)
    def inner(v):
        return f(v)

    f.kind = "new"
    f.__name__ = "renamed"
    f.more = x
    return inner.kind, inner.__name__, inner.mark is f.mark, f.kind, f.__name__, hasattr(inner, "more"), inner(x), inner


def test_what_was_copied_stays_as_it_was():
    same(changed_afterwards, 3)


def copied(n, x):
    def f(v):
        return v + n

    f.mark, f.arity = x, 1
    inner = functools.wraps(f)(lambda v: f(v))
    return inner.mark, inner.arity, inner.__wrapped__.arity, inner.__name__, inner(n)


def test_what_was_copied_is_known():
    residual = same(copied, 3)
    is_gone(residual, "mark", "inner", "lambda")


def twice(x):
    "Doubles."
    return x * 2


def around_static(n, x):
    fs = [functools.wraps(f)(lambda v, f=f: f(v)) for f in (twice, repr)]
    return fs[0].__name__, fs[0].__doc__, fs[0](x), fs[1](n), fs[1].__name__


def test_names_of_what_is_static():
    is_gone(same(around_static, 3), "lambda", "__name__")
    residual = specialize(around_static, 3)
    twice.__name__ = "double"
    try:
        assert residual(1) == around_static(3, 1) and residual(1)[0] == "double"
    finally:
        twice.__name__ = "twice"


def refused(n, x):
    def f(v):
        return v + n

    kinds = []
    for name, value in (("__name__", n), ("__qualname__", x), ("__defaults__", (x,)), ("__dict__", {"a": x})):
        try:
            setattr(f, name, value)
        except TypeError as error:
            kinds.append(str(error))
    try:
        f()
    except TypeError as error:
        kinds.append(str(error))
    return kinds, f, f.__dict__


def test_what_functions_do_not_take():
    same(refused, 3)


def missing(n, x):
    def f(v):
        return v + n

    f.a = n
    first = getattr(f, "b", x), hasattr(f, "a"), hasattr(f, "c")
    del f.a
    try:
        return first, f.a, f(x)
    except AttributeError as error:
        return first, str(error), f(x)


def test_attributes_that_are_not_there():
    same(missing, 3)


def of_generators(n, x):
    def numbers(v):
        yield from range(n)
        yield v

    numbers.__name__ = "renamed"
    numbers.kind = "g"
    made = numbers(x)
    return made.__name__, list(made), numbers.kind


def test_generators_are_named_as_their_function():
    same(of_generators, 3)


def recursive(n, x):
    @count
    def down(k):
        return x if k <= 0 else [down(k - 1), k]

    return down(n), down(2), down.calls


def open_recursion(n, x):
    @count
    def down(k):
        return n if k <= 0 else down(k - 1) + k

    return down(x), down.calls


def test_recursion():
    same(recursive, 3)
    same(open_recursion, 3, values=[0, 1, 5, 2.5, "a", -1])


def known_afterwards(n, x):
    def f(v):
        return v + n

    f.a = 1
    g = f
    g.a = x
    table = {f: "f"}
    return f.a, g is f, table[g], f(x), callable(f), type(f).__name__, f == g


def test_two_names():
    same(known_afterwards, 3)


def shown_to(n, x):
    def f(v):
        f.seen = v
        return v + n

    f.seen = None
    LOG.append(x(f) if callable(x) else f(x))
    return f.seen


def test_callers_that_get_it():
    def use(f):
        f.seen = "outside"
        return f(2), f.seen

    same(shown_to, 3, values=[*VALUES, use, lambda f: vars(f).clear()])


@pytest.mark.parametrize("function", [counted, with_names, given_away, itself, copied, known_afterwards, shown_to])
def test_all_open(function):
    residual = specialize(function)
    for value in VALUES:
        assert outcome(residual, 3, value) == outcome(function, 3, value)
