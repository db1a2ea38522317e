"""What runs in place of a residual, where what it believes may be wrong by now, or is not so in this call.

    scaled = specialize(counter.scaled)        scaled(3)        `force` is left out, and counter.k is known
                                               scaled(3, 10)    another residual, in which `force` is open: it stores
                                                                counter.k
                                               scaled(3)        counter.k is not what it was: the other one runs

A residual and all that run in its place have one flag: it is set before anything runs that may change, or give away,
what one of them believes of static objects.  Where that can only have changed them, the next call looks whether it did.

Invariant: while the flag is set, the residual itself does not run.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from types import CellType, MemberDescriptorType
from typing import Any, Final

from futamura.specializer.outcome import Outcome
from futamura.specializer.parting import DOUBTED, HandedOver
from futamura.specializer.purity import HEAP_TYPE, named_attributes, own_attribute

__all__ = ["Another", "General", "Later", "Snapshot", "disturbs", "folds_as_much", "independent", "setting"]

_MOST_PATIENT: Final = 1_000
"""So many calls may run general code at most where nothing has changed."""
_ROOM: Final = 400
"""So many calls in each other does a specialization need."""


class Snapshot:
    """What static objects hold, as a residual believes it."""

    def __init__(self, objects: Sequence[object], written: frozenset[tuple[int, str]]) -> None:
        """Of attributes those that are `written`, by the object's identity and their names, do not count."""
        self._written: Final = written
        self._objects: Final = objects
        self._before: Final = [self._contents(value) for value in objects]

    def holds(self) -> bool:
        """Do all of them hold the same objects?  Runs no code of the program."""
        return all(
            before is not None and (now := self._contents(value)) is not None and _same(before, now)
            for value, before in zip(self._objects, self._before)
        )

    def _contents(self, value: object) -> list[object] | None:
        """Its class, then what it holds; None if that cannot be told."""
        cls = type(value)
        held: list[object] = [cls]
        if cls is CellType:
            with contextlib.suppress(ValueError):
                held.append(value.cell_contents)  # type: ignore[attr-defined]
            return held
        builtin = [base for base in cls.__mro__ if not base.__flags__ & HEAP_TYPE]
        if cls is object or not all(base in _HELD for base in builtin):
            return None
        for base in builtin:
            held.extend(_HELD[base](value))
        slots = [name for base in cls.__mro__ for name, found in vars(base).items() if _is_slot(found)]
        stored = {name: own_attribute(value, name) for name in slots}
        for name, part in named_attributes(value) or ():  # which makes no dictionary
            if type(name) is str:
                stored[name] = part
            else:
                held += (name, part)
        kept = [name for name in sorted(stored) if (id(value), name) not in self._written]
        return [*held, *(part for name in kept for part in (name, stored[name]))]


_HELD: Final[dict[type, Callable[[Any], Iterable[object]]]] = {
    **dict.fromkeys((object, int, float, complex, str, bytes, tuple, frozenset), lambda value: ()),
    dict: lambda value: (*dict.keys(value), *dict.values(value)),
    OrderedDict: OrderedDict.keys,
    defaultdict: lambda value: (vars(defaultdict)["default_factory"].__get__(value),),
    list: list.__iter__,
    set: set.__iter__,
}
"""What objects of builtin classes hold, beside attributes: without any code of the program."""


def _is_slot(found: object) -> bool:
    return type(found) is MemberDescriptorType


def _same(before: list[object], now: list[object]) -> bool:
    """Names are the same text; all else is the same object."""
    return len(before) == len(now) and all(
        a is b or (type(a) is str and type(b) is str and a == b) for a, b in zip(before, now)
    )


class Another:
    """A residual that is made when it is first needed."""

    def __init__(
        self,
        make: Callable[[], tuple[Callable[..., Any], bool]],
        original: Callable[..., Any],
        flag: HandedOver | None,
        believed: Snapshot,
        flags: Sequence[HandedOver],
        *,
        keeps: bool,
    ) -> None:
        """`make` gives it, and says whether it may change what the one in whose place it runs believes; if somebody
        `keeps` what it gets, or it is a generator, that may be later.  `flags` are set before the original runs."""
        self._make: Final = make
        self._original: Final = original
        self._flag: Final = flag
        self._flags: Final = flags
        self._keeps: Final = keeps
        self._made: Callable[..., Any] | None = None
        self._changes = False
        self._waits = self._patience = 0
        """How many calls there will be before the next look whether there is still doubt, and how many after that."""
        self._came_back = False
        self.main: Callable[..., Any] = original
        """The residual in whose place this one runs."""
        self.run: Callable[..., Any] = self._choose
        """What the entry calls: once the other residual is there, that one itself, or what little is needed around."""
        if flag is not None and believed.holds not in flag.believed:
            flag.believed.append(believed.holds)

    def _choose(self, /, *args: Any, **keywords: Any) -> Any:
        """One call, where the other residual is not there yet, or it is time for a look."""
        flag = self._flag
        if flag is not None and flag.now == DOUBTED and self._is_time():
            if flag.settle():
                return self._go_back(args, keywords)
            self._be_patient()
        self._came_back = True
        runs, changes = self._made, self._changes
        if runs is None and _has_room():
            runs, changes = self._made, self._changes = self._make()
            self._prepare(runs)
        elif runs is None:
            runs, changes = self._original, True
        if runs is self._original:
            return setting(self._flags, runs, keeps=self._keeps)(*args, **keywords)
        if flag is not None and changes:
            return setting((flag,), runs, keeps=self._keeps)(*args, **keywords)
        return runs(*args, **keywords)

    def _prepare(self, made: Callable[..., Any]) -> None:
        """From now on `run` does what has to be done around `made`."""
        flag = self._flag
        if made is self._original:
            return
        function = _plain(made)
        if flag is None:
            self.run = function
            return
        changes, keeps, running = self._changes, self._keeps, flag.running

        def run(*args: Any, **keywords: Any) -> Any:
            """One function for all: each call that collects arguments takes a hundred nanoseconds."""
            if flag.now is not True:  # else it stays so
                if flag.now:
                    if self._waits <= 0:
                        return self._choose(*args, **keywords)
                    self._waits -= 1
                self._came_back = True
                if changes and keeps:
                    flag.now = True
                elif changes:
                    running.append(None)
                    flag.now = flag.now or DOUBTED
                    try:
                        return function(*args, **keywords)
                    finally:
                        running.pop()
            return function(*args, **keywords)

        self.run = run

    def _is_time(self) -> bool:
        """A look whether all still is as it was takes the longer the more there is of it: it is taken ever more seldom
        where the calls come back here nevertheless."""
        self._waits -= 1
        return self._waits < 0

    def _go_back(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """There is no doubt any more: the call is the main residual's, which may give it back, or run what makes that
        doubtful again, because a promise or a guess about its inputs is broken."""
        self._came_back = False
        try:
            return self.main(*args, **keywords)
        finally:
            if self._came_back or (self._flag is not None and self._flag.now == DOUBTED):
                self._be_patient()
            else:
                self._patience = self._waits = 0

    def _be_patient(self) -> None:
        self._patience = self._waits = min(2 * self._patience + 1, _MOST_PATIENT)


class General:
    """The residual that promises nothing about its inputs, which runs where a promise is broken: it is made when it is
    first needed."""

    def __init__(self, make: Callable[[], tuple[Callable[..., Any], bool, bool]]) -> None:
        """`make` gives it, and says whether it may change what the one in whose place it runs believes, and whether
        somebody may do that later."""
        self._make: Final = make
        self.flags: Sequence[HandedOver] = ()
        """Those of the residuals in whose place it runs."""
        self.run: Callable[..., Any] = self._first
        """What the entry calls."""

    def _first(self, /, *args: Any, **keywords: Any) -> Any:
        made, changes, keeps = self._make()
        self.run = setting(self.flags, made, keeps=keeps) if changes else _plain(made)
        return self.run(*args, **keywords)


class Later:
    """A residual that is written as Python when it is first called: the one without guesses, which few calls need."""

    def __init__(self, make: Callable[[], Callable[..., Any] | None], original: Callable[..., Any]) -> None:
        """`make` gives None if it cannot be made as the program is now: then the original runs, and where calls are in
        each other too deep to make anything."""
        self._make: Final = make
        self._original: Final = original
        self._made: Callable[..., Any] | None = None

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        if self._made is None and _has_room():
            self._made = self._make()
        return (self._made or self._original)(*args, **keywords)


def setting(flags: Sequence[HandedOver], function: Callable[..., Any], *, keeps: bool) -> Callable[..., Any]:
    """`function`, which may change anything, and may give it to who `keeps` it: the flags are set before it runs."""
    function = _plain(function)

    def gives(*args: Any, **keywords: Any) -> Any:
        for flag in flags:
            flag.now = True
        return function(*args, **keywords)

    def runs(*args: Any, **keywords: Any) -> Any:
        for flag in flags:
            flag.running.append(None)
            flag.now = flag.now or DOUBTED
        try:
            return function(*args, **keywords)
        finally:
            for flag in flags:
                flag.running.pop()

    return gives if keeps else runs


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a call of a residual runs: a call of the function itself takes less."""
    return function.__func__ if isinstance(function, staticmethod) else function


def disturbs(other: Outcome, main: Outcome) -> bool:
    """May the program of `other` change, or give away, what that of `main` believes of static objects?"""
    if other.program is None or other.handed_over is not None or other.hides:
        return True
    believed = set(map(id, main.believed))
    if not other.unfrozen.isdisjoint(believed):
        return True
    return any(place[0] in believed for place in other.written - main.written)


def folds_as_much(one: Outcome, other: Outcome) -> bool:
    """Does as much fold in `one` as in `other`?"""
    return one.program is not None and one.stats["folded"] >= other.stats["folded"]


def independent(one: Outcome, other: Outcome) -> bool:
    """Does nothing that one of the two does to static objects matter to the other?"""
    for found, beside in ((one, other), (other, one)):
        believed = set(map(id, beside.believed))
        escapes = any(id(value) in believed for value in found.escaped)
        if found.left_out or found.given or escapes or disturbs(found, beside):
            return False
    return True


def _has_room() -> bool:
    """Can so many calls be in each other still?"""
    try:
        _deep(_ROOM)
    except RecursionError:
        return False
    return True


def _deep(count: int) -> None:
    if count:
        _deep(count - 1)
