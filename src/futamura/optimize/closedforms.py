"""Closed forms: a loop that only adds, the same in each round, is what all its rounds add together.

    while True:                                        v = tape[0]
        tape[1] = tape[1] + 5 & 255                    tape[1] = tape[1] + 5 * v & 255
        tape[0] = v = tape[0] - 1 & 255        ->      tape[0] = 0
        if v == 0: break

    while n > 0: total += k; n -= 1            ->      if n > 0: total += n * k; n = 0        (exact ints)

`rounds.py` says what a round does.  Here it is found out how many there are, from the counter that the test looks at:
it moves by a constant, under a modulus to which that is prime, towards a value that it meets; or without one past a
limit.  The number of rounds then stands in the place of each step.  Where all else has the modulus of the counter, or a
divisor of it, a number that differs from that of the rounds by multiples of it is as good.

Requires: nothing; finds more behind `cse`, `algebra` and `dead-stores`, which leave a load and a store of each place.
Ensures: as many loops less as loops were found.
Invariant: the first round is executed, so that what raises in a loop raises; all that it computes is of exact ints.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from futamura.ir.graph import Edge, Operation, Span, Value
from futamura.ir.liveness import end_uses
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.places import Place, Places
from futamura.optimize.rounds import Form, Round, Slot, read_round
from futamura.optimize.shapes import NOTHING, Shape
from futamura.optimize.twins import Twins, may_be_copied

__all__ = ["RULES", "Count", "closed_forms", "count_rounds"]

RULES: Final = (
    "rounds until a counter wraps to a value",
    "rounds until a counter passes a limit",
    "what is there is stored again",
)
"""What is counted by `FlowGraph.fire`."""


class Count(NamedTuple):
    """How many rounds there are, as a sum over the counter's first value: `(sign * (counter - limit) + more) // by`,
    then, if `whole`, the number under the modulus that is neither zero nor more than it."""

    rule: str
    sign: int
    limit: Form
    more: int = 0
    by: int = 1
    factor: int = 1
    whole: int = 0
    last: Form | None = None
    """What the counter is in the end, if that needs no count."""


def closed_forms(graph: FlowGraph, inference: Inference) -> bool:
    """Replace such loops; did anything change?"""
    places = Places(inference)
    twins: Twins | None = None
    users: dict[Value, list[int]] | None = None
    changed = False
    for loop in inference.layout.loops():
        found = read_round(graph, inference, places, loop)
        count = None if found is None else count_rounds(found, _shape_of(inference, found))
        if found is None or count is None:
            continue
        users = _users(graph) if users is None else users
        if found.body == found.header:
            if not _once(graph, found, count, users):
                continue
        elif may_be_copied(graph, (found.header,)):
            twins = twins or Twins(graph)
            _guarded(graph, found, count, twins)
            _note_uses(graph, len(graph.blocks) - 1, users)  # the test that stands before
        else:
            continue
        _note_uses(graph, found.body, users)
        graph.fire(count.rule)
        changed = True
    if twins is not None:
        counted = graph.fired.copy()
        twins.finish()
        graph.fired.clear()  # what cleans up behind twins counts its own rules
        graph.fired.update(counted)
    return _store_anyway(graph, inference, places) or changed


def _shape_of(inference: Inference, found: Round) -> Shape:
    """What is known of the counter where a round begins."""
    slot = found.test.slot
    value = found.loads[slot].results[0] if isinstance(slot, Place) and slot in found.loads else slot
    return NOTHING if isinstance(value, Place) else inference.shapes.get(value, NOTHING)


def count_rounds(found: Round, counter: Shape) -> Count | None:
    """How many rounds there are, if that is found out."""
    slot, leaves, limit = found.test
    form = found.after[slot]
    step = form.step
    if form.slot != slot or not step or (isinstance(slot, Place) and slot not in found.loads):
        return None
    if form.modulus:
        return _wrapping(found, form, step, leaves, limit, counter)
    first = found.body != found.header  # the test comes first: it has told the counter from the limit
    if leaves == "eq" and abs(step) == 1 and not limit.parts:  # it comes to the limit from the right side
        leaves = "le" if step < 0 else "ge"
        if not _is_beyond(counter, limit.constant + (step if first else 0), step):
            return None
    elif not first and (limit.parts or not _is_beyond(counter, _past(leaves, limit), step)):
        return None  # one round is executed even if the test would say no
    if leaves not in (("le", "lt") if step < 0 else ("ge", "gt")):
        return None
    # a round follows while the counter is beyond this
    limit = limit._replace(constant=limit.constant + (0 if leaves in ("le", "ge") else step // abs(step)))
    by = abs(step)
    return Count(RULES[1], 1 if step < 0 else -1, limit, by - 1, by, last=limit if by == 1 else None)


def _past(leaves: str, limit: Form) -> int:
    """The value from which on no round follows."""
    return limit.constant + {"lt": -1, "gt": 1}.get(leaves, 0)


def _is_beyond(counter: Shape, limit: int, step: int) -> bool:
    """Has the counter still to go to come to the limit?"""
    if step < 0:
        return counter.low is not None and counter.low > limit
    return counter.high is not None and counter.high < limit


def _wrapping(found: Round, form: Form, step: int, leaves: str, limit: Form, counter: Shape) -> Count | None:
    modulus = form.modulus
    if leaves != "eq" or limit.parts or not 0 <= limit.constant < modulus or math.gcd(step, modulus) != 1:
        return None
    inverse = pow(-step, -1, modulus)
    sign, factor = (-1, modulus - inverse) if 2 * inverse > modulus else (1, inverse)
    others = [other for slot, other in found.after.items() if slot != form.slot and other.slot is not None]
    exact = any((other.parts or other.constant) and not _divides(other.modulus, modulus) for other in others)
    if exact and factor == sign == 1 and not limit.constant and _is_within(counter, 1, modulus):
        exact = False
    return Count(
        RULES[0], sign, limit, factor=factor, whole=modulus if exact else 0, last=Form(None, (), limit.constant)
    )


def _divides(one: int, modulus: int) -> bool:
    return one > 0 and modulus % one == 0


def _is_within(shape: Shape, low: int, high: int) -> bool:
    return shape.low is not None and shape.high is not None and low <= shape.low and shape.high <= high


# -------------------------------------------------------------------- writing


class _Writer:
    """Operations that compute what a loop leaves."""

    def __init__(self, graph: FlowGraph, span: Span | None) -> None:
        self._graph: Final = graph
        self._span: Final = span
        self.ops: Final[list[Operation]] = []

    def number(self, constant: int, hint: str | None = None) -> Value:
        return self._add(self._graph.constant(constant, hint))

    def apply(self, name: str, one: Value, other: Value, hint: str | None = None) -> Value:
        return self._add(self._graph.operation(name, (one, other), hint))

    def _add(self, op: Operation) -> Value:
        self.ops.append(op._replace(span=self._span))
        self._graph.types[op.results[0]] = "int"
        return op.results[0]

    def plus(self, value: Value, amount: int) -> Value:
        if not amount:
            return value
        return self.apply("add" if amount > 0 else "sub", value, self.number(abs(amount)))

    def times(self, value: Value, factor: int) -> Value:
        return value if factor == 1 else self.apply("mul", value, self.number(factor))

    def constant_form(self, form: Form, hint: str | None = None) -> Value:
        """The value of a form without a slot."""
        if not form.parts:
            return self.number(form.constant, hint)
        value: Value | None = None
        for part, times in form.parts:
            value = self._plus_times(value, part, times)
        assert value is not None
        return self.plus(value, form.constant)

    def _plus_times(self, sum: Value | None, value: Value, times: int) -> Value:
        if sum is None:
            return self.times(value, times)
        return self.apply("add" if times > 0 else "sub", sum, self.times(value, abs(times)))

    def count(self, count: Count, counter: Value) -> Value:
        """The number of rounds."""
        limit = count.limit
        if count.sign > 0:
            value = counter if limit == Form(None) else self._minus(counter, limit)
        else:
            value = self.apply("sub", self.constant_form(limit), counter)
        value = self.times(value, count.factor)
        if count.by > 1:
            value = self.apply("floordiv", self.plus(value, count.more), self.number(count.by))
        if count.whole:
            value = self.plus(self.apply("mod", self.plus(value, -1), self.number(count.whole)), 1)
        return value

    def _minus(self, value: Value, form: Form) -> Value:
        if not form.parts:
            return self.plus(value, -form.constant)
        return self.apply("sub", value, self.constant_form(form))

    def total(self, form: Form, value: Value, rounds: Value, hint: str | None) -> Value:
        """What is left of a slot's first value after that many rounds."""
        if form.constant:
            name = "add" if form.constant > 0 else "sub"
            value = self.apply(name, value, self.times(rounds, abs(form.constant)), hint)
        for part, times in form.parts:
            added = self.times(self.apply("mul", rounds, part), abs(times))
            value = self.apply("add" if times > 0 else "sub", value, added, hint)
        if form.modulus:
            by = form.modulus - 1 if form.operator == "and" else form.modulus
            value = self.apply(form.operator, value, self.number(by), hint)
        return value


def _finals(graph: FlowGraph, found: Round, count: Count, node: Node) -> tuple[list[Operation], dict[Slot, Value]]:
    """The operations of a block with those that compute what all rounds leave, and the values of all that is counted.

    The counter is loaded first: what is loaded before raises the same `IndexError`, and nobody sees what is stored.
    """
    writer = _Writer(graph, node.end.span)
    slot = found.test.slot
    changing = [one for one, form in found.after.items() if form.slot is not None and form != Form(one)]
    needed = [one for one in changing if one != slot or count.last is None]
    loads = {op.id: place for place, op in found.loads.items()}
    stores = {op.id: place for place, op in found.stores.items()}
    writer.ops.extend(op for op in node.ops if op.id not in found.changing.union(loads, stores))
    writer.ops.extend(op for op in node.ops if loads.get(op.id) == slot)
    rounds = writer.count(count, _first(found, slot)) if needed else -1
    finals = {one: _first(found, one) for one, form in found.after.items() if form == Form(one)}

    def leave(one: Slot) -> None:
        if one not in changing:
            return
        hint = None if isinstance(one, Place) else graph.hints[one]
        if one in needed:
            finals[one] = writer.total(found.after[one], _first(found, one), rounds, hint)
        else:
            assert count.last is not None
            finals[one] = writer.constant_form(count.last, hint)

    for op in node.ops:
        if op.id in stores:
            place = stores[op.id]
            leave(place)
            writer.ops.append(op._replace(args=(finals.get(place, op.args[0]), *op.args[1:])))
        elif op.id in loads and loads[op.id] != slot:
            writer.ops.append(op)
    for one in sorted([one for one in changing if not isinstance(one, Place)], key=lambda one: one == slot):
        leave(one)
    return writer.ops, finals


def _first(found: Round, slot: Slot) -> Value:
    """The value with which the first round finds a slot."""
    return found.loads[slot].results[0] if isinstance(slot, Place) else slot


def _once(graph: FlowGraph, found: Round, count: Count, users: dict[Value, list[int]]) -> bool:
    """A loop whose test comes last: its block is executed once, and goes where the loop went."""
    node = graph.node(found.header)
    made = {*node.params, *(result for op in node.ops for result in op.results)}
    used = {value for value in made if any(at not in found.nodes for at in users.get(value, ()))}
    used.update(made.intersection(found.leaving.args))
    left = {value: _left_in(found, value) for value in used}
    if any(slots is None for slots in left.values()):
        return False
    node.ops, finals = _finals(graph, found, count, node)
    named = {value: finals.get(slot, value) for value, slots in left.items() for slot in slots or ()}
    replaced = {value: final for value, final in named.items() if final != value}
    args = tuple([replaced.get(arg, arg) for arg in found.leaving.args])
    node.end = graph.terminator("jump", (), (Edge(found.leaving.target, args),))._replace(span=node.end.span)
    for value in replaced:
        for at in users.get(value, ()):
            if at not in found.nodes:
                _rename(graph, graph.node(at), replaced)
    return True


def _left_in(found: Round, value: Value) -> tuple[Slot, ...] | None:
    """The slot that holds this value behind each round, none for what is the same in all; None: it is neither."""
    form = found.forms.get(value)
    if form is None:
        return None
    if form.slot is None:
        return ()
    return (form.slot,) if found.after.get(form.slot) == form else None


def _guarded(graph: FlowGraph, found: Round, count: Count, twins: Twins) -> None:
    """A loop whose test comes first: its body is executed once behind the test, and what is left then passes it."""
    header, node = graph.node(found.header), graph.node(found.body)
    twins.copy(found.header, (found.header,), found.nodes)
    node.ops, finals = _finals(graph, found, count, node)
    args = [finals.get(param, passed) for param, passed in zip(header.params, found.passed, strict=True)]
    header.end = graph.terminator("jump", (), (found.leaving,))._replace(span=header.end.span)
    node.end = graph.terminator("jump", (), (Edge(found.header, tuple(args)),))._replace(span=node.end.span)


def _users(graph: FlowGraph) -> dict[Value, list[int]]:
    """For each value the blocks that use it."""
    found: dict[Value, list[int]] = {}
    for at, _ in graph.nodes():
        _note_uses(graph, at, found)
    return found


def _note_uses(graph: FlowGraph, at: int, users: dict[Value, list[int]]) -> None:
    node = graph.node(at)
    used = {arg for op in node.ops for arg in op.args}
    used.update(end_uses(node.end))
    for edge in node.edges():
        used.update(edge.args)
    for value in used:
        users.setdefault(value, []).append(at)


def _rename(graph: FlowGraph, node: Node, replaced: dict[Value, Value]) -> None:
    node.ops = [op._replace(args=tuple([replaced.get(arg, arg) for arg in op.args])) for op in node.ops]
    edges = [Edge(edge.target, tuple([replaced.get(arg, arg) for arg in edge.args])) for edge in node.edges()]
    graph.retarget(node, tuple(edges))
    node.end = node.end._replace(args=tuple([replaced.get(arg, arg) for arg in node.end.args]))


# -------------------------------------------------------------------- what is left of a loop that clears a place


def _store_anyway(graph: FlowGraph, inference: Inference, places: Places) -> bool:
    """`if xs[p] != 0: xs[p] = 0` is a store, where `xs[p]` is read next: that is known then."""
    changed = False
    for at in inference.layout.order:
        node = graph.blocks[at]
        if node is None or node.end.name != "branch" or node.handler is not None:
            continue
        for number, edge in enumerate(node.end.edges):
            if _stores_same(graph, inference, places, node, number):
                node.end = graph.terminator("jump", (), (edge,))._replace(span=node.end.span)
                graph.fire(RULES[2])
                changed = True
                break
    return changed


def _stores_same(graph: FlowGraph, inference: Inference, places: Places, node: Node, number: int) -> bool:
    """Does the way of this number only store what the other one knows to be there?"""
    way, other = node.end.edges[number], node.end.edges[1 - number]
    storing = graph.node(way.target)
    stores = [op for op in storing.ops if op.name != "const"]
    if len(stores) != 1 or stores[0].name != "setitem" or storing.handler is not None or storing.params:
        return False
    if storing.end.name != "jump" or _led(graph, storing.end.edges[0]) != (behind := _led(graph, other)):
        return False
    place = places.of(stores[0])
    stored = inference.callee(stores[0].args[0])
    test = node.ops[-1] if node.ops and node.ops[-1].results == node.end.args else None
    if place is None or stored is None or type(stored.value) is not int or test is None:
        return False
    if test.name != ("ne" if number == 0 else "eq") or inference.callee(test.args[1]) != stored:
        return False
    if {shape.type for shape in inference.operands.get(test.id, ())} != {"int"}:
        return False
    reads = _reads_first(graph.node(behind.target).ops, places, place)
    return reads and _is_loaded(node.ops, test.args[0], places, place)


def _led(graph: FlowGraph, edge: Edge) -> Edge:
    """Where an edge leads past a block that does nothing."""
    node = graph.node(edge.target)
    empty = node.end.name == "jump" and not node.ops and not node.params and node.end.edges[0].target != edge.target
    return node.end.edges[0] if empty else edge


def _is_loaded(ops: list[Operation], value: Value, places: Places, place: Place) -> bool:
    """Is this value what is at the place behind these operations?"""
    for op in reversed(ops):
        if op.results == (value,):
            return op.name == "getitem" and places.of(op) == place
        if op.name in ("setitem", "list_append", "call"):
            return False
    return False


def _reads_first(ops: list[Operation], places: Places, place: Place) -> bool:
    """Is the place read before anything else is done with lists?"""
    first = next((op for op in ops if op.name in ("getitem", "setitem")), None)
    return first is not None and first.name == "getitem" and places.of(first) == place
