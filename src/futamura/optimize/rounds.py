"""What one round of a loop does to each thing that it changes: variables, and places in private lists.

    b2(v2): v5 = getitem v4, 1           place v4[1]:  x + 5 under the modulus 256
            v6 = add v5, 5               place v4[0]:  x - 1 under the modulus 256
            v7 = and v6, 255             test:         goes on while v4[0] != 0
            setitem v7, v4, 1
            v8 = getitem v4, 0
            v9 = sub v8, 1 ...

A loop is read whose round is one block that ends with the test, or a block that ends with the test and one behind it.
To what it changes, it may only add integers that do not change in the loop, or set it to such a value; it may look at
nothing else that it changes.  Everything else in it has no effect, and raises nothing but that a place is not in its
list, which it is in the first round or never.

Invariant: each form holds for all rounds, and says what the round leaves, given what it found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.nesting import Loop
from futamura.optimize.effects import may_be_removed
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.places import Place, Places
from futamura.optimize.shapes import NOTHING

__all__ = ["Ending", "Form", "Round", "Slot", "read_round"]

Slot = Value | Place
"""What a loop changes: a parameter of its header, or a place in a private list."""

_PLAIN: Final = {"iadd": "add", "isub": "sub", "iand": "and", "imod": "mod"}
_SWAPPED: Final = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_OPPOSITE: Final = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
MAX_ROUND: Final = 400
"""Operations of a round that is read."""


class Form(NamedTuple):
    """`slot + parts + constant`, under a modulus if there is one; without a slot it does not change in the loop."""

    slot: Slot | None
    parts: tuple[tuple[Value, int], ...] = ()
    """Values that do not change, and how often each is added."""
    constant: int = 0
    modulus: int = 0
    operator: str = ""
    """The one that takes the modulus: `and` with one less, or `mod`."""

    @property
    def step(self) -> int | None:
        """What each round adds, if it is known."""
        return None if self.parts else self.constant


class Ending(NamedTuple):
    """A round follows unless `slot` compares so with `limit`."""

    slot: Slot
    leaves: str
    limit: Form


@dataclass
class Round:
    """A loop that was read."""

    header: int
    body: int
    """The block behind the test; the header itself if the test comes last."""
    nodes: frozenset[int]
    leaving: Edge
    passed: tuple[Value, ...]
    """What a round passes to the next one."""
    test: Ending
    forms: dict[Value, Form] = field(default_factory=dict)
    """Of what is computed in the round; values that are missing have none."""
    after: dict[Slot, Form] = field(default_factory=dict)
    """What each round leaves."""
    loads: dict[Place, Operation] = field(default_factory=dict)
    """The operation that finds what is at a place before it is changed."""
    stores: dict[Place, Operation] = field(default_factory=dict)
    changing: frozenset[int] = frozenset()
    """Operations, by id, whose results change from round to round."""


def read_round(graph: FlowGraph, inference: Inference, places: Places, loop: Loop) -> Round | None:
    """What the loop does, if it is of that kind."""
    if loop.children or loop.irreducible or loop.header not in inference.reached:
        return None
    path = _path(graph, loop)
    if path is None or not inference.reached.issuperset(path):
        return None
    return _Reader(graph, inference, places, path).read()


def _path(graph: FlowGraph, loop: Loop) -> list[int] | None:
    """The blocks of a round in their order, if there is one way through it."""
    path: list[int] = []
    at = loop.header
    while at not in path:
        path.append(at)
        node = graph.node(at)
        inside = [edge.target for edge in node.end.edges if edge.target in loop.nodes]
        if len(inside) != 1 or node.end.name not in ("jump", "branch") or node.handler is not None:
            return None
        if node.end.name == "branch" and at != loop.header:
            return None
        at = inside[0]
    header = graph.node(loop.header)
    if at != loop.header or len(path) != len(loop.nodes) or header.end.name != "branch":
        return None
    busy = [at for at in path[1:] if graph.node(at).ops or at == path[1]]
    if len(busy) > 1 or sum([len(graph.node(at).ops) for at in path]) > MAX_ROUND:
        return None
    return path


class _Reader:
    """Follows one round on forms."""

    def __init__(self, graph: FlowGraph, inference: Inference, places: Places, path: list[int]) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._places: Final = places
        self._path: Final = path
        self._header: Final = graph.node(path[0])
        self._inside: Final = {
            value
            for node in map(graph.node, path)
            for value in (*node.params, *(result for op in node.ops for result in op.results))
        }
        self._forms: Final[dict[Value, Form]] = {param: Form(param) for param in self._header.params}
        self._names: Final[dict[Value, Value]] = {}
        """What the parameters of blocks behind the header are."""
        self._now: Final[dict[Place, Form]] = {}
        self._loads: Final[dict[Place, Operation]] = {}
        self._stores: Final[dict[Place, Operation]] = {}
        self._changing: Final[set[int]] = set()
        self._tests: Final[dict[Value, tuple[str, Form, Form]]] = {}

    def read(self) -> Round | None:
        stored = self._stored()
        if stored is None:
            return None
        for number, at in enumerate(self._path):
            node = self._graph.node(at)
            if number and not self._enter(self._graph.node(self._path[number - 1]), at, node):
                return None
            if not all(self._operation(op, stored) for op in node.ops):
                return None
        after = self._after()
        if after is None:
            return None
        leaving = self._header.end.edges[self._goes_on() ^ 1]
        if not self._is_last() and any(op.name == "setitem" for op in self._header.ops):
            return None  # the last one would have no round
        test = self._test(after)
        if test is None:
            return None
        body = self._path[0] if self._is_last() else self._path[1]
        nodes, changing = frozenset(self._path), frozenset(self._changing)
        found = self._forms, after, self._loads, self._stores, changing
        return Round(self._path[0], body, nodes, leaving, self._passed(), test, *found)

    def _goes_on(self) -> int:
        """The number of the edge that stays in the loop."""
        inside = self._path[1 % len(self._path)]
        return 0 if self._header.end.edges[0].target == inside else 1

    def _enter(self, source: Node, at: int, node: Node) -> bool:
        """Bind the parameters of the next block of the round."""
        edges = [edge for edge in source.end.edges if edge.target == at]
        if len(edges) != 1 or source.implicit(source.end.edges.index(edges[0])):
            return False
        for param, arg in zip(node.params, edges[0].args, strict=True):
            self._names[param] = self._names.get(arg, arg)
            form = self._form(arg)
            if form is not None:
                self._forms[param] = form
        return True

    def _form(self, value: Value) -> Form | None:
        return self._forms.get(value) if value in self._inside else Form(None, ((value, 1),))

    # -------------------------------------------------------------------- operations

    def _stored(self) -> list[Place] | None:
        """The places that the round stores to, if they are told apart from each other."""
        found: list[Place] = []
        for at in self._path:
            for op in self._graph.node(at).ops:
                if op.name != "setitem":
                    continue
                place = self._places.of(op)
                if place is None or not self._is_fixed(place) or not self._apart(place, found) or place in found:
                    return None
                found.append(place)
        return found

    def _is_fixed(self, place: Place) -> bool:
        """Is it the same place in all rounds?"""
        return place.base is None or place.base not in self._inside

    def _apart(self, place: Place, others: Iterable[Place]) -> bool:
        return all(place == other or self._places.apart(place, other) for other in others)

    def _operation(self, op: Operation, stored: list[Place]) -> bool:
        """Go on past an operation; is it one of those that may be in such a loop?"""
        if op.name == "setitem":
            return self._store(op)
        place = self._places.of(op) if op.name == "getitem" else None
        if place is not None:
            return self._load(op, place, stored)
        fact = self._inference.fact(op)
        if _PLAIN.get(op.name, op.name) == "mod" and self._divides_by_constant(op):
            fact = fact._replace(raises=frozenset())
        if not may_be_removed(fact):
            return False
        forms = [self._form(arg) for arg in op.args]
        if all(form is not None and form.slot is None for form in forms):
            for result in op.results:
                self._forms[result] = Form(None, ((result, 1),))
            if op.name == "const" and isinstance(op.attr, Constant) and type(op.attr.value) is int:
                self._forms[op.results[0]] = Form(None, (), op.attr.value)
            return True
        self._changing.add(op.id)
        first = forms[0]
        if op.name == "copy" and len(op.args) == 1 and first is not None:
            self._forms[op.results[0]] = first
        elif len(op.results) == 1:
            self._compute(op, forms)
        return True

    def _divides_by_constant(self, op: Operation) -> bool:
        """Integers, the second a constant that is not zero."""
        shapes = self._inference.operands.get(op.id, ())
        if [shape.type for shape in shapes] != ["int", "int"]:
            return False
        constant = shapes[1].constant
        return constant is not None and constant.value != 0

    def _compute(self, op: Operation, forms: list[Form | None]) -> None:
        """The form of a sum or of a remainder, or what is compared."""
        result = op.results[0]
        first = forms[0]
        if op.name in ("truth", "not") and op.args[0] in self._tests:
            name, left, right = self._tests[op.args[0]]
            self._tests[result] = (name if op.name == "truth" else _OPPOSITE[name], left, right)
            return
        types = {shape.type for shape in self._inference.operands.get(op.id, (NOTHING,))}
        if first is None or types != {"int"}:
            return
        if op.name in ("truth", "not"):
            self._tests[result] = ("ne" if op.name == "truth" else "eq", first, Form(None))
            return
        second = forms[1] if len(forms) == 2 else None
        if second is None:
            return
        name = _PLAIN.get(op.name, op.name)
        if name in _OPPOSITE:
            self._tests[result] = (name, first, second)
            return
        made = _sum(first, second, 1 if name == "add" else -1) if name in ("add", "sub") else None
        if name == "and":
            made = _remainder(first, second, name) or _remainder(second, first, name)
        elif name == "mod":
            made = _remainder(first, second, name)
        if made is not None:
            self._forms[result] = made

    def _load(self, op: Operation, place: Place, stored: list[Place]) -> bool:
        if not self._is_fixed(place) or not self._apart(place, stored):
            return False
        if place not in stored:  # it is the same in all rounds
            self._forms[op.results[0]] = Form(None, ((op.results[0], 1),))
            return True
        if place not in self._now:
            self._now[place] = Form(place)
            self._loads[place] = op
        elif self._now[place].slot is None:  # stores are made behind all that stays
            return False
        else:
            self._changing.add(op.id)
        self._forms[op.results[0]] = self._now[place]
        return True

    def _store(self, op: Operation) -> bool:
        place = self._places.of(op)
        form = self._form(op.args[0])
        if place is None or form is None or (place not in self._loads and self._inference.fact(op).raises):
            return False
        self._now[place] = form
        self._stores[place] = op
        return True

    # -------------------------------------------------------------------- what comes out

    def _after(self) -> dict[Slot, Form] | None:
        after: dict[Slot, Form] = {}
        for param, arg in zip(self._header.params, self._passed(), strict=True):
            form = self._form(arg)
            if form is None:
                return None
            after[param] = form
        after.update({place: self._now[place] for place in self._stores})
        if not all(form.slot is None or form.slot == slot for slot, form in after.items()):
            return None
        return after

    def _passed(self) -> tuple[Value, ...]:
        last = self._graph.node(self._path[-1])
        back = next(edge for edge in last.end.edges if edge.target == self._path[0])
        return tuple([self._names.get(arg, arg) for arg in back.args])

    def _test(self, after: dict[Slot, Form]) -> Ending | None:
        """What ends the loop; the form of what is tested has to be that of the slot at this place."""
        end = self._header.end
        found = self._tests.get(end.args[0])
        if found is None:
            return None
        name, left, right = found
        if left.slot is None:
            name, left, right = _SWAPPED[name], right, left
        if left.slot is None or right.slot is not None or (right.parts and right.constant):
            return None
        if self._goes_on() == 0:
            name = _OPPOSITE[name]
        behind = self._is_last()
        expected = after.get(left.slot) if behind else Form(left.slot)
        if left != expected:
            return None
        return Ending(left.slot, name, right)

    def _is_last(self) -> bool:
        """Does nothing happen behind the test?"""
        return not any(self._graph.node(at).ops for at in self._path[1:])


def _sum(one: Form, other: Form, sign: int) -> Form | None:
    if other.slot is not None and (one.slot is not None or sign < 0):
        return None
    if one.modulus or other.modulus:
        return None
    parts = dict(one.parts)
    for value, times in other.parts:
        parts[value] = parts.get(value, 0) + sign * times
    slot = one.slot if one.slot is not None else other.slot
    kept = tuple([(value, times) for value, times in parts.items() if times])
    return Form(slot, kept, one.constant + sign * other.constant)


def _remainder(of: Form, by: Form, name: str) -> Form | None:
    """`of & (2**n - 1)` or `of % m`."""
    if by.slot is not None or by.parts or of.slot is None or by.constant <= 0:
        return None
    modulus = by.constant + 1 if name == "and" else by.constant
    if (name == "and" and modulus & by.constant) or (of.modulus and of.modulus % modulus):
        return None
    return of._replace(modulus=modulus, operator=name)
