"""Exception classes whose instances are made without code that anybody could notice.

    class Trap(Exception): pass                         plain: BaseException's own code stores the arguments
    class Trap(Exception): def __init__(self, pc): ...  made plainly: then its `__init__` runs, which can be read
    class Trap(OSError): pass                           neither: OSError looks for a subclass

Invariant: nothing of the program runs while a class is looked at.
"""

from __future__ import annotations

from types import FunctionType, WrapperDescriptorType
from typing import Final

from futamura.ir.classes import extends, is_a

__all__ = [
    "exception_classes", "exception_made_plainly", "keeps_arguments", "only_keeps_arguments", "plain_exception_class",
]  # fmt: skip

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
    named = value if is_a(value, tuple) else (value,)
    assert isinstance(named, tuple)
    return all(is_a(one, type) and extends(one, BaseException) for one in named)  # tuples in tuples are an error


def only_keeps_arguments(cls: type) -> bool:
    """Is the `__init__` of this builtin exception class BaseException's own?"""
    return cls in _PLAIN_ERRORS and cls not in (object, StopIteration)


def keeps_arguments(function: object) -> bool:
    """Is this the `__init__` of a builtin exception class that only keeps the arguments?"""
    if not is_a(function, WrapperDescriptorType):
        return False
    return function.__name__ == "__init__" and only_keeps_arguments(function.__objclass__)


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
