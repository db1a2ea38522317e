"""What becomes of the arguments of builtin functions, of methods of builtin containers, and of classes that are called.

    isinstance(rows[k], Row)      a row is asked for its class
    found.update(rows)            what is in `found` may be a row from now on

Invariant: what is not named here gives its arguments to code that is not known: `leaking.py` sees to that.
"""

from __future__ import annotations

import bisect
from abc import abstractmethod
from collections.abc import Sequence
from types import FunctionType, UnionType
from typing import Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.asking_builtins import ASKING, CHECKING, SHOWN, asked_by, checks_itself
from futamura.specializer.builtin_errors import exception_made_plainly, plain_exception_class
from futamura.specializer.elements import SETS, Elements
from futamura.specializer.pointing import ITEMS, KEYS, OUTSIDE, PUT, Node, Site
from futamura.specializer.purity import MISSING, class_lookup
from futamura.specializer.touching import Effects, Operations, Source

__all__ = ["BLIND", "KnownCallees"]

_GATHERING: Final = frozenset(
    {dict, enumerate, frozenset, iter, list, max, min, next, reversed, set, sorted, sum, tuple, zip}
)
_PAIRING: Final = frozenset({dict, enumerate, zip})
_GATHERED: Final[dict[object, type]] = {**{one: one for one in (list, tuple, set, dict, frozenset)}, sorted: list}

_GIVING: Final = frozenset({"get", "pop", "popleft", "setdefault", "__getitem__"})
BLIND: Final = frozenset({"append", "appendleft", "clear", "reverse"})
"""Methods that look neither at what they are given nor at what the container holds."""
_PUTTING: Final = frozenset({"append", "appendleft", "add"})
"""Methods that put in what they are given as it is, and nothing of what that holds."""
_PLAIN_KEY: Final = frozenset({"get", "pop", "setdefault", "index", "count", "remove", "__contains__", "discard"})
"""Methods that compare what they are given with keys or items."""
_COPYING: Final = frozenset(
    {"copy", "keys", "values", "items", "popitem", "difference", "intersection", "union", "symmetric_difference"}
    | {"most_common", "elements"}
)
_READING: Final = (_COPYING - {"popitem"}) | frozenset(
    {"get", "__getitem__", "__contains__", "__len__", "count", "index", "isdisjoint", "issubset", "issuperset"}
)


class KnownCallees(Operations):
    """Calls of what is not a function of the program."""

    def __init__(self, effects: Effects, source: Source, elements: Elements) -> None:
        super().__init__(effects, source)
        self.elements: Final = elements

    @abstractmethod
    def _call_function(self, op: Operation, function: FunctionType, bound: Site | None) -> None:
        """A call of a function of the program."""

    def _keep(self, op: Operation, made: Site, first: int = 1) -> None:
        """The arguments, from this operand on, become `args` of an exception."""
        held = self.made(op, tuple, "args")
        self.graph.add(self.graph.field(made, "args"), held)
        for value in op.args[first:]:
            self.put(value, held)

    def _calls_back(self, op: Operation) -> bool:
        return isinstance(op.attr, tuple) and any(mark in ("*", "**", "key") for mark in op.attr)

    def _method(self, op: Operation, holder: Site, name: str, cls: type, first: int = 1) -> None:
        """A method of a container of an exact builtin class; its arguments are the operands from `first` on."""
        args = op.args[first:]
        node, result = Node(), self.of(op.results[0])
        self.graph.add(node, holder)
        if name == "get":
            self.effects.look(node, "getitem", 0)
        elif name not in BLIND:
            self.effects.ask(node)
        for value in args:
            if name not in BLIND:
                self.ask(value)
            if cls in SETS:
                self.elements.method(node, name, self.of(value))
            if name in _PLAIN_KEY:
                self.when_foreign(value, lambda: self.graph.compared(holder))
        if name not in _READING:
            self.effects.write(node, name)
            for value in args:
                self.graph.store(node, ITEMS, self.of(value))
                if name in _PUTTING:
                    continue
                self.graph.store(node, KEYS, self.of(value))
                self._pour_into(node, value)
                items = Node()
                self.graph.iterate(self.of(value), items)
                self._items_of_items(items, node)
        for value in args if name in ("get", "pop", "setdefault") else ():
            self.graph.flow(self.of(value), result)
        if name in _GIVING:
            self.graph.load(node, ITEMS, result)
        elif name in _COPYING:
            self._copied(op, node, name, args, cls)

    def _items_of_items(self, items: Node, node: Node) -> None:
        """`update` takes pairs."""
        parts = Node()
        self.graph.iterate(items, parts)
        self.graph.store(node, ITEMS, parts)
        self.graph.store(node, KEYS, parts)

    def _copied(self, op: Operation, node: Node, name: str, args: Sequence[int], cls: type) -> None:
        """What gives a new container, or a view, with the items of the old one."""
        made = self.result(op, cls if name == "copy" else None)
        if name == "copy":
            self.graph.absorb(node, made)
            return
        target = made
        if name in ("items", "popitem"):
            target = self.made(op, tuple, "pair")
            self.graph.add(self.graph.field(made, PUT), target)
        if name == "popitem":
            self.graph.add(self.of(op.results[0]), target)
        if name != "keys":
            self.graph.load(node, ITEMS, self.graph.field(target, PUT))
        if name != "values":
            self.graph.load(node, KEYS, self.graph.field(target, PUT))
        for value in args:
            self.pour(value, target)

    def _builtin(self, op: Operation, function: object) -> bool:
        """A builtin of which it is known what becomes of its arguments."""
        args = op.args[1:]
        if function in ASKING:
            for place, value in enumerate(args):
                if not self.is_atom(value):
                    self.effects.ask(self.of(value), asked_by(function, place))
                    if function is print:
                        self.effects.ask(self.of(value), SHOWN)
            if function in CHECKING and len(args) == 2:
                self._check(function, *map(self.of, args))
            if function is type:
                for value in args:
                    self.graph.watch(self.of(value), lambda site: self._class_of(op, site))
            return True
        if function in (bisect.bisect_left, bisect.bisect_right) and args:
            for value in args:
                self.ask(value)
                self.when_foreign(value, lambda: self.graph.watch(self.of(args[0]), self.graph.compared))
            return True
        if function in _GATHERING and (len(args) == 1 or function is zip):
            self._gather(op, function)
            return True
        if function is object.__new__:
            cls = self.constants.get(args[0]) if args else None
            self.result(op, cls if is_a(cls, type) else None)
            return True
        if is_a(function, type) and _runs_init_only(function):
            self._make(op, function)
            return True
        return False

    def _check(self, function: object, value: Node, classes: Node) -> None:
        """`isinstance(value, classes)`"""

        def found(site: Site) -> None:
            if checks_itself(function, site.cls):
                self.graph.give(value)
            elif site.cls is tuple:
                self.graph.watch(self.graph.field(site, ITEMS), found)
                self.graph.watch(self.graph.field(site, PUT), found)
            elif is_a(site.value, UnionType) and any(checks_itself(function, type(one)) for one in site.value.__args__):
                self.graph.give(value)

        self.graph.watch(classes, found)

    def _class_of(self, op: Operation, site: Site) -> None:
        self.graph.add(self.of(op.results[0]), OUTSIDE if site.cls is None else self.graph.static(site.cls))

    def _make(self, op: Operation, cls: type) -> None:
        """An exception, or an object of an own class."""
        made = self.result(op, cls)
        self._keep(op, made)
        init = class_lookup(cls, "__init__")
        if type(init) is FunctionType:
            self._call_function(op, init, made)

    def _gather(self, op: Operation, function: object) -> None:
        made = self.result(op, _GATHERED.get(function))
        target = made
        if function in _PAIRING and function is not dict:
            target = self.made(op, tuple, "pair")
            self.graph.add(self.graph.field(made, PUT), target)
        for value in op.args[1:]:
            if function in SETS:
                self.elements.gather(self.of(value))
            else:
                self.ask(value)
            self.pour(value, target)
            if function in (dict, sum):  # the items of the items
                self.graph.absorb(self.of(value), made)
                items, node = Node(), Node()
                self.graph.iterate(self.of(value), items)
                self.graph.add(node, made)
                self._items_of_items(items, node)
            if function in (max, min, next, sum):
                self.graph.iterate(self.of(value), self.of(op.results[0]))


def _runs_init_only(cls: type) -> bool:
    """Does a call of this class run no code but its `__init__`?"""
    if type(cls) is not type:
        return False
    if issubclass(cls, BaseException):
        if issubclass(cls, StopIteration):  # keeps its argument as `value`, too
            return False
        return plain_exception_class(cls) or exception_made_plainly(cls)
    init = class_lookup(cls, "__init__")
    return (
        cls.__new__ is object.__new__
        and cls.__module__ != "builtins"
        and class_lookup(cls, "__del__") is MISSING
        and (type(init) is FunctionType or init is object.__init__)
    )
