"""A function while it is lowered: blocks of operations on temporaries, with variables still by name.

    x = a + 1          GET t0 <- a;  t1 = const 1;  t2 = add t0, t1;  SET x <- t2

A draft is what the first stage (statements and expressions) writes and the second (`variables.py`,
`ssa.py`) reads.  An operation is a plain tuple: `(row, arguments, attribute, results, node)` for an
operator's row, `(GET, variable, temporary, flavor, node)` and so on for a variable.  Each block keeps bit
sets of the variables that it reads and writes, so that the analyses never look at operations.

Invariant: a temporary is defined once, and its definition dominates its uses.  Variables (function locals
and, separately for each lowering of it, those of a comprehension) are numbered densely; free variables are
cells from the start, globals are operations.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import CodeType
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from futamura.errors import UnsupportedError, diagnose
from futamura.frontend.scopes import Scope, mangle
from futamura.ir.constant import Constant, whole_key
from futamura.ir.graph import RegionKind
from futamura.ir.ops import OPERATORS, Operator

__all__ = [
    "CELL",
    "CLEAR",
    "DELETE",
    "EXPAND",
    "EXPRESSIONS",
    "FRESH",
    "GET",
    "SET",
    "SETS",
    "STATEMENTS",
    "Cleanup",
    "Context",
    "Draft",
    "DraftBlock",
    "DraftRegion",
    "Loop",
    "Nested",
    "Unit",
    "lowers",
]

GET: Final = 1
"""(GET, variable, temporary, flavor, node): the temporary is the variable's value."""
SET: Final = 2
"""(SET, variable, temporary, is it only a capture of a named thing, node)"""
SETS: Final = 3
"""(SETS, variables, temporaries, None, node): a parallel assignment."""
DELETE: Final = 4
"""(DELETE, variable, None, flavor, node): `del x`."""
CLEAR: Final = 5
"""(CLEAR, variable, None, is it surely bound, node): the end of `except C as x`."""
FRESH: Final = 6
"""(FRESH, variable, None, None, node): a comprehension starts: a new, unbound variable."""

EXPAND: Final = 7
"""(EXPAND, variables, temporary, (row, result), node): the operand of `*` or `**`, made a container of its own
if one of the variables is a cell, otherwise left to the operation that takes it."""

CELL: Final = 8
"""(CELL, variable, temporary, None, node): the temporary is the variable's cell itself."""

_CONST: Final = OPERATORS["const"]
_GLOBAL_GET: Final = OPERATORS["global_get"]
_CELL_GET: Final = OPERATORS["cell_get"]
_CELL_SET: Final = OPERATORS["cell_set"]

Temp: TypeAlias = int
DraftEdge: TypeAlias = "tuple[DraftBlock, tuple[Temp, ...]]"
DraftTerminator: TypeAlias = "tuple[str, tuple[Temp, ...], list[DraftEdge], ast.AST]"


class DraftBlock:
    """A block; `use`, `defs`, `killed`, `writes` are bit sets of variables.

    `use`: read before anything else happened to it.  `defs`: bound at the end by this block.  `killed`: unbound
    at the end by this block.  `writes`: assigned somewhere in it.
    """

    __slots__ = (
        "defs",
        "entered",
        "env_in",
        "env_out",
        "id",
        "killed",
        "live",
        "merges",
        "ops",
        "params",
        "preds",
        "region",
        "terminator",
        "use",
        "values",
        "writes",
    )

    def __init__(self, region: int) -> None:
        self.region = region
        self.params: tuple[Temp, ...] = ()
        self.ops: list[tuple[Any, ...]] = []
        self.terminator: DraftTerminator | None = None
        self.entered = False
        self.use = 0
        self.defs = 0
        self.killed = 0
        self.writes = 0
        # The second stage's:
        self.id = -1
        self.preds: list[DraftBlock] = []
        self.live = 0
        self.merges: list[int] = []
        self.values: list[int] = []
        self.env_in: list[int] = []
        self.env_out: list[int] = []


class DraftRegion:
    """See `graph.Region`; `handler` is a block."""

    __slots__ = ("flavor", "handler", "kind", "node", "of", "parent")

    def __init__(self, kind: RegionKind, parent: int, flavor: str, of: int, node: ast.AST | None) -> None:
        self.kind: RegionKind = kind
        self.parent = parent
        self.flavor = flavor
        self.of = of
        self.node = node
        self.handler: DraftBlock | None = None


class Loop(NamedTuple):
    """What `break` and `continue` mean."""

    after: DraftBlock
    header: DraftBlock


class Cleanup:
    """What must run on the way out of a try region (or, with `region` -1, of an except clause with a name).

    `exits` has the copy that already exists for `break` and for `continue`: all such statements share it.
    """

    __slots__ = ("exits", "parent", "region", "run")

    def __init__(self, region: int, parent: int, run: Callable[[], None]) -> None:
        self.region = region
        self.parent = parent
        self.run = run
        self.exits: dict[str, DraftBlock] = {}


Context: TypeAlias = Loop | Cleanup


class Nested(NamedTuple):
    """A nested function whose lowering is still to be done."""

    name: str
    qualname: str
    node: ast.AST
    scope: Scope
    free: tuple[str, ...]


_SHARED: Final = frozenset({str, bytes, int, float, complex, tuple})


class Unit:
    """What all functions of one program share: the source, the names in use, the nested functions to do."""

    def __init__(self, *, file: str, lines: list[str], module: str, stringized: bool, optimize: int) -> None:
        self.file = file
        self.lines = lines
        self.module = module
        self.stringized = stringized
        self.optimize = optimize
        self.names: dict[str, int] = {}
        self.pending: list[Nested] = []
        self.nested: dict[ast.AST, str] = {}
        self.constants: dict[object, object] = {}

    def takes_constants_of(self, code: CodeType) -> None:
        """Equal constants of a module are one object, which a program can ask for: that of its compiled code."""
        work = [code]
        while work:
            for value in work.pop().co_consts:
                if isinstance(value, CodeType):
                    work.append(value)
                elif type(value) in _SHARED:
                    self.constants.setdefault(whole_key(value), value)

    def constant(self, value: object) -> object:
        """The object that stands for this constant in the whole program."""
        return self.constants.setdefault(whole_key(value), value) if type(value) in _SHARED else value

    def function(self, node: ast.AST, qualname: str, scope: Scope, free: tuple[str, ...]) -> str:
        """The name of the nested function `node`.  Copies of a `finally` body make one and the same function."""
        known = self.nested.get(node)
        if known is not None:
            return known
        name = self.nested[node] = self.unique(qualname)
        self.pending.append(Nested(name, qualname, node, scope, free))
        return name

    def unique(self, qualname: str) -> str:
        """A name for a function of the program: `qualname`, with a number where it repeats."""
        count = self.names.get(qualname, 0) + 1
        self.names[qualname] = count
        return qualname if count == 1 else f"{qualname}#{count}"

    def refuse(self, code: str, title: str, node: ast.AST, label: str = "") -> UnsupportedError:
        """The error that refuses `node`."""
        place = (
            getattr(node, "lineno", 1),
            getattr(node, "col_offset", 0),
            getattr(node, "end_lineno", 1),
            getattr(node, "end_col_offset", 0),
        )
        line = self.lines[place[0] - 1] if 0 < place[0] <= len(self.lines) else ""
        return UnsupportedError(diagnose(code, title, file=self.file, place=place, label=label, source=line))


Lowering: TypeAlias = "Callable[[Draft, Any], Temp]"
EXPRESSIONS: Final[dict[type[ast.AST], Lowering]] = {}
"""How each class of expressions is lowered; filled by `lowers`."""

STATEMENTS: Final[dict[type[ast.AST], Callable[[Draft, Any], None]]] = {}


Registered = TypeVar("Registered", bound=Callable[..., Any])


def lowers(*kinds: type[ast.AST]) -> Callable[[Registered], Registered]:
    """Register a function as the lowering of these classes of nodes."""

    def register(function: Registered) -> Registered:
        for kind in kinds:
            (EXPRESSIONS if issubclass(kind, ast.expr) else STATEMENTS)[kind] = function
        return function

    return register


class Draft:
    """One function while its statements are lowered; `start` says where operations go."""

    def __init__(
        self, unit: Unit, scope: Scope, qualname: str, free: tuple[str, ...], guarded: frozenset[ast.AST] = frozenset()
    ) -> None:
        self.unit = unit
        self.scope = scope
        self.inside = scope
        """The scope of what is being lowered: the function's or that of a comprehension in it."""
        self.qualname = qualname
        self.inner = qualname + ("." if qualname.endswith("<genexpr>") else ".<locals>.")
        """The prefix of the qualified names of nested functions."""
        self.private = scope.private
        self.guarded = guarded
        """Except clauses whose name must be unbound when an exception leaves them, too."""
        self.temps = 0
        self.variables: list[str] = []
        """The name of each variable."""
        self.captured = 0
        """The variables that closures capture."""
        self.cells = 0
        """The variables known to need a cell: deleted, or read where they are surely unbound."""
        self.names: dict[str, int] = {}
        """The variables in view."""
        self.retired: dict[str, list[int]] = {}
        """Variables of comprehensions that are over, by name."""
        self.foreign = False
        """Whether a read in view is a closure's read for CPython (comprehensions before 3.12)."""
        self.own: dict[str, int] = {}
        self.iterators: list[Temp] = []
        """The iterators of the comprehensions around, where they are functions for CPython."""
        self.clauses: dict[ast.ExceptHandler, int] = {}
        """The variable of each named except clause that was lowered."""
        self.regions: list[DraftRegion] = [DraftRegion("body", 0, "", -1, None)]
        self.region = 0
        self.contexts: list[Context] = []
        self.free: dict[str, Temp] = {}
        self.statement: ast.AST = scope.node
        self.entry = DraftBlock(0)
        self.entry.entered = True
        self.block = self.entry
        self.ops = self.entry.ops
        self.alive = True
        for name in scope.locals:
            self.variable(name, captured=name in scope.captured)
        self.free = {name: self.temp() for name in free}

    # Blocks

    def variable(self, name: str, *, captured: bool) -> int:
        """A new variable, in view from here on; a retired one of the same name is as good as new."""
        retired = self.retired.get(name)
        if retired and not captured:
            self.names[name] = retired.pop()
            return self.names[name]
        index = len(self.variables)
        self.variables.append(name)
        self.names[name] = index
        if captured:
            self.captured |= 1 << index
        return index

    def retire(self, variables: list[int]) -> None:
        """These variables of a comprehension are not in view any more; closures do not share theirs."""
        for index in variables:
            if not self.captured >> index & 1:
                self.retired.setdefault(self.variables[index], []).append(index)

    def temp(self) -> Temp:
        self.temps += 1
        return self.temps - 1

    def new_block(self, region: int | None = None) -> DraftBlock:
        return DraftBlock(self.region if region is None else region)

    def new_region(self, kind: RegionKind, parent: int, node: ast.AST, *, flavor: str = "", of: int = -1) -> int:
        self.regions.append(DraftRegion(kind, parent, flavor, of, node))
        return len(self.regions) - 1

    def start(self, block: DraftBlock) -> None:
        """Continue in `block`; if nothing leads to it, what follows is dead."""
        self.block = block
        self.ops = block.ops
        self.region = block.region
        self.alive = block.entered

    def terminate(self, kind: str, args: tuple[Temp, ...], edges: list[DraftEdge], node: ast.AST | None = None) -> None:
        self.block.terminator = (kind, args, edges, node or self.statement)
        if self.alive:
            for target, _ in edges:
                target.entered = True
        self.alive = False

    def jump(self, target: DraftBlock, args: tuple[Temp, ...] = (), node: ast.AST | None = None) -> None:
        self.terminate("jump", args=(), edges=[(target, args)], node=node)

    # Operations

    def emit(self, row: Operator, args: tuple[Temp, ...], attr: object, node: ast.AST) -> Temp:
        """An operation with one result."""
        temp = self.temps
        self.temps = temp + 1
        self.ops.append((row, args, attr, (temp,), node))
        return temp

    def effect(self, row: Operator, args: tuple[Temp, ...], attr: object, node: ast.AST) -> None:
        """An operation without result."""
        self.ops.append((row, args, attr, (), node))

    def several(
        self, row: Operator, args: tuple[Temp, ...], attr: object, count: int, node: ast.AST
    ) -> tuple[Temp, ...]:
        """An operation with `count` results."""
        first = self.temps
        self.temps = first + count
        results = tuple(range(first, first + count))
        self.ops.append((row, args, attr, results, node))
        return results

    def constant(self, value: object, node: ast.AST) -> Temp:
        return self.emit(_CONST, (), Constant(self.unit.constant(value)), node)

    def value(self, node: ast.expr) -> Temp:
        """Lower an expression."""
        lowering = EXPRESSIONS.get(node.__class__)
        if lowering is None:
            raise self.unit.refuse("FT109", f"unknown expression `{type(node).__name__}`", node)
        return lowering(self, node)

    def suite(self, statements: list[ast.stmt]) -> None:
        """Lower statements; what follows a statement that never goes on is dropped."""
        for node in statements:
            if not self.alive:
                return
            self.statement = node
            lowering = STATEMENTS.get(node.__class__)
            if lowering is None:
                raise self.unit.refuse("FT109", f"unknown statement `{type(node).__name__}`", node)
            lowering(self, node)

    # Variables

    def mangled(self, name: str) -> str:
        return mangle(self.private, name) if name.startswith("__") else name

    def read(self, name: str, node: ast.AST) -> Temp:
        """The value of a (mangled) name."""
        index = self.names.get(name)
        if index is not None:
            return self.get(index, node)
        cell = self.free.get(name)
        if cell is not None:
            return self.emit(_CELL_GET, (cell,), (name, "free"), node)
        return self.emit(_GLOBAL_GET, (), (self.unit.module, name), node)

    def get(self, index: int, node: ast.AST) -> Temp:
        block = self.block
        bit = 1 << index
        if not block.defs & bit:
            if block.killed & bit:
                self.cells |= bit
            else:
                block.use |= bit
        temp = self.temps
        self.temps = temp + 1
        flavor = "free" if self.foreign and self.variables[index] not in self.own else "local"
        self.ops.append((GET, index, temp, flavor, node))
        return temp

    def store(self, name: str, temp: Temp, node: ast.AST, *, copies: bool = False) -> None:
        """Assign to a (mangled) name; `copies` says that the value belongs to something else."""
        index = self.names.get(name)
        if index is not None:
            self.wrote(index)
            self.ops.append((SET, index, temp, copies, node))
            return
        cell = self.free.get(name)
        if cell is not None:
            self.effect(_CELL_SET, (temp, cell), name, node)
            return
        self.effect(OPERATORS["global_set"], (temp,), (self.unit.module, name), node)

    def wrote(self, index: int) -> None:
        bit = 1 << index
        block = self.block
        block.defs |= bit
        block.writes |= bit
        block.killed &= ~bit

    def store_all(self, names: list[str], temps: list[Temp], node: ast.AST) -> bool:
        """A parallel assignment, if all names are variables."""
        found = [self.names[name] for name in names if name in self.names]
        if len(found) != len(names):
            return False
        for index in found:
            self.wrote(index)
        self.ops.append((SETS, found, temps, None, node))
        return True

    def delete(self, name: str, node: ast.AST) -> None:
        """`del name`."""
        index = self.names.get(name)
        if index is not None:
            self.cells |= 1 << index
            self.unbind(index)
            self.ops.append((DELETE, index, None, "local", node))
            return
        cell = self.free.get(name)
        if cell is not None:
            self.effect(OPERATORS["cell_del"], (cell,), (name, "free"), node)
            return
        self.effect(OPERATORS["global_del"], (), (self.unit.module, name), node)

    def unbind(self, index: int) -> None:
        bit = 1 << index
        block = self.block
        block.killed |= bit
        block.writes |= bit
        block.defs &= ~bit

    def clear(self, index: int, surely: bool, node: ast.AST) -> None:
        """The variable of an except clause ends here."""
        self.unbind(index)
        self.ops.append((CLEAR, index, None, surely, node))

    def fresh(self, index: int, node: ast.AST) -> None:
        """A comprehension begins: its variable is new and unbound."""
        self.unbind(index)
        self.ops.append((FRESH, index, None, None, node))

    # Nested scopes

    def scope_of(self, node: ast.AST) -> Scope:
        return self.inside.children[node]

    def capture(self, names: frozenset[str], node: ast.AST) -> tuple[tuple[str, ...], tuple[Temp, ...]]:
        """The free names of a nested function in the order of `co_freevars`, and their cells."""
        order = tuple(sorted(names))
        cells: list[Temp] = []
        for name in order:
            index = self.names.get(name)
            if index is None:
                cells.append(self.free[name])
                continue
            cells.append(self.temp())
            self.ops.append((CELL, index, cells[-1], None, node))
        return order, tuple(cells)

    # Arguments

    def expand(self, row: Operator, operand: Temp, noticing: int | None, node: ast.AST) -> Temp:
        """The operand of `*` or `**`; see `EXPAND` for `noticing` (`None`: expand it here for certain)."""
        if noticing == 0:
            return operand
        if noticing is None:
            return self.emit(row, (operand,), (True,), node)
        result = self.temp()
        self.ops.append((EXPAND, noticing, operand, (row, result), node))
        return result

    def is_own_arguments(self, node: ast.expr) -> bool:
        """Whether this is the function's own `*args`, never assigned: an exact tuple."""
        arguments = getattr(self.scope.node, "args", None)
        if not isinstance(node, ast.Name) or not isinstance(arguments, ast.arguments) or arguments.vararg is None:
            return False
        name = mangle(self.private, arguments.vararg.arg)
        position = len(arguments.posonlyargs) + len(arguments.args) + len(arguments.kwonlyargs)
        if self.mangled(node.id) != name or self.names.get(name) != position:
            return False
        return name not in self.scope.rebound and name not in self.scope.captured

    def has_first_argument(self) -> bool:
        """Whether there is a first parameter for `super()` to find."""
        if self.iterators or isinstance(self.scope.node, ast.GeneratorExp):
            return True
        arguments = getattr(self.scope.node, "args", None)
        assert isinstance(arguments, ast.arguments)
        return bool(arguments.posonlyargs or arguments.args)

    def first_argument(self, node: ast.AST) -> Temp:
        """The current value of the first parameter, as `super()` finds it."""
        return self.iterators[-1] if self.iterators else self.get(0, node)
