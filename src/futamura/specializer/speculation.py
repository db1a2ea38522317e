"""Tests that keep what is known of static objects: what is likely goes on specialized, the rest in general code.

    self.acc + 1     nothing known of self.acc: an `__add__` may look at self.pc, and write it
                     ->  if type(acc) is int: acc + 1, and self.pc stays known
                         else: self.pc is stored back and forgotten, acc + 1, ...
    xs[n]            ->  if type(xs) is list and type(n) is int: ...

The other way of a test forgets all that was kept aside and tests nothing further: the ways of all tests come together
in one general program.

Invariant: a test stands before its operation does anything; the other way does the operation anew.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.confined import confined
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.residual import ResidualBlock, ResidualEnd
from futamura.specializer.state import GENERAL, Frame, State
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual

__all__ = ["class_of", "in_general", "likely", "other_way", "outside", "test"]

_LIKELY: Final = (int, float, str)
_INDEX: Final = {"getitem": (1,), "setitem": (2,), "delitem": (1,)}
"""Which operand of an access to a sequence is its index."""


def likely(m: Machine, frame: Frame, op: Operation, name: str, args: Sequence[AbstractValue]) -> list[AbstractValue]:
    """The operands of an operator, after a test of their classes if that keeps what is known of static objects."""
    args = list(args)
    if m.state.general or not _worth(m.state) or not _starts(m, frame, op):
        return args
    if m.catching_frame() is not None:
        return args  # each test would leave the try statement once more
    if confined(m.state, name, args, op.attr):
        return args
    guess = int if name in _INDEX else _class_of_others(args)
    places = _INDEX.get(name, range(len(args)))
    guesses = dict.fromkeys(places, guess)
    if name in _INDEX and _is_whole(args[_INDEX[name][0]]):
        guesses[_INDEX[name][0] - 1] = list
    unknown = {arg.rv: arg for at in guesses if type(arg := args[at]) is Dynamic and arg.type is None}
    kinds = {arg.rv: kind for at, kind in guesses.items() if type(arg := args[at]) is Dynamic}
    refined = {rv: Dynamic(rv, kinds[rv], arg.shape, arg.classes) for rv, arg in unknown.items()}
    tried = [refined.get(arg.rv, arg) if type(arg) is Dynamic else arg for arg in args]
    if not unknown or not confined(m.state, name, tried, op.attr):
        return args
    other = other_way(m)
    for arg in unknown.values():
        if arg.rv in m.inputs:
            m.guessed.setdefault(m.inputs[arg.rv], kinds[arg.rv])
        test(m, m.emit("is", (class_of(m, arg), Known(kinds[arg.rv])), type=bool, raises=False), other)
    _refine(m.state, refined)
    return tried


def outside(m: Machine, frame: Frame, op: Operation, index: Dynamic, part: tuple[int, int, int]) -> Dynamic | None:
    """The index of a store into a list or bytearray, after tests that it is an int and not in a part of it, which is
    given with the length of the whole; None if it cannot be tested here."""
    low, high, length = part
    if m.state.general or not _starts(m, frame, op) or m.catching_frame() is not None:
        return None
    if index.type not in (int, None):
        return None
    other = other_way(m, real=True)
    if index.type is None:
        test(m, m.emit("is", (class_of(m, index), Known(int)), type=bool, raises=False), other)
        index = Dynamic(index.rv, int, index.shape, index.classes)
        _refine(m.state, {index.rv: index})
    if length - high >= low:
        test(m, m.emit("le", (Known(high), index), type=bool, raises=False), other)
        return index
    test(m, m.emit("le", (Known(0), index), type=bool, raises=False), other)
    test(m, m.emit("lt", (index, Known(low)), type=bool, raises=False), other)
    return index


def _worth(state: State) -> bool:
    """Is anything known that general code would make us forget?"""
    return any(type(content) is not Dynamic for content, _ in state.overlays.values())


def _starts(m: Machine, frame: Frame, op: Operation) -> bool:
    """Does the running frame execute this very operation, so that it can be done anew?"""
    if m.state.frames[-1] is not frame or not frame.index:
        return False
    ops = frame.facts.blocks[frame.block].ops
    return ops[frame.index - 1] is op


def _class_of_others(args: Sequence[AbstractValue]) -> type:
    """The class that makes an operator with these operands a plain one."""
    for arg in args:
        kind = type(arg.value) if type(arg) is Known else arg.type if type(arg) is Dynamic else None
        if kind in _LIKELY:
            assert kind is not None
            return kind
    return int


def _is_whole(index: AbstractValue) -> bool:
    """May this be an index into a list?  What such an index is asked of most likely is one."""
    kind = type(index.value) if type(index) is Known else index.type if type(index) is Dynamic else None
    return kind is int or (type(index) is Dynamic and kind is None)


def class_of(m: Machine, value: Dynamic) -> Dynamic:
    """The class of an open value, asked at run time."""
    intact = m.state.intact
    kind = m.emit("call", (Known(type), value), raises=False)
    m.state.intact = intact
    return kind


_STATE: Final = frozenset({"list", "dict", "set", "deque", "instance", "memory"})


def _make_real(m: Machine) -> None:
    """Make what the program changes real: what is learned of such objects in general code holds for all code."""
    for oid, entry in list(m.state.heap.items()):
        if entry.kind in _STATE and m.state.heap[oid].kind != "forward":
            with contextlib.suppress(Unsupported):
                m.lift(Virtual(oid))


def other_way(
    m: Machine, *, real: bool = False, anew: bool = True, before: Callable[[Machine], None] | None = None
) -> ResidualBlock:
    """The start of the way that goes on in general code, with the operation that runs now or, if not `anew`, behind it;
    what is done there before anything is made real."""
    state, block = m.state.copy(), ResidualBlock(place=m.state.regions())
    block.constants, block.unlikely = dict(m.block.constants), not anew
    for active in state.frames:
        active.dynamic = True
    state.top.index -= anew
    here = (m.state, m.block)
    m.state, m.block = state, block
    in_general(m, before, real=real)
    m.pending.append((m.state, m.block))
    m.state, m.block = here
    return block


def in_general(m: Machine, before: Callable[[Machine], None] | None = None, *, real: bool = True) -> None:
    """From here on the state goes on in general code."""
    m.state.general = GENERAL
    m.observe()
    if before is not None:
        before(m)
    if real:
        _make_real(m)


def test(m: Machine, condition: Dynamic, other: ResidualBlock) -> None:
    """Go on in a new block if the condition holds."""
    taken = ResidualBlock(place=m.state.regions())
    taken.constants = dict(m.block.constants)
    m.block.end = ResidualEnd("branch", (condition.rv,), (taken, other), None, m.span, m.state.top.facts)
    m.block = taken


def _refine(state: State, refined: dict[int, Dynamic]) -> None:
    """From here on these values are known by their class, wherever they are held."""

    def better(value: AbstractValue) -> AbstractValue:
        return refined.get(value.rv, value) if type(value) is Dynamic else value

    for frame in state.frames:
        frame.env.update({slot: better(value) for slot, value in frame.env.items()})
    for oid, entry in state.heap.items():
        if any(type(item) is Dynamic and item.rv in refined for item in entry.items):
            state.heap[oid] = entry._replace(items=tuple([better(item) for item in entry.items]))
    for place, (content, kept) in state.overlays.items():
        state.overlays[place] = (better(content), kept)
