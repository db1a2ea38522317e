"""Variables of closures that existed before: the specialized function's own, and those of functions that it calls.

    def make(k): ...; return read, reset      `read` must see what `reset` assigned while `read` ran

Each case makes its closure anew, and its rounds go on with the state that the calls before left.
"""

from ..table import Case, Subject


def counting(start):
    total = start

    def step(by, times):
        nonlocal total
        for _ in range(times):
            total += by
        return total

    return step


def reading(k):
    def reset(value):
        nonlocal k
        k = value

    def read(scale, act, value):
        before = k
        if act:
            reset(value)
        return before * scale, k

    def called(callback, value):
        before = k
        callback(value)
        return before, k

    return read, called, reset


def handing(k):
    def make(scale, x):
        def inner(y):
            nonlocal k
            k += y
            return k

        def default(z=k):
            return z, k

        return [k, inner(x) * scale, default(), default(scale), inner]

    return make


def forgetting(k):
    def act(times, x):
        nonlocal k
        if x > 2:
            del k
        for _ in range(times):
            k = x
        return k

    return act


def calls_counter(step, n, x):
    return [step(x, n) for _ in range(n)], step(1, x)


def calls_reader(read, callback, x):
    return read(2, x > 2, x), callback(x), read(x, False, 0)


def used(function):
    """The functions that were made are used, and not only looked at."""

    def use(scale, x):
        *found, inner = function(scale, x)
        return found, inner(1), inner(2)

    return use


def numbers(random):
    return (random.randint(0, 4),)


def closure_and_callback():
    _, called, reset = reading(3)
    return called, {"callback": reset}


def reader_and_callback():
    read, _, reset = reading(3)
    return calls_reader, {"read": read, "callback": reset}


SUBJECTS = [
    Subject("a closure that counts", [Case("two", lambda: (counting(2), {"times": 2}))], numbers),
    Subject(
        "a variable that another closure assigns in the call",
        [Case("scale", lambda: (reading(3)[0], {"scale": 2, "act": True}))],
        numbers,
    ),
    Subject("a variable that a callback assigns", [Case("reset", closure_and_callback)], numbers),
    Subject(
        "a variable handed on to a new function", [Case("scale", lambda: (used(handing(3)), {"scale": 2}))], numbers
    ),
    Subject("a variable that may be deleted", [Case("none", lambda: (forgetting(3), {"times": 1}))], numbers),
    Subject("a closure that is called", [Case("n", lambda: (calls_counter, {"step": counting(2), "n": 2}))], numbers),
    Subject("closures with one variable that are called", [Case("both", reader_and_callback)], numbers),
    Subject(
        "a closure that is called and deletes its variable",
        [Case("one", lambda: (calls_counter, {"step": forgetting(3), "n": 1}))],
        numbers,
    ),
]
