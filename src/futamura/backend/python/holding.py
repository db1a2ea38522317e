"""That classes, functions, modules, variables of closures and registries are still what they were: by a stamp, or one
by one.

    Rule.match is f, no Rule.extra, shop.RATE is 3         (_all_now == _all_was or _all_hold())

A stamp of them all (`ir/stamps.py`) is compared faster than two attributes are looked up.  Where it differs, they are
looked up: a few in the dict of a class, many by a function whose globals are the attributes of that class.

A registry is what `functools.singledispatch` keeps: a dict from classes to functions, from which nothing disappears.

Invariant: no code of the program runs, whatever the attributes are now.
"""

from __future__ import annotations

import builtins
import gc
from collections.abc import Callable, Collection, Mapping, Sequence
from types import CellType, FunctionType, GetSetDescriptorType
from typing import Any, Final, Protocol

from futamura.backend.python.entrytest import EntryTest, asking, is_global_name
from futamura.backend.python.tables import tables_reader
from futamura.ir.classes import is_a
from futamura.ir.homes import IMMUTABLE, gets_no_names
from futamura.ir.stamps import (
    STAMPED,
    Mark,
    cell_mark,
    class_mark,
    flag_mark,
    function_mark,
    joins_the_stamp,
    list_mark,
    namespace_mark,
    object_mark,
    restamping,
    stamp_of,
)

__all__ = ["Assumed", "Holding", "has_plain_bases", "has_plain_dict"]


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
"""To compare a stamp takes less than so many look-ups."""
_FEW_ATTRIBUTES: Final = 2
"""So many attributes of one class are read faster out of its dict than by a call of a function."""
_FEW_NAMES: Final = 2
"""So many names are read faster out of the dict of their module than by a call of a function in it."""


class Holding:
    """What is assumed of classes, functions, namespaces, registries, variables of closures, objects and containers: one
    stamp for all."""

    def __init__(self, test: EntryTest, written: Collection[int] = ()) -> None:
        """`written` are the identities of namespaces that the residual writes: the next call finds another stamp."""
        self._test: Final = test
        self._written: Final = written
        self._holders: Final[dict[int, tuple[Any, list[Assumed]]]] = {}
        self._classes: Final[dict[int, type]] = {}
        """Those of the objects among them, as they were."""

    def add(self, holder: object, one: Assumed) -> None:
        """`holder` is a class, a function, the dict of a module, a registry, a cell, an object or a container."""
        key = ~id(holder) if _is_table(one) else id(holder)
        self._holders.setdefault(key, (holder, []))[1].append(one)
        self._classes.setdefault(key, type(holder))
        if type(holder) is dict and one.kind == "global" and one.name not in holder:
            names = _builtins_of(holder)  # whoever replaces a builtin does not change the module
            known = self._holders.setdefault(id(names), (names, []))[1]
            if not any(other.name == one.name and other.value is one.value for other in known):
                known.append(one)

    def joins(self, namespace: dict[str, Any], names: int) -> bool:
        """Shall so many names of a module, which could be read in line, be told by the stamp instead?"""
        return id(namespace) not in self._written and joins_the_stamp(names, self._marked()[1], namespace)

    def _marked(self) -> tuple[dict[int, Mark], int]:
        """The marks that there are, and how much would have to be looked up in their places."""
        marks: dict[int, Mark] = {}
        count = 0
        for key, (holder, found) in self._holders.items():
            counted = _count(holder, found)
            mark = _mark(holder, found) if counted and id(holder) not in self._written else None
            if mark is not None:
                marks[key] = mark
                count += counted
        return marks, count

    def close(self, flag: object = None) -> bool:
        """Write the tests.  Is it told by them, too, that this flag is not set?"""
        marked, count = self._marked()
        marks = [*marked.values()]
        told = flag_mark(flag) if flag is not None and count >= _STAMPED_FROM else None
        stamp = stamp_of(marks if told is None else [*marks, told]) if count >= _STAMPED_FROM else None
        if stamp is not None:
            holds = restamping(stamp, self._asking)
            names = self._test.constant(stamp.now, "all_now"), self._test.constant(stamp.was, "all_was")
            unset = "" if told is None else f"not {self._test.constant(flag, 'handed_over')}.now and "
            self._test.terms.append(f"({' == '.join(names)} or {unset}{self._test.constant(holds, 'all_hold')}())")
        stamped = marked if stamp is not None else {}
        self._one_by_one([key for key in self._holders if key not in stamped], self._test)
        return stamp is not None and told is not None

    def _asking(self, holders: Sequence[object]) -> Callable[[], bool]:
        test = EntryTest(frozenset())
        keys = [key for holder in holders for key in (id(holder), ~id(holder)) if key in self._holders]
        for holder, cls in ((self._holders[key][0], self._classes[key]) for key in keys if self._is_object(key)):
            kind, name = test.constant(type, "type"), test.constant(holder, cls.__name__)
            test.terms.append(f"{kind}({name}) is {test.constant(cls, 'cls')}")  # before anything is asked of it
        self._one_by_one(keys, test)
        return asking(test.constants, test.terms or ["True"], {})

    def _is_object(self, key: int) -> bool:
        return self._holders[key][1][0].kind in _OF_OBJECTS

    def _one_by_one(self, keys: Sequence[int], test: EntryTest) -> None:
        """The terms of these holders, each looked up on its own; classes, then cells, come last."""
        lookups = _Lookups(test)
        cells: list[Assumed] = []
        tables: list[tuple[object, Sequence[object]]] = []
        for key in keys:
            if key not in self._holders:  # the flag is asked before; few are both an object and a container
                continue
            holder, found = self._holders[key]
            if is_a(holder, type):
                for one in found:
                    lookups.add(holder, one)
            elif type(holder) is FunctionType:
                name = test.constant(holder, holder.__name__)
                test.terms.extend(f"{name}.{one.name} is {test.constant(one.value, one.name)}" for one in found)
            elif type(holder) is CellType:
                cells += found
            elif found[0].kind == "registered":
                _add_registry(test, holder, found)
            elif _is_table(found[0]):
                tables.append((holder, found[0].value.kept))  # type: ignore[attr-defined]
            elif found[0].kind in _OF_OBJECTS:
                _add_object(test, holder, found)
            else:
                _add_namespace(test, holder, found)
        lookups.close()
        _add_cells(test, cells)
        if tables:
            test.terms.append(f"{test.constant(tables_reader(tables), 'tables_hold')}()")


def _builtins_of(namespace: dict[str, Any]) -> dict[str, Any]:
    """The builtins of functions with these globals."""
    found = namespace.get("__builtins__", builtins)
    return found if type(found) is dict else vars(builtins)


def _count(holder: Any, found: Sequence[Assumed]) -> int:
    """How much would have to be looked up."""
    if not is_a(holder, type):
        return 1 + len(found[0].value.kept) if _is_table(found[0]) else len(found)  # type: ignore[attr-defined]
    lookups = _Lookups(EntryTest(frozenset()))
    for one in found:
        lookups.add(holder, one)
    return lookups.count()


def _mark(holder: Any, found: Sequence[Assumed]) -> Mark | None:
    if is_a(holder, type):
        return class_mark(holder, childless=any(one.kind == "subclasses" for one in found))
    if type(holder) is FunctionType:
        return function_mark(holder) if all(one.name in STAMPED for one in found) else None
    if type(holder) is CellType:
        return cell_mark(holder)
    if found[0].kind in _OF_OBJECTS:
        whole = any(one.kind == "own" for one in found)
        return object_mark(holder, None if whole else [one.value for one in found])
    return list_mark(holder) if type(holder) is list else namespace_mark(holder)


def _is_table(one: Assumed) -> bool:
    """Is this what a container holds?"""
    return one.kind == "contents" and type(one.holder) in (list, dict, set)


_OF_OBJECTS: Final = ("own", "field")
"""What is assumed of the attributes of objects."""


class _Lookups:
    """Attributes of classes: read in the dicts of their bases, because `getattr` would run a descriptor's code."""

    def __init__(self, test: EntryTest) -> None:
        self._test: Final = test
        self._bases: Final[dict[int, tuple[type, dict[str, Assumed | None]]]] = {}
        """By the identity of the base: the attributes that it has to have, or (None) must not have."""
        self._wholes: Final[list[tuple[object, Sequence[object]]]] = []
        """All attributes of some classes, and what they have to be."""

    def count(self) -> int:
        """How much has to be looked up."""
        wholes = sum(len(kept) for _, kept in self._wholes)
        return len(self._test.terms) + wholes + sum(len(wanted) for _, wanted in self._bases.values())

    def add(self, holder: type, one: Assumed) -> None:
        test = self._test
        if one.kind == "contents":
            self._wholes.append((_attributes(holder), one.value.kept))  # type: ignore[attr-defined]
            return
        if one.kind == "order":
            self._keeps_order(holder, one.value)
            return
        if one.kind == "subclasses":
            of = test.constant(type.__subclasses__, "subclasses")
            test.terms.append(f"not {of}({test.constant(holder, holder.__name__)})")
            return
        bases = holder.__mro__
        changing = [not gets_no_names(base) for base in bases]
        owner = next((at for at, base in enumerate(bases) if one.name in base.__dict__), None)
        if owner is None and not one.holds():
            test.terms.append("False")
            return
        if all(base.__flags__ & IMMUTABLE for base in bases) and one.holds():
            return
        if owner != 0:
            self._keeps_order(holder, bases)
        for base, may_change in zip(bases[:owner], changing):
            if may_change:
                self._of(base)[one.name] = None
        if owner is not None:
            self._of(bases[owner])[one.name] = one

    def _keeps_order(self, holder: type, bases: object) -> None:
        """The method resolution order is what it was."""
        if _keeps_bases(holder):
            return
        test = self._test
        cls, mro = test.constant(holder, holder.__name__), test.constant(bases, "mro")
        slow = _metaclass_has(holder, "__getattr__")
        read = f"{test.constant(_MRO_OF, 'mro_of')}({cls})" if slow else f"{cls}.__mro__"
        term = f"{read} is {mro}"
        if term not in test.terms:
            test.terms.append(term)

    def _of(self, base: type) -> dict[str, Assumed | None]:
        return self._bases.setdefault(id(base), (base, {}))[1]

    def close(self) -> None:
        """Write the tests: a few in line, many in a function that has the attributes for its globals."""
        test = self._test
        if self._wholes:
            test.terms.append(f"{test.constant(tables_reader(self._wholes), 'classes_hold')}()")
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


def _add_namespace(test: EntryTest, namespace: dict[str, Any], found: Sequence[Assumed]) -> None:
    """That globals are what they were: a few in line, many by a function that runs in their namespace."""
    few = len(found) <= _FEW_NAMES and all(one.name in namespace for one in found)
    if few or not all(is_global_name(one.name) for one in found):
        place = test.constant(namespace, "globals")
        test.terms.extend(f"{place}[{one.name!r}] is {test.constant(one.value, one.name)}" for one in found)
        return
    wanted = {f"_was_{place}": CellType(one.value) for place, one in enumerate(found)}
    terms = [f"{one.name} is _was_{place}" for place, one in enumerate(found)]
    test.terms.append(f"{test.constant(asking(namespace, terms, wanted), 'globals_hold')}()")


def _add_object(test: EntryTest, holder: object, found: Sequence[Assumed]) -> None:
    """That an object has these attributes, and others not.  Its class has nothing of that name, or a slot: reading them
    runs no code."""
    absent = [one for one in found if one.kind == "own"]
    if absent:
        test.terms.extend(_absent(test, absent))
    for one in found:
        if one.kind == "field":
            name = test.constant(holder, type(holder).__name__)
            test.terms.append(f"{name}.{one.name} is {test.constant(one.value, one.name)}")


def _absent(test: EntryTest, absent: Sequence[Assumed]) -> list[str]:
    """That an object has no attributes of these names of its own; its `__dict__` is asked for once."""
    holder = absent[0].holder
    attributes = f"{test.constant(holder, type(holder).__name__)}.__dict__"
    if len(absent) == 1:
        return [f"{absent[0].name!r} not in {attributes}"]
    name = test.unused("own")
    test.words |= {name}
    first, *others = [repr(one.name) for one in absent]
    return [f"{first} not in ({name} := {attributes})", *(f"{other} not in {name}" for other in others)]


_PLAIN_LOOKUPS: Final = [cls.__getattribute__ for cls in (object, dict, list, tuple, set, frozenset, int, str)]
"""Many builtin classes have one of their own that does the same."""


def has_plain_dict(value: object) -> bool:
    """Does reading `__dict__` of this object give its attributes, and run no code of its class?"""
    found = next((base.__dict__["__dict__"] for base in type(value).__mro__ if "__dict__" in base.__dict__), None)
    lookup = type(value).__getattribute__
    return type(found) is GetSetDescriptorType and any(lookup is one for one in _PLAIN_LOOKUPS)


def _add_registry(test: EntryTest, registry: dict[type, object], found: Sequence[Any]) -> None:
    """That a registry has no more classes, and for these what it had.  How many there are is asked first: while they
    are the same, no `__hash__` or `__eq__` of the program runs to look one up."""
    reading = EntryTest(frozenset()) if len(found) > _FEW_NAMES else test
    place = reading.constant(registry, "registry")
    for count in sorted({one.holder.count for one in found}):
        reading.terms.append(f"{reading.constant(len, 'len')}({place}) == {count}")
    for one in found:
        kind, value = reading.constant(one.holder.kind, one.name), reading.constant(one.value, "registered")
        reading.terms.append(f"{place}.get({kind}) is {value}")
    if reading is not test:
        holds = asking(reading.constants, reading.terms, {})
        test.terms.append(f"{test.constant(holds, 'registry_holds')}()")


def _add_cells(test: EntryTest, cells: Sequence[Assumed]) -> None:
    """That variables of closures hold what they held; ValueError or NameError if one is empty."""
    if len(cells) == 1:
        (one,) = cells
        test.terms.append(f"{test.constant(one.holder, 'cell')}.cell_contents is {test.constant(one.value, one.name)}")
    elif cells:
        wanted: dict[str, CellType] = {}
        terms = []
        for place, one in enumerate(cells):
            assert isinstance(one.holder, CellType)
            wanted[f"_cell_{place}"] = one.holder
            wanted[f"_was_{place}"] = CellType(one.value)
            terms.append(f"_cell_{place} is _was_{place}")
        test.terms.append(f"{test.constant(asking({'__builtins__': builtins}, terms, wanted), 'cells_hold')}()")


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
