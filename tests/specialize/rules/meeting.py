"""What is known where ways meet: in the handler of several statements, behind a loop, after a call.

    v = 1; x.a; v = True; x.b      except AttributeError: return v      1 or True, by which statement failed

All that a `try` statement may raise meets in one handler, whatever was known at each of its statements.
"""

from types import SimpleNamespace

from ..table import Case, Subject


def equal_values(values, x):
    """They compare equal, and are different values."""
    v = values[0]
    try:
        x.a  # noqa: B018
        v = values[1]
        x.b  # noqa: B018
        v = values[2]
        x.c  # noqa: B018
    except AttributeError:
        return v, [v], (v, 1)
    return "all"


class Pair:
    def __init__(self, names, value):
        for name in names:
            setattr(self, name, value)


def names_differ(n, x):
    d, p = {"a": n}, Pair("xy", n)
    try:
        x.a  # noqa: B018
        d = {"b": n}
        x.b  # noqa: B018
        p = Pair("yx", n)
        x.c  # noqa: B018
    except AttributeError:
        return d, list(vars(p)), p.x
    return "all"


def bounds_differ(n, x, xs):
    low = len(xs) + 7
    count = 3
    try:
        x.a  # noqa: B018
        low = len(xs)
        x.b  # noqa: B018
        low, count = len(xs) + 1, low + 5
        x.c  # noqa: B018
    except AttributeError:
        return low >= 7, low > 0, low >= 1, count > 3, count >= 5, low + count - n
    return "all"


def classes_differ(n, x, v):
    try:
        x.a  # noqa: B018
        v = str(v)
        x.b  # noqa: B018
        v = [v]
        x.c  # noqa: B018
    except AttributeError:
        return type(v).__name__, isinstance(v, str), isinstance(v, list), n
    return "all"


def aliases_differ(n, x):
    first, second = [n], [n]
    third = first
    try:
        x.a  # noqa: B018
        third = second
        x.b  # noqa: B018
        second = first
        x.c  # noqa: B018
    except AttributeError:
        third.append(1)
        return first, second, third, first is third, second is third, first is second
    return "all"


def loops_differ(n, xs):
    v, w, held = 1, 0, [n]
    for x in xs:
        if x:
            v = w
        else:
            w, held = True, [w, n]
        if v is True:
            v = 1.0
    return v, w, held


def _case(function, **static):
    return [Case(", ".join(f"{name}={value!r:.40}" for name, value in static.items()), lambda: (function, static))]


def some(random):
    return SimpleNamespace(**dict.fromkeys(random.choice(("", "a", "ab", "ba", "abc", "ac")), 1))


def one(random):
    return (some(random),)


SUBJECTS = [
    Subject(
        "equal values meet",
        [case for values in ((1, True, 1.0), (0.0, -0.0, 0), (2, 2.0, 2), ("a", b"a", "a"), ((1,), (True,), (1.0,)))
         for case in _case(equal_values, values=values)],
        one,
    ),
    Subject("keys and attributes meet", _case(names_differ, n=4), one),
    Subject("lower bounds meet", _case(bounds_differ, n=2), lambda random: (some(random), [0] * random.randint(0, 9))),
    Subject(
        "classes meet", _case(classes_differ, n=2), lambda random: (some(random), random.choice((1, "a", [2], None)))
    ),
    Subject("aliases meet", _case(aliases_differ, n=2), one),
    Subject("loops meet", _case(loops_differ, n=3), lambda r: ([r.choice((0, 1)) for _ in range(r.randint(0, 5))],)),
]  # fmt: skip
