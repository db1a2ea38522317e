"""Globals that are bound anew while the program runs, and always there: they are read without asking for builtins.

    def step():                        # lib.py, whose code was inlined into a function of app.py
        global _pos                    _lib_globals['_pos'] = _lib._pos + 1
        _pos += 1                      as long as `_pos` is there when the residual is called, and nobody deletes it

Invariant: a name counts as present only if neither code that is specialized nor the text of its module, as far as its
functions name what they do to their globals, deletes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from futamura.specializer.assumption import Assumption
from futamura.specializer.module_texts import Modules

__all__ = ["PresentGlobals"]


class _World(Protocol):
    assumes: bool

    @property
    def assigned(self) -> set[tuple[int, str | None]]: ...
    @property
    def assumptions(self) -> dict[tuple[str, int, str], Assumption]: ...
    def assume(self, assumption: Assumption) -> Assumption: ...


class PresentGlobals:
    """Which globals of modules are believed to be there."""

    def __init__(self, world: _World, modules: Modules | None) -> None:
        self._world: Final = world
        self._modules: Final = modules
        self._deleted: Final[set[tuple[int, str]]] = set()

    def believes(self, namespace: Mapping[str, object], module: str, name: str) -> bool:
        """Is there a global of this name, and stays there?  It is assumed, then."""
        if name not in namespace or not self._world.assumes or self._modules is None:
            return False
        if (id(namespace), name) in self._deleted or (id(namespace), None) in self._world.assigned:
            return False
        if self._modules.may_delete(namespace, name):
            return False
        self._world.assume(Assumption("present", f"{module}.{name}", namespace, name, None))
        return True

    def delete(self, namespace: Mapping[str, object], name: str) -> bool:
        """Code that is specialized deletes this global.  True if it was believed to be there."""
        self._deleted.add((id(namespace), name))
        return self._world.assumptions.pop(("present", id(namespace), name), None) is not None
