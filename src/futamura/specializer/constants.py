"""Objects of the immutable builtin classes of `decimal` and `datetime`, made of known arguments.

    total * Decimal("0.19")             ->    total * _decimal                   made once, with the residual
    due + timedelta(days=LIMITS["x"])         due + _duration
    OPENS > CLOSES                            False             of two times that are known

Equal arguments give one object, so that it tells no versions apart; the program may tell by `is` that two calls got it.
What depends on a context or a locale is left: what a `Decimal` computes, texts that are no plain numbers, time zones.

Invariant: making it reads nothing but the arguments, sets no flag of a context, and raises nothing.
"""

from __future__ import annotations

import decimal
import re
from typing import Final

from futamura.ir.graph import Operation
from futamura.ir.ops import OPERATORS
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_MODELS, KeywordModel, Keywords
from futamura.specializer.purity import IMMUTABLE, is_mutable
from futamura.specializer.rules import SPECIAL
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, token_key

__all__: list[str] = []

_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{0,40})?", re.ASCII)
_LARGEST: Final = 1 << 128
_ASKING: Final = ("eq", "ne", "lt", "le", "gt", "ge", "truth", "not")


def _maker(cls: type) -> KeywordModel:
    """What a call of this class gives."""

    def model(
        m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
    ) -> AbstractValue | None:
        values = [arg.value for arg in args if type(arg) is Known]
        named = {name: value.value for name, value in keywords if type(value) is Known}
        if len(values) < len(args) or len(named) < len(keywords) or not _is_made(cls, values, named):
            return None
        key = (*map(token_key, values), *((name, token_key(value)) for name, value in named.items()))
        try:
            made = m.world.constant_of(cls, key, lambda: cls(*values, **named))
        except (TypeError, ValueError, OverflowError):
            return None  # it stays, and raises that
        return m.known(made, max((m.state.age(arg) for arg in (*args, *dict(keywords).values())), default=0))

    return model


def _is_made(cls: type, values: list[object], named: dict[str, object]) -> bool:
    if cls is decimal.Decimal:
        return len(values) < 2 and not named and all(map(_is_plain_number, values))
    return all(type(value) is int and abs(value) < _LARGEST for value in (*values, *named.values()))


def _is_plain_number(value: object) -> bool:
    """Is this an int, or a text, out of which every context makes the same?"""
    if type(value) is int:
        return abs(value) < _LARGEST
    return type(value) is str and _NUMBER.fullmatch(value) is not None


def _asked(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """Two known ones of one class, compared; is a known one true?"""
    values = [arg.value for arg in args if type(arg) is Known]
    kinds = set(map(type, values))
    if len(values) < len(args) or len(kinds) != 1 or not kinds <= IMMUTABLE or any(map(is_mutable, values)):
        return None
    if any(type(value) is decimal.Decimal and not value.is_finite() for value in values):
        return None  # comparing what is no number raises, or sets a flag
    name = op.operator.name if op.operator.name in _ASKING else "truth"  # `bool(value)` is a call
    evaluate = OPERATORS[name].evaluate
    assert evaluate is not None
    return Known(bool(evaluate(tuple(values), None)))


for _class in IMMUTABLE:
    KEYWORD_MODELS[_class] = _maker(_class)
for _name in _ASKING:
    SPECIAL.setdefault(_name, []).insert(0, _asked)
