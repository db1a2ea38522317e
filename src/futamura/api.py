"""`specialize`: a function and some of its inputs in, a residual function out.

    pow5 = specialize(power, n=5)
    pow5(2)              32
    print(pow5.source)   def power(x): ...

A `Residual` is called like the original without the static parameters.  What cannot be specialized calls the
original; `stats["fallbacks"]` and `events` say why.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any, Final

from futamura.driver import lower_for_specializer, residual_function
from futamura.frontend.contents import contents_are_constant, is_rebound
from futamura.specializer.online import Open, Outcome, specialize_function
from futamura.specializer.policy import Budget, Event
from futamura.specializer.world import Assumption

__all__ = ["DYN", "Dyn", "Residual", "Specializer", "specialize"]


class Dyn:
    """An input that stays open.  `Dyn(int)` promises its exact class: other values run the original."""

    def __init__(self, type: type | None = None) -> None:
        self.type: Final = type

    def __repr__(self) -> str:
        return "DYN" if self.type is None else f"Dyn({self.type.__name__})"


DYN: Final = Dyn()


class Residual:
    """A specialized function."""

    def __init__(
        self, function: Callable[..., Any], target: object, static: Mapping[str, object], outcome: Outcome, source: str
    ) -> None:
        self.py_func: Final = target
        self.static: Final = dict(static)
        self.source: Final = source
        self.assumptions: Final[tuple[Assumption, ...]] = outcome.assumptions
        self.events: Final[tuple[Event, ...]] = outcome.events
        self.function: Final = function
        fallbacks: dict[str, int] = {}
        for event in outcome.events:
            fallbacks[event.code] = fallbacks.get(event.code, 0) + 1
        self.stats: Final[dict[str, Any]] = {
            **outcome.stats,
            "fallbacks": fallbacks,
            "specialized": outcome.program is not None,
        }

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def holds(self) -> bool:
        """Is everything that was assumed still so?"""
        return all(assumption.holds() for assumption in self.assumptions)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r:.40}" for name, value in self.static.items())
        return f"<residual of {getattr(self.py_func, '__qualname__', self.py_func)} for {shown}>"


class Specializer:
    """Options of a specialization, reusable: `Specializer(polyvariance="all")(f, n=5)`.

    `assume` is "check" (assumptions are tested at every call, the original runs if one fails) or "trust".
    """

    def __init__(
        self, *, assume: str = "check", polyvariance: str = "auto", budget: Budget | None = None, strict: bool = False
    ) -> None:
        self.assume: Final = assume
        self.polyvariance: Final = polyvariance
        self.budget: Final = budget
        self.strict: Final = strict

    def __call__(self, target: Any, /, *args: object, **static: object) -> Residual:
        """The residual of `target` for these static inputs; `DYN` leaves a position open."""
        function = target.__func__ if isinstance(target, types.MethodType) else target
        if isinstance(target, types.MethodType):
            args = (target.__self__, *args)
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"{target!r} is not a function written in Python")
        inputs = _bind(function, args, static)
        values = {name: value for name, value in inputs.items() if not isinstance(value, Open)}
        outcome, found = self._specialized(function, inputs)
        if outcome.program is None or found is None:
            if self.strict:
                raise RuntimeError("; ".join(event.reason for event in outcome.events))
            return Residual(_original(function, values), target, values, outcome, "")
        made, source = found
        original = _original(function, values)
        types_of = [(name, value.type) for name, value in inputs.items() if isinstance(value, Open) and value.type]
        if types_of:
            made = _typed(made, original, types_of)
        if self.assume == "check" and outcome.assumptions:
            made = _checked(made, original, outcome.assumptions)
        return Residual(made, target, values, outcome, source)

    def _specialized(
        self, function: types.FunctionType, inputs: Mapping[str, object]
    ) -> tuple[Outcome, tuple[Callable[..., Any], str] | None]:
        """The residual program and its Python.  A fault of ours ends with the original and the event FT901."""
        outcome = self._outcome(function, inputs)
        if outcome.program is None:
            return outcome, None
        try:
            return outcome, residual_function(outcome.program, function)
        except RecursionError:
            event = Event("FT405", "the residual code is nested too deep: the original code is used")
        except Exception as broken:
            event = _fault("printing the residual code", broken)
        return Outcome(None, outcome.open, events=(*outcome.events, event), stats=outcome.stats), None

    def _outcome(self, function: types.FunctionType, inputs: Mapping[str, object]) -> Outcome:
        try:
            return specialize_function(
                function,
                inputs,
                lower_for_specializer,
                polyvariance=self.polyvariance,  # type: ignore[arg-type]
                budget=self.budget,
                rebinds=is_rebound,
                constant=contents_are_constant,
            )
        except Exception as broken:
            names = tuple(name for name, value in inputs.items() if isinstance(value, Open))
            return Outcome(None, names, events=(_fault("the specializer", broken),))


def _fault(part: str, broken: Exception) -> Event:
    """The event of an error in our own code, with the place where it was raised."""
    place = broken.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" in {place.tb_frame.f_code.co_name}, line {place.tb_lineno}" if place is not None else ""
    return Event("FT901", f"{part} failed: {type(broken).__name__}: {broken}{where}: the original code is used")


def specialize(target: Any, /, *args: object, **static: object) -> Residual:
    """The residual of `target` for these static inputs: `specialize(power, n=5)(2)` is `power(2, n=5)`.

    Positional values stand for the first parameters, `DYN` leaves one open.  Raises `TypeError` for a parameter that
    does not exist; never fails because of what the program does.
    """
    return Specializer()(target, *args, **static)


def _bind(function: types.FunctionType, args: tuple[object, ...], static: Mapping[str, object]) -> dict[str, object]:
    """Each parameter with its value, or `Open`."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    if len(args) > len(positional):
        raise TypeError(
            f"{function.__qualname__}() takes {len(positional)} positional arguments, {len(args)} were given"
        )
    given: dict[str, object] = dict(zip(positional, args))
    names = code.co_varnames[
        : code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    ]
    for name, value in static.items():
        if name not in names:
            raise TypeError(f"{function.__qualname__}() has no parameter {name!r}")
        if name in given:
            raise TypeError(f"{function.__qualname__}() got two values for {name!r}")
        given[name] = value
    inputs: dict[str, object] = {}
    for name in names:
        value = given.get(name, DYN)
        inputs[name] = Open(value.type) if isinstance(value, Dyn) else value
    return inputs


def _original(function: types.FunctionType, values: Mapping[str, object]) -> Callable[..., Any]:
    """The original with the static inputs bound, called like the residual."""
    signature = inspect.signature(function)
    kinds = inspect.Parameter
    open_names = [name for name in signature.parameters if name not in values]

    def call(*args: Any, **kwargs: Any) -> Any:
        positional: list[Any] = []
        rest = list(args)
        keywords = dict(kwargs)
        for name, parameter in signature.parameters.items():
            if parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
                if name in values:
                    positional.append(values[name])
                elif rest:
                    positional.append(rest.pop(0))
                elif name in keywords and parameter.kind is kinds.POSITIONAL_OR_KEYWORD:
                    positional.append(keywords.pop(name))
                elif parameter.default is not kinds.empty:
                    positional.append(parameter.default)
                else:
                    raise TypeError(f"{function.__name__}() missing 1 required positional argument: '{name}'")
            elif parameter.kind is kinds.VAR_POSITIONAL:
                positional.extend(values.get(name, rest))  # type: ignore[arg-type]
                rest = []
            elif parameter.kind is kinds.KEYWORD_ONLY and name in values:
                keywords[name] = values[name]
            elif parameter.kind is kinds.VAR_KEYWORD and name in values:
                keywords.update(values[name])  # type: ignore[call-overload]
        if rest:
            raise TypeError(
                f"{function.__name__}() takes {len(open_names)} positional arguments but {len(args)} were given"
            )
        return function(*positional, **keywords)

    return call


def _typed(
    made: Callable[..., Any], original: Callable[..., Any], wanted: list[tuple[str, type]]
) -> Callable[..., Any]:
    """Run the residual only if the open inputs are of the promised classes."""
    names = list(inspect.signature(made).parameters)
    checks = [(names.index(name), name, kind) for name, kind in wanted]

    def call(*args: Any, **kwargs: Any) -> Any:
        for position, name, kind in checks:
            value = args[position] if position < len(args) else kwargs.get(name, call)
            if type(value) is not kind:
                return original(*args, **kwargs)
        return made(*args, **kwargs)

    return call


def _checked(
    made: Callable[..., Any], original: Callable[..., Any], assumptions: tuple[Assumption, ...]
) -> Callable[..., Any]:
    """Run the residual only while its assumptions hold."""

    def call(*args: Any, **kwargs: Any) -> Any:
        for assumption in assumptions:
            if not assumption.holds():
                return original(*args, **kwargs)
        return made(*args, **kwargs)

    return call
