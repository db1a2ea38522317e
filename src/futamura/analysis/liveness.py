"""Liveness for the passes: the one of `ir/liveness.py`, which the continuations need already below this rank.

Liveness(function).into(3)       values live where block 3 begins
Liveness(function).at(3, 1)      live-ins of the point before its second operation
"""

from __future__ import annotations

from futamura.ir.liveness import Liveness, end_uses

__all__ = ["Liveness", "end_uses"]
