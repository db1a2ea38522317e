"""Asking what class an object is of, without running code of the program.

    class Proxy:
        @property
        def __class__(self): print("asked"); return int

    isinstance(Proxy(), int)  prints and is True          is_a(Proxy(), int)  is False, silently

Invariant: only `type(value)` and the method resolution order of that class are looked at.
"""

from __future__ import annotations

from typing import TypeGuard, TypeVar, overload

__all__ = ["is_a"]

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
