"""From versions with snapshots to a frozen residual program.

When all states are final, every lazy edge is matched against its version's state: what the state knows is
not passed, what it has as a parameter is, and virtual objects that the version does not know are
constructed on the way (`assembly`).  Then parameters that always receive one value and pure operations that nobody uses
are dropped (`passing`), and the rest is built as IR (`emission`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from futamura.ir.build import FunctionBuilder
from futamura.ir.graph import Function, Program, Signature
from futamura.specializer.assembly import Assembly, entered_kind, parameters
from futamura.specializer.emission import Emission
from futamura.specializer.machine import Machine
from futamura.specializer.passing import Flow
from futamura.specializer.rereading import drop_repeated
from futamura.specializer.residual import ResidualBlock, Version
from futamura.specializer.variables import require_variables

__all__ = ["Entry", "assemble"]


@dataclass(frozen=True, slots=True)
class Entry:
    """The residual function that the user calls: its name, its open parameters, and their residual values."""

    name: str
    signature: Signature
    inputs: list[int]
    source: Function


Placed = Callable[[str, int, ResidualBlock, "Version | None"], None]
"""Is told the function and number of each block of the residual program, what it was, and its version."""


def assemble(machine: Machine, root: Version, entry: Entry, placed: Placed) -> Program:
    """The residual program: the function of `root`, then the residual functions that it calls, by need."""
    machine.turn_to(ResidualBlock())  # the last one has its share
    drop_repeated(machine.kept, root)
    names: dict[Version, str] = {root.final(): entry.name}
    waiting = [root.final()]
    assemblies: dict[Version, Assembly] = {}
    machine.settled = True
    try:
        while waiting:
            version = waiting.pop(0)
            assembly = assemblies[version] = Assembly(machine, names, waiting, entry.inputs, root.final())
            assembly.own = entry.inputs if version is root.final() else parameters(version)
            assembly.params[version.root] = assembly.own
            assembly.visit(version.root)
    finally:
        machine.settled = False
    main = assemblies[root.final()]
    places = sorted(machine.free)
    main.free = [machine.free[place] for place in places]
    main.own = main.params[main.main.root] = [*main.own, *main.free]
    flow = Flow(machine, assemblies, root.final())
    functions: list[Function] = []
    for version, assembly in assemblies.items():
        kept = flow.parameters(version)
        own = [assembly.own[at] for at in kept]
        signature = entry.signature
        if version is not root.final():
            signature = Signature(regular=_parameter_names(machine, own))
        functions.append(_function(assembly, version, names[version], signature, entry.source, flow, placed))
    return Program(entry.name, (*functions, *machine.definitions.all()))


def _parameter_names(machine: Machine, params: list[int]) -> tuple[str, ...]:
    names: list[str] = []
    for param in params:
        hint = machine.hints[param]
        base = hint if hint is not None and hint.isidentifier() else "x"
        name, number = base, 1
        while name in names:
            number += 1
            name = f"{base}_{number}"
        names.append(name)
    return tuple(names)


def _function(
    assembly: Assembly,
    version: Version,
    name: str,
    signature: Signature,
    about: Function,
    flow: Flow,
    placed: Placed,
) -> Function:
    require_variables(assembly, flow.replaced)
    machine = assembly.machine
    kind = about.kind if version is assembly.main else entered_kind(version)
    builder = FunctionBuilder(
        name,
        signature,
        kind=kind,
        free=tuple(machine.own_names[place] for place in sorted(machine.free)) if assembly.free else (),
        qualname=about.qualname if version is assembly.main else version.state.top.facts.function.qualname,
        doc=about.doc if version is assembly.main else None,
        module=about.module,
        file=about.file,
        span=about.span,
    )
    emission = Emission(assembly, version, builder, flow)
    function = emission.build()
    assembly.reached.setdefault(version.root, version)
    for block, head in emission.heads.items():
        placed(name, head.id, block, assembly.reached.get(block))
    return function
