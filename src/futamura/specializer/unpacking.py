"""Unpacking of generators and other iterators that run code: their items are taken in line.

    left, right = (compile(part) for part in parts)    ->    the generator runs twice, and once more to its end

`library.up_to` takes as many items as Python would ask for; when it returns, the running frame unpacks its list.
"""

from __future__ import annotations

from types import FunctionType

from futamura.ir.graph import Operation
from futamura.specializer import library
from futamura.specializer.generators import is_generator
from futamura.specializer.machine import Machine
from futamura.specializer.rules import OPERATOR_CALLS
from futamura.specializer.state import Frame
from futamura.specializer.stepping import is_stepping
from futamura.specializer.values import AbstractValue, Known

__all__: list[str] = []


def _unpack(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    value = args[0]
    if not (is_generator(m, value) or is_stepping(m, value)):
        return False
    assert isinstance(op.attr, tuple)
    before, starred, after = op.attr
    taker = library.list_of if starred else library.up_to
    assert isinstance(taker, FunctionType)
    facts = m.resolve(taker)
    frames = m.state.frames
    if facts is None or len(frames) >= m.budget.depth or any(f.facts is facts and f.dynamic for f in frames):
        return False
    values = [value] if starred else [value, Known(before + after)]
    env = dict(zip(facts.function.entry.params, values, strict=True))
    frames.append(Frame(facts, env, (*frame.chain, (frame.facts.uid, op.id)), purpose="unpack"))
    m.folded += 1
    return True


OPERATOR_CALLS["unpack"] = _unpack
