"""What the tests at the entry of a residual cost, and whether what has folded is worth them.

    def month_days(year, month):          three names and the code of a function would be tested at each call, so that
        if month == FEBRUARY:       ->    one constant folds and one call is unfolded: the names are read when the
            return 28 + is_leap(year)     residual runs
        return DAYS[month]

If they are not, specialization starts again and believes nothing that it would have to test: of globals, closures and
the classes of static objects.  What is known of plain data (numbers, strings, lists of them) needs no test and stays.

How often a call does an operation is guessed from the flow graph alone, and what folded is taken to be spread evenly
over what is left.  The prices are those of CPython 3.11 on a machine on which an addition takes 25 ns; the thresholds
were chosen on 268 functions of 43 packages, so that nearly no residual is given up that was faster than the original.

Invariant: only counts decide, so the same program has always the same residual.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Final

from futamura import controls, runtime
from futamura.analysis.cfg import ControlFlow
from futamura.analysis.loops import loops
from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Program
from futamura.specializer.assumption import Assumption, Filled
from futamura.specializer.machine import Machine

__all__ = ["why_not_worth"]

_COSTS: Final = {"global": 8, "attribute": 15, "own": 25, "field": 25, "cell": 20}
"""Nanoseconds; all others are asked by a call."""
_OF_A_FUNCTION: Final = 27
"""`__code__` and the like are found by a slower way than other attributes."""
_OF_A_CALL: Final = 60
_OF_AN_ITEM: Final = 6
_OPERATION: Final = 25

_OF_CALLS: Final = 1
"""So many operations take as long as it takes to enter a function and to leave it, beside the call itself."""

_OF_HELPERS: Final = 3
"""So many operations take as long as a call of a helper that the source has no need of."""

_LITTLE: Final = 160
"""Tests that take no longer are no reason to leave what is static in the residual."""
_MARGIN: Final = 0.75
"""So many times what the tests take has to be saved: less is a loss, however roughly both are known."""
_LITTLE_FOR_NOTHING: Final = 40
_MARGIN_FOR_NOTHING: Final = 3.0
"""The same where nothing is static: what folds then is calls, and what globals hold."""

_DEEPEST: Final = 50
"""Calls of residual functions in each other that are followed."""
_MOST: Final = 1e12
"""So many operations are counted at most."""
_ROUNDS: Final = 8
"""So often is a loop taken to go round."""
_WEIGHTS: Final = {"raise": 0.05, "reraise": 0.05, "return": 0.15}
"""How often a way is taken that ends at once, for each time that another one is: of tests in a row most fail."""

_STEERING: Final = frozenset(
    map(id, (controls.static, controls.dynamic, controls.promote, controls.unroll, controls.peek))
)


def why_not_worth(m: Machine, program: Program, *, static: bool) -> str:
    """Why testing what was assumed for this residual would take longer than what has folded saves; empty if it would
    not, or if the program itself steers what is folded.  `static`: is any input known, or a variable of a closure?"""
    world = m.world
    assumptions = world.assumptions.values()
    if not world.assumes or not world.objects.tested or m.folded > m.emitted:
        return ""
    cost = sum(map(_cost, assumptions))
    little, margin = (_LITTLE, _MARGIN) if static else (_LITTLE_FOR_NOTHING, _MARGIN_FOR_NOTHING)
    if cost < little or any(_steers(one.value) for one in assumptions) or _saved(m, program) >= margin * cost:
        return ""
    return f"to test {len(assumptions)} assumptions at each call would take longer than what folds saves"


def _saved(m: Machine, program: Program) -> float:
    """Nanoseconds that one call of the residual takes less than one of the original."""
    saved = (m.folded + _OF_CALLS * m.entered) / max(m.emitted, 1)
    return (_counted(program, _done) * saved - _counted(program, _added) * _OF_HELPERS) * _OPERATION


def _cost(one: Assumption) -> int:
    """Nanoseconds that testing this takes at one call."""
    if isinstance(one.value, Filled):
        return _OF_A_CALL + _OF_AN_ITEM * len(one.value.kept)
    if one.kind == "attribute" and type(one.holder) is FunctionType:
        return _OF_A_FUNCTION
    return _COSTS.get(one.kind, _OF_A_CALL)


def _steers(value: object) -> bool:
    """Is this one of the controls that the program contains, or a function that is marked?"""
    if type(value) is not FunctionType:
        return False
    return id(value) in _STEERING or any(controls.is_marked(value, mark) for mark in ("pure", "opaque", "inline"))


def _done(function: Function) -> list[float]:
    """How many operations each block does."""
    return [float(sum(op.name not in ("const", "copy") for op in block.ops)) for block in function.blocks]


def _added(function: Function) -> list[float]:
    """How many calls of helpers, which the source has not, each block does."""
    helpers = {op.results[0] for op in function.operations() if op.name == "const" and _is_helper(op.attr)}
    calls = [[op.args[0] for op in block.ops if op.name == "call"] for block in function.blocks]
    return [float(sum(callee in helpers for callee in found)) for found in calls]


def _is_helper(attr: object) -> bool:
    value = attr.value if isinstance(attr, Constant) else None
    return type(value) is FunctionType and value.__globals__ is runtime.__dict__


def _counted(program: Program, weigh: Callable[[Function], list[float]]) -> float:
    """The sum of the blocks' weights in one call of the program, of each as often as it is run."""
    known: dict[str, float] = {}
    functions = {one.name: one for one in program.functions}

    def called(name: object, depth: int) -> float:
        function = functions.get(name) if isinstance(name, str) and depth < _DEEPEST else None
        if function is not None and function.name not in known:
            known[function.name] = 0.0  # how deep it calls itself is not known
            counted = sum(
                often * (weight + sum(called(op.attr, depth + 1) for op in block.ops if op.name == "invoke"))
                for block, often, weight in zip(
                    function.blocks, _frequencies(function), weigh(function), strict=True
                )
            )
            known[function.name] = min(counted, _MOST)
        return 0.0 if function is None else known[function.name]

    return called(program.main.name, 0)


def _frequencies(function: Function) -> list[float]:
    """How often one call runs each block."""
    flow = ControlFlow(function)
    found = loops(flow)
    depths = [found.depth(block) for block in range(len(function.blocks))]
    place = {block: at for at, block in enumerate(flow.order)}
    often = [0.0] * len(function.blocks)
    often[flow.root] = 1.0
    for block in flow.order:
        targets = [edge.target for edge in function.blocks[block].terminator.edges]
        weights = [_WEIGHTS.get(function.blocks[target].terminator.name, 1.0) for target in targets]
        leaves = any(depths[target] < depths[block] for target in targets)
        whole = 1.0 if leaves else sum(weights)  # a loop that is entered is left once, and goes round before
        for target, weight in zip(targets, weights, strict=True):
            if place[target] > place[block]:
                often[target] += often[block] * weight / whole
    return [times * _ROUNDS**depth for times, depth in zip(often, depths, strict=True)]

