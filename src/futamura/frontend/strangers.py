"""What is only done if something may come from another module: such objects and functions may do anything.

    engine = Engine()              Engine is imported
    engine.take(ROWS["a"])         changes what it gets, though the module has a function `take`, and gives parts of it
    HOOKS.append(hook)             hook is a parameter: what other modules pass
    HOOKS[0](ROWS["a"])            changes what it gets

Invariant: order does not matter: what is done may show that more comes from other modules.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator
from typing import Final, NamedTuple

from futamura.frontend.sources import FOREIGN, GIVEN, Source, Sources, items_of

__all__ = ["ANYBODY", "DESCRIBING", "LATER", "Strangers", "called_arguments"]

ANYBODY: Final = (FOREIGN, GIVEN)
"""What other modules define, and what they pass."""


class _Deed(NamedTuple):
    """What happens if one of these sources may be one of these kinds."""

    watched: frozenset[Source]
    kinds: tuple[Source, ...]
    changed: frozenset[Source]
    result: Source | None
    held: frozenset[Source]
    """What the result may be then."""


class Strangers:
    """What waits for an object or function to turn out to come from another module."""

    def __init__(self, sources: Sources) -> None:
        self._sources: Final = sources
        self._waiting: list[_Deed] = []

    def when(
        self,
        watched: frozenset[Source],
        passed: frozenset[Source],
        *,
        kinds: tuple[Source, ...] = (FOREIGN,),
        receiver: frozenset[Source] = frozenset(),
        result: Source | None = None,
    ) -> None:
        """If one of `watched` may be one of these kinds, what is `passed` is changed; the result may be that, or what
        the `receiver` has."""
        changed = passed | items_of(passed)
        held = changed | items_of(receiver) | {FOREIGN}
        if changed or result is not None:
            self._waiting.append(_Deed(watched, kinds, changed, result, held))

    @contextlib.contextmanager
    def at_rest(self) -> Iterator[None]:
        """What is expected meanwhile never happens."""
        waiting = list(self._waiting)
        yield
        self._waiting = waiting

    def settle(self, changed: set[Source]) -> bool:
        """Add what is changed after all.  Did anything happen?"""
        holding = {kinds: self._sources.holding(kinds) for kinds in {one.kinds for one in self._waiting}}
        waiting = []
        for one in self._waiting:
            if one.watched.isdisjoint(holding[one.kinds]):
                waiting.append(one)
                continue
            changed |= one.changed
            if one.result is not None:
                self._sources.add(one.result, one.held)
        done = len(waiting) < len(self._waiting)
        self._waiting = waiting
        return done


_CALLING_FIRST: Final = frozenset(
    {"map", "filter", "reduce", "partial", "starmap", "takewhile", "dropwhile", "filterfalse", "iter", "MethodType"}
    | {"defaultdict"}
)
DESCRIBING: Final = frozenset({"property", "staticmethod", "classmethod", "cached_property"})
"""What makes attributes of the functions that it is given."""
_PASSING: Final = frozenset({"partial", "MethodType", "reduce"})
LATER: Final = _CALLING_FIRST | {
    *("zip", "enumerate", "reversed", "chain", "cycle", "islice", "repeat", "tee", "partialmethod"),
    *("namedtuple", "attrgetter", "itemgetter", "methodcaller", "ContextVar"),
}
"""What makes iterators, functions with arguments, and what else calls or gives what it got later."""
_CALLING_SECOND: Final = frozenset({"accumulate", "groupby"})


def called_arguments(call: ast.Call) -> Iterator[tuple[ast.expr, bool]]:
    """The arguments that a function of the library calls with what is in others; or with these, is that so?"""
    name = getattr(call.func, "id", getattr(call.func, "attr", ""))
    if name in _CALLING_FIRST and (name != "iter" or len(call.args) == 2):
        yield from ((one, name in _PASSING) for one in call.args[:1])
    if name in _CALLING_SECOND:
        yield from ((one, False) for one in call.args[1:])
    yield from ((one.value, False) for one in call.keywords if one.arg in ("key", "func", "function"))
