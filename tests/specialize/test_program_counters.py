"""Machines with more state than their program counter: what selects instructions is the last thing that is given up.

    draw(x, y, bits) toggles items of a list of lists        the position in the program stays known, `hit` does not
    pc = link + offset & ~1        with 0 as offset          is `link`, and as known as that
    memory = [0] * 512             beside a known program    too much to be told apart item by item

Invariant: residuals do what the machines do, and nothing of their programs is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

import futamura
from tests.specialize.specializing import fallbacks, words

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Screen:
    """A display of which points are toggled; `hit` tells whether one was set."""

    def __init__(self, code, x):
        self.code, self.pc, self.v = code, 0, [x, 0]
        self.points = [[0] * 16 for _ in range(8)]
        self.hit, self.done = 0, False

    def draw(self, x, y, bits):
        for column in range(8):
            if bits >> column & 1:
                row, at = y % 8, (x + column) % 16
                if self.points[row][at]:
                    self.hit = 1
                self.points[row][at] ^= 1

    def step(self):
        name, register, operand = self.code[self.pc]
        self.pc += 1
        if name == "draw":
            self.draw(self.v[register], self.v[1], operand)
        elif name == "add":
            self.v[register] = self.v[register] + operand & 255
        elif name == "again" and self.v[register]:
            self.pc = operand
        elif name == "stop":
            self.done = True


def show(code, x):
    screen = Screen(code, x)
    while not screen.done:
        screen.step()
    return screen.points, screen.hit, screen.v


DRAWING = (("draw", 0, 0b1011), ("draw", 1, 0b11), ("add", 1, 3), ("add", 0, -1), ("again", 0, 0), ("stop", 0, 0))


class Linked:
    """A machine whose calls leave the way back in a register; `mask` clears the lowest bit of a target."""

    def __init__(self, code, x, offset):
        self.code, self.r, self.pc, self.running = code, [0, 0, x, 7, 0], 0, True
        self.offset = offset

    def put(self, at, value):
        if at:
            self.r[at] = value & 0xFFFFFFFF

    def step(self):
        kind, target, source, number = self.code[self.pc // 4]
        after = self.pc + 4
        if kind == "add":
            self.put(target, self.r[source] + self.r[target])
        elif kind == "plus":
            self.put(target, self.r[source] + number)
        elif kind == "call":
            self.put(target, after)
            after = self.pc + number
        elif kind == "back":
            after = self.r[source] + self.offset & ~1
        elif kind == "again":
            after = self.pc + number if self.r[source] else after
        else:
            self.running = False
        self.pc = after


def linked(code, offset, x):
    machine = Linked(code, x, offset)
    while machine.running:
        machine.step()
    return machine.r


CALLS = (
    ("call", 1, 0, 16), ("plus", 2, 2, -1), ("again", 0, 2, -8), ("stop", 0, 0, 0), ("add", 4, 3, 0), ("back", 0, 1, 0),
)  # fmt: skip


class Bus:
    """Memory in two parts, beside the program."""

    def __init__(self, rom, size):
        self.rom, self.cells, self.stack = rom, [0] * size, [0] * 128

    def __getitem__(self, at):
        if at < 0x100:
            return self.rom[at]
        if at >= 0xFF80:
            return self.stack[at - 0xFF80]
        return self.cells[at % len(self.cells)]

    def __setitem__(self, at, value):
        if at < 0x100:
            raise IndexError(at)
        if at >= 0xFF80:
            self.stack[at - 0xFF80] = value & 255
        else:
            self.cells[at % len(self.cells)] = value & 255


class Processor:
    """Opcodes are looked up in a table of bound methods; calls push two bytes."""

    def __init__(self, bus, b):
        self.bus, self.a, self.b, self.at = bus, 0, b, 256
        self.pc, self.sp, self.zero, self.cycles, self.running = 0, 0xFFFE, False, 0, True
        self.table = {1: self.load, 2: self.add, 3: self.less, 4: self.again, 5: self.call, 6: self.back, 7: self.keep}
        self.table |= {8: self.stop, 9: self.next}

    def byte(self):
        self.pc += 1
        return self.bus[self.pc - 1]

    def load(self):
        self.a = self.byte()
        return 8

    def add(self):
        self.a = self.a + self.b & 255
        return 4

    def less(self):
        self.b = self.b - 1 & 255
        self.zero = self.b == 0
        return 4

    def again(self):
        way = self.byte()
        if self.zero:
            return 8
        self.pc += way - 256
        return 12

    def call(self):
        low, high = self.byte(), self.byte()
        self.sp -= 2
        self.bus[self.sp], self.bus[self.sp + 1] = self.pc & 255, self.pc >> 8
        self.pc = low | high << 8
        return 24

    def back(self):
        self.pc = self.bus[self.sp] | self.bus[self.sp + 1] << 8
        self.sp += 2
        return 16

    def keep(self):
        self.bus.cells[self.at % len(self.bus.cells)] = self.a
        return 8

    def next(self):
        self.at = self.at + 1 & 0xFFFF
        return 8

    def stop(self):
        self.running = False
        return 4

    def step(self):
        self.cycles += self.table[self.byte()]()


def emulate(rom, size, b):
    processor = Processor(Bus(rom, size), b)
    while processor.running:
        processor.step()
    return processor.a, processor.cycles, processor.bus.cells[:16]


ROM = bytes([1, 5, 5, 9, 0, 3, 4, 0xFA, 8, 2, 7, 9, 6])


def outcome(function: Callable[..., object], *args: object) -> str:
    try:
        return repr(function(*args))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def agree(function: Callable[..., object], static: dict[str, Any], inputs: Iterable[object]) -> futamura.Residual:
    residual = futamura.specialize(function, **static)
    assert not fallbacks(residual), residual.events
    for value in inputs:
        assert outcome(residual, value) == outcome(function, *static.values(), value), value
    return residual


def test_points_are_toggled_by_a_known_program() -> None:
    residual = agree(show, {"code": DRAWING}, (*range(40), 255, 300, -1, 1.5, True, "x", None))
    assert not {"_code", "_table", "bits"} & words(residual), residual.source
    assert len(residual.source.splitlines()) < 60


@pytest.mark.parametrize("offset", [0, 1])
def test_the_way_back_is_in_a_register(offset: int) -> None:
    residual = agree(linked, {"code": CALLS, "offset": offset}, (1, 2, 50, True))
    assert not {"_code", "_table"} & words(residual), residual.source
    assert len(residual.source.splitlines()) < 16


@pytest.mark.parametrize("size", [8, 100, 256, 512, 3000])
def test_memory_of_any_size(size: int) -> None:
    residual = agree(emulate, {"rom": ROM, "size": size}, (1, 2, 7, 255, 256, True, 2.0, "x"))
    assert not {"_rom", "_table", "running", "processor", "call", "_step"} & words(residual), residual.source
    assert len(residual.source.splitlines()) < 40
    assert residual(3)[1] > 100, "it runs to its end"
