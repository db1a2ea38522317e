"""What never changes of objects that the library makes.

    HEADER.size      of a `struct.Struct`          xs[:10]   ->   `key.start`, `key.stop` in its `__getitem__`
"""

from __future__ import annotations

import re
import struct
import types
import typing
from typing import Final

from futamura.specializer.machine import Machine
from futamura.specializer.values import AbstractValue, VObject

__all__ = ["FIXED_FIELDS", "part_of_slice"]

_BOUNDS: Final = ("start", "stop", "step")
FIXED_FIELDS: Final[dict[type, tuple[str, ...]]] = {
    struct.Struct: ("size", "format"),
    **dict.fromkeys((slice, range), _BOUNDS),
    re.Pattern: ("pattern", "flags", "groups"),
    types.GenericAlias: ("__origin__", "__args__"),
    types.UnionType: ("__args__",),
    typing.NewType: ("__supertype__",),
    type(typing.Annotated[int, ""]): ("__origin__", "__args__", "__metadata__"),
    **{
        type(form): ("__origin__", "__args__")
        for form in (typing.List[int], typing.Optional[int], typing.Literal[1], typing.Callable[[int], int])  # noqa: UP006, UP045
    },
}


def part_of_slice(m: Machine, entry: VObject, name: str) -> AbstractValue | None:
    """What a virtual slice has under this name."""
    return entry.items[_BOUNDS.index(name)] if name in _BOUNDS else None
