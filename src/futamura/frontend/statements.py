"""Statements of straight-line code and loops; `protection.py` has try and with.

    while a < b:                header: t = lt a, b;  truth t -> body | after
        a += 1                  body: ...; jump header
    return a                    after: return a

Invariant: a statement begins and ends with control in one block (`d.alive`), or ends with none.
"""

from __future__ import annotations

import ast

from futamura.frontend.conditions import branch_on, constant_truth
from futamura.frontend.draft import Cleanup, Draft, DraftBlock, Loop, Temp, lowers
from futamura.frontend.targets import assign
from futamura.ir.ops import OPERATORS

__all__ = ["leave", "rounds"]

_ITER = OPERATORS["iter"]


@lowers(ast.Expr)
def expression(d: Draft, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        d.value(node.value)


@lowers(ast.Pass, ast.Global, ast.Nonlocal)
def nothing(d: Draft, node: ast.stmt) -> None:
    """Declarations have been read by the scope analysis."""


@lowers(ast.If)
def if_(d: Draft, node: ast.If) -> None:
    """Chains of `elif` are followed without recursion: there are programs with thousands."""
    after = d.new_block()
    while True:
        then = d.new_block()
        orelse = d.new_block() if node.orelse else after
        d.statement = node
        branch_on(d, node.test, then, orelse)
        d.start(then)
        d.suite(node.body)
        if d.alive:
            d.jump(after)
        if not node.orelse:
            break
        d.start(orelse)
        if d.alive and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node = node.orelse[0]
            continue
        d.suite(node.orelse)
        if d.alive:
            d.jump(after)
        break
    d.start(after)


def rounds(
    d: Draft, node: ast.While | ast.For | ast.AsyncFor, header: DraftBlock, orelse: DraftBlock, after: DraftBlock
) -> None:
    """The body of a loop, which goes on at `header`, and what comes at its end (`orelse`), then what is `after` it."""
    d.contexts.append(Loop(after, header))
    d.suite(node.body)
    if d.alive:
        d.jump(header)
    d.contexts.pop()
    if node.orelse:
        d.start(orelse)
        d.suite(node.orelse)
        if d.alive:
            d.jump(after)
    d.start(after)


@lowers(ast.While)
def while_(d: Draft, node: ast.While) -> None:
    header, after = d.new_block(), d.new_block()
    orelse = d.new_block() if node.orelse else after
    d.jump(header)
    d.start(header)
    if constant_truth(d, node.test) is not True:
        body = d.new_block()
        branch_on(d, node.test, body, orelse)
        d.start(body)
    rounds(d, node, header, orelse, after)


@lowers(ast.For)
def for_(d: Draft, node: ast.For) -> None:
    iterator = d.emit(_ITER, (d.value(node.iter),), None, node.iter)
    header, body, after = d.new_block(), d.new_block(), d.new_block()
    orelse = d.new_block() if node.orelse else after
    d.jump(header)
    d.start(header)
    item = d.temp()
    body.params = (item,)
    d.terminate("next", (iterator,), [(body, ()), (orelse, ())], node.target)
    d.start(body)
    assign(d, node.target, item)
    rounds(d, node, header, orelse, after)


@lowers(ast.Break)
def break_(d: Draft, node: ast.Break) -> None:
    leave(d, "break")


@lowers(ast.Continue)
def continue_(d: Draft, node: ast.Continue) -> None:
    leave(d, "continue")


@lowers(ast.Return)
def return_(d: Draft, node: ast.Return) -> None:
    value = d.constant(None, node) if node.value is None else d.value(node.value)
    leave(d, "return", value)


def leave(d: Draft, how: str, value: Temp = -1) -> None:
    """Go out by `break`, `continue` or `return`, through every clean-up on the way."""
    contexts = d.contexts
    statement = d.statement
    for position in range(len(contexts) - 1, -1, -1):
        context = contexts[position]
        if isinstance(context, Loop):
            if how == "return":
                continue
            d.contexts = contexts
            d.jump(context.after if how == "break" else context.header, node=statement)
            return
        d.contexts = contexts[:position]
        if not _clean_up(d, context, how):
            d.contexts = contexts
            return
        d.statement = statement
    d.contexts = contexts
    d.terminate("return", (value,), [], statement)


def _clean_up(d: Draft, context: Cleanup, how: str) -> bool:
    """Run one clean-up on a way out; whether control goes on behind it here.

    All `break`s (and all `continue`s) share one copy: they go on to the same place.
    """
    if context.region < 0:
        context.run()
        return d.alive
    known = context.exits.get(how)
    if known is not None:
        d.jump(known)
        return False
    region = d.new_region("copy", context.parent, d.statement, of=context.region)
    entry = d.new_block(region)
    if how != "return":
        context.exits[how] = entry
    d.jump(entry)
    d.start(entry)
    context.run()
    if not d.alive:
        return False
    outside = d.new_block(context.parent)
    d.jump(outside)
    d.start(outside)
    return True


@lowers(ast.Raise)
def raise_(d: Draft, node: ast.Raise) -> None:
    parts = [part for part in (node.exc, node.cause) if part is not None]
    d.terminate("raise", tuple([d.value(part) for part in parts]), [], node)


@lowers(ast.Assert)
def assert_(d: Draft, node: ast.Assert) -> None:
    if d.unit.optimize:
        return
    fine, failed = d.new_block(), d.new_block()
    branch_on(d, node.test, fine, failed)
    d.start(failed)
    if d.alive:
        if node.msg is None:
            error = d.constant(AssertionError, node)
        else:
            function = d.constant(AssertionError, node)
            error = d.emit(OPERATORS["call"], (function, d.value(node.msg)), None, node)
        d.terminate("raise", (error,), [], node)
    d.start(fine)


@lowers(ast.Import)
def import_(d: Draft, node: ast.Import) -> None:
    for alias in node.names:
        module = d.emit(OPERATORS["import"], (), (d.mangled(alias.name), None, 0), alias)
        if alias.asname is None:
            d.store(d.mangled(alias.name.partition(".")[0]), module, alias)
            continue
        for part in alias.name.split(".")[1:]:
            module = d.emit(OPERATORS["import_from"], (module,), part, alias)
        d.store(d.mangled(alias.asname), module, alias)


@lowers(ast.ImportFrom)
def import_from(d: Draft, node: ast.ImportFrom) -> None:
    names = tuple(alias.name for alias in node.names)
    module = d.emit(OPERATORS["import"], (), (d.mangled(node.module or ""), names, node.level), node)
    for alias in node.names:
        value = d.emit(OPERATORS["import_from"], (module,), d.mangled(alias.name), alias)
        d.store(d.mangled(alias.asname or alias.name), value, alias)
