"""Rules 6 and 10: exceptions are fresh, carry their context, reach the right handler, and recursion may end by one.

    try: {}["k"]    except KeyError as e: return e    gives a new exception at each call

What a handler sees (`__context__`, `__cause__`, the active exception) is compared with its text.
"""

import sys

from ..table import Case, Subject, integers, mostly


def returned_exception(table, x):
    try:
        return table[x]
    except KeyError as error:
        return error


def folded_failure(table, x):
    try:
        return table["missing"]
    except KeyError as error:
        error.args = (*error.args, x)
        return error


def failing_fold(k, x):
    print("before", x)
    result = 1 // k
    print("after", result)
    return result


def failing_conversion(text, x):
    try:
        return int(text) + x
    except ValueError as error:
        return str(error), x


def context_of_reraise(k, x):
    try:
        try:
            return [1, 2][x] // k
        except ZeroDivisionError as error:
            print("caught", error)
            raise
    except Exception as error:
        return error, error.__context__, type(error).__name__


def context_of_new(k, x):
    try:
        raise ValueError(k)
    except ValueError:
        if x > 0:
            raise KeyError(x)  # noqa: B904
        if x == 0:
            raise KeyError(x) from None
        raise KeyError(x) from TypeError("cause")


def context_in_finally(k, x):
    try:
        try:
            raise ValueError(k)
        finally:
            x // 0
    except ZeroDivisionError as error:
        return error, error.__context__


def context_across_call(k, x):
    def inner():
        raise LookupError(x)

    try:
        raise ValueError(k)
    except ValueError:
        try:
            inner()
        except LookupError as error:
            return error, error.__context__


def active_exception(k, x):
    try:
        if x:
            raise ValueError(k)
        return sys.exc_info()[0], sys.exception()
    except ValueError:
        active = sys.exception()
        return active, sys.exc_info()[1] is active


def active_in_callee(k, x):
    try:
        raise ValueError(k, x)
    except ValueError:
        return who_is_active()


def who_is_active():
    return repr(sys.exception())


def bare_raise_in_callee(k, x):
    try:
        raise ValueError(k, x)
    except ValueError:
        try:
            again()
        except ValueError as error:
            return error.args, error.__context__


def again():
    raise


def unbound_after_handler(k, x):
    error = k
    try:
        if x:
            raise ValueError(x)
    except ValueError as error:  # noqa: F841
        pass
    return error


def handlers_in_order(k, x):
    try:
        if x == 0:
            raise KeyError(k)
        if x == 1:
            raise IndexError(k)
        if x == 2:
            raise OSError(k)
        return [k][x]
    except LookupError as error:
        return "lookup", error
    except (OSError, TypeError) as error:
        return "other", error
    else:
        return "else"
    finally:
        print("finally", x)


def handler_by_name(classes, x):
    try:
        return 10 // x
    except classes as error:
        return type(error).__name__, str(error)


def finally_overrides(k, x):
    try:
        if x > 2:
            return "try"
        raise ValueError(x)
    except ValueError:
        if x == 1:
            return "except"
        raise
    finally:
        if x == k:
            return "finally"  # noqa: B012


def finally_in_loop(values, x):
    seen = []
    for value in values:
        try:
            if value == x:
                continue
            if value > x:
                break
            seen.append(value)
        finally:
            seen.append(-value)
    else:
        seen.append("else")
    return seen


class Manager:
    def __init__(self, name, swallow):
        self.name = name
        self.swallow = swallow

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, kind, error, trace):
        print("exit", self.name, kind and kind.__name__, error)
        return self.swallow


def with_blocks(swallow, x):
    with Manager("outer", False), Manager("inner", swallow) as manager:
        print("body", manager.name)
        return 10 // x
    return "swallowed"


class Custom(Exception):
    def __init__(self, code, *rest):
        super().__init__(code, *rest)
        self.code = code


def exception_as_control(limit, x):
    """Raised and caught in known places: it disappears, but what it carries does not."""
    try:
        for i in range(limit):
            if i * i > x:
                raise Custom(i, "found")
    except Custom as found:
        return found.code, found.args
    return None


def stored_exception(k, x):
    errors = []
    for divisor in (k, 0, x):
        try:
            errors.append(100 // divisor)
        except ZeroDivisionError as error:
            errors.append(error)
    return errors, len({id(error) for error in errors if isinstance(error, Exception)})


def indexed(random):
    return (random.choice(([], {}, 5, [0] * 9)),)


def context_of_caught(k, x):
    found = []
    try:
        try:
            x[k]
        except (KeyError, IndexError):
            raise ValueError(k)  # noqa: B904
    except (ValueError, TypeError) as error:
        found.append(error)
    try:
        try:
            raise KeyError(k)
        finally:
            del missing
    except NameError as error:
        found.append(error)
    return found, [type(error.__context__).__name__ for error in found]


def context_unseen(k, x):
    try:
        try:
            x[k]
        except (KeyError, IndexError):
            raise ValueError(k)  # noqa: B904
    except (ValueError, TypeError) as error:
        return error.args
    return x


def stop_iteration_in_generator(values, x):
    def produce():
        for value in values:
            if value == x:
                raise StopIteration(value)
            yield value

    try:
        return list(produce())
    except RuntimeError as error:
        return str(error), type(error.__cause__).__name__, error.__cause__.value


def next_in_generator(values, x):
    def pairs():
        source = iter(values)
        while True:
            yield next(source), next(source) + x

    result = []
    try:
        for pair in pairs():
            result.append(pair)
    except RuntimeError as error:
        result.append(str(error))
    return result


def next_with_default(values, x):
    source = iter(values)
    return [next(source, x) for _ in range(3)], next(iter(values), None)


def exhausted(values, x):
    source = iter(values)
    for _ in source:
        pass
    try:
        return next(source)
    except StopIteration as stop:
        return stop.value, stop, x


def generator_return(values, x):
    def inner():
        for value in values:
            got = yield value
            if got:
                return got
        return "end"

    def outer():
        result = yield from inner()
        yield ("result", result)

    source = outer()
    first = next(source)
    return first, source.send(x), list(source)


def thrown_into_generator(values, x):
    def produce():
        for value in values:
            try:
                yield value
            except ValueError as error:
                yield ("handled", error.args, value)

    source = produce()
    first = next(source)
    second = source.throw(ValueError(x))
    return first, second, list(source)


def deep(n):
    return 1 + deep(n + 1)


def recursion_error(k, x):
    try:
        return deep(x)
    except RecursionError:
        return "too deep", k, x


def recursion_with_end(k, x):
    def down(n):
        return k if n <= 0 else down(n - 1)

    try:
        return down(x)
    except RecursionError as error:
        return "too deep", type(error).__name__


def assertion(k, x):
    assert x != k, ("equal", x)
    assert k, "never"
    return x


def arithmetic_errors(k, x):
    results = []
    for operation in (
        lambda: k // x,
        lambda: k % x,
        lambda: [k][x],
        lambda: k << x,
        lambda: "ab"[k] + x,
        lambda: k.missing,
    ):
        try:
            results.append(operation())
        except Exception as error:
            results.append((type(error).__name__, str(error)))
    return results


def unhashable(table, x):
    try:
        return table[x], x in table
    except TypeError as error:
        return str(error)


def wrong_call(k, x):
    def callee(a, b=k, *, c):
        return a, b, c

    results = []
    for call in (
        lambda: callee(x),
        lambda: callee(x, c=1),
        lambda: callee(x, 2, 3, c=1),
        lambda: callee(c=x),
        lambda: callee(x, z=1, c=2),
    ):
        try:
            results.append(call())
        except TypeError as error:
            results.append(str(error))
    return results


def unpacking(values, x):
    results = []
    for source in (values, x):
        try:
            first, *rest = source
            results.append((first, rest))
            a, b = source  # noqa: RUF059
            results.append(a)
        except (ValueError, TypeError) as error:
            results.append((type(error).__name__, str(error)))
    return results


def _one(function, **static):
    return [Case(function.__name__, lambda: (function, dict(static)))]


small = integers(1, -1, 3)

SUBJECTS = [
    Subject(
        "a returned caught exception",
        _one(returned_exception, table={1: "one"}),
        lambda r: (r.choice([1, 2, "k", None]),),
    ),
    Subject("a fold that raises, caught", _one(folded_failure, table={}), small),
    Subject("a fold that raises", _one(failing_fold, k=0), small),
    Subject("a conversion that raises", _one(failing_conversion, text="12x"), small),
    Subject("__context__ of a re-raise", _one(context_of_reraise, k=0), small),
    Subject("__context__ of a new exception", _one(context_of_new, k=5), small),
    Subject("__context__ from a finally", _one(context_in_finally, k=5), small),
    Subject("__context__ across a call", _one(context_across_call, k=5), small),
    Subject("the active exception", _one(active_exception, k=5), small),
    Subject("the active exception in a callee", _one(active_in_callee, k=5), small),
    Subject("a bare raise in a callee", _one(bare_raise_in_callee, k=5), small),
    Subject("the name of a handler afterwards", _one(unbound_after_handler, k=5), small),
    Subject("handlers in order", _one(handlers_in_order, k=5), integers(1, 0, 4)),
    Subject("a static handler class", _one(handler_by_name, classes=(KeyError, ZeroDivisionError)), small),
    Subject("a handler that is no class", _one(handler_by_name, classes="text"), small),
    Subject("a finally that returns", _one(finally_overrides, k=0), integers(1, 0, 4)),
    Subject("a finally in a loop", _one(finally_in_loop, values=(1, 2, 3, 4)), integers(1, 0, 6)),
    Subject("with blocks that swallow", _one(with_blocks, swallow=True), small),
    Subject("with blocks that do not", _one(with_blocks, swallow=False), small),
    Subject("an exception as control flow", _one(exception_as_control, limit=4), mostly(integers(1, 0, 12), "q")),
    Subject(
        "the context of what is caught",
        _one(context_of_caught, k=3),
        indexed,
    ),
    Subject("a context that nobody sees", _one(context_unseen, k=3), indexed),
    Subject("exceptions in a list", _one(stored_exception, k=3), small),
    Subject("StopIteration in a generator", _one(stop_iteration_in_generator, values=(1, 2, 3)), integers(1, 0, 4)),
    Subject("next in a generator", _one(next_in_generator, values=(1, 2, 3)), small),
    Subject("next in a generator that ends", _one(next_in_generator, values=()), small),
    Subject("next with a default", _one(next_with_default, values=(1,)), small),
    Subject("an exhausted iterator", _one(exhausted, values=(1, 2)), small),
    Subject("what a generator returns", _one(generator_return, values=(1, 2)), integers(1, 0, 2)),
    Subject("what is thrown into a generator", _one(thrown_into_generator, values=(1, 2)), small),
    Subject("RecursionError caught", _one(recursion_error, k=5), small),
    Subject(
        "RecursionError that comes late", _one(recursion_with_end, k=5), lambda r: (r.choice([0, 3, 50, 100_000]),)
    ),
    Subject("assertions", _one(assertion, k=2), small),
    Subject("errors of arithmetic", _one(arithmetic_errors, k=1), mostly(small, "q", None, 2.5, chance=0.4)),
    Subject("unhashable keys", _one(unhashable, table={1: 2}), lambda r: (r.choice([1, [1], {}, (1, [])]),)),
    Subject("calls that do not fit", _one(wrong_call, k=1), small),
    Subject(
        "unpacking that does not fit",
        _one(unpacking, values=(1, 2, 3)),
        lambda r: (r.choice([[1, 2], [1], [], 5, "ab", {1: 2}]),),
    ),
]
