"""What a test tells of a number, and what must be stored before somebody looks.

    if len(xs) < n: ... else: len(xs) > n       may be n: the else branch knows no more than that it is not less
    vm.pc = x; for item in items: ...           whoever gives the items may look at vm.pc

Bounds are kept for exact integers only; what was written to a static object is written before other code runs.
"""

from ..table import Case, Subject


def compared(n, xs, ys):
    x, y = len(xs), len(ys)
    found = []
    if x < n:
        found.append(x >= n)
    else:
        found.append((x > n, x >= n, x == n))
    if x <= n:
        found.append((x < n, n > x))
    elif n + 1 > x:
        found.append("never")
    else:
        found.append((x > n + 1, n + 1 < x))
    if not x > n:
        found.append((x < n, x == n))
    if n >= x + 1:
        found.append((n - 1 > x, n - 1 >= x))
    if y != n and y >= n:
        found.append(y > n)
    return found, (x + 3) - (y + 1) >= 2, (x + 3) - (y + 1) < 2, x - y > -1, x * y >= 0, x - 1 >= 0


class Machine:
    def __init__(self, pc):
        self.pc = pc
        self.held = [pc]


def looked_at_by_items(vm, make):
    vm.pc = vm.pc + 1
    for item in make(vm):
        vm.pc = vm.pc + item
    return vm.pc


class Reading:
    """Each of its items, and its text, looks at `SHARED`."""

    def __iter__(self):
        return (SHARED.pc for _ in range(3))

    def __str__(self):
        return f"pc = {SHARED.pc}"


SHARED = Machine(7)


def looked_at_between(vm, items):
    before = vm.pc
    vm.pc = 1
    found = []
    for item in items:
        found.append(item)
        vm.pc = vm.pc + 1
    vm.pc = before
    return found


def written_below(vm, xs):
    n = len(xs)
    before = vm.pc
    if n > 2:
        n += 1
    else:
        vm.pc = n
    seen = [str(x) for x in xs]
    vm.pc = before
    return n, seen


def written_above(vm, xs):
    n = len(xs)
    before = vm.pc
    if n > 2:
        vm.pc = n
    else:
        n += 1
    seen = [str(x) for x in xs]
    vm.pc = before
    return n, seen


def order_of_numbers(numbers, ordered):
    made = set()
    for number in numbers:
        made.add(number)
    return ordered(made)


def maybe_written(vm, x, look):
    before = vm.pc
    if x:
        vm.pc = x
    seen = look(vm)
    vm.pc = before
    return seen, before


def handed(table, inner, act):
    before = inner[0], len(inner)
    act(table)
    return before, inner[0], len(inner), table[0] is inner


def grows_first(table):
    table[0].append(2)
    table[0][0] = 9


def shared():
    inner = [1]
    return handed, {"table": [inner, [5]], "inner": inner}


def counted(vm):
    return (vm.pc for _ in range(3))


def seen_by(vm):
    return vm.pc, list(vm.__dict__)


SUBJECTS = [
    Subject(
        "what comparisons tell",
        [Case(f"n={n}", lambda n=n: (compared, {"n": n})) for n in (0, 1, 3)],
        lambda r: ([0] * r.randint(0, 5), [0] * r.randint(0, 5)),
    ),
    Subject(
        "items that look", [Case("pc=1", lambda: (looked_at_by_items, {"vm": Machine(1)}))], lambda r: (counted,)
    ),
    Subject(
        "written on one way",
        [Case("pc=1", lambda: (maybe_written, {"vm": Machine(1)}))], lambda r: (r.choice((0, 4, "a")), seen_by),
    ),
    Subject(
        "iterators that look", [Case("shared", lambda: (looked_at_between, {"vm": SHARED}))],
        lambda r: (Reading() if r.random() < 0.7 else [1] * r.randint(0, 3),),
    ),
    Subject(
        "written on one of two ways",
        [Case(f.__name__, lambda f=f: (f, {"vm": SHARED})) for f in (written_below, written_above)],
        lambda r: ([Reading()] * r.randint(0, 4),),
    ),
    Subject(
        "the order of numbers in a set",
        [
            Case("seven", lambda: (order_of_numbers, {"numbers": (16, 1, 2, 3, 4, 5, 33)})),
            Case("three that want two places", lambda: (order_of_numbers, {"numbers": (7, 14, 30)})),
        ],
        lambda r: (r.choice((list, tuple, repr)),),
    ),
    Subject("a part of what is handed over", [Case("inner=[1]", shared)], lambda r: (grows_first,)),
]  # fmt: skip
