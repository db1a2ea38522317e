"""What is promised of the items of an input list makes code shorter: loads become one unpacking, `+=` an expression.

    b is promised to be list[float] of length 2                 x0, x1 = b
    v1 = getitem b, 0; v2 = mul 0.5, v1; v3 = iadd acc, v2  ->  v2 = mul 0.5, x0; v3 = add acc, v2

The promise is tested before the function starts, and only then.  It is used only if nothing in the whole function can
write to a list or call code that is not known: then it holds to the end.  Whether that is so depends on the types that
follow from the promise, so both are found together: facts under the promise first, then every effect by these facts.

The types of the unpacked items stand in the program, for passes that come behind.

Invariant: the changed function does the same for every input that keeps the promises, exceptions and messages included:
an in-place operator becomes a plain one only where it cannot raise TypeError, whose message names the operator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from futamura.ir.constant import Constant
from futamura.ir.evaluate import INPLACE
from futamura.ir.facts import ANYTHING, SCALARS
from futamura.ir.graph import OBJECT, Block, Function, Operation, Program, Value
from futamura.ir.liveness import end_uses
from futamura.ir.ops import OPERATORS
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference, Items, Known
from futamura.optimize.shapes import NOTHING, of_type

__all__ = ["Contents", "use_contents"]


@dataclass(frozen=True, slots=True)
class Contents:
    """What is promised of a parameter: the name of its exact class; of a list, that of its items, and its length."""

    type: str
    item: str = OBJECT
    length: int | None = None


def use_contents(program: Program, promised: Mapping[str, Contents], known: Known | None = None) -> Program:
    """The program with an entry function that uses the promises, by parameter.

    `known` are the global names of which the program assumes what they are bound to, by module.
    """
    main = program.main
    if not any(_says_more(one) for one in promised.values()):
        return program
    if main.kind != "function" or not FlowGraph.takes(main) or any(
        len(block.ops) and block.region for block in main.blocks
    ):  # fmt: skip
        return program
    params = dict(zip(main.signature.names, main.entry.params))
    given = {params[name]: of_type(one.type) for name, one in promised.items() if name in params}
    lists = {
        params[name]: Items(of_type(one.item), one.length)
        for name, one in promised.items()
        if name in params and _says_more(one)
    }
    facts = Inference(FlowGraph(main), given, known, lists)
    if not _stays(facts):
        return program
    changed = _Change(main, facts).function()
    functions = tuple(changed if function is main else function for function in program.functions)
    return replace(program, functions=functions)


def _says_more(contents: Contents) -> bool:
    return contents.type == "list" and contents.item in SCALARS


def _stays(facts: Inference) -> bool:
    """Can nothing here write to a list that was there before, or run code that is not known?"""
    for at in facts.reached:
        node = facts.graph.node(at)
        if node.end.name not in _QUIET or facts.steps_unknown_code(node):
            return False
        if not all(_is_harmless(operation, facts) for operation in node.ops):
            return False
    return True


_QUIET: Final = frozenset({"jump", "branch", "switch", "next", "return", "unreachable"})
_NEW_LISTS: Final = frozenset({"list", "mul", "add"})
"""Operations whose result, if it is exactly a list, is a new one."""


def _is_harmless(operation: Operation, facts: Inference) -> bool:
    effects = facts.fact(operation).effects
    if effects.calls or effects.suspends or "any" in effects.writes:
        return False
    return "item" not in effects.writes or _writes_to_new_list(operation, facts)


def _writes_to_new_list(operation: Operation, facts: Inference) -> bool:
    if operation.name == "list_append":
        owner = operation.args[0]
    elif operation.name == "setitem":
        owner = operation.args[1]
    elif operation.name == "call" and (method := facts.definitions.get(operation.args[0])) and method.name == "getattr":
        owner = method.args[0]
    else:
        return False
    made = facts.definitions.get(owner)
    return made is not None and made.name in _NEW_LISTS and facts.shapes[owner].type == "list"


class _Change:
    """The function under the types that were found."""

    def __init__(self, function: Function, facts: Inference) -> None:
        self.old: Final = function
        self.facts: Final = facts
        self.hints: Final = list(function.hints)
        self.types: Final = list(function.types)
        self.replaced: Final[dict[Value, Value]] = {}
        self.users: Final = _users(function)
        self.plain: Final[set[Value]] = set()
        """What operators that were in place give now."""
        self.first: Final[list[Operation]] = []
        self.next_id = 1 + max(
            [operation.id for operation in function.operations()] + [block.terminator.id for block in function.blocks]
        )

    def function(self) -> Function:
        for value, items in self.facts.promised.items():
            if items.length is not None:
                self._unpack(value, items.length)
        for operation in self.old.operations():
            if operation.name == "getitem" and operation.args[0] in self.facts.promised:
                (result,) = operation.results
                self.types[result] = self.facts.shapes.get(result, NOTHING).type
        blocks = [self._block(block) for block in self.old.blocks]
        entry = blocks[0]
        blocks[0] = entry._replace(ops=(*self.first, *entry.ops))
        return replace(self.old, blocks=tuple(blocks), hints=tuple(self.hints), types=tuple(self.types))

    def _unpack(self, value: Value, length: int) -> None:
        """All items at once, if most of them are loaded at known places."""
        loads: dict[Value, int] = {}
        for operation in self.old.operations():
            if operation.name == "getitem" and operation.args[0] == value:
                made = self.facts.definitions.get(operation.args[1])
                place = made.attr if made is not None and made.name == "const" else None
                if isinstance(place, Constant) and type(place.value) is int and -length <= place.value < length:
                    loads[operation.results[0]] = place.value % length
        if len(set(loads.values())) * 3 < length * 2:
            return
        items = tuple(range(len(self.hints), len(self.hints) + length))
        base = self.old.hints[value] or "item"
        self.hints.extend(f"{base}{place}" for place in range(length))
        self.types.extend([self.facts.promised[value].shape.type] * length)
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
        types = tuple([shape.type for shape in self.facts.operands.get(operation.id, ())])
        changed = operation._replace(args=self._renamed(operation.args))
        if operation.name in INPLACE and types and types[0] in SCALARS and self._is_part(operation):
            raises = operation.operator.raises(types, operation.attr)
            if raises != ANYTHING and TypeError not in raises:
                self.plain.update(operation.results)
                return changed._replace(operator=OPERATORS[operation.name[1:]])
        return changed

    def _is_part(self, operation: Operation) -> bool:
        """Does an expression come of it, and not the update of a variable or of an item?"""
        if operation.args[0] in self.plain:
            return True
        (result,) = operation.results
        user = self.users.get(result)
        if user is None or user.name != "setitem" or user.args[0] != result:
            return user is not None
        load = self.facts.definitions.get(operation.args[0])
        return load is None or load.name != "getitem" or load.args != user.args[1:]

    def _renamed(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple(self.replaced.get(value, value) for value in values)


def _users(function: Function) -> dict[Value, Operation]:
    """The operations that use a value that is used nowhere else."""
    uses: Counter[Value] = Counter()
    found: dict[Value, Operation] = {}
    for block in function.blocks:
        for operation in block.ops:
            uses.update(operation.args)
            found.update(dict.fromkeys(operation.args, operation))
        uses.update(end_uses(block.terminator))
        if block.handler is not None:
            uses.update(block.handler.args)
    return {value: user for value, user in found.items() if uses[value] == 1}
