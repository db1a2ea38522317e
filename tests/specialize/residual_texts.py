"""A program that prints the residual of every case of some modules of subjects: run in processes of its own.

    python -m tests.specialize.residual_texts numbers,texts [reversed]    ->    {"power-n=5": "def power(x): ..."}

Invariant: what is printed depends on nothing but the subjects: the tests run this under other hash seeds, and
in another order, and compare.
"""

from __future__ import annotations

import importlib
import json
import sys

import futamura

from .table import Subject


def residual_texts(names: list[str], backwards: bool) -> dict[str, str]:
    """The text (and the reasons) of each residual; `backwards` specializes the last one first."""
    cases = []
    for name in names:
        subjects: list[Subject] = importlib.import_module(f"tests.specialize.subjects.{name}").SUBJECTS
        cases.extend((f"{name}: {subject.name}-{case.label}", case) for subject in subjects for case in subject.cases)
    found: dict[str, str] = {}
    for label, case in cases[::-1] if backwards else cases:
        function, static = case.make()
        residual = futamura.specialize(function, **static)
        reasons = [f"# {event.code} {event.reason}" for event in residual.events]
        found[label] = "\n".join([residual.source, *reasons])
    return found


if __name__ == "__main__":
    print(json.dumps(residual_texts(sys.argv[1].split(","), "reversed" in sys.argv[2:]), sort_keys=True))
