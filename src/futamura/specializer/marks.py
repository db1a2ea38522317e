"""What the controls of `futamura.controls` do to abstract values.

    static(Known 3)    ->  Known 3, its provenance anew
    static(Dynamic)    ->  the event FT204 with the chain of reasons
    dynamic(Known 3)   ->  the residual constant 3 : int

Invariant: the value is the same object; only what is believed about it changes, and never to more than is true.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Final

from futamura import controls
from futamura.errors import Because
from futamura.ir.classes import is_a
from futamura.ir.constant import Constant
from futamura.ir.graph import Operation
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS, iterator_over
from futamura.specializer.origins import chain, segment
from futamura.specializer.policy import Event
from futamura.specializer.purity import deep
from futamura.specializer.residual import ResidualOperation
from futamura.specializer.situation import located
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual

__all__ = ["fold_pure", "unfolds", "unrolled"]

Keywords = list[tuple[str, AbstractValue]]

PEEKS: Final = 200
"""Reports of `peek` in one specialization: a loop need not say the same a thousand times."""


def _why(m: Machine, value: Dynamic) -> tuple[Because, ...]:
    for frame in m.state.frames:
        for number, content in frame.env.items():
            name = frame.facts.function.hints[number] if number >= 0 else None
            if type(content) is Dynamic and name:
                m.names.setdefault(content.rv, name)
    return chain(m, m.inputs, value.rv)


def _report(m: Machine, code: str, reason: str, value: AbstractValue, label: str = "") -> None:
    because = _why(m, value) if type(value) is Dynamic else ()
    line = m.span.line if m.span else 0
    event = Event(code, reason, because=because, label=label)
    m.events[code, f"{m.file}:{line}:{reason}"] = located(event, m.file, m.span, m.state)


def _static(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], words: Keywords
) -> AbstractValue | None:
    if len(args) != 1 or words:
        return None
    value = m.state.resolve(args[0])
    if type(value) is Dynamic:
        text = segment(m.file, op.span)
        _report(m, "FT204", f"`{text}` must be static here but is dynamic", value, "dynamic")
    m.validate(value)
    return value


def _promote(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], words: Keywords
) -> AbstractValue | None:
    if len(args) != 1 or words:
        return None
    m.validate(args[0])
    return args[0]


def _dynamic(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], words: Keywords
) -> AbstractValue | None:
    if len(args) != 1 or words:
        return None
    value = m.state.resolve(args[0])
    m.escape(value)  # code that stays may change it, and sees it under a name that we do not follow
    if type(value) is Known:
        # Not one of the constants that are made anew where they are used: this one is a value like any other.
        found, named = m.residual_value(), m.named.get(id(value.value))
        name, attr = ("const", Constant(value.value)) if named is None else ("global_get", named)
        m.block.ops.append(ResidualOperation(name, (), attr, (found,), m.span))
        return Dynamic(found, type(value.value))
    if type(value) is Virtual:
        kind = m.state.heap[value.oid].cls
        exact = kind if m.state.heap[value.oid].kind in ("list", "tuple", "dict", "instance") else None
        return Dynamic(m.lift(value), exact)
    return value


def _unroll(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], words: Keywords
) -> AbstractValue | None:
    if len(args) != 1 or words:
        return None
    value = m.state.resolve(args[0])
    entry = m.state.object(value)
    if entry is not None and entry.kind == "iterator":
        _never_age(m, value)
    elif iterator_over(m, frame, value) is not None:
        if op.results:
            m.unrolled.add((frame.facts.uid, op.results[0]))
    else:
        _report(m, "FT205", f"`{segment(m.file, op.span)}`: what is iterated over is not known", value, "not known")
    return args[0]


def _never_age(m: Machine, value: AbstractValue) -> None:
    for leaf in m.state.leaves(value):
        if type(leaf) is Virtual and m.state.heap[leaf.oid].kind == "iterator":
            m.unrolled.add(leaf.oid)


def unrolled(m: Machine, frame: Frame, op: Operation, iterator: AbstractValue) -> None:
    """`iterator` was made by `op`: does its loop have to be unrolled?"""
    if m.unrolled and (frame.facts.uid, op.args[0]) in m.unrolled:
        _never_age(m, iterator)


def _peek(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], words: Keywords) -> AbstractValue | None:
    if len(args) != 2 or words:
        return None
    label, value = args[0], m.state.resolve(args[1])
    title = label.value if type(label) is Known and type(label.value) is str else "value"
    if sum(code == "FT206" for code, _ in m.events) < PEEKS:
        _report(m, "FT206", f"{title} is {_described(m, value)}", value)
    return args[1]


def _described(m: Machine, value: AbstractValue) -> str:
    """What is known of a value, without running code of the program."""
    if type(value) is Known:
        content = value.value
        if type(content) in (int, float, bool, str, bytes, type(None)):
            text = repr(content) if type(content) is not int or content.bit_length() < 200 else "a long int"
            return f"static: {text if len(text) <= 60 else text[:56] + ' ...'}"
        if is_a(content, (type, types.FunctionType, types.BuiltinFunctionType)):
            return f"static: {content.__qualname__}"
        return f"static: {type(content).__name__} object"
    if type(value) is Virtual:
        entry = m.state.heap[value.oid]
        if entry.kind in ("list", "tuple", "dict"):
            known = sum(type(m.state.resolve(item)) is Known for item in entry.items)
            return f"partly static: {entry.kind} of {len(entry.items)}, {known} of them known"
        return f"partly static: {entry.cls.__name__} made during specialization"
    assert type(value) is Dynamic
    return "dynamic" if value.type is None else f"dynamic: {value.type.__name__}"


KEYWORD_MODELS.update(
    {
        controls.static: _static,
        controls.dynamic: _dynamic,
        controls.promote: _promote,
        controls.unroll: _unroll,
        controls.peek: _peek,
    }
)


UNFOLDED: Final = 16
"""Activations of an `@inline` function within itself under dynamic control: each may double the code."""


def unfolds(m: Machine, facts: FunctionFacts) -> bool:
    """Is this a function that the program wants unfolded in recursion, and not too often already?"""
    return facts.unfolded and sum(frame.facts is facts for frame in m.state.frames) < UNFOLDED


def fold_pure(m: Machine, function: object, args: list[AbstractValue], keywords: Keywords) -> AbstractValue | None:
    """The result of a function that the program declared pure, on known immutable arguments."""
    values = [*args, *(value for _, value in keywords)]
    if not all(type(value) is Known and deep(value.value, unordered=False) for value in values):
        return None
    known = [value.value for value in values if type(value) is Known]
    call: Callable[..., object] = function  # type: ignore[assignment]
    words = dict(zip((name for name, _ in keywords), known[len(args) :], strict=True))
    try:
        result = call(*known[: len(args)], **words)
    except Exception:  # whatever it raises, it is to be raised when the program runs
        return None
    if not deep(result):
        return None
    return m.known(result, max((m.older(value) for value in values), default=0))
