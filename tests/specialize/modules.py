"""Modules that a test writes: their functions have a source, which specialization reads.

Invariant: the module is not in `sys.modules`, so that two tests may choose one name.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType


def written(folder: Path, name: str, text: str) -> ModuleType:
    """The module of this text."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
