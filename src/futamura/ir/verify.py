"""The verifier (placeholder while it is written)."""

from __future__ import annotations

from futamura.ir.graph import Function


class VerificationError(Exception):
    """A function breaks an invariant of the IR."""


def verify_function(function: Function) -> None:
    """Raise `VerificationError` if an invariant does not hold."""
