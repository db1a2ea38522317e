"""Static dicts of the library's classes: what is read of them is static, what asking may make is not.

    counts["a"], counts["?"]      of a static `Counter`      ->    2, 0
    table[key]                    of a static `defaultdict`  ->    stays, and may write: nothing of it is static then

Each program reads a dict that keeps another order, gives what it does not hold, or makes what it is asked for.
"""

from collections import Counter, OrderedDict, defaultdict

from ..table import Case, Inputs, Subject


def rows(*choices) -> Inputs:
    return lambda random: random.choice(choices)


def moved():
    made = OrderedDict(a=1, b=2, c=3)
    made.move_to_end("a")
    return made


def shadowed():
    made = Counter("aab")
    made.get = lambda key, default=None: (key, default)
    return made


def read(table, x):
    total = 0
    for key, value in table.items():
        total = total * x + value if key != "b" else total
    return total, list(table), [*table.values()], dict(table), type(table.items()).__name__, len(table), bool(table)


def looked_up(table, x):
    return table["a"] * x, table.get("b"), table.get("zz", x), "a" in table, "zz" in table, table.get("zz")


def counted(table, key):
    return table["a"], table["zz"], "zz" in table, table[key], len(table)


def asked_for(table, key):
    before = len(table), table["a"]
    found = table[key]
    return before, found, len(table), list(table)


def made_here(table, x):
    before = len(table)
    table["new"].append(x)
    return before, len(table), table["new"]


def formatted(table, text):
    before = len(table)
    return before, text % table, len(table)


def states(table, text):
    state = 0
    for letter in text:
        state = table[state][letter]
    return state


def added(table, key):
    before = table["a"], len(table)
    table[key] += 1
    return before, table["a"], len(table), table.most_common(1)


def spread(table, x):
    def taken(a, b=0, **rest):
        return a, b, rest

    return taken(**table), {**table, "x": x}


SUBJECTS = [
    Subject(
        "static dicts of other classes",
        [
            Case("moved", lambda: (read, {"table": moved()})),
            Case("counter", lambda: (read, {"table": Counter("aab")})),
            Case("defaults", lambda: (read, {"table": defaultdict(list, a=1, c=2)})),
            Case("empty", lambda: (read, {"table": OrderedDict()})),
        ],
        rows((2,), (0.5,), ("a",)),
    ),
    Subject(
        "what static dicts hold",
        [Case(made.__name__, lambda made=made: (looked_up, {"table": made()})) for made in (moved, shadowed)],
        rows((2,), (None,)),
    ),
    Subject(
        "what was not counted", [Case("aab", lambda: (counted, {"table": Counter("aab")}))], rows(("a",), ("?",), ([],))
    ),
    Subject(
        "asking makes it",
        [Case("a", lambda: (asked_for, {"table": defaultdict(list, a=2)}))],
        rows(("a",), ("b",), ("b",), ([],)),
    ),
    Subject(
        "a default that is known",
        [Case("a", lambda: (made_here, {"table": defaultdict(list, a=[1])}))],
        rows((1,), ("a",)),
    ),
    Subject(
        "a format that asks",
        [Case("a", lambda: (formatted, {"table": defaultdict(int, a=2)}))],
        rows(("%(a)s",), ("%(b)s",), ("%(c)s",), ("",)),
    ),
    Subject(
        "tables of states",
        [Case("two", lambda: (states, {"table": [defaultdict(int, a=1), defaultdict(int, b=0, a=1)]}))],
        rows(("aab",), ("",), ("xa",), (None,)),
    ),
    Subject("counting on", [Case("aab", lambda: (added, {"table": Counter("aab")}))], rows(("a",), ("b",), ("c",))),
    Subject(
        "static dicts as keywords",
        [Case("moved", lambda: (spread, {"table": moved()}))],
        rows(
            (1,),
        ),
    ),
]
