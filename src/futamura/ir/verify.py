"""The verifier: every function that is built passes here, and a broken one is an error at once.

    b1(): v3 = add v1, v2; return v3     VerificationError: f: b1: op 0 (add): v2 is not defined on every path to here

Invariants, all checked:
- header: one type for each hint; the entry's parameters are the signature's names, then the free cells; no name twice
- blocks: ids are dense, nothing leads to block 0
- values: dense integers, each defined exactly once (as a parameter or a result)
- dominance: every use (an operand, an argument of an edge) is defined on every way to it; a handler edge leaves
  *before* the first operation of its block, so it passes only what is defined by then; blocks that nothing
  reaches are exempt
- operations: ids are used once, counts of arguments and results are the row's, the attribute has the row's form
- terminators: number of arguments and edges, form of the attribute
- edges: as many arguments as the target has parameters, counting the implicit first one (the item on the
  body edge of `next`, the exception on handler edges)
- regions: ids dense, region 0 is the only "body", parents come first; a `try` has a flavor and a handler block in
  the "except" region `of` it (it may lack the handler while no block needs it); an "except" or "copy" region hangs
  on the parent of its try region; a try region has at most one except region; a copy is one of a "finally" or "with"
- handlers: a block's handler is that of the innermost try region on its path; only a block that cannot raise lacks it;
  only handler edges lead to a handler block, and its region is the except region
- extents: no edge enters an except region from outside, and only an edge from within its try region enters a copy
- `yield` occurs in generators only, `await` and calls of coroutines of the program in coroutines
- in a program, names are unique, the entry exists, and every `function` operation names a function of the program and
  binds its cells, and every `invoke` passes all parameters of one

Linear but for the dominators, which are linear in practice.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NoReturn

from futamura.ir.attributes import ASYNC, FunctionAttr, nothing, waiting
from futamura.ir.constant import Constant
from futamura.ir.dominance import (
    dominance_intervals,
    immediate_dominators,
    reverse_postorder,
)
from futamura.ir.graph import Block, Edge, FrameState, Function, Program, Region, Terminator
from futamura.ir.liveness import end_uses
from futamura.ir.ops import SUSPENDING

__all__ = ["VerificationError", "verify_function", "verify_program"]

_FLAVORS: Final = frozenset({"except", "residual", "finally", "with"})
_SILENT_ENDS: Final = frozenset({"jump", "branch", "switch", "return", "unreachable"})


class VerificationError(Exception):
    """A function breaks an invariant of the IR."""


def verify_program(program: Program) -> None:
    """Raise `VerificationError` if an invariant of the program or of one of its functions does not hold."""
    if len(program.index) != len(program.functions):
        names = sorted(function.name for function in program.functions)
        twice = next(name for name, after in pairwise(names) if name == after)
        raise VerificationError(f"program: two functions are called {twice}")
    if program.entry not in program.index:
        raise VerificationError(f"program: the entry {program.entry} is not one of its functions")
    for function in program.functions:
        verify_function(function)
        _verify_references(program, function)


def _verify_references(program: Program, function: Function) -> None:
    for block in function.blocks:
        for index, operation in enumerate(block.ops):
            attr = operation.attr
            if isinstance(attr, FunctionAttr):
                name, bound = attr.name, attr.defaults + len(attr.kwdefaults) + len(attr.annotations)
            elif operation.name == "invoke":
                name, bound = str(attr), -1
            else:
                continue
            place = f"{function.name}: b{block.id}: op {index} ({operation.name})"
            made = program.index.get(name)
            if made is None:
                raise VerificationError(f"{place}: the program has no function {name}")
            bound = len(made.entry.params) if bound < 0 else bound + len(made.free)
            if len(operation.args) != bound:
                raise VerificationError(f"{place}: {name} takes {bound} arguments, got {len(operation.args)}")
            if operation.name == "invoke" and made.kind == "coroutine" != function.kind:
                raise VerificationError(f"{place}: {name} is a coroutine, and only one can wait for it")


def verify_function(function: Function) -> None:
    """Raise `VerificationError` if an invariant does not hold."""
    _Verifier(function).run()


class _Verifier:
    """One run over one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.definition: list[int] = [-1] * len(function.hints)
        """Node of the definition: a block's id for its parameters, its tail's node for its results."""
        self.handlers = frozenset(
            region.handler for region in function.regions if region.kind == "try" and region.handler >= 0
        )
        self.innermost: list[int] = []
        """For each region the try region whose handler protects its blocks, or -1."""
        self.excepts: list[frozenset[int]] = []
        """For each region the except and copy regions on its path."""

    def run(self) -> None:
        self.header()
        self.regions()
        self.blocks()
        self.definitions()
        self.structure()
        self.dominance()

    def fail(self, place: str, message: str) -> NoReturn:
        where = f"{self.function.name}: {place}: " if place else f"{self.function.name}: "
        raise VerificationError(where + message)

    # ---------------------------------------------------------------- header and regions

    def header(self) -> None:
        function = self.function
        if len(function.types) != len(function.hints):
            self.fail("", f"{len(function.hints)} hints but {len(function.types)} types")
        if not function.blocks:
            self.fail("", "no block")
        if function.kind not in ("function", "generator", "coroutine"):
            self.fail("", f"unknown kind {function.kind!r}")
        names = function.signature.names + function.free
        if len(set(names)) != len(names):
            self.fail("", f"a name occurs twice in the signature and the free variables: {names}")
        count = len(function.blocks[0].params)
        if count != len(names):
            self.fail("b0", f"the entry has {count} parameters, the signature and free variables {len(names)}")

    def regions(self) -> None:
        regions = self.function.regions
        if not regions or regions[0] != Region(0, 0, "body"):
            if not regions or regions[0].kind != "body" or regions[0].id != 0 or regions[0].parent != 0:
                self.fail("region 0", "must be the body, its own parent")
        self.innermost.append(-1)
        self.excepts.append(frozenset())
        handled: set[int] = set()
        for number, region in enumerate(regions[1:], 1):
            place = f"region {number}"
            if region.id != number:
                self.fail(place, f"has the id {region.id}")
            if not 0 <= region.parent < number:
                self.fail(place, f"the parent {region.parent} does not come before it")
            self.region(place, region)
            if region.kind == "except":
                if region.of in handled:
                    self.fail(place, f"a second except region of region {region.of}")
                handled.add(region.of)
            inside = self.excepts[region.parent]
            self.innermost.append(number if region.kind == "try" else self.innermost[region.parent])
            self.excepts.append(inside if region.kind == "try" else inside | {number})

    def region(self, place: str, region: Region) -> None:
        regions, blocks = self.function.regions, self.function.blocks
        if region.kind == "try":
            if region.flavor not in _FLAVORS:
                self.fail(place, f"unknown flavor {region.flavor!r}")
            if region.handler == -1:
                return
            if not 0 <= region.handler < len(blocks):
                self.fail(place, f"the handler b{region.handler} does not exist")
            home = blocks[region.handler].region
            if not 0 <= home < len(regions) or regions[home].kind != "except" or regions[home].of != region.id:
                self.fail(place, f"the handler b{region.handler} does not lie in the except region of this region")
            return
        if region.kind not in ("except", "copy"):
            self.fail(place, f"unknown kind {region.kind!r}")
        if not 0 < region.of < len(regions) or regions[region.of].kind != "try":
            self.fail(place, f"`of` {region.of} is not a try region")
        if regions[region.of].parent != region.parent:
            self.fail(place, f"its parent is not that of its try region {region.of}")
        if region.kind == "copy" and regions[region.of].flavor == "except":
            self.fail(place, f"a copy of region {region.of}, which has no clean-up")

    # ---------------------------------------------------------------- blocks and definitions

    def blocks(self) -> None:
        regions = len(self.function.regions)
        for number, block in enumerate(self.function.blocks):
            if block.id != number:
                self.fail(f"b{number}", f"has the id {block.id}")
            if not 0 <= block.region < regions:
                self.fail(f"b{number}", f"lies in region {block.region}, which does not exist")

    def definitions(self) -> None:
        """Every value is defined once; a block's results get the node of its tail."""
        definition = self.definition
        tail = len(self.function.blocks)
        for block in self.function.blocks:
            node = block.id
            for value in block.params:
                if not 0 <= value < len(definition) or definition[value] >= 0:
                    self.redefined(f"b{block.id}", value)
                definition[value] = node
            if block.handler is not None:
                node = tail
                tail += 1
            for index, operation in enumerate(block.ops):
                for value in operation.results:
                    if not 0 <= value < len(definition) or definition[value] >= 0:
                        self.redefined(f"b{block.id}: op {index} ({operation.name})", value)
                    definition[value] = node
        if -1 in definition:
            self.fail("", f"v{definition.index(-1)} is not defined anywhere")

    def redefined(self, place: str, value: int) -> NoReturn:
        if not 0 <= value < len(self.definition):
            self.fail(place, f"v{value} is not a value of the function (it has {len(self.definition)})")
        self.fail(place, f"v{value} is defined a second time")

    # ---------------------------------------------------------------- operations, terminators, edges

    def structure(self) -> None:
        ids: set[int] = set()
        of = self.function.kind
        count = 0
        for block in self.function.blocks:
            for index, (id, row, args, attr, results, _) in enumerate(block.ops):
                ids.add(id)
                count += 1
                problem = ""
                if row.arity != len(args) and row.arity >= 0:
                    problem = f"takes {row.arity} arguments, got {len(args)}"
                elif row.results != len(results) and row.results >= 0:
                    problem = f"gives {row.results} results, got {len(results)}"
                elif attr is not None or row.form is not nothing:
                    problem = row.form(attr, len(args), len(results))
                wanted = "coroutine" if attr == ASYNC and row.form is waiting else SUSPENDING.get(row.name, of)
                if wanted != of:
                    problem = f"in a function that is no {wanted}"
                if problem:
                    self.fail(f"b{block.id}: op {index} ({row.name})", problem)
            ids.add(block.terminator.id)
            count += 1
            self.terminator(f"b{block.id}: {block.terminator.name}", block)
            self.handler(f"b{block.id}", block)
        if len(ids) != count:
            self.fail("", "two operations have the same id")

    def terminator(self, place: str, block: Block) -> None:
        end = block.terminator
        kind = end.kind
        if len(end.args) != kind.arity and (kind.arity >= 0 or len(end.args) > 2):
            self.fail(place, f"takes {kind.arity if kind.arity >= 0 else 'at most 2'} arguments, got {len(end.args)}")
        self.end_form(place, end)
        implicit = 1 if kind.name == "next" else 0
        for edge in end.edges:
            self.edge(place, edge, implicit)
            implicit = 0
            if edge.target in self.handlers:
                self.fail(place, f"leads to the handler b{edge.target}, which only handler edges may enter")
            self.crossing(place, block.region, edge.target)

    def end_form(self, place: str, end: Terminator) -> None:
        wanted = end.kind.edges
        if end.kind.name == "switch":
            cases = end.attr
            if not isinstance(cases, tuple) or not all(isinstance(case, Constant) for case in cases):
                self.fail(place, f"the attribute must be a tuple of constants, got {cases!r}")
            if len(set(cases)) != len(cases):
                self.fail(place, "a case occurs twice")
            wanted = len(cases) + 1
        elif end.kind.name == "guard":
            if not isinstance(end.attr, FrameState):
                self.fail(place, f"the attribute must be a FrameState, got {end.attr!r}")
        elif end.attr is not None:
            self.fail(place, f"takes no attribute, got {end.attr!r}")
        if len(end.edges) != wanted:
            self.fail(place, f"has {wanted} edges, got {len(end.edges)}")

    def edge(self, place: str, edge: Edge, implicit: int) -> None:
        blocks = self.function.blocks
        if not 0 <= edge.target < len(blocks):
            self.fail(place, f"leads to b{edge.target}, which does not exist")
        if edge.target == 0:
            self.fail(place, "leads to the entry")
        passed, wanted = implicit + len(edge.args), len(blocks[edge.target].params)
        if passed != wanted:
            note = " (one of them implicit)" if implicit else ""
            self.fail(place, f"passes {passed} arguments{note} to b{edge.target}, which has {wanted} parameters")

    def crossing(self, place: str, source: int, target: int) -> None:
        """Except regions are entered through their handler, copies from within their try region."""
        region = self.function.blocks[target].region
        if source == region:
            return
        entered = self.excepts[region] - self.excepts[source]
        for number in sorted(entered):
            entry = self.function.regions[number]
            if entry.kind == "except":
                self.fail(place, f"enters the except region {number} at b{target}, not by its handler")
            if entry.of not in self.function.region_path(source):
                self.fail(place, f"enters the copy region {number} from outside of its try region {entry.of}")

    def handler(self, place: str, block: Block) -> None:
        guardian = self.innermost[block.region]
        edge = block.handler
        if edge is None:
            trusted = guardian >= 0 and self.function.regions[guardian].flavor == "residual"
            if guardian >= 0 and not trusted and not self.silent(block):
                self.fail(place, f"may raise and lies in try region {guardian}, but has no handler edge")
            return
        if guardian < 0:
            self.fail(place, "has a handler edge but lies in no try region")
        wanted = self.function.regions[guardian].handler
        if edge.target != wanted:
            self.fail(place, f"its handler is b{edge.target}, that of region {guardian} is b{wanted}")
        self.edge(f"{place}: handler", edge, 1)

    def silent(self, block: Block) -> bool:
        """No operation of the block can raise, whatever the types."""
        if block.terminator.name not in _SILENT_ENDS:
            return False
        return all(operation.operator.silent for operation in block.ops)

    # ---------------------------------------------------------------- dominance

    def nodes(self) -> tuple[list[list[int]], list[int]]:
        """Each block is a node; a block with a handler edge is two, its head and its tail behind its operations."""
        blocks = self.function.blocks
        successors: list[list[int]] = [[] for _ in blocks]
        tails: list[int] = []
        for block in blocks:
            targets = [edge.target for edge in block.terminator.edges]
            if block.handler is None:
                successors[block.id] = targets
                tails.append(block.id)
            else:
                tails.append(len(successors))
                successors[block.id] = [len(successors), block.handler.target]
                successors.append(targets)
        return successors, tails

    def dominance(self) -> None:
        successors, tails = self.nodes()
        order = reverse_postorder(successors, 0)
        dominators = immediate_dominators(successors, 0)
        first, last = dominance_intervals(dominators, order)
        definition = self.definition
        begin = [first[node] for node in definition]
        end = [last[node] for node in definition]
        ready = bytearray(len(definition))
        for block in self.function.blocks:
            here = first[block.id]
            if here < 0:
                continue
            for value in block.params:
                ready[value] = 1
            if block.handler is not None:
                for value in block.handler.args:
                    if not (self.known(value) and begin[value] <= here <= end[value]):
                        self.undefined(f"b{block.id}: handler", value)
            tail = tails[block.id]
            here = first[tail]
            for operation in block.ops:
                for value in operation.args:
                    # In this block the order decides, otherwise the tree.
                    if not (self.known(value) and begin[value] <= here <= end[value]) or (
                        definition[value] == tail and not ready[value]
                    ):
                        self.undefined(f"b{block.id}: op {block.ops.index(operation)} ({operation.name})", value)
                for value in operation.results:
                    ready[value] = 1
            for value in end_uses(block.terminator):
                if not (self.known(value) and begin[value] <= here <= end[value]):
                    self.undefined(f"b{block.id}: {block.terminator.name}", value)

    def known(self, value: int) -> bool:
        return 0 <= value < len(self.definition)

    def undefined(self, place: str, value: int) -> NoReturn:
        if not self.known(value):
            self.fail(place, f"v{value} is not a value of the function (it has {len(self.definition)})")
        self.fail(place, f"v{value} is not defined on every path to here")
