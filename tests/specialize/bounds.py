"""Specializing within bounds: ten seconds of the processor, one more gibibyte, no effect; refusals carry diagnostics.

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
"""Of processor time: what else runs on the machine must not make a test fail."""

WAITING = 60
"""So many times the seconds by the clock are an end that does not come."""

KILOBYTES = 1 << 20
"""A gibibyte, in the unit of `ru_maxrss`."""

ADDRESSES = 4 << 30
"""Bytes of address space that may be taken on top, so that a failure does not take the machine with it."""

EFFECTS: list[str] = []
"""What the misbehaving values did, in order."""


@contextlib.contextmanager
def bounded(seconds: float = SECONDS) -> Iterator[None]:
    """Ends in time, in memory, and without any effect."""

    def too_late(*_: object) -> None:
        raise TimeoutError(f"not done in {seconds} s of processor time")

    EFFECTS.clear()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    earlier = [(number, signal.signal(number, too_late)) for number in (signal.SIGPROF, signal.SIGALRM)]
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, WAITING * seconds)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (address_space() + ADDRESSES, limits[1]))
    printed = io.StringIO()
    started = time.process_time()
    try:
        with contextlib.redirect_stdout(printed):
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        for number, handler in earlier:
            signal.signal(number, handler)
    spent = time.process_time() - started
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert spent < seconds, f"{spent:.1f} s"
    assert grown < KILOBYTES, f"{grown >> 10} MiB more"
    assert EFFECTS == [] and printed.getvalue() == "", f"effects: {EFFECTS[:9]}, printed: {printed.getvalue()!r}"


def address_space() -> int:
    """Bytes of address space of this process; a gibibyte where the system does not tell."""
    with contextlib.suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
    return 1 << 30


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
    static = make()
    residual = tried(function, **static)
    if residual is None:
        return None
    twin = make()
    names = [name for name in function.__code__.co_varnames[: function.__code__.co_argcount] if name not in static]
    for values in inputs:
        EFFECTS.clear()
        keywords = dict(zip(names, values, strict=True))
        expected = outcome(functools.partial(function, **twin, **keywords), values), list(EFFECTS)
        EFFECTS.clear()
        found = outcome(functools.partial(residual, *values), values), list(EFFECTS)
        assert found == expected, f"inputs {values!r}:\nexpected {expected!r}\nfound    {found!r}"
    EFFECTS.clear()
    return residual
