"""What a value of a function may decide: which items of tables are worth a copy of the code for each.

    kind, scale = UNITS[name]       the item decides, for `kind` does; of `scale` alone it would be looked up only
    if kind == "length": ...
    return x * scale

A value decides if a branch asks for it, by what compares it with constants or asks for its class, if what is taken out
of it decides, if it names an attribute (`getattr(self, action)`), or if it is handed to a function of the program; if
it is called, what it holds says whether that is of use.  Whether it is there, or true, is no such question.

Invariant: nothing of what a residual means depends on what is said here.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Operation

__all__ = ["BUILTIN_NAMES", "Deciding"]

BUILTIN_NAMES: Final = frozenset(dir(builtins)).union(
    *map(dir, (list, dict, set, tuple, str, bytes, bytearray, int, float))
)
"""The names of builtins and of the methods of builtin classes."""
_COMPARISONS: Final = frozenset({"lt", "le", "eq", "ne", "gt", "ge", "is", "is_not", "in", "not_in"})
_WHOLE: Final = frozenset({"copy", "unpack", "getattr", "iter", "getitem", "match_sequence"})
"""Operations that give a part of what they get, or tell something about it."""
_ASKING: Final = frozenset({"isinstance", "issubclass", "callable", "len", "type", "hasattr", "getattr", "bool"})
"""Builtins that do."""
_TAKING: Final = frozenset({"pop", "popleft"})
_FIXED: Final = frozenset({"const", "global_get"})
_NAMING: Final = frozenset({"global_get", "getattr", "function", "const", "cell_get"})
"""How a function that is called is had by its name: a function around this one has it in a cell."""


class Deciding:
    """The values of one function that decide, and the branches that a value decides."""

    def __init__(self, function: Function) -> None:
        self._function: Final = function
        self._made: Final = {result: op for block in function.blocks for op in block.ops for result in op.results}
        self._parts: dict[int, set[int]] = {}
        """By a value: those that it is a part of, or tells something about."""
        self._asked: set[int] = set()
        self._called: set[int] = set()
        self._naming: set[int] = set()
        for block in function.blocks:
            raises = block.terminator.name == "raise"  # what an error is made of is worth no copy of the code
            for op in block.ops:
                if not (raises and op.name == "call"):
                    self._operation(op)
            if block.terminator.name in ("branch", "switch"):
                self._asked.update(block.terminator.args)
        for arg, param in _passed(function):
            self._part(param, (arg,))
        self.names: Final = self._closed(self._naming)
        """Those that name attributes, or of which a part does."""
        self.values: Final = self._closed(self._asked | self._naming)
        """Those that decide, if they have parts."""
        self.callers: Final = self._closed(self._asked | self._naming | self._called)
        """Those that decide if there are functions of the program among their parts."""
        self._used: frozenset[int] | None = None
        self._used_by: dict[int, list[Operation | None]] | None = None

    def holder(self, call: Operation) -> str | None:
        """The name of the attribute or variable that holds the object whose method is called."""
        method = self._made.get(call.args[0])
        if method is None or method.name != "getattr":
            return None
        made = self._made.get(method.args[0])
        return str(made.attr) if made is not None and made.name == "getattr" else self._function.hints[method.args[0]]

    def is_taken(self, value: int) -> bool:
        """Is this the last item of a list, or what `frames.pop()` gives?"""
        made = self._made.get(value)
        if made is None or made.name not in ("call", "getitem"):
            return False
        behind = self._made.get(made.args[-1] if made.name == "getitem" else made.args[0])
        if behind is None or made.name == "call":
            return behind is not None and behind.name == "getattr" and behind.attr in _TAKING
        return behind.name == "const" and isinstance(behind.attr, Constant) and behind.attr.value == -1

    def keys(self, value: int) -> list[int] | None:
        """What is looked up in a value, if nothing else is done with it."""
        found: list[int] = []
        for user in self._users().get(value, ()):
            if user is None or user.args.count(value) > 1:
                return None
            if user.name == "getitem" and user.args[0] == value:
                found.append(user.args[1])
            elif user.name in ("in", "not_in") and user.args[1] == value:
                found.append(user.args[0])
            elif user.name == "getattr" and user.attr == "get":
                calls = self._users().get(user.results[0], ())
                if any(call is None or call.name != "call" or call.args.count(user.results[0]) > 1 for call in calls):
                    return None
                found.extend(call.args[1] for call in calls if call is not None and len(call.args) > 1)
            else:
                return None
        return found

    def _users(self) -> dict[int, list[Operation | None]]:
        """The operations that a value is an operand of; None for an end of a block."""
        if self._used_by is None:
            self._used_by = {}
            for block in self._function.blocks:
                end = block.terminator
                edges = (*end.edges, *(() if block.handler is None else (block.handler,)))
                for arg in (*end.args, *(arg for edge in edges for arg in edge.args)):
                    self._used_by.setdefault(arg, []).append(None)
                for op in block.ops:
                    for arg in op.args:
                        self._used_by.setdefault(arg, []).append(op)
        return self._used_by

    def is_used(self, value: int) -> bool:
        """Is more done with it than to compare it, to ask whether it is true, and to say it in an error?"""
        if self._used is None:
            self._used = _used(self._function)
        return value in self._used

    def _part(self, part: int, whole: Iterable[int]) -> None:
        self._parts.setdefault(part, set()).update(whole)

    def _closed(self, values: set[int]) -> frozenset[int]:
        found = set(values)
        work = [*values]
        while work:
            for whole in self._parts.get(work.pop(), ()):
                if whole not in found:
                    found.add(whole)
                    work.append(whole)
        return frozenset(found)

    def _operation(self, op: Operation) -> None:
        if op.name in _COMPARISONS:
            for arg, other in (op.args, op.args[::-1]):
                if self._is_fixed(other) and not self._is_none(other):
                    self._part(op.results[0], (arg,))
        elif op.name in _WHOLE or (op.name in ("truth", "not") and self._is_answer(op.args[0])):
            for result in op.results:
                self._part(result, op.args)
        elif op.name == "call":
            self._call(op)

    def _call(self, op: Operation) -> None:
        callee = self._made.get(op.args[0])
        if callee is None or callee.name not in _NAMING:
            self._called.update(op.args)
        elif callee.name == "getattr":
            self._part(op.results[0], callee.args)
            if callee.attr == "get":
                self._part(op.results[0], op.args[1:])
            elif callee.attr not in BUILTIN_NAMES:
                self._asked.update((*callee.args, *op.args[1:]))
            else:
                self._called.update(callee.args)  # it may be a method of the program
        elif callee.name == "global_get":
            name = callee.attr[1] if isinstance(callee.attr, tuple) else ""
            if name in _ASKING:
                self._part(op.results[0], op.args[1:])
                if name == "getattr" and len(op.args) > 2 and not self._is_fixed(op.args[2]):
                    self._naming.add(op.args[2])
            elif name not in BUILTIN_NAMES:
                self._asked.update(op.args[1:])
        else:
            self._asked.update(op.args[1:])

    def _is_fixed(self, value: int) -> bool:
        """Is it a constant, or a path of attributes from a global name, or a display of these?"""
        made = self._made.get(value)
        if made is None:
            return False
        if made.name in ("getattr", "tuple", "list", "set"):
            return all(self._is_fixed(arg) for arg in made.args)
        return made.name in _FIXED

    def _is_answer(self, value: int) -> bool:
        """Is it what a question gave, and not the value itself?"""
        made = self._made.get(value)
        if made is None or made.name in ("truth", "not"):
            return made is not None
        if made.name == "call":
            callee = self._made.get(made.args[0])
            return callee is not None and callee.attr != "get"
        return made.name in _COMPARISONS

    def _is_none(self, value: int) -> bool:
        """What is compared with None is there or not: that is no reason to go on for each item."""
        made = self._made.get(value)
        return made is not None and isinstance(made.attr, Constant) and made.attr.value is None

    def decided(self, value: int) -> tuple[list[int], bool]:
        """The blocks that end in a branch on what was made of a value, and whether that may be returned."""
        users: dict[int, set[int]] = {}
        for result, op in self._made.items():
            for arg in op.args:
                users.setdefault(arg, set()).add(result)
        function = self._function
        for arg, param in _passed(function):
            users.setdefault(arg, set()).add(param)
        found = {value}
        work = [value]
        while work:
            for user in users.get(work.pop(), ()):
                if user not in found:
                    found.add(user)
                    work.append(user)
        ends = [(block.id, block.terminator) for block in function.blocks]
        branches = [at for at, end in ends if end.name in ("branch", "switch") and not found.isdisjoint(end.args)]
        return branches, any(end.name == "return" and not found.isdisjoint(end.args) for _, end in ends)


def _used(function: Function) -> frozenset[int]:
    found: set[int] = set()
    sources: dict[int, list[int]] = {}
    for block in function.blocks:
        end = block.terminator
        if end.name == "raise":
            continue
        for op in block.ops:
            if op.name == "copy":
                sources.setdefault(op.results[0], []).extend(op.args)
            elif op.name not in _COMPARISONS and op.name not in ("truth", "not"):
                found.update(op.args)
        if end.name not in ("branch", "switch"):
            found.update(end.args)
    for arg, param in _passed(function):
        sources.setdefault(param, []).append(arg)
    work = [*found]
    while work:
        for source in sources.get(work.pop(), ()):
            if source not in found:
                found.add(source)
                work.append(source)
    return frozenset(found)


def _passed(function: Function) -> Iterator[tuple[int, int]]:
    """What blocks pass on, with the parameters that get it; an iterator with the item that is taken of it."""
    for block in function.blocks:
        end = block.terminator
        for number, edge in enumerate(end.edges):
            params = function.blocks[edge.target].params
            taken = end.args[:1] if end.name == "next" and not number else ()
            yield from zip((*taken, *edge.args), params)
