"""Inputs that stay open, and what is promised of them: what stands in place of a value.

    specialize(power, n=5, x=Dyn(float))       x is exactly a float, which is tested at entry
    specialize(power, DYN, 5)                  the first one stays open

Invariant: what is used of a promise is tested, and nothing else.
"""

from __future__ import annotations

import types
from typing import Any, Final, get_args, get_origin

from futamura.entry import Promise
from futamura.specializer.values import Shape

__all__ = ["DYN", "Dyn"]


class Dyn:
    """An input that stays open.

    `Dyn(int)` promises its exact class, `Dyn(list[float], length=12)` that of the elements and the length as well;
    a call with anything else runs code without the promise.  What nothing uses is not tested: what is said of the inner
    lists in `Dyn(list[list[float]])`, or of what a dict holds.
    """

    def __init__(self, type: Any = None, *, length: int | None = None) -> None:
        self.type: Final = type
        self.length: Final = length

    def __repr__(self) -> str:
        if self.type is None and self.length is None:
            return "DYN"
        kind = self.type.__name__ if get_origin(self.type) is None and hasattr(self.type, "__name__") else self.type
        return f"Dyn({kind})" if self.length is None else f"Dyn({kind}, length={self.length})"

    def exact_type(self) -> type | None:
        """The exact class that is promised, if it is one."""
        kind = get_origin(self.type) or self.type
        return kind if isinstance(kind, type) and kind is not types.UnionType else None

    def item_types(self) -> tuple[type, ...] | None:
        """The classes of the items that `tuple[int, str]` promises."""
        items = get_args(self.type)
        plain = get_origin(self.type) is tuple and all(type(item) is type for item in items)
        return items if plain else None

    def shape(self) -> Shape | None:
        """What is promised of the contents of a list or tuple."""
        if self.exact_type() not in (list, tuple):
            return None
        arguments = get_args(self.type)
        element, length = None, self.length
        if get_origin(self.type) is list or (len(arguments) == 2 and arguments[1] is ...):
            element = arguments[0]
        elif arguments and length is None:
            length = len(arguments)
            element = arguments[0] if len(set(arguments)) == 1 else None
        exact = isinstance(element, type) and get_origin(element) is None
        return Shape(length, element if exact else None)

    def promise(self, name: str) -> Promise | None:
        """What is used of this for the parameter of that name, and so has to be tested: of `list[list[float]]` the
        outer class."""
        kind, shape = self.exact_type(), self.shape()
        if kind is None:
            return None
        if get_origin(self.type) is None or self.item_types() or (shape is not None and shape.element is not None):
            return Promise(name, self.type, self.length)
        return Promise(name, kind, self.length if shape is None else shape.length)


DYN: Final = Dyn()
"""An input of which nothing is promised."""
