"""Calls that bring nothing static, and are not worth their copies: they stay calls of the function as it is.

    contains(spec, text)                    canonical(text) is a page of code for an open text: in its place it folds
        canonical(text) == spec.name   ->   nothing, and each function that it calls would have to be tested at entry

Whether something folds is only known when it is done: for each function that was entered with open values and plain
constants alone it is counted what folded in it, and what was left.  Of those in which next to nothing folds the calls
stay, when specialization starts again.  A function whose result has parts that are known is worth it, and a small one
is: a call takes as long.  So is one that gives constants only, which select something (`FORMS[plural(n)]`), as long as
what stands behind its calls is short: it is copied for each of them.

Invariant: nothing but counts of operations decides, so the same program has always the same residual.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from futamura.ir.evaluate import INPLACE
from futamura.ir.graph import Operation
from futamura.ir.ops import SUSPENDING
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.state import Frame, Spent
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, token_key

__all__ = [
    "MATCHED", "MOST_COPIED", "PRICE", "PRICES", "RAISED", "SEARCHED", "copied_behind", "counted", "counting",
    "leave_worthless", "note_result", "stays_a_call",
]  # fmt: skip

_LEAST: Final = 12
"""Fewer operations of a function are shorter than what it takes to call it, or nearly."""
_LEAST_IN_LOOPS: Final = 40
"""The same for functions that are called in loops."""
_FOLDED: Final = 4
"""One operation that folds for so many that are left is worth it."""
MOST_COPIED: Final = 96
"""So many operations may there be behind a call, in all copies for the constants that it may give."""

_KEEPING: Final = frozenset(
    {"call", "setattr", "setitem", "list_append", "set_add", "dict_put", "cell_set", "iadd", "ior"}
)
"""Operators that may put an operand into another one, or into what has the method that is called."""

_TRIPS: Final = 4
"""So often is done what stands in a loop, or more."""

_Rule = Callable[[Machine, Frame, Operation], None]


PRICES: Final = {
    **dict.fromkeys(("const", "copy", "null", "cell_get", "cell_set"), 5),
    **dict.fromkeys(("is", "is_not", "not", "truth", "cell", "global_get"), 15),
    "getattr": 25,
    **dict.fromkeys(("call", "aiter", *SUSPENDING), 90),
    **dict.fromkeys(("list", "tuple", "dict", "set", "function", "iter", "with_enter", "with_exit"), 80),
    "format": 300,
    "super": 400,
}
"""Tenths of a nanosecond that an operation takes where the interpreter has seen it often, on CPython 3.11 and a machine
on which a call of an empty function takes 20 ns; of a call what it takes to make it."""
PRICE: Final = 35
"""That of most others."""
RAISED: Final = 1500
"""That of making an exception, raising it and catching it."""
SEARCHED: Final = 500
MATCHED: Final = 400
"""What comparisons in line take less than a search in a sorted list, and `isinstance` less than a class pattern."""
_ENTERED: Final = 150
"""That of entering a function written in Python, and of leaving it."""
_ENTERED_BY_OPERATORS: Final = 350
"""The same where an operator or an attribute does: the interpreter itself is entered again."""


def counting(name: str, rule: _Rule) -> _Rule:
    """The rule, with what it folds and leaves counted for the blind calls that it is applied in, and the time that an
    operation of which nothing is left would have taken."""
    price = PRICES.get(name, PRICE)
    entering = _ENTERED if name in ("call", "invoke") else _ENTERED_BY_OPERATORS

    def counted_rule(m: Machine, frame: Frame, op: Operation) -> None:
        functions = frame.counted
        folded, emitted, entered = m.folded, m.emitted, m.entered
        try:
            rule(m, frame, op)
        finally:
            for uid in functions if m.folded != folded or m.emitted != emitted else ():
                spent = m.spent[uid]
                spent.folded += m.folded - folded
                spent.left += m.emitted - emitted
        if m.emitted == emitted:
            m.saved += price + entering * (m.entered - entered)

    return counted_rule


def counted(m: Machine, frame: Frame, facts: FunctionFacts, *, blind: bool) -> tuple[int, ...]:
    """The functions whose blind calls a new frame belongs to, which `frame` calls."""
    if not blind:
        return frame.counted
    spent = m.spent.setdefault(facts.uid, Spent())
    if any(one.facts is facts for one in m.state.frames):
        spent.gives = True  # what calls itself goes on in residual code, which may know more by then
    spent.calls += 1
    spent.loops = spent.loops or any(map(_is_in_loop, m.state.frames))
    return frame.counted if facts.uid in frame.counted else (*frame.counted, facts.uid)


def note_result(m: Machine, frame: Frame, value: AbstractValue) -> AbstractValue:
    """The result of a call that has just ended, of this frame: what is known of it may be worth a copy of the code."""
    spent = m.spent.get(frame.facts.uid) if frame.counted else None
    if type(value) is Virtual and spent is not None:
        spent.gives = True
    constant = type(value) is Known and value.found is None and (not value.vid or value.vid in m.given)
    if type(value) is not Known or not constant:  # what was computed has a provenance of its own
        if spent is not None and frame.blind:
            spent.opens = True
        return value
    told = (*(() if spent is None else (spent,)), *m.given.get(value.vid, ()))
    if not told or value.value is None:  # most functions that give None have no result
        return value
    caller = m.state.top
    place = (caller.facts.uid, caller.block, caller.index)
    for one in told:
        one.ways.add(token_key(value.value))
        if place not in one.behind:
            one.behind[place] = copied_behind(m.state.frames, frame.result)
    return m.told_to(value, told)


def copied_behind(frames: Sequence[Frame], result: int | None, *, left: bool = False) -> int:
    """How many operations stand where the result of a call is needed, or what is known because it is: each is done once
    for each value that it may have; those that are `left`, because not all that they need is known then, if only these
    are asked for.  Further than it matters nothing is counted."""
    count = 0
    for frame in reversed(frames):
        if result is None or count > MOST_COPIED:
            break
        more, returned = _copied_in(frame, result, left)
        count += more
        result = frame.result if returned else None
    return count


def _copied_in(frame: Frame, result: int, left: bool) -> tuple[int, bool]:
    """The same for one frame, which waits for the result; and whether something that differs is returned."""
    facts = frame.facts
    known = {value for value, content in frame.env.items() if type(content) is not Dynamic} | {result}
    differing, methods, around = {result}, dict[int, int](), facts.loops_of[frame.block]
    count, seen, returned = 0, {frame.block}, False
    work = [(frame.block, frame.index)]
    while work and count <= MOST_COPIED:
        at, start = work.pop()
        block = facts.blocks[at]
        loops = [loop for loop in facts.loops_of[at] if all(loop.header != other.header for other in around)]
        folds, folded = left, 0
        methods.update({op.results[0]: op.args[0] for op in block.ops if op.name == "getattr"})
        for op in block.ops[start:]:
            if known.issuperset(op.args):
                folded += folds
                known.update(op.results)
                differing.update(() if differing.isdisjoint(op.args) else op.results)
            if op.name in _KEEPING and not differing.isdisjoint(op.args):  # an object may hold it from here on
                holders = {*op.args, *(methods[arg] for arg in op.args if arg in methods)}
                differing.update(holders)
                known.update(holders)
                if op.name not in INPLACE and (op.name != "call" or op.args[0] in methods):
                    left = False  # it is another object on each way: they do not meet as long as it is needed
        # the ways meet behind the block at the earliest
        count += (len(block.ops) - start - folded) * _TRIPS ** len(loops)
        end = block.terminator
        returned = returned or (end.name == "return" and not differing.isdisjoint(end.args))
        for number, edge in enumerate(end.edges):
            taken = facts.blocks[edge.target].params[: number == 0 and end.name == "next"]
            params = facts.blocks[edge.target].params[len(taken) :]
            known.update(taken if left and known.issuperset(end.args) else ())
            passed = [param for param, arg in zip(params, edge.args) if arg in differing]
            known.update(passed)
            differing.update(passed)
            if passed or not differing.isdisjoint(facts.live_in[edge.target]):
                if edge.target not in seen:
                    seen.add(edge.target)
                    work.append((edge.target, 0))
    return count, returned


def _is_in_loop(frame: Frame) -> bool:
    facts = frame.facts
    return any(facts.dynamic_headers.has(loop.header) for loop in facts.loops_of[frame.block])


def stays_a_call(m: Machine, facts: FunctionFacts) -> bool:
    """Is a blind call of this function not worth its copy?"""
    if ("worthless", facts.uid) not in m.refused:
        return False
    m.event("FT408", f"the call of {facts.function.qualname} stays: what it is given is open, and little folds in it")
    return True


def leave_worthless(m: Machine) -> None:
    """All versions are run: start again if there were blind calls that had better stay."""
    found = {("worthless", uid) for uid, spent in m.spent.items() if _is_worthless(spent)}
    if not all(map(m.refused.has, found)):
        m.refused.update(found)
        raise Restart("calls that are not worth their copies stay", whole=True)


def _is_worthless(spent: Spent) -> bool:
    least = _LEAST_IN_LOOPS if spent.loops else _LEAST
    if spent.gives or spent.left < least * spent.calls or spent.folded * _FOLDED >= spent.left:
        return False
    if not spent.selects or spent.opens:
        return True
    return len(spent.ways) * max(spent.behind.values()) > MOST_COPIED
