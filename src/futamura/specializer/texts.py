"""Formatted text whose known pieces are put together now.

"%s: %d items" % (x, 3)        ->    "%s: 3 items" % (x,)
"{}-{n:03}".format(x, n=7)     ->    f"{x}-007"
str(error)                     ->    its text, if the error exists during specialization only

Invariant: only values of exact builtin types are formatted now; what stays is formatted in the same order, by the same
operation, and a template that would fail stays whole.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.dunders import own_class
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_METHODS, MODELS, Keywords, joined_text
from futamura.specializer.purity import class_lookup, deep, many_digits, stays_short, wide
from futamura.specializer.refinement import A_TEXT
from futamura.specializer.rules import OPERATOR_CALLS, SPECIAL, exact_type, rule
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known, arguments_of

__all__ = ["fields_of", "shows_itself", "str_of"]

_LONGEST: Final = 10_000
_FIELD: Final = re.compile(r"%(?:(%)|([-+ #0]*\d{0,3}(?:\.\d{1,3})?[sdrfxXeEgGoica]))")


def _percent(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`template % (a, b)`: the known items become text of the template."""
    template, values = args
    entry = m.state.object(values)
    if type(template) is not Known or type(template.value) is not str:
        return None
    text = template.value
    if type(values) is Dynamic and values.type is not None and shown_surely(values):
        return m.emit("mod", args, type=str, raises=False) if _total(text, [values]) else None
    if entry is None or entry.kind != "tuple" or entry.cls is not tuple:
        return None
    if any(shows_itself(m, item) for item in entry.items):
        return None  # its method is entered (`showing.py`)
    if not any(type(item) is Known for item in entry.items):
        if not _total(text, list(entry.items)):
            return None
        return m.emit("mod", (template, m.emit("tuple", entry.items, type=tuple, raises=False)), type=str, raises=False)
    left = list(entry.items)
    kept: list[AbstractValue] = []
    made = ""
    at = 0
    for found in _FIELD.finditer(text):
        if "%" in text[at : found.start()] or (not left and not found[1]):
            return None
        made += text[at : found.start()]
        at = found.end()
        if found[1]:
            made += "%%"
            continue
        value = left.pop(0)
        if type(value) is Known and deep(value.value, unordered=False):
            piece = _filled(found[0], value.value)
            if piece is None:
                return None
            made += piece.replace("%", "%%")
        else:
            kept.append(value)
            made += found[0]
    if left or "%" in text[at:] or len(made) > _LONGEST or len(kept) == len(entry.items):
        return None
    made += text[at:]
    if not kept:
        return Known(made % ())
    rest = m.emit("tuple", kept, type=tuple, raises=False)
    return m.emit("mod", (Known(made), rest), type=str, raises=not _total(made, kept))


def shows_itself(m: Machine, value: AbstractValue) -> bool:
    """Has the class of this object a method of the program that makes a text of it?"""
    cls = own_class(m, value)
    return cls is not None and any(type(class_lookup(cls, name)) is FunctionType for name in ("__str__", "__repr__"))


def fields_of(template: str, count: int) -> list[re.Match[str]] | None:
    """The fields of a template that takes just so many values one by one; None if it is another one."""
    fields = [found for found in _FIELD.finditer(template) if not found[1]]
    return fields if len(fields) == count and "%" not in _FIELD.sub("", template) else None


_SHOWN: Final = frozenset({str, float, bool, type(None)})


def shown_surely(value: AbstractValue) -> bool:
    """Does making a text of this value run no code, and never fail?  Long ints have no text."""
    if type(value) is not Dynamic:
        return False
    return value.type in _SHOWN or (value.type is int and value.shape is not None and value.shape.short)


def _total(template: str, values: list[AbstractValue]) -> bool:
    """Does the template take just these values, and show each of them without fail?"""
    fields = fields_of(template, len(values))
    if fields is None:
        return False
    for field, value in zip(fields, values):
        counted = type(value) is Dynamic and value.type is int
        if not shown_surely(value) or field[0][-1] not in ("sradi" if counted else "sra"):
            return False
    return True


def str_of(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`str(x)` of a text, of a short value, and of an exception that exists during specialization only."""
    value = args[0] if len(args) == 1 else None
    entry = None if value is None else m.state.object(value)
    if value is None:
        return None
    if entry is not None and entry.kind == "exception":
        shown = class_lookup(entry.cls, "__str__")
        if shown is not BaseException.__dict__["__str__"]:
            return None
        m.assume_attribute(entry.cls, "__str__", shown)
        given = [*arguments_of(entry)]
        return Known("") if not given else str_of(m, frame, op, given) if len(given) == 1 else None
    if exact_type(m, value) is str:
        return value
    if type(value) is Known:
        folds = deep(value.value) and type(value.value) in _SHOWN | {int}
        text = _filled("%s", value.value) if folds else None
        return None if text is None else m.known(text, m.state.age(value))
    return m.emit("format", (value,), "", type=str, raises=False) if shown_surely(value) else None


MODELS[str] = str_of


def _filled(field: str, value: object) -> str | None:
    try:
        return field % (value,)
    except (TypeError, ValueError, OverflowError):
        return None


SPECIAL.setdefault("mod", []).append(_percent)


def _format(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`template.format(...)` with simple fields, as the f-string that it is."""
    if type(target) is not Known or type(target.value) is not str or len(target.value) > _LONGEST:
        return None
    fields = _fields(target.value, len(args))
    if fields is None:
        return None
    known = [arg.value for arg in (*args, *(arg for _, arg in keywords)) if type(arg) is Known]
    if not stays_short("format", (target.value, *(value for value in known if deep(value, unordered=False)))):
        return None
    named = dict(keywords)
    chosen: list[tuple[str, AbstractValue | None, str, str]] = []
    for text, name, spec, conversion in fields:
        value = None if name is None else args[name] if isinstance(name, int) else named.get(name)
        if name is not None and value is None:
            return None
        if value is not None and type(value) is Known and deep(value.value, unordered=False):
            piece = _piece(value.value, spec, conversion)
            if piece is None:
                return None
            chosen.append((text + piece, None, "", ""))
        else:
            chosen.append((text, value, spec, conversion))
    last_value = chosen[-1][1] if chosen else None
    if len(chosen) > 1 and not any(text for text, *_ in chosen) and last_value is not None:
        if exact_type(m, last_value) not in _OF_BUILTINS:
            return None  # behind nothing but empty texts it is the result itself, maybe of a subclass
    parts: list[AbstractValue] = []
    for text, value, spec, conversion in chosen:
        last = parts[-1] if parts else None
        if type(last) is Known:
            parts[-1] = Known(str(last.value) + text)
        elif text:
            parts.append(Known(text))
        if value is not None:
            operands = (value, Known(spec)) if spec else (value,)
            parts.append(formatted(m, operands, conversion))
    if not parts:
        return Known("")
    if len(parts) == 1:
        return parts[0]
    return joined_text(m, parts)


def _piece(value: object, spec: str, conversion: str) -> str | None:
    if len(spec) > 8 or spec.endswith("n") or wide(spec) or many_digits(value):
        return None  # "n" asks the locale
    try:
        return format(_CONVERSIONS[conversion](value), spec)
    except (TypeError, ValueError, OverflowError, KeyError):
        return None


def _fields(template: str, count: int) -> list[tuple[str, int | str | None, str, str]] | None:
    """Text, argument, format and conversion of each field; None if one is not simple or would fail."""
    found: list[tuple[str, int | str | None, str, str]] = []
    following = 0
    numbered = automatic = False
    try:
        parsed = list(string.Formatter().parse(template))
    except ValueError:
        return None
    for text, name, spec, conversion in parsed:
        if name is None:
            found.append((text, None, "", ""))
            continue
        place: int | str = name
        if name == "":
            automatic, place = True, following
            following += 1
        elif name.isascii() and name.isdigit() and len(name) < 4:
            numbered, place = True, int(name)
        elif not name.isidentifier():
            return None
        if (automatic and numbered) or (isinstance(place, int) and place >= count) or "{" in (spec or ""):
            return None
        if conversion not in (None, "s", "r", "a"):
            return None
        found.append((text, place, spec or "", conversion or ""))
    return found


KEYWORD_METHODS[str, "format"] = _format


# -- formatted strings

_FORMATTED: Final = frozenset({int, float, str, bool, bytes, complex, type(None)})

_OF_BUILTINS: Final = _FORMATTED | {list, tuple, dict, set, frozenset, range, slice}
"""Classes whose `__format__` gives an exact str."""
_CONVERSIONS: Final[dict[str, Callable[[object], object]]] = {"": lambda x: x, "s": str, "r": repr, "a": ascii}


def _formatted(values: list[object], conversion: str) -> str | None:
    if many_digits(values[0]):
        return None
    if len(values) > 1 and (str(values[1]).endswith("n") or wide(str(values[1]))):
        return None  # it asks the locale, or would be huge
    try:
        return format(_CONVERSIONS[conversion](values[0]), *(str(value) for value in values[1:]))
    except Exception:
        return None


@rule("format")
def format_value(m: Machine, frame: Frame, op: Operation) -> None:
    args = [m.get(frame, arg) for arg in op.args]
    if all(type(arg) is Known and type(arg.value) in _FORMATTED for arg in args):
        values = [arg.value for arg in args if type(arg) is Known]
        text = _formatted(values, str(op.attr or ""))
        if text is not None and len(text) < 10_000:
            m.folded += 1
            m.set(frame, op, m.known(text, max(m.state.age(arg) for arg in args)))
            return
    if type(args[0]) is Dynamic and args[0].type is str and len(args) == 1 and op.attr in ("", "s", None):
        m.set(frame, op, args[0])
        return
    by_method = OPERATOR_CALLS.get("format")
    if by_method is None or not by_method(m, frame, op, args):
        m.set(frame, op, formatted(m, args, op.attr))


def formatted(m: Machine, args: Sequence[AbstractValue], conversion: object) -> Dynamic:
    """Formatting that stays: `__format__` of a class that is not known may give an instance of a subclass of str."""
    made = m.emit("format", args, conversion, type=str if exact_type(m, args[0]) in _OF_BUILTINS else None)
    return made if made.type is str else Dynamic(made.rv, None, None, A_TEXT)


@rule("string")
def join_strings(m: Machine, frame: Frame, op: Operation) -> None:
    parts: list[AbstractValue] = []
    for arg in op.args:
        value = m.get(frame, arg)
        last = parts[-1] if parts else None
        if type(value) is Known and type(last) is Known:
            parts[-1] = m.known(str(last.value) + str(value.value), max(m.state.age(value), m.state.age(last)))
        else:
            parts.append(value)
    if all(type(part) is Known for part in parts):
        m.set(frame, op, parts[0] if parts else Known(""))
    else:
        m.set(frame, op, joined_text(m, parts))
