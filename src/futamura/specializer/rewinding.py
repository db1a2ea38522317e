"""Starting again from where something that was learned is first asked about, instead of from the beginning.

    rewind(machine, versions)    ->   True: the versions, what is known of residual functions, and the machine's tables
                                      are as they were before the first run that asked

Invariant: what comes out is what starting from the beginning, with all that is known now, would give.
"""

from __future__ import annotations

from futamura.specializer.history import (
    Restore,
    copied,
    copied_set,
    copied_sets,
    shortened,
)  # fmt: skip
from futamura.specializer.knowledge import Knowledge
from futamura.specializer.machine import Machine
from futamura.specializer.versions import Versions

__all__ = ["keep", "rewind"]


def keep(machine: Machine, versions: Versions) -> None:
    """Between two runs: make a checkpoint, if it is time."""
    if not versions.history.due(machine.steps):
        return
    size = len(machine.trips) + len(machine.ways) + len(machine.named)
    restore = [_counters(machine), *_tables(machine), *versions.tables()]
    versions.history.keep(machine.steps, versions.count, size + versions.size(), restore)


def rewind(machine: Machine, versions: Versions, knowledge: Knowledge) -> bool:
    """Go back to the last checkpoint before anybody asked something whose answer is another one now.

    False if there is none.
    """
    first = knowledge.answers_change() if machine.world.caches.may_go_back() else None
    count = None if first is None else versions.history.rewind(first)
    if count is None:
        return False
    versions.back_to(count)
    return True


def _counters(machine: Machine) -> Restore:
    steps, emitted, folded = machine.steps, machine.emitted, machine.folded
    entered, late, clean_ups, besides = machine.entered, machine.late, machine.clean_ups, machine.besides

    def restore() -> None:
        machine.steps, machine.emitted, machine.folded = steps, emitted, folded
        machine.entered, machine.late, machine.clean_ups, machine.besides = entered, late, clean_ups, besides

    return restore


def _tables(machine: Machine) -> list[Restore]:
    return [
        copied(machine.trips),
        copied(machine.too_deep),
        copied(machine.named),
        machine.unfolded.checkpoint(),
        copied_sets(machine.ways),
        copied_set(machine.compared),
        copied_set(machine.unrolled),
        copied_set(machine.shared),
        shortened(machine.events),
        shortened(machine.world.assumptions),
        shortened(machine.holding),
        shortened(machine.free),
        machine.definitions.checkpoint(),
        machine.world.caches.checkpoint(),
        machine.kept.checkpoint(),
    ]
