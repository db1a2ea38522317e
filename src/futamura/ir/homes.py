"""The globals of the module that a class was defined in, also where `sys.modules` has none, or another, of that name.

    spec = spec_from_file_location("shapes", path)       a module that is never put into `sys.modules`:
    spec.loader.exec_module(module)                      the methods of its classes lead to its globals

Invariant: no code of the program is run, and what is found has the name that the class says its module has.
"""

from __future__ import annotations

import opcode
import os
import sys
import types
from collections.abc import Iterator, Mapping
from typing import Final

__all__ = ["IMMUTABLE", "binds_globals", "file_of", "gets_no_names", "global_now", "module_of", "namespace_of"]

IMMUTABLE: Final = 1 << 8
"""The flag of classes whose attributes cannot be set."""
_LIBRARY: Final = os.path.dirname(os.__file__) + os.sep
_INSTALLED: Final = ("site-packages", "dist-packages")
"""Folders beside the library's own, with what others wrote."""
_BINDING: Final = tuple(opcode.opmap[name] for name in ("STORE_GLOBAL", "DELETE_GLOBAL"))


def namespace_of(cls: type) -> Mapping[str, object] | None:
    """The globals of the module of a class; None if they are not known."""
    name = cls.__dict__.get("__module__")
    if type(name) is not str:
        return None
    module = sys.modules.get(name)
    found = module.__dict__ if isinstance(module, types.ModuleType) else None
    if found is not None and found.get(cls.__name__) is cls:
        return found
    return next((space for space in _of_methods(cls) if space.get("__name__") == name), found)


def global_now(module: str, name: str) -> object:
    """What an imported module has under this name now; None if there is nothing."""
    found = sys.modules.get(module)
    return found.__dict__.get(name) if type(found) is types.ModuleType else None


def module_of(namespace: object) -> types.ModuleType | None:
    """The module whose globals this dict is, if it is imported under its name."""
    name = namespace.get("__name__") if type(namespace) is dict else None
    found = sys.modules.get(name) if type(name) is str else None
    return found if type(found) is types.ModuleType and found.__dict__ is namespace else None


def file_of(cls: type) -> str | None:
    """The file of the module of a class; None if that is not known."""
    found = (namespace_of(cls) or {}).get("__file__")
    return found if type(found) is str else None


def gets_no_names(cls: type) -> bool:
    """Is it taken for granted that this class never has a name more than now?  Builtin classes refuse it; of those that
    the standard library writes in Python, and of its abstract ones above all, nobody adds to."""
    if cls.__flags__ & IMMUTABLE:
        return True
    module = cls.__dict__.get("__module__")
    if type(module) is not str or module.partition(".")[0] not in sys.stdlib_module_names:
        return False
    space = namespace_of(cls)
    if space is None or space.get(cls.__name__) is not cls:
        return False
    file = space.get("__file__")
    if type(file) is not str:
        return module != "__main__"
    return file.startswith(_LIBRARY) and not any(folder in file[len(_LIBRARY) :] for folder in _INSTALLED)


def binds_globals(namespace: Mapping[str, object]) -> bool:
    """Is this a script, or does a function or method that the module has bind one of its globals while it runs?
    Nothing but speed may depend on it: others can bind them, too."""
    if namespace.get("__name__") == "__main__":
        return True
    found = list(namespace.values())
    for value in namespace.values():
        if issubclass(type(value), type):
            attributes: Mapping[str, object] = type.__dict__["__dict__"].__get__(value)
            found.extend(attributes.values())
    codes = [one.__code__ for one in found if type(one) is types.FunctionType and one.__globals__ is namespace]
    seen: set[int] = set()
    while codes:
        code = codes.pop()
        if id(code) in seen:
            continue
        seen.add(id(code))
        if not {*code.co_code[::2]}.isdisjoint(_BINDING):
            return True
        codes.extend(part for part in code.co_consts if type(part) is types.CodeType)
    return False


def _of_methods(cls: type) -> Iterator[Mapping[str, object]]:
    for value in cls.__dict__.values():
        while type(value) is staticmethod or type(value) is classmethod:
            value = value.__func__
        if type(value) is property:
            value = value.fget
        if type(value) is types.FunctionType:
            yield value.__globals__
