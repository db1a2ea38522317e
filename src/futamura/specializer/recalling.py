"""Reads of objects that grow: the code behind goes on in one way for each known value that was stored (see `stored`).

    x, pc = frames.pop()    ->    if type(pc) is int: if pc == 7: ...; elif pc == 14: ...;    general code for the rest

Invariant: each value is told by an exact test; the way that no test leads to believes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.handing_over import parts
from futamura.specializer.machine import Machine
from futamura.specializer.residual import ResidualBlock, ResidualEnd
from futamura.specializer.rules import RULES, Rule
from futamura.specializer.speculation import class_of, other_way, test
from futamura.specializer.state import Frame, State
from futamura.specializer.stored import SCALARS, Field
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual
from futamura.specializer.worth import counting

__all__ = ["recall"]


_READING: Final = ("getattr", "getitem", "unpack", "call")


def recall(m: Machine) -> None:
    """If there are objects that grow, reads are followed by tests from now on."""
    if len(m.versions.noshape):
        m.rules.update({name: counting(name, _recalling(RULES[name])) for name in _READING})


def _recalling(rule: Rule) -> Rule:
    """The rule, and then a way for each of few values that were read."""

    def recalled(m: Machine, frame: Frame, op: Operation) -> None:
        if m.state.general:
            rule(m, frame, op)
            return
        count, source = m.emitted, frame.env[op.args[0]]
        fields = _fields(m, frame, op)
        rule(m, frame, op)
        if fields and m.emitted != count and m.alive and m.state.top is frame:
            if op.name == "call" and m.versions.stored.waits(fields[0]):
                m.end("unreachable")  # until something is stored, or all else is done
                return
            _go_on(m, op, fields, source, _told(frame, op))

    return recalled


def _fields(m: Machine, frame: Frame, op: Operation) -> Sequence[Field]:
    """What of an open object is read into the results of the operation."""
    source = m.get(frame, op.args[0])
    taken = _taken(m, frame, op, source) if op.name == "call" else ()
    if m.catching_frame() is not None:
        return ()  # each test would leave the try statement once more
    if op.name == "call":
        return taken
    if type(source) is not Dynamic or source.rv in m.inputs:
        return ()
    if op.name == "getattr":
        assert isinstance(op.attr, str)
        return (op.attr,)
    if not frame.facts.deciding.is_taken(op.args[0]):
        return ()
    if op.name == "getitem":
        key = m.get(frame, op.args[1])
        return (key.value,) if type(key) is Known and type(key.value) is int else ()
    assert isinstance(op.attr, tuple)
    return tuple(range(op.attr[0])) if op.attr[1:] == (False, 0) else ()


def _taken(m: Machine, frame: Frame, op: Operation, function: AbstractValue) -> tuple[Field, ...]:
    """What `returns.pop()` takes from a list that is real; what `returns.append(pc)` puts there is stored."""
    method = m.state.object(function)
    if method is None or method.kind != "method" or type(m.state.resolve(method.items[0])) is not Dynamic:
        return ()
    name = frame.facts.deciding.holder(op)
    if method.extra == "append" and len(op.args) == 2 and name is not None:
        m.versions.stored.store(("of", name), m.get(frame, op.args[1]))
    return (("of", name),) if method.extra == "pop" and len(op.args) == 1 and name is not None else ()


def _told(frame: Frame, op: Operation) -> list[tuple[Field, Known]]:
    """What is known of other fields of the same object, which were read before in the same block."""
    ops = frame.facts.blocks[frame.block].ops[: frame.index - 1]
    found: list[tuple[Field, Known]] = []
    for read in ops if op.name in ("getattr", "getitem") else ():
        value = frame.env.get(read.results[0]) if read.results else None
        if read.name != op.name or read.args[0] != op.args[0] or type(value) is not Known:
            continue
        key = frame.env.get(read.args[1]) if op.name == "getitem" else None
        field = read.attr if op.name == "getattr" else key.value if type(key) is Known else None
        if isinstance(field, (str, int)):
            found.append((field, value))
    return found


def _go_on(
    m: Machine, op: Operation, fields: Sequence[Field], source: AbstractValue, before: Sequence[tuple[Field, Known]]
) -> None:
    arms = [(m.state, m.block)]
    for field, result in zip(fields, op.results):
        value = m.state.top.env.get(result)
        if type(value) is not Dynamic or not m.state.top.facts.deciding.is_used(result):
            continue
        found: list[tuple[State, ResidualBlock]] = []
        for state, block in arms:
            m.state, m.block = state, block
            told = [(at, state.top.env[other]) for at, other in zip(fields, op.results)]
            known = [*before, *[(at, one) for at, one in told if type(one) is Known]]
            choices = m.versions.stored.few(field, known)
            if type(source) is Dynamic and not known and choices and m.versions.stored.was_read(source.rv, field):
                choices = ()  # what several fields hold would be told apart in all combinations
            found += _branch(m, result, value, choices) if choices else [(state, block)]
        arms = found
    m.pending.extend(reversed(arms[:-1]))
    m.state, m.block = arms[-1]


def _branch(m: Machine, result: int, value: Dynamic, choices: Sequence[Known]) -> list[tuple[State, ResidualBlock]]:
    """The ways for the choices: those that are told by identity first, then numbers or texts, told by class."""
    for active in m.state.frames:
        active.dynamic = True
    other = other_way(m, real=True, anew=False, before=_hand_over)
    state, arms = m.state, []
    kind: type | None = None
    for choice in choices:
        if type(choice.value) in SCALARS and kind is None:
            kind = type(choice.value)
            test(m, m.emit("is", (class_of(m, value), Known(kind)), type=bool, raises=False), other)
        asked = Dynamic(value.rv, kind) if kind is not None else value
        same = m.emit("is" if kind is None else "eq", (asked, choice), type=bool, raises=False)
        if choice is choices[-1]:
            test(m, same, other)
            break
        then, otherwise = ResidualBlock(place=state.regions()), ResidualBlock(place=state.regions())
        then.origin = otherwise.origin = (state.top.facts, state.top.block)
        m.block.end = ResidualEnd("branch", (same.rv,), (then, otherwise), None, m.span, state.top.facts)
        m.block = otherwise
        arms.append((state.copy(), then))
    arms.append((state, m.block))
    for (arm, _), choice in zip(arms, choices, strict=True):
        arm.top.env[result] = choice
    return arms


def _hand_over(m: Machine) -> None:
    """General code gets what the objects that it works on hold: what is believed of that is given up there alone."""
    parts(m, [Virtual(oid) for oid, entry in m.state.heap.items() if entry.kind != "forward"])


