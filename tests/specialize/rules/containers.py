"""What happens to lists and dicts whose items are known in part, and to static ones that the code writes.

    xs = [n]; ys = xs; ys += [x]       xs is ys, and has both
    items += more                      a static list is written: its length is not what it was

A container that is made during specialization is the same object under all its names; one that is static is read when
the residual runs as soon as anybody writes to it.
"""

from ..table import Case, Subject


def lists_of_any_item(n, x):
    items = [x, n, None]
    found = n in items, n not in items, 3 not in items, None not in items, 5 not in [n, 4], n not in [n, x], items
    return found, 5 in [x, n], 5 not in (n, x, 7), (5 in [x, x]) is (5 in (x, n))


def known_objects(values, x):
    a, b = values
    same = a is b
    return same, a is not b, b is a, [a, b][0] is b, x is a


def extended(n, x):
    first = [n]
    second = first
    second += [x]
    third = second
    third += [n, x]
    third *= 2
    twins = [[n] for _ in range(3)]
    twins[0].append(twins[1] is twins[2])
    return twins, twins[0] is twins[1], twins[1] is twins[2], first, second is first, third is second, len(first)


def ends(n, x):
    items = [x, n, [x]]
    last = items[-1]
    last.append(items[-3])
    items[-2] = n + 1
    table = {"a": x, "b": n, "c": 3}
    del table["a"]
    del items[-3]
    return items, last, items[-1] is last, list(table.items()), items.pop(-2), items


def deleted(n, x):
    items = [x, n, 2, 3, 4, 5]
    same = items
    del items[n + 3 :]
    del items[-1:], items[7:], items[2:1]
    found = [len(items), items[-1]]
    more = [x, *items, n]
    del more[::-2]
    return items is same, items, found, more


def deleted_from_tuple(n, x):
    pair = (x, n)
    try:
        del pair[0]
    except TypeError as error:
        return pair, str(error)
    return pair


def atoms(words, x):
    found = []
    for word in words:
        try:
            found.append(int(word))
        except ValueError as error:
            try:
                found.append((float(word), str(error)))
            except ValueError as second:
                found.append((word, x, second.args, second.__context__ is error))
    try:
        found.append(int("12", 40))
    except ValueError as error:
        found.append(str(error))
    return found, int("zz", 36)


def written_in_place(items, more):
    before = len(items), items[-1]
    items += more
    return before, len(items), items[-1], items[0]


def written_at(items, x):
    before = items[0], items[-1]
    items[0] = x
    return before, items[0], items[-1], sum(items)


def grown_while_iterating(items, x):
    total = 0
    for item in items:
        total = total * x + item
        if item < 4:
            items.append(item + 2)
    return total, len(items)


def grown_behind(items, x):
    """The loop begins over what is known, and the list is written while it runs."""
    found = []
    for at, item in enumerate(items):
        found.append((at, item * x))
        if at == 0:
            items[1:] = [x, 9]
    return found


def equal_keys(n, x):
    table = {1: x, True: n, 1.0: "last", "a": x}  # noqa: F601  equal keys are the point
    other = {True: n, n: x}
    other[1] = "set"
    return list(table.items()), list(other.items()), table | {1: "or"}, list({0: x, False: n})  # noqa: F601


def keys_change(n, x):
    table = {"a": x, "b": n}
    seen = []
    try:
        for key, value in table.items():
            seen.append((key, value))
            if len(seen) == n:
                table["c"] = x
    except RuntimeError as error:
        return seen, str(error)
    return seen, list(table)


def order_of_sets(words, x):
    made = set()
    for word in words:
        made.add(word)
    shown = {"delta", "alpha", "echo", "bravo", "charlie", "golf", "foxtrot"}
    shown.add(words[0])
    return list(made) == list(set(words)), made, sorted(shown), x in shown


def own_list(text, x):
    parts = text.split(",")
    parts.append(x)
    other = text.split(",")
    return parts, other, parts[0] is other[0], "a b".split()  # noqa: SIM905  a list at each call


def caught(n, x):
    found = []
    for error in (KeyError, IndexError, UnicodeDecodeError, ZeroDivisionError, ValueError):
        try:
            if error is UnicodeDecodeError:
                raise error("utf-8", b"", 0, n, "bad")
            raise error(n)
        except LookupError as caught_error:
            found.append(("lookup", type(caught_error).__name__, caught_error.args[0]))
        except (ArithmeticError, UnicodeError) as caught_error:
            found.append(("number", type(caught_error).__name__))
        except ValueError:
            found.append(x)
    return found


def put_into_a_variable(items, make):
    act = make()
    held = [0]

    def reach():
        held.append(len(held))

    act(reach)
    held = items
    before = len(items), items[-1]
    act(None)
    return before, len(items), items[-1]


class Act:
    """Keeps what it is called with first and calls it later."""

    def __init__(self):
        self.kept = None

    def __call__(self, function):
        if function is None:
            self.kept()
        else:
            self.kept = function


def _case(function, **static):
    return [Case(", ".join(f"{name}={value!r:.40}" for name, value in static.items()), lambda: (function, static))]


def one_of(*values):
    return lambda random: (random.choice(values),)


SUBJECTS = [
    Subject("membership with open items", _case(lists_of_any_item, n=3), lambda r: (r.choice((3, 3.0, "a", None, 5)),)),
    Subject(
        "identity of known values",
        [case for values in ((1, True), (1, 1.0), (0, False), ((), ()), (1000, int("1000")), (None, None))
         for case in _case(known_objects, values=values)],
        lambda r: (r.choice((1, True, None, 0)),),
    ),
    Subject("in place through an alias", _case(extended, n=2), lambda r: (r.choice((1, "a")),)),
    Subject(
        "a static list put into a variable",
        [Case("items=[5]", lambda: (put_into_a_variable, {"items": [5]}))], lambda r: (Act,),
    ),
    Subject("ends of containers", _case(ends, n=2), one_of(1, "a")),
    Subject("slices that are deleted", [*_case(deleted, n=0), *_case(deleted, n=1)], one_of(1, "a")),
    Subject(
        "texts that are no numbers",
        _case(atoms, words=("1", "x", " 2 ", "1_0", "", "1e3", "nan ", "٣")), one_of(1, "a"),
    ),
    Subject("items deleted from a tuple", _case(deleted_from_tuple, n=0), one_of(1, "a")),
    Subject(
        "a static list written in place",
        [Case("items=[5]", lambda: (written_in_place, {"items": [5]}))], lambda r: ([7] * r.randint(0, 2),),
    ),
    Subject(
        "items stored into a static list", [Case("items=[5, 6]", lambda: (written_at, {"items": [5, 6]}))], one_of(1, 9)
    ),
    Subject(
        "a static list that grows under a loop",
        [Case("items=[1, 2]", lambda: (grown_while_iterating, {"items": [1, 2]}))], one_of(1, 9),
    ),
    Subject(
        "a static list that is replaced under a loop",
        [Case("items=[1, 2]", lambda: (grown_behind, {"items": [1, 2]}))], one_of(1, 9),
    ),
    Subject("equal keys", _case(equal_keys, n=1), one_of(1, "a")),
    Subject("keys that change under a loop", [*_case(keys_change, n=1), *_case(keys_change, n=3)], one_of(1, "a")),
    Subject(
        "order of sets",
        _case(order_of_sets, words=("x", "yellow", "zebra", "apple", "mango", "kiwi", "fig")), one_of("alpha", "fig"),
    ),
    Subject("lists of a known text", _case(own_list, text="p,q"), one_of(1, "a")),
    Subject("handlers of base classes", _case(caught, n=1), one_of(1, "a")),
]  # fmt: skip
