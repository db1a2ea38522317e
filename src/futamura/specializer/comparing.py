"""How containers of the same class are compared, as ordinary Python that is inlined where they are.

    (self.left, self.right) == (other.left, other.right)     objects with an `__eq__` of their own: it is entered

Like those of `library`, the function is only specialized, never called.  The same object counts as equal, whatever its
`__eq__` says; of constants which is which is not known, so that a tuple of each is compared.

Invariant: items are compared in order, up to the first pair that differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["equal_items"]


def equal_items(left: Any, right: Any, ways: Sequence[str], wanted: bool) -> bool:
    """`==` of two tuples, or of two lists of one length, whose items are compared as `ways` says."""
    for one, other, way in zip(left, right, ways):
        if way == "values":
            same = one == other
        elif way == "objects":
            same = one is other or one == other
        else:
            same = (one,) == (other,)
        if not same:
            return not wanted
    return (len(left) == len(right)) is wanted
