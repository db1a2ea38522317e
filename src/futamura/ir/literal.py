"""Constants and attributes as text, and back.

    (1, -0.0, 'a', b'\\x00', nan)     constant_text <-> Reader.constant
    builtins:AssertionError           an object that can be imported, as module:qualname
    @2                                entry 2 of the table that goes with the text
    (count, "", 3)                    attribute_text <-> Reader.attribute: words stand bare, constants after "="

Invariant: reading what was written gives a value that `exact_key` cannot tell from the original.
"""

from __future__ import annotations

import ast
import importlib
import math
import re
import struct
import sys
from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final

from futamura.ir.attributes import ClassAttr, FunctionAttr
from futamura.ir.constant import Constant
from futamura.ir.graph import FrameState

__all__ = ["ParseError", "Reader", "attribute_text", "constant_text", "word"]

_WORD: Final = re.compile(r"[^\W\d][\w.<>#]*|[.<][\w.<>#]+")
_RESERVED: Final = frozenset({"None", "True", "False", "NotImplemented", "FunctionAttr", "ClassAttr", "FrameState"})
_RECORDS: Final[dict[str, Any]] = {kind.__name__: kind for kind in (FunctionAttr, ClassAttr, FrameState)}
_STRING: Final = re.compile(r"""b?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_FLOAT: Final = re.compile(r"-?(?:inf\b|nan\b(?:\([0-9a-f]{16}\))?|\d+(?:\.\d*)?e[+-]?\d+|\d+\.\d*)")
_INT: Final = re.compile(r"-?(?:0x[0-9a-f]+|\d+)")
_PLACE: Final = re.compile(r"([^\W\d][\w.]*):([\w.<>]*)")
_SIMPLE: Final[dict[str, object]] = {
    "None": None,
    "True": True,
    "False": False,
    "NotImplemented": NotImplemented,
    "...": ...,
}
_SIMPLE_WORD: Final = re.compile(r"(?:None|True|False|NotImplemented)(?![\w.<>#:])|\.\.\.")
_LONG: Final = 1 << 256
"""Greater integers are written in hexadecimal, which has no limit of digits and is linear."""


def word(text: str) -> str:
    """A name as one word: bare where that is clear, else quoted."""
    return text if _WORD.fullmatch(text) and text not in _RESERVED else repr(text)


def constant_text(value: object, table: list[object]) -> str:
    """The exact text of a constant's value; an object without one is appended to `table`."""
    kind = type(value)
    if value is None or value is ... or value is NotImplemented or kind is bool:
        return "..." if value is ... else repr(value)
    if isinstance(value, int) and kind is int:
        return hex(value) if abs(value) >= _LONG else repr(value)
    if kind is str or kind is bytes:
        return repr(value)
    if isinstance(value, float) and kind is float:
        return _float_text(value)
    if isinstance(value, complex) and kind is complex:
        return f"complex({_float_text(value.real)}, {_float_text(value.imag)})"
    if isinstance(value, tuple) and kind is tuple:
        return _tuple_text([constant_text(item, table) for item in value])
    if isinstance(value, frozenset) and kind is frozenset:
        return f"frozenset({', '.join(_frozenset_texts(value, table))})"
    return _object_text(value, table)


def _frozenset_texts(value: frozenset[object], table: list[object]) -> list[str]:
    """The items in the order of their text.  Items that only the table can hold keep the set's own order."""
    return sorted(constant_text(item, table) for item in value)


def _float_text(value: float) -> str:
    if math.isnan(value):
        bits = struct.pack(">d", value).hex()
        return "nan" if bits == "7ff8000000000000" else f"nan({bits})"
    return repr(value)


def _tuple_text(items: list[str]) -> str:
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"


def _object_text(value: object, table: list[object]) -> str:
    place = _place_of(value)
    if place:
        return place
    for index, entry in enumerate(table):
        if entry is value:
            return f"@{index}"
    table.append(value)
    return f"@{len(table) - 1}"


def _place_of(value: object) -> str:
    """module:qualname if importing that gives the very object, else ""."""
    if isinstance(value, ModuleType):
        name = value.__dict__.get("__name__")
        return f"{name}:" if isinstance(name, str) and sys.modules.get(name) is value and _is_path(name) else ""
    if not isinstance(value, (type, FunctionType, BuiltinFunctionType)):
        return ""
    module, path = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not (isinstance(module, str) and isinstance(path, str) and _is_path(module) and _is_path(path)):
        return ""
    found: object = sys.modules.get(module)
    for name in path.split("."):
        found = getattr(found, name, None)
    return f"{module}:{path}" if found is value else ""


def _is_path(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def attribute_text(attr: object, table: list[object]) -> str:
    """An attribute: words, numbers, constants, tuples and the records of `attributes` and `graph`."""
    if isinstance(attr, Constant):
        return "=" + constant_text(attr.value, table)
    if attr is None or type(attr) in (bool, int):
        return repr(attr)
    if isinstance(attr, str):
        return word(attr)
    if isinstance(attr, tuple):
        items = [attribute_text(item, table) for item in attr]
        name = type(attr).__name__
        if name in _RECORDS:
            return f"{name}({', '.join(items)})"
        return _tuple_text(items)
    raise TypeError(f"an attribute without a text: {attr!r}")


class ParseError(ValueError):
    """The text is not a program; `line` and `column` are 1-based."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(f"line {line}, column {column}: {message}")
        self.line = line
        self.column = column


class Reader:
    """A cursor over one line."""

    __slots__ = ("line", "position", "table", "text")

    def __init__(self, text: str, line: int, table: Sequence[object]) -> None:
        self.text = text
        self.line = line
        self.table = table
        self.position = 0
        self.space()

    def error(self, message: str) -> ParseError:
        return ParseError(message, self.line, self.position + 1)

    def space(self) -> None:
        text, position = self.text, self.position
        while position < len(text) and text[position] == " ":
            position += 1
        self.position = position

    def take(self, token: str) -> bool:
        """Skip `token` if it comes next."""
        if not self.text.startswith(token, self.position):
            return False
        self.position += len(token)
        self.space()
        return True

    def need(self, token: str) -> None:
        if not self.take(token):
            raise self.error(f"{token!r} is missing")

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.position)
        if found is not None:
            self.position = found.end()
            self.space()
        return found

    def done(self) -> bool:
        return self.position >= len(self.text)

    def word(self) -> str:
        """A bare or quoted name."""
        start = self.position
        found = self.match(_WORD) or self.match(_STRING)
        if found is None:
            raise self.error("a name is missing")
        text = found.group()
        if text[0] not in "'\"":
            return text
        value = ast.literal_eval(text)
        if not isinstance(value, str):
            self.position = start
            raise self.error("a name is missing")
        return value

    def integer(self) -> int:
        found = self.match(_INT)
        if found is None:
            raise self.error("a number is missing")
        return int(found.group(), 0)

    def constant(self) -> object:
        """The value of one constant."""
        simple = self.match(_SIMPLE_WORD)
        if simple is not None:
            return _SIMPLE[simple.group()]
        if self.take("("):
            return self.sequence(")")
        if self.take("frozenset("):
            return frozenset(self.sequence(")"))
        if self.take("complex("):
            real, imaginary = self.sequence(")")
            if not (isinstance(real, float) and isinstance(imaginary, float)):
                raise self.error("a complex number has two floats")
            return complex(real, imaginary)
        if self.take("@"):
            return self.entry()
        return self.atom()

    def sequence(self, end: str) -> tuple[object, ...]:
        items = []
        while not self.take(end):
            items.append(self.constant())
            if not self.take(","):
                self.need(end)
                break
        return tuple(items)

    def entry(self) -> object:
        index = self.integer()
        if not 0 <= index < len(self.table):
            raise self.error(f"the table has no entry {index}")
        return self.table[index]

    def atom(self) -> object:
        found = self.match(_STRING)
        if found is not None:
            return ast.literal_eval(found.group())
        found = self.match(_PLACE)
        if found is not None:
            return self.imported(found.group(1), found.group(2))
        found = self.match(_FLOAT)
        if found is not None:
            text = found.group()
            return struct.unpack(">d", bytes.fromhex(text[4:-1]))[0] if text.startswith("nan(") else float(text)
        found = self.match(_INT)
        if found is not None:
            return int(found.group(), 0)
        raise self.error("a constant is missing")

    def imported(self, module: str, path: str) -> object:
        try:
            value: object = importlib.import_module(module)
            for name in path.split(".") if path else ():
                value = getattr(value, name)
        except (ImportError, AttributeError) as error:
            raise self.error(f"cannot import {module}:{path}: {error}") from error
        return value

    def attribute(self) -> object:
        """One attribute, as `attribute_text` writes it."""
        if self.take("="):
            return Constant(self.constant())
        simple = self.match(_SIMPLE_WORD)
        if simple is not None:
            return _SIMPLE[simple.group()]
        for name, record in _RECORDS.items():
            if self.take(f"{name}("):
                return record(*self.attributes())
        if self.take("("):
            return self.attributes()
        found = self.match(_INT)
        return int(found.group(), 0) if found is not None else self.word()

    def attributes(self) -> tuple[object, ...]:
        items = []
        while not self.take(")"):
            items.append(self.attribute())
            if not self.take(","):
                self.need(")")
                break
        return tuple(items)
