"""Calls of residual functions that fail: what the callee has done to the caller's objects until then is seen.

    try: walk(box, n - 1)      box lent to the callee      except: box.a is what it was only if no callee changed it

A callee that leaves an object alone whenever it fails leaves the caller's knowledge of it.
"""

from ..table import Case, Subject


class Box:
    def __init__(self, a, b):
        self.a = a
        self.b = b
        self.items = [a]


class Stop(Exception):
    def __init__(self, value):
        self.value = value


def deep(box, how, n, x):
    """Goes down `n` levels under dynamic control, and may fail in each."""
    if n < 1:
        raise Stop(box.a + x)
    if how == "swap":
        box.a, box.b = box.b, box.a
    if how == "restore":
        kept, box.a = box.a, x
    if how == "items":
        box.items[0] = n
    try:
        if x < n:
            raise KeyError(n)
        made = deep(box, how, n - 1, x)
    except Stop as stop:
        made = stop.value + (box.b if how == "after" else 0)
    if how == "after":
        box.b = made
    if how == "restore":
        box.a = kept
    return made


def walk(how, n, x):
    box = Box(x, n)
    try:
        first = deep(box, how, n, x)
    except KeyError as error:
        first = str(error)
    return first, box.a, box.b, box.items


def twice(how, n, x):
    box = Box(n, x)
    found = []
    for _ in range(2):
        try:
            found.append(deep(box, how, x, n))
        except (KeyError, TypeError) as error:
            found.append((str(error), box.a))
    return found, box.a, box.b, box.items


class Scope:
    def __init__(self, parent):
        self.values = {}
        self.parent = parent


def count(scope, program, n):
    """An interpreter whose functions return by an exception, and may assign what is around them."""
    for name, *rest in program:
        if name == "stop":
            if n < 1:
                raise Stop(scope.values.get(rest[0], n))
        elif name == "set":
            scope.parent.values[rest[0]] = n
        else:
            inner = Scope(scope.parent)
            inner.values["n"] = n - 1
            try:
                count(inner, program, n - 1)
            except Stop as stop:
                scope.values["n"] = stop.value
    raise Stop(scope.values.get("n"))


def counted(program, n):
    around = Scope(None)
    around.values["k"] = 5
    scope = Scope(around)
    try:
        count(scope, program, n)
    except Stop as stop:
        return stop.value, around.values, scope.values
    return None


def _cases(function, name, values, **static):
    return [Case(repr(value), lambda value=value: (function, {name: value, **static})) for value in values]


def pairs(random):
    return random.choice((0, 1, 2, 3, 5)), random.choice((0, 1, 2, 4, 7, 2.5))


def small(random):
    return (random.choice((0, 1, 3)),)


WAYS = ("swap", "restore", "items", "after", "nothing")
PROGRAMS = (
    (("stop", "n"), ("call",)),
    (("stop", "k"), ("set", "k"), ("call",)),
    (("set", "k"), ("stop", "n"), ("call",)),
    (("stop", "n"), ("call",), ("set", "k")),
)

SUBJECTS = [
    Subject("a call that fails below", _cases(walk, "how", WAYS), pairs),
    Subject("a call that fails twice", _cases(twice, "how", WAYS), pairs),
    Subject("functions that return by failing", _cases(counted, "program", PROGRAMS), small),
]
