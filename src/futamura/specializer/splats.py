"""Calls that pass on what they were given: `f(*args, **options)`.

    f(*(1, x), **{"a": y})             f(1, x, a=y)
    f(x, *TABLE), TABLE static         f(x, "a", "b")
    f(x, **options), options open      if not options: ...the body of f
                                       else: f(x, **options)

    self.run(x, **options)             if not names.isdisjoint(options): self.run(x, **options)      (a TypeError)
    def run(self, x, **given): ...     ...the body of run, where given = {**options}

    template.render(**context)         context = options(context, names, ...): a dict with strings, or the call's error
    def render(self, **context): ...   ...the body of render

A function that collects options and gets all its other parameters is entered whatever the options are, for one that is
called like a parameter is an error.  Of others many callers give none, and those that do get the call as it stands.

The keys of what collects keywords are strings; of another dict they may be anything, which is an error, too.

Invariant: what was asked of a dict is believed of it for the one call in front of which it was asked.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from types import FunctionType, MethodType
from typing import Final

from futamura import runtime
from futamura.controls import is_marked
from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.binding import OWN
from futamura.specializer.callables import is_code
from futamura.specializer.containers import dict_pairs
from futamura.specializer.dispatching import fork
from futamura.specializer.handing_over import hand_over
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS, Keywords, iterable_items
from futamura.specializer.plain_copies import plainly
from futamura.specializer.purity import is_mutable
from futamura.specializer.raising import operands_in_generator, raise_value
from futamura.specializer.rules import sequence_items, site
from futamura.specializer.state import Frame, State
from futamura.specializer.values import AbstractValue, Dynamic, Known, Shape, VObject

__all__ = [
    "branch_on_options", "clashes", "collected", "forget", "is_writable_name", "items_of_stars", "spread_arguments",
    "with_own_options",
]  # fmt: skip


def is_writable_name(name: str) -> bool:
    """Can source text name a keyword argument or an attribute so?  Other letters than ASCII may be normalized."""
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name) and name != "__debug__"


def items_of_stars(
    m: Machine, frame: Frame, op: Operation, function: AbstractValue, args: list[AbstractValue]
) -> list[AbstractValue]:
    """The arguments, with a tuple of their items in place of starred dicts, views, sets, texts, ranges and iterators.

    An iterator is used up by that, and so it has to be the only one; if the items of one are not known, all stay.
    """
    stars = [at for at, mark in enumerate(op.attr) if mark == "*"] if isinstance(op.attr, tuple) else []
    others = [at for at in stars if sequence_items(m, args[at]) is None]
    most = m.budget.virtual_length if is_code(m, function) else _MOST_TAKEN
    given = [*args]
    for at in others:
        held = m.state.object(args[at])
        is_iterator = held is not None and held.kind == "iterator"
        items = None if is_iterator and len(stars) > 1 else iterable_items(m, args[at])
        if items is None or (len(items) > most and not is_iterator):
            return args
        given[at] = m.virtual(VObject("tuple", tuple, items, site=(site(frame), "star", at)))
    return given


def spread_arguments(
    m: Machine, function: AbstractValue, args: list[AbstractValue], shape: object
) -> tuple[list[AbstractValue], Keywords] | None:
    """Positional and keyword arguments with splats of known shape expanded, for code of the program also those of known
    length; None if that of a splat is unknown."""
    if shape is None:
        return args, []
    assert isinstance(shape, tuple)
    positional: list[AbstractValue] = []
    keywords: Keywords = []
    for mark, arg in zip(shape, args, strict=True):
        if mark == "":
            positional.append(arg)
        elif mark == "*":
            found = sequence_items(m, plainly(m, arg, "__iter__", "__len__", "__length_hint__"))
            items = found[1] if found is not None else _items_of_tuple(m, arg) if is_code(m, function) else None
            if items is None:
                return None
            positional.extend(items)
        elif mark == "**" and _told(arg) in (_APART, OWN):
            keywords.append(("**", arg))
        elif mark == "**":
            pairs = [] if _told(arg) is _EMPTY else dict_pairs(m, arg)
            if pairs is None:
                return None
            for name, value in pairs:
                if type(name) is not Known or type(name.value) is not str or not is_writable_name(name.value):
                    return None
                keywords.append((name.value, value))
        else:
            keywords.append((mark, arg))
    if len({name for name, _ in keywords}) < len(keywords):
        return None  # an error that names the function
    return positional, keywords


def _items_of_tuple(m: Machine, value: AbstractValue) -> Sequence[AbstractValue] | None:
    """The items of an open tuple whose length is known, taken apart here."""
    shape = value.shape if type(value) is Dynamic and value.type is tuple else None
    if shape is None or shape.length is None or not 0 <= shape.length <= _MOST_TAKEN:
        return None
    if not shape.length:
        return ()
    made = m.emit_many("unpack", (value,), (shape.length, False, 0), results=shape.length, raises=False)
    if shape.element is None:
        return made
    m.types.update((item.rv, shape.element) for item in made)
    return [Dynamic(item.rv, shape.element) for item in made]


def collected(
    m: Machine, function: AbstractValue, args: list[AbstractValue], shape: object
) -> tuple[list[AbstractValue], Keywords] | None:
    """`f("a", *rest)` of a tuple or list of open length, as what a function collects that has no other parameter left
    to fill; None of other calls."""
    if not isinstance(shape, tuple) or shape.count("*") != 1 or "**" in shape:
        return None
    at = shape.index("*")
    rest = args[at]
    if any(shape[:at]) or type(rest) is not Dynamic or rest.type not in (tuple, list):
        return None
    value, bound = _function(m, function)
    facts = None if value is None or is_marked(value, "pure") or value in KEYWORD_MODELS else m.resolve(value)
    if facts is None or facts.function.signature.varargs is None:
        return None
    signature = facts.function.signature
    if bound + at < len((*signature.posonly, *signature.regular)) or "" in shape[at:]:
        return None
    return args[:at], [("*", rest), *zip(shape[at + 1 :], args[at + 1 :])]


_MOST_TAKEN: Final = 16
"""Longer tuples are passed on as they are."""
_EMPTY: Final = Shape(length=0)
_APART: Final = Shape(length=-1)
"""Of options that are not called like a parameter of the function."""
_CLASHING: Final = Shape(length=-2)


def _told(value: AbstractValue) -> Shape | None:
    """What was asked of these options in front of the call."""
    if type(value) is not Dynamic or value.type is not dict or value.shape is None:
        return None
    return next((shape for shape in (_EMPTY, _APART, _CLASHING, OWN) if value.shape is shape), None)


def branch_on_options(
    m: Machine, frame: Frame, op: Operation, function: AbstractValue, args: list[AbstractValue]
) -> bool:
    """Go on with the call that stands before `frame.index` in two ways, if nothing but one `**` is not known of it."""
    if frame.forked or not isinstance(op.attr, tuple) or len(m.state.frames) >= m.budget.depth // 2:
        return False
    at = op.attr.index("**") if op.attr.count("**") == 1 else -1
    options = args[at]
    if at < 0 or type(options) is not Dynamic or options.type is not dict or options.shape is not None:
        return False
    others = [arg for mark, arg in zip(op.attr, args, strict=True) if mark == "*"]
    if any(sequence_items(m, arg) is None for arg in others) or not _may_be_entered(m, function):
        return False
    if type(function) is Known and all(type(m.state.resolve(arg)) is Dynamic for arg in args):
        return False  # nothing would be known inside
    names = _parameters(m, function, args, op.attr) if op.args[at + 1] == frame.facts.options else None
    leaves = (leaf for arg in (function, *args) for leaf in m.state.leaves(arg))
    if names is None and any(type(leaf) is Known and is_mutable(leaf.value) for leaf in leaves):
        return False  # the call that stays may write to it, so nothing of it would be known
    for active in m.state.frames:
        active.dynamic = True
    frame.index -= 1
    state, value = m.state, op.args[at + 1]
    shapes, asked = (_EMPTY, _EMPTY), options
    if names is not None:
        shapes = (_CLASHING, _APART)
        disjoint = m.emit("getattr", (Known(frozenset(names)),), "isdisjoint", raises=False)
        asked = m.emit("call", (disjoint, options), type=bool, raises=False)

    def way(number: int) -> State:
        arm = state.copy()
        arm.top.forked = True
        if number == 0 or names is not None:
            arm.top.env[value] = Dynamic(options.rv, dict, shapes[number])
        return arm

    fork(m, frame, 2, lambda number: ("not", (asked,)), way)
    return True


def with_own_options(
    m: Machine, frame: Frame, op: Operation, function: AbstractValue, args: list[AbstractValue]
) -> list[AbstractValue]:
    """The arguments with a dict of its own in place of options of any class, where the function that is called collects
    them, and something is known in it."""
    marks = op.attr
    if not isinstance(marks, tuple) or marks.count("**") != 1:
        return args
    at = marks.index("**")
    options = args[at]
    if type(options) is not Dynamic or options.shape is not None or op.args[at + 1] == frame.facts.options:
        return args
    others = [arg for mark, arg in zip(marks, args, strict=True) if mark == "*"]
    if any(sequence_items(m, arg) is None for arg in others) or not _may_be_entered(m, function):
        return args
    called, names = _function(m, function)[0], _parameters(m, function, args, marks)
    if called is None or names is None or (type(function) is Known and not _knows_any(m, args)):
        return args
    hand_over(m, (options,))
    told = (Known(frozenset(names)), Known(called.__module__), Known(called.__qualname__))
    asked, shape = operands_in_generator(m, (Known(runtime.options), options, *told), None)
    made = m.emit("call", asked, shape, type=dict)
    return [*args[:at], Dynamic(made.rv, dict, OWN), *args[at + 1 :]]


def _knows_any(m: Machine, args: Sequence[AbstractValue]) -> bool:
    return any(type(m.state.resolve(arg)) is not Dynamic for arg in args)


def _parameters(
    m: Machine, function: AbstractValue, args: list[AbstractValue], marks: tuple[str, ...]
) -> tuple[str, ...] | None:
    """The names that no option may have, if the function collects all others and is given all its parameters."""
    value, bound = _function(m, function)
    if value is None or is_marked(value, "pure") or value in KEYWORD_MODELS:
        return None
    if any(mark not in ("", "*", "**") for mark in marks):
        return None
    facts = m.resolve(value)
    if facts is None or facts.function.signature.varkw is None:
        return None
    signature = facts.function.signature
    for mark, arg in zip(marks, args, strict=True):
        found = sequence_items(m, arg) if mark == "*" else None
        bound += 1 if mark == "" else 0 if found is None else len(found[1])
    if signature.kwonly or bound < len((*signature.posonly, *signature.regular)):
        return None
    return signature.regular


def clashes(m: Machine, op: Operation, function: AbstractValue, args: list[AbstractValue]) -> bool:
    """Raise the TypeError, if this is the way where an option is called like a parameter."""
    options = next((arg for arg in args if _told(arg) is _CLASHING), None)
    if options is None:
        return False
    assert isinstance(op.attr, tuple)
    called, names = _function(m, function)[0], _parameters(m, function, args, op.attr)
    assert called is not None and names is not None
    said = called.__qualname__.replace("{", "{{").replace("}", "}}") + "() got multiple values for argument '{}'"

    def made(function: AbstractValue, *values: AbstractValue) -> AbstractValue:
        return m.emit("call", (function, *values), raises=False)

    contains = m.emit("getattr", (Known(frozenset(names)),), "__contains__", raises=False)
    first = made(Known(next), made(Known(filter), contains, options))
    text = made(m.emit("getattr", (Known(said),), "format", raises=False), first)
    raise_value(m, m.emit("call", (Known(TypeError), text), type=TypeError, raises=False))
    return True


def _function(m: Machine, function: AbstractValue) -> tuple[FunctionType | None, int]:
    """The function that is called, and to how many arguments it is bound."""
    entry = m.state.object(function)
    bound = 0
    while entry is not None and entry.kind == "bound":
        function, bound = m.state.resolve(entry.items[0]), bound + 1
        entry = m.state.object(function)
    value = function.value if type(function) is Known else None
    if is_a(value, MethodType):
        value, bound = value.__func__, bound + 1
    return (value, bound) if type(value) is FunctionType else (None, 0)


def _may_be_entered(m: Machine, function: AbstractValue) -> bool:
    value, _ = _function(m, function)
    if value is not None:
        return m.resolve(value) is not None
    entry = m.state.object(function)
    while entry is not None and entry.kind == "bound":
        entry = m.state.object(entry.items[0])
    return entry is not None and entry.kind == "function"


def forget(frame: Frame, op: Operation) -> None:
    """The call in front of which it was asked is about to happen."""
    for arg in op.args:
        found = frame.env.get(arg)
        if found is not None and _told(found) is not None:
            assert type(found) is Dynamic
            frame.env[arg] = Dynamic(found.rv, dict)
