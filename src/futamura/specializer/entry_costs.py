"""What the tests at the entry of a residual cost, and whether what has folded is worth them.

    def month_days(year, month):          three names and the code of a function would be tested at each call, so that
        if month == FEBRUARY:       ->    one constant folds and one call is unfolded: the names are read when the
            return 28 + is_leap(year)     residual runs
        return DAYS[month]

If they are not, specialization starts again and believes nothing that it would have to test: of globals, closures and
the classes of static objects.  What is known of plain data (numbers, strings, lists of them) needs no test and stays.

How often a call comes to a block is guessed from the flow graph alone; what folded while a block was made is saved each
time (`worth.counting` has the prices of operations).  The prices are those of CPython 3.11 on a machine on which a call
of an empty function takes 25 ns; the thresholds were chosen on functions and methods of 60 packages, so that few
residuals are slower than the original, and few are given up that were faster.

Invariant: only counts decide, so the same program has always the same residual.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from types import FunctionType
from typing import Final

from futamura import controls, runtime
from futamura.analysis.cfg import ControlFlow
from futamura.analysis.loops import loops
from futamura.ir.classes import is_a
from futamura.ir.constant import Constant
from futamura.ir.dominance import dominators_of_search
from futamura.ir.graph import Function, Program, Signature
from futamura.ir.stamps import FEW_OWN_NAMES, STAMPED
from futamura.specializer.aliasing import FEW_STRANGERS, Apart
from futamura.specializer.assumption import Assumption, Filled, Registered
from futamura.specializer.machine import Machine
from futamura.specializer.world import World

__all__ = ["times_in_a_call", "why_not_worth"]

_COSTS: Final = {"own": 25, "field": 25, "imported": 25, "present": 15, "registrations": 30}
"""Nanoseconds; all others are asked by a call."""
_OF_A_NAME: Final = 8
"""Reading a global of the function's own module."""
_OF_AN_OBJECT: Final = 10
_OF_A_METHOD: Final = 30
"""Telling an input from an object, and from a method of one."""
_OF_A_STAR: Final = 150
"""Telling all that `*args` or `**options` collects from the objects that are known."""
_OF_A_FUNCTION: Final = 27
"""Attributes of functions are found by a slower way than other ones."""
_OF_A_STAMP: Final = 25
_OF_A_MARK: Final = 2
"""Telling that classes, functions, modules and registries have not changed, and each of their words in memory."""
_OF_A_CALL: Final = 60
_OF_AN_ITEM: Final = 6
_OF_HELPERS: Final = 75
"""A call of a helper that the source has no need of."""

_CONTAINERS: Final = (list, dict, set, bytearray, deque)

_LITTLE: Final = 75
"""Tests that take no longer are no reason to leave what is static in the residual."""
_MARGIN: Final = 0.7
"""So many times what the tests take has to be saved: less is a loss, however roughly both are known."""
_LITTLE_FOR_NOTHING: Final = 40
_MARGIN_FOR_NOTHING: Final = 2.5
"""The same where nothing is static: what folds then is calls, and what globals hold."""

_DEEPEST: Final = 50
"""Calls of residual functions in each other that are followed."""
_MOST: Final = 1e12
"""So many operations are counted at most."""
_ROUNDS: Final = 8
"""So often is a loop taken to go round."""
_OF_RAISING: Final = 0.05
_OF_RETURNING: Final = 0.15
"""How often a way is taken that can only raise, or ends at once, for each time that another one is: of tests in a row
most fail."""
_OF_A_LONG_WAY: Final = 0.2
_OF_A_SHORT_WAY: Final = 8
"""So many operations more are no difference."""

_STEERING: Final = frozenset(
    map(id, (controls.static, controls.dynamic, controls.promote, controls.unroll, controls.peek))
)


Saved = dict[tuple[str, int], int]
"""By function and block of a residual program: nanoseconds that what has folded while it was made would take."""


def why_not_worth(
    m: Machine, program: Program, saved: Saved, apart: Callable[[Program], Apart], *, static: bool
) -> str:
    """Why testing what was assumed for this residual would take longer than what has folded saves; empty if it would
    not, or if the program itself steers what is folded.  `apart` tells which inputs are tested to be other objects than
    those that are known.  `static`: is any input known, or a variable of a closure?"""
    world = m.world
    assumptions = world.assumptions.values()
    if not world.assumes or not world.objects.tested or (not static and m.folded > m.emitted):
        return ""
    cost = _cost(assumptions, m.home)
    little, margin = (_LITTLE, _MARGIN) if static else (_LITTLE_FOR_NOTHING, _MARGIN_FOR_NOTHING)
    if not assumptions or any(_steers(one.value) for one in assumptions):
        return ""
    stars, others = _cost_apart(world, apart(program), program.main.signature)
    if cost + stars < little or _gain(program, saved) >= margin * (cost + stars + others):
        return ""
    return f"to test {len(assumptions)} assumptions at each call would take longer than what folds saves"


def _gain(program: Program, saved: Saved) -> float:
    """Nanoseconds that one call of the residual takes less than one of the original."""

    def folded(function: Function) -> list[float]:
        return [float(saved.get((function.name, block.id), 0)) for block in function.blocks]

    return times_in_a_call(program, folded) - times_in_a_call(program, _added) * _OF_HELPERS


def _cost(assumptions: Iterable[Assumption], home: Mapping[str, object]) -> int:
    """Nanoseconds that testing these takes at one call."""
    cost = 0
    own_names = sum(one.kind == "global" and one.holder is home for one in assumptions)
    in_line = own_names <= FEW_OWN_NAMES or home.get("__name__") == "__main__"
    stamped: dict[int, int] = {}
    """Classes, functions, cells, modules and registries, and what each takes as a part of the stamp."""
    for one in assumptions:
        if type(one.value) is Filled and not is_a(one.holder, type):
            cost += _OF_A_CALL + _OF_AN_ITEM * len(one.value.kept)
        elif one.kind == "global" and one.holder is home and in_line:
            cost += _OF_A_NAME
        elif type(one.holder) is Registered:
            stamped[id(one.holder.registry)] = _OF_A_MARK
        elif one.kind in ("cell", "global") or is_a(one.holder, type):
            stamped[id(one.holder)] = _OF_A_MARK
        elif one.kind != "attribute":
            cost += _COSTS.get(one.kind, _OF_A_CALL)
        elif one.name in STAMPED:
            stamped[id(one.holder)] = _OF_A_MARK * len(STAMPED)
        else:
            cost += _OF_A_FUNCTION
    return cost + sum(stamped.values()) + (_OF_A_STAMP if stamped else 0)


def _cost_apart(world: World, apart: Apart, signature: Signature) -> tuple[int, int]:
    """The same for the tests that arguments with a star, and other inputs, are no objects that are known; none if
    these are needed in any case: of a static container is believed what it holds, whatever is assumed."""
    if any(type(value) in _CONTAINERS and world.is_input(value) for value in apart.objects):
        return 0, 0
    each = _OF_A_METHOD + _OF_AN_OBJECT * min(len(apart.objects), FEW_STRANGERS)
    stars = [name in (signature.varargs, signature.varkw) for name in apart.names]
    return _OF_A_STAR * sum(stars), each * (len(stars) - sum(stars))


def _steers(value: object) -> bool:
    """Is this one of the controls that the program contains, or a function that is marked?"""
    if type(value) is not FunctionType:
        return False
    return id(value) in _STEERING or any(controls.is_marked(value, mark) for mark in ("pure", "opaque", "inline"))


def _added(function: Function) -> list[float]:
    """How many calls of helpers, which the source has not, each block does."""
    helpers = {op.results[0] for op in function.operations() if op.name == "const" and _is_helper(op.attr)}
    calls = [[op.args[0] for op in block.ops if op.name == "call"] for block in function.blocks]
    return [float(sum(callee in helpers for callee in found)) for found in calls]


def _is_helper(attr: object) -> bool:
    value = attr.value if isinstance(attr, Constant) else None
    return type(value) is FunctionType and value.__globals__ is runtime.__dict__


def times_in_a_call(
    program: Program,
    weigh: Callable[[Function], list[float]],
    *,
    plainly: Collection[tuple[str, int]] | None = None,
) -> float:
    """The sum of the blocks' weights in one call of the program, of each as often as it is run; `plainly`: of two ways
    each is taken as often, but for those that raise, and for these blocks of functions, which are never run."""
    known: dict[str, float] = {}
    functions = {one.name: one for one in program.functions}

    def called(name: object, depth: int) -> float:
        function = functions.get(name) if isinstance(name, str) and depth < _DEEPEST else None
        if function is not None and function.name not in known:
            known[function.name] = 0.0  # how deep it calls itself is not known
            counted = sum(
                often * (weight + sum(called(op.attr, depth + 1) for op in block.ops if op.name == "invoke"))
                for block, often, weight in zip(
                    function.blocks, _frequencies(function, plainly), weigh(function), strict=True
                )
            )
            known[function.name] = min(counted, _MOST)
        return 0.0 if function is None else known[function.name]

    return called(program.main.name, 0)


def _frequencies(function: Function, plainly: Collection[tuple[str, int]] | None) -> list[float]:
    """How often one call runs each block."""
    flow = ControlFlow(function)
    found = loops(flow)
    depths = [found.depth(block) for block in range(len(function.blocks))]
    place = {block: at for at, block in enumerate(flow.order)}
    raising, sizes = _raising(function, flow), _sizes(function, flow) if plainly is None else None
    never = {block.id for block in function.blocks if (function.name, block.id) in plainly} if plainly else ()
    often = [0.0] * len(function.blocks)
    often[flow.root] = 1.0
    for block in flow.order:
        targets = [edge.target for edge in function.blocks[block].terminator.edges]
        weights = _weights(function, targets, raising, sizes)
        if never:
            weights = [0.0 if target in never else weight for target, weight in zip(targets, weights)]
        leaves = any(depths[target] < depths[block] for target in targets)
        whole = 1.0 if leaves else sum(weights) or 1.0  # a loop that is entered is left once, and goes round before
        for target, weight in zip(targets, weights, strict=True):
            if place[target] > place[block]:
                often[target] += often[block] * weight / whole
    return [times * _ROUNDS**depth for times, depth in zip(often, depths, strict=True)]



def _raising(function: Function, flow: ControlFlow) -> set[int]:
    """The blocks behind which an exception is raised in any case."""
    found: set[int] = set()
    for block in reversed(flow.order):
        end = function.blocks[block].terminator
        ends = [edge.target for edge in end.edges]
        if end.name in ("raise", "reraise") or (ends and found.issuperset(ends)):
            found.add(block)
    return found


def _sizes(function: Function, flow: ControlFlow) -> list[int]:
    """The operations of each block and of those that only ways through it lead to."""
    found = [len(block.ops) for block in function.blocks]
    dominators = dominators_of_search(flow.search, flow.predecessors)
    for block in reversed(flow.order):
        if block != flow.root:
            found[dominators[block]] += found[block]
    return found


def _weights(function: Function, targets: list[int], raising: set[int], sizes: list[int] | None) -> list[float]:
    """How often each way is taken, for each time that another one is: what takes more code is done less often, what a
    cache or a slice needs above all."""
    if sizes is None:
        return [_OF_RAISING if target in raising else 1.0 for target in targets]
    ends = {at for at in targets if function.blocks[at].terminator.name == "return"} | raising.intersection(targets)
    least = min((sizes[target] for target in targets if target not in ends), default=0) + _OF_A_SHORT_WAY
    found = []
    for target in targets:
        if target in ends:
            found.append(_OF_RAISING if target in raising else _OF_RETURNING)
        else:
            found.append(max(_OF_A_LONG_WAY, least / (sizes[target] + _OF_A_SHORT_WAY)))
    return found
