"""What a piece of source text only reads the contents of.

    rows[k]    for row in rows: ...    len(rows)    k in rows    [*rows]    {**rows}          `rows` is only read
    rows[k] = x    rows.append(x)    keep(rows)    return rows                                these may do anything

Invariant: an expression that is yielded is neither changed nor kept by the node that it stands in.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from futamura.analysis.trees import every

__all__ = ["bound_by", "own_names", "parts", "read_only"]

_SET_READING: Final = frozenset(
    {"union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint"}
)
_READING: Final = frozenset({"get", "items", "keys", "values", "index", "count", "copy"}) | _SET_READING
_READING_ARGUMENTS: Final = _SET_READING | (
    {"update", "extend", "extendleft", "difference_update", "intersection_update", "symmetric_difference_update"}
    | {"join", "format", "startswith", "endswith", "writelines", "translate"}
)
"""Methods that take something out of what they are given, and do not keep it; where the module has none so called."""
_MEASURES: Final = frozenset(
    {"len", "enumerate", "reversed", "range", "zip", "isinstance", "issubclass", "sum", "min", "max", "any", "all"}
    | {"list", "tuple", "sorted", "set", "frozenset", "dict", "map", "filter", "iter", "bool", "str", "repr", "ascii"}
    | {"format", "print", "type", "bytes", "bytearray"}
)
_LIBRARY: Final = {
    "bisect": frozenset({"bisect", "bisect_left", "bisect_right"}),
    "functools": frozenset({"reduce"}),
    "itertools": frozenset(
        {"accumulate", "batched", "chain", "chain.from_iterable", "combinations", "compress", "cycle", "dropwhile"}
        | {"filterfalse", "groupby", "islice", "pairwise", "permutations", "product", "starmap", "takewhile", "tee"}
        | {"zip_longest"}
    ),
    "math": frozenset({"dist", "fsum", "prod"}),
}
"""Functions of the library that do no more with their first two arguments than to take something out of them."""
_GIVING: Final = frozenset({"sum", "min", "max"})
"""Of these only a single argument is just read: `sum([], xs)` and `min(xs, ys)` give a list back as it is."""


def parts(node: ast.expr) -> Iterator[ast.expr]:
    """The expressions that `node` may give the value of."""
    yield node
    for part in node.values if isinstance(node, ast.BoolOp) else ():
        yield from parts(part)
    for part in (node.body, node.orelse) if isinstance(node, ast.IfExp) else ():
        yield from parts(part)


def read_only(node: ast.AST, own: frozenset[str] = frozenset()) -> Iterator[ast.expr]:
    """What this node only reads the contents of.  `own`: names that functions and methods of the module may have, the
    former with `()` behind."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value
    elif isinstance(node, ast.Call):
        yield from _read_by_call(node, own)
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        yield node.test
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, ast.comprehension):
        yield from (node.iter, *node.ifs)
    elif isinstance(node, ast.For):
        yield node.iter
    elif isinstance(node, (ast.Starred, ast.YieldFrom, ast.FormattedValue, ast.AugAssign, ast.Expr)):
        yield node.value
    elif isinstance(node, ast.Dict):
        yield from (value for key, value in zip(node.keys, node.values) if key is None)
    elif isinstance(node, ast.Assign) and all(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets):
        yield node.value


def _read_by_call(node: ast.Call, own: frozenset[str]) -> Iterator[ast.expr]:
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr in _READING:
        yield function.value
    if isinstance(function, ast.Attribute) and function.attr in _READING_ARGUMENTS - own:
        yield from node.args
    if isinstance(function, ast.Name) and function.id in _MEASURES and function.id + "()" not in own:
        if len(node.args) == 1 or function.id not in _GIVING:
            yield from node.args
    if _AS + _dotted(function) in own:
        yield from node.args[:2]
    yield from (keyword.value for keyword in node.keywords if keyword.arg is None)
    yield function


_AS: Final = "="
"""In front of what a text calls one of these functions."""


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _of_library(nodes: Sequence[ast.AST]) -> Iterator[str]:
    """What the text calls functions of the library that only read, where these names mean nothing else in it."""
    bound = Counter(name for node in nodes for name in bound_by(node))
    for node in () if bound["*"] else nodes:
        for alias in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
            local = alias.asname or alias.name
            if bound[local] != 1:
                continue
            if isinstance(node, ast.Import):
                yield from (f"{local}.{name}" for name in sorted(_LIBRARY.get(alias.name, ())))
            elif isinstance(node, ast.ImportFrom) and not node.level:
                known = _LIBRARY.get(str(node.module), frozenset())
                yield from (local + name[len(alias.name) :] for name in sorted(known) if _is_part(name, alias.name))


def _is_part(name: str, start: str) -> bool:
    return name == start or name.startswith(start + ".")


def own_names(tree: ast.Module) -> frozenset[str]:
    """Names of functions of the module, and of attributes that it stores: methods of these names may be its own.  With
    `()` behind those that may be called as functions: a parameter only where that is done; with `=` in front what it
    calls functions of the library."""
    nodes = every(tree)
    found = {node.attr for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)}
    found.update(_AS + name for name in [*_of_library(nodes)] if name.rpartition(".")[2] not in found)
    for node in nodes:
        names = list(bound_by(node))
        found.update(names)
        if not isinstance(node, ast.arg):
            found.update(f"{name}()" for name in names)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            calls = (part.func for part in ast.walk(node) if isinstance(part, ast.Call))
            called = {part.id for part in calls if isinstance(part, ast.Name)}
            given = (part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg))
            found.update(f"{name}()" for name in given if name in called)
    return frozenset(found)


_BINDING: Final = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping
)  # fmt: skip


def bound_by(node: ast.AST) -> Iterator[str]:
    """The names that this node binds, in whatever scope."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, _BINDING):
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        yield from () if name is None else (name,)
