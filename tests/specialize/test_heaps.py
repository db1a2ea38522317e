"""A slice of the random programs over static objects; `python -m tools.fuzz_heaps` runs more of them."""

from __future__ import annotations

import pytest

from .heaps import difference, program


@pytest.mark.parametrize("start", range(0, 60, 15))
def test_programs_over_static_objects(start: int) -> None:
    found = [text for seed in range(start, start + 15) if (text := difference(seed)) is not None]
    assert not found, "\n".join(found)


def test_a_program_is_a_function_of_its_seed() -> None:
    assert program(3) == program(3) != program(4)
    assert any("k % 3" in program(seed) for seed in range(5))
