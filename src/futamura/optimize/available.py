"""Common subexpressions: what was computed on every way to a place is not computed again.

    v2 = lt v0, v1 ... v9 = lt v0, v1            (exact ints)                  v9 becomes v2
    v2 = global_get x; ... v9 = global_get x     nothing between may write     v9 becomes v2
    cell_set v5, v1; ... v9 = cell_get v1        the same                      v9 becomes v5

Operands are told by where they were made, constants by what they are; the order of a commutative operator's operands
does not matter.  Expressions that allocate an object with an identity are left alone, those that read memory are told
apart by its version (`memory.py`).  What raised the first time never gets to the second, so that exceptions need no
attention.  `typefold` then folds a branch on a condition that an equal branch above has decided.

Of a private list each place is told apart, by a value and a distance from it: a store to `p + 1` leaves what was read
at `p`.  Globals whose meaning is known are not kept in variables: reading them again costs nothing.

Invariant: the earlier operation is executed on every way to the later one, with the same operands and memory.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from futamura.ir.constant import Constant
from futamura.ir.graph import Operation, Value
from futamura.optimize.effects import may_be_shared
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.memory import Memory, Versions
from futamura.optimize.places import Place, Places
from futamura.optimize.private import Private
from futamura.optimize.rules import LAW_RULES, law_name

__all__ = ["RULES", "cse"]

RULES: Final = (
    "equal operation",
    "equal read",
    "known item",
    *[name for name in LAW_RULES if "commutative (" in name],
)
"""What is counted by `FlowGraph.fire`."""

_NEVER: Final = frozenset({"const", "copy", "tuple"})
"""Constants are free, copies are not computed, tuples have an identity."""


def cse(graph: FlowGraph, inference: Inference) -> bool:
    """Replace what is available; did anything change?"""
    memory = Memory(graph, inference)
    search = _Search(graph, inference, memory)
    undo: list[list[tuple[object, Any]]] = []
    for entering, node in inference.layout.walk():
        if not entering:
            for key, old in undo.pop()[::-1]:
                if old is None:
                    del search.available[key]
                else:
                    search.available[key] = old
            continue
        search.undo = []
        undo.append(search.undo)
        at = inference.layout.executes(node)
        if at in inference.reached:
            search.block(at)
    graph.replace(search.replaced)
    return bool(search.replaced)


class _Group(NamedTuple):
    """The places of a private list that are counted from one value."""

    list: Private
    base: Value | None


class _Search:
    """What is available where the walk stands."""

    def __init__(self, graph: FlowGraph, inference: Inference, memory: Memory) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._memory: Final = memory
        self.replaced: Final[dict[Value, Value]] = {}
        self.available: Final[dict[object, Any]] = {}
        self.undo: list[tuple[object, Any]] = []
        self._places: Final = Places(inference)
        self._confined: Final = graph.confined()
        self._is_lambda: Final = graph.function.name.rpartition(".")[2].startswith("<lambda>")
        self._stamps = 0

    def block(self, at: int) -> None:
        versions = self._memory.begin[at]
        kept: list[Operation] = []
        node = self._graph.node(at)
        for op in node.ops:
            place = self._places.of(op)
            if place is not None:
                found, versions = self._item(op, place, versions)
            else:
                key = self._key(op, versions)
                versions = self._memory.step(versions, op)
                found = self.available.get(key) if key is not None else None
                if key is None:
                    self._stored(op, versions)
                elif found is None:
                    self._offer(key, op.results[0])
            if found is None or self._confined.get(found, node.region) != node.region:
                kept.append(op)
            else:
                self.replaced[op.results[0]] = found
                reads = self._inference.fact(op).effects.reads
                self._graph.fire("known item" if place is not None else "equal read" if reads else "equal operation")
                if self._graph.hints[found] is None:
                    self._graph.hints[found] = self._graph.hints[op.results[0]]
        node.ops = kept

    def _item(self, op: Operation, place: Place, versions: Versions) -> tuple[Value | None, Versions]:
        """A load from, or a store to, a private list: what is there already, and the versions behind it.

        What is known of places with one base counts as long as nothing is stored at places with another: lists and
        bases have stamps, and what is known of a place has those under which it was noted.
        """
        mine = self._inference.private[place.list]
        at = self._memory.kinds.index(mine.kind)
        version, stamp = self.available.get(mine, (None, None))
        if version != versions[at]:
            stamp = self._stamp()
        group = _Group(mine, place.base)
        under, own, low, high = self.available.get(group, (None, None, 0, 0))
        stored = op.name == "setitem"
        if under != stamp or (stored and mine.length is None):
            own, low, high = self._stamp(), place.distance, place.distance
        low, high = min(low, place.distance), max(high, place.distance)
        if stored and high - low >= (mine.length or 0):  # places that far from each other may be the same
            own, low, high = self._stamp(), place.distance, place.distance
        noted, value = self.available.get(place, (None, None))
        found = None
        if stored:
            versions = self._memory.step(versions, op)
            stamp = self._stamp()
            value = self._plain(op.args[0])
        elif noted == own:
            found = value
        else:
            value = op.results[0]
        self._offer(mine, (versions[at], stamp))
        self._offer(group, (stamp, own, low, high))
        self._offer(place, (own, value))
        return found, versions

    def _stamp(self) -> int:
        self._stamps += 1
        return self._stamps

    def _offer(self, key: object, value: object) -> None:
        self.undo.append((key, self.available.get(key)))
        self.available[key] = value

    def _key(self, op: Operation, versions: Versions) -> object | None:
        """What makes two operations the same; None for what must be executed each time."""
        if len(op.results) != 1 or op.name in _NEVER or (op.name == "global_get" and op.attr in self._inference.known):
            return None
        effects = self._inference.fact(op).effects
        if not may_be_shared(effects):
            return None
        name = op.name
        if name == "cell_get" and self._is_lambda:
            return None  # with a variable for what it reads twice it would be no expression any more
        types = [shape.type for shape in self._inference.operands[op.id]]
        plain = name[1:] if name in _INPLACE else name
        args = [self._number(arg) for arg in op.args]
        if name == "call":
            args[0] = self._method(op.args[0]) or args[0]
        if len(args) == 2 and types[0] == types[1] and types[0] in op.operator.laws.commutative:
            ordered = sorted(args, key=repr)
            if ordered != args:
                self._graph.fire(law_name(op.name, "commutative", types[0]))
            args = ordered
        return (plain, op.attr, tuple(args), self._read(effects.reads, versions))

    def _read(self, reads: frozenset[str], versions: Versions) -> Versions:
        if not reads:
            return ()
        kinds = self._memory.kinds
        return tuple([version for kind, version in zip(kinds, versions) if kind in reads or "any" in reads])

    def _number(self, value: Value) -> object:
        value = self.replaced.get(value, value)
        made = self._inference.definitions.get(value)
        if made is not None and made.name == "const" and isinstance(made.attr, Constant):
            return made.attr
        if made is not None and made.name == "global_get" and made.attr in self._inference.known:
            return made.attr
        return value

    def _method(self, callee: Value) -> object | None:
        """The method of an object, which is a new one each time it is looked up."""
        made = self._inference.definitions.get(callee)
        if made is None or made.name != "getattr":
            return None
        return "method", made.attr, self._number(made.args[0])

    def _stored(self, op: Operation, versions: Versions) -> None:
        """What a store writes is what the next load reads."""
        if op.name == "cell_set":
            value, cell = op.args
            for use in ("local", "free"):
                read = self._read(frozenset({"cell"}), versions)
                self._offer(("cell_get", (op.attr, use), (self._number(cell),), read), self._plain(value))
        elif op.name == "global_set":
            read = self._read(frozenset({"global"}), versions)
            self._offer(("global_get", op.attr, (), read), self._plain(op.args[0]))
        elif op.name == "setitem":
            value, target, index = op.args
            types = [shape.type for shape in self._inference.operands[op.id]]
            if types[1] == "list" and types[2] in ("int", "bool"):
                read = self._read(frozenset({"item"}), versions)
                self._offer(("getitem", None, (self._number(target), self._number(index)), read), self._plain(value))

    def _plain(self, value: Value) -> Value:
        return self.replaced.get(value, value)


_INPLACE: Final = frozenset(
    "i" + name
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor")
)
