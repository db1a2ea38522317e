"""Copies of code that leave much more than they fold are not made; a long program is compiled whole all the same."""

from __future__ import annotations

from typing import Any

from .specializing import fallbacks, left, source_of, specialize

KINDS = (("int", 2), ("str", 2), ("str", 0), ("a", "int"), ("str", "int"), ("a", "b"))


def counted(kinds: Any, x: Any, y: Any) -> Any:
    """What is added to the counter depends on open values: after a few trips it may be anything."""
    found = []
    n = 0
    seen = {}
    while n < 7 and len(found) < 9:
        n += 1
        kind = kinds[x]
        if isinstance(kind, str):
            n += 1
        elif isinstance(kind, tuple):
            n += 2
        found.append(kind)
        other = kinds[y]
        if not other:
            n += 10
        seen[other if isinstance(other, (str, int)) else "other"] = n
        if not kind:
            n += 10
        seen[kind if isinstance(kind, (str, int)) else "other"] = n
    return found, n, seen


def machine(program: list[tuple[str, int]], x: int) -> int:
    at = total = 0
    while at < len(program):
        name, operand = program[at]
        at += 1
        if name == "add":
            total += x * operand
        elif name == "flip":
            total = operand - total
        elif name == "skip" and total > operand:
            at += 1
    return total


def test_copies_that_explode_are_not_made() -> None:
    residual = specialize(counted, KINDS)
    assert not fallbacks(residual)
    assert len(source_of(residual).splitlines()) < 200
    notes = [event.reason for event in residual.events if event.code == "FT401"]
    assert [note for note in notes if note.startswith("counted:") and "known values make no copies" in note]
    for x in range(-1, 7):
        for y in (0, 3, -2):
            try:
                expected = counted(KINDS, x, y)
            except IndexError:
                continue
            assert residual(x, y) == expected


def rounds(table: list[int], n: int, block: list[int]) -> list[int]:
    for _ in range(n):
        block = [block[x] for x in table]
        block = [x ^ 1 for x in block]
    return block


def test_the_outer_loop_is_rolled() -> None:
    """The inner ones run often only because it does: they are lines without a loop."""
    table = [at * 7 % 64 for at in range(64)]
    residual = specialize(rounds, table, 200)
    notes = [event.reason for event in residual.events if event.code == "FT401"]
    assert len(notes) == 1 and notes[0].startswith("a loop of rounds is not unrolled"), notes
    assert source_of(residual).count("block[") == 64 and source_of(residual).count("for ") == 2, source_of(residual)
    for block in (list(range(64)), [3] * 64):
        assert residual(block) == rounds(table, 200, block)


def test_a_long_program_is_compiled_whole() -> None:
    program = [(("add", "flip", "skip")[at * 7 % 3], at % 11) for at in range(1_500)]
    residual = specialize(machine, program)
    assert left(residual) > 1_500
    assert "program" not in source_of(residual)
    assert not residual.events
    for x in (-3, 0, 2):
        assert residual(x) == machine(program, x)
