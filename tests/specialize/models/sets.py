"""Programs over sets: some sets are known, some elements are not."""

from __future__ import annotations

from ..table import Case, Subject
from .hostile import values


def visited(edges, start, x):
    seen = set()
    order = []
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        order.append((node, x))
        waiting.extend(edges[node])
    return order, len(seen), "z" in seen


def algebra(a, b, x):
    left, right = set(a), set(b)
    both = left & right
    either = left | right
    only = left - right
    apart = left ^ right
    return (
        len(both), sorted(either), 1 in only, len(apart), left <= either, both >= left, left == right, left != right,
        left.isdisjoint(right), left.issubset(either), bool(both), not only, left < either, either > right, x,
    )  # fmt: skip


def changing(items, x):
    found = {*items}
    small = {"a", "b"}
    small.discard("a")
    small.discard("q")
    small.update(["c", "d"], {"e"})
    small |= {"f"}
    before = sorted(small)
    try:
        small.remove("nothing")
    except KeyError as error:
        before.append(error.args)
    small.clear()
    return found, before, small, x in small


def escaping(n, x):
    shown = {n, 3, 1}
    grown = set()
    for i in (8, 0, 16, 24, n, 40, 48):
        grown.add(i)
    shown.add(x)
    return shown, list(grown), x in {1, "a", None}, [*{n, 9, 17, 1, 25, 33}]


def removed(n, x):
    left = {8, 16, n, 32, 24, 0}
    left.discard(8)
    left.add(8)
    return list(left), x


def keys(n, x):
    mixed = {n}
    mixed.add(True)
    mixed.add(1.0)
    return mixed, 1 in mixed, 0.0 in mixed, x in mixed, mixed == {x}


def unhashable(key, x):
    try:
        return [] in {key}
    except TypeError as error:
        return str(error), x


def comprehension(words, x):
    lengths = {len(word) for word in words}
    return sorted(lengths), 2 in lengths, x in lengths


EDGES = {"a": ["b", "c"], "b": ["a"], "c": ["b", "d"], "d": []}

SUBJECTS = [
    Subject(
        "visited",
        [Case(s, lambda s=s: (visited, {"edges": {**EDGES}, "start": s})) for s in "abd"],
        values(1),
        gone=("seen", "edges", "node", "add", "waiting"),
    ),
    Subject(
        "algebra",
        [
            Case("ints", lambda: (algebra, {"a": (1, 2, 3), "b": [3, 4]})),
            Case("empty", lambda: (algebra, {"a": (), "b": [3, 4]})),
            Case("same", lambda: (algebra, {"a": [5, 6], "b": (6, 5)})),
            Case("bool", lambda: (algebra, {"a": [1, 2], "b": (True, 2.0)}), gone=()),
        ],
        values(1),
    ),
    Subject("changing", [Case("some", lambda: (changing, {"items": ["x", "y"]}))], values(1)),
    Subject("escaping", [Case(str(n), lambda n=n: (escaping, {"n": n})) for n in (1, 5, True, 2.0)], values(1)),
    Subject("removed", [Case(str(n), lambda n=n: (removed, {"n": n})) for n in (8, 40)], values(1)),
    Subject("keys", [Case(repr(n), lambda n=n: (keys, {"n": n})) for n in (1, 0, 1.0, True)], values(1)),
    Subject("unhashable", [Case("text", lambda: (unhashable, {"key": "a"}))], values(1)),
    Subject(
        "comprehension", [Case("words", lambda: (comprehension, {"words": ["a", "bc", "de"]}))], values(1), ("words",)
    ),
]
