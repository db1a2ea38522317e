"""What one case of the benchmark is: a generic function, what is static, inputs, an expert, libraries.

    Case("power", power, static={"n": 13}, inputs=[(2.0,)], expert=power13, declared={"x": Dyn(float)})

Invariant: `expert(*inputs[i])` and each peer do the work of `generic(static, *inputs[i])`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Case", "outcome"]


@dataclass
class Case:
    """One row of the table."""

    name: str
    target: Callable[..., Any]
    inputs: Sequence[tuple[Any, ...]]
    static: Mapping[str, Any] = field(default_factory=dict)
    expert: Callable[..., Any] | None = None
    declared: Mapping[str, Any] = field(default_factory=dict)
    """What is promised of the open parameters: values for `Specializer`'s call, such as `Dyn(float)`."""
    peers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    raising_peers: bool = True
    """Do the peers answer the inputs for which the generic program raises?"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """More options of `Specializer`: what its comparisons give, for one."""
    aim: float | None = None
    """The ratio to the expert that is aimed at."""
    once: bool = False
    """A long run: it is measured once or twice, not many times."""

    @functools.cached_property
    def generic(self) -> Callable[..., Any]:
        """The generic program as a function of the open inputs."""
        function = getattr(self.target, "__func__", self.target)
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        rest = dict(self.static)
        first = []
        for name in names[function is not self.target :]:
            if name not in rest:
                break
            first.append(rest.pop(name))
        return functools.partial(self.target, *first, **rest) if self.static else self.target


def outcome(function: Callable[..., Any], inputs: tuple[Any, ...]) -> str:
    """The result as text, or the exception with its message."""
    try:
        return repr(function(*inputs))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
