"""Where specialization stands: the calls that are being executed, with what is known of their variables.

    def run(code, x):                          in: step(op='add', x=?)  machine.py:9
        for op in code: x = step(op, x)   ->   in: run(code=<list of 3>, x=?, op='add')

The innermost call comes first; a place says where the call was made.  `?` is a value that is not known, `...` one that
is not needed any more.

Invariant: no code of the program runs, and the text depends on nothing but the state.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from futamura.errors import Because
from futamura.ir.graph import Span
from futamura.showing import shown
from futamura.source import Place
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.library import is_own
from futamura.specializer.policy import Event
from futamura.specializer.state import Frame, State
from futamura.specializer.values import AbstractValue, Known, Virtual

__all__ = ["located", "situation", "standing"]

CALLS: Final = 4
"""Calls that are shown, innermost first."""
LOCALS: Final = 3
"""Variables that are no parameters and are shown: plain known ones, such as an instruction pointer."""
WIDTH: Final = 24
_PLAIN: Final = (int, str, bool, type(None))


def located(event: Event, file: str, span: Span | None, state: State) -> Event:
    """The event with its place and the calls around it."""
    return replace(event, file=file, span=span, line=0 if span is None else span.line, context=situation(state))


def standing(state: State) -> tuple[FunctionFacts, Span | None]:
    """The function of the program that runs, and where it does; where it calls a builtin, if a function of ours stands
    for that and runs."""
    frames = state.frames
    at = next((at for at in range(len(frames) - 1, 0, -1) if not is_own(frames[at].facts.namespace)), 0)
    facts, block = frames[at].facts, frames[at].facts.blocks[frames[at].block]
    if frames[at + 1 :]:
        return facts, _calling(frames[at], frames[at + 1])
    return facts, next((op.span for op in block.ops if op.span is not None), block.terminator.span)


def situation(state: State) -> tuple[Because, ...]:
    """One line for each call on the stack."""
    lines: list[Because] = []
    frames = state.frames
    for depth in range(len(frames) - 1, max(-1, len(frames) - 1 - CALLS), -1):
        if depth == 0:
            lines.append(Because(_call(state, frames[0])))
            continue
        caller = frames[depth - 1]
        span = _calling(caller, frames[depth])
        place = None if span is None else Place(*span)
        lines.append(Because(_call(state, frames[depth]), caller.facts.function.file, place))
    if len(frames) > CALLS:
        lines.append(Because(f"{len(frames) - CALLS} more calls"))
    return tuple(lines)


def _calling(caller: Frame, callee: Frame) -> Span | None:
    """Where `caller` made the call: the operation that the callee's chain ends with."""
    last = callee.chain[-1] if callee.chain else None
    if isinstance(last, tuple) and len(last) == 2 and last[0] == caller.facts.uid:
        return next((op.span for op in caller.facts.function.operations() if op.id == last[1]), None)
    return None


def _call(state: State, frame: Frame) -> str:
    """`run(code=<list of 3>, x=?, pc=4)`: the parameters, and then what is plain and known besides."""
    function = frame.facts.function
    found: dict[str, AbstractValue] = {}
    for number in sorted(frame.env):
        name = function.hints[number] if number >= 0 else None
        if name:
            found[name] = state.resolve(frame.env[number])
    names = function.signature.names
    words = [f"{name}={_text(state, found[name]) if name in found else '...'}" for name in names]
    others = [
        f"{name}={shown(value.value, WIDTH)}"
        for name, value in found.items()
        if name not in names and name.isidentifier() and type(value) is Known and type(value.value) in _PLAIN
    ]
    return f"{function.qualname}({', '.join(words + others[:LOCALS])})"


def _text(state: State, value: AbstractValue) -> str:
    if type(value) is Known:
        return shown(value.value, WIDTH)
    if type(value) is Virtual:
        entry = state.heap[value.oid]
        return (
            f"<{entry.cls.__name__} of {len(entry.items)}>"
            if entry.kind in ("list", "tuple", "dict")
            else (f"<{entry.cls.__name__}>")
        )
    return "?"
