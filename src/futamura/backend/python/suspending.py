"""What suspends its function, and the calls around the body of a `with` that is written without the statement.

    yield x                  await x                with_exit leave          with_unwind leave, e
    (yield x)                await x                leave(None, None, None)  leave(type(e), e, e.__traceback__)

What `async with` calls is awaited, and so is a coroutine function of the program itself.  `aiter` and `anext` have
texts of their own only where they are no `async for` (`asyncloops.py`).
"""

from __future__ import annotations

from futamura.backend.python.expressing import ATOM, AWAIT, RULES, TEST, TUPLE, Expressions
from futamura.backend.python.trees import Literal, Node
from futamura.ir.attributes import ASYNC
from futamura.ir.constant import Constant
from futamura.runtime import async_item, async_iterator

__all__: list[str] = []


def _yield(e: Expressions, tree: Node) -> tuple[str, int]:
    item = tree.kids[0]
    if tree.op.name == "yield" and isinstance(item, Literal) and item.constant == Constant(None):
        return "(yield)", ATOM
    word = "yield" if tree.op.name == "yield" else "yield from"
    return f"({word} {e.text(item, TEST if tree.op.name == 'yield_from' else TUPLE)})", ATOM


def _await(e: Expressions, tree: Node) -> tuple[str, int]:
    return f"await {e.text(tree.kids[0], ATOM)}", AWAIT


def _aiter(e: Expressions, tree: Node) -> tuple[str, int]:
    return f"{e.context.constant(async_iterator)}({e.text(tree.kids[0])})", ATOM


def _anext(e: Expressions, tree: Node) -> tuple[str, int]:
    return _awaited(f"{e.context.constant(async_item)}({e.text(tree.kids[0])})", True)


def _awaited(text: str, waits: bool) -> tuple[str, int]:
    return (f"await {text}", AWAIT) if waits else (text, ATOM)


def _invoke(e: Expressions, tree: Node) -> tuple[str, int]:
    name = str(tree.op.attr)
    return _awaited(f"{name}({', '.join(e.text(kid) for kid in tree.kids)})", e.context.is_awaited(name))


def _with_unwind(e: Expressions, tree: Node) -> tuple[str, int]:
    leaving, exception = (e.text(kid) for kid in tree.kids)
    text = f"{leaving}({e.context.constant(type)}({exception}), {exception}, {exception}.__traceback__)"
    return _awaited(text, tree.op.attr == ASYNC)


def _with_exit(e: Expressions, tree: Node) -> tuple[str, int]:
    return _awaited(f"{e.text(tree.kids[0])}(None, None, None)", tree.op.attr == ASYNC)


RULES["yield"] = _yield
RULES["yield_from"] = _yield
RULES["await"] = _await
RULES["invoke"] = _invoke
RULES["aiter"] = _aiter
RULES["anext"] = _anext
RULES["with_unwind"] = _with_unwind
RULES["with_exit"] = _with_exit
