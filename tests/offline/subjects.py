"""Functions to be specialized offline, each with the feature that its name says."""

from __future__ import annotations

from typing import Any

PUSH, MULTIPLY, LESS, LEAVE, BACK = range(5)
FACTORIAL = ((PUSH, 1), (MULTIPLY, 0), (LESS, 1), (LEAVE, 5), (BACK, 1), (LEAVE, 5))
HEARD: list[object] = []


def power(x: Any, n: Any) -> Any:
    result = 1
    while n:
        if n % 2:
            result = result * x
        x = x * x
        n = n // 2
    return result


def search(key: Any, keys: Any, values: Any) -> Any:
    return find(key, keys, values)


def find(key: Any, keys: Any, values: Any) -> Any:
    if key == keys[0]:
        return values[0]
    return find(key, keys[1:], values[1:])


def factorial(n: Any, k: Any) -> Any:
    if n == 0:
        return k
    return n * factorial(n - 1, k)


def even_odd(items: Any, length: Any) -> Any:
    return alternate(items, length, 0, 0)


def alternate(items: Any, length: Any, index: Any, total: Any) -> Any:
    if index == length:
        return total
    return alternate(items, length, index + 1, total + items[index] if items[index] % 2 == 0 else total - items[index])


def counting(d: Any) -> Any:
    return counted(0, d)


def counted(n: Any, d: Any) -> Any:
    if d == 0:
        return n
    return counted(n + 1, d - 1)


def machine(code: Any, x: Any) -> Any:
    """Multiplies x, x - 1, ... 1."""
    pc = 0
    total = 0
    while True:
        op, argument = code[pc]
        pc = pc + 1
        if op == PUSH:
            total = argument
        elif op == MULTIPLY:
            total = total * x
        elif op == LESS:
            x = x - argument
        elif op == BACK:
            if x > 0:
                pc = argument
        elif op == LEAVE:
            if x <= 0:
                return total
        else:
            raise ValueError(op)


def dot(xs: Any, ys: Any) -> Any:
    total = 0
    for at in range(len(xs)):
        total = total + xs[at] * ys[at]
    return total


def guarded(names: Any, table: Any) -> Any:
    found = []
    for name in names:
        try:
            found.append(table[name])
        except KeyError:
            found.append(None)
    return found


def appending(items: Any, item: Any) -> Any:
    items.append(item)
    return items


class Loud:
    """Tells when it is compared."""

    def __eq__(self, other: object) -> bool:
        HEARD.append(other)
        return True

    __hash__ = None  # type: ignore[assignment]


def compared(value: Any, other: Any) -> Any:
    return value == other


def sharing(rounds: Any, n: Any) -> Any:
    """Each execution of the comprehension has a variable of its own, which its functions share."""
    made = []
    for _ in rounds:
        made.append([lambda: q for q in range(n)])  # noqa: B023
    return [[function() for function in row] for row in made]


def protected_call(items: Any, n: Any) -> Any:
    """A call in a protected block, of a function with nested handlers, whose body may be put in place of the call."""
    try:
        return nested_handlers(items, n)
    except KeyError:
        return -2


def nested_handlers(items: Any, n: Any) -> Any:
    try:
        try:
            n = n + 1
        except TypeError:
            n = len(n)
        n = items[n]
    except IndexError:
        n = -1
    return n


def keywords_of_its_own(x, **names):
    names["n"] = names.get("n", 0) + x
    return names
