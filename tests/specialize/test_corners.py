"""A slice of the random programs from the corners of the language; `python -m tools.fuzz_corners` runs more of them."""

from __future__ import annotations

import pytest

import futamura

from .corner_parts import PARTS
from .corners import generate
from .oracle import BAD, check
from .planted import identity


@pytest.mark.parametrize("start", range(0, 100, 25))
def test_programs_from_the_corners(start: int) -> None:
    for seed in range(start, start + 25):
        report = check(generate(seed), futamura.specialize)
        assert report.kind not in BAD, f"seed {seed}: {report.group}\n{generate(seed).text()}\n{report.detail}"


def test_a_program_is_a_function_of_its_seed() -> None:
    assert generate(3) == generate(3) != generate(4)


def test_the_original_agrees_with_itself() -> None:
    assert {check(generate(seed), identity).kind for seed in range(2 * len(PARTS))} == {"equal"}


def test_each_part_has_its_turn_with_something_known_and_something_open() -> None:
    made = [generate(seed) for seed in range(4 * len(PARTS))]
    for part in PARTS:
        mine = [one for one in made if part.definitions in one.source]
        assert any(one.static for one in mine) and any("'" in one.inputs[0] for one in mine), part.name
