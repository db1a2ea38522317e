"""The hook that puts the compiled core into a wheel, where it is asked for: `HATCH_BUILD_HOOKS_ENABLE=1 pip install .`

Without that a wheel is pure Python, and fits every interpreter.
"""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledCore(BuildHookInterface):  # type: ignore[type-arg]
    """Compiles the core and adds its extension modules to the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is made; `version` is "editable" where the source itself is used."""
        if self.target_name != "wheel" or version == "editable":
            return
        self._scratch = tempfile.TemporaryDirectory()
        for file in _tool(Path(self.root)).build(Path(self._scratch.name), Path(self.root)):
            build_data["force_include"][str(file)] = file.relative_to(self._scratch.name).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called when the wheel is written."""
        if hasattr(self, "_scratch"):
            self._scratch.cleanup()


def _tool(root: Path) -> ModuleType:
    """`tools/compiled.py`, which is no part of what is installed."""
    spec = importlib.util.spec_from_file_location("compiled", root / "tools" / "compiled.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found
