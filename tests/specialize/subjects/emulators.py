"""Machines of more unusual build: bound methods in a table, named tuples, a generator, words that define words, events.

    Calculator([("load", 2), ("input", None), ("times", None)]).run(21)    ->    42

Programs are static; the inputs that a run reads, and the memory that it was not given, are dynamic.
"""

import enum
from collections import namedtuple
from dataclasses import dataclass, field

from ..table import Case, Subject, integers, mostly

# --- A dispatch table of bound methods, made by the constructor ---


class Calculator:
    def __init__(self, program):
        self.program = program
        self.stack = []
        self.dispatch = {
            "load": self.load,
            "input": self.input,
            "plus": self.plus,
            "times": self.times,
            "less": self.less,
            "skip_if": self.skip_if,
            "back": self.back,
        }

    def load(self, operand):
        self.stack.append(operand)

    def input(self, _):
        self.stack.append(self.argument)

    def plus(self, _):
        right = self.stack.pop()
        left = self.stack.pop()
        self.stack.append(left + right)

    def times(self, _):
        right = self.stack.pop()
        left = self.stack.pop()
        self.stack.append(left * right)

    def less(self, operand):
        self.stack.append(self.stack[-1] < operand)

    def skip_if(self, operand):
        if self.stack.pop():
            self.position += operand

    def back(self, operand):
        self.position -= operand

    def run(self, argument):
        self.argument = argument
        self.position = 0
        self.stack = []
        while self.position < len(self.program):
            name, operand = self.program[self.position]
            self.position += 1
            self.dispatch[name](operand)
        return self.stack[-1] if self.stack else None


POLYNOMIAL = [
    ("input", None),
    ("load", 3),
    ("times", None),
    ("load", 1),
    ("plus", None),
    ("input", None),
    ("times", None),
]
CLAMP = [("input", None), ("less", 10), ("skip_if", 2), ("load", 10), ("load", 0), ("input", None)]
DOUBLING = [
    ("input", None), ("load", 2), ("times", None), ("load", 3), ("plus", None), ("less", 100), ("skip_if", 1),
    ("skip_if", 1), ("back", 8), ("load", 7),
]  # fmt: skip

# --- Instructions as named tuples, registers in a dict ---

Instruction = namedtuple("Instruction", ["operation", "target", "left", "right"], defaults=(None, None, None))


def value_of(registers, operand):
    return registers[operand] if isinstance(operand, str) else operand


def three_address(code, **inputs):
    registers = dict(inputs)
    labels = {instruction.target: at for at, instruction in enumerate(code) if instruction.operation == "label"}
    at = 0
    while True:
        instruction = code[at]
        at += 1
        operation = instruction.operation
        if operation == "set":
            registers[instruction.target] = value_of(registers, instruction.left)
        elif operation == "add":
            left, right = value_of(registers, instruction.left), value_of(registers, instruction.right)
            registers[instruction.target] = left + right
        elif operation == "sub":
            left, right = value_of(registers, instruction.left), value_of(registers, instruction.right)
            registers[instruction.target] = left - right
        elif operation == "mul":
            left, right = value_of(registers, instruction.left), value_of(registers, instruction.right)
            registers[instruction.target] = left * right
        elif operation == "branch_if_less":
            if value_of(registers, instruction.left) < value_of(registers, instruction.right):
                at = labels[instruction.target]
        elif operation == "goto":
            at = labels[instruction.target]
        elif operation == "return":
            return value_of(registers, instruction.target)


def three_address_of_two(code, a, b):
    return three_address(code, a=a, b=b)


HYPOTENUSE = [
    Instruction("mul", "x", "a", "a"), Instruction("mul", "y", "b", "b"),
    Instruction("add", "z", "x", "y"), Instruction("return", "z"),
]  # fmt: skip
GREATEST_DIVISOR = [
    Instruction("label", "again"),
    Instruction("branch_if_less", "swap", "a", "b"),
    Instruction("branch_if_less", "done", "b", 1),
    Instruction("sub", "a", "a", "b"),
    Instruction("goto", "again"),
    Instruction("label", "swap"),
    Instruction("set", "t", "a"),
    Instruction("set", "a", "b"),
    Instruction("set", "b", "t"),
    Instruction("branch_if_less", "done", "b", 1),
    Instruction("goto", "again"),
    Instruction("label", "done"),
    Instruction("return", "a"),
]
SUMMING = [
    Instruction("set", "s", 0),
    Instruction("label", "more"),
    Instruction("branch_if_less", "stop", "a", 1),
    Instruction("add", "s", "s", "b"),
    Instruction("sub", "a", "a", 1),
    Instruction("goto", "more"),
    Instruction("label", "stop"),
    Instruction("return", "s"),
]

# --- A machine that is a generator: it asks for input by `yield` and says what it wrote ---


def process(program):
    accumulator = 0
    written = []
    for operation, operand in program:
        if operation == "read":
            accumulator = yield ("read", operand)
        elif operation == "add":
            accumulator += operand
        elif operation == "scale":
            accumulator *= operand
        elif operation == "write":
            written.append(accumulator)
            yield ("wrote", accumulator)
    return written


def drive(program, inputs):
    machine = process(program)
    log = []
    try:
        request = next(machine)
        while True:
            kind, payload = request
            if kind == "read":
                request = machine.send(inputs[payload])
            else:
                log.append(payload)
                request = machine.send(None)
    except StopIteration as stop:
        return log, stop.value


ECHO = [("read", 0), ("write", None)]
SCALED = [("read", 1), ("scale", 3), ("add", -1), ("write", None), ("read", 0), ("write", None)]
SILENT = [("read", 0), ("add", 2)]

# --- Forth with definitions, a dictionary of words, conditionals and counted loops ---


class Forth:
    def __init__(self):
        self.words = {
            "+": lambda stack: stack.append(stack.pop() + stack.pop()),
            "*": lambda stack: stack.append(stack.pop() * stack.pop()),
            "dup": lambda stack: stack.append(stack[-1]),
            "drop": lambda stack: stack.pop(),
            "swap": self.swap,
            "over": lambda stack: stack.append(stack[-2]),
            "0<": lambda stack: stack.append(stack.pop() < 0),
        }

    @staticmethod
    def swap(stack):
        stack[-1], stack[-2] = stack[-2], stack[-1]

    def execute(self, tokens, stack):
        tokens = iter(tokens)
        for token in tokens:
            if token == ":":
                name = next(tokens)
                body = []
                while (token := next(tokens)) != ";":
                    body.append(token)
                self.words[name] = body
            elif token == "times":
                count, body = stack.pop(), [next(tokens)]
                for _ in range(count):
                    self.execute(body, stack)
            elif token == "if":
                then = []
                while (token := next(tokens)) != "then":
                    then.append(token)
                if stack.pop():
                    self.execute(then, stack)
            elif token not in self.words:
                stack.append(int(token))
            elif isinstance(self.words[token], list):
                self.execute(self.words[token], stack)
            else:
                self.words[token](stack)


def forth(source, x):
    stack = [x]
    Forth().execute(source.split(), stack)
    return stack


# --- Opcodes of an `IntEnum`, decoded from bytes, by `match` on members ---


class Op(enum.IntEnum):
    HALT = 0
    PUSH = 1
    ADD = 2
    ARG = 3
    JNZ = 4
    DEC = 5
    STORE = 6
    LOAD = 7


@dataclass
class Frame:
    code: bytes
    pc: int = 0
    stack: list = field(default_factory=list)
    slots: dict = field(default_factory=dict)

    def fetch(self):
        byte = self.code[self.pc]
        self.pc += 1
        return byte


def byte_machine(code, argument):
    frame = Frame(code)
    while True:
        match Op(frame.fetch()):
            case Op.HALT:
                return frame.stack.pop()
            case Op.PUSH:
                frame.stack.append(frame.fetch())
            case Op.ADD:
                frame.stack.append(frame.stack.pop() + frame.stack.pop())
            case Op.ARG:
                frame.stack.append(argument)
            case Op.DEC:
                frame.stack.append(frame.stack.pop() - 1)
            case Op.STORE:
                frame.slots[frame.fetch()] = frame.stack.pop()
            case Op.LOAD:
                frame.stack.append(frame.slots[frame.fetch()])
            case Op.JNZ:
                target = frame.fetch()
                if frame.stack.pop():
                    frame.pc = target
            case other:
                raise ValueError(other)


PLUS_SEVEN = bytes([Op.ARG, Op.PUSH, 7, Op.ADD, Op.HALT])
TRIANGLE = bytes([
    Op.ARG, Op.STORE, 0, Op.PUSH, 0, Op.STORE, 1,
    Op.LOAD, 1, Op.LOAD, 0, Op.ADD, Op.STORE, 1, Op.LOAD, 0, Op.DEC, Op.STORE, 0, Op.LOAD, 0, Op.JNZ, 7,
    Op.LOAD, 1, Op.HALT,
])  # fmt: skip
LOCALS = bytes([Op.ARG, Op.STORE, 3, Op.LOAD, 3, Op.LOAD, 3, Op.ADD, Op.HALT])

# --- Events by dicts of dicts, with guards and actions ---


class Turnstile:
    def __init__(self, table, start):
        self.table = table
        self.state = start
        self.context = {"coins": 0, "passed": 0}

    def handle(self, event, amount):
        for guard, action, target in self.table[self.state].get(event, ()):
            if guard is None or guard(self.context, amount):
                if action is not None:
                    action(self.context, amount)
                self.state = target
                return


def pay(context, amount):
    context["coins"] += amount


def walk(context, _):
    context["coins"] = 0
    context["passed"] += 1


def enough(context, amount):
    return context["coins"] + amount >= 3


SIMPLE = {"locked": {"coin": [(None, pay, "open")]}, "open": {"push": [(None, walk, "locked")]}}
PRICED = {
    "locked": {"coin": [(enough, pay, "open"), (None, pay, "locked")]},
    "open": {"push": [(None, walk, "locked")], "coin": [(None, pay, "open")]},
}
IDLE = {"idle": {}}


def turnstile(table, start, script, amounts):
    machine = Turnstile(table, start)
    for event, amount in zip(script, amounts, strict=False):
        machine.handle(event, amount)
    return machine.state, machine.context


SUBJECTS = [
    Subject(
        "bound_table_machine",
        [
            Case("polynomial", lambda: (Calculator(POLYNOMIAL).run, {})),
            Case("clamp", lambda: (Calculator(CLAMP).run, {})),
            Case("doubling", lambda: (Calculator(DOUBLING).run, {})),
        ],
        inputs=mostly(integers(1, 0, 60), "ab", 2.5),
        gone=("program", "dispatch", "operand", "load", "times", "less", "skip_if"),
        types=(("argument", int),),
    ),
    Subject(
        "three_address",
        [
            Case("hypotenuse", lambda: (three_address_of_two, {"code": HYPOTENUSE})),
            Case("divisor", lambda: (three_address_of_two, {"code": GREATEST_DIVISOR})),
            Case("summing", lambda: (three_address_of_two, {"code": SUMMING})),
        ],
        inputs=integers(2, 1, 30),
        gone=("code", "instruction", "labels", "operation", "target", "isinstance", "branch_if_less", "again"),
    ),
    Subject(
        "yielding_machine",
        [
            Case("echo", lambda: (drive, {"program": ECHO})),
            Case("scaled", lambda: (drive, {"program": SCALED})),
            Case("silent", lambda: (drive, {"program": SILENT})),
        ],
        inputs=lambda random: ([random.randint(-9, 9), random.choice([2, 2.5, True])][: random.choice([2, 2, 1])],),
        gone=("program", "process", "send", "next", "operation", "read", "wrote"),
        types=(("inputs", list),),
    ),
    Subject(
        "forth_words",
        [
            Case("square", lambda: (forth, {"source": ": square dup * ; square 1 +"})),
            Case("absolute", lambda: (forth, {"source": "dup 0< if -1 * then"})),
            Case("nested", lambda: (forth, {"source": ": double dup + ; : quad double double ; quad 3 times double"})),
        ],
        inputs=mostly(integers(1), 2.5, "ab"),
        gone=("source", "words", "tokens", "dup", "execute", "Forth", "square", "times"),
    ),
    Subject(
        "byte_opcodes",
        [
            Case("plus", lambda: (byte_machine, {"code": PLUS_SEVEN})),
            Case("triangle", lambda: (byte_machine, {"code": TRIANGLE})),
            Case("locals", lambda: (byte_machine, {"code": LOCALS})),
        ],
        inputs=integers(1, 1, 30),
        gone=("code", "frame", "fetch", "Op", "slots", "pc", "stack", "Frame"),
    ),
    Subject(
        "turnstile",
        [
            Case(
                "simple",
                lambda: (turnstile, {"table": SIMPLE, "start": "locked", "script": ["coin", "push", "push"]}),
            ),
            Case(
                "priced",
                lambda: (turnstile, {"table": PRICED, "start": "locked", "script": ["coin", "coin", "push", "coin"]}),
            ),
            Case("idle", lambda: (turnstile, {"table": IDLE, "start": "idle", "script": ["coin"]})),
        ],
        inputs=lambda random: ([random.randint(0, 4) for _ in range(random.choice([4, 4, 2]))],),
        gone=("table", "start", "guard", "action", "push", "handle", "Turnstile"),
    ),
]
