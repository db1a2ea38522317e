"""The faults that `python -m tools.mutation` plants fit the specializer as it is."""

from __future__ import annotations

import ast

import pytest

from tools.mutation.planting import HOUSE, LISTS, Fault, faults, planted

FAULTS = [fault for name in LISTS for fault in faults(name)]


def test_there_are_enough_of_them() -> None:
    assert len(FAULTS) >= 100
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert all(fault.says.endswith(".") for fault in FAULTS)


def test_each_names_the_test_that_finds_it() -> None:
    for fault in FAULTS:
        file, _, name = fault.found.partition("::")
        assert f"def {name.partition('[')[0]}(" in (HOUSE / file).read_text(encoding="utf-8"), fault.name


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_a_fault_replaces_one_place_and_is_still_python(fault: Fault) -> None:
    before = (HOUSE / "src" / "futamura" / "specializer" / fault.file).read_text(encoding="utf-8")
    after = planted(HOUSE, fault)
    assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before))
