"""The instructions of compiled code, whatever its constants are.

    x + 1000...0 (5,000 digits)        `dis` writes each constant out, and an int of so many digits must not be

Invariant: constants other than texts are not looked at.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType

__all__ = ["instructions"]


def instructions(code: CodeType) -> Iterator[dis.Instruction]:
    """Those of this code alone; of its constants, only texts have their values."""
    constants = tuple([one if type(one) is str else None for one in code.co_consts])
    return dis.get_instructions(code.replace(co_consts=constants))
