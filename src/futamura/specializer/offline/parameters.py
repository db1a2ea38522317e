"""Tuples that functions only take apart are passed as their items, so that each has a binding time of its own.

    run(code, (x, 0))                                run(code, x, 0)
    def run(code, state):                      ->    def run(code, state_0, state_1):
        a, b = state                                     state = (state_0, state_1); a, b = state
        ... return run(code[1:], (b, a))                 ... return run(code[1:], b, a)

A parameter is split if each call of its function passes a tuple of one known length, and if the tuple that the function
then makes of the items is one that `splitting.py` removes: it is taken apart, or passed on to parameters like it.

Invariant: nothing can tell: the caller's tuple is taken apart before the call, which cannot fail, and the function
never looks at the tuple itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from futamura.analysis.dependence import arguments_of_parameters, given_parameters
from futamura.ir.attributes import FunctionAttr
from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Function, Operation, Program, Value
from futamura.ir.ops import OPERATORS
from futamura.specializer.offline.splitting import agreed_lengths, split_tuples, splittable, without_copies

__all__ = ["split_program"]

_ROUNDS: Final = 4
"""Tuples in tuples nested deeper than this are passed whole."""


class _Place(NamedTuple):
    """A parameter of a function."""

    function: str
    position: int


def split_program(program: Program) -> Program:
    """The program with its tuples split, those that cross calls included."""
    for _ in range(_ROUNDS):
        program = Program(program.entry, tuple([split_tuples(function) for function in program.functions]))
        lengths = _chosen(program)
        if not lengths:
            break
        program = _rewritten(program, lengths)
    return program


def _chosen(program: Program) -> dict[_Place, int]:
    """The parameters to be split, with the lengths of the tuples."""
    places = _eligible(program)
    while places:
        lengths = _passed(program, places)
        changed = _rewritten(program, lengths)
        bad = {
            place
            for place in lengths
            if _made(changed[place.function], lengths, place) not in splittable(without_copies(changed[place.function]))
        }
        if not bad:
            return lengths
        places = lengths.keys() - bad
    return {}


def _eligible(program: Program) -> set[_Place]:
    """Parameters of functions that nothing but calls of known arguments enters."""
    made = {op.attr.name for f in program.functions for op in f.operations() if isinstance(op.attr, FunctionAttr)}
    found = set()
    for function in program.functions:
        signature = function.signature
        plain = not (signature.varargs or signature.varkw or signature.kwonly or function.free)
        targets = {edge.target for block in function.blocks for edge in block.terminator.edges}
        if function.name in {program.entry, *made} or not plain or function.kind != "function":
            continue
        if 0 not in targets and function.entry.handler is None and not function.entry.region:
            found |= {_Place(function.name, at) for at in range(len(signature.names))}
    return found


def _passed(program: Program, places: set[_Place]) -> dict[_Place, int]:
    """Those of the places that get tuples of one length at each call: optimistic, then those that do not hold go."""
    while True:
        lengths: dict[_Place, int] = {}
        size = -1
        while size != len(lengths):
            size = len(lengths)
            for place, found in _arguments(program, places, lengths):
                if found:
                    lengths.setdefault(place, found)
        bad = {place for place, found in _arguments(program, places, lengths) if lengths.get(place) != found}
        if not bad:
            return lengths
        places = lengths.keys() - bad


def _arguments(program: Program, places: set[_Place], lengths: Mapping[_Place, int]) -> list[tuple[_Place, int | None]]:
    """For each call and place the length of the tuple that is passed, if it is known."""
    found = []
    for function in program.functions:
        known = _known_lengths(function, lengths)
        for operation in function.operations():
            if operation.name == "invoke":
                for at, value in enumerate(operation.args):
                    place = _Place(str(operation.attr), at)
                    if place in places:
                        found.append((place, known.get(value)))
    return found


def _known_lengths(function: Function, lengths: Mapping[_Place, int]) -> dict[Value, int]:
    """The lengths of the exact tuples of a function, its own parameters included."""
    known = {
        function.entry.params[place.position]: length
        for place, length in lengths.items()
        if place.function == function.name
    }
    for operation in function.operations():
        attr = operation.attr
        if operation.name == "tuple" and operation.args and not any(_stars(operation)):
            known[operation.results[0]] = len(operation.args)
        elif operation.name == "const" and isinstance(attr, Constant) and type(attr.value) is tuple and attr.value:
            known[operation.results[0]] = len(attr.value)
    same: dict[Value, Value] = {}
    for operation in function.operations():
        if operation.name == "copy":
            same.update(zip(operation.results, operation.args))

    def original(value: Value) -> Value:
        while value in same:
            value = same[value]
        return value

    brought = {
        param: [(block, original(value)) for block, value in sources]
        for param, sources in arguments_of_parameters(function).items()
    }
    agreed_lengths(known, brought, given_parameters(function))
    known.update({copy: known[original(copy)] for copy in same if original(copy) in known})
    return known


def _stars(operation: Operation) -> tuple[bool, ...]:
    attr: Any = operation.attr
    return tuple(attr or ())


def _made(function: Function, lengths: Mapping[_Place, int], place: _Place) -> Value:
    """The tuple that a rewritten function makes of the items for a place."""
    own = sorted(other.position for other in lengths if other.function == place.function)
    return function.entry.ops[own.index(place.position)].results[0]


def _rewritten(program: Program, lengths: Mapping[_Place, int]) -> Program:
    """The program whose functions get items at these places."""
    functions = [_Rewriting(function, lengths).function() for function in program.functions]
    return Program(program.entry, tuple(functions))


class _Rewriting:
    """One function: its own parameters, and the calls in it."""

    def __init__(self, source: Function, lengths: Mapping[_Place, int]) -> None:
        self.source: Final = source
        self.lengths: Final = lengths
        self.hints: Final = list(source.hints)
        self.types: Final = list(source.types)
        ids = [operation.id for operation in source.operations()] + [block.terminator.id for block in source.blocks]
        self.next_id = 1 + max(ids)
        self.shown: Final = {
            operation.results[0]: operation.args
            for operation in source.operations()
            if operation.name == "tuple" and not any(_stars(operation))
        }

    def function(self) -> Function:
        source = self.source
        blocks = [block._replace(ops=tuple(self._calls(block))) for block in source.blocks]
        signature = source.signature
        own = {at: self.lengths.get(_Place(source.name, at)) for at in range(len(signature.names))}
        if any(own.values()):
            names = [name for at, name in enumerate(signature.names) for name in self._names(name, own[at])]
            signature = signature._replace(posonly=(), regular=tuple(names))
            blocks[0] = self._entry(blocks[0], own)
        return replace(
            source, signature=signature, blocks=tuple(blocks), hints=tuple(self.hints), types=tuple(self.types)
        )

    def _names(self, name: str, length: int | None) -> list[str]:
        if length is None:
            return [name]
        taken = set(self.source.signature.names)
        base = name
        while any(f"{base}_{at}" in taken for at in range(length)):
            base += "_"
        return [f"{base}_{at}" for at in range(length)]

    def _entry(self, block: Block, own: Mapping[int, int | None]) -> Block:
        """The entry makes the tuples again."""
        params: list[Value] = []
        made: list[Operation] = []
        for at, param in enumerate(block.params):
            length = own.get(at)
            if length is None:
                params.append(param)
                continue
            items = [self._value(name) for name in self._names(self.source.signature.names[at], length)]
            params += items
            made.append(self._operation("tuple", tuple(items), None, (param,)))
        return block._replace(params=tuple(params), ops=(*made, *block.ops))

    def _calls(self, block: Block) -> list[Operation]:
        ops: list[Operation] = []
        for operation in block.ops:
            if operation.name == "invoke":
                args: list[Value] = []
                for at, value in enumerate(operation.args):
                    length = self.lengths.get(_Place(str(operation.attr), at))
                    if length is None:
                        args.append(value)
                        continue
                    items = self.shown.get(value, ())
                    if not items:
                        items = tuple([self._value(None) for _ in range(length)])
                        taken = self._operation("unpack", (value,), (length, False, 0), items)
                        ops.append(taken._replace(span=operation.span))
                    args += items
                operation = operation._replace(args=tuple(args))
            ops.append(operation)
        return ops

    def _value(self, hint: str | None) -> Value:
        self.hints.append(hint)
        self.types.append("object")
        return len(self.hints) - 1

    def _operation(self, name: str, args: tuple[Value, ...], attr: object, results: tuple[Value, ...]) -> Operation:
        self.next_id += 1
        return Operation(self.next_id - 1, OPERATORS[name], args, attr, results, self.source.span)
