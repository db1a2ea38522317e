"""Programs that have no end, explode or are huge: specializing each ends soon, and the residual is right.

    while True: n += 1    with everything static    ->    a loop, a fallback or a diagnostic; never a hang

Invariant: nothing is asserted about how the end was reached, only that it was, within the bounds of `bounds`.
"""

from __future__ import annotations

import contextlib
import linecache
import types
from typing import Any

import pytest

from .bounds import right, tried

# --- no end ---


def static_loop(x):
    n = 0
    while True:
        n += 1
    return x


def empty_loop(x):
    while True:
        pass


def loop_with_constant_state(x):
    state = "a"
    while x is not None:
        state = "b" if state == "a" else "a"


def growing_text(x):
    text = ""
    while text != "done":
        text += "ab"
    return x


def growing_list(x):
    values = []
    while len(values) >= 0:
        values.append(len(values))
    return x


def growing_tuple(x):
    pair = ()
    while True:
        pair = (pair, 1)


def growing_object(x):
    class_less = types.SimpleNamespace(next=None)
    while True:
        class_less = types.SimpleNamespace(next=class_less)


def counting_down_forever(n, x):
    while n != 0:
        n -= 2
    return x


def fast_growth(x):
    n = 2
    while True:
        n = n * n


def endless_generator(x):
    def count():
        n = 0
        while True:
            yield n
            n += 1

    for n in count():
        if n < 0:
            return x
    return None


def endless_iterator(x):
    return sum(1 for _ in iter(int, 1))


def effects_forever(x):
    n = 0
    while True:
        n += 1
        x(n)


ENDLESS = [
    static_loop, empty_loop, loop_with_constant_state, growing_text, growing_list, growing_tuple, growing_object,
    fast_growth, endless_generator, endless_iterator, effects_forever,
]  # fmt: skip


@pytest.mark.parametrize("function", ENDLESS, ids=lambda f: f.__name__)
def test_a_static_loop_without_end(function: Any) -> None:
    tried(function)


@pytest.mark.parametrize("n", [1, -2, 10**30 + 1])
def test_a_static_counter_that_misses_its_end(n: int) -> None:
    tried(counting_down_forever, n=n)


class Enough(Exception):
    """Ends a loop from outside."""


@pytest.mark.parametrize("calls", [1, 5, 40])
def test_effects_of_a_loop_without_end_come_in_order(calls: int) -> None:
    residual = tried(effects_forever)
    assert residual is not None
    seen = []

    def note(n: int) -> None:
        seen.append(n)
        if len(seen) == calls:
            raise Enough

    with pytest.raises(Enough):
        residual(note)
    assert seen == list(range(1, calls + 1))


def recursion(n):
    return recursion(n + 1)


def recursion_of_data(values, x):
    return recursion_of_data([*values, 1], x)


def mutual_a(n, x):
    return mutual_b(n + 1, x)


def mutual_b(n, x):
    return mutual_a(n * 2, x)


def doubling(n, x):
    return doubling(n + 1, x) + doubling(n + 2, x)


def closure_recursion(n, x):
    def inner(k):
        return inner(k + 1)

    return inner(n)


class Recursive:
    def __init__(self, n):
        self.child = Recursive(n + 1)


def constructor_recursion(n, x):
    return Recursive(n), x


@pytest.mark.parametrize(
    ("function", "static"),
    [
        (recursion, {"n": 0}), (recursion_of_data, {"values": []}), (mutual_a, {"n": 1}), (doubling, {"n": 0}),
        (closure_recursion, {"n": 0}), (constructor_recursion, {"n": 0}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_static_recursion_without_end(function: Any, static: dict[str, Any]) -> None:
    residual = tried(function, **static)
    if residual is not None:
        with pytest.raises(RecursionError):
            residual(*[1] * (function.__code__.co_argcount - len(static)))


def collatz_depth(n, x):
    return x if n == 1 else collatz_depth(n // 2 if n % 2 == 0 else 3 * n + 1, x) + 1


def descend(n, x):
    return x if n == 0 else descend(n - 1, x)


@pytest.mark.parametrize(("function", "n"), [(collatz_depth, 27), (descend, 300), (descend, 700)])
def test_deep_static_recursion_with_an_end(function: Any, n: int) -> None:
    right(lambda: {"n": n}, function, (1,), (2.5,))


# --- explosions ---


def subsets(flags, n):
    """Each of n dynamic branches doubles the static states."""
    seen = ()
    for i in range(n):
        if flags[i]:
            seen = (*seen, i)
    return seen


def mixing(values, seed):
    """A static state that dynamic tests drive through very many values."""
    state = seed
    for value in values:
        if value > 0:
            state = (state * 75 + 74) % 65537
        else:
            state = (state * 31 + 17) % 65537
    return state


def counters(values):
    a = b = c = 0
    for value in values:
        if value > 0:
            a += 1
        elif value < 0:
            b += 1
        else:
            c += 1
    return a, b, c


def permutations(values):
    order = [0, 1, 2, 3, 4, 5]
    for value in values:
        if value > 0:
            order[0], order[1] = order[1], order[0]
        else:
            order.append(order.pop(0))
    return order


def growing_stack(values):
    stack = []
    for value in values:
        if value > 0:
            stack.append(value)
        elif stack:
            stack.pop()
    return stack


def linked(values):
    head = None
    for value in values:
        head = (value, head) if value > 0 else head
    return head


def counted_texts(values):
    counts = {}
    for value in values:
        name = "even" if value % 2 == 0 else "odd"
        counts[name] = counts.get(name, 0) + 1
    return counts


def branch_tree(depth, x):
    if depth == 0:
        return x
    return branch_tree(depth - 1, x * 2) if x % 2 else branch_tree(depth - 1, x // 2)


def closures(values, n):
    functions = [lambda v: v]
    for value in values:
        last = functions[-1]
        functions.append((lambda v, last=last: last(v) + 1) if value > 0 else (lambda v, last=last: last(v) * 2))
    return functions[-1](n)


def digits(values):
    text = ""
    for value in values:
        text += "a" if value > 0 else "b"
    return text


SIGNS = ([], [1], [-1, 0, 1, 1], [3, -2, 5, 5, 0, -7, 2, 2, -1, 4])


@pytest.mark.parametrize(
    "function", [counters, permutations, growing_stack, linked, counted_texts, digits], ids=lambda f: f.__name__
)
def test_an_exploding_key_of_a_loop(function: Any) -> None:
    right(dict, function, *[(list(signs),) for signs in SIGNS])


@pytest.mark.parametrize("n", [3, 12, 40])
def test_doubling_branches(n: int) -> None:
    right(lambda: {"n": n}, subsets, ([1] * n,), ([0, 1] * n,), ([1],))


@pytest.mark.parametrize("seed", [0, 1, 12345])
def test_a_static_state_with_many_values(seed: int) -> None:
    right(lambda: {"seed": seed}, mixing, *[(list(signs),) for signs in SIGNS])


@pytest.mark.parametrize("depth", [2, 8, 25])
def test_a_tree_of_branches(depth: int) -> None:
    right(lambda: {"depth": depth}, branch_tree, (1,), (7,), (64,))


@pytest.mark.parametrize("n", [0, 5])
def test_a_chain_of_closures(n: int) -> None:
    right(lambda: {"n": n}, closures, *[(list(signs),) for signs in SIGNS])


# --- huge ---


def count_of(values, x):
    return len(values), x in values


def total_of(values, x):
    total = x
    for value in values:
        total += value
    return total


def at(values, i):
    return values[i], values[-1], values[1:3]


def nested_ranges(n, x):
    total = 0
    for i in range(n):
        for j in range(n):
            total += i * j
    return total + x


def big_power(n, x):
    return (2**n) % 1000 + x if x < 0 else x


def big_list(n, x):
    return len([x] * n) if x is None else x


def big_text(n, x):
    return len("ab" * n) if x is None else x


def big_shift(n, x):
    return (1 << n).bit_length() if x is None else x


def big_format(n, x):
    return len(f"{1:{n}}") if x is None else x


@pytest.mark.parametrize("function", [count_of, total_of, at], ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", [list, tuple], ids=lambda k: k.__name__)
def test_a_huge_static_sequence(function: Any, kind: Any) -> None:
    values = kind(range(200_000))
    right(lambda: {"values": values}, function, (5,), (-1,))


def test_a_huge_static_dictionary() -> None:
    table = {str(number): number for number in range(100_000)}
    right(lambda: {"values": table}, count_of, ("77",), ("x",))


def test_a_long_static_loop() -> None:
    right(lambda: {"n": 700}, nested_ranges, (1,), (2.5,))


@pytest.mark.parametrize("function", [big_power, big_list, big_text, big_shift, big_format], ids=lambda f: f.__name__)
def test_a_fold_that_would_be_huge_is_left_alone(function: Any) -> None:
    residual = tried(function, n=1_300_000_000)
    assert residual is not None
    assert residual(5) == 5


# --- deep data ---


def nested(kind: str, depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if kind == "list" else (value,) if kind == "tuple" else {"k": value}
    return value


def depth_of(data, x):
    depth = 0
    while not isinstance(data, int):
        data = data["k"] if isinstance(data, dict) else data[0]
        depth += 1
    return depth, data + x


def pass_on(data, x):
    return x, data


def recursive_depth(data, x):
    if isinstance(data, int):
        return x
    return recursive_depth(data["k"] if isinstance(data, dict) else data[0], x)


@pytest.mark.parametrize("kind", ["list", "tuple", "dict"])
def test_data_nested_ten_thousand_deep(kind: str) -> None:
    data = nested(kind, 10_000)
    residual = tried(depth_of, data=data)
    if residual is not None:
        assert residual(4) == (10_000, 5)
    residual = tried(pass_on, data=data)
    if residual is not None:
        assert residual(4)[1] is data
    residual = tried(recursive_depth, data=data)
    if residual is not None:
        with pytest.raises(RecursionError):
            recursive_depth(data, 1)
        with contextlib.suppress(RecursionError):
            assert residual(1) == 1


def test_static_data_that_contains_itself() -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    table: dict[str, Any] = {}
    table["k"] = table
    residual = tried(pass_on, data=loop)
    assert residual is not None and residual(1)[1] is loop
    tried(depth_of, data=table)


def test_deeply_nested_source() -> None:
    space: dict[str, Any] = {}
    text = "def deep(a, b):\n" + "".join(f"{' ' * (i + 1)}if b > {i}:\n" for i in range(90)) + " " * 91 + "return a\n"
    linecache.cache["<deep>"] = (len(text), None, text.splitlines(True), "<deep>")
    exec(compile(text, "<deep>", "exec"), space)
    residual = tried(space["deep"], a=5)
    if residual is not None:
        assert residual(100) == 5 and residual(50) is None
