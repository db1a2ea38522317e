"""Work that only errors need: paths, positions and messages, and exceptions that somebody catches.

    path = "[%d]" % i; check(x, path)      the text is made where an error is raised, or never

What fails, fails where it stands; what has an effect stays where it is; an error is the same as before.
"""

# ruff: noqa: UP031

from ..table import Case, Subject


class Invalid(ValueError):
    def __init__(self, path, message):
        super().__init__("%s: %s" % ("".join(path) or "$", message))


class Missing(KeyError):
    def __init__(self, name, *rest):
        super().__init__(name, *rest)
        self.name = name


class Stopped(StopIteration):
    def __init__(self, value):
        super().__init__(value)


class Loud(Exception):
    def __init__(self, x):
        print("made for", x)
        super().__init__(f"loud {x}")


class Short(str):
    def __str__(self):
        return "short"

    def __format__(self, spec):
        return "formatted"


def check(x, path, low):
    if not isinstance(x, (int, float)) or isinstance(x, bool):
        raise Invalid(path, "is no number")
    if x < low:
        raise Invalid(path, "is less than %d" % low)


def items(low, xs):
    for i, x in enumerate(xs):
        check(x, ("$", "[%d]" % i), low)
    return len(xs)


def any_of(low, xs):
    """Errors that are caught leave nothing but the way that they took."""
    found = []
    for i, x in enumerate(xs, 5):
        path = ("$", f"[{i}]")
        try:
            check(x, path, low)
        except Invalid:
            found.append(i)
        try:
            check(x, path, -low)
        except ValueError as error:
            found.append((str(error), error.args, type(error).__name__))
    return found


def lookup(names, key):
    try:
        for name in names:
            if name == key:
                return name
        raise Missing(key, 1)
    except LookupError as error:
        return str(error), error.args, error.name


def one_argument(k, key):
    try:
        if key != k:
            raise Missing(key)
    except KeyError as error:
        return str(error), repr(error)
    raise Missing(k)


def stopping(k, x):
    try:
        if x == k:
            raise Stopped(x)
    except StopIteration as stop:
        return stop.value, stop.args, str(stop)
    return None


def loud(k, x):
    """Making the exception has an effect, whether or not somebody looks at it."""
    try:
        if x == k:
            raise Loud(x)
    except Loud:
        print("caught")
    if x == 1:
        raise Loud(k)
    return x


def texts(k, xs):
    """Texts of values that are no short numbers: they may fail, or run code."""
    found = []
    for i, x in enumerate(xs):
        place = "%s at %d" % (x, i)
        number = "%d" % i if k else "%s" % (x,)
        if x == k:
            raise ValueError(place + number)
        found.append((place, number, str(i), f"{x}"))
    return found


def far(exponent, xs):
    """The counter need not begin at a small number."""
    start = 10**exponent
    for i, x in enumerate(xs, start):
        place = "at %d" % i
        if not x:
            raise ValueError(place)
    return start % 7


def last_place(k, xs):
    """What a loop computed last is used behind it."""
    place = "nowhere"
    for i, x in enumerate(xs):
        place = "[%d]" % i
        if x == k:
            break
    else:
        return "no " + place
    if len(xs) > 3:
        raise ValueError(place, k)
    return place


def numbered_pairs(kinds, xs):
    """The counter of pairs of which one half is known."""
    found = [(kind, x, ("at", i)) for i, (kind, x) in enumerate(zip(kinds, xs), 3)]
    for i, (kind, x) in enumerate(zip(kinds, xs)):
        if isinstance(x, kind):
            found.append(i)
        else:
            raise Invalid(("$", f".{i}"), str(kind))
    return found


def both(k, x):
    """A way out that needs the text twice, and one that goes on behind a handler."""
    text = "-".join([str(bool(x)), str(k)])
    try:
        if x == k:
            raise Invalid(("$", text), text)
    except Invalid as error:
        if x:
            raise ValueError(text + text) from error
    if x == 1:
        raise Invalid((), text)
    return x


def sums_of_lists(k, x, xs):
    """Lists that are written before the sum of what they held is needed."""
    seen, rest = [k, x], list(xs)
    before = seen + rest, rest * k
    rest.append(x)
    seen += rest
    if x:
        raise Invalid(("list",), f"{before} {seen}")
    return before


def sums_of_a_static_list(known, x):
    """The list is there once, so what the calls before left in it is put back."""
    told = []
    if x:
        told.append((known + [x], [x] + known, known * 2))  # noqa: RUF005
    same = known
    same += [x]
    told.append(known[:])
    del known[1:]
    return told


def _case(function, **static):
    return [Case(", ".join(f"{name}={value!r:.40}" for name, value in static.items()), lambda: (function, static))]


VALUES = (0, 1, 2, 5, -7, 2.5, True, None, "a", "", Short("b"), [1], 10**30)


def one(random):
    return (random.choice(VALUES),)


def several(random):
    return (random.choices(VALUES, k=random.randint(0, 5)),)


SUBJECTS = [
    Subject("paths of items", _case(items, low=1), several),
    Subject("errors that are caught", _case(any_of, low=2), several),
    Subject("a key that is missing", _case(lookup, names=(1, "a", None)), one),
    Subject("the text of a missing key", _case(one_argument, k="a"), one),
    Subject("the value of a stop", _case(stopping, k=2), one),
    Subject("an exception with an effect", _case(loud, k=5), one),
    Subject("texts that may fail", [*_case(texts, k=0), *_case(texts, k=2.5)], several),
    Subject("counters from afar", [*_case(far, exponent=5000), *_case(far, exponent=2)], several),
    Subject("pairs that are counted", _case(numbered_pairs, kinds=(int, (str, float), int)), several),
    Subject("the last place", _case(last_place, k=5), several),
    Subject(
        "sums of lists that are written", _case(sums_of_lists, k=2), lambda random: (*one(random), *several(random))
    ),
    Subject("sums of a static list", [Case("[1]", lambda: (sums_of_a_static_list, {"known": [1]}))], one),
    Subject("a text used twice", [*_case(both, k=0), *_case(both, k=2)], one),
]
