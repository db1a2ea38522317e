"""Every hostile case ends within ten seconds and a gibibyte, with the right answer or a diagnostic, without effects.

    Case("endless while", ...)    ->    ("specialized", seconds, megabytes) or ("refused", the code of the diagnostic)

The cases run in a child process, which is replaced when it hangs or dies: a fold that computes forever in C code
cannot be interrupted from inside.

Invariant: the child's address space is limited, so an explosion shows as a failure and not as a slow machine.
"""

from __future__ import annotations

import functools
import gc
import importlib
import importlib.util
import multiprocessing
import resource
import sys
import time
import types
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from futamura.errors import FutamuraError
from tests.specialize.oracle import Specialize, time_limit, where
from tests.specialize.snapshot import observe
from tests.specialize.torture import callables, data, keys, loops, objects, recursion
from tests.specialize.torture.case import EFFECTS, Case

MODULES = {
    "loops": loops, "recursion": recursion, "keys": keys, "data": data, "objects": objects, "callables": callables,
}  # fmt: skip
NAMES = [f"{kind}: {case.name}" for kind, module in MODULES.items() for case in module.CASES]
SECONDS = 10.0
GIBIBYTE = 1 << 30
GRACE = 15.0
"""Beyond the limit: the child needs a moment to start, and the machine may be busy."""


def find(name: str) -> Case:
    kind, _, title = name.partition(": ")
    cases: list[Case] = MODULES[kind].CASES
    return next(case for case in cases if case.name == title)


def observed(run: Callable[[], Any], touched: dict[str, object]) -> list[str]:
    """What a call gives, leaves in the objects that it was given, and did: as tokens."""
    del EFFECTS[:]
    kind = "value"
    try:
        result: Any = run()
        if isinstance(result, types.GeneratorType):
            result = list(result)
    except RecursionError:
        return ["RecursionError"]
    except Exception as error:
        kind, result = "raised", (type(error), str(error))
    effects = list(EFFECTS)
    return [kind, *observe({"result": result, **touched}), *effects]


def run(name: str) -> tuple[str, str, float]:
    """One case: ("specialized" | "refused" | "wrong", detail, seconds of this process)."""
    specialize: Specialize = importlib.import_module("futamura.api").specialize
    case = find(name)
    static = case.static()
    gc.collect()  # finalizers of the case before
    del EFFECTS[:]
    start = time.process_time()
    try:
        with time_limit(SECONDS, cpu=True):
            residual = specialize(case.function, **static)
    except FutamuraError as error:
        code = error.diagnostic.code
        return ("refused" if error.diagnostic.kind != "bug" else "wrong"), code, time.process_time() - start
    seconds = time.process_time() - start
    if EFFECTS:
        return "wrong", f"effects at specialization time: {EFFECTS}", seconds
    for number in range(len(case.inputs())):
        plain, given, other = case.static(), case.inputs()[number], case.inputs()[number]
        call = functools.partial(case.function, *plain.values(), *given)
        expected = observed(call, {"static": plain, "dynamic": given})
        got = observed(functools.partial(residual, *other), {"static": static, "dynamic": other})
        if expected != got:
            return "wrong", f"input {number}: expected {expected[:40]}, got {got[:40]}", seconds
        if case.fresh:
            static = case.static()
            residual = specialize(case.function, **static)
    return "specialized", "", seconds


def child(connection: Connection) -> None:
    """Answers names of cases with outcomes, within the memory limit."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 1 << 18
    used = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + GIBIBYTE, used + GIBIBYTE))
    while True:
        name = connection.recv()
        try:
            connection.send(run(name))
        except BaseException as error:
            connection.send(("wrong", f"{where(error)}: {str(error)[:600]}", 0.0))


class Runner:
    """The child process; a new one after each that hung or died."""

    def __init__(self) -> None:
        self.context = multiprocessing.get_context("spawn")
        self.process: Any = None
        self.connection: Any = None

    def outcome(self, name: str) -> tuple[str, str, float]:
        if self.process is None:
            self.connection, other = self.context.Pipe()
            self.process = self.context.Process(target=child, args=(other,), daemon=True)
            self.process.start()
            other.close()
        self.connection.send(name)
        answered = self.connection.poll(SECONDS + GRACE)
        try:
            if answered:
                return self.connection.recv()  # type: ignore[no-any-return]
        except EOFError:
            answered = False
        self.close()
        return "wrong", "the process hung in C code or died", SECONDS + GRACE

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = None


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    made = Runner()
    yield made
    made.close()


def test_there_are_enough() -> None:
    assert len(NAMES) >= 80
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.skipif(importlib.util.find_spec("futamura.api") is None, reason="the specializer has no entry yet")
@pytest.mark.parametrize("name", NAMES)
def test_ends_right(name: str, runner: Runner) -> None:
    kind, detail, seconds = runner.outcome(name)
    assert kind in ("specialized", "refused"), detail
    assert seconds <= SECONDS
