"""Long lists and bytearrays of which parts stay known: programs in memory, beside data that is stored anywhere.

Invariant: a residual does what the function does, for all that is stored and wherever.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Any

import pytest

import futamura
from futamura.residual import Residual

from .fuzz_memories import differences

# A machine with its program in memory: two bytes an instruction, the operation and an operand.
LOAD, ADD, STORE, SUB, JUMP, LOOP, PEEK, POKE, HALT = range(1, 10)


class Machine:
    def __init__(self, memory: Any, a: Any) -> None:
        self.memory = memory
        self.a = a
        self.pc = 16
        self.halted = False

    def step(self) -> None:
        op, x = self.memory[self.pc], self.memory[self.pc + 1]
        self.pc += 2
        if op == LOAD:
            self.a = self.memory[x]
        elif op == ADD:
            self.a = (self.a + self.memory[x]) & 255
        elif op == SUB:
            self.a = (self.a - x) & 255
        elif op == STORE:
            self.memory[x] = self.a
        elif op == JUMP:
            self.pc = x
        elif op == LOOP:
            if self.a:
                self.pc = x
        elif op == PEEK:
            self.a = self.memory[self.memory[x]]
        elif op == POKE:
            self.memory[self.memory[x]] = self.a
        elif op == HALT:
            self.halted = True
        else:
            raise ValueError(f"no operation {op} at {self.pc - 2}")

    def run(self) -> Any:
        while not self.halted:
            self.step()
        return self.a


def with_slice(program: bytes, a: Any) -> Any:
    memory = bytearray(256)
    memory[16 : 16 + len(program)] = program
    return Machine(memory, a).run()


def with_loop(program: bytes, a: Any) -> Any:
    memory = [0] * 1000
    for at, byte in enumerate(program):
        memory[16 + at] = byte
    return Machine(memory, a).run()


def with_rest(program: bytes, a: Any) -> Any:
    memory = [0] * 16 + list(program)
    memory += [0] * 900
    return Machine(memory, a).run()


def with_extend(program: bytes, a: Any) -> Any:
    memory = [0] * 16 + list(program)
    memory.extend([0] * 900)
    return Machine(memory, a).run()


STARTS: list[Callable[[bytes, Any], Any]] = [with_slice, with_loop, with_rest, with_extend]
COUNTING = bytes([STORE, 0, LOAD, 1, ADD, 0, STORE, 1, LOAD, 0, SUB, 1, STORE, 0, LOOP, 18, LOAD, 1, HALT, 0])
"""The sum of the numbers up to `a`."""
ARRAY = bytes([STORE, 2, POKE, 2, LOAD, 2, SUB, 1, STORE, 2, LOOP, 18, LOAD, 130, HALT, 0])
"""Stores at `a`, `a - 1`, ...: above 16 into the program."""
OWN = bytes([STORE, 0, LOAD, 0, STORE, 25, LOAD, 3, SUB, 7, HALT, 0])
"""Stores into an instruction of its own: what it takes away."""


@pytest.mark.parametrize("start", STARTS)
def test_the_program_is_gone(start: Callable[[bytes, Any], Any]) -> None:
    residual = futamura.specialize(start, COUNTING)
    assert not residual.events
    assert len(residual.source.splitlines()) <= 12 and "pc" not in residual.source, residual.source
    for a in (1, 2, 7, 20, 255):
        assert residual(a) == start(COUNTING, a)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("program", [ARRAY, OWN, COUNTING[:-4] + bytes([PEEK, 0, HALT, 0])])
def test_stores_anywhere(start: Callable[[bytes, Any], Any], program: bytes) -> None:
    residual = futamura.specialize(start, program)
    for a in (0, 1, 3, 12, 15, 16, 17, 18, 20, 30, 31, 32, 33, 40, 100, 200, 255, True, 7.0, "x", 256, -1):
        assert outcome(residual, a) == outcome(start, program, a), (a, residual.source)


def outcome(function: Any, *arguments: Any) -> object:
    try:
        return repr(function(*arguments))
    except Exception as error:
        return type(error), str(error)


def test_a_store_at_an_open_place_is_tested() -> None:
    residual = futamura.specialize(with_slice, ARRAY)
    assert "if 32 <= " in residual.source and "halted" in residual.source
    assert [event.code for event in residual.events if event.code == "FT305"] == []


def test_what_is_given_up_is_told() -> None:
    def guarded(program: bytes, n: int) -> Any:
        memory = bytearray(64)
        memory[8:8 + len(program)] = program
        found = memory[8]
        try:
            memory[n] = 1
        except IndexError:
            return "outside"
        return found, memory[8], memory[9]

    residual = futamura.specialize(guarded, b"ab")
    assert [event.code for event in residual.events] == ["FT305"]
    for n in (0, 8, 9, 63, 64, -1, -56):
        assert outcome(residual, n) == outcome(guarded, b"ab", n)


def fetched(memory: bytes, pc: int, n: int) -> Any:
    ram = bytearray(memory)
    first = int.from_bytes(ram[pc:pc + 2], "big")
    second = int.from_bytes(ram[pc:pc + 2], byteorder="little", signed=True)
    third = struct.unpack_from(">HB", ram, pc)
    fourth = struct.unpack(">H", ram[pc:pc + 2])
    return first, second, third, fourth, bytes(ram[pc:]), len(ram), bool(ram), ram[n]


def test_several_items_at_once() -> None:
    residual = futamura.specialize(fetched, b"\x80\x01\xff\x03", 1)
    assert "from_bytes" not in residual.source and "unpack" not in residual.source
    for n in (0, 3, 4, -5, "x", True):
        assert outcome(residual, n) == outcome(fetched, b"\x80\x01\xff\x03", 1, n)


def given_away(size: int, n: int, give: Callable[[Any], Any]) -> Any:
    memory = [7] * size
    memory[3] = 5
    give(memory)
    return memory[3], memory[n], len(memory), memory


def test_what_others_get_is_forgotten() -> None:
    residual = futamura.specialize(given_away, 600)

    def clear(memory: list[int]) -> None:
        memory[3:] = [9, 9]

    for give in (clear, len, lambda memory: memory.append(1), lambda memory: memory.clear()):
        for n in (0, 3, 4, 599, 600):
            assert outcome(residual, n, give) == outcome(given_away, 600, n, give)


def never_needed(rom: bytes, n: int) -> Any:
    memory = bytearray(4096)
    memory[100:100 + len(rom)] = rom
    memory[100] = 9
    return memory[100] * n + memory[101]


def test_a_memory_that_nobody_needs_is_not_made() -> None:
    assert futamura.specialize(never_needed, b"ab").source.endswith("return 9 * n + 98\n")


def test_programs_at_random() -> None:
    assert differences(random.Random(1), 60) == []


def test_all_bytes_are_checked() -> None:
    def stored(n: Any) -> Any:
        memory = bytearray(8)
        memory[2:4] = b"xy"
        log = []
        for at, value in ((2, n), (3, 300), (4, -1), (9, 1), (-1, 255), (2, True)):
            try:
                memory[at] = value
            except (ValueError, IndexError, TypeError) as error:
                log.append(str(error))
        return log, bytes(memory)

    residual = futamura.specialize(stored)
    assert isinstance(residual, Residual)
    for n in (0, 255, 256, -1, "x", None, 2.0, True):
        assert outcome(residual, n) == outcome(stored, n)


def test_an_item_is_an_int_again() -> None:
    def stored(n: Any) -> Any:
        memory = bytearray(8)
        memory[2:4] = b"xy"
        if n:
            memory[2] = n
        return memory[2], memory[3]

    def too_large(n: Any) -> Any:
        memory = bytearray(8)
        memory[n] = 3
        memory[2] = 256
        return memory

    residual = futamura.specialize(stored)
    for n in (True, 7, 0, 300, 2.5, "x"):
        assert outcome(residual, n) == outcome(stored, n)
    residual = futamura.specialize(too_large, 1)
    assert outcome(residual) == outcome(too_large, 1) and not residual.events


class Device:
    def __init__(self, bus: Any) -> None:
        self.bus = bus


def connected(size: int, a: int) -> Any:
    memory: list[Any] = [0] * size
    memory[0:4] = b"abcd"
    memory[3] = Device(memory)
    memory[a] = 4
    return memory[3].bus is memory, memory[3].bus[:3]


def cyclic(rows: Any, a: int) -> Any:
    memory = [*rows]
    box = Device(memory)
    memory[0] = Device(box)
    memory[a] = 4
    return box.bus is memory, memory[0].bus is box


def test_a_memory_that_holds_what_holds_it() -> None:
    for size in (700, 10):
        residual = futamura.specialize(connected, size)
        for a in (0, 1, 4):
            assert residual(a) == connected(size, a)
    residual = futamura.specialize(cyclic, (1, 2, 3))
    assert [residual(a) for a in (1, 2)] == [cyclic((1, 2, 3), a) for a in (1, 2)] == [(True, True)] * 2
