"""Heaps and sorted lists of known items: the functions of `heapq` and `bisect` are computed.

    heappush(heap, (3, "c"))     heap [(1, "a"), (5, "b")]     ->    heap [(1, "a"), (5, "b"), (3, "c")]
    heappop(heap)                                              ->    (1, "a"), and heap [(3, "c"), (5, "b")]

Invariant: items are exact constants of builtin classes, so that comparing them runs no code of the program; the library
itself says what becomes of the list, and where it raises the call stays.
"""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any, Final

from futamura.ir.graph import Operation
from futamura.specializer.machine import Machine
from futamura.specializer.models import MODELS
from futamura.specializer.purity import deep
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, Virtual

__all__ = ["computed"]


def computed(function: Callable[..., Any]) -> Callable[..., AbstractValue | None]:
    """What `function` does with a list of this call, all of whose items are known."""

    def model(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
        target = m.state.resolve(args[0]) if args else None
        held = m.state.object(target) if target is not None else None
        if held is None or held.kind != "list" or type(target) is not Virtual:
            return None
        items = [m.state.resolve(item) for item in held.items]
        known = [one for one in (*items, *args[1:]) if type(one) is Known and deep(one.value, unordered=False)]
        if len(known) != len(items) + len(args) - 1:
            return None
        values = [one.value for one in known]
        row: list[Any] = values[: len(items)]
        try:
            result = function(row, *values[len(items) :])
        except Exception:
            return None
        age = max((m.state.age(one) for one in known), default=0)
        m.state.heap[target.oid] = held._replace(items=tuple([m.known(value, age) for value in row]))
        return m.known(result, age)

    return model


_FUNCTIONS: Final = (
    heapq.heapify, heapq.heappush, heapq.heappop, heapq.heapreplace, heapq.heappushpop,
    bisect.insort_left, bisect.insort_right,
)  # fmt: skip

for _function in _FUNCTIONS:
    MODELS[_function] = computed(_function)
