"""Programs over iterators: pairs of known and unknown iterables, counters, ends and errors in between."""

from __future__ import annotations

from ..table import Case, Subject
from .hostile import iterables


def pairs(names, items):
    found = {}
    for name, item in zip(names, items):
        found[name] = item
    return found


def reversed_pairs(names, items):
    rest = iter(items)
    found = [(item, name) for item, name in zip(rest, names)]
    return found, list(rest)


def triples(names, numbers, items):
    return [(n, m, item) for n, m, item in zip(names, numbers, items)]


def strictly(names, items):
    found = []
    try:
        for name, item in zip(names, items, strict=True):
            found.append((name, item))
    except ValueError as error:
        return found, str(error)
    return found


def kept(names, items):
    """The iterator outlives its loop, and an exception in it."""
    both = zip(names, items)
    found = []
    try:
        for name, item in both:
            found.append((name, item))
            if len(found) == 2:
                break
    except ValueError:
        found.append("error")
    found.extend(both)
    return found


def made_real(names, items):
    return list(zip(names, items)), dict(zip(names, "xy")), type(zip(names, items)).__name__


def counted(n, items):
    found = []
    for index, square in enumerate((i * i for i in range(n)), start=3):
        found.append((index, square))
    for index, item in enumerate(items, 1):
        found.append((index, item))
    return found


SUBJECTS = [
    Subject("pairs", [Case(n, lambda n=n: (pairs, {"names": n})) for n in ("", "a", "abc")], iterables(1), ("names",)),
    Subject(
        "reversed_pairs",
        [Case(n, lambda n=n: (reversed_pairs, {"names": list(n)})) for n in ("", "a", "abc")],
        iterables(1),
        ("names",),
    ),
    Subject(
        "triples",
        [Case(n, lambda n=n: (triples, {"names": n, "numbers": (1, 2)})) for n in ("", "ab", "abc")],
        iterables(1),
        ("names", "numbers"),
    ),
    Subject(
        "strictly", [Case(n, lambda n=n: (strictly, {"names": n})) for n in ("", "a", "abc")], iterables(1), ("strict",)
    ),
    Subject("kept", [Case(n, lambda n=n: (kept, {"names": n})) for n in ("", "ab", "abcde")], iterables(1)),
    Subject("made_real", [Case(n, lambda n=n: (made_real, {"names": n})) for n in ("", "ab")], iterables(1)),
    Subject("counted", [Case(str(n), lambda n=n: (counted, {"n": n})) for n in (0, 1, 3)], iterables(1), ("range",)),
]
