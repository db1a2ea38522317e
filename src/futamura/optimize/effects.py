"""What may be done with an operation, by its effects: the one place that answers.

    may_be_removed(add of two exact ints)                         yes: raises nothing, does nothing
    may_be_shared(getattr of an object without code of its own)   yes: it reads, so memory has to be the same
    may_move_up_past(add of two exact ints, a call)               yes
    may_move_up_past(floordiv of two exact ints, a call)          no: what it raises would come before the call
    clobbers(a store to a global, a load of a global)             yes

Memory is told apart by kind; "any" is all that code of others sees: all kinds but private lists, whose kinds are
called "list ...".

Invariant: a yes is right for all operations with these effects.
"""

from __future__ import annotations

from futamura.ir.facts import Effects, Fact
from futamura.ir.graph import Program

__all__ = ["acts", "clobbers", "count_calling", "may_be_removed", "may_be_shared", "may_move_up_past"]


def acts(effects: Effects) -> bool:
    """May it change something, or run code that does?"""
    return bool(effects.writes or effects.calls or effects.suspends)


def count_calling(program: Program) -> int:
    """How many operations may run code that is not known."""
    return sum([
        op.operator.effects(tuple([function.types[arg] for arg in op.args]), op.attr).calls
        for function in program.functions for op in function.operations()
    ])  # fmt: skip


def may_be_removed(fact: Fact) -> bool:
    """Does nobody notice whether it is executed, if nobody uses its results?"""
    return not (fact.raises or acts(fact.effects))


def may_be_shared(effects: Effects) -> bool:
    """Is the result of one execution as good as that of another, with the same operands and the same memory?

    What allocates makes an object with an identity.
    """
    return not (acts(effects) or effects.allocates)


def clobbers(writing: Effects, other: Effects) -> bool:
    """May what the one writes be what the other reads or writes?"""
    writes = writing.writes | {"any"} if writing.calls or writing.suspends else writing.writes
    touched = other.reads | other.writes
    touched = touched | {"any"} if other.calls or other.suspends else touched
    return not writes.isdisjoint(touched) or _meets_any(writes, touched) or _meets_any(touched, writes)


def _meets_any(kinds: frozenset[str], others: frozenset[str]) -> bool:
    return "any" in kinds and any(not kind.startswith("list ") for kind in others)


def may_move_up_past(moved: Fact, over: Fact) -> bool:
    """May it be executed before an operation that stands above it and makes none of its operands?"""
    if clobbers(over.effects, moved.effects) or clobbers(moved.effects, over.effects):
        return False
    if over.raises or over.effects.calls or over.effects.suspends:  # then it might not have been executed at all
        return may_be_removed(moved)
    return not (moved.raises or moved.effects.calls or moved.effects.suspends) or not acts(over.effects)
