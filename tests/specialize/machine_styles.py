"""Machines as classes whose state lies in attributes of `self`, and programs in which exceptions cross them.

    Registers(PROGRAMS["registers"]["divide"]).run(6, 0)    raises ZeroDivisionError with vm.pc at the division

Invariant: a machine is made anew by `make`; what `run` leaves in its attributes is part of its behaviour.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["MACHINES", "PROGRAMS", "make"]

Code = list[tuple[Any, ...]]


class Trap(Exception):
    pass


class Underflow(Exception):
    def __init__(self, pc: int) -> None:
        super().__init__(f"stack underflow at {pc}")
        self.pc = pc


class Registers:
    """Registers in a list, memory in a bytearray, flags as bools, `while self.running`, methods found by name."""

    def __init__(self, code: Code, size: int = 1024, counting: bool = False) -> None:
        self.code = code
        self.size = size
        self.counting = counting
        self.pc = 0
        self.cycles = 0

    def run(self, *args: int) -> int:
        self.r = [0] * 4
        self.r[: len(args)] = args
        self.memory = bytearray(self.size)
        self.zero = False
        self.carry = False
        self.pc = 0
        if not self.counting:
            self.cycles = 0
        self.running = True
        while self.running:
            name, *operands = self.code[self.pc]
            self.pc += 1
            self.cycles += 1
            getattr(self, "do_" + name)(*operands)
        return self.r[0]

    def do_set(self, at: int, value: int) -> None:
        self.r[at] = value

    def do_add(self, at: int, other: int) -> None:
        total = self.r[at] + self.r[other]
        self.carry = total > 255
        self.r[at] = total & 255
        self.zero = self.r[at] == 0

    def do_sub(self, at: int, other: int) -> None:
        total = self.r[at] - self.r[other]
        self.carry = total < 0
        self.r[at] = total & 255
        self.zero = not self.r[at]

    def do_div(self, at: int, other: int) -> None:
        self.r[at] //= self.r[other]

    def do_load(self, at: int, address: int) -> None:
        self.r[at] = self.memory[self.r[address]]

    def do_store(self, at: int, address: int) -> None:
        self.memory[self.r[address]] = self.r[at]

    def do_jz(self, target: int) -> None:
        if self.zero:
            self.pc = target

    def do_jnz(self, target: int) -> None:
        if not self.zero:
            self.pc = target

    def do_jc(self, target: int) -> None:
        if self.carry:
            self.pc = target

    def do_jmp(self, target: int) -> None:
        self.pc = target

    def do_halt(self) -> None:
        self.running = False


class Stack:
    """A stack behind push and pop that check; the machine catches what its instructions raise, and counts it."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.table: dict[str, Callable[..., None]] = {"div": self.div, "mod": self.mod, "index": self.index}

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def pop(self) -> Any:
        if not self.stack:
            raise Underflow(self.pc)
        return self.stack.pop()

    def div(self) -> None:
        right = self.pop()
        self.push(self.pop() // right)

    def mod(self) -> None:
        right = self.pop()
        self.push(self.pop() % right)

    def index(self) -> None:
        at = self.pop()
        self.push(self.names[at])

    def step(self) -> bool:
        name, *operands = self.code[self.pc]
        self.pc += 1
        self.fuel -= 1
        if self.fuel < 0:
            raise Trap("no fuel")
        if name == "push":
            self.push(operands[0])
        elif name == "arg":
            self.push(self.args[operands[0]])
        elif name == "add":
            self.push(self.pop() + self.pop())
        elif name == "dup":
            self.push(self.stack[-1])
        elif name == "jump":
            self.pc = operands[0]
        elif name == "unless":
            if not self.pop():
                self.pc = operands[0]
        elif name == "end":
            return False
        elif name in self.table:
            self.table[name]()
        else:
            raise Trap(f"{name} at {self.pc - 1}")
        return True

    def run(self, *args: int) -> Any:
        self.args = args
        self.names = "abcdef"
        self.stack: list[Any] = []
        self.faults = 0
        self.last = ""
        self.fuel = 300
        self.pc = 0
        while True:
            try:
                if not self.step():
                    break
            except ZeroDivisionError as error:
                self.faults += 1
                self.last = str(error)
                self.push(-1)
            except IndexError:
                self.faults += 100
                self.push("?")
        return self.pop()


class Machine16:
    """A large memory of words as a list, a call stack, `match`, a handler around the whole run."""

    def __init__(self, code: Code, words: int = 600) -> None:
        self.code = code
        self.words = words
        self.log: list[str] = []

    def run(self, a: int, b: int) -> list[int]:
        self.memory = [0] * self.words
        self.calls: list[int] = []
        self.a, self.b = a, b
        self.ip = 0
        self.halted = False
        try:
            while not self.halted:
                self.execute(self.code[self.ip])
        except (IndexError, Trap) as error:
            self.log.append(f"{type(error).__name__} at {self.ip}")
            if self.words == 13:
                raise
        finally:
            self.halted = True
        return self.memory[:3]

    def execute(self, instruction: tuple[Any, ...]) -> None:
        self.ip += 1
        match instruction:
            case ("poke", int(at)):
                self.memory[at] = self.a & 0xFFFF
            case ("peek",):
                self.a = self.memory[self.b]
            case ("swap",):
                self.a, self.b = self.b, self.a
            case ("plus", int(value)):
                self.a = (self.a + value) & 0xFFFF
            case ("over", int(value)):
                self.a = value // self.b
            case ("call", int(target)):
                self.calls.append(self.ip)
                self.ip = target
            case ("back",):
                self.ip = self.calls.pop()
            case ("loop", int(target)):
                self.b -= 1
                if self.b > 0:
                    self.ip = target
            case ("halt",):
                self.halted = True
            case _:
                raise Trap(instruction[0])


class Table:
    """A method for each instruction in a table, nothing caught: what is not a number makes it general."""

    def __init__(self, code: Code) -> None:
        self.table = [(getattr(self, name), operand) for name, operand in code]

    def run(self, a: Any, b: Any) -> Any:
        self.stack = [a]
        self.step = b
        self.pc = 0
        while self.pc >= 0:
            method, operand = self.table[self.pc]
            self.pc += 1
            method(operand)
        return self.stack

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def add(self, value: Any) -> None:
        self.stack.append(self.stack.pop() + self.stack.pop())

    def less(self, value: Any) -> None:
        self.stack[-1] = self.stack[-1] - self.step

    def again(self, target: int) -> None:
        if self.stack[-1] > 0 and self.step > 0:
            self.pc = target

    def end(self, value: Any) -> None:
        self.pc = -1


MACHINES: dict[str, Callable[..., Any]] = {
    "registers": Registers,
    "small": lambda code: Registers(code, 3),
    "counting": lambda code: Registers(code, counting=True),
    "stack": Stack,
    "table": Table,
    "words": Machine16,
    "few words": lambda code: Machine16(code, 13),
}

_REGISTERS: dict[str, Code] = {
    "divide": [("div", 0, 1), ("set", 1, 7), ("add", 0, 1), ("halt",)],
    "multiply": [
        ("set", 2, 0), ("set", 3, 1), ("sub", 1, 3), ("jc", 6), ("add", 2, 0), ("jmp", 2),
        ("set", 0, 0), ("add", 0, 2), ("halt",),
    ],
    "memory": [
        ("set", 3, 1), ("store", 1, 0), ("sub", 0, 3), ("jc", 5), ("jnz", 1), ("set", 2, 2), ("load", 0, 2), ("halt",),
    ],
    "runs off": [("set", 0, 3), ("add", 0, 1)],
    "bad name": [("set", 0, 3), ("add", 0, 1), ("zork", 1)],
}  # fmt: skip

_STACK: dict[str, Code] = {
    "caught": [("arg", 0), ("arg", 1), ("div",), ("arg", 0), ("add",), ("end",)],
    "twice": [("arg", 0), ("arg", 1), ("mod",), ("arg", 1), ("arg", 0), ("div",), ("add",), ("end",)],
    "underflow": [("arg", 0), ("arg", 1), ("add",), ("add",), ("end",)],
    "empty end": [("arg", 0), ("unless", 3), ("push", 5), ("end",)],
    "index": [("arg", 0), ("index",), ("end",)],
    "countdown": [
        ("push", 0), ("arg", 0), ("dup",), ("unless", 9), ("push", -1), ("add",), ("dup",), ("arg", 1), ("div",),
        ("unless", 11), ("jump", 2), ("end",),
    ],
    "bad name": [("arg", 0), ("zork",)],
}  # fmt: skip

_TABLE: dict[str, Code] = {
    "countdown": [("less", None), ("again", 0), ("push", 7), ("end", None)],
    "underflow": [("push", 3), ("add", None), ("add", None), ("end", None)],
}

_WORDS: dict[str, Code] = {
    "fill": [("poke", 1), ("plus", 3), ("loop", 0), ("poke", 0), ("halt",)],
    "peek": [("poke", 2), ("peek",), ("plus", 1), ("poke", 0), ("halt",)],
    "call": [("call", 3), ("poke", 0), ("halt",), ("plus", 5), ("swap",), ("back",)],
    "return too far": [("call", 2), ("back",), ("plus", 5), ("poke", 1), ("back",)],
    "over": [("over", 100), ("poke", 0), ("halt",)],
    "trap": [("plus", 1), ("poke", 1), ("zork",)],
}

PROGRAMS: dict[str, dict[str, Code]] = {
    "registers": _REGISTERS,
    "small": _REGISTERS,
    "counting": _REGISTERS,
    "stack": _STACK,
    "table": _TABLE,
    "words": _WORDS,
    "few words": _WORDS,
}


def make(style: str, program: str) -> Any:
    """A new machine of this style with this program."""
    return MACHINES[style](PROGRAMS[style][program])
