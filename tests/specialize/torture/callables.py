"""Functions that cannot be looked into: made by `exec` without source, written in C, wrapped, partial, generators.

    exec("def made(n, x): return n + x", space)        no source: the residual is the function with n bound

Invariant: each is compared with the plain call wherever a residual exists.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from typing import Any

from tests.specialize.torture.case import Case

__all__ = ["CASES"]

_space: dict[str, Any] = {}
exec("def sourceless(n, x):\n    return n * 10 + x\n", _space)
exec(compile("def claims(n, x):\n    return n - x\n", __file__, "exec"), _space)


def uses_eval(n: str, x: int) -> Any:
    return eval(n)


def uses_locals(n: int, x: int) -> Any:
    return sorted(locals().items())


def uses_exec(n: str, x: int) -> Any:
    space: dict[str, Any] = {"x": x}
    exec(n, space)
    return space["y"]


def calls_unknown(n: Any, x: int) -> Any:
    return n(x, 2)


def yields(n: int, x: int) -> Iterator[int]:
    for i in range(n):
        yield i + x


async def coroutine(n: int, x: int) -> int:
    return n + x


@functools.cache
def cached(n: int, x: int) -> int:
    return n + x


@functools.wraps(calls_unknown)
def wraps(n: Any, x: int) -> Any:
    return calls_unknown(n, x)


class Callable:
    def __call__(self, n: int, x: int) -> int:
        return n * x

    def method(self, n: int, x: int) -> int:
        return n - x


def star(n: int, *rest: int, x: int = 3, **more: int) -> Any:
    return n, rest, x, sorted(more.items())


def defaults(n: int = 3, x: Any = []) -> Any:  # noqa: B006
    x.append(n)
    return len(x)


def big_literal(n: int, x: int) -> int:
    return x + 0x123456789ABCDEF0123456789ABCDEF + n


def many_arguments(n: int, x: int) -> Any:
    return max(*range(n), x)


def _long_function(lines: int) -> Any:
    """A function of many lines whose source is on no disk and in no cache."""
    space: dict[str, Any] = {}
    body = "".join(f"    x += n * {i}\n" for i in range(lines))
    exec(f"def long(n, x):\n{body}    return x\n", space)
    return space["long"]


_X: list[tuple[Any, ...]] = [(1,), (4,)]

CASES = [
    Case("no source", _space["sourceless"], lambda: {"n": 2}, lambda: _X),
    Case("source of another", _space["claims"], lambda: {"n": 2}, lambda: _X),
    Case("eval", uses_eval, lambda: {"n": "x + 1"}, lambda: _X),
    Case("locals", uses_locals, lambda: {"n": 2}, lambda: _X),
    Case("exec", uses_exec, lambda: {"n": "y = x + 1"}, lambda: _X),
    Case("C function as target", operator.add, dict, lambda: [(1, 2)]),
    Case("class as target", complex, dict, lambda: [(1, 2)]),
    Case("C function inside", calls_unknown, lambda: {"n": divmod}, lambda: _X),
    Case("partial inside", calls_unknown, lambda: {"n": functools.partial(max, 3)}, lambda: _X),
    Case("method inside", calls_unknown, lambda: {"n": Callable().method}, lambda: _X),
    Case("callable instance inside", calls_unknown, lambda: {"n": Callable()}, lambda: _X),
    Case("sourceless inside", calls_unknown, lambda: {"n": _space["sourceless"]}, lambda: _X),
    Case("class inside", calls_unknown, lambda: {"n": complex}, lambda: _X),
    Case("generator", yields, lambda: {"n": 2}, lambda: _X),
    Case("coroutine function", coroutine, lambda: {"n": 2}),
    Case("cached", cached, lambda: {"n": 2}, lambda: _X),
    Case("wraps", wraps, lambda: {"n": divmod}, lambda: _X),
    Case("star", star, lambda: {"n": 2}, lambda: [(), (1, 2)]),
    Case("mutable default", defaults, lambda: {"n": 2}, lambda: [([],), ([1],)]),
    Case("big literal", big_literal, lambda: {"n": 10**30}, lambda: _X),
    Case("many arguments", many_arguments, lambda: {"n": 1000}, lambda: _X),
    Case("long function without source", _long_function(3000), lambda: {"n": 2}, lambda: _X),
    Case("unhashable static", calls_unknown, lambda: {"n": [].count}, lambda: [(1,)]),
]
