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
_CONTAINERS: Final = (list, str)
_TAKING_ITEMS: Final = (len, list, tuple, set, frozenset, sorted, enumerate, reversed, iter)
"""With a number these raise."""


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
    callee = args[0].value if name == "call" and type(args[0]) is Known else None
    if callee is isinstance:  # it is decided then
        asked = [arg.value for arg in args[2:] if type(arg) is Known]
        asked = [one for value in asked for one in (value if type(value) is tuple else (value,))]
        return next((one for one in (*_LIKELY, *_CONTAINERS) if any(one is other for other in asked)), None)
    known = [type(arg.value) if type(arg) is Known else arg.type for arg in args if type(arg) in (Known, Dynamic)]  # type: ignore[union-attr]
    others = [one for one in known if one in _LIKELY] if name != "format" else []
    indexed = name == "getitem" and type(args[0]) is Dynamic and args[0].rv in open_inputs
    takes_items = name in ("iter", "unpack") or indexed or any(callee is one for one in _TAKING_ITEMS)
    for kind in _CONTAINERS if takes_items else (*others, int, str):
        tried = [
            Dynamic(arg.rv, kind, arg.shape, arg.classes) if type(arg) is Dynamic and arg.rv in open_inputs else arg
            for arg in args
        ]
        if confined(state, name, tried, attr):
            return kind
    return None
