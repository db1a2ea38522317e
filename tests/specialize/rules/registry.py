"""Rule 5: a module whose list, table, class and defaults change elsewhere, between and before calls.

    register(double); total(1)    sees what was registered, also after it was specialized

Every function here reads something that another function of this module, or a test, writes.
"""

HOOKS = []
TABLE = {"a": 1, "b": 2}
CONSTANTS = {"pi": 3, "e": 2}
LIMIT = 10


def register(hook):
    HOOKS.append(hook)
    return hook


def forget():
    HOOKS.clear()
    TABLE.clear()
    TABLE.update(a=1, b=2)


def extend(name, value):
    table = TABLE
    table[name] = value


NESTED = {"a": [1, 2], "b": [[3]]}
ROWS = [[1], [2, 3]]
GROUPS = {"x": {"y": 1}}


def grow(value):
    NESTED["a"].append(value)


def lengthen(rows, value):
    for row in rows:
        longest = row
        longest.append(value)


def lengthen_rows(value):
    lengthen(rows=ROWS, value=value)


def group(name):
    return GROUPS.get(name)


def regroup(value):
    found = group("x")
    found["y"] = value


def from_nested(name, x):
    return NESTED[name][0] + x, len(NESTED[name])


def from_rows(k, x):
    return len(ROWS[k]) + x


def from_groups(name, x):
    return GROUPS[name]["y"] + x


def around_a_call(name, act):
    before = len(NESTED[name])
    act(before)
    return before, len(NESTED[name])


def run_hooks(scale, x):
    total = x
    for hook in HOOKS:
        total = hook(total) * scale
    return total, len(HOOKS)


def from_table(name, x):
    return TABLE[name] + x, len(TABLE)


def from_constants(name, x):
    return CONSTANTS[name] * x


def under_limit(k, x):
    return min(x * k, LIMIT)


class Shape:
    sides = 4
    names = ["square"]  # noqa: RUF012

    def describe(self, x):
        return self.sides * x, self.names[0], self.area(x)

    def area(self, x):
        return x * x


def describe(shape, x):
    return shape.describe(x)


class Gauge:
    def __init__(self, level):
        self.level = level
        self.low = level - 1


def read_gauge(gauge, k, x):
    gauge.level = x
    return [][gauge.low - x - k] if gauge.low > 9 else gauge.low, gauge.level


def make_gauge(k, x):
    return read_gauge(Gauge(k + 1), k, x)


def is_there(gauge, k, x):
    return x if gauge else k, not gauge, bool(gauge)


def is_one_there(k, x):
    return is_there(Gauge(k), k, x)


def with_default(k, x, extra=5):
    return k * x + extra


def uses_default(k, x):
    return with_default(k, x)


def counter(start):
    count = start

    def step(by, x):
        return count * by + x

    def reset(value):
        nonlocal count
        count = value

    return step, reset
