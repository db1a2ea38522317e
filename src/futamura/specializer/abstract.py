"""Abstract base classes: whether a class counts as one of them, found without running code of the program.

    isinstance(schema, Mapping), schema a known dict    ->    True, for good: nothing is ever taken back
    isinstance("a", Mapping)                            ->    False, as long as no class is registered anywhere

Invariant: `True` rests on bases, on what is registered, and on methods of builtin classes, which stay; `False` rests on
the number that `abc` counts up with every registration.
"""

from __future__ import annotations

import abc
from collections import abc as collection_classes
from collections.abc import Callable, Sequence
from typing import Any, Final

from futamura.ir.classes import extends
from futamura.specializer.assumption import Assumption, Registrations
from futamura.specializer.machine import Machine
from futamura.specializer.purity import class_lookup
from futamura.specializer.refinement import plain_check

__all__ = ["counts_as", "instance_of", "is_abstract"]

_CLASSES: Final = vars(collection_classes)
_WITH_HOOKS: Final = frozenset(
    cls for cls in map(_CLASSES.__getitem__, _CLASSES["__all__"]) if "__subclasshook__" in vars(cls)
)
"""Their hooks look for methods, if it is them who are asked, and not classes that extend them."""
_HOOKS: Final = (vars(object)["__subclasshook__"], *(vars(cls)["__subclasshook__"] for cls in _WITH_HOOKS))
_parts_of: Final[Callable[[type], tuple[Any, ...]]] = vars(abc)["_get_dump"]
"""What CPython's `abc` knows of a class: references to the classes that are registered with it come first."""
_METACLASSES: Final = (abc.ABCMeta, type(_CLASSES.get("ByteString", Sequence)))
"""Of `ByteString` instances are asked with a warning, classes as those of others."""
_HEAP_TYPE: Final = 1 << 9
_MOST: Final = 500


def is_abstract(cls: object) -> bool:
    """An abstract base class whose answers can be found out here."""
    return type(cls) is abc.ABCMeta and _has_known_hook(cls)


def _has_known_hook(cls: type) -> bool:
    hook = class_lookup(cls, "__subclasshook__")
    return any(hook is known for known in _HOOKS)


_ASKED: Final = 1000
"""Tenths of a nanosecond that it takes to ask an abstract class (`worth.PRICES`)."""


def instance_of(m: Machine, kind: type, classes: Sequence[type]) -> bool | None:
    """Is an instance of exactly this class one of any of these, plain or abstract ones?  None if that is not known."""
    abstract = []
    m.saved += sum(_ASKED for asked in classes if not plain_check(asked))
    for cls in classes:
        found = extends(kind, cls) if plain_check(cls) else counts_as(kind, cls)
        if found is not False:
            return found
        if not plain_check(cls):
            abstract.append((kind, cls))
    now = Registrations(abc.get_cache_token(), [], counts_as)
    held = m.world.assume(Assumption("registrations", "what is registered with abstract classes", None, "", now)).value
    assert isinstance(held, Registrations)
    for one, cls in abstract:
        if not any(one is other and cls is another for other, another in held.pairs):
            held.pairs.append((one, cls))
    return False


def counts_as(kind: type, cls: type) -> bool | None:
    """Does a class count as an abstract one?  None if that is not known."""
    return _Search(kind).counts(cls)


class _Search:
    """Looks through an abstract class, what is registered with it, and the classes that extend it; classes are told
    apart by identity, for `==` and `hash` of a class may be code of the program."""

    def __init__(self, kind: type) -> None:
        self._kind: Final = kind
        self._bases: Final = {id(base) for base in kind.__mro__}
        self._builtin: Final = not kind.__flags__ & _HEAP_TYPE
        self._seen: Final[set[int]] = set()

    def counts(self, cls: type) -> bool | None:
        if id(cls) in self._bases:
            return True
        if id(cls) in self._seen:
            return False
        self._seen.add(id(cls))
        if not any(type(cls) is known for known in _METACLASSES) or not _has_known_hook(cls) or len(self._seen) > _MOST:
            return None
        if cls in _WITH_HOOKS:
            if not self._builtin:
                return None  # a method may come or go
            if vars(cls)["__subclasshook__"].__func__(cls, self._kind) is True:
                return True
        registered = [found for one in _parts_of(cls)[0] if (found := one()) is not None]
        unsure = False
        for other in (*registered, *type.__subclasses__(cls)):
            found = id(other) in self._bases if plain_check(other) else self.counts(other)
            if found:
                return True
            unsure = unsure or found is None
        return None if unsure else False
