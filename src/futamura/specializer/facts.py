"""What the specializer knows about one source function: liveness, loops, joins, and its dynamic branches.

    while i < n:          header b1; loop {b1, b2}; if `i < n` turns out dynamic, b1's branch has one way
        i += 1            inside the loop and one outside: the loop is dynamic and b1 a specialization point

Loops are strongly connected components, nested by removing the header, so irreducible regions are loops too.
`dynamic` only grows during a specialization.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import CellType
from typing import Final

from futamura.ir.graph import Block, Function, Operation, Program
from futamura.ir.liveness import end_uses
from futamura.specializer.deciding import BUILTIN_NAMES, Deciding
from futamura.specializer.default_values import default_blocks
from futamura.specializer.gathering import Gathering, gathering, read_anywhere
from futamura.specializer.knowledge import Knowledge, Learned
from futamura.specializer.unread import Unread

__all__ = ["FunctionFacts", "Loop"]

_THROUGH: Final = frozenset(
    {
        "copy",
        "neg",
        "pos",
        "invert",
        "not",
        "truth",
        "add",
        "sub",
        "mul",
        "matmul",
        "truediv",
        "floordiv",
        "mod",
        "pow",
        "lshift",
        "rshift",
        "and",
        "or",
        "xor",
        "iadd",
        "isub",
        "imul",
        "imatmul",
        "itruediv",
        "ifloordiv",
        "imod",
        "ipow",
        "ilshift",
        "irshift",
        "iand",
        "ior",
        "ixor",
        "lt",
        "le",
        "eq",
        "ne",
        "gt",
        "ge",
        "is",
        "is_not",
        "const",
    }
)


class Loop:
    """A loop: its header, its blocks, and the loops around it, innermost first."""

    __slots__ = ("blocks", "header")

    def __init__(self, header: int, blocks: frozenset[int]) -> None:
        self.header: Final = header
        self.blocks: Final = blocks


def _tested(block: Block, caught: int) -> list[tuple[str, str]] | None:
    """The globals whose classes an `except` clause names, if its test does nothing else."""
    named: dict[int, list[tuple[str, str]]] = {}
    for op in block.ops:
        if op.name == "global_get" and isinstance(op.attr, tuple):
            named[op.results[0]] = [op.attr]
        elif op.name == "tuple" and op.attr is None and all(arg in named for arg in op.args):
            named[op.results[0]] = [name for arg in op.args for name in named[arg]]
        elif op.name == "exc_match" and op.args[0] == caught and op.results == block.terminator.args:
            return named.get(op.args[1])
        else:
            return None
    return None


def _end_uses(block: Block) -> list[int]:
    """What the ways out of a block use, those to its handler too."""
    return [*end_uses(block.terminator), *(() if block.handler is None else block.handler.args)]


def _only_reads(op: Operation, value: int) -> bool:
    """Does the operation, which has `value` among its operands, read it, or pass it on with `**`?"""
    if op.name == "call":
        marks = op.attr if isinstance(op.attr, tuple) else ("",) * (len(op.args) - 1)
        return all(mark == "**" for mark, arg in zip(("", *marks), op.args, strict=True) if arg == value)
    if op.name == "getattr":
        return op.attr in ("get", "items", "keys", "values", "copy")
    if op.name in ("in", "not_in"):
        return op.args[0] != value
    if op.name == "dict":
        return isinstance(op.attr, tuple) and all(op.attr)  # nothing but `{**a, **b}`
    return op.name in ("truth", "not") or (op.name == "getitem" and op.args[1] != value)


class FunctionFacts:
    """One lowered function and where it runs."""

    def __init__(
        self,
        program: Program,
        function: Function,
        namespace: Mapping[str, object],
        cells: tuple[CellType, ...] = (),
        uid: int = 0,
        knowledge: Knowledge | None = None,
    ) -> None:
        self.program: Final = program
        self.function: Final = function
        self.namespace: Final = namespace
        self.cells: Final = cells
        self.uid: Final = uid
        self.unfolded = False
        """Whether the program wants calls of it unfolded in recursion, too."""
        self.blocks: Final[tuple[Block, ...]] = function.blocks
        self.places: Final = tuple([(uid, block.id) for block in function.blocks])
        """The blocks as side tables know them: each pair made once."""
        self.successors: Final = [_successors(block) for block in self.blocks]
        self.predecessors: Final = _predecessors(self.successors)
        self.live_in: Final = _liveness(function, self.successors)
        self.unread: Final = Unread(function, self.successors)
        self.loops: Final = tuple(_loops(self.successors))
        self.headers: Final = frozenset(loop.header for loop in self.loops)
        self.taking: Final = _taking(self.blocks, self.headers)
        self.loops_of: Final = _loops_of(len(self.blocks), self.loops)
        self.paths: Final = [function.region_path(block.region)[1:] for block in self.blocks]
        self.dynamic: set[int] = set()
        self._raising: set[tuple[int, str]] = set()
        knowledge = knowledge or Knowledge()
        self.dynamic_headers: Final = Learned[int](knowledge)
        self.entered: set[int] = set()
        self.called_recursively: Final = Learned[bool](knowledge)
        self.told: Final = Learned[bool](knowledge)
        """Does a residual function of it return known results that differ, and nothing else?"""
        self._live_at: dict[tuple[int, int], tuple[int, ...]] = {}
        self._useful: dict[bool, frozenset[int]] = {}
        self._gathering: dict[int, Gathering] = {}
        self._read: frozenset[int] = frozenset()
        self._may_recur: bool | None = None
        self._deciding: Deciding | None = None
        self._passes_keywords: bool | None = None
        self._options: tuple[int | None] | None = None
        self._iterated: dict[int, Operation] | None = None
        self._defaults: dict[int, int] | None = None
        self.size: Final = sum([len(block.ops) for block in self.blocks])
        """How many operations it has."""
        self.position: Final = _positions(_reverse_postorder(self.successors), self.loops)

    @property
    def may_recur(self) -> bool:
        """Does it call anything but builtins and methods that are named like theirs, make functions, or take items?"""
        if self._may_recur is None:
            self._may_recur = _may_recur(self.function)
        return self._may_recur

    @property
    def deciding(self) -> Deciding:
        if self._deciding is None:
            self._deciding = Deciding(self.function)
        return self._deciding

    @property
    def passes_keywords(self) -> bool:
        """Does it call anything with `**`?"""
        if self._passes_keywords is None:
            calls = [op.attr for block in self.blocks for op in block.ops if op.name == "call"]
            self._passes_keywords = any(isinstance(attr, tuple) and "**" in attr for attr in calls)
        return self._passes_keywords

    def tested_when_closed(self, block: int) -> tuple[tuple[str, str], ...] | None:
        """The globals whose classes the handlers around this block would compare with a GeneratorExit, and that is all
        they do with one of another class; None if they may do more."""
        found: list[tuple[str, str]] = []
        at = self.blocks[block]
        while at.handler is not None:
            tries = [region for region in self.paths[at.id] if self.function.regions[region].kind == "try"]
            if not tries or self.function.regions[tries[-1]].flavor != "except":
                return None
            at = self.blocks[at.handler.target]
            caught = at.params[0] if at.params else -1
            while at.terminator.name == "branch":
                names = _tested(at, caught)
                if names is None:
                    return None
                found.extend(names)
                at = self.blocks[at.terminator.edges[1].target]
            if at.terminator.name != "reraise" or at.ops or at.terminator.args != (caught,):
                return None
        return tuple(found)

    @property
    def options(self) -> int | None:
        """What collects keywords, if all that happens to it here is that it is read, and passed on with `**`."""
        if self._options is None:
            self._options = (self._find_options(),)
        return self._options[0]

    def _find_options(self) -> int | None:
        signature = self.function.signature
        if signature.varkw is None:
            return None
        value = self.function.entry.params[signature.names.index(signature.varkw)]
        for block in self.blocks:
            if value in _end_uses(block):
                return None
            if not all(_only_reads(op, value) for op in block.ops if value in op.args):
                return None
        return value

    @property
    def iterated(self) -> dict[int, Operation]:
        """Calls whose results nobody uses but an iterator that is made of them at once, by result."""
        if self._iterated is None:
            self._iterated = self._find_iterated()
        return self._iterated

    def _find_iterated(self) -> dict[int, Operation]:
        found: dict[int, Operation] = {}
        for block in self.blocks:
            for made, op in itertools.pairwise(block.ops):
                if op.name == "iter" and made.name == "call" and op.args == made.results:
                    found[op.args[0]] = made
        uses = Counter(arg for block in self.blocks for op in block.ops for arg in op.args)
        for block in self.blocks:
            uses.update(_end_uses(block))
        return {value: made for value, made in found.items() if uses[value] == 1}

    @property
    def recursive(self) -> bool:
        """Was it called while it ran under dynamic control?"""
        return True in self.called_recursively

    def keep_dead(self) -> None:
        """Count all parameters of a block as live at its start, as specializers without trimming do."""
        for block in self.blocks:
            self.live_in[block.id] = tuple(sorted({*self.live_in[block.id], *block.params}))

    def varying(self, header: int) -> frozenset[int]:
        """The values of the variables, told by their names, that the loop of `header` both reads and assigns."""
        loop = next((loop for loop in self.loops if loop.header == header), None)
        if loop is None:
            return frozenset()
        hints = self.function.hints
        read: set[str | None] = set()
        assigned: set[str | None] = set()
        for at in sorted(loop.blocks):
            block = self.blocks[at]
            read.update(hints[arg] for op in block.ops for arg in op.args)
            read.update(hints[arg] for arg in block.terminator.args)
            assigned.update(hints[result] for op in block.ops for result in op.results)
        names = (read & assigned) - {None}
        return frozenset(value for value, name in enumerate(hints) if name in names)

    def merging(self, header: int) -> frozenset[int]:
        """The parameters of `header` that get different values; to be passed around by copies changes nothing."""
        copies = [op for block in self.blocks for op in block.ops if op.name == "copy"]
        origin = {result: arg for op in copies for result, arg in zip(op.results, op.args)}
        params = self.blocks[header].params
        arriving: list[set[int]] = [set() for _ in params]
        for source in self.predecessors[header]:
            for edge in self.blocks[source].terminator.edges:
                if edge.target != header:
                    continue
                if len(edge.args) != len(params):  # the edge itself brings one
                    return frozenset(params)
                for found, value in zip(arriving, edge.args):
                    while value in origin:
                        value = origin[value]
                    found.add(value)
        return frozenset(param for param, found in zip(params, arriving) if len(found - {param}) != 1)

    def gathering(self, header: int) -> Gathering:
        """What the loop of `header` only appends to, or only writes to."""
        found = self._gathering.get(header)
        if found is None:
            blocks = next(loop.blocks for loop in self.loops if loop.header == header)
            self._read = self._read or read_anywhere(self.function)
            found = self._gathering[header] = gathering(self.function, header, blocks, self._read)
        return found

    def live_at(self, block: int, index: int) -> tuple[int, ...]:
        """The values used at or after operation `index` of `block`, sorted."""
        key = (block, index)
        live = self._live_at.get(key)
        if live is None:
            live = self._live_at[key] = _live_at(self.blocks[block], index, self)
        return live

    def joins(self, block: int) -> bool:
        return len(self.predecessors[block]) > 1

    def mark_dynamic(self, block: int) -> bool:
        """Record that control at the end of (or an exception in) `block` is dynamic.

        True if this makes a loop dynamic that was already entered in line.
        """
        if block in self.dynamic:
            return False
        self.dynamic.add(block)
        return self._mark_loops(block, self.loops_of[block])

    def mark_choice(self, block: int, value: int) -> bool:
        """Record that what is known of `value` differs from way to way behind `block`; as `mark_dynamic`.

        The loops around it are dynamic if it decides when they end.
        """
        loops = self.loops_of[block]
        branches = self.deciding.decided(value)[0] if loops else ()
        return sum([self._mark_loops(branch, loops) for branch in branches]) > 0

    def _mark_loops(self, block: int, loops: Iterable[Loop]) -> bool:
        """Those of these loops that a branch at the end of `block` leaves, or not, are dynamic; was one passed?"""
        late = False
        for loop in loops:
            if self.dynamic_headers.has(loop.header) or block not in loop.blocks:
                continue
            ways = [successor in loop.blocks for successor in self.successors[block]]
            if any(ways) and not all(ways):
                self.dynamic_headers.add(loop.header)
                late = late or self._was_passed(loop.header)
        return late

    def _was_passed(self, header: int) -> bool:
        """Was this header passed in line, in what still stands?"""
        return header in self.entered and self.dynamic_headers.was_missed(header)

    def mark_raising(self, block: int) -> bool:
        """Record that an exception in `block` is caught in this function; as `mark_dynamic`."""
        handler = self.blocks[block].handler
        if handler is None or (block, "raises") in self._raising:
            return False
        self._raising.add((block, "raises"))
        late = False
        for loop in self.loops_of[block]:
            stays = any(edge.target in loop.blocks for edge in self.blocks[block].terminator.edges)
            if not self.dynamic_headers.has(loop.header) and stays is not (handler.target in loop.blocks):
                self.dynamic_headers.add(loop.header)
                late = late or self._was_passed(loop.header)
        return late

    def in_dynamic_loop(self, block: int) -> bool:
        headers = self.dynamic_headers
        return any(loop.header in headers for loop in self.loops_of[block])

    @property
    def defaults(self) -> dict[int, int]:
        """The blocks that only give a variable its default where it is tested for None, or truth, with this default:
        `t or []`, `30 if t is None else t`, `if t is None: t = {}`."""
        if self._defaults is None:
            self._defaults = dict(default_blocks(self.blocks, self.predecessors))
        return self._defaults

    def useful(self, inlined: bool) -> frozenset[int]:
        """The values that can reach control, a call, memory or a container: all but pure accumulators.

        What an inlined function returns is useful, for its caller may do anything with it.
        """
        if inlined not in self._useful:
            self._useful[inlined] = _useful(self.function, inlined)
        return self._useful[inlined]


def _may_recur(function: Function) -> bool:
    if any(block.terminator.name == "next" for block in function.blocks):
        return True  # of a generator, say
    made = {result: op for block in function.blocks for op in block.ops for result in op.results}
    for op in made.values():
        if op.name in ("function", "class", "invoke"):
            return True
        if op.name == "call":
            called = made.get(op.args[0])
            if called is None or called.name not in ("global_get", "getattr"):
                return True
            name = called.attr[1] if isinstance(called.attr, tuple) else called.attr
            if name not in BUILTIN_NAMES:
                return True
    return False


def _taking(blocks: tuple[Block, ...], headers: frozenset[int]) -> dict[int, int]:
    """The headers that do nothing but to take an item, with what they take it from: if it is open, so is their loop."""
    ends = {at: blocks[at].terminator for at in sorted(headers) if not blocks[at].ops}
    return {at: end.args[0] for at, end in ends.items() if end.name == "next"}


def _successors(block: Block) -> tuple[int, ...]:
    edges = tuple(edge.target for edge in block.terminator.edges)
    return (*edges, block.handler.target) if block.handler is not None else edges


def _predecessors(successors: list[tuple[int, ...]]) -> list[set[int]]:
    predecessors: list[set[int]] = [set() for _ in successors]
    for source, targets in enumerate(successors):
        for target in targets:
            predecessors[target].add(source)
    return predecessors


def _edge_args(block: Block) -> Iterator[tuple[int, ...]]:
    for edge in block.terminator.edges:
        yield edge.args
    if block.handler is not None:
        yield block.handler.args


def _liveness(function: Function, successors: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The values that each block needs where it begins, its own parameters among them, as sorted tuples.

    From each use of a value backwards to its definition: linear in the size of the result.
    """
    home: dict[int, int] = {}
    params: set[int] = set()
    for block in function.blocks:
        params.update(block.params)
        for value in (*block.params, *(result for op in block.ops for result in op.results)):
            home[value] = block.id
    live: list[set[int]] = [set() for _ in function.blocks]
    predecessors = _predecessors(successors)
    for block in function.blocks:
        used = {arg for op in block.ops for arg in op.args}
        used.update(block.terminator.args)
        for args in _edge_args(block):
            used.update(args)
        for value in used:
            work = [block.id]
            while work:
                at = work.pop()
                if value in live[at]:
                    continue
                if home[value] != at:
                    live[at].add(value)
                    work.extend(predecessors[at])
                elif value in params:
                    live[at].add(value)
    return [tuple(sorted(values)) for values in live]


def _live_at(block: Block, index: int, facts: FunctionFacts) -> tuple[int, ...]:
    live: set[int] = set()
    for successor in facts.successors[block.id]:
        params = facts.blocks[successor].params
        live.update(value for value in facts.live_in[successor] if value not in params)
    for args in (block.terminator.args, *_edge_args(block)):
        live.update(args)
    for op in reversed(block.ops[index:]):
        live.difference_update(op.results)
        live.update(op.args)
    return tuple(sorted(live))


def _reverse_postorder(successors: list[tuple[int, ...]]) -> list[int]:
    seen = {0}
    order: list[int] = []
    stack: list[tuple[int, int]] = [(0, 0)]
    while stack:
        block, at = stack.pop()
        targets = successors[block]
        while at < len(targets) and targets[at] in seen:
            at += 1
        if at == len(targets):
            order.append(block)
            continue
        stack.append((block, at + 1))
        seen.add(targets[at])
        stack.append((targets[at], 0))
    order.reverse()
    return order


def _positions(order: list[int], loops: tuple[Loop, ...]) -> dict[int, int]:
    """The order in which blocks are best executed: as control flows, but the header of a loop once more only when all
    that was begun in the loop has come back to it."""
    position = {block: at for at, block in enumerate(order)}
    last = {block: (at, 0) for block, at in position.items()}
    for loop in loops:
        found = (max(position[block] for block in loop.blocks), len(loop.blocks))
        last[loop.header] = max(last[loop.header], found) if last[loop.header][1] else found
    return {block: at for at, block in enumerate(sorted(order, key=last.__getitem__))}


def _components(nodes: set[int], successors: list[tuple[int, ...]], order: list[int]) -> Iterator[set[int]]:
    """Strongly connected components with a cycle, within `nodes` (Tarjan, iterative)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    for root in order:
        if root in index or root not in nodes:
            continue
        work: list[tuple[int, int]] = [(root, 0)]
        while work:
            node, at = work.pop()
            if at == 0:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
            descended = False
            targets = successors[node]
            for position in range(at, len(targets)):
                target = targets[position]
                if target not in nodes:
                    continue
                if target not in index:
                    work.append((node, position + 1))
                    work.append((target, 0))
                    descended = True
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            if descended:
                continue
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[node])
            if low[node] == index[node]:
                component = set()
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    component.add(member)
                    if member == node:
                        break
                if len(component) > 1 or node in successors[node]:
                    yield component


def _loops(successors: list[tuple[int, ...]]) -> Iterator[Loop]:
    """All loops, outer ones before inner ones."""
    order = _reverse_postorder(successors)
    position = {block: at for at, block in enumerate(order)}
    work: list[set[int]] = [set(order)]
    while work:
        nodes = work.pop()
        for component in _components(nodes, successors, sorted(nodes, key=position.__getitem__)):
            header = min(component, key=position.__getitem__)
            yield Loop(header, frozenset(component))
            work.append(component - {header})


def _loops_of(count: int, loops: tuple[Loop, ...]) -> list[tuple[Loop, ...]]:
    """For each block the loops around it, outer ones first."""
    found: list[list[Loop]] = [[] for _ in range(count)]
    for loop in loops:
        for block in loop.blocks:
            found[block].append(loop)
    return [tuple(around) for around in found]


def _useful(function: Function, inlined: bool) -> frozenset[int]:
    useful: set[int] = set()
    through: dict[int, set[int]] = {}
    for block in function.blocks:
        for op in block.ops:
            if op.name in _THROUGH:
                for result in op.results:
                    through.setdefault(result, set()).update(op.args)
            else:
                useful.update(op.args)
        if inlined or block.terminator.name != "return":
            useful.update(block.terminator.args)
        edges = [
            (edge, 1 if position == 0 and block.terminator.name == "next" else 0)
            for position, edge in enumerate(block.terminator.edges)
        ]
        if block.handler is not None:
            edges.append((block.handler, 1))
        for edge, implicit in edges:
            params = function.blocks[edge.target].params[implicit:]
            for param, arg in zip(params, edge.args):
                through.setdefault(param, set()).add(arg)
    work = list(useful)
    while work:
        for source in through.get(work.pop(), ()):
            if source not in useful:
                useful.add(source)
                work.append(source)
    return frozenset(useful)
