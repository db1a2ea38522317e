"""Values that a model might take for something else: numbers that are equal, subclasses, objects whose methods tell.

    anything(Random(3))    ->    -0.0, or Text("a"), or a Spy whose `calls` record every special method ...

Invariant: what happens to a value is seen afterwards in its attributes, so that the comparison of two runs finds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from ..table import Inputs


class Number(int):
    def __add__(self, other: Any) -> Any:
        return ("added", int(self), other)

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = int.__hash__


class Text(str):
    def __str__(self) -> str:
        return "other text"

    def __format__(self, spec: str) -> str:
        return f"<{spec}>"


class Items(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        return iter(["from", "iter"])

    def __len__(self) -> int:
        return 7


class Spy:
    """Every method that a model may call too early, too late, or not at all."""

    def __init__(self, equal: bool = True) -> None:
        self.calls: list[str] = []
        self.equal = equal

    def __eq__(self, other: object) -> Any:
        self.calls.append("eq")
        return self.equal

    def __lt__(self, other: object) -> Any:
        self.calls.append("lt")
        return self.equal

    def __gt__(self, other: object) -> Any:
        self.calls.append("gt")
        return not self.equal

    def __hash__(self) -> int:
        self.calls.append("hash")
        return 1

    def __bool__(self) -> bool:
        self.calls.append("bool")
        return self.equal

    def __len__(self) -> int:
        self.calls.append("len")
        return 2

    def __iter__(self) -> Iterator[Any]:
        self.calls.append("iter")
        return iter((1, "spy"))

    def __contains__(self, item: object) -> bool:
        self.calls.append("contains")
        return self.equal

    def __getitem__(self, key: Any) -> Any:
        self.calls.append("getitem")
        return key

    def __add__(self, other: Any) -> Any:
        self.calls.append("add")
        return NotImplemented if not self.equal else 5

    def __radd__(self, other: Any) -> Any:
        self.calls.append("radd")
        return 6

    def __rmul__(self, other: Any) -> Any:
        self.calls.append("rmul")
        return 7

    def __call__(self, *args: Any) -> Any:
        self.calls.append("call")
        return len(args)

    def __str__(self) -> str:
        self.calls.append("str")
        return "spy"

    def __format__(self, spec: str) -> str:
        self.calls.append("format " + spec)
        return "spied"

    def __index__(self) -> int:
        self.calls.append("index")
        return 1


class Broken:
    """Its iteration fails after two items."""

    def __init__(self) -> None:
        self.taken = 0

    def __iter__(self) -> Broken:
        return self

    def __next__(self) -> int:
        self.taken += 1
        if self.taken == 3:
            raise ValueError("broken")
        if self.taken > 4:
            raise StopIteration
        return self.taken


NAN = float("nan")
SCALARS: tuple[Any, ...] = (0, 1, 2, 3, True, False, 1.0, 0.0, -0.0, 2.5, NAN, "a", "b", "", "ab", b"a", None, 10**20)


def anything(random: Random) -> Any:
    """Some value of some type."""
    made: Any = random.choice(
        [
            lambda: random.choice(SCALARS),
            lambda: random.choice(SCALARS),
            lambda: random.choice(SCALARS),
            lambda: Number(random.randint(0, 2)),
            lambda: Text(random.choice(["a", "b"])),
            lambda: Spy(random.random() < 0.5),
            lambda: [random.choice(SCALARS) for _ in range(random.randint(0, 3))],
            lambda: (random.choice(SCALARS), random.choice(SCALARS)),
            lambda: {random.choice("abc"): random.choice(SCALARS)},
        ]
    )
    return made()


def iterable(random: Random) -> Any:
    """Something that can be iterated, mostly."""
    items = [random.choice(SCALARS) for _ in range(random.randint(0, 4))]
    return random.choice(
        [
            lambda: items,
            lambda: tuple(items),
            lambda: iter(items),
            lambda: (item for item in items),
            lambda: {"a": 1, "b": 2},
            lambda: "abc",
            lambda: Items(items),
            Broken,
            Spy,
            lambda: 5,
        ]
    )()


def values(count: int) -> Inputs:
    return lambda random: tuple(anything(random) for _ in range(count))


def iterables(count: int) -> Inputs:
    return lambda random: tuple(iterable(random) for _ in range(count))
