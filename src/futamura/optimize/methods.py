"""What calls of methods of builtin classes do, from the exact types of the owner and the arguments.

    "a b".isascii()      a bool; no effect, raises nothing
    path.strip("/")      a str
    words.append(x)      writes the list, runs no code of a program
    text.index("x")      an int, or ValueError
    pattern.match(text)  a match or None: an object of its own each time, but always or never None

A method that is not here, or is called with other arguments, may do anything.

Invariant: sound for the very methods of the builtin classes, which no program can replace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from futamura.ir.classes import is_a
from futamura.ir.facts import PURE, UNKNOWN, Effects, Fact
from futamura.optimize.calls import Called
from futamura.optimize.shapes import LONGEST, Shape, of_type

__all__ = ["called_method", "searches"]


class _Row(NamedTuple):
    """What a method with this many arguments of these types does."""

    result: Shape
    arguments: tuple[tuple[str, ...], ...] = ((),)
    """The types of the arguments, for each way to call it."""
    raises: frozenset[type[BaseException]] = frozenset()
    effects: Effects = PURE


_ALLOCATES: Final = Effects(allocates=True)
_WRITES: Final = Effects(frozenset({"item"}), frozenset({"item"}))
_TEXT: Final = of_type("str")
_BOOL: Final = of_type("bool")
_VALUE_ERROR: Final[frozenset[type[BaseException]]] = frozenset({ValueError})
_NO_TEXT: Final[frozenset[type[BaseException]]] = frozenset({UnicodeEncodeError})
_PLACES: Final = (("str",), ("str", "int"), ("str", "int", "int"))

_OF_STR: Final[Mapping[str, _Row]] = {
    **dict.fromkeys(
        (
            "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric",
            "isprintable", "isspace", "istitle", "isupper",
        ),
        _Row(_BOOL),
    ),
    **dict.fromkeys(("capitalize", "casefold", "lower", "swapcase", "title", "upper"), _Row(_TEXT)),
    **dict.fromkeys(("lstrip", "rstrip", "strip"), _Row(_TEXT, ((), ("str",), ("NoneType",)))),
    **dict.fromkeys(("removeprefix", "removesuffix"), _Row(_TEXT, (("str",),))),
    **dict.fromkeys(("endswith", "startswith"), _Row(_BOOL, _PLACES)),
    **dict.fromkeys(("find", "rfind"), _Row(Shape("int", -1, LONGEST), _PLACES)),
    **dict.fromkeys(("index", "rindex"), _Row(Shape("int", 0, LONGEST), _PLACES, _VALUE_ERROR)),
    **dict.fromkeys(
        ("rsplit", "split"), _Row(of_type("list"), ((), ("str",), ("str", "int")), _VALUE_ERROR, _ALLOCATES)
    ),
    "count": _Row(Shape("int", 0, LONGEST), _PLACES),
    "encode": _Row(of_type("bytes"), ((),), _NO_TEXT),
    "replace": _Row(_TEXT, (("str", "str"),)),
    "splitlines": _Row(of_type("list"), effects=_ALLOCATES),
}  # fmt: skip
_TEXTS: Final = frozenset(
    {
        "capitalize", "casefold", "center", "expandtabs", "join", "ljust", "lower", "lstrip", "removeprefix",
        "removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title", "upper", "zfill",
    }
)  # fmt: skip
"""These give an exact str, whatever they are called with."""
_SOME_TEXT: Final = Called(UNKNOWN._replace(result="str"), _TEXT)
_OF_BYTES: Final[Mapping[str, _Row]] = {
    **dict.fromkeys(("isalnum", "isalpha", "isascii", "isdigit", "islower", "isspace", "isupper"), _Row(_BOOL)),
    **dict.fromkeys(("lower", "upper"), _Row(of_type("bytes"))),
    **dict.fromkeys(("lstrip", "rstrip", "strip"), _Row(of_type("bytes"), ((), ("bytes",)))),
    **dict.fromkeys(("endswith", "startswith"), _Row(_BOOL, (("bytes",),))),
    "hex": _Row(_TEXT),
}  # fmt: skip
_ROWS: Final[Mapping[str, Mapping[str, _Row]]] = {
    "str": _OF_STR,
    "bytes": _OF_BYTES,
    "int": {"bit_length": _Row(Shape("int", 0))},
    "float": {"is_integer": _Row(_BOOL)},
}


_SEARCHES: Final = frozenset({"fullmatch", "match", "search"})


def searches(owner: Shape, name: object) -> type | None:
    """The class of the texts that this is a search in, if it is the search for a known pattern."""
    pattern = owner.constant.value if owner.constant is not None else None
    if not is_a(pattern, re.Pattern) or name not in _SEARCHES:
        return None
    return str if type(pattern.pattern) is str else bytes


def called_method(owner: Shape, name: object, attr: object, arguments: tuple[Shape, ...]) -> Called | None:
    """What the call of this method does; None if nothing is known."""
    if attr is not None:
        return None
    if owner.type == "list" and name == "append" and len(arguments) == 1:
        return Called(Fact("NoneType", frozenset(), _WRITES), of_type("NoneType"))
    searched = searches(owner, name)
    if searched is not None and [shape.type for shape in arguments] == [searched.__name__]:
        return Called(Fact("object", frozenset(), _ALLOCATES))
    row = _ROWS.get(owner.type, {}).get(name) if isinstance(name, str) else None
    if row is None or tuple([shape.type for shape in arguments]) not in row.arguments:
        return _SOME_TEXT if owner.type == "str" and name in _TEXTS else None
    return Called(Fact(row.result.type, row.raises, row.effects), row.result)
