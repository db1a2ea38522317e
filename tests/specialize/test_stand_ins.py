"""Iterators of the standard library and lists from their end: each with each way to use it gives what it gave before.

    it = takewhile(lambda v: v < 3, xs)      xs: items that are known, some that are open, or an open list
    try: next(it) ...                        items taken one by one, behind errors, behind the end
    xs.append(2); list(it)                   the source changed meanwhile
"""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome

MAKERS = (
    "chain(xs, (n, 2))", "chain(xs)", "chain(ys, xs, ys)", "chain.from_iterable([xs, (n,), ys])",
    "chain.from_iterable(zip(xs, ys))", "starmap(pow, [(2, n), (n, 2)])", "starmap(lambda a, b: a - b, zip(xs, ys))",
    "takewhile(lambda v: v != n, xs)", "dropwhile(lambda v: v != n, xs)", "filterfalse(lambda v: v % 2, xs)",
    "accumulate(xs)", "accumulate(xs, lambda a, b: a * b + n)", "accumulate((1, n, 3), func=max)", "pairwise(xs)",
    "pairwise((n, 1, 2))", "compress(xs, (1, 0, n))", "compress('abcd', ys)", "islice(xs, 2)", "islice(xs, 1, 5, 2)",
    "islice(xs, n, None)", "islice(it0, 3, n)", "islice(it0, n, n)", "starmap(max, xs)",
    "starmap(lambda *q: q, [(n, 1), [2, x], 'ab', range(n), 5])",
    "islice(count(n), 3)", "islice(cycle((n, 1)), 5)", "islice(repeat(n), 2)",
    "zip_longest(xs, (1, n))", "zip_longest((1, n), ys, fillvalue=n)", "zip(count(), xs)", "zip(xs, cycle('ab'))",
    "zip(xs, repeat(n))", "map(lambda a, b: a * 10 + b, xs, ys)", "map(divmod, xs, (n, 3, 2))", "map(str, xs)",
    "map(lambda v: 6 // v, xs)", "filter(lambda v: 6 // v, xs)", "reversed(xs)", "enumerate(reversed(xs), n)",
    "map(lambda v: v + n, reversed(xs))", "takewhile(bool, reversed(xs))", "chain(reversed(xs), reversed(ys))",
)  # fmt: skip
USES = (
    "return list(it)",
    "return [*it, n], tuple(it)",
    "return sum(1 for _ in it), next(it, 'end')",
    "out = []\n    for v in it:\n        out.append(v)\n        if len(out) == n: break\n    return out, list(it)",
    "xs.append(7)\n    return list(it)",
    "first = next(it, None)\n    xs.clear()\n    return first, list(it), list(it)",
    "out = []\n    for _ in range(5):\n        try: out.append(next(it))\n"
    "        except ZeroDivisionError: out.append('z')\n        except StopIteration: out.append('e')\n    return out",
    "out = [next(it, 'end')]\n    xs.append(n)\n    out += [next(it, 'end') for _ in range(6)]\n    return out",
    "return call(it)",
    "next(it, None)\n    return call(it)",
    "a, *b = it\n    return a, b",
    "return str(type(it)), hasattr(it, 'send'), iter(it) is it",
    "return (n in it), list(it)",
    "def gen():\n        yield from it\n        yield n\n    return list(gen())",
    "total = 0\n    for v in it:\n        if v == x: continue\n        total = (total, v)\n    return total",
    "return dict(enumerate(it)), x",
    "return list(it), list(it0)",
)
SOURCES = ("[x, 0, n, 4]", "[1, 2, n, 0]", "[]", "call([n, x, 3])", "(x, n, 5)")


def _function(maker: str, source: str, use: str) -> Any:
    text = (
        "from itertools import *\ndef f(n, x, ys, call):\n"
        f"    xs = {source}\n    it0 = iter(xs)\n    it = {maker}\n    {use}\n"
    )
    if source.startswith("("):
        text = text.replace("xs.append(7)", "pass").replace("xs.clear()", "pass").replace("xs.append(n)", "pass")
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"__name__": "stand_ins"}
    exec(compile(text, name, "exec"), space)
    return space["f"]


def _call(value: Any) -> list[Any]:
    return list(value)


@pytest.mark.parametrize("maker", MAKERS)
def test_like_the_original(maker: str) -> None:
    """Sources in turn, so that each maker meets each use, and each use each source, somewhere."""
    folded = 0
    for number, use in enumerate(USES):
        source = SOURCES[(MAKERS.index(maker) + number) % len(SOURCES)]
        function = _function(maker, source, use)
        for n in (0, 2):
            residual = futamura.specialize(function, n=n)
            assert not residual.stats["fallbacks"].keys() - {"FT301"}, residual.events
            folded += residual.stats["folded"]
            for x, ys in ((1, [2, 0, 5]), (0, []), (4, [1])):
                expected = outcome(function, n, x, list(ys), _call)
                assert outcome(residual, x, list(ys), _call) == expected, (source, use, n, x, ys, residual.source)
    assert folded


@pytest.mark.parametrize(
    ("maker", "use"),
    [
        ("chain(xs, (n, 2))", "return [v for v in it if v != n]"),
        ("accumulate((1, n, 3))", "return list(it)"),
        ("zip_longest((1, n, 3), (n,), fillvalue=0)", "return list(it)"),
        ("pairwise((n, 1, 2))", "return [a - b for a, b in it]"),
        ("reversed(xs)", "return [v * 2 for v in it]"),
        ("count(n)", "return next(it), next(it), next(it)"),
        ("cycle((n, 5))", "return next(it), next(it), next(it)"),
        ("chain.from_iterable([xs, (n,)])", "return list(it)"),
        ("takewhile(lambda v: v < 3, (1, n, 5))", "return list(it)"),
    ],
)
def test_nothing_of_it_is_left(maker: str, use: str) -> None:
    function = _function(maker, "[1, n, 3]", use)
    residual = futamura.specialize(function, n=2)
    assert residual.source.count("\n") == 2 and "call" not in residual.source.split(":", 1)[1], residual.source
    assert residual(1, [], _call) == function(2, 1, [], _call)


class Scopes:
    """Variables in nested blocks, as an interpreter keeps them."""

    def __init__(self) -> None:
        self.scopes: list[dict[str, Any]] = [{}]

    def get(self, name: str) -> Any:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        raise NameError(name)

    def put(self, name: str, value: Any) -> None:
        for scope in reversed(self.scopes):
            if name in scope.keys():  # noqa: SIM118
                scope[name] = value
                return
        self.scopes[-1].update(**{name: value})

    def value(self, tree: Any) -> Any:
        if isinstance(tree, int):
            return tree
        if isinstance(tree, str):
            return self.get(tree)
        left, right = self.value(tree[1]), self.value(tree[2])
        return left + right if tree[0] == "+" else left * right if tree[0] == "*" else left < right

    def run(self, statements: Any) -> None:
        for kind, *parts in statements:
            if kind == "put":
                self.put(parts[0], self.value(parts[1]))
            elif kind == "block":
                self.scopes.append({})
                self.run(parts[0])
                self.scopes.pop()
            else:
                while self.value(parts[0]):
                    self.run(parts[1])


SUM = [
    ("put", "s", 0), ("put", "i", 0),
    ("while", ("<", "i", "n"), [
        ("block", [("put", "t", ("*", "i", "i")), ("put", "s", ("+", "s", "t"))]), ("put", "i", ("+", "i", 1)),
    ]),
]  # fmt: skip


def interpret(program: Any, n: int) -> Any:
    scopes = Scopes()
    scopes.put("n", n)
    scopes.run(program)
    return scopes.get("s")


def test_a_stack_of_scopes_becomes_variables() -> None:
    residual = futamura.specialize(interpret, program=SUM)
    assert not residual.stats["fallbacks"]
    assert [residual(n) for n in range(6)] == [interpret(SUM, n) for n in range(6)]
    for gone in ("reversed", "'s'", "append", "{}", "NameError"):
        assert gone not in residual.source, residual.source
