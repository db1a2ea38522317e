"""Parameters that were not mentioned, and have defaults on which what follows depends: calls leave them out.

    def load(self, data, many=None):            specialize(schema.load):
        if many is None:                            def load(data, many=None):
            many = self.many              ->            return {...}           no call of `load` gives `many`

Where control depends on whether such a parameter is what it is by default, or a number or text that it is by default
would tell how often a loop runs (`range(rounds)`) or what comes out of something known (`TEXT.split(sep)`,
`TABLE[mode]`), the residual becomes one for the calls that leave it out.  That is tested at entry, and all other calls
run the residual in which it is open.

Invariant: only None, True, False, numbers and texts, and what is compared with by `is`, are believed so: a test by `is`
tells all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from futamura.specializer.values import AbstractValue, Dynamic, Known

__all__ = ["ASKING", "Defaults", "Inputs", "param_of"]

Inputs: TypeAlias = tuple[Mapping[int, str], Mapping[int, int]]
"""The parameters by their residual values, and what values were before they were passed on."""

_PLAIN: Final = (type(None), bool, int, float, str, bytes)
_TRUTH: Final = frozenset({"truth", "not"})
_SAME: Final = frozenset({"is", "is_not"})
_COMPARING: Final = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "in", "not_in"})
_TAKING: Final = frozenset({"iter", "getitem", "call"})
_STEPPING: Final = (range, enumerate, reversed, zip)
ASKING: Final = _TRUTH | _SAME | _COMPARING | _TAKING
"""Operators of which `Defaults.note` wants to hear."""
_NOTHING: Final = object()


class Defaults:
    """The parameters that may be left out, and those that are."""

    def __init__(self) -> None:
        self.open: Mapping[str, object] = {}
        """What parameters are by default that nobody mentioned."""
        self.taken: Final[dict[str, object]] = {}
        self._tests: Final[dict[int, str]] = {}
        """Residual values that tell whether a parameter is what it is by default."""

    def begin(self) -> None:
        """An attempt begins: residual values are numbered anew."""
        self._tests.clear()

    def note(
        self, inputs: Inputs, name: str, args: Sequence[AbstractValue], result: int, told: Sequence[bool]
    ) -> str | None:
        """The operator `name` of these operands gives `result`.  The parameter that is to be left out from now on, if
        this is to be known; `told` says which operands are."""
        if name in _TRUTH and (test := self._tests.get(getattr(args[0], "rv", -1))) is not None:
            self._tests[result] = test
            return None
        for at, arg in enumerate(args):
            param = param_of(inputs, arg.rv) if type(arg) is Dynamic else None
            default = self.open.get(param, _NOTHING) if param is not None else _NOTHING
            if param is None or default is _NOTHING:
                continue
            if name in _SAME:
                other = args[1 - at]
                if type(other) is Known and other.value is default:
                    self._tests[result] = param
            elif type(default) not in _PLAIN:
                continue
            elif name in _TRUTH:
                self._tests[result] = param
            elif not (_takes_item(name, args, at) or self._is_told(inputs, args, told)):
                continue
            elif name in _COMPARING:
                self._tests[result] = param
            elif _takes(name, args, at) and param not in self.taken:
                self.taken[param] = default
                return param
        return None

    def _is_told(self, inputs: Inputs, args: Sequence[AbstractValue], told: Sequence[bool]) -> bool:
        """Are all operands known, but for these parameters?"""
        return all(one or self._is_plain(inputs, arg) for one, arg in zip(told, args))

    def _is_plain(self, inputs: Inputs, value: AbstractValue) -> bool:
        """Is this another one of these parameters?"""
        name = param_of(inputs, value.rv) if type(value) is Dynamic else None
        return name is not None and type(self.open.get(name, _NOTHING)) in _PLAIN

    def asked(self, inputs: Inputs, condition: int) -> str | None:
        """The parameter that control depends on, if it is to be left out from now on."""
        name = param_of(inputs, condition)
        if name is None or type(self.open.get(name, _NOTHING)) not in _PLAIN:
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


def _takes_item(name: str, args: Sequence[AbstractValue], at: int) -> bool:
    """Is this the key of an item of a container that is known?"""
    return name == "getitem" and at == 1 and type(args[0]) is not Dynamic


def _takes(name: str, args: Sequence[AbstractValue], at: int) -> bool:
    """Does the operator step through operand `at`, or take something out of what is known by it?"""
    if name != "call":
        return name == "iter" or _takes_item(name, args, at)
    callee = args[0]
    if type(callee) is Known:
        return any(callee.value is one for one in _STEPPING)
    return at > 0  # a method of something known
