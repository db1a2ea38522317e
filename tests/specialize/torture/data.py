"""Static data that is huge, deep, cyclic or of a subclass; folds whose result would fill the memory.

    def first(n, x): return n[0] + x        static n = [1] * 1_000_000

Invariant: no case needs more than a few megabytes when it runs unspecialized.
"""

from __future__ import annotations

from typing import Any

from tests.specialize.torture.case import EFFECTS, Case

__all__ = ["CASES"]


def first(n: Any, x: int) -> Any:
    return n[0] + x


def total(n: Any, x: int) -> Any:
    result = x
    for item in n:
        result += item
    return result


def find(n: Any, x: int) -> int:
    for index, item in enumerate(n):
        if item == x:
            return index
    return -1


def lookup(n: Any, x: int) -> Any:
    return n.get(x, len(n))


def copied(n: Any, x: int) -> Any:
    made = list(n)
    made.append(x)
    return len(made)


def descend(n: Any, x: int) -> int:
    depth = 0
    while n:
        n = n[0]
        depth += 1
    return depth + x


def same_as(n: Any, x: Any) -> bool:
    return n is x


def equal(n: Any, x: int) -> bool:
    return [n] == [x]


def huge_power(n: int, x: int) -> int:
    if x:
        return x
    return n ** (10**9)


def huge_shift(n: int, x: int) -> int:
    return x or n << 10**10


def huge_list(n: int, x: int) -> Any:
    return x or [0] * (n * 10**9)


def huge_text(n: str, x: int) -> Any:
    return x or n * 10**10


def huge_bytes(n: int, x: int) -> Any:
    return x or bytes(n)


def huge_format(n: int, x: int) -> Any:
    return x or f"{n:>1000000000}"


def huge_percent(n: int, x: int) -> Any:
    return x or "%*d" % (10**9, n)  # noqa: UP031


def huge_range(n: int, x: int) -> Any:
    return x or list(range(n))


def huge_sum(n: int, x: int) -> Any:
    return x or sum(range(n))


def huge_pow_chain(n: int, x: int) -> Any:
    return x or n**n**n


def huge_digits(n: int, x: int) -> Any:
    return x or len(str(n**100_000))


def huge_factorial(n: int, x: int) -> Any:
    result = 1
    for i in range(1, n):
        result *= i
    return x or result


def huge_join(n: str, x: int) -> Any:
    return x or n.join(["a"] * 1000).zfill(10**9)


def huge_center(n: str, x: int) -> Any:
    return x or n.center(10**10)


class OddInt(int):
    def __add__(self, other: Any) -> Any:
        EFFECTS.append("OddInt.__add__")
        return 42


class OddList(list):  # type: ignore[type-arg]
    def __getitem__(self, index: Any) -> Any:
        EFFECTS.append("OddList.__getitem__")
        return 7

    def __iter__(self) -> Any:
        EFFECTS.append("OddList.__iter__")
        return iter((1, 2))

    def __len__(self) -> int:
        EFFECTS.append("OddList.__len__")
        return 99


class OddDict(dict):  # type: ignore[type-arg]
    def get(self, key: Any, default: Any = None) -> Any:
        EFFECTS.append("OddDict.get")
        return "odd"

    def __missing__(self, key: Any) -> Any:
        EFFECTS.append("OddDict.__missing__")
        return "missing"


class OddStr(str):
    def __eq__(self, other: object) -> bool:
        EFFECTS.append("OddStr.__eq__")
        return True

    __hash__ = str.__hash__


def item_of(n: Any, x: Any) -> Any:
    return n[x]


def deep(levels: int, kind: str = "list") -> Any:
    value: Any = []
    for _ in range(levels):
        value = [value] if kind == "list" else (value,) if kind == "tuple" else {0: value}
    return value


def doubled(times: int, kind: type = tuple) -> Any:
    """Each level holds the next one twice: few objects of very many parts."""
    value: Any = ()
    for _ in range(times):
        value = (kind([value]), kind([value])) if kind is frozenset else kind([value, value])
    return value


def halves(n: Any, x: int) -> Any:
    pair = (n, x)
    return pair[0] is n, n[0] is n[1], len(pair)


def twice_equal(n: Any, x: int) -> Any:
    return n[0] == n[1], x


def cyclic_list() -> Any:
    value: list[Any] = [1]
    value.append(value)
    return value


def walk_cycle(n: Any, x: int) -> int:
    count = 0
    while isinstance(n, list) and count < 50:
        n = n[-1]
        count += 1
    return count + x


_X: list[tuple[Any, ...]] = [(0,), (3,)]
_GO: list[tuple[Any, ...]] = [(1,), (3,)]
_HUGE: tuple[tuple[Any, Any], ...] = (
    (huge_power, 2), (huge_shift, 1), (huge_list, 5), (huge_text, "ab"), (huge_bytes, 10**10), (huge_format, 1),
    (huge_percent, 1), (huge_range, 10**10), (huge_sum, 10**9), (huge_pow_chain, 9), (huge_digits, 7),
    (huge_factorial, 3000), (huge_join, ","), (huge_center, "c"),
)  # fmt: skip


def _case(function: Any, n: Any) -> Case:
    return Case(function.__name__, function, lambda: {"n": n}, lambda: _GO)


CASES = [_case(function, n) for function, n in _HUGE]
CASES += [
    Case("list of a million, first", first, lambda: {"n": [1] * 1_000_000}, lambda: _X),
    Case("list of 100,000, total", total, lambda: {"n": list(range(100_000))}, lambda: _X),
    Case("tuple of 30,000, total", total, lambda: {"n": tuple(range(30_000))}, lambda: _X),
    Case("range of a billion, first", first, lambda: {"n": range(10**9)}, lambda: _X),
    Case("list of 20,000, find", find, lambda: {"n": list(range(20_000))}, lambda: [(5,), (-1,)]),
    Case("dict of 200,000", lookup, lambda: {"n": {i: i for i in range(200_000)}}, lambda: _X),
    Case("copy of 500,000", copied, lambda: {"n": [0] * 500_000}, lambda: _X),
    Case("deep list", descend, lambda: {"n": deep(10_000)}, lambda: _X),
    Case("deep tuple", descend, lambda: {"n": deep(10_000, "tuple")}, lambda: _X),
    Case("deep dict", descend, lambda: {"n": deep(10_000, "dict")}, lambda: _X),
    Case("deep tuple by identity", same_as, lambda: {"n": deep(10_000, "tuple")}, lambda: _X),
    Case("deep list compared", equal, lambda: {"n": deep(10_000)}, lambda: _X),
    Case("doubled tuple", descend, lambda: {"n": doubled(50)}, lambda: _X),
    Case("doubled tuple by identity", halves, lambda: {"n": doubled(50)}, lambda: _X),
    Case("doubled list", descend, lambda: {"n": doubled(50, list)}, lambda: _X),
    Case("doubled lists compared", twice_equal, lambda: {"n": (doubled(18, list), doubled(18, list))}, lambda: _X),
    Case("doubled sets", halves, lambda: {"n": doubled(18, frozenset)}, lambda: _X),
    Case("cyclic list", walk_cycle, lambda: {"n": cyclic_list()}, lambda: _X),
    Case("subclass of int", first, lambda: {"n": [OddInt(1)]}, lambda: _X),
    Case("subclass of list, item", first, lambda: {"n": OddList([1, 2])}, lambda: _X),
    Case("subclass of list, iteration", total, lambda: {"n": OddList([1, 2])}, lambda: _X),
    Case("subclass of list, copied", copied, lambda: {"n": OddList([1, 2])}, lambda: _X),
    Case("subclass of dict, get", lookup, lambda: {"n": OddDict()}, lambda: _X),
    Case("subclass of dict, missing", item_of, lambda: {"n": OddDict({1: 2})}, lambda: [(1,), (2,)]),
    Case("subclass of str", find, lambda: {"n": [OddStr("a")]}, lambda: [("b",), (1,)]),
    Case("subclass of str as key", item_of, lambda: {"n": {OddStr("a"): 1}}, lambda: [("a",), ("b",)]),
]
