"""Modules that tests write and import, once for the residual and once for the original: each has a state of its own."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import textwrap
from pathlib import Path
from typing import Any

__all__ = ["outcome", "shown", "twin"]

_NUMBERS = itertools.count()


def twin(tmp_path: Path, text: str) -> Any:
    """A new module of this text, in a file of its own."""
    name = f"twin_{next(_NUMBERS)}"
    path = tmp_path / f"{name}.py"
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    spec.loader.exec_module(made)
    return made


def outcome(function: Any, *args: Any) -> Any:
    """What the call gives, or raises."""
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def shown(function: Any, *args: Any) -> Any:
    """What the call gives, as text without addresses, or raises."""
    try:
        return repr(function(*args)).split(" at 0x")[0]
    except Exception as error:
        return type(error), str(error)
