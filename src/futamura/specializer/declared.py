"""What the user promises of the program as a whole: it is used, and nobody tests it.

    Declared(frozen=(RATES,))             nobody writes RATES, nor what it reaches: its contents are known
    Declared(caches=(MEMO,))              an entry of MEMO may be there or not, and never changes
    Declared(bool_comparisons=True)       row["age"] >= 21 is True or False: `and` does not ask for its truth again
    Declared(annotated=fields_of([Item]))  item.price is a float, as `price: float` in the class says

A comparison gives whatever the method of its operands' classes returns: an array gives an array, a column of a query an
expression.  Those of builtin classes give a bool among themselves; of an operand whose class is not known this has to
be promised.

Invariant: a comparison in which the class of each operand is known is what that class makes of it, promise or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Final

from futamura.specializer.annotated import Fields

__all__ = ["BOOL_COMPARISONS", "CACHES", "NOTHING", "Declared", "promised_bool"]

BOOL_COMPARISONS: Final = "`==`, `!=`, `<`, `<=`, `>` and `>=` of values of unknown class give True or False"

CACHES: Final = "an entry of a declared cache may be there or not, and never changes"

_COMPARISONS: Final = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
_BUILTIN: Final = frozenset(
    {
        int, float, bool, complex, str, bytes, bytearray, tuple, list, dict, set, frozenset, range, slice, type(None),
        type, FunctionType,
    }
)  # fmt: skip
"""Classes whose own comparisons give a bool or NotImplemented."""


@dataclass(frozen=True, slots=True)
class Declared:
    """Promises that are not tested."""

    frozen: tuple[object, ...] = ()
    caches: tuple[object, ...] = ()
    bool_comparisons: bool = False
    annotated: Fields = field(default_factory=dict)
    trusted: bool = False
    """Is nothing of what is assumed tested at entry?"""
    untested: bool = False
    """Is nothing tested at all?  So it is in a module that is written."""


NOTHING: Final = Declared()


def promised_bool(name: str, types: Sequence[type | None]) -> bool:
    """Is this a comparison of which `bool_comparisons` says that it gives a bool?"""
    return name in _COMPARISONS and None in types and all(kind is None or kind in _BUILTIN for kind in types)
