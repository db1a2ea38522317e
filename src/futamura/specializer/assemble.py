"""From versions with snapshots to a frozen residual program.

When all states are final, every lazy edge is matched against its version's state: what the state knows is
not passed, what it has as a parameter is, and virtual objects that the version does not know are
constructed on the way (`assembly`).  Then parameters that always receive one value and pure operations that nobody uses
are dropped (`passing`), and the rest is built as IR (`emission`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from futamura.ir.build import FunctionBuilder
from futamura.ir.graph import Function, Program, Signature
from futamura.specializer.assembly import Assembly, operations, parameters
from futamura.specializer.emission import Emission
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.passing import Flow
from futamura.specializer.residual import ResidualBlock, Version

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


def assemble(machine: Machine, root: Version, entry: Entry, placed: Placed | None = None) -> Program:
    """The residual program: the function of `root`, then the residual functions that it calls, by need."""
    names: dict[Version, str] = {root.final(): entry.name}
    waiting = [root.final()]
    assemblies: dict[Version, Assembly] = {}
    while waiting:
        version = waiting.pop(0)
        assembly = assemblies[version] = Assembly(machine, names, waiting, entry.inputs, root.final())
        assembly.own = entry.inputs if version is root.final() else parameters(version)
        assembly.params[version.root] = assembly.own
        assembly.visit(version.root)
    flow = Flow(machine, assemblies, root.final())
    functions: list[Function] = []
    for version, assembly in assemblies.items():
        kept = flow.parameters(version)
        own = [assembly.own[at] for at in kept]
        signature = entry.signature
        if version is not root.final():
            signature = Signature(regular=_parameter_names(machine, own))
        functions.append(_function(assembly, version, names[version], signature, entry.source, flow, placed))
    return Program(entry.name, tuple(functions))


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
    placed: Placed | None,
) -> Function:
    _require_variables(assembly, flow.replaced)
    kind = about.kind if version is assembly.main else "function"
    builder = FunctionBuilder(
        name,
        signature,
        kind=kind,
        qualname=about.qualname,
        doc=about.doc,
        module=about.module,
        file=about.file,
        span=about.span,
    )
    emission = Emission(assembly, version, builder, flow)
    function = emission.build()
    if placed is not None:
        assembly.reached.setdefault(version.root, version)
        for block, head in emission.heads.items():
            placed(name, head.id, block, assembly.reached.get(block))
    return function


_CELL_OF: Final = {"cell_get": 0, "cell_del": 0, "cell_set": 1}


def _require_variables(assembly: Assembly, replaced: dict[int, int]) -> None:
    """A variable that is bound on some ways only has no place of its own: each way made one, and they met."""
    found = [op for block in assembly.blocks for op in operations(assembly, block)]
    made = {result for op in found if op.name in ("cell", "const") for result in op.results}
    for op in found:
        at = _CELL_OF.get(op.name)
        if at is not None and replaced.get(op.args[at], op.args[at]) not in made:
            raise Unsupported("a variable is bound on some ways only", op.span)
