"""Static objects of classes that extend builtin containers: what is read of them is known.

Invariant: what the class has of its own is its own, what is changed is seen, and what gets away is the object.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from tests.specialize.specializing import fallbacks, specialize


class Pipeline(list[Any]):
    def apply(self, x: Any) -> Any:
        for op, k in self:
            x = x + k if op == "add" else x * k
        return x


class Config(dict[str, Any]):
    limit = 3

    def of(self, x: Any) -> Any:
        return [self["a"], self.get("b"), self.get("zz", x), len(self), "a" in self, [*self], {**self}]


class Steps(tuple[Any, ...]):
    def apply(self, x: Any) -> Any:
        first, *rest = self
        return first, rest, x, self[1:], self.index(2), self.count(1)


class Names(set[str]):
    def has(self, x: Any) -> Any:
        return "a" in self, x in self, len(self), bool(self)


class Doubled(list[int]):
    """Everything is its own."""

    def __iter__(self) -> Any:
        return iter([2 * x for x in list.__iter__(self)])

    def __getitem__(self, at: Any) -> Any:
        return -list.__getitem__(self, at)

    def __len__(self) -> int:
        return 100

    def __contains__(self, x: Any) -> bool:
        return x == "magic"

    def index(self, *args: Any) -> int:
        return 77


class Missing(dict[str, int]):
    def __missing__(self, key: Any) -> Any:
        return f"no {key}"


class True_(list[int]):
    def __bool__(self) -> bool:
        return False


class Slotted(list[int]):
    __slots__ = ("rate",)
    rate: int


class Asked(list[int]):
    def __len__(self) -> int:
        raise ValueError("asked")


class Hinted(dict[str, int]):
    def __length_hint__(self) -> int:
        raise ValueError("hinted")


USES: dict[str, Callable[[Any, Any], Any]] = {
    "walk": lambda c, x: [y for y in c] + [x],  # noqa: C416
    "item": lambda c, x: c[0],
    "key": lambda c, x: c["a"],
    "open": lambda c, x: c[x],
    "length": lambda c, x: (len(c), x),
    "truth": lambda c, x: ("yes" if c else "no", not c, x),
    "member": lambda c, x: (1 in c, "a" in c, x in c, "magic" not in c),
    "unpack": lambda c, x: (lambda a, *b: (a, b, x))(*c),
    "sorted": lambda c, x: (sorted(c, key=str), x),
    "list": lambda c, x: (list(c), tuple(c), x),
    "dict": lambda c, x: ({**c}, dict(c), x),
    "items": lambda c, x: ([*c.items()], [*c.keys()], [*c.values()], x),
    "get": lambda c, x: (c.get("a"), c.get("zz"), c.get("zz", x)),
    "index": lambda c, x: (c.index(1), c.count(1), x),
    "slice": lambda c, x: (c[:1], type(c[:1]), x),
    "copy": lambda c, x: (c.copy(), type(c.copy()).__name__, x),
    "itself": lambda c, x: (c, x),
    "class": lambda c, x: (type(c).__name__, isinstance(c, list), x),
    "equal": lambda c, x: (c == [1, 2], c == x, c != c),
    "sum": lambda c, x: (sum(c), max(c), x),
    "enumerate": lambda c, x: [(at, y, x) for at, y in enumerate(c)],
    "iterator": lambda c, x: (next(iter(c)), type(iter(c)).__name__, x),
    "iterator given": lambda c, x: iter(c),
    "added": lambda c, x: (c + [3], c * 2, x),  # noqa: RUF005
    "reversed": lambda c, x: ([*reversed(c)], x),
    "text": lambda c, x: (str(c), f"{c!r}", x),
}
OBJECTS: dict[str, Callable[[], Any]] = {
    "list": lambda: Pipeline([1, 2]),
    "empty list": Pipeline,
    "dict": lambda: Config(a=1, b=2),
    "empty dict": Config,
    "tuple": lambda: Steps((1, 2, 1)),
    "set": lambda: Names("a"),
    "own": lambda: Doubled([1, 2]),
    "missing": lambda: Missing(b=1),
    "bool": lambda: True_([1]),
    "slots": lambda: Slotted([1, 2]),
    "asked": lambda: Asked([1, 2]),
    "hinted": lambda: Hinted(a=1),
}


def shown(call: Callable[[], Any]) -> str:
    try:
        found = call()
        return repr([*found] if hasattr(found, "__next__") else found) + type(found).__name__
    except Exception as error:
        return repr(error)


@pytest.mark.parametrize("kind", OBJECTS)
def test_what_is_read(kind: str) -> None:
    for name, use in USES.items():
        held = OBJECTS[kind]()
        residual = specialize(use, held)
        for x in (0, "a", 5, None, [1], 0):
            found, expected = shown(lambda: residual(x)), shown(lambda: use(held, x))  # noqa: B023
            assert found == expected, (name, x, residual.source)


def test_what_gets_away_is_the_object() -> None:
    held = Pipeline([1, 2])
    assert specialize(USES["itself"], held)(1)[0] is held
    assert [*specialize(USES["iterator given"], held)(1)] == [1, 2]


def run(held: Any, x: Any) -> Any:
    return held.apply(x)


def test_nothing_is_left() -> None:
    residual = specialize(run, Pipeline([("add", 1), ("mul", 2)]))
    assert residual.source == "def run(x):\n    return (x + 1) * 2\n"
    assert not fallbacks(residual)
    config = Config(a=1, b=2)
    residual = specialize(config.of)
    assert residual(7) == config.of(7)
    assert "_self" not in residual.source
    names, steps = Names("ab"), Steps((1, 2, 3))
    assert specialize(names.has)("b") == names.has("b")
    assert specialize(steps.apply)(9) == steps.apply(9)


# -- changes


def appended(held: Any, x: Any) -> Any:
    before = len(held), [*held]
    held.append(x)
    return before, len(held), [*held]


def stored(held: Any, x: Any) -> Any:
    before = held["a"], len(held)
    held["a"] = x
    held.update(c=3)
    return before, held["a"], [*held], held.get("c")


def replaced(held: Any, x: Any) -> Any:
    before = held[0]
    held[0] = x
    del held[1]
    return before, held[0], len(held)


def attribute(held: Any, x: Any) -> Any:
    held.extra = x
    return held.extra, [*held]


def hidden(held: Any, x: Any) -> Any:
    held.get = x
    return held.get("a"), len(held)


def handed(held: Any, x: Any) -> Any:
    before = [*held]
    x(held)
    return before, [*held], len(held)


@pytest.mark.parametrize(
    ("function", "make", "x"),
    [
        (appended, lambda: Pipeline([1]), 5),
        (stored, lambda: Config(a=1), 5),
        (replaced, lambda: Pipeline([1, 2]), 5),
        (attribute, lambda: Pipeline([1, 2]), 5),
        (hidden, lambda: Config(a=1), lambda key: key * 2),
        (handed, lambda: Pipeline([1]), lambda held: held.append(3)),
        (handed, lambda: Config(a=1), lambda held: held.clear()),
    ],
)
def test_changes_are_seen(function: Any, make: Any, x: Any) -> None:
    mine, theirs = make(), make()
    residual = specialize(function, mine)
    for _ in range(3):
        assert shown(lambda: residual(x)) == shown(lambda: function(theirs, x))
    assert repr(mine) == repr(theirs) and vars(mine) == vars(theirs)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("__iter__", lambda self: iter([("add", 100)])),
        ("__getitem__", lambda self, at: 55),
        ("__len__", lambda self: 44),
        ("__bool__", lambda self: False),
        ("__contains__", lambda self, x: x == 99),
        ("index", lambda self, x: 33),
        ("__getattribute__", lambda self, name: 5),
    ],
)
def test_a_method_that_comes_later(name: str, method: Any) -> None:
    def read(held: Any, x: Any) -> Any:
        return [*held], held[0], len(held), bool(held), 99 in held, held.index(1), x

    class Late(list[Any]):
        pass

    held = Late([1, 2])
    residual = specialize(read, held)
    assert residual(3) == read(held, 3)
    setattr(Late, name, method)
    assert shown(lambda: residual(3)) == shown(lambda: read(held, 3))
    delattr(Late, name)
    assert residual(3) == read(held, 3)


def test_objects_in_them() -> None:
    class Rule:
        def __init__(self, k: int) -> None:
            self.k = k

        def __call__(self, x: Any) -> Any:
            return x * self.k

    class Rules(list[Any]):
        def run(self, x: Any) -> Any:
            return [rule(x) for rule in self]

    class Registry(dict[str, Any]):
        def run(self, name: Any, x: Any) -> Any:
            return self[name](x) if name in self else "?"

    rules, registry = Rules([Rule(2), Rule(3)]), Registry(a=Rule(2), b=Rule(5))
    residual = specialize(rules.run)
    assert residual(4) == rules.run(4) and "_self" not in residual.source
    residual = specialize(registry.run)
    for name, x in itertools.product(("a", "b", "zz", []), (3, "x")):
        assert shown(lambda: residual(name, x)) == shown(lambda: registry.run(name, x))  # noqa: B023
    assert copy.copy(registry).run("a", 1) == 2


def test_what_is_missing_comes_later() -> None:
    def read(held: Any, x: Any) -> Any:
        return held["a"], held["zz"], x

    def found(held: Any, x: Any) -> Any:
        return [held[name] for name in ("a", "b")], x

    class Late(dict[str, Any]):
        pass

    held = Late(a=1)
    residuals = [(specialize(function, held), function) for function in (read, found)]
    for residual, function in residuals:
        assert shown(lambda: residual(3)) == shown(lambda: function(held, 3))  # noqa: B023
    Late.__missing__ = lambda self, name: f"made {name}"  # type: ignore[attr-defined]
    for residual, function in residuals:
        assert shown(lambda: residual(3)) == shown(lambda: function(held, 3))  # noqa: B023
