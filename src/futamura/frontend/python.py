"""The entry of the front end: a Python function in, an IR program out.

    lower(f).program        the function and those nested in it
    lower(f).function       the plain function object that was found in f (a method, a wrapper ...)

The way of the data: `locate` finds and checks the tree, `scopes` resolves names, `refusals` says no, the
modules registered in `draft` lower expressions and statements, `variables` and `ssa` make values of variables.

Invariant: what comes out passed the verifier; what cannot be lowered exactly raised `UnsupportedError`.
"""

from __future__ import annotations

import ast
import sys
import threading
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CellType, CodeType
from typing import Any, Final, TypeVar

from futamura.frontend import conditions, expressions, patterns, protection, statements, targets
from futamura.frontend.collector import collector_paused
from futamura.frontend.comprehensions import generator_body
from futamura.frontend.definitions import docstring
from futamura.frontend.draft import Draft, Nested, Unit
from futamura.frontend.locate import Located, locate
from futamura.frontend.refusals import refuse_unsupported
from futamura.frontend.scopes import FUNCTIONS, Scope, analyze, mangle
from futamura.frontend.ssa import Construction, span_of
from futamura.frontend.statements import leave
from futamura.frontend.variables import cell_variables, order_blocks
from futamura.ir.build import FunctionBuilder
from futamura.ir.graph import Function, Program, Signature
from futamura.ir.immediates import closure_of, free_names

__all__ = ["LoweredFunction", "collector_paused", "lower"]

DEEP_STACK: Final = 512 << 20
"""Bytes of stack for functions whose expressions nest deeper than the ordinary limit; only touched pages count."""

DEEP_LIMIT: Final = 200_000
"""The recursion limit there: about as many frames as such a stack can hold."""

LOWERINGS: Final = (conditions, expressions, patterns, protection, statements, targets)
"""Imported because they register how nodes are lowered."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class LoweredFunction:
    """A program and where it came from."""

    program: Program
    function: Any  # a FunctionType; declared as one, it would be taken for a method
    """The function whose code was lowered: what remains of the target without methods and wrappers."""
    globals: dict[str, Any]
    closure: tuple[CellType, ...]
    """The cells of the entry's free names, in the order of `program.main.free`."""
    file: str
    future_annotations: bool


@dataclass(frozen=True, slots=True)
class _Lowering:
    """What was made of a tree: good for the same code object in the same module, as long as no name that it uses means
    something that is refused."""

    code: CodeType
    module: str
    stringized: bool
    check: bool
    unit: Unit
    scope: Scope
    program: Program


def lower(target: object, *, check: bool = True) -> LoweredFunction:
    """Lower a function object to IR.

    `target` may be a function, lambda, method, static or class method, property, or a wrapper that
    `functools.wraps` made.  `check=False` leaves the verifier out.  Raises `UnsupportedError`.
    """
    located = locate(target)
    function = located.function
    with collector_paused():
        try:
            program = _program(located, check)
        except RecursionError:
            program = _deeply(lambda: _program(located, check))
    return LoweredFunction(
        program, function, function.__globals__, closure_of(function), located.file, located.stringized
    )


def _deeply(work: Callable[[], Result]) -> Result:
    """Run `work` where recursion may go deep: in a thread with a big stack."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    limit = sys.getrecursionlimit()
    size = threading.stack_size(DEEP_STACK)
    try:
        sys.setrecursionlimit(max(limit, DEEP_LIMIT))
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    if errors:
        raise errors[0]
    return results[0]


def _namespace(function: Any) -> Mapping[str, object]:
    return ChainMap(function.__globals__, function.__builtins__)


def _program(located: Located, check: bool) -> Program:
    function, node = located.function, located.node
    code = function.__code__
    module = function.__globals__.get("__name__")
    module = module if isinstance(module, str) else ""
    free = free_names(code)
    known = located.made.get(node)
    if isinstance(known, _Lowering) and known.code is code:
        if (known.module, known.stringized, known.check) == (module, located.stringized, check):
            refuse_unsupported(known.unit, known.scope, _namespace(function), free)
            return known.program
    unit = Unit(
        file=located.file,
        lines=located.lines,
        module=module,
        stringized=located.stringized,
        optimize=sys.flags.optimize,
    )
    unit.takes_constants_of(code)
    scope = analyze(node, located.private, free, stringized=located.stringized)
    refuse_unsupported(unit, scope, _namespace(function), free)
    name = unit.unique(code.co_qualname)
    unit.pending.append(Nested(name, code.co_qualname, node, scope, free))
    functions: list[Function] = []
    while unit.pending:
        pending, unit.pending = unit.pending, []
        functions.extend(_lower(unit, nested, check) for nested in pending)
    program = Program(name, tuple(functions))
    located.made[node] = _Lowering(code, module, located.stringized, check, unit, scope, program)
    return program


def _lower(unit: Unit, nested: Nested, check: bool) -> Function:
    """One function; a second time if a name of an except clause turns out to be seen from outside."""
    draft = _draft(unit, nested, frozenset())
    parameters = _signature(nested)
    order = order_blocks(draft)
    cells = cell_variables(order, len(parameters.names))
    guarded = frozenset(clause for clause, variable in draft.clauses.items() if cells >> variable & 1)
    if guarded:
        draft = _draft(unit, nested, guarded)
        order = order_blocks(draft)
        cells = cell_variables(order, len(parameters.names))
    builder = FunctionBuilder(
        nested.name,
        parameters,
        qualname=nested.qualname,
        free=nested.free,
        kind=nested.scope.function_kind,
        doc=docstring(nested.node, unit.optimize),
        module=unit.module,
        file=unit.file,
        span=span_of(nested.node),
    )
    Construction(order, cells, builder, parameters.names).run()
    return builder.finish(check=check)


def _draft(unit: Unit, nested: Nested, guarded: frozenset[ast.AST]) -> Draft:
    node = nested.node
    draft = Draft(unit, nested.scope, nested.qualname, nested.free, guarded)
    if isinstance(node, ast.GeneratorExp):
        generator_body(draft, node)
    elif isinstance(node, ast.Lambda):
        draft.statement = node.body
        leave(draft, "return", draft.value(node.body))
    else:
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        draft.suite(node.body)
        if draft.alive:
            last = node.body[-1]
            draft.statement = last
            leave(draft, "return", draft.constant(None, last))
    return draft


def _signature(nested: Nested) -> Signature:
    node = nested.node
    if isinstance(node, ast.GeneratorExp):
        return Signature(regular=(".0",))
    assert isinstance(node, FUNCTIONS)
    arguments, private = node.args, nested.scope.private

    def names(found: list[ast.arg]) -> tuple[str, ...]:
        return tuple(mangle(private, parameter.arg) for parameter in found)

    return Signature(
        posonly=names(arguments.posonlyargs),
        regular=names(arguments.args),
        varargs=None if arguments.vararg is None else mangle(private, arguments.vararg.arg),
        kwonly=names(arguments.kwonlyargs),
        varkw=None if arguments.kwarg is None else mangle(private, arguments.kwarg.arg),
    )
