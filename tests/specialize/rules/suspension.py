"""Rule 6 and 9 for generators and context managers: who ends whom, which exception leaves, and when a clean-up runs.

    any(f(x) for f in checks)      a StopIteration out of `f` is a RuntimeError, not the end of the generator
    list(map(f, xs))               the same exception out of a mapped function is the end
    with Logged(1): f(x)           `__exit__` gets class, exception and traceback, and may swallow it

What an open function `f` does depends on its argument: it returns it, prints, or raises.
"""

import contextlib
import sys

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


class Logged:
    """Says what happens to it; swallows exceptions of one class."""

    def __init__(self, name, swallowed=()):
        self.name = name
        self.swallowed = swallowed

    def __enter__(self):
        print("enter", self.name)
        return [self.name]

    def __exit__(self, kind, error, traceback):
        print("exit", self.name, kind, repr(error), traceback is None, repr(sys.exception()))
        return kind is not None and issubclass(kind, self.swallowed)


class Quiet:
    """Swallows ValueErrors without a word."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.last = error
        if kind is None:
            return None
        return kind is ValueError


class Failing:
    """Raises when it is left."""

    def __enter__(self):
        return None

    def __exit__(self, kind, error, traceback):
        raise KeyError("leaving") from error


class HalfManager:
    def __enter__(self):
        raise AssertionError("there is no exit")


def managed(n, f):
    results = []
    for i in range(n):
        with Logged(i, ValueError) as entered:
            if i == 1:
                results.append(entered)
                continue
            results.append(f(i))
        results.append("after")
    return results


def managed_twice(n, f):
    with Logged("outer", KeyError), Logged("inner", (ValueError, StopIteration)) as entered:
        return entered, f(n)
    return "swallowed"


def managed_statically(n, f):
    with Quiet() as quiet:
        if n:
            raise ValueError(n)
        f(1)
    return type(quiet.last), quiet.last.args, quiet.last.__context__


def managed_quietly(n, f):
    with Quiet() as quiet:
        f(n)
    try:
        return repr(quiet.last), quiet.last.__traceback__ is None
    except AttributeError as error:
        return str(error)


def failing_exit(n, f):
    try:
        with Failing():
            f(n)
    except KeyError as error:
        return error.args, repr(error.__cause__), repr(error.__context__)


def break_and_return(n, f):
    for i in range(n):
        with Logged(i):
            try:
                f(i)
            except ValueError:
                break
            except KeyError:
                return "returned"
            finally:
                print("finally", i)
    return i


def opaque_manager(n, manager):
    try:
        with manager as value:
            print("body", n, value)
            if n > 2:
                return value
    except (TypeError, AttributeError) as error:
        return type(error), str(error)
    return "end"


def managers(random):
    """A manager that the specializer does not see, or something that is none."""
    return (random.choice([Logged("open"), Quiet, HalfManager(), 3, contextlib.nullcontext(4)]),)


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
    _one(managed, n=3),
    _one(managed_twice, n=2),
    _one(managed_statically, n=2),
    _one(managed_statically, n=0),
    _one(managed_quietly, n=2),
    _one(failing_exit, n=2),
    _one(break_and_return, n=3),
    Subject("opaque_manager", [Case(str(n), lambda n=n: (opaque_manager, {"n": n})) for n in (1, 3)], managers),
]
