"""From a function object to its syntax tree.

    locate(Shop.total)      ->  Located(<function Shop.total>, <FunctionDef total>, private="Shop", ...)

The text comes from `linecache`, which knows files, notebook cells and whatever registered itself there.  The
whole text is parsed and compiled once; the tree node is found by name and first line (lambdas: by the
positions of their instructions), and the text is believed only if it compiles to the code that the function
runs.

Invariant: a `Located` node means exactly the function's code object: same instructions, constants, names.
"""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import linecache
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any, Final, NamedTuple, TypeAlias

from futamura.errors import UnsupportedError, diagnose
from futamura.frontend.collector import collector_paused
from futamura.ir.constant import whole_key
from futamura.ir.immediates import immediates_of
from futamura.source import unwarned

__all__ = ["Located", "locate", "same_code"]

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Found: TypeAlias = "tuple[FunctionNode, str | None]"
"""A node and the class whose private names it uses."""

_FUTURE: Final = functools.reduce(
    int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
_CACHED_TEXTS: Final = 64
"""Trees of that many texts are kept; a tree takes about a kilobyte for each line."""


class Located(NamedTuple):
    function: Any  # a FunctionType; declared as one, it would be taken for a method
    node: FunctionNode
    private: str | None
    file: str
    lines: list[str]
    stringized: bool
    """Whether annotations are strings: `from __future__ import annotations`."""
    made: dict[FunctionNode, Any]
    """For those who keep something for a tree: it lives as long as the text."""


def locate(target: object) -> Located:
    """The function in `target` and its tree; raises `UnsupportedError`."""
    candidates = list(_functions(target))
    if not candidates:
        raise UnsupportedError(diagnose("FT101", f"`{_describe(target)}` is not a function written in Python"))
    # The outermost one: what a `functools.wraps` wrapper does before and after is part of its meaning.
    function = candidates[0]
    for candidate in candidates:
        if linecache.getlines(_file(candidate), candidate.__globals__):
            function = candidate
            break
    file = _file(function)
    found = _found(function, _text(function))
    if isinstance(found, str):
        # The file may have changed since `linecache` read it.
        linecache.checkcache(file)
        found = _found(function, _text(function))
    if isinstance(found, str) and function.__code__.co_flags & _FUTURE:
        # Generated text may have been compiled without them, and got their effects written out.
        plain = _found(function, _text(function, 0))
        found = found if isinstance(plain, str) else plain._replace(stringized=False)
    if isinstance(found, str) and function.__code__.co_flags & inspect.CO_ITERABLE_COROUTINE:
        line = function.__code__.co_firstlineno
        title = f"`{function.__qualname__}` is a generator that can be awaited (`types.coroutine`)"
        raise UnsupportedError(diagnose("FT105", title, file=file, place=(line, 0, line, 0)))
    if isinstance(found, str):
        code = "FT108" if found.startswith("several") else "FT104"
        line = function.__code__.co_firstlineno
        title = f"the source of `{function.__qualname__}` does not fit its code: {found}"
        raise UnsupportedError(diagnose(code, title, file=file, place=(line, 0, line, 0)))
    return found


def _describe(target: object) -> str:
    name = getattr(target, "__qualname__", None)
    return name if isinstance(name, str) else type(target).__name__


def _functions(target: object) -> Iterator[FunctionType]:
    """The Python functions inside of methods, properties and wrappers, outermost first."""
    seen: list[object] = []
    while not any(target is known for known in seen):
        seen.append(target)
        if isinstance(target, FunctionType):
            yield target
            target = target.__dict__.get("__wrapped__")
        elif isinstance(target, (MethodType, staticmethod, classmethod)):
            target = target.__func__
        elif isinstance(target, property):
            target = target.fget
        elif isinstance(target, functools.cached_property):
            target = target.func
        elif isinstance(target, type):
            return
        else:
            target = getattr(target, "__wrapped__", None)


def _file(function: FunctionType) -> str:
    """The file of its text; modules that are frozen into the interpreter say elsewhere where theirs is."""
    file = function.__code__.co_filename
    if file.startswith("<frozen "):
        found = function.__globals__.get("__file__")
        return found if type(found) is str else file
    return file


def _text(function: FunctionType, future: int = _FUTURE) -> Text:
    """The text of the function's file, compiled with those of its flags that are in `future`."""
    file = _file(function)
    lines = linecache.getlines(file, function.__globals__)
    if not lines:
        raise UnsupportedError(diagnose("FT102", f"there is no source for `{function.__qualname__}`", file=file))
    flags = function.__code__.co_flags & future
    known = _TEXTS.get((file, flags))
    if known is not None and known.lines is lines:
        return known
    text = "".join(lines)
    if known is None or known.text != text:
        known = Text(file, text, flags, function.__qualname__)
        while len(_TEXTS) >= _CACHED_TEXTS:
            del _TEXTS[next(iter(_TEXTS))]
        _TEXTS[file, flags] = known
    known.lines = lines
    return known


class Text:
    """One source text: its tree and code, indexed."""

    def __init__(self, file: str, text: str, flags: int, wanted: str) -> None:
        self.file = file
        self.text = text
        self.flags = flags
        self.lines: list[str] = []
        self.made: dict[FunctionNode, Any] = {}
        try:
            self.tree, module = _compile(text, file, flags)
        except (SyntaxError, ValueError) as error:
            title = f"the source of `{wanted}` does not compile: {error}"
            raise UnsupportedError(diagnose("FT104", title, file=file)) from None
        self.codes: dict[tuple[str, int], list[CodeType]] = {}
        pending = [module]
        while pending:
            code = pending.pop()
            self.codes.setdefault((code.co_name, code.co_firstlineno), []).append(code)
            pending.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
        self.definitions = dict(_definitions(self.tree))
        self._lambdas: dict[int, list[Found]] | None = None

    @property
    def lambdas(self) -> dict[int, list[Found]]:
        """All lambdas by their line; most texts are never asked."""
        if self._lambdas is None:
            self._lambdas = {}
            for node, private in _lambdas(self.tree):
                self._lambdas.setdefault(node.lineno, []).append((node, private))
        return self._lambdas


_TEXTS: Final[dict[tuple[str, int], Text]] = {}


def _compile(text: str, file: str, flags: int) -> tuple[ast.Module, CodeType]:
    with unwarned():
        try:
            return _parsed(text, file, flags)
        except SyntaxError:
            # A notebook cell may await outside of functions.
            return _parsed(text, file, flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def _parsed(text: str, file: str, flags: int) -> tuple[ast.Module, CodeType]:
    with collector_paused():  # 3.11 takes a finalizer that compiles in between for broken recursion
        tree = compile(
            text, file, "exec", flags & ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST, dont_inherit=True
        )
    return tree, compile(text, file, "exec", flags, dont_inherit=True)


def _definitions(tree: ast.Module) -> Iterator[tuple[tuple[str, int], Found]]:
    """All `def` statements by name and first line (that of the first decorator)."""
    stack: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while stack:
        node, private = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            yield (node.name, first), (node, private)
        elif isinstance(node, ast.ClassDef):
            private = node.name
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            for child in getattr(node, field, ()):
                stack.append((child, private))


def _lambdas(tree: ast.Module) -> Iterator[tuple[ast.Lambda, str | None]]:
    stack: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while stack:
        node, private = stack.pop()
        if isinstance(node, ast.Lambda):
            yield node, private
        if isinstance(node, ast.ClassDef):
            outside = [*node.decorator_list, *node.bases, *node.keywords]
            stack.extend((child, private) for child in outside)
            stack.extend((child, node.name) for child in node.body)
            continue
        stack.extend((child, private) for child in ast.iter_child_nodes(node))


def _found(function: FunctionType, text: Text) -> Located | str:
    """The node of the function, or why it was not found."""
    code = function.__code__
    key = (code.co_name, code.co_firstlineno)
    immediates = immediates_of(code)
    if immediates is not None and text.text != immediates.text:
        return "it has changed"
    if immediates is None and not any(same_code(code, candidate) for candidate in text.codes.get(key, ())):
        return "it has changed"
    if code.co_name == "<lambda>":
        found = _lambda(code, text.lambdas.get(code.co_firstlineno, []))
        if found is None:
            return "several lambdas begin on that line"
    else:
        found = text.definitions.get(key)
        if found is None:
            return "no definition begins on that line"
    node, private = found
    stringized = bool(code.co_flags & __future__.annotations.compiler_flag)
    return Located(function, node, private, text.file, text.lines, stringized, text.made)


def _lambda(code: CodeType, nodes: list[Found]) -> Found | None:
    """The lambda whose body has the instructions of `code`: the smallest one that holds them all."""
    if len(nodes) == 1:
        return nodes[0]
    places = [place for place in code.co_positions() if None not in place and place[2:] != (0, 0)]
    if not places:
        return _constant_lambda(code, nodes)
    start = min((line, column) for line, _, column, _ in places)
    end = max((line, column) for _, line, _, column in places)
    best: Found | None = None
    for found in nodes:
        body = found[0].body
        assert isinstance(body, ast.expr)
        inside = (body.lineno, body.col_offset) <= start and end <= (body.end_lineno, body.end_col_offset)
        if inside and (best is None or _begins(body) > _begins(best[0].body)):
            best = found
    return best


def _begins(node: object) -> tuple[int, int]:
    assert isinstance(node, ast.expr)
    return node.lineno, node.col_offset


def _constant_lambda(code: CodeType, nodes: list[Found]) -> Found | None:
    """A lambda of a constant may have no positions; any lambda with the same code will do."""
    for found in nodes:
        module = compile(ast.Expression(found[0]), "<lambda>", "eval", dont_inherit=True)  # type: ignore[arg-type]
        inner = [constant for constant in module.co_consts if isinstance(constant, CodeType)]
        if inner and same_code(code, inner[-1]):
            return found
    return None


def same_code(first: CodeType, second: CodeType) -> bool:
    """Whether two code objects do the same thing under the same names.

    Places, file names and the flags of `__future__` do not count: what the flags change shows in the code.
    """
    if first is second:
        return True
    if (
        first.co_code != second.co_code
        or first.co_name != second.co_name
        or (first.co_flags ^ second.co_flags) & ~_FUTURE
        or first.co_names != second.co_names
        or first.co_varnames != second.co_varnames
        or first.co_freevars != second.co_freevars
        or first.co_cellvars != second.co_cellvars
        or first.co_exceptiontable != second.co_exceptiontable
        or _counts(first) != _counts(second)
        or len(first.co_consts) != len(second.co_consts)
    ):
        return False
    return all(_same_constant(left, right) for left, right in zip(first.co_consts, second.co_consts))


def _counts(code: CodeType) -> tuple[int, int, int]:
    return code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount


def _same_constant(first: object, second: object) -> bool:
    if isinstance(first, CodeType):
        return isinstance(second, CodeType) and same_code(first, second)
    return whole_key(first) == whole_key(second)
