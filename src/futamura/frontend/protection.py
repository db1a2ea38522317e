"""Statements with protected extents: try and with.

    try: B                      region 1 try: B, then jump E's block (outside of region 1)
    except C as e: X            region 2 except of 1: H(exc): exc_match exc, C -> X | reraise exc
    else: E

    with M as v: B              exit, value = with_enter M; region 1 try: SET v; B;  region 3 copy of 1: with_exit
                                region 2 except of 1: H(exc): with_unwind exit, exc; truth -> after | reraise exc

A clean-up (`finally`, the exit of `with`) is lowered once for each way out; `docs/ir.md` has the contract.

Invariant: the first block of a region is entered from outside by one jump; `d.region` is the parent's again
after the statement.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from futamura.frontend.draft import Cleanup, Draft, DraftBlock, Temp, lowers
from futamura.frontend.targets import assign
from futamura.ir.attributes import ASYNC
from futamura.ir.ops import OPERATORS

__all__ = ["handler_of", "open_region"]


def open_region(d: Draft, node: ast.AST, flavor: str) -> tuple[int, int]:
    """Enter a new try region below the current one; return (region, parent)."""
    parent = d.region
    region = d.new_region("try", parent, node, flavor=flavor)
    first = d.new_block(region)
    d.jump(first, node=node)
    d.start(first)
    return region, parent


def handler_of(d: Draft, region: int, parent: int, node: ast.AST) -> Temp:
    """Start the handler of a try region; return the exception."""
    inside = d.new_region("except", parent, node, of=region)
    handler = d.new_block(inside)
    exception = d.temp()
    handler.params = (exception,)
    d.regions[region].handler = handler
    handler.entered = True
    d.start(handler)
    return exception


def _protected(
    d: Draft,
    node: ast.AST,
    flavor: str,
    body: Callable[[], None],
    clean_up: Callable[[], None],
    unwind: Callable[[Temp, DraftBlock], None],
) -> None:
    """A try region with a clean-up on every way out; `unwind` is the way out by an exception."""
    region, parent = open_region(d, node, flavor)
    after = d.new_block(parent)
    d.contexts.append(Cleanup(region, parent, clean_up))
    body()
    d.contexts.pop()
    if d.alive:
        entry = d.new_block(d.new_region("copy", parent, node, of=region))
        d.jump(entry, node=node)
        d.start(entry)
        clean_up()
        if d.alive:
            d.jump(after, node=node)
    exception = handler_of(d, region, parent, node)
    unwind(exception, after)
    d.start(after)
    d.region = parent


@lowers(ast.Try)
def try_(d: Draft, node: ast.Try) -> None:
    if not node.finalbody:
        _try_except(d, node)
        return

    def body() -> None:
        if node.handlers:
            _try_except(d, node)
        else:
            d.suite(node.body)

    def clean_up() -> None:
        d.suite(node.finalbody)

    def unwind(exception: Temp, after: DraftBlock) -> None:
        d.suite(node.finalbody)
        if d.alive:
            d.terminate("reraise", (exception,), [], node)

    _protected(d, node, "finally", body, clean_up, unwind)


def _try_except(d: Draft, node: ast.Try) -> None:
    region, parent = open_region(d, node, "except")
    after = d.new_block(parent)
    d.suite(node.body)
    if d.alive:
        orelse = d.new_block(parent)
        d.jump(orelse)
        d.start(orelse)
        d.suite(node.orelse)
        if d.alive:
            d.jump(after)
    exception = handler_of(d, region, parent, node)
    for clause in node.handlers:
        following = d.new_block()
        if clause.type is not None:
            body = d.new_block()
            test = d.emit(OPERATORS["exc_match"], (exception, d.value(clause.type)), None, clause.type)
            d.terminate("branch", (test,), [(body, ()), (following, ())], clause)
            d.start(body)
        _clause(d, clause, exception)
        if d.alive:
            d.jump(after, node=clause)
        d.start(following)
        if not d.alive:
            break
    if d.alive:
        d.terminate("reraise", (exception,), [], node)
    d.start(after)
    d.region = parent


def _clause(d: Draft, node: ast.ExceptHandler, exception: Temp) -> None:
    """The body of an except clause, its name bound before and unbound on every way out."""
    if node.name is None:
        d.suite(node.body)
        return
    name = d.mangled(node.name)
    d.store(name, exception, node)
    variable = d.names.get(name)
    if variable is None or node in d.guarded:
        _guarded_clause(d, node, name)
        return
    d.clauses[node] = variable
    surely = name not in d.scope.unbound and name not in d.scope.captured

    def clear() -> None:
        d.clear(variable, surely, node)

    d.contexts.append(Cleanup(-1, d.region, clear))
    d.suite(node.body)
    d.contexts.pop()
    if d.alive:
        clear()


def _guarded_clause(d: Draft, node: ast.ExceptHandler, name: str) -> None:
    """The name is seen from outside (a closure, another function, an outer handler): an exception that
    leaves the clause unbinds it too, as by `try: X finally: e = None; del e`."""

    def clear() -> None:
        d.store(name, d.constant(None, node), node)
        d.delete(name, node)

    def unwind(exception: Temp, after: DraftBlock) -> None:
        clear()
        d.terminate("reraise", (exception,), [], node)

    _protected(d, node, "finally", lambda: d.suite(node.body), clear, unwind)


@lowers(ast.With, ast.AsyncWith)
def with_(d: Draft, node: ast.With | ast.AsyncWith) -> None:
    _with(d, node, 0)


def _with(d: Draft, node: ast.With | ast.AsyncWith, position: int) -> None:
    """Several items are nested statements."""
    item = node.items[position]
    attr = ASYNC if isinstance(node, ast.AsyncWith) else None
    manager = d.value(item.context_expr)
    leave, value = d.several(OPERATORS["with_enter"], (manager,), attr, 2, item.context_expr)

    def body() -> None:
        if item.optional_vars is not None:
            assign(d, item.optional_vars, value)
        if position + 1 < len(node.items):
            _with(d, node, position + 1)
        else:
            d.suite(node.body)

    def clean_up() -> None:
        d.effect(OPERATORS["with_exit"], (leave,), attr, item.context_expr)

    def unwind(exception: Temp, after: DraftBlock) -> None:
        place = item.context_expr
        outcome = d.emit(OPERATORS["with_unwind"], (leave, exception), attr, place)
        swallowed = d.emit(OPERATORS["truth"], (outcome,), None, place)
        onward = d.new_block()
        d.terminate("branch", (swallowed,), [(after, ()), (onward, ())], place)
        d.start(onward)
        d.terminate("reraise", (exception,), [], place)

    _protected(d, node, "with", body, clean_up, unwind)
