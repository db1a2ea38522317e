"""Recursion without end, deep recursion, recursion that branches.

    def down(n, x):                static n = 1
        return down(n + 1, x)      RecursionError at run time; specializing must end

Invariant: where the program raises `RecursionError`, only its type is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.specialize.torture.case import Case

__all__ = ["CASES"]


def down(n: int, x: int) -> int:
    return down(n + 1, x)


def down_same(n: int, x: int) -> int:
    return 1 + down_same(n, x)


def down_list(n: list[int], x: int) -> int:
    return down_list([*n, 1], x)


def ping(n: int, x: int) -> int:
    return pong(n + 1, x)


def pong(n: int, x: int) -> int:
    return ping(n + 1, x)


def caught(n: int, x: int) -> str:
    try:
        down(n, x)
    except RecursionError:
        return "caught"
    return "no"


def growing_closure(n: int, x: int) -> int:
    def again(f: Callable[[int], int], k: int) -> int:
        return again(lambda q: f(q) + k, k + 1)

    return again(lambda q: q, n)


def tree(n: int, x: int) -> int:
    return x if n == 0 else tree(n - 1, x) + tree(n - 1, x + 1)


def fib(n: int, x: int) -> int:
    return x if n < 2 else fib(n - 1, x) + fib(n - 2, x)


def ackermann(n: int, x: int) -> int:
    if n == 0:
        return x + 1
    if x == 0:
        return ackermann(n - 1, 1)
    return ackermann(n - 1, ackermann(n, x - 1))


def countdown(n: int, x: int) -> int:
    return x if n == 0 else countdown(n - 1, x + 1)


def dynamic_down(n: int, x: int) -> int:
    return n if x <= 0 else dynamic_down(n + 1, x - 1)


def dynamic_list(n: list[int], x: int) -> list[int]:
    return n if x <= 0 else dynamic_list([*n, len(n)], x - 1)


def dynamic_two(n: int, x: int) -> int:
    return n if x <= 0 else dynamic_two(n * 2, x - 1) + dynamic_two(n * 3, x - 2)


def mutual_even(n: int, x: int) -> bool:
    return True if x <= 0 else mutual_odd(n + 1, x - 1)


def mutual_odd(n: int, x: int) -> bool:
    return False if x <= 0 else mutual_even(n - 1, x - 1)


def accumulate(n: Any, x: int) -> Any:
    return n if x <= 0 else accumulate((n, x), x - 1)


def mccarthy(n: int, x: int) -> int:
    return n + x - 10 if n > 100 else mccarthy(mccarthy(n + 11, x), x)


def tak(n: int, x: int, y: int = 6, z: int = 3) -> int:
    if n <= y:
        return z + x
    return tak(tak(n - 1, x, y, z), x, tak(y - 1, x, z, n), tak(z - 1, x, n, y))


def through_getattr(n: int, x: int) -> int:
    return globals_table["again"](n + 1, x) if x > 0 else n


def again(n: int, x: int) -> int:
    return through_getattr(n, x - 1)


globals_table = {"again": again}


class Node:
    def __init__(self, child: Any) -> None:
        self.child = child

    def depth(self, x: int) -> int:
        return x if self.child is None else self.child.depth(x) + 1


def cyclic(n: Node, x: int) -> int:
    return n.depth(x)


def _cycle() -> dict[str, Any]:
    node = Node(None)
    node.child = node
    return {"n": node}


def grow_shown(n: str, x: int) -> str:
    return n if x <= 0 else grow_shown(repr(n), x - 1)


def grow_replaced(n: str, x: int) -> str:
    return n if x <= 0 else grow_replaced(n.replace("a", "aaa"), x - 1)


def grow_joined(n: str, x: int) -> str:
    return n if x <= 0 else grow_joined(n.join(["a", "b", n]), x - 1)


def grow_paired(n: str, x: int) -> str:
    return n if x <= 0 else grow_paired(str((n, n)), x - 1)


def grow_in_base(n: str, x: int) -> str:
    return n if x <= 0 else grow_in_base(n.encode().hex(), x - 1)


def grow_formatted(n: str, x: int) -> str:
    return n if x <= 0 else grow_formatted("{0}{0!r}".format(n), x - 1)  # noqa: UP032


def grow_translated(n: str, x: int) -> str:
    return n if x <= 0 else grow_translated(n.translate({97: "aaa"}), x - 1)


def grow_filled(n: str, x: int) -> str:
    return n if x <= 0 else grow_filled("%s%s" % (n, n), x - 1)  # noqa: UP031


_GROWING = (
    grow_shown, grow_replaced, grow_joined, grow_paired, grow_in_base, grow_formatted, grow_translated, grow_filled,
)  # fmt: skip


def _chain() -> dict[str, Any]:
    node = None
    for _ in range(300):
        node = Node(node)
    return {"n": node}


_SMALL: list[tuple[Any, ...]] = [(0,), (2,), (5,)]

CASES = [
    Case("down", down, lambda: {"n": 1}, lambda: [(1,)]),
    Case("down_same", down_same, lambda: {"n": 1}, lambda: [(1,)]),
    Case("down_list", down_list, lambda: {"n": []}),
    Case("ping pong", ping, lambda: {"n": 1}, lambda: [(1,)]),
    Case("caught", caught, lambda: {"n": 1}, lambda: [(1,)]),
    Case("growing closure", growing_closure, lambda: {"n": 1}),
    Case("tree 6", tree, lambda: {"n": 6}, lambda: _SMALL),
    Case("tree 16", tree, lambda: {"n": 16}, lambda: [(2,)]),
    Case("fib 22", fib, lambda: {"n": 22}, lambda: [(1,)]),
    Case("ackermann 2", ackermann, lambda: {"n": 2}, lambda: _SMALL),
    Case("ackermann 3 3", ackermann, lambda: {"n": 3, "x": 3}, lambda: [()]),
    Case("countdown 500", countdown, lambda: {"n": 500}, lambda: _SMALL),
    Case("countdown 5000", countdown, lambda: {"n": 5000}, lambda: [(1,)]),
    Case("countdown below zero", countdown, lambda: {"n": -1}, lambda: [(1,)]),
    Case("dynamic_down", dynamic_down, lambda: {"n": 0}, lambda: _SMALL),
    Case("dynamic_list", dynamic_list, lambda: {"n": []}, lambda: _SMALL),
    Case("dynamic_two", dynamic_two, lambda: {"n": 1}, lambda: _SMALL),
    Case("mutual", mutual_even, lambda: {"n": 0}, lambda: _SMALL),
    Case("accumulate", accumulate, lambda: {"n": None}, lambda: _SMALL),
    Case("mccarthy", mccarthy, lambda: {"n": 80}, lambda: [(0,)]),
    Case("tak", tak, lambda: {"n": 9}, lambda: [(1,)]),
    Case("through a table", through_getattr, lambda: {"n": 1}, lambda: _SMALL),
    Case("cyclic object", cyclic, _cycle, lambda: [(1,)]),
    Case("chain of objects", cyclic, _chain, lambda: [(1,)]),
    *(Case(function.__name__, function, lambda: {"n": "a'b"}, lambda: _SMALL) for function in _GROWING),
]
