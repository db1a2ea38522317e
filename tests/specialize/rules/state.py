"""Rules 4, 5, 7, 8 and 9: what is static is a location; who else may write it; what is read when; what dies when.

    static `box`; first = box.value; callback(box); box.value    is read twice

The static object is state of the caller, so its contents after each call are compared as well.
"""

import random as random_module

from ..table import Case, Subject, integers


class Box:
    def __init__(self, *values):
        self.values = list(values)
        self.scale = 2
        self.table = {"a": 1}
        self.log = []


# --- Rule 4: frozen by location ---


class Machine:
    step = 1

    def __init__(self, program):
        self.program = program
        self.pc = 0
        self.acc = 0
        self.stack = [0]

    def run(self, x):
        self.pc = 0
        while self.pc < len(self.program):
            name = self.program[self.pc]
            self.pc += self.step
            if name == "add":
                self.acc += x
            elif name == "fail":
                raise ValueError(self.pc)
            elif name == "push":
                self.stack.append(x)
            elif name == "show":
                print(self)
            elif name == "call":
                x(self)
        return self.acc, len(self.stack)

    def each(self, x):
        for name in self.program:
            self.pc += 1
            self.acc += x
            yield name, self.pc
        self.pc = -1

    def accumulate(self, x):
        """Reads first, then writes: the first read is of what the last call left."""
        before = self.acc
        self.acc = before + x
        return before, self.acc

    def __str__(self):
        return f"pc={self.pc} acc={self.acc} stack={self.stack}"


def write_after_read(box, x):
    first = box.scale * 10
    box.scale = x
    return first, box.scale


def write_on_one_path(box, x):
    if x > 3:
        box.scale = x
    return box.scale * 10


def write_in_loop(box, x):
    total = 0
    for _ in range(x):
        total += box.scale
        box.scale += 1
    return total


def delete_and_set(box, x):
    try:
        before = box.extra
        del box.extra
    except AttributeError:
        before = None
        box.extra = x
    return before, hasattr(box, "extra"), getattr(box, "extra", None)


def write_through_dictionary(box, x):
    box.__dict__["scale"] = x
    setattr(box, "values", [x])  # noqa: B010
    return box.scale, box.values


def mutate_table(box, x):
    box.table[x] = box.table.get(x, 0) + 1
    return box.table["a"], len(box.table), list(box.table)


def mutate_while_iterating(box, x):
    seen = []
    for value in box.values:
        seen.append(value)
        if len(box.values) < 6:
            box.values.append(x)
    return seen


def shared_inside(box, x):
    """`again` is the same list."""
    again = box.values
    again.append(x)
    box.values.append(x)
    return box.values is again, len(again), box.values[-1]


def callback_mutates(box, x):
    first = len(box.values), box.scale
    x(box)
    return first, len(box.values), box.scale, sum(box.values), box.table


def append_value(box):
    box.values.append(7)


def change_scale(box):
    box.scale = box.scale + 1
    box.table["b"] = len(box.table)


def replace_list(box):
    box.values = [100, *box.values[:2]]


def fail(box):
    box.scale += 1
    raise RuntimeError(box.scale)


def leave(box):
    return None


CALLBACKS = (append_value, change_scale, replace_list, fail, leave)


def indirect_callback(box, x):
    """The object is handed over inside another one."""
    holder = {"box": [box]}
    total = sum(box.values)
    x(holder)
    return total, sum(box.values), box.scale


def through_holder(callback):
    return lambda holder: callback(holder["box"][0])


HOLDER_CALLBACKS = tuple(through_holder(callback) for callback in CALLBACKS)


def two_static(a, b, x):
    """May be the same object."""
    a.append(x)
    return len(b), b[-1], a is b


def _same_list():
    values = [1, 2]
    return two_static, {"a": values, "b": values}


def shuffle(cards, x):
    random_module.seed(x)
    random_module.shuffle(cards)
    return cards[0], list(cards)


def sample_of(cards, x):
    random_module.seed(x)
    return random_module.choice(cards), random_module.randint(0, 9)


def sort_in_place(cards, x):
    cards.sort(key=lambda card: -card if x > 3 else card)
    cards.reverse()
    return cards[0], cards


def make_remember():
    def remember(x, seen=[]):  # noqa: B006
        seen.append(x)
        return list(seen), len(seen)

    return remember


# --- Rule 7: order and rereading ---


def order_of_operands(k, x):
    def say(value):
        print("say", value)
        return value

    return say(1) + say(x) * say(k), [say(2), say(x)], {say("a"): say("b")}, say(x) and say(0) or say(k)  # noqa: RUF021


def short_circuit(k, x):
    return (k or x.missing), (x and k and x), (not k and x.missing), 0 < k < (x if x else 9) < 100


def reread(k, x):
    first = x[0]
    x.append(k)
    x[0] = first + k
    second = x[0]
    return first, second, len(x), x[0]


class Moving:
    def __init__(self):
        self.count = 0

    @property
    def value(self):
        self.count += 1
        return self.count


def reread_property(k, x):
    return x.value + k, x.value, [x.value for _ in range(k)], x.count


def reread_after_call(k, x):
    values, change = x
    before = values[0] + k
    change(values)
    return before, values[0] + k, len(values)


def bump(values):
    values[0] += 1


def grow(values):
    values.insert(0, 50)


# --- Rule 8: escape ---


def escaped_list(k, x):
    mine = [k, 1]
    kept = [k, 2]
    x.append(mine)
    x[-1].append(k)
    kept.append(k)
    return mine, kept, x[-1] is mine


def escaped_closure(k, x):
    count = k

    def increase():
        nonlocal count
        count += 1
        return count

    first = x(increase)
    return first, count, increase(), count


def call_twice(function):
    return function() + function()


def never(function):
    return 0


class Node:
    def __init__(self, value):
        self.value = value
        self.children = []


def build_tree(out, depth, x):
    node = Node(depth)
    out.append(node)
    if x > depth:
        node.children.append(build_tree(out, depth + 1, x))
    node.value += 100
    return node


def instance_in_recursion(depth, x):
    out = []
    root = build_tree(out, depth, x)
    out[-1].value += 1000
    return root, out, out[0] is root


def visit(nodes, seen, x):
    if x <= 0:
        return seen
    seen.append(nodes)
    nodes.append(x)
    return visit(nodes, seen, x - 1)


def list_in_recursion(start, x):
    nodes = [start]
    seen = visit(nodes, [], x)
    return nodes, seen, all(item is nodes for item in seen)


def identity_in_callee(k, x):
    pair = [k]
    return is_same(pair, pair, x), is_same(pair, [k], x)


def is_same(a, b, n):
    if n > 0:
        return is_same(a, b, n - 1)
    return a is b


# --- Rule 9: lifetime ---


class Dying:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("del", self.name)


def lifetime(name, x):
    dying = Dying(name)
    print("made", x)
    dying = None
    print("after", x, dying)
    return x


def lifetime_in_list(name, x):
    values = [Dying(name), Dying("second")]
    values.pop()
    print("popped")
    values.clear()
    print("cleared", x)


def generator_dropped(names, x):
    def produce():
        try:
            for name in names:  # noqa: UP028
                yield name
        finally:
            print("closed", x)

    source = produce()
    first = next(source)
    print("first", first)
    del source
    print("end")
    return first


def generator_left_by_break(names, x):
    def produce():
        try:
            yield from names
        finally:
            print("finally", x)

    for name in produce():
        print(name)
        if name == x:
            break
    print("after loop")


def generator_never_started(names, x):
    def produce():
        try:
            yield from names
        finally:
            print("never printed")

    source = produce()
    print("made", x)
    source.close()
    return x


def numbers(*counts):
    return lambda random: (random.choice(counts),)


def _box(function):
    return [Case(function.__name__, lambda: (function, {"box": Box(1, 2, 3)}))]


def _one(function, **static):
    return [Case(function.__name__, lambda: (function, dict(static)))]


def _machine(name, *program):
    return [Case(name, lambda: (getattr(Machine(list(program)), name), {}))]


def list_input(random):
    return ([random.randint(0, 9) for _ in range(random.randint(1, 3))],)


SUBJECTS = [
    Subject("state is stored before return", _machine("run", "add", "push", "add"), integers(1)),
    Subject("state is stored before raise", _machine("run", "add", "push", "fail", "add"), integers(1)),
    Subject("state is stored before it is shown", _machine("run", "add", "show", "push", "show"), integers(1)),
    Subject(
        "state is stored before a call",
        _machine("run", "call", "call"),
        lambda r: (r.choice([print, Machine.__str__]),),
    ),
    Subject("state is stored before yield", _machine("each", "a", "b"), integers(1)),
    Subject("state is read from the last call", _machine("accumulate"), integers(1)),
    Subject("write after read", _box(write_after_read), integers(1)),
    Subject("write on one path", _box(write_on_one_path), integers(1, 0, 6)),
    Subject("write in a loop", _box(write_in_loop), integers(1, 0, 4)),
    Subject("delete and set", _box(delete_and_set), integers(1)),
    Subject("write through __dict__", _box(write_through_dictionary), integers(1)),
    Subject("write of a table", _box(mutate_table), lambda r: (r.choice(["a", "b", 1]),)),
    Subject("mutation while iterating", _box(mutate_while_iterating), integers(1)),
    Subject("one list by two names", _box(shared_inside), integers(1)),
    Subject("mid-call effects of callbacks", _box(callback_mutates), lambda r: (r.choice(CALLBACKS),)),
    Subject(
        "effects of a callback on what is inside", _box(indirect_callback), lambda r: (r.choice(HOLDER_CALLBACKS),)
    ),
    Subject("two static arguments are one", [Case("same", _same_list)], integers(1)),
    Subject(
        "random.shuffle of a static list", [Case("cards", lambda: (shuffle, {"cards": [1, 2, 3, 4, 5]}))], integers(1)
    ),
    Subject("random choice of a static list", [Case("cards", lambda: (sample_of, {"cards": [1, 2, 3]}))], integers(1)),
    Subject("sort of a static list", [Case("cards", lambda: (sort_in_place, {"cards": [3, 1, 2]}))], integers(1)),
    Subject("a mutable default", [Case("open", lambda: (make_remember(), {"seen": [5]}))], integers(1)),
    Subject("order of operands", _one(order_of_operands, k=3), numbers(0, 2, "q", 2.5)),
    Subject("short circuit", _one(short_circuit, k=3), numbers(0, 5, 200, None)),
    Subject("reading again after a write", _one(reread, k=3), list_input),
    Subject("reading a property again", _one(reread_property, k=2), lambda r: (Moving(),)),
    Subject(
        "reading again after a call",
        _one(reread_after_call, k=2),
        lambda r: ((list_input(r)[0], r.choice([bump, grow])),),
    ),
    Subject("an escaped list", _one(escaped_list, k=2), list_input),
    Subject("an escaped closure", _one(escaped_closure, k=2), lambda r: (r.choice([call_twice, never]),)),
    Subject("an instance appended inside recursion", _one(instance_in_recursion, depth=0), integers(1, -1, 5)),
    Subject("a list passed through recursion", _one(list_in_recursion, start=5), integers(1, -1, 5)),
    Subject("identity inside a callee", _one(identity_in_callee, k=5), integers(1, -1, 5)),
    Subject("lifetime of an instance", _one(lifetime, name="d"), integers(1)),
    Subject("lifetime inside a list", _one(lifetime_in_list, name="d"), integers(1)),
    Subject("a generator that is dropped", _one(generator_dropped, names=("a", "b")), integers(1)),
    Subject(
        "a generator abandoned in its finally",
        _one(generator_left_by_break, names=("a", "b", "c")),
        numbers("a", "c", "z"),
    ),
    Subject("a generator that is never started", _one(generator_never_started, names=("a", "b")), integers(1)),
]
