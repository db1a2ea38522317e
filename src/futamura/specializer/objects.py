"""Objects that globals hold, and what may be believed of their attributes.

    ROUTER = Router(TABLE)              # app.py
    def handle(path):                                  ROUTER.rules is believed: only `__init__` stores it, by the texts
        return ROUTER.match(path)                      of the modules of its class and of the global.  Whether it still
                                                       is that object is tested whenever the residual is called.

What such an attribute holds is constant if these texts only read what an attribute of that name holds.

Invariant: an attribute that a function may store later, by these texts, is read when the residual runs.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Mapping
from typing import Final, Protocol

from futamura.analysis.storing import Store, store_in, store_of
from futamura.specializer.assumption import Assumption
from futamura.specializer.purity import is_mutable, is_plain_object

__all__ = ["Changes", "GlobalObjects"]


class Changes(Protocol):
    """What functions do to what an attribute of objects holds (`futamura.frontend.contents.Contents`)."""

    @property
    def line(self) -> int: ...
    @property
    def filled(self) -> bool: ...


class _World(Protocol):
    """What is asked of the world of static objects."""

    @property
    def read(self) -> set[int]: ...
    @property
    def unfrozen(self) -> set[int]: ...
    def is_frozen(self, value: object) -> bool: ...
    def contents(self, value: object) -> bool: ...
    def found(self, container: object, item: object) -> None: ...
    def lacks(self, value: object, name: str) -> bool: ...
    def assume(self, assumption: Assumption) -> None: ...
    def look_at(self, namespace: Mapping[str, object]) -> None: ...
    def is_of_a_constant(self, value: object) -> bool: ...
    def freeze_constant(self, value: object) -> None: ...
    def freeze_filled(self, value: object) -> None: ...
    def contents_on_objects(
        self, owner: Mapping[str, object], user: Mapping[str, object], name: str
    ) -> Changes | None: ...


class GlobalObjects:
    """The objects of the program that globals hold, or attributes of such objects."""

    def __init__(self, world: _World) -> None:
        self._world: Final = world
        self._found: Final[dict[int, tuple[object, Mapping[str, object]]]] = {}
        """With the module of the global."""
        self._stores: Final[dict[tuple[int, str], Store | None]] = {}

    def add(self, value: object, namespace: Mapping[str, object]) -> None:
        self._found.setdefault(id(value), (value, namespace))

    def believes(self, value: object, name: str, content: object) -> bool:
        """May this attribute of a static object be used now?  Remembers that it was."""
        world = self._world
        if id(value) in self._found and not world.is_frozen(value):
            return self._believes_global(value, name, content)
        if not world.contents(value):
            return False
        if world.is_of_a_constant(value) and is_plain_object(value):
            if self._store(value, name) is not None:
                return False
            for module in _modules_of(type(value)):
                world.look_at(module.__dict__)
        world.found(value, content)
        return True

    def lacks(self, value: object, name: str) -> bool:
        """Has this object no attribute of its own that hides what its class has?  Remembers that this was asked."""
        if id(value) not in self._found or id(value) in self._world.unfrozen or self._store(value, name) is not None:
            return False
        self._world.read.add(id(value))
        return self._world.lacks(value, name)

    def _believes_global(self, value: object, name: str, content: object) -> bool:
        world = self._world
        if id(value) in world.unfrozen or self._store(value, name) is not None:
            return False
        _, namespace = self._found[id(value)]
        if is_plain_object(content):
            self.add(content, namespace)
        elif is_mutable(content):
            self._freeze_contents(value, namespace, name, content)
        world.read.add(id(value))
        world.assume(Assumption("field", f"{type(value).__qualname__}.{name}", value, name, content))
        return True

    def _freeze_contents(self, value: object, namespace: Mapping[str, object], name: str, content: object) -> None:
        """What an attribute of a global object holds is constant if the texts of the modules only read it."""
        owners = [*(module.__dict__ for module in _modules_of(type(value))), namespace]
        found = [self._world.contents_on_objects(owner, namespace, name) for owner in owners]
        if all(one is not None and not one.line for one in found):
            for owner in owners:
                self._world.look_at(owner)
            if any(one is not None and one.filled for one in found):
                self._world.freeze_filled(content)
            else:
                self._world.freeze_constant(content)

    def _store(self, value: object, name: str) -> Store | None:
        """Where an attribute of such an object may be stored after it was made, by the texts of its modules."""
        cls = type(value)
        if (id(cls), name) not in self._stores:
            self._stores[id(cls), name] = store_of(cls, name)
        found = self._stores[id(cls), name]
        if found is None and id(value) in self._found:
            file = self._found[id(value)][1].get("__file__")
            return store_in(file, name) if type(file) is str else Store("", 0, False)
        return found

    def why_not(self, value: object, name: str) -> str:
        """Why an attribute of a global object, or of one that a constant holds, is not believed."""
        known = id(value) in self._found or (self._world.is_of_a_constant(value) and is_plain_object(value))
        found = self._store(value, name) if known and id(value) not in self._world.unfrozen else None
        if found is None:
            return ""
        what = f"`{type(value).__qualname__}.{name}` is read when the residual runs"
        if not found.line:
            return f"{what}: the text of its module is not known"
        return f"{what}: line {found.line} of {os.path.basename(found.file)} may store it"


def _modules_of(cls: type) -> list[types.ModuleType]:
    """The modules of a class and of those that it inherits from, but for those of the standard library."""
    names = dict.fromkeys(str(base.__dict__.get("__module__")) for base in cls.__mro__)
    found = [sys.modules.get(name) for name in names if name.partition(".")[0] not in sys.stdlib_module_names]
    return [module for module in found if type(module) is types.ModuleType]
