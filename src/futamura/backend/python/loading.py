"""From emitted text to a function that stands in for the original.

    load(Emitted("total", "def total(a):\\n    return a * rate\\n", free=("rate",), ...), Shop.total)
        ->  a function with a code object of its own, and everything else as it was: globals, closure cells,
            defaults, annotations, attributes, names

A text is compiled once (`compiled`) and may be made a function many times, each with other cells.  Nothing is put into
the globals: constants, and functions that the text calls directly, come in through cells, or are put among the
constants of the code (`immediates`).

`swap(original, new)` puts new code into a function that must keep its identity.  Its closure cannot change, so for this
the text is compiled once more in a form in which constants are no free variables: they are loaded, in one tuple, from a
holder among the code's constants.

Invariant: a function made here reads and writes the very cells of the original.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any, Final, NamedTuple

from futamura.backend.python.emitted import Emitted
from futamura.backend.python.factory import FUTURE, codes_of, factory_text, marked, renamed
from futamura.backend.python.listing import SourceMap, enter, keep, nested_codes, source_map
from futamura.ir.constant import exact_key
from futamura.ir.graph import Signature
from futamura.ir.immediates import closure_of, free_names, put
from futamura.source import unwarned

__all__ = [
    "Compiled", "Identity", "code_for", "compiled", "identity_of", "load", "load_residual", "source_map", "swap",
]  # fmt: skip

_LAYOUT: Final = 0x04 | 0x08 | 0x20 | 0x80
"""CO_VARARGS | CO_VARKEYWORDS | CO_GENERATOR | CO_COROUTINE: flags that callers depend on."""

_FACTORY: Final = "_factory"
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Compiled:
    """Code objects that only lack their cells."""

    name: str
    code: CodeType
    siblings: tuple[tuple[str, CodeType], ...]
    constants: tuple[tuple[str, object], ...]
    recursive: bool

    def function(self, globals: dict[str, Any], cells: Mapping[str, CellType]) -> FunctionType:
        """A bare function; `cells` has the program's free variables by name."""
        known = dict(cells)
        for name, value in self.constants:
            known[name] = CellType(value)
        for name, _ in self.siblings:
            known[name] = CellType()
        if self.recursive:
            known[self.name] = CellType()
        made = _bare(self.code, globals, known)
        if self.recursive:
            known[self.name].cell_contents = made
        for name, code in self.siblings:
            known[name].cell_contents = _bare(code, globals, known)
        return made


def _bare(code: CodeType, globals: dict[str, Any], cells: Mapping[str, CellType]) -> FunctionType:
    return FunctionType(code, globals, code.co_name, None, tuple(cells[name] for name in code.co_freevars) or None)


class Identity(NamedTuple):
    """What a code object says about itself."""

    name: str
    qualname: str
    file: str
    """The source file that the spans of the text speak of."""
    flags: int = 0
    """Flags of `__future__`."""


def identity_of(function: FunctionType) -> Identity:
    code = function.__code__
    return Identity(code.co_name, code.co_qualname, code.co_filename, code.co_flags & FUTURE)


def compiled(emitted: Emitted, identity: Identity, *, path: Path | None = None, origin: str = "") -> Compiled:
    """Compile the text, list it (with `path`: write it to that file), and give the code its names."""
    text = factory_text(emitted)
    file = enter(identity.qualname.rpartition("<locals>.")[2], text.text, path, origin)
    codes = codes_of(text, _module(marked(text, emitted.immediates), file))
    main = codes.get(emitted.name) or codes["<lambda>"]
    # A lambda that is printed as a `def` keeps that name: a listed text must name what it defines.
    name = identity.name if identity.name.isidentifier() else main.co_name
    literals = (*(value for _, value in emitted.constants), *emitted.literals)
    code = with_literals(renamed(main, name, identity.qualname, identity.flags), literals)
    if emitted.immediates:
        values = dict(emitted.constants)
        code = put(code, text.text, {name: values[name] for name in emitted.immediates})
    qualnames = dict(emitted.qualnames)
    siblings = tuple(
        (name, with_literals(renamed(codes[name], name, qualnames.get(name, name), identity.flags), literals))
        for name in text.siblings
    )
    own = (*(name for name, _ in emitted.constants), *text.siblings, *((emitted.name,) if emitted.recursive else ()))
    spans = (None,) * text.header + emitted.spans
    found = SourceMap(text.text, identity.file, spans, own, emitted.name, text.factory)
    keep(file, [inner for outer in (code, *dict(siblings).values()) for inner in nested_codes(outer)], found)
    return Compiled(emitted.name, code, siblings, emitted.constants, emitted.recursive)


def _module(source: str | ast.Module, file: str) -> CodeType:
    """Compile a text in which every warning is one that the original gave before."""
    with unwarned():
        return compile(source, file, "exec", dont_inherit=True)


def cells_of(function: FunctionType) -> dict[str, CellType]:
    """The closure of a function by name."""
    return dict(zip(free_names(function.__code__), closure_of(function)))


def load(emitted: Emitted, original: FunctionType, *, path: Path | None = None) -> FunctionType:
    """The emitted function in the place of `original`; with `path`, its text is a real file."""
    made = compiled(emitted, identity_of(original), path=path).function(original.__globals__, cells_of(original))
    _adopt(made, original)
    made.__defaults__ = original.__defaults__
    made.__kwdefaults__ = None if original.__kwdefaults__ is None else dict(original.__kwdefaults__)
    made.__annotations__ = dict(original.__annotations__)
    return made


def load_residual(
    emitted: Emitted, original: FunctionType, signature: Signature, *, path: Path | None = None
) -> FunctionType:
    """The emitted function with the parameters of `signature`: of `original`'s parameters, those that are left.

    What remains keeps its default and its annotation.  A positional parameter loses its default if one without a
    default comes after it.
    """
    code = original.__code__
    origin = f"specialized from {Path(code.co_filename).name}:{code.co_firstlineno}"
    text = compiled(emitted, identity_of(original), path=path, origin=origin)
    made = text.function(original.__globals__, cells_of(original))
    _adopt(made, original)
    for name in ("__wrapped__", "__signature__"):
        # They describe the parameters of the original.
        made.__dict__.pop(name, None)
    defaults = defaults_of(original)
    kept: list[object] = []
    for name in reversed(signature.posonly + signature.regular):
        if name not in defaults:
            break
        kept.append(defaults[name])
    made.__defaults__ = tuple(reversed(kept)) or None
    made.__kwdefaults__ = {name: defaults[name] for name in signature.kwonly if name in defaults} or None
    left = {*signature.names, "return"}
    made.__annotations__ = {name: item for name, item in original.__annotations__.items() if name in left}
    return made


def with_literals(code: CodeType, literals: Sequence[object]) -> CodeType:
    """`code` with these very objects where its constants equal them: sentinels are told apart by identity."""
    originals: dict[object, object] = {}
    for value in literals:
        originals.setdefault(exact_key(value), value)
    return _with_originals(code, originals) if originals else code


def _with_originals(code: CodeType, originals: Mapping[object, object]) -> CodeType:
    found: list[object] = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found.append(_with_originals(constant, originals))
        elif type(constant) in (str, bytes, int, float, tuple):
            found.append(originals.get(exact_key(constant), constant))
        else:
            found.append(constant)
    if all(old is new for old, new in zip(code.co_consts, found)):
        return code
    return code.replace(co_consts=tuple(found))


def defaults_of(function: FunctionType) -> dict[str, object]:
    """The default values of a function's parameters by name."""
    values = function.__defaults__ or ()
    positional = function.__code__.co_varnames[: function.__code__.co_argcount]
    found: dict[str, object] = dict(zip(positional[len(positional) - len(values) :], values))
    found.update(function.__kwdefaults__ or {})
    return found


def _adopt(made: FunctionType, original: FunctionType) -> None:
    """Everything that does not depend on the parameters."""
    made.__name__ = original.__name__
    made.__qualname__ = original.__qualname__
    made.__doc__ = original.__doc__
    made.__module__ = original.__module__
    made.__dict__.update(original.__dict__)
    if hasattr(original, "__type_params__"):
        made.__type_params__ = original.__type_params__  # type: ignore[attr-defined]


# -------------------------------------------------------------------------------------------- in place


class Holder:
    """Among a code object's constants: what else the code uses.  Hashed by identity, as code objects are by value."""

    __slots__ = ("values",)

    def __init__(self, values: tuple[object, ...]) -> None:
        self.values: Final = values


def swap(original: FunctionType, new: FunctionType) -> FunctionType:
    """Put the code of `new`, which was loaded for `original`, into `original`, and return that.

    Raises ValueError where this is not possible; then nothing has changed.
    """
    original.__code__ = code_for(original, new)
    return original


def code_for(original: FunctionType, new: FunctionType) -> CodeType:
    """The code of `new` with the free variables of `original`, in their order."""
    old, code = original.__code__, new.__code__
    if _layout(old) != _layout(code):
        raise ValueError(f"`{new.__qualname__}` takes other parameters than `{original.__qualname__}`")
    mine, theirs = cells_of(original), cells_of(new)
    if old.co_freevars == code.co_freevars and all(mine[name] is theirs[name] for name in mine):
        return code
    found = source_map(new)
    if found is None:
        raise ValueError(f"`{new.__qualname__}` has other free variables than `{original.__qualname__}`")
    inner = {name: cell.cell_contents for name, cell in theirs.items() if name in found.constants}
    for name, cell in theirs.items():
        if name not in inner and mine.get(name) is not cell:
            raise ValueError(f"`{new.__qualname__}` has another free variable `{name}` than `{original.__qualname__}`")
    file = code.co_filename
    holder = f"constants of {file}"
    while holder in found.text:
        holder += "'"
    tree = _in_place(found, old.co_freevars, inner, holder)
    factory = _only(_module(tree, file), found.factory or _FACTORY)
    made = _only(factory, found.name)
    kept = Holder(tuple(inner.values()))
    made = made.replace(co_consts=tuple(kept if item == holder else item for item in made.co_consts))
    made = with_literals(renamed(made, code.co_name, code.co_qualname, code.co_flags & FUTURE), tuple(inner.values()))
    if made.co_freevars != old.co_freevars:
        raise ValueError(f"the free variables of `{original.__qualname__}` are in an order of their own")
    keep(file, nested_codes(made), found)
    return made


def _layout(code: CodeType) -> tuple[object, ...]:
    """What callers depend on: the numbers of parameters, their names, and what kind of function it is."""
    count = code.co_argcount + code.co_kwonlyargcount
    return (
        code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _LAYOUT,
        code.co_varnames[:count],
    )  # fmt: skip


def _only(code: CodeType, name: str) -> CodeType:
    found = [item for item in code.co_consts if isinstance(item, CodeType) and item.co_name == name]
    return found[-1]


def _in_place(found: SourceMap, free: tuple[str, ...], inner: Mapping[str, object], holder: str) -> ast.Module:
    """The tree of the text with exactly the free variables `free`; `inner` become local variables.

    A dead statement mentions all of `free`: variables that the new code does not use keep their place.
    """
    tree = ast.parse(found.text)
    if not found.factory:
        tree.body = [*ast.parse(f"def {_FACTORY}():\n    global {found.name}").body, *tree.body]
        head = tree.body[0]
        assert isinstance(head, ast.FunctionDef)
        head.body.extend(tree.body[1:])
        del tree.body[1:]
    (factory,) = tree.body
    assert isinstance(factory, ast.FunctionDef)
    factory.args.args = [ast.arg(name) for name in free]
    if found.name in free:
        factory.body = [item for item in factory.body if not isinstance(item, ast.Global)]
    function = [item for item in factory.body if isinstance(item, _DEFINITIONS) and item.name == found.name][-1]
    body = function.body
    if free:
        # At the end: a name must not be used before its `nonlocal`.
        body.append(ast.If(ast.Constant(0), [ast.Expr(ast.Name(name, ast.Load())) for name in free], []))
    if inner:
        values = ast.Attribute(ast.Constant(holder), "values", ast.Load())
        names: list[ast.expr] = [ast.Name(name, ast.Store()) for name in inner]
        first = 0 if ast.get_docstring(function, clean=False) is None else 1
        body.insert(first, ast.Assign([ast.Tuple(names, ast.Store())], values))
    return ast.fix_missing_locations(tree)
