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


def raised_again(n, f):
    def produce():
        for i in range(n):
            try:
                result = f(i)
            except (LookupError, StopIteration):
                raise
            yield result

    try:
        return list(produce())
    except Exception as error:
        return type(error), error.args, repr(error.__cause__)


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


# --- generators that are driven by hand ---


def counting(n, f):
    for i in range(n):
        try:
            got = yield f(i)
            print("got", got)
        except ValueError as error:
            print("caught", error)
            yield "caught"
        finally:
            print("finally", i)
    return n


def delegating(n, f):
    result = yield from counting(n, f)
    yield ("result", result)
    yield from [f(n), n]


def driven(n, make, f):
    """Drive a generator in many ways; what happens is in the result."""
    log = []
    for way in range(6):
        try:
            source = make(n, f)
            log.append(next(source))
            log.append(source.send(way))
            if way == 1:
                log.append(source.throw(ValueError(way)))
            elif way == 2:
                log.append(source.throw(KeyError(way)))
            elif way == 3:
                log.append(source.close())
            elif way == 4:
                log.append(source.throw(GeneratorExit))
            log.extend(source)
            log.append(next(source, "none"))
        except BaseException as error:
            log.append((type(error).__name__, error.args, repr(error.__cause__)))
    return log


def by_hand(n, f):
    def two():
        first = yield n
        print("first", first)
        second = yield (first, f(first))
        return (first, second)

    source = two()
    log = [next(source), source.send(2)]
    try:
        source.send(f(3))
    except StopIteration as stop:
        log.append((stop.value, stop.args))
    try:
        next(source)
    except StopIteration as stop:
        log.append((stop.value, stop.args))
    return log, next(source, "default")


def closed_in_try(n, f):
    def produce():
        try:
            yield 1
            yield 2
        except KeyError as error:
            print("key", error)
            yield 3
        finally:
            print("finally")
        return 4

    source = produce()
    log = [next(source)]
    if n == 0:
        log.append(source.close())
    elif n == 1:
        log.append(source.throw(KeyError(n)))
        log.append(source.close())
    elif n == 2:
        try:
            source.throw(ValueError(n))
        except ValueError as error:
            log.append(error.args)
    elif n == 3:
        log.extend(source)
    return log, next(source, "end")


def ignoring_close(n, f):
    def produce():
        try:
            yield n
        except GeneratorExit:
            print("no")
        yield "again"

    source = produce()
    next(source)
    try:
        source.close()
    except RuntimeError as error:
        return error.args, f(2)
    finally:
        print("end")


def abandoned_in_try(n, f):
    def produce():
        try:
            for i in range(n):
                yield f(i)
        finally:
            print("dropped")

    for value in produce():
        if value == 1:
            break
        print(value)
    print("after")
    return n


def not_started(n, f):
    def produce():
        print("never")
        yield n

    source = produce()
    log = []
    try:
        source.send(n)
    except TypeError as error:
        log.append(str(error))
    source.close()
    log.append(next(source, "closed"))
    source = produce()
    try:
        source.throw(KeyError(n))
    except KeyError as error:
        log.append(error.args)
    return log, next(source, "ended")


def stop_inside(n, f):
    def produce():
        yield 1
        if n:
            raise StopIteration(n)
        next(iter(()))
        yield 2

    try:
        return list(produce())
    except RuntimeError as error:
        return error.args, repr(error.__cause__)


@contextlib.contextmanager
def scope(name):
    print("open", name)
    try:
        yield [name]
    except KeyError as error:
        print("swallowed", error)
    finally:
        print("close", name)


def scoped(n, f):
    with scope(n) as entered:
        f(n)
        return entered
    return "swallowed"


@contextlib.contextmanager
def renamed(n):
    try:
        yield n
    except LookupError as error:
        raise ValueError(n) from error


def looked_up(k, table):
    try:
        with scope(k), renamed(k) as name:
            return table[name]
    except ValueError as error:
        return error.args, repr(error.__cause__)
    return "swallowed"


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
    _one(raised_again, n=3),
    _one(bare_raise, n=3),
    _one(recursion_in_generator, depth=2),
    _one(managed, n=3),
    _one(managed_twice, n=2),
    _one(managed_statically, n=2),
    _one(managed_statically, n=0),
    _one(managed_quietly, n=2),
    _one(failing_exit, n=2),
    _one(break_and_return, n=3),
    _one(by_hand, n=1),
    *[_one(closed_in_try, n=n) for n in range(4)],
    _one(ignoring_close, n=1),
    _one(abandoned_in_try, n=3),
    _one(not_started, n=3),
    *[_one(stop_inside, n=n) for n in range(2)],
    _one(scoped, n=2),
    _one(driven, n=3, make=counting),
    _one(driven, n=2, make=delegating),
    Subject(
        "managers around a look-up",
        [Case("3", lambda: (looked_up, {"k": 3}))],
        lambda random: (random.choice([{3: 1}, {}, [1], None, "abcd"]),),
    ),
    Subject("opaque_manager", [Case(str(n), lambda n=n: (opaque_manager, {"n": n})) for n in (1, 3)], managers),
]
