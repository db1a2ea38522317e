"""Machines that fetch through something computed from their program counter: the program disappears all the same.

    words[pc // 4]    rom[pc : pc + 2]    unpack_from(">H", rom, pc)    rom[2 * pc], rom[2 * pc + 1]

Invariant: each stops after `fuel` steps, which is open, so that the loop has a dynamic exit at every step.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

import pytest

from futamura import specialize

ROM = bytes.fromhex("1003 1001 2000 1007 1001 1001 2004 0000".replace(" ", ""))
WORDS = [int.from_bytes(ROM[at : at + 2], "big") for at in range(0, len(ROM), 2)]


def perform(op: int, x: int, pc: int) -> tuple[int, int]:
    if op >> 12 == 1:
        return x - (op & 255), pc
    if op >> 12 == 2 and x > 0:
        return x, op & 0xFFF
    return x, pc


def by_words(words: list[int], x: int, fuel: int) -> int:
    pc = 0
    while 0 <= pc < 2 * len(words) and fuel:
        fuel -= 1
        op = words[pc // 2]
        if op == 0:
            break
        x, pc = perform(op, x, pc + 2)
    return x


def by_slices(rom: bytes, x: int, fuel: int) -> int:
    pc = 0
    while fuel:
        fuel -= 1
        op = int.from_bytes(rom[pc : pc + 2], "big")
        if op == 0:
            break
        x, pc = perform(op, x, pc + 2)
    return x


def by_keyword(rom: bytes, x: int, fuel: int) -> int:
    pc = 0
    while fuel:
        fuel -= 1
        op = int.from_bytes(rom[pc : pc + 2], byteorder="big", signed=False)
        if op == 0:
            break
        x, pc = perform(op, x, pc + 2)
    return x


def by_struct(rom: bytes, x: int, fuel: int) -> int:
    pc = 0
    while fuel:
        fuel -= 1
        (op,) = struct.unpack_from(">H", rom, pc)
        if op == 0:
            break
        x, pc = perform(op, x, pc + 2)
    return x


def by_halves(rom: bytes, x: int, fuel: int) -> int:
    at = 0
    while fuel:
        fuel -= 1
        op = rom[at * 2] << 8 | rom[2 * at + 1]
        if op == 0:
            break
        x, pc = perform(op, x, 2 * at + 2)
        at = pc // 2
    return x


@pytest.mark.parametrize(
    ("function", "program"),
    [(by_words, WORDS), (by_slices, ROM), (by_keyword, ROM), (by_struct, ROM), (by_halves, ROM)],
)
def test_the_program_disappears(function: Callable[..., int], program: object) -> None:
    residual = specialize(function, program)
    assert not residual.stats["fallbacks"] and not residual.stats["notes"]
    assert not any(word in residual.source for word in ("pc", "at", "op", "[", ">>")), residual.source
    for x in (0, 1, 5, 30, 31):
        for fuel in (*range(20), 100):
            assert residual(x, fuel) == function(program, x, fuel)


def sampled(table: list[int], count: int) -> int:
    total = 0
    at = 0
    while at < count:
        total += table[at >> 10]
        at += 1
    return total


def test_a_counter_of_which_little_is_looked_at_stays() -> None:
    residual = specialize(sampled, [1, 2, 3])
    assert residual.source.count("while") == 1 and not residual.stats["notes"]
    assert residual(2500) == sampled([1, 2, 3], 2500)


def packed(layout: str, x: int) -> tuple[object, ...]:
    return (
        struct.pack(layout, 1, 2), struct.unpack(layout, b"\1\0\2"), struct.calcsize(layout), bytes.fromhex("0aff"),
        int.from_bytes(b"\1\2", "little"), int.from_bytes(b"\xff", "big", signed=True),
        int.from_bytes(b"\1", "big") + x,
        struct.pack(layout, x, x), int.from_bytes(bytes([x]), "big"),
    )  # fmt: skip


def test_packing_of_constants_is_done() -> None:
    residual = specialize(packed, ">BH")
    assert residual.source.count("pack(") == 1 and residual.source.count("from_bytes") == 1, residual.source
    for x in (0, 7, 255):
        assert residual(x) == packed(">BH", x)
    for x in (-1, 256):
        with pytest.raises((struct.error, ValueError)) as expected:
            packed(">BH", x)
        with pytest.raises(type(expected.value), match=re.escape(str(expected.value))):
            residual(x)


def test_what_cannot_be_packed_fails_when_it_runs() -> None:
    def broken(layout: str, x: int) -> object:
        return struct.unpack_from(layout, b"\1", x)

    residual = specialize(broken, x=4)
    for layout in (">H", "?", ""):
        with pytest.raises(struct.error) as expected:
            broken(layout, 4)
        with pytest.raises(struct.error, match=re.escape(str(expected.value))):
            residual(layout)
