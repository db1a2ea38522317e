"""`async for`: a loop whose iterator is awaited, until it raises StopAsyncIteration.

    async for x in M: B         it = aiter M;  header: region r try: x = anext it
    else: E                     region except of r: exc_match exc, StopAsyncIteration -> E | reraise exc
                                B lies outside of r; `continue` leads to the header

`anext` waits for what `__anext__` gives.
"""

from __future__ import annotations

import ast

from futamura.frontend.draft import Draft, DraftBlock, Temp, lowers
from futamura.frontend.protection import handler_of, open_region
from futamura.frontend.statements import rounds
from futamura.frontend.targets import assign
from futamura.ir.ops import OPERATORS

__all__ = ["next_item"]


def next_item(d: Draft, iterator: Temp, exhausted: DraftBlock, node: ast.AST) -> Temp:
    """Wait for an item: it goes on in a new block, or in `exhausted`."""
    region, parent = open_region(d, node, "except")
    item = d.emit(OPERATORS["anext"], (iterator,), None, node)
    body = d.new_block(parent)
    d.jump(body, node=node)
    exception = handler_of(d, region, parent, node)
    onward, ended = d.new_block(), d.new_block()
    stop = d.constant(StopAsyncIteration, node)
    test = d.emit(OPERATORS["exc_match"], (exception, stop), None, node)
    d.terminate("branch", (test,), [(ended, ()), (onward, ())], node)
    d.start(ended)
    d.jump(exhausted, node=node)
    d.start(onward)
    d.terminate("reraise", (exception,), [], node)
    d.region = parent
    d.start(body)
    return item


@lowers(ast.AsyncFor)
def async_for(d: Draft, node: ast.AsyncFor) -> None:
    iterator = d.emit(OPERATORS["aiter"], (d.value(node.iter),), None, node.iter)
    header, after = d.new_block(), d.new_block()
    orelse = d.new_block() if node.orelse else after
    d.jump(header)
    d.start(header)
    item = next_item(d, iterator, orelse, node.target)
    assign(d, node.target, item)
    rounds(d, node, header, orelse, after)
