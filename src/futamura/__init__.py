"""The public names of futamura, each loaded when it is first used.

    import futamura
    futamura.roundtrip(function)        loads `futamura.driver`, calls `roundtrip` of it

Invariant: `import futamura` alone loads no other module of the package but the controls, so that a command starts at
once.  The controls are bound from the start: specialization finds `futamura.static` of a program there.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from futamura.controls import dynamic, inline, opaque, peek, promote, pure, static, unroll

if TYPE_CHECKING:
    from futamura.api import DYN, Dyn, Residual, Specializer, specialize
    from futamura.driver import roundtrip, roundtrip_source
    from futamura.errors import Diagnostic, FutamuraError, SpecializationError, UnsupportedError
    from futamura.saving import SavingError
    from futamura.specializer.policy import Budget

__all__ = [  # noqa: RUF022 (plain order)
    "Budget", "DYN", "Diagnostic", "Dyn", "FutamuraError", "Residual", "SavingError", "SpecializationError",
    "Specializer", "UnsupportedError", "__version__", "dynamic", "inline", "opaque", "peek", "promote", "pure",
    "roundtrip", "roundtrip_source", "specialize", "static", "unroll",
]  # fmt: skip

__version__ = "0.1.0"

_HOME = {
    "Budget": "futamura.specializer.policy",
    "DYN": "futamura.api",
    "Diagnostic": "futamura.errors",
    "Dyn": "futamura.api",
    "FutamuraError": "futamura.errors",
    "Residual": "futamura.api",
    "SavingError": "futamura.saving",
    "SpecializationError": "futamura.errors",
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
