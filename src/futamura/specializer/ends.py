"""What an iterator ends with: the value of its StopIteration, which `next`, `__next__` and a `yield from` may show.

    def rows():            next(map(f, rows()))    StopIteration("done") at the end, for `map` lets it through
        yield 1            next(map(f, [1, 2]))    StopIteration()
        return "done"

Generators that stand for builtins take items only: where one may end with a value that is seen, it is the builtin.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from futamura.ir.constant import Constant
from futamura.specializer import iterators, library
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.machine import Machine
from futamura.specializer.rules import exact_type
from futamura.specializer.state import Suspension
from futamura.specializer.values import AbstractValue, Dynamic, Known, VObject

__all__ = ["asked", "ends_plainly", "may_show_its_end"]

_CONTAINERS: Final[tuple[Iterable[object], ...]] = ([], (), b"", bytearray(), {}, set(), frozenset())
_ITERATORS: Final[dict[object, type]] = {type(one): type(iter(one)) for one in _CONTAINERS}
"""The exact class of the iterator of each container of one of these exact classes."""
_PLAIN: Final = frozenset({*_ITERATORS, *_ITERATORS.values(), str, range, int, bool})
"""Exact classes of what ends without a value, or is no iterator at all."""
_CLEARING: Final = frozenset(
    function.__qualname__
    for function in (iterators.chain_of, iterators.chain_from, iterators.longest_of, iterators.repeat_of)
)
"""These stand for builtins that look at the end of each of their sources."""
_LETTING: Final = frozenset(function.__qualname__ for function in iterators.ENDING.values())
"""These stand for builtins that may let the StopIteration of a function through."""


def may_show_its_end(m: Machine, value: AbstractValue) -> bool:
    """Does this stand for a builtin iterator that may end with a value?"""
    entry = m.state.object(value)
    if entry is None or entry.kind not in ("generator", "iterator"):
        return False
    if entry.kind == "generator" and not _stands_in(entry):
        return False
    return not ends_plainly(m, value)


def _stands_in(entry: VObject) -> bool:
    where = entry.extra
    return isinstance(where, Suspension) and library.is_own(where.facts.namespace)


def ends_plainly(m: Machine, value: AbstractValue) -> bool:
    """Is its StopIteration, if it is an iterator, certainly one without a value?"""
    value = m.state.resolve(value)
    if type(value) is Dynamic:
        return exact_type(m, value) in _PLAIN
    if type(value) is Known:
        return not hasattr(type(value.value), "__next__") or type(value.value) in _PLAIN
    entry = m.state.object(value)
    if entry is None or entry.kind == "instance":
        return False
    if entry.kind == "iterator":
        return all(ends_plainly(m, item) for item in entry.items)
    where = entry.extra
    if entry.kind != "generator" or not isinstance(where, Suspension):
        return True
    if not library.is_own(where.facts.namespace):
        return _returns_nothing(where.facts)
    name = where.facts.function.qualname
    return name in _CLEARING or (name not in _LETTING and all(ends_plainly(m, item) for item in entry.items))


def asked(m: Machine, source: AbstractValue) -> AbstractValue:
    """Ask an object that is not known for its iterator."""
    cls = _ITERATORS.get(exact_type(m, source))
    return m.emit("iter", (source,), type=cls, raises=cls is None)


def _returns_nothing(facts: FunctionFacts) -> bool:
    """Has this generator function no `return` with a value?"""
    for block in facts.blocks:
        if block.terminator.name == "return":
            made = next((op for op in block.ops if op.results == block.terminator.args), None)
            if made is None or made.name != "const" or made.attr != Constant(None):
                return False
    return True
