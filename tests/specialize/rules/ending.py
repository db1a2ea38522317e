"""How generators, iterators and handlers end, and what closures and generators share with who made them.

    source.send(None)       a generator that returns 0 or "" ends with a StopIteration that says so
    list(items)             an exhausted iterator stays exhausted, however long its list gets

What an open function `use` gets it may call, keep and call again.
"""

import math

from ..table import Case, Subject, integers


def false_result(k, x):
    def produce():
        yield x
        return k

    source = produce()
    log = [next(source)]
    try:
        source.send(None)
    except StopIteration as stop:
        log.append((stop.value, stop.args))
    return log


class Done(StopIteration):
    pass


def ended_by_a_subclass(k, x):
    def produce():
        yield x
        if x > 0:
            raise Done(k)
        yield k

    try:
        return list(produce())
    except RuntimeError as error:
        return error.args, type(error.__cause__).__name__, error.__cause__.args


def _fail(k):
    raise KeyError(k)


def raised_below_a_handler(k, table):
    kept = None
    try:
        return table[k]
    except LookupError:
        try:
            _fail(k)
        except KeyError as error:
            kept = error
    return kept


def raised_below_two(k, table):
    kept = None
    try:
        return table[k]
    except LookupError:
        try:
            return _failing_below(k)
        except ValueError as error:
            kept = error
    return kept, kept.__context__


def _failing_below(k):
    if k:
        raise ValueError(k)
    return k


def using(random):
    """Calls each of what it gets, twice; or keeps that and fails, when it is called for the first time."""
    kept, fails = [], random.choice([True, False])

    def use(*given):
        kept.extend(given)
        if fails and len(kept) == len(given):
            raise ValueError("first")
        return [[one() for one in kept] for _ in range(2)]

    return (use,)


def assigned_below(k, use):
    n = k

    def change():
        def inner():
            nonlocal n
            n += 1

        inner()

    def read():
        return n

    try:
        return use(read, change), n
    except ValueError:
        return n


def assigned_when_failing(k, use):
    n = k

    def read():
        return n

    try:
        use(read)
    except ValueError:
        n = k + 1
    return use(read), n


def assigned_behind(k, use):
    n = k

    def read():
        return n

    try:
        before = use(read)
    except ValueError:
        before = None
    n += 1
    return before, use(read), n


def assigned_in_the_middle(k, use):
    n = k

    def middle():
        nonlocal n

        def inner():
            return n

        before = use(inner)
        n += 1
        return before, use(inner)

    try:
        return middle(), n
    except ValueError:
        return n


def defined_at_both_ends(k, use):
    """A finally clause is there twice: behind one of them the variable is assigned."""
    n = k
    try:
        use(lambda: k)
    finally:

        def middle():
            def inner():
                return n

            return inner

        use(middle())
    n += 1
    return use(lambda: 0), n


def thrown_in_a_handler(k, table):
    def produce():
        yield k

    source = produce()
    next(source)
    try:
        return table[k]
    except LookupError:
        try:
            source.throw(ValueError(k))
        except ValueError as error:
            return repr(error.__context__), error.args


def begun(k, use):
    items = iter([k, k + 1, k + 2])
    first = next(items)
    return first, use(x * 2 for x in items), next(items, "end")


def revived(k, x):
    xs = [k, x]
    items = iter(xs)
    got = list(items)
    xs.append(3)
    return got, next(items, "end"), list(items), xs


def revived_in_loop(k, x):
    xs = [k, x]
    items = iter(xs)
    for _ in items:
        pass
    xs.extend([4, 5])
    return [y for y in items], xs  # noqa: C416


def turned(k, x):
    xs = [k, x, 3]
    seen = []
    for item in reversed(xs):
        seen.append(item)
        xs[0] = 9
    return seen


def assigned_inside(k, xs):
    last = k
    total = math.fsum((last := x) * k for x in xs)
    return total, last


def assigned_and_read_inside(k, xs):
    total = 0.0
    found = math.fsum((total := total + x) for x in xs)
    return found, total, k


def assigned_by_a_function_inside(k, xs):
    total = k

    def bump(x):
        nonlocal total
        total += x
        return total

    found = math.fsum(bump(x) for x in xs)
    return found, total


def filled_inside(k, xs):
    seen = [k]
    total = math.fsum((seen.append(x), x)[1] for x in xs)
    return total, seen


def filled_inside_of_a_record(k, xs):
    seen = {"n": k}
    total = math.fsum(x * seen.setdefault("m", k) for x in xs)
    return total, seen


def behind_the_fence(k, use, x):
    try:
        left = "one" if use(k) == x else "two"
    except ValueError:
        return "caught"
    if left == "one":
        return use(left, k, x, 1)
    return use(left, k)


def failing_often(random):
    fails = random.randint(0, 4)

    def use(*given):
        if len(given) == fails:
            raise ValueError(len(given))
        return len(given) - 1

    return use, random.randint(0, 1)


class Count:
    def __init__(self, n):
        self.n = n


def failing_at_two_places(k, use, x):
    def down(count, n):
        if n == 2:
            count.n = "first"
            use(count.n)
        for _ in range(n):
            count.n = n
            use(n, count.n)
        return n if n <= 0 else down(count, n - 1)

    count = Count(k)
    try:
        found = down(count, x + 4)
    except ValueError:
        found = "failed"
    return found, count.n


def _one(function, inputs, *statics, **static):
    rows = statics or (static,)
    return Subject(
        function.__name__.replace("_", " "), [Case("", lambda row=row: (function, dict(row))) for row in rows], inputs
    )


def numbers(random):
    return ([random.randint(0, 9) / 2 for _ in range(random.randint(0, 4))],)


SUBJECTS = [
    _one(false_result, integers(1), *({"k": k} for k in (0, "", False, (), None, 0.0, 1))),
    _one(ended_by_a_subclass, integers(1), k=3),
    _one(raised_below_a_handler, lambda random: (random.choice(({3: 4}, {}, [], [1] * 5)),), k=3),
    _one(raised_below_two, lambda random: (random.choice(({3: 4}, {}, [], [1] * 5)),), k=3),
    _one(assigned_below, using, k=3),
    _one(assigned_when_failing, using, k=3),
    _one(assigned_behind, using, k=3),
    _one(assigned_in_the_middle, using, k=3),
    _one(defined_at_both_ends, using, k=3),
    _one(thrown_in_a_handler, lambda random: (random.choice(({3: 4}, {}, [], [1] * 5)),), k=3),
    _one(begun, lambda random: (random.choice((list, tuple, sum, next)),), k=3),
    _one(revived, integers(1), k=3),
    _one(revived_in_loop, integers(1), k=3),
    _one(turned, integers(1), k=3),
    _one(assigned_inside, numbers, k=3),
    _one(assigned_and_read_inside, numbers, k=3),
    _one(assigned_by_a_function_inside, numbers, k=3),
    _one(filled_inside, numbers, k=3),
    _one(filled_inside_of_a_record, numbers, k=3),
    _one(behind_the_fence, failing_often, k=3),
    _one(failing_at_two_places, failing_often, k=3),
]
