"""Static objects of which the code takes one at a place that is not known, and who may change it then.

    use(rows[k].append)         k open: `use` may append to any of the rows, whose lengths are not believed any more
    row = rows[k]; row += more  the same, done by the code itself

What is read of all of them afterwards is what is there.
"""

import collections
import operator

from ..table import Case, Subject


def put_in_a_list(rows, k, x):
    box = [rows[at] for at in range(k)]
    for row in box:
        row.append(x)
    return [len(row) for row in rows]


def put_in_a_dict(rows, k, x):
    box = {}
    for at in range(k):
        box[at] = rows[at]
    box[0].append(x)
    return len(rows[0]), len(rows[1])


def _writers(log):
    def first(x):
        log.append(x)

    def second(x):
        log.extend([x, x])

    def third(x, to=log):
        to.insert(0, x)

    return [first, second, third] * 4


def given_functions(writers, log, k, use):
    before = len(log)
    use(writers[k])
    return before, len(log), log[0]


def given_methods(rows, k, use):
    before = len(rows[0]), len(rows[1])
    use(rows[k].append)
    return before, len(rows[0]), len(rows[1])


def added_in_place(rows, k, x):
    before = len(rows[0]), len(rows[1])
    row = rows[k]
    row += [x]
    return before, len(rows[0]), len(rows[1])


def found_by_a_loop(groups, k, x):
    for row in groups[k]:
        row.append(x)
    return len(groups[0][0]), len(groups[1][0]), groups[0][0][0]


def taken_out(tables, k, x):
    last = tables[k].popitem()
    return last, len(tables[0]), len(tables[1]), x


def given_by_a_closure(rows, k, use):
    row = rows[k]
    use(lambda x: row)
    return len(rows[0]), len(rows[1])


def kept_by_a_closure(rows, k, use):
    row = rows[k]
    before = len(rows[0]), len(rows[1])
    use(lambda x: row.append(x))
    return before, len(rows[0]), len(rows[1])


class Gauge:
    def __init__(self, n):
        self.n = n

    @property
    def next(self):
        self.n += 1
        return self.n

    def bump(self, x):
        self.n += x
        return x


def read_by_a_property(gauges, k, x):
    before = gauges[0].n
    return gauges[k].next + x, before, gauges[0].n, gauges[1].n


class Wheel:
    def __init__(self, n):
        self.n = n

    def step(self):
        self.n += 1
        return self.n

    next = property(operator.methodcaller("step"))


def stepped_by_a_property(wheel, x):
    before = wheel.n
    return before, wheel.next + x, wheel.n


def asked_of_defaults(table, k, x):
    before = len(table)
    found = table[k]
    return before, found, len(table), "z" in table, x


class Plain:
    def __init__(self, n):
        self.n = n

    def bump(self, x):
        self.n += x
        return x


class Slotted:
    __slots__ = ("items",)

    def __init__(self, *items):
        self.items = list(items)


def given_with_contents(groups, k, use):
    before, first = len(groups[0][0]), groups[k][0]
    use(groups[k])
    first.count(before)
    return before, len(groups[0][0]), len(groups[1][0])


def keys_of_a_table(tables, gauges, k, x):
    before = gauges[0].n
    for one in tables[k]:
        one.n += x
    return before, gauges[0].n, gauges[1].n


def items_in_slots(boxes, k, x):
    before = len(boxes[0].items)
    boxes[k].items.append(x)
    return before, len(boxes[0].items), len(boxes[1].items)


def called_with_a_default(writers, log, k, x):
    before = len(log)
    writers[k](x)
    return before, len(log)


def called_methods(gauges, k, x):
    before = gauges[0].n
    return gauges[k].bump(x), before, gauges[0].n, gauges[1].n


def put_by_a_method(rows, others, k, x):
    rows[k].append(others[k])
    last = rows[k][-1]
    last.append(x)
    return len(others[0]), len(others[1])


def kept_in_a_variable(rows, k, use):
    row = None
    use(lambda x: row is None)
    row = rows[k]
    row.append(5)
    return len(rows[0]), len(rows[1])


class Found(Exception):
    pass


def caught_with_a_row(rows, k, use):
    error = Found(rows[k]) if use(lambda x: k) else KeyError(rows[1 - k])
    try:
        raise error
    except (Found, KeyError) as caught:
        row = caught.args[0]
    row.append(5)
    return len(rows[0]), len(rows[1])


def returned_by_a_function(rows, k, x):
    def pick(n):
        return rows[k] if n <= 0 else pick(n - 1)

    row = pick(x)
    row.append(x)
    return len(rows[0]), len(rows[1])


class FiveOrSo:
    """Equals 5."""

    def __eq__(self, other):
        return other == 5

    def __hash__(self):
        return hash(5)


def keys_that_compare(functions, k, x):
    return functions[k, x](7)


class Nosy:
    """Counts who compares it."""

    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        self.n += 1
        return False


class Noisy(Nosy):
    pass


def looked_for(nosy, rows, k, x):
    before = nosy.n
    return [x] in rows, before, nosy.n, k


def looked_for_in_a_display(nosy, x):
    before = nosy.n
    return x in [nosy, x], [x, x] == [nosy, 3], before, nosy.n


def united(fixed, k, use):
    before = len({k, 9} | fixed)
    use(fixed)
    return before, len({k, 9} | fixed)


def compared(nosy, rows, k, x):
    before = nosy.n
    return [[x]] == rows, before, nosy.n, k


def _double(x):
    return x * 2


def _negated(x):
    return -x


def _texts(x):
    return str(x)


def replaced_functions(functions, k, x):
    before = functions[k](x)
    functions[0] = _texts
    return before, functions[k](x)


def missing_function(functions, k, x):
    return functions.get(k)(x)


def missing_function_of_a_pair(functions, k, x):
    function = functions.get(("a", k))
    return function(x)


def _row(function, make, inputs, more=""):
    return Subject(function.__name__.replace("_", " ") + more, [Case("", lambda: (function, make()))], inputs)


def _rows():
    return {"rows": [[1], [2, 3]]}


def _table():
    table = collections.defaultdict(list)
    table["a"] = [1]
    return {"table": table}


def _watched(kind):
    nosy = kind(0)
    return {"nosy": nosy, "rows": [[nosy]]}


def _log():
    log = [0]
    return {"writers": _writers(log), "log": log}


def _tables():
    gauges = [Plain(1), Plain(2)]
    return {"tables": [{gauges[0]: 1}, {gauges[1]: 2}], "gauges": gauges}


def _with_default(log):
    def first(x, to=log):
        to.append(x)

    def second(x, *, to=log):
        to.extend([x, x])

    return first, second


def _defaults():
    log = [0]
    return {"writers": [one for _ in range(5) for one in _with_default(log)], "log": log}


def keyed(random):
    return random.randint(0, 1), random.randint(0, 9)


def calling(random):
    return random.randint(0, 1), lambda one: one(7)


def filling(random):
    return random.randint(0, 1), lambda one: one(7).append(5) if isinstance(one(7), list) else None


SUBJECTS = [
    _row(put_in_a_list, _rows, lambda random: (random.randint(0, 2), 5)),
    _row(put_in_a_dict, _rows, lambda random: (random.randint(1, 2), 5)),
    _row(given_functions, _log, lambda random: (random.randint(0, 11), lambda one: one(7))),
    _row(given_methods, _rows, calling),
    _row(added_in_place, _rows, keyed),
    _row(found_by_a_loop, lambda: {"groups": [[[1], [2]], [[3]]]}, keyed),
    _row(taken_out, lambda: {"tables": [{i: i for i in range(40)}, {i: -i for i in range(50)}]}, keyed),
    _row(given_by_a_closure, _rows, filling),
    _row(kept_by_a_closure, lambda: {"rows": [[1], [2, 3]]}, calling),
    _row(read_by_a_property, lambda: {"gauges": [Gauge(1), Gauge(5)]}, keyed),
    _row(stepped_by_a_property, lambda: {"wheel": Wheel(1)}, lambda random: (random.randint(0, 9),)),
    _row(
        given_with_contents,
        lambda: {"groups": [[[1], [2]], [[3]]]},
        lambda r: (r.randint(0, 1), lambda one: one[0].append(5)),
    ),
    _row(keys_of_a_table, _tables, keyed),
    _row(items_in_slots, lambda: {"boxes": [Slotted(1), Slotted(2, 3)]}, keyed),
    _row(called_with_a_default, _defaults, lambda random: (random.randint(0, 9), 5)),
    _row(called_methods, lambda: {"gauges": [Plain(1), Plain(5)]}, keyed),
    _row(put_by_a_method, lambda: {"rows": [[1], [2]], "others": [[3], [4]]}, keyed),
    _row(kept_in_a_variable, _rows, calling),
    _row(caught_with_a_row, _rows, calling),
    _row(returned_by_a_function, _rows, keyed),
    _row(
        keys_that_compare,
        lambda: {"functions": {(FiveOrSo(), 1): _double, (5, 2): _negated}, "k": 5},
        lambda random: (random.randint(0, 2),),
    ),
    _row(looked_for_in_a_display, lambda: {"nosy": Nosy(0)}, lambda random: (random.randint(0, 3),)),
    _row(united, lambda: {"fixed": {1, 2}, "k": 3}, lambda random: (lambda one: one.add(random.randint(0, 9)),)),
    _row(asked_of_defaults, _table, lambda random: (random.choice("az"), 1)),
    _row(looked_for, lambda: _watched(Nosy), lambda random: (1, random.randint(0, 3))),
    _row(looked_for, lambda: _watched(Noisy), lambda random: (1, random.randint(0, 3)), " by a base"),
    _row(compared, lambda: _watched(Nosy), lambda random: (1, random.randint(0, 3))),
    _row(replaced_functions, lambda: {"functions": [_double, _negated]}, keyed),
    _row(missing_function, lambda: {"functions": {0: _double, 1: _negated}}, lambda random: (random.randint(0, 2), 4)),
    _row(
        missing_function_of_a_pair,
        lambda: {"functions": {("a", 0): _double, ("a", 1): _negated, ("b", 2): _texts}},
        lambda random: (random.randint(0, 2), 4),
    ),
]
