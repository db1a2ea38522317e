"""Loops that do not end, or end too late to be unrolled.

    def spin(n, x):                static n = 1
        while n:
            x += 1                 never ends; specializing must

Invariant: a case has inputs only if the program ends on them.
"""

from __future__ import annotations

from typing import Any

from tests.specialize.torture.case import Case

__all__ = ["CASES"]


def spin(n: int, x: int) -> int:
    while n:
        x += 1
    return x


def spin_counting(n: int, x: int) -> int:
    while n:
        n += 1
    return x


def spin_pass(n: int, x: int) -> int:
    while True:
        pass


def spin_alternating(n: int, x: int) -> int:
    while True:
        n = -n
        if n == 10:
            return x


def spin_growing_list(n: int, x: int) -> int:
    items = [n]
    while items:
        items.append(len(items))
    return x


def spin_growing_tuple(n: int, x: int) -> int:
    items: tuple[int, ...] = ()
    while len(items) >= 0:
        items = (*items, n)
    return x


def spin_growing_text(n: int, x: int) -> int:
    text = "a"
    while text:
        text += "b"
    return x


def spin_doubling_text(n: int, x: int) -> int:
    text = "ab"
    while text:
        text += text
    return x


def spin_doubling_list(n: int, x: int) -> int:
    items = [1]
    while items:
        items = items + items
    return x


def spin_squaring(n: int, x: int) -> int:
    while n:
        n = n * n
    return x


def spin_nesting(n: int, x: int) -> int:
    box: Any = None
    while n:
        box = (box,)
    return x


def spin_dict(n: int, x: int) -> int:
    table: dict[int, int] = {}
    while n:
        table[len(table)] = x
    return x


def spin_in_try(n: int, x: int) -> int:
    while n:
        try:
            raise ValueError(n)
        except ValueError:
            continue
    return x


def spin_in_finally(n: int, x: int) -> int:
    while n:
        try:
            x += 1
        finally:
            x -= 1
    return x


def spin_generator(n: int, x: int) -> int:
    def forever() -> Any:
        while n:
            yield n

    return sum(forever())


def spin_growing_for(n: int, x: int) -> int:
    items = [0]
    for item in items:
        items.append(item + n)
    return x


def spin_behind_dynamic(n: int, x: int) -> int:
    if x > 1000:
        while n:
            n += 1
    return x


def spin_dynamic_exit(n: int, x: int) -> int:
    while n:
        n += 1
        if x < n:
            return n
    return x


def long_count(n: int, x: int) -> int:
    i = 0
    while i < n:
        i += 1
    return x + i


def long_for(n: int, x: int) -> int:
    total = x
    for i in range(n):
        total ^= i
    return total


def nested_counts(n: int, x: int) -> int:
    for i in range(n):
        for j in range(n):
            for k in range(n):
                x += i ^ j ^ k
    return x


def collatz(n: int, x: int) -> int:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps + x


def until_dynamic(n: int, x: int) -> int:
    while x < n:
        x += 1
        n -= 1
    return n


def swap_walk(n: int, x: int) -> tuple[int, int]:
    a, b = 0, n
    while x > 0:
        a, b = b, a + 1
        x -= 1
    return a, b


def digits_walk(n: int, x: int) -> int:
    state = n
    while x > 0:
        state = (state * 1103515245 + 12345) % (1 << 31)
        x -= 1
    return state


def two_counters(n: int, x: int) -> int:
    a = b = 0
    while x > 0:
        if x % 2:
            a += 1
        else:
            b += 1
        x -= 1
    return a * 1000 + b


def set_walk(n: int, x: int) -> int:
    seen = set()
    while n not in seen:
        seen.add(n)
        n = (n * 7 + 3) % 100_003
    return x + len(seen)


_SMALL: list[tuple[Any, ...]] = [(0,), (3,), (7,)]
_ENDLESS = (
    spin, spin_counting, spin_pass, spin_alternating, spin_growing_list, spin_growing_tuple, spin_growing_text,
    spin_doubling_text, spin_doubling_list, spin_squaring, spin_nesting, spin_dict, spin_in_try, spin_in_finally,
    spin_generator, spin_growing_for,
)  # fmt: skip
_ENDING = (
    (spin_behind_dynamic, 1), (spin_dynamic_exit, 1), (long_count, 100_000), (long_count, 1_000_000),
    (long_for, 200_000), (nested_counts, 40), (collatz, 837_799), (until_dynamic, 10), (swap_walk, 5),
    (digits_walk, 1), (two_counters, 0), (set_walk, 5), (long_for, 10**3),
)  # fmt: skip


def _ending(function: Any, n: int) -> Case:
    return Case(f"{function.__name__} {n}", function, lambda: {"n": n}, lambda: _SMALL)


CASES = [Case(function.__name__, function, lambda: {"n": 2}) for function in _ENDLESS]
CASES += [_ending(function, n) for function, n in _ENDING]
CASES.append(Case("everything static and endless", spin, lambda: {"n": 1, "x": 1}))
CASES.append(Case("nothing static", two_counters, dict, lambda: [(0, 5), (1, 0)]))
