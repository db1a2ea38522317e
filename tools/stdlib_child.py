"""One run of one test of CPython's `test` package in this process, with functions of modules replaced or not.

    $ python -m tools.stdlib_child --test test_heapq --replace heapq --result out.json

With `--how optimized` the round trip goes through the optimizer's passes, with `--how unnamed` the variables behind
them have lost their names; with `--how interpreted` the functions run in the reference interpreter instead (by
attribute only); with `--how specialized` each is replaced by its residual for no static input at all, callees left as
calls.

Replacing means: the code object of the round trip is put into the function itself, so that its identity, defaults and
everybody who already holds it stay; where the free variables differ, the attribute is set to the new function.
Modules that the tests import a second time (without C accelerators) are replaced right after they ran.
Invariant: all round trips of a module are made before the first one is put in its place, because the evaluator itself
uses these modules.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import json
import os
import sys
import tempfile
import traceback
import types
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tools.standard_modules import Member, load, members

Report = dict[str, Any]


class Recorder(unittest.TestResult):
    """Keeps what became of every test, by its id."""

    def __init__(self) -> None:
        super().__init__()
        self.outcomes: dict[str, str] = {}
        self.details: dict[str, str] = {}

    def note(self, test: unittest.TestCase, outcome: str, error: Any = None) -> None:
        key = test.id()
        if self.outcomes.get(key) in ("fail", "error"):
            return
        self.outcomes[key] = outcome
        if error is not None:
            self.details[key] = "".join(traceback.format_exception(*error))[-3000:]

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.note(test, "pass")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        self.note(test, "fail", err)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        self.note(test, "error", err)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self.note(test, "skip")

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        self.note(test, "expected failure")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        self.note(test, "unexpected success")

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        if err is not None:
            kind = "fail" if issubclass(err[0], test.failureException) else "error"
            self.note(test, kind, err)


def interpreted(function: types.FunctionType) -> types.FunctionType:
    """A function that runs the IR of `function` in the reference interpreter."""
    lower = importlib.import_module("futamura.frontend.python").lower
    machine_of = importlib.import_module("futamura.ir.frames").Machine
    closure_of = importlib.import_module("futamura.ir.interp").closure_of
    program = lower(function).program
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    machine = machine_of(program, function.__globals__, None, None)
    closure = tuple(cells[name] for name in program.main.free)
    result: types.FunctionType = closure_of(
        machine, program.main, closure, function.__defaults__ or (), function.__kwdefaults__, function.__annotations__
    )
    result.__dict__.update(function.__dict__)
    result.__module__ = function.__module__
    return result


def optimized(function: Any) -> Any:
    """The round trip by way of all passes of the optimizer."""
    roundtrip = importlib.import_module("futamura.driver").roundtrip
    optimize = importlib.import_module("futamura.optimize.pipeline").optimize
    return roundtrip(function, change=lambda program: optimize(program)[0])


def forgotten(function: Any) -> Any:
    """The round trip of the function through the optimizer and without the names of its variables."""
    from futamura.driver import roundtrip
    from futamura.optimize.pipeline import optimize
    from tools.unnamed import unnamed

    return roundtrip(function, change=lambda program: unnamed(optimize(program)[0]))


class NotSpecialized(Exception):
    """The original would run: replacing by that shows nothing."""


def specialized(function: types.FunctionType) -> types.FunctionType:
    """The residual of `function` with nothing static.

    It is made of a copy, which runs where an assumption does not hold: the function itself gets the residual's code.
    No callee is unfolded, for the codes of callees, which would be assumed, are replaced too.
    """
    specializer = importlib.import_module("futamura.api").Specializer
    budget = importlib.import_module("futamura.specializer.policy").Budget
    copy = types.FunctionType(function.__code__, function.__globals__, function.__name__, None, function.__closure__)
    copy.__defaults__, copy.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    copy.__qualname__, copy.__module__, copy.__doc__ = function.__qualname__, function.__module__, function.__doc__
    copy.__dict__.update(function.__dict__)
    residual = specializer(budget=budget(depth=1))(copy)
    if residual.stats["specialized"] and residual.function.__globals__ is not function.__globals__:
        residual = specializer(budget=budget(depth=1), assume="trust")(copy)  # tested in a function of its own
    if not residual.stats["specialized"] or type(residual.function) is not types.FunctionType:
        raise NotSpecialized("; ".join(f"{event.code} {event.reason}" for event in residual.events))
    made: types.FunctionType = residual.function
    made.__dict__.update(function.__dict__)
    return made


class Replacer:
    """Puts round trips in the place of functions, and counts."""

    def __init__(self, names: list[str], first: int, last: int, how: str) -> None:
        # Loaded here, not at the top: the unmodified run must not depend on the evaluator.
        self.refusal: type[Exception] = importlib.import_module("futamura.errors").UnsupportedError
        self.roundtrip: Callable[[Any], Any] = interpreted
        self.swap: Callable[[Any, Any], Any] = lambda old, new: False
        if how == "specialized":
            self.roundtrip = specialized
            self.swap = importlib.import_module("futamura.backend.python.loading").swap
        if how in ("emitted", "optimized", "unnamed"):
            own = {"optimized": optimized, "unnamed": forgotten}
            self.roundtrip = own.get(how) or importlib.import_module("futamura.driver").roundtrip
            self.swap = importlib.import_module("futamura.backend.python.loading").swap
        self.names = names
        self.files = {load(name).__file__ for name in names}
        self.first, self.last = first, last
        self.codes: dict[tuple[str, str, int], types.CodeType | None] = {}
        self.report: Report = {
            "functions": 0,
            "in place": 0,
            "by attribute": 0,
            "refused": [],
            "crashed": [],
            "stuck": [],
            "names": [],
        }

    def all(self) -> None:
        for name in self.names:
            self.module(load(name))

    def module(self, module: types.ModuleType) -> None:
        made: list[tuple[Member, types.FunctionType]] = []
        for member in members(module):
            if member.function.__code__.co_filename != module.__file__:
                continue
            number = self.report["functions"]
            self.report["functions"] += 1
            self.report["names"].append(f"{module.__name__}:{member.path}")
            if not self.first <= number < self.last:
                continue
            try:
                made.append((member, self.roundtrip(member.function)))
            except Exception as error:
                kind = "refused" if isinstance(error, (self.refusal, NotSpecialized)) else "crashed"
                self.report[kind].append(
                    (
                        f"{module.__name__}:{member.path}",
                        f"{type(error).__name__}: {str(error)[:200]}".partition("\n")[0],
                    )
                )
        for member, function in made:
            self.put(member, function, module)

    def put(self, member: Member, function: types.FunctionType, module: types.ModuleType) -> None:
        try:
            swapped = self.swap(member.function, function)
        except (TypeError, ValueError):
            swapped = False
        if swapped is not False:
            self.report["in place"] += 1
            return
        try:
            member.replace(function)
            self.report["by attribute"] += 1
        except (TypeError, AttributeError) as error:
            self.report["stuck"].append((f"{module.__name__}:{member.path}", str(error)))

    def watch_imports(self) -> None:
        """Replace in copies of the modules that are imported later, too."""
        loader = importlib.machinery.SourceFileLoader
        plain = loader.exec_module

        def exec_module(this: Any, module: types.ModuleType) -> None:
            plain(this, module)
            if module.__file__ in self.files:
                self.module(module)

        # Warnings count stack levels without the frames of the import system; ours belongs to it.
        exec_module.__code__ = exec_module.__code__.replace(co_filename="<frozen importlib._bootstrap_external>")
        loader.exec_module = exec_module  # type: ignore[method-assign,assignment]


def suite_of(test: str, pattern: str) -> unittest.TestSuite:
    loader = unittest.TestLoader()
    if pattern:
        loader.testNamePatterns = [pattern]
    return loader.loadTestsFromName(f"test.{test}")


@click.command()
@click.option("--test", required=True)
@click.option("--replace", default="", help="Modules, separated by commas.")
@click.option("--first", default=0, help="Replace functions from this number on.")
@click.option("--last", default=1 << 30, help="Replace functions up to this number.")
@click.option("--pattern", default="", help="Run only the tests whose id matches.")
@click.option(
    "--how",
    default="emitted",
    type=click.Choice(["emitted", "optimized", "unnamed", "interpreted", "specialized"]),
)
@click.option("--result", required=True, type=click.Path(path_type=Path))
def main(test: str, replace: str, first: int, last: int, pattern: str, how: str, result: Path) -> None:
    """Run one test module and write what became of each test."""
    result = result.resolve()
    replacer = None
    if replace:
        replacer = Replacer(replace.split(","), first, last, how)
        replacer.all()
        replacer.watch_imports()
    support: Any = importlib.import_module("test.support")
    support.use_resources = ()
    support.verbose = 0
    recorder = Recorder()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        os.chdir(folder)
        warnings.simplefilter("default")
        suite_of(test, pattern).run(recorder)
        os.chdir("/")
    report = {
        "outcomes": recorder.outcomes,
        "details": recorder.details,
        "replaced": replacer.report if replacer else None,
    }
    result.write_text(json.dumps(report), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # what tests leave behind (threads, exit handlers) is not our business


if __name__ == "__main__":
    main()
