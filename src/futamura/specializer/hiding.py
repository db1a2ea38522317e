"""Attributes of objects that hide what their classes have: which code in sight stores, and what is believed of them.

    order.check()           entered, as long as `order` has no attribute `check` of its own

Invariant: what is believed of an object that others may have is tested when the residual is called; a store by
specialized code starts again without it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from futamura.analysis.sharing import is_stored_on_an_object
from futamura.specializer.assumption import Assumption
from futamura.specializer.purity import EVERY_NAME, MISSING, keeps_attributes, own_attribute, stored_attribute

__all__ = ["Hiding"]


class Hiding(ABC):
    """The part of the world that knows of attributes in front of methods."""

    def __init__(self) -> None:
        self.assumptions: Final[dict[tuple[str, int, str], Assumption]] = {}
        self.hiding: Final[set[str]] = set()
        """Attributes that specialized code stores on objects that others may have, and are not known."""
        self._hiding_on: Final[set[tuple[int, str]]] = set()
        self.renamed: Final[set[tuple[str, int]]] = set()
        """On what specialized code stores attributes of any names: `object`, `class`, `made` of a class here, `any`."""
        self._showing: Final[set[str]] = set()
        """Methods of objects that the residual makes, which no attribute of these hides."""

    @abstractmethod
    def serial(self, value: object) -> int:
        """A number of its own for each object."""

    def assume(self, assumption: Assumption) -> Assumption:
        """The assumption, or the one about this place that there is already."""
        return self.assumptions.setdefault((assumption.kind, id(assumption.holder), assumption.name), assumption)

    def lacks(self, value: object, name: str) -> bool:
        """Has this object, which others may have, no attribute of its own that hides what its class has?  As long as
        that is so when the residual is called, and nothing in sight stores one."""
        if not keeps_attributes(value):
            return own_attribute(value, name) is MISSING
        if stored_attribute(value, name) is not MISSING or self._may_be_hidden(type(value), name, value):
            return False
        self.assume(Assumption("own", f"an object of class {type(value).__qualname__}", value, name, None))
        return True

    def shows(self, cls: type, name: str) -> bool:
        """Does no code in sight store an attribute of this name on an object of the class, in front of a method?"""
        if self._may_be_hidden(cls, name):
            return False
        self._showing.add(name)
        return True

    def _may_be_hidden(self, cls: type, name: str, value: object = None) -> bool:
        """Does code in sight store an attribute of this name on an object of the class, or make it one of another?"""
        if is_stored_on_an_object(cls, name) or is_stored_on_an_object(cls, "__class__"):
            return True
        return name in self.hiding or (self.serial(value), name) in self._hiding_on or self.is_renamed(cls, value)

    def is_renamed(self, cls: type, value: object = None) -> bool:
        """Does specialized code store attributes of any names on this object, or on those of a class?"""
        one = ("made", id(cls)) if value is None else ("object", self.serial(value))
        return not self.renamed.isdisjoint((one, ("class", id(cls)), ("any", 0)))

    def is_showing(self, value: object = None) -> bool:
        """Is it believed that methods of objects, or of this one, are not hidden?"""
        own = [one.holder for one in self.assumptions.values() if one.kind == "own"]
        return bool(own or self._showing) if value is None else any(one is value for one in own)

    def hides(self, name: str, value: object = None) -> bool:
        """Code that is specialized stores this attribute on an object that others may have, or on this static one.
        True if it was believed that it has none of this name."""
        if name == EVERY_NAME:
            new = ("object", self.serial(value)) not in self.renamed
            self.renamed.add(("object", self.serial(value)))
            return new
        if name in self.hiding or (value is not None and (self.serial(value), name) in self._hiding_on):
            return False
        believed = [found for found in self.assumptions.values() if found.kind == "own" and found.name == name]
        if value is not None:
            self._hiding_on.add((self.serial(value), name))
            return any(one.holder is value for one in believed)
        self.hiding.add(name)
        return bool(believed) or name in self._showing
