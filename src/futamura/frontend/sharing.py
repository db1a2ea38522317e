"""Which objects the functions of a module change under one name, however else they can be reached.

    ALL = {}                            add changes ALL: the same dict is no constant as TABLE, nor as an item of MENU
    TABLE = ALL
    MENU = {"all": ALL}
    def add(key): ALL[key] = 1

Every value that the module can reach is looked at with the names that it has on the way: globals, attributes of classes
and of instances (`.rows`), variables that closures hold, parameters with a default.

Invariant: no code of the program runs.  What can be reached from frames, or from other modules only, is not seen.
"""

from __future__ import annotations

import functools
import gc
import operator
import types
from array import array
from collections import deque, namedtuple
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from futamura.analysis.methods import MUTATING
from futamura.frontend.sources import EXTENDING, Changed
from futamura.ir.classes import is_a
from futamura.ir.immediates import closure_of, free_names

__all__ = ["changed_parts", "changing_objects", "is_container", "name_of_change"]

_CLOSED: Final = (type, types.ModuleType, types.BuiltinFunctionType, types.CodeType, types.FrameType)
"""What is never looked into."""
_OF_IMPORT: Final = frozenset({"__builtins__", "__loader__", "__spec__"})
_CONTAINERS: Final = (list, dict, set, bytearray, deque, array)
_TUPLE_FIELD: Final = type(vars(namedtuple("_", "field"))["field"])
"""What gives a field of a named tuple."""


def changing_objects(namespace: Mapping[str, object], changed: Changed) -> dict[int, object]:
    """By identity the containers that are changed under some name, and all that is in what the items of are."""
    found: dict[int, object] = {}
    for _, parts in _changed_under_names(namespace, changed):
        found.update(parts)
    return found


def name_of_change(namespace: Mapping[str, object], changed: Changed, value: object) -> str:
    """A name under which this container is changed, or what it is an item of; "" if there is none."""
    return next((name for name, parts in _changed_under_names(namespace, changed) if id(value) in parts), "")


def _changed_under_names(
    namespace: Mapping[str, object], changed: Changed
) -> Iterator[tuple[str, dict[int, object]]]:
    """The names, and the objects that are changed under each."""
    module = namespace.get("__name__")
    seen: set[int] = set()
    work = [(name, value) for name, value in namespace.items() if name not in _OF_IMPORT]
    work += _of_modules(namespace, changed)
    while work:
        name, value = work.pop()
        if name in changed.itself and is_container(value):
            yield name, {id(value): value}
        if is_a(value, types.BuiltinMethodType) and value.__name__ in MUTATING:
            yield name, {id(value.__self__): value.__self__}  # kept to be called at any time
        if name in changed.items or name in changed.by_methods:
            yield name, changed_parts(name, value, changed)
        if _changes_itself(value, module, changed):
            found = {id(value): value}
            _add_parts(value, found)
            yield name, found
        if not gc.is_tracked(value):
            continue  # it refers to nothing that has contents
        if id(value) not in seen:
            seen.add(id(value))
            work.extend(_named_parts(value, module))


def _of_modules(namespace: Mapping[str, object], changed: Changed) -> Iterator[tuple[str, object]]:
    """The globals of other modules that are changed by their names there: `shop.ROWS`."""
    for name in sorted(changed.itself | changed.items | changed.by_methods.keys()):
        home, _, own = name.partition(".")
        module = namespace.get(home)
        if home and own and type(module) is types.ModuleType and own in module.__dict__:
            yield name, module.__dict__[own]


def changed_parts(name: str, value: object, changed: Changed) -> dict[int, object]:
    """By identity the objects in `value`, which has this name, that functions change.

    What is taken out of it by reading an attribute is nothing to change, if all that has this attribute has an atom
    there: `cpu.cycles += op.cycles` takes nothing out of a table of `op` whose cycles are numbers.
    """
    if _is_atom(value):
        return {}
    items, by_methods = changed.items, changed.by_methods
    if changed.paths is not None and (atoms := _atoms(value, changed.paths.attributes)):
        items, by_methods = changed.paths.changed(atoms)
    found: dict[int, object] = {}
    if name in items:
        _add_parts(value, found)
    elif name in by_methods:
        found = parts_changed_by(value, by_methods[name])
    return found


def _atoms(value: object, names: frozenset[str]) -> frozenset[str]:
    """Those of the attributes that are atoms in all objects in `value`, or that none has."""
    left = set(names)
    classes: dict[int, frozenset[str]] = {}
    seen: set[int] = set()
    work = [value, *_held_by(value)]
    while work and left:
        part = work.pop()
        if id(part) in seen or _is_atom(part):
            continue
        seen.add(id(part))
        work.extend(gc.get_referents(part))
        cls = type(part)
        if id(cls) not in classes:
            classes[id(cls)] = _given_by_class(cls, names)
        left -= classes[id(cls)]
        if EXTENDING in left and not all(map(_is_atom, _given(part))):
            left.discard(EXTENDING)
        left.difference_update([name for name, held in _attributes(part) if name in left and not _is_atom(held)])
    return frozenset(left)


def _given_by_class(cls: type, names: frozenset[str]) -> frozenset[str]:
    """The attributes that instances have from their class: methods, properties and data that is no atom."""
    found = set()
    for base in cls.__mro__:
        if "__getattr__" in base.__dict__ or isinstance(base.__dict__.get("__getattribute__"), types.FunctionType):
            return names
        for name in names & base.__dict__.keys():
            held = base.__dict__[name]
            plain = _is_atom(held) and not hasattr(type(held), "__get__")
            if not plain and not is_a(held, (types.MemberDescriptorType, _TUPLE_FIELD)):
                found.add(name)
    return frozenset(found)


def _given(value: object) -> list[object]:
    """What this gives when it is iterated over, or one of its views is; the value itself stands for anything."""
    for base in type(value).__mro__:
        if "__iter__" in base.__dict__:
            known = any(base is one for one in (list, tuple, dict, set, frozenset, bytearray, array))
            return gc.get_referents(value) if known else [value]
        if "__getitem__" in base.__dict__:
            return [value]
    return []


_ATOMS: Final = (int, float, complex, str, bytes, bool, type(None), range)


def _is_atom(value: object) -> bool:
    """Is this nothing that could be changed, nor anything that leads to it?"""
    kind = type(value)  # a metaclass may say what it is equal to
    if kind is tuple or kind is frozenset:
        return all(map(_is_atom, gc.get_referents(value)))
    return any(kind is one for one in _ATOMS) or is_a(value, (*_CLOSED, types.FunctionType))


def _changes_itself(value: object, module: object, changed: Changed) -> bool:
    """Is this an instance that special methods of its class change, or the descriptors of its attributes?"""
    if not (changed.classes or changed.reading) or is_a(value, _CLOSED):
        return False
    for cls in type(value).__mro__:
        if cls.__module__ == module and cls.__name__ in changed.classes:
            return True
        for part in list(cls.__dict__.values()) if changed.reading else ():
            if type(part).__module__ == module and type(part).__name__ in changed.reading:
                return True
    return False


def is_container(value: object) -> bool:
    return is_a(value, _CONTAINERS)


def parts_changed_by(value: object, methods: Collection[str]) -> dict[int, object]:
    """By identity the objects in `value` that have one of these methods, or may have any: all that it holds, if
    something to call is among it that may change anything."""
    called = any(not method.startswith("__i") for method in methods)
    found: dict[int, object] = {}
    seen: set[int] = set()
    work = _held_by(value)
    while work:
        part = work.pop()
        if id(part) in seen or is_a(part, (*_CLOSED, types.FunctionType)):
            continue
        seen.add(id(part))
        if called and callable(part) and not _is_of_python(part):
            _add_parts(value, found)
            return found
        if any(_may_have(base, methods) for base in type(part).__mro__):
            found[id(part)] = part
        work.extend(gc.get_referents(part))
    return found


def _is_of_python(value: object) -> bool:
    """Is what this calls a function whose text says what it changes, or an object whose class does?"""
    while type(value) in (functools.partial, types.MethodType):
        value = value.__func__ if isinstance(value, types.MethodType) else value.func  # type: ignore[attr-defined]
    if is_a(value, (types.FunctionType, operator.itemgetter, operator.attrgetter)):
        return True
    own = (base.__dict__["__call__"] for base in type(value).__mro__ if "__call__" in base.__dict__)
    return type(next(own, None)) is types.FunctionType


def _may_have(cls: type, methods: Collection[str]) -> bool:
    """Has the class one of these methods, or a way to make up any?"""
    own = cls.__dict__
    made_up = "__getattr__" in own or isinstance(own.get("__getattribute__"), types.FunctionType)
    return made_up or any(method in own for method in methods)


def _add_parts(value: object, found: dict[int, object]) -> None:
    """All objects of data that `value` holds."""
    work = _held_by(value)
    seen: set[int] = set()
    while work:
        part = work.pop()
        if id(part) in seen or is_a(part, (*_CLOSED, types.FunctionType)):
            continue
        if gc.is_tracked(part) or is_container(part):
            seen.add(id(part))
            found[id(part)] = part
            work.extend(gc.get_referents(part))


def _held_by(value: object) -> list[object]:
    """What a value refers to.  A function, which may have the name of an attribute, does not hold what the module of
    its globals does."""
    found = gc.get_referents(value)
    if not is_a(value, types.FunctionType):
        return found
    spaces = (value.__globals__, getattr(value, "__builtins__", None))
    return [part for part in found if all(part is not space for space in spaces)]


def _named_parts(value: object, module: object) -> Iterator[tuple[str, object]]:
    """What can be reached from a value in one step, with the name that code has for it there; "" if it has none."""
    if is_a(value, type):
        if value.__module__ == module:
            yield from (("." + name, part) for name, part in list(value.__dict__.items()))
    elif is_a(value, types.FunctionType):
        if value.__module__ == module:
            generated = value.__code__.co_filename.startswith("<")  # by a dataclass, say: the names are not the text's
            for name, cell in zip(free_names(value.__code__), closure_of(value)):
                known = "" if generated else name
                yield from ((known, part) for part in gc.get_referents(cell))  # nothing if it is empty
            yield from _defaults(value)
            yield from (("." + name, part) for name, part in list(value.__dict__.items()))
    elif is_a(value, types.CellType):
        yield from (("", part) for part in gc.get_referents(value))
    elif is_a(value, (staticmethod, classmethod)):
        yield "", value.__func__
    elif is_a(value, property):
        yield from (("", part) for part in (value.fget, value.fset, value.fdel))
    elif not is_a(value, _CLOSED):
        yield from (("", part) for part in gc.get_referents(value))
        if type(value).__module__ == module:
            yield from (("." + name, part) for name, part in _attributes(value))


def _defaults(function: types.FunctionType) -> Iterator[tuple[str, object]]:
    code = function.__code__
    defaults = function.__defaults__ or ()
    yield from zip(code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount], defaults)
    yield from (function.__kwdefaults__ or {}).items()


def _attributes(value: object) -> Iterator[tuple[str, object]]:
    """The attributes that an instance itself has, read as its class defines them, without running a user's code."""
    for cls in type(value).__mro__:
        for name, found in list(cls.__dict__.items()):
            if is_a(found, types.MemberDescriptorType) or (is_a(found, _TUPLE_FIELD) and is_a(value, tuple)):
                try:
                    yield name, found.__get__(value)
                except AttributeError:  # empty
                    continue
            elif name == "__dict__" and is_a(found, types.GetSetDescriptorType):
                stored = found.__get__(value)
                if type(stored) is dict:
                    yield from list(stored.items())
