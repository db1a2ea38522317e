"""Calls that pass on what they were given: `f(*args, **options)`.

    f(*(1, x), **{"a": y})             f(1, x, a=y)
    f(x, **options), options open      if not options: ...the body of f
                                       else: f(x, **options)

Many callers give no options at all, and those that do get the call as it stands.

Invariant: that a dict is empty is believed of it for the one call in front of which it was asked.
"""

from __future__ import annotations

import keyword
from types import FunctionType, MethodType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.containers import dict_pairs
from futamura.specializer.dispatching import fork
from futamura.specializer.machine import Machine
from futamura.specializer.models import Keywords
from futamura.specializer.purity import is_mutable
from futamura.specializer.rules import sequence_items
from futamura.specializer.state import Frame, State
from futamura.specializer.values import AbstractValue, Dynamic, Known, Shape

__all__ = ["branch_on_options", "forget_emptiness", "is_writable_name", "spread_arguments"]


def is_writable_name(name: str) -> bool:
    """Can source text name a keyword argument or an attribute so?  Other letters than ASCII may be normalized."""
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name) and name != "__debug__"


def spread_arguments(
    m: Machine, args: list[AbstractValue], shape: object
) -> tuple[list[AbstractValue], Keywords] | None:
    """Positional and keyword arguments with splats of known shape expanded; None if a splat's shape is unknown."""
    if shape is None:
        return args, []
    assert isinstance(shape, tuple)
    positional: list[AbstractValue] = []
    keywords: Keywords = []
    for mark, arg in zip(shape, args, strict=True):
        if mark == "":
            positional.append(arg)
        elif mark == "*":
            found = sequence_items(m, arg)
            if found is None:
                return None
            positional.extend(found[1])
        elif mark == "**":
            pairs = [] if _is_empty(arg) else dict_pairs(m, arg)
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


_EMPTY: Final = Shape(length=0)


def _is_empty(value: AbstractValue) -> bool:
    return type(value) is Dynamic and value.type is dict and value.shape == _EMPTY


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
    if any(type(leaf) is Known and is_mutable(leaf.value) for arg in (function, *args) for leaf in m.state.leaves(arg)):
        return False  # the call that stays may write to it, so nothing of it would be known
    for active in m.state.frames:
        active.dynamic = True
    frame.index -= 1
    state, value = m.state, op.args[at + 1]

    def way(number: int) -> State:
        arm = state.copy()
        arm.top.forked = True
        if number == 0:
            arm.top.env[value] = Dynamic(options.rv, dict, _EMPTY)
        return arm

    fork(m, frame, 2, lambda number: ("not", (options,)), way)
    return True


def _may_be_entered(m: Machine, function: AbstractValue) -> bool:
    entry = m.state.object(function)
    if entry is not None:
        return entry.kind == "function" or (entry.kind == "bound" and _may_be_entered(m, entry.items[0]))
    value = function.value if type(function) is Known else None
    if is_a(value, MethodType):
        value = value.__func__
    return type(value) is FunctionType and m.resolve(value) is not None


def forget_emptiness(frame: Frame, op: Operation) -> None:
    """The call in front of which it was asked is about to happen."""
    for arg in op.args:
        found = frame.env.get(arg)
        if found is not None and _is_empty(found):
            assert type(found) is Dynamic
            frame.env[arg] = Dynamic(found.rv, dict)
