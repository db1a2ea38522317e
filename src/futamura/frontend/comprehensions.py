"""Comprehensions, in line, and generator expressions, as nested generators.

    [x * y for x in a for y in b if c]      t = iter a; r = list; next t -> x | done;  u = iter b; next u -> y | ...;
                                            c ? list_append r, x*y

The first iterable is evaluated outside, before the comprehension's own variables exist.  They are new in
each execution: captured ones get fresh cells where it begins.

Invariant: the variables of a comprehension are in view between `_enter` and `_leave` only.
"""

from __future__ import annotations

import ast
import sys
from typing import Any, Final

from futamura.frontend.asynchronous import next_item
from futamura.frontend.conditions import branch_on
from futamura.frontend.draft import Draft, Temp, lowers
from futamura.frontend.scopes import Scope
from futamura.frontend.targets import assign
from futamura.ir.graph import FunctionAttr
from futamura.ir.ops import OPERATORS

__all__ = ["generator_body"]

ARE_FUNCTIONS: Final = sys.version_info < (3, 12)
"""Before 3.12 a comprehension runs in a frame of its own: that shows in `super()`, in the text of errors
about unbound variables and in the qualified names of functions inside."""

_ITER: Final = OPERATORS["iter"]
_AITER: Final = OPERATORS["aiter"]
_KINDS: Final[dict[type[ast.AST], str]] = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict"}


@lowers(ast.ListComp, ast.SetComp, ast.DictComp)
def comprehension(d: Draft, node: Any) -> Temp:
    first = node.generators[0]
    iterator = d.emit(_AITER if first.is_async else _ITER, (d.value(first.iter),), None, first.iter)
    result = d.emit(OPERATORS[_KINDS[node.__class__]], (), None, node)
    saved = (d.names, d.own, d.foreign, d.inner, d.inside)
    _enter(d, d.scope_of(node), node, iterator)
    _loops(d, node, iterator, lambda: _collect(d, node, result))
    d.retire([d.names[name] for name in d.inside.locals])
    d.names, d.own, d.foreign, d.inner, d.inside = saved
    if ARE_FUNCTIONS:
        d.iterators.pop()
    return result


def _enter(d: Draft, scope: Scope, node: Any, iterator: Temp) -> None:
    d.inside = scope
    d.names = dict(d.names)
    own: dict[str, int] = {}
    for name in scope.locals:
        own[name] = d.variable(name, captured=name in scope.captured)
        d.fresh(own[name], node)
    if ARE_FUNCTIONS:
        d.own, d.foreign = own, True
        d.iterators.append(iterator)
        d.inner = f"{d.inner}<{_KINDS[node.__class__]}comp>."


def _collect(d: Draft, node: Any, result: Temp) -> None:
    if isinstance(node, ast.DictComp):
        key = d.value(node.key)
        d.effect(OPERATORS["dict_put"], (result, key, d.value(node.value)), None, node)
        return
    row = OPERATORS["list_append" if isinstance(node, ast.ListComp) else "set_add"]
    d.effect(row, (result, d.value(node.elt)), None, node.elt)


def _loops(d: Draft, node: Any, iterator: Temp, innermost: Any) -> None:
    """The nested loops of `node.generators`; afterwards control is behind the outermost."""
    done = d.new_block()
    after = done
    for position, clause in enumerate(node.generators):
        if position:
            iterator = d.emit(_AITER if clause.is_async else _ITER, (d.value(clause.iter),), None, clause.iter)
        header, body = d.new_block(), d.new_block()
        d.jump(header, node=clause.iter)
        d.start(header)
        if clause.is_async:
            item = next_item(d, iterator, after, clause.target)
        else:
            item = d.temp()
            body.params = (item,)
            d.terminate("next", (iterator,), [(body, ()), (after, ())], clause.target)
            d.start(body)
        assign(d, clause.target, item)
        for condition in clause.ifs:
            following = d.new_block()
            branch_on(d, condition, following, header)
            d.start(following)
        after = header
    innermost()
    d.jump(after, node=node)
    done.entered = True
    d.start(done)


@lowers(ast.GeneratorExp)
def generator_expression(d: Draft, node: ast.GeneratorExp) -> Temp:
    scope = d.scope_of(node)
    qualname = d.inner + "<genexpr>"
    free, cells = d.capture(scope.free, node)
    name = d.unit.function(node, qualname, scope, free)
    function = d.emit(OPERATORS["function"], cells, FunctionAttr(name), node)
    iterable = node.generators[0].iter
    iterator = d.emit(_ITER, (d.value(iterable),), None, iterable)
    return d.emit(OPERATORS["call"], (function, iterator), None, node)


def generator_body(d: Draft, node: ast.GeneratorExp) -> None:
    """The body of the generator function that a generator expression makes."""

    def produce() -> None:
        d.emit(OPERATORS["yield"], (d.value(node.elt),), None, node.elt)

    _loops(d, node, d.get(0, node), produce)
    d.terminate("return", (d.constant(None, node),), [], node)
