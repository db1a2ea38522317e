"""Runs a program and its residual side by side and says the first thing in which they differ.

    check(generate(7), futamura.specialize)     ->     Report(kind="equal", ...)

The module is loaded twice.  One copy stays as written; the target of the other is specialized.  Both then get the same
sequence of inputs, and their state (globals, static values, closures) goes on from one to the next.  After each input
are compared: the result or the exception with its chain, what was printed, the arguments, the static values, the
globals, and what functions and generators in the result do when they are used.

Invariant: the two copies share no object that can mutate.
"""

from __future__ import annotations

import builtins
import functools
import gc
import io
import linecache
import re
import signal
import sys
import traceback
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import futamura
from futamura.errors import FutamuraError
from tests.specialize.planted import identity
from tests.specialize.programs import Program
from tests.specialize.snapshot import observe, scrub, state_of

__all__ = ["BAD", "NUMBER", "Report", "Specialize", "Timeout", "check", "time_limit", "where"]

Specialize = Callable[..., Callable[..., Any]]
BAD: Final = ("difference", "crash", "hang")
MODULE: Final = "subject"
INTERNAL: Final = "FT901"
"""The code of a broken invariant: the specializer caught itself and fell back, which is a crash all the same."""
NUMBER: Final = re.compile(r"(?<![FT\d])\d+")
"""Numbers in reasons, but not those of codes."""
PROBE_CALLS: Final = 2
STEADY: Final = 12
"""Runs of the original beside itself before a difference is believed."""
PROBE_ITEMS: Final = 8
PROBE_STOPS: Final = 40


class Timeout(BaseException):
    """The time limit is over.  Not an `Exception`, so that programs do not catch it."""


@contextmanager
def time_limit(seconds: float, *, cpu: bool = False) -> Iterator[None]:
    """Raise `Timeout` in the block after `seconds`, and again every half a second: a handler may have swallowed it.

    `cpu` counts the time of this process alone, for limits that must hold on a busy machine too.
    """
    timer, number = (signal.ITIMER_PROF, signal.SIGPROF) if cpu else (signal.ITIMER_REAL, signal.SIGALRM)

    def ring(received: int, frame: object) -> None:
        raise Timeout

    old = signal.signal(number, ring)
    signal.setitimer(timer, seconds, 0.5)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, old)


@dataclass(slots=True)
class Report:
    """What came out of one program.

    kind: "equal", "difference", "crash" (the specializer raised), "hang", "refused" (a diagnostic), "skipped"
    (the original itself was too slow or too big).  `group` puts findings of one cause together.
    """

    seed: int
    kind: str
    group: str = ""
    detail: str = ""
    input: int = -1
    fallbacks: dict[str, int] = field(default_factory=dict)
    stats: dict[str, float] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    fired: tuple[str, ...] = ()
    """The rows of the specializer's tables that did something for it, if that was watched."""
    seconds: float = 0.0
    runs: int = 0
    raised: int = 0


@dataclass(slots=True)
class Copy:
    """One loaded copy of a program."""

    namespace: dict[str, Any]
    target: Any
    static: dict[str, Any]

    def roots(self) -> dict[str, object]:
        """The state that outlives a call."""
        roots = state_of(self.namespace)
        roots.update({f"static {name}": value for name, value in self.static.items()})
        function = self.target
        if isinstance(function, types.MethodType):
            roots["self"] = function.__self__
            function = function.__func__
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
            roots[f"cell {name}"] = cell.cell_contents
        return roots


def load(program: Program) -> Copy:
    """Run the module's text in a namespace of its own, findable by `linecache`, and make the static values."""
    file = f"<program {program.seed}>"
    linecache.cache[file] = (len(program.source), None, program.source.splitlines(True), file)
    module = types.ModuleType(MODULE)
    module.__file__ = file
    sys.modules[MODULE] = module
    namespace = module.__dict__
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program.source, file, "exec", dont_inherit=True), namespace)
        target = eval(program.target, namespace)
        static: dict[str, Any] = {}
        for name, text in program.static:
            static[name] = eval(text, namespace, static)
    return Copy(namespace, target, static)


def arguments(
    program: Program, given: Mapping[str, Any], static: Mapping[str, Any], number: int
) -> tuple[list[Any], dict[str, Any]]:
    """How the target is called: by position until an argument is left out, or all by keyword."""
    values = {**static, **given}
    positions: list[Any] = []
    keywords: dict[str, Any] = {}
    by_position = number % 3 != 2
    for name in program.positional:
        if name not in values:
            by_position = by_position and name in dict(program.static)
        elif by_position:
            positions.append(values[name])
        else:
            keywords[name] = values[name]
    keywords.update({name: values[name] for name in program.keyword if name in values})
    return positions, keywords


def outcome(function: Callable[[], object]) -> tuple[str, object]:
    """("value", the result) or ("raised", the exception), never seen from inside a handler."""
    try:
        return "value", function()
    except Timeout:
        raise
    except BaseException as error:
        return "raised", error


def drained(generator: Iterator[object]) -> Iterator[object]:
    for _ in range(PROBE_ITEMS):
        kind, value = outcome(lambda: next(generator))
        yield kind, value
        if kind == "raised":
            return
    yield outcome(generator.close)  # type: ignore[attr-defined]


def driven(value: object, throws: int) -> object:
    """What a coroutine stops with, and gives, when numbers are sent to it, and an error is thrown at one stop."""
    if type(value) is not types.CoroutineType:
        return value
    stops: list[object] = []
    try:
        while len(stops) < PROBE_STOPS:
            sent = None if not stops else len(stops)
            stops.append(value.throw(KeyError("thrown")) if len(stops) == throws else value.send(sent))
        value.close()
    except StopIteration as end:
        return stops, end.value
    return stops, "closed"


def probe(value: object, depth: int = 0) -> Iterator[object]:
    """Use the functions and generators in a result, as its receiver might."""
    kind = type(value)  # `isinstance` would ask the object for its class
    if kind in (types.FunctionType, types.MethodType):
        assert callable(value)
        for number in range(PROBE_CALLS):
            yield outcome(functools.partial(value, number + 1))
    elif kind is types.GeneratorType:
        assert isinstance(value, types.GeneratorType)
        yield from drained(value)
    elif depth < 2 and kind in (list, tuple):
        assert isinstance(value, (list, tuple))
        for item in list(value)[:6]:
            yield from probe(item, depth + 1)
    elif depth < 2 and kind is dict:
        assert isinstance(value, dict)
        for item in list(value.values())[:6]:
            yield from probe(item, depth + 1)


def observed(
    copy: Copy, run: Callable[[], object], given: Mapping[str, Any], throws: int = 0
) -> tuple[list[str], str]:
    """One call: its tokens, and "value" or "raised"."""
    printed = io.StringIO()
    kept, sys.stdout = sys.stdout, printed
    try:
        kind, value = outcome(lambda: driven(run(), throws))
        used = list(probe(value)) if kind == "value" else []
    finally:
        sys.stdout = kept
    roots: dict[str, object] = {kind: value}
    roots.update({f"argument {name}": item for name, item in given.items()})
    roots.update({f"use {number}": item for number, item in enumerate(used)})
    roots.update(copy.roots())
    text = scrub(printed.getvalue())
    return ["[printed]", *text.split("\n"), *observe(roots)], kind


def first_difference(expected: list[str], got: list[str]) -> tuple[str, str]:
    """(the place, a text with both sides) of the first token that differs."""
    place = ""
    for index, (a, b) in enumerate(zip([*expected, "[end]"], [*got, "[end]"])):
        if a == b:
            place = a if a.startswith("[") and a.endswith("]") else place
            continue
        before = " ".join(expected[max(0, index - 3) : index])
        after = f"then {expected[index + 1 : index + 3]} / {got[index + 1 : index + 3]}"
        return place, f"at {place}: expected {a!r}, got {b!r} (after {before!r}; {after})"
    return place, "same tokens"


def where(error: BaseException) -> str:
    """The innermost frame of the package, without the line number, so that groups survive edits."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "futamura" in f.filename]
    place = f"{frames[-1].filename.rpartition('futamura/')[2]}:{frames[-1].name}" if frames else "outside"
    return f"{type(error).__name__} in {place}"


def promises_of(program: Program, specialize: Specialize) -> dict[str, Any]:
    """What is declared of open parameters, if that can be said to this specializer."""
    if not program.promises or not getattr(specialize, "__module__", "").startswith("futamura"):
        return {}
    return {name: eval(text, {"Dyn": futamura.Dyn}) for name, text in program.promises}


def specialized(
    program: Program, copy: Copy, specialize: Specialize, limit: float, report: Report, *, again: bool = True
) -> Callable[..., Any] | None:
    """The residual; None with the report filled in if there is none.  What generators of earlier programs print when
    they are collected meanwhile is not printed `again`."""
    printed = io.StringIO()
    kept, sys.stdout = sys.stdout, printed
    try:
        with time_limit(limit, cpu=True):
            residual = specialize(copy.target, **copy.static, **promises_of(program, specialize))
    except Timeout as error:
        report.kind, report.group = "hang", "specialization"
        report.detail = "".join(traceback.format_tb(error.__traceback__)[-6:])
        return None
    except FutamuraError as error:
        bug = error.diagnostic.kind == "bug"
        report.kind, report.group, report.detail = "crash" if bug else "refused", error.diagnostic.code, str(error)
        return None
    except Exception as error:
        report.kind, report.group = "crash", where(error)
        report.detail = "".join(traceback.format_exception(error)[-6:])
        return None
    finally:
        sys.stdout = kept
    stats = getattr(residual, "stats", {})
    report.fallbacks = dict(stats.get("fallbacks", {}))
    report.stats = {key: value for key, value in stats.items() if isinstance(value, (int, float))}
    report.events = [f"{event.code}: {event.reason}" for event in getattr(residual, "events", ())]
    if printed.getvalue() and again:
        gc.collect()
        return specialized(program, copy, specialize, limit, report, again=False)
    if printed.getvalue():
        report.kind, report.group, report.detail = "difference", "printed at specialization", printed.getvalue()
        return None
    return residual


def check(program: Program, specialize: Specialize, *, limit: float = 10.0, slow: float = 2.0) -> Report:
    """Compare the residual with the original on all inputs.  `limit` bounds the specializer, `slow` one run."""
    report = Report(program.seed, "equal")
    try:
        _check(program, specialize, report, limit, slow)
        if report.kind == "difference" and not _is_steady(program, slow):
            return Report(program.seed, "skipped", "unsteady original")
        if report.kind == "equal" and INTERNAL in report.fallbacks:
            report.kind, report.detail = "crash", next(event for event in report.events if event.startswith(INTERNAL))
            report.group = NUMBER.sub("N", report.detail)[:120]
    finally:
        linecache.cache.pop(f"<program {program.seed}>", None)
        sys.modules.pop(MODULE, None)
    return report


def _is_steady(program: Program, slow: float) -> bool:
    """Does the original agree with itself?  Sets of NaN and of functions are ordered by addresses."""
    for _ in range(STEADY):
        report = Report(program.seed, "equal")
        _check(program, identity, report, 10.0, slow)
        if report.kind != "equal":
            return report.kind == "skipped"
    return True


def _check(program: Program, specialize: Specialize, report: Report, limit: float, slow: float) -> None:
    original = load(program)
    other = load(program)
    residual = specialized(program, other, specialize, limit, report)
    if residual is None:
        return
    before, after = observe(original.roots()), observe(other.roots())
    if before != after:
        report.kind, report.group, report.detail = (
            "difference",
            "effect at specialization",
            first_difference(before, after)[1],
        )
        return
    for number, text in enumerate(program.inputs):
        report.input = number
        try:
            given = eval(text, {**original.namespace, "static": original.static, "module": original.namespace})
            given_other = eval(text, {**other.namespace, "static": other.static, "module": other.namespace})
        except (TypeError, AttributeError):  # a class was changed so that it has no instances any more
            return
        everything, keywords = arguments(program, given, original.static, number)
        opened, open_keywords = arguments(program, given_other, {}, number)
        try:
            with time_limit(slow, cpu=True):
                call = functools.partial(original.target, *everything, **keywords)
                expected, kind = observed(original, call, given, number % 5)
        except (Timeout, MemoryError):
            report.kind, report.group = "skipped", "slow original"
            return
        if "builtins.RecursionError" in (token.partition("#")[0] for token in expected):
            report.kind, report.group = "skipped", "recursion limit"
            return
        try:
            with time_limit(slow * 5, cpu=True):
                got, _ = observed(other, functools.partial(residual, *opened, **open_keywords), given_other, number % 5)
        except Timeout as error:
            report.kind, report.group = "hang", "residual"
            report.detail = "".join(traceback.format_tb(error.__traceback__)[-3:])
            return
        report.runs += 1
        report.raised += kind == "raised"
        if expected != got:
            place, report.detail = first_difference(expected, got)
            report.kind, report.group = "difference", f"difference at {place.split(' ')[0].rstrip(']')}]"
            return


def merge(counts: Counter[str], more: Mapping[str, float]) -> None:
    """Add the numbers of one program's statistics."""
    for key, value in more.items():
        counts[key] += builtins.int(value)
