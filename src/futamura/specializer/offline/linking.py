"""A Python function and the functions that it calls as one program, and its offline specialization.

    def find(n, names, values): ...              v1 = global_get find; v2 = call v1, a, b, c
        return find(n, names[1:], values[1:])    ->    v2 = invoke find, a, b, c

A global that holds a function, a class, a module or an immutable value is that value, as long as the assumption holds
that it is bound to it.  A call of a Python function by position, with as many arguments as it has parameters, becomes
an `invoke`; binding-time analysis and the specializer then see all functions at once.

Invariant: each binding that is used is recorded as an assumption, and so is the code of each function that is linked.
"""

from __future__ import annotations

import builtins
import inspect
import types
from collections.abc import Mapping
from typing import Any, Final

from futamura.errors import UnsupportedError
from futamura.ir.constant import Constant
from futamura.ir.graph import Block, Function, Operation, Program, Value
from futamura.ir.ops import OPERATORS
from futamura.specializer.aliasing import apart
from futamura.specializer.assumption import Assumption
from futamura.specializer.module_texts import Modules
from futamura.specializer.offline.offline import OfflineOptions, OfflineOutcome, specialize_offline
from futamura.specializer.offline.parameters import split_program
from futamura.specializer.online import Open, Outcome
from futamura.specializer.policy import Event
from futamura.specializer.purity import MISSING, deep
from futamura.specializer.sourced import Lower
from futamura.specializer.world import World

__all__ = ["Linked", "link", "specialize_function_offline"]

_NAMED: Final = (types.FunctionType, types.BuiltinFunctionType, type, types.ModuleType)
"""What keeps its global name in residual code."""

_STARS: Final = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_SUSPENDS: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Linked:
    """The program, the globals of its functions, and the globals that it takes for constants."""

    def __init__(self, function: types.FunctionType, lower: Lower, world: World) -> None:
        self.world: Final = world
        self._lower: Final = lower
        self._names: Final[dict[types.FunctionType, str]] = {}
        self._functions: Final[dict[str, Function]] = {}
        self._work: Final[list[tuple[str, Mapping[str, object]]]] = []
        self._home: Final = function.__globals__
        self.bindings: Final[dict[int, tuple[object, str, str]]] = {}
        """By identity the value, module and name of each global that became a constant."""
        self._add(function)
        done: dict[str, Function] = {}
        while self._work:
            name, namespace = self._work.pop(0)
            done[name] = self._linked(self._functions[name], namespace)
        ordered = [done.get(name, found) for name, found in self._functions.items()]
        self.program: Final = split_program(Program(self._names[function], tuple(ordered)))

    def _add(self, function: types.FunctionType) -> str | None:
        """The name of a Python function in the program; None if it cannot be part of it."""
        if function in self._names:
            return None if _defines_here(self._functions[self._names[function]]) else self._names[function]
        self.world.enter(function)  # nothing was read yet
        try:
            program, main, namespace, _ = self._lower(function)
        except UnsupportedError:
            if not self._names:
                raise
            return None
        if any(other.name in self._functions for other in program.functions):
            return None
        if self._names and (_defines(program) or self._needs_its_module(program.main, namespace)):
            return None
        self._names[function] = main.name
        for other in program.functions:
            self._functions[other.name] = other
        self._work.append((main.name, namespace))
        return main.name

    def _needs_its_module(self, function: Function, namespace: Mapping[str, object]) -> bool:
        """Does it read or write what has another meaning in the residual's module?"""
        if namespace is self._home:
            return False
        for operation in function.operations():
            if operation.name in ("global_set", "global_del", "import"):
                return True
            if operation.name == "global_get" and self._global(operation, namespace) is None:
                return True
        return False

    def _linked(self, function: Function, namespace: Mapping[str, object]) -> Function:
        known: dict[Value, object] = {}
        blocks = []
        for block in function.blocks:
            ops = [self._operation(operation, namespace, known) for operation in block.ops]
            blocks.append(block._replace(ops=tuple(ops)))
        return _with_blocks(function, tuple(blocks))

    def _operation(
        self, operation: Operation, namespace: Mapping[str, object], known: dict[Value, object]
    ) -> Operation:
        if operation.name == "global_get":
            found = self._global(operation, namespace)
            if found is None:
                return operation
            known[operation.results[0]] = found[0]
            return operation._replace(operator=OPERATORS["const"], attr=Constant(found[0]))
        if operation.name == "call" and operation.attr is None:
            callee = known.get(operation.args[0])
            if type(callee) is types.FunctionType:
                name = self._callee(callee, len(operation.args) - 1)
                if name is not None:
                    return operation._replace(operator=OPERATORS["invoke"], args=operation.args[1:], attr=name)
        return operation

    def _global(self, operation: Operation, namespace: Mapping[str, object]) -> tuple[object] | None:
        attr: Any = operation.attr
        module: str = attr[0]
        name: str = attr[1]
        value = namespace.get(name, getattr(builtins, name, MISSING))
        if not (deep(value) or isinstance(value, _NAMED)) and not self.world.binds(namespace, name):
            return None
        found = self.world.lookup(namespace, module, name)
        if found is not None:
            self.bindings[id(found[0])] = (found[0], module, name)
        return found

    def _callee(self, function: types.FunctionType, count: int) -> str | None:
        code = function.__code__
        plain = not code.co_kwonlyargcount and not code.co_flags & (_STARS | _SUSPENDS)
        if code.co_argcount != count or not plain or code.co_freevars:
            return None
        name = self._add(function)
        if name is None or self._functions[name].kind != "function":
            return None
        place = f"{function.__qualname__}.__code__"
        self.world.assume(Assumption("attribute", place, function, "__code__", code))
        return name

    def named_again(self, program: Program) -> Program:
        """Constants that are functions, classes and modules as the globals that they were."""
        home = program.main.module
        return Program(program.entry, tuple([self._named_again(function, home) for function in program.functions]))

    def _named_again(self, function: Function, home: str) -> Function:
        if len(function.regions) > 1:
            return function  # a global is read with an exception in view, a constant is not
        blocks = []
        for block in function.blocks:
            ops = tuple([self._read(operation, home) for operation in block.ops])
            blocks.append(block._replace(ops=ops))
        return _with_blocks(function, tuple(blocks))

    def _read(self, operation: Operation, home: str) -> Operation:
        if operation.name != "const" or not isinstance(operation.attr, Constant):
            return operation
        found = self.bindings.get(id(operation.attr.value))
        if found is None or not isinstance(found[0], _NAMED) or found[1] != home:
            return operation
        return operation._replace(operator=OPERATORS["global_get"], attr=(found[1], found[2]))


def _defines(program: Program) -> bool:
    return len(program.functions) > 1 or _defines_here(program.main)


def _defines_here(function: Function) -> bool:
    """Are functions or classes made?  Their qualified names have the name of the function around them."""
    return any(operation.name in ("function", "class") for operation in function.operations())


def _reads_unbound(function: Function) -> bool:
    """Is a variable of the function read as a free one, by a comprehension?  Outside of one, the error would differ."""
    own = {operation.results[0] for operation in function.operations() if operation.name == "cell"}
    for operation in function.operations():
        attr: Any = operation.attr
        if operation.name == "cell_get" and operation.args[0] in own and attr[1] == "free":
            return True
    return False


def _makes_shared_variables(function: Function) -> bool:
    """Is a variable that functions share made anew again and again, by a comprehension in a loop?

    Copied and optimized blocks are no comprehension any more, and as a variable all executions would share one.
    """
    captured = {value for op in function.operations() if op.name in ("function", "class") for value in op.args}
    made = [block.id for block in function.blocks for op in block.ops
            if op.name == "cell" and op.results[0] in captured]  # fmt: skip
    return any(_leads_back(function, block) for block in dict.fromkeys(made))


def _leads_back(function: Function, block: int) -> bool:
    work = [block]
    seen: set[int] = set()
    for number in work:  # which grows meanwhile
        source = function.blocks[number]
        for edge in (*source.terminator.edges, *([source.handler] if source.handler is not None else ())):
            if edge.target == block:
                return True
            if edge.target not in seen:
                seen.add(edge.target)
                work.append(edge.target)
    return False


def _with_blocks(function: Function, blocks: tuple[Block, ...]) -> Function:
    return Function(
        function.name, function.qualname, function.signature, function.free, function.kind, blocks, function.regions,
        function.hints, function.types, function.doc, function.module, function.file, function.span,
    )  # fmt: skip


def link(function: types.FunctionType, lower: Lower, world: World) -> Linked:
    """The program of a function and of what it calls.  Raises `UnsupportedError`."""
    return Linked(function, lower, world)


def specialize_function_offline(
    function: types.FunctionType,
    inputs: Mapping[str, object],
    lower: Lower,
    options: OfflineOptions,
    *,
    modules: Modules | None = None,
) -> Outcome:
    """Specialize a Python function as its division says; like `online.specialize_function` otherwise."""
    static = {name: value for name, value in inputs.items() if not isinstance(value, Open)}
    opened = tuple(name for name, value in inputs.items() if isinstance(value, Open))
    world = World(static.values(), modules)
    try:
        linked = link(function, lower, world)
    except UnsupportedError as refused:
        event = Event(refused.diagnostic.code, f"{refused.diagnostic.title}: the original code is used")
        return Outcome(None, opened, events=(event,))
    if linked.program.main.signature.varkw in static:
        reason = "the dict of the other keywords is a new one in each call: the original code is used"
        return Outcome(None, opened, events=(Event("FT301", reason),))
    if linked.program.main.signature.names[:1] and linked.program.main.signature.names[0] in static:
        if any(operation.name == "super" for operation in linked.program.main.operations()):
            reason = "`super()` of a static object: the original code is used"
            return Outcome(None, opened, events=(Event("FT301", reason),))
    if any(_reads_unbound(other) for other in linked.program.functions):
        reason = "a comprehension reads a variable that may have no value: the original code is used"
        return Outcome(None, opened, events=(Event("FT301", reason),))
    found = specialize_offline(linked.program, static, options, world=world)
    if found.program is None:
        return Outcome(None, opened, events=found.events)
    if any(_makes_shared_variables(residual) for residual in found.program.functions):
        reason = "a comprehension in a loop makes functions that share its variable: the original code is used"
        return Outcome(None, opened, events=(*found.events, Event("FT301", reason)))
    program = linked.named_again(found.program)
    return _outcome(function, inputs, opened, program, found, world)


def _outcome(
    function: types.FunctionType,
    inputs: Mapping[str, object],
    opened: tuple[str, ...],
    program: Program,
    found: OfflineOutcome,
    world: World,
) -> Outcome:
    assumptions = tuple(world.assumptions.values())
    home = function.__globals__
    bindings = {entry.name: entry.value for entry in assumptions if entry.kind == "global" and entry.holder is home}
    kinds = {name: value.type for name, value in inputs.items() if isinstance(value, Open)}
    told = apart(program, kinds, world.contents_read(), bindings)
    left = sum(len(block.ops) for residual in program.functions for block in residual.blocks)
    stats: dict[str, Any] = {
        "source_blocks": found.blocks, "versions": len(found.cache), "folded": found.executed, "left": left,
        "restarts": found.restarts,
    }  # fmt: skip
    return Outcome(program, opened, assumptions, found.events, stats, apart=told)
