"""Which variables of a closure hold a container that is built once, before the closure exists, and only read then.

    def record(**fields):                     `fields` of `check`: made by the call, and only read
        checks = []                           `checks` of `check`: filled while `record` runs, and only read later
        for name, test in fields.items():
            checks.append((name, test))
        def check(value):
            return all(test(value[name]) for name, test in checks)
        return check

What the outer function does with the variable itself is over when it has returned.  After that only functions inside of
it can reach the container: it must not have been passed on, stored or returned anywhere.

Invariant: "yes" is said only if the whole source of the outer function was read, every use of the name in it is of a
known kind, and no call of it is running.
"""

from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from typing import Final

from futamura.analysis.trees import every
from futamura.source import unwarned

__all__ = ["is_built_once"]

_READING: Final = frozenset({"get", "items", "keys", "values", "index", "count", "copy"})
_BUILDING: Final = frozenset(
    {"append", "extend", "insert", "add", "update", "setdefault", "sort", "reverse", "pop", "remove", "discard"}
)
_MEASURES: Final = frozenset(
    {"len", "enumerate", "reversed", "zip", "sum", "min", "max", "any", "all", "bool"}
    | {"list", "tuple", "sorted", "set", "frozenset", "dict", "map", "filter", "iter"}
)
_GIVING: Final = frozenset({"sum", "min", "max"})
"""Of these only a single argument is just read: `sum([], xs)` and `min(xs, ys)` give a list back as it is."""
_FRESH: Final = frozenset({"list", "dict", "set", "sorted"})
_SPYING: Final = frozenset({"locals", "vars", "eval", "exec", "globals", "_getframe", "currentframe", "__closure__"})
_DISPLAYS: Final = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_INNER: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)

_known: Final[dict[str, tuple[object, ast.Module | None]]] = {}
_answers: Final[dict[tuple[str, int, str], tuple[object, int]]] = {}
"""The lines that an answer is about, and the first line of the function that builds the variable; 0 is no."""


def is_built_once(file: str, line: int, name: str) -> bool:
    """Is the container in this variable of the closure at this line made and filled before the closure is there?"""
    lines = linecache.getlines(file)
    key = (file, line, name)
    found = _answers.get(key)
    if found is None or found[0] is not lines:
        owner = _owner(file, lines, line, name)
        tree = _known[file][1]
        built = owner is not None and tree is not None and _Uses(owner, name, _bound_anywhere(tree)).are_known()
        found = _answers[key] = (lines, _first_line(owner) if owner is not None and built else 0)
    return found[1] > 0 and not _is_running(file, found[1])


def _is_running(file: str, first: int) -> bool:
    for top in sys._current_frames().values():
        frame = top
        while frame is not None:
            if frame.f_code.co_firstlineno == first and frame.f_code.co_filename == file:
                return True
            frame = frame.f_back  # type: ignore[assignment]
    return False


def _first_line(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def _owner(file: str, lines: list[str], line: int, name: str) -> ast.FunctionDef | None:
    """The function that the variable belongs to: the innermost one around the line that binds it."""
    found = _known.get(file)
    if found is None or found[0] is not lines:
        found = _known[file] = (lines, _parsed("".join(lines)))
    if found[1] is None:
        return None
    around = [
        node
        for node in ast.walk(found[1])
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        and node.lineno <= line <= (node.end_lineno or line)
    ]
    for node in reversed(around):  # `walk` gives what is outside first
        if name in _bound(node):
            return node if isinstance(node, ast.FunctionDef) else None
    return None


def _parsed(text: str) -> ast.Module | None:
    try:
        with unwarned():
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _bound_anywhere(tree: ast.Module) -> set[str]:
    """All names that the module gives a meaning: builtins of these names may be something else."""
    return {name for node in every(tree) for name in _names(node)}


def _named(node: ast.AST) -> str:
    """The name that is looked up here, alone or behind a dot."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _names(node: ast.AST) -> Iterator[str]:
    """The names that this node binds, deletes or declares."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        yield node.name or ""
    elif isinstance(node, ast.MatchMapping):
        yield node.rest or ""


def _scope(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions and classes inside of it, but with these themselves."""
    work = list(ast.iter_child_nodes(function))
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, _INNER):
            work.extend(ast.iter_child_nodes(node))


def _bound(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    return {name for node in _scope(function) for name in _names(node)}


class _Uses:
    """All that the source of a function does with one of its variables."""

    def __init__(self, owner: ast.FunctionDef, name: str, bound: set[str]) -> None:
        self.owner: Final = owner
        self.bound: Final = bound
        self.name: Final = name
        self.own: Final = [*_scope(owner)]
        self.all: Final = [*ast.walk(owner)]

    def are_known(self) -> bool:
        if any(isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)) for node in self.own):
            return False
        if "*" in self.bound or any(_named(node) in _SPYING for node in self.all):
            return False
        return self._is_fresh() and self._is_kept()

    def _is_fresh(self) -> bool:
        """Does every binding of the variable make a new container?"""
        made: set[int] = set()
        for node in self.own:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                targets = [node.target]
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and len(targets) == 1 and self._makes(node.value):
                made.add(id(targets[0]))
        keywords = self.owner.args.kwarg
        if keywords is not None:
            made.add(id(keywords))
        return all(id(node) in made for node in self.all for name in _names(node) if name == self.name)

    def _makes(self, value: ast.expr | None) -> bool:
        if isinstance(value, ast.Call):
            return isinstance(value.func, ast.Name) and value.func.id in _FRESH - self.bound
        return isinstance(value, _DISPLAYS)

    def _is_kept(self) -> bool:
        """Does nobody else get the container, and do functions inside only read it?"""
        read = {id(name) for node in self.all for name in _read_only(node, self.bound)}
        built = {id(name) for node in self.own for name in _building(node)}
        return all(
            id(node) in read or id(node) in built
            for node in self.all
            if isinstance(node, ast.Name) and node.id == self.name and isinstance(node.ctx, ast.Load)
        )


def _building(node: ast.AST) -> Iterator[ast.expr]:
    """The names whose containers this node changes in place."""
    if isinstance(node, ast.Subscript):
        yield node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _BUILDING:
        yield node.func.value


def _read_only(node: ast.AST, bound: set[str]) -> Iterator[ast.expr]:
    """The names that this node only reads the contents of."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _READING:
            yield node.func.value
        if isinstance(node.func, ast.Name) and node.func.id in _MEASURES - bound:
            if len(node.args) == 1 or node.func.id not in _GIVING:
                yield from node.args
    elif isinstance(node, ast.Compare):
        for operator, right in zip(node.ops, node.comparators):
            if isinstance(operator, (ast.In, ast.NotIn)):
                yield right
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            yield node.left
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        yield node.test
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield node.iter
    elif isinstance(node, ast.Starred):
        yield node.value
