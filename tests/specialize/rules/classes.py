"""What tests on the class of an open value may be taken to say, and what not.

    isinstance(x, int) and not isinstance(x, bool)    x is an int, of a subclass perhaps; not necessarily exactly int

Each program asks again what an earlier test seems to have answered: for exact values, for values of subclasses, for
objects whose `__class__` is not their class, and for classes that decide themselves what their instances are.
"""

from collections import UserDict, abc

from ..table import Case, Subject


class Whole(int):
    pass


class Text(str):
    def __len__(self):
        return 77


class Table(dict):
    def __contains__(self, key):
        return True

    def __len__(self):
        return 99


class Both(dict, UserDict):
    """An instance of two unrelated classes."""


class Claims:
    """Says that it is of another class."""

    def __init__(self, kind):
        self.kind = kind

    @property
    def __class__(self):
        return self.kind


class Decides(type):
    def __instancecheck__(cls, value):
        return value == 1


class Ones(metaclass=Decides):
    pass


VALUES = (
    0, 1, -3, True, False, 2.5, 1j, "a", "", Text("b"), b"x", bytearray(b"y"), [], [1], (1, 2), {}, {"a": 1}, {1},
    frozenset(), None, Whole(7), Table(), Both(), UserDict(), Claims(str), Claims(dict), Claims(bool),
    Claims(type(None)), object(), int, Ones(), Ones,
)  # fmt: skip


def one(random):
    return (random.choice(VALUES),)


def name_of(kinds, x):
    """The first of some names whose class fits, as a validator asks."""
    found = []
    for name, kind in kinds:
        if isinstance(x, kind):
            found.append(name)
        elif not isinstance(x, kind):
            found.append("not " + name)
    return found


def numbers(k, x):
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        return isinstance(x, int), isinstance(x, float), isinstance(x, bool), isinstance(x, str), type(x) is int, k
    if isinstance(x, int):
        return type(x) is bool, isinstance(x, float), x is None, k
    return isinstance(x, bool), type(x) is int, type(x) is bool, isinstance(x, complex)


def exactly(k, x):
    if type(x) is int:
        return x + k, isinstance(x, int), isinstance(x, bool), type(x) is int
    if type(x) is not bool:
        return isinstance(x, int), isinstance(x, bool), type(x) is bool, type(x) is int
    return x, isinstance(x, int)


def sizes(k, x):
    """A subclass has its own `__len__`, whatever the test said."""
    if isinstance(x, str):
        return len(x), x == k, isinstance(x, dict)
    if isinstance(x, dict):
        return len(x), k in x, type(x) is dict, isinstance(x, UserDict), isinstance(x, abc.Mapping)
    if isinstance(x, abc.Mapping):
        return isinstance(x, dict), isinstance(x, UserDict)
    return None


def nothing(k, x):
    if x is None:
        return isinstance(x, type(None)), x is None, type(x) is int, k
    if isinstance(x, type(None)):
        return "claims", x is None
    return x is None, isinstance(x, str), x is not None


def own_classes(k, x):
    first = isinstance(x, Ones)
    if isinstance(x, (Ones, str)):
        return isinstance(x, str), isinstance(x, Ones), isinstance(x, int), first
    return isinstance(x, str), isinstance(x, int), k


def where_ways_meet(k, x):
    """After the branches meet only what both say is known."""
    kind = "other"
    if isinstance(x, int):
        kind = "int"
    elif x is None:
        kind = "none"
    elif not isinstance(x, str):
        return kind
    again = isinstance(x, str), isinstance(x, (int, type(None))), isinstance(x, dict), x is None
    return kind, again, k


def in_a_loop(k, xs):
    """What is known of an item says nothing of the next one."""
    found = []
    last = None
    for x in xs:
        if isinstance(x, int):
            found.append(("int", isinstance(x, str), isinstance(last, int)))
        elif isinstance(last, str):
            found.append(("after text", isinstance(x, str), isinstance(last, int)))
        else:
            found.append((isinstance(x, (str, dict)), last is None))
        last = x
    return found, k


def passed_on(k, x):
    """The result of a test says something wherever it is looked at."""
    is_text = isinstance(x, str)
    is_not_list = not isinstance(x, list)
    if k:
        x = [x] if isinstance(x, Whole) else x
    if is_text:
        return isinstance(x, str), is_not_list
    if is_not_list:
        return isinstance(x, list), is_text
    return isinstance(x, list)


class Shows:
    def __repr__(self):
        return Text("shown")


def texts(k, x):
    """What `__str__` and `__repr__` give may be of a subclass."""
    return [(len(text), type(text).__name__, isinstance(text, Text), text + k) for text in (str(x), repr(x))]


def _case(function, **static):
    return [Case(", ".join(f"{name}={value!r:.40}" for name, value in static.items()), lambda: (function, static))]


KINDS = (
    ("int", int), ("text or float", (str, float)), ("int", (int, bool)), ("text", str), ("list", list), ("dict", dict),
    ("truth", bool), ("none", type(None)), ("number", (int, float, complex)), ("own", UserDict), ("any", object),
)  # fmt: skip

SUBJECTS = [
    Subject("a chain of tests", _case(name_of, kinds=KINDS), one),
    Subject("a chain from the end", _case(name_of, kinds=KINDS[::-1]), one),
    Subject("numbers but no truth values", _case(numbers, k=1), one),
    Subject("exact classes", _case(exactly, k=2), one),
    Subject("sizes of subclasses", _case(sizes, k="a"), one),
    Subject("None and what claims to be", _case(nothing, k=3), one),
    Subject("classes that decide themselves", _case(own_classes, k=4), one),
    Subject("where ways meet", _case(where_ways_meet, k=5), one),
    Subject("items of a loop", _case(in_a_loop, k=6), lambda random: (random.choices(VALUES, k=random.randint(0, 6)),)),
    Subject("texts of objects", _case(texts, k="!"), lambda random: (random.choice((*VALUES[:9], Shows())),)),
    Subject("results of tests", [*_case(passed_on, k=0), *_case(passed_on, k=1)], one),
]
