"""The rows that subject modules fill in: a program, its static inputs, its random dynamic inputs, and what must vanish.

    Subject("power", [Case("n=5", lambda: (power, {"n": 5}))], inputs=lambda r: (r.randint(-9, 9),), gone=("n",))

`Case.make` builds the function and its static arguments anew at each call, so that two runs never share a mutable
object; `inputs` gives values for the open parameters in order, from a random source, so that a seed gives them twice.

Invariant: a row says nothing about the specializer; it is data about an ordinary program.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

Inputs = Callable[[Random], tuple[Any, ...]]
Make = Callable[[], tuple[Callable[..., Any], dict[str, Any]]]


class Case(NamedTuple):
    """One static input of a subject."""

    label: str
    make: Make
    inputs: Inputs | None = None
    """Where this static input wants other dynamic inputs than the subject's."""
    gone: tuple[str, ...] = ()
    """Further names and strings that must not occur in this residual."""


class Subject(NamedTuple):
    """A program and what a specialization to each of its static inputs promises."""

    name: str
    cases: list[Case]
    inputs: Inputs
    gone: tuple[str, ...] = ()
    """Identifiers, attributes and string constants of the static program: none occurs in the residual."""
    types: tuple[tuple[str, type], ...] = ()
    """Exact types of open inputs that the promise needs: without them user code might run that writes static state."""


def integers(count: int, low: int = -9, high: int = 20) -> Inputs:
    """A maker of `count` small integers."""
    return lambda random: tuple(random.randint(low, high) for _ in range(count))


def text(alphabet: str, most: int = 10) -> Inputs:
    """A maker of one text over an alphabet, often empty or short."""
    return lambda random: ("".join(random.choices(alphabet, k=random.randint(0, most))),)


def mostly(usual: Inputs, *odd: Any, chance: float = 0.1) -> Inputs:
    """`usual`, but sometimes one argument is replaced by an odd value of another type."""

    def inputs(random: Random) -> tuple[Any, ...]:
        values = list(usual(random))
        if values and random.random() < chance:
            values[random.randrange(len(values))] = random.choice(odd)
        return tuple(values)

    return inputs
