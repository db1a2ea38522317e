"""Which globals hold objects that functions of the module change, by whatever name these have there.

    ROWS = {"a": [1]}
    def add(v): ROWS["a"].append(v)              an item of ROWS is changed
    def first(row): row[0] = 1
    def use(): first(ROWS["a"])                  here too

Names are followed through assignments, loops, calls of functions and methods of the module, and their results; all that
comes out of a global counts as that global.  Order does not matter, nor does which branch is taken.

Invariant: what the functions of one module do to an item is found if each step is written in that module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

__all__ = ["changed_items"]

_Scope: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MUTATING: Final = frozenset(
    {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "add", "discard", "update", "popitem"}
    | {"setdefault", "appendleft", "extendleft", "popleft", "rotate", "move_to_end", "subtract"}
    | {"difference_update", "intersection_update", "symmetric_difference_update"}
    | {"__setitem__", "__delitem__", "__setattr__", "__delattr__", "__iadd__"}
)
_GIVING: Final = frozenset({"get", "items", "keys", "values", "copy", "pop", "popitem", "setdefault", "__getitem__"})
"""Methods of containers that give items."""
_PASSING: Final = frozenset(
    {"enumerate", "reversed", "zip", "list", "tuple", "sorted", "filter", "map", "iter", "min", "max", "next", "dict"}
    | {"set", "frozenset", "getattr", "vars"}
)
"""Builtins whose result may be, or hold, what is in their arguments."""
_NOTHING: Final[frozenset[str]] = frozenset()


def changed_items(tree: ast.Module) -> frozenset[str]:
    """The names of globals, and of attributes of classes (`.RATES`), out of which functions take what they change."""
    candidates = frozenset(_globals(tree))
    return _Items(tree, candidates).run() if candidates else _NOTHING


def _globals(tree: ast.Module) -> Iterator[str]:
    """The names that the module, or a function of it, binds to what may have items; those of classes with a dot."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield from node.names
    work: list[ast.AST] = list(tree.body)
    while work:
        node = work.pop()
        if isinstance(node, ast.ClassDef):
            yield from ("." + name for name in _globals(ast.Module(node.body, [])))
        if isinstance(node, (*_SCOPES, ast.ClassDef, ast.Constant)):
            continue
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        work.extend(ast.iter_child_nodes(node))


class _Items:
    def __init__(self, tree: ast.Module, candidates: frozenset[str]) -> None:
        self.candidates: Final = candidates
        self.functions: Final = [node for node in ast.walk(tree) if isinstance(node, _SCOPES)]
        self.named: Final[dict[str, list[_Scope]]] = {}
        for function in self.functions:
            if not isinstance(function, ast.Lambda):
                self.named.setdefault(function.name, []).append(function)
        self.own: Final = {function: list(_own_nodes(function)) for function in self.functions}
        self.bound: Final = {function: frozenset(_bound(function, self.own[function])) for function in self.functions}
        self.acting: Final = {
            function: [node for node in self.own[function] if _acts(node)] for function in self.functions
        }
        self.around: Final = {
            inner: outer for outer in self.functions for inner in self.own[outer] if inner is not outer
        }
        self.holds: Final[dict[tuple[_Scope, str], frozenset[str]]] = {}
        self.gives: Final[dict[_Scope, frozenset[str]]] = {}
        self.changed: set[str] = set()
        self.moved = True

    def run(self) -> frozenset[str]:
        while self.moved:
            self.moved = False
            for function in self.functions:
                for node in self.acting[function]:
                    self.look(function, node)
                if isinstance(function, ast.Lambda):
                    self.give(function, self.of(function, function.body))
        return frozenset(self.changed)

    # -- what an expression may be

    def of(self, function: _Scope, node: ast.AST | None) -> frozenset[str]:
        """The globals that the value of this expression may come out of; a global itself counts as its items do."""
        if isinstance(node, ast.Name):
            scope = self.scope_of(function, node.id)
            if scope is not None:
                return self.holds.get((scope, node.id), _NOTHING)
            return frozenset({node.id}) if node.id in self.candidates else _NOTHING
        if isinstance(node, ast.Attribute):
            attribute = "." + node.attr
            return self.of(function, node.value) | ({attribute} if attribute in self.candidates else _NOTHING)
        if isinstance(node, (ast.Subscript, ast.Starred, ast.NamedExpr, ast.Await, ast.YieldFrom)):
            return self.of(function, node.value)
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return self.all(function, node.elts)
        if isinstance(node, ast.Dict):
            return self.all(function, node.values)
        if isinstance(node, ast.BoolOp):
            return self.all(function, node.values)
        if isinstance(node, ast.IfExp):
            return self.all(function, (node.body, node.orelse))
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            return self.of(function, node.elt)
        if isinstance(node, ast.DictComp):
            return self.of(function, node.value)
        if isinstance(node, ast.Lambda):
            return self.gives.get(node, _NOTHING)
        if isinstance(node, ast.Call):
            return self.result(function, node)
        return _NOTHING

    def all(self, function: _Scope, nodes: Iterable[ast.AST | None]) -> frozenset[str]:
        return _NOTHING.union(*(self.of(function, node) for node in nodes))

    def result(self, function: _Scope, call: ast.Call) -> frozenset[str]:
        found = _NOTHING.union(*(self.gives.get(one, _NOTHING) for one in self.callees(call)))
        if isinstance(call.func, ast.Attribute) and call.func.attr in _GIVING:
            found |= self.of(function, call.func.value)
        if isinstance(call.func, ast.Name) and call.func.id in _PASSING:
            found |= self.all(function, call.args)
        return found

    def scope_of(self, function: _Scope, name: str) -> _Scope | None:
        """The function whose variable the name is; None if it is a global."""
        scope: _Scope | None = function
        while scope is not None and name not in self.bound[scope]:
            scope = self.around.get(scope)
        return scope

    # -- what a statement does

    def look(self, function: _Scope, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self.put(function, target, self.of(function, node.value))
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
            self.put(function, node.target, self.of(function, node.value))
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name) and self.scope_of(function, node.target.id) is not None:
                self.change(self.of(function, node.target))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            self.put(function, node.target, self.of(function, node.iter))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self.put(function, node.optional_vars, self.of(function, node.context_expr))
        elif isinstance(node, ast.Match):
            names = (getattr(part, "name", None) or getattr(part, "rest", None) for part in ast.walk(node))
            for name in names:
                if isinstance(name, str):
                    self.hold(function, name, self.of(function, node.subject))
        elif isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)):
            self.give(function, self.of(function, node.value))
        elif isinstance(node, ast.Call):
            self.call(function, node)
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            self.change(self.of(function, node.value))

    def call(self, function: _Scope, call: ast.Call) -> None:
        receiver = self.of(function, call.func.value) if isinstance(call.func, ast.Attribute) else _NOTHING
        if isinstance(call.func, ast.Attribute) and call.func.attr in _MUTATING:
            if not isinstance(call.func.value, ast.Name) or self.scope_of(function, call.func.value.id) is not None:
                self.change(receiver)
        if isinstance(call.func, ast.Name) and call.func.id in ("setattr", "delattr") and call.args:
            self.change(self.of(function, call.args[0]))
        for callee in self.callees(call):
            names = [one.arg for one in (*callee.args.posonlyargs, *callee.args.args)]
            given = list(call.args)
            if isinstance(call.func, ast.Attribute) and names:
                self.hold(callee, names[0], receiver)  # of a method; a function of an imported module is no callee
            for at, argument in enumerate(given):
                held = self.of(function, argument)
                for shift in (0, 1) if isinstance(call.func, ast.Attribute) or callee.args.args[:1] else (0,):
                    if at + shift < len(names) and not isinstance(argument, ast.Starred):
                        self.hold(callee, names[at + shift], held)
                if isinstance(argument, ast.Starred) or at >= len(names):
                    for name in (*names, callee.args.vararg.arg if callee.args.vararg else ""):
                        self.hold(callee, name, held)
            for keyword in call.keywords:
                for name in (keyword.arg,) if keyword.arg is not None else (*names, *_keyword_names(callee)):
                    self.hold(callee, name, self.of(function, keyword.value))

    def callees(self, call: ast.Call) -> list[_Scope]:
        if isinstance(call.func, ast.Name):
            return self.named.get(call.func.id, [])
        if isinstance(call.func, ast.Attribute):
            return self.named.get(call.func.attr, [])
        return [call.func] if isinstance(call.func, ast.Lambda) else []

    def put(self, function: _Scope, target: ast.expr, held: frozenset[str]) -> None:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                scope = self.scope_of(function, node.id)
                if scope is not None:
                    self.hold(scope, node.id, held)

    def hold(self, function: _Scope, name: str, held: frozenset[str]) -> None:
        before = self.holds.get((function, name), _NOTHING)
        if not held <= before:
            self.holds[function, name] = before | held
            self.moved = True

    def give(self, function: _Scope, held: frozenset[str]) -> None:
        before = self.gives.get(function, _NOTHING)
        if not held <= before:
            self.gives[function] = before | held
            self.moved = True

    def change(self, names: frozenset[str]) -> None:
        if not names <= self.changed:
            self.changed |= names
            self.moved = True


_ACTING: Final = (
    *(ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.AsyncFor, ast.comprehension, ast.withitem),
    *(ast.Match, ast.Return, ast.Yield, ast.YieldFrom, ast.Call),
)


def _acts(node: ast.AST) -> bool:
    """Does the node move or change values?"""
    stored = isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load)
    return stored or isinstance(node, _ACTING)


def _own_nodes(function: _Scope) -> Iterator[ast.AST]:
    """The nodes of a function, down to nested functions, which are among them."""
    work: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, _SCOPES):
            work.extend(ast.iter_child_nodes(node))


def _bound(function: _Scope, nodes: list[ast.AST]) -> Iterator[str]:
    """The names that are variables of the function."""
    arguments = function.args
    yield from (one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
    yield from (one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None)
    outside = {name for node in nodes if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and node.id not in outside:
            yield node.id
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name is not None:
            yield node.name
        elif isinstance(node, ast.MatchMapping) and node.rest is not None:
            yield node.rest


def _keyword_names(function: _Scope) -> Iterator[str]:
    yield from (one.arg for one in function.args.kwonlyargs)
    if function.args.kwarg is not None:
        yield function.args.kwarg.arg
