"""SSA form for a graph made of copies of a function's blocks, of which some values now have several definitions.

    b1 copied twice, both copies reach b2    each use in b2 of a value of b1 becomes a new parameter of b2

`place` copies a block (or its end) into the builder; `connect` says which copies its edges lead to; `finish` renames,
with parameters where definitions meet: at the iterated dominance frontiers (Cytron et al. 1991), where the value is
live.

Invariant: whatever way control takes through the copies, the original function could have taken it from the point where
the values of the prologue were defined; so every use has a definition on every way, be it in the prologue or in a copy.
"""

from __future__ import annotations

from collections.abc import Callable

from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.dominance import immediate_dominators, predecessor_lists
from futamura.ir.graph import Block, Edge, FrameState, Function, Terminator, Value
from futamura.ir.liveness import Liveness

__all__ = ["Reconstruction"]


class _Copy:
    """The copy of one block from operation `start` on."""

    __slots__ = ("added", "block", "handler", "head", "local", "new", "params", "start", "tail", "targets")

    def __init__(self, block: Block, start: int, new: BlockBuilder) -> None:
        self.block = block
        self.start = start
        self.new = new
        self.targets: list[int] = []
        self.handler = -1
        self.params: dict[Value, Value] = {}
        """What the copy's parameters define, from the original's value to the new one."""
        self.local: dict[Value, Value] = {}
        """What its parameters and operations define."""
        self.added: dict[Value, Value] = {}
        """The parameters that join several definitions."""
        self.head = self.tail = -1
        """Nodes: a copy with a handler is two, for the handler edge leaves before the operations."""


class Reconstruction:
    """One new function under construction; copy 0 is the one that the prologue leads to."""

    def __init__(self, function: Function, liveness: Liveness, builder: FunctionBuilder) -> None:
        self.function = function
        self.liveness = liveness
        self.builder = builder
        self.copies: list[_Copy] = []
        self.prologue: dict[Value, Value] = {}
        """The values that the prologue defines for the original's."""

    def place(self, block: Block, start: int, region: int) -> int:
        """A copy of `block` in the new `region`: from operation `start` on, or all of it with its parameters (-1)."""
        copy = _Copy(block, start, self.builder.block(region))
        if start < 0:
            copy.start = 0
            for value in block.params:
                copy.params[value] = self._fresh(value)
            copy.new.params = list(copy.params.values())
        copy.local.update(copy.params)
        for operation in block.ops[copy.start :]:
            for value in operation.results:
                copy.local[value] = self._fresh(value)
        self.copies.append(copy)
        return len(self.copies) - 1

    def connect(self, copy: int, targets: list[int], handler: int) -> None:
        self.copies[copy].targets = targets
        self.copies[copy].handler = handler

    def new_block(self, copy: int) -> BlockBuilder:
        return self.copies[copy].new

    def finish(self) -> None:
        """Fill all copies."""
        self._number()
        self._join()
        for copy in self.copies:
            self._fill(copy)

    def _fresh(self, value: Value) -> Value:
        return self.builder.value(self.function.hints[value], self.function.types[value])

    # ---------------------------------------------------------------- where definitions meet

    def _number(self) -> None:
        """Nodes: 0 is the prologue; then heads; then tails."""
        self.owner: list[tuple[_Copy | None, bool]] = [(None, True)]
        successors: list[list[int]] = [[1]]
        for copy in self.copies:
            copy.head = copy.tail = len(successors)
            successors.append([])
            self.owner.append((copy, copy.handler < 0))
        for copy in self.copies:
            if copy.handler >= 0:
                copy.tail = len(successors)
                successors.append([])
                self.owner.append((copy, True))
                successors[copy.head] = [copy.tail, self.copies[copy.handler].head]
        for copy in self.copies:
            successors[copy.tail] = [self.copies[target].head for target in copy.targets]
        self.predecessors = predecessor_lists(successors)
        self.above = immediate_dominators(successors, 0)
        self.seen: dict[tuple[Value, int], Value | None] = {}

    def _frontiers(self) -> list[set[int]]:
        frontiers: list[set[int]] = [set() for _ in self.above]
        for node, sources in enumerate(self.predecessors):
            if len(sources) < 2:
                continue
            for source in sources:
                while source != self.above[node]:
                    frontiers[source].add(node)
                    source = self.above[source]
        return frontiers

    def _join(self) -> None:
        """Add a parameter wherever two definitions of a live value meet; remember the single definitions."""
        sites: dict[Value, list[int]] = {value: [0] for value in self.prologue}
        single: dict[Value, Value] = dict(self.prologue)
        for copy in self.copies:
            for value, new in copy.local.items():
                sites.setdefault(value, []).append(copy.head if value in copy.params else copy.tail)
                single[value] = new
        several = [value for value, nodes in sites.items() if len(nodes) > 1]
        self.single = {value: new for value, new in single.items() if len(sites[value]) == 1}
        if not several:
            return
        frontiers = self._frontiers()
        for value in sorted(several):
            work = sites[value][:]
            while work:
                for node in sorted(frontiers[work.pop()]):
                    meeting = self.owner[node][0]
                    assert meeting is not None and meeting.head == node
                    if value in meeting.added or not self.liveness.enters(meeting.block.id, value):
                        continue
                    meeting.added[value] = self._fresh(value)
                    meeting.new.params.append(meeting.added[value])
                    work.append(node)

    # ---------------------------------------------------------------- renaming

    def _reaching(self, value: Value, node: int) -> Value:
        """The definition of `value` that holds where control leaves `node`."""
        if value in self.single:
            return self.single[value]
        path = []
        while True:
            found = self.seen.get((value, node))
            if found is None:
                path.append(node)
                found = self._defined(value, node)
            if found is not None:
                break
            assert node != 0, f"v{value} of {self.function.name} has no definition here"
            node = self.above[node]
        for passed in path:
            self.seen[value, passed] = found
        return found

    def _defined(self, value: Value, node: int) -> Value | None:
        copy, complete = self.owner[node]
        if copy is None:
            return self.prologue.get(value)
        if complete and value in copy.local:
            return copy.local[value]
        if value in copy.params:
            return copy.params[value]
        return copy.added.get(value)

    def _at_start(self, value: Value, copy: _Copy) -> Value:
        if value in copy.params:
            return copy.params[value]
        if value in copy.added:
            return copy.added[value]
        return self._reaching(value, self.above[copy.head])

    def _use(self, value: Value, copy: _Copy) -> Value:
        return copy.local[value] if value in copy.local else self._at_start(value, copy)

    def _fill(self, copy: _Copy) -> None:
        builder, block = self.builder, copy.block

        def use(value: Value) -> Value:
            return self._use(value, copy)

        for _, row, args, attr, results, span in block.ops[copy.start :]:
            new_results = tuple([copy.local[value] for value in results])
            builder.append(copy.new, row.name, tuple(map(use, args)), attr, new_results, span)
        end: Terminator = block.terminator
        edges = tuple([self._edge(copy, edge, target) for edge, target in zip(end.edges, copy.targets)])
        attr = _state(end.attr, use) if isinstance(end.attr, FrameState) else end.attr
        builder.terminate(copy.new, end.kind.name, tuple(map(use, end.args)), edges, attr, end.span)
        if block.handler is not None and copy.handler >= 0:
            target = self.copies[copy.handler]
            passed = [self._at_start(value, copy) for value in (*block.handler.args, *target.added)]
            copy.new.handler = Edge(target.new.id, tuple(passed))

    def _edge(self, copy: _Copy, edge: Edge, target: int) -> Edge:
        goal = self.copies[target]
        return Edge(goal.new.id, tuple([self._use(value, copy) for value in (*edge.args, *goal.added)]))


def _state(state: FrameState, use: Callable[[Value], Value]) -> FrameState:
    """The frame state with its recipes' values renamed."""
    values = tuple([(value, _recipe(recipe, use)) for value, recipe in state.values])
    return state._replace(values=values, parent=None if state.parent is None else _state(state.parent, use))


def _recipe(recipe: object, use: Callable[[Value], Value]) -> object:
    if type(recipe) is int:
        return use(recipe)
    if type(recipe) is tuple:
        return (*recipe[:2], *[_recipe(part, use) for part in recipe[2:]])
    return recipe
