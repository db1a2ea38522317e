"""That the attributes of classes and functions are still what they were: by a stamp, or one by one.

    Rule.match is f, Rule.key is g, no Rule.extra         (_Rule_now == _Rule_was or _Rule_holds())

A stamp (`ir/stamps.py`) is compared faster than two attributes are looked up.  Where it differs, they are looked up: a
few in the dict of a class, many by a function whose globals are the attributes of that class.

Invariant: no code of the program runs, whatever the attributes are now.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Mapping, Sequence
from types import CellType, FunctionType
from typing import Any, Final, Protocol

from futamura.backend.python.entrytest import EntryTest, asking, is_global_name
from futamura.ir.homes import IMMUTABLE, gets_no_names
from futamura.ir.stamps import STAMPED, Stamp, class_stamp, function_stamp, restamping

__all__ = ["Assumed", "ClassAttributes", "add_function", "has_plain_bases"]


class Assumed(Protocol):
    """Something that was read when the residual was made."""

    @property
    def kind(self) -> str: ...
    @property
    def holder(self) -> object: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> object: ...
    def holds(self) -> bool: ...


_STAMPED_FROM: Final = 2
"""To compare the stamp of a class takes less than so many look-ups in it."""
_FEW_ATTRIBUTES: Final = 2
"""So many attributes of one class are read faster out of its dict than by a call of a function."""


class ClassAttributes:
    """Attributes of classes, by class: a stamp is compared where they are more than a few."""

    def __init__(self, test: EntryTest) -> None:
        self._test: Final = test
        self._holders: Final[dict[int, tuple[type, list[Assumed]]]] = {}

    def add(self, holder: type, one: Assumed) -> None:
        self._holders.setdefault(id(holder), (holder, []))[1].append(one)

    def close(self) -> None:
        """Write the tests."""
        together = _Lookups(self._test)
        for holder, found in self._holders.values():
            apart = _Lookups(EntryTest(frozenset()))
            for one in found:
                apart.add(holder, one)
            stamp = class_stamp(holder) if apart.count() >= _STAMPED_FROM else None
            if stamp is not None:
                one_by_one = functools.partial(_looked_up, holder, found)
                self._test.terms.append(_stamped(self._test, stamp, holder, one_by_one))
                continue
            for one in found:
                together.add(holder, one)
        together.close()


def _looked_up(holder: type, found: Sequence[Assumed], test: EntryTest) -> list[str]:
    """The terms for these attributes of a class, one by one."""
    lookups = _Lookups(test)
    for one in found:
        lookups.add(holder, one)
    lookups.close()
    return test.terms


class _Lookups:
    """Attributes of classes: read in the dicts of their bases, because `getattr` would run a descriptor's code."""

    def __init__(self, test: EntryTest) -> None:
        self._test: Final = test
        self._bases: Final[dict[int, tuple[type, dict[str, Assumed | None]]]] = {}
        """By the identity of the base: the attributes that it has to have, or (None) must not have."""

    def count(self) -> int:
        """How much has to be looked up."""
        return len(self._test.terms) + sum(len(wanted) for _, wanted in self._bases.values())

    def add(self, holder: type, one: Assumed) -> None:
        test = self._test
        bases = holder.__mro__
        changing = [not gets_no_names(base) for base in bases]
        owner = next((at for at, base in enumerate(bases) if one.name in base.__dict__), None)
        if owner is None and not one.holds():
            test.terms.append("False")
            return
        if all(base.__flags__ & IMMUTABLE for base in bases) and one.holds():
            return
        if owner != 0 and not _keeps_bases(holder):
            cls, mro = test.constant(holder, holder.__name__), test.constant(bases, "mro")
            slow = _metaclass_has(holder, "__getattr__")
            read = f"{test.constant(_MRO_OF, 'mro_of')}({cls})" if slow else f"{cls}.__mro__"
            term = f"{read} is {mro}"
            if term not in test.terms:
                test.terms.append(term)
        for base, may_change in zip(bases[:owner], changing):
            if may_change:
                self._of(base)[one.name] = None
        if owner is not None:
            self._of(bases[owner])[one.name] = one

    def _of(self, base: type) -> dict[str, Assumed | None]:
        return self._bases.setdefault(id(base), (base, {}))[1]

    def close(self) -> None:
        """Write the tests: a few in line, many in a function that has the attributes for its globals."""
        test = self._test
        for base, wanted in self._bases.values():
            attributes = _attributes(base)
            if len(wanted) > _FEW_ATTRIBUTES and type(attributes) is dict and all(map(is_global_name, wanted)):
                test.terms.append(f"{test.constant(_class_reader(attributes, wanted), 'class_holds')}()")
                continue
            place = test.constant(attributes, base.__name__)
            for name, one in wanted.items():
                if one is None:
                    test.terms.append(f"{name!r} not in {place}")
                else:
                    test.terms.append(f"{place}[{name!r}] is {test.constant(one.value, name)}")


def add_function(test: EntryTest, function: FunctionType, found: Sequence[Assumed]) -> None:
    """That attributes of a function are what they were: its code, in most cases, and the defaults."""

    def terms(test: EntryTest) -> list[str]:
        holder = test.constant(function, function.__name__)
        return [f"{holder}.{one.name} is {test.constant(one.value, one.name)}" for one in found]

    stamp = function_stamp(function) if all(one.name in STAMPED for one in found) else None
    if stamp is None:
        test.terms.extend(terms(test))
    else:
        test.terms.append(_stamped(test, stamp, function, terms))


def _stamped(test: EntryTest, stamp: Stamp, holder: Any, terms: Callable[[EntryTest], list[str]]) -> str:
    """A term that compares a stamp, and does what `terms` gives only where it differs."""
    inner = EntryTest(frozenset())
    found = terms(inner)
    holds = restamping(stamp, holder, asking(inner.constants, found, {}))
    name = holder.__name__
    now, was = test.constant(stamp.now, f"{name}_now"), test.constant(stamp.was, f"{name}_was")
    return f"({now} == {was} or {test.constant(holds, f'{name}_holds')}())"


def _metaclass_has(cls: type, *names: str) -> bool:
    """Does the class's metaclass, or a base of it, define one of these itself?"""
    own = [base for base in type.mro(type(cls)) if base is not type and base is not object]
    return any(name in base.__dict__ for base in own for name in names)


def has_plain_bases(cls: type) -> bool:
    """Does reading `__mro__` run no code of a metaclass?"""
    return not _metaclass_has(cls, "__mro__", "__getattribute__")


_MRO_OF: Final = type.__dict__["__mro__"].__get__
"""Reads what the attribute gives; a metaclass with a `__getattr__` makes that slow."""


def _bases_are_fixed() -> bool:
    """Does this Python refuse other bases for a class whose only base is `object`?"""
    one: Any = type("one", (), {})
    try:
        one.__bases__ = (type("other", (), {}),)
    except TypeError:
        return True
    return False


_FIXED_BASES: Final = _bases_are_fixed()


def _keeps_bases(cls: type) -> bool:
    """Will `__mro__` always be what it is?  Classes are told by identity: a metaclass may have its own `==`."""
    mro = cls.__mro__
    return _FIXED_BASES and len(mro) == 2 and mro[1] is object and not _metaclass_has(cls, "mro")


def _attributes(cls: type) -> Mapping[str, object]:
    """The attributes of a class, to be read: the dict itself, where it can be had, because the view of it is slower."""
    view = cls.__dict__
    behind = gc.get_referents(view)
    return behind[0] if len(behind) == 1 and type(behind[0]) is dict else view


def _class_reader(attributes: dict[str, Any], wanted: Mapping[str, Assumed | None]) -> Callable[[], bool]:
    """A function whose globals are the attributes of a class: it compares them with what they were.

    What must not be there is found among its builtins instead; NameError if something is gone.
    """
    missing = object()
    values = {f"_was_{at}": missing if one is None else one.value for at, one in enumerate(wanted.values())}
    terms = [f"{name} is {was}" for name, was in zip(wanted, values)]
    absent = {name: missing for name, one in wanted.items() if one is None}
    return asking(attributes, terms, {name: CellType(value) for name, value in values.items()}, absent)
