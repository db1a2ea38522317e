"""The public names of futamura, each loaded when it is first used.

    import futamura
    futamura.roundtrip(function)        loads `futamura.driver`, calls `roundtrip` of it

Invariant: `import futamura` alone loads no other module of the package, so that a command starts at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from futamura.api import DYN, Dyn, Residual, Specializer, specialize
    from futamura.driver import roundtrip, roundtrip_source
    from futamura.errors import Diagnostic, FutamuraError, UnsupportedError

__all__ = [
    "DYN", "Diagnostic", "Dyn", "FutamuraError", "Residual", "Specializer", "UnsupportedError", "__version__",
    "roundtrip", "roundtrip_source", "specialize",
]  # fmt: skip

__version__ = "0.1.0"

_HOME = {
    "DYN": "futamura.api",
    "Diagnostic": "futamura.errors",
    "Dyn": "futamura.api",
    "FutamuraError": "futamura.errors",
    "Residual": "futamura.api",
    "Specializer": "futamura.api",
    "UnsupportedError": "futamura.errors",
    "roundtrip": "futamura.driver",
    "roundtrip_source": "futamura.driver",
    "specialize": "futamura.api",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
