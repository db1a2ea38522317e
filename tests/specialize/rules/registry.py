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
