"""What the machine needs of the version table.

    points.arrive(state)    ->   the version that `state` goes on in

Invariant: `versions.Versions` is the one that does this; the machine knows nothing else of it.
"""

from __future__ import annotations

from typing import NoReturn, Protocol

from futamura.specializer.knowledge import Learned
from futamura.specializer.policy import Polyvariance
from futamura.specializer.residual import ResidualBlock, Summary, Unit, Version
from futamura.specializer.state import ArgumentKey, State

__all__ = ["Points"]


class Points(Protocol):
    """What the machine needs of the version table."""

    @property
    def polyvariance(self) -> Polyvariance: ...

    real: Learned[tuple[int, int]]
    rolled: Learned[tuple[int, int]]
    refused: Learned[object]
    extents: dict[object, int]
    opaque: Learned[object]
    nokey: Learned[object]
    noshape: Learned[object]
    work: int
    varying: set[object]
    summaries: dict[int, Summary]
    unit: Unit

    def arrive(self, state: State) -> Version: ...
    def arrive_raised(self, state: State, uid: int) -> Version: ...
    def arrive_unit(self, state: State, plain: bool = False) -> Version: ...
    def units_of(self, uid: int) -> int: ...
    def argument_key(self, state: State) -> ArgumentKey: ...
    def grows(self, sites: set[object], state: State, certain: bool = False) -> NoReturn: ...
    def forgive(self) -> None: ...
    def varies(self, places: list[tuple[int, int]]) -> None: ...
    def note_read(self, cls: type) -> None: ...
    def returns(self, state: State) -> None: ...
    def raises(self, state: State, block: ResidualBlock) -> None: ...
    def watch(self, unit: int) -> None: ...
    def watched(self, unit: int) -> bool: ...
    def extent(self, state: State, region: int) -> int: ...
