"""Elements of sets in the finished residual, and what they are compared with.

    required = set(fields)         the fields are hashed and compared among themselves
    required.discard(x)            `x.__eq__` may see a field that has the same hash, if nothing is known of `x`
    required - seen                so may what is in `seen`

A static object is quiet if hashing and comparing it runs no code of the program, nor that of what it holds, and shows
nothing that can be changed: one of a dataclass, whose `__eq__` was written by `dataclasses`, with texts and numbers in
it.  All else may keep or change what it is compared with.

Invariant: whatever may be compared with something that is not quiet is given to code that is not known.
"""

from __future__ import annotations

import enum
import gc
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.evaluate import COMPARE
from futamura.ir.graph import Operation
from futamura.specializer.exposure import asks_parts, called_by, holds_code
from futamura.specializer.pointing import Node, Site
from futamura.specializer.purity import class_lookup, deep
from futamura.specializer.touching import Effects

__all__ = ["SETS", "Elements"]

SETS: Final = (set, frozenset)
_OPERATORS: Final = frozenset({*COMPARE, "or", "and", "sub", "xor", "ior", "iand", "isub", "ixor"})
_COMPARING: Final = called_by("in")
_BY_IDENTITY: Final = (type, FunctionType, BuiltinFunctionType, ModuleType)
_DEPTH: Final = 4
_ONE: Final = frozenset({"add", "discard", "remove", "__contains__"})
"""Methods that take one element; others take something that gives them."""


class Elements:
    """The elements of the sets in one graph."""

    def __init__(self, effects: Effects) -> None:
        self._graph: Final = effects.graph
        self._effects: Final = effects
        self._quiet: Final[dict[int, bool]] = {}

    def of(self, holder: Node) -> Node:
        """What is in the sets that this may be."""
        found = Node()
        self._graph.iterate(holder, found)
        return found

    def method(self, holder: Node, name: str, value: Node) -> None:
        """A method of a set gets this."""
        self.meet(self.of(holder), value if name in _ONE else self.of(value))

    def gather(self, source: Node) -> None:
        """A set is made of what this gives."""
        self._effects.ask(source, _COMPARING)
        items = self.of(source)
        self.meet(items, items)

    def display(self, op: Operation, of: Callable[[int], Node]) -> None:
        """A set is written out, or filled by a comprehension; `of` gives the node of a value."""
        if op.name == "set_add":
            self.method(of(op.args[0]), "add", of(op.args[1]))
            return
        starred = op.attr if isinstance(op.attr, tuple) else (False,) * len(op.args)
        elements = Node()
        for value, star in zip(op.args, starred):
            self._graph.flow(self.of(of(value)) if star else of(value), elements)
        self.meet(elements, elements)

    def operator(self, name: str, left: Node, right: Node) -> None:
        """An operator with two operands, of which one may be a set."""
        if name not in _OPERATORS:
            return
        looked_up = name in ("in", "not_in")
        for one, other in ((right, left),) if looked_up else ((left, right), (right, left)):
            met = other if looked_up else self.of(other)

            def found(site: Site, met: Node = met) -> None:
                if site.cls in SETS:
                    holder = Node()
                    self._graph.add(holder, site)
                    self.meet(self.of(holder), met)

            self._graph.watch(one, found)

    def meet(self, these: Node, those: Node) -> None:
        """Each of the first may be compared with each of the others."""
        self._show(these, those)
        if those is not these:
            self._show(those, these)

    def _show(self, value: Node, others: Node) -> None:
        """Those of the others that are not quiet see the value."""
        done = False

        def found(site: Site) -> None:
            nonlocal done
            if not done and not self._is_quiet(site):
                done = True
                self._graph.give(value)

        self._graph.watch(others, found)

    def _is_quiet(self, site: Site) -> bool:
        if not site.is_static:
            return False
        key = id(site.value)
        if key not in self._quiet:
            self._quiet[key] = not holds_code(site.value, _COMPARING) and _shows_little(site.value)
        return self._quiet[key]


def _shows_little(value: object) -> bool:
    """Does comparing this show nothing that can be changed, whatever is stored in its attributes until then?"""
    return not asks_parts(type(value)) or all(_is_settled(part, _DEPTH) for part in _parts(value))


def _is_settled(value: object, depth: int) -> bool:
    if deep(value) or is_a(value, _BY_IDENTITY) or type(type(value)) is enum.EnumMeta:
        return True
    params = class_lookup(type(value), "__dataclass_params__")
    fixed = type(value) in (tuple, frozenset) or getattr(params, "frozen", False) is True
    return fixed and depth > 0 and all(_is_settled(part, depth - 1) for part in _parts(value))


def _parts(value: object) -> Iterator[object]:
    for part in gc.get_referents(value):
        if type(part) is dict and not is_a(value, (dict, tuple, frozenset)):  # the attributes of an instance
            yield from part.values()
        else:
            yield part
