"""Texts of objects: `__str__`, `__repr__` and `__format__` of user classes, entered as other methods are.

    f"{node}", str(node), "%s" % node stays      node: Add(Name("x"), Number(1))   ->   'x + 1'
    raise Wrong(f"{self.name!r} in {node!r}")    ->   the text of `node`, as far as it is known

Left alone, such a call may be anything: whatever is known of the object would be lost with it.
Invariant: the methods are those that Python would call, in its order, with its errors.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from types import FunctionType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation, Span
from futamura.specializer import library
from futamura.specializer.calls import call_value, enter
from futamura.specializer.dunders import method_of, own_class
from futamura.specializer.machine import Machine
from futamura.specializer.models import HANDLED, MODELS
from futamura.specializer.purity import class_lookup, deep
from futamura.specializer.rules import OPERATOR_CALLS, site
from futamura.specializer.state import Frame
from futamura.specializer.texts import fields_of, shows_itself, str_of
from futamura.specializer.values import AbstractValue, Known, VObject, arguments_of

__all__: list[str] = []

_NO_SPEC: Final = Known("")


def _method(m: Machine, frame: Frame, value: AbstractValue, name: str) -> tuple[FunctionType, str] | None:
    """The method that makes the text, with the name by which errors speak of it; None if it cannot be entered."""
    entry = m.state.object(value)
    cls = entry.cls if entry is not None and entry.kind == "exception" else own_class(m, value)
    if cls is None or site(frame) in m.refused:
        return None
    called = name
    if name == "__str__" and class_lookup(cls, name) is vars(object)[name]:
        m.assume_attribute(cls, name, vars(object)[name])
        called = "__repr__"
    found = class_lookup(cls, called)
    if not is_a(found, FunctionType) or found.__globals__.get("__name__") in _GENERATED:
        return None
    method = method_of(m, cls, called)
    return None if method is None else (method, name)


_GENERATED: Final = frozenset({"dataclasses", "enum", "reprlib"})
"""Where `dataclass` has its methods from, which watch for objects which contain themselves, thread by thread; and
`enum`, whose methods show nothing of the program's."""


def _of_member(m: Machine, value: AbstractValue, name: str, spec: str = "") -> str | None:
    """The text of a member of an enumeration which leaves that to `enum`, or to the class of its values."""
    member = value.value if type(value) is Known else None
    cls = type(member)
    if type(cls) is not enum.EnumMeta:
        return None
    looked_up = class_lookup(cls, name)
    found = next((known for known in _OF_ENUM[name] if known is looked_up), None)
    assert isinstance(member, enum.Enum)
    inner = name if name != "__format__" else "__str__"
    shown = class_lookup(cls, inner)
    held = vars(member).get("_value_")
    if found is None or all(shown is not known for known in _OF_ENUM[inner]) or not _has_one_text(held):
        return None
    if type(vars(member).get("_name_")) is not str:
        return None
    if vars(cls).get("_value_repr_") not in _SHOWING_VALUES:
        return None
    for one in {name, inner}:
        m.assume_attribute(cls, one, class_lookup(cls, one))
    try:
        return str(found(member, spec) if name == "__format__" else format(found(member), spec))
    except ValueError:
        return None  # an error at run time


_OF_ENUM: Final[dict[str, tuple[Callable[..., object], ...]]] = {
    "__str__": (enum.Enum.__dict__["__str__"], int.__repr__, str.__str__),
    "__repr__": (enum.Enum.__dict__["__repr__"],),
    "__format__": (enum.Enum.__dict__["__format__"], int.__format__, str.__format__),
}
_SHOWING_VALUES: Final = (None, repr, int.__repr__, str.__repr__)


def _show(
    m: Machine, frame: Frame, op: Operation, name: str, args: list[AbstractValue]
) -> AbstractValue | None:
    text = _of_member(m, args[0], name) if len(args) == 1 else None
    if text is not None:
        m.validate(args[0])
        return m.known(text, m.state.age(args[0]))
    found = _method(m, frame, args[0], name) if len(args) == 1 else None
    if found is None:
        return None
    entered = enter(m, frame, op, library.shown, [Known(found[0]), args[0], Known(found[1])])
    return HANDLED if entered else None


def _str(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    found = str_of(m, frame, op, args)
    if found is None and len(args) == 1:
        found = _of_exception(m, frame, op, args[0], "__str__")
    return _show(m, frame, op, "__str__", args) if found is None else found


def _repr(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    found = _of_exception(m, frame, op, args[0], "__repr__") if len(args) == 1 else None
    return _show(m, frame, op, "__repr__", args) if found is None else found


def _has_one_text(value: object) -> bool:
    """Is this a plain value with one text everywhere?  Sets show an order, and long ints none at all."""
    try:
        return deep(value, unordered=False) and bool(repr(value))
    except ValueError:
        return False


def _of_exception(m: Machine, frame: Frame, op: Operation, value: AbstractValue, name: str) -> AbstractValue | None:
    """The text of an exception that exists during specialization only is one of its arguments."""
    entry = m.state.object(value)
    if entry is None or entry.kind != "exception":
        return None
    shown = class_lookup(entry.cls, name)
    given = arguments_of(entry)
    if not any(shown is known for known in _OF_EXCEPTIONS[name]):
        return None
    m.assume_attribute(entry.cls, name, shown)
    known = [item.value for item in given if type(item) is Known and _has_one_text(item.value)]
    if name == "__repr__":
        text = f"({known[0]!r})" if len(known) == 1 else repr(tuple(known))
        return Known(f"{_NAME_OF.__get__(entry.cls)}{text}") if len(known) == len(given) else None
    of_key = len(given) == 1 and shown is KeyError.__dict__["__str__"]
    if not given:
        return Known("")
    if len(given) > 1 and len(known) == len(given):
        return Known(repr(tuple(known)))
    one = given[0] if len(given) == 1 else m.virtual(VObject("tuple", tuple, given, site=(site(frame), "args")))
    call_value(m, frame, op, Known(repr if of_key else str), [one], [])
    return HANDLED


def _of_exception_in_field(m: Machine, frame: Frame, op: Operation, value: AbstractValue) -> AbstractValue | None:
    """The same within an f-string, without anything behind the colon."""
    entry = m.state.object(value)
    if entry is None or entry.kind != "exception":
        return None
    if op.attr == "":
        if class_lookup(entry.cls, "__format__") is not vars(object)["__format__"]:
            return None
        m.assume_attribute(entry.cls, "__format__", vars(object)["__format__"])
    name = "__repr__" if op.attr == "r" else "__str__"
    found = None if name == "__repr__" else str_of(m, frame, op, [value])
    return _of_exception(m, frame, op, value, name) if found is None else found


_NAME_OF: Final = type.__dict__["__name__"]
_OF_EXCEPTIONS: Final = {
    "__str__": (BaseException.__dict__["__str__"], KeyError.__dict__["__str__"]),
    "__repr__": (BaseException.__dict__["__repr__"],),
}


def _format(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    """A field of an f-string: the conversion is the operator's, what stands behind the colon an operand."""
    value, spec = args[0], args[1] if len(args) > 1 else _NO_SPEC
    plain = type(spec) is Known and type(spec.value) is str and op.attr in _ASKED
    text = _of_member(m, value, _ASKED[str(op.attr)], str(spec.value)) if plain else None  # type: ignore[union-attr]
    if text is not None:
        m.validate(value)
        m.set(frame, op, m.known(text, m.state.age(value)))
        return True
    if op.attr in _ASKED and plain and spec.value == "":  # type: ignore[union-attr]
        shown = _of_exception_in_field(m, frame, op, value)
        if shown is not None:
            if shown is not HANDLED:
                m.set(frame, op, shown)
            return True
    if op.attr in ("r", "s"):
        found = _method(m, frame, value, "__repr__" if op.attr == "r" else "__str__")
    elif op.attr == "":
        cls = own_class(m, value)
        if cls is None:
            return False
        if class_lookup(cls, "__format__") is not vars(object)["__format__"]:
            found = _method(m, frame, value, "__format__")
            return found is not None and enter(m, frame, op, library.formatted, [Known(found[0]), value, spec])
        if type(spec) is not Known or spec.value != "":
            return False
        m.assume_attribute(cls, "__format__", vars(object)["__format__"])
        found = _method(m, frame, value, "__str__")
        return found is not None and enter(m, frame, op, library.shown, [Known(found[0]), value, Known(found[1])])
    else:
        return False
    if found is None:
        return False
    return enter(m, frame, op, library.shown_within, [Known(found[0]), value, Known(found[1]), spec])


def _percent(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    """`template % (a, b)`: the one item that has such a method is shown, the others as in templates of their own."""
    template, values = args
    entry = m.state.object(values)
    items = entry.items if entry is not None and entry.kind == "tuple" and entry.cls is tuple else (values,)
    if type(template) is not Known or type(template.value) is not str:
        return False
    if sum(shows_itself(m, one) for one in items) != 1:
        return False
    fields = fields_of(template.value, len(items))
    literal = None if fields is None else _is_f_string(frame, op, fields)
    at = next(at for at, item in enumerate(items) if shows_itself(m, item))
    name = None if fields is None or literal is None else _OF_FIELDS.get(fields[at][0])
    found = None if name is None else _method(m, frame, items[at], name)
    if fields is None or found is None:
        return False
    text, (start, end) = template.value, fields[at].span()
    before, after = _around(m, text[:start], items[:at]), _around(m, text[end:], items[at + 1 :])
    shows = m.virtual(VObject("tuple", tuple, (Known(found[0]), items[at], Known(found[1]))))
    return enter(m, frame, op, library.shown_in_percent, [*before, shows, *after, Known(literal)])


def _around(m: Machine, template: str, items: tuple[AbstractValue, ...]) -> list[AbstractValue]:
    """A part of a template, and what it shows; without that it is a text."""
    text = template if items else template.replace("%%", "%")
    return [Known(text), m.virtual(VObject("tuple", tuple, items))]


def _is_f_string(frame: Frame, op: Operation, fields: list[re.Match[str]]) -> bool | None:
    """Does Python make an f-string of it: is the template a literal with fields for texts only, and are the values a
    tuple behind it?  None if that is not certain."""
    made = {value: one for one in frame.facts.function.operations() for value in one.results if value in op.args}
    template, values = made.get(op.args[0]), made.get(op.args[1])
    if template is None or template.name != "const" or values is None or values.name != "tuple":
        return False
    if template.span is None or values.span is None or op.span is None:
        return None
    if any(field[0][-1] not in "sra" for field in fields) or _place(values.span) < _place(op.span):
        return False
    return True if _place(template.span) == _place(op.span) else None


def _place(span: Span) -> tuple[int, int]:
    return span.line, span.column


_OF_FIELDS: Final = {"%s": "__str__", "%r": "__repr__"}

_ASKED: Final = {"": "__format__", "s": "__str__", "r": "__repr__"}
"""Which method the conversions of a field ask."""

MODELS[str] = _str
MODELS[repr] = _repr
OPERATOR_CALLS["format"] = _format
_other_mod = OPERATOR_CALLS["mod"]
OPERATOR_CALLS["mod"] = lambda m, frame, op, args: _percent(m, frame, op, args) or _other_mod(m, frame, op, args)
