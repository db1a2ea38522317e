"""Formatted text whose known pieces are put together now.

"%s: %d items" % (x, 3)        ->    "%s: 3 items" % (x,)
"{}-{n:03}".format(x, n=7)     ->    f"{x}-007"

Invariant: only values of exact builtin types are formatted now; what stays is formatted in the same order, by the same
operation, and a template that would fail stays whole.
"""

from __future__ import annotations

import re
import string
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_METHODS, Keywords
from futamura.specializer.purity import deep
from futamura.specializer.rules import SPECIAL
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known

__all__: list[str] = []

_LONGEST: Final = 10_000
_FIELD: Final = re.compile(r"%(?:(%)|([-+ #0]*\d{0,3}(?:\.\d{1,3})?[sdrfxXeEgGoica]))")


def _percent(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`template % (a, b)`: the known items become text of the template."""
    template, values = args
    entry = m.state.object(values)
    if type(template) is not Known or type(template.value) is not str or entry is None or entry.kind != "tuple":
        return None
    if entry.cls is not tuple or not any(type(item) is Known for item in entry.items):
        return None
    text = template.value
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
    return m.emit("mod", (Known(made), rest), type=str)


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
    parts: list[AbstractValue] = []
    for text, value, spec, conversion in chosen:
        last = parts[-1] if parts else None
        if type(last) is Known:
            parts[-1] = Known(str(last.value) + text)
        elif text:
            parts.append(Known(text))
        if value is not None:
            operands = (value, Known(spec)) if spec else (value,)
            parts.append(m.emit("format", operands, conversion, type=str))
    if not parts:
        return Known("")
    if len(parts) == 1:
        return parts[0]
    return m.emit("string", parts, type=str, raises=False)


def _piece(value: object, spec: str, conversion: str) -> str | None:
    if len(spec) > 8 or spec.endswith("n"):
        return None  # "n" asks the locale
    try:
        shown = {"": value, "s": str(value), "r": repr(value), "a": ascii(value)}[conversion]
        return format(shown, spec)
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
