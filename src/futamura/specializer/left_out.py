"""Parameters that were not mentioned, and have defaults on which what follows depends: calls leave them out.

    def load(self, data, many=None):            specialize(schema.load):
        if many is None:                            def load(data, many=None):
            many = self.many              ->            return {...}           no call of `load` gives `many`

Where control depends on whether such a parameter is what it is by default, the residual becomes one for the calls that
leave it out.  That is tested at entry, and all other calls run the residual in which it is open.

Invariant: only None, True, False and what is compared with by `is` are believed so: a test by `is` tells all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from futamura.specializer.values import AbstractValue, Dynamic, Known

__all__ = ["Defaults", "Inputs", "param_of"]

Inputs: TypeAlias = tuple[Mapping[int, str], Mapping[int, int]]
"""The parameters by their residual values, and what values were before they were passed on."""

_SINGLE: Final = (None, True, False)
_TESTS: Final = frozenset({"truth", "not", "is", "is_not"})
_NOTHING: Final = object()


class Defaults:
    """The parameters that may be left out, and those that are."""

    def __init__(self) -> None:
        self.open: Mapping[str, object] = {}
        """What parameters are by default that nobody mentioned."""
        self.taken: Final[dict[str, object]] = {}
        self._tests: Final[dict[int, str]] = {}
        """Residual values that tell whether a parameter is what it is by default."""

    def note(self, inputs: Inputs, name: str, args: Sequence[AbstractValue], result: int) -> None:
        """The operator `name` of these operands gives `result`."""
        for at, arg in enumerate(args):
            param = param_of(inputs, arg.rv) if type(arg) is Dynamic and name in _TESTS else None
            if param is None:
                continue
            default = self.open.get(param, _NOTHING)
            if name in ("truth", "not"):
                if _is_single(default):
                    self._tests[result] = param
            else:
                other = args[1 - at]
                if type(other) is Known and other.value is default:
                    self._tests[result] = param

    def asked(self, inputs: Inputs, condition: int) -> str | None:
        """The parameter that control depends on, if it is to be left out from now on."""
        name = param_of(inputs, condition)
        if name is None or not _is_single(self.open.get(name, _NOTHING)):
            name = self._tests.get(condition)
        if name is None or name in self.taken:
            return None
        self.taken[name] = self.open[name]
        return name

    def give_up(self) -> bool:
        """What was tried failed: it may be because of this.  False if it cannot be."""
        tried = bool(self.taken)
        if tried:
            self.open = {}
            self.taken.clear()
        return tried


def param_of(inputs: Inputs, value: int) -> str | None:
    """The parameter that this residual value was, where it was passed on from one version to the next."""
    names, renames = inputs
    while value not in names:
        if value not in renames:
            return None
        value = renames[value]
    return names[value]


def _is_single(value: object) -> bool:
    return any(value is one for one in _SINGLE)
