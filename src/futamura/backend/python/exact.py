"""Operators that no expression of Python means exactly, as functions that a text gets as constants.

    exc_match e, C  where it is no `except` clause      ->      _exception_matches(e, C)
    import_from m   where it is no `from` import        ->      _member_of(m, 'x')

`issubclass` would ask the class (`__subclasscheck__`), and an attribute knows nothing of modules that are still being
imported.  Invariant: these functions are the operators' own `evaluate`, so they mean what the interpreter means.
"""

from __future__ import annotations

from futamura.ir.evaluate import EVALUATE

__all__ = ["exception_matches", "member_of"]


def exception_matches(exception: object, classes: object) -> object:
    """What `except classes` finds out about the exception."""
    return EVALUATE["exc_match"]((exception, classes), None)


def member_of(module: object, name: str) -> object:
    """What `from module import name` binds."""
    return EVALUATE["import_from"]((module,), name)
