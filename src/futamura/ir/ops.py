"""THE table of operators: one row per operator, and one per terminator.

A row says what an operator is called, what it takes and gives, what it may do to the world and how it
is evaluated on concrete values.  The interpreter, the folder, the specializer and the printer ask the
row's columns, never its name.  To add an operator: one row here and one case in `tests/cases/operators`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from futamura.ir import attributes as form
from futamura.ir.attributes import Form
from futamura.ir.evaluate import BINARY, COMPARE, EVALUATE, INPLACE, UNARY, Evaluate
from futamura.ir.facts import FACTS, Effects, Fact, Facts, unknown
from futamura.ir.laws import LAWS, NO_LAWS, Laws, fold_cost

__all__ = ["OPERATORS", "SUSPENDING", "TERMINATORS", "Operator", "TerminatorKind"]


class Operator:
    """One row of the table.  Rows are compared by identity; `OPERATORS[name]` is the only instance."""

    __slots__ = ("arity", "evaluate", "facts", "form", "laws", "name", "results", "silent")

    def __init__(
        self, name: str, arity: int, results: int = 1, form: Form = form.nothing, *, silent: bool = False
    ) -> None:
        self.name: Final = name
        self.arity: Final = arity
        """Number of arguments; -1 where the attribute decides."""
        self.results: Final = results
        """Number of results; -1 where the attribute decides."""
        self.form: Final = form
        """What the attribute must look like."""
        self.silent: Final = silent
        """It never raises, whatever the operands' types."""
        self.evaluate: Final[Evaluate | None] = EVALUATE.get(name)
        """The operation on concrete values: the result, or a sequence of them where there is not exactly one.

        None for the operators that need a frame."""
        self.facts: Final[Facts] = FACTS.get(name, unknown)
        """All that the operands' exact types say: result, exceptions, effects, may it be folded."""
        self.laws: Final[Laws] = LAWS.get(name, NO_LAWS)
        """Algebraic laws, with the types under which they hold."""

    def fact(self, types: tuple[str, ...], attr: object = None) -> Fact:
        return self.facts(types, attr)

    def effects(self, types: tuple[str, ...], attr: object = None) -> Effects:
        return self.facts(types, attr).effects

    def raises(self, types: tuple[str, ...], attr: object = None) -> frozenset[type[BaseException]]:
        """The exact classes of the exceptions that may come out; `facts.ANYTHING` says nothing."""
        return self.facts(types, attr).raises

    def result_type(self, types: tuple[str, ...], attr: object = None) -> str:
        """The exact type of the result (of each result, where there are several), or "object"."""
        return self.facts(types, attr).result

    def foldable(self, types: tuple[str, ...], attr: object = None) -> bool:
        """May it be executed before the program runs?  It has no effect and its result depends on nothing else."""
        return self.facts(types, attr).foldable

    def fold_cost(self, args: Sequence[object], attr: object = None) -> int:
        """About how many bytes the result takes, found without making it."""
        return fold_cost(self.name, args, attr)

    def __repr__(self) -> str:
        return f"Operator({self.name})"

    def __reduce__(self) -> str | tuple[object, ...]:
        return (_operator, (self.name,))


def _operator(name: str) -> Operator:
    return OPERATORS[name]


class TerminatorKind(NamedTuple):
    """One row of the table of terminators; `edges` is -1 where the attribute decides."""

    name: str
    arity: int
    edges: int


_ROWS: Final = (
    Operator("const", 0, 1, form.constant, silent=True),  # attr Constant
    Operator("copy", -1, -1, form.parallel, silent=True),  # parallel: as many results as arguments
    *(Operator(name, 2, silent=name in ("is", "is_not")) for name in (*BINARY, *INPLACE, *COMPARE)),
    *(Operator(name, 1) for name in UNARY),
    # objects: the arguments stand in the order of evaluation
    Operator("getattr", 1, 1, form.name),  # (object), attr name
    Operator("setattr", 2, 0, form.name),  # (value, object), attr name
    Operator("delattr", 1, 0, form.name),  # (object), attr name
    Operator("getitem", 2),  # (object, index)
    Operator("setitem", 3, 0),  # (value, object, index)
    Operator("delitem", 2, 0),  # (object, index)
    Operator("slice", 3, silent=True),  # (start, stop, step)
    # displays
    Operator("tuple", -1, 1, form.items),  # (items...), attr None | tuple[bool]: which are starred
    Operator("list", -1, 1, form.items),
    Operator("set", -1, 1, form.items),
    Operator("dict", -1, 1, form.entries),  # (key, value, ...), attr None | tuple[bool]: a ** mapping
    Operator("list_append", 2, 0, silent=True),  # (list, item), comprehensions only
    Operator("set_add", 2, 0),  # (set, item)
    Operator("dict_put", 3, 0),  # (dict, key, value)
    Operator("unpack", 1, -1, form.unpacking),  # (iterable), attr (before, starred, after)
    Operator("format", -1, 1, form.conversion),  # (value[, spec]), attr conversion "" | "s" | "r" | "a"
    Operator("string", -1, silent=True),  # (parts...), exact strings, joined
    # calls and iterators
    Operator("call", -1, 1, form.marks),  # (function, arguments...), attr None | tuple of "" | "*" | "**" | keyword
    Operator("invoke", -1, 1, form.name),  # (arguments...), attr name: a function of the program, called directly
    Operator("super", 3),  # (super, class cell, first argument): super() without arguments
    Operator("iter", 1),
    # variables
    Operator("global_get", 0, 1, form.binding),  # attr (module, name)
    Operator("global_set", 1, 0, form.binding),
    Operator("global_del", 0, 0, form.binding),
    Operator("import", 0, 1, form.module),  # attr (name, None | tuple of names, level)
    Operator("import_from", 1, 1, form.name),  # (module), attr name
    Operator("cell", -1, 1, form.new_cell, silent=True),  # () | (value), attr name
    Operator("cell_get", 1, 1, form.variable),  # (cell), attr (name, "local" | "free")
    Operator("cell_set", 2, 0, form.name, silent=True),  # (value, cell), attr name
    Operator("cell_del", 1, 0, form.variable),  # (cell), attr (name, "local" | "free")
    # definitions
    Operator("function", -1, 1, form.function),  # (defaults..., kwdefaults..., annotations..., cells...)
    Operator("class", -1, 1, form.definition),  # (cells...), attr ClassAttr: one class statement, as source
    # suspension
    Operator("yield", 1),
    Operator("yield_from", 1),
    Operator("await", 1),
    Operator("aiter", 1),  # (iterable): `__aiter__`, as `async for` calls it
    Operator("anext", 1),  # (iterator): awaits `__anext__`
    # match, except and with
    Operator("match_sequence", 1, silent=True),  # (subject) -> bool
    Operator("match_mapping", 1, silent=True),  # (subject) -> bool
    Operator("match_class", 2, -1, form.pattern),  # (subject, class), attr (positional count, names) -> bool, values...
    Operator("exc_match", 2),  # (exception, class) -> bool
    # of `async with`, with attr "async": what the methods give is awaited
    Operator("with_enter", 1, 2, form.waiting),  # (manager) -> exit, value
    Operator("with_exit", 1, 0, form.waiting),  # (exit): exit(None, None, None)
    Operator("with_unwind", 2, 1, form.waiting),  # (exit, exception) -> what exit(type, exception, traceback) returned
    # the flow-graph and the functional language: lists are exact tuples, anything else raises a ListError
    Operator("car", 1),
    Operator("cdr", 1),
    Operator("cons", 2),  # (item, list)
    Operator("null", 1),  # (list) -> bool
    Operator("show", 1, 0),  # (value): write one line
)

OPERATORS: Final[dict[str, Operator]] = {row.name: row for row in _ROWS}
SUSPENDING: Final = {"yield": "generator", "yield_from": "generator", "await": "coroutine", "anext": "coroutine"}
"""What suspends a function, and the kind of function that it occurs in.  So do, in coroutines, the operators of `with`
with the attribute of `async with`, and an `invoke` of a coroutine."""

TERMINATORS: Final[dict[str, TerminatorKind]] = {
    kind.name: kind
    for kind in (
        TerminatorKind("jump", 0, 1),
        TerminatorKind("branch", 1, 2),  # (bool)              edges (then, else)
        TerminatorKind("switch", 1, -1),  # (value)             attr tuple[Constant]; edges (cases..., default)
        TerminatorKind("next", 1, 2),  # (iterator)          edges (body with item, exhausted)
        TerminatorKind("return", 1, 0),  # (value)
        TerminatorKind("raise", -1, 0),  # () | (exception) | (exception, cause)
        TerminatorKind("reraise", 1, 0),  # (exception)         goes on propagating, unchanged
        TerminatorKind("guard", 1, 1),  # (bool)              attr FrameState
        TerminatorKind("unreachable", 0, 0),
    )
}
