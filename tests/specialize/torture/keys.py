"""Keys that explode: many static variables under dynamic branches, products of states.

    if x & 1: a += 1
    if x & 2: b += 1     ...     2 ** n combinations of known values

Invariant: every case ends when it runs, and is compared.
"""

from __future__ import annotations

from typing import Any

from tests.specialize.torture.case import Case

__all__ = ["CASES"]


def flags(n: int, x: int) -> tuple[int, ...]:
    a = b = c = d = e = f = g = h = n
    if x & 1:
        a += 1
    if x & 2:
        b += 1
    if x & 4:
        c += 1
    if x & 8:
        d += 1
    if x & 16:
        e += 1
    if x & 32:
        f += 1
    if x & 64:
        g += 1
    if x & 128:
        h += 1
    return a, b, c, d, e, f, g, h


def flag_loop(n: int, x: int) -> int:
    state = 0
    for i in range(n):
        if x & (1 << i):
            state |= 1 << i
    return state


def bits(n: int, x: int) -> list[bool]:
    found = [False] * n
    for i in range(n):
        if x >> i & 1:
            found[i] = True
    return found


def product(n: int, x: int) -> tuple[int, int, int]:
    i = j = k = 0
    while x > 0:
        if x % 2:
            i = (i + 1) % n
        elif x % 3:
            j = (j + 1) % n
        else:
            k = (k + 1) % n
        x -= 1
    return i, j, k


def permute(n: int, x: int) -> list[int]:
    items = list(range(n))
    while x > 0:
        i = x % n
        items[0], items[i] = items[i], items[0]
        x -= 1
    return items


def automaton(n: int, x: int) -> int:
    state = 0
    while x > 0:
        state = (state * 2 + x % 2) % n
        x //= 2
    return state


def text_states(n: str, x: int) -> str:
    state = n
    while x > 0:
        state = (state + "ab"[x % 2])[-6:]
        x //= 2
    return state


def queue_states(n: int, x: int) -> list[int]:
    queue = [n]
    while x > 0:
        if x % 3 == 0 and len(queue) > 1:
            queue.pop(0)
        else:
            queue.append(x % 2)
        x -= 1
    return queue


def dict_states(n: int, x: int) -> dict[Any, int]:
    table: dict[Any, int] = {}
    while x > 0:
        table[x % 5 if x % 2 else "k"] = len(table)
        x -= 1
    return table


def many_variables(n: int, x: int) -> int:
    v0 = v1 = v2 = v3 = v4 = v5 = n
    while x > 0:
        v0, v1, v2, v3, v4, v5 = v1, v2, v3, v4, v5, v0 + 1
        if x % 2:
            v0, v3 = v3, v0
        x -= 1
    return v0 * 100_000 + v1 * 10_000 + v2 * 1000 + v3 * 100 + v4 * 10 + v5


def nested_branches(n: int, x: int) -> int:
    total = n
    for bit in range(14):
        if x & 1:
            total = total * 2
        else:
            total = total + bit
        if total % 3 == 0:
            total += x & 2
        x >>= 1
    return total


def stack_machine(n: list[str], x: int) -> list[int]:
    stack: list[int] = []
    pc = 0
    while x > 0:
        op = n[pc % len(n)]
        if op == "push":
            stack.append(pc)
        elif op == "pop" and stack:
            pc = stack.pop()
        elif x % 2:
            pc += 2
        pc += 1
        x -= 1
    return stack


def exceptions_as_states(n: int, x: int) -> int:
    state = n
    while x > 0:
        try:
            if x % 2:
                raise KeyError(state)
            state += 1
        except KeyError as error:
            state = error.args[0] * 2 % 1009
        x -= 1
    return state


def closures_as_states(n: int, x: int) -> int:
    def step(k: int) -> int:
        return k + n

    handlers = [step, lambda k: k * 2, abs]
    value = n
    while x > 0:
        value = handlers[x % 3](value) % 97
        x -= 1
    return value


def merge_types(n: int, x: int) -> Any:
    value: Any = n
    while x > 0:
        value = (value,) if x % 3 == 0 else [value] if x % 3 == 1 else x
        x -= 1
    return value


_SMALL: list[tuple[Any, ...]] = [(0,), (1,), (5,), (37,), (219,)]

CASES = [
    Case("flags", flags, lambda: {"n": 0}, lambda: _SMALL),
    Case("flag_loop 8", flag_loop, lambda: {"n": 8}, lambda: _SMALL),
    Case("flag_loop 64", flag_loop, lambda: {"n": 64}, lambda: _SMALL),
    Case("bits 10", bits, lambda: {"n": 10}, lambda: _SMALL),
    Case("bits 40", bits, lambda: {"n": 40}, lambda: _SMALL),
    Case("product 7", product, lambda: {"n": 7}, lambda: _SMALL),
    Case("product 100", product, lambda: {"n": 100}, lambda: _SMALL),
    Case("permute 5", permute, lambda: {"n": 5}, lambda: _SMALL),
    Case("permute 9", permute, lambda: {"n": 9}, lambda: _SMALL),
    Case("automaton 5", automaton, lambda: {"n": 5}, lambda: _SMALL),
    Case("automaton 5000", automaton, lambda: {"n": 5000}, lambda: _SMALL),
    Case("text_states", text_states, lambda: {"n": ""}, lambda: _SMALL),
    Case("queue_states", queue_states, lambda: {"n": 0}, lambda: _SMALL),
    Case("dict_states", dict_states, lambda: {"n": 0}, lambda: _SMALL),
    Case("many_variables", many_variables, lambda: {"n": 0}, lambda: _SMALL),
    Case("nested_branches", nested_branches, lambda: {"n": 1}, lambda: _SMALL),
    Case("stack_machine", stack_machine, lambda: {"n": ["push", "add", "pop", "push", "add"]}, lambda: _SMALL),
    Case("exceptions_as_states", exceptions_as_states, lambda: {"n": 3}, lambda: _SMALL),
    Case("closures_as_states", closures_as_states, lambda: {"n": 3}, lambda: _SMALL),
    Case("merge_types", merge_types, lambda: {"n": 3}, lambda: _SMALL),
]
