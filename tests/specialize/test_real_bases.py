"""Which handler takes an exception, which operand is asked first, what a class pattern takes: the interpreter looks at
the classes that a class really has for bases, whatever metaclasses say."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
# ruff: noqa: B024, B025, B030

from __future__ import annotations

import abc
from typing import Any

import pytest

from .specializing import specialize

LOG: list[Any] = []


class Yes(type):
    def __subclasscheck__(cls, other):
        LOG.append("asked")
        return True


class No(type):
    def __subclasscheck__(cls, other):
        LOG.append("asked")
        return False


class Retry(Exception, metaclass=abc.ABCMeta):
    pass


class Anything(Exception, metaclass=Yes):
    pass


class Nothing(Exception, metaclass=No):
    pass


class Own(Exception):
    pass


Retry.register(ValueError)


def raised(k, t):
    found = []
    for made in (ValueError(k), Own(t), KeyError(t)):
        try:
            raise made
        except Retry:
            found.append("Retry")
        except Anything:
            found.append("Anything")
        except Nothing as caught:
            found.append(("Nothing", caught.args))
        except (Anything, Own, ValueError) as caught:
            found.append(type(caught))
        except LookupError:
            found.append("LookupError")
    return found


def nested(k, t):
    try:
        raise ValueError(t)
    except (KeyError, (ValueError, k)):
        return "taken"


class Left(abc.ABC):
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return "Left.add"

    def __lt__(self, other):
        return "Left.lt"

    def __eq__(self, other):
        return "Left.eq"

    __hash__ = None


class Right:
    def __init__(self, value):
        self.value = value

    def __radd__(self, other):
        return "Right.radd"

    def __gt__(self, other):
        return "Right.gt"

    def __eq__(self, other):
        return "Right.eq"

    __hash__ = None


Left.register(Right)


class Base(metaclass=No):
    def __add__(self, other):
        return "Base.add"

    def __lt__(self, other):
        return "Base.lt"


class Derived(Base):
    def __radd__(self, other):
        return "Derived.radd"

    def __gt__(self, other):
        return "Derived.gt"


def operators(k, t):
    x, y = Left(k), Right(t)
    return x + y, x < y, x == y, Base() + Derived(), Base() < Derived()


def patterns(k, t):
    found = []
    for one in (Derived(), Base(), k):
        match one:
            case Derived():
                found.append("Derived")
            case Base():
                found.append("Base")
            case _:
                found.append(isinstance(one, Base))
    return found, isinstance(Derived(), Base), t


@pytest.mark.parametrize("function", [raised, nested, operators, patterns])
def test_bases_are_the_real_ones(function):
    LOG.clear()
    residual = specialize(function, k=2)
    assert not LOG
    for value in (1, "a", None):
        try:
            wanted = repr(function(2, value))
        except TypeError as error:
            wanted = str(error)
        try:
            assert repr(residual(value)) == wanted
        except TypeError as error:
            assert str(error) == wanted
