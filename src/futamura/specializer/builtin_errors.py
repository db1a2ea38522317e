"""Exception classes whose instances are made without code that anybody could notice.

    class Trap(Exception): pass                         plain: BaseException's own code stores the arguments
    class Trap(Exception): def __init__(self, pc): ...  made plainly: then its `__init__` runs, which can be read
    class Trap(OSError): pass                           neither: OSError looks for a subclass

Invariant: nothing of the program runs while a class is looked at.
"""

from __future__ import annotations

from types import FunctionType
from typing import Final

__all__ = ["exception_classes", "exception_made_plainly", "only_keeps_arguments", "plain_exception_class"]

_PLAIN_ERRORS: Final = frozenset(
    {
        BaseException,
        Exception,
        object,
        ValueError,
        TypeError,
        RuntimeError,
        ArithmeticError,
        ZeroDivisionError,
        LookupError,
        IndexError,
        KeyError,
        GeneratorExit,
        AssertionError,
        NotImplementedError,
        OverflowError,
        StopIteration,
        BufferError,
        EOFError,
        FloatingPointError,
        KeyboardInterrupt,
        RecursionError,
        ReferenceError,
        StopAsyncIteration,
        UnicodeError,
        Warning,
        BytesWarning,
        DeprecationWarning,
        FutureWarning,
        PendingDeprecationWarning,
        ResourceWarning,
        RuntimeWarning,
        SyntaxWarning,
        UnicodeWarning,
        UserWarning,
    }
)


def exception_classes(value: object) -> bool:
    """Is this what an except clause may name?"""
    if isinstance(value, tuple):
        return all(exception_classes(item) for item in value)
    return isinstance(value, type) and issubclass(value, BaseException)


def only_keeps_arguments(cls: type) -> bool:
    """Is the `__init__` of this builtin exception class BaseException's own?"""
    return cls in _PLAIN_ERRORS and cls not in (object, StopIteration)


def exception_made_plainly(cls: type) -> bool:
    """Does making an instance of this exception class only store the arguments and run an `__init__` in Python?"""
    return isinstance(getattr(cls, "__init__", None), FunctionType) and all(
        base in _PLAIN_ERRORS
        or (base.__module__ != "builtins" and not {"__new__", "__setattr__", "__del__"} & base.__dict__.keys())
        for base in cls.__mro__
    )


def plain_exception_class(cls: type) -> bool:
    """Does making an instance of this exception class run no code but BaseException's own?"""
    return all(
        base in _PLAIN_ERRORS
        or (base.__module__ != "builtins" and not {"__new__", "__init__", "__setattr__"} & base.__dict__.keys())
        for base in cls.__mro__
    )
