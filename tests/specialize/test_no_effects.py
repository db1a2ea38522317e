"""Nothing of the program runs while it is specialized: hundreds of operations that would tell.

    box[0] + 1      with box = [Spy()] static      ->      `Spy.__add__` is called by the residual, never before

Each probe is also run: the residual must do what the original does, so an effect is not simply lost.

Invariant: an audit hook sees files, sockets, processes, imports and code; reading the subject's own source is not
marked, so it does not count.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import types
from typing import Any

import pytest

from tests.specialize.oracle import check
from tests.specialize.planted import identity
from tests.specialize.probes import MARK, Probe, probes

PROBES = probes()


class Audit:
    """Collects marked events while `armed`; a hook cannot be removed, so there is one for the whole process."""

    def __init__(self) -> None:
        self.armed = False
        self.events: list[str] = []
        sys.addaudithook(self.hook)

    def hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.armed:
            return
        named = arguments[1:] if event == "compile" else arguments  # whose first argument is the text of the subject
        if MARK in event or any(MARK in text(argument) for argument in named):
            self.events.append(event)


def text(argument: object) -> str:
    """Names and paths; of code its file.  No `repr`: that would run the program."""
    if type(argument) is str:
        return argument
    if type(argument) is bytes:
        return argument.decode("utf-8", "replace")
    if type(argument) in (list, tuple):
        return " ".join(text(item) for item in argument)  # type: ignore[attr-defined]
    return str(argument.co_filename) if type(argument) is types.CodeType else ""


AUDIT = Audit()


def audited(function: Any, **static: Any) -> Any:
    """The real specializer, watched."""
    specialize = importlib.import_module("futamura.api").specialize
    AUDIT.events.clear()
    AUDIT.armed = True
    try:
        return specialize(function, **static)
    finally:
        AUDIT.armed = False


def test_there_are_enough() -> None:
    assert len(PROBES) >= 300
    assert len({probe.name for probe in PROBES}) == len(PROBES)


def run_now(function: Any, **static: Any) -> Any:
    """A specializer that runs the program at once: the fault that the probes are for."""
    bound = identity(function, **static)
    AUDIT.events.clear()
    AUDIT.armed = True
    try:
        bound(1)
    except Exception:
        return bound
    finally:
        AUDIT.armed = False
    return bound


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_probe_would_tell(probe: Probe) -> None:
    """Running the program early is seen, except where nothing is to be seen: pure operations are not probes."""
    report = check(probe.program, run_now)
    assert report.kind == "difference" or (probe.audited and AUDIT.events)


@pytest.mark.skipif(importlib.util.find_spec("futamura.api") is None, reason="the specializer has no entry yet")
@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_no_effect(probe: Probe) -> None:
    report = check(probe.program, audited)
    assert report.kind in ("equal", "refused"), f"{report.group}: {report.detail}"
    assert AUDIT.events == []
