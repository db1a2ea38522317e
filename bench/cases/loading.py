"""Loads the plain modules of a folder, which import each other by bare names.

    generic, data = modules(Path("examples/schema"), "validator", "order")

Invariant: the modules of one folder never stand for those of another; `sys.path` is as before afterwards.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["EXAMPLES", "home", "modules"]

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"

_loaded: dict[tuple[Path, str], Any] = {}


def modules(folder: Path, *names: str) -> list[Any]:
    """The modules of these names in `folder`, each loaded once."""
    before = set(sys.modules)
    hidden = {name: sys.modules.pop(name) for name in _siblings(folder) if name in sys.modules}
    sys.path.insert(0, str(folder))
    try:
        for name in _siblings(folder):
            if (folder, name) in _loaded:
                sys.modules[name] = _loaded[folder, name]
        for name in names:
            _loaded[folder, name] = importlib.import_module(name)
        found = [_loaded[folder, name] for name in names]
    finally:
        sys.path.remove(str(folder))
        for name in _siblings(folder):
            module = sys.modules.get(name)
            if module is not None and (name not in before or name in hidden):
                _loaded[folder, name] = sys.modules.pop(name)
        sys.modules.update(hidden)
    return found


@contextlib.contextmanager
def home(cls: type) -> Iterator[None]:
    """While it lasts, the module of a class that was loaded here can be imported by its name."""
    name = cls.__module__
    own = next((one for one in _loaded.values() if getattr(one, cls.__qualname__, None) is cls), None)
    before = sys.modules.get(name)
    if own is not None:
        sys.modules[name] = own
    try:
        yield
    finally:
        if own is not None:
            del sys.modules[name]
        if before is not None:
            sys.modules[name] = before


def _siblings(folder: Path) -> list[str]:
    return sorted(file.stem for file in folder.glob("*.py"))
