"""`template % values` with an object whose class says how it is shown: its method is entered.

Invariant: the fields are shown in their order, each once; a template that is written in front of its values is an
f-string for Python, which formats what `__str__` gives, and any other one is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.outcomes import outcome
from tests.specialize.specializing import source_of, specialize

# mypy: disable-error-code="no-untyped-def, no-untyped-call, str-format"
# ruff: noqa: UP031, F507

LOG: list[object] = []


class Text(str):
    """A text that says when it is formatted or added to."""

    __slots__ = ()

    def __format__(self, spec):
        LOG.append("formatted")
        return "formatted"

    def __radd__(self, other):
        return "added"

    def __add__(self, other):
        return "added"


class Shown:
    def __init__(self, k):
        self.k = k
        self.times = 0

    def __repr__(self):
        self.times += 1
        LOG.append(("shown", self.times))
        return f"S%{self.k}"


class OfText(Shown):
    def __str__(self):
        return Text("t%s")


class OfNumber(Shown):
    def __str__(self):
        return 3


class Failing(Shown):
    def __str__(self):
        raise ValueError("no text")


class Open:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        LOG.append("open")
        return self.text


def first(a, o):
    return "%s and %s" % (a, o)


def last(a, o):
    return "%s %% %r" % (o, a)


def alone(a, o):
    return "%s!%%" % a


def in_a_tuple(a, o):
    return "%s" % (a,)


def from_a_variable(a, o):
    template = "%%%r"
    return template % a


def tuple_from_a_variable(a, o):
    values = (a,)
    return "<%s>" % values


def too_few(a, o):
    return "%s %s %s" % (a, o)


def too_many(a, o):
    return "%s" % (a, o)


def wide(a, o):
    return "%8r|%s" % (a, o)


def of_number(a, o):
    return "%d %s" % (o, a)


def both(a, o):
    return "%s %r %s" % (a, a, o)


FUNCTIONS = [
    first, last, alone, in_a_tuple, from_a_variable, tuple_from_a_variable, too_few, too_many, wide, of_number, both,
]  # fmt: skip


@pytest.mark.parametrize("cls", [Shown, OfText, OfNumber, Failing])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_fields_are_shown(function: Callable[..., Any], cls: Any) -> None:
    mine, theirs = cls(1), cls(1)
    residual = specialize(function, a=mine)
    for given in (7, "q", (1, 2), Open("x"), Open(3), Open(Text("z")), None):
        LOG.clear()
        found, log = outcome(residual, given), [*LOG]
        LOG.clear()
        assert found == outcome(function, theirs, given), given
        assert log == LOG and mine.times == theirs.times


class Named:
    def __init__(self, k):
        self.k = k

    def __repr__(self):
        return "N%d" % self.k

    def refuse(self, other):
        if other.k != self.k:
            raise ValueError("%s is not %s" % (self, other))
        return self.k


def test_nothing_is_lost_by_an_error_that_shows_the_object() -> None:
    residual = specialize(Named(4).refuse)
    assert "_self" not in source_of(residual) and "'N4'" in source_of(residual)
    for other in (Named(4), Named(5)):
        assert outcome(residual, other) == outcome(Named(4).refuse, other)
