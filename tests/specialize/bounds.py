"""Specializing within bounds: ten seconds, a gibibyte more, no effect; a refusal must carry a diagnostic.

    right(lambda: {"n": 3}, power, (2,), (2.5,))    ->    the residual, after it equalled `power` on 2 and on 2.5

Invariant: an effect of a static value (a `print`, an entry in `EFFECTS`) while specializing is a failure.
"""

from __future__ import annotations

import contextlib
import functools
import io
import resource
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

from futamura.errors import FutamuraError

from .comparing import outcome
from .specializing import specialize

SECONDS = 10
KILOBYTES = 1 << 20
"""A gibibyte, in the unit of `ru_maxrss`."""

EFFECTS: list[str] = []
"""What the misbehaving values did, in order."""


@contextlib.contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    """Ends in time, in memory, and without any effect."""

    def too_late(*_: object) -> None:
        raise TimeoutError(f"not done in {seconds} s")

    EFFECTS.clear()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    earlier = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    printed = io.StringIO()
    started = time.monotonic()
    try:
        with contextlib.redirect_stdout(printed):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)
    assert time.monotonic() - started < seconds
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < KILOBYTES
    assert EFFECTS == [] and printed.getvalue() == ""


def tried(function: Any, /, **static: Any) -> Callable[..., Any] | None:
    """The residual, or None where a diagnostic refused it."""
    with bounded():
        try:
            return specialize(function, **static)
        except FutamuraError as error:
            assert error.diagnostic.code.startswith("FT"), error
            assert error.diagnostic.code != "FT901", error
            return None


def right(make: Callable[[], dict[str, Any]], function: Any, *inputs: tuple[Any, ...]) -> Callable[..., Any] | None:
    """Specialized within bounds, and equal to the original on the inputs; `make` gives the static arguments."""
    residual = tried(function, **make())
    if residual is None:
        return None
    for values in inputs:
        names = [name for name in function.__code__.co_varnames[: function.__code__.co_argcount] if name not in make()]
        keywords = dict(zip(names, values, strict=True))
        EFFECTS.clear()
        expected = outcome(functools.partial(function, **make(), **keywords), values), list(EFFECTS)
        EFFECTS.clear()
        fresh = tried(function, **make())
        assert fresh is not None
        found = outcome(functools.partial(fresh, *values), values), list(EFFECTS)
        assert found == expected
    EFFECTS.clear()
    return residual
