"""A bytecode machine with closures: frames on a stack, operands on another one, opcodes in an enumeration.

    executed(POLYNOMIAL, [5, ADDER, MAKE_ADDER], 3)    calls a closure, and what it returns, and gives 48

Invariant: each function takes what is static first and gives the same for the same inputs.
"""

from __future__ import annotations

import enum
import operator
from typing import Any


class Op(enum.IntEnum):
    CONSTANT = 0
    ADD = 1
    SUBTRACT = 2
    MULTIPLY = 3
    GREATER = 4
    JUMP = 5
    JUMP_IF_FALSE = 6
    GET_GLOBAL = 7
    SET_GLOBAL = 8
    GET_LOCAL = 9
    GET_FREE = 10
    CLOSURE = 11
    CALL = 12
    RETURN = 13


Code = list[tuple[Any, ...]]


class CompiledFunction:
    __slots__ = ("code", "parameters", "variables")

    def __init__(self, code: Code, variables: int, parameters: int) -> None:
        self.code, self.variables, self.parameters = code, variables, parameters


class Closure:
    __slots__ = ("free", "function")

    def __init__(self, function: CompiledFunction, free: list[Any]) -> None:
        self.function, self.free = function, free


class Frame:
    def __init__(self, closure: Closure, base: int) -> None:
        self.closure = closure
        self.ip = 0
        self.base = base

    @property
    def code(self) -> Code:
        return self.closure.function.code


class MachineError(Exception):
    pass


class Machine:
    LIMIT = 200

    def __init__(self, code: Code, constants: list[Any], count: int = 4) -> None:
        self.constants = constants
        self.globals: list[Any] = [None] * count
        self.stack: list[Any] = []
        self.frames = [Frame(Closure(CompiledFunction(code, 0, 0), []), 0)]

    def push(self, value: Any) -> None:
        if len(self.stack) >= self.LIMIT:
            raise MachineError("stack overflow")
        self.stack.append(value)

    def run(self) -> Any:
        while True:
            frame = self.frames[-1]
            if frame.ip >= len(frame.code):
                return self.stack.pop()
            op, *args = frame.code[frame.ip]
            frame.ip += 1
            if op == Op.CONSTANT:
                self.push(self.constants[args[0]])
            elif op in (Op.ADD, Op.SUBTRACT, Op.MULTIPLY):
                self.arithmetic(op)
            elif op == Op.GREATER:
                right, left = self.stack.pop(), self.stack.pop()
                self.push(left > right)
            elif op == Op.JUMP:
                frame.ip = args[0]
            elif op == Op.JUMP_IF_FALSE:
                if not self.stack.pop():
                    frame.ip = args[0]
            elif op == Op.GET_GLOBAL:
                self.push(self.globals[args[0]])
            elif op == Op.SET_GLOBAL:
                self.globals[args[0]] = self.stack.pop()
            elif op == Op.GET_LOCAL:
                self.push(self.stack[frame.base + args[0]])
            elif op == Op.GET_FREE:
                self.push(frame.closure.free[args[0]])
            elif op == Op.CLOSURE:
                which, count = args
                free = [self.stack.pop() for _ in range(count)][::-1]
                self.push(Closure(self.constants[which], free))
            elif op == Op.CALL:
                self.call(args[0])
            elif op == Op.RETURN:
                value = self.stack.pop()
                done = self.frames.pop()
                del self.stack[done.base - 1 :]
                self.push(value)
            else:
                raise MachineError(f"unknown operation {op}")

    def arithmetic(self, op: Op) -> None:
        right, left = self.stack.pop(), self.stack.pop()
        if type(left) is int and type(right) is int:
            table = {Op.ADD: operator.add, Op.SUBTRACT: operator.sub, Op.MULTIPLY: operator.mul}
            self.push(table[op](left, right))
        elif type(left) is str and type(right) is str and op is Op.ADD:
            self.push(left + right)
        else:
            raise MachineError(f"{op.name} of {type(left).__name__} and {type(right).__name__}")

    def call(self, count: int) -> None:
        closure = self.stack[-1 - count]
        if not isinstance(closure, Closure):
            raise MachineError("this is no function")
        if count != closure.function.parameters:
            raise MachineError(f"{closure.function.parameters} arguments are wanted, not {count}")
        self.frames.append(Frame(closure, len(self.stack) - count))
        self.stack.extend([None] * (closure.function.variables - count))


def executed(code: Code, constants: list[Any], n: Any) -> Any:
    machine = Machine(code, constants)
    machine.globals[0] = n
    return machine.run()


ADDER = CompiledFunction([(Op.GET_FREE, 0), (Op.GET_LOCAL, 0), (Op.ADD,), (Op.RETURN,)], 1, 1)
MAKE_ADDER = CompiledFunction([(Op.GET_LOCAL, 0), (Op.CLOSURE, 1, 1), (Op.RETURN,)], 1, 1)
POLYNOMIAL: Code = [
    (Op.CLOSURE, 2, 0), (Op.GET_GLOBAL, 0), (Op.CALL, 1), (Op.SET_GLOBAL, 1),
    (Op.GET_GLOBAL, 1), (Op.CONSTANT, 0), (Op.CALL, 1),
    (Op.GET_GLOBAL, 1), (Op.GET_GLOBAL, 0), (Op.CALL, 1), (Op.MULTIPLY,),
]  # fmt: skip
"""(n + 5) * (n + n), by a closure that adds n."""
CONSTANTS = [5, ADDER, MAKE_ADDER]
