"""The interpreter's frames: a function's values, its place in the graph, and what all frames of a run share.

    frame.go(Edge(3, (1,)), item)     block 3, its parameters bound to the item and the value 1
    frame.catch(region, exception)    the handler's block; gives the except region to run
    frame.pay()                       fuel for one operation; the watched frame may stop here

Invariant: `block` and `index` always name the operation that is being executed, also while an exception passes.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Mapping
from typing import Any

from futamura.ir.graph import Block, Edge, Function, Program, Span, Suspended

__all__ = ["Frame", "Machine", "OutOfFuel", "Stopped"]


class OutOfFuel(BaseException):
    """The run took more operations than it was given; no handler of the program sees this."""


class Stopped(BaseException):
    """The watched frame reached its stop; carries the suspended state past the program's handlers."""

    def __init__(self, state: Suspended) -> None:
        super().__init__()
        self.state = state


class Plan:
    """What the interpreter wants to know about a function's regions."""

    def __init__(self, function: Function) -> None:
        regions = function.regions
        # A copy region is no extent of its own at run time: its blocks belong to the region around it.
        self.owner = [0] * len(regions)
        self.depth = [0] * len(regions)
        self.extent: dict[int, int] = {}
        self.kind = [region.kind for region in regions]
        self.parent = [0] * len(regions)
        for region in regions[1:]:
            self.parent[region.id] = self.owner[region.parent]
            self.owner[region.id] = self.owner[region.parent] if region.kind == "copy" else region.id
            self.depth[region.id] = self.depth[region.parent] + (region.kind == "except")
            if region.kind == "except":
                self.extent[region.of] = region.id

    def towards(self, region: int, target: int) -> int:
        """`region` itself if `target` is it, the child of `region` that holds `target`, or -1 if it is outside."""
        child = target
        while target != region:
            if target == 0:
                return -1
            child, target = target, self.parent[target]
        return child


class Machine:
    """What all frames of one run share."""

    def __init__(
        self, program: Program, globals: dict[str, Any], builtins: Mapping[str, Any] | None, fuel: int | None
    ) -> None:
        self.program = program
        self.globals = globals
        self.builtins = _builtins_of(globals) if builtins is None else builtins
        self.fuel = sys.maxsize if fuel is None else fuel
        self.stop = -1
        self.failing: list[tuple[str, Span | None]] | None = None
        """Where an exception passed, innermost first; None: nobody wants to know."""
        self.plans: dict[str, Plan] = {}

    def plan(self, function: Function) -> Plan:
        plan = self.plans.get(function.name)
        if plan is None:
            plan = self.plans[function.name] = Plan(function)
        return plan

    def enter(self, function: Function, values: tuple[object, ...]) -> Frame:
        """A new frame at the function's entry; the first of a watched run is the one that stops."""
        frame = Frame(self, function)
        frame.environment.update(zip(function.entry.params, values))
        frame.stop, self.stop = self.stop, -1
        return frame

    def frame_at(self, state: Suspended) -> Frame:
        frame = Frame(self, self.program[state.function])
        frame.environment.update(state.environment)
        frame.block = frame.function.blocks[state.block]
        frame.index = state.index
        frame.active = list(state.active)
        return frame

    def namespace(self, module: str) -> dict[str, Any]:
        """The globals of a module; those of the program's own module were given."""
        if module == self.program.main.module:
            return self.globals
        found = sys.modules.get(module)
        if found is None:
            raise LookupError(f"the module {module!r} is neither the program's own nor imported")
        return found.__dict__


def _builtins_of(globals: dict[str, Any]) -> Mapping[str, Any]:
    found = globals.get("__builtins__", builtins)
    return found if isinstance(found, dict) else vars(found)


class Frame:
    """A running function: its values, its place, and the exceptions that it is handling."""

    __slots__ = ("active", "block", "environment", "function", "index", "machine", "plan", "result", "stop", "value")

    def __init__(self, machine: Machine, function: Function) -> None:
        self.machine = machine
        self.function = function
        self.plan = machine.plan(function)
        self.environment: dict[int, Any] = {}
        self.block: Block = function.entry
        self.index = 0
        self.active: list[BaseException] = []
        self.value: object = None
        """What the frame returned, or hands out in a yield."""
        self.stop = -1
        """How many operations are left before the stop; negative: not watched."""
        self.result: Callable[[], object] | None = None
        """Gives the result of the first operation in its stead: the call that a callee's frame state stands for."""

    def towards(self, region: int) -> int:
        return self.plan.towards(region, self.plan.owner[self.block.region])

    def span(self) -> Span | None:
        """The place in the source of what is being executed."""
        ops = self.block.ops
        return ops[self.index].span if self.index < len(ops) else self.block.terminator.span

    def pay(self) -> None:
        """Before each operation and terminator."""
        machine = self.machine
        machine.fuel -= 1 if machine.failing is None else self._work()
        if machine.fuel < 0:
            raise OutOfFuel
        if self.stop >= 0:
            if self.stop == 0:
                raise Stopped(self.suspended())
            self.stop -= 1

    def _work(self) -> int:
        """1, and more where an operand is so large that the operation takes its time: no loop makes them for ever."""
        work = 1
        if self.index < len(self.block.ops):
            for arg in self.block.ops[self.index].args:
                value = self.environment[arg]
                kind = type(value)
                if kind is int:
                    work += (value.bit_length() >> 10) ** 2 >> 6
                elif kind is tuple or kind is str:
                    work += len(value) >> 6
        return work

    def suspended(self) -> Suspended:
        active = tuple(self.active[: self.plan.depth[self.block.region]])
        return Suspended(self.function.name, self.block.id, self.index, dict(self.environment), active)

    def go(self, edge: Edge, *implicit: object) -> None:
        """Take an edge: a parallel assignment to the target's parameters."""
        environment = self.environment
        values = [*implicit, *[environment[value] for value in edge.args]]
        self.block = self.function.blocks[edge.target]
        self.index = 0
        environment.update(zip(self.block.params, values))

    def catch(self, region: int, exception: BaseException) -> int:
        """Go to the handler of a try region: its except region, or -1 if the exception is not for the program."""
        edge = self.block.handler
        if edge is None or isinstance(exception, (OutOfFuel, Stopped)):
            return -1
        self.go(edge, exception)
        extent = self.plan.extent[region]
        del self.active[self.plan.depth[extent] - 1 :]
        self.active.append(exception)
        return extent

    def globals_function(self) -> Callable[[], dict[str, Any]]:
        """What the builtin `globals` is to this frame."""
        namespace = self.machine.namespace(self.function.module)

        def globals() -> dict[str, Any]:
            return namespace

        return globals

    def handling(self) -> bool:
        """Does the frame itself handle an exception here?"""
        return self.plan.depth[self.block.region] > 0

    def deliver(self, sent: object) -> None:
        """A suspended operation got its value, or values."""
        results = self.block.ops[self.index].results
        if len(results) == 1:
            self.environment[results[0]] = sent
        elif results:
            self.environment.update(zip(results, sent))  # type: ignore[call-overload]
        self.index += 1
