"""Asking what class an object is of, without running code of the program.

    class Proxy:
        @property
        def __class__(self): print("asked"); return int

    isinstance(Proxy(), int)  prints and is True          is_a(Proxy(), int)  is False, silently

Invariant: only `type(value)` and the method resolution order of classes are looked at.
"""

from __future__ import annotations

from typing import TypeGuard, TypeVar, overload

__all__ = ["extends", "is_a"]

T = TypeVar("T")
U = TypeVar("U")
V = TypeVar("V")
W = TypeVar("W")


@overload
def is_a(value: object, classes: type[T]) -> TypeGuard[T]: ...
@overload
def is_a(value: object, classes: tuple[type[T], type[U]]) -> TypeGuard[T | U]: ...
@overload
def is_a(value: object, classes: tuple[type[T], type[U], type[V]]) -> TypeGuard[T | U | V]: ...
@overload
def is_a(value: object, classes: tuple[type[T], type[U], type[V], type[W]]) -> TypeGuard[T | U | V | W]: ...
@overload
def is_a(value: object, classes: tuple[type, ...]) -> bool: ...
def is_a(value: object, classes: type | tuple[type, ...]) -> bool:
    """Is `value` of one of these classes, or of a subclass, as the interpreter sees it?"""
    return issubclass(type(value), classes)


_BASES_OF = type.__dict__["__mro__"].__get__


def extends(cls: type, *bases: type) -> bool:
    """Is `cls` one of these classes, or does it inherit from one?  So the interpreter looks for the handler of an
    exception and for the operand that is asked first; `issubclass` would ask metaclasses."""
    return any(one is base for base in bases for one in _BASES_OF(cls))
