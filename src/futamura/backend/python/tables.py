"""The test whether tables that were read when a residual was made hold what they held.

    HANDLERS == {"up": up, "down": down}     def holds():
                                                 k0, k1 = table
                                                 v0, v1 = table.values()
                                                 return k0 is 'up' and k1 is 'down' and v0 is up and v1 is down

Unpacking is the cheapest way to get at all items of a container: a third of what comparing their identities costs.

Invariant: items are compared by `is` alone, so no code of the program runs; another number of items raises ValueError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any, Final

__all__ = ["tables_reader"]

_MANY: Final = 64
"""So many items are compared by a loop."""


def tables_reader(tables: Sequence[tuple[object, Sequence[object]]]) -> Callable[[], bool]:
    """A function that compares lists, dicts and sets with what they held: of a dict the keys, then the values."""
    space: dict[str, Any] = {"__builtins__": {}, "_id": id, "_map": map}
    lines: list[str] = []
    for number, (table, parts) in enumerate(tables):
        name = f"table_{number}"
        space[name] = table
        if type(table) in (dict, MappingProxyType):
            half = len(parts) // 2
            sides = [(name, parts[:half]), (f"{name}.values()", parts[half:])]
        else:
            sides = [(name, parts)]
        for side, (source, items) in enumerate(sides):
            lines.extend(_lines(space, f"{number}_{side}", source, items))
    text = "".join(f" {line}\n" for line in (*lines, "return True"))
    exec(compile(f"def holds():\n{text}", "<entry test>", "exec", dont_inherit=True), space)
    made: Callable[[], bool] = space.pop("holds")
    return made


def _lines(space: dict[str, Any], number: str, source: str, items: Sequence[object]) -> list[str]:
    """Leave the function if what comes out of `source` is something else."""
    if not items:
        return [f"if {source}: return False"]
    if len(items) > _MANY:
        space[f"held_{number}"] = [*map(id, items)]
        return [f"if [*_map(_id, {source})] != held_{number}: return False"]
    names = [f"_{number}_{at}" for at in range(len(items))]
    wanted = [f"was_{number}_{at}" for at in range(len(items))]
    space.update(zip(wanted, items))
    same = " and ".join(f"{name} is {was}" for name, was in zip(names, wanted))
    return [f"{', '.join(names)}, = {source}", f"if not ({same}): return False"]
