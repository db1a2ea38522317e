"""Processors as people write them: opcodes taken apart by masks, methods found by name, instructions that are objects.

    play(ROM, [5, 0])    gives the registers after a program for a small machine with two-byte opcodes

Invariant: each function takes what is static first and gives the same for the same inputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar


class Chip:
    """Opcodes of 16 bits, decoded by masks; the carry is in the last register."""

    def __init__(self, rom: bytes, registers: list[int]) -> None:
        self.memory = rom
        self.v = [*registers, *[0] * (16 - len(registers))]
        self.stack: list[int] = []
        self.i = 0
        self.pc = 0
        self.screen: list[tuple[int, int]] = []

    def step(self) -> bool:
        opcode = self.memory[self.pc] << 8 | self.memory[self.pc + 1]
        self.pc += 2
        x = (opcode & 0x0F00) >> 8
        y = (opcode & 0x00F0) >> 4
        nn = opcode & 0x00FF
        nnn = opcode & 0x0FFF
        match opcode & 0xF000:
            case 0x0000:
                if opcode == 0x00EE:
                    self.pc = self.stack.pop()
                else:
                    return False
            case 0x1000:
                self.pc = nnn
            case 0x2000:
                self.stack.append(self.pc)
                self.pc = nnn
            case 0x3000:
                if self.v[x] == nn:
                    self.pc += 2
            case 0x4000:
                if self.v[x] != nn:
                    self.pc += 2
            case 0x6000:
                self.v[x] = nn
            case 0x7000:
                self.v[x] = (self.v[x] + nn) & 0xFF
            case 0x8000:
                self.arithmetic(opcode & 0x000F, x, y)
            case 0xA000:
                self.i = nnn
            case 0xD000:
                self.screen.append((self.v[x], self.v[y]))
            case _:
                raise ValueError(f"unknown opcode {opcode:04x}")
        return True

    def arithmetic(self, kind: int, x: int, y: int) -> None:
        if kind == 0:
            self.v[x] = self.v[y]
        elif kind == 1:
            self.v[x] |= self.v[y]
        elif kind == 2:
            self.v[x] &= self.v[y]
        elif kind == 3:
            self.v[x] ^= self.v[y]
        elif kind == 4:
            total = self.v[x] + self.v[y]
            self.v[x] = total & 0xFF
            self.v[0xF] = 1 if total > 0xFF else 0
        elif kind == 5:
            self.v[0xF] = 1 if self.v[x] >= self.v[y] else 0
            self.v[x] = (self.v[x] - self.v[y]) & 0xFF
        else:
            raise ValueError(f"unknown operation {kind}")


def play(rom: bytes, registers: list[int]) -> tuple[list[int], list[tuple[int, int]]]:
    chip = Chip(rom, registers)
    while chip.step():
        pass
    return chip.v, chip.screen


PLAYED = bytes.fromhex("6100 6205 200c 4200 0000 1004 8104 d120 72ff 00ee")
"""Adds v0 to v1 five times in a subroutine, and draws each time."""


class Cpu:
    """A processor of eight bits: a table says the name and the mode of each opcode, `getattr` finds the method."""

    TABLE: ClassVar[dict[int, tuple[str, str]]] = {
        0xA9: ("lda", "immediate"), 0xA5: ("lda", "zero"), 0x85: ("sta", "zero"), 0x69: ("adc", "immediate"),
        0x65: ("adc", "zero"), 0xC9: ("cmp", "immediate"), 0xD0: ("bne", "relative"), 0xCA: ("dex", "implied"),
        0xA2: ("ldx", "immediate"), 0xA6: ("ldx", "zero"), 0x0A: ("asl", "implied"), 0x00: ("brk", "implied"),
    }  # fmt: skip

    def __init__(self, code: bytes, memory: list[int]) -> None:
        self.code = code
        self.memory = memory
        self.a = self.x = self.pc = 0
        self.zero = self.carry = self.negative = False
        self.running = True

    def fetch(self) -> int:
        value = self.code[self.pc]
        self.pc += 1
        return value

    def operand(self, mode: str) -> int:
        if mode == "immediate":
            return self.fetch()
        if mode == "zero":
            return self.memory[self.fetch()]
        raise ValueError(mode)

    def flags(self, value: int) -> int:
        self.zero = value == 0
        self.negative = bool(value & 0x80)
        return value

    def op_lda(self, mode: str) -> None:
        self.a = self.flags(self.operand(mode))

    def op_ldx(self, mode: str) -> None:
        self.x = self.flags(self.operand(mode))

    def op_sta(self, mode: str) -> None:
        self.memory[self.fetch()] = self.a

    def op_adc(self, mode: str) -> None:
        total = self.a + self.operand(mode) + self.carry
        self.carry = total > 0xFF
        self.a = self.flags(total & 0xFF)

    def op_cmp(self, mode: str) -> None:
        other = self.operand(mode)
        self.carry = self.a >= other
        self.flags((self.a - other) & 0xFF)

    def op_asl(self, mode: str) -> None:
        self.carry = bool(self.a & 0x80)
        self.a = self.flags(self.a << 1 & 0xFF)

    def op_dex(self, mode: str) -> None:
        self.x = self.flags((self.x - 1) & 0xFF)

    def op_bne(self, mode: str) -> None:
        offset = self.fetch()
        if not self.zero:
            self.pc += offset - 256 if offset & 0x80 else offset

    def op_brk(self, mode: str) -> None:
        self.running = False

    def run(self) -> tuple[int, int, bool, list[int]]:
        while self.running:
            name, mode = self.TABLE[self.fetch()]
            getattr(self, "op_" + name)(mode)
        return self.a, self.x, self.carry, self.memory


def computed(code: bytes, memory: list[int]) -> tuple[int, int, bool, list[int]]:
    return Cpu(code, memory).run()


MULTIPLIED = bytes.fromhex("a900 a600 6501 ca d0fb 8502 00")
"""memory[2] = memory[0] * memory[1] by adding."""


class Instruction(ABC):
    @abstractmethod
    def execute(self, machine: Machine) -> None: ...


class Machine:
    def __init__(self, program: list[Instruction]) -> None:
        self.program = program
        self.stack: list[Any] = []
        self.names: dict[str, Any] = {}
        self.at = 0

    def pop(self) -> Any:
        return self.stack.pop()

    def run(self, **names: Any) -> Any:
        self.stack, self.names, self.at = [], dict(names), 0
        while self.at < len(self.program):
            instruction = self.program[self.at]
            self.at += 1
            instruction.execute(self)
        return self.stack[-1] if self.stack else None


class Push(Instruction):
    def __init__(self, value: Any) -> None:
        self.value = value

    def execute(self, machine: Machine) -> None:
        machine.stack.append(self.value)


class Load(Instruction):
    def __init__(self, name: str) -> None:
        self.name = name

    def execute(self, machine: Machine) -> None:
        if self.name not in machine.names:
            raise NameError(f"{self.name} is not set")
        machine.stack.append(machine.names[self.name])


class Store(Load):
    def execute(self, machine: Machine) -> None:
        machine.names[self.name] = machine.pop()


class Operate(Instruction):
    def __init__(self, sign: str) -> None:
        self.sign = sign

    def execute(self, machine: Machine) -> None:
        right, left = machine.pop(), machine.pop()
        machine.stack.append(left + right if self.sign == "+" else left - right if self.sign == "-" else left * right)


class Branch(Instruction):
    def __init__(self, target: int) -> None:
        self.target = target

    def execute(self, machine: Machine) -> None:
        if machine.pop():
            machine.at = self.target


FACTORIAL: list[Instruction] = [
    Push(1), Store("r"), Load("r"), Load("n"), Operate("*"), Store("r"), Load("n"), Push(1), Operate("-"), Store("n"),
    Load("n"), Branch(2), Load("r"),
]  # fmt: skip


def performed(program: list[Instruction], n: Any) -> Any:
    return Machine(program).run(n=n)


# -- program and data in one memory, handlers in a dict


FONT = (0xF0, 0x90, 0x90, 0x90, 0xF0, 0x20, 0x60, 0x20, 0x20, 0x70, 0xF0, 0x10, 0xF0, 0x80, 0xF0)


class Console:
    """A machine of 4096 bytes: the font in front, the program from 512 on, data wherever the index register points."""

    def __init__(self, rom: bytes) -> None:
        self.memory = bytearray(4096)
        for at, byte in enumerate(FONT):
            self.memory[at] = byte
        self.memory[512 : 512 + len(rom)] = rom
        self.registers = [0] * 16
        self.index = 0
        self.pc = 512
        self.stack: list[int] = []
        self.pixels = [0] * 256
        self.handlers = {
            0x0: self.system, 0x1: self.jump, 0x2: self.call, 0x3: self.skip_if, 0x4: self.skip_unless, 0x6: self.load,
            0x7: self.add, 0x8: self.combine, 0xA: self.point, 0xD: self.draw, 0xF: self.other,
        }  # fmt: skip

    def system(self, opcode: int) -> None:
        if opcode != 0x00EE:
            raise RuntimeError(f"no system call {opcode:04X}")
        self.pc = self.stack.pop()

    def jump(self, opcode: int) -> None:
        self.pc = opcode & 0xFFF

    def call(self, opcode: int) -> None:
        self.stack.append(self.pc)
        self.pc = opcode & 0xFFF

    def skip_if(self, opcode: int) -> None:
        if self.registers[(opcode >> 8) & 0xF] == opcode & 0xFF:
            self.pc += 2

    def skip_unless(self, opcode: int) -> None:
        if self.registers[(opcode >> 8) & 0xF] != opcode & 0xFF:
            self.pc += 2

    def load(self, opcode: int) -> None:
        self.registers[(opcode >> 8) & 0xF] = opcode & 0xFF

    def add(self, opcode: int) -> None:
        x = (opcode >> 8) & 0xF
        self.registers[x] = (self.registers[x] + (opcode & 0xFF)) % 256

    def combine(self, opcode: int) -> None:
        x, y, kind = (opcode >> 8) & 0xF, (opcode >> 4) & 0xF, opcode & 0xF
        if kind == 0:
            self.registers[x] = self.registers[y]
        elif kind == 4:
            total = self.registers[x] + self.registers[y]
            self.registers[x] = total % 256
            self.registers[15] = int(total > 255)
        else:
            raise RuntimeError(f"no operation {kind:X}")

    def point(self, opcode: int) -> None:
        self.index = opcode & 0xFFF

    def draw(self, opcode: int) -> None:
        at = self.registers[(opcode >> 8) & 0xF] + 16 * self.registers[(opcode >> 4) & 0xF]
        for row in range(opcode & 0xF):
            self.pixels[(at + 16 * row) % 256] ^= self.memory[self.index + row]

    def other(self, opcode: int) -> None:
        x, kind = (opcode >> 8) & 0xF, opcode & 0xFF
        if kind == 0x1E:
            self.index += self.registers[x]
        elif kind == 0x29:
            self.index = self.registers[x] * 5
        elif kind == 0x33:
            value = self.registers[x]
            self.memory[self.index : self.index + 3] = bytes((value // 100, value // 10 % 10, value % 10))
        elif kind == 0x55:
            for at in range(x + 1):
                self.memory[self.index + at] = self.registers[at]
        elif kind == 0x65:
            for at in range(x + 1):
                self.registers[at] = self.memory[self.index + at]
        else:
            raise RuntimeError(f"no operation F{kind:02X}")

    def cycle(self) -> None:
        opcode = self.memory[self.pc] << 8 | self.memory[self.pc + 1]
        self.pc += 2
        self.handlers[opcode >> 12](opcode)


def shown(rom: bytes, cycles: int, registers: list[int]) -> object:
    console = Console(rom)
    console.registers[: len(registers)] = registers
    for _ in range(cycles):
        console.cycle()
    return console.registers, console.index, console.pc, sum(console.pixels), sum(console.memory)


SUMS = b"".join(
    word.to_bytes(2, "big")
    for word in (
        0xA300, 0x6200, 0xA300, 0xF21E, 0x8300, 0x7203, 0xF055, 0x7001, 0x300C, 0x1204, 0xA300, 0xF065, 0xF029, 0xD123,
        0x221E, 0x8014, 0x00EE,
    )
)  # fmt: skip
"""Stores a row of numbers beside the program, and draws a digit."""
