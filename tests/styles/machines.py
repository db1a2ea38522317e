"""Machines in different styles: enums and match, a registry filled by a decorator, dispatch in a dict, generators.

    registers(PROGRAM, 5)    gives 120: a factorial by a register machine

Invariant: each function takes what is static first and gives the same for the same inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any


class Op(Enum):
    SET = auto()
    MUL = auto()
    DEC = auto()
    LOOP = auto()
    HALT = auto()


@dataclass(frozen=True)
class Step:
    op: Op
    a: int = 0
    b: int = 0


PROGRAM = (Step(Op.SET, 1, 1), Step(Op.MUL, 1, 0), Step(Op.DEC, 0), Step(Op.LOOP, 0, 1), Step(Op.HALT))


def registers(program: tuple[Step, ...], n: int) -> int:
    """A register machine: dataclass instructions, an enum, a match statement."""
    first, second, pc = n, 0, 0
    while True:
        step = program[pc]
        pc += 1
        match step.op:
            case Op.SET:
                second = step.b
            case Op.MUL:
                second = second * first
            case Op.DEC:
                first = first - 1
            case Op.LOOP:
                if first > 0:
                    pc = step.b
            case Op.HALT:
                return second


HANDLERS: dict[str, Callable[[list[int], int], None]] = {}


def handler(name: str) -> Callable[[Callable[[list[int], int], None]], Callable[[list[int], int], None]]:
    def register(function: Callable[[list[int], int], None]) -> Callable[[list[int], int], None]:
        HANDLERS[name] = function
        return function

    return register


@handler("push")
def push(stack: list[int], argument: int) -> None:
    stack.append(argument)


@handler("add")
def add(stack: list[int], argument: int) -> None:
    right = stack.pop()
    stack.append(stack.pop() + right)


@handler("mul")
def mul(stack: list[int], argument: int) -> None:
    right = stack.pop()
    stack.append(stack.pop() * right)


def calculator(code: tuple[tuple[str, int], ...], handlers: dict[str, Any], x: int) -> int:
    """A calculator whose instructions are functions that a decorator put into a dict."""
    stack = [x]
    for name, argument in code:
        handlers[name](stack, argument)
    return stack.pop()


def emulate(rom: bytes, start: int, memory: list[int]) -> list[int]:
    """A processor with an accumulator: two bytes an instruction, the rom static, the memory open."""
    accumulator, at = 0, start
    steps = 0
    while steps < 500:
        steps += 1
        code, operand = rom[at], rom[at + 1]
        at += 2
        high = code >> 4
        if high == 0:
            return memory
        if high == 1:
            accumulator = operand
        elif high == 2:
            accumulator = memory[operand]
        elif high == 3:
            memory[operand] = accumulator
        elif high == 4:
            accumulator = (accumulator + memory[operand]) & 255
        elif high == 5:
            accumulator = (accumulator - operand) & 255
        elif high == 6 and accumulator:
            at = operand
    return memory


# memory[0] times memory[1] to memory[2], by addition
ROM = bytes([0x10, 0, 0x30, 2, 0x20, 2, 0x40, 0, 0x30, 2, 0x20, 1, 0x50, 1, 0x30, 1, 0x60, 4, 0x00, 0])


def tokens(kinds: tuple[tuple[str, str], ...], text: str) -> Iterator[tuple[str, str]]:
    """A generator that cuts a text into runs of characters of one kind."""
    start = 0
    while start < len(text):
        for kind, chars in kinds:
            if text[start] in chars:
                end = start
                while end < len(text) and text[end] in chars:
                    end += 1
                yield kind, text[start:end]
                start = end
                break
        else:
            start += 1


def scan(kinds: tuple[tuple[str, str], ...], text: str) -> list[str]:
    return [kind + ":" + piece for kind, piece in tokens(kinds, text) if kind != "space"]


def automaton(table: dict[tuple[str, str], str], start: str, final: frozenset[str], text: str) -> bool:
    """A finite automaton, driven by a table of transitions."""
    state = start
    for char in text:
        kind = "digit" if char in "0123456789" else "dot" if char == "." else "sign" if char in "+-" else "other"
        if (state, kind) not in table:
            return False
        state = table[state, kind]
    return state in final


NUMBER = {
    ("start", "sign"): "signed", ("start", "digit"): "whole", ("signed", "digit"): "whole", ("whole", "digit"): "whole",
    ("whole", "dot"): "dotted", ("dotted", "digit"): "fraction", ("fraction", "digit"): "fraction",
}  # fmt: skip
