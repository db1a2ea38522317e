"""What the tests at the entry of a residual cost, and whether what has folded is worth them.

    def month_days(year, month):          three names and the code of a function would be tested at each call, so that
        if month == FEBRUARY:       ->    one constant folds and one call is unfolded: the names are read when the
            return 28 + is_leap(year)     residual runs
        return DAYS[month]

If they are not, specialization starts again and believes nothing that it would have to test: of globals, closures and
the classes of static objects.  What is known of plain data (numbers, strings, lists of them) needs no test and stays.

How often a call comes to a block is guessed from the flow graph alone; what folded while a block was made is saved each
time (`worth.PRICES`).  All prices are those of CPython 3.11 on a machine on which a call of an empty function takes
20 ns, measured with warm code.

All tests count: of what was assumed, of the flag that an input may have changed what is known, and that inputs are none
of the static objects.  Where nothing is assumed, and only these take longer than what folds saves, nothing is believed
of what these objects hold.

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
from futamura.ir.graph import Block, Function, Program, Signature
from futamura.ir.stamps import FEW_OWN_NAMES, STAMPED, joins_the_stamp, words_for
from futamura.specializer.aliasing import FEW_STRANGERS, Apart
from futamura.specializer.assumption import Assumption, Filled, Registered
from futamura.specializer.machine import Machine
from futamura.specializer.world import World
from futamura.specializer.worth import PRICE, PRICES

__all__ = ["Saved", "cost_of", "net_gains", "time_left", "times_in_a_call", "why_not_worth"]

_OF_TESTING: Final = 6
"""Nanoseconds that any tests take together, beside their own."""
_COSTS: Final = {"own": 18, "field": 18, "imported": 19, "present": 12, "registrations": 17}
"""What one of them takes; all others are asked by a call."""
_OF_A_NAME: Final = 6
"""Reading a global of the function's own module."""
_OF_AN_OBJECT: Final = 4
_OF_MANY_OBJECTS: Final = 21
_OF_A_METHOD: Final = 10
"""Telling an input from an object, from more than a few, and from a method of one."""
_OF_A_STAR: Final = 110
"""Telling all that `*args` or `**options` collects from the objects that are known."""
_OF_A_FLAG: Final = 4
_OF_A_FUNCTION: Final = 16
"""Attributes of functions are found by a slower way than other ones."""
_OF_A_STAMP: Final = 15
_OF_A_MARK: Final = 1
"""Telling that classes, functions, modules and registries have not changed, and each of their words in memory."""
_OF_A_CALL: Final = 30
_OF_AN_ITEM: Final = 7
_OF_HELPERS: Final = 50
"""A call of a helper that the source has no need of."""
_OF_CALLING: Final = 300
"""Tenths of a nanosecond that a call takes which is left, whatever it calls."""

_CONTAINERS: Final = (list, dict, set, bytearray, deque)

_LITTLE: Final = 24
_PART: Final = 0.03
"""Nanoseconds, and the part of a call, that may be lost for what can be read in the residual."""
_MARGIN: Final = 0.8
"""So many times what the tests take has to be saved, roughly as both are known."""
_LITTLE_FOR_INPUTS: Final = 12
"""Nanoseconds that may be lost where only inputs are told apart: one of them from one object is no reason."""
_LITTLE_FOR_TRUST: Final = 200
"""The same where nothing else is tested because it is trusted: so much is folded then that little is at stake."""
_LITTLE_FOR_NOTHING: Final = 4
_MARGIN_FOR_NOTHING: Final = 2.0
"""The same where nothing is static: what folds then is calls, and what globals hold, and nobody has asked for it."""

_DEEPEST: Final = 50
"""Calls of residual functions in each other that are followed."""
_MOST: Final = 1e12
"""So many operations are counted at most."""
_ROUNDS: Final = 8
"""So often is a loop taken to go round."""
_OF_RAISING: Final = 0.05
_OF_RETURNING: Final = 0.15
_OF_NONE: Final = 0.5
"""How often a way is taken that can only raise, or ends at once, for each time that another one is: of tests in a row
most fail."""
_OF_A_LONG_WAY: Final = 0.2
_OF_A_SHORT_WAY: Final = 8
"""So many operations more are no difference."""

_STEERING: Final = frozenset(
    map(id, (controls.static, controls.dynamic, controls.promote, controls.unroll, controls.peek))
)


Saved = dict[tuple[str, int], int]
"""By function and block of a residual program: what has folded while it was made would take so long (`PRICES`)."""
_TENTHS: Final = 10
"""Prices in a nanosecond."""


def why_not_worth(
    m: Machine, program: Program, saved: Saved, apart: Callable[[Program], Apart], *, static: bool
) -> str:
    """Why testing what was assumed for this residual would take longer than what has folded saves; empty if it would
    not, or if the program itself steers what is folded.  `apart` tells which inputs are tested to be other objects than
    those that are known.  `static`: is any input known, or a variable of a closure?"""
    world = m.world
    assumptions = world.assumptions.values()
    if (world.assumes and not static and m.folded > m.emitted) or any(_steers(one.value) for one in assumptions):
        return ""
    tested = bool(assumptions) and world.objects.tested
    if not tested or not world.assumes:
        if tested or not world.objects.tells_apart:
            return ""
        little = _LITTLE_FOR_INPUTS if world.objects.tested else _LITTLE_FOR_TRUST
        return _why_not_told_apart(program, saved, apart(program), little)
    cost = _cost_of_all(m, program, apart(program))
    little, margin = (_LITTLE, _MARGIN) if static else (_LITTLE_FOR_NOTHING, _MARGIN_FOR_NOTHING)
    if not _loses(program, saved, cost, little, margin):
        return ""
    return f"to test {len(assumptions)} assumptions at each call would take longer than what folds saves"


def net_gains(m: Machine, program: Program, saved: Saved, inputs: Apart) -> tuple[float, ...]:
    """Nanoseconds that one call of the residual takes less than one of the original, its tests counted, by each guess
    at how often a call comes to a block."""
    tested = bool(m.world.assumptions) and m.world.assumes
    cost = _cost_of_all(m, program, inputs) if tested or inputs.names else 0
    return tuple([_gain(program, saved, plainly) - cost for plainly in (None, ())])


def _cost_of_all(m: Machine, program: Program, inputs: Apart) -> int:
    """Nanoseconds that all tests at entry take."""
    stars, others = _cost_apart(m.world, inputs, program.main.signature)
    return cost_of(m.world.assumptions.values(), m.home) + stars + others + _OF_TESTING


def _loses(program: Program, saved: Saved, cost: int, little: float, margin: float) -> bool:
    """Does one call of the residual take clearly longer than one of the original, if the tests take so long?  Both
    guesses at how often a call comes to a block have to say so."""
    loss = margin * cost - _gain(program, saved, ())
    if loss <= little:  # the other one can only say that there is less to lose
        return False
    loss = min(loss, margin * cost - _gain(program, saved, None))
    return loss > little and loss > _PART * time_left(program)


def _gain(program: Program, saved: Saved, plainly: Collection[tuple[str, int]] | None) -> float:
    """Nanoseconds that one call of the residual takes less than one of the original."""

    def folded(function: Function) -> list[float]:
        return [saved.get((function.name, block.id), 0) / _TENTHS for block in function.blocks]

    often: dict[str, list[float]] = {}
    added = times_in_a_call(program, _added, plainly=plainly, often=often) * _OF_HELPERS
    return times_in_a_call(program, folded, plainly=plainly, often=often) - added


def time_left(program: Program) -> float:
    """Nanoseconds that one call of the residual takes, roughly, without its tests."""
    return times_in_a_call(program, _left)


def _left(function: Function) -> list[float]:
    """Nanoseconds that what is left in each block takes."""
    return [sum(_price(op.name) for op in block.ops) / _TENTHS for block in function.blocks]


def _price(name: str) -> int:
    return _OF_CALLING if name == "call" else PRICES.get(name, PRICE)


def cost_of(assumptions: Iterable[Assumption], home: Mapping[str, object]) -> int:
    """Nanoseconds that testing these takes at one call."""
    cost = names = looked_up = 0
    stamped: dict[int, int] = {}
    """Classes, functions, cells, modules, registries, objects and containers, and what each takes as a part of the
    stamp."""
    for one in assumptions:
        contents = len(one.value.kept) if type(one.value) is Filled and not is_a(one.holder, type) else None
        if (contents is not None or one.kind in ("own", "field")) and (words := words_for(one.holder)):
            stamped[id(one.holder) if contents is None else ~id(one.holder)] = _OF_A_MARK * words
            looked_up += 1
        elif contents is not None:
            cost += _OF_A_CALL + _OF_AN_ITEM * contents
        elif one.kind == "global" and one.holder is home:
            names += 1
        elif type(one.holder) is Registered:
            stamped[id(one.holder.registry)] = _OF_A_MARK
        elif one.kind in ("cell", "global") or is_a(one.holder, type):
            stamped[id(one.holder)] = _OF_A_MARK
            looked_up += 1
        elif one.kind != "attribute":
            cost += _COSTS.get(one.kind, _OF_A_CALL)
        elif one.name in STAMPED:
            stamped[id(one.holder)] = _OF_A_MARK * len(STAMPED)
            looked_up += 1
        else:
            cost += _OF_A_FUNCTION
    if names > FEW_OWN_NAMES or joins_the_stamp(names, looked_up, home):
        stamped[id(home)] = 2 * _OF_A_MARK  # of the builtins, too
    else:
        cost += names * _OF_A_NAME
    return cost + sum(stamped.values()) + (_OF_A_STAMP if stamped else 0)


def _cost_apart(world: World, apart: Apart, signature: Signature) -> tuple[int, int]:
    """The same for the tests that arguments with a star, and other inputs, are no objects that are known; none if
    these are needed in any case: of a static container is believed what it holds, whatever is assumed."""
    if any(type(value) in _CONTAINERS and world.is_input(value) for value in apart.objects):
        return 0, 0
    return _cost_of_inputs(apart, signature)


def _cost_of_inputs(apart: Apart, signature: Signature) -> tuple[int, int]:
    few = len(apart.objects) <= FEW_STRANGERS
    each = _OF_AN_OBJECT * len(apart.objects) if few else _OF_MANY_OBJECTS
    plain = [name for name in apart.names if name not in (signature.varargs, signature.varkw)]
    methods = [name for name in plain if name in apart.methods]
    stars = len(apart.names) - len(plain)
    return _OF_A_STAR * stars, each * len(plain) + _OF_A_METHOD * len(methods) + _OF_A_FLAG * bool(apart.names)


def _why_not_told_apart(program: Program, saved: Saved, apart: Apart, little: float) -> str:
    """The same where only inputs are tested."""
    if not apart.names:
        return ""
    cost = sum(_cost_of_inputs(apart, program.main.signature)) + _OF_TESTING
    if not _loses(program, saved, cost, little, _MARGIN):
        return ""
    names = ", ".join(f"`{name}`" for name in apart.names)
    return f"to tell {names} from static objects at each call would take longer than what folds saves"


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
    if value is runtime.call_in_generator:
        return False  # it becomes a statement, which costs nothing
    return type(value) is FunctionType and value.__globals__ is runtime.__dict__


def times_in_a_call(
    program: Program,
    weigh: Callable[[Function], list[float]],
    *,
    plainly: Collection[tuple[str, int]] | None = None,
    often: dict[str, list[float]] | None = None,
) -> float:
    """The sum of the blocks' weights in one call of the program, of each as often as it is run; `plainly`: of two ways
    each is taken as often, but for those that raise, and for these blocks of functions, which are never run.  How often
    that is, is kept in `often` by function, for those who ask again with other weights."""
    known: dict[str, float] = {}
    counts = {} if often is None else often
    functions = {one.name: one for one in program.functions}

    def called(name: object, depth: int) -> float:
        function = functions.get(name) if isinstance(name, str) and depth < _DEEPEST else None
        if function is not None and function.name not in known:
            known[function.name] = 0.0  # how deep it calls itself is not known
            if function.name not in counts:
                counts[function.name] = _frequencies(function, plainly)
            counted = sum(
                times * (weight + sum([called(op.attr, depth + 1) for op in block.ops if op.name == "invoke"]))
                for block, times, weight in zip(
                    function.blocks, counts[function.name], weigh(function), strict=True
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
    nones = {op.results[0] for op in function.operations() if _is_none(op.attr)} if plainly is not None else ()
    often = [0.0] * len(function.blocks)
    often[flow.root] = 1.0
    for block in flow.order:
        targets = [edge.target for edge in function.blocks[block].terminator.edges]
        weights = _weights(function, targets, raising, sizes)
        if nones and (none := _way_of_none(function.blocks[block], nones)) is not None:
            weights[none] *= _OF_NONE
        if never:
            weights = [0.0 if target in never else weight for target, weight in zip(targets, weights)]
        leaves = any(depths[target] < depths[block] for target in targets)
        whole = 1.0 if leaves else sum(weights) or 1.0  # a loop that is entered is left once, and goes round before
        for target, weight in zip(targets, weights, strict=True):
            if place[target] > place[block]:
                often[target] += often[block] * weight / whole
    return [times * _ROUNDS**depth for times, depth in zip(often, depths, strict=True)]



def _way_of_none(block: Block, nones: Collection[int]) -> int | None:
    """The way on which a value is None, of the two of a block that asks for that."""
    end = block.terminator
    asks = next((op for op in block.ops if op.results == end.args and op.name in ("is", "is_not")), None)
    known = end.name == "branch" and asks is not None and asks.args[1] in nones
    return int(asks.name == "is_not") if known and asks is not None else None


def _is_none(attr: object) -> bool:
    return isinstance(attr, Constant) and attr.value is None


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
