"""Programs whose values do not remember their variables, as most values of residuals do not.

    v3:total = add v1:price, v2:tax     ->     v3 = add v1, v2

What prints such a program must find names and put expressions together with nothing to go by.
"""

from __future__ import annotations

from dataclasses import replace

from futamura.ir.graph import Function, Program

__all__ = ["unnamed"]


def unnamed(program: Program) -> Program:
    """The program without hints, but for those of captured variables, which say what they are called in closures."""
    return replace(program, functions=tuple(map(_unnamed, program.functions)))


def _unnamed(function: Function) -> Function:
    cells = {result for op in function.operations() if op.name == "cell" for result in op.results}
    return replace(
        function, hints=tuple(hint if value in cells else None for value, hint in enumerate(function.hints))
    )
