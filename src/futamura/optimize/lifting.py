"""Closures without free variables: a nested function that is only called is a function beside the one that makes it.

    def f(xs, k):                                 def f_scaled(x, k):
        def scaled(x): return x * k                   if x: return x * k
            ...                             ->        ...
        return scaled(xs[0]), scaled(xs[1])       def f(xs, k):
                                                      return f_scaled(xs[0], k), f_scaled(xs[1], k)

A function is lifted if all that happens to it is being called with arguments that fit, by the function that makes it
or by itself: then nobody sees its identity, its attributes or its defaults, and making it anew for each call of the
outer function is wasted work.  A free variable that holds one value, bound on every way to each call, is passed as an
argument more; one that holds a function that is lifted too needs no passing: it is called by its name.

Requires: nothing; `inline` goes first, for it takes away what is too small to be called at all.  Ensures: calls of what
was lifted are `invoke`, so that `contify` and `inline` see them.
Invariant: the sequence of operations is the same, without the making of functions and the reads of variables.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from futamura.ir.attributes import FunctionAttr
from futamura.ir.graph import Block, Function, Operation, Program, Signature, Value
from futamura.ir.liveness import end_uses
from futamura.ir.ops import OPERATORS, SUSPENDING
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.freevars import Captures, captured_cells, filled_at, settled_cells
from futamura.optimize.inference import Known
from futamura.optimize.inlining import without_unused
from futamura.optimize.sites import Made, Site, known_sites, made_here

__all__ = ["lift"]

MOST_PASSED: Final = 4
"""Passing more variables than this with each call costs more than making the function once."""
_STAYS: Final = frozenset({"function", "class", "super", *SUSPENDING})


def lift(program: Program, known: Known) -> Program:
    """The program with nested functions that are only called beside those that make them."""
    if len(program.functions) == 1:
        return program
    captures = Captures(program)
    names = _names(program)
    functions = {function.name: function for function in program.functions}
    changed = False
    for function in program.functions:
        if FlowGraph.takes(function):
            new = _Lifter(program, function, captures, names).run()
            if new:
                changed = True
                functions.update({one.name: one for one in new})
    if not changed:
        return program
    return without_unused(replace(program, functions=tuple(functions.values())))


def _names(program: Program) -> set[str]:
    """Every name that means something in the text."""
    found = {*vars(builtins), *keyword.kwlist, *[function.name for function in program.functions]}
    for function in program.functions:
        found.update([hint for hint in function.hints if hint is not None], function.free, function.signature.names)
        for op in function.operations():
            if op.name.startswith("global_") and isinstance(op.attr, tuple):
                found.add(str(op.attr[1]))
            elif op.name == "class":
                found.update(_words(str(op.attr)))
    return found


def _words(text: str) -> list[str]:
    return "".join([char if char.isidentifier() or char.isdigit() else " " for char in text]).split()


@dataclass(slots=True)
class _Member:
    """A function that may be lifted, by the value that it is."""

    made: Made
    function: Function
    calls: dict[Value, str]
    """The results of reads, in its own body, that are functions: by the name of the function."""
    passed: tuple[Value, ...] = ()
    """The cells around it whose values it needs, its own and those of the functions that it calls."""


class _Lifter:
    """The nested functions of one function."""

    def __init__(self, program: Program, function: Function, captures: Captures, names: set[str]) -> None:
        self._program: Final = program
        self._function: Final = function
        self._names: Final = names
        self._captures: Final = captures
        self._graph: Final = FlowGraph(function)
        self._made: Final = made_here(self._graph, captures)
        self._stored: Final[dict[Value, Value]] = {}
        """Settled cell -> the value that it holds."""
        self._held: Final = self._holders()
        """Settled cell -> the name of the function that it holds."""

    def run(self) -> list[Function]:
        """The function and those that were lifted out of it; nothing if none were."""
        graph = self._graph
        if not self._made:
            return []
        sites = list(known_sites(graph, self._program, self._made))
        mine: dict[str, list[Site]] = {}
        for site in sites:
            if site.op.name == "call":
                mine.setdefault(site.name, []).append(site)
        members: dict[str, _Member] = {}
        for value, made in self._made.items():
            if value == made.value and isinstance(made.op.attr, FunctionAttr):
                name = made.op.attr.name
                member = self._member(name, made, len(mine.setdefault(name, [])))
                if member is not None:
                    members[name] = member
        self._settle(members, mine)
        if not any(mine[name] for name in members):
            return []
        new_names = {name: self._fresh(member.function) for name, member in members.items()}
        lifted = [self._lifted(members, new_names, name) for name in members]
        for name, member in members.items():
            extra = tuple([self._stored[cell] for cell in member.passed])
            count = len(member.function.signature.names)
            for site in mine[name]:
                node = graph.node(site.at)
                args = (*site.values[:count], *extra)
                op = site.op._replace(operator=OPERATORS["invoke"], args=args, attr=new_names[name])
                node.ops = [op if old is site.op else old for old in node.ops]
        self._without_reads()
        return [graph.freeze()[0], *lifted]

    # ------------------------------------------------------------ which

    def _holders(self) -> dict[Value, str]:
        settled = settled_cells(self._graph, self._captures)
        found: dict[Value, str] = {}
        for _, node in self._graph.nodes():
            for op in node.ops:
                cell = op.results[0] if op.name == "cell" and op.args else op.args[1] if op.name == "cell_set" else -1
                if cell in settled:
                    self._stored[cell] = op.args[0]
                    made = self._made.get(op.args[0])
                    if made is not None and isinstance(made.op.attr, FunctionAttr):
                        found[cell] = made.op.attr.name
        return found

    def _member(self, name: str, made: Made, sites: int) -> _Member | None:
        """The function, if what is known of it alone lets it be lifted."""
        function = self._program[name]
        if function.kind != "function" or not FlowGraph.takes(function) or sites != made.sites:
            return None
        if any(op.name in _STAYS for op in function.operations()):
            return None
        if sum(isinstance(op.attr, FunctionAttr) and op.attr.name == name for one in self._program.functions
               for op in one.operations()) != 1 or not self._only_called(made):  # fmt: skip
            return None
        cells = captured_cells(made.op)
        params = function.entry.params[len(function.signature.names) :]
        calls: dict[Value, str] = {}
        for cell, param in zip(cells, params):
            if cell in self._held:
                reads = _called_reads(function, param)
                if reads is None:
                    return None
                calls.update(dict.fromkeys(reads, self._held[cell]))
            elif cell not in self._stored:
                return None
        return _Member(made, function, calls)

    def _only_called(self, made: Made) -> bool:
        """Is it called or held by a variable, and nothing else, in the function that makes it?"""
        values = {value for value, one in self._made.items() if one is made}
        for _, node in self._graph.nodes():
            for op in node.ops:
                for place, arg in enumerate(op.args):
                    held = (op.name == "cell_set" and op.args[1] in self._held) or (
                        op.name == "cell" and op.results[0] in self._held
                    )
                    if arg in values and not (op.name == "call" and place == 0) and not held:
                        return False
            used = (*end_uses(node.end), *(node.handler.args if node.handler is not None else ()))
            if not values.isdisjoint(used):
                return False
        # Reads of the variable that are not known to see the function would see it too.
        name = made.op.attr.name if isinstance(made.op.attr, FunctionAttr) else ""
        holders = {cell for cell, held in self._held.items() if held == name}
        return not any(
            op.name == "cell_get" and op.args[0] in holders and op.results[0] not in values
            for _, node in self._graph.nodes()
            for op in node.ops
        )

    def _settle(self, members: dict[str, _Member], mine: Mapping[str, list[Site]]) -> None:
        """Leave those out that need one that is left out, until none does; find out what each is passed."""
        ids = frozenset([site.op.id for name in members for site in mine[name]])
        filled = filled_at(self._graph, self._captures, ids)
        while True:
            for member in members.values():
                own = captured_cells(member.made.op)
                member.passed = tuple([cell for cell in dict.fromkeys(own) if cell not in self._held])
            self._close(members)
            gone = [name for name in members if not self._stays_lifted(name, members, mine[name], filled)]
            if not gone:
                return
            for name in gone:
                del members[name]

    def _close(self, members: Mapping[str, _Member]) -> None:
        changed = True
        while changed:
            changed = False
            for member in members.values():
                called = [members[name].passed for name in dict.fromkeys(member.calls.values()) if name in members]
                passed = tuple(dict.fromkeys([*member.passed, *[cell for cells in called for cell in cells]]))
                if passed != member.passed:
                    member.passed = passed
                    changed = True

    def _stays_lifted(
        self,
        name: str,
        members: Mapping[str, _Member],
        sites: list[Site],
        filled: Mapping[int, frozenset[Value]],
    ) -> bool:
        member = members[name]
        if len(member.passed) > MOST_PASSED or any(name not in members for name in member.calls.values()):
            return False
        if not self._captured_by_members(name, members):
            return False
        confined = self._graph.confined()
        needed = self._needed(name, members)
        for site in sites:
            region = self._graph.node(site.at).region
            if needed is None or not needed <= filled.get(site.op.id, frozenset()):
                return False
            if any(confined.get(self._stored[cell], region) != region for cell in member.passed):
                return False
        return all(_fits(op, members[member.calls[op.args[0]]].function) for op in member.function.operations()
                   if op.name == "call" and op.args[0] in member.calls)  # fmt: skip

    def _captured_by_members(self, name: str, members: Mapping[str, _Member]) -> bool:
        """Do only functions that are lifted too have the variable that holds it?"""
        holders = {cell for cell, held in self._held.items() if held == name}
        lifted = {member.made.op.id for member in members.values()}
        return not any(
            isinstance(op.attr, FunctionAttr) and op.id not in lifted and not holders.isdisjoint(captured_cells(op))
            for _, node in self._graph.nodes()
            for op in node.ops
        )

    def _needed(self, name: str, members: Mapping[str, _Member]) -> set[Value] | None:
        """The cells that a call may read, in it and in what it calls; None if it calls what is not lifted."""
        seen = {name}
        work = [name]
        cells: set[Value] = set()
        while work:
            member = members.get(work.pop())
            if member is None:
                return None
            cells.update(captured_cells(member.made.op))
            for called in member.calls.values():
                if called not in seen:
                    seen.add(called)
                    work.append(called)
        return cells

    # ------------------------------------------------------------ how

    def _fresh(self, function: Function) -> str:
        outer = self._function.name.rpartition(".")[2].partition("#")[0]
        inner = function.name.rpartition(".")[2].partition("#")[0]
        base = "_".join([part for part in (outer, inner) if part.isidentifier()]) or "lifted"
        name, number = base, 1
        while name in self._names:
            number += 1
            name = f"{base}_{number}"
        self._names.add(name)
        return name

    def _lifted(self, members: Mapping[str, _Member], names: Mapping[str, str], name: str) -> Function:
        """The function with its variables as parameters, under its new name."""
        member = members[name]
        old = member.function
        count = len(old.signature.names)
        hints, types = list(old.hints), list(old.types)
        own = dict(zip(captured_cells(member.made.op), old.entry.params[count:]))
        values: dict[Value, Value] = {}
        extra_names: list[str] = []
        for cell in member.passed:
            hint = self._graph.hints[cell] or "value"
            while hint in old.signature.names or hint in extra_names:
                hint += "_"
            extra_names.append(hint)
            values[cell] = len(hints)
            hints.append(hint)
            types.append("object")
        read = {own[cell]: values[cell] for cell in member.passed if cell in own}
        blocks: list[Block] = []
        for block in old.blocks:
            ops: list[Operation] = []
            for op in block.ops:
                if op.name == "cell_get" and op.args[0] in read:
                    ops.append(op._replace(operator=OPERATORS["copy"], args=(read[op.args[0]],), attr=None))
                elif op.name == "cell_get" and op.results[0] in member.calls:
                    continue  # a function that is called by its name now
                elif op.name == "call" and op.args[0] in member.calls:
                    target = members[member.calls[op.args[0]]]
                    given = (*_ordered(op, target.function), *[values[cell] for cell in target.passed])
                    attr = names[member.calls[op.args[0]]]
                    ops.append(op._replace(operator=OPERATORS["invoke"], args=given, attr=attr))
                else:
                    ops.append(op)
            params = block.params if block.id else (*block.params[:count], *values.values())
            blocks.append(block._replace(params=params, ops=tuple(ops)))
        return _renumbered(
            replace(
                old,
                name=names[name],
                signature=Signature(regular=(*old.signature.names, *extra_names)),
                free=(),
                blocks=tuple(blocks),
                hints=tuple(hints),
                types=tuple(types),
            )
        )

    def _without_reads(self) -> None:
        """Take away the reads of variables that held functions, where nothing needs them any more."""
        used = {
            value
            for _, node in self._graph.nodes()
            for value in (
                *[arg for op in node.ops for arg in op.args],
                *end_uses(node.end),
                *(node.handler.args if node.handler is not None else ()),
            )
        }
        for _, node in self._graph.nodes():
            node.ops = [
                op
                for op in node.ops
                if not (op.name == "cell_get" and op.results[0] in self._made and op.results[0] not in used)
            ]


def _called_reads(function: Function, cell: Value) -> list[Value] | None:
    """The results of reads of a cell, if all that happens to them is being called."""
    reads = [op.results[0] for op in function.operations() if op.name == "cell_get" and op.args[0] == cell]
    found = set(reads)
    for block in function.blocks:
        for op in block.ops:
            for place, arg in enumerate(op.args):
                if arg == cell and op.name != "cell_get":
                    return None
                if arg in found and not (op.name == "call" and place == 0):
                    return None
        used = (*end_uses(block.terminator), *(block.handler.args if block.handler is not None else ()))
        if cell in used or not found.isdisjoint(used):
            return None
    return reads


def _fits(call: Operation, function: Function) -> bool:
    """Does a call in another function name all parameters?  Defaults are known to the function around them only."""
    signature = function.signature
    marks = call.attr if isinstance(call.attr, tuple) else ("",) * (len(call.args) - 1)
    positional = (*signature.posonly, *signature.regular)
    first = sum(mark == "" for mark in marks)
    if signature.varargs or signature.varkw or "*" in marks or "**" in marks or first > len(positional):
        return False
    given = [*positional[:first], *[mark for mark in marks if mark]]
    return sorted(given) == sorted(signature.names) and not any(mark in signature.posonly for mark in marks)


def _ordered(call: Operation, function: Function) -> tuple[Value, ...]:
    """The arguments of a call that `_fits` in the order of the parameters."""
    signature = function.signature
    marks = call.attr if isinstance(call.attr, tuple) else ("",) * (len(call.args) - 1)
    positional = (*signature.posonly, *signature.regular)
    given = {mark or positional[place]: value for place, (mark, value) in enumerate(zip(marks, call.args[1:]))}
    return tuple([given[name] for name in signature.names])


def _renumbered(function: Function) -> Function:
    """The function without the values that are not defined any more."""
    return FlowGraph(function).freeze()[0]
