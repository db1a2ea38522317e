"""Static values on the command line.

    n=5              a literal of Python            text=@hello.txt     the text of a file
    rules=@r.json    what a .json or .toml file says    data=@x.bin:bytes   its bytes
    program=-        standard input                 code=vm.py:SIEVE    something that a module defines
    x:float          left open, with a promise      xs:list[float]      the same
    order:Order      the same, with a class that the function's module has

Invariant: whatever is wrong is a `click.UsageError` with one sentence; nothing is evaluated but literals and imports.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
import tomllib
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from futamura.api import Dyn
from futamura.cli.target import TargetError, find_object
from futamura.ir.classes import is_a

__all__ = ["read_inputs"]

_KINDS: Final[dict[str, Any]] = {
    kind.__name__: kind
    for kind in (int, float, str, bytes, bool, complex, list, tuple, dict, set, frozenset, bytearray)
}
_CHECKED: Final = (int, float, str, bytes, bool, list, tuple, dict, set, frozenset)


def read_inputs(target: object, given: tuple[str, ...]) -> dict[str, object]:
    """The inputs of `target` by name: values, or `Dyn` for promises about open ones."""
    function = target.__func__ if isinstance(target, types.MethodType) else target
    if not isinstance(function, types.FunctionType):
        raise click.UsageError(f"'{getattr(target, '__name__', target)}' is not a function written in Python")
    parameters = inspect.signature(function, follow_wrapped=False).parameters
    found: dict[str, object] = {}
    for text in given:
        name, value = _read(text, function.__globals__)
        if name not in parameters:
            known = ", ".join(parameters) or "none"
            raise click.UsageError(f"{function.__qualname__}() has no parameter '{name}'; it has: {known}")
        if name in found:
            raise click.UsageError(f"'{name}' is given twice")
        _check(name, value, parameters[name].annotation)
        found[name] = value
    return found


def _read(text: str, namespace: Mapping[str, object]) -> tuple[str, object]:
    name, equals, value = text.partition("=")
    if equals and name.isidentifier():
        return name, _value(name, value)
    name, colon, kind = text.partition(":")
    if colon and name.isidentifier():
        return name, Dyn(_kind(text, kind, namespace))
    raise click.UsageError(f"'{text}' is not an input: write NAME=VALUE, or NAME:TYPE for one that stays open")


def _kind(text: str, kind: str, namespace: Mapping[str, object]) -> Any:
    try:
        tree = ast.parse(kind, mode="eval").body
    except SyntaxError:
        raise click.UsageError(f"'{text}': '{kind}' is not a type") from None
    return _kind_of(text, tree, namespace)


def _kind_of(text: str, tree: ast.expr, namespace: Mapping[str, object]) -> Any:
    match tree:
        case ast.Name(id=name) if name in _KINDS:
            return _KINDS[name]
        case ast.Subscript(value=ast.Name(id="list" | "set" | "frozenset" | "dict" | "tuple" as name), slice=inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            arguments = tuple(
                ... if isinstance(part, ast.Constant) and part.value is ... else _kind_of(text, part, namespace)
                for part in parts
            )
            if len(arguments) == {"list": 1, "set": 1, "frozenset": 1, "dict": 2}.get(name, len(arguments)):
                return types.GenericAlias(_KINDS[name], arguments)
        case ast.Name() | ast.Attribute() if (found := _class_named(tree, namespace)) is not None:
            return found
    known = f"{', '.join(_KINDS)}, or a class that the module of the function has"
    raise click.UsageError(f"'{text}': '{ast.unparse(tree)}' is not a type that can be promised: {known}")


def _class_named(tree: ast.expr, namespace: Mapping[str, object]) -> type | None:
    """The class that a name in the module, or an attribute of a module or class named there, is."""
    if isinstance(tree, ast.Name):
        found = namespace.get(tree.id)
    elif isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name):
        holder = namespace.get(tree.value.id)
        found = vars(holder).get(tree.attr) if is_a(holder, (types.ModuleType, type)) else None
    else:
        return None
    return found if is_a(found, type) else None


def _value(name: str, text: str) -> object:
    if text == "-":
        return sys.stdin.read()
    if text.startswith("@"):
        return _file(text[1:])
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    place, colon, path = text.rpartition(":")
    if colon and place and all(part.isidentifier() for part in path.split(".")):
        try:
            return find_object(text)
        except TargetError as error:
            raise click.UsageError(f"{name}: {error}") from None
    quoted = repr(text)
    raise click.UsageError(f"{name}: '{text}' is not a literal of Python; for a text write {name}=\"{quoted}\"")


def _file(text: str) -> object:
    place, colon, form = text.rpartition(":")
    if not colon or form not in ("bytes", "text", "json", "toml"):
        place, form = text, ""
    path = Path(place)
    form = form or {".json": "json", ".toml": "toml"}.get(path.suffix, "text")
    try:
        data = path.read_bytes()
        if form == "bytes":
            return data
        content = data.decode("utf-8")
        if form == "json":
            return json.loads(content)
        return tomllib.loads(content) if form == "toml" else content
    except OSError as error:
        raise click.UsageError(f"cannot read '{place}': {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise click.UsageError(f"'{place}' is not a text in UTF-8; for its bytes write @{place}:bytes") from None
    except (json.JSONDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise click.UsageError(f"'{place}' is not {form.upper()}: {error}") from None


def _check(name: str, value: object, annotation: object) -> None:
    """A value of another class than the plain one that the parameter is annotated with is a slip of the pen."""
    wanted = _KINDS.get(annotation) if isinstance(annotation, str) else annotation
    if wanted not in _CHECKED or isinstance(value, Dyn) or not isinstance(wanted, type):
        return
    if isinstance(value, wanted) or (wanted in (float, complex) and isinstance(value, int)):
        return
    raise click.UsageError(f"{name} is annotated as {wanted.__name__}, but a {type(value).__name__} is given")
