"""Tuples that are only taken apart again are split into their items, so that each has a binding time of its own.

    s = (0, x)                        s0 = 0; s1 = x
    while s[0] < n:            ->     while s0 < n:
        s = (s[0] + 1, f(s[1]))           s0, s1 = s0 + 1, f(s1)

A web is a set of values that flow into each other through block parameters.  It is split if each of its values is a
tuple display of one length, or a parameter that gets nothing else, and each use takes an item with a constant index
in range, unpacks as many names as there are items, or passes the value on inside the web.  Nested tuples are split by
doing it again.

Invariant: nothing can tell: no use of a split tuple can raise, and its identity is seen by nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from typing import Any, Final

from futamura.analysis.dependence import arguments_of_parameters, given_parameters
from futamura.ir.build import FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Function, Operation, Value
from futamura.ir.liveness import end_uses

__all__ = ["agreed_lengths", "split_tuples", "splittable", "without_copies"]

_ROUNDS: Final = 8
"""Tuples nested deeper than this keep their inner parts."""


def split_tuples(function: Function) -> Function:
    """The function with its splittable tuples split."""
    for _ in range(_ROUNDS):
        direct = without_copies(function)
        lengths = splittable(direct)
        if not lengths:
            return function
        function = _Split(direct, lengths).function()
    return function


def without_copies(function: Function) -> Function:
    """Copies of tuple displays, and of parameters that get nothing else, are these; they define nothing any more."""
    displays = {op.results[0] for op in function.operations() if op.name == "tuple"}
    once = _without_copies_of(function, displays)
    return _without_copies_of(once, _lengths(once).keys() - displays)


def _without_copies_of(function: Function, shown: Set[Value]) -> Function:
    same: dict[Value, Value] = {}
    for block in function.blocks:
        for operation in block.ops:
            if operation.name == "copy":
                for result, value in zip(operation.results, operation.args):
                    if same.get(value, value) in shown:
                        same[result] = same.get(value, value)
    if not same:
        return function

    def renamed(values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple([same.get(value, value) for value in values])

    blocks = []
    for block in function.blocks:
        ops = [_renamed(op, renamed, same) for op in block.ops]
        edges = tuple([Edge(edge.target, renamed(edge.args)) for edge in block.terminator.edges])
        end = block.terminator._replace(args=renamed(block.terminator.args), edges=edges)
        handler = None if block.handler is None else Edge(block.handler.target, renamed(block.handler.args))
        blocks.append(block._replace(ops=tuple(op for op in ops if op is not None), terminator=end, handler=handler))
    return replace(function, blocks=tuple(blocks))


def _renamed(
    operation: Operation, renamed: Callable[[tuple[Value, ...]], tuple[Value, ...]], same: dict[Value, Value]
) -> Operation | None:
    if operation.name != "copy":
        return operation._replace(args=renamed(operation.args))
    kept = [at for at, result in enumerate(operation.results) if result not in same]
    if not kept:
        return None
    args = renamed(tuple([operation.args[at] for at in kept]))
    return operation._replace(args=args, results=tuple([operation.results[at] for at in kept]))


def _index(operation: Operation, constants: dict[Value, object]) -> int | None:
    """The constant index of a `getitem`."""
    index = constants.get(operation.args[1])
    return index if type(index) is int else None


def _constants(function: Function) -> dict[Value, object]:
    return {
        operation.results[0]: operation.attr.value
        for operation in function.operations()
        if operation.name == "const" and isinstance(operation.attr, Constant)
    }


def splittable(function: Function) -> dict[Value, int]:
    """The values to be split, with the number of items."""
    lengths = _lengths(function)
    if not lengths or any(block.terminator.name == "guard" for block in function.blocks):
        return {}
    arguments = arguments_of_parameters(function)
    bad = _misused(function, lengths)
    # A web is split as a whole or not at all.
    changed = True
    while changed:
        changed = False
        for param, sources in arguments.items():
            members = [param, *(value for _, value in sources)]
            if any(value in bad or value not in lengths for value in members):
                for value in members:
                    if value in lengths and value not in bad:
                        bad.add(value)
                        changed = True
    return {value: length for value, length in lengths.items() if value not in bad}


def _lengths(function: Function) -> dict[Value, int]:
    """The displays of tuples, and the parameters that get nothing but tuples of one length."""
    lengths = {
        operation.results[0]: len(operation.args)
        for operation in function.operations()
        if operation.name == "tuple" and operation.args and (operation.attr is None or not any(_flags(operation)))
    }
    if not lengths:
        return {}
    agreed_lengths(lengths, arguments_of_parameters(function), given_parameters(function))
    return lengths


def _flags(operation: Operation) -> tuple[bool, ...]:
    attr: Any = operation.attr
    return tuple(attr)


def agreed_lengths(
    lengths: dict[Value, int], arguments: dict[Value, list[tuple[int, Value]]], fixed: set[Value]
) -> None:
    """Add the parameters that get tuples of one length only: optimistic, then those that do not hold go."""
    changed = True
    while changed:
        changed = False
        for param, sources in arguments.items():
            found = {lengths[value] for _, value in sources if value in lengths}
            if param not in lengths and param not in fixed and len(found) == 1:
                lengths[param] = found.pop()
                changed = True
    changed = True
    while changed:
        changed = False
        for param, sources in arguments.items():
            if param in lengths and any(lengths.get(value) != lengths[param] for _, value in sources):
                del lengths[param]
                changed = True


def _misused(function: Function, lengths: dict[Value, int]) -> set[Value]:
    constants = _constants(function)
    bad: set[Value] = set()
    for block in function.blocks:
        for operation in block.ops:
            for position, value in enumerate(operation.args):
                if value in lengths and not _takes_apart(operation, position, lengths[value], constants):
                    bad.add(value)
        passed = {value for edge in block.terminator.edges for value in edge.args}
        used = set(block.terminator.args) | (set(end_uses(block.terminator)) - passed)
        bad.update(value for value in used if value in lengths)
    return bad


def _takes_apart(operation: Operation, position: int, length: int, constants: dict[Value, object]) -> bool:
    attr: Any = operation.attr
    if operation.name == "getitem" and position == 0:
        index = _index(operation, constants)
        return index is not None and -length <= index < length
    return operation.name == "unpack" and not attr[1] and attr[0] + attr[2] == length


class _Split:
    """The function made again with items in the place of tuples."""

    def __init__(self, source: Function, lengths: dict[Value, int]) -> None:
        self.source: Final = source
        self.lengths: Final = lengths
        self.constants: Final = _constants(source)
        self.builder: Final = FunctionBuilder(
            source.name, source.signature, qualname=source.qualname, free=source.free, kind=source.kind,
            doc=source.doc, module=source.module, file=source.file, span=source.span,
        )  # fmt: skip
        self.new: Final[dict[Value, Value]] = {}
        self.items: Final[dict[Value, tuple[Value, ...]]] = {}

    def function(self) -> Function:
        b, source = self.builder, self.source
        for region in source.regions[1:]:
            b.region(region.kind, region.parent, flavor=region.flavor, handler=region.handler, of=region.of,
                     span=region.span)  # fmt: skip
        made = [b.block(block.region) for block in source.blocks]
        for block, out in zip(source.blocks, made):
            for param in block.params:
                out.params.extend(self._defined(param))
            for operation in block.ops:
                if operation.name == "tuple" and operation.results[0] in self.lengths:
                    continue
                for result in operation.results:
                    self.new[result] = b.value(source.hints[result], source.types[result])
        for operation in source.operations():
            if operation.results and operation.results[0] in self.lengths and operation.name == "tuple":
                self.items[operation.results[0]] = tuple(self._all(operation.args))
        for block, out in zip(source.blocks, made):
            for operation in block.ops:
                if not (operation.name == "tuple" and operation.results[0] in self.lengths):
                    name, args, attr = self._rewritten(operation)
                    results = tuple([self.new[result] for result in operation.results])
                    b.append(out, name, args, attr, results, operation.span)
            end = block.terminator
            b.terminate(out, end.name, tuple(self._all(end.args)), tuple([self._edge(e) for e in end.edges]), end.attr,
                        end.span)  # fmt: skip
            if block.handler is not None:
                out.handler = self._edge(block.handler)
        return b.finish()

    def _defined(self, param: Value) -> list[Value]:
        hint = self.source.hints[param]
        if param not in self.lengths:
            self.new[param] = self.builder.value(hint, self.source.types[param])
            return [self.new[param]]
        names = [f"{hint}_{at}" if hint is not None else None for at in range(self.lengths[param])]
        self.items[param] = tuple([self.builder.value(name) for name in names])
        return list(self.items[param])

    def _all(self, values: tuple[Value, ...]) -> list[Value]:
        return [self.new[value] for value in values]

    def _edge(self, edge: Edge) -> Edge:
        args: list[Value] = []
        for value in edge.args:
            args.extend(self.items[value] if value in self.lengths else (self.new[value],))
        return Edge(edge.target, tuple(args))

    def _rewritten(self, operation: Operation) -> tuple[str, tuple[Value, ...], object]:
        value = operation.args[0] if operation.args else -1
        if value in self.lengths and operation.name == "getitem":
            index = _index(operation, self.constants)
            assert index is not None
            return "copy", (self.items[value][index],), None
        if value in self.lengths:
            return "copy", self.items[value], None
        return operation.name, tuple(self._all(operation.args)), operation.attr
