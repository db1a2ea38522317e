"""Programs in which a residual once differed from the original: what random programs found, made small.

    for p, q in zip(parts): ...    was printed with the iterable's variable overwritten before the loop

Each is a function with its static inputs and dynamic ones that showed the difference.
"""

import contextlib
import sys
import weakref

from ..table import Case, Inputs, Subject


def one_of(*values) -> Inputs:
    return lambda random: (random.choice(values),)


def some_of(*rows) -> Inputs:
    return lambda random: random.choice(rows)


def loop_variable_in_handler(items, last):
    try:
        for last in items:  # noqa: B007
            pass
    except LookupError:
        pass
    return last


class Empty:
    def __init__(self):
        self.items = ""

    def __getattr__(self, name):
        print("getattr", name)


def first_items_known(head, rest):
    return [y for part in (head, rest) for y in part], [part for part in (*head, rest) if part != 1]


def iterable_before_first_value(box, x):
    if x:
        print(x)
    return [sum(p for p, q in zip(box.items)) for _ in (0.0, x)]


TABLE = [3]


def cleared_global(values):
    values.clear()
    values += list(enumerate(TABLE))
    return len(values)


class Slotted:
    __slots__ = ("n",)

    def step(self, k):
        return self.n if k else None


def empty_slot(k, x):
    holder = Slotted()
    if x:
        holder.n = x
    return holder.step(k)


class Counter:
    def __init__(self, n):
        self.n = n


def late_store(counter, items, x):
    counter.n += x
    items[0] = []
    return counter.n


class Seen:
    """Every look at it is seen, also the one by `isinstance`."""

    def __init__(self, n):
        self.n = n

    def __getattribute__(self, name):
        print("look", name)
        return object.__getattribute__(self, name)


class Shy(Seen):
    pass


def class_asked_for(k, x):
    seen = Shy(k)
    found = [isinstance(seen, list), isinstance(seen, (Seen, list)), isinstance(seen, (list, Seen))]
    return found, isinstance(seen, Shy), isinstance(seen, x)


def held_by_a_proxy(k, x):
    proxy = weakref.proxy(x)
    return isinstance(proxy, Counter), isinstance(proxy, str), k


@contextlib.contextmanager
def scope(label):
    try:
        yield label
    except KeyError as error:
        print("caught", error)
    finally:
        print("out", label)


def scopes_in_scopes(k, table):
    with scope(k), scope(1), scope(2), scope(3), scope(4), scope(5), scope(6), scope(7), scope(8):
        print(k)
        with scope(9) as nine, scope(10), scope(11), scope(12), scope(13), scope(14), scope(15), scope(16), scope(17):
            print(nine)
            return table[k]
    return None


class Tray:
    def __init__(self, n, items):
        self.n = n
        self.items = items

    def fill(self, x):
        try:
            for _ in self.items:
                self.n, (self.items[-1], *_) = (1, 2), [True, 2]
        finally:
            print(self.n)
            self.items = [1 for _ in range(len(self.items))]
        return self.n, x


def cases_that_do_nothing(k, x):
    match x:
        case "a":
            pass
        case int() | str():
            pass
    return k, x


class Restless:
    """Every look at it changes it."""

    __hash__ = None

    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        self.n += 1
        return True

    def __radd__(self, other):
        self.n += 10
        return other

    def __format__(self, spec):
        self.n += 100
        return spec


def changed_by_format(thing, x):
    return thing.n, f"{thing}{x}", thing.n


def changed_by_comparison(thing, x):
    return thing.n, [thing] == [x], (thing, 1) == x, thing.n


def changed_by_operator(thing, x):
    return thing.n, x + thing, thing.n


def changed_by_dictionary(thing, x):
    first = thing.n
    thing.__dict__.update(n=x)
    return first, thing.n


def restless(function):
    return [Case(function.__name__, lambda: (function, {"thing": Restless(1)}))]


LIMIT = 7


def hiding(function):
    def inner(*args):
        return function(args)

    return inner


@hiding
def raised(a, b=1):
    global LIMIT
    LIMIT += b
    return LIMIT


def assigned_by_hidden_code(k, x):
    before = LIMIT
    found = [raised() for _ in range(k)]
    return LIMIT - before, [value - before for value in found], x


class Base:
    def __init__(self, n=0):
        self.n = n

    def describe(self, k):
        return f"base {self.n} {k}"


class Derived(Base):
    def __init__(self, *values):
        super().__init__(*values)
        self.n += 1

    def describe(self, k):
        return super().describe(k) + "!"


class Priced:
    bonus = 5

    def price(self, k):
        return k


def hides_class_attribute(thing, x):
    first = thing.bonus
    thing.bonus = x
    return first, thing.bonus


def hides_method(thing, x):
    first = thing.price(1)
    thing.price = abs
    return first, thing.price(x)


class Guarded:
    """An empty slot, and a class attribute, behind a lookup of its own."""

    __slots__ = ("__dict__", "n")
    m = 0

    def __getattr__(self, name):
        print("getattr", name)
        return 7

    def step(self, k, x):
        self.n = x
        self.m = [k]
        first = self.n, self.m
        self.n = self
        return first, self.n is self, self.m[0] + x, self.other


class Plain:
    pass


def taken(**names):
    return names


def named_oddly(name, x):
    """Attributes that source text cannot name, or not without changing the name."""
    thing = Plain()
    setattr(thing, name, x)
    first = getattr(thing, name), hasattr(thing, name), dict(vars(thing)), taken(**{name: x})
    setattr(x, name, 1)
    delattr(thing, name)
    return first, hasattr(thing, name), getattr(x, name, 3), vars(x)


class Colliding:
    """Not equal to anything, but in the same place of every table as the text."""

    def __init__(self, like):
        self.like = like

    def __hash__(self):
        return hash(self.like)

    def __eq__(self, other):
        print("eq", self.like)
        return False


def looked_up(table, members, x):
    return table["q"], table.get("k", 5), "q" in table, "q" in members, x


def shared_and_called(a, x):
    def add(k=1):
        nonlocal total
        total += k
        return total

    total = a
    late = lambda q=2: (late_value, q)  # noqa: E731
    late_value = x
    first = add(x), late(), total
    return first, add, late


def used_later(a, x):
    first, add, late = shared_and_called(a, x)
    return first, add(), add(5), late(1)


def closure_of_target():
    def target(a, x):
        def add(k=1):
            nonlocal total
            total += k
            return total

        total = a
        return [add(x), total, add, add()]

    return target, {"a": 3}


def bound_on_one_way(a, x):
    try:
        read = lambda: value  # noqa: E731
        if x:
            value = a
        return read(), value, read
    except NameError as error:
        return type(error).__name__, str(error), a


SUBJECTS = [
    Subject("places behind a lookup", [Case("k", lambda: (Guarded().step, {"k": 2}))], one_of(1, 2.5, "a")),
    Subject(
        "names that source text cannot have",
        [Case(name, lambda name=name: (named_oddly, {"name": name})) for name in ("None", "class", "\ufb01", "a b")],
        lambda random: (Plain(),),
    ),
    Subject(
        "keys that collide with objects",
        [
            Case(
                "q",
                lambda: (
                    looked_up,
                    {"table": {Colliding("q"): 1, "q": 2, Colliding("k"): 3}, "members": {Colliding("q"), "q"}},
                ),
            )
        ],
        one_of(1),
    ),
    Subject("variables that are shared and called", [Case("three", lambda: (used_later, {"a": 3}))], one_of(1, 2.5)),
    Subject("a shared variable of the target", [Case("three", closure_of_target)], one_of(1, 2.5)),
    Subject("a shared variable that may be unbound", [Case("three", lambda: (bound_on_one_way, {"a": 3}))], one_of(0)),
    Subject(
        "an attribute of its own in front of that of the class",
        [Case("five", lambda: (hides_class_attribute, {"thing": Priced()}))],
        one_of(1, None, "a"),
    ),
    Subject(
        "an attribute of its own in front of a method",
        [Case("abs", lambda: (hides_method, {"thing": Priced()}))],
        one_of(-1, 2),
    ),
    Subject(
        "super of an open object",
        [Case("k", lambda: (Derived.describe, {"k": 2}))],
        lambda random: (random.choice([Derived(3), Derived(), Base(1), 5]),),
    ),
    Subject(
        "super in a method of nothing static",
        [Case("open", lambda: (Derived.__init__, {}))],
        # From 3.12 on what `super` says of None depends on how often this very code ran before.
        lambda random: (random.choice([Derived(3), Base(1), 5, *([None] if sys.version_info < (3, 12) else [])]), 7),
    ),
    Subject(
        "a global that a decorated function assigns",
        [Case("three", lambda: (assigned_by_hidden_code, {"k": 3}))],
        one_of(1),
    ),
    Subject("an object that its format changes", restless(changed_by_format), one_of(1, "a")),
    Subject("an object that comparison changes", restless(changed_by_comparison), one_of(1, (2, 1), (2, 3))),
    Subject("an object that an operator changes", restless(changed_by_operator), one_of(1, "a", None)),
    Subject("an object that its dictionary changes", restless(changed_by_dictionary), one_of(1, "a")),
    Subject(
        "a handler reads what the loop assigns",
        [Case("open", lambda: (loop_variable_in_handler, {}))],
        some_of(([3, 1, 2], 0), ((), 5), (None, 1)),
    ),
    Subject(
        "the iterable is evaluated after the loop's first values",
        [Case("empty", lambda: (iterable_before_first_value, {"box": Empty()}))],
        one_of(0, 1),
    ),
    Subject("a slot that may be empty", [Case("one", lambda: (empty_slot, {"k": 1}))], one_of(0, 2, "a")),
    Subject(
        "an operation in place whose store comes later",
        [Case("counter", lambda: (late_store, {"counter": Counter(2)}))],
        some_of(([1], 3), ([], 4), ((), 1), ([1], "a")),
    ),
    Subject(
        "a class that is asked for, of an object that watches its attributes",
        [Case("three", lambda: (class_asked_for, {"k": 3}))],
        one_of(list, Seen, Shy, (int, Seen), 3),
    ),
    Subject(
        "the class of what a proxy stands for",
        [Case("three", lambda: (held_by_a_proxy, {"k": 3}))],
        lambda random: (random.choice([Counter(2), Seen(1)]),),
    ),
    Subject(
        "more blocks in each other than Python allows",
        [Case("three", lambda: (scopes_in_scopes, {"k": 3}))],
        one_of({3: 1}, {}, None),
    ),
    Subject(
        "a loop whose trips enter a try statement again",
        [Case("two", lambda: (Tray(3, [1, 2]).fill, {})), Case("none", lambda: (Tray(3, []).fill, {}))],
        one_of(1),
    ),
    Subject(
        "a match statement whose cases do nothing",
        [Case("two", lambda: (cases_that_do_nothing, {"k": 2}))],
        one_of(2, "a", "b", None),
    ),
    Subject(
        "a comprehension whose first items are known",
        [Case(f"head={head}", lambda head=head: (first_items_known, {"head": head})) for head in ((1, 2), ())],
        one_of([3, 4], "ab", (), 5),
    ),
]
