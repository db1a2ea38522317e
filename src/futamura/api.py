"""`specialize`: a function and some of its inputs in, a residual function out.

    pow5 = specialize(power, n=5)
    pow5(2)              32
    print(pow5.source)   def power(x): ...

What cannot be specialized calls the original; `stats["fallbacks"]` and `events` say why.  `Specializer` has options.
"""

from __future__ import annotations

import copy
import functools
import inspect
import time
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from futamura.analysis.division import KINDS, POINTS
from futamura.another import General, Snapshot, disturbs, folds_as_much, independent, setting
from futamura.codes import is_fallback
from futamura.drafts import Draft
from futamura.driver import lower_for_specializer, residual_text
from futamura.entry import Promise, contents, differences
from futamura.errors import SpecializationError, UnsupportedError, diagnose
from futamura.frontend import contents as modules
from futamura.frontend.collector import collector_paused
from futamura.ir.classes import is_a
from futamura.naming import declared, declared_cache
from futamura.open_inputs import DYN, Dyn
from futamura.residual import Beside, Printed, Recipe, Residual, original_with
from futamura.specializer.annotated import fields_of
from futamura.specializer.declared import Declared
from futamura.specializer.finding import Finding
from futamura.specializer.likely_classes import is_unsettled, is_worth_a_test, likely_classes
from futamura.specializer.offline.linking import specialize_function_offline
from futamura.specializer.offline.offline import OfflineOptions
from futamura.specializer.online import Open, Outcome, specialize_function
from futamura.specializer.overloads import what_to_specialize
from futamura.specializer.parting import Asked, HandedOver
from futamura.specializer.policy import Budget, Event

__all__ = ["DYN", "Dyn", "Residual", "Specializer", "specialize"]


_SUSPENDED: Final = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_UNSAID: Final = Dyn()
"""The same, where nobody has said anything."""
_LESS: Final = 8
"""What does not come to an end has this part of the work once more, for likely classes."""


class Specializer:
    """Options of a specialization, reusable: `Specializer(polyvariance="all")(f, n=5)`.

    assume        "check": assumptions are tested at every call, the original runs if one fails; "trust": they are not,
                  nor are the items of containers whose contents are promised
    polyvariance  "auto", "all" (every known value tells copies of code apart), "none"
    budget        limits, see `Budget`
    frozen        objects, or names like "shop.RATES": nobody writes them, nor what they reach, while residuals are used
    caches        dicts, functions in `functools.lru_cache`, `cached_property` objects, or names like "shop._memo" and
                  "shop.Order._total" (an attribute that is None until it is needed, or holds a dict): an entry may be
                  there or not, and never changes; what the program itself would put there is found out
    bool_comparisons  `==`, `!=`, `<`, `<=`, `>` and `>=` of values of unknown class give True or False, as those of the
                  builtin classes do (those of arrays and of columns of a query do not): what combines them is shorter
    annotated     classes, or names like "shop.Order": what their instances hold is of exactly the classes that the
                  annotations say (`int` is no bool, `float` no int, a class is one of `annotated` or an enumeration),
                  at any time: what the function itself stores there, or puts into a list that is there, keeps to it
    watch         called now and then with the source blocks executed, the operations left, and a place
    strict        whatever is not specialized raises `SpecializationError`
    mode          "online", or "offline": a binding-time analysis decides before what is static (docs/binding-times.md)
    division      offline: "simple", "safe" or "bounded"
    points        offline: "uniform", "pointwise" or "polyvariant"
    """

    def __init__(
        self,
        *,
        assume: str = "check",
        polyvariance: str = "auto",
        budget: Budget | None = None,
        strict: bool = False,
        frozen: Sequence[object] = (),
        caches: Sequence[object] = (),
        bool_comparisons: bool = False,
        annotated: Sequence[object] = (),
        watch: Callable[[int, int, str], None] | None = None,
        mode: str = "online",
        division: str = "safe",
        points: str = "pointwise",
    ) -> None:
        if assume not in ("check", "trust"):
            raise ValueError(f'assume is "check" or "trust", not {assume!r}')
        if polyvariance not in ("auto", "all", "none"):
            raise ValueError(f'polyvariance is "auto", "all" or "none", not {polyvariance!r}')
        self.assume: Final = assume
        self.polyvariance: Final = polyvariance
        self.budget: Final = budget
        self.strict: Final = strict
        self.frozen: Final = tuple(map(declared, frozen))
        self.caches: Final = tuple(map(declared_cache, caches))
        self.bool_comparisons: Final = bool_comparisons
        self.annotated: Final = fields_of([declared(item) for item in annotated])
        self.watch: Final = watch
        self._leaves_out = True
        """May a residual be one for calls that leave out what has a default?"""
        self._parts = True
        """May a residual pass later calls on, once it has handed a static object to code that is not known?"""
        self._weighs = True
        """Is what was assumed weighed against what it saves?"""
        self.mode: Final = mode
        self.division: Final = division
        self.points: Final = points
        self._offline: Final = _offline_options(mode, division, points)

    def __call__(self, target: Any, /, *args: object, **static: object) -> Residual:
        """The residual of `target` for these static inputs; `DYN` leaves a position open.

        An object with a `__call__` written in Python is that method; what a `functools.partial`, or a residual, has
        bound is static too.  The collector rests meanwhile: nearly all that is made is freed without it, and it would
        look at all that is alive again and again.
        """
        with collector_paused():
            inner, given, named = _opened(target)
            twice = sorted(named.keys() & static.keys())
            if twice:
                raise TypeError(f"{_called(target)} has bound {twice[0]!r} already")
            return self._residual(_call_method(inner), (*given, *args), {**named, **static})

    def _residual(self, target: Any, args: tuple[object, ...], static: dict[str, object]) -> Residual:
        if self.strict and (self._parts or self._leaves_out):  # nothing is made later
            return self.in_one()._residual(target, args, static)
        function = target.__func__ if isinstance(target, types.MethodType) else target
        given = (target.__self__, *args) if isinstance(target, types.MethodType) else args
        if not isinstance(function, types.FunctionType):
            raise UnsupportedError(diagnose("FT101", f"`{_called(target)}` is not a function written in Python"))
        inputs = _bind(function, given, static)
        made, outcome = self._best(_Family(target, function), inputs, ())
        if outcome.handed_over is not None and (self.budget or Budget()).seconds is None:
            alone, found = self._without("_parts")._best(_Family(target, function), inputs, ())
            found.add_seconds(outcome)
            if folds_as_much(found, outcome):
                made, outcome = alone, found
        if self.strict:
            _require(outcome)
        return made

    def _best(
        self, family: _Family, inputs: Mapping[str, object], given_up: Sequence[object]
    ) -> tuple[Residual, Outcome]:
        """The residual for these inputs: the one for guessed classes, if that is better."""
        plain = self._draft(family, inputs, None, given_up)
        outcome = plain.outcome
        if self.assume != "check" or self._offline is not None:
            return plain.finish()
        guesses = _left_open(inputs, {name: Dyn(kind) for name, kind in outcome.guesses.items()})
        if guesses:
            better, found = self._made(family, {**inputs, **guesses}, plain)
            believed = set(map(id, outcome.believed))
            if any(id(one) in believed for one in found.escaped):  # the one without guesses must not believe it either
                plain = self._draft(family, inputs, None, (*given_up, *found.escaped))
                outcome = plain.outcome
                better, found = self._made(family, {**inputs, **guesses}, plain)
            changes = {number for number, _ in found.written - outcome.written}
            if not changes.isdisjoint(map(id, outcome.believed)):
                return plain.finish()  # what the one with guesses writes, the other one believes
            worth = not better.stats["fallbacks"] and "FT412" not in better.stats["notes"]
            stats = plain.stats
            more = better.stats["folded"] > stats["folded"] or better.stats["left"] < stats["left"]
            if not found.guesses and better.source and worth and more:
                return better, found
            return plain.finish()
        if not given_up:  # what is given up is so after a promise is broken, or for one
            likely = self._likely(family, inputs, plain)
            if likely is not None and independent(likely.outcome, outcome) and is_worth_a_test(likely, plain):
                better, found = likely.finish()
                found.add_seconds(outcome)
                return better, found
        return plain.finish()

    def _likely(self, family: _Family, inputs: Mapping[str, object], plain: Draft) -> Draft | None:
        """The residual for the classes that the inputs are likely to have; None if nothing suggests any."""
        outcome, unsettled = plain.outcome, is_unsettled(plain)
        suggested = {} if outcome.program is None else likely_classes(
            family.function, outcome.program.main, outcome.stats["source_blocks"], outcome.open, unsettled=unsettled
        )  # fmt: skip
        likely = _left_open(inputs, {name: Dyn(one.type, length=one.length) for name, one in suggested.items()})
        if not likely:
            return None
        rest = self.budget or Budget()
        if unsettled:
            rest = replace(rest, work=rest.work // _LESS)
        if rest.seconds is not None:  # the limit is for both
            rest = replace(rest, seconds=max(0.0, rest.seconds - sum(outcome.seconds.values())))
        return self._with(budget=rest)._draft(family, {**inputs, **likely}, plain)

    def _made(
        self, family: _Family, inputs: Mapping[str, object], plain: Draft | None = None, given: Sequence[object] = ()
    ) -> tuple[Residual, Outcome]:
        """The residual for these inputs, and how it came out."""
        return self._draft(family, inputs, plain, given).finish()

    def _draft(
        self, family: _Family, inputs: Mapping[str, object], plain: Draft | None = None, given_up: Sequence[object] = ()
    ) -> Draft:
        """The residual for these inputs, before it is written.  If the promises in these are guesses, `plain` is the
        one without them; `given_up` are static objects that others may change."""
        target, function = family.target, family.function
        left = {name: value for name, value in inputs.items() if is_a(value, Dyn)}
        opened = {name: Open(value.exact_type(), value.shape(), value.item_types()) for name, value in left.items()}
        defaults = _defaults(function, inputs) if self._leaves_out else {}
        started = time.perf_counter()
        said = [value.promise(name) for name, value in inputs.items() if is_a(value, Dyn)]
        promises = tuple(promise for promise in said if promise is not None)
        asked = Asked(defaults, self._parts, family.flag, tuple(given_up))
        outcome = self._outcome(function, {**inputs, **opened}, asked)
        outcome.seconds["specialize"] = time.perf_counter() - started
        values = {name: value for name, value in inputs.items() if not is_a(value, Dyn)}
        guesses = map(_guess, promises) if plain is not None else ()
        outcome.events = (*outcome.events, *guesses, *map(_omitted, outcome.left_out))
        family.given.extend(outcome.given)
        family.outcomes.append(outcome)
        flag = family.flag if self._parts else family.flag_of_one
        promised = plain is None and bool(promises)

        def other() -> tuple[Residual, Outcome]:
            """What believes nothing that one of the others may change."""
            fewer = _opened_all(inputs) if promised and outcome.believed else inputs
            return self.in_one()._made(family, fewer, plain, family.given)

        def residual(printed: Printed | None, outcome: Outcome) -> Residual:
            kept = promises if printed is not None else ()
            alone: Callable[[], Residual] | None = None if plain is None else lambda: plain.finish()[0]
            if alone is None and (outcome.late or any(event.code == "FT412" for event in outcome.events)):
                alone = lambda: self._without_weighing()._made(family, inputs)[0]  # noqa: E731
            general: Callable[..., Any] | General | None = plain.runs() if plain is not None else None
            if plain is None and promises:
                general = General(lambda: self._unpromised(family, inputs, outcome))
            shared, risky, asks = _doubted(outcome, promises, plain, printed=printed is not None)
            beside: Beside | None = None
            if shared or outcome.left_out:
                alone = alone or (lambda: self.in_one()._made(family, inputs)[0])
            elif asks:
                alone = alone or (lambda: Residual(replace(recipe, handed_over=None), general))
            if asks or risky or outcome.left_out:
                make: Callable[[], tuple[Callable[..., Any], bool]] | None = None
                if self._parts or plain is not None:
                    instead = functools.partial(_another, other) if plain is None else plain.instead
                    make = functools.partial(instead, outcome)
                given = outcome.handed_over or (plain is not None and plain.outcome.handed_over)
                held = believed or Snapshot(outcome.believed, outcome.written)
                quiet = plain is not None and not shared
                beside = Beside(make, family.flags, held, bool(given) or family.suspended, quiet=quiet)
            recipe: Recipe = Recipe(
                target, values, printed, outcome.assumptions, kept, self.assume, outcome.events, outcome.stats,
                outcome.apart, outcome.trace, outcome.declared, flag if asks else None, outcome.left_out,
                risky and bool(outcome.believed),
            )  # fmt: skip
            return Residual(recipe, general if promises else None, alone, beside)

        def written() -> tuple[Residual, Outcome, int]:
            done, printed = _printed(outcome, {**inputs, **opened}, promises)
            if printed is not None:
                try:
                    return residual(printed, done), done, printed.emitted.calling
                except Exception as broken:
                    done = _failed(done, broken)
            return residual(None, done), done, 0

        shared, risky, asks = _doubted(outcome, promises, plain, printed=outcome.program is not None)
        doubts = shared or risky or asks or bool(outcome.left_out)
        believed = Snapshot(outcome.believed, outcome.written) if doubts else None
        if believed is not None and asks:  # from now on, although the residual may be made later
            flag.believed.append(believed.holds)
        original = functools.partial(original_with, function, values)
        made = Draft(outcome, written, lambda: setting(family.flags, original(), keeps=family.suspended), doubts=doubts)
        if shared or outcome.left_out:
            made.finish()
        return made

    def _unpromised(
        self, family: _Family, inputs: Mapping[str, object], outcome: Outcome
    ) -> tuple[Residual, bool, bool]:
        """The residual without the promises, whether it may change what one that was made before believes, and whether
        that may be later; `outcome` is that of the one with them."""
        lenient = self._with(strict=False, watch=None)
        believing = tuple(family.outcomes)
        found, other = lenient._best(family, _opened_all(inputs), (*family.given, *outcome.escaped))
        later = other.handed_over is not None or family.suspended
        return found, any(disturbs(other, one) for one in believing), later

    def _without_weighing(self) -> Specializer:
        """The same, for residuals of which it costs nothing to test what was assumed."""
        return self._without("_parts", "_leaves_out", "_weighs")

    def in_one(self) -> Specializer:
        """The same, for residuals that need no other one for some calls: what `save` writes."""
        return self._without("_parts", "_leaves_out")

    def _without(self, *names: str) -> Specializer:
        """The same, for residuals that need no other ones for some calls."""
        return self._with(**dict.fromkeys(names, False))

    def _with(self, **values: object) -> Specializer:
        """The same with other options."""
        other = copy.copy(self)
        for name, value in values.items():
            setattr(other, name, value)
        return other

    def _is_trusted(self) -> bool:
        """Costs it nothing to assume something?"""
        return self.assume == "trust" or not self._weighs

    def _outcome(self, function: types.FunctionType, inputs: Mapping[str, object], asked: Asked) -> Outcome:
        try:
            if self._offline is not None:
                return specialize_function_offline(
                    function, inputs, lower_for_specializer, self._offline, modules=modules
                )
            return specialize_function(
                function,
                inputs,
                lower_for_specializer,
                polyvariance=self.polyvariance,  # type: ignore[arg-type]
                budget=self.budget,
                modules=modules,
                watch=self.watch,
                declared=Declared(
                    self.frozen, self.caches, self.bool_comparisons, self.annotated, self._is_trusted(),
                    not self._weighs,
                ),
                asked=asked,
            )
        except Exception as broken:
            names = tuple(name for name, value in inputs.items() if type(value) is Open)
            return Outcome(None, names, events=(_fault("the specializer", broken),))


class _Family:
    """What the residuals of one specialization have in common."""

    def __init__(self, target: Any, function: types.FunctionType) -> None:
        self.target: Final = target
        self.function: Final = function
        self.suspended: Final = bool(function.__code__.co_flags & _SUSPENDED)
        """Does it run later, as a generator does?"""
        self.flag: Final = HandedOver()
        self.flag_of_one: Final = HandedOver()
        """The same for residuals of which nothing is made later: `in_one`."""
        self.flags: Final = (self.flag, self.flag_of_one)
        self.given: Final[list[object]] = []
        """What any of them hands to code that may keep it."""
        self.outcomes: Final[list[Outcome]] = []
        """How they came out."""


def _opened(target: Any) -> tuple[Any, tuple[object, ...], dict[str, object]]:
    """The function in a partial, a residual or a static method, and what these have bound of its parameters."""
    given: tuple[object, ...] = ()
    named: dict[str, object] = {}
    while True:
        if is_a(target, Residual):
            bound = dict(target.static)
            target = target.py_func.__func__ if is_a(target.py_func, types.MethodType) else target.py_func
            named = {**bound, **named}
        elif is_a(target, functools.partial):
            given, named = (*target.args, *given), {**target.keywords, **named}
            target = target.func
        elif is_a(target, staticmethod):
            target = target.__func__
        else:
            return target, given, named


def _call_method(target: object) -> object:
    """The method that a call of this object runs, if it is written in Python; else the object itself."""
    if is_a(target, (types.FunctionType, types.MethodType, type)):
        return target
    method = inspect.getattr_static(type(target), "__call__", None)
    return types.MethodType(method, target) if isinstance(method, types.FunctionType) else target


def _wrapped(target: object) -> types.FunctionType | None:
    """The function that a wrapper names as the one behind it."""
    found = inspect.getattr_static(target, "__wrapped__", None)
    return found if isinstance(found, types.FunctionType) else None


def _called(target: object) -> str:
    """A name for something that is no function, without running its code."""
    wrapped = _wrapped(target)
    if wrapped is not None:
        return f"{wrapped.__qualname__}`, a {type(target).__qualname__} around `{wrapped.__qualname__}.__wrapped__"
    known = isinstance(target, (type, types.BuiltinFunctionType, types.MethodDescriptorType))
    return str(target.__qualname__) if known else f"a {type(target).__qualname__}"  # type: ignore[attr-defined]


def _offline_options(mode: str, division: str, points: str) -> OfflineOptions | None:
    """The options of the offline specializer; None if it is not asked for."""
    if mode not in ("online", "offline"):
        raise ValueError(f'mode is "online" or "offline", not {mode!r}')
    for kind in KINDS:
        for place in POINTS:
            if (division, points) == (kind, place):
                return OfflineOptions(kind, place, share=True) if mode == "offline" else None
    known = f"division is one of {KINDS}, points one of {POINTS}"
    raise ValueError(f"{known}, not {division!r} and {points!r}")


def _opened_all(inputs: Mapping[str, object]) -> dict[str, object]:
    """The inputs without what is promised of them."""
    return {name: DYN if is_a(one, Dyn) and one is not _UNSAID else one for name, one in inputs.items()}


def _left_open(inputs: Mapping[str, object], promises: Mapping[str, Dyn]) -> dict[str, Dyn]:
    """Those of the promises that are about inputs of which nothing was said."""
    return {name: one for name, one in promises.items() if inputs.get(name) in (DYN, _UNSAID)}


def _printed(
    outcome: Outcome, inputs: Mapping[str, object], promises: tuple[Promise, ...]
) -> tuple[Outcome, Printed | None]:
    """The Python of a residual program.  A fault of ours ends with the original and the event FT901."""
    if outcome.program is None:
        return outcome, None
    try:
        started = time.perf_counter()
        known = {
            (str(one.holder["__name__"]), one.name): one.value
            for one in outcome.assumptions
            if one.kind == "global" and isinstance(one.holder, Mapping) and "__name__" in one.holder
        }
        named = [*((name, value) for (_, name), value in known.items()), *inputs.items()]
        naming = Finding([*named, ("handed_over", outcome.handed_over)]).name_of
        emitted = residual_text(outcome.program, {one.name: contents(one) for one in promises}, known, naming)
        outcome.seconds["print"] = time.perf_counter() - started
    except Exception as broken:
        return _failed(outcome, broken), None
    return outcome, Printed(emitted, outcome.program.main.signature)


def _doubted(
    outcome: Outcome, promises: tuple[Promise, ...], plain: Draft | None, *, printed: bool
) -> tuple[bool, bool, bool]:
    """May others change what the residual believes, by what it does itself; may what runs where a test fails; and is it
    asked at each call whether they did?"""
    shared = outcome.handed_over is not None or (plain is not None and disturbs(plain.outcome, outcome))
    strangers = printed and outcome.program is not None and differences(
        outcome.apart, outcome.program.main.signature, promises
    )  # fmt: skip
    risky = bool((plain is None and promises) or strangers or (plain is not None and plain.doubts))
    return shared, risky, shared or bool((risky or outcome.left_out) and outcome.believed)


def _another(make: Callable[[], tuple[Residual, Outcome]], main: Outcome) -> tuple[Callable[..., Any], bool]:
    """What runs in place of the residual that came out like `main`; may it change what that one believes?"""
    made, outcome = make()
    return made, disturbs(outcome, main)


def _require(outcome: Outcome) -> None:
    """Raise for the first event that says that something was not specialized."""
    found = [event for event in outcome.events if is_fallback(event.code)]
    if found:
        first, *others = dict.fromkeys(event.diagnostic() for event in found)
        raise SpecializationError(first, tuple(others))


def _guess(promise: Promise) -> Event:
    """What is said of an input whose class nobody has promised."""
    return Event("FT409", f"the residual is for calls where {promise}")


def _omitted(name: str) -> Event:
    """What is said of a parameter that calls leave out."""
    return Event("FT414", f"the residual is for calls that leave out `{name}`")


def _failed(outcome: Outcome, broken: Exception) -> Outcome:
    """The outcome if the residual program could not be printed or loaded."""
    if isinstance(broken, RecursionError) or _is_too_nested(broken):
        event = Event("FT405", "the residual code is nested too deep: the original code is used")
    elif isinstance(broken, UnsupportedError) and broken.diagnostic.code != "FT901":
        event = Event.of(broken.diagnostic)
    else:
        event = _fault("printing the residual code", broken)
    return Outcome(None, outcome.open, events=(*outcome.events, event), stats=outcome.stats)


def _is_too_nested(broken: Exception) -> bool:
    """Does Python refuse the text because of one of its limits: of blocks, indentation or parentheses in each other?"""
    said = str(broken.msg) if isinstance(broken, SyntaxError) else ""
    return said.startswith(("too many statically nested", "too many levels of indent", "too many nested parentheses"))


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
    """Each parameter with its value, or a `Dyn`."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    _refuse_dispatching(function, args, static)
    if len(args) > len(positional):
        collects = code.co_varnames[code.co_argcount + code.co_kwonlyargcount] if code.co_flags & 4 else None
        hint = "" if collects is None else f" before *{collects}: give all that it collects as `{collects}=(...)`"
        raise TypeError(
            f"{function.__qualname__}() takes {len(positional)} positional arguments{hint}, {len(args)} were given"
        )
    given: dict[str, object] = dict(zip(positional, args))
    names = code.co_varnames[
        : code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    ]
    for name, value in static.items():
        if name not in names:
            wrapped = _wrapped(function)
            hints = [f"it is wrapped, specialize `{function.__qualname__}.__wrapped__`"] if wrapped is not None else []
            if code.co_flags & 8:
                hints.append(f"give all that **{names[-1]} collects as `{names[-1]}={{...}}`")
            hint = f": {', or '.join(hints)}" if hints else ""
            raise TypeError(f"{function.__qualname__}() has no parameter {name!r}{hint}")
        if name in given:
            raise TypeError(f"{function.__qualname__}() got two values for {name!r}")
        given[name] = value
    for name in names[code.co_argcount + code.co_kwonlyargcount :]:
        if name in given and not is_a(given[name], Dyn):
            given[name] = _collected(function, name, given[name], names[code.co_posonlyargcount :])
    return {name: given.get(name, _UNSAID) for name in names}


def _refuse_dispatching(
    function: types.FunctionType, args: tuple[object, ...], static: Mapping[str, object]
) -> None:
    """What `functools` makes of a function with overloads has no parameters but `*args` and `**kw`: whoever means those
    of the overloads is told what has them."""
    code = function.__code__
    if not args and static.keys() <= set(code.co_varnames[:2]):
        return
    behind = _wrapped(function)
    first = behind.__code__.co_varnames[0] if behind is not None and behind.__code__.co_argcount else ""
    value = args[0] if args else static.get(first, DYN)
    kind = value.exact_type() if is_a(value, Dyn) else type(value)
    instead = what_to_specialize(function, kind)
    if instead:
        raise TypeError(f"{function.__qualname__}() only looks for what is registered: specialize {instead}")


def _defaults(function: types.FunctionType, inputs: Mapping[str, object]) -> dict[str, object]:
    """What the parameters are by default that nobody mentioned; none if nothing is static."""
    if all(is_a(value, Dyn) for value in inputs.values()):
        return {}
    code, values = function.__code__, function.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    found = {**dict(zip(positional[len(positional) - len(values) :], values)), **(function.__kwdefaults__ or {})}
    return {name: value for name, value in found.items() if inputs.get(name) is _UNSAID}


def _collected(function: types.FunctionType, name: str, value: object, names: Sequence[str]) -> object:
    """What `*args` or `**keywords` hold in a call that is given these; a copy, as a call makes it."""
    if name == names[-1] and function.__code__.co_flags & inspect.CO_VARKEYWORDS:
        if type(value) is dict and all(type(key) is str for key in value) and value.keys().isdisjoint(names):
            return dict(value)
        raise TypeError(f"{function.__qualname__}(): **{name} is a dict of keywords that are no parameters")
    if type(value) in (tuple, list):
        return tuple(value)  # type: ignore[arg-type]
    raise TypeError(f"{function.__qualname__}(): *{name} is a tuple")
