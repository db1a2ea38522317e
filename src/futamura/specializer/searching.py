"""`bisect` of an open value among a few known numbers or texts: its comparisons, and a way for each place.

    rates[bisect(edges, x)]     edges [10, 20, 35]     ->     if x < 20:
                                                                  if x < 10: ... rates[0] ...
                                                                  else: ... rates[1] ...
                                                              elif x < 35: ...

The ways meet where those of look-ups in known tables meet (`choosing.py`), and what stands there has to be short.

Invariant: the items that `bisect` compares with are compared, in its order and with the same operand on the left, and
the answers are asked for their truth.  The items are of builtin classes: of two of one other class `bisect` may ask
`__lt__` twice.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.choosing import count_choice, mark_choice
from futamura.specializer.machine import Machine
from futamura.specializer.models import HANDLED, MODELS, Model
from futamura.specializer.residual import ResidualBlock
from futamura.specializer.rules import exact_type, may_raise, result_type
from futamura.specializer.sorting import computed
from futamura.specializer.state import Frame, State
from futamura.specializer.values import AbstractValue, Dynamic, Known
from futamura.specializer.worth import MOST_COPIED, SEARCHED, copied_behind

__all__: list[str] = []

_MOST: Final = 16
"""Items that are compared with."""
_SEARCHED: Final = frozenset({int, float, str, bytes})
_ASKED: Final = frozenset({None, bool, *_SEARCHED})


def _items(m: Machine, value: AbstractValue) -> Sequence[Known] | None:
    """The items of a list or tuple, if they are few and known."""
    entry = m.state.object(value)
    items: Sequence[AbstractValue] = ()
    if entry is not None and entry.kind in ("list", "tuple") and entry.cls in (list, tuple):
        items = [m.state.resolve(item) for item in entry.items[: _MOST + 1]]
    elif type(value) is Known and (type(value.value) is tuple or (type(value.value) is list and m.frozen(value.value))):
        assert isinstance(value.value, (tuple, list))
        items = [Known(item) for item in value.value[: _MOST + 1]]
    known = [item for item in items if type(item) is Known and type(item.value) in _SEARCHED]
    return known if items and len(known) == len(items) <= _MOST else None


def _search(
    m: Machine, frame: Frame, op: Operation, items: Sequence[Known], wanted: Dynamic, *, behind: bool
) -> None:
    """Go on in one way for each place that the search may end at."""
    result = op.results[0]
    arms: list[tuple[State, ResidualBlock]] = []

    def between(low: int, high: int) -> None:
        if low == high:
            m.state.top.env[result] = Known(low)
            arms.append((m.state, m.block))
            return
        middle = (low + high) // 2
        operands = (wanted, items[middle]) if behind else (items[middle], wanted)
        types = [exact_type(m, operand) for operand in operands]
        kind = bool if m.world.compares_to_bool("lt", types) else result_type("lt", types)
        less = m.emit("lt", operands, type=kind, raises=may_raise("lt", types))
        if kind is not bool:
            less = m.emit("truth", (less,), type=bool)
        state = m.state
        then, otherwise = ResidualBlock(place=state.regions()), ResidualBlock(place=state.regions())
        then.origin = otherwise.origin = (frame.facts, frame.block)
        m.end("branch", (less.rv,), (then, otherwise))
        m.alive = True
        m.state, m.block = state.copy(), then
        between(*((low, middle) if behind else (middle + 1, high)))
        m.state, m.block = state, otherwise
        between(*((middle + 1, high) if behind else (low, middle)))

    between(0, len(items))
    m.pending.extend(reversed(arms))
    m.alive = False


def _model(known: Model, *, behind: bool) -> Model:
    def model(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
        found = known(m, frame, op, args)
        if found is not None or len(args) != 2 or not op.results:
            return found
        wanted = args[1]
        if type(wanted) is not Dynamic or exact_type(m, wanted) not in _ASKED or m.versions.polyvariance == "none":
            return None
        items = _items(m, args[0])
        place = ("choice", frame.facts.uid, op.id)
        if items is None or place in m.refused or m.style.every_block:
            return None
        if copied_behind(m.state.frames, op.results[0], left=True) * (len(items) + 1) > MOST_COPIED:
            return None
        if type(args[0]) is Known:
            m.validate(args[0])
            for item in items:
                m.reads(args[0].value, item.value)
        table = m.world.index_of(tuple, [item.value for item in items], range(len(items)))
        count_choice(m, place, id(table), len(items) + 1)
        mark_choice(m, frame, op)
        m.saved += SEARCHED
        _search(m, frame, op, items, wanted, behind=behind)
        return HANDLED

    return model


MODELS[bisect.bisect_right] = _model(computed(bisect.bisect_right), behind=True)
MODELS[bisect.bisect_left] = _model(computed(bisect.bisect_left), behind=False)
