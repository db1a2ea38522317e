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

__all__ = ["guess"]

_LIKELY: Final = (int, float, str)


def guess(
    missed: dict[str, type], state: State, inputs: Inputs, name: str, args: Sequence[AbstractValue], attr: object
) -> None:
    """Note the classes of open inputs with which this operation would keep what is known of static objects."""
    if state.general or all(type(content) is Dynamic for content, _ in state.overlays.values()):
        return
    open_inputs = {
        arg.rv: param
        for arg in args
        if type(arg) is Dynamic and arg.type is None and (param := param_of(inputs, arg.rv)) is not None
    }
    kind = _kind(state, open_inputs, name, args, attr) if open_inputs else None
    if kind is not None:
        for param in open_inputs.values():
            missed.setdefault(param, kind)


def _kind(
    state: State, open_inputs: Mapping[int, str], name: str, args: Sequence[AbstractValue], attr: object
) -> type | None:
    """The class that all these operands would have to be of."""
    if name == "call" and type(args[0]) is Known and args[0].value is isinstance:  # it is decided then
        asked = [arg.value for arg in args[2:] if type(arg) is Known]
        return next((one for one in _LIKELY if one in asked), int)
    known = [type(arg.value) if type(arg) is Known else arg.type for arg in args if type(arg) in (Known, Dynamic)]  # type: ignore[union-attr]
    others = [one for one in known if one in _LIKELY] if name != "format" else []
    for kind in (*others, int, str):
        tried = [
            Dynamic(arg.rv, kind, arg.shape, arg.classes) if type(arg) is Dynamic and arg.rv in open_inputs else arg
            for arg in args
        ]
        if confined(state, name, tried, attr):
            return kind
    return None
