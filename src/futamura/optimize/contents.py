"""What is promised of the items of an input list makes code shorter: loads become one unpacking, `+=` an expression.

    b is promised to be list[float] of length 2                 x0, x1 = b
    v1 = getitem b, 0; v2 = mul 0.5, v1; v3 = iadd acc, v2  ->  v2 = mul 0.5, x0; v3 = add acc, v2

The promise is tested before the function starts, and only then.  It is used only if nothing in the whole function can
write to a list or call code that is not known: then it holds to the end.  Whether that is so depends on the types that
follow from the promise, so both are found together: types first, then every effect under these types.

The types of the unpacked items stand in the program, for passes that come behind.

Invariant: the changed function does the same for every input that keeps the promises, exceptions and messages included:
an in-place operator becomes a plain one only where it cannot raise TypeError, whose message names the operator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.evaluate import INPLACE
from futamura.ir.facts import ANYTHING, SCALARS
from futamura.ir.graph import OBJECT, Block, Edge, Function, Operation, Program, Terminator, Value
from futamura.ir.ops import OPERATORS

__all__ = ["Contents", "use_contents"]


@dataclass(frozen=True, slots=True)
class Contents:
    """What is promised of a parameter: the name of its exact class; of a list, that of its items, and its length."""

    type: str
    item: str = OBJECT
    length: int | None = None


def use_contents(program: Program, promised: Mapping[str, Contents]) -> Program:
    """The program with an entry function that uses the promises, by parameter."""
    main = program.main
    if not any(one.type == "list" and one.item in SCALARS for one in promised.values()):
        return program
    if main.kind != "function" or any(len(block.ops) and block.region for block in main.blocks):
        return program
    inference = _Inference(main, promised)
    if not inference.run():
        return program
    changed = _Change(main, inference).function()
    functions = tuple(changed if function is main else function for function in program.functions)
    return replace(program, functions=functions)


@dataclass(slots=True)
class _Inference:
    """Exact types of all values, from the promises forward; None as long as nothing reaches a value."""

    function: Function
    promised: Mapping[str, Contents]
    types: dict[Value, str] = field(default_factory=dict)
    lists: dict[Value, Contents] = field(default_factory=dict)
    iterators: dict[Value, Contents] = field(default_factory=dict)
    constants: dict[Value, Constant] = field(default_factory=dict)
    fresh: set[Value] = field(default_factory=set)
    """Lists, sets and dicts that the function makes itself."""
    _late: bool = False
    """Was something found of a value behind the place where it was used?"""

    def run(self) -> bool:
        """Infer; can the promises be believed to the end?"""
        function = self.function
        names = function.signature.names
        for name, value in zip(names, function.entry.params):
            given = self.promised.get(name, Contents(OBJECT))
            self.types[value] = given.type
            if given.type == "list" and given.item in SCALARS:
                self.lists[value] = given
        for value in function.entry.params[len(names) :]:
            self.types[value] = OBJECT
        for operation in function.operations():
            if operation.name == "const" and isinstance(operation.attr, Constant):
                self.constants[operation.results[0]] = operation.attr
            elif operation.name in ("list", "set", "dict"):
                self.fresh.add(operation.results[0])
            elif operation.name == "iter" and operation.args[0] in self.lists:
                self.iterators[operation.results[0]] = self.lists[operation.args[0]]
        self._solve()
        return all(self._harmless(operation) for operation in function.operations()) and all(
            self._quiet(block.terminator) for block in function.blocks
        )

    def _solve(self) -> None:
        """Types of all values.  Once is enough if every value is found before it is used."""
        for block in self.function.blocks:
            self._block(block)
        changed = self._late
        while changed:
            changed = False
            for block in self.function.blocks:
                changed = self._block(block) or changed

    def types_of(self, values: tuple[Value, ...]) -> tuple[str, ...]:
        get = self.types.get
        return tuple([get(value, OBJECT) for value in values])

    def _block(self, block: Block) -> bool:
        changed = False
        types = self.types
        for operation in block.ops:
            if not all(map(types.__contains__, operation.args)):
                self._late = True
                continue
            result = self._result(operation)
            for value in operation.results:
                changed = self._raise(value, result) or changed
        end = block.terminator
        for at, edge in enumerate(end.edges):
            item = self.iterators[end.args[0]].item if end.name == "next" and end.args[0] in self.iterators else OBJECT
            passed = self._pass(edge, item if end.name == "next" and at == 0 else None)
            changed = passed or changed
            self._late = self._late or (passed and edge.target <= block.id)
        if block.handler is not None:
            passed = self._pass(block.handler, OBJECT)
            changed = passed or changed
            self._late = self._late or (passed and block.handler.target <= block.id)
        return changed

    def _result(self, operation: Operation) -> str:
        types = self.types_of(operation.args)
        if operation.name == "getitem" and operation.args[0] in self.lists and types[1] in ("int", "bool"):
            return self.lists[operation.args[0]].item
        return operation.operator.result_type(types, operation.attr)

    def _pass(self, edge: Edge, implicit: str | None) -> bool:
        params = self.function.blocks[edge.target].params
        given = self.types
        found = [] if implicit is None else [implicit]
        arriving = [*found, *(given.get(arg) for arg in edge.args)]
        changed = False
        for param, kind in zip(params, arriving):
            if kind is None:
                self._late = True
            else:
                changed = self._raise(param, kind) or changed
        return changed

    def _raise(self, value: Value, kind: str) -> bool:
        old = self.types.get(value)
        new = kind if old is None or old == kind else OBJECT
        self.types[value] = new
        return new != old

    def _harmless(self, operation: Operation) -> bool:
        """Can it neither write to a list that was there before, nor run code that is not known?"""
        if operation.name in ("list_append", "set_add", "dict_put") and operation.args[0] in self.fresh:
            return operation.name == "list_append"
        effects = operation.operator.effects(self.types_of(operation.args), operation.attr)
        return not (effects.calls or effects.writes or effects.suspends)

    def _quiet(self, end: Terminator) -> bool:
        if end.name == "next":
            return end.args[0] in self.iterators
        return end.name in ("jump", "branch", "switch", "return", "unreachable")


class _Change:
    """The function under the types that were found."""

    def __init__(self, function: Function, inference: _Inference) -> None:
        self.old: Final = function
        self.inference: Final = inference
        self.hints: Final = list(function.hints)
        self.types: Final = list(function.types)
        self.replaced: Final[dict[Value, Value]] = {}
        self.first: Final[list[Operation]] = []
        self.next_id = 1 + max(
            [operation.id for operation in function.operations()] + [block.terminator.id for block in function.blocks]
        )

    def function(self) -> Function:
        for value, contents in self.inference.lists.items():
            if contents.length is not None:
                self._unpack(value, contents.length)
        blocks = [self._block(block) for block in self.old.blocks]
        entry = blocks[0]
        blocks[0] = entry._replace(ops=(*self.first, *entry.ops))
        return replace(self.old, blocks=tuple(blocks), hints=tuple(self.hints), types=tuple(self.types))

    def _unpack(self, value: Value, length: int) -> None:
        """All items at once, if most of them are loaded at known places."""
        loads: dict[Value, int] = {}
        for operation in self.old.operations():
            if operation.name == "getitem" and operation.args[0] == value:
                place = self.inference.constants.get(operation.args[1])
                if place is not None and type(place.value) is int and -length <= place.value < length:
                    loads[operation.results[0]] = place.value % length
        if len(set(loads.values())) * 3 < length * 2:
            return
        items = tuple(range(len(self.hints), len(self.hints) + length))
        base = self.old.hints[value] or "item"
        self.hints.extend(f"{base}{place}" for place in range(length))
        self.types.extend([self.inference.lists[value].item] * length)
        self.first.append(Operation(self.next_id, OPERATORS["unpack"], (value,), (length, False, 0), items))
        self.next_id += 1
        self.replaced.update({result: items[place] for result, place in loads.items()})

    def _block(self, block: Block) -> Block:
        ops = [
            self._operation(operation)
            for operation in block.ops
            if not (operation.results and operation.results[0] in self.replaced)
        ]
        end = block.terminator
        edges = tuple(edge._replace(args=self._renamed(edge.args)) for edge in end.edges)
        handler = block.handler
        return block._replace(
            ops=tuple(ops),
            terminator=end._replace(args=self._renamed(end.args), edges=edges),
            handler=None if handler is None else handler._replace(args=self._renamed(handler.args)),
        )

    def _operation(self, operation: Operation) -> Operation:
        types = self.inference.types_of(operation.args)
        changed = operation._replace(args=self._renamed(operation.args))
        if operation.name in INPLACE and types[0] in SCALARS:
            raises = operation.operator.raises(types, operation.attr)
            if raises != ANYTHING and TypeError not in raises:
                return changed._replace(operator=OPERATORS[operation.name[1:]])
        return changed

    def _renamed(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(self.replaced.get(value, value) for value in values)
