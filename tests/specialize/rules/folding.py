"""Rules 1, 2, 3, 10 and 11: what may be folded, for which operands, under which exact keys, and what never.

    x * 0    is not 0 if x is "a", 0.5, -1.0, nan or a list

Each program prints from user code that a wrong fold would run too early, too often or never.
"""

import math

from ..table import Case, Subject


class Loud:
    """Every special method says so."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        print("eq", self.name)
        return True

    __hash__ = None

    def __lt__(self, other):
        print("lt", self.name)
        return True

    def __add__(self, other):
        print("add", self.name)
        return self.name

    __radd__ = __mul__ = __rmul__ = __sub__ = __add__

    def __str__(self):
        print("str", self.name)
        return self.name

    def __bool__(self):
        print("bool", self.name)
        return False

    def __contains__(self, item):
        print("contains", self.name)
        return True

    def __len__(self):
        print("len", self.name)
        return 3


class Hashed(Loud):
    __hash__ = object.__hash__


def one_of(*values):
    """A maker of one dynamic value, built anew where it can be changed."""
    return lambda random: (make_one(random.choice(values)),)


def make_one(value):
    return list(value) if type(value) is list else value


ODD = (0, 1, True, -1, 2.5, 0.0, -0.0, math.nan, math.inf, "a", "", [], [1], (1,), None, 1j, 10**30)

# --- Rule 1: deep purity ---


def membership(values, x):
    return 5 in values, x


def tuple_comparison(pair, x):
    return pair == (1, 2), pair < (1, 3), x


def formatting(value, x):
    return "%s and %s" % (value, x), f"{value}", str(value)  # noqa: UP031


def user_operand(value, x):
    return 1 + value, value * 2, [value] == [value], x


def counting(values, x):
    return values.count(1), values.index(1), max(values[1:], default=x)


def cost_of_a_fold(big, x):
    if x == "power":
        return len(str(2**big))
    if x == "list":
        return len([0] * big)
    if x == "text":
        return len("ab" * big)
    if x == "shift":
        return 1 << big
    return x


# --- Rule 2: right for every value that the facts allow ---


def zero_times(k, x):
    return k * x, x * k


def plus_zero(k, x):
    return x + k, k + x, x - k


def one_times(k, x):
    product = k * x
    return product, product is x, x * k


def equal_to_itself(k, x):
    return x == x, x != x, [x] == [x], x in [x], x is x, k


def comparison_result(k, x):
    result = x == k
    return result, type(result).__name__


class Answer:
    def __eq__(self, other):
        return [other]

    def __lt__(self, other):
        return "less"

    __hash__ = None


def in_place(extra, x):
    before = x
    x += extra
    return before, x, before is x


def in_place_item(extra, x):
    holder = [x]
    holder[0] += extra
    return holder, x


def equals_true(flag, x):
    if x == True:  # noqa: E712
        return x, type(x).__name__, [x], flag
    if x == 0.0:
        return "zero", x, type(x).__name__, math.copysign(1.0, x)
    return x


def equals_text(known, x):
    if x == known:
        return x.upper(), type(x).__name__
    return x


class Text(str):
    __slots__ = ()

    def upper(self):
        return "subclass"


def truth_value(k, x):
    if x:
        return x, bool(x), k
    return x, not x, x or k, x and k


def fresh_results(text, x):
    words = text.split()
    words.append(x)
    ordered = sorted(text)
    ordered.append(x)
    parts = text.partition(" ")
    table = dict.fromkeys(text.split(), [])  # noqa: RUF024
    return words, ordered, parts, table, list(text), divmod(7, 2)


# --- Rule 3: exact keys and identity ---


def merged_keys(a, x):
    if x == 0:
        value = (1, 0.0)
    elif x == 1:
        value = (True, -0.0)
    elif x == 2:
        value = (1.0, 0)
    else:
        value = a
    return value, value == a, {value: 1}


def tuple_identity(a, b, x):
    chosen = a if x else b
    again = chosen
    return chosen is a, chosen is b, again is chosen, chosen == a


def merged_tuple(a, x):
    pair = (a, 1) if x else (a, 2)
    twice = pair
    return pair, twice is pair, pair[0] is a


def nan_pairs(nan, x):
    pair = (nan, 1) if x else (nan, 2)
    return pair == pair, pair[0] == pair[0], nan in pair, pair == (nan, 1), [nan] == [nan], pair.count(nan)


def nan_keys(nan, x):
    table = {nan: "static"}
    return nan in table, x in table, table.get(x), len({nan, x})


def dictionary_order(x):
    first = {"a": 1, "b": 2} if x else {"b": 2, "a": 1}
    return list(first), first == {"a": 1, "b": 2}


def dictionary_keys(x):
    table = {1: "int"} if x else {True: "bool"}
    return table, table[1], list(table)[0] is True  # noqa: RUF015


# --- Rule 10: nothing that depends on hashes or addresses ---


def hashing(value, x):
    return hash(value) == hash(value), hash(1) == hash(1.0), id(value) == id(value), id(x) == id(x)


def set_of_texts(words, x):
    found = []
    for word in words:
        found.append(word + x)
    return sorted(found), len(words), x in words, "ape" in words, sorted(words), max(words, default=None)


# --- Rule 11: tables and switches ---

SMALL = {1: "one", 2: "two", "k": "text", None: "none", (1, 2): "pair"}


def table_lookup(table, x):
    return table[x]


def table_get(table, x):
    return table.get(x, "default"), x in table


def list_lookup(values, x):
    return values[x]


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        print("index", self.value)
        return self.value


class LikeKey:
    """Equal to a key, with the hash of the key."""

    def __hash__(self):
        print("hash")
        return hash("k")

    def __eq__(self, other):
        print("eq", other)
        return other == "k"


LOOKUPS = (1, True, 1.0, 2, 3, "k", Text("k"), None, (1, 2), (True, 2.0), (1, [2]), [1], math.nan, LikeKey())
INDICES = (0, 1, -1, 3, True, 1.0, None, slice(None), slice(1, 2), slice(None, None, -1), Index(1), Index(9), "0")


def _case(function, **static):
    return [Case(function.__name__, lambda: (function, {name: make_one(value) for name, value in static.items()}))]


WORDS = ("ape", "bee", "cat", "dog", "eel", "fox")

SEEN = {}


def found_again(k, x, seen=SEEN):
    """A dictionary finds a NaN by identity: that of the next call is another one."""
    made = [k - k, float("nan"), math.fmod(k, 2) if k < 0 else k % 2, divmod(k, 3)[0], -k + k]
    told = [one in seen for one in made]
    seen.update(dict.fromkeys(made, x))
    return told, len(seen) % len(made), max(k, 2) in seen


SUBJECTS = [
    Subject("5 in [E()]", _case(membership, values=[Loud("m")]), one_of(1)),
    Subject("x in static container", _case(membership, values=Loud("c")), one_of(1)),
    Subject("tuple comparison", _case(tuple_comparison, pair=(1, Loud("t"))), one_of(1)),
    Subject("format of user object", _case(formatting, value=Loud("f")), one_of(1, Loud("d"))),
    Subject("1 + user", _case(user_operand, value=Loud("p")), one_of(1)),
    Subject("count of user objects", _case(counting, values=[0, Loud("x"), Loud("y")]), one_of(1)),
    Subject("cost of a fold", _case(cost_of_a_fold, big=10**9), one_of(1, "a")),
    Subject("0 * x", _case(zero_times, k=0), one_of(*ODD)),
    Subject("0.0 * x", _case(zero_times, k=0.0), one_of(*ODD)),
    Subject("x + 0", _case(plus_zero, k=0), one_of(*ODD)),
    Subject("x + 0.0", _case(plus_zero, k=0.0), one_of(*ODD)),
    Subject("1 * x", _case(one_times, k=1), one_of(*ODD)),
    Subject("True * x", _case(one_times, k=True), one_of(*ODD)),
    Subject("x == x", _case(equal_to_itself, k=1), one_of(*ODD, Answer())),
    Subject("comparison is not bool", _case(comparison_result, k=1), one_of(*ODD, Answer())),
    Subject("+= in place", _case(in_place, extra=(1, 2)), one_of([], [1], (1,), [[1]])),
    Subject("+= of a list", _case(in_place, extra=[3]), one_of([], [1], (1,), "a")),
    Subject("+= of a number", _case(in_place, extra=1), one_of(*ODD)),
    Subject("+= of an item", _case(in_place_item, extra=[1]), one_of([], [1], (1,))),
    Subject(
        "x == True for an int", _case(equals_true, flag=True), one_of(1, True, 1.0, 0, 0.0, -0.0, False, 2, "a", None)
    ),
    Subject("x == text", _case(equals_text, known="abc"), one_of("abc", Text("abc"), "b", 1, None)),
    Subject("truth of x", _case(truth_value, k=5), one_of(*ODD, Loud("b"))),
    Subject("fresh results", _case(fresh_results, text="b a c a"), one_of(1, "z", [])),
    Subject("exact keys where values meet", _case(merged_keys, a=(1, 0.0)), one_of(0, 1, 2, 3)),
    Subject("tuple identity", _case(tuple_identity, a=(1, 2), b=(1, 3)), one_of(0, 1, True, "")),
    Subject(
        "tuple identity of equal tuples",
        [Case("equal", lambda: (tuple_identity, {"a": tuple([1, 2]), "b": tuple([1, 2])}))],  # noqa: C409
        one_of(0, 1),
    ),
    Subject("tuple made here", _case(merged_tuple, a=(1, 2)), one_of(0, 1)),
    Subject("nan in pairs", [Case("nan", lambda: (nan_pairs, {"nan": float("nan")}))], one_of(0, 1)),
    Subject("nan as key", [Case("nan", lambda: (nan_keys, {"nan": float("nan")}))], one_of(0, 1, math.nan)),
    Subject("order of a dictionary", [Case("open", lambda: (dictionary_order, {}))], one_of(0, 1)),
    Subject("type of a dictionary's key", [Case("open", lambda: (dictionary_keys, {}))], one_of(0, 1)),
    Subject("hash and id", _case(hashing, value="text"), one_of(1, "a", None)),
    Subject("a static set of texts", _case(set_of_texts, words=frozenset(WORDS)), one_of("", "!", "ape")),
    Subject(
        "a static set of texts, mutable", [Case("set", lambda: (set_of_texts, {"words": set(WORDS)}))], one_of("", "!")
    ),
    Subject("table by item", _case(table_lookup, table=SMALL), one_of(*LOOKUPS)),
    Subject("table by get", _case(table_get, table=SMALL), one_of(*LOOKUPS)),
    Subject("slice as index of a static list", _case(list_lookup, values=[10, 20, 30]), one_of(*INDICES)),
    Subject("slice as index of a static tuple", _case(list_lookup, values=(10, 20, 30)), one_of(*INDICES)),
    Subject("slice as index of a static text", _case(list_lookup, values="xyz"), one_of(*INDICES)),
    Subject("a NaN that is made in each call", _case(found_again, k=math.inf), one_of(1, "a")),
]
