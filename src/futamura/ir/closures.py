"""Real Python callables and classes for the operators `function` and `class`.

    bind(shape of "def g(a, *, k)", run)   a Python function with that very signature that calls run((a, k))

Python binds the arguments: for each shape of a signature one tiny function is compiled, and its code object is renamed
for each use, so that errors, `inspect` and `help` see the names of the subject program.

Invariant: the callable's globals are the real ones of the program; it holds nothing of the interpreter but `run`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from types import CellType, CodeType, FunctionType
from typing import Any

from futamura.ir.attributes import ClassAttr
from futamura.ir.graph import Function, FunctionKind, Signature

__all__ = ["bind", "define_class"]


@cache
def _stub(posonly: int, regular: int, varargs: bool, kwonly: int, varkw: bool, kind: FunctionKind) -> CodeType:
    """The code of `def f(p0, /, p1, *p2, **p3): return run((p0, p1, p2, p3))`."""
    names = iter(f"p{index}" for index in range(posonly + regular + kwonly + 2))
    before = [next(names) for _ in range(posonly)]
    plain = [next(names) for _ in range(regular)]
    keywords = [next(names) for _ in range(kwonly)]
    stars = [next(names)] if varargs else []
    maps = [next(names)] if varkw else []
    parts = [*before, *(["/"] if before else []), *plain]
    if stars or keywords:
        parts.append("*" + "".join(stars))
    parts += [*keywords, *("**" + name for name in maps)]
    values = "".join(name + ", " for name in (*before, *plain, *keywords, *stars, *maps))
    waits = {"function": "", "generator": "yield from ", "coroutine": "await "}[kind]
    head = "async def" if kind == "coroutine" else "def"
    source = f"def outer(run):\n {head} stub({', '.join(parts)}):\n  return ({waits}run(({values})))\n return stub"
    namespace: dict[str, Any] = {}
    exec(compile(source, "<interpreter>", "exec", dont_inherit=True), namespace)
    code: CodeType = namespace["outer"](None).__code__
    return code


def _code(function: Function) -> CodeType:
    signature: Signature = function.signature
    code = _stub(
        len(signature.posonly), len(signature.regular), signature.varargs is not None, len(signature.kwonly),
        signature.varkw is not None, function.kind,
    )  # fmt: skip
    name = function.qualname.rpartition(".")[2]
    return code.replace(co_name=name, co_qualname=function.qualname, co_varnames=signature.names)


def bind(
    function: Function,
    run: Callable[[tuple[object, ...]], object],
    globals: dict[str, Any],
    *,
    defaults: tuple[object, ...] = (),
    kwdefaults: dict[str, object] | None = None,
    annotations: dict[str, object] | None = None,
) -> FunctionType:
    """A Python function with the signature of `function` that calls `run` with the bound arguments."""
    made = FunctionType(_code(function), globals, None, defaults or None, (CellType(run),))
    made.__kwdefaults__ = kwdefaults or None
    made.__annotations__ = annotations or {}
    made.__doc__ = function.doc
    return made


@cache
def _definition(attr: ClassAttr, qualname: str) -> CodeType:
    """The code of a function that executes the definition, with the names of `attr.free` as free variables."""
    maker, outer = "maker", "outer"
    taken = set(attr.free) | {attr.name}
    while maker in taken or outer in taken:
        maker, outer = maker + "_", outer + "_"
    lines = [f"def {outer}({', '.join(attr.free)}):", f" def {maker}():"]
    if attr.name in attr.free:
        lines.append(f"  nonlocal {attr.name}")
    marker = f"  {attr.name} = None"
    lines += [marker, f"  return {attr.name}", f" return {maker}"]
    tree = _parse("\n".join(lines), attr, marker)
    module = compile(tree, "<definition>", "exec", dont_inherit=True)
    outer_code = _nested(module, outer)
    inner = _nested(outer_code, maker)
    return _requalified(inner, f"{outer}.<locals>.{maker}.<locals>.", f"{qualname}.<locals>.")


def _parse(frame: str, attr: ClassAttr, marker: str) -> Any:
    """The syntax tree of the frame, with the definition in the place of the marker.

    Trees are joined, not texts: indenting the source would change its multi-line strings.
    """
    tree = ast.parse(frame)
    body = tree.body[0].body[0].body  # type: ignore[attr-defined]
    place = next(index for index, item in enumerate(body) if ast.unparse(item) == marker.strip())
    body[place : place + 1] = ast.parse(attr.source).body
    return ast.fix_missing_locations(tree)


def _nested(code: CodeType, name: str) -> CodeType:
    return next(item for item in code.co_consts if isinstance(item, CodeType) and item.co_name == name)


def _requalified(code: CodeType, old: str, new: str) -> CodeType:
    """The code with qualified names that begin with `new` instead of `old`, all the way down."""
    name = code.co_qualname

    def renamed(item: object) -> object:
        if isinstance(item, CodeType):
            return _requalified(item, old, new)
        # A class body assigns its own qualified name to __qualname__.
        return new + item[len(old) :] if isinstance(item, str) and item == name and item.startswith(old) else item

    consts = tuple([renamed(item) for item in code.co_consts])
    qualname = new + name[len(old) :] if name.startswith(old) else name
    return code.replace(co_consts=consts, co_qualname=qualname)


def define_class(attr: ClassAttr, qualname: str, globals: dict[str, Any], cells: tuple[CellType, ...]) -> object:
    """Execute the definition inside the function `qualname`, its free variables in the given cells."""
    code = _definition(attr, qualname)
    by_name = dict(zip(attr.free, cells))
    return FunctionType(code, globals, None, None, tuple([by_name[name] for name in code.co_freevars]))()
