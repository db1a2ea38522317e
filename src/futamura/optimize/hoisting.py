"""Loop-invariant code motion: what is the same in every round is computed before the loop.

    b1(v2): v3 = global_get len; ... jump b1        b0: v3 = global_get len; jump b1
    b1(v2): v3 = mul v0, v1 (exact ints) ...        b0: v3 = mul v0, v1

An operation moves if it is the same in every round (`invariance.py`), what is known of its operands is known before the
loop already, and either it cannot raise, or the loop executes it first, before anything that could be noticed.  The
loop may have any number of exits.

The operations go to the block before the loop, if only one leads there, by a jump, from the same region; otherwise to a
new block, a preheader, that all edges from outside lead to.  It has the region and the handler of the header, passing
to the handler what the header would.  An irreducible loop, which is entered at several places, has no first block: what
neither raises nor reads memory goes to the nearest block that dominates all its entries.

In contrast to peeling, the code does not grow, and operations from anywhere in the loop can move; what may raise in the
middle of the loop can be taken out by peeling only.

Invariant: nothing is executed that could raise or be noticed and would not have been executed.
"""

from __future__ import annotations

from typing import Final

from futamura.ir.graph import Edge, Operation, Value
from futamura.ir.liveness import end_uses
from futamura.ir.nesting import Loop
from futamura.optimize.effects import may_be_removed
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.invariance import Rounds, homes
from futamura.optimize.memory import Memory

__all__ = ["RULES", "licm"]

RULES: Final = ("what raises nothing", "what may raise")
"""What is counted by `FlowGraph.fire`."""


def licm(graph: FlowGraph, inference: Inference) -> bool:
    """Move what does not change out of loops, inner loops first; did anything change?"""
    forest = inference.layout.loops()
    if not forest:
        return False
    motion = _Motion(graph, inference, forest)
    changed = False
    for number in reversed(range(len(forest))):
        if forest[number].header in inference.reached:
            changed = motion.leave(number) or changed
    return changed


class _Motion:
    """The loops of a function, with the preheaders that they get."""

    def __init__(self, graph: FlowGraph, inference: Inference, forest: list[Loop]) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._forest: Final = forest
        self._memory: Final = Memory(graph, inference)
        self._home: Final = homes(graph)
        self._preheaders: Final[dict[int, int]] = {}
        """By the header."""
        self._around: Final = {at: number for number, loop in enumerate(forest) for at in loop.nodes}
        """The innermost loop of each block: inner ones come later."""
        self._found_users: dict[Value, set[int]] | None = None

    def leave(self, number: int) -> bool:
        """Move operations out of one loop; did any move?"""
        loop = self._forest[number]
        order: list[int] = []
        for at in self._inference.layout.in_order(loop.nodes):
            if at in self._inference.reached:
                if at in self._preheaders and at != loop.header:
                    order.append(self._preheaders[at])
                order.append(at)
        rounds = Rounds(self._graph, self._inference, self._memory, self._home, frozenset(order))
        hoister = _Hoister(self._graph, self._inference, self._home, rounds, order)
        before = self._nearest(number) if loop.irreducible else self._before(loop)
        if loop.irreducible:
            if before is None or not hoister.collect(None, plain=True, silent=self._is_bare(before)):
                return False
            hoister.move(before)
            return True
        header = self._graph.node(loop.header)
        may_enter = self._may_get_preheader(loop)
        # An exception must find the same handler there, with the same values.
        alike = before is not None and self._graph.node(before).handler == header.handler
        bare = before is not None and self._is_bare(before)
        silent = (before is None or bare) and (not may_enter or self._is_bare(loop.header))
        first = loop.header if alike or may_enter else None
        if (before is None and not may_enter) or not hoister.collect(first, silent=silent):
            return False
        if before is None or (hoister.raises and not alike) or (bare and not hoister.silent):
            before = self._preheader(loop)
        hoister.move(before)
        return True

    def _is_bare(self, at: int) -> bool:
        """Is this a block of a region that has no handler, because nothing in it could raise, whatever the types?"""
        node = self._graph.node(at)
        return node.handler is None and node.region != 0

    def _before(self, loop: Loop) -> int | None:
        """The only block outside that leads to the loop, if it leads nowhere else and lies in the same region."""
        outside = [source for source, _ in self._inference.layout.entering[loop.header] if source not in loop.nodes]
        if len(outside) != 1:
            return None
        node = self._graph.node(outside[0])
        same = node.region == self._graph.node(loop.header).region
        return outside[0] if node.end.name == "jump" and same else None

    def _may_get_preheader(self, loop: Loop) -> bool:
        """Can a block before the header be entered as the header is, and leave to the header's handler?

        Behind a handler that only the loop leads to, parameters of the header may be used without being passed.
        """
        layout = self._inference.layout
        header = self._graph.node(loop.header)
        if any(self._graph.node(source).implicit(edge) for source, edge in layout.entering[loop.header]):
            return False
        if header.handler is None or not layout.dominates(loop.header, header.handler.target):
            return True
        behind = self._reached(header.handler.target, loop.header)
        return not any(at in behind for param in header.params for at in self._users.get(param, ()))

    def _reached(self, start: int, end: int) -> set[int]:
        """The blocks that ways from one block lead to, without those that go through another one."""
        found = {end}
        work = [start]
        while work:
            at = work.pop()
            if at not in found:
                found.add(at)
                work.extend(edge.target for edge in self._graph.node(at).edges())
        return found - {end}

    @property
    def _users(self) -> dict[Value, set[int]]:
        """The blocks that use a value, or pass it on."""
        if self._found_users is None:
            self._found_users = self._find_users()
        return self._found_users

    def _find_users(self) -> dict[Value, set[int]]:
        found: dict[Value, set[int]] = {}
        for at in self._inference.layout.order:
            node = self._graph.node(at)
            for value in (*[arg for op in node.ops for arg in op.args], *end_uses(node.end)):
                found.setdefault(value, set()).add(at)
            for value in node.handler.args if node.handler is not None else ():
                found.setdefault(value, set()).add(at)
        return found

    def _nearest(self, number: int) -> int | None:
        """The nearest block that dominates all entries, if it is executed no more often than the loop is entered."""
        loop = self._forest[number]
        found = self._inference.layout.common_dominator(loop.entries)
        if found < 0 or found in loop.nodes:
            return None
        regions = {self._graph.node(at).region for at in (found, loop.header)}
        return found if self._around.get(found, -1) == loop.parent and len(regions) == 1 else None

    def _preheader(self, loop: Loop) -> int:
        """A block that all edges from outside lead to, and that leads to the header."""
        graph = self._graph
        header = graph.node(loop.header)
        twin = {param: graph.value(graph.hints[param]) for param in header.params}
        for param, other in twin.items():
            graph.types[other] = graph.types[param]
        handler = header.handler
        if handler is not None:
            handler = handler._replace(args=tuple([twin.get(arg, arg) for arg in handler.args]))
        passed = tuple(twin.values())
        end = graph.terminator("jump", (), (Edge(loop.header, passed),))
        at = graph.add(Node(-1, list(passed), [], end, handler, header.region))
        self._home.update(dict.fromkeys(passed, at))
        self._preheaders[loop.header] = at
        for source, _ in self._inference.layout.entering[loop.header]:
            if source not in loop.nodes:
                node = graph.node(source)
                led = [edge._replace(target=at) if edge.target == loop.header else edge for edge in node.edges()]
                graph.retarget(node, tuple(led))
        return at


class _Hoister:
    """The operations of one loop that move."""

    def __init__(
        self,
        graph: FlowGraph,
        inference: Inference,
        home: dict[Value, int],
        rounds: Rounds,
        order: list[int],
    ) -> None:
        self._graph: Final = graph
        self._inference: Final = inference
        self._home: Final = home
        self._rounds: Final = rounds
        self._order: Final = order
        self._moved: Final[list[Operation]] = []
        self._outside: Final[set[Value]] = set()
        self.raises = False
        """May one of those that move raise?"""
        self.silent = True
        """Are all that move of kinds that never raise, whatever the types?"""

    def collect(self, header: int | None, *, plain: bool = False, silent: bool = False) -> bool:
        """Take out what moves; did anything?  With a header also what may raise there, first of all.

        `plain`: only what reads no memory; `silent`: only kinds of operations that never raise.
        """
        for at in self._order:
            node = self._graph.node(at)
            first = at == header
            kept: list[Operation] = []
            for op in node.ops:
                reads = plain and self._inference.fact(op).effects.reads
                if (op.operator.silent or not silent) and not reads and self._moves(op, first):
                    self.silent = self.silent and op.operator.silent
                    self._moved.append(op)
                    self._home.update(dict.fromkeys(op.results, -1))
                    self.raises = self.raises or self._may_raise(op)
                    self._graph.fire("what may raise" if self._inference.fact(op).raises else "what raises nothing")
                else:
                    kept.append(op)
                    first = first and self._is_unnoticed(op)
            node.ops = kept
        return bool(self._moved)

    def _moves(self, op: Operation, first: bool) -> bool:
        if not first and self._may_raise(op):
            return False
        return self._rounds.same(op) and self._holds_before(op)

    def _may_raise(self, op: Operation) -> bool:
        """Also a test of a class: an object may have a `__class__` of its own, which nobody must ask too early."""
        return bool(self._inference.fact(op).raises) or self._inference.asks(op)

    def _holds_before(self, op: Operation) -> bool:
        """Is what is known of the operands true where they are made, not only behind a test in the loop?"""
        shapes = self._inference.shapes
        return all(shapes.get(arg) == here for arg, here in zip(op.args, self._inference.operands[op.id]))

    def _is_unnoticed(self, op: Operation) -> bool:
        return may_be_removed(self._inference.fact(op)) and not self._inference.asks(op)

    def move(self, before: int) -> None:
        """Put the operations at the end of a block, with constants and globals of their own."""
        node = self._graph.node(before)
        ops: list[Operation] = []
        for op in self._moved:
            args: list[Value] = []
            for arg in op.args:
                if self._rounds.is_outside(arg):
                    args.append(arg)
                    continue
                made = self._inference.definitions[arg]
                ops.append(self._graph.operation(made.name, (), self._graph.hints[arg], made.attr))
                args.append(ops[-1].results[0])
                self._home[args[-1]] = before
                self._inference.definitions[args[-1]] = ops[-1]
            ops.append(op._replace(args=tuple(args)))
            self._home.update(dict.fromkeys(op.results, before))
        place = len(node.ops)
        if node.ops and node.ops[-1].name == "iter" and self._passes(node.ops[-1]):
            place -= 1
        node.ops = [*node.ops[:place], *ops, *node.ops[place:]]

    def _passes(self, iteration: Operation) -> bool:
        """May all stand before the `iter` of a `for`, so that the two stay together?"""
        if set(iteration.results).intersection(arg for op in self._moved for arg in op.args):
            return False
        plain = not self.raises and not any(self._inference.fact(op).effects.reads for op in self._moved)
        return plain or self._is_unnoticed(iteration)
