"""From the text TARGET to the function that it names.

    find("shop/cart.py:Cart.total")    imports the file, returns the function behind `Cart.total`
    find("textwrap:TextWrapper.wrap")  imports the module

A file inside a package is imported by its dotted name, so that relative imports work.  Invariant: whatever is wrong
with the text or with the target's module is a TargetError with one sentence; nothing else leaves `find`.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import inspect
import os
import sys
import types
from pathlib import Path

__all__ = ["TargetError", "find", "find_object"]


class TargetError(Exception):
    """The target cannot be found; the message is one sentence for the user."""


def find(text: str) -> object:
    """The function that `text` names, out of its static method, class method or property."""
    return _function(_walk(text)[0], text.rpartition(":")[2])


def find_object(text: str) -> object:
    """The object that `text` names, whatever it is."""
    found, owner = _walk(text)
    if isinstance(found, staticmethod | classmethod | property) and isinstance(owner, type):
        return getattr(owner, text.rpartition(".")[2])
    return found


def _walk(text: str) -> tuple[object, object]:
    """What `text` names, and what it was found in."""
    place, colon, path = text.rpartition(":")
    if not colon or not place or not path:
        raise TargetError(
            f"'{text}' is not a target: write path.py:function, path.py:Class.method or package.module:function"
        )
    if "<locals>" in path:
        raise TargetError(f"'{path}' is made when its enclosing function runs: name the enclosing function instead")
    if not all(part.isidentifier() for part in path.split(".")):
        raise TargetError(f"'{path}' is not a dotted name of a function")
    module = _load_file(place) if _is_file(place) else _load_module(place)
    found: object = module
    owner: object = None
    walked: list[str] = []
    for part in path.split("."):
        owner, found = found, _member(found, part, ".".join(walked) or place)
        walked.append(part)
    return found, owner


def _is_file(place: str) -> bool:
    return place.endswith(".py") or os.sep in place or "/" in place


def _load_module(name: str) -> types.ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise TargetError(f"'{name}' is neither a .py file nor a dotted name of a module")
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    return _imported(name, name)


def _load_file(place: str) -> types.ModuleType:
    file = Path(place)
    if not file.exists():
        raise TargetError(f"there is no file '{place}'")
    if not file.is_file():
        raise TargetError(f"'{place}' is not a file")
    file = file.resolve()
    name, root = file.stem, file.parent
    while (root / "__init__.py").exists() and root.name.isidentifier():
        name, root = (root.name if name == "__init__" else f"{root.name}.{name}"), root.parent
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    if "." in name:
        return _imported(name, place)
    other = "target_" + "".join(letter if letter.isalnum() else "_" for letter in name)
    for loaded in (sys.modules.get(name), sys.modules.get(other)):
        if loaded is not None and getattr(loaded, "__file__", None) == str(file):
            return loaded  # once only: its classes are what objects of it are compared with
    if name in sys.modules or name in sys.stdlib_module_names or not name.isidentifier():
        name = other
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise TargetError(f"'{place}' is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise TargetError(f"'{place}' cannot be imported: {_said(error)}") from error
    return module


def _imported(name: str, place: str) -> types.ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise TargetError(f"there is no module '{name}'") from None
        raise TargetError(f"'{place}' cannot be imported: {_said(error)}") from error
    except (Exception, SystemExit) as error:
        raise TargetError(f"'{place}' cannot be imported: {_said(error)}") from error


def _said(error: BaseException) -> str:
    text = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _member(owner: object, name: str, path: str) -> object:
    """The raw attribute, without calling descriptors."""
    if not isinstance(owner, types.ModuleType | type):
        raise TargetError(f"'{path}' is a {type(owner).__name__}, which has no functions inside that can be named")
    if isinstance(owner, type) and name.startswith("__") and not name.endswith("__"):
        name = f"_{owner.__name__.lstrip('_')}{name}"
    missing = object()
    found = inspect.getattr_static(owner, name, missing)
    if found is not missing:
        return found
    if isinstance(owner, types.ModuleType) and hasattr(owner, name):
        return getattr(owner, name)
    near = difflib.get_close_matches(name, [key for key in vars(owner) if not key.startswith("__")], 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise TargetError(f"'{path}' has no '{name}'{hint}")


def _function(found: object, path: str) -> object:
    """Out of the wrappers that a class or `functools` puts around a function."""
    while True:
        if isinstance(found, staticmethod | classmethod):
            found = found.__func__
        elif isinstance(found, property):
            found = found.fget
        elif isinstance(found, functools.cached_property | functools.partialmethod | functools.partial):
            found = found.func
        else:
            break
    if isinstance(found, type):
        raise TargetError(f"'{path}' is a class: name one of its methods")
    if not callable(found):
        raise TargetError(f"'{path}' is a {type(found).__name__}, not a function")
    return found
