"""Rule 6 and 9 for generators and context managers: who ends whom, which exception leaves, and when a clean-up runs.

    any(f(x) for f in checks)      a StopIteration out of `f` is a RuntimeError, not the end of the generator
    list(map(f, xs))               the same exception out of a mapped function is the end

What an open function `f` does depends on its argument: it returns it, prints, or raises.
"""

from ..table import Case, Subject


def acting(random):
    """A function that returns, prints, or raises, by its argument."""
    when, error = random.choice([1, 2, 3, 99]), random.choice([StopIteration, ValueError, KeyError])

    def f(value):
        print("f", value)
        if value == when:
            raise error(value)
        return value

    return (f,)


def call_in_generator(n, f):
    def produce():
        for i in range(n):
            yield f(i)

    try:
        return list(produce())
    except Exception as error:
        return type(error), error.args, repr(error.__cause__), repr(error.__context__)


def call_in_expression(values, f):
    try:
        return any(f(value) > 2 for value in values)
    except Exception as error:
        return type(error), error.args, repr(error.__cause__)


def call_in_mapped(values, f):
    try:
        return list(map(lambda value: f(value + 1), values))  # noqa: C417
    except Exception as error:
        return type(error), error.args


def call_behind_try(n, f):
    def produce():
        for i in range(n):
            try:
                result = f(i)
            except ValueError:
                result = "value"
            yield result

    try:
        return list(produce())
    except RuntimeError as error:
        return error.args, repr(error.__cause__)


def raised_from_inside(n, f):
    def stop(value):
        if f(value):
            raise StopIteration(value) from KeyError(value)
        return value

    def produce():
        for i in range(n):
            yield stop(i)

    try:
        return list(produce())
    except RuntimeError as error:
        return error.args, repr(error.__cause__), repr(error.__cause__.__cause__)


def bare_raise(n, f):
    def again():
        raise

    def produce():
        for i in range(n):
            try:
                result = f(i)
            except Exception:
                print("again")
                again()
            yield result

    try:
        return list(produce())
    except Exception as error:
        return type(error), error.args, repr(error.__cause__)


def recursion_in_generator(depth, f):
    def dive(level):
        if f(level) is None or level >= depth:
            return level
        return dive(level + 1)

    try:
        return [value for value in (dive(start) for start in range(2))]  # noqa: C416
    except Exception as error:
        return type(error), error.args, repr(error.__cause__)


def _one(function, **static):
    return Subject(function.__name__, [Case(function.__name__, lambda: (function, dict(static)))], acting)


SUBJECTS = [
    _one(call_in_generator, n=3),
    _one(call_in_expression, values=(0, 1, 2, 3)),
    _one(call_in_mapped, values=(0, 1, 2, 3)),
    _one(call_behind_try, n=3),
    _one(raised_from_inside, n=3),
    _one(bare_raise, n=3),
    _one(recursion_in_generator, depth=2),
]
