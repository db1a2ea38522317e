"""Machines with calls: frames on a list, in several styles, and programs for them."""

from __future__ import annotations

import dataclasses
from typing import Any

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

FUNCTIONS = {
    "main": (("less", 1, 2), ("ret", 2, 0), ("call", "twice", 1), ("inc", 1, 0), ("jmp", 0, 0), ("ret", 2, 0)),
    "twice": (("call", "same", 0), ("add", 0, 0), ("ret", 0, 0)),
    "same": (("ret", 0, 0),),
}


def deep(count):
    """The same with so many functions that call each other."""
    calls = {f"f{at}": (("call", f"f{at + 1}", 0), ("add", 0, 0), ("ret", 0, 0)) for at in range(count)}
    main = (("less", 1, 2), ("ret", 2, 0), ("call", "f0", 1), ("inc", 1, 0), ("jmp", 0, 0), ("ret", 2, 0))
    return {"main": main, **calls, f"f{count}": (("ret", 0, 0),)}


class Frame:
    def __init__(self, code, regs):
        self.code, self.pc, self.regs = code, 0, regs


def objects(functions, n):
    """A result that is set when the last frame returns."""
    frames = [Frame(functions["main"], [n, 0, 0])]
    result = None
    while frames:
        f = frames[-1]
        op, a, b = f.code[f.pc]
        f.pc += 1
        if op == "add":
            f.regs[a] = f.regs[a] + f.regs[b]
        elif op == "inc":
            f.regs[a] = f.regs[a] + 1
        elif op == "less":
            if f.regs[a] < f.regs[0]:
                f.pc = b
        elif op == "jmp":
            f.pc = a
        elif op == "call":
            frames.append(Frame(functions[a], [f.regs[b], 0, 0]))
        elif op == "ret":
            frames.pop()
            if not frames:
                result = f.regs[a]
            else:
                frames[-1].regs[2] = f.regs[a]
    return result


@dataclasses.dataclass
class Activation:
    function: str
    at: int
    regs: Any


class Machine:
    """A machine that a class is, with the frames and the result in attributes."""

    def __init__(self, functions):
        self.functions = functions

    def run(self, n):
        frames, result = [Activation("main", 0, {0: n, 1: 0, 2: 0})], None
        while frames:
            result = self.step(frames, result)
        return result

    def step(self, frames, result):
        now = frames[-1]
        op, a, b = self.functions[now.function][now.at]
        now.at += 1
        match op:
            case "add":
                now.regs[a] += now.regs[b]
            case "inc":
                now.regs[a] += 1
            case "less":
                if now.regs[a] < now.regs[0]:
                    now.at = b
            case "jmp":
                now.at = a
            case "call":
                frames.append(Activation(a, 0, {0: now.regs[b], 1: 0, 2: 0}))
            case "ret":
                frames.pop()
                if not frames:
                    return now.regs[a]
                frames[-1].regs[2] = now.regs[a]
        return result


HANDLERS = {}


def op(name):
    def filled(function):
        HANDLERS[name] = function
        return function

    return filled


class Registers:
    """A machine of handlers that a decorator has registered; frames and result are attributes of an object that the
    call makes."""

    def __init__(self, functions, n):
        self.functions = functions
        self.frames = [Frame(functions["main"], [n, 0, 0])]
        self.result = None

    def run(self):
        while self.frames:
            frame = self.frames[-1]
            name, a, b = frame.code[frame.pc]
            frame.pc += 1
            HANDLERS[name](self, frame, a, b)
        return self.result


@op("add")
def add(machine, f, a, b):
    f.regs[a] = f.regs[a] + f.regs[b]


@op("inc")
def inc(machine, f, a, b):
    f.regs[a] += 1


@op("less")
def less(machine, f, a, b):
    if f.regs[a] < f.regs[0]:
        f.pc = b


@op("jmp")
def jmp(machine, f, a, b):
    f.pc = a


@op("call")
def call(machine, f, a, b):
    machine.frames.append(Frame(machine.functions[a], [f.regs[b], 0, 0]))


@op("ret")
def ret(machine, f, a, b):
    machine.frames.pop()
    if machine.frames:
        machine.frames[-1].regs[2] = f.regs[a]
    else:
        machine.result = f.regs[a]


def handlers(functions, n):
    return Registers(functions, n).run()
