"""The residual: what a specialization gives back.

    pow5 = specialize(power, n=5)
    pow5(2)  32        pow5.source  'def power(x): ...'        pow5.save("pow5.py")

It is called like the original without the static parameters, looks like it (`inspect.signature`, `help`,
`inspect.getsource`), and travels between processes as source text.

Invariant: `function` does what the original does with the static inputs, whatever else is true; `stats` and `events`
say how much of that was specialized.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from futamura.another import Another, General, Snapshot, setting
from futamura.backend.python import guarding
from futamura.backend.python.emitted import Emitted
from futamura.backend.python.loading import load_residual
from futamura.codes import is_fallback
from futamura.entry import Promise, broken, calling, condition, differences, few_items, shallow, told_apart
from futamura.errors import Diagnostic
from futamura.explaining import explanation
from futamura.ir.graph import Signature
from futamura.saving import SavingError, module_text
from futamura.shipping import Shipped, apart_here, assumptions_of, printed_here, ship, shipped_key
from futamura.showing import shown
from futamura.specializer.aliasing import NONE_APART, Apart
from futamura.specializer.assumption import Assumption
from futamura.specializer.origins import Trace
from futamura.specializer.parting import HandedOver
from futamura.specializer.policy import Event
from futamura.writing import write

__all__ = ["Beside", "Printed", "Recipe", "Residual", "SavingError", "counts", "original_with"]


@dataclass(frozen=True, slots=True)
class Printed:
    """A residual program as Python: its text, and which parameters are left."""

    emitted: Emitted
    signature: Signature


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that a residual is made of."""

    target: Any
    """What was specialized: a function or a bound method."""
    static: Mapping[str, object]
    printed: Printed | None
    """None: the original runs."""
    assumptions: tuple[Assumption, ...]
    promises: tuple[Promise, ...]
    assume: str
    events: tuple[Event, ...]
    stats: Mapping[str, Any]
    apart: Apart = NONE_APART
    """Open inputs that may not be one of these static objects."""
    trace: Trace | str | None = None
    """What became of each source line; the finished text, if the residual came from elsewhere."""
    declared: tuple[str, ...] = ()
    """What the user promised of the program, was used, and is never tested."""
    handed_over: HandedOver | None = None
    """If given and set, static objects may have been changed since the residual was made."""
    left_out: Mapping[str, object] = field(default_factory=dict)
    """What these parameters are in the calls that the residual is for."""
    doubtful: bool = False
    """May what runs where a test fails change what is believed of static objects?"""


if TYPE_CHECKING:
    _Callable = staticmethod[..., Any]
else:
    _Callable = staticmethod


@dataclass(frozen=True, slots=True)
class Beside:
    """What runs in place of a residual in some calls (`another.py`)."""

    make: Callable[[], tuple[Callable[..., Any], bool]] | None
    """None: the original."""
    flags: Sequence[HandedOver]
    """Set before anything runs that may change what a residual believes, whether or not it is this one."""
    believed: Snapshot
    keeps: bool
    """May others keep what the program hands over, or does it run later, as a generator does?"""
    quiet: bool = False
    """Does what runs where a promise is broken change nothing, or set the flag itself?"""


class Residual(_Callable):
    """A specialized function.

    A static method is the callable object of Python that costs the least around a function: a call of it is passed on
    without code of ours.  As an attribute of a class it binds as what was specialized does: of a function it is a
    method.
    """

    def __init__(
        self,
        recipe: Recipe,
        general: Callable[..., Any] | General | None = None,
        alone: Callable[[], Residual] | None = None,
        another: Beside | None = None,
    ) -> None:
        """`general` runs where a promise is broken; `another` makes what runs once static objects were handed over, and
        where what calls leave out is given (`another.py`); `alone`, if given, makes the residual that a module gets
        instead: one without promises that nobody gave, that needs no other one, or with all that was assumed, for a
        module tests nothing of that."""
        target = recipe.target
        function: Any = target.__func__ if isinstance(target, types.MethodType) else target
        self._recipe: Final = recipe
        self._alone: Final = alone
        self.py_func: Final = target
        self.static: Final = dict(recipe.static)
        self.source: Final = "" if recipe.printed is None else recipe.printed.emitted.text
        self.assumptions: Final = recipe.assumptions
        self.events: Final = recipe.events
        counted = counts(recipe.events, specialized=recipe.printed is not None)
        self.stats: Final[dict[str, Any]] = {**recipe.stats, **counted}
        original = original_with(function, recipe.static)
        if recipe.printed is None:
            self.function: Callable[..., Any] = original
            signature = open_signature(function, recipe.static)
        else:
            self.function = self._entry(recipe.printed, function, original, general, another)
            signature = inspect.signature(self.function)
        self.doubts: Final = another is not None
        """May what runs in its place in some calls change what others believe?"""
        super().__init__(self.function)
        self.__signature__ = signature
        # what `inspect.iscoroutinefunction` and its like ask of anything that behaves as a function does
        code = self.function.__code__
        self.__code__ = code if code.co_flags & _KINDS == function.__code__.co_flags & _KINDS else function.__code__
        self.__defaults__ = self.function.__defaults__
        self.__kwdefaults__ = self.function.__kwdefaults__
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__
        self.__doc__ = function.__doc__

    def _entry(
        self,
        printed: Printed,
        function: types.FunctionType,
        original: Callable[..., Any],
        general: Callable[..., Any] | General | None,
        another: Beside | None,
    ) -> types.FunctionType:
        """The residual with its tests: inside of its own text where possible, else in a function around it."""
        tested = self.assumptions if self._recipe.assume == "check" else ()
        promises = self._recipe.promises
        if self._recipe.assume == "trust":
            promises = tuple(map(shallow, promises))
        few = {} if self._recipe.assume == "trust" else {promise.name: few_items(promise) for promise in promises}
        items = [found for found in few.values() if found is not None]
        writers = [
            functools.partial(condition, shallow(promise) if few.get(promise.name) else promise) for promise in promises
        ]
        strangers = differences(self._recipe.apart, printed.signature, promises)
        taken = [] if self._recipe.assume == "trust" else [write for _, write in self._taken(printed)]
        flag = self._recipe.handed_over
        general = general or original
        other: Callable[..., Any] | Another = original
        if another is not None:
            whole = original
            make = another.make or (lambda: (whole, True))
            other = Another(make, original, flag, another.believed, another.flags, keeps=another.keeps)
            original = setting(another.flags, original, keeps=another.keeps)
            if isinstance(general, General):
                general.flags = another.flags
            elif not another.quiet:
                general = setting(another.flags, general, keeps=another.keeps)
        elif flag is not None:
            general = original = setting((flag,), original, keeps=True)
        checks = [
            guarding.Check(general, writers, items=items, later=isinstance(general, General)),
            guarding.Check(original, [*taken, *strangers], tested),
        ]
        ours = [functools.partial(_is_default, *one) for one in self._recipe.left_out.items()]
        if ours or flag is not None:
            checks.insert(0, guarding.Check(other, ours, flag=flag, later=isinstance(other, Another)))
        inside = guarding.guarded(printed.emitted, printed.signature, checks, function.__globals__)
        if inside is not None:
            entry = load_residual(inside, function, printed.signature)
        else:
            made = self._untested()
            if not (tested or strangers or promises or taken or ours or flag is not None):
                return made
            outside = guarding.guarded(calling(made), printed.signature, checks, function.__globals__)
            assert outside is not None
            entry = load_residual(outside, function, printed.signature)
        if isinstance(other, Another):
            other.main = entry
        return entry

    def _untested(self) -> types.FunctionType:
        """The residual without any test."""
        printed, target = self._recipe.printed, self.py_func
        assert printed is not None
        function: Any = target.__func__ if isinstance(target, types.MethodType) else target
        return load_residual(printed.emitted, function, printed.signature)

    def __get__(self, instance: Any, owner: type | None = None, /) -> Any:
        if instance is None or isinstance(self.py_func, types.MethodType):
            return self
        return types.MethodType(self.function, instance)

    def explain(self) -> str:
        """The source with a mark before each line (static, dynamic, mixed), and why what is left had to be left."""
        recipe = self._recipe
        if isinstance(recipe.trace, str):
            return recipe.trace
        given = ", ".join(f"{name} = {shown(value)}" for name, value in self.static.items()) or "nothing"
        left = ", ".join(self.__signature__.parameters) or "nothing"
        footer = [f"promised, never tested: {promise}" for promise in recipe.declared]
        footer.extend(f"assumed: {assumption!r}" for assumption in self.assumptions)
        if recipe.printed is not None:
            apart, signature = recipe.apart, recipe.printed.signature
            footer.extend(f"told apart: {line}" for line in told_apart(apart, signature, recipe.promises, self.static))
        heading = f"{self.__qualname__}   static: {given}   open: {left}"
        return explanation(heading, recipe.trace, self.events, footer)

    def holds(self) -> bool:
        """Is everything that was assumed still so?"""
        return all(assumption.holds() for assumption in self.assumptions)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The events as they are shown to people."""
        return tuple(event.diagnostic() for event in self.events)

    def save(self, path: str | Path) -> Path:
        """Write the residual as a plain module, in one step; it needs no futamura at run time.

        Where a promise is broken the module raises `TypeError`, as far as its head does not say otherwise.  The head
        lists what was assumed of the program, which the module does not test: it is as it was when it was written.
        Raises `SavingError`, and leaves an existing file alone, if something has no form as source text.
        """
        return write(Path(path), self.module_text())

    def module_text(self) -> str:
        """The text that `save` writes."""
        if self._alone is not None:
            return self._alone().module_text()
        if self._recipe.printed is None:
            raise SavingError(f"`{self.__qualname__}` was not specialized: {self._reasons() or 'no reason was given'}")
        recipe, made = self._recipe, self._untested()
        assert recipe.printed is not None
        tested = [one for one in recipe.promises if recipe.assume == "check"]
        checks = [guarding.Check(made, [functools.partial(condition, one)], refusal=broken(one)) for one in tested]
        checks.extend(
            guarding.Check(made, [write], refusal=self._refusal(word)) for word, write in self._taken(recipe.printed)
        )
        emitted = guarding.guarded(recipe.printed.emitted, recipe.printed.signature, checks, made.__globals__)
        if emitted is None:
            emitted, tested = recipe.printed.emitted, []
        return module_text(emitted, made, self._described(tested), recipe.assumptions)

    def _refusal(self, word: str) -> str:
        """What Python says of an option that is named like this known parameter."""
        function = self.py_func
        if word in function.__code__.co_varnames[: function.__code__.co_argcount]:
            return f"{function.__qualname__}() got multiple values for argument {word!r}"
        return f"{function.__module__}.{function.__qualname__}() got multiple values for keyword argument {word!r}"

    def _taken(self, printed: Printed) -> list[tuple[str, Callable[[guarding.Constants], str]]]:
        """The parameters that are known, each with the test that no `**options` of the call is named so: the original
        refuses it."""
        options, code = printed.signature.varkw, self.py_func.__code__
        words = code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount]
        return [
            (word, functools.partial(lambda word, _: f"{word!r} not in {options}", word))
            for word in words
            if options is not None and word in self._recipe.static
        ]

    def _reasons(self) -> str:
        return "; ".join(event.reason for event in self.events if is_fallback(event.code))

    def _described(self, tested: Sequence[Promise]) -> list[str]:
        """The first comment lines of a saved module."""
        code = getattr(self.py_func, "__code__", None)
        place = "" if code is None else f" ({Path(code.co_filename).name}:{code.co_firstlineno})"
        lines = [f"{self.__module__}.{self.__qualname__}{place}, specialized by futamura."]
        lines.extend(f"static: {name} = {shown(value)}" for name, value in self.static.items())
        for promise in self._recipe.promises:
            lines.append(f"promised{'' if promise in tested else ', not tested here'}: {promise}")
        lines.extend(f"promised, never tested: {promise}" for promise in self._recipe.declared)
        return lines

    def __reduce__(self) -> tuple[Any, ...] | str:
        if _found_by_name(self) is self:  # as a function: the other process has made its own on import
            return self.__qualname__
        recipe = self._recipe
        if (recipe.handed_over is not None or recipe.left_out) and self._alone is not None:  # elsewhere there is one
            return self._alone().__reduce__()
        printed = recipe.printed
        shipped = ship(
            recipe.target, dict(recipe.static), recipe.assumptions, recipe.promises, recipe.assume,
            None if printed is None else (printed.emitted, printed.signature), recipe.events, dict(recipe.stats),
            self.explain(), recipe.declared, recipe.apart, doubtful=recipe.doubtful,
        )  # fmt: skip
        return rebuild, (shipped,)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={shown(value)}" for name, value in self.static.items())
        return f"<residual of {self.__qualname__}({given})>"


_KINDS: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR

_REBUILT: Final[dict[str, Residual]] = {}
"""Residuals that came from another process, by the digest of what they are made of: each is compiled once."""


def rebuild(shipped: Shipped) -> Residual:
    """The residual that `__reduce__` took apart.  What was assumed is looked up again in this process."""
    key = shipped_key(shipped)
    found = _REBUILT.get(key)
    if found is None:
        text = printed_here(shipped)
        printed = None if text is None else Printed(*text)
        recipe = Recipe(
            shipped.target, shipped.static, printed, assumptions_of(shipped), shipped.promises, shipped.assume,
            shipped.events, shipped.stats, apart_here(shipped), shipped.explained, shipped.declared,
            HandedOver() if shipped.doubtful else None, doubtful=shipped.doubtful,
        )  # fmt: skip
        found = _REBUILT[key] = Residual(recipe)
    return found


def _found_by_name(residual: Residual) -> object:
    """What has the residual's name in its module."""
    found: object = sys.modules.get(residual.__module__)
    for name in residual.__qualname__.split("."):
        found = inspect.getattr_static(found, name, None)
    return found


def _is_default(name: str, value: object, constant: guarding.Constants) -> str:
    """The test that a parameter is what it is by default."""
    plain = value is None or value is True or value is False
    return f"{name} is {value if plain else constant(value, name)}"


def counts(events: Sequence[Event], *, specialized: bool) -> dict[str, Any]:
    """Fallbacks and notes by code, and whether there is residual code at all."""
    fallbacks: dict[str, int] = {}
    notes: dict[str, int] = {}
    for event in events:
        found = fallbacks if is_fallback(event.code) else notes
        found[event.code] = found.get(event.code, 0) + 1
    return {"fallbacks": fallbacks, "notes": notes, "specialized": specialized}


def open_signature(function: Callable[..., Any], static: Mapping[str, object]) -> inspect.Signature:
    """The signature of the parameters that are left."""
    found = inspect.signature(function, follow_wrapped=False)
    left: list[inspect.Parameter] = []
    for parameter in reversed(list(found.parameters.values())):
        if parameter.name in static:
            continue
        positional = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        if positional and any(
            later.default is later.empty and later.kind in (later.POSITIONAL_ONLY, later.POSITIONAL_OR_KEYWORD)
            for later in left
        ):
            parameter = parameter.replace(default=parameter.empty)
        left.append(parameter)
    return found.replace(parameters=left[::-1])


def original_with(function: types.FunctionType, values: Mapping[str, object]) -> Callable[..., Any]:
    """The original with the static inputs bound, called like the residual."""
    if not values:
        return function
    kinds = inspect.Parameter
    names: dict[str, object] = {}

    def named(hint: str, value: object) -> str:
        name = f"_{hint}"
        while name in names or name in signature.parameters:
            name = f"_{name}"
        names[name] = value
        return name

    signature = inspect.signature(function, follow_wrapped=False)
    parameters: list[str] = []
    arguments: list[str] = []
    stars: dict[object, str] = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}
    for name, parameter in signature.parameters.items():
        kind, star = parameter.kind, stars.get(parameter.kind, "")
        value = named(name, values[name]) if name in values else name
        arguments.append(f"{name}={value}" if kind is kinds.KEYWORD_ONLY else star + value)
        if name in values:
            continue
        if parameters and parameters[-1] == "/" and kind is kinds.POSITIONAL_ONLY:
            parameters.pop()
        if kind is kinds.KEYWORD_ONLY and not any(part.startswith("*") for part in parameters):
            parameters.append("*")
        default = "" if parameter.default is kinds.empty else f"={named(f'default_{name}', parameter.default)}"
        parameters.append(f"{star}{name}{default}")
        if kind is kinds.POSITIONAL_ONLY:
            parameters.append("/")
    callee = named("function", function)
    call, make = (named(hint, None) for hint in ("call", "make"))
    del names[call], names[make]
    # held by cells: who asks what a function holds looks there
    text = (
        f"def {make}({', '.join(names)}):\n"
        f"    def {call}({', '.join(parameters)}):\n"
        f"        return {callee}({', '.join(arguments)})\n"
        f"    return {call}\n"
    )
    space: dict[str, Any] = {}
    exec(compile(text, f"<futamura original {function.__qualname__}>", "exec", dont_inherit=True), space)
    made = space[make](**names)
    assert isinstance(made, types.FunctionType)
    made.__name__, made.__qualname__ = function.__name__, function.__qualname__
    return made
