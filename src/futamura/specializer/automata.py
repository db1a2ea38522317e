"""The states of one static table among the values of a residual function, and what becomes of what is done with them.

    state = "idle"                              "idle", what rows of TABLE give, and the parameters that get them are
    for event in events:                        states; they have to be rows where TABLE is asked for one ("row"), what
        state = TABLE[state].get(event, state)  is taken out of a row is a row then ("get")
    return state                                the state itself is needed

All that a state is made of has to be known, and all that is made of it without a look at it is a state, too: so it is a
row everywhere, or nowhere.  Of a table whose keys are pairs the row of a state has the second parts.

Invariant: what is left out was seen to be right for each state that a value can be (`finite.py`).
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from futamura.ir.graph import Operation
from futamura.ir.nesting import loop_forest
from futamura.specializer.finite import Finite
from futamura.specializer.plainness import hashable, is_told_plainly
from futamura.specializer.purity import class_lookup, deep
from futamura.specializer.relinked import TESTS, Layout, Linked
from futamura.specializer.values import token_key

__all__ = ["MOST_ENTRIES", "Automaton", "loop_depths"]

MOST_ROWS: Final = 256
MOST_ENTRIES: Final = 4096
"""Of all linked rows together."""
MOST_TOLD: Final = 8
MOST_TESTS: Final = 48
"""So many rows are told apart by their identity, and with so many tests in all."""
_OF_A_PAIR: Final = 3
"""A look-up by a pair takes as long as so many that are left out by which rows are found."""
_OF_A_LOOK_UP: Final = 100
_OF_MEMBERS: Final = 700
"""Tenths of a nanosecond that a look-up of a state takes; members of enumerations compute their hashes in Python."""
_SHOWS_KEYS: Final = sys.version_info >= (3, 14)
"""Does the error for a key that has no hash name the class of the key?"""
_MINUS_ONE: Final = 1546275796
"""The hash of tuples whose hash would be -1."""


def loop_depths(edges: list[list[int]]) -> dict[int, int]:
    """How many loops the blocks lie in that lie in one."""
    found: dict[int, int] = {}
    for loop in loop_forest(edges, 0):
        for node in loop.nodes:
            found[node] = max(found.get(node, 0), loop.depth)
    return found


class Automaton:
    """The values that are states of one table."""

    def __init__(
        self, finite: Finite, items: Callable[[object], Mapping[object, object] | None], table: object
    ) -> None:
        self._finite: Final = finite
        self._items: Final = items
        self._table: Final = table
        self._fails = False
        self._pairs: Final = items(table) or {}
        self._flat: Final = bool(self._pairs) and all(type(at) is tuple and len(at) == 2 for at in self._pairs)
        self._firsts: Final = {at[0] for at in self._pairs if isinstance(at, tuple)} if self._flat else set[object]()
        self._owners: Final[dict[int, object]] = {}
        """By the identity of a row a state that has it."""
        if not self._flat:
            rows = [(one, row) for one, row in self._pairs.items() if one is not None and type(row) is dict]
            self._owners.update((id(row), one) for one, row in rows)
        self._uses: Final[dict[int, list[Operation]]] = {}
        self._blocks: Final[dict[int, int]] = {}
        """By the id of an operation its block."""
        self.states: Final[set[int]] = set()
        """The values that will be linked rows, and constants that stand for one."""
        self.found: Final[set[int]] = set()
        """Those that are rows of the table."""
        self.late: Final[dict[int, Operation]] = {}
        """Pairs that are made where they are needed."""
        self.entries: dict[object, Mapping[object, object]] = {}
        """By the token of a state its row."""
        self.names: Final[dict[object, object]] = {}
        self.ways: Final[dict[int, str]] = {}
        """By the id of an operation what becomes of it (see `relinked`)."""
        self._gains: Final[list[Operation]] = []
        self._needed: Final[set[tuple[int, int]]] = set()
        """By block and value where a state itself is needed."""
        self._asked: Final[set[tuple[int, int]]] = set()
        """Where it is compared."""
        self._pairwise = False
        self._depths: Final = loop_depths(finite.flow.successors)
        whole = len(finite.flow.order) == len(finite.function.blocks)
        if not self._pairs or not whole or (self._flat and (type(table) is list or _SHOWS_KEYS)):
            self._fails = True
            return
        for block in finite.function.blocks:
            for op in block.ops:
                self._blocks[op.id] = block.id
                for arg in op.args:
                    self._uses.setdefault(arg, []).append(op)
        self._connect()
        if not self._fails:
            self._look_at_uses()

    # -- the values

    def _connect(self) -> None:
        """The values that have to be rows if one that is looked up is."""
        work = [op.args[1] for op in self._finite.function.operations() if self._is_look_up(op)]
        if self._flat:
            work = [pair.args[0] for at in work if (pair := self._finite.pair(at)) is not None]
            firsts = [one for first in work for one in (self._finite.anywhere(first) or {}).values()]
            self._firsts.update(one for one in firsts if is_told_plainly(one) and hashable(one))
        params = self._params()
        while work and not self._fails:
            value = work.pop()
            if value in self.states:
                continue
            known = self._finite.anywhere(value)
            if not known or not all(map(_is_name, known.values())):
                self._fails = True
                return
            self.states.add(value)
            work.extend(self._beside(value, params))
        self._close()

    def _params(self) -> dict[int, list[int]]:
        """What the parameters of blocks are given."""
        found: dict[int, list[int]] = {}
        for block in self._finite.function.blocks:
            end = block.terminator
            for at, edge in enumerate(end.edges):
                params = self._finite.function.blocks[edge.target].params
                for param, arg in zip(params[1:] if end.name == "next" and at == 0 else params, edge.args):
                    found.setdefault(param, []).append(arg)
            if block.handler is not None:
                params = self._finite.function.blocks[block.handler.target].params
                for param, arg in zip(params[1:], block.handler.args):
                    found.setdefault(param, []).append(arg)
        return found

    def _is_look_up(self, op: Operation) -> bool:
        if op.name == "getitem":
            table: int | None = op.args[0]
        elif op.name in ("in", "not_in"):
            table = op.args[1] if self._flat else None
        else:
            table = self._finite.method(op, "get") if self._flat and len(op.args) in (2, 3) else None
        held = None if table is None else self._finite.constant(table)
        return held is not None and held.value is self._table

    def _row_of(self, value: int) -> int | None:
        """The state of which this is the row."""
        op = self._finite.made.get(value)
        while op is not None and op.name == "copy":
            op = self._finite.made.get(op.args[op.results.index(value)])
            value = op.results[0] if op is not None else value
        return op.args[1] if op is not None and op.name == "getitem" and self._is_look_up(op) else None

    def _beside(self, value: int, params: Mapping[int, list[int]]) -> Iterator[int]:
        """What the value is made of, and what is made of it without a look at it."""
        finite = self._finite
        op = finite.made.get(value)
        if op is not None and op.name == "const":
            return
        if op is None:
            yield from params.get(value, ())
        elif op.name == "copy":
            yield op.args[op.results.index(value)]
        else:
            yield from self._taken_with(op)
        for param, args in params.items():
            if value in args and (known := finite.anywhere(param)) and all(map(is_told_plainly, known.values())):
                yield param
        for user in self._uses.get(value, ()):
            if user.name == "copy":
                yield user.results[user.args.index(value)]
            elif self._default(user) == value or (self._is_look_up(user) and not self._flat):
                yield from self._given_by(user)
            elif self._flat and user.name == "tuple" and finite.pair(user.results[0]) is user:
                for taker in self._uses.get(user.results[0], ()):
                    if self._is_look_up(taker) and taker.name not in ("in", "not_in"):
                        yield taker.results[0]

    def _taken_with(self, op: Operation) -> Iterator[int]:
        """The states that have to be rows if what `op` takes out of a row is one; fails if it takes it elsewhere."""
        finite = self._finite
        taking = op.args[0] if op.name == "getitem" else finite.method(op, "get")
        if taking is None or len(op.args) not in (2, 3):
            self._fails = True
            return
        if self._flat:
            pair = finite.pair(op.args[1]) if self._is_look_up(op) else None
            state = None if pair is None else pair.args[0]
        else:
            state = self._row_of(taking)
        if state is not None:
            yield state
        elif not self._flat and (held := finite.constant(taking)) is not None and id(held.value) in self._owners:
            self.found.add(taking)
        else:
            self._fails = True
            return
        default = self._default(op)
        if default is not None:
            yield default

    def _default(self, op: Operation) -> int | None:
        return op.args[2] if op.name == "call" and len(op.args) == 3 and self._finite.method(op, "get") else None

    def _given_by(self, op: Operation) -> Iterator[int]:
        """What is taken out of the row that `op` looks up, or what a look-up with this default gives."""
        if op.name == "call":
            table = self._finite.method(op, "get")
            if table is not None and (self._row_of(table) is not None or (self._flat and self._is_look_up(op))):
                yield op.results[0]
            return
        work = [op.results[0]]
        while work:
            row = work.pop()
            for user in self._uses.get(row, ()):
                if user.name == "copy":
                    work.append(user.results[user.args.index(row)])
                elif user.name == "getitem" and user.args[0] == row:
                    yield user.results[0]
                elif user.name == "getattr" and user.attr == "get":
                    yield from [call.results[0] for call in self._uses.get(user.results[0], ()) if call.name == "call"]

    # -- the rows

    def _close(self) -> None:
        """The rows of all states, and of those that these lead to."""
        work = [(token, one) for value in self.states for token, one in (self._finite.anywhere(value) or {}).items()]
        for value in self.found:
            held = self._finite.constant(value)
            assert held is not None
            owner = self._owners[id(held.value)]
            work.append((token_key(owner), owner))
        size = 0
        while work and not self._fails:
            token, state = work.pop()
            if token in self.entries or not self.has_row(state):
                continue
            row = self._row(state)
            kept = row is not None and _is_name(state) and all(map(is_told_plainly, row.values()))
            if row is None or not kept or not _are_apart(row):
                self._fails = True
                return
            self.entries[token], self.names[token] = row, state
            size += len(row)
            if size > MOST_ENTRIES or len(self.entries) > MOST_ROWS:
                self._fails = True
            work.extend((token_key(item), item) for item in row.values())

    def has_row(self, state: object) -> bool:
        """None has none: that is what a row gives where it has no such key."""
        if state is None or not hashable(state):
            return False
        if type(self._table) is list:
            return type(state) in (int, bool) and 0 <= int(state) < len(self._pairs)  # type: ignore[call-overload]
        return state in (self._firsts if self._flat else self._pairs)

    def _row(self, state: object) -> Mapping[object, object] | None:
        if not self._flat:
            row = self._pairs[state]
            return self._items(row) if type(row) is dict else None
        found: dict[object, object] = {}
        for at, item in self._pairs.items():
            assert isinstance(at, tuple)
            if at[0] is state or at[0] == state:
                if hash(at) == _MINUS_ONE or not any(map(_is_seeded, at)):
                    return None
                found[at[1]] = item
        return found

    # -- the uses

    def _look_at_uses(self) -> None:
        function = self._finite.function
        for number in self._finite.flow.order:
            block = function.blocks[number]
            for op in block.ops:
                way = self._way(number, op)
                if way:
                    self.ways[op.id] = way
                else:
                    self._need(number, op.args)
            end = block.terminator
            if end.name != "jump":
                self._need(number, end.args)
            for at, edge in enumerate(end.edges):
                params = function.blocks[edge.target].params[1 if end.name == "next" and at == 0 else 0 :]
                self._need(number, [arg for param, arg in zip(params, edge.args) if param not in self.states])
            if block.handler is not None:
                params = function.blocks[block.handler.target].params[1:]
                for param, arg in zip(params, block.handler.args):
                    if (arg in self.states and param not in self.states) or self._finite.constant(arg):
                        self._fails = self._fails or arg in self.states
                    self._fails = self._fails or arg in self.found or arg in self.late
        for value in self.states:  # what gives one gives a row
            made = self._finite.made.get(value)
            if made is not None and made.name != "const" and made.id not in self.ways:
                self._fails = True

    def _need(self, block: int, values: Sequence[int]) -> None:
        """These have to be what they are in the program."""
        for value in values:
            if value in self.late:
                self._need(block, self.late[value].args)
            if value in self.states and self._finite.constant(value) is None:
                self._needed.add((block, value))
            self._fails = self._fails or (value in self.found and self._finite.constant(value) is None)

    def _way(self, block: int, op: Operation) -> str:
        """What becomes of an operation; empty if it needs states themselves, or none."""
        if op.name == "copy":
            for arg, result in zip(op.args, op.results):
                self._fails = self._fails or (arg in self.states) != (result in self.states)
                if arg in self.found:
                    self._fails = self._fails or self._finite.constant(arg) is not None
                    self.found.add(result)
            return "copy"
        way = self._way_by_pairs(block, op) if self._flat else self._way_by_rows(block, op)
        return way or self._way_of_test(block, op)

    def _way_by_rows(self, block: int, op: Operation) -> str:
        if self._is_look_up(op):
            if op.args[1] not in self.states or not self._all_have_rows(op.args[1], block):
                return ""
            self.found.add(op.results[0])
            self._gains.append(op)
            return "row"
        table = self._finite.method(op, "get")
        if op.name == "getitem" and op.args[0] in self.found:
            self._need(block, op.args[1:])
            return self._taking("take", op.results)
        if op.name == "getattr" and op.args[0] in self.found:
            return "method" if self._is_only_called(op) else ""
        if table is not None and table in self.found:
            self._need(block, op.args[1:2])
            return self._taking("get", (*op.results, *op.args[2:]))
        if op.name in ("in", "not_in") and op.args[1] in self.found:
            self._need(block, op.args[:1])
            return "in"
        return ""

    def _way_by_pairs(self, block: int, op: Operation) -> str:
        finite = self._finite
        if op.name == "tuple" and finite.pair(op.results[0]) is op:
            return self._way_of_pair(op)
        if op.name == "getattr" and (held := finite.constant(op.args[0])) is not None and held.value is self._table:
            users = self._uses.get(op.results[0], ())
            alone = self._is_only_called(op) and all(map(self._is_by_pair, users))
            return "gone" if alone else ""
        if not self._is_by_pair(op):
            return ""
        asks = op.name in ("in", "not_in")
        pair = finite.pair(op.args[0] if asks else op.args[1])
        if pair is None or any(self.ways.get(made.id) != "gone" for made in (pair, *self._method_of(op))):
            self._fails = True
            return ""
        self._need(block, pair.args[1:])
        if op.name == "getitem" and any(item is None for row in self.entries.values() for item in row.values()):
            self._fails = True
        self._gains.extend([op] * _OF_A_PAIR)
        default = op.args[2:] if op.name == "call" else ()
        return "by pair" if asks else self._taking("by pair", (*op.results, *default))

    def _way_of_pair(self, op: Operation) -> str:
        """A pair that is only looked up is gone; one that is needed once more, behind the loop, is made there."""
        users = self._uses.get(op.results[0], [])
        others = [user for user in users if not self._is_by_pair(user)]
        if op.args[0] not in self.states or len(others) == len(users) or self._is_passed(op.results[0]):
            return ""
        if others:
            (other,) = others if len(others) == 1 else (op,)
            if self._depths.get(self._blocks[other.id]) or other.args.count(op.results[0]) != 1 or other.name == "copy":
                return ""
            self.late[op.results[0]] = op
        return "gone"

    def _method_of(self, op: Operation) -> list[Operation]:
        return [self._finite.made[op.args[0]]] if op.name == "call" else []

    def _taking(self, way: str, results: Sequence[int]) -> str:
        """What is taken out of a row, or stands in for it, has to be a row if it can be a state that has one."""
        for value in results:
            known = self._finite.anywhere(value)
            if value not in self.states and (known is None or any(map(self.has_row, known.values()))):
                self._fails = True
        return way

    def _is_by_pair(self, op: Operation) -> bool:
        """Is a pair of a state and something else looked up?"""
        if not self._is_look_up(op):
            return False
        pair = self._finite.pair(op.args[0] if op.name in ("in", "not_in") else op.args[1])
        if pair is None or pair.args[0] not in self.states or (op.name == "call" and op.args.count(op.args[0]) > 1):
            return False
        return self._all_have_rows(pair.args[0], self._blocks[op.id])

    def _is_only_called(self, method: Operation) -> bool:
        """Is a method `get` only called, without keywords and stars?"""
        (value,) = method.results
        for user in self._uses.get(value, ()):
            called = self._finite.method(user, "get") == method.args[0] and len(user.args) in (2, 3)
            if not called or user.args.count(value) > 1:
                return False
        return method.attr == "get" and not self._is_passed(value)

    def _is_passed(self, value: int) -> bool:
        blocks = self._finite.function.blocks
        edges = [edge for block in blocks for edge in (*block.terminator.edges, block.handler) if edge is not None]
        return any(value in edge.args for edge in edges) or any(value in block.terminator.args for block in blocks)

    def _all_have_rows(self, value: int, block: int) -> bool:
        known = self._finite.of(value, block)
        return bool(known) and known is not None and all(map(self.has_row, known.values()))

    def _way_of_test(self, block: int, op: Operation) -> str:
        """Is it a question that the row answers?"""
        if op.name in ("truth", "not") and self._is_state(op.args[0]):
            known = self._finite.of(op.args[0], block) or {}
            rows = [(one, self.entries[at]) for at, one in known.items() if self.has_row(one)]
            return "as it is" if all(deep(one) and bool(one) and row for one, row in rows) else ""
        if op.name not in TESTS or self.answer(block, op) is None:
            return ""
        self._asked.update((block, arg) for arg in op.args if self._is_state(arg))
        return "test"

    def _is_state(self, value: int) -> bool:
        return value in self.states and self._finite.constant(value) is None

    def answer(self, block: int, op: Operation) -> object:
        """How rows tell what a comparison asks: the token of the state that has to be there, True if two states are
        compared, False if none that has a row is meant; None if rows do not tell."""
        states = [arg for arg in op.args if self._is_state(arg)]
        if len(states) == 2:
            return self._answer_of_two(block, op, *states)
        held = [known for arg in op.args if (known := self._finite.constant(arg)) is not None]
        if len(states) != 1 or len(held) != 1 or not is_told_plainly(held[0].value):
            return None
        asked, token = held[0].value, token_key(held[0].value)
        if op.name in ("is", "is_not"):
            if asked is not None and deep(asked):
                return None  # an equal one may be another object
            return token if token in self.entries else False
        objects = self._finite.of(states[0], block) or {}
        same = [at for at, one in objects.items() if at in self.entries and one == asked]
        return None if len(same) > 1 else same[0] if same else False

    def _answer_of_two(self, block: int, op: Operation, one: int, other: int) -> object:
        """True if two states are equal exactly if they have the same row."""
        known = {**(self._finite.of(one, block) or {}), **(self._finite.of(other, block) or {})}
        plain = [state for at, state in known.items() if at in self.entries]
        alone = all(at in self.entries or state is None for at, state in known.items())
        if op.name in ("is", "is_not") or not alone or len(set(plain)) < len(plain):
            return None
        return True

    # -- what comes of it

    def is_worth(self) -> bool:
        """Do loops look up less?"""
        if self._fails or not self.entries:
            return False
        gains = [op for op in self._gains if self._depths.get(self._blocks[op.id])]
        inside = [place for place in self._needed if self._depths.get(place[0])]
        told = len(self.entries) <= MOST_TOLD and len(self.entries) * len(self._needed) <= MOST_TESTS
        if gains and told and not inside:
            return True
        self._pairwise = True
        needed = self._needed | self._asked
        inside = [place for place in needed if self._depths.get(place[0])]
        return len(gains) > len(inside) and all(self._all_have_rows(value, block) for block, value in needed)

    def _owner(self, row: object) -> object:
        return token_key(self._owners[id(row)])

    def saves(self) -> Iterator[tuple[int, int]]:
        """The blocks that look up less, and what that saves there (`entry_costs.Saved`)."""
        hashed = any(type(type(state)) is enum.EnumMeta for state in self.names.values())
        for op in self._gains:
            yield self._blocks[op.id], _OF_MEMBERS if hashed else _OF_A_LOOK_UP

    def linked(self) -> Linked:
        layout = Layout(self.entries, self.names, pairwise=self._pairwise)
        return Linked(layout, frozenset(self.states), self.ways, self.answer, self.has_row, self._owner, self.late)


def _is_name(value: object) -> bool:
    """Is this a text, a whole number, a member of an enumeration, or None: equal to no other object of another class
    of these, and to itself?"""
    if type(value) in (str, int, type(None)):
        return True
    return type(type(value)) is enum.EnumMeta and class_lookup(type(value), "__hash__") is vars(enum.Enum)["__hash__"]


def _is_seeded(value: object) -> bool:
    """Has it another hash in another process?"""
    if type(value) in (str, bytes):
        return bool(value)
    found = class_lookup(type(value), "__hash__")
    return found is vars(enum.Enum)["__hash__"] or found is vars(object)["__hash__"]


def _are_apart(row: Mapping[object, object]) -> bool:
    return all(key == key for key in row) and len({hash(key) for key in row}) == len(row)

