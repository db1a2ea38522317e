"""Programs as coroutines: functions that are only called become `async def`, their calls are awaited, and they stop.

    def helper(x): ...                         async def helper(x): ...
    def target(x): return helper(x)     ->     async def target(x):
                                                   await pause(1)
                                                   return await helper(x)

Invariant: a function becomes one only if all that is done with it is calls out of functions that become one as well.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable
from dataclasses import replace

from tests.specialize.programs import Program

__all__ = ["PAUSE", "as_coroutines"]

PAUSE = """
class pause:
    def __init__(self, value):
        self.value = value
    def __await__(self):
        return (yield self.value)
class each:
    def __init__(self, items):
        self.items = iter(items)
    def __aiter__(self):
        return self
    async def __anext__(self):
        for item in self.items:
            if item != 1:
                await pause('item')
            return item
        raise StopAsyncIteration
class held:
    def __init__(self, manager):
        self.manager = manager
    async def __aenter__(self):
        return self.manager.__enter__()
    async def __aexit__(self, *error):
        await pause(error[0])
        return self.manager.__exit__(*error)
"""
_OFTEN = 0.15
"""So often stands a stop in front of a statement."""
_CHANGED = 0.4
"""So often does a loop, or a `with`, wait."""


def as_coroutines(program: Program) -> Program | None:
    """The same program with coroutines; None if its target cannot be one."""
    tree = ast.parse(program.source)
    found: dict[str, ast.FunctionDef] = {}
    around: dict[str, str] = {}
    _collect(tree.body, "", found, around)
    while True:
        lost = _used_otherwise(tree, found, program)
        lost |= {name for name in found if around[name] and around[name] not in found}
        if not lost:
            break
        for name in lost:
            del found[name]
    if program.target not in found:
        return None
    rng = random.Random(program.seed)
    waiting = _Waiting(found, rng)
    tree.body = [
        waiting.coroutine(node) if isinstance(node, ast.FunctionDef) and found.get(node.name) is node else node
        for node in tree.body
    ]
    source = PAUSE + ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return replace(program, source=source)


def _collect(
    nodes: Iterable[ast.AST], name: str, found: dict[str, ast.FunctionDef], around: dict[str, str]
) -> None:
    """The functions that may wait, inner ones too, and the names of those around them."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and not _yields(node):
            found[node.name], around[node.name] = node, name
            _collect(_own(node), node.name, found, around)


def _own(function: ast.FunctionDef) -> list[ast.AST]:
    """The nodes of a function's own code: comprehensions are part of it, other functions and classes are not."""
    found: list[ast.AST] = []
    work: list[ast.AST] = list(function.body)
    while work:
        node = work.pop()
        found.append(node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)):
            continue
        work.extend(ast.iter_child_nodes(node))
    return found


def _yields(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in _own(function))


def _used_otherwise(tree: ast.Module, found: dict[str, ast.FunctionDef], program: Program) -> set[str]:
    calls = {
        id(node.func) for function in found.values() for node in _own(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }  # fmt: skip
    elsewhere = [ast.parse(text, mode="eval") for _, text in program.static]
    elsewhere += [ast.parse(text, mode="eval") for text in program.inputs]
    trees = [tree, *elsewhere]
    named = [node for one in trees for node in ast.walk(one) if isinstance(node, ast.Name) and node.id in found]
    defined = [node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    mentioned = {
        str(node.value) for one in trees for node in ast.walk(one)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }  # fmt: skip
    lost = {node.id for node in named if id(node) not in calls} | {name for name in defined if defined.count(name) > 1}
    attributes = {node.attr for one in trees for node in ast.walk(one) if isinstance(node, ast.Attribute)}
    return (lost | attributes | mentioned) & found.keys()


class _Waiting(ast.NodeTransformer):
    def __init__(self, found: dict[str, ast.FunctionDef], rng: random.Random) -> None:
        self.found = found
        self.rng = rng

    def coroutine(self, node: ast.FunctionDef) -> ast.AsyncFunctionDef:
        body = [self.visit(statement) for statement in node.body]
        made = ast.AsyncFunctionDef(**{name: getattr(node, name, None) for name in node._fields})
        made.body = self._with_stops(body)
        return made

    def _with_stops(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for at, statement in enumerate(body):
            doc = at == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            declares = isinstance(statement, (ast.Global, ast.Nonlocal))
            if not doc and not declares and self.rng.random() < _OFTEN:
                stop = ast.parse(f"await pause({self.rng.randrange(9)})", mode="eval").body
                found.append(ast.Expr(stop))
            found.append(statement)
        return found

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, None)
            if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
                setattr(node, name, self._with_stops(inner))
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.found:
            return ast.Await(node)
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        if self.rng.random() > _CHANGED:
            return node
        made = ast.AsyncFor(**{name: getattr(node, name, None) for name in node._fields})
        made.iter = self._call("each", node.iter)
        return made

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        if self.rng.random() < _CHANGED:
            node.is_async, node.iter = 1, self._call("each", node.iter)
        return node

    def visit_With(self, node: ast.With) -> ast.AST:
        self.generic_visit(node)
        if self.rng.random() > _CHANGED:
            return node
        for item in node.items:
            item.context_expr = self._call("held", item.context_expr)
        return ast.AsyncWith(**{name: getattr(node, name, None) for name in node._fields})

    @staticmethod
    def _call(name: str, argument: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(name, ast.Load()), [argument], [])

    def _left(self, node: ast.AST) -> ast.AST:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self.coroutine(node) if self.found.get(node.name) is node else node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_GeneratorExp = _left
