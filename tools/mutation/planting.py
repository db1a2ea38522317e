"""The faults, and copies of the source tree that have one.

    faults("faults")[0]                Fault("meet of equal values", file="merge.py", old="...", new="...", ...)
    planted(tree, fault)               the text of the file with the fault; an error unless `old` occurs exactly once
    copy(house, there, fault)          a tree that the tests run in, with the fault in it

Invariant: the tree that is copied is never changed.
"""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["HOUSE", "LISTS", "Fault", "copy", "faults", "planted"]

HOUSE: Final = Path(__file__).resolve().parents[2]
LISTS: Final = ("faults", "reach")
"""The lists of faults: those of the parts that are at the heart of it, and those of all others."""
_SUBJECT: Final = Path("src") / "futamura" / "specializer"
_LEFT_OUT: Final = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist")


@dataclass(frozen=True)
class Fault:
    """A replacement of a text that occurs once."""

    name: str
    says: str
    file: str
    old: str
    new: str
    found: str
    """The test that found it first, last time: it is asked before all others."""


def faults(among: str) -> list[Fault]:
    """The faults of one list."""
    data = tomllib.loads((Path(__file__).parent / f"{among}.toml").read_text(encoding="utf-8"))
    return [Fault(**entry) for entry in data["fault"]]


def planted(tree: Path, fault: Fault) -> str:
    """The text of the fault's file with the fault in it."""
    text = (tree / _SUBJECT / fault.file).read_text(encoding="utf-8")
    found = text.count(fault.old)
    if found != 1:
        raise ValueError(f"{fault.name}: the text to be replaced occurs {found} times in {fault.file}")
    return text.replace(fault.old, fault.new)


def copy(house: Path, there: Path, fault: Fault | None) -> None:
    """The tree again at `there`, with the fault (None: without one)."""
    shutil.copytree(house, there, ignore=_LEFT_OUT)
    if fault is not None:
        (there / _SUBJECT / fault.file).write_text(planted(house, fault), encoding="utf-8")
