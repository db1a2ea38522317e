"""Places in private lists: a list, a value and a distance from it.

    getitem v1, v7 (v7 = add v5, 2)       (v1, v5, 2)
    setitem v9, v1, v8 (v8 = const 3)     (v1, None, 3)

Two places of one list with different distances from the same value are different, as long as the list is longer than
the distance between them: an index from the end is the other one less the length.

Invariant: what is not told apart may be the same place.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Value
from futamura.optimize.inference import Inference
from futamura.optimize.shapes import NOTHING

__all__ = ["Place", "Places"]


class Place(NamedTuple):
    """`list[base + distance]`; without a base the distance is the index, counted from the start."""

    list: Value
    base: Value | None
    distance: int


class Places:
    """The places that the operations of one function are about."""

    def __init__(self, inference: Inference) -> None:
        self._inference: Final = inference
        self._known: Final[dict[Value, tuple[Value | None, int]]] = {}

    def of(self, op: Operation) -> Place | None:
        """The place that an operation loads from or stores to; None if it is none of a private list."""
        if op.name == "getitem":
            target, index = op.args
        elif op.name == "setitem":
            _, target, index = op.args
        else:
            return None
        mine = self._inference.private.get(target)
        shapes = self._inference.operands.get(op.id)  # none, if no way leads there
        if mine is None or shapes is None or op.id not in mine.ops or shapes[-1].type not in ("int", "bool"):
            return None
        base, distance = self._affine(index)
        if base is None and distance < 0 and mine.length is not None:
            distance += mine.length
        return Place(target, base, distance)

    def apart(self, one: Place, other: Place) -> bool:
        """Are these different places for sure?"""
        if one.list != other.list:
            return True
        if one.base != other.base or one.distance == other.distance:
            return False
        length = self._inference.private[one.list].length
        return length is not None and abs(one.distance - other.distance) < length

    def _affine(self, value: Value) -> tuple[Value | None, int]:
        trail: list[tuple[Value, int]] = []
        known = self._known
        while value not in known:
            made = self._inference.definitions.get(value)
            step = self._step(made) if made is not None else None
            if step is None:
                constant = made.attr.value if made is not None and isinstance(made.attr, Constant) else None
                known[value] = (None, int(constant)) if type(constant) in (int, bool) else (value, 0)  # type: ignore[call-overload]
                break
            trail.append((value, step[1]))
            value = step[0]
        base, distance = known[value]
        for at, moved in reversed(trail):
            distance += moved
            known[at] = (base, distance)
        return base, distance

    def _step(self, made: Operation) -> tuple[Value, int] | None:
        """`x + c` or `x - c` of exact integers: x and the distance."""
        if made.name not in ("add", "iadd", "sub", "isub"):
            return None
        shapes = self._inference.operands.get(made.id, (NOTHING, NOTHING))
        if any(shape.type != "int" for shape in shapes):
            return None
        minus = made.name.endswith("sub")
        constant = shapes[1].constant
        if constant is not None and isinstance(constant.value, int):
            return made.args[0], -constant.value if minus else constant.value
        constant = shapes[0].constant
        if constant is not None and isinstance(constant.value, int) and not minus:
            return made.args[1], constant.value
        return None
