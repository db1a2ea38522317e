"""Classes of open inputs with which an operation would run no code of the program.

    self.pc = 7; self.out.append(str(x))      x open: `x.__str__` could look at self.pc, so it is stored back, and not
                                              known any more; with an int it could not: that class is guessed

Where something is lost for such an operation, the residual is made once more, for calls with these classes; all others
run the one that is made without the guess (FT409).

Invariant: a guess is tested at entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from futamura.specializer.confined import confined
from futamura.specializer.left_out import Inputs, param_of
from futamura.specializer.state import State
from futamura.specializer.values import AbstractValue, Dynamic, Known

__all__ = ["guessed"]

_LIKELY: Final = (int, float, str)


def guessed(state: State, inputs: Inputs, name: str, args: Sequence[AbstractValue], attr: object) -> Mapping[str, type]:
    """The classes of open inputs, by name, with which this operation would keep what is known of static objects."""
    if state.general or all(type(content) is Dynamic for content, _ in state.overlays.values()):
        return {}
    open_inputs = {
        arg.rv: param
        for arg in args
        if type(arg) is Dynamic and arg.type is None and (param := param_of(inputs, arg.rv)) is not None
    }
    if not open_inputs:
        return {}
    others = () if name == "format" else args
    classes = [type(arg.value) if type(arg) is Known else arg.type for arg in others if type(arg) in (Known, Dynamic)]  # type: ignore[union-attr]
    if name == "call" and type(args[0]) is Known and args[0].value is isinstance:  # it is decided then
        asked = [arg.value for arg in args[2:] if type(arg) is Known]
        return dict.fromkeys(open_inputs.values(), next((one for one in _LIKELY if one in asked), int))
    for kind in (*[one for one in classes if one in _LIKELY], int, str):
        tried = [
            Dynamic(arg.rv, kind, arg.shape, arg.classes) if type(arg) is Dynamic and arg.rv in open_inputs else arg
            for arg in args
        ]
        if confined(state, name, tried, attr):
            assert kind is not None
            return dict.fromkeys(open_inputs.values(), kind)
    return {}
