"""Iterators of the standard library: a generator of `iterators` stands for each where something is known.

    chain(("a", "b"), names)        ->    `chain_of` is entered where its items are taken
    takewhile(lambda v: v > 0, xs)  ->    the lambda is inlined in the loop
    labels = count(); next(labels)  ->    0

Invariant: what the constructor does (it asks most sources for their iterators) is done at once and in its order; where
nothing is known of a source, and no function of the program is called for its items, the library does it faster.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any, Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer import iterators
from futamura.specializer import libraries as _libraries  # its models are asked first
from futamura.specializer import translating as _translating
from futamura.specializer.callables import is_code
from futamura.specializer.calls import enter
from futamura.specializer.ends import asked
from futamura.specializer.generators import STANDING_IN, stand_in
from futamura.specializer.in_python import class_with_iter, slice_numbers
from futamura.specializer.machine import Machine
from futamura.specializer.models import HANDLED, KEYWORD_MODELS, KeywordModel, Keywords, iterator_over
from futamura.specializer.rules import exact_type
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known

__all__: list[str] = []
_ = _libraries, _translating

Entered = tuple[Callable[..., object], list[AbstractValue]]
"""A generator function, and what it is called with."""
Choice = Callable[[Machine, Frame, list[AbstractValue], Keywords], Entered | None]


def _stands_for(function: Any, choice: Choice, *generators: Callable[..., object]) -> None:
    """A row of the table below: `choice` tells which of the generators stands for a call, if one does."""
    earlier: KeywordModel | None = KEYWORD_MODELS.get(function)

    def model(
        m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
    ) -> AbstractValue | None:
        made = None if earlier is None else earlier(m, frame, op, args, keywords)
        if made is not None or ("call", (frame.facts.uid, op.id)) in m.refused:
            return made
        chosen = choice(m, frame, args, keywords)
        if chosen is None:
            return None
        return HANDLED if enter(m, frame, op, stand_in(m, frame, op, chosen[0]), chosen[1]) else None

    KEYWORD_MODELS[function] = model
    for generator in generators:
        cls = function if is_a(function, type) else type(function(()))
        STANDING_IN.update({generator: cls, iterators.ENDING.get(generator, generator): cls})


def _iterators(m: Machine, frame: Frame, sources: list[AbstractValue], worth: bool) -> list[AbstractValue] | None:
    """The iterators that the constructor would ask for; None if none of them is known and it is not `worth` it."""
    found = [iterator_over(m, frame, source) for source in sources]
    if not worth and all(iterator is None for iterator in found):
        return None
    pairs = zip(sources, found, strict=True)
    return [asked(m, source) if iterator is None else iterator for source, iterator in pairs]


def _plainly(generator: Callable[..., object], count: int) -> Choice:
    """All arguments are asked for their iterators."""

    def choice(m: Machine, frame: Frame, args: list[AbstractValue], keywords: Keywords) -> Entered | None:
        if keywords or len(args) != count:
            return None
        found = _iterators(m, frame, args, False)
        return None if found is None else (generator, found)

    return choice


def _by_function(generator: Callable[..., object]) -> Choice:
    """A function, and what it is called for."""

    def choice(m: Machine, frame: Frame, args: list[AbstractValue], keywords: Keywords) -> Entered | None:
        if keywords or len(args) != 2 or (type(args[0]) is Known and args[0].value is None):
            return None
        found = _iterators(m, frame, args[1:], is_code(m, args[0]))
        return None if found is None else (generator, [args[0], *found])

    return choice


def _chain(m: Machine, frame: Frame, args: list[AbstractValue], keywords: Keywords) -> Entered | None:
    """The sources are asked for their iterators one after the other, when it is their turn."""
    known = any(class_with_iter(m, arg) is not None or iterator_over(m, frame, arg) is not None for arg in args)
    return (iterators.chain_of, args) if known and not keywords else None


def _accumulate(m: Machine, frame: Frame, args: list[AbstractValue], keywords: Keywords) -> Entered | None:
    given = [*args, *(value for name, value in keywords if name == "func")]
    if len(given) != len(args) + len(keywords) or not args or len(given) > 2:
        return None
    summed = len(given) == 1 or (type(given[1]) is Known and given[1].value is None)
    found = _iterators(m, frame, given[:1], not summed and is_code(m, given[1]))
    return None if found is None else (iterators.accumulate_of, [*found, Known(operator.add) if summed else given[1]])


def _islice(m: Machine, frame: Frame, args: list[AbstractValue], keywords: Keywords) -> Entered | None:
    numbers = None if keywords or not args else slice_numbers(args[1:])
    found = None if numbers is None else _iterators(m, frame, args[:1], False)
    return None if found is None or numbers is None else (iterators.islice_of, [*found, *map(Known, numbers)])


def _longest(m: Machine, frame: Frame, args: list[AbstractValue], keywords: Keywords) -> Entered | None:
    fills = [value for name, value in keywords if name == "fillvalue"]
    if len(args) != 2 or len(fills) != len(keywords):
        return None
    found = _iterators(m, frame, args, False)
    return None if found is None else (iterators.longest_of, [*found, fills[0] if fills else Known(None)])


def _count(m: Machine, frame: Frame, args: list[AbstractValue], keywords: Keywords) -> Entered | None:
    named = dict(keywords)
    given = dict(zip(("start", "step"), args))
    if len(args) > 2 or named.keys() - {"start", "step"} or named.keys() & given:
        return None
    given |= named
    start, step = given.get("start", Known(0)), given.get("step", Known(1))
    if exact_type(m, start) is not int or type(step) is not Known or type(step.value) is not int:
        return None
    return iterators.count_of, [start, step]


_LASTING: Final = (tuple, str, bytes, range)


def _cycle(m: Machine, frame: Frame, args: list[AbstractValue], keywords: Keywords) -> Entered | None:
    """Over a sequence that cannot change: there is no need to remember the items."""
    if keywords or len(args) != 1 or exact_type(m, args[0]) not in _LASTING:
        return None
    return (iterators.cycle_of, args) if iterator_over(m, frame, args[0]) is not None else None


def _repeat(m: Machine, frame: Frame, args: list[AbstractValue], keywords: Keywords) -> Entered | None:
    return (iterators.repeat_of, args) if len(args) == 1 and not keywords else None


_stands_for(itertools.chain, _chain, iterators.chain_of)
_stands_for(itertools.chain.from_iterable, _plainly(iterators.chain_from, 1), iterators.chain_from)
_stands_for(itertools.starmap, _by_function(iterators.starmap_of), iterators.starmap_of)
_stands_for(itertools.takewhile, _by_function(iterators.takewhile_of), iterators.takewhile_of)
_stands_for(itertools.dropwhile, _by_function(iterators.dropwhile_of), iterators.dropwhile_of)
_stands_for(itertools.filterfalse, _by_function(iterators.filterfalse_of), iterators.filterfalse_of)
_stands_for(itertools.accumulate, _accumulate, iterators.accumulate_of)
_stands_for(itertools.pairwise, _plainly(iterators.pairwise_of, 1), iterators.pairwise_of)
_stands_for(itertools.compress, _plainly(iterators.compress_of, 2), iterators.compress_of)
_stands_for(itertools.islice, _islice, iterators.islice_of)
_stands_for(itertools.zip_longest, _longest, iterators.longest_of)
_stands_for(itertools.count, _count, iterators.count_of)
_stands_for(itertools.cycle, _cycle, iterators.cycle_of)
_stands_for(itertools.repeat, _repeat, iterators.repeat_of)
