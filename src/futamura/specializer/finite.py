"""Which values of a residual function can only be one of a few known objects.

    state = "idle"                                   "idle", or what a row of TABLE holds; in front of the look-up
    for event in events:                             None is none of it
        new = TABLE[state].get(event)
        if new is None: raise ValueError(event)
        state = new

What is taken out of a static container at a place that is not known is one of its items.  What a test tells holds in
the blocks that only its edge leads to.

Invariant: a set holds every object that the value can be, as long as the containers that were `consulted` do not
change; a value without a set can be anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from futamura.analysis.cfg import ControlFlow
from futamura.analysis.dominators import Dominators, dominators
from futamura.ir.classes import is_a
from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Edge, Function, Operation
from futamura.specializer.plainness import hashable, is_told_plainly
from futamura.specializer.purity import deep
from futamura.specializer.values import token_key

__all__ = ["MOST", "Finite", "Objects"]

MOST: Final = 512
"""So many objects a value may be."""
_CONTAINERS: Final = (dict, list, tuple)
_TESTS: Final = frozenset({"is", "is_not", "eq", "ne"})
_ANSWERS: Final = _TESTS | {"not"}
"""What gives a bool that is asked for its truth again."""

Objects: TypeAlias = Mapping[object, object]
"""Objects by what tells them apart."""
_May: TypeAlias = Callable[[object], bool]
_Fact: TypeAlias = "tuple[int, _May]"
"""A value, and whether it may be this object."""
_NOTHING: Final[dict[object, object]] = {}


class Finite:
    """The objects that the values of one function can be."""

    def __init__(self, function: Function, items: Callable[[object], Mapping[object, object] | None]) -> None:
        """`items` are those of a container by key, if its contents are believed and its keys can be compared."""
        self.function: Final = function
        self._items: Final = items
        self.made: Final = {value: op for block in function.blocks for op in block.ops for value in op.results}
        self.flow: Final = ControlFlow(function)
        self._above: Final[Dominators] = dominators(self.flow)
        self._sets: Final[list[Objects | None]] = [_NOTHING for _ in function.types]
        self._held: Final[dict[int, Objects | None]] = {}
        self.consulted: Final[dict[int, object]] = {}
        """The containers whose items count, by identity."""
        self._on_edges: Final[dict[tuple[int, int], _Fact]] = {}
        self._in_blocks: Final[dict[int, list[_Fact]]] = {}
        self._note_tests()
        self._run()

    def anywhere(self, value: int) -> Objects | None:
        """What the value can be."""
        return self._sets[value]

    def of(self, value: int, block: int) -> Objects | None:
        """What the value can be in this block."""
        found = self._sets[value]
        while found:
            for about, may_be in self._in_blocks.get(block, ()):
                if about == value:
                    found = _that(found, may_be)
            above = self._above.parent[block]
            if above == block or above < 0:
                break
            block = above
        return found

    def passed(self, block: Block, at: int, value: int) -> Objects | None:
        """What it can be where it is passed on the edge `at` of a block."""
        found = self.of(value, block.id)
        fact = self._on_edges.get((block.id, at))
        return _that(found, fact[1]) if found and fact is not None and fact[0] == value else found

    def constant(self, value: int) -> Constant | None:
        op = self.made.get(value)
        return op.attr if op is not None and op.name == "const" and isinstance(op.attr, Constant) else None

    def method(self, call: Operation, name: str) -> int | None:
        """The object whose method of this name is called, without keywords and stars."""
        made = self.made.get(call.args[0]) if call.name == "call" and call.attr is None else None
        return made.args[0] if made is not None and made.name == "getattr" and made.attr == name else None

    def pair(self, value: int) -> Operation | None:
        """The display of two items that a value is."""
        op = self.made.get(value)
        return op if op is not None and op.name == "tuple" and len(op.args) == 2 and not op.attr else None

    def _note_tests(self) -> None:
        sources: list[int] = [0 for _ in self.function.blocks]
        for targets in self.flow.successors:
            for target in targets:
                sources[target] += 1
        for block in self.function.blocks:
            end = block.terminator
            test = self.made.get(end.args[0]) if end.name == "branch" else None
            asked = self.made.get(test.args[0]) if test is not None and test.name == "truth" else None
            if asked is not None and asked.name in _ANSWERS:
                test = asked
            told = None if test is None else self._told(test)
            for at, edge in enumerate(end.edges if told is not None else ()):
                assert told is not None
                fact = told[0], told[2] if at else told[1]
                self._on_edges[block.id, at] = fact
                if sources[edge.target] == 1:
                    self._in_blocks.setdefault(edge.target, []).append(fact)

    def _told(self, test: Operation) -> tuple[int, _May, _May] | None:
        """The value that a test is about, and what it may be where the test is true, and where it is false."""
        if test.name in ("truth", "not"):
            true, false = _has_truth(True), _has_truth(False)
            return (test.args[0], true, false) if test.name == "truth" else (test.args[0], false, true)
        if test.name not in _TESTS:
            return None
        value, other = test.args
        known = self.constant(other)
        if known is None:
            value, known = other, self.constant(value)
        if known is None or not is_told_plainly(known.value):
            return None
        by_identity, same = test.name in ("is", "is_not"), test.name in ("is", "eq")
        return value, _tells(known.value, by_identity, same), _tells(known.value, by_identity, not same)

    def _run(self) -> None:
        blocks = self.function.blocks
        for param in blocks[0].params:
            self._sets[param] = None
        changed = True
        while changed:
            changed = False
            for number in self.flow.order:
                block = blocks[number]
                for op in block.ops:
                    changed = self._operation(block, op) or changed
                for at, edge in enumerate(block.terminator.edges):
                    implicit = block.terminator.name == "next" and at == 0
                    changed = self._pass(block, at, edge, implicit=implicit) or changed
                if block.handler is not None:
                    changed = self._pass(block, -1, block.handler, implicit=True) or changed

    def _pass(self, block: Block, at: int, edge: Edge, *, implicit: bool) -> bool:
        params = self.function.blocks[edge.target].params
        changed = self._add(params[0], None) if implicit else False
        for param, arg in zip(params[1:] if implicit else params, edge.args):
            changed = self._add(param, self.passed(block, at, arg)) or changed
        return changed

    def _add(self, value: int, more: Objects | None) -> bool:
        old = self._sets[value]
        if old is None or (more is not None and (more is old or more.keys() <= old.keys())):
            return False
        found = None if more is None else {**old, **more}
        self._sets[value] = None if found is None or len(found) > MOST else found
        return True

    def _operation(self, block: Block, op: Operation) -> bool:
        changed = False
        for at, value in enumerate(op.results):
            if self._sets[value] is not None:
                changed = self._add(value, self._result(block.id, op, at)) or changed
        return changed

    def _result(self, block: int, op: Operation, at: int) -> Objects | None:
        if op.name == "const":
            assert isinstance(op.attr, Constant)
            return {token_key(op.attr.value): op.attr.value}
        if op.name == "copy":
            return self.of(op.args[at], block)
        if op.name == "getitem":
            return self._taken(block, op.args[0], op.args[1])
        if op.name == "call" and len(op.args) in (2, 3):
            table = self.method(op, "get")
            found = None if table is None else self._taken(block, table, op.args[1], dict)
            default = self.of(op.args[2], block) if len(op.args) == 3 else {token_key(None): None}
            return None if found is None or default is None else {**found, **default}
        if op.name == "unpack" and isinstance(op.attr, tuple) and not op.attr[1]:
            return self._part(self.of(op.args[0], block), len(op.results), at)
        return None

    def _part(self, whole: Objects | None, count: int, at: int) -> Objects | None:
        """What stands at this place of tuples of `count` items; others raise an error."""
        if whole is None or not all(type(one) is tuple for one in whole.values()):
            return None
        return _objects([one[at] for one in whole.values() if isinstance(one, tuple) and len(one) == count])

    def _taken(self, block: int, table: int, key: int, kind: type | None = None) -> Objects | None:
        """What may be taken out of a container, of this `kind`, at a key."""
        tables = self.of(table, block)
        if tables is None:
            return None
        found: dict[object, object] = {}
        for one in tables.values():
            more = self._taken_of(block, one, key) if kind in (None, type(one)) else None
            if more is None:
                return None
            found.update(more)
        return found

    def _taken_of(self, block: int, table: object, key: int) -> Objects | None:
        if type(table) not in _CONTAINERS:
            return None
        pairs = self._items(table)
        if pairs is None:
            return None
        self.consulted[id(table)] = table
        keys = self.of(key, block)
        if type(table) is not dict:
            positions = self.function.types[key] in ("int", "bool") or (
                keys is not None and all(type(one) in (int, bool) for one in keys.values())
            )
            return self._all(table, pairs) if positions else None
        if keys is not None and all(map(is_told_plainly, keys.values())):
            return _objects([pairs[one] for one in keys.values() if hashable(one) and one in pairs])
        pair = self.pair(key)
        first = None if pair is None else self.of(pair.args[0], block)
        if first is None or not all(map(is_told_plainly, first.values())):
            return self._all(table, pairs)
        firsts = {one for one in first.values() if hashable(one)}
        return _objects([
            item for at, item in pairs.items()
            if not is_a(at, tuple) or (len(at) == 2 and hashable(at[0]) and at[0] in firsts)
        ])  # fmt: skip

    def _all(self, table: object, pairs: Mapping[object, object]) -> Objects | None:
        if id(table) not in self._held:
            self._held[id(table)] = _objects(pairs.values())
        return self._held[id(table)]


def _objects(values: Iterable[object]) -> Objects:
    return {token_key(value): value for value in values}


def _that(found: Objects, may_be: Callable[[object], bool]) -> Objects:
    return {token: one for token, one in found.items() if may_be(one)}


def _has_truth(truth: bool) -> _May:
    return lambda one: not deep(one) or bool(one) == truth


def _tells(known: object, by_identity: bool, same: bool) -> _May:
    """What a comparison with this object tells that came out true (`same`) or false."""

    def may_be(one: object) -> bool:
        if one is None or known is None:
            return (one is known) == same
        if by_identity or not is_told_plainly(one):
            return True
        return (one == known) == same

    return may_be


