"""Class-based interpreters: dataclass nodes with `match`, enumerations, registries filled by decorators, bound methods.

    imperative(GCD, {"a": 48, "b": 18})   {"a": 6, "b": 0}      the program is static, the variables are open

Invariant: written as people write them; nothing here knows of specialization.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Union

# mypy: disable-error-code="no-untyped-def, no-untyped-call, attr-defined, misc, no-any-return"
# ruff: noqa: UP007, UP035

# -- a small imperative language: dataclass nodes, `match` statements, an exception that leaves loops


@dataclass(frozen=True)
class Num:
    value: int


@dataclass(frozen=True)
class Var:
    name: str


@dataclass(frozen=True)
class Bin:
    op: str
    left: Expr
    right: Expr


Expr = Union[Num, Var, Bin]


@dataclass(frozen=True)
class Assign:
    name: str
    value: Expr


@dataclass(frozen=True)
class While:
    test: Expr
    body: tuple[Any, ...]


@dataclass(frozen=True)
class If:
    test: Expr
    then: tuple[Any, ...]
    other: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Leave:
    pass


class Left(Exception):
    pass


def value_of(node, env):
    match node:
        case Num(value):
            return value
        case Var(name):
            if name not in env:
                raise NameError(f"{name} is not set")
            return env[name]
        case Bin("+", left, right):
            return value_of(left, env) + value_of(right, env)
        case Bin("-", left, right):
            return value_of(left, env) - value_of(right, env)
        case Bin("%", left, right):
            return value_of(left, env) % value_of(right, env)
        case Bin(("<" | ">" | "!=") as op, left, right):
            a, b = value_of(left, env), value_of(right, env)
            return a < b if op == "<" else a > b if op == ">" else a != b
        case _:
            raise TypeError(f"unknown node {node!r}")


def run_block(block, env):
    for statement in block:
        match statement:
            case Assign(name, value):
                env[name] = value_of(value, env)
            case If(test, then, other):
                run_block(then if value_of(test, env) else other, env)
            case While(test, body):
                try:
                    while value_of(test, env):
                        run_block(body, env)
                except Left:
                    pass
            case Leave():
                raise Left


def imperative(program, variables):
    env = dict(variables)
    run_block(program, env)
    return env


GCD = (
    While(
        Bin("!=", Var("b"), Num(0)),
        (
            Assign("t", Bin("%", Var("a"), Var("b"))),
            Assign("a", Var("b")),
            Assign("b", Var("t")),
            If(Bin(">", Var("a"), Num(1000)), (Leave(),)),
        ),
    ),
)

# -- a stack machine: opcodes of an enumeration, handlers in a registry that a decorator fills


class Op(enum.IntEnum):
    PUSH = 0
    ADD = 1
    MUL = 2
    DUP = 3
    SWAP = 4
    JUMP_IF = 5
    ARG = 6
    SUB = 7
    HALT = 8


HANDLERS: dict[Op, Callable[..., Any]] = {}


def handles(op):
    def register(function):
        HANDLERS[op] = function
        return function

    return register


@dataclass
class Machine:
    code: list[Any]
    args: tuple[Any, ...]
    stack: list[Any] = field(default_factory=list)
    pc: int = 0

    def step(self):
        op, operand = self.code[self.pc]
        self.pc += 1
        return HANDLERS[op](self, operand)


@handles(Op.PUSH)
def _push(m, operand):
    m.stack.append(operand)


@handles(Op.ARG)
def _arg(m, operand):
    m.stack.append(m.args[operand])


@handles(Op.ADD)
def _add(m, operand):
    right = m.stack.pop()
    m.stack.append(m.stack.pop() + right)


@handles(Op.SUB)
def _sub(m, operand):
    right = m.stack.pop()
    m.stack.append(m.stack.pop() - right)


@handles(Op.MUL)
def _mul(m, operand):
    right = m.stack.pop()
    m.stack.append(m.stack.pop() * right)


@handles(Op.DUP)
def _dup(m, operand):
    m.stack.append(m.stack[-1])


@handles(Op.SWAP)
def _swap(m, operand):
    m.stack[-1], m.stack[-2] = m.stack[-2], m.stack[-1]


@handles(Op.JUMP_IF)
def _jump_if(m, operand):
    if m.stack.pop() > 0:
        m.pc = operand


@handles(Op.HALT)
def _halt(m, operand):
    return True


def execute(code, *args):
    machine = Machine(code, args)
    while not machine.step():
        pass
    return machine.stack.pop()


FACTORIAL = [
    (Op.PUSH, 1), (Op.ARG, 0),
    (Op.DUP, None), (Op.PUSH, -1), (Op.ADD, None), (Op.SWAP, None),
    (Op.PUSH, 0), (Op.ADD, None), (Op.SWAP, None), (Op.DUP, None), (Op.JUMP_IF, 13),
    (Op.SWAP, None), (Op.HALT, None),
    (Op.SWAP, None), (Op.PUSH, 2), (Op.MUL, None), (Op.SUB, None), (Op.HALT, None),
]  # fmt: skip
COUNTDOWN = [
    (Op.PUSH, 0), (Op.ARG, 0), (Op.SWAP, None), (Op.PUSH, 3), (Op.ADD, None), (Op.SWAP, None), (Op.PUSH, 1),
    (Op.SUB, None), (Op.DUP, None), (Op.JUMP_IF, 2), (Op.SWAP, None), (Op.HALT, None),
]  # fmt: skip

# -- a processor: instructions found with getattr, flags as attributes, memory in a bytearray


class Processor:
    def __init__(self, memory):
        self.a = self.x = 0
        self.zero = False
        self.memory = memory

    def op_lda(self, mode, operand):
        self.a = self.fetch(mode, operand)
        self.zero = self.a == 0

    def op_sta(self, mode, operand):
        self.memory[operand + (self.x if mode == "x" else 0)] = self.a

    def op_adc(self, mode, operand):
        self.a = (self.a + self.fetch(mode, operand)) & 0xFF
        self.zero = self.a == 0

    def op_ldx(self, mode, operand):
        self.x = self.fetch(mode, operand)
        self.zero = self.x == 0

    def op_dex(self, mode, operand):
        self.x = (self.x - 1) & 0xFF
        self.zero = self.x == 0

    def fetch(self, mode, operand):
        if mode == "immediate":
            return operand
        if mode == "x":
            return self.memory[operand + self.x]
        return self.memory[operand]


def process(program, memory):
    """Run the program of (name, mode, operand); `bne` is handled here, as it moves the counter."""
    cpu = Processor(memory)
    at = 0
    while at < len(program):
        name, mode, operand = program[at]
        at += 1
        if name == "bne":
            if not cpu.zero:
                at = operand
            continue
        getattr(cpu, "op_" + name)(mode, operand)
    return cpu.a, cpu.x, cpu.zero


SUM_OF_BYTES = (
    ("ldx", "direct", 0), ("lda", "immediate", 0), ("adc", "x", 0), ("dex", None, None), ("bne", None, 2),
    ("sta", "direct", 1),
)  # fmt: skip

# -- Forth: words in a dictionary, definitions that call each other, a stack of numbers


class Word(NamedTuple):
    name: str
    body: list[Any]


def forth(words, text, stack):
    """`text` is split and run; unknown words are numbers."""
    for token in text.split():
        if token in words:
            forth(words, words[token], stack)
        elif token == "dup":
            stack.append(stack[-1])
        elif token == "over":
            stack.append(stack[-2])
        elif token == "drop":
            stack.pop()
        elif token in BINARY:
            right, left = stack.pop(), stack.pop()
            stack.append(BINARY[token](left, right))
        else:
            stack.append(int(token))
    return stack


BINARY = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "-": lambda a, b: a - b, "max": max}
WORDS = {"square": "dup *", "norm": "square over square +", "clip": "0 max"}
