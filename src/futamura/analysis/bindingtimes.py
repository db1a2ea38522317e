"""Binding-time analysis: from the static inputs of a program to a division of all its values.

    analyse(program, [True, False], kind="simple")      follows operands only: congruent (Jones, Gomard and Sestoft 4.4)
                                    kind="safe"         and decisions: what a decision at run time merges is dynamic
                                    kind="bounded"      but stays static where it takes finitely many values

The rule for decisions, in SSA form.  A decision is the end of a block whose condition is dynamic, or a protected
block with an operation that stays.  A block is *controlled* if it depends on a decision, directly or through other
blocks.  An edge is controlled if it leaves a decision or a controlled block.  A block parameter to which edges bring
different values is dynamic as soon as one of these edges is controlled.  With uniform points, as in the textbook form
of the rule, each assignment to a variable in a controlled block makes the variable dynamic as well.

Why specialization with a safe division ends: along an endless run of the specializer some loop goes around for ever.
If an edge around it is controlled, the parameters of its header that change are dynamic, and only finitely many points
remain; if none is, every run of the program takes the same way around.  Calls obey the same rule: an argument of a
recursive call in a controlled block is dynamic, and a function called from a controlled block is controlled.

Invariant: values only ever become dynamic; a function is analysed again only if that can make more of it dynamic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from futamura.analysis.boundedvariation import growing_values, strongly_connected, validated_parameters
from futamura.analysis.cfg import ControlFlow
from futamura.analysis.controldependence import ControlDependence
from futamura.analysis.dependence import arguments_of_parameters
from futamura.analysis.division import Cause, Division, FunctionDivision, Kind, Pattern, Points
from futamura.analysis.dominators import dominators
from futamura.analysis.early import Early
from futamura.analysis.partial import NOTHING, Access, Structures, starred
from futamura.ir.graph import Function, Operation, Program, Value
from futamura.ir.liveness import Liveness

__all__ = ["analyse"]


def analyse(
    program: Program,
    static: Sequence[bool],
    early: Early,
    *,
    kind: Kind = "safe",
    points: Points = "pointwise",
    forced: Mapping[tuple[str, int], str] | None = None,
    generalized: Mapping[tuple[str, Value], str] | None = None,
    structures: Structures = NOTHING,
    whole: Mapping[int, str] | None = None,
) -> Division:
    """The division of `program` whose entry's parameters are static where `static` says so.

    `early` says which operations may be executed at specialization time; `forced` has the reason for each further
    operation (function, id) that was found to have to stay, `generalized` for each value (function, value) that is
    dynamic by somebody's wish.  `structures` may be partially static, but for the webs in `whole`.
    """
    pattern = Pattern(program.entry, tuple(static))
    division = Division(program, kind, points, pattern, structures=structures, whole=dict(whole or {}))
    analysis = _Analysis(division, early, forced or {}, generalized or {})
    analysis.run()
    return division


class _Shape:
    """What does not depend on binding times: who uses what, where values merge, what depends on which block."""

    def __init__(self, function: Function) -> None:
        self.function: Final = function
        self.flow: Final = ControlFlow(function)
        self.control: Final = ControlDependence(self.flow)
        self.arguments: Final = arguments_of_parameters(function)
        self.users: Final[dict[Value, list[tuple[int, Operation]]]] = {}
        self.ends: Final[dict[Value, list[int]]] = {}
        self.passed: Final[dict[Value, list[Value]]] = {}
        self.block_of: Final[dict[int, int]] = {}
        self.made: Final = {result: op for op in function.operations() for result in op.results}
        for block in function.blocks:
            for operation in block.ops:
                self.block_of[operation.id] = block.id
                for value in dict.fromkeys(operation.args):
                    self.users.setdefault(value, []).append((block.id, operation))
            for value in dict.fromkeys(block.terminator.args):
                self.ends.setdefault(value, []).append(block.id)
        for param, sources in self.arguments.items():
            for _, value in sources:
                self.passed.setdefault(value, []).append(param)
        self.items: Final = {
            function.blocks[block.terminator.edges[0].target].params[0]: block.terminator.args[0]
            for block in function.blocks
            if block.terminator.name == "next"
        }
        """For each item that a loop takes the iterator."""
        self.merging: Final = self._merging()
        self.variables: Final[dict[str, list[Value]]] = {}
        for value, hint in enumerate(function.hints):
            if hint is not None:
                self.variables.setdefault(hint, []).append(value)
        self.handled: Final = _handled_values(function)

    def _merging(self) -> list[list[Value]]:
        """For each block the parameters to which edges bring different values, other than themselves."""
        found: list[list[Value]] = []
        for block in self.function.blocks:
            found.append([p for p in block.params if len({value for _, value in self.arguments.get(p, ())} - {p}) > 1])
        return found


def _handled_values(function: Function) -> dict[Value, str]:
    """Values that a handler gets from more than one place of the extent that it protects: they stay dynamic."""
    found: dict[Value, str] = {}
    owner: dict[Value, int] = {}
    handlers = {region.handler: region.id for region in function.regions if region.kind == "try"}
    if not handlers:
        return found
    for block in function.blocks:
        for value in (*block.params, *(result for operation in block.ops for result in operation.results)):
            owner[value] = block.region
    live = Liveness(function)
    for handler, region in sorted(handlers.items()):
        if handler < 0:
            continue
        for param in function.blocks[handler].params:
            found[param] = "is what a handler gets"
        for value in live.into(handler):
            if region in function.region_path(owner[value]):
                found[value] = "is made in a protected statement, and its handler needs it"
    return found


class _Analysis:
    """All functions of a program under the patterns that are met."""

    def __init__(
        self,
        division: Division,
        early: Early,
        forced: Mapping[tuple[str, int], str],
        generalized: Mapping[tuple[str, Value], str],
    ) -> None:
        self.division: Final = division
        self.early: Final = early
        self.forced: Final = forced
        self.generalized: Final = generalized
        self.shapes: Final[dict[str, _Shape]] = {}
        self.cycle: Final = _recursion(division.program)
        self.not_static: Final[set[Pattern]] = set()

    def run(self) -> None:
        """Solve what is reachable until no call has to be taken back from the static ones."""
        while True:
            known = len(self.division.whole)
            found: dict[Pattern, FunctionDivision] = {}
            callers: dict[Pattern, tuple[Pattern, Operation]] = {}
            work = [self.division.entry]
            while work:
                pattern = work.pop(0)
                if pattern in found:
                    continue
                found[pattern] = _Solver(self, pattern).solve()
                for operation, call in found[pattern].called():
                    if call not in found:
                        callers.setdefault(call, (pattern, operation))
                        work.append(call)
            if len(self.division.whole) > known:
                continue
            late = {p for p in found if all(p.static) and not found[p].wholly_static} - self.not_static
            if not late:
                self.division.functions = found
                self.division.callers = callers
                return
            self.not_static.update(late)

    def shape(self, name: str) -> _Shape:
        if name not in self.shapes:
            self.shapes[name] = _Shape(self.division.program[name])
        return self.shapes[name]

    def unfolds(self, pattern: Pattern) -> bool:
        """Is a call like this executed at specialization time?"""
        return (
            all(pattern.static)
            and not pattern.partial
            and pattern not in self.not_static
            and (self.division.program[pattern.function].kind == "function")
        )


def _recursion(program: Program) -> dict[str, int]:
    """For each function the number of the cycle of calls that it lies on; functions on no cycle have their own."""
    calls: dict[int, list[int]] = {}
    number = {function.name: index for index, function in enumerate(program.functions)}
    for function in program.functions:
        calls[number[function.name]] = [
            number[str(operation.attr)] for operation in function.operations() if operation.name == "invoke"
        ]
    found: dict[str, int] = {}
    for index, members in enumerate(strongly_connected(calls, lambda node: calls[node])):
        recursive = len(members) > 1 or members[0] in calls[members[0]]
        for member in members:
            found[program.functions[member].name] = index if recursive else -1 - index
    return found


class _Solver:
    """One function under one pattern."""

    def __init__(self, analysis: _Analysis, pattern: Pattern) -> None:
        self.analysis: Final = analysis
        self.division: Final = analysis.division
        self.shape: Final = analysis.shape(pattern.function)
        self.function: Final = self.shape.function
        self.found: Final = FunctionDivision(self.function, pattern)
        self.work: Final[list[Value]] = []
        self.partial_work: Final[list[Value]] = []
        self.candidates: Final[dict[Value, Cause]] = {}
        self.obeys: Final = self.division.kind != "simple"

    def solve(self) -> FunctionDivision:
        self._begin()
        while True:
            self._propagate()
            before = len(self.found.dynamic)
            self._calls()
            self._bounded()
            self._shapes()
            if len(self.found.dynamic) == before and not self.work and not self.partial_work:
                return self.found

    # ------------------------------------------------------------ what is dynamic from the start

    def _begin(self) -> None:
        pattern = self.found.pattern
        names = (*self.function.signature.names, *self.function.free)
        for param, static, name in zip(self.function.entry.params, pattern.static, names):
            if not static and pattern == self.division.entry:
                self._mark(param, Cause("input", f"`{name}` is a dynamic input", self.function.span))
            elif not static:
                self._mark(param, Cause("argument", f"`{name}` is a dynamic argument", None))
        for param in self.function.entry.params[len(pattern.static) :]:
            self._mark(param, Cause("effect", "is a shared variable", self.function.span), force=True)
        for position in sorted(pattern.partial):
            cause = Cause("input", f"of `{names[position]}` the shape is known only", self.function.span)
            self._mark_partial(self.function.entry.params[position], cause)
        reachable = self.shape.flow.reachable()
        for block in self.function.blocks:
            if block.id not in reachable:
                continue
            for operation in block.ops:
                reason = self.analysis.forced.get((self.function.name, operation.id))
                if self._structure(operation, reason):
                    continue
                if reason is None:
                    reason = self._early(operation)
                if reason is not None:
                    self._stay(block.id, operation, Cause("effect", f"`{operation.name}` {reason}", operation.span))
            if block.terminator.name == "guard":
                self._decide(block.id, Cause("effect", "a guard is tested at run time", block.terminator.span))
        for value, reason in self.shape.handled.items():
            self._mark(value, Cause("handler", reason), force=True)
        for (name, value), reason in self.analysis.generalized.items():
            if name == self.function.name:
                self._mark(value, Cause("effect", reason), force=True)
        if pattern.controlled and self.obeys:
            for number in self.shape.flow.order:
                self._control(number, -1)

    # ------------------------------------------------------------ structures

    def _access(self, operation: Operation) -> Access | None:
        """What the operation does with a structure that is split."""
        return self.division.access(self.function.name, operation)

    def _early(self, operation: Operation) -> str | None:
        """Why the operation cannot be executed early; of what makes a structure also why that is not split."""
        reason = self.analysis.early(self.function, operation)
        structures = self.division.structures
        if reason is None or not operation.results or operation.name not in ("dict", "list"):
            return reason
        web = structures.web.get((self.function.name, operation.results[0]), -1)
        return f"{reason}; it is not split: {self.division.whole[web]}" if web in self.division.whole else reason

    def _structure(self, operation: Operation, forced: str | None) -> bool:
        """Begin with an operation on a dict or a list that is split; False if it is none."""
        access = self._access(operation)
        if access is None:
            return False
        if forced is not None:
            self._give_up(access.on, forced)
            if access.makes:
                self._give_up(operation.results[0], forced)
            return False
        if self.division.structures.kind[self.division.structures.web[self.function.name, access.on]] == "tuple":
            return False
        if access.makes:
            self._mark_partial(operation.results[0], Cause("effect", "is a structure that is split", operation.span))
        elif access.gives_items:
            cause = Cause("effect", f"is an item of {self._name(access.on)}", operation.span)
            for result in operation.results:
                self._mark(result, cause, force=True)
        return True

    def _give_up(self, value: Value, reason: str) -> None:
        """The structures of the web of `value` are not split."""
        web = self.division.structures.web[self.function.name, value]
        self.division.whole.setdefault(web, reason)

    def _mark_partial(self, value: Value, cause: Cause) -> None:
        if value in self.found.dynamic:
            self._give_up(value, f"{self._name(value)} {self.found.dynamic[value].text}")
        elif value not in self.found.partial:
            self.found.partial[value] = cause
            self.partial_work.append(value)

    def _use_partial(self, operation: Operation, value: Value) -> None:
        cause = Cause("flow", f"uses {self._name(value)}", operation.span, value)
        if operation.name == "copy":
            for result, source in zip(operation.results, operation.args):
                if source == value:
                    self._mark_partial(result, cause)
            return
        access = self._access(operation)
        if operation.name == "invoke":
            return  # `_calls` sees to it
        if access is None:
            self._give_up(value, "it becomes a part of what is not split")
        elif access.makes:
            self._mark_partial(operation.results[0], cause)
        elif access.gives_items:
            for result in operation.results:
                self._mark(result, Cause("effect", f"is an item of {self._name(value)}", operation.span), force=True)

    def _use_beside(self, operation: Operation, access: Access, value: Value) -> bool:
        """A dynamic operand of an operation on a structure; False if the operation has to stay."""
        if value in access.keys or value == access.on:
            what = "a name or index" if value in access.keys else "it"
            line = f" in line {operation.span.line}" if operation.span is not None else ""
            self._give_up(access.on, f"{what} is decided at run time{line}")
            return False
        if not access.makes:
            return True
        spread = operation.name != "dict" and any(
            value == item and star for item, star in zip(operation.args, starred(operation))
        )
        if spread or operation.name == "add" or (operation.name == "cons" and value == operation.args[1]):
            for other in (*operation.args, *operation.results):
                if self.division.splits(self.function.name, other):
                    self._give_up(other, f"it is joined to {self._name(value)}, which is decided at run time")
            return False
        self._mark_partial(operation.results[0], Cause("flow", f"holds {self._name(value)}", operation.span, value))
        return True

    def _shapes(self) -> None:
        """What a structure has must not depend on decisions for ever; `simple` does not know what they control."""
        structures, name = self.division.structures, self.function.name
        for number in sorted(self.found.controlled) if self.obeys else self.shape.flow.order:
            for operation in self.function.blocks[number].ops:
                access = self._access(operation)
                if access is None or not access.changes or (name, operation.id) in structures.steady:
                    continue
                few = self.division.kind != "safe" and structures.web[name, access.on] in structures.few
                if not few:
                    line = f" in line {operation.span.line}" if operation.span is not None else ""
                    when = "is decided at run time" if self.obeys else "may be more and more"
                    self._give_up(access.on, f"what it has {when}{line}")

    # ------------------------------------------------------------ flow

    def _mark(self, value: Value, cause: Cause, *, force: bool = False) -> None:
        if force:
            self.found.forced.add(value)
        if value not in self.found.dynamic:
            self.found.dynamic[value] = cause
            self.work.append(value)
            if value in self.found.partial:
                self._give_up(value, f"{self._name(value)} {cause.text}")

    def _stay(self, block: int, operation: Operation, cause: Cause, *, force: bool = True) -> None:
        """The operation is part of the residual program, its results are dynamic."""
        if operation.id in self.found.residual:
            return
        self.found.residual[operation.id] = cause
        for result in operation.results:
            self._mark(result, cause, force=force)
        if self.function.blocks[block].handler is not None and not operation.operator.silent:
            self._decide(block, Cause("handler", f"`{operation.name}` may raise, and a handler waits", operation.span,
                                      cause.value))  # fmt: skip

    def _propagate(self) -> None:
        while self.work or self.partial_work:
            if self.partial_work:
                value = self.partial_work.pop()
                for _, operation in self.shape.users.get(value, ()):
                    self._use_partial(operation, value)
                for param in self.shape.passed.get(value, ()):
                    cause = Cause("flow", f"{self._name(value)} arrives here", None, value)
                    self._mark_partial(param, cause)
                continue
            value = self.work.pop()
            for block, operation in self.shape.users.get(value, ()):
                self._use(block, operation, value)
            for block in self.shape.ends.get(value, ()):
                self._end(block, value)
            for param in self.shape.passed.get(value, ()):
                self._mark(param, Cause("flow", f"{self._name(value)} arrives here", None, value))
            hint = self.function.hints[value]
            if self.division.points == "uniform" and hint is not None:
                for other in self.shape.variables[hint]:
                    self._mark(other, Cause("variable", f"`{hint}` is dynamic at another place", None, value))

    def _use(self, block: int, operation: Operation, value: Value) -> None:
        cause = Cause("flow", f"uses {self._name(value)}", operation.span, value)
        if operation.name == "copy":
            for result, source in zip(operation.results, operation.args):
                if source == value:
                    self._mark(result, cause)
            return
        access = self._access(operation)
        if access is not None and self._use_beside(operation, access, value):
            return
        self._stay(block, operation, cause, force=False)

    def _end(self, block: int, value: Value) -> None:
        end = self.function.blocks[block].terminator
        if end.name == "next":
            item = self.function.blocks[end.edges[0].target].params[0]
            self._mark(item, Cause("flow", "is an item of a dynamic iterator", end.span, value))
        if len(end.edges) > 1 or end.name == "guard":
            self._decide(block, Cause("flow", f"the condition is {self._name(value)}", end.span, value))

    def _name(self, value: Value) -> str:
        hint = self.function.hints[value]
        return f"`{hint}`" if hint is not None else "a dynamic value"

    # ------------------------------------------------------------ control

    def _decide(self, block: int, cause: Cause) -> None:
        if block in self.found.decisions:
            return
        self.found.decisions[block] = cause
        if not self.obeys:
            return
        self._merge_behind(block, block)
        work = [block]
        while work:
            for below in self.shape.control.dependents(work.pop()):
                if below not in self.found.controlled:
                    self._control(below, block)
                    work.append(below)

    def _control(self, block: int, by: int) -> None:
        if block in self.found.controlled:
            return
        self.found.controlled[block] = by
        self._merge_behind(block, by)
        if self.division.points != "uniform":
            return
        body = self.function.blocks[block]
        for operation in body.ops:
            for result in operation.results:
                if self.function.hints[result] is not None:
                    self._candidate(result, operation.span, block, by)
        if body.params and body.params[0] not in self.shape.arguments:  # the item of a `next`
            self._candidate(body.params[0], None, block, by)

    def _merge_behind(self, block: int, by: int) -> None:
        """The edges that leave `block` bring values under a decision."""
        body = self.function.blocks[block]
        for edge in (*body.terminator.edges, *([body.handler] if body.handler is not None else [])):
            for param in self.shape.merging[edge.target]:
                self._candidate(param, body.terminator.span, block, by)

    def _candidate(self, value: Value, span: object, block: int, by: int) -> None:
        if value in self.found.dynamic or value in self.candidates or value in self.function.entry.params:
            return
        if by < 0:
            cause = Cause("control", "whether this function is called is decided at run time", self.function.span)
        else:
            line = self.function.blocks[by].terminator.span
            where = f" in line {line.line}" if line is not None else ""
            cause = Cause("control", f"whether, or how often, it gets its value is decided at run time{where}", line,
                          None, by)  # fmt: skip
        self.candidates[value] = cause
        if self.division.kind == "safe":
            self._mark(value, cause, force=True)

    def _bounded(self) -> None:
        """Of the candidates, those that may grow for ever become dynamic."""
        if self.division.kind != "bounded" or self.work:
            return
        open_candidates = [value for value in self.candidates if value not in self.found.dynamic]
        if not open_candidates:
            return
        growing = self._growing(open_candidates)
        for value in open_candidates:
            if value in growing:
                self._mark(value, self.candidates[value], force=True)

    def _growing(self, candidates: Sequence[Value]) -> set[Value]:
        dynamic, shape = self.found.dynamic, self.shape
        validated = validated_parameters(self.function, shape.arguments, dominators(shape.flow), dynamic, candidates)
        uncontrolled = {param for params in shape.merging for param in params if param not in self.candidates}
        return growing_values(self.function, shape.arguments, uncontrolled, dynamic, validated)

    # ------------------------------------------------------------ calls

    def _calls(self) -> None:
        for block in self.function.blocks:
            for operation in block.ops:
                if operation.name == "invoke":
                    self._call(block.id, operation)

    def _call(self, block: int, operation: Operation) -> None:
        callee = str(operation.attr)
        cycle = self.analysis.cycle
        pattern = self.found.pattern
        controlled = self.obeys and (pattern.controlled or block in self.found.controlled)
        static = [value not in self.found.dynamic for value in operation.args]
        if controlled and cycle[callee] >= 0 and cycle[callee] == cycle[pattern.function]:
            for position, value in enumerate(operation.args):
                if static[position] and not self._passes_on(value):
                    static[position] = False
                    by = self.found.controlled.get(block, -1)
                    text = "whether this recursive call happens is decided at run time"
                    cause = Cause("control", text, operation.span, None, by if by >= 0 else None)
                    self.found.lifted[operation.id, position] = cause
        for position, param in enumerate(self.division.program[callee].entry.params[: len(static)]):
            if static[position] and (callee, param) in self.analysis.generalized:
                static[position] = False
                self.found.lifted[operation.id, position] = Cause(
                    "effect", self.analysis.generalized[callee, param], operation.span
                )
        partial = {at for at, value in enumerate(operation.args) if value in self.found.partial}
        for position in sorted(partial):
            if not static[position]:
                partial.discard(position)
                self._give_up(operation.args[position], "it is an argument of a call that is decided at run time")
        call = Pattern(callee, tuple(static), controlled, frozenset(partial))
        self.found.calls[operation.id] = call
        if operation.id not in self.found.residual and not self.analysis.unfolds(call):
            lifts = not all(static) or bool(partial)
            text = "calls with arguments that are decided at run time" if lifts else f"`{callee}` has to run later"
            self._stay(block, operation, Cause("call", text, operation.span), force=True)

    def _is_small(self, operation: Operation) -> bool:
        """Does it make a dict of which the names are finitely many?"""
        access = self._access(operation)
        structures = self.division.structures
        if access is None or not access.makes:
            return False
        return structures.web[self.function.name, operation.results[0]] in structures.few

    def _passes_on(self, value: Value) -> bool:
        """Bounded variation of an argument: it is a parameter of the caller, a part of one, or a constant."""
        if self.division.kind != "bounded":
            return False
        params = self.function.entry.params
        selected = {value}
        work = [value]
        while work:
            here = work.pop()
            op = self.shape.made.get(here)
            if here in params or (op is not None and self._is_small(op)):
                continue
            if op is None and here in self.shape.items:
                below: tuple[Value, ...] = (self.shape.items[here],)
            elif op is None or op.name not in ("copy", "const", "car", "cdr", "getitem", "unpack", "getattr", "iter"):
                return False
            else:
                below = op.args[: 1 if op.name != "copy" else None]
            for source in below:
                if source not in selected:
                    selected.add(source)
                    work.append(source)
        return True
