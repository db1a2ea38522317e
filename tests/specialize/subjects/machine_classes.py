"""Machines written as classes: state in `self`, handlers as methods, tables, enumerations, registries, call frames.

    StackMachine([("push", 2), ("arg", None), ("mul", None)]).run(21)    ->    42

The machine object is static and so is its program; `self.pc` and `self.stack` are state that a run writes.
"""

import enum

from ..table import Case, Subject, integers, mostly

# --- One method with a chain of comparisons ---


class StackMachine:
    def __init__(self, code):
        self.code = code
        self.pc = 0
        self.stack = []
        self.steps = 0

    def push(self, value):
        self.stack.append(value)

    def pop(self):
        return self.stack.pop()

    def run(self, argument):
        self.pc = 0
        self.stack = []
        self.steps = 0
        while self.pc < len(self.code):
            name, operand = self.code[self.pc]
            self.pc += 1
            self.steps += 1
            if name == "push":
                self.push(operand)
            elif name == "arg":
                self.push(argument)
            elif name == "add":
                right = self.pop()
                self.push(self.pop() + right)
            elif name == "sub":
                right = self.pop()
                self.push(self.pop() - right)
            elif name == "mul":
                right = self.pop()
                self.push(self.pop() * right)
            elif name == "dup":
                self.push(self.stack[-1])
            elif name == "swap":
                self.stack[-1], self.stack[-2] = self.stack[-2], self.stack[-1]
            elif name == "jump":
                self.pc = operand
            elif name == "jump_if_positive":
                if self.stack[-1] > 0:
                    self.pc = operand
            else:
                raise ValueError("unknown instruction: " + name)
        return self.pop()


LINE = [("arg", None), ("push", 3), ("mul", None), ("push", 4), ("add", None)]
FACTORIAL = [
    ("push", 1),
    ("arg", None),
    ("jump_if_positive", 4),
    ("jump", 14),
    ("dup", None),
    ("push", -1),
    ("add", None),
    ("swap", None),
    ("jump", 16),
    ("push", 0),
    ("push", 0),
    ("push", 0),
    ("push", 0),
    ("push", 0),
    ("push", 1),
    ("mul", None),
]
COUNTDOWN = [
    ("arg", None),
    ("jump_if_positive", 3),
    ("jump", 6),
    ("push", 1),
    ("sub", None),
    ("jump", 1),
]
DOUBLE_UNTIL = [
    ("push", 1),
    ("dup", None),
    ("add", None),
    ("dup", None),
    ("arg", None),
    ("swap", None),
    ("sub", None),
    ("jump_if_positive", 10),
    ("swap", None),
    ("jump", 12),
    ("push", 0),
    ("jump", 14),
    ("push", 9),
    ("push", 9),
]

# --- Handler methods in a dispatch dictionary ---


class HandlerMachine:
    def __init__(self, program):
        self.program = program
        self.handlers = {
            "const": self.do_const,
            "load": self.do_load,
            "store": self.do_store,
            "add": self.do_add,
            "mul": self.do_mul,
            "less": self.do_less,
            "branch": self.do_branch,
            "jump": self.do_jump,
        }

    def do_const(self, value):
        self.stack.append(value)

    def do_load(self, name):
        self.stack.append(self.variables[name])

    def do_store(self, name):
        self.variables[name] = self.stack.pop()

    def do_add(self, _):
        right = self.stack.pop()
        left = self.stack.pop()
        self.stack.append(left + right)

    def do_mul(self, _):
        right = self.stack.pop()
        left = self.stack.pop()
        self.stack.append(left * right)

    def do_less(self, _):
        right = self.stack.pop()
        left = self.stack.pop()
        self.stack.append(left < right)

    def do_branch(self, target):
        if not self.stack.pop():
            self.pc = target

    def do_jump(self, target):
        self.pc = target

    def run(self, n):
        self.pc = 0
        self.stack = []
        self.variables = {"n": n}
        while self.pc < len(self.program):
            name, argument = self.program[self.pc]
            self.pc += 1
            self.handlers[name](argument)
        return self.variables["result"]


HANDLER_SUM = [
    ("const", 0),
    ("store", "i"),
    ("const", 0),
    ("store", "result"),
    ("load", "i"),
    ("load", "n"),
    ("less", None),
    ("branch", 17),
    ("load", "result"),
    ("load", "i"),
    ("add", None),
    ("store", "result"),
    ("load", "i"),
    ("const", 1),
    ("add", None),
    ("store", "i"),
    ("jump", 4),
]
HANDLER_SQUARE = [("load", "n"), ("load", "n"), ("mul", None), ("store", "result")]
HANDLER_SIGN = [
    ("load", "n"),
    ("const", 0),
    ("less", None),
    ("branch", 7),
    ("const", -1),
    ("store", "result"),
    ("jump", 9),
    ("const", 1),
    ("store", "result"),
]

# --- Dispatch by getattr ---


class GetattrMachine:
    def __init__(self, lines):
        self.lines = lines
        self.pc = 0
        self.acc = 0
        self.output = []

    def run(self, x, y):
        self.pc = 0
        self.acc = 0
        self.output = []
        self.slots = {"x": x, "y": y}
        while self.pc < len(self.lines):
            mnemonic, *operands = self.lines[self.pc]
            self.pc += 1
            method = getattr(self, "op_" + mnemonic, None)
            if method is None:
                raise NotImplementedError(mnemonic)
            method(*operands)
        return self.output

    def op_take(self, name):
        self.acc = self.slots[name]

    def op_keep(self, name):
        self.slots[name] = self.acc

    def op_plus(self, name):
        self.acc += self.slots[name]

    def op_minus(self, name):
        self.acc -= self.slots[name]

    def op_shift(self, amount):
        self.acc = self.acc * 2**amount

    def op_emit(self):
        self.output.append(self.acc)

    def op_skip_unless_negative(self, target):
        if not self.acc < 0:
            self.pc = target

    def op_again(self, target):
        self.pc = target


GETATTR_STRAIGHT = [("take", "x"), ("plus", "y"), ("emit",), ("shift", 3), ("emit",)]
GETATTR_ABSOLUTE = [
    ("take", "x"),
    ("minus", "y"),
    ("skip_unless_negative", 5),
    ("take", "y"),
    ("minus", "x"),
    ("emit",),
]
GETATTR_LOOP = [
    ("take", "x"),
    ("minus", "y"),
    ("keep", "x"),
    ("emit",),
    ("skip_unless_negative", 6),
    ("again", 0),
]
GETATTR_UNKNOWN = [("take", "x"), ("emit",), ("explode",)]

# --- Opcodes of an enumeration ---


class Op(enum.Enum):
    CONST = 1
    INPUT = 2
    ADD = 3
    MUL = 4
    NEGATE = 5
    PRINT = 6
    REPEAT = 7


def run_enum(program, value):
    stack = []
    for op, operand in program:
        if op is Op.CONST:
            stack.append(operand)
        elif op is Op.INPUT:
            stack.append(value)
        elif op in (Op.ADD, Op.MUL):
            b, a = stack.pop(), stack.pop()
            stack.append(a + b if op is Op.ADD else a * b)
        elif op is Op.NEGATE:
            stack[-1] = -stack[-1]
        elif op is Op.PRINT:
            print(op.name.lower(), stack[-1])
        elif op is Op.REPEAT:
            for _ in range(operand):
                stack.append(stack[-1])
    return stack


ENUM_LINE = [(Op.INPUT, None), (Op.CONST, 10), (Op.MUL, None), (Op.CONST, 7), (Op.ADD, None)]
ENUM_PRINT = [(Op.INPUT, None), (Op.PRINT, None), (Op.NEGATE, None), (Op.PRINT, None)]
ENUM_REPEAT = [(Op.INPUT, None), (Op.REPEAT, 3), (Op.MUL, None), (Op.MUL, None)]

# --- A registry filled by a decorator ---


def make_registry():
    handlers = {}

    def opcode(name):
        def register(function):
            handlers[name] = function
            return function

        return register

    @opcode("lit")
    def literal(stack, operand):
        stack.append(operand)

    @opcode("neg")
    def negate(stack, operand):
        stack.append(-stack.pop())

    @opcode("sum")
    def total(stack, operand):
        values = [stack.pop() for _ in range(operand)]
        stack.append(sum(values))

    @opcode("pick")
    def pick(stack, operand):
        stack.append(stack[-1 - operand])

    @opcode("clamp")
    def clamp(stack, operand):
        low, high = operand
        stack.append(max(low, min(high, stack.pop())))

    return handlers


def run_registered(handlers, program, first, second):
    stack = [first, second]
    for name, operand in program:
        handlers[name](stack, operand)
    return stack


REGISTERED_SUM = [("lit", 5), ("pick", 1), ("sum", 3)]
REGISTERED_CLAMP = [("clamp", (0, 9)), ("neg", None)]
REGISTERED_MIX = [("pick", 1), ("neg", None), ("sum", 2), ("lit", 100), ("clamp", (-50, 50))]

# --- Functions and frames ---


class Frame:
    __slots__ = ("back", "function", "locals", "pc")

    def __init__(self, function, arguments, back):
        self.function = function
        self.locals = arguments
        self.pc = 0
        self.back = back


class CallMachine:
    """Functions by name; the frames form a chain."""

    def __init__(self, functions):
        self.functions = functions

    def run(self, x):
        frame = Frame("main", [x], None)
        stack = []
        while frame is not None:
            name, operand = self.functions[frame.function][frame.pc]
            frame.pc += 1
            if name == "local":
                stack.append(frame.locals[operand])
            elif name == "const":
                stack.append(operand)
            elif name == "add":
                stack.append(stack.pop() + stack.pop())
            elif name == "mul":
                stack.append(stack.pop() * stack.pop())
            elif name == "call":
                callee, count = operand
                arguments = [stack.pop() for _ in range(count)]
                frame = Frame(callee, arguments, frame)
            elif name == "unless":
                if not stack.pop():
                    frame.pc = operand
            elif name == "return":
                frame = frame.back
        return stack.pop()


CALL_SQUARES = {
    "main": [("local", 0), ("call", ("square", 1)), ("call", ("square", 1)), ("return", None)],
    "square": [("local", 0), ("local", 0), ("mul", None), ("return", None)],
}
CALL_BRANCH = {
    "main": [
        ("local", 0),
        ("unless", 5),
        ("local", 0),
        ("call", ("twice", 1)),
        ("return", None),
        ("const", -1),
        ("return", None),
    ],
    "twice": [("local", 0), ("local", 0), ("add", None), ("return", None)],
}
CALL_TWO = {
    "main": [
        ("local", 0),
        ("const", 3),
        ("call", ("axpy", 2)),
        ("local", 0),
        ("call", ("axpy", 2)),
        ("return", None),
    ],
    "axpy": [("local", 0), ("local", 1), ("mul", None), ("local", 1), ("add", None), ("return", None)],
}

SUBJECTS = [
    Subject(
        "stack_machine_class",
        [
            Case("line", lambda: (StackMachine(list(LINE)).run, {})),
            Case("branches", lambda: (StackMachine(list(FACTORIAL)).run, {})),
            Case("countdown", lambda: (StackMachine(list(COUNTDOWN)).run, {})),
            Case("double", lambda: (StackMachine(list(DOUBLE_UNTIL)).run, {})),
        ],
        inputs=mostly(integers(1), 1.5, "q", None),
        gone=("operand", "code", "dup", "swap", "jump_if_positive", "unknown instruction: "),
        types=(("argument", int),),
    ),
    Subject(
        "handler_machine",
        [
            Case("sum", lambda: (HandlerMachine(list(HANDLER_SUM)).run, {})),
            Case("square", lambda: (HandlerMachine(list(HANDLER_SQUARE)).run, {})),
            Case("sign", lambda: (HandlerMachine(list(HANDLER_SIGN)).run, {})),
        ],
        inputs=mostly(integers(1), 2.5, "q"),
        gone=("program", "handlers", "argument", "do_add", "do_load", "const", "branch"),
        types=(("n", int),),
    ),
    Subject(
        "getattr_machine",
        [
            Case("straight", lambda: (GetattrMachine(list(GETATTR_STRAIGHT)).run, {})),
            Case("absolute", lambda: (GetattrMachine(list(GETATTR_ABSOLUTE)).run, {})),
            Case(
                "loop",
                lambda: (GetattrMachine(list(GETATTR_LOOP)).run, {}),
                inputs=lambda r: (r.randint(-30, -1), r.randint(-9, -1)),
            ),
            Case("unknown", lambda: (GetattrMachine(list(GETATTR_UNKNOWN)).run, {})),
        ],
        inputs=mostly(integers(2), 0.5, (1, 2)),
        gone=("lines", "mnemonic", "operands", "getattr", "op_take", "op_emit", "op_", "take", "emit"),
        types=(("x", int), ("y", int)),
    ),
    Subject(
        "enum_machine",
        [
            Case("line", lambda: (run_enum, {"program": list(ENUM_LINE)})),
            Case("print", lambda: (run_enum, {"program": list(ENUM_PRINT)})),
            Case("repeat", lambda: (run_enum, {"program": list(ENUM_REPEAT)})),
        ],
        inputs=mostly(integers(1), "ab", None),
        gone=("program", "op", "Op", "CONST", "INPUT", "NEGATE", "lower"),
    ),
    Subject(
        "registry_machine",
        [
            Case("sum", lambda: (run_registered, {"handlers": make_registry(), "program": list(REGISTERED_SUM)})),
            Case("clamp", lambda: (run_registered, {"handlers": make_registry(), "program": list(REGISTERED_CLAMP)})),
            Case("mix", lambda: (run_registered, {"handlers": make_registry(), "program": list(REGISTERED_MIX)})),
        ],
        inputs=mostly(integers(2, -90, 90), "q", None),
        gone=("handlers", "program", "operand", "lit", "pick", "register"),
    ),
    Subject(
        "call_machine",
        [
            Case("squares", lambda: (CallMachine(dict(CALL_SQUARES)).run, {})),
            Case("branch", lambda: (CallMachine(dict(CALL_BRANCH)).run, {})),
            Case("two", lambda: (CallMachine(dict(CALL_TWO)).run, {})),
        ],
        inputs=mostly(integers(1), "q", 0.5),
        gone=("functions", "frame", "Frame", "callee", "operand", "call", "square", "axpy", "twice"),
    ),
]
