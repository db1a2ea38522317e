"""Machines written as one function around a dispatch loop: Brainfuck, registers, stacks, an accumulator, Turing, Forth.

    run_stack([PUSH, 2, LOAD, 0, MUL, HALT], 21)    ->    42

Every program is static, what it computes on is dynamic; a good residual is the program in plain Python.
"""

from ..table import Case, Subject, integers, mostly

# --- Brainfuck ---


def match_brackets(source):
    jumps = {}
    opened = []
    for position, symbol in enumerate(source):
        if symbol == "[":
            opened.append(position)
        elif symbol == "]":
            start = opened.pop()
            jumps[start] = position
            jumps[position] = start
    return jumps


def brainfuck(source, data):
    jumps = match_brackets(source)
    tape = [0] * 30000
    pointer = 0
    pc = 0
    taken = 0
    out = []
    while pc < len(source):
        symbol = source[pc]
        if symbol == ">":
            pointer += 1
        elif symbol == "<":
            pointer -= 1
        elif symbol == "+":
            tape[pointer] = (tape[pointer] + 1) % 256
        elif symbol == "-":
            tape[pointer] = (tape[pointer] - 1) % 256
        elif symbol == ".":
            out.append(chr(tape[pointer]))
        elif symbol == ",":
            if taken < len(data):
                tape[pointer] = data[taken]
                taken += 1
            else:
                tape[pointer] = 0
        elif symbol == "[":
            if tape[pointer] == 0:
                pc = jumps[pc]
        elif symbol == "]":
            if tape[pointer] != 0:
                pc = jumps[pc]
        pc += 1
    return "".join(out)


BF_HELLO = "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++."
BF_ADD = ",>,[<+>-]<."
BF_MULTIPLY = ",>,<[>[>+>+<<-]>>[<<+>>-]<<<-]>>."
BF_UPPER = ",[>++++[<-------->-]<.,]"
BF_REVERSE = ">,[>,]<[.<]"


def bytes_input(random):
    return (bytes(random.randrange(1, 40) for _ in range(random.randint(0, 6))),)


# --- A register machine ---


def run_registers(program, count, x, y):
    regs = [0] * count
    regs[0] = x
    regs[1] = y
    ip = 0
    while ip < len(program):
        instruction = program[ip]
        name = instruction[0]
        ip += 1
        if name == "set":
            regs[instruction[1]] = instruction[2]
        elif name == "move":
            regs[instruction[1]] = regs[instruction[2]]
        elif name == "add":
            regs[instruction[1]] = regs[instruction[2]] + regs[instruction[3]]
        elif name == "sub":
            regs[instruction[1]] = regs[instruction[2]] - regs[instruction[3]]
        elif name == "mul":
            regs[instruction[1]] = regs[instruction[2]] * regs[instruction[3]]
        elif name == "mod":
            regs[instruction[1]] = regs[instruction[2]] % regs[instruction[3]]
        elif name == "jump":
            ip = instruction[1]
        elif name == "jpos":
            if regs[instruction[1]] > 0:
                ip = instruction[2]
        elif name == "jless":
            if regs[instruction[1]] < regs[instruction[2]]:
                ip = instruction[3]
        elif name == "out":
            return regs[instruction[1]]
        else:
            raise ValueError(f"unknown instruction {name}")
    return None


REG_SUM = [
    ("set", 2, 0),
    ("jpos", 0, 3),
    ("out", 2),
    ("add", 2, 2, 0),
    ("set", 3, 1),
    ("sub", 0, 0, 3),
    ("jump", 1),
]
REG_GCD = [
    ("jpos", 1, 2),
    ("out", 0),
    ("mod", 2, 0, 1),
    ("move", 0, 1),
    ("move", 1, 2),
    ("jump", 0),
]
REG_MAX = [("jless", 0, 1, 2), ("out", 0), ("out", 1)]
REG_MUL_BY_ADD = [
    ("set", 2, 0),
    ("set", 3, 1),
    ("jpos", 1, 4),
    ("out", 2),
    ("add", 2, 2, 0),
    ("sub", 1, 1, 3),
    ("jump", 2),
]
REG_POLY = [
    ("mul", 2, 0, 0),
    ("set", 3, 3),
    ("mul", 2, 2, 3),
    ("set", 3, 2),
    ("mul", 3, 3, 1),
    ("add", 2, 2, 3),
    ("out", 2),
]

# --- A stack machine with numbered operations in one flat list ---

PUSH, LOAD, STORE, ADD, SUB, MUL, LESS, JUMP, JUMP_IF_FALSE, DUP, HALT = range(11)


def run_stack(code, x):
    stack = []
    memory = [x, 0, 0, 0]
    pc = 0
    while True:
        opcode = code[pc]
        pc += 1
        if opcode == PUSH:
            stack.append(code[pc])
            pc += 1
        elif opcode == LOAD:
            stack.append(memory[code[pc]])
            pc += 1
        elif opcode == STORE:
            memory[code[pc]] = stack.pop()
            pc += 1
        elif opcode == ADD:
            right = stack.pop()
            left = stack.pop()
            stack.append(left + right)
        elif opcode == SUB:
            right = stack.pop()
            left = stack.pop()
            stack.append(left - right)
        elif opcode == MUL:
            right = stack.pop()
            left = stack.pop()
            stack.append(left * right)
        elif opcode == LESS:
            right = stack.pop()
            left = stack.pop()
            stack.append(left < right)
        elif opcode == JUMP:
            pc = code[pc]
        elif opcode == JUMP_IF_FALSE:
            if stack.pop():
                pc += 1
            else:
                pc = code[pc]
        elif opcode == DUP:
            stack.append(stack[-1])
        elif opcode == HALT:
            return stack.pop()
        else:
            raise RuntimeError("bad opcode")


STACK_SQUARE = [LOAD, 0, DUP, MUL, PUSH, 1, ADD, HALT]
STACK_TRIANGLE = [
    PUSH,
    0,
    LOAD,
    0,
    LESS,
    JUMP_IF_FALSE,
    23,
    LOAD,
    1,
    LOAD,
    0,
    ADD,
    STORE,
    1,
    LOAD,
    0,
    PUSH,
    1,
    SUB,
    STORE,
    0,
    JUMP,
    0,
    LOAD,
    1,
    HALT,
]
STACK_COUNT = [
    LOAD,
    1,
    LOAD,
    0,
    LESS,
    JUMP_IF_FALSE,
    17,
    LOAD,
    1,
    PUSH,
    2,
    ADD,
    STORE,
    1,
    JUMP,
    0,
    HALT,
    LOAD,
    1,
    HALT,
]
STACK_ABSOLUTE = [LOAD, 0, PUSH, 0, LESS, JUMP_IF_FALSE, 13, PUSH, 0, LOAD, 0, SUB, HALT, LOAD, 0, HALT]
STACK_NESTED = [
    LOAD,
    1,
    LOAD,
    0,
    LESS,
    JUMP_IF_FALSE,
    43,
    PUSH,
    0,
    STORE,
    2,
    LOAD,
    2,
    LOAD,
    1,
    LESS,
    JUMP_IF_FALSE,
    34,
    LOAD,
    3,
    LOAD,
    2,
    ADD,
    STORE,
    3,
    LOAD,
    2,
    PUSH,
    1,
    ADD,
    STORE,
    2,
    JUMP,
    11,
    LOAD,
    1,
    PUSH,
    1,
    ADD,
    STORE,
    1,
    JUMP,
    0,
    LOAD,
    3,
    HALT,
]

# --- An accumulator machine read from text ---


def run_accumulator(text, a, b):
    lines = [line.split() for line in text.strip().splitlines()]
    labels = {parts[0][:-1]: number for number, parts in enumerate(lines) if parts[0].endswith(":")}
    memory = {"a": a, "b": b}
    acc = 0
    at = 0
    while at < len(lines):
        parts = lines[at]
        at += 1
        mnemonic = parts[0]
        if mnemonic.endswith(":"):
            continue
        operand = parts[1]
        if mnemonic == "load":
            acc = memory[operand]
        elif mnemonic == "const":
            acc = int(operand)
        elif mnemonic == "store":
            memory[operand] = acc
        elif mnemonic == "add":
            acc = acc + memory[operand]
        elif mnemonic == "sub":
            acc = acc - memory[operand]
        elif mnemonic == "goto":
            at = labels[operand]
        elif mnemonic == "ifneg":
            if acc < 0:
                at = labels[operand]
        elif mnemonic == "print":
            print(operand, memory[operand])
    return acc


ACC_MAX = """
load a
sub b
ifneg second
load a
goto end
second:
load b
end:
store m
print m
"""
ACC_DIVIDE = """
const 0
store q
again:
load a
sub b
ifneg done
store a
const 1
add q
store q
print q
goto again
done:
load q
"""
ACC_STRAIGHT = """
load a
add a
sub b
store c
add c
"""

# --- A Turing machine ---


def turing(rules, start, tape):
    cells = dict(enumerate(tape))
    state = start
    head = 0
    steps = 0
    while state != "halt" and steps < 500:
        state, written, move = rules[state, cells.get(head, "_")]
        cells[head] = written
        head += 1 if move == "R" else -1
        steps += 1
    return "".join(cells[i] for i in sorted(cells)).strip("_"), steps


TM_INCREMENT = {
    ("right", "0"): ("right", "0", "R"),
    ("right", "1"): ("right", "1", "R"),
    ("right", "_"): ("carry", "_", "L"),
    ("carry", "1"): ("carry", "0", "L"),
    ("carry", "0"): ("halt", "1", "L"),
    ("carry", "_"): ("halt", "1", "L"),
}
TM_PARITY = {
    ("even", "0"): ("even", "0", "R"),
    ("even", "1"): ("odd", "1", "R"),
    ("even", "_"): ("halt", "E", "R"),
    ("odd", "0"): ("odd", "0", "R"),
    ("odd", "1"): ("even", "1", "R"),
    ("odd", "_"): ("halt", "O", "R"),
}
TM_INVERT = {("go", "0"): ("go", "1", "R"), ("go", "1"): ("go", "0", "R"), ("go", "_"): ("halt", "_", "R")}

# --- A small Forth ---


def forth_words(text):
    words = {}
    main = []
    tokens = text.split()
    i = 0
    while i < len(tokens):
        if tokens[i] == ":":
            end = tokens.index(";", i)
            words[tokens[i + 1]] = tokens[i + 2 : end]
            i = end + 1
        else:
            main.append(tokens[i])
            i += 1
    return words, main


def forth_run(words, tokens, stack):
    for token in tokens:
        if token in words:
            forth_run(words, words[token], stack)
        elif token == "dup":
            stack.append(stack[-1])
        elif token == "swap":
            stack[-1], stack[-2] = stack[-2], stack[-1]
        elif token == "drop":
            stack.pop()
        elif token == "over":
            stack.append(stack[-2])
        elif token == "+":
            right = stack.pop()
            stack.append(stack.pop() + right)
        elif token == "-":
            right = stack.pop()
            stack.append(stack.pop() - right)
        elif token == "*":
            right = stack.pop()
            stack.append(stack.pop() * right)
        elif token == ".":
            print(stack.pop())
        else:
            stack.append(int(token))


def forth(text, x, y):
    words, main = forth_words(text)
    stack = [x, y]
    forth_run(words, main, stack)
    return stack


FORTH_SQUARES = ": square dup * ; : sum-of-squares square swap square + ; sum-of-squares ."
FORTH_CUBE = ": square dup * ; : cube dup square * ; cube swap cube -"
FORTH_PLAIN = "over over + . 3 * 7 - swap drop"

SUBJECTS = [
    Subject(
        "brainfuck",
        [
            Case("hello", lambda: (brainfuck, {"source": BF_HELLO})),
            Case("add", lambda: (brainfuck, {"source": BF_ADD})),
            Case("multiply", lambda: (brainfuck, {"source": BF_MULTIPLY})),
            Case("upper", lambda: (brainfuck, {"source": BF_UPPER})),
            Case("reverse", lambda: (brainfuck, {"source": BF_REVERSE})),
        ],
        inputs=bytes_input,
        gone=("source", "symbol", "jumps", "pc", "opened"),
    ),
    Subject(
        "register_machine",
        [
            Case("sum", lambda: (run_registers, {"program": list(REG_SUM), "count": 4})),
            Case("gcd", lambda: (run_registers, {"program": list(REG_GCD), "count": 3})),
            Case("max", lambda: (run_registers, {"program": list(REG_MAX), "count": 2})),
            Case("mul_by_add", lambda: (run_registers, {"program": list(REG_MUL_BY_ADD), "count": 5})),
            Case("poly", lambda: (run_registers, {"program": list(REG_POLY), "count": 4})),
        ],
        inputs=mostly(integers(2), 2.5, "ab", None),
        gone=("program", "instruction", "ip", "jump", "jpos", "jless", "set", "move"),
    ),
    Subject(
        "stack_machine_function",
        [
            Case("square", lambda: (run_stack, {"code": list(STACK_SQUARE)})),
            Case("triangle", lambda: (run_stack, {"code": list(STACK_TRIANGLE)})),
            Case("count", lambda: (run_stack, {"code": list(STACK_COUNT)})),
            Case("absolute", lambda: (run_stack, {"code": list(STACK_ABSOLUTE)})),
            Case("nested", lambda: (run_stack, {"code": list(STACK_NESTED)})),
        ],
        inputs=mostly(integers(1), 1.5, "z", [1]),
        gone=("code", "opcode", "pc", "PUSH", "ADD", "JUMP", "HALT", "DUP"),
    ),
    Subject(
        "accumulator_machine",
        [
            Case("max", lambda: (run_accumulator, {"text": ACC_MAX})),
            Case("divide", lambda: (run_accumulator, {"text": ACC_DIVIDE})),
            Case("straight", lambda: (run_accumulator, {"text": ACC_STRAIGHT})),
        ],
        inputs=integers(2, 1, 30),
        gone=("text", "mnemonic", "operand", "labels", "parts", "load", "goto", "ifneg"),
    ),
    Subject(
        "turing_machine",
        [
            Case("increment", lambda: (turing, {"rules": dict(TM_INCREMENT), "start": "right"})),
            Case("parity", lambda: (turing, {"rules": dict(TM_PARITY), "start": "even"})),
            Case("invert", lambda: (turing, {"rules": dict(TM_INVERT), "start": "go"})),
        ],
        inputs=lambda r: ("".join(r.choices("01", k=r.randint(0, 7))) + r.choice(["", "", "", "x"]),),
    ),
    Subject(
        "forth",
        [
            Case("squares", lambda: (forth, {"text": FORTH_SQUARES})),
            Case("cube", lambda: (forth, {"text": FORTH_CUBE})),
            Case("plain", lambda: (forth, {"text": FORTH_PLAIN})),
        ],
        inputs=mostly(integers(2), "q", 0.5),
        gone=("text", "tokens", "token", "words", "swap", "dup", "square", "split"),
    ),
]
