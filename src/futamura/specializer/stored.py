"""What objects that grow hold: where it is one of few known values, the code behind a read is copied for each.

    frames.append((x, pc)) ... x, pc = frames.pop()         pc was 7 or 14 wherever it was stored:
    ->    if pc == 7: what is behind the first call          the machine goes on there, and knows where it is
          elif pc == 14: what is behind the second one
          else: general code, which a value takes that something else has put there

Each field counts for itself, by its name or its place, whatever objects have it: it takes part as long as nothing open
is ever stored in a field of that name or place.

Invariant: nothing is believed: a value that was read is compared with those that were stored, and may be another one.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from futamura.specializer.keys import is_among
from futamura.specializer.knowledge import Knowledge, Learned
from futamura.specializer.state import State
from futamura.specializer.values import AbstractValue, Known, Virtual, VObject, token_key

__all__ = ["SCALARS", "Field", "Stored"]

Field: TypeAlias = "str | int | tuple[str, str]"
"""An attribute's name, an item's place, or `("of", name)`: any item of the list that an attribute or a variable of this
name holds."""

FEW: Final = 12
"""More known values than these are no few."""
_ROW: Final = 2
"""Lists of fewer items will have more."""
_PLACES: Final = 8
"""Items behind these places are not looked at."""
SCALARS: Final = (int, str)
"""Values that are told by their class and by what they equal."""
_IDENTITIES: Final = (bool, types.NoneType, types.FunctionType, type, tuple, list, dict)
"""Those that are told by what they are."""
_TOLD: Final = frozenset(SCALARS).union(_IDENTITIES)


class Stored:
    """The known values that were stored in the fields of objects that are built at run time."""

    def __init__(self, knowledge: Knowledge, growing: Learned[object]) -> None:
        self._growing: Final = growing
        """The sites of objects that grow."""
        self._values: Final[dict[Field, dict[object, Known]]] = {}
        self._rows: Final[dict[frozenset[tuple[Field, object]], None]] = {}
        """What is known of all fields of an object, with the tokens of the values."""
        self._open: Final = Learned[Field](knowledge)
        self._more: Final = Learned[tuple[Field, int]](knowledge)
        """With a number: there are more known values than so many."""
        self._waiting: Final[set[Field]] = set()
        self._first: Final[dict[int, Field]] = {}
        self.late = False
        """Did somebody who asked get another answer than is known now?"""

    def store(self, field: Field, value: AbstractValue) -> None:
        if type(value) is not Known or type(value.value) not in _TOLD:
            if not self.late:  # what comes then will not come again
                self.late = self._open.learn(field)
            return
        values = self._values.setdefault(field, {})
        token = token_key(value.value)
        if token not in values:
            values[token] = Known(value.value)
            self.late = self._more.learn((field, len(values) - 1)) or self.late

    def store_all(self, entry: VObject) -> None:
        """An object is made real: all that it holds is stored."""
        fields: Sequence[Field] = range(len(entry.items))
        if entry.kind == "instance":
            fields = [str(name) for name in entry.names]
        elif entry.kind not in ("tuple", "list") or len(entry.items) > _PLACES:
            return
        elif entry.kind == "list" and (len(entry.items) < _ROW or is_among(self._growing, entry.site)):
            return  # where the items of a list that grows stand says nothing
        for field, item in zip(fields, entry.items):
            self.store(field, item)
        known = [(field, token_key(item.value)) for field, item in zip(fields, entry.items) if type(item) is Known]
        self._rows.setdefault(frozenset(known))

    def store_growing(self, state: State) -> None:
        """What grows is made real at the header of a loop, with all that it reaches."""
        seen: set[int] = set()
        for oid, entry in state.heap.items():
            if is_among(self._growing, entry.site):
                for leaf in state.leaves(Virtual(oid), seen):
                    if type(leaf) is Virtual:
                        self.store_all(state.heap[leaf.oid])

    def store_operand(self, name: str, args: Sequence[AbstractValue], attr: object) -> None:
        """An operation stores something in an object that is real."""
        if name == "setattr":
            self.store(str(attr), args[0])
        elif name == "setitem" and type(args[2]) is Known and type(args[2].value) is int:
            self.store(args[2].value, args[0])

    def waits(self, field: Field) -> bool:
        """Has nothing been stored yet that could be read?  Then the way behind the read is not known yet."""
        if field in self._open or self._values.get(field):
            return False
        self._waiting.add(field)
        return (field, 0) not in self._more

    def was_read(self, source: int, field: Field) -> bool:
        """Was another field of this residual value told apart before this one?"""
        return self._first.setdefault(source, field) != field

    def settle(self) -> None:
        """Nothing else is to be done: what nothing was stored in holds what is not seen."""
        for field in sorted(self._waiting, key=str):
            if not self._values.get(field):
                self.late = self._open.learn(field) or self.late
        self._waiting.clear()

    def few(self, field: Field, told: Iterable[tuple[Field, Known]] = ()) -> Sequence[Known]:
        """The known values that the field may hold where others are told, as far as one knows, in the order of the
        tests; none if it may be anything else."""
        if field in self._open:
            return ()
        values = self._values.get(field, {})
        if (field, len(values)) in self._more or len(values) > FEW:
            return ()
        others = {(other, token_key(known.value)) for other, known in told}
        if others:
            rows = [row for row in self._rows if others <= row]
            values = {token: value for token, value in values.items() if any((field, token) in row for row in rows)}
        scalars = [value for value in values.values() if type(value.value) in SCALARS]
        if len({type(value.value) for value in scalars}) > 1:
            return ()
        return [*[value for value in values.values() if value not in scalars], *scalars]
